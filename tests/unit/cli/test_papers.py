"""`ulna papers`: what it refuses before any work is done, and what it leaves behind."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from ulna import progress
from ulna.cli import papers as command
from ulna.papers import Paper, Row, Verdict, library
from ulna.papers.papers_folder import fill_folder

ROW = Row("forward", "Tip", "§1", "x = 1", "x = 1", Verdict.SAME, "It is.")
ERRATUM = Row("erratum-1", "Sign", "(2)", "+", "−", Verdict.CORRECTED, "A sign.")
PAPERS = {
    number: Paper(number, "Ada One, Ben Two", "Arms", "It asks.", lambda: (ROW, ERRATUM))
    for number in library.NUMBERS
}


@pytest.fixture
def shelf(monkeypatch):
    """Put small papers in the place of the five, judged in this process."""

    def here(folder, numbers, **options):
        return fill_folder(folder, numbers, **{**options, "workers": 0})

    monkeypatch.setattr(library, "paper", PAPERS.__getitem__)
    monkeypatch.setattr(library, "rows", lambda number: PAPERS[number].judge())
    monkeypatch.setattr(command, "fill_folder", here)


def files(folder):
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


PAGES = [*(f"{number}.html" for number in library.NUMBERS), "errata.html", "index.html"]


def test_all_papers_without_a_word(shelf, run_in, tmp_path):
    answer = run_in(tmp_path, "papers")
    assert answer.code == 0
    assert files(tmp_path / "papers") == [*PAGES, "rows.json"]
    assert "papers/index.html" in answer.flat
    assert answer.flat.count("Ada One et al. 2 1 1 0 1 0 0 0 0") == 5
    assert [path.name for path in tmp_path.iterdir()] == ["papers"]
    assert "paper 004: 2 rows judged" in answer.err


def test_some_papers_as_json(shelf, run_in, tmp_path):
    answer = run_in(tmp_path, "papers", "002", "000", "--out", "a/b", "--no-films", "--json")
    assert answer.code == 0
    told = answer.json
    assert [paper["number"] for paper in told["papers"]] == ["000", "002"]
    assert told["papers"][0] == {
        "number": "000", "rows": 2, "same": 1, "consistent with the text": 0, "corrected": 1,
        "wrong as printed": 0,
        "incomplete": 0, "remark": 0, "not yet": 0, "errata": 1,
    }  # fmt: skip
    assert told["index"] == "a/b/index.html"
    assert not told["stopped"]
    assert sorted(told["files"]) == sorted(f"a/b/{file}" for file in files(tmp_path / "a" / "b"))


def test_a_folder_of_papers_is_replaced_when_told_to(shelf, run_in, tmp_path):
    assert run_in(tmp_path, "papers", "000", "--out", "p").code == 0
    refused = run_in(tmp_path, "papers", "004", "--out", "p")
    assert refused.code == 2
    assert "'p', which exists" in refused.err
    assert "--overwrite" in refused.err
    assert "000.html" in files(tmp_path / "p")
    assert run_in(tmp_path, "papers", "004", "--out", "p", "--overwrite").code == 0
    assert files(tmp_path / "p") == ["004.html", "errata.html", "index.html", "rows.json"]


def test_an_empty_folder_will_do(shelf, run_in, tmp_path):
    (tmp_path / "p").mkdir()
    assert run_in(tmp_path, "papers", "004", "--out", "p").code == 0
    assert "004.html" in files(tmp_path / "p")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["005"], "PAPER: got '005', need the number of a paper; known: 000, 001, 002, 003, 004"),
        (["0", "kehl"], "PAPER: got 'kehl'"),
        (["000", "--out", ""], "--out: got ''"),
        (["000", "--out", "."], "where you are"),
    ],
)
def test_words_that_make_no_sense(shelf, run_in, tmp_path, words, told):
    answer = run_in(tmp_path, "papers", *words)
    assert answer.code == 2
    assert told in answer.err
    assert not list(tmp_path.iterdir())


def test_a_file_is_no_folder(shelf, run_in, tmp_path):
    (tmp_path / "p").write_text("mine")
    for words in (["--out", "p"], ["--out", "p", "--overwrite"], ["--out", "p/q"]):
        answer = run_in(tmp_path, "papers", "004", *words)
        assert answer.code == 74
        assert "is a file" in answer.err
    assert (tmp_path / "p").read_text() == "mine"


def test_a_folder_of_something_else_is_never_replaced(shelf, run_in, tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "thesis.txt").write_text("mine")
    assert run_in(tmp_path, "papers", "004", "--out", "p").code == 2
    answer = run_in(tmp_path, "papers", "004", "--out", "p", "--overwrite")
    assert answer.code == 2
    assert "'p', which holds thesis.txt, need a folder of papers and nothing else" in answer.err
    assert files(tmp_path / "p") == ["thesis.txt"]


def test_notes_beside_the_pages_are_not_lost(shelf, run_in, tmp_path):
    assert run_in(tmp_path, "papers", "004", "--out", "p").code == 0
    for name in ("notes.txt", "pictures/mine.png"):
        (tmp_path / "p" / name).write_text("mine")
    answer = run_in(tmp_path, "papers", "004", "--out", "p", "--overwrite")
    assert answer.code == 2
    assert "'p', which holds notes.txt and 1 more" in answer.err
    assert (tmp_path / "p" / "notes.txt").read_text() == "mine"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_an_empty_folder_behind_a_link_is_filled(shelf, run_in, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert run_in(tmp_path, "papers", "004", "--out", "link").code == 0
    assert (tmp_path / "link").is_symlink()
    assert "004.html" in files(tmp_path / "real")


def test_a_folder_that_cannot_be_written_to(shelf, run_in, tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)
    answer = run_in(tmp_path, "papers", "004", "--out", "p")
    assert answer.code == 74
    assert "cannot be written" in answer.err


def test_stopped_it_keeps_what_is_done_and_says_so(shelf, run_in, tmp_path, monkeypatch):
    told = []

    def stop(bar, task, tasks):
        told.append(task)
        if len(told) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(command.PapersProgress, "tell", stop)
    answer = run_in(tmp_path, "papers", "--out", "p")
    assert answer.code == 130
    assert "what was done until then is in p; without paper 002, 003, 004" in answer.err
    assert {"000.html", "001.html", "index.html"} <= set(files(tmp_path / "p"))


def test_stopped_it_leaves_a_whole_folder_as_it_was(shelf, run_in, tmp_path, monkeypatch):
    assert run_in(tmp_path, "papers", "--out", "p").code == 0
    before = files(tmp_path / "p")

    def stop(bar, task, tasks):
        raise KeyboardInterrupt

    monkeypatch.setattr(command.PapersProgress, "tell", stop)
    answer = run_in(tmp_path, "papers", "--out", "p", "--overwrite")
    assert answer.code == 130
    assert "p is as it was before" in answer.err
    assert files(tmp_path / "p") == before
    assert [path.name for path in tmp_path.iterdir()] == ["p"]


def test_stopped_at_once_it_leaves_nothing(shelf, run_in, tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(library, "rows", stop)
    answer = run_in(tmp_path, "papers", "--out", "p")
    assert answer.code == 130
    assert not list(tmp_path.iterdir())


def test_a_row_that_fails_is_a_bug(shelf, run_in, tmp_path, monkeypatch):
    monkeypatch.setattr(library, "rows", lambda number: 1 / 0)
    answer = run_in(tmp_path, "papers", "--out", "p")
    assert answer.code == 1
    assert "a bug in ulna" in answer.err
    assert not list(tmp_path.iterdir())


def test_a_terminal_shows_how_far_it_is(shelf, run_in, tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "is_seen", lambda: True)
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    answer = run_in(tmp_path, "papers", "000", "004", "--out", "p")
    assert answer.code == 0
    assert "[##########" in answer.err
    assert "100 %" in answer.err
    assert answer.err.endswith("\r")


@pytest.mark.slow
def test_the_five_papers_in_two_minutes(run_in, tmp_path):
    answer = run_in(tmp_path, "papers", "--json")
    assert answer.code == 0
    told = answer.json
    assert [paper["number"] for paper in told["papers"]] == list(library.NUMBERS)
    assert told["seconds"] < 120.0
    folder = tmp_path / "papers"
    for page in folder.glob("*.html"):
        text = page.read_text("utf-8")
        assert "Not made" not in text
        assert not re.search(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//""", text)
    assert all(file.stat().st_size > 1000 for file in folder.rglob("*.*"))


@pytest.mark.slow
def test_ctrl_c_is_heard_while_others_work(tmp_path):
    words = [sys.executable, "-m", "ulna", "papers", "002", "001", "--out", "p"]
    # A group of its own: Ctrl-C reaches all processes of a terminal's group at once.
    work = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True)
    judged = next(line for line in work.stderr if b"rows judged" in line)
    start = time.monotonic()
    os.killpg(work.pid, signal.SIGINT)
    told = work.communicate(timeout=60)[1].decode()
    assert time.monotonic() - start < 20.0
    assert work.returncode == 130, told
    assert "what was done until then is in p" in told
    assert "Traceback" not in told
    page = judged.decode().split()[1].strip(":") + ".html"
    assert {page, "index.html", "rows.json"} <= set(files(tmp_path / "p"))
    assert [path.name for path in tmp_path.iterdir()] == ["p"]


@pytest.mark.slow
@pytest.mark.parametrize("wait", [1.0, 3.0, 6.0])
def test_ctrl_c_while_others_start_is_quiet(tmp_path, wait):
    words = [sys.executable, "-m", "ulna", "papers", "002", "--out", "p"]
    work = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True)
    time.sleep(wait)
    os.killpg(work.pid, signal.SIGINT)
    told = work.communicate(timeout=60)[1].decode()
    assert work.returncode == 130, told
    assert "Traceback" not in told


@pytest.mark.slow
def test_papers_that_are_ended_leave_nothing(tmp_path):
    words = [sys.executable, "-m", "ulna", "papers", "002", "001", "--out", "p"]
    work = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True)
    next(line for line in work.stderr if b"rows judged" in line)
    os.killpg(work.pid, signal.SIGTERM)
    told = work.communicate(timeout=60)[1].decode()
    assert work.returncode == 128 + signal.SIGTERM, told
    assert "Traceback" not in told
    assert not list(tmp_path.iterdir())

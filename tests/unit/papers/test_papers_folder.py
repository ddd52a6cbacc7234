"""How the work is shared and in which order it is done, and what is left when it is stopped."""

import pickle
import signal
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children
from pathlib import Path

import pytest

from ulna.errors import InputError
from ulna.papers import library
from ulna.papers.papers_folder import (
    PLAYGROUND,
    PaperTask,
    PaperTasks,
    WorkerProcessError,
    _outcome,
    _result,
    _start_worker,
    execute,
    fill_folder,
    run_in_processes,
)
from ulna.viewer.playground_scenes import scenes


def test_papers_are_known_by_their_numbers():
    assert library.NUMBERS == ("000", "001", "002", "003", "004")
    assert library.checked(["003", "000", "003"]) == ("000", "003")
    with pytest.raises(InputError, match=r"'005'.*known: 000, 001, 002, 003, 004"):
        library.checked(["000", "005"])


def test_who_judged_a_paper_draws_it(shelf):
    tasks = PaperTasks(("000", "004"), films=True)
    first, second = tasks.take(set()), tasks.take(set())
    assert [first, second] == [PaperTask("000"), PaperTask("004")]
    tasks.finish(first, shelf["000"].judge())
    tasks.finish(second, shelf["004"].judge())
    # The one who judged 004 first draws what it knows, then helps where more than one is left.
    assert tasks.take({"004"}) == PaperTask("004", "pictures/000-forward.svg")
    assert tasks.take({"000"}) == PaperTask("000", "films/000-figure-5.mp4")
    assert tasks.take({"004"}) == PaperTask("000", "pictures/000-forward.svg")
    assert tasks.take({"004"}) is None
    assert tasks.take({"000"}) == PaperTask("000", "pictures/000-figure-5.png")
    assert tasks.take({"000"}) is None


def test_the_part_that_is_done_ends_at_one(shelf, tmp_path):
    parts = []
    fill_folder(tmp_path, tuple(shelf), on_done=lambda task, tasks: parts.append(tasks.part))
    assert len(parts) == 6
    assert parts == sorted(parts)
    assert parts[-1] == 1.0


def test_stopped_it_keeps_what_is_done(shelf, tmp_path):
    def stop(task, tasks):
        if tasks.made:
            (tmp_path / "pictures" / ".0123.part").write_bytes(b"half")
            raise KeyboardInterrupt

    edition = fill_folder(tmp_path, tuple(shelf), on_done=stop)
    assert edition.stopped
    assert len(edition.made) == 2  # a film and its poster, which came first
    assert not list(tmp_path.rglob("*.part"))
    page = (tmp_path / "000.html").read_text("utf-8")
    assert page.count("Not made, since it was stopped before") == 2
    assert "Stopped before it was done" in (tmp_path / "index.html").read_text("utf-8")


def test_stopped_at_the_first_paper_it_names_the_others(shelf, tmp_path):
    def stop(task, tasks):
        raise KeyboardInterrupt

    edition = fill_folder(tmp_path, tuple(shelf), on_done=stop)
    assert [judged.paper.number for judged in edition.judged] == ["000"]
    assert edition.missing == ("004",)
    assert "without 004" in (tmp_path / "index.html").read_text("utf-8")


def test_stopped_before_anything_it_leaves_nothing(shelf, tmp_path, monkeypatch):
    def stop(number):
        raise KeyboardInterrupt

    monkeypatch.setattr(library, "rows", stop)
    with pytest.raises(KeyboardInterrupt):
        fill_folder(tmp_path, tuple(shelf))
    assert not list(tmp_path.rglob("*.html"))


def test_a_row_that_fails_is_a_bug_and_raised(shelf, tmp_path, monkeypatch):
    def fail(number):
        raise ZeroDivisionError(number)

    monkeypatch.setattr(library, "rows", fail)
    with pytest.raises(ZeroDivisionError):
        fill_folder(tmp_path, tuple(shelf))


def test_what_fails_in_another_process_is_told_with_its_traceback(tmp_path):
    with pytest.raises(WorkerProcessError, match=r"(?s)paper 005: Traceback.*known: 000"):
        run_in_processes(PaperTasks(("005",), films=False), tmp_path, lambda task, tasks: None, 1)


def test_rows_travel_without_what_draws_them(shelf, tmp_path):
    row = pickle.loads(pickle.dumps(execute(PaperTask("000"), tmp_path)))[0]
    assert row.values == shelf["000"].judge()[0].values
    with pytest.raises(NotImplementedError):
        row.pictures[0].draw()


def test_a_worker_ignores_ctrl_c():
    hears = signal.getsignal(signal.SIGINT)
    try:
        _start_worker()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, hears)


def test_a_worker_answers_with_rows_or_with_a_traceback(shelf, tmp_path):
    done, rows = _outcome(PaperTask("000"), tmp_path)
    assert done
    assert [row.key for row in rows] == ["forward", "figure-5", "erratum-1", "erratum-2"]
    failed, told = _outcome(PaperTask("000", "pictures/none.svg"), tmp_path)
    assert not failed
    assert "KeyError: 'pictures/none.svg'" in told


def test_a_worker_that_is_gone_is_told_with_its_task():
    future = Future()
    future.set_exception(BrokenProcessPool())
    with pytest.raises(WorkerProcessError, match="paper 000: the process that did it ended"):
        _result(future, PaperTask("000"))


def test_workers_judge_a_paper_and_end(tmp_path):
    (tmp_path / "pictures").mkdir()
    before, told = set(active_children()), []
    tasks = PaperTasks(("004",), films=False)
    run_in_processes(tasks, tmp_path, lambda task, tasks: told.append(task.description), 1)
    assert told[0] == "paper 004"
    assert set(told[1:]) == {f"drawing {Path(file).name}" for file in tasks.made}
    assert all((tmp_path / file).is_file() for file in tasks.made)
    assert tasks.part == 1.0
    assert set(active_children()) == before


def test_what_moves_in_a_paper_has_a_scene_of_the_playground():
    known = {f"{PLAYGROUND}#scene={scene.id}" for scene in scenes()}
    moving = {"000": "replay animation mass-sweep", "001": "one-joint four-joints skater"}
    for number, keys in moving.items():
        rows = library.paper(number).judge._text["rows"]
        leading = {key: row["see_also"].values() for key, row in rows.items() if "see_also" in row}
        assert set(keys.split()) <= set(leading)
        assert {link for links in leading.values() for link in links} <= known
        assert {key for key, row in rows.items() if "films" in row} <= set(leading)

"""`ulna play`: the page, the key of an exercise, and what wrong words get."""

import math
import re

import pytest

import ulna
from ulna.viewer.exercises import exercise


@pytest.fixture
def ask(ask):
    """Return what runs this command in an empty folder: (*words) -> exit code, answer, notes."""
    return lambda *words: ask("play", *words)


def one_line(text):
    return " ".join(text.split())


def test_a_page_is_written_and_told(ask, tmp_path):
    code, out, err = ask("unit", "--out", "arm.html", "--q0", "40 deg, -60 deg")
    assert (code, err) == (0, "")
    size = (tmp_path / "arm.html").stat().st_size
    assert out == f"written: arm.html, {size / 1e3:.0f} kB; open it in a browser\n"
    (start,) = re.findall(r'"start":"[^"]*&q=([^"&]*)"', (tmp_path / "arm.html").read_text("utf-8"))
    angles = [float(part) for part in start.split(",")]
    assert angles == pytest.approx([math.radians(40), math.radians(-60)], abs=1e-15)


def test_without_words_it_is_the_usual_arm(ask, tmp_path):
    assert ask()[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["playground.html"]
    assert '"title":"kehl"' in (tmp_path / "playground.html").read_text("utf-8")


def test_a_robot_file_is_played_with(ask, tmp_path):
    arm = ulna.Arm.rods([0.3], [0.2], name="mine")
    ulna.save(arm, tmp_path / "mine.toml")
    assert ask("mine.toml", "--out", "mine.html")[0] == 0
    assert '"title":"mine"' in (tmp_path / "mine.html").read_text("utf-8")


def test_what_is_left_out_is_said(ask):
    code, _, err = ask("dfki-double-pendulum", "--out", "arm.html")
    assert code == 0
    assert "Dry friction and drag of dfki-double-pendulum are left out" in one_line(err)


def test_the_key_writes_no_page_unless_asked(ask, tmp_path):
    code, out, _ = ask("--exercise", "reach", "--seed", "4", "--key")
    assert code == 0
    assert out.strip() == exercise("reach", 4).key().strip()
    assert list(tmp_path.iterdir()) == []
    code, out, _ = ask("--exercise", "reach", "--seed", "4", "--key", "--out", "a.html")
    assert code == 0
    assert "written: a.html" in out
    assert (tmp_path / "a.html").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nosuch"], "ARM: got 'nosuch', need a preset or a robot file; known: unit, kehl"),
        (["five.toml"], "ARM: got 5 links, need an arm of 1 to 4 links"),
        (["kehl", "--exercise", "reach"], "ARM: got 'kehl', need nothing beside an exercise"),
        (["--out", "a.txt"], "--out: got 'a.txt', need a name that ends in .html"),
        (["--out", "mine.html"], "--out: got 'mine.html', which exists, need a new file"),
        (["--out", "five.toml"], "--out: got 'five.toml'"),
        (["--q0", "1, 2, 3"], "--q0: got 3 angles, need 2, one a joint"),
        (["--q0", "a deg, 3 deg"], "--q0: unknown name 'a'"),
        (["--q0", "1 kg, 2 kg"], "--q0.1: got '1 kg', need an angle such as '30 deg'"),
        (["--q0", "1, 2", "--exercise", "reach"], "--q0: got [1.0, 2.0], need nothing beside"),
        (["--exercise", "sums"], "--exercise: got 'sums', need one of reach, torque, lagrangian"),
        (["--exercise", ""], "--exercise: got '', need one of reach"),
        (["--exercise", "Reach "], "--exercise: got 'Reach ', need one of reach"),
        (["--seed", "3"], "--seed: got no exercise, need one"),
        (["--seed", "-1", "--exercise", "reach"], "--seed: got -1, need a whole number"),
        (["--seed", "x", "--exercise", "reach"], "--seed"),
        (["--key"], "--key: got no exercise, need one"),
        (["--key", "--exercise", "sums"], "--exercise: got 'sums', need one of reach"),
        (["--key", "--seed", "2"], "--key: got no exercise"),
    ],
)
def test_wrong_words_get_a_sentence(ask, tmp_path, words, said):
    ulna.save(ulna.Arm.rods([0.1] * 5, [1.0] * 5), tmp_path / "five.toml")
    (tmp_path / "mine.html").write_text("mine")
    code, out, err = ask(*words)
    assert (code, out) == (2, "")
    assert said in one_line(err)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["five.toml", "mine.html"]
    assert (tmp_path / "mine.html").read_text() == "mine"


def test_a_page_that_is_there_is_replaced_when_asked(ask, tmp_path):
    (tmp_path / "mine.html").write_text("mine")
    assert ask("--out", "mine.html", "--overwrite")[0] == 0
    assert (tmp_path / "mine.html").stat().st_size > 100_000


def test_a_folder_that_is_not_there_is_trouble_with_files(ask):
    code, _, err = ask("--out", "none/arm.html")
    assert code == 74
    assert "none/arm.html: cannot be written" in err

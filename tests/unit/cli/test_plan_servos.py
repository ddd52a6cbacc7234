"""`ulna plan` for a pen and for servos: strokes, their order, tables and programs."""

import csv

import numpy as np
import pytest

import ulna
from ulna.motion import servo_table

DRAWING = '<svg><path d="M0 0 h10 M0 20 h10 M10 1 h-10"/></svg>'
SERVOS = ("--servo", "ticks()", "--servo", "pen(1400, 1700)")
PULSES = ("--servo", "pulse(range='270 deg')")
CIRCLE = "circle(center=(0.6, 0.1), radius='10 cm')"


@pytest.fixture
def ask(run_in, tmp_path, unpainted):
    """Run the command in a folder with a drawing in it, and leave out the pictures."""
    (tmp_path / "drawing.svg").write_text(DRAWING, encoding="utf-8")
    (tmp_path / "points.csv").write_text("x,y\n0.4,0\n0.5,0\n", encoding="utf-8")
    return lambda *words: run_in(tmp_path, "plan", *words)


def test_a_drawing_of_strokes_becomes_a_table(ask):
    done = ask("kehl", "drawing.svg", *SERVOS)
    assert done.code == 0, done.err
    assert "3 strokes" in done.err
    with (done.place / "plan" / "servo.csv").open(encoding="utf-8", newline="") as stream:
        names, *rows = csv.reader(stream)
    assert names == ["t [s]", "servo1 [ticks]", "servo2 [ticks]", "pen [ticks]"]
    assert {row[3] for row in rows} == {"1400", "1700"}
    facts = done.facts("plan")["servo"]
    assert (facts["rate"], facts["rows"], facts["units"]) == (50.0, len(rows), ["ticks", "ticks"])
    # Half a tick of 4096 at both joints, at most a metre off; no motor is known to simulate.
    assert 0.0 < facts["rounding_error"] < (1.0 + 0.5) * np.pi / 4096
    assert facts["tip_error"] is None
    assert "give the joints servos" in done.err


def test_the_tip_error_of_a_table_is_simulated(ask):
    done = ask("so-101", "circle((0.2, 0.1), '4 cm')", "--servo", "feetech()")
    plan = ulna.plan(ulna.preset("so-101"), ulna.paths.circle((0.2, 0.1), 0.04))
    found = ulna.analysis.servo_tracking(plan, servo_table(plan, "feetech()"))
    facts = done.facts("plan")["servo"]["tip_error"]
    assert facts == {"rms": pytest.approx(found.rms), "max": pytest.approx(found.max)}
    assert f"expected tip error: {found.max * 1e3:.3g} mm at most" in done.err


def test_programs_are_written_for_pulses_and_do_not_outlive_them(ask):
    done = ask("kehl", CIRCLE, *PULSES, "--servo-rate", "25 Hz")
    assert done.code == 0, done.err
    for name, word in (("servo.ino", "STEP = 40000"), ("servo.py", "STEP = 40000")):
        assert word in (done.place / "plan" / name).read_text(encoding="utf-8")
    again = ask("kehl", CIRCLE, "--servo", "ticks()", "--overwrite")
    assert again.code == 0, again.err
    left = {file.name for file in (done.place / "plan").iterdir()}
    assert "servo.csv" in left
    assert not {"servo.ino", "servo.py"} & left


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((*PULSES, "--servo", "ticks()"), "got a servo of joint 2 that is sent ticks"),
        ((*PULSES, "--servo-rate", "2 kHz"), "got 2000 Hz, need 0.001 to 1000 Hz"),
    ],
)
def test_it_is_said_why_there_is_no_program(ask, words, says):
    done = ask("kehl", CIRCLE, *words)
    assert done.code == 0, done.err
    assert f"no program plays the table: {says}" in done.err
    left = {file.name for file in (done.place / "plan").iterdir()}
    assert {"servo.csv", "servo.ino", "servo.py"} & left == {"servo.csv"}


def test_what_a_board_has_to_hold_is_said(ask):
    words = ("--servo", "pen(1400, 1700)", "--duration", "100 s", "--servo-rate", "50 Hz")
    done = ask("kehl", CIRCLE, *PULSES, *words)
    assert done.code == 0, done.err
    # Two joints and a pen, two bytes each, at 0, 0.02 ... 100 s.
    assert "5,001 rows at 50 Hz; a board keeps 30,006 bytes" in done.err
    assert "an Uno has 28,000 for it: try 46 Hz" in done.err
    assert "the path lifts no pen" in done.err


def test_a_motion_that_motors_cannot_do_is_no_table(ask):
    words = ("kehl", CIRCLE, "--motor", "tower-pro-sg90")
    done = ask(*words, *PULSES)
    assert done.code == 5
    assert "no file is written; leave out --servo" in done.err
    assert not (done.place / "plan").exists()
    assert ask(*words).code == 5
    assert (done.place / "plan" / "plan.csv").exists()


def test_the_order_of_the_file_is_kept_when_asked(ask):
    short, kept = (
        ask("kehl", "drawing.svg"),
        ask("kehl", "drawing.svg", "--keep-order", "--overwrite"),
    )
    assert (short.code, kept.code) == (0, 0)
    assert "in the order of the file" in kept.err
    # The diagonal of 10 by 20 and 19 units back, or 1 and 19 units.
    assert "with 20 units of travel" in short.err
    assert "with 41.36 units of travel" in kept.err


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("drawing.svg", "--servo", "puls()"), 2, "did you mean 'pulse'?"),
        (("drawing.svg", "--servo", "ticks()", "--servo", "ticks(1)"), 2, "count: got 1.0"),
        (("drawing.svg", "--servo", "pen(1, 2)"), 2, "the servos of the joints"),
        (("drawing.svg", *SERVOS, *SERVOS), 2, "pen(...) once"),
        (("drawing.svg", *SERVOS, "--servo-rate", "0 Hz"), 2, "--servo-rate: got '0 Hz'"),
        (("drawing.svg", *["--servo", "ticks()"] * 3), 2, "--servo: got 3 servos for 2 joints"),
        (("drawing.svg", "--servo", "pulse(range='20 deg')"), 5, "its servo would be sent"),
        ((CIRCLE, "--servo-rate", "banana"), 2, "--servo-rate: got 'banana', need --servo with it"),
        ((CIRCLE, "--servo-rate", "50 Hz"), 2, "--servo-rate: got '50 Hz', need --servo with it"),
        (("drawing.svg", *SERVOS, "--servo-rate", "2 Hz"), 2, "--servo-rate: got 2 Hz, rows 0.5 s"),
        ((CIRCLE, *PULSES, "--servo-rate", "0.001 Hz"), 2, "rows 1000 s apart, need rows at most"),
        ((CIRCLE, *PULSES, "--servo-rate", "1e9 Hz"), 2, "at most 1,000,000 rows; try "),
        ((CIRCLE, "--servo", "pulse(range=180)"), 2, "did you mean '180 deg'?"),
        (
            (CIRCLE, "--servo", "dynamixel()", "--servo", "pen(up=100000, down=-5)"),
            2,
            "--servo: got 'pen(up=100000, down=-5)', need pen(up=..., down=...), two different "
            "whole numbers from 0 to 4095 ticks, the unit of the first servo",
        ),
        ((CIRCLE, *PULSES, "--servo", "pen(1400, 1400)"), 2, "--servo: got 'pen(1400, 1400)'"),
        (("circle()", "--keep-order"), 2, "--keep-order: got PATH 'circle()'"),
        (("points.csv", "--keep-order"), 2, "need a file with a column named pen"),
        (("drawing.svg", "--keep-order=yes"), 2, "--keep-order"),
    ],
)
def test_what_cannot_be_is_said(ask, words, code, says):
    done = ask("kehl", *words)
    assert done.code == code
    assert says in done.err
    assert not (done.place / "plan").exists()

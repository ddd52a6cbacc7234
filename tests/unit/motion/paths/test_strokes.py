"""Strokes of a pen: what is drawn, in which order, and the travel between them with the pen up."""

import math

import numpy as np
import pytest

import ulna
from ulna.errors import InputError
from ulna.motion.paths.curve_segments import CurveSegments, bezier
from ulna.motion.planning.stroke_timing import pen_down

# A square of side 10, a circle of radius 5 and two lines: what they draw is known.
SHAPES = (
    '<rect x="0" y="0" width="10" height="10"/><circle cx="30" cy="5" r="5"/>'
    '<line x1="0" y1="20" x2="3" y2="24"/><path d="M20 20 h10 M40 0 v-7"/>'
)
DRAWN = 40.0 + 10.0 * math.pi + 5.0 + 10.0 + 7.0
LAWS = ("uniform", "cubic", "quintic", "trapezoid", "s-curve")


def drawn_and_travelled(plan):
    """Integrate the tip's speed with the pen down, and with the pen up."""
    t = np.linspace(0.0, plan.duration, 40_001)
    speed = np.linalg.norm(plan.trajectory.tip(t).velocity, axis=-1)
    down = pen_down(plan.trajectory, t)
    return [np.trapezoid(np.where(part, speed, 0.0), t) for part in (down, ~down)]


@pytest.mark.parametrize("keep_order", [False, True])
def test_the_pen_draws_the_drawing_and_nothing_else(drawing, pen_down_length, keep_order):
    path = drawing(SHAPES, unit=1e-2, blend=0.0, keep_order=keep_order)
    assert len(path.strokes) == 5
    assert pen_down_length(path) == pytest.approx(1e-2 * DRAWN, rel=1e-9)


@pytest.mark.parametrize("timing", LAWS)
def test_the_pen_is_never_down_while_travelling(drawing, timing):
    path = drawing('<circle cx="5" cy="5" r="5"/><circle cx="30" cy="5" r="5"/>', unit=1e-2)
    arm = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0])
    plan = ulna.plan(arm, path.placed((0.3, 0.1)), timing=timing)
    assert plan.ok, plan.problems
    drawn, travelled = drawn_and_travelled(plan)
    # Two circles, and at least the way between them.
    assert drawn == pytest.approx(2.0 * math.pi * 0.1, rel=1e-6)
    assert travelled == pytest.approx(plan.path.length - 0.2 * math.pi, rel=1e-6)
    assert travelled >= 0.15
    assert plan.pen.dtype == bool
    assert plan.pen.shape == plan.t.shape
    # Where the pen is moved the arm stands still.
    switched = np.flatnonzero(np.diff(plan.pen.astype(int)))[:-1]
    assert np.abs(plan.qd[switched + 1]).max() < 1e-3


def test_every_stroke_goes_from_rest_to_rest_within_the_limits_of_the_tip(drawing):
    # A curve, whose acceleration has to be looked for, and lines, whose is known.
    bent = '<path d="M0 0 q10 15 20 0"/><path d="M20 20 h10 M40 0 v-7"/>'
    path = drawing(bent, unit=5e-3).placed((0.3, 0.0))
    arm = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0])
    plan = ulna.plan(arm, path, max_speed=0.4, max_acceleration=3.0)
    assert plan.ok, plan.problems
    t = np.linspace(0.0, plan.duration, 20_001)
    tip = plan.trajectory.tip(t)
    assert np.linalg.norm(tip.velocity, axis=-1).max() <= 0.4 * (1.0 + 1e-6)
    assert np.linalg.norm(tip.acceleration, axis=-1).max() <= 3.0 * (1.0 + 1e-6)
    parts = np.ravel(path.strokes)
    for place in parts:
        near = np.argmin(np.linalg.norm(tip.position - path(place), axis=-1))
        assert np.linalg.norm(tip.velocity[near]) < 0.02


def test_a_duration_is_kept_by_all_strokes_together(drawing):
    path = drawing(SHAPES)
    plan = ulna.plan(ulna.preset("kehl"), path, duration=20.0)
    assert plan.duration == 20.0
    assert plan.ok


@pytest.mark.parametrize("smoothing", [None, 0.05])
def test_the_fastest_timing_waits_for_the_pen_and_keeps_limits_while_travelling(drawing, smoothing):
    path = drawing(SHAPES, unit=5e-3).placed((0.3, 0.0))
    joints = [ulna.Joint(max_torque=25.0, max_velocity=0.4), ulna.Joint(max_torque=7.0)]
    arm = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0], joints=joints)
    plan = ulna.plan(arm, path, timing="fastest", max_speed=0.4, smoothing=smoothing)
    assert plan.ok, plan.problems
    t = np.linspace(0.0, plan.duration, 40_001)
    qd, down = plan.trajectory(t).qd, pen_down(plan.trajectory, t)
    assert np.abs(qd[~down, 0]).max() == pytest.approx(0.4, rel=1e-3)
    assert np.abs(qd[:, 0]).max() <= 0.4 * (1.0 + 1e-6)
    # Four times it is lifted and lowered, and each takes 0.2 s at rest.
    switched = t[:-1][np.diff(down.astype(int)) != 0]
    still = np.abs(qd).max(axis=1) < 1e-12
    assert t[1] * still.sum() == pytest.approx(8 * 0.2, rel=1e-2)
    assert len(switched) == 9  # and once more at the end
    for when in switched[:-1]:
        assert still[np.abs(t - when) < 0.2].mean() >= 0.45
    pen = next(one for one in plan.limiting if one.limit == "pen")
    assert pen.share == pytest.approx(1.6 / plan.duration)


def test_strokes_drawn_backwards_are_the_same_curves():
    arc = CurveSegments.of([bezier(0.0, 1.0 + 2.0j, 3.0), bezier(3.0, 4.0, 4.0 + 1.0j, 5.0j)])
    t, which = np.linspace(0.0, 1.0, 11), np.zeros(11, dtype=int)
    for piece in (0, 1):
        there = arc.at(which + piece, t).value
        back = arc.reversed().at(which + 1 - piece, 1.0 - t).value
        assert back == pytest.approx(there, abs=1e-12)


def test_what_is_composed_keeps_its_strokes(drawing, pen_down_length):
    path = drawing(SHAPES, unit=1e-2, blend=0.0)
    drawn = 1e-2 * DRAWN
    for made, length in (
        (path.reversed(), drawn),
        (path.placed((0.1, 0.2), 0.3), drawn),
        (path.scaled(2.0), 2.0 * drawn),
        (path.repeated(3), 3.0 * drawn),
        (path.then(path.reversed()), 2.0 * drawn),
    ):
        assert pen_down_length(made) == pytest.approx(float(length), rel=1e-9)
    whole = ulna.paths.circle().then(ulna.paths.circle())
    assert whole.strokes == ((0.0, 1.0),)


def test_text_is_named_with_the_way_to_outlines(drawing):
    body = '<text id="label">Hello <tspan>world</tspan></text>'
    path = drawing(f"{SHAPES}\n{body}")
    (note,) = [one for one in path.notes if "text" in one]
    assert "<text id='label'> in line 2 ('Hello world')" in note
    assert "Path > Object to Path" in note
    with pytest.raises(InputError, match=r"text id='label'.*Path > Object to Path"):
        drawing(body)


def test_the_order_of_a_file_is_for_files():
    with pytest.raises(InputError, match=r"keep_order: .*need the name of a \.svg or \.csv file"):
        ulna.motion.read_path("circle()", keep_order=True)


@pytest.mark.parametrize(
    "text",
    [
        "svg('{}')",
        "svg('{}', keep_order=True)",
        "placed(svg('{}'), at=(1, 2))",
        "reversed(repeated(svg('{}'), 2))",
        "then(svg('{}'), svg('{}'))",
    ],
)
def test_the_order_of_files_in_text_is_kept(drawing, tmp_path, text):
    # From the left end of one line to that of the next: 5 to the right and 3 down.
    drawing('<path d="M0 0 h5 M0 3 h5"/>')
    made = ulna.motion.read_path(
        text.replace("{}", (tmp_path / "drawing.svg").as_posix()), keep_order=True
    )
    assert "keep_order=True" in str(made)
    (first, last), (second, _), *_ = made.strokes
    gap = np.linalg.norm(np.diff(made([last, second]), axis=0))
    assert gap == pytest.approx(math.hypot(5.0, 3.0))
    assert first == 0.0

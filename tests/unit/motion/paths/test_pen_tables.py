"""Tables with a column of the pen: strokes, and the ways between them with the pen up."""

import math
from itertools import pairwise

import numpy as np
import pytest

import ulna
from ulna.errors import InputError
from ulna.motion.planning.stroke_timing import pen_down

# Moves to a point, draws two lines, moves, and draws a line.
PEN = "x [mm], y [mm], pen\n300, 0, 0\n400, 0, 1\n400, 50, 0\n300, 50, 1\n"


def test_a_column_of_the_pen_makes_strokes(table, pen_down_length):
    path = table(PEN, keep_order=True)
    assert len(path.strokes) == 2
    assert pen_down_length(path) == pytest.approx(0.2)
    assert path.length == pytest.approx(0.25)
    # The second stroke is drawn as it stands in the file.
    assert path(path.strokes[1][0]) == pytest.approx([0.4, 0.05])
    plan = ulna.plan(ulna.preset("kehl"), table(PEN))
    assert plan.ok
    t = np.linspace(0.0, plan.duration, 20_001)
    speed = np.linalg.norm(plan.trajectory.tip(t).velocity, axis=-1)
    drawn = np.trapezoid(np.where(pen_down(plan.trajectory, t), speed, 0.0), t)
    assert drawn == pytest.approx(0.2, rel=1e-6)


def test_a_stroke_of_many_points_is_smooth_through_them(table, pen_down_length):
    angle = np.linspace(0.0, np.pi, 40)
    rows = [f"{0.4 + 0.1 * np.cos(a)},{0.1 * np.sin(a)},1" for a in angle]
    path = table("\n".join(["x,y,pen", *rows, "0.2,0.2,0", "0.2,0.3,1"]))
    assert pen_down_length(path) == pytest.approx(0.1 * np.pi + 0.1, rel=1e-5)
    # What is left are corners where the pen stops.
    assert set(path.corners) <= set(np.ravel(path.strokes))


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("x,y,pen\n0,0,0\n1,0,0.5\n", {}, "points.csv:3: pen: got 0.5"),
        ("x,y,pen\n0,0,1\n1,0,0\n", {}, "never down"),
        ("x,y,pen\n0,0,0\n1,0,1\n1,0,1\n", {}, "points.csv:4: .*same point again"),
        ("t,x,y,pen\n0,0,0,1\n1,1,0,1\n", {}, "t and pen, need one of them"),
        ("x,y,pen\n0,0,true\n1,0,false\n", {}, r"3 \(pen\): got 'true', need a finite"),
        ("x,y,pen\n0,0,1\n1,,\n", {}, r"3 \(pen\): got nothing"),
        ("x,y,pen\n0,0,1\n1e300,0,1\n", {}, r"points.csv:3: x: got 1e\+300 m, need up to"),
        (PEN, {"closed": True}, "closed: got True, need a file without"),
        ("x,y\n0,0\n1,0\n", {"keep_order": True}, "keep_order: got True, need a file with a col"),
        (PEN, {"keep_order": "no"}, "keep_order"),
    ],
)
def test_tables_that_make_no_strokes_are_refused(table, text, options, says):
    with pytest.raises(InputError, match=says):
        table(text, **options)


@pytest.mark.parametrize("name", ["pen", "PEN", "pen_down", "Pen down", "pendown"])
def test_a_pen_may_be_called_pen_down(table, name):
    assert len(table(PEN.replace("pen", name)).strokes) == 2


def test_a_column_that_is_no_pen_is_left_alone(table):
    assert table("x,y,pendulum,open\n0,0,1,1\n1,0,0,1\n").strokes == ((0.0, 1.0),)


# A move to where the first line begins, a line of 50 mm, a way by (0.2, 0.03) to the second line,
# and a move away.
WAYS = [
    (0.25, 0.05, 0), (0.15, 0.0, 0), (0.2, 0.0, 1), (0.2, 0.03, 0),
    (0.22, 0.05, 0), (0.15, 0.03, 1), (0.1, 0.1, 0),
]  # fmt: skip
WAYS_TEXT = "x,y,pen\n" + "\n".join(",".join(map(str, row)) for row in WAYS)
LENGTHS = [math.dist(a[:2], b[:2]) for a, b in pairwise(WAYS)]


def test_in_the_order_of_the_file_travel_goes_through_all_its_points(table):
    path = table(WAYS_TEXT, keep_order=True)
    assert path.length == pytest.approx(sum(LENGTHS))
    assert path(path.breaks) == pytest.approx(np.array(WAYS)[:, :2])
    ends = np.concatenate([[0.0], np.cumsum(LENGTHS)]) / sum(LENGTHS)
    assert np.array(path.strokes) == pytest.approx(ends[[[1, 2], [4, 5]]])
    assert len(path.notes) == 1
    assert f"{sum(LENGTHS) - LENGTHS[1] - LENGTHS[4]:.4g} m of travel" in path.notes[0]


def test_the_pen_is_up_on_the_way_to_the_first_stroke_and_from_the_last(table):
    arm = ulna.Arm.rods([0.2, 0.15], [0.2, 0.1])
    path = table(WAYS_TEXT, keep_order=True)
    plan = ulna.plan(arm, path, max_speed=0.1, max_acceleration=1.0)
    assert plan.ok, plan.problems
    assert not plan.pen[0]
    assert not plan.pen[-1]
    speed = np.linalg.norm(np.diff(plan.tip[:, :2], axis=0), axis=-1)
    assert speed[plan.pen[:-1]].sum() == pytest.approx(LENGTHS[1] + LENGTHS[4], rel=0.02)


def test_points_that_another_order_leaves_out_are_told(table):
    path = table(WAYS_TEXT)
    # The lines' nearest ends are (0.15, 0) and (0.15, 0.03).
    assert path.length == pytest.approx(LENGTHS[1] + LENGTHS[4] + 0.03)
    assert any("3 points with the pen up left out" in note for note in path.notes)
    assert any("keep_order" in note for note in path.notes)
    assert not any("left out" in note for note in table(PEN).notes)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"timing": "quintic"},
        {"duration": 6.0},
        {"max_speed": 0.1},
        {"max_speed": 0.1, "max_acceleration": 1.0},
        {"timing": "fastest", "max_acceleration": 1.0},
    ],
)
def test_the_tip_stops_at_corners_of_travel(tmp_path, options):
    """With the pen up from (0.2, 0) by (0.2, 0.03) to (0.16, 0.03): nothing rounds that corner."""
    file = tmp_path / "ways.csv"
    file.write_text("x,y,pen\n.15,0,0\n.2,0,1\n.2,.03,0\n.16,.03,0\n.15,.06,1\n")
    path = ulna.paths.csv(file, keep_order=True)
    plan = ulna.plan(ulna.Arm.rods([0.16, 0.14], [0.06, 0.04]), path, **options)
    assert plan.ok, plan.problems
    t = np.linspace(0.0, plan.duration, 20_001)
    tip = plan.trajectory.tip(t)
    there = np.linalg.norm(tip.position - [0.2, 0.03], axis=-1) < 1e-6
    assert there.any()
    assert np.linalg.norm(tip.velocity[there], axis=-1).min() < 1e-2

"""Strokes of a pen: what is drawn, in which order, and the travel between them with the pen up."""

import itertools
import math

import numpy as np
import pytest

import ulna
from ulna.errors import InputError
from ulna.motion.paths.curve_segments import CurveSegments, bezier
from ulna.motion.paths.strokes import order_strokes
from ulna.motion.planning.stroke_timing import pen_down

# A square of side 10, a circle of radius 5 and two lines: what they draw is known.
SHAPES = (
    '<rect x="0" y="0" width="10" height="10"/><circle cx="30" cy="5" r="5"/>'
    '<line x1="0" y1="20" x2="3" y2="24"/><path d="M20 20 h10 M40 0 v-7"/>'
)
DRAWN = 40.0 + 10.0 * math.pi + 5.0 + 10.0 + 7.0
LAWS = ("uniform", "cubic", "quintic", "trapezoid", "s-curve")


@pytest.fixture
def drawing(tmp_path):
    """Give what makes the path of a drawing."""

    def draw(body, **options):
        file = tmp_path / "drawing.svg"
        file.write_text(f"<svg>{body}</svg>", encoding="utf-8")
        return ulna.paths.svg(file, **options)

    return draw


@pytest.fixture
def table(tmp_path):
    """Give what makes the path of a .csv file."""

    def read(text, **options):
        file = tmp_path / "points.csv"
        file.write_text(text, encoding="utf-8")
        return ulna.paths.csv(file, **options)

    return read


def pen_down_length(path):
    return sum(last - first for first, last in path.strokes) * path.length


def drawn_and_travelled(plan):
    """Integrate the tip's speed with the pen down, and with the pen up."""
    t = np.linspace(0.0, plan.duration, 40_001)
    speed = np.linalg.norm(plan.trajectory.tip(t).velocity, axis=-1)
    down = pen_down(plan.trajectory, t)
    return [np.trapezoid(np.where(part, speed, 0.0), t) for part in (down, ~down)]


@pytest.mark.parametrize("keep_order", [False, True])
def test_the_pen_draws_the_drawing_and_nothing_else(drawing, keep_order):
    path = drawing(SHAPES, scale=1e-2, blend=0.0, keep_order=keep_order)
    assert len(path.strokes) == 5
    assert pen_down_length(path) == pytest.approx(1e-2 * DRAWN, rel=1e-9)


@pytest.mark.parametrize("timing", LAWS)
def test_the_pen_is_never_down_while_travelling(drawing, timing):
    path = drawing('<circle cx="5" cy="5" r="5"/><circle cx="30" cy="5" r="5"/>', scale=1e-2)
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
    path = drawing(bent, scale=5e-3).placed((0.3, 0.0))
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
    path = drawing(SHAPES, scale=5e-3).placed((0.3, 0.0))
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


def travel(starts, ends, order):
    """Add up the ways between strokes, by the definition."""
    entry = [(ends if back else starts)[k] for k, back in order]
    leave = [(starts if back else ends)[k] for k, back in order]
    return sum(abs(b - a) for a, b in zip(leave, entry[1:], strict=False))


@pytest.mark.parametrize("seed", range(8))
def test_ordering_never_lengthens_the_travel(seed):
    random = np.random.default_rng(seed)
    count = int(random.integers(2, 40))
    starts, ends = (random.normal(size=(2, count, 2)) @ [1.0, 1.0j]).reshape(2, count)
    order = order_strokes(starts, ends)
    chosen = list(zip(order.index.tolist(), order.backwards.tolist(), strict=True))
    assert sorted(order.index.tolist()) == list(range(count))
    assert order.travel == pytest.approx(travel(starts, ends, chosen))
    given = travel(starts, ends, [(k, False) for k in range(count)])
    assert order.travel_before == pytest.approx(given)
    assert order.travel <= given
    again = order_strokes(starts, ends)
    assert (again.index == order.index).all()
    assert (again.backwards == order.backwards).all()


@pytest.mark.parametrize("seed", range(4))
def test_of_few_strokes_the_order_is_close_to_the_best(seed):
    random = np.random.default_rng(100 + seed)
    starts, ends = (random.normal(size=(2, 4, 2)) @ [1.0, 1.0j]).reshape(2, 4)
    best = min(
        travel(starts, ends, list(zip(order, turns, strict=True)))
        for order in itertools.permutations(range(4))
        for turns in itertools.product([False, True], repeat=4)
    )
    assert best * (1.0 - 1e-12) <= order_strokes(starts, ends).travel <= 1.25 * best


def test_a_zigzag_of_hatches_needs_no_travel_but_between_lines():
    rows = np.arange(20.0)
    order = order_strokes(1j * rows, 10.0 + 1j * rows)
    assert order.travel == pytest.approx(19.0)
    assert order.travel_before == pytest.approx(19.0 * math.hypot(10.0, 1.0))
    assert order_strokes(1j * rows, 10.0 + 1j * rows, keep=True).travel == order.travel_before


def test_strokes_drawn_backwards_are_the_same_curves():
    arc = CurveSegments.of([bezier(0.0, 1.0 + 2.0j, 3.0), bezier(3.0, 4.0, 4.0 + 1.0j, 5.0j)])
    t, which = np.linspace(0.0, 1.0, 11), np.zeros(11, dtype=int)
    for piece in (0, 1):
        there = arc.at(which + piece, t).value
        back = arc.reversed().at(which + 1 - piece, 1.0 - t).value
        assert back == pytest.approx(there, abs=1e-12)


def test_what_is_composed_keeps_its_strokes(drawing):
    path = drawing(SHAPES, scale=1e-2, blend=0.0)
    drawn = 1e-2 * DRAWN
    for made, length in (
        (path.reversed(), drawn),
        (path.placed((0.1, 0.2), 0.3), drawn),
        (path.scaled(2.0), 2.0 * drawn),
        (path.repeated(3), 3.0 * drawn + 2.0 * np.linalg.norm(np.diff(path.ends, axis=0))),
        (path.then(path.reversed()), 2.0 * drawn),
    ):
        assert pen_down_length(made) == pytest.approx(float(length), rel=1e-9)
    whole = ulna.paths.circle().then(ulna.paths.circle())
    assert whole.strokes == ((0.0, 1.0),)


def test_a_path_in_one_go_has_the_pen_down_all_along():
    plan = ulna.plan(ulna.preset("kehl"), ulna.paths.loops())
    assert plan.pen.all()
    assert plan.path.strokes == ((0.0, 1.0),)


def test_text_is_named_with_the_way_to_outlines(drawing):
    body = '<text id="label">Hello <tspan>world</tspan></text>'
    path = drawing(f"{SHAPES}\n{body}")
    (note,) = [one for one in path.notes if "text" in one]
    assert "<text id='label'> in line 2 ('Hello world')" in note
    assert "Path > Object to Path" in note
    with pytest.raises(InputError, match=r"text id='label'.*Path > Object to Path"):
        drawing(body)


# Moves to a point, draws two lines, moves, and draws a line.
PEN = "x [mm], y [mm], pen\n300, 0, 0\n400, 0, 1\n400, 50, 0\n300, 50, 1\n"


def test_a_column_of_the_pen_makes_strokes(table):
    path = table(PEN, keep_order=True)
    assert len(path.strokes) == 2
    assert pen_down_length(path) == pytest.approx(0.2)
    assert path.length == pytest.approx(0.25)
    # The second stroke is drawn as it stands in the file.
    assert path(path.strokes[1][0]) == pytest.approx([0.4, 0.05])
    plan = ulna.plan(ulna.preset("kehl"), table(PEN))
    assert plan.ok
    drawn, _ = drawn_and_travelled(plan)
    assert drawn == pytest.approx(0.2, rel=1e-6)


def test_a_stroke_of_many_points_is_smooth_through_them(table):
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
        ("x,y,pen\n0,0,0\n1,0,up\n", {}, "points.csv:3: .*pen"),
        (PEN, {"closed": True}, "closed: got True, need a file without"),
        ("x,y\n0,0\n1,0\n", {"keep_order": True}, "keep_order: got True, need a file with a col"),
        (PEN, {"keep_order": "no"}, "keep_order"),
    ],
)
def test_tables_that_make_no_strokes_are_refused(table, text, options, says):
    with pytest.raises(InputError, match=says):
        table(text, **options)


def test_the_order_of_a_file_is_for_files():
    with pytest.raises(InputError, match=r"keep_order: .*need the name of a \.svg or \.csv file"):
        ulna.motion.read_path("circle()", keep_order=True)

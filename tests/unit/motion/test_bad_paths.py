"""Wrong inputs of everything public in motion: a sentence with the value and the need."""

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import paths

ARM = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0])
CHAIN = ulna.Arm.rods([0.5, 0.4, 0.3], [1.0, 1.0, 1.0])
CIRCLE = paths.circle((0.5, 0.1), 0.1)
SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]

NUMBERS = (np.nan, np.inf, -np.inf, "1", None, [1.0], 1j, True, np.array([1.0, 2.0]))
LENGTHS = (*NUMBERS, 0.0, -1.0)
POINTS = (
    np.nan, 1.0, "ab", None, (1.0,), (1.0, 2.0, 3.0), (1.0, np.nan), (np.inf, 0.0),
    (1.0, "2"), (1.0, None), [[1.0, 2.0]], (1j, 2.0), [(1.0, 2.0), (3.0,)],
)  # fmt: skip
COUNTS = (*NUMBERS, 0, -1, 2.5)
ROWS = (
    np.nan, 1.0, "ab", None, [], [(0, 0)], [(0, 0), (1, np.nan)], [(0, 0), (np.inf, 1)],
    [0, 1, 2], [(0, 0), (1,)], [(0, 0), ("a", 1)], [(0, 0), (0, 0)],
    [[(0, 0), (1, 1)]],
)  # fmt: skip
SOLID = [(0, 0, 0), (1, 1, 1)]
TIMES = (
    "now", [0.0, 1.0, 2.0], [0.0, 1.0, 1.0, 2.0], [0.0, 2.0, 1.0, 3.0],
    [0.0, np.nan, 1.0, 2.0], [0.0, 1.0, 2.0, np.inf], [[0.0, 1.0, 2.0, 3.0]],
)  # fmt: skip

BAD = [
    *((paths.line, {"start": value, "end": (1, 1)}) for value in POINTS),
    *((paths.line, {"start": (1, 1), "end": value}) for value in (*POINTS, (1, 1))),
    *((paths.arc, {"center": value}) for value in POINTS),
    *((paths.arc, {"radius": value}) for value in LENGTHS),
    *((paths.arc, {"start": value}) for value in NUMBERS),
    *((paths.arc, {"end": value}) for value in (*NUMBERS, 0.0)),
    *((paths.circle, {"center": value}) for value in POINTS),
    *((paths.circle, {"radius": value}) for value in LENGTHS),
    *((paths.circle, {"start": value}) for value in NUMBERS),
    *((paths.ellipse, {"center": value}) for value in POINTS),
    *((paths.ellipse, {"radii": value}) for value in (*POINTS, (0.0, 1.0), (1.0, -1.0))),
    *((paths.ellipse, {"tilt": value}) for value in NUMBERS),
    *((paths.ellipse, {"start": value}) for value in NUMBERS),
    *((paths.lemniscate, {"center": value}) for value in POINTS),
    *((paths.lemniscate, {"radius": value}) for value in LENGTHS),
    *((paths.lemniscate, {"tilt": value}) for value in NUMBERS),
    *((paths.rose, {"center": value}) for value in POINTS),
    *((paths.rose, {"radius": value}) for value in LENGTHS),
    *((paths.rose, {"petals": value}) for value in (*COUNTS, 1, 2, 6, 10)),
    *((paths.rose, {"tilt": value}) for value in NUMBERS),
    *((paths.loops, {"radius": value}) for value in LENGTHS),
    *((paths.loops, {"loop_radius": value}) for value in LENGTHS),
    *((paths.loops, {"loops": value}) for value in COUNTS),
    *((paths.loops_as_printed, {"radius": value}) for value in LENGTHS),
    *((paths.loops_as_printed, {"loop_radius": value}) for value in LENGTHS),
    *((paths.loops_as_printed, {"loops": value}) for value in COUNTS),
    *((paths.loops_as_printed, {"samples": value}) for value in (*COUNTS, 3)),
    *((paths.polyline, {"corners": value}) for value in (*ROWS, SOLID)),
    *((paths.polyline, {"corners": SQUARE, "blend": value}) for value in LENGTHS
      if value is not None and value is not LENGTHS[-2]),
    *((paths.spline, {"through": value}) for value in (*ROWS, SOLID)),
    *((paths.spline, {"through": SQUARE, "times": value}) for value in TIMES),
    *((paths.joints, {"through": value}) for value in ROWS),
    *((paths.joints, {"through": SQUARE, "times": value}) for value in TIMES),
    *((paths.spline, {"through": value, "times": [0.0, 1.0]}) for value in ROWS[:-2]),
]  # fmt: skip


@tabular(
    ("make", "values"),
    BAD,
    ids=lambda given: getattr(given, "__name__", None) or str(given)[:40],
)
def test_no_path_comes_of_it(make, values):
    with pytest.raises(ulna.InputError, match=r"got [\s\S]*, need "):
        make(**values)


@pytest.mark.parametrize("make", [paths.polyline, paths.spline, paths.joints])
def test_what_has_no_rows_is_none(make):
    with pytest.raises(ulna.InputError, match="got an array of shape"):
        make([])


@pytest.mark.parametrize("make", [paths.spline, paths.joints])
def test_one_time_is_no_timetable(make):
    with pytest.raises(ulna.InputError, match="need"):
        make(SQUARE, times=1.0)


def test_the_row_is_named():
    with pytest.raises(ulna.InputError, match=r"corners, row 3: got \[1.0, nan\]"):
        paths.polyline([(0, 0), (1, 0), (1, np.nan), (0, 1)])
    with pytest.raises(ulna.InputError, match=r"through, row 3: got \[1.0, 0.0\] twice in a row"):
        paths.spline([(0, 0), (1, 0), (1, 0), (0, 1)])
    with pytest.raises(ulna.InputError, match="1 s after 2 s in row 3"):
        paths.spline([(0, 0), (1, 0), (1, 1)], times=[0.0, 2.0, 1.0])


def test_a_rose_says_which_petals_there_are():
    with pytest.raises(ulna.InputError, match="got 6, need an odd number, or one that 4 divides"):
        paths.rose(petals=6)


@pytest.mark.parametrize("s", [-0.1, 1.1, np.nan, np.inf, "half", None, [0.5, 2.0], 1j])
def test_places_are_from_0_to_1(s):
    for ask in (CIRCLE, CIRCLE.derivatives):
        with pytest.raises(ulna.InputError, match="need"):
            ask(s)


OPTIONS = [
    *(("duration", value) for value in LENGTHS if value is not None),
    *(("rate", value) for value in LENGTHS if value is not None),
    *(("max_speed", value) for value in LENGTHS if value is not None),
    *(("max_acceleration", value) for value in LENGTHS if value is not None),
    *(("derivatives", value) for value in ("Exact", "", None, 1, ["exact"])),
    *(("elbow", value) for value in ("left", "", 1, ["up"], "Up")),
    *(("start", value) for value in ("up", [1.0], [1.0, np.nan], 3.0, [1.0, "a"], [1, 2, 3])),
    *(("floor", value) for value in (np.nan, np.inf)),
    *(
        ("tip_force", value)
        for value in (
            1.0, "up", (1.0,), (1.0, np.nan), (1, 2, 3, 4), [[1.0, 2.0]], lambda t: None,
            lambda t: (t, np.inf), lambda t: "x",
        )
    ),
]  # fmt: skip
CRUDE = [
    ("duration", 1e-300),
    ("duration", 1e300),
    ("floor", "low"),
    ("floor", [0.0, 1.0]),
    ("elbow", np.array(["up", "down"])),
    ("derivatives", np.array(["exact", "finite"])),
]


@tabular(
    ("name", "value"),
    [*OPTIONS, *CRUDE],
    ids=lambda given: str(given)[:20],
)
def test_no_plan_comes_of_it(name, value):
    with pytest.raises(ulna.InputError, match="need"):
        ulna.plan(ARM, CIRCLE, **{"duration": 1.0} | {name: value})


@pytest.mark.parametrize("name", ["start", "posture"])
@pytest.mark.parametrize("value", [[1.0], [1.0, 2.0, np.nan], "bent", 1.0, [[1, 2, 3, 4]]])
def test_no_plan_of_a_redundant_arm_comes_of_it(name, value):
    with pytest.raises(ulna.InputError, match="need"):
        ulna.plan(CHAIN, CIRCLE, duration=1.0, **{name: value})


@pytest.mark.parametrize("arm", [None, "kehl", 3, ARM.parameters], ids=str)
def test_a_plan_needs_an_arm(arm):
    with pytest.raises(ulna.InputError, match=r"arm: got [\s\S]*, need an Arm"):
        ulna.plan(arm, CIRCLE)


@pytest.mark.parametrize("path", [None, "circle()", [(0, 0), (1, 1)], 3], ids=str)
def test_a_plan_needs_a_path(path):
    with pytest.raises(ulna.InputError, match=r"path: got .*, need a Path; make one with"):
        ulna.plan(ARM, path)


def test_postures_have_an_angle_for_every_joint():
    with pytest.raises(ulna.InputError, match="got postures of 2 joints, need 3, as many as"):
        ulna.plan(CHAIN, paths.joints([[0.0, 1.0], [1.0, 2.0]]))


def test_elbows_are_of_two_links():
    with pytest.raises(ulna.InputError, match="need an arm of two links"):
        ulna.plan(CHAIN, CIRCLE, elbow="up")
    with pytest.raises(ulna.InputError, match="need one of the two"):
        ulna.plan(ARM, CIRCLE, elbow="up", start=[0.0, 1.0])


@pytest.mark.parametrize("option", [{"start": "rubbish"}, {"posture": "x"}, {"elbow": "up"}])
def test_a_path_of_joints_has_no_posture_to_choose(option):
    with pytest.raises(ulna.InputError, match="need"):
        ulna.plan(ARM, paths.joints([[0.0, 1.0], [1.0, 2.0]]), **option)


@pytest.mark.parametrize("t", ["now", None, [0.0, "a"], 1j, [[0.0], [0.0, 1.0]]])
def test_times_are_numbers(t):
    made = ulna.plan(ARM, CIRCLE, duration=1.0)
    for ask in (made.trajectory, made.trajectory.tip, made.torque_at):
        with pytest.raises(ulna.InputError, match="t: got"):
            ask(t)


@pytest.mark.parametrize(
    "make",
    [
        lambda: paths.circle(radius=10**400),
        lambda: paths.circle(clockwise="no"),
        lambda: paths.loops_as_printed(samples=10**13),
        lambda: CIRCLE.repeated(10**10),
        lambda: CIRCLE.by_length("a"),
        lambda: CIRCLE.by_length(np.array([2.0])),
    ],
    ids=["a huge integer", "no yes or no", "terabytes", "for ever", "text", "beyond"],
)
def test_crude_values_are_refused_in_words(make):
    with pytest.raises(ulna.InputError, match="need"):
        make()


def test_no_places_on_a_chain_give_no_points():
    assert paths.polyline(SQUARE, blend=0.0)([]).shape == (0, 2)


def test_an_even_speed_on_a_line_needs_a_speed_limit():
    line = paths.line((0.2, 0.2), (0.6, 0.3))
    with pytest.raises(ulna.InputError, match="max_speed"):
        ulna.plan(ARM, line, max_acceleration=1.0)

"""Wrong inputs of everything public in motion: a sentence with the value and the need."""

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import paths
from ulna.motion import SHAPES

ARM = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0])
CHAIN = ulna.Arm.rods([0.5, 0.4, 0.3], [1.0, 1.0, 1.0])
CIRCLE = paths.circle((0.5, 0.1), 0.1)
BENT = paths.joints([[0.0, 1.0], [1.0, 0.0]])
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
TIMES = (
    "now", [0.0, 1.0, 2.0], [0.0, 1.0, 1.0, 2.0], [0.0, np.nan, 1.0, 2.0], [0.0, 1.0, 2.0, np.inf],
    [[0.0, 1.0, 2.0, 3.0]],
)  # fmt: skip
# Of every kind of parameter: what is none.
WRONG = {
    "number": COUNTS, "length": LENGTHS, "angle": NUMBERS, "point": POINTS, "flag": ("no", 1, None),
    "points": (*ROWS, [(0, 0, 0), (1, 1, 1)]), "postures": ROWS, "times": TIMES,
}  # fmt: skip
NEEDED = {
    paths.line: {"start": (0, 0), "end": (1, 1)}, paths.polyline: {"corners": SQUARE},
    paths.spline: {"through": SQUARE}, paths.joints: {"through": SQUARE},
}  # fmt: skip
MAKERS = [SHAPES[name] for name in SHAPES if name not in ("csv", "svg") and name in paths.__all__]
BAD = [
    (shape.make, {**NEEDED.get(shape.make, {}), name: value})
    for shape in MAKERS
    for name, kind in shape.kinds.items()
    for value in WRONG[kind]
    # Corners without a blend are sharp, and by default rounded.
    if (name, str(value)) not in (("blend", "None"), ("blend", "0.0"))
]
BAD += [
    (paths.line, {"start": (1, 1), "end": (1, 1)}), (paths.arc, {"end": 0.0}),
    (paths.ellipse, {"radii": (1.0, -1.0)}), (paths.rose, {"petals": 6}),
    (paths.loops_as_printed, {"samples": 10**13}),
]  # fmt: skip


@tabular(
    ("make", "values"),
    BAD,
    ids=lambda given: getattr(given, "__name__", None) or str(given)[:40],
)
def test_no_path_comes_of_it(make, values):
    with pytest.raises(ulna.InputError, match=r"got [\s\S]*, need "):
        make(**values)


def test_the_row_is_named():
    with pytest.raises(ulna.InputError, match=r"corners, row 3: got \[1.0, nan\]"):
        paths.polyline([(0, 0), (1, 0), (1, np.nan), (0, 1)])
    with pytest.raises(ulna.InputError, match=r"through, row 3: got \[1.0, 0.0\] twice in a row"):
        paths.spline([(0, 0), (1, 0), (1, 0), (0, 1)])
    with pytest.raises(ulna.InputError, match="1 s after 2 s in row 3"):
        paths.spline([(0, 0), (1, 0), (1, 1)], times=[0.0, 2.0, 1.0])


@pytest.mark.parametrize("s", [-0.1, 1.1, np.nan, np.inf, "half", None, [0.5, 2.0], 1j])
def test_places_are_from_0_to_1(s):
    for ask in (CIRCLE, CIRCLE.derivatives):
        with pytest.raises(ulna.InputError, match="need"):
            ask(s)


POSTURES = ("up", [1.0], [1.0, np.nan], 3.0, [1.0, "a"], [[1, 2, 3, 4]])
OPTIONS = [
    *(("duration", value) for value in LENGTHS if value is not None),
    *(("rate", value) for value in LENGTHS if value is not None),
    *(("max_speed", value) for value in LENGTHS if value is not None),
    *(("max_acceleration", value) for value in LENGTHS if value is not None),
    *(("derivatives", value) for value in ("Exact", "", None, 1, ["exact"])),
    *(("elbow", value) for value in ("left", "", 1, ["up"], "Up")),
    *(("start", value) for value in POSTURES),
    *(("floor", value) for value in (np.nan, np.inf)),
    *(
        ("tip_force", value)
        for value in (
            1.0, "up", (1.0,), (1.0, np.nan), (1, 2, 3, 4), [[1.0, 2.0]], lambda t: None,
            lambda t: (t, np.inf), lambda t: "x",
        )
    ),
]  # fmt: skip


@tabular(
    ("name", "value"),
    OPTIONS,
    ids=lambda given: str(given)[:20],
)
def test_no_plan_comes_of_it(name, value):
    with pytest.raises(ulna.InputError, match="need"):
        ulna.plan(ARM, CIRCLE, **{"duration": 1.0} | {name: value})


@tabular(
    ("arm", "path", "options"),
    [
        *((CHAIN, CIRCLE, {"start": value}) for value in POSTURES),
        *((CHAIN, CIRCLE, {"posture": value}) for value in POSTURES),
        (CHAIN, CIRCLE, {"elbow": "up"}),
        (ARM, CIRCLE, {"elbow": "up", "start": [0.0, 1.0]}),
        *((ARM, BENT, {name: "up"}) for name in ("start", "posture", "elbow")),
        *((None, CIRCLE, {}), ("kehl", CIRCLE, {}), (ARM, "circle()", {}), (CHAIN, BENT, {})),
    ],
)
def test_what_does_not_go_together_is_refused(arm, path, options):
    with pytest.raises(ulna.InputError, match="need"):
        ulna.plan(arm, path, **options)


@pytest.mark.parametrize("t", ["now", None, [0.0, "a"], 1j, [[0.0], [0.0, 1.0]]])
def test_times_are_numbers(t):
    made = ulna.plan(ARM, CIRCLE, duration=1.0)
    for ask in (made.trajectory, made.trajectory.tip, made.torque_at):
        with pytest.raises(ulna.InputError, match="t: got"):
            ask(t)


def test_an_even_speed_on_a_line_needs_a_speed_limit():
    line = paths.line((0.2, 0.2), (0.6, 0.3))
    with pytest.raises(ulna.InputError, match="max_speed"):
        ulna.plan(ARM, line, max_acceleration=1.0)

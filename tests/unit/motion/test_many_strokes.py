"""Drawings of many strokes: every stroke keeps its limits, and takes as long as it does alone."""

import numpy as np
import pytest

import ulna
from ulna import progress

ARM = ulna.Arm.rods([0.5, 0.4], [1.0, 0.8])
LIMITS = {"max_speed": 0.1, "max_acceleration": 1.0}
PAGE = 200.0  # [units]
PEN_TIME = 0.2  # [s] that docs/drawing.md promises for lowering a pen


def random_cubics(count, seed=0):
    """Give control points (count, 4, 2) of curves, each in a cell of its own."""
    random, cells = np.random.default_rng(seed), int(np.ceil(np.sqrt(count)))
    corner = np.stack(np.divmod(np.arange(count), cells), axis=-1)[:, None]
    return (corner + 0.1 + 0.8 * random.random((count, 4, 2))) * PAGE / cells


def drawing(folder, cubics):
    data = " ".join(
        "M {} {} C {} {} {} {} {} {}".format(*points)
        for points in cubics.reshape(-1, 8).round(4).tolist()
    )
    file = folder / "strokes.svg"
    file.write_text(f'<svg><path d="{data}"/></svg>')
    return ulna.paths.svg(file, keep_order=True).scaled(1.5e-3).placed((0.3, -0.15))


@pytest.fixture(scope="module")
def sixty(tmp_path_factory):
    """Give curves, a plan that draws them, and what was shown of its progress."""
    cubics, shown = random_cubics(60), []
    path = drawing(tmp_path_factory.mktemp("sixty"), cubics)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress.ProgressLine, "__call__", lambda _, done: shown.append(done))
        return cubics, ulna.plan(ARM, path, **LIMITS), shown


def check_limits(plan, step):
    """Differences of positions are means of speeds and accelerations: none passes a limit."""
    t = np.arange(0.0, plan.duration, step)
    for part in np.array_split(t, max(1, len(t) // 100_000)):
        tips = ulna.kinematics.tip(ARM, plan.trajectory(part).q)[:, :2]
        speeds, accelerations = (
            np.linalg.norm(np.diff(tips, order, axis=0), axis=-1) / step**order for order in (1, 2)
        )
        rounding = 1e-12 / step**2
        assert speeds.max() <= LIMITS["max_speed"] * (1.0 + 1e-6)
        assert accelerations.max() <= LIMITS["max_acceleration"] * (1.0 + 1e-6) + rounding


SLOW = [(120, "trapezoid"), (120, "s-curve"), (120, "fastest"), (1000, "trapezoid")]


@pytest.mark.parametrize(
    ("count", "timing"),
    [
        *((count, timing) for count in (1, 10) for timing in ("trapezoid", "s-curve")),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in SLOW),
    ],
)
def test_every_stroke_keeps_the_limits_of_the_tip(tmp_path, count, timing):
    made = ulna.plan(ARM, drawing(tmp_path, random_cubics(count)), timing=timing, **LIMITS)
    assert made.ok, made.problems[:3]
    check_limits(made, 1e-3)


def test_a_stroke_takes_as_long_among_others_as_alone(sixty, tmp_path):
    cubics, made, _ = sixty
    strokes = made.path.lengths.parts(np.array(made.path.strokes))
    ends = made.trajectory.timing.reached(strokes.ravel()).reshape(-1, 2) * made.duration
    for k in (1, 31, 59):
        alone = ulna.plan(ARM, drawing(tmp_path, cubics[k : k + 1]), **LIMITS)
        assert ends[k, 1] - ends[k, 0] == pytest.approx(PEN_TIME + alone.duration, rel=1e-3)


def test_straight_strokes_take_the_closed_forms_time(tmp_path):
    # Every line takes L/v + v/a from rest to rest, or 2 √(L/a) if it is too short to cruise.
    lines = random_cubics(80, seed=5)[:, :2].round(4)
    data = " ".join("M {} {} L {} {}".format(*line.ravel()) for line in lines)
    file = tmp_path / "lines.svg"
    file.write_text(f'<svg><path d="{data}"/></svg>')
    path = ulna.paths.svg(file, keep_order=True).scaled(1.5e-3).placed((0.3, -0.15))
    made = ulna.plan(ARM, path, **LIMITS)
    assert made.ok, made.problems[:3]
    lengths = 1.5e-3 * np.linalg.norm(np.diff(lines.reshape(-1, 2), axis=0), axis=-1)
    v, a = LIMITS["max_speed"], LIMITS["max_acceleration"]
    lasting = np.where(lengths > v**2 / a, lengths / v + v / a, 2.0 * np.sqrt(lengths / a))
    pens = 2 * len(lines) - 2
    assert made.duration == pytest.approx(lasting.sum() + PEN_TIME * pens, rel=1e-5)
    check_limits(made, 1e-3)


def test_the_timing_of_many_strokes_shows_how_far_it_is(sixty):
    _, _, shown = sixty
    assert len(shown) > 1
    assert shown == sorted(shown)
    assert shown[0] == 0.0
    assert shown[-1] < 1.0

"""Both limits of the tip, and no duration: a motion slows down only where it must."""

import numpy as np
import pytest

import ulna
from ulna import paths
from ulna.motion import times

ARM = ulna.Arm.rods([0.5, 0.4], [1.0, 0.8])
SPEED, ACCELERATION = 0.1, 1.0
LIMITS = {"max_speed": SPEED, "max_acceleration": ACCELERATION}
CORNERS = [(0.3, 0.1), (0.42, 0.1), (0.42, 0.25), (0.36, 0.18), (0.3, 0.25)]
# As a drawing: 0.63 m with bends of a fifth of a millimetre.
OUTLINE = paths.polyline(CORNERS, blend=2e-4, closed=True)
SHARP = paths.polyline([(0.3, 0.1), (0.6, 0.1), (0.6, 0.4)], blend=0.0)


def tip_demands(plan):
    tip = plan.trajectory.tip(np.linspace(0.0, plan.duration, 100_001))
    return (
        np.linalg.norm(tip.velocity, axis=-1).max(),
        np.linalg.norm(tip.acceleration, axis=-1).max(),
    )


@pytest.mark.parametrize("options", [{}, {"timing": "s-curve"}])
def test_tight_bends_slow_the_motion_only_there(options):
    """It takes no longer than stopping at every corner, and the bends hardly count."""
    made = ulna.plan(ARM, OUTLINE, **LIMITS, **options)
    assert made.ok, made.problems
    legs, ramp = 5, SPEED / ACCELERATION
    window = 0.0 if options.get("timing") != "s-curve" else ramp
    assert OUTLINE.length / SPEED + ramp <= made.duration
    # A stop in a bend takes a little longer than one at a corner.
    assert made.duration <= OUTLINE.length / SPEED + 1.1 * legs * (ramp + window)
    speed, acceleration = tip_demands(made)
    assert speed == pytest.approx(SPEED, rel=1e-4)
    assert acceleration <= ACCELERATION * (1.0 + 1e-6)
    even = ulna.plan(ARM, OUTLINE, timing="constant-speed", **LIMITS)
    assert even.duration > 10.0 * made.duration


@pytest.mark.parametrize("radius", [0.15, 0.005])
def test_a_circle_is_sped_up_on_and_braked_on_while_turning(radius):
    """dv/dt = √(a² − v⁴/r²) up to the limit of speed, or to √(a r), by quadrature."""
    most = min(SPEED, np.sqrt(ACCELERATION * radius))
    # v = most sin θ: the integrand is finite where all of the acceleration is centripetal.
    theta = (np.arange(200_000) + 0.5) * (0.5 * np.pi / 200_000)
    v, step = most * np.sin(theta), 0.5 * np.pi / 200_000
    along = np.sqrt(ACCELERATION**2 - v**4 / radius**2)
    spent = most * np.cos(theta) / along * step
    ramp, way = spent.sum(), (v * spent).sum()
    expected = 2.0 * ramp + (2.0 * np.pi * radius - 2.0 * way) / most
    made = ulna.plan(ARM, paths.circle((0.5, 0.1), radius), **LIMITS)
    assert made.duration == pytest.approx(expected, rel=5e-4)


def test_the_acceleration_of_an_s_curve_never_jumps():
    made = ulna.plan(ARM, OUTLINE, timing="s-curve", **LIMITS)
    trajectory = made.trajectory
    knots = made.duration * np.array(trajectory.timing.knots)
    middles = 0.5 * (knots[1:] + knots[:-1])
    before, after = (
        trajectory.tip_rows(knots[1:-1], side)[2] for side in (middles[:-1], middles[1:])
    )
    assert after == pytest.approx(before, abs=1e-4 * ACCELERATION)


def test_sharp_corners_are_stopped_at():
    made = ulna.plan(ARM, SHARP, **LIMITS)
    assert made.ok, made.problems
    # Two straight legs of 0.3 m, each a trapezoid.
    assert made.duration == pytest.approx(2.0 * (0.3 / SPEED + SPEED / ACCELERATION), rel=1e-4)


def test_joints_are_led_by_what_their_tip_may_do():
    path = paths.joints([[0.1, 0.5], [1.5, 1.0], [0.4, 2.0]])
    made = ulna.plan(ARM, path, **LIMITS)
    assert made.duration < 0.8 * ulna.plan(ARM, path, timing="constant-speed", **LIMITS).duration
    speed, acceleration = tip_demands(made)
    assert speed == pytest.approx(SPEED, rel=1e-4)
    assert acceleration <= ACCELERATION * (1.0 + 1e-6)


@pytest.mark.parametrize("timing", ["uniform", times([0, 1, 3], [0, 0.5, 1])])
def test_a_named_shape_is_kept_and_what_it_costs_is_told(timing):
    made = ulna.plan(ARM, OUTLINE, timing=timing, **LIMITS)
    ahead = ulna.plan(ARM, OUTLINE, **LIMITS).duration
    told = next(one for one in made.problems if one.kind == "look-ahead")
    assert not told.blocks
    assert not told.exceeds
    assert f"a trapezoid, which slows down only where it must, takes {ahead:.4g} s" in told.text
    assert told.when.worst == pytest.approx(made.duration - ahead)


@pytest.mark.parametrize(
    "options",
    [
        {"timing": "quintic", "duration": 60.0, **LIMITS},
        {"timing": "constant-speed", "max_speed": SPEED},
        {"timing": "fastest", **LIMITS},
    ],
)
def test_nothing_is_told_where_there_is_nothing_to_choose(options):
    made = ulna.plan(ARM, OUTLINE, **options)
    assert not any(one.kind == "look-ahead" for one in made.problems)


def test_what_is_not_named_is_uniform_without_both_limits():
    for options in ({}, {"duration": 9.0, **LIMITS}, {"max_speed": SPEED}):
        made = ulna.plan(ARM, OUTLINE, **options)
        assert made.trajectory.timing.name == "uniform"
        assert made.request.law.name == "uniform"


@pytest.mark.parametrize("timing", [None, "uniform", "s-curve"])
def test_a_drawing_looks_ahead_on_every_stroke(tmp_path, timing):
    file = tmp_path / "drawing.svg"
    shape = "M 0 0 h 60 v 40 h -60 z M 10 10 q 20 30 40 0 z"
    file.write_text(f'<svg xmlns="http://www.w3.org/2000/svg"><path d="{shape}"/></svg>')
    path = paths.svg(file, blend=0.3).scaled(1e-3).placed((0.4, 0.1))
    made = ulna.plan(ARM, path, timing=timing, **LIMITS)
    assert made.ok, made.problems
    # Seven sharp turns, each no slower than a stop, two waits for the pen, three sections.
    ramp = SPEED / ACCELERATION
    assert made.duration <= path.length / SPEED + 2 * 0.2 + 10 * 2.0 * ramp
    assert tip_demands(made)[1] <= ACCELERATION * (1.0 + 1e-6)


@pytest.mark.parametrize("timing", ["trapezoid", "s-curve"])
def test_along_a_line_what_limits_and_what_it_saves_have_closed_forms(timing):
    """A trapezoid takes l/v + v/a, an s-curve l/v + 2 v/a: v and a raised by a tenth in each."""
    length, speed, most = 0.3, 0.2, 1.0
    path = ulna.paths.line((0.3, 0.1), (0.3 + length, 0.1))
    made = ulna.plan(ARM, path, timing=timing, max_speed=speed, max_acceleration=most)
    ramps = 1.0 if timing == "trapezoid" else 2.0

    def lasting(v, a):
        return length / v + ramps * v / a

    told = {one.limit: one for one in made.limiting}
    faster, harder = lasting(1.1 * speed, most), lasting(speed, 1.1 * most)
    assert made.duration == pytest.approx(lasting(speed, most), rel=1e-9)
    assert told["tip speed"].gain == pytest.approx(made.duration - faster, rel=1e-3)
    assert told["tip acceleration"].gain == pytest.approx(made.duration - harder, rel=1e-3)
    if timing == "s-curve":
        assert told["s-curve"].gain == pytest.approx(speed / most, rel=1e-3)
        assert "a trapezoid would save 0.2 s" in str(told["s-curve"])
    assert sum(one.share for one in made.limiting) == pytest.approx(1.0, abs=0.01)
    assert not any(problem.kind == "look-ahead" for problem in made.problems)

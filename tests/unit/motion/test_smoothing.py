"""Jerk smoothing of the fastest timing: continuous acceleration, bounded jerk, no limit passed."""

import numpy as np
import pytest

import ulna
from ulna.errors import InputError
from ulna.motion.planning.law_pieces import PiecewiseLaw, parabolas

LENGTH, SPEED, ACCELERATION = 0.5, 0.4, 1.0
LINE = ulna.paths.line((0.2, 0.3), (0.2 + LENGTH, 0.3))
FREE = ulna.Arm.rods([0.5, 0.4], [1.0, 0.8])
RUBBED = FREE.replace(
    joints=[
        ulna.Joint(max_torque=12.0, damping=0.5, friction=ulna.Friction(coulomb=0.5)),
        ulna.Joint(max_torque=4.0, damping=0.3, friction=ulna.Friction(coulomb=0.3)),
    ]
)
CIRCLE = ulna.paths.circle(center=(0.45, 0.2), radius=0.15)
CORNERED = ulna.paths.polyline([(0.3, 0.1), (0.6, 0.1), (0.6, 0.4)], blend=0.0)


def smoothed(arm, path, window, **options):
    return ulna.plan(arm, path, timing="fastest", smoothing=window, **options)


def moved(window):
    return smoothed(FREE, LINE, window, max_speed=SPEED, max_acceleration=ACCELERATION)


@pytest.mark.parametrize("window", [0.4, 0.1, 0.01])
def test_a_straight_line_takes_the_time_of_a_trapezoid_and_the_window(window):
    trapezoid = LENGTH / SPEED + SPEED / ACCELERATION
    assert moved(window).duration == pytest.approx(trapezoid + window, rel=1e-4)


@pytest.mark.parametrize("window", [0.2, 0.02])
def test_the_jerk_is_at_most_twice_the_acceleration_over_the_window(window):
    made = moved(window)
    t = np.linspace(0.0, made.duration, 40_001)
    tip = made.trajectory.tip(t)
    jerk = np.abs(np.diff(tip.acceleration, axis=0)).max() / t[1]
    # On a straight line the acceleration rises from nothing to the largest.
    assert jerk == pytest.approx(ACCELERATION / window, rel=1e-2)
    speed = np.linalg.norm(tip.velocity, axis=-1)
    assert np.trapezoid(speed, t) == pytest.approx(LENGTH, rel=1e-7)
    assert speed.max() <= SPEED * (1.0 + 1e-9)
    assert np.linalg.norm(tip.acceleration, axis=-1).max() <= ACCELERATION * (1.0 + 1e-9)
    assert tip.velocity[[0, -1]] == pytest.approx(np.zeros((2, 2)), abs=1e-9)
    assert tip.acceleration[[0, -1]] == pytest.approx(np.zeros((2, 2)), abs=1e-6)


@pytest.mark.parametrize("path", [CIRCLE, CORNERED], ids=["circle", "corners"])
@pytest.mark.parametrize("window", [0.1, 0.001])
def test_no_limit_is_passed_and_the_acceleration_never_jumps(path, window):
    made = smoothed(RUBBED, path, window)
    assert made.ok, made.problems
    trajectory = made.trajectory
    knots = trajectory.duration * np.array(trajectory.timing.knots)
    middles = 0.5 * (knots[1:] + knots[:-1])
    before, after = (trajectory.rows(knots[1:-1], side)[2] for side in (middles[:-1], middles[1:]))
    assert after == pytest.approx(before, rel=1e-6, abs=1e-5)
    t = np.append(np.arange(0.0, made.duration, 1e-4), made.duration)
    assert (np.abs(made.torque_at(t)) / made.arm.parameters.max_torque).max() <= 1.0 + 1e-6


def test_a_short_window_costs_little_and_a_long_one_more():
    best = ulna.plan(RUBBED, CIRCLE, timing="fastest").duration
    over = np.array([smoothed(RUBBED, CIRCLE, window).duration - best for window in (0.1, 0.002)])
    assert (over > 0.0).all()
    assert (over <= 1.5 * np.array([0.1, 0.002])).all()


def test_what_smoothing_costs_is_told():
    made = moved(0.2)
    told = next(one for one in made.limiting if one.limit == "smoothing")
    assert told.share == pytest.approx(0.2 / made.duration, rel=1e-3)
    assert "the smoothing takes" in str(told)
    assert sum(one.share for one in made.limiting) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"smoothing": 0.0}, "smoothing: got 0"),
        ({"smoothing": -0.1}, "smoothing"),
        ({"smoothing": 0.1, "timing": "cubic"}, "timing='fastest' with it"),
        ({"smoothing": 0.1, "end_speeds": (0.1, 0.0)}, "from rest to rest"),
    ],
)
def test_what_cannot_be_smoothed_is_refused(options, match):
    with pytest.raises(InputError, match=match):
        ulna.plan(FREE, LINE, **{"timing": "fastest", "max_speed": 0.4, **options})


class TestPieces:
    """s = t²/2 for a second, then the same the other way round."""

    there_and_rest = parabolas(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 0.0]))

    def test_the_average_is_that_of_the_integral(self):
        window = 0.3
        made = PiecewiseLaw(self.there_and_rest.averaged(window))
        law = PiecewiseLaw(self.there_and_rest)
        assert made.duration == pytest.approx(2.0 + window, rel=1e-12)
        for t in (0.1, 0.9, 1.2, 1.7, 2.2):
            times = np.linspace(t - window, t, 20_001)
            way = law._cubics(np.clip(times / 2.0, 0.0, 1.0))[0]
            way = np.where(times < 0.0, 0.0, np.where(times > 2.0, 1.0, way))
            found = made._cubics(np.array([t / made.duration]))[0]
            assert found == pytest.approx(np.trapezoid(way, times) / window, abs=1e-7)


@pytest.mark.parametrize("reserve", [pytest.param(None, marks=pytest.mark.slow), 0.3])
def test_motors_are_asked_for_no_more_at_tight_bends(reserve):
    """Bends of half a millimetre, which lie between two knots of the averaged law."""
    motor = ulna.ServoMotor(stall_torque=0.92, no_load_speed=6.0, stiffness=20.0)
    joints = [ulna.Joint(motor=motor, friction=ulna.Friction(coulomb=0.02))] * 2
    arm = ulna.Arm.rods([0.16, 0.14], [0.06, 0.04], joints=joints, gravity=(0.0, 0.0))
    corners = [(0.14, 0.0), (0.2, 0.03), (0.2, 0.09), (0.15, 0.06)]
    path = ulna.paths.polyline(corners, blend=5e-4)
    made = smoothed(arm, path, 0.02, max_speed=0.3, reserve=reserve)
    assert made.ok, made.problems
    assert made.motor_peaks.use.max() <= (1.0 - (reserve or 0.0)) * (1.0 + 1e-6)


def test_what_a_limit_or_a_shorter_window_saves_is_what_planning_again_saves():
    path = ulna.paths.polyline([(0.3, 0.1), (0.6, 0.1), (0.6, 0.4)], blend=0.02)
    options = {"max_speed": 0.4, "max_acceleration": 2.0, "smoothing": 0.03}
    kinds = {
        "max_speed": ("tip speed", 1.1),
        "max_acceleration": ("tip acceleration", 1.1),
        "smoothing": ("smoothing", 0.9),
    }
    made = ulna.plan(FREE, path, timing="fastest", **options)
    told = {one.limit: one.gain for one in made.limiting}
    for name, (kind, factor) in kinds.items():
        other = {**options, name: factor * options[name]}
        saved = made.duration - ulna.plan(FREE, path, timing="fastest", **other).duration
        assert told[kind] == pytest.approx(saved, rel=0.02), name

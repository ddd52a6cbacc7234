"""Corners are where the velocity jumps: nowhere along a spline, at every bend of a polyline."""

import numpy as np
import pytest

import ulna
from ulna import paths

COUNT = 12


def corners(arm, path, **options):
    made = ulna.plan(arm, path, rate=20.0 / (path.duration or 1.0), **options)
    return [found for found in made.problems if found.kind == "corner"]


def drawn_points(seed, reach):
    """Give random points inside of a reach [m], many times over."""
    rng = np.random.default_rng(seed)
    return [reach * rng.uniform(0.2, 0.6, (int(rng.integers(3, 60)), 2)) for _ in range(COUNT)]


@pytest.mark.parametrize("reach", [1e-3, 1.0, 1e3])
def test_a_spline_has_none_at_any_scale(reach):
    arm = ulna.Arm.rods([0.5 * reach, 0.5 * reach], [1.0, 1.0])
    rng = np.random.default_rng(9)
    for points in drawn_points(7, reach):
        assert not corners(arm, paths.spline(points))
        assert not corners(arm, paths.joints(points / reach, closed=True))
        steps = 10.0 ** rng.uniform(-6.0, 0.0, len(points) - 1)
        times = 1000.0 * np.concatenate([[0.0], np.cumsum(steps)]) / steps.sum()
        assert not corners(arm, paths.joints(points / reach, times=times))


@pytest.mark.parametrize("reach", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("close", [1e-4, 1e-6, 1e-7])
def test_nor_has_one_that_turns_within_a_blink(reach, close):
    """Through a right angle, by points that are ever so close, at one speed: smooth it is."""
    arm = ulna.Arm.rods([0.5 * reach, 0.5 * reach], [1.0, 1.0])
    before = 0.2 * np.concatenate([-np.geomspace(1.0, close, 30), [0.0]])
    along = np.stack([before, 0.0 * before], axis=-1)
    points = np.concatenate([along, -along[-2::-1, ::-1]])
    points += np.array([0.5, 0.1])
    times = np.concatenate([before, -before[-2::-1]])
    path = paths.spline(reach * points, times=1000.0 * (times - times[0]) / np.ptp(times))
    assert not corners(arm, path)


@pytest.mark.parametrize("timing", ["constant-speed", "quintic", "trapezoid", "s-curve"])
def test_nor_does_it_under_another_timing(timing):
    arm = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0])
    for points in drawn_points(8, 1.0)[:3]:
        assert not corners(arm, paths.spline(points), timing=timing, duration=5.0)
        # From left to right: no bend leads round a corner that turns straight back.
        onwards = np.stack([np.linspace(0.2, 0.6, len(points)), points[:, 1]], axis=-1)
        rounded = paths.polyline(onwards, blend=1e-4)
        assert not corners(arm, rounded, timing=timing, duration=5.0)


@pytest.mark.parametrize("reach", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("angle", [5e-4, 1e-2, 1.0])
@pytest.mark.parametrize("timing", ["uniform", "constant-speed", "cubic", "trapezoid"])
def test_a_bend_of_a_polyline_is_one_however_small(reach, angle, timing):
    """Going at v through an angle a, the velocity jumps by 2 v sin(a/2)."""
    arm = ulna.Arm.rods([0.5 * reach, 0.5 * reach], [1.0, 1.0])
    leg = 0.2 * reach
    turned = np.array([0.3 * reach + leg, 0.1 * reach]) + leg * np.array(
        [np.cos(angle), np.sin(angle)]
    )
    path = paths.polyline([(0.3 * reach, 0.1 * reach), (0.3 * reach + leg, 0.1 * reach), turned], 0)
    (found,) = corners(arm, path, timing=timing, duration=4.0)
    assert found.when.first == pytest.approx(2.0, rel=1e-9)
    peak = {"cubic": 1.5, "trapezoid": 4.0 / 3.0}.get(timing, 1.0)
    jump = 2.0 * (2.0 * leg / 4.0 * peak) * np.sin(0.5 * angle)
    assert found.when.worst == pytest.approx(jump, rel=1e-6)


def test_a_slow_one_beside_a_fast_way_is_one():
    """At a thousandth of the speed of a way before it a right angle is still a right angle."""
    arm = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0])
    path = paths.polyline([(0.3, 0.1), (0.8, 0.1), (0.8, 0.1001)], 0).then(
        paths.line((0.8, 0.1001), (0.7, 0.1001))
    )
    timing = ulna.motion.times([0.0, 1.0, 1.5, 3.0], [0.0, 0.5 / 0.6001, 0.5002 / 0.6001, 1.0])
    assert len(corners(arm, path, timing=timing)) == 2

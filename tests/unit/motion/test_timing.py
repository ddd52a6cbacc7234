"""Timing laws against textbooks, and durations against the limits that they keep."""

import numpy as np
import pytest

import ulna
from refusals import problems_of
from tabular import tabular
from ulna import paths
from ulna.motion import times
from ulna.motion.paths.curves import Jet
from ulna.motion.trajectory import LAWS, ramps

U = np.linspace(0.0, 1.0, 20001)
ARM = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0])
LINE = paths.line((0.2, 0.2), (0.6, 0.5))  # 0.5 m
RESTING = ("cubic", "quintic", "trapezoid", "s-curve")


def law(timing, u=U):
    return timing.law(Jet.variable(u))


@pytest.mark.parametrize("name", LAWS)
class TestEveryLaw:
    def test_leads_from_the_start_to_the_end_and_never_back(self, name):
        way = law(LAWS[name])
        assert way.value[0] == 0.0
        assert way.value[-1] == pytest.approx(1.0, abs=1e-15)
        assert (np.diff(way.value) >= 0.0).all()
        assert (way.first >= -1e-15).all()

    def test_has_consistent_derivatives(self, name, slope):
        step = 1e-4
        knots = np.array([0.0, 0.125, 0.25, 0.75, 0.875, 1.0])  # of ramps and their halves
        u = U[np.abs(U[:, None] - knots).min(axis=-1) > 4 * step]
        way = law(LAWS[name], u)
        assert np.abs(slope(lambda x: law(LAWS[name], x).value, u, step) - way.first).max() <= 1e-10
        assert np.abs(slope(lambda x: law(LAWS[name], x).first, u, step) - way.second).max() <= 1e-9


@pytest.mark.parametrize("name", RESTING)
def test_from_rest_to_rest(name):
    assert np.abs(law(LAWS[name]).first[[0, -1]]).max() <= 1e-14


@pytest.mark.parametrize("name", ["quintic", "s-curve"])
def test_without_any_jump_of_the_acceleration(name):
    second = law(LAWS[name]).second
    assert np.abs(second[[0, -1]]).max() <= 1e-13
    # No step of 5e-5 of the time is more than the jerk makes it: 60 and 21.3/0.125.
    assert np.abs(np.diff(second)).max() <= 180.0 * 5e-5


# Peak speed and peak acceleration of rest-to-rest laws over one unit in one unit of time; with
# ramps of r each: v = 1/(1−r), a = v/r for even ramps and 2 v/r for eased ones.
@pytest.mark.parametrize(
    ("name", "speed", "acceleration"),
    [
        ("cubic", 3.0 / 2.0, 6.0),
        ("quintic", 15.0 / 8.0, 10.0 / np.sqrt(3.0)),
        ("trapezoid", 4.0 / 3.0, 16.0 / 3.0),
        ("s-curve", 4.0 / 3.0, 32.0 / 3.0),
    ],
)
def test_peaks_are_the_textbooks(name, speed, acceleration):
    way = law(LAWS[name])
    assert way.first.max() == pytest.approx(speed, rel=1e-9)
    assert np.abs(way.second).max() == pytest.approx(acceleration, rel=1e-7)


@pytest.mark.parametrize("ramp", [0.05, 0.25, 0.4, 0.5])
def test_a_trapezoid_accelerates_evenly_runs_and_brakes_evenly(ramp):
    way = law(ramps("trapezoid", ramp))
    size = 1.0 / (ramp * (1.0 - ramp))
    early, late = U - ramp, U - (1.0 - ramp)
    inside = [early < -1e-9, (early > 1e-9) & (late < -1e-9), late > 1e-9]
    for part, expected in zip(inside, (size, 0.0, -size), strict=True):
        assert way.second[part] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert way.first.max() == pytest.approx(1.0 / (1.0 - ramp), rel=1e-12)


@pytest.mark.parametrize("ramp", [0.05, 0.25, 0.4, 0.5])
def test_an_s_curve_has_constant_jerk(ramp):
    timing = ramps("s-curve", ramp)
    jerk = 4.0 / (ramp**2 * (1.0 - ramp))
    half = 0.5 * ramp
    for start, sign in ((0.0, 1.0), (half, -1.0), (1.0 - ramp, -1.0), (1.0 - half, 1.0)):
        u = start + half * np.linspace(0.01, 0.99, 50)
        second = law(timing, u).second
        assert np.diff(second) / np.diff(u) == pytest.approx(sign * jerk, rel=1e-9)
    assert law(timing).first.max() == pytest.approx(1.0 / (1.0 - ramp), rel=1e-12)


class TestTimes:
    def test_given_times_are_met(self):
        at, parts = [2.0, 3.0, 3.5, 6.0], [0.0, 0.5, 0.8, 1.0]
        made = ulna.plan(ARM, LINE, timing=times(at, parts))
        assert made.duration == 4.0
        reached = made.trajectory.tip(np.array(at) - 2.0).position
        expected = [0.2, 0.2] + np.array(parts)[:, None] * [0.4, 0.3]
        assert np.abs(reached - expected).max() <= 1e-13

    def test_without_parts_they_are_even(self):
        timing = times([0.0, 1.0, 4.0])
        assert law(timing, np.array([0.0, 0.25, 1.0])).value == pytest.approx([0.0, 0.5, 1.0])

    @pytest.mark.parametrize(
        "parts",
        [
            [0.0, 0.5, 0.5, 1.0],
            [0.0, 0.9, 0.91, 1.0],
            [0.0, 0.0, 1.0, 1.0],
            [0.0, 0.01, 0.99, 1.0],
        ],
    )
    def test_they_never_lead_backwards(self, parts, slope):
        timing = times([0.0, 1.0, 1.1, 2.0], parts)
        way = law(timing)
        assert (np.diff(way.value) >= -1e-15).all()
        assert way.value.min() >= 0.0
        assert way.value.max() <= 1.0 + 1e-15
        u = U[100:-100][np.abs(U[100:-100, None] - [0.5, 0.55]).min(axis=-1) > 1e-3]
        assert np.abs(
            slope(lambda x: law(timing, x).value, u, 1e-4) - law(timing, u).first
        ).max() <= (1e-9)

    def test_with_a_duration_they_are_stretched(self):
        made = ulna.plan(ARM, LINE, timing=times([0.0, 1.0, 2.0], [0.0, 0.8, 1.0]), duration=10.0)
        assert made.trajectory.tip(5.0).position == pytest.approx([0.52, 0.44], abs=1e-13)

    @tabular("at", [[0.0, 1.0, 1.0], [0.0], [], 3.0, "now", None, [0.0, np.nan], [0.0, np.inf]])
    def test_times_that_are_none_are_refused(self, at):
        with pytest.raises(ulna.InputError, match="need"):
            times(at)

    @tabular("parts", [[0, 0, 0.5], [0.1, 0.5, 1], [0, 1], [0, 1.1, 1], [0, np.nan, 1], "ab"])
    def test_parts_that_do_not_lead_from_0_to_1_are_refused(self, parts):
        with pytest.raises(ulna.InputError, match="need"):
            times([0.0, 1.0, 2.0], parts)


def demands(made, count=30_001):
    """Give the tip's peak speed and acceleration, far more densely than the samples."""
    motion = made.trajectory.tip(np.linspace(0.0, made.duration, count))
    return (
        np.linalg.norm(motion.velocity, axis=-1).max(),
        np.linalg.norm(motion.acceleration, axis=-1).max(),
    )


BENDS = paths.polyline([(0.3, 0.3), (0.3, 0.1), (0.6, 0.2)], blend=1e-3)
CURVES = {
    "line": LINE,
    "ellipse": paths.ellipse((0.4, 0.1), (0.2, 0.05)),
    "loops": paths.loops(0.5, 0.1),
    "spline": paths.spline([(0.3, 0.3), (0.3, 0.1), (0.6, 0.2), (0.5, 0.5)]),
    "bends": BENDS,
    "joints": paths.joints([[0.1, 0.5], [1.5, 1.0], [0.4, 2.0]]),
}


@pytest.mark.parametrize("path", CURVES)
@pytest.mark.parametrize("timing", LAWS)
@pytest.mark.parametrize("limit", ["speed", "acceleration"])
def test_a_limit_is_kept_and_met(limit, timing, path):
    if path == "line" and limit == "acceleration" and timing not in RESTING:
        return  # an even speed on a line has no acceleration
    if timing == "fastest" and limit == "speed":
        return  # from rest it would have to be there at once
    made = ulna.plan(ARM, CURVES[path], timing=timing, **{f"max_{limit}": 0.4}, rate=20.0)
    looks = 30_001 if path in ("bends", "loops") else 6_001
    peak = demands(made, looks)[limit == "acceleration"]
    assert peak <= 0.4 * (1.0 + 1e-9)
    # A bend of a millimetre is passed between two of these looks.
    assert peak >= 0.4 * (1.0 - (5e-3 if path == "bends" else 1e-5))


class TestBothLimits:
    @pytest.mark.parametrize("timing", RESTING)
    def test_both_are_kept_and_one_is_met(self, timing):
        made = ulna.plan(ARM, CURVES["ellipse"], timing=timing, max_speed=0.3, max_acceleration=1.0)
        speed, acceleration = demands(made)
        assert speed <= 0.3 * (1.0 + 1e-6)
        assert acceleration <= 1.0 * (1.0 + 1e-6)
        assert max(speed / 0.3, acceleration) >= 1.0 - 1e-4
        assert made.ok


class TestWithoutLimits:
    def test_the_path_knows_its_time(self):
        assert ulna.plan(ulna.preset("kehl"), paths.loops()).duration == 60.0

    def test_else_the_tip_moves_at_a_quarter_of_the_reach_per_second(self):
        made = ulna.plan(ARM, LINE)
        assert demands(made)[0] == pytest.approx(0.25 * ARM.reach, rel=1e-9)
        assert "0.25 m/s" in made.duration_reason


def test_an_unknown_law_is_refused_with_all_known():
    for given in ("quntic", "", 3, ["cubic"], object()):
        (problem,) = problems_of(lambda given=given: ulna.plan(ARM, LINE, timing=given))
        assert problem.what == "timing"
        assert all(name in problem.need for name in LAWS)
        assert ("quintic" in problem.hint) == (given == "quntic")

"""The solution that runs for ever: balances of energy, and the plain equation in SciPy."""

import math

import pytest
from scipy.integrate import solve_ivp

import ulna

UNDER = ulna.preset("bechard-1")
DRIVEN = ulna.preset("bechard-1-driven")


@pytest.mark.parametrize(
    ("arm", "torque", "slowest", "fastest", "mean", "over_angle"),
    [(DRIVEN, 50.0, 3.49656, 4.47359, 3.96997, 4.0), (UNDER, 4.0, 19.5064, 20.4875, 19.9940, 20.0)],
    ids=["driven", "under-powered"],
)  # fmt: skip
def test_speeds_of_paper_001s_running_arms(arm, torque, slowest, fastest, mean, over_angle):
    found = ulna.portrait(arm, torque=torque).running
    assert f"{found.slowest:.6g}" == f"{slowest:.6g}"
    assert f"{found.fastest:.6g}" == f"{fastest:.6g}"
    assert f"{found.mean:.6g}" == f"{mean:.6g}"
    # What the motor gives in a turn is what friction takes: 2π τ = b ∮ ω dθ.
    assert found.mean_over_angle == pytest.approx(over_angle, abs=1e-9)


def test_it_is_periodic_as_the_plain_equation_has_it():
    found = ulna.portrait(DRIVEN, torque=50.0).running
    start = [found.segment.angle[0], found.segment.speed[0]]

    def slope(t, y):
        return [y[1], (50.0 - 12.5 * y[1] - 5.0 * 9.81 * math.cos(y[0])) / 25.0]

    end = solve_ivp(slope, (0.0, found.period), start, "DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    assert end == pytest.approx([start[0] + 2.0 * math.pi, start[1]], abs=1e-9)
    assert found.mean == pytest.approx(2.0 * math.pi / found.period)


def test_an_error_dies_out_as_friction_has_it():
    for arm, torque in ((UNDER, 4.0), (DRIVEN, 50.0)):
        drawn = ulna.portrait(arm, torque=torque)
        decay = drawn.flow.damping / drawn.flow.inertia
        expected = math.exp(-decay * drawn.running.period)
        assert drawn.running.multiplier == pytest.approx(expected, rel=1e-7)


def test_clockwise_is_the_mirror():
    there, back = (ulna.portrait(UNDER, torque=torque).running for torque in (4.0, -4.0))
    assert (there.direction, back.direction) == (1, -1)
    assert back.mean == pytest.approx(-there.mean, rel=1e-10)
    assert back.slowest == pytest.approx(there.slowest, rel=1e-9)


@pytest.mark.parametrize(
    ("arm", "torque"),
    [(UNDER, 0.0), (UNDER, 0.79), (UNDER.replace(joints=[ulna.Joint()]), 0.0),
     (UNDER.replace(joints=[ulna.Joint()]), 20.0)],
    ids=["no torque", "too little", "nothing lost, nothing given", "ever faster"],
)  # fmt: skip
def test_there_may_be_none(arm, torque):
    assert ulna.portrait(arm, torque=torque).running is None


def test_without_gravity_it_runs_evenly():
    found = ulna.portrait(UNDER.replace(gravity=(0.0, 0.0)), torque=1.0).running
    assert (found.slowest, found.fastest, found.mean) == pytest.approx((5.0, 5.0, 5.0), abs=1e-9)


def test_overdamped_it_runs_only_where_nothing_holds_it():
    heavy = UNDER.replace(joints=[ulna.Joint(damping=30.0)])
    assert ulna.portrait(heavy, torque=9.8).running is None
    found = ulna.portrait(heavy, torque=9.9).running
    assert found.mean_over_angle == pytest.approx(9.9 / 30.0, abs=1e-9)
    assert found.slowest < 0.01 * found.fastest

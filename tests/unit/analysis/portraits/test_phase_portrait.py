"""The front door of portraits: what it gives, and what it refuses."""

import math

import numpy as np
import pytest

import ulna
from ulna.errors import InputError

ARM = ulna.preset("bechard-1")


def test_separatrices_run_into_their_saddle_and_out_of_it():
    drawn = ulna.portrait(ARM, torque=4.0)
    assert [(one.incoming, one.side) for one in drawn.separatrices] == [
        (True, 1), (True, -1), (False, 1), (False, -1)
    ]  # fmt: skip
    for one in drawn.separatrices:
        angle, speed = one.segment.angle, one.segment.speed
        assert (angle[0], speed[0]) == pytest.approx((one.saddle.angle, 0.0), abs=1e-5)
        # Near the saddle it lies along the eigenvector (1, λ).
        near = np.hypot(angle - one.saddle.angle, speed) < 1e-3
        rate = one.saddle.rate(leaving=not one.incoming)
        slope = speed[near] / (angle[near] - one.saddle.angle)
        assert slope == pytest.approx(np.full(near.sum(), rate), rel=2e-3)
        assert np.all(np.diff(one.segment.t) * (-1.0 if one.incoming else 1.0) > 0.0)


def test_nullclines_are_where_torque_is_weight_and_friction():
    drawn = ulna.portrait(ARM, torque=4.0)
    lines = np.concatenate(drawn.nullclines)
    assert len(lines) > 100
    assert np.abs(drawn.flow.acceleration(*lines.T)).max() < 2e-3
    # θ̇ = (τ − G)/b, which is steep: the line leaves the page within a hair of the rests.
    wells = [rest.angle for rest in drawn.equilibria]
    assert min(np.abs(lines[:, 0] - wells[0])) < 0.02


def test_basins_have_the_fates_of_their_cells():
    drawn = ulna.portrait(ARM, torque=4.0, angles=(-7.0, 7.0), speeds=(-9.0, 6.0))
    basins = drawn.basins((30, 20))
    assert basins.label.shape == basins.turns.shape == (20, 30)
    assert (basins.angle[0], basins.angle[-1]) == pytest.approx((-7 + 7 / 30, 7 - 7 / 30))
    assert basins.undecided == 0.0
    assert sum(basins.share(k) for k in range(len(basins.names))) == pytest.approx(1.0)
    for row, column in ((3, 4), (10, 15), (19, 29)):
        start = [(basins.angle[column], basins.speed[row])]
        (orbit,) = ulna.portrait(ARM, torque=4.0, starts=start).orbits
        assert basins.names[basins.label[row, column]] == orbit.fate.name
        assert basins.turns[row, column] == orbit.fate.turns


def test_orbits_are_runs_of_the_engine():
    (orbit,) = ulna.portrait(ARM, torque=4.0, starts=[(0.0, 3.07)], duration=5.0).orbits
    other = ulna.simulate(ARM, q0=[0.0], qd0=[3.07], torque=[4.0], duration=5.0)
    assert orbit.run.q[-1] == pytest.approx(other.q[-1], abs=1e-6)


def test_orbits_pass_the_stops_of_a_joint():
    stopped = ARM.replace(joints=[ulna.Joint(damping=0.2, lower=-2.0, upper=0.5)])
    (orbit,) = ulna.portrait(stopped, torque=4.0, starts=[(0.0, 4.0)]).orbits
    assert orbit.fate.name == "runs on"
    assert orbit.run.q.max() > 10.0


def test_it_says_what_of_the_joint_it_leaves_out():
    motor = ulna.Motor(voltage=12.0, resistance=1.0, torque_constant=0.02)
    joint = ulna.Joint(damping=0.2, lower=-2.0, upper=0.5, motor=motor)
    with pytest.warns(ulna.UlnaWarning, match="limits of motors"):
        drawn = ulna.portrait(ARM.replace(joints=[joint]), torque=4.0)
    assert "left out: its stops at -2 and 0.5 rad, the limits of its motor" in repr(drawn)
    stops, motor_limits = drawn.facts()["left_out"]
    assert stops == "its stops at -2 and 0.5 rad"
    assert "limits of its motor" in motor_limits
    assert "left out" not in repr(ulna.portrait(ARM))
    assert ulna.portrait(ARM).facts()["left_out"] == []


def test_what_is_shown_takes_in_swings_starts_and_the_running_solution():
    # Swings reach 2 √(g/L) = 6.26 rad/s.
    assert ulna.portrait(ARM).speeds == pytest.approx((-3 * math.sqrt(9.81), 3 * math.sqrt(9.81)))
    assert ulna.portrait(ARM, starts=[(0.0, -20.0)]).speeds[0] < -20.0
    assert ulna.portrait(ulna.preset("bechard-1-driven"), torque=50.0).speeds[1] > 4.47359


def test_more_joints_are_pointed_elsewhere():
    with pytest.raises(InputError, match=r"ulna\.poincare"):
        ulna.portrait(ulna.preset("kehl"))


def test_a_turn_less_is_the_same_angle_without_a_controller():
    assert ulna.portrait(ARM, starts=[(1e6, 0.0)], duration=1.0).starts == ((1e6, 0.0),)

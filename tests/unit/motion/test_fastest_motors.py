"""The fastest timing with motors whose torque falls with speed."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import ulna
from ulna.actuation import torque_range

STALL, NO_LOAD = 2.0, 5.0  # [N·m, rad/s]


@pytest.mark.parametrize("turns", [0.5, 20.0])
def test_a_motor_on_its_line_takes_the_closed_forms_time(turns):
    # I dω/dt = T (1 - ω/ω₀) speeds up, -T (1 + ω/ω₀) brakes: both are exponentials of t/τ.
    motor = ulna.TorqueSpeedMotor(stall_torque=STALL, no_load_speed=NO_LOAD, max_torque=1e3)
    joint = ulna.Joint(motor=motor)
    arm = ulna.Arm.of([ulna.Link(length=1.0, mass=3.0)], [joint], gravity=(0.0, 0.0))
    way, tau = 2.0 * math.pi * turns, 1.0 * NO_LOAD / STALL  # I = m l²/3 = 1 kg·m²

    def gone(top):
        up = -math.log1p(-top / NO_LOAD)
        down = math.log1p(top / NO_LOAD)
        return tau * (NO_LOAD * up - top) + tau * (top - NO_LOAD * down)

    top = brentq(lambda speed: gone(speed) - way, 0.0, NO_LOAD * (1.0 - 1e-15))
    lasting = tau * (math.log1p(top / NO_LOAD) - math.log1p(-top / NO_LOAD))
    plan = ulna.plan(arm, ulna.paths.joints([[0.0], [way]]), timing="fastest")
    assert plan.ok, plan.problems
    assert plan.duration == pytest.approx(lasting, rel=2e-3)
    assert np.abs(plan.qd).max() == pytest.approx(top, rel=2e-3)


@pytest.mark.parametrize(
    "name", ["so-101", pytest.param("dfki-double-pendulum", marks=pytest.mark.slow)]
)
def test_what_can_be_followed_slowly_can_be_followed_fast(name):
    # Followed in the time 1, to begin with, motors would turn far beyond their no-load speeds.
    arm = ulna.preset(name)
    path = ulna.paths.loops(0.395, 0.1, 5)
    if arm.n == 3:
        path = ulna.paths.lemniscate(radius=0.1).placed((0.2, -0.1))
    assert ulna.plan(arm, path, duration=60.0).ok
    plan = ulna.plan(arm, path, timing="fastest", reserve=0.1)
    assert plan.ok, plan.problems
    for k, joint in enumerate(arm.joints):
        lower, upper = torque_range(joint, plan.qd[:, k])
        left = np.where(plan.motor_torque[:, k] > 0.0, upper, -lower)
        assert (np.abs(plan.motor_torque[:, k]) <= 0.9001 * left).all()


def test_kinks_of_motors_and_friction_slow_nothing_but_themselves():
    # Torque, motor or speed: at nearly every instant some joint gives all that it has.
    arm = ulna.preset("so-101")
    path = ulna.paths.circle((0.2, 0.1), 0.05)
    plan = ulna.plan(arm, path, timing="fastest", rate=10_000.0)
    assert plan.ok, plan.problems
    qd, asked, p = plan.qd, plan.motor_torque, arm.parameters
    used = [np.abs(qd) / p.max_velocity, np.abs(plan.tau) / p.max_torque]
    for k, joint in enumerate(arm.joints):
        lower, upper = torque_range(joint, qd[:, k])
        stall = torque_range(joint, np.zeros(1)).upper[0]
        passed = np.maximum(asked[:, k] - upper, lower - asked[:, k])
        assert passed.max() <= 1e-3 * stall
        used.append(1.0 + passed[:, None] / stall)
    assert np.mean(np.hstack(used).max(axis=1) < 0.995) <= 0.01


def test_a_bend_that_is_all_but_a_corner_is_not_passed_over():
    # Nearly a cusp: the circle of the loops turns four times as fast, with a quarter of the radius.
    arm = ulna.preset("dfki-double-pendulum")
    plan = ulna.plan(arm, ulna.paths.loops(0.395, 0.1, 3), timing="fastest")
    assert plan.ok, plan.problems
    at = plan.torque_at(np.linspace(0.0, plan.duration, 20_000))
    assert (np.abs(at) <= 1.001 * arm.parameters.max_torque).all()


def test_of_many_paths_the_one_that_no_torque_holds_is_named():
    arm = ulna.Arm.rods([0.5, 0.4], [1.0, 0.8], joints=[ulna.Joint(max_torque=5.0), ulna.Joint()])
    near, far = (ulna.paths.line((x, 0.1), (x, 0.2)) for x in (0.1, 0.8))
    assert ulna.plan(arm, near, timing="fastest").ok
    with pytest.raises(ulna.InfeasibleError, match=r"^\[1\]: the arm cannot hold.* joint 1"):
        ulna.plan(arm, [near, far], timing="fastest")

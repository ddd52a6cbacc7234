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


@pytest.mark.parametrize("name", ["dfki-double-pendulum", "so-101"])
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

"""Motors are computed with, or it is said that their limits are left out: never in silence."""

import dataclasses
import warnings

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna.arm.parameters import with_ideal_motors

DRY = ulna.Joint(damping=0.1, friction=ulna.Friction(30.0))
DRIVEN = ulna.Joint(motor=ulna.Motor(voltage=12.0, resistance=1.0, torque_constant=0.02))
PLAIN = ulna.Joint(damping=0.1, friction=ulna.Friction(0.0))


IDEAL = ulna.Joint(damping=0.1, motor=ulna.IdealMotor())


def rod(joint, links=1):
    return ulna.Arm.rods([0.5] * links, [1.0] * links, joints=[joint] * links)


ENTRY_POINTS = {
    "simulate": lambda arm: ulna.simulate(arm, q0=[0.0], duration=0.01),
    "Simulation": lambda arm: ulna.Simulation(ulna.Scenario(arm=arm, q0=[0.0])),
    "simulate_batch": lambda arm: ulna.simulate_batch(arm, q0=[[0.0], [1.0]], duration=0.01),
    "simulate_batch of a list": lambda arm: ulna.simulate_batch([arm], q0=[0.0], duration=0.01),
    "stack": lambda arm: ulna.stack([arm, arm]),
    "plan": lambda arm: ulna.plan(arm, ulna.paths.joints([[0.0], [1.0]]), duration=1.0),
    "portrait": ulna.portrait,
    "inverse_dynamics": lambda arm: ulna.dynamics.inverse_dynamics(arm, [0.1], [0.2], [0.3]),
    "forward_dynamics": lambda arm: ulna.dynamics.forward_dynamics(arm, [0.1], [0.2], [0.3]),
    "compiled": ulna.compiled,
}


LEFT_OUT = ("stack", "portrait", "compiled")


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_leaves_limits_out_warns_and_points_at_its_caller(name):
    words = r"^limits of motors \(joint 1\) are left out: .+"
    with pytest.warns(ulna.UlnaWarning, match=words) as caught:
        ENTRY_POINTS[name](rod(DRIVEN))
    if name not in ("portrait", "compiled"):  # called by pytest's own file, not by this one
        assert {warning.filename for warning in caught} == {__file__}


@tabular("name", ENTRY_POINTS)
def test_none_warns_where_everything_is_computed_with(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for joint in (DRY, IDEAL) if name in LEFT_OUT else (DRY, IDEAL, DRIVEN):
            ENTRY_POINTS[name](rod(joint))


def test_the_joints_are_named_whose_motors_are_left_out():
    arms = [
        rod(PLAIN, 3).replace(joints=[DRIVEN, DRY, DRIVEN]),
        rod(PLAIN, 3).replace(joints=[DRY, IDEAL, DRIVEN]),
    ]
    with pytest.warns(ulna.UlnaWarning) as caught:
        ulna.stack([*arms, *arms, arms[0].parameters])
    said = " ".join(str(warning.message) for warning in caught)
    assert said.count("(joints 1 and 3)") == said.count("(joint 3)") == 1
    assert "simulate_batch takes the list of arms" in said


def test_parameters_hold_all_of_a_joint_but_its_motor_s_limits():
    read = set(ulna.Parameters._fields)
    assert {field.name for field in dataclasses.fields(ulna.Friction)} <= read
    assert {field.name for field in dataclasses.fields(ulna.Joint)} - read == {"friction", "motor"}


@pytest.mark.parametrize("motor", ["feetech-sts3215-12v", "maxon-re-40-24v", "pololu-37d-50-12v"])
def test_an_arm_with_ideal_motors_has_the_same_numbers(motor):
    joints = [ulna.Joint(gear_ratio=2.0, rotor_inertia=1e-6), DRY]
    driven = rod(PLAIN, 2).replace(joints=joints).with_motors([motor, None])
    ideal = with_ideal_motors(driven)
    assert [joint.motor for joint in ideal.joints] == [None, None]
    for ours, theirs in zip(ideal.parameters, driven.parameters, strict=True):
        assert np.array_equal(ours, theirs)
    assert with_ideal_motors(ideal) is ideal


def test_a_portrait_has_the_rotor_and_the_friction_of_a_motor():
    motor = ulna.motor("maxon-re-40-24v")
    driven = rod(ulna.Joint(gear_ratio=50.0, motor=motor))
    with pytest.warns(ulna.UlnaWarning, match="a portrait knows ideal motors"):
        portrait = ulna.portrait(driven)
    held = 0.0302 * 0.137 * 50.0  # [N·m] of its no-load current
    [sticking] = [one for one in portrait.sticking if one.lower < -np.pi / 2 < one.upper]
    assert np.sin(sticking.upper + np.pi / 2) == pytest.approx(held / (9.81 * 0.25), rel=1e-6)
    assert "the limits of its motor" in str(portrait)


def test_a_derivation_says_that_its_torques_are_those_that_motors_give():
    told = "The limits of this arm's motors are left out: tau is the torque they give."
    assert told in str(ulna.derive(arm=rod(DRIVEN)))
    for joint in (PLAIN, IDEAL):
        assert "motors are left out" not in str(ulna.derive(arm=rod(joint)))

"""Friction of a motion, the band that holds joints at rest, and the load that friction holds."""

import math

import numpy as np
import pytest

import ulna
from ulna import dynamics
from ulna.dynamics import FrictionBand, friction_band, friction_payload, friction_torque

STICKY = ulna.Friction(coulomb=0.2, static=0.5, stribeck_velocity=0.1, drag=0.03)
ARM = ulna.Arm.rods(
    [1.0, 0.8],
    [2.0, 1.0],
    joints=[ulna.Joint(friction=STICKY, damping=7.0), ulna.Joint(friction=ulna.Friction(0.3))],
    gravity=(0.0, -10.0),
)


def rod(static=0.0, **options):
    """Give a rod of 2 kg and 1 m, that is 10 N·m where it lies level."""
    joint = ulna.Joint(friction=ulna.Friction(0.0, static))
    return ulna.Arm.rods([1.0], [2.0], joints=[joint], gravity=(0.0, -10.0), **options)


# Friction of a motion


@pytest.mark.parametrize("rate", [0.001, 0.1, 0.25, 3.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_joint_that_moves_feels_the_law(rate, sign):
    found = friction_torque(ARM, [sign * rate, -sign])
    law = 0.2 + 0.3 * math.exp(-((rate / 0.1) ** 2)) + 0.03 * rate**2
    assert found == pytest.approx([sign * law, -sign * 0.3], rel=1e-14)


def test_a_joint_at_rest_has_the_friction_of_its_start():
    still = [0.0, 0.0]
    assert friction_torque(ARM, still).tolist() == [0.0, 0.0]
    assert friction_torque(ARM, still, still).tolist() == [0.0, 0.0]
    assert friction_torque(ARM, still, [1e-9, -2.0]).tolist() == pytest.approx([0.5, -0.3])
    assert friction_torque(ARM, [0.0, 1.0], [-1.0, -1.0]).tolist() == pytest.approx([-0.5, 0.3])


def test_arms_and_motions_broadcast():
    arms = ulna.stack([ARM, ARM.without_friction()])
    rates = np.linspace(-1.0, 1.0, 10).reshape(5, 1, 2)
    found = friction_torque(arms, rates, np.ones(2))
    assert found.shape == (5, 2, 2)
    assert np.array_equal(found[:, 0], friction_torque(ARM, rates[:, 0], np.ones(2)))
    assert not found[:, 1].any()


# The band


def test_the_band_of_joints_at_rest_is_static_friction_to_either_side():
    found = friction_band(ARM)
    assert isinstance(found, FrictionBand)
    assert (found.lower.tolist(), found.upper.tolist()) == ([-0.5, -0.3], [0.5, 0.3])
    lower, upper = friction_band(ARM, [[0.0, 1e-300], [-2.0, 0.0]])
    assert (lower.tolist(), upper.tolist()) == ([[-0.5, 0], [0, -0.3]], [[0.5, 0], [0, 0.3]])
    found.upper[0] = 1.0  # what is handed out is not the arm's own
    assert ARM.parameters.static[0] == 0.5


# What friction alone holds


@pytest.mark.parametrize("angle", [0.0, 0.4, -2.0, 3.0])
def test_the_load_that_friction_holds_takes_all_of_it(angle):
    arm = rod(25.0)
    more = float(friction_payload(arm, [angle]))
    held = dynamics.holding_torque(arm.with_payload(more), [angle])
    assert np.abs(held) == pytest.approx([25.0])


def test_a_weak_joint_holds_no_load_and_a_weaker_one_not_even_the_arm():
    assert friction_payload(rod(10.0), [0.0]) == pytest.approx(0.0, abs=1e-14)
    assert friction_payload(rod(7.0), [0.0]) == pytest.approx(-0.3)
    assert np.isnan(friction_payload(ARM, [0.0, 0.0]))  # lever arms of no mass agree


def test_nothing_at_the_tip_of_an_upright_arm_turns_it():
    assert friction_payload(rod(1.0), [math.pi / 2]) == np.inf


def test_the_weakest_joint_decides_among_several():
    joints = [ulna.Joint(friction=ulna.Friction(static)) for static in (50.0, 12.0)]
    arm = ulna.Arm.point_masses([1.0, 1.0], [1.0, 1.0], joints=joints, gravity=(0.0, -10.0))
    assert friction_payload(arm, [0.0, 0.0]) == pytest.approx(0.2)
    stronger = arm.replace(joints=[joints[0], joints[0]])
    assert friction_payload(stronger, [0.0, 0.0]) == pytest.approx(1.0)
    lifted = friction_payload(stronger, [0.0, 0.0], tip_force=[0.0, 5.0])
    assert lifted == pytest.approx(1.5)


def test_arms_and_postures_broadcast_for_loads():
    arms = ulna.stack([rod(20.0), rod(30.0)])
    assert friction_payload(arms, np.zeros((3, 2, 1))).shape == (3, 2)
    assert friction_payload(arms, [0.0]).tolist() == pytest.approx([1.0, 2.0])


@pytest.mark.parametrize(
    "call",
    [
        lambda: friction_torque(ARM, [1.0]),
        lambda: friction_torque(ARM, [1.0, 1.0], 3.0),
        lambda: friction_band(ARM, [1.0, 2.0, 3.0]),
        lambda: friction_payload(ARM, [0.0]),
        lambda: friction_payload(ARM, [0.0, 0.0], tip_force=[1.0]),
    ],
)
def test_shapes_that_do_not_fit_are_refused(call):
    with pytest.raises(ulna.InputError):
        call()

"""The Jacobian and the motion of the tip: textbook values."""

from functools import partial

import numpy as np
import pytest

import ulna
from ulna import kinematics

approx = partial(pytest.approx, rel=1e-13)

Q, QD, QDD = [0.4, -0.9], [1.0, 2.0], [3.0, -4.0]


@pytest.fixture
def arm():
    return ulna.Arm.rods([2.0, 1.0], [1.0, 1.0], base=(10.0, 20.0))


def test_the_straight_arm_moves_its_tip_sideways(arm):
    expected = np.array([[0.0, 0.0], [3.0, 1.0], [1.0, 1.0]])
    assert kinematics.jacobian(arm, [0.0, 0.0]).tolist() == expected.tolist()


def test_the_elbow_at_a_right_angle(arm):
    # Links along +x and then +y: the tip is at (2, 1) from the base and (0, 1) from the elbow.
    expected = np.array([[-1.0, -1.0], [2.0, 0.0], [1.0, 1.0]])
    assert kinematics.jacobian(arm, [0.0, np.pi / 2]) == approx(expected, abs=1e-15)


def test_the_base_does_not_move_the_jacobian_at_all(arm):
    far = arm.replace(base=(1e9, -1e9))
    assert (kinematics.jacobian(far, Q) == kinematics.jacobian(arm, Q)).all()
    assert (kinematics.tip_velocity(far, Q, QD) == kinematics.tip_velocity(arm, Q, QD)).all()


def test_a_turning_straight_arm_has_circular_motion(arm):
    # Radius 3 m at 2 rad/s: 6 m/s tangential, 12 m/s² inwards.
    assert kinematics.tip_velocity(arm, [0, 0], [2, 0]).tolist() == [0.0, 6.0, 2.0]
    assert kinematics.tip_acceleration(arm, [0, 0], [2, 0], [0, 0]).tolist() == [-12.0, 0.0, 0.0]
    assert kinematics.tip_acceleration(arm, [0, 0], [0, 0], [0, 5]).tolist() == [0.0, 5.0, 5.0]
    rate = [[-6.0, -2.0], [0.0, 0.0], [0.0, 0.0]]
    assert kinematics.jacobian_rate(arm, [0, 0], [2, 0]).tolist() == rate


def test_one_link_moves_across_itself():
    arm = ulna.Arm.rods([0.5], [1.0])
    assert kinematics.jacobian(arm, [np.pi / 2]) == approx(
        np.array([[-0.5], [0.0], [1.0]]), abs=1e-16
    )
    assert kinematics.tip_acceleration(arm, [0.0], [2.0], [3.0]).tolist() == [-2.0, 1.5, 3.0]

"""The Jacobian and the motion of the tip: textbook values."""

from functools import partial

import numpy as np
import pytest

import ulna
from ulna import kinematics

approx = partial(pytest.approx, rel=1e-13)


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


def test_a_turning_straight_arm_has_circular_motion(arm):
    # Radius 3 m at 2 rad/s: 6 m/s tangential, 12 m/s² inwards.
    assert kinematics.tip_velocity(arm, [0, 0], [2, 0]).tolist() == [0.0, 6.0, 2.0]
    assert kinematics.tip_acceleration(arm, [0, 0], [2, 0], [0, 0]).tolist() == [-12.0, 0.0, 0.0]
    assert kinematics.tip_acceleration(arm, [0, 0], [0, 0], [0, 5]).tolist() == [0.0, 5.0, 5.0]
    rate = [[-6.0, -2.0], [0.0, 0.0], [0.0, 0.0]]
    assert kinematics.jacobian_rate(arm, [0, 0], [2, 0]).tolist() == rate

"""The same dynamics in link angles: what papers write, and torques to ground."""

from functools import partial

import numpy as np
import pytest

import ulna
from ulna.dynamics import absolute

approx = partial(pytest.approx, rel=1e-13, abs=1e-13)
G = 9.81


PHI, PHID, PHIDD = np.array([0.9, -0.4]), np.array([1.5, -2.5]), np.array([3.0, 0.5])


@pytest.fixture
def points():
    """Give two point masses: m_1 = 2 on 0.5 m, m_2 = 3 on 0.8 m."""
    return ulna.Arm.point_masses([0.5, 0.8], [2.0, 3.0])


def test_a_double_pendulum_has_the_matrices_that_every_textbook_prints(points):
    # Two point masses in absolute angles, from any text on mechanics.
    c, s = np.cos(PHI[0] - PHI[1]), np.sin(PHI[0] - PHI[1])
    coupled = 3.0 * 0.5 * 0.8
    mass = np.array([[5.0 * 0.25, coupled * c], [coupled * c, 3.0 * 0.64]])
    whirl = np.array([[0.0, coupled * s * PHID[1]], [-coupled * s * PHID[0], 0.0]])
    weight = G * np.array([5.0 * 0.5 * np.cos(PHI[0]), 3.0 * 0.8 * np.cos(PHI[1])])
    assert absolute.mass_matrix(points, PHI) == approx(mass)
    assert absolute.coriolis_matrix(points, PHI, PHID) == approx(whirl)
    assert absolute.gravity_torque(points, PHI) == approx(weight)
    needed = mass @ PHIDD + whirl @ PHID + weight
    assert absolute.inverse_dynamics(points, PHI, PHID, PHIDD) == approx(needed)
    moved = absolute.forward_dynamics(points, PHI, PHID, needed)
    assert moved == pytest.approx(PHIDD, rel=1e-12)


def test_a_motor_at_a_joint_pushes_against_the_link_before():
    assert absolute.ground_torques([5.0, 3.0, 1.0]).tolist() == [2.0, 2.0, 1.0]
    assert absolute.joint_torques([2.0, 2.0, 1.0]).tolist() == [5.0, 3.0, 1.0]
    # Multiples of 1/64: every sum of these is exact.
    torques = np.random.default_rng(20).integers(-999, 999, (4, 3, 20)) / 64
    assert (absolute.joint_torques(absolute.ground_torques(torques)) == torques).all()
    assert (absolute.ground_torques(absolute.joint_torques(torques)) == torques).all()

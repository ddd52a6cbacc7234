"""Paper 001's approximation: every joint for itself, with all beyond it frozen."""

from functools import partial

import numpy as np
import pytest

import ulna
from ulna.dynamics import sequential

approx = partial(pytest.approx, rel=1e-13, abs=1e-13)
G = 9.81


@pytest.fixture
def points():
    """Give two point masses: m_1 = 2 on 1 m, m_2 = 3 on 2 m."""
    return ulna.Arm.point_masses([1.0, 2.0], [2.0, 3.0])


def test_each_joint_sees_the_masses_beyond_it_as_one_body(points):
    # Level, then straight up: m_2 is at (1, 2) from joint 1.
    seen = sequential.frozen(points, [0.0, np.pi / 2])
    assert seen.inertia == approx([2.0 * 1.0 + 3.0 * 5.0, 3.0 * 4.0])
    assert seen.weight == approx([G * (2.0 * 1.0 + 3.0 * 1.0), 0.0])


def test_the_papers_friction_slows_each_joint_in_proportion_to_its_rate(points):
    theta, thetad, tau = [0.0, np.pi / 2], [3.0, -2.0], [90.0, 24.0]
    found = sequential.forward_dynamics(points, theta, thetad, tau, sequential_damping=[0.5, 0.25])
    assert found == approx([(90.0 - 5.0 * G) / 17.0 - 1.5, 2.0 + 0.5])

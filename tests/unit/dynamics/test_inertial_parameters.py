"""Torques as a matrix of the motion times a vector of the arm."""

from functools import partial

import pytest

import ulna
from ulna import dynamics

approx = partial(pytest.approx, rel=1e-12, abs=1e-12)


@pytest.fixture
def arm():
    links = [
        ulna.Link(0.5, 2.0, com=0.2, com_offset=0.05, inertia=0.03, tip_mass=0.3),
        ulna.Link(0.4, 1.0, com=0.1, com_offset=-0.1, inertia=0.02),
    ]
    joints = [
        ulna.Joint(damping=0.3, rotor_inertia=2e-4, gear_ratio=50.0),
        ulna.Joint(damping=0.1, rotor_inertia=1e-4, gear_ratio=-30.0),
    ]
    return ulna.Arm.of(links, joints, payload=0.2)


def test_the_vector_holds_each_links_moments_with_its_point_mass(arm):
    assert dynamics.parameter_vector(arm) == approx(
        [
            2.3,
            1.2,
            2.0 * 0.2 + 0.3 * 0.5,
            1.0 * 0.1 + 0.2 * 0.4,
            2.0 * 0.05,
            1.0 * -0.1,
            0.03 + 2.0 * (0.2**2 + 0.05**2) + 0.3 * 0.5**2,
            0.02 + 1.0 * (0.1**2 + 0.1**2) + 0.2 * 0.4**2,
            0.3,
            0.1,
            2e-4,
            1e-4,
        ]
    )

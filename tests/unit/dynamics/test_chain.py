"""The mass that the tip of a straight arm seems to have."""

import numpy as np
import pytest

import ulna
from ulna import dynamics


@pytest.mark.parametrize("folded", [False, True])
def test_a_straight_arm_is_light_across_and_immovable_along(folded):
    arm = ulna.Arm.point_masses([1.0, 0.5], [1.0, 1.0])
    mass = dynamics.operational_mass(arm, [0.0, np.pi if folded else 0.0])
    # The end mass hangs on a link that pulls along x only: pushed along y it moves alone.
    assert mass[1, 1] == pytest.approx(1.0, rel=1e-12)
    assert mass[0, 0] > 1e7
    assert np.isfinite(mass).all()


@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_the_mass_at_the_tip_is_a_number_in_every_straight_pose(n):
    lengths = np.linspace(0.3, 0.8, n)
    arm = ulna.Arm.rods(lengths, np.ones(n))
    q = np.zeros((200, n))
    q[:, 0] = np.linspace(-np.pi, np.pi, 200)
    mass = dynamics.operational_mass(arm, q)
    assert np.isfinite(mass).all()
    assert (mass == mass.swapaxes(-1, -2)).all()
    along = np.stack([np.cos(q[:, 0]), np.sin(q[:, 0])], axis=-1)
    assert (np.einsum("ki,kij,kj->k", along, mass, along) > 1e7).all()

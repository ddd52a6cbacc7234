"""Paper 003 (ductri): what its lost link masses are worth; its numbers are in test_003_rows.

`printed` computes as the paper prints, with its χ written q.
"""

import numpy as np
import pytest

import ulna
from papers.ductri import examples, printed
from ulna.dynamics import inverse_dynamics, kinetic_energy, potential_energy


@pytest.fixture(scope="module")
def heavy():
    """Give 300 arms with masses everywhere: the paper's constants, the links', and ours."""
    return examples.heavy()[:3]


@pytest.fixture(scope="module")
def one_state_each():
    return examples.heavy().state


def test_erratum_1_energies_lack_the_masses_of_the_links(heavy, one_state_each):
    p, _, arms = heavy
    q, qd, _ = one_state_each
    short = 1.0 - printed.kinetic(p, q, qd) / kinetic_energy(arms, q, qd)
    assert (short > 0.0).all()
    assert np.median(short) == pytest.approx(0.13, abs=0.005)


def test_erratum_2_energies_are_exact_with_effective_masses(heavy, one_state_each):
    p, links, arms = heavy
    q, qd, _ = one_state_each
    p = printed.effective(p, links)
    assert kinetic_energy(arms, q, qd) == pytest.approx(printed.kinetic(p, q, qd), rel=1e-11)
    assert np.abs(potential_energy(arms, q) - printed.potential(p, q)).max() <= 1e-13


def test_a_rod_is_two_half_masses_at_its_ends_and_an_inertia_below_zero():
    # m l²/12 − m l²/4 = −m l²/6: no body has it, the equations do not mind.
    p = printed.DuctriConstants(0.5, 0.4, 0.6 * 0.5**2 / 12, 0.4 * 0.4**2 / 12, 0.0, 0.0)
    stand_in = printed.effective(p, printed.LinkMasses(0.6, 0.4, 0.25, 0.2))
    assert (stand_in.m2, stand_in.m_tip) == pytest.approx((0.5, 0.2), abs=1e-15)
    assert (stand_in.i1, stand_in.i2) == pytest.approx((-0.6 * 0.25 / 6, -0.4 * 0.16 / 6))
    q, qd, qdd = np.random.default_rng(3).uniform(-3.0, 3.0, (3, 50, 2))
    rods = ulna.Arm.rods([0.5, 0.4], [0.6, 0.4])
    as_printed = printed.torques(stand_in, q, qd, qdd)
    assert np.abs(inverse_dynamics(rods, q, qd, qdd) - as_printed).max() <= 1e-13

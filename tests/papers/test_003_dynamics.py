"""Paper 003 (ductri): inertias and point masses, its two joint equations, and its lost link masses.

What `printed` has is computed as the paper prints it, with its χ written q. Numbers are ours: it
gives none.
"""

import numpy as np
import pytest

import ulna
from papers.ductri import examples, printed
from ulna.dynamics import (
    coriolis_matrix,
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    parameter_names,
    potential_energy,
    regressor,
)

ARM = ulna.preset("ductri")


@pytest.fixture(scope="module")
def states():
    return examples.states()


@pytest.fixture(scope="module")
def heavy():
    """Give 300 arms with masses everywhere: the paper's constants, the links', and ours."""
    return examples.heavy()[:3]


@pytest.fixture(scope="module")
def one_state_each():
    return examples.heavy().state


class TestPointMasses:
    """Its equations, right as they stand for links without mass."""

    p = printed.constants(ARM)

    def test_its_energies_are_ours(self, states):
        q, qd, _ = states
        assert kinetic_energy(ARM, q, qd) == pytest.approx(
            printed.kinetic(self.p, q, qd), rel=1e-12
        )
        assert np.abs(potential_energy(ARM, q) - printed.potential(self.p, q)).max() <= 1e-14

    def test_inverse_dynamics_are_both_printed_equations(self, states):
        as_printed = printed.torques(self.p, *states)
        assert np.abs(inverse_dynamics(ARM, *states) - as_printed).max() <= 1e-13

    def test_without_gravity_as_it_leaves_open(self, states):
        flat = ARM.replace(gravity=(0.0, 0.0))
        as_printed = printed.torques(self.p, *states, g=0.0)
        assert np.abs(inverse_dynamics(flat, *states) - as_printed).max() <= 1e-13
        assert np.abs(gravity_torque(flat, states[0])).max() == 0.0
        # What is left out is the gravity vector and nothing else.
        difference = inverse_dynamics(ARM, *states) - inverse_dynamics(flat, *states)
        assert np.abs(difference - printed.gravity(self.p, states[0])).max() <= 1e-13

    def test_the_mcg_form_that_is_commented_out(self, states):
        q, qd, qdd = states
        M, vector = printed.mass_matrix(self.p, q), printed.coriolis_vector(self.p, q, qd)
        assert np.abs(mass_matrix(ARM, q) - M).max() <= 1e-15
        assert np.abs(gravity_torque(ARM, q) - printed.gravity(self.p, q)).max() <= 1e-14
        whole = (M @ qdd[..., None])[..., 0] + vector + printed.gravity(self.p, q)
        assert np.abs(whole - printed.torques(self.p, *states)).max() <= 1e-13

    def test_erratum_4_the_matrix_c_that_it_never_writes_down(self, states):
        q, qd, _ = states
        C = coriolis_matrix(ARM, q, qd)
        vector = printed.coriolis_vector(self.p, q, qd)
        assert np.abs((C @ qd[..., None])[..., 0] - vector).max() <= 1e-13
        # Many matrices give that vector; adaptive control needs the one with Ṁ − 2C skew.
        b = 0.5 * 0.5 * 0.4 * np.sin(q[:, 1])
        rate = (-b * qd[:, 1])[:, None, None] * [[2.0, 1.0], [1.0, 0.0]]
        skew = rate - 2.0 * C
        assert np.abs(skew + skew.transpose(0, 2, 1)).max() <= 1e-14
        w1, w2 = qd.T
        other = np.array([[0.0 * b, -b * (2 * w1 + w2)], [b * w1, 0.0 * b]]).transpose(2, 0, 1)
        assert np.abs((other @ qd[..., None])[..., 0] - vector).max() <= 1e-14
        unskew = rate - 2.0 * other
        assert np.abs(unskew + unskew.transpose(0, 2, 1)).max() > 0.5

    def test_its_uses_computed_torque_and_simulation_undo_one_another(self, states):
        q, qd, qdd = states
        tau = printed.torques(self.p, *states)
        assert forward_dynamics(ARM, q, qd, tau) == pytest.approx(qdd, abs=1e-11)


class TestErratum1:
    """The masses of the links are announced and absent."""

    def test_the_missing_terms_make_it_right(self, heavy, one_state_each):
        p, links, arms = heavy
        q, qd, qdd = one_state_each
        whole = printed.torques(p, q, qd, qdd) + printed.missing_terms(p, links, q, qd, qdd)
        assert np.abs(inverse_dynamics(arms, q, qd, qdd) - whole).max() <= 1e-12

    def test_energies_lack_them_too(self, heavy, one_state_each):
        p, _, arms = heavy
        q, qd, _ = one_state_each
        short = 1.0 - printed.kinetic(p, q, qd) / kinetic_energy(arms, q, qd)
        assert (short > 0.0).all()
        assert np.median(short) == pytest.approx(0.13, abs=0.005)

    def test_their_size_on_an_ordinary_arm(self):
        # Rods of 0.6 and 0.4 kg between point masses of 1 and 0.5 kg, stretched out level.
        links = printed.LinkMasses(0.6, 0.4, 0.25, 0.2)
        arm = ulna.Arm.of(
            [
                ulna.Link(0.5, 0.6, inertia=0.04, tip_mass=1.0),
                ulna.Link(0.4, 0.4, inertia=0.02, tip_mass=0.5),
            ]
        )
        p = printed.constants(arm)
        assert p == printed.constants(ARM)
        level = np.zeros(2)
        as_printed, right = printed.mass_matrix(p, level)[0, 0], mass_matrix(arm, level)[0, 0]
        assert (as_printed, right) == pytest.approx((0.7150, 0.9485), abs=1e-12)
        assert 1.0 - as_printed / right == pytest.approx(0.25, abs=0.005)
        assert printed.gravity(p, level) == pytest.approx([9.32, 1.96], abs=5e-3)
        assert gravity_torque(arm, level) == pytest.approx([13.54, 2.75], abs=5e-3)
        # A quarter of the inertia and a third of the weight; held by the printed torques it falls.
        missing = printed.missing_terms(p, links, level, level, level)
        assert gravity_torque(arm, level) - printed.gravity(p, level) == pytest.approx(missing)
        falling = forward_dynamics(arm, level, level, printed.gravity(p, level))
        assert falling == pytest.approx([-6.48, 7.54], abs=5e-3)


class TestErratum2:
    """Yet the printed equations are exact with effective masses and inertias."""

    def test_effective_masses_make_the_printed_equations_exact(self, heavy, one_state_each):
        p, links, arms = heavy
        q, qd, qdd = one_state_each
        as_printed = printed.torques(printed.effective(p, links), q, qd, qdd)
        assert np.abs(inverse_dynamics(arms, q, qd, qdd) - as_printed).max() <= 1e-12

    def test_so_are_its_energies(self, heavy, one_state_each):
        p, links, arms = heavy
        q, qd, _ = one_state_each
        p = printed.effective(p, links)
        assert kinetic_energy(arms, q, qd) == pytest.approx(printed.kinetic(p, q, qd), rel=1e-11)
        assert np.abs(potential_energy(arms, q) - printed.potential(p, q)).max() <= 1e-13

    def test_a_rod_is_two_half_masses_at_its_ends_and_an_inertia_below_zero(self):
        # m l²/12 − m l²/4 = −m l²/6: no body has it, the equations do not mind.
        p = printed.DuctriConstants(0.5, 0.4, 0.6 * 0.5**2 / 12, 0.4 * 0.4**2 / 12, 0.0, 0.0)
        stand_in = printed.effective(p, printed.LinkMasses(0.6, 0.4, 0.25, 0.2))
        assert (stand_in.m2, stand_in.m_tip) == pytest.approx((0.5, 0.2), abs=1e-15)
        assert (stand_in.i1, stand_in.i2) == pytest.approx((-0.6 * 0.25 / 6, -0.4 * 0.16 / 6))
        q, qd, qdd = np.random.default_rng(3).uniform(-3.0, 3.0, (3, 50, 2))
        rods = ulna.Arm.rods([0.5, 0.4], [0.6, 0.4])
        as_printed = printed.torques(stand_in, q, qd, qdd)
        assert np.abs(inverse_dynamics(rods, q, qd, qdd) - as_printed).max() <= 1e-13


class TestErratum3:
    """The mass at joint 1 never matters: that joint is fixed."""

    @pytest.mark.parametrize("m1", [0.0, 1.0, 100.0])
    def test_no_torque_feels_it(self, states, m1):
        first = ulna.Link(0.5, m1, com=0.0, inertia=0.04, tip_mass=1.0)
        arm = ARM.replace(links=(first, ARM.links[1]))
        assert np.array_equal(inverse_dynamics(arm, *states), inverse_dynamics(ARM, *states))
        q, qd, _ = states
        assert np.array_equal(kinetic_energy(arm, q, qd), kinetic_energy(ARM, q, qd))
        assert np.array_equal(potential_energy(arm, q), potential_energy(ARM, q))

    def test_no_motion_would_tell_it(self, states):
        column = parameter_names(ARM).index("mass.1")
        Y = regressor(ARM, *states)
        assert np.abs(Y[..., column]).max() == 0.0
        assert np.abs(Y[..., column + 1]).max() > 1.0

"""Paper 003 (ductri): inertias and point masses, its two joint equations, and its lost link masses.

Functions named `printed_*` compute as the paper prints, with its χ written q. Numbers are ours:
it gives none.
"""

from typing import NamedTuple

import numpy as np
import pytest

import ulna
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

G = 9.81
ARM = ulna.preset("ductri")


class Printed(NamedTuple):
    """The paper's constants; arrays (…, 1) stand for many arms."""

    l1: float
    l2: float
    i1: float
    i2: float
    m2: float
    m_tip: float  # m_E


class LinkMasses(NamedTuple):
    """What the paper announces and leaves out: masses of the links and where their centres are."""

    m1_link: float
    m2_link: float
    c1: float
    c2: float


def printed_constants(arm):
    first, second = arm.links
    lengths, inertias = (first.length, second.length), (first.inertia, second.inertia)
    return Printed(*lengths, *inertias, first.tip_mass, second.tip_mass)


def printed_kinetic(p, q, qd):
    w1, w12 = qd[..., 0], qd[..., 0] + qd[..., 1]
    tip = p.l1**2 * w1**2 + p.l2**2 * w12**2 + 2 * p.l1 * p.l2 * np.cos(q[..., 1]) * w1 * w12
    return (p.i1 * w1**2 + p.i2 * w12**2 + p.m2 * p.l1**2 * w1**2 + p.m_tip * tip) / 2


def printed_potential(p, q):
    y2 = p.l1 * np.sin(q[..., 0])
    yE = y2 + p.l2 * np.sin(q[..., 0] + q[..., 1])
    return p.m2 * G * y2 + p.m_tip * G * yE


def printed_mass_matrix(p, q):
    cos = np.cos(q[..., 1])
    m11 = (
        p.i1
        + p.i2
        + (p.m2 + p.m_tip) * p.l1**2
        + p.m_tip * p.l2**2
        + 2 * p.m_tip * p.l1 * p.l2 * cos
    )
    m12 = p.i2 + p.m_tip * p.l2**2 + p.m_tip * p.l1 * p.l2 * cos
    m22 = p.i2 + p.m_tip * p.l2**2 + 0.0 * cos
    return np.stack([np.stack([m11, m12], axis=-1), np.stack([m12, m22], axis=-1)], axis=-2)


def printed_coriolis_vector(p, q, qd):
    b = p.m_tip * p.l1 * p.l2 * np.sin(q[..., 1])
    w1, w2 = qd[..., 0], qd[..., 1]
    return np.stack([-b * w2 * (2 * w1 + w2), b * w1**2], axis=-1)


def printed_gravity(p, q, g=G):
    outer = p.m_tip * g * p.l2 * np.cos(q[..., 0] + q[..., 1])
    return np.stack([(p.m2 + p.m_tip) * g * p.l1 * np.cos(q[..., 0]) + outer, outer], axis=-1)


def printed_torques(p, q, qd, qdd, g=G):
    """The equations of joint 1 and joint 2, line by line."""
    (w1, w2), (a1, a2) = np.moveaxis(qd, -1, 0), np.moveaxis(qdd, -1, 0)
    cos, sin = np.cos(q[..., 1]), np.sin(q[..., 1])
    c1, c12 = np.cos(q[..., 0]), np.cos(q[..., 0] + q[..., 1])
    own = (
        p.i1
        + p.i2
        + (p.m2 + p.m_tip) * p.l1**2
        + p.m_tip * p.l2**2
        + 2 * p.m_tip * p.l1 * p.l2 * cos
    )
    cross = p.i2 + p.m_tip * p.l2**2 + p.m_tip * p.l1 * p.l2 * cos
    first = own * a1 + cross * a2 - p.m_tip * p.l1 * p.l2 * sin * (2 * w1 * w2 + w2**2)
    first = first + (p.m2 + p.m_tip) * g * p.l1 * c1 + p.m_tip * g * p.l2 * c12
    second = cross * a1 + (p.i2 + p.m_tip * p.l2**2) * a2 + p.m_tip * p.l1 * p.l2 * sin * w1**2
    return np.stack([first, second + p.m_tip * g * p.l2 * c12], axis=-1)


def missing_terms(p, links, q, qd, qdd):
    """Give what the link masses add to the printed torques."""
    (m1L, m2L, c1, c2), (l1, *_) = links, p
    (w1, w2), (a1, a2) = np.moveaxis(qd, -1, 0), np.moveaxis(qdd, -1, 0)
    cos, sin = np.cos(q[..., 1]), np.sin(q[..., 1])
    level, outer = np.cos(q[..., 0]), np.cos(q[..., 0] + q[..., 1])
    m11 = m1L * c1**2 + m2L * (l1**2 + c2**2 + 2 * l1 * c2 * cos)
    m12, m22 = m2L * (c2**2 + l1 * c2 * cos), m2L * c2**2
    whirl = l1 * m2L * c2 * sin
    first = m11 * a1 + m12 * a2 - whirl * (2 * w1 * w2 + w2**2)
    first = first + G * ((m1L * c1 + m2L * l1) * level + m2L * c2 * outer)
    second = m12 * a1 + m22 * a2 + whirl * w1**2 + m2L * G * c2 * outer
    return np.stack([first, second], axis=-1)


def effective(p, links):
    """Give the point masses and inertias that stand for the links: m2', mE', I1', I2'."""
    m1L, m2L, c1, c2 = links
    return p._replace(
        m2=p.m2 + m1L * c1 / p.l1 + m2L * (1.0 - c2 / p.l2),
        m_tip=p.m_tip + m2L * c2 / p.l2,
        i1=p.i1 + m1L * (c1**2 - c1 * p.l1),
        i2=p.i2 + m2L * (c2**2 - c2 * p.l2),
    )


@pytest.fixture(scope="module")
def states():
    return np.random.default_rng(0).uniform(-3.0, 3.0, (3, 500, 2))


@pytest.fixture(scope="module")
def heavy():
    """Give 300 arms with masses everywhere: the paper's constants, the links', and ours."""
    random = np.random.default_rng(1)
    length = random.uniform(0.2, 1.0, (2, 300))
    inertia, point, mass = random.uniform(0.05, 1.0, (3, 2, 300))
    centre = length * random.uniform(0.0, 1.2, (2, 300))
    printed = Printed(*length, *inertia, *point)
    arms = [
        ulna.Arm([ulna.Link(*row) for row in zip(*rows, strict=True)], [ulna.Joint()] * 2)
        for rows in zip(*(part.T for part in (length, mass, centre, inertia, point)), strict=True)
    ]
    return printed, LinkMasses(*mass, *centre), ulna.stack(arms)


@pytest.fixture(scope="module")
def one_state_each():
    return np.random.default_rng(2).uniform(-3.0, 3.0, (3, 300, 2))


class TestPointMasses:
    """Its equations, right as they stand for links without mass."""

    p = printed_constants(ARM)

    def test_energies(self, states):
        q, qd, _ = states
        assert kinetic_energy(ARM, q, qd) == pytest.approx(
            printed_kinetic(self.p, q, qd), rel=1e-12
        )
        assert np.abs(potential_energy(ARM, q) - printed_potential(self.p, q)).max() <= 1e-14

    def test_both_joint_equations(self, states):
        printed = printed_torques(self.p, *states)
        assert np.abs(inverse_dynamics(ARM, *states) - printed).max() <= 1e-13

    def test_without_gravity_as_it_leaves_open(self, states):
        flat = ARM.replace(gravity=(0.0, 0.0))
        printed = printed_torques(self.p, *states, g=0.0)
        assert np.abs(inverse_dynamics(flat, *states) - printed).max() <= 1e-13
        assert np.abs(gravity_torque(flat, states[0])).max() == 0.0
        # What is left out is the gravity vector and nothing else.
        difference = inverse_dynamics(ARM, *states) - inverse_dynamics(flat, *states)
        assert np.abs(difference - printed_gravity(self.p, states[0])).max() <= 1e-13

    def test_the_mcg_form_that_is_commented_out(self, states):
        q, qd, qdd = states
        M, vector = printed_mass_matrix(self.p, q), printed_coriolis_vector(self.p, q, qd)
        assert np.abs(mass_matrix(ARM, q) - M).max() <= 1e-15
        assert np.abs(gravity_torque(ARM, q) - printed_gravity(self.p, q)).max() <= 1e-14
        whole = (M @ qdd[..., None])[..., 0] + vector + printed_gravity(self.p, q)
        assert np.abs(whole - printed_torques(self.p, *states)).max() <= 1e-13

    def test_erratum_4_the_matrix_c_that_it_never_writes_down(self, states):
        q, qd, _ = states
        C = coriolis_matrix(ARM, q, qd)
        vector = printed_coriolis_vector(self.p, q, qd)
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
        tau = printed_torques(self.p, *states)
        assert forward_dynamics(ARM, q, qd, tau) == pytest.approx(qdd, abs=1e-11)


class TestErratum1:
    """The masses of the links are announced and absent."""

    def test_the_missing_terms_make_it_right(self, heavy, one_state_each):
        p, links, arms = heavy
        q, qd, qdd = one_state_each
        whole = printed_torques(p, q, qd, qdd) + missing_terms(p, links, q, qd, qdd)
        assert np.abs(inverse_dynamics(arms, q, qd, qdd) - whole).max() <= 1e-12

    def test_energies_lack_them_too(self, heavy, one_state_each):
        p, _, arms = heavy
        q, qd, _ = one_state_each
        short = 1.0 - printed_kinetic(p, q, qd) / kinetic_energy(arms, q, qd)
        assert (short > 0.0).all()
        assert np.median(short) == pytest.approx(0.13, abs=0.005)

    def test_their_size_on_an_ordinary_arm(self):
        # Rods of 0.6 and 0.4 kg between point masses of 1 and 0.5 kg, stretched out level.
        links = LinkMasses(0.6, 0.4, 0.25, 0.2)
        arm = ulna.Arm.of(
            [
                ulna.Link(0.5, 0.6, inertia=0.04, tip_mass=1.0),
                ulna.Link(0.4, 0.4, inertia=0.02, tip_mass=0.5),
            ]
        )
        p = printed_constants(arm)
        assert p == printed_constants(ARM)
        level = np.zeros(2)
        printed, right = printed_mass_matrix(p, level)[0, 0], mass_matrix(arm, level)[0, 0]
        assert (printed, right) == pytest.approx((0.7150, 0.9485), abs=1e-12)
        assert 1.0 - printed / right == pytest.approx(0.25, abs=0.005)
        assert printed_gravity(p, level) == pytest.approx([9.32, 1.96], abs=5e-3)
        assert gravity_torque(arm, level) == pytest.approx([13.54, 2.75], abs=5e-3)
        # A quarter of the inertia and a third of the weight; held by the printed torques it falls.
        missing = missing_terms(p, links, level, level, level)
        assert gravity_torque(arm, level) - printed_gravity(p, level) == pytest.approx(missing)
        falling = forward_dynamics(arm, level, level, printed_gravity(p, level))
        assert falling == pytest.approx([-6.48, 7.54], abs=5e-3)


class TestErratum2:
    """Yet the printed equations are exact with effective masses and inertias."""

    def test_effective_masses_make_the_printed_equations_exact(self, heavy, one_state_each):
        p, links, arms = heavy
        q, qd, qdd = one_state_each
        printed = printed_torques(effective(p, links), q, qd, qdd)
        assert np.abs(inverse_dynamics(arms, q, qd, qdd) - printed).max() <= 1e-12

    def test_so_are_its_energies(self, heavy, one_state_each):
        p, links, arms = heavy
        q, qd, _ = one_state_each
        p = effective(p, links)
        assert kinetic_energy(arms, q, qd) == pytest.approx(printed_kinetic(p, q, qd), rel=1e-11)
        assert np.abs(potential_energy(arms, q) - printed_potential(p, q)).max() <= 1e-13

    def test_a_rod_is_two_half_masses_at_its_ends_and_an_inertia_below_zero(self):
        # m l²/12 − m l²/4 = −m l²/6: no body has it, the equations do not mind.
        p = Printed(0.5, 0.4, 0.6 * 0.5**2 / 12, 0.4 * 0.4**2 / 12, 0.0, 0.0)
        stand_in = effective(p, LinkMasses(0.6, 0.4, 0.25, 0.2))
        assert (stand_in.m2, stand_in.m_tip) == pytest.approx((0.5, 0.2), abs=1e-15)
        assert (stand_in.i1, stand_in.i2) == pytest.approx((-0.6 * 0.25 / 6, -0.4 * 0.16 / 6))
        q, qd, qdd = np.random.default_rng(3).uniform(-3.0, 3.0, (3, 50, 2))
        rods = ulna.Arm.rods([0.5, 0.4], [0.6, 0.4])
        printed = printed_torques(stand_in, q, qd, qdd)
        assert np.abs(inverse_dynamics(rods, q, qd, qdd) - printed).max() <= 1e-13


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

"""Paper 002 (Garai): dynamics and statics in absolute angles; paper 004's question of statics.

Its q1, q2 are both measured from the x axis; they are written phi here. What `printed`
has is computed as the paper prints it. F acts on the arm.
"""

import numpy as np
import pytest

import ulna
from papers.garai import printed
from ulna.angles import absolute_to_relative
from ulna.dynamics import (
    absolute,
    holding_torque,
    inverse_dynamics,
    kinetic_energy,
)
from ulna.kinematics import centres, jacobian, tip

ARM = ulna.preset("garai")
P = printed.constants(ARM)
L1, L2, M1, M2, _ = P
STEP = 1e-6


@pytest.fixture(scope="module")
def states():
    """Give phi, its rates and its accelerations, (500, 2) each."""
    return np.random.default_rng(2).uniform(-3.0, 3.0, (3, 500, 2))


@pytest.fixture(scope="module")
def forces():
    return np.random.default_rng(3).uniform(-20.0, 20.0, (500, 2))


def slopes(function, at):
    """Give the derivatives (…, 2) of a function (…) of at (…, 2)."""
    ways = [function(at + way) - function(at - way) for way in STEP * np.eye(2)]
    return np.stack(ways, axis=-1) / (2.0 * STEP)


class TestEnergies:
    def test_kinetic_energy_19_20(self, states):
        phi, rate, _ = states
        ours = kinetic_energy(ARM, absolute_to_relative(phi), absolute_to_relative(rate))
        assert ours == pytest.approx(printed.kinetic(P, phi, rate), rel=1e-12)
        ahead, behind = (
            centres(ARM, absolute_to_relative(phi + way * rate))[:, 1] for way in (STEP, -STEP)
        )
        speed = np.linalg.norm((ahead - behind) / (2.0 * STEP), axis=-1)
        rest = M1 * L1**2 / 6 * rate[:, 0] ** 2 + M2 * L2**2 / 24 * rate[:, 1] ** 2
        assert M2 * speed**2 / 2 + rest == pytest.approx(ours, abs=1e-7)

    def test_slopes_of_the_energies_23_to_26(self, states):
        phi, rate, _ = states
        potential, kinetic = printed.by_angle(P, phi, rate)
        assert np.abs(absolute.gravity_torque(ARM, phi) - potential).max() <= 1e-13
        # Differences of 1e-6 are good to 1e-8 here.
        assert np.abs(slopes(lambda at: printed.potential(P, at), phi) - potential).max() <= 1e-7
        assert np.abs(slopes(lambda at: printed.kinetic(P, at, rate), phi) - kinetic).max() <= 1e-7

    def test_momenta_are_equations_27_and_29(self, states):
        phi, rate, _ = states
        ours = (absolute.mass_matrix(ARM, phi) @ rate[..., None])[..., 0]
        assert np.abs(ours - printed.momenta(P, phi, rate)).max() <= 1e-13
        by_rate = slopes(lambda at: printed.kinetic(P, phi, at), rate)
        assert np.abs(by_rate - ours).max() <= 1e-7

    def test_rates_of_the_momenta_28_30(self, states):
        phi, rate, turning = states
        ahead, behind = (
            printed.momenta(P, phi + way * rate, rate + way * turning) for way in (STEP, -STEP)
        )
        change = (ahead - behind) / (2.0 * STEP)
        assert np.abs(printed.momentum_rates(P, phi, rate, turning) - change).max() <= 1e-7


class TestEquationsOfMotion:
    def test_work_of_the_force_16_and_the_right_of_21(self, states, forces):
        phi = states[0]
        ways = [
            tip(ARM, absolute_to_relative(phi + way)) - tip(ARM, absolute_to_relative(phi - way))
            for way in STEP * np.eye(2)
        ]
        work = np.stack([np.sum(forces * way[:, :2], axis=-1) for way in ways], axis=-1)
        assert np.abs(work / (2.0 * STEP) - printed.pull(P, phi, forces)).max() <= 1e-7

    def test_31_32_are_33_34(self, states):
        phi, rate, turning = states
        potential, kinetic = printed.by_angle(P, phi, rate)
        unsimplified = printed.momentum_rates(P, phi, rate, turning) - kinetic + potential
        assert np.abs(unsimplified - printed.left_sides(P, phi, rate, turning)).max() <= 1e-12

    def test_every_term_of_the_torques_is_the_printed_one(self, states):
        phi, rate, turning = states
        sin = np.sin(phi[:, 0] - phi[:, 1])
        half = M2 * L1 * L2 / 2
        whirl = half * sin[:, None] * np.stack([rate[:, 1] ** 2, -(rate[:, 0] ** 2)], axis=-1)
        ours = (absolute.coriolis_matrix(ARM, phi, rate) @ rate[..., None])[..., 0]
        assert np.abs(ours - whirl).max() <= 1e-13
        inertia = (absolute.mass_matrix(ARM, phi) @ turning[..., None])[..., 0]
        whole = inertia + ours + absolute.gravity_torque(ARM, phi)
        assert np.abs(whole - printed.left_sides(P, phi, rate, turning)).max() <= 1e-12

    def test_erratum_2_motors_at_the_joints_push_against_the_link_before(self, states, forces):
        phi, rate, turning = states
        q, qd, qdd = (absolute_to_relative(part) for part in states)
        motors = inverse_dynamics(ARM, q, qd, qdd, tip_force=forces)
        as_printed = printed.left_sides(P, phi, rate, turning) - printed.pull(P, phi, forces)
        # Row 1 is τ1 − τ2.
        assert np.abs(motors[:, 0] - motors[:, 1] - as_printed[:, 0]).max() <= 1e-12
        assert np.abs(motors[:, 1] - as_printed[:, 1]).max() <= 1e-12
        assert np.abs(absolute.ground_torques(motors) - as_printed).max() <= 1e-12
        assert np.abs(absolute.joint_torques(as_printed) - motors).max() <= 1e-12

    def test_erratum_2_17_credits_a_motor_with_work_it_does_not_do(self):
        # An arm that turns as one piece: the motor at its elbow stands still.
        tau, rate = np.array([0.0, 5.0]), np.array([2.0, 2.0])
        assert tau @ absolute_to_relative(rate) == 0.0
        assert tau @ rate == 10.0


class TestMasslessArm:
    def test_35_to_37_are_minus_the_transposed_jacobian_times_the_force(self, states, forces):
        phi = states[0]
        as_printed = printed.massless(P, phi, forces)
        (s1, s2), (c1, c2) = np.sin(phi).T, np.cos(phi).T
        matrix = np.array([[L1 * s1, -L1 * c1], [L2 * s2, -L2 * c2]])
        assert np.abs(np.einsum("ijk,kj->ki", matrix, forces) - as_printed).max() <= 1e-13
        # Ours is J_q = J_φ T, of the joints.
        J = jacobian(ARM, absolute_to_relative(phi))[:, :2] @ np.array([[1.0, 0.0], [-1.0, 1.0]])
        transposed = np.einsum("kji,kj->ki", J, forces)
        assert np.abs(as_printed + transposed).max() <= 1e-13


class TestStatics:
    def test_motors_at_the_joints_give_38_plus_39_and_39(self, states, forces):
        phi = states[0]
        equation_38, equation_39 = printed.statics(P, phi, forces).T
        ours = holding_torque(ARM, absolute_to_relative(phi), tip_force=forces)
        assert np.abs(ours[:, 0] - (equation_38 + equation_39)).max() <= 1e-12
        assert np.abs(ours[:, 1] - equation_39).max() <= 1e-12

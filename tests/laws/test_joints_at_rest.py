"""Laws of dry friction at rest, over random arms of up to six links.

The accelerations of joints at rest are the minimum of ½ q̈ᵀ M q̈ − q̈ᵀ r + Σ f_s |q̈|, r all torques
but static friction. Here the same is told in other words: by its conditions, by trial, and by an
active-set solver of SciPy's for the dual, the least energy ½ (r + λ)ᵀ M⁻¹ (r + λ) within |λ| ≤ f_s.
"""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import ulna
from ulna import dynamics
from ulna.dynamics import chain

ARMS = 300
ROUNDING = 1e-11
sizes = pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])


class Drawn(NamedTuple):
    arm: ulna.Parameters
    q: np.ndarray
    qd: np.ndarray
    tau: np.ndarray

    @property
    def at_rest(self):
        return self.qd == 0.0

    @property
    def torques(self):
        """Give r (…, n): all torques but static friction and inertia."""
        free, none = self.arm.without_friction(), np.zeros_like(self.q)
        others = dynamics.inverse_dynamics(free, self.q, self.qd, none)
        return self.tau - others - dynamics.friction_torque(self.arm, self.qd)

    @property
    def static(self):
        return np.where(self.at_rest, self.arm.static, 0.0)

    @property
    def mass(self):
        return dynamics.mass_matrix(self.arm, self.q)


def drawn(random_arm, n, arms=ARMS, resting=0.8, seed=0):
    random = np.random.default_rng((n, seed))
    arm = random_arm(random, n, (arms,), whole=True, friction=True)
    q = random.uniform(-np.pi, np.pi, (arms, n))
    moving = random.random((arms, n)) > resting
    qd = np.where(moving, random.normal(size=(arms, n)), 0.0)
    return Drawn(arm, q, qd, random.normal(scale=6.0, size=(arms, n)))


@sizes
def test_a_joint_is_held_within_its_friction_or_starts_the_way_it_is_let_go(random_arm, n):
    case = drawn(random_arm, n)
    qdd = dynamics.forward_dynamics(*case)
    friction = np.einsum("kij,kj->ki", case.mass, qdd) - case.torques
    size = 1.0 + np.abs(case.torques).max(axis=-1, keepdims=True)
    held = case.at_rest & (qdd == 0.0)
    starts = case.at_rest & ~held
    assert held.any()
    assert (starts.sum() > 0.1 * case.at_rest.sum()) & (held.sum() > 0.1 * case.at_rest.sum())
    assert (np.abs(friction) <= case.static + ROUNDING * size)[held].all()
    against = -case.static * np.sign(qdd)
    assert (np.abs(friction - against) <= ROUNDING * size)[starts].all()
    assert (np.abs(friction) <= ROUNDING * size)[~case.at_rest].all()


@sizes
def test_no_other_accelerations_are_less(random_arm, n):
    case = drawn(random_arm, n)
    mass, torques, static = case.mass, case.torques, case.static

    def cost(qdd):
        half = 0.5 * np.einsum("...i,...ij,...j->...", qdd, mass, qdd)
        return half - np.sum(qdd * torques, axis=-1) + np.sum(static * np.abs(qdd), axis=-1)

    found = dynamics.forward_dynamics(*case)
    least, random = cost(found), np.random.default_rng(1)
    for scale in (1e-4, 1e-2, 1.0, 10.0):
        aside = scale * random.normal(size=(50, ARMS, n)) * (random.random((50, ARMS, n)) < 0.5)
        assert (cost(found + aside) - least >= -1e-12 * (1.0 + np.abs(least))).all()


@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_a_solver_of_the_dual_finds_the_same(random_arm, n):
    case = drawn(random_arm, n, arms=20)
    found = dynamics.forward_dynamics(*case)
    for mass, torques, static, qdd in zip(case.mass, case.torques, case.static, found, strict=True):
        root = np.linalg.inv(np.linalg.cholesky(mass))
        held = static > 0.0
        if held.any():
            bounds = (-static[held], static[held])
            dual = lsq_linear(root[:, held], -root @ torques, bounds, method="bvls", tol=1e-14)
            torques[held] += dual.x
        assert np.linalg.solve(mass, torques) == pytest.approx(qdd, abs=1e-8)


@pytest.mark.parametrize(("n", "least", "most"), [(3, 0.04, 0.08), (5, 0.12, 0.20)])
def test_letting_the_worst_joint_go_and_never_looking_back_would_not_do(random_arm, n, least, most):
    """One joint after the other leaves some that accelerate against their release."""
    case = drawn(random_arm, n, arms=4000, resting=1.0)
    case = case._replace(arm=case.arm._replace(rotor_inertia=0.0 * case.arm.rotor_inertia))
    mass, torques, static = case.mass, case.torques, case.static
    held, direction = np.ones((4000, n), dtype=bool), np.zeros((4000, n))
    for _ in range(n + 1):
        matrix = np.where(held[:, None, :], -np.eye(n), mass)
        found = np.linalg.solve(matrix, (torques - static * direction)[..., None])[..., 0]
        excess = np.where(held, np.abs(found) - static, -np.inf)
        worst = (excess == excess.max(axis=-1, keepdims=True)) & (excess > 0.0)
        direction = np.where(worst, -np.sign(found), direction)
        held &= ~worst
    backwards = np.any(~held & (found * direction < 0.0), axis=-1)
    assert least < backwards.mean() < most
    right = dynamics.forward_dynamics(*case)
    assert np.where(held, 0.0, found)[~backwards] == pytest.approx(right[~backwards], abs=1e-8)


@sizes
def test_forward_dynamics_undoes_inverse_dynamics_where_joints_slide_or_break_away(random_arm, n):
    case = drawn(random_arm, n, resting=0.5)
    qdd = np.random.default_rng(n).normal(size=case.q.shape)
    tau = dynamics.inverse_dynamics(case.arm, case.q, case.qd, qdd)
    again = dynamics.forward_dynamics(case.arm, case.q, case.qd, tau)
    assert again == pytest.approx(qdd, rel=1e-9, abs=1e-9)


@sizes
def test_inverse_dynamics_of_rest_is_held_and_so_is_all_within_the_band(random_arm, n):
    case = drawn(random_arm, n, resting=1.0)
    still = np.zeros_like(case.q)
    tau = dynamics.inverse_dynamics(case.arm, case.q, still, still)
    assert tau == pytest.approx(dynamics.holding_torque(case.arm, case.q), abs=1e-12)
    lower, upper = dynamics.friction_band(case.arm)
    share = np.random.default_rng(n).uniform(size=case.q.shape)
    for within in (lower, upper, lower + share * (upper - lower)):
        held = dynamics.forward_dynamics(case.arm, case.q, still, tau + (1.0 - 1e-6) * within)
        assert not held.any()
    beyond = np.where(np.arange(n) == n // 2, (1.0 + 1e-6) * upper, 0.0)
    moved = dynamics.forward_dynamics(case.arm, case.q, still, tau + beyond)
    assert (moved[:, n // 2] > 0.0).all()


@pytest.mark.parametrize("n", [1, 2, 3, 6, 20])
def test_one_state_rows_of_states_and_the_closed_form_agree(random_arm, arm_of, n):
    case = drawn(random_arm, n, arms=30)
    expected = chain.forward_dynamics(*case)
    rows = dynamics.forward_dynamics(*case)
    assert np.array_equal(rows == 0.0, expected == 0.0)
    assert rows == pytest.approx(expected, rel=1e-9, abs=1e-9)
    if n in (2, 6):
        states = zip(case.q, case.qd, case.tau, strict=True)
        ones = [
            ulna.compiled(arm_of(case.arm, k)).forward_dynamics(*x) for k, x in enumerate(states)
        ]
        assert np.array_equal(np.array(ones) == 0.0, expected == 0.0)
        assert np.array(ones) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("n", [2, 5])
def test_in_link_angles_it_is_the_same(random_arm, n):
    case = drawn(random_arm, n)
    phi, phid = np.cumsum(case.q, axis=-1), np.cumsum(np.where(case.at_rest, 0.0, 2.0**-7), axis=-1)
    qd = np.diff(phid, prepend=0.0, axis=-1)
    forces = dynamics.absolute.ground_torques(case.tau)
    found = dynamics.absolute.forward_dynamics(case.arm, phi, phid, forces)
    expected = dynamics.forward_dynamics(case.arm, case.q, qd, case.tau)
    assert found == pytest.approx(np.cumsum(expected, axis=-1), abs=1e-9)
    needed = dynamics.absolute.inverse_dynamics(case.arm, phi, phid, found)
    joints = dynamics.inverse_dynamics(case.arm, case.q, qd, expected)
    assert dynamics.absolute.joint_torques(needed) == pytest.approx(joints, abs=1e-8)

"""How the sequential model swings, beside the true arm: energies, frequencies, accelerations.

The arm is the skater's, without friction.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ulna.dynamics import absolute, equilibria, sequential
from ulna.papers.bechard import runs
from ulna.papers.bechard.parameters import DOWN, SKATER, link_angles, link_rates, without_friction
from ulna.papers.bechard.printed import G
from ulna.simulation import Run

STATES = 100_000
FASTEST = 3.0  # [rad/s] of the links
STEP = 1e-5  # [rad] of the differences


def weight_times_reach() -> float:
    """Return the unit [J] that energies are measured in: m g times the reach."""
    return float(SKATER.mass * G * SKATER.reach)


def total_energy(run: Run) -> np.ndarray:
    """Return kinetic and potential energy (S,) [J] together."""
    return np.asarray(run.energy.kinetic) + np.asarray(run.energy.potential)


def energy_error(model: runs.Model, angle: float = 0.0) -> float:
    """Return the largest change of the energy of an arm let go, in m g times the reach."""
    energy = total_energy(runs.let_go(model, angle))
    return float(np.abs(energy - energy[0]).max() / weight_times_reach())


def true_frequencies() -> np.ndarray:
    """Return the frequencies [rad/s] of small swings about hanging down."""
    hanging = equilibria(without_friction(SKATER), np.zeros(2))[0]
    return np.sort(np.imag(hanging.eigenvalues))[-2:]


def sequential_frequencies() -> np.ndarray:
    """Return those of the model, by differences of its accelerations."""
    none, step = np.zeros(2), STEP * np.eye(2)
    ahead, behind = (
        sequential.forward_dynamics(SKATER, DOWN + way, none, none, sequential_damping=none)
        for way in (step, -step)
    )
    stiffness = -(ahead - behind).T / (2.0 * STEP)
    return np.asarray(np.sqrt(np.sort(np.linalg.eigvals(stiffness))))


@cache
def median_error() -> float:
    """Return the median over random states of how wrong the model's accelerations are."""
    random = np.random.default_rng(3)
    theta = random.uniform(-np.pi, np.pi, (STATES, 2))
    rate = random.uniform(-FASTEST, FASTEST, (STATES, 2))
    none = np.zeros(2)
    model = sequential.forward_dynamics(SKATER, theta, rate, none, sequential_damping=none)
    true = absolute.forward_dynamics(without_friction(SKATER), theta, rate, none)
    return float(np.median(_size(model - true) / _size(true)))


def _size(rows: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.norm(rows, axis=-1))


def angular_momentum(run: Run) -> np.ndarray:
    """Return the angular momentum (S,) [kg·m²/s] about the base: M φ̇, summed over the links."""
    M = absolute.mass_matrix(SKATER, link_angles(run))
    return np.asarray(np.sum(M @ link_rates(run)[..., None], axis=(-2, -1)))


def first_inertia(run: Run) -> np.ndarray:
    """Return the inertia (S,) [kg·m²] of all that lies beyond the first joint, about that joint."""
    return np.asarray(sequential.frozen(SKATER, link_angles(run)).inertia)[:, 0]

"""What paper 001 gives: its arms, frictions, torques and starts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ulna.angles import absolute_to_relative, relative_to_absolute
from ulna.arm import Arm, Joint, preset
from ulna.simulation import Run

ONE, ONE_B = preset("bechard-1"), 0.2  # B is the paper's friction [1/s]
DRIVEN, DRIVEN_B, DRIVEN_TORQUE = preset("bechard-1-driven"), 0.5, 50.0
UNDER_POWERED = 4.0  # [N·m] on the joint of ONE

FOUR, FOUR_B = preset("bechard-4"), (0.5, 0.5, 0.5, 0.25)
FOUR_TORQUES = (300.0, 3.0, 50.0, 5.0)  # [N·m]
FOUR_ANGLES, FOUR_RATES = np.array([0.1, 0.1, 0.1, 0.0]), np.array([0.3, 0.3, 0.3, 0.0])

SKATER, SKATER_B = preset("bechard-skater"), (1.2, 2.0)
SKATER_TORQUES = (45.0, 45.0)  # [N·m]

DOWN = -0.5 * np.pi


def without_friction(arm: Arm) -> Arm:
    """Return the arm with joints that turn freely."""
    return arm.replace(joints=tuple(Joint() for _ in arm.joints))


def damped(arm: Arm, damping: Sequence[float]) -> Arm:
    """Return the arm with constant dampers [N·m·s/rad] at its joints."""
    return arm.replace(joints=tuple(Joint(damping=b) for b in damping))


def rubbed(
    arm: Arm, torque: Sequence[float], B: Sequence[float], *, link_rates: bool = False
) -> list[str]:
    """Return torques less the paper's friction at the joints, as formulas: τ_a − B_a I_a(q) q̇_a.

    With `link_rates` friction goes with θ̇_a = q̇_1 + … + q̇_a, by the letter of the paper.

    For point masses I_a = Σ_i L_i² μ_i + 2 Σ_{i<j} L_i L_j μ_j cos(q_{i+1} + … + q_j) over the
    links from a on, μ_i the masses from the end of link i on.
    """
    L, n = [link.length for link in arm.links], arm.n
    beyond = [sum(link.mass for link in arm.links[i:]) for i in range(n)]
    formulas = []
    for a in range(n):
        terms = [f"{sum(L[i] ** 2 * beyond[i] for i in range(a, n))!r}"]
        for i, j in combinations(range(a, n), 2):
            bend = " + ".join(f"q{k + 1}" for k in range(i + 1, j + 1))
            terms.append(f"{2.0 * L[i] * L[j] * beyond[j]!r}*cos({bend})")
        rate = " + ".join(f"qd{k + 1}" for k in range(0 if link_rates else a, a + 1))
        formulas.append(f"{torque[a]!r} - {B[a]!r}*({' + '.join(terms)})*({rate})")
    return formulas


def lying_flat(arm: Arm) -> Arm:
    """Return the arm without friction and without weight."""
    return without_friction(arm).replace(gravity=(0.0, 0.0))


def link_angles(run: Run) -> np.ndarray:
    """Return the angles (S, n) of the links from the horizontal, as the paper counts them."""
    return np.asarray(relative_to_absolute(run.q))


def link_rates(run: Run) -> np.ndarray:
    """Return the rates (S, n) of the links."""
    return np.asarray(relative_to_absolute(run.qd))


def joint_values(link_values: np.ndarray) -> np.ndarray:
    """Return angles or rates of joints for those of links."""
    return np.asarray(absolute_to_relative(np.asarray(link_values, dtype=float)))

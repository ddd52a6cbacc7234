"""What paper 002's formulas are tried on: its arm, one state to look at, and many at random."""

from __future__ import annotations

from functools import cache

import numpy as np

import ulna
from papers.garai import printed
from papers.garai.printed import Floats, Rods
from ulna.angles import absolute_to_relative

COUNT = 500
TARGETS = 1000
PHI = np.radians([60.0, 20.0])  # the example: both links above the level
RATE = np.array([1.0, -0.5])  # [rad/s]
TURNING = np.array([2.0, 1.0])  # [rad/s²]
FORCE = np.array([10.0, -5.0])  # [N] on the tip


@cache
def arm() -> ulna.Arm:
    """Return the arm with our numbers, as the paper has none."""
    return ulna.preset("garai")


@cache
def rods() -> Rods:
    """Return the same arm in the paper's letters."""
    return printed.constants(arm())


@cache
def random() -> tuple[Floats, Floats, Floats]:
    """Return link angles, their rates and their accelerations, (500, 2) each."""
    phi, rate, turning = np.random.default_rng(2).uniform(-3.0, 3.0, (3, COUNT, 2))
    return phi, rate, turning


@cache
def random_joints() -> tuple[Floats, Floats, Floats]:
    """Return the same in joint angles, as ulna has them."""
    q, qd, qdd = (np.asarray(absolute_to_relative(part)) for part in random())
    return q, qd, qdd


@cache
def forces() -> Floats:
    """Return forces on the tip, (500, 2) [N]."""
    return np.random.default_rng(3).uniform(-20.0, 20.0, (COUNT, 2))


@cache
def targets() -> Floats:
    """Return points (1000, 2) [m] inside the ring, in all four quadrants, away from its edges."""
    p, draw = rods(), np.random.default_rng(3)
    radius = draw.uniform(p.l1 - p.l2 + 0.1, p.l1 + p.l2 - 0.1, TARGETS)
    bearing = draw.uniform(-np.pi, np.pi, TARGETS)
    points: Floats = radius[:, None] * np.stack([np.cos(bearing), np.sin(bearing)], axis=-1)
    return points


def apart(one: Floats, other: Floats) -> float:
    """Return the largest difference between two arrays."""
    return float(np.abs(np.asarray(one) - np.asarray(other)).max())

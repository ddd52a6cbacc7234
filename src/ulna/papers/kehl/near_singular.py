"""Paths that come close to postures from which the tip cannot be led everywhere.

Two links of the same length have two of these: folded, with the tip on the base, and straight,
with the tip at the rim of what they reach. The shape of the paper's
Figure 3 is not known; straight lines show the same.
"""

from __future__ import annotations

from functools import cache

import numpy as np

import ulna
from ulna.arrays import Array
from ulna.kinematics import condition_number, elbow_side
from ulna.motion import Plan
from ulna.papers.kehl import printed
from ulna.papers.kehl.motions import arm

SPEED = 0.25  # [m/s] of the tip
HALF = 0.6  # [m] of the line to both sides of the base
PAST_BASE = (0.1, 0.03, 0.01, 0.003, 0.001)  # [m] from the base, at least
FROM_RIM = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)  # [m] from the rim, at the end
SHOWN = 0.03  # [m] from the base, of the line that is shown
STEP = 0.01  # [s] between samples
MIDDLE = HALF / SPEED  # [s]


@cache
def past_base(distance: float) -> Plan:
    """Lead the tip past the base along a straight line, this far above it."""
    line = ulna.paths.line((-HALF, distance), (HALF, distance))
    return ulna.plan(arm(), line, duration=2.0 * MIDDLE, elbow="positive")


@cache
def to_rim(gap: float) -> Plan:
    """Lead the tip straight outwards, up to this far from the rim."""
    line = ulna.paths.line((0.5, 0.0), (1.0 - gap, 0.0))
    return ulna.plan(arm(), line, duration=(0.5 - gap) / SPEED, elbow="positive")


def speed_past_base(distance: float) -> float:
    """Return the speed [rad/s] of the faster joint where the tip is above the base."""
    return float(np.abs(past_base(distance).trajectory(MIDDLE).qd).max())


def speed_at_rim(gap: float) -> float:
    """Return the speed [rad/s] of the faster joint at the end of the way outwards."""
    made = to_rim(gap)
    return float(np.abs(made.trajectory(made.duration).qd).max())


def condition_past_base(distance: float) -> float:
    """Return the condition number where the tip is above the base."""
    return float(condition_number(arm(), past_base(distance).trajectory(MIDDLE).q))


def times() -> Array:
    """Return the times [s] of the samples along a line past the base."""
    return STEP * np.arange(round(2.0 * MIDDLE / STEP) + 1)


def points() -> Array:
    """Return the samples (k, 2) of the line that is shown."""
    x = -HALF + SPEED * times()
    return np.stack([x, np.full_like(x, SHOWN)], axis=-1)


@cache
def nearest_branch() -> Array:
    """Return the angles (k, 2) by the paper's check: always the solution next to the last."""
    return printed.joint_trajectory(points(), 0.5, 0.5)


@cache
def upper_elbow() -> Array:
    """Return the angles (k, 2) of the solution whose elbow is above, without that check."""
    both = printed.inverse_kinematics_both(points()[:, 0], points()[:, 1], 0.5, 0.5)
    above = elbow_side(arm(), both)[:, 0] > 0.0
    return np.where(above[:, None], both[:, 0], both[:, 1])


def switches(angles: Array) -> int:
    """Count how often the sign of sin θ2 changes."""
    return int(np.count_nonzero(np.diff(np.sign(np.sin(angles[:, 1])))))


def largest_step(angles: Array) -> float:
    """Return the largest change [rad] of an angle from one sample to the next."""
    return float(np.abs(printed.wrap_delta(angles[1:], angles[:-1])).max())

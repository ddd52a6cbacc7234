"""Paper 004's formulas as it prints them, and those of its inverse put right.

Lengths, targets and angles may be numbers or arrays of many; θ₂ is relative, as ours is.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Some: TypeAlias = float | Floats


def forward(l1: Some, l2: Some, th1: Some, th2: Some) -> tuple[Floats, Floats]:
    """Return x and y of the tip."""
    x = l1 * np.cos(th1) + l2 * np.cos(th1 + th2)
    y = l1 * np.sin(th1) + l2 * np.sin(th1 + th2)
    return np.asarray(x), np.asarray(y)


def by_arccos(l1: Some, l2: Some, x: Some, y: Some) -> Floats:
    """Return θ₂ by the arc cosine, without a value where rounding takes the cosine beyond one."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.arccos(denominator(l1, l2, x, y) / (2 * l1 * l2)))


def denominator(l1: Some, l2: Some, x: Some, y: Some) -> Floats:
    """Return x² + y² − (L₁² + L₂²), which is 2 L₁ L₂ cos θ₂."""
    return np.asarray(x**2 + y**2 - (l1**2 + l2**2))


def sine_radicand(l1: Some, l2: Some, x: Some, y: Some) -> Floats:
    """Return what is under the root of sin θ₂ and tan θ₂: with +r⁴."""
    r2 = x**2 + y**2
    return np.asarray(r2**2 + 2 * r2 * (l1**2 + l2**2) - (l1**2 - l2**2) ** 2)


def solution_radicand(l1: Some, l2: Some, x: Some, y: Some) -> Floats:
    """Return what is under the root of the table and of the solution: (x² + y²)² twice."""
    r2 = x**2 + y**2
    return np.asarray(r2**2 + 2 * r2**2 * (l1**2 + l2**2) - (l1**2 - l2**2) ** 2)


def repaired_radicand(l1: Some, l2: Some, x: Some, y: Some) -> Floats:
    """Return the radicand with −r⁴ and the first power: errata 1 to 3 put right."""
    r2 = x**2 + y**2
    return np.asarray(-(r2**2) + 2 * r2 * (l1**2 + l2**2) - (l1**2 - l2**2) ** 2)


def factored_radicand(l1: Some, l2: Some, r: Some) -> Floats:
    """Return the same in factors of the distance r, which shows where it is not negative."""
    reach, fold = l1 + l2, l1 - l2
    return np.asarray((reach + r) * (reach - r) * (r + fold) * (r - fold))


def bend(radicand: Floats, l1: Some, l2: Some, x: Some, y: Some) -> Floats:
    """Return θ₂ = atan2(√radicand, x² + y² − (L₁² + L₂²)) of the solution.

    Negative radicands count as zero, which is kind to the printed formula: it has no value there.
    """
    root = np.sqrt(np.maximum(radicand, 0.0))
    return np.asarray(np.arctan2(root, denominator(l1, l2, x, y)))


def bend_by_table(radicand: Floats, l1: Some, l2: Some, x: Some, y: Some) -> Floats:
    """Return θ₂ by the table of cases, its x and y taken for those of P as the letters say."""
    slope = np.arctan(np.sqrt(np.maximum(radicand, 0.0)) / denominator(l1, l2, x, y))
    turned = np.where(np.asarray(y) >= 0.0, slope + np.pi, slope - np.pi)
    return np.where(np.asarray(x) > 0.0, slope, turned)


def first_angle(x: Some, y: Some, th2: Some) -> Floats:
    """Return θ₁ of the solution."""
    return np.asarray(np.arctan2(y, x) - th2)


def repaired_first_angle(l1: Some, l2: Some, x: Some, y: Some, th2: Some) -> Floats:
    """Return θ₁ with erratum 5 put right."""
    return np.asarray(np.arctan2(y, x) - lean(l1, l2, th2))


def lean(l1: Some, l2: Some, th2: Some) -> Floats:
    """Return the angle from link 1 to the line from base to tip."""
    return np.asarray(np.arctan2(l2 * np.sin(th2), l1 + l2 * np.cos(th2)))

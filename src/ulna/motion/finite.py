"""Rates and accelerations by finite differences of sampled angles.

    rate between two samples    their difference, wrapped into half a turn either way, / dt
    acceleration at a sample    the difference of the rates around it, wrapped too, / dt

The rate that goes with a sample is the one before it, and the two ends have none.
"""

from __future__ import annotations

import numpy as np

from ulna.angles import wrap
from ulna.arrays import Array


def by_differences(q: Array, dt: float) -> Array:
    """Return q, q̇ and q̈ (3, k−2, n) of angles (k, n), dt apart."""
    rate = wrap(np.diff(q, axis=0)) / dt
    turning = wrap(np.diff(rate, axis=0)) / dt
    return np.stack([q[1:-1], rate[:-1], turning])

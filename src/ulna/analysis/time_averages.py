"""Means over time of what was sampled, where some samples may not be finite.

Arrays are (…, S), their last axis the samples, in rows of their own: with a batch of runs in front,
or without. Samples that do not count are left out, and the gap is bridged:

    trapezoids    ∫ y dt ≈ Σ_k (y_k + y_k+1)/2 (t_k+1 − t_k)
    held          ∫ y dt ≈ Σ_k y_k (t_k+1 − t_k)

Sums run along rows that lie in one piece. NumPy then adds in an order that depends on S alone, and
a member's result is the same to the last bit in whichever batch it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ulna.arrays import Array


class Counted(NamedTuple):
    """Samples that count, before all others in their rows, which are 0.

    Attributes
    ----------
    number : ndarray of int, shape (...)
        How many there are.
    lasts : ndarray, shape (..., S-1)
        Times [s] from one to the next; 0 from the last of them on.
    rows : list of ndarray, shape (..., S)
        The values that were given.
    """

    number: Array
    lasts: Array
    rows: list[Array]

    def held_mean(self, values: Array) -> Array:
        """Return the means (...) of values (..., S), each lasting until the next."""
        return self._mean(values, values[..., :-1])

    def trapezoid_mean(self, values: Array) -> Array:
        """Return the means (...) of values (..., S) that change evenly in between."""
        return self._mean(values, 0.5 * (values[..., :-1] + values[..., 1:]))

    def _mean(self, values: Array, stretches: Array) -> Array:
        total = self.lasts.sum(axis=-1)
        mean = (stretches * self.lasts).sum(axis=-1) / np.where(total > 0.0, total, 1.0)
        found = np.where(self.number > 1, mean, values[..., 0])  # one sample is its own mean
        return np.where(self.number > 0, found, np.nan)


def counted(t: Array, good: Array, *rows: Array) -> Counted:
    """Return the samples that count, of times (S,) and rows (..., S), all in one piece."""
    samples = len(t)
    if good.all():
        number = np.full(good.shape[:-1], samples)
        return Counted(number, np.diff(t), list(rows))
    number = np.count_nonzero(good, axis=-1)
    within = np.arange(samples) < number[..., None]
    if not np.array_equal(within, good):
        order = np.argsort(~good, axis=-1, kind="stable")
        t = t[order]
        rows = tuple(np.take_along_axis(one, order, axis=-1) for one in rows)
    lasts = np.where(within[..., 1:], np.diff(t), 0.0)
    return Counted(number, lasts, [np.where(within, one, 0.0) for one in rows])


def rms(t: Array, values: Array) -> Array:
    """Return roots (...) of the mean squares of values (..., S) at times (S,), by trapezoids."""
    kept = counted(t, np.isfinite(values) & np.isfinite(t), np.abs(values))
    (sizes,) = kept.rows
    largest = sizes.max(axis=-1)
    largest = np.where(largest > 0.0, largest, 1.0)
    # Squares of a run that diverged might be too large.
    mean = kept.trapezoid_mean((sizes / largest[..., None]) ** 2)
    return np.asarray(largest * np.sqrt(mean))


def by_joint(values: Array) -> Array:
    """Return values (..., S, n) as rows (..., n, S) that lie in one piece each."""
    return np.ascontiguousarray(np.swapaxes(values, -1, -2))


def finite_rows(values: Array) -> Array:
    """Return whether all of values (..., S, n) are finite at each sample (..., S)."""
    # NumPy is slow at reducing a short last axis.
    return np.asarray(np.isfinite(by_joint(values)).all(axis=-2))

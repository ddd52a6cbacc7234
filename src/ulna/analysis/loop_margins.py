"""Margins of loops: where their gain is 1 or they are real, and which delay takes them to −1.

A loop is a function of the frequency, L(f), of which a grid of frequencies misses no resonance.
Crossings lie between neighbours of different signs. With a delay d the loop is at its limit where
L(f, d) = −1: two real equations for f and d, solved by Newton's method.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array

CHORDS, EXACT = 60, 1e-12  # to a crossing at most; of a frequency
REFINEMENTS, POINTS = 4, 21  # of a grid around a peak
NEWTON = 20  # steps at most
CLOSE = 1e-11  # to −1, where a delay is found
TINY = 1e-300


class Bode(NamedTuple):
    """Gain and phase of every joint's loop, those of the others closed.

    Attributes
    ----------
    frequency : ndarray, shape (k,)
        Frequencies [Hz].
    magnitude : ndarray, shape (k, n)
        |L_i|.
    phase : ndarray, shape (k, n)
        Of L_i [rad], without jumps of whole turns, the first in −2π … 0.
    """

    frequency: Array
    magnitude: Array
    phase: Array


class LoopMargins(NamedTuple):
    """How far the loop of one joint, those of the others closed, is from its limit of stability.

    Attributes
    ----------
    gain_margin : float
        Factor by which the gain may grow; inf if by any.
    gain_reduction : float
        Factor to which it may fall; 0 if to nothing. An arm that gravity drives away needs some.
    phase_margin : float
        Phase that may be lost or won [rad]; inf where the gain never is 1.
    delay_margin : float
        Delay [s] that may be added to its commands; inf where the gain never is 1.
    gain_crossovers : tuple of float
        Frequencies [Hz] where |L_i| = 1.
    phase_crossovers : tuple of float
        Frequencies [Hz] where L_i is real and negative.
    sensitivity_peak : float
        max |1/(1 + L_i)|.
    """

    gain_margin: float
    gain_reduction: float
    phase_margin: float
    delay_margin: float
    gain_crossovers: tuple[float, ...]
    phase_crossovers: tuple[float, ...]
    sensitivity_peak: float


def each_closed(loops: Array) -> Array:
    """Return (k, n): of L (k, n, n) each joint's loop, with the loops of all others closed."""
    n = loops.shape[-1]
    if n == 1:
        return np.asarray(loops[:, 0])
    found = np.empty(loops.shape[:2], dtype=complex)
    for i in range(n):
        others = np.delete(np.arange(n), i)
        rest = np.eye(n - 1) + loops[:, others[:, None], others]
        with np.errstate(all="ignore"):
            around = np.linalg.solve(rest, loops[:, others, i, None])[..., 0]
        found[:, i] = loops[:, i, i] - np.einsum("kj,kj->k", loops[:, i, others], around)
    return found


def by_size(values: Array) -> Array:
    """Return complex values (…, n), the smallest first."""
    order = np.argsort(np.abs(values), axis=-1)
    return np.take_along_axis(values, order, axis=-1)


def log_size(values: Array) -> Array:
    """Return ln of the sizes of complex values."""
    return np.asarray(np.log(np.abs(values) + TINY))


def crossings(function: Callable[[Array], Array], grid: Array, values: Array) -> Array:
    """Return where a function of the frequency changes its sign, between neighbours of a grid.

    By chords, of which an end that stays counts half each time (Illinois).
    """
    places = np.flatnonzero(np.signbit(values[1:]) != np.signbit(values[:-1]))
    low, high = grid[places], grid[places + 1]
    at_low, at_high = values[places], values[places + 1]
    last = middle = 0.5 * (low + high)
    for k in range(CHORDS if len(places) else 0):
        halves = k % 8 == 7  # where a function is far from straight
        share = 0.5 if halves else np.clip(at_low / (at_low - at_high), 0.0, 1.0)
        last, middle = middle, low + share * (high - low)
        if (np.abs(middle - last) <= EXACT * middle).all() and not halves:
            break
        here = function(middle)
        left = np.signbit(here) == np.signbit(at_low)
        low, high = np.where(left, middle, low), np.where(left, high, middle)
        at_low = np.where(left, here, 0.5 * at_low)
        at_high = np.where(left, 0.5 * at_high, here)
    return np.asarray(middle)


def largest_value(function: Callable[[Array], Array], grid: Array, values: Array) -> float:
    """Return the largest value of a function of the frequency, which has these on a grid."""
    for _ in range(REFINEMENTS):
        k = int(np.nanargmax(values))
        grid = np.linspace(grid[max(k - 1, 0)], grid[min(k + 1, len(grid) - 1)], POINTS)
        values = function(grid)
    return float(np.nanmax(values))


def delay_at_limit(
    exact: Callable[[float, float], complex], delay: float, frequency: float
) -> float:
    """Return the delay [s] with which exact(delay, frequency) = −1, by Newton's method."""
    for _ in range(NEWTON):
        here = exact(delay, frequency) + 1.0
        if abs(here) < CLOSE:
            break
        by = 1e-6 * delay + 1e-12 / frequency, 1e-6 * frequency
        columns = [
            (exact(delay + by[0], frequency) - here + 1.0) / by[0],
            (exact(delay, frequency + by[1]) - here + 1.0) / by[1],
        ]
        matrix = np.array([[one.real for one in columns], [one.imag for one in columns]])
        step = np.linalg.solve(matrix, [here.real, here.imag])
        # Neither may change its sign.
        share = min(1.0, *(0.5 * np.array([delay, frequency]) / (np.abs(step) + TINY)))
        delay, frequency = delay - share * step[0], frequency - share * step[1]
    return float(delay)

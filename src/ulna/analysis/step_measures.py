"""Rise time, overshoot and settling time of responses to a step, with a batch in front or without.

With y the part of the way that the joint has gone and y∞ where it comes to rest:

    rise time     from 10 % to 90 % of y∞            overshoot    (y_max − y∞) / y∞
    settling      until y stays within ±2 % of y∞    steady error    what is left to go

What is found of one response does not depend on the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ulna.arrays import Array

LAST = 0.1  # of the run, in which it has to be at rest
SMALLEST = 1e-6  # of the step: what overshoots by less does not


class StepMeasures(NamedTuple):
    """What responses come to, as in `StepResponse`; NaN for what there is not.

    Attributes
    ----------
    final, rise_time, overshoot, peak_time, settling_time : ndarray, shape (...)
        As the attributes of these names.
    """

    final: Array
    rise_time: Array
    overshoot: Array
    peak_time: Array
    settling_time: Array


def measured(t: Array, y: Array, ok: Array, tolerance: float) -> StepMeasures:
    """Measure responses y (..., S), rows in one piece, of runs that went well (...) or did not."""
    with np.errstate(all="ignore"):
        first = first_of_last(t)
        end = y[..., first:]
        final = end.mean(axis=-1)
        near = np.abs(end - final[..., None]) <= tolerance * np.abs(final)[..., None]
        settles = ok & (final != 0.0) & near.all(axis=-1)
        part = y / final[..., None]
        peak_time, peak = _peak(t, part)
        # A peak at the very end is that of a response which creeps up to its final value.
        over = (peak - 1.0 > SMALLEST) & (peak_time < t[first])
        found = (
            final,
            _first_above(t, part, 0.9) - _first_above(t, part, 0.1),
            np.where(over, peak - 1.0, 0.0),
            np.where(over, peak_time, np.nan),
            _settled(t, part, tolerance),
        )
    return StepMeasures(*(np.where(settles, values, np.nan) for values in found))


def first_of_last(t: Array) -> int:
    """Return the first sample of the last part of a run, in which a response has to be at rest."""
    return int(np.argmax(t >= t[0] + (1.0 - LAST) * (t[-1] - t[0])))


def _at(rows: Array, k: Array) -> Array:
    return np.take_along_axis(rows, k[..., None], axis=-1)[..., 0]


def _first_above(t: Array, part: Array, level: float) -> Array:
    return _crossing(t, part, np.argmax(part >= level, axis=-1), level)


def _settled(t: Array, part: Array, tolerance: float) -> Array:
    outside = np.abs(part - 1.0) > tolerance
    k = len(t) - 1 - np.argmax(outside[..., ::-1], axis=-1)
    return _crossing(t, part, k + 1, 1.0 + np.copysign(tolerance, _at(part, k) - 1.0))


def _crossing(t: Array, part: Array, k: Array, level: Array | float) -> Array:
    """Return when responses, which start at 0, pass a level between samples k−1 and k."""
    k = np.clip(k, min(1, len(t) - 1), len(t) - 1)  # beyond only where nothing comes to rest
    before, after = _at(part, k - 1), _at(part, k)
    share = (level - before) / (after - before)
    return np.asarray(t[k - 1] + share * (t[k] - t[k - 1]))


def _peak(t: Array, part: Array) -> tuple[Array, Array]:
    """Return times and heights of peaks, by parabolas through the three highest samples."""
    k = np.argmax(part, axis=-1)
    following = np.minimum(k + 1, len(t) - 1)
    before, here, after = (_at(part, place) for place in (np.maximum(k - 1, 0), k, following))
    bend = before - 2.0 * here + after
    inside = (k > 0) & (k < len(t) - 1) & (bend < 0.0)
    shift = np.where(inside, 0.5 * (before - after) / bend, 0.0)
    return t[k] + shift * (t[following] - t[k]), here - 0.25 * (before - after) * shift

"""The times at which a plan is sampled: evenly, and closer where part of the motion would be lost.

Between two samples of a table a program draws a straight line, or, as a plan holds rates as well,
the cubic through angles and rates at both ends (Hermite). Samples are added until the tip stays
within `CHORD` of both, so that no stroke of a drawing is missed or joined to another.
"""

from __future__ import annotations

import math

import numpy as np

from ulna.arrays import Array, positive
from ulna.errors import InputError, Problem
from ulna.kinematics import tip
from ulna.motion.paths.curves import hermite
from ulna.motion.planning.stroke_timing import has_pen
from ulna.motion.trajectory import Trajectory

SAMPLES = 2000  # at least, evenly spaced
MAX_SAMPLES = 20_000_000
CHORD = 1e-4  # of the reach, by which the tip may leave the line between two samples
PARTS = np.arange(1, 6) / 6  # of an interval, where that is looked at,
LESS = 0.7  # of CHORD is allowed there: between them it is a little more
MAX_CUTS = 8  # of an interval at once
ROUNDS = 12  # of cutting intervals
SHORTEST = 1e-7  # of the duration, and
SHORTEST_TIME = 1e-5  # [s]: no interval below is cut. Tables with shorter steps are not read back


def even_times(duration: float, rate: float | None, *, whole: bool) -> Array:
    """Return the times of the samples, the end among them unless all steps are to be whole."""
    if rate is None:
        return np.linspace(0.0, duration, SAMPLES)
    count = duration * positive("rate", rate, "Hz")
    if count > MAX_SAMPLES:
        need = f"at most {MAX_SAMPLES:,} samples"
        raise InputError(Problem("rate", f"{rate:g} Hz, {count:,.0f} samples", need))
    steps = math.floor(count * (1.0 + 1e-9))
    if steps < 2:
        return np.linspace(0.0, duration, 3)
    times = np.arange(steps + 1) / rate
    if whole or duration - times[-1] <= 1e-9 * duration:
        return np.minimum(times, duration)
    return np.append(times, duration)


def sample_times(trajectory: Trajectory, count: int) -> Array:
    """Return so many even times, and others between them, so that the tip stays close to samples.

    Strokes begin and end at a sample.
    """
    path, T, allowed = trajectory.path, trajectory.duration, LESS * CHORD * trajectory.arm.reach
    shortest, times = max(SHORTEST * T, SHORTEST_TIME), np.linspace(0.0, T, count)
    if has_pen(path):
        times = _with(times, _when(trajectory, np.unique(path.strokes)), shortest)
    at_breaks = _when(trajectory, np.array(path.breaks[1:-1]))
    within = np.clip(np.searchsorted(times, at_breaks) - 1, 0, len(times) - 2)
    off = _off(trajectory, times[within], times[within + 1], at_breaks[:, None])
    times = _with(times, at_breaks[off > allowed], shortest)
    first, last = times[:-1], times[1:]
    done = [times]
    for _ in range(ROUNDS):
        off = _off(trajectory, first, last, first[:, None] + (last - first)[:, None] * PARTS)
        # A cut into n parts leaves 1 / n² of what the line was off by.
        cuts = np.clip(np.ceil(np.sqrt(off / allowed)), 1, MAX_CUTS)
        coarse = (off > allowed) & (last - first > shortest)
        if not coarse.any():
            break
        first, last, cuts = first[coarse], last[coarse], cuts[coarse].astype(int)
        which = np.repeat(np.arange(len(first)), cuts)
        part = np.arange(len(which)) - np.repeat(np.cumsum(cuts) - cuts, cuts)
        width = ((last - first) / cuts)[which]
        first, last = first[which] + part * width, first[which] + (part + 1) * width
        done.append(first)
    return np.unique(np.concatenate(done))


def _when(trajectory: Trajectory, places: Array) -> Array:
    """Return the times (k,) [s] at which parameters (k,) of the path are reached."""
    path, timing = trajectory.path, trajectory.timing
    return trajectory.duration * timing.reached(
        path.lengths.parts(places) if timing.by_length else places
    )


def _with(times: Array, others: Array, shortest: float) -> Array:
    """Return times (k,) and others (m,), without inner ones that others all but coincide with."""
    (start, *_, end), inner = times, times[1:-1]
    others = np.unique(others[(others - start > shortest) & (end - others > shortest)])
    bounded = np.concatenate([[-np.inf], others, [np.inf]])
    after = np.searchsorted(bounded, inner)
    near = np.minimum(inner - bounded[after - 1], bounded[after] - inner)
    return np.unique(np.concatenate([[start], inner[near > shortest], others, [end]]))


def _off(trajectory: Trajectory, first: Array, last: Array, inner: Array) -> Array:
    """Return how far (k,) [m] the tip at inner times (k, p) is from what samples at the ends tell.

    That is the farther of the straight line and of the tip along the cubic through the joints.
    """
    if not len(first):
        return np.zeros(0)
    arm, width = trajectory.arm, last - first
    (q0, qd0, _), (q1, qd1, _) = trajectory.rows(first), trajectory.rows(last)
    q = trajectory.rows(inner.ravel())[0].reshape(*inner.shape, arm.n)
    part = ((inner - first[:, None]) / width[:, None])[..., None]
    ends = (one[:, None] for one in (q0, qd0 * width[:, None], q1, qd1 * width[:, None]))
    there, cubic, start, end = (
        np.asarray(tip(arm, angles))[..., :2] for angles in (q, hermite(part, *ends), q0, q1)
    )
    chord = (end - start)[:, None]
    square = np.maximum(np.sum(chord**2, axis=-1), np.finfo(float).tiny)
    share = np.clip(np.sum((there - start[:, None]) * chord, axis=-1) / square, 0.0, 1.0)
    beside = np.linalg.norm(there - start[:, None] - share[..., None] * chord, axis=-1)
    off = np.maximum(beside, np.linalg.norm(there - cubic, axis=-1)).max(axis=1)
    return np.nan_to_num(off, nan=0.0)  # out of reach there are no samples

"""Keeping a two-posture arm on its branch along a path.

All arrays here are flat batches: candidates (B, T, 2, n), the two postures of every sample.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ulna.angles import TURN, distance
from ulna.kinematics.ring import Floats

# The other branch is taken only where staying would be a jump: at least this many times as far.
CLEARLY_CLOSER = 2.0
STRAIGHT = 1e-12  # sine of an elbow that is as good as straight


def keep_branch(
    candidates: Floats, usable: NDArray[np.bool_], first: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return for each sample (B, T) the posture that continues the path, by wrapped distance.

    Through the straight arm both branches are continuous, and the one begun on is kept. Through
    the centre of equal links only the posture with the other sign of sin q_2 follows smoothly.
    Samples that are not usable (out of reach, or at the centre itself) are bridged.
    """
    if candidates.shape[-1] < 2:
        return np.zeros(usable.shape, dtype=np.intp)
    before = previous_usable(usable)
    rows = np.arange(len(candidates))[:, None]
    came_from = candidates[rows, np.maximum(before, 0)]
    stay = distance(candidates, came_from)
    swap = distance(candidates[:, :, ::-1], came_from)
    folded = (np.cos(candidates[..., 1]) < 0.0) & (np.cos(came_from[..., 1]) < 0.0)
    wants = (stay > CLEARLY_CLOSER * swap + 1e-9) & folded & (usable & (before >= 0))[..., None]

    swapped = np.zeros(usable.shape, dtype=bool)
    for row in np.flatnonzero(wants.any(axis=(1, 2))):
        branch = first[row]
        for sample in np.flatnonzero(wants[row].any(axis=-1)):
            swapped[row, sample] = wants[row, sample, branch]
            branch ^= int(swapped[row, sample])
    return np.asarray(first[:, None] ^ (np.cumsum(swapped, axis=-1) & 1))


def sign_of_elbow(q: Floats) -> NDArray[np.int8]:
    """Return the sign of sin q_2 for postures (…, n), 0 where straight, folded or without elbow."""
    if q.shape[-1] < 2:
        return np.zeros(q.shape[:-1], dtype=np.int8)
    bend = np.sin(q[..., 1])
    return np.where(np.abs(bend) < STRAIGHT, 0, np.sign(bend)).astype(np.int8)


def switches(q: Floats, usable: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return at which samples (B, T) the sign of sin q_2 is not what it last was."""
    sign = np.where(usable, sign_of_elbow(q), 0)
    before = previous_usable(sign != 0)
    last = np.take_along_axis(sign, np.maximum(before, 0), axis=-1)
    return np.asarray((sign != 0) & (before >= 0) & (sign != last))


def previous_usable(usable: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return for each sample (B, T) the index of the last usable one before it, or −1."""
    index = np.where(usable, np.arange(usable.shape[-1]), -1)
    latest = np.maximum.accumulate(index, axis=-1)
    return np.concatenate([np.full((len(usable), 1), -1), latest[:, :-1]], axis=-1)


def unwrap_usable(q: Floats, usable: NDArray[np.bool_]) -> Floats:
    """Remove 2π jumps along a path (B, T, n), looking only at usable samples."""
    before = previous_usable(usable)
    rows = np.arange(len(q))[:, None]
    last = q[rows, np.maximum(before, 0)]
    jump = np.where(((before >= 0) & usable)[..., None], q - last, 0.0)
    turns = np.cumsum(np.ceil(jump / TURN - 0.5), axis=1)
    return q - TURN * turns


def bridge(q: Floats, usable: NDArray[np.bool_], lost: NDArray[np.bool_]) -> Floats:
    """Interpolate the samples `lost` (B, T) between their usable neighbours, joint by joint."""
    q = q.copy()
    samples = np.arange(q.shape[1])
    for row in np.flatnonzero(lost.any(axis=-1) & usable.any(axis=-1)):
        known, gap = samples[usable[row]], samples[lost[row]]
        for joint in range(q.shape[-1]):
            q[row, gap, joint] = np.interp(gap, known, q[row, known, joint])
    return q

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


def keep_branch(
    candidates: Floats, usable: NDArray[np.bool_], first: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Choose a posture (B, T) for each sample, the one a path continues on, by wrapped distance.

    Also gives where the branch had to change: through the centre of equal links the posture
    that follows smoothly is the one with the other sign of sin q_2. Samples that are not usable
    (out of reach, or at the centre itself) are bridged.
    """
    before = previous_usable(usable)
    known = usable & (before >= 0)
    rows = np.arange(len(candidates))[:, None]
    came_from = candidates[rows, np.maximum(before, 0)]
    stay = distance(candidates, came_from)
    swap = distance(candidates[:, :, ::-1], came_from)
    wants = (stay > CLEARLY_CLOSER * swap + 1e-9) & known[..., None]

    switched = np.zeros(usable.shape, dtype=bool)
    for row in np.flatnonzero(wants.any(axis=(1, 2))):
        branch = first[row]
        for sample in np.flatnonzero(wants[row].any(axis=-1)):
            switched[row, sample] = wants[row, sample, branch]
            branch ^= int(switched[row, sample])
    return first[:, None] ^ (np.cumsum(switched, axis=-1) & 1), switched


def previous_usable(usable: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Give for each sample (B, T) the index of the last usable one before it, or −1."""
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

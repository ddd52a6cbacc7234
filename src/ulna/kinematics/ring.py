"""The ring that a chain of links reaches: how far out, how close in, and the nearest point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Nearest(NamedTuple):
    """The point of the ring nearest to a target, relative to the ring's centre."""

    point: Floats  # (…, 2)
    shortfall: Floats  # (…) distance to the target, 0 inside the ring
    outer: Floats  # (…) outer radius


def ring(length: Floats) -> tuple[Floats, Floats]:
    """Return inner and outer radius (…) of what links of the given lengths (…, m) reach.

    The outer radius is the straight chain. There is a hole only where the longest link is
    longer than all others together: folded back on it, they leave the difference.
    """
    total = np.sum(length, axis=-1)
    longest = np.max(length, axis=-1, initial=0.0)
    return np.maximum(0.0, 2.0 * longest - total), total


def nearest_in_ring(length: Floats, target: Floats) -> Nearest:
    """Move targets (…, 2), relative to the base, into the ring by the shortest way."""
    inner, outer = ring(length)
    radius = np.hypot(target[..., 0], target[..., 1])
    clamped = np.clip(radius, inner, outer)
    # From the very centre every direction is equally near; +x is as good as any.
    at_centre = radius == 0.0
    scale = clamped / np.where(at_centre, 1.0, radius)
    straight = np.stack([clamped, np.zeros_like(clamped)], axis=-1)
    moved = np.where(at_centre[..., None], straight, target * scale[..., None])
    untouched = (clamped == radius)[..., None]
    point = np.where(untouched, target, moved)
    return Nearest(point, np.abs(radius - clamped), outer + np.zeros_like(radius))

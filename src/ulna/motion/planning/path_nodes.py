"""Nodes along a path: dense beside stops and at tight bends, and few where ramps are known."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ulna.arrays import Array
from ulna.motion.planning.timing_limits import SpeedLimits

INTERVALS = 1000  # of a grid to begin with,
PIECE, FEWEST = 30, 6  # at least so many on every smooth piece, of few pieces and of many, and
CLOSEST = 1e-9  # of the way, or of a stretch of it, between two nodes
TURNED = 0.1  # [rad] of direction, by which joints or tip may turn within an interval, and
BACK = 0.5 * np.pi  # [rad] or more within the closest nodes: a cusp
BENDS = 22  # how often intervals are halved for that
HALVINGS = 60


def place_nodes(breaks: Array, at_rest: Array, ramps: Array, most: int) -> Array:
    """Return a grid with all breaks, dense beside places where the motion is slow.

    A way from rest to rest whose ramps (k, 2) are known needs no more nodes than their ends.
    """
    parts, least = [breaks[:1]], min(PIECE, max(FEWEST, most // len(breaks)))
    for k, (first, last) in enumerate(pairwise(breaks.tolist())):
        if not last > first:
            continue
        before, after = at_rest[k : k + 2]
        if before and after and np.isfinite(ramps[k]).all():
            parts.append(np.unique([*ramps[k], last]))
            continue
        theta = np.linspace(0.0, 1.0, max(least, int(INTERVALS * (last - first))) + 1)[1:]
        if before and after:
            theta = 0.5 - 0.5 * np.cos(np.pi * theta)
        elif before:
            theta = 1.0 - np.cos(0.5 * np.pi * theta)
        elif after:
            theta = np.sin(0.5 * np.pi * theta)
        place = first + (last - first) * theta
        place[-1] = last
        parts.append(place)
    return np.concatenate(parts)


def refine_bends(s: Array, limits: SpeedLimits, most: int) -> tuple[Array, Array]:
    """Halve intervals until no direction turns far within one: a tight bend is not passed over.

    Returns the nodes, and those of them at which it turns back within no way at all: cusps.
    """
    closest, turned = CLOSEST * (s[-1] - s[0]), _turned(s[:-1], s[1:], limits)
    for _ in range(BENDS):
        k = np.flatnonzero((turned > TURNED) & (np.diff(s) > closest))
        if not len(k) or len(s) + len(k) > most // 2:
            break
        middles = 0.5 * (s[k] + s[k + 1])
        left, right = np.append(s[k], middles), np.append(middles, s[k + 1])
        turned[k], after = np.split(_turned(left, right, limits), 2)
        s, turned = np.insert(s, k + 1, middles), np.insert(turned, k + 1, after)
    k = np.flatnonzero((turned > BACK) & (np.diff(s) <= closest))
    low, high = s[k], s[k + 1]
    for _ in range(HALVINGS if len(k) else 0):
        middle = 0.5 * (low + high)
        before = _turned(s[k], middle, limits) <= _turned(middle, s[k + 1], limits)
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return np.union1d(s, high), high


def _turned(left: Array, right: Array, limits: SpeedLimits) -> Array:
    """Return how far (k,) [rad] joints or tip turn from one place to another."""
    middles = 0.5 * (left + right)
    first, last = limits.geometry(left, middles), limits.geometry(right, middles)
    return np.maximum(
        angles_between(first.first, last.first), angles_between(first.tip_first, last.tip_first)
    )


def angles_between(first: Array, last: Array) -> Array:
    """Return the angles (k,) between directions (k, d); none where one has no direction."""
    sizes = np.linalg.norm(first, axis=-1) * np.linalg.norm(last, axis=-1)
    along = np.einsum("ki,ki->k", first, last)
    cosine = np.divide(along, sizes, out=np.ones_like(along), where=sizes > 0.0)
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)))


def far_apart(places: Array, nodes: Array) -> Array:
    """Return sorted places (k,) but for those that all but fall on one another or on a node."""
    places = places[np.diff(places, prepend=-1.0) > CLOSEST]
    after = np.clip(np.searchsorted(nodes, places), 1, len(nodes) - 1)
    near = np.minimum(np.abs(places - nodes[after - 1]), np.abs(nodes[after] - places))
    return np.asarray(places[near > CLOSEST])

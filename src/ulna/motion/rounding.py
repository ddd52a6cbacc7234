"""Corners made smooth: what is close to one is replaced by a bend without any jump.

The bend is a polynomial of fifth degree that takes over place, direction and curvature at both
of its ends, so that the tip can go through it without stopping.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ulna.arrays import Array
from ulna.motion.hermite import quintic
from ulna.motion.path import BESIDE, Path
from ulna.motion.values import positive

BACK = 0.999  # minus the cosine of a turn: within 2.6 degrees of straight back


def rounded(path: Path, radius: float) -> Path:
    """Replace what is closer than a radius [m] to a corner, measured along the path."""
    size = positive("rounded.radius", radius)
    return bent(path, np.full(len(path.corners), size), f"rounded({path}, {size!r})")


def _reversals(path: Path) -> Array:
    """Say which corners (k,) turn straight back: no bend goes round them without stopping."""
    before, after = (path.curve(path.corners + side)[1] for side in (-BESIDE, BESIDE))
    sizes = np.linalg.norm(before, axis=-1) * np.linalg.norm(after, axis=-1)
    return np.asarray(np.sum(before * after, axis=-1) < -BACK * sizes)


def bent(path: Path, sizes: Array, text: str) -> Path:
    """Round corners, each with a size of its own (k,) [m], or as far as its neighbours allow."""
    turns = np.flatnonzero(~_reversals(path))
    if not len(turns):
        return path
    total = path.length
    corners, sizes = path.lengths.parts(path.corners[turns]), np.asarray(sizes)[turns]
    # Half of the way to the next corner at most, all of it to an end.
    to_next = np.diff(np.concatenate([[-corners[0]], corners, [2.0 - corners[-1]]]))
    widths = np.minimum(sizes / total, 0.5 * np.minimum(to_next[:-1], to_next[1:]))
    first, last = corners - widths, corners + widths
    start = path.by_length(np.maximum(first - BESIDE, 0.0))
    end = path.by_length(np.minimum(last + BESIDE, 1.0))

    def curve(s: Array) -> Array:
        rows = path.by_length(s)
        which: Array = np.clip(np.searchsorted(first, s, "right") - 1, 0, len(first) - 1)
        inside = (s > first[which]) & (s < last[which])
        which = which[inside]
        span = last[which] - first[which]
        place = (s[inside] - first[which]) / span
        rows[:, inside] = quintic(start[:, which], end[:, which], span, place)
        return rows

    smooth = path.lengths.parts(np.array(path.breaks[1:-1]))
    edges = np.unique(np.concatenate([[0.0], smooth, first, last, [1.0]]))
    # Bends that meet half way have one edge between them, whatever rounding makes of it.
    apart = np.diff(edges, prepend=-1.0) > BESIDE
    kept = edges[apart & ~np.isin(edges, corners)]
    kept[-1] = 1.0
    return replace(path, curve=curve, text=text, breaks=tuple(kept.tolist()), duration=None)

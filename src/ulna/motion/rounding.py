"""Corners made smooth: what is close to one is replaced by a bend without any jump.

The bend is a polynomial of fifth degree that has the same position, direction and curvature at both
of its ends, so that the tip can go through it without stopping.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ulna.arrays import Array
from ulna.motion.curves import BESIDE
from ulna.motion.hermite import quintic
from ulna.motion.path import Path
from ulna.motion.values import positive

BACK = 0.999  # minus the cosine of a turn: within 2.6 degrees of straight back


def rounded(path: Path, radius: float) -> Path:
    """Replace what is closer than a radius [m] to a corner, measured along the path."""
    size = positive("rounded.radius", radius)
    return round_corners(path, np.full(len(path.corners), size), f"rounded({path}, {size!r})")


def _reversals(path: Path) -> Array:
    """Return which corners (k,) turn straight back: no bend goes round them without stopping."""
    at = np.isin(path.breaks[1:-1], path.corners)
    before, after = (rows[1, at] for rows in path.sides)
    sizes = np.linalg.norm(before, axis=-1) * np.linalg.norm(after, axis=-1)
    return np.asarray(np.sum(before * after, axis=-1) < -BACK * sizes)


def round_corners(path: Path, sizes: Array, text: str) -> Path:
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
    start = path.along(first, np.maximum(first - BESIDE, 0.0))
    end = path.along(last, np.minimum(last + BESIDE, 1.0))
    smooth = path.lengths.parts(np.array(path.breaks[1:-1]))
    edges = np.unique(np.concatenate([[0.0], smooth, first, last, [1.0]]))
    # Bends that meet half way have one edge between them, whatever rounding makes of it.
    apart = np.diff(edges, prepend=-1.0) > BESIDE
    kept = edges[apart & ~np.isin(edges, corners)]
    kept[-1] = 1.0
    curve = RoundedCorners(path, first, last, start, end)
    return replace(path, curve=curve, text=text, breaks=tuple(kept.tolist()), duration=None)


@dataclass(frozen=True, eq=False)
class RoundedCorners:
    """A path by its length, with bends (k,) from parts of it to others, which replace it there."""

    path: Path
    first: Array  # (k,) where bends begin,
    last: Array  # and end
    start: Array  # (3, k, 2) how the path runs there, by parts of its length
    end: Array

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, d) at parameters (k,)."""
        return self._with_bends(self.path.along(s), s, s)

    def on(self, s: Array, within: Array) -> Array:
        """Return the same on the pieces that other parameters lie on."""
        return self._with_bends(self.path.along(s, within), s, within)

    def _with_bends(self, rows: Array, s: Array, within: Array) -> Array:
        which: Array = np.clip(np.searchsorted(self.first, within, "right") - 1, 0, None)
        inside = (within > self.first[which]) & (within < self.last[which])
        which = which[inside]
        first, span = self.first[which], self.last[which] - self.first[which]
        place = np.clip((s[inside] - first) / span, 0.0, 1.0)
        rows[:, inside] = quintic(self.start[:, which], self.end[:, which], span, place)
        return rows

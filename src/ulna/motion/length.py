"""How far along a curve a place is, and where one is that is so far along.

The length is summed up by Gauss's rule over many short panels. The inverse is a polynomial of
fifth degree on each panel, from the lengths and the exact speeds at its ends.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.errors import InputError, Problem
from ulna.motion.hermite import quintic

PANELS = 512  # of a curve, shared out among its smooth pieces
FEWEST = 8  # of a piece
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
STILL = 1e-9  # of the mean speed, below which a curve stands still

Curve = Callable[[Array], Array]


class Lengths(NamedTuple):
    """The table of a curve: places, lengths up to them, and on each panel how it runs there."""

    edges: Array  # (k+1,) places
    along: Array  # (k+1,) [m] from the start
    starts: Array  # (3, k, 1) place and its two derivatives by length, at the panels' ends
    ends: Array

    @property
    def total(self) -> float:
        """The whole length."""
        return float(self.along[-1])

    def parts(self, edges: Array) -> Array:
        """Give which parts of the length (…) lie before edges (…) of panels."""
        return np.asarray(np.interp(edges, self.edges, self.along) / self.total)

    def places(self, length: Array) -> Array:
        """Give where (…) the curve is so far along (…)."""
        panel = np.clip(np.searchsorted(self.along, length, "right") - 1, 0, len(self.edges) - 2)
        width = self.along[panel + 1] - self.along[panel]
        part = np.clip((length - self.along[panel]) / width, 0.0, 1.0)
        found = quintic(self.starts[:, panel], self.ends[:, panel], width, part)[0, ..., 0]
        return np.asarray(np.clip(found, self.edges[panel], self.edges[panel + 1]))


def measure(curve: Curve, breaks: Array) -> Lengths:
    """Make the table of a curve that is smooth between neighbouring breaks (from 0 to 1)."""
    edges = _edges(breaks)
    left, right = edges[:-1], edges[1:]
    half = 0.5 * (right - left)
    nodes = 0.5 * (left + right)[:, None] + half[:, None] * NODES
    speed = np.linalg.norm(curve(nodes.ravel())[1], axis=-1).reshape(nodes.shape)
    steps = half * (speed @ WEIGHTS)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    # Just inside of a panel, so that a break at its end does not lend it its neighbour's speed.
    inside = 1e-12 * (right - left)
    return Lengths(
        edges,
        along,
        _by_length(curve, left, left + inside, along[-1]),
        _by_length(curve, right, right - inside, along[-1]),
    )


def _edges(breaks: Array) -> Array:
    count = max(PANELS // (len(breaks) - 1), FEWEST)
    pieces = [np.linspace(first, last, count + 1)[:-1] for first, last in pairwise(breaks)]
    return np.concatenate([*pieces, [1.0]])


def _by_length(curve: Curve, at: Array, beside: Array, total: float) -> Array:
    """Give places (3, k, 1) with their derivatives by length."""
    _, velocity, bend = curve(beside)
    speed = np.linalg.norm(velocity, axis=-1)
    slow = np.flatnonzero(~(speed > STILL * total))
    if len(slow):
        got = f"a path that stands still at {float(at[slow[0]]):.4g} of its way"
        need = "one that moves on, to be timed by its length"
        raise InputError(Problem("timing", got, need, "use timing='uniform'"))
    first, second = slowness(velocity, bend)
    return np.stack([at, first, second])[..., None]


def slowness(velocity: Array, bend: Array) -> tuple[Array, Array]:
    """Give ds/dℓ and d²s/dℓ² (…) of a curve with p' and p'' (…, d): 1/|p'| and −p'·p''/|p'|⁴."""
    square = np.sum(velocity**2, axis=-1)
    return 1.0 / np.sqrt(square), -np.sum(velocity * bend, axis=-1) / square**2

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

FEWEST = 4  # panels of a smooth piece
MOST_PANELS = 2**16
EXACT = 1e-12  # of the whole length
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
    """Make the table of a curve that is smooth between neighbouring breaks (from 0 to 1).

    Panels are halved until halving changes nothing: neither their lengths nor their inverses.
    """
    edges = np.concatenate([np.linspace(*ends, FEWEST + 1)[:-1] for ends in pairwise(breaks)])
    edges = np.append(edges, 1.0)
    while True:
        middles = 0.5 * (edges[:-1] + edges[1:])
        steps = _lengths(curve, edges[:-1], edges[1:])
        halves = _lengths(curve, edges[:-1], middles), _lengths(curve, middles, edges[1:])
        table = _table(curve, edges, steps)
        missed = np.abs(table.places(table.along[:-1] + halves[0]) - middles) / np.diff(edges)
        wrong = np.maximum(np.abs(halves[0] + halves[1] - steps), missed * steps)
        coarse = wrong > EXACT * table.total
        if not coarse.any() or len(edges) > MOST_PANELS:
            return table
        edges = np.sort(np.concatenate([edges, middles[coarse]]))


def _lengths(curve: Curve, left: Array, right: Array) -> Array:
    """Give the lengths (k,) of a curve between places, by Gauss's rule."""
    half = 0.5 * (right - left)
    nodes = 0.5 * (left + right)[:, None] + half[:, None] * NODES
    speed = np.linalg.norm(curve(nodes.ravel())[1], axis=-1).reshape(nodes.shape)
    return np.asarray(half * (speed @ WEIGHTS))


def _table(curve: Curve, edges: Array, steps: Array) -> Lengths:
    along = np.concatenate([[0.0], np.cumsum(steps)])
    left, right = edges[:-1], edges[1:]
    # Just inside of a panel, so that a break at its end does not lend it its neighbour's speed.
    inside = 1e-12 * (right - left)
    return Lengths(
        edges,
        along,
        _by_length(curve, left, left + inside, along[-1]),
        _by_length(curve, right, right - inside, along[-1]),
    )


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

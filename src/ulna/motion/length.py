"""How far along a curve a place is, and where one is that is so far along.

The length is summed up by Gauss's rule over many short panels. The inverse is a polynomial of
fifth degree on each panel, from the lengths and the exact speeds at its ends.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.errors import InputError, Problem
from ulna.motion.curves import Curve, on_pieces
from ulna.motion.hermite import quintic

FEWEST = 4  # panels of a smooth piece
MOST_PANELS = 2**16
EXACT = 1e-13  # of the whole length
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
STILL = 1e-9  # of the mean speed, below which a curve stands still


class Lengths(NamedTuple):
    """The table of a curve: places, lengths up to them, and on each panel how it runs there."""

    edges: Array  # (k+1,) places
    along: Array  # (k+1,) [m] from the start
    starts: Array  # (3, k, 1) place and its two derivatives by length, at the panels' ends
    ends: Array
    firsts: Array  # (m+1,) which panels begin a smooth piece, and how many panels there are

    @property
    def total(self) -> float:
        """The whole length."""
        return float(self.along[-1])

    def parts(self, edges: Array) -> Array:
        """Return which parts of the length (…) lie before edges (…) of panels."""
        return np.asarray(np.interp(edges, self.edges, self.along) / self.total)

    def places(self, length: Array, within: Array | None = None) -> Array:
        """Return where (…) the curve is so far along (…), on the pieces `within` (…) lies on."""
        panel = np.searchsorted(self.along, length, "right") - 1
        if within is None:
            panel = np.clip(panel, 0, len(self.edges) - 2)
        else:
            starts = self.along[self.firsts[:-1]]
            piece = np.maximum(np.searchsorted(starts, within, "right") - 1, 0)
            panel = np.clip(panel, self.firsts[piece], self.firsts[piece + 1] - 1)
        width = self.along[panel + 1] - self.along[panel]
        part = np.clip((length - self.along[panel]) / width, 0.0, 1.0)
        found = quintic(self.starts[:, panel], self.ends[:, panel], width, part)[0, ..., 0]
        return np.asarray(np.clip(found, self.edges[panel], self.edges[panel + 1]))


def measure(curve: Curve, breaks: Array) -> Lengths:
    """Make the table of a curve that is smooth between neighbouring breaks (from 0 to 1).

    Panels are halved until halving changes nothing: neither their lengths nor their inverses.
    """
    edges = np.concatenate([np.linspace(*ends, FEWEST + 1)[:-1] for ends in pairwise(breaks)])
    left, right = edges, np.append(edges[1:], 1.0)
    steps = _lengths(curve, left, right)
    total, count = float(steps.sum()), len(steps)
    done: list[tuple[Array, Array]] = []
    while len(left):
        middle = 0.5 * (left + right)
        first, second = _lengths(curve, left, middle), _lengths(curve, middle, right)
        starts, ends = _ends(curve, left, right, total)
        found = quintic(starts, ends, steps, first / steps)[0, ..., 0]
        missed = np.abs(found - middle) / (right - left) * steps
        coarse = np.maximum(np.abs(first + second - steps), missed) > EXACT * total
        coarse &= count <= MOST_PANELS
        count += int(coarse.sum())
        done.append((left[~coarse], steps[~coarse]))
        left, right = (
            np.concatenate([left[coarse], middle[coarse]]),
            np.concatenate([middle[coarse], right[coarse]]),
        )
        steps = np.concatenate([first[coarse], second[coarse]])
    left, steps = (np.concatenate(parts) for parts in zip(*done, strict=True))
    order = np.argsort(left)
    return _table(curve, np.append(left[order], 1.0), steps[order], breaks)


def _lengths(curve: Curve, left: Array, right: Array) -> Array:
    """Return the lengths (k,) of a curve between places, by Gauss's rule."""
    half = 0.5 * (right - left)
    nodes = 0.5 * (left + right)[:, None] + half[:, None] * NODES
    speed = np.linalg.norm(curve(nodes.ravel())[1], axis=-1).reshape(nodes.shape)
    return np.asarray(half * (speed @ WEIGHTS))


def _table(curve: Curve, edges: Array, steps: Array, breaks: Array) -> Lengths:
    along = np.concatenate([[0.0], np.cumsum(steps)])
    firsts = np.searchsorted(edges, breaks)
    return Lengths(edges, along, *_ends(curve, edges[:-1], edges[1:], along[-1]), firsts)


def _ends(curve: Curve, left: Array, right: Array, total: float) -> tuple[Array, Array]:
    """Return how panels run at their ends, (3, k, 1) each."""
    middle = 0.5 * (left + right)
    return _by_length(curve, left, middle, total), _by_length(curve, right, middle, total)


def _by_length(curve: Curve, at: Array, within: Array, total: float) -> Array:
    """Return places (3, k, 1) with their derivatives by length, on the panels of `within`."""
    _, velocity, bend = on_pieces(curve, at, within)
    speed = np.linalg.norm(velocity, axis=-1)
    slow = np.flatnonzero(~(speed > STILL * total))
    if len(slow):
        got = f"a path that stands still at {float(at[slow[0]]):.4g} of its way"
        need = "one that moves on, to be timed by its length"
        raise InputError(Problem("timing", got, need, "use timing='uniform'"))
    first, second = arc_length_derivatives(velocity, bend)
    return np.stack([at, first, second])[..., None]


def arc_length_derivatives(velocity: Array, bend: Array) -> tuple[Array, Array]:
    """Return ds/dℓ and d²s/dℓ² (…) of a curve with p' and p'' (…, d): 1/|p'| and −p'·p''/|p'|⁴."""
    square = np.sum(velocity**2, axis=-1)
    return 1.0 / np.sqrt(square), -np.sum(velocity * bend, axis=-1) / square**2

"""Closed strokes, which may begin elsewhere than in the file, where that shortens the travel.

A place on a stroke is a number u: that of a piece, and the part of that piece that is gone. A
closed stroke may begin at the ends of its pieces, and anywhere on those that are curved: never
within a straight line, where a pen that is put down shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.motion.paths.curve_segments import CurveSegments
from ulna.motion.paths.path import JOINED, SMOOTH
from ulna.motion.paths.rounding import BACK

SAMPLES = 16  # places of a curve at least that are looked at first
BESIDE = 1e-6  # of a piece: closer to its end it is its end
HALVINGS = 40  # of golden-section search
GOLDEN = 0.5 * (5.0**0.5 - 1.0)
SWEEPS = 4  # over all strokes
LESS = 1e-9  # of the travel, by which another place has to shorten it


class Beginnings(NamedTuple):
    """Places at which a stroke may begin, its own start first; none of one that is not closed."""

    places: Array  # (m,)
    back: Array  # (m,) how far the search for a better place may go back from each, and
    ahead: Array  # (m,) ahead


NONE = Beginnings(np.zeros(0), np.zeros(0), np.zeros(0))


def find_beginnings(stroke: CurveSegments, size: float, *, rounded: bool) -> Beginnings:
    """Return where a stroke of a drawing of a size may begin.

    A corner that is not rounded has to stay where a pen stops, or one like it: nothing goes through
    it at speed.
    """
    if abs(stroke.ends[-1] - stroke.starts[0]) > JOINED * size:
        return NONE
    sharp = _sharp_corners(stroke, rounded=rounded)
    if sharp[0]:
        places = np.flatnonzero(sharp).astype(float)
        return Beginnings(places, np.zeros(len(places)), np.zeros(len(places)))
    curved, count = stroke.curved, len(stroke)
    parts = -(-SAMPLES // count)
    places = np.arange(count * parts) / parts
    piece, inside = np.arange(count * parts) // parts, np.arange(count * parts) % parts > 0
    kept = curved[piece] | ~inside
    before = np.where(inside, curved[piece], curved[piece - 1])
    back, ahead = before / parts, curved[piece] / parts
    return Beginnings(places[kept], back[kept], ahead[kept])


def _sharp_corners(stroke: CurveSegments, *, rounded: bool) -> Array:
    """Return which pieces (k,) begin at a corner that is not rounded."""
    which = np.arange(len(stroke))
    ahead, back = (stroke.at(which, np.full(len(stroke), t)).first for t in (0.0, 1.0))
    back = np.roll(back, 1)
    cosines = (np.conj(back) * ahead).real / np.maximum(np.abs(back * ahead), 1e-300)
    return np.asarray(cosines < (-BACK if rounded else np.cos(SMOOTH)))


def points_at(stroke: CurveSegments, places: Array) -> Array:
    """Return the points (m,) at places of a stroke."""
    piece = places.astype(int)
    return stroke.at(piece, places - piece).value


def settled(strokes: Sequence[CurveSegments], closed: Array, begins: Beginnings) -> Array:
    """Return better places (k,) to begin closed strokes at, in the order they are drawn in.

    `begins` has the place of each, and how far to look for a better one. From a point a before it
    to a point b behind it the travel is |a − z(u)| + |z(u) − b|.
    """
    drawn = _Joined(strokes)
    everyone: Array = np.arange(len(strokes))
    places = begins.places.copy()
    free = closed & (begins.back + begins.ahead > 0.0)
    entry = drawn.points(everyone, places)
    leave: Array = np.where(closed, entry, drawn.ends)
    for sweep in range(2 * SWEEPS if free.any() else 0):
        # Neighbours in turn: each looks for its place while those beside it stay.
        which = everyone[free & (everyone % 2 == sweep % 2)]
        beside = leave[which - 1], entry[(which + 1) % len(strokes)]
        travel = partial(drawn.travel, which, *beside)
        low, high = (begins.places - begins.back)[which], (begins.places + begins.ahead)[which]
        # What is least is known to half of the digits: the others would be those of rounding.
        found: Array = np.round(_golden_section(travel, low, high), 6)
        better = travel(found) < (1.0 - LESS) * travel(places[which])
        places[which[better]] = found[better]
        entry[which] = leave[which] = drawn.points(which, places[which])
    return np.asarray(np.mod(places, drawn.counts))


class _Joined:
    """Strokes as one row of pieces, so that places on many of them are worked out at once."""

    def __init__(self, strokes: Sequence[CurveSegments]) -> None:
        self.pieces = CurveSegments.joined(strokes)
        self.counts = np.array([len(stroke) for stroke in strokes])
        self.offsets = np.cumsum(self.counts) - self.counts

    @property
    def ends(self) -> Array:
        """Where the strokes end (k,)."""
        return self.pieces.ends[self.offsets + self.counts - 1]

    def points(self, which: Array, places: Array) -> Array:
        """Return the points (m,) at places of strokes (m,), closed ones over and over."""
        counts = self.counts[which]
        turned = np.mod(places, counts)
        piece = np.minimum(turned.astype(int), counts - 1)
        return self.pieces.at(self.offsets[which] + piece, turned - piece).value

    def travel(self, which: Array, before: Array, behind: Array, places: Array) -> Array:
        """Return the travel (m,) from points to places of strokes, and on to others."""
        z, last = self.points(which, places), len(self.counts) - 1
        return np.asarray((which > 0) * np.abs(z - before) + (which < last) * np.abs(behind - z))


def _golden_section(cost: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """Return where functions (m,) of one variable are least, each between two of its values."""
    for _ in range(HALVINGS):
        step = GOLDEN * (high - low)
        left, right = high - step, low + step
        falling = cost(left) > cost(right)
        low, high = np.where(falling, left, low), np.where(falling, high, right)
    return 0.5 * (low + high)


def begun_at(stroke: CurveSegments, place: float) -> CurveSegments:
    """Return a closed stroke from a place on it, once round."""
    piece, part = divmod(place, 1.0)
    if part < BESIDE or part > 1.0 - BESIDE:
        piece, part = (piece + round(part)) % len(stroke), 0.0
    around = np.roll(np.arange(len(stroke)), -int(piece))
    if not part:
        return stroke.chosen(around)
    behind, ahead = stroke.part(int(piece), part, 1.0), stroke.part(int(piece), 0.0, part)
    rest = [stroke.chosen(around[1:])] if len(stroke) > 1 else []
    return CurveSegments.joined([behind, *rest, ahead])

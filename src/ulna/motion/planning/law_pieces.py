"""Laws of motion in pieces: the part of the way as a cubic of time on each.

A profile of speeds has an acceleration that changes evenly on every interval of its grid. With an
even acceleration on each, as smoothing has them, pieces are parabolas. Their moving average over a
window w,

    s̄(t) = 1/w ∫ s(t') dt' from t − w to t        s̄''' = [s''(t) − s''(t − w)] / w

are cubics: the acceleration is continuous, and the jerk at most twice the largest acceleration
over w. Before its start and after its end a section of the way stands still, and takes w longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.motion.paths.curves import Cubics, Jet

HALVINGS = 60
BESIDE = 1e-12  # of the way, between a place and the start or end of a section
CLOSEST = 1e-13  # of a duration, between two knots


class LawPieces(NamedTuple):
    """Cubics of the time [s] from the start of each, the highest power first."""

    widths: Array  # (k,) [s]
    powers: Array  # (4, k)

    @property
    def times(self) -> Array:
        """When (k+1,) pieces begin, and the last one ends [s]."""
        return np.concatenate([[0.0], np.cumsum(self.widths)])

    @property
    def duration(self) -> float:
        """How long all take [s]."""
        return float(self.times[-1])

    def between(self, first: int, last: int) -> LawPieces:
        """Return the pieces from one knot to another."""
        return LawPieces(self.widths[first:last], self.powers[:, first:last])

    def slowed(self, factor: float) -> LawPieces:
        """Return the same so many times slower."""
        scale = factor ** np.array([-3.0, -2.0, -1.0, 0.0])
        return LawPieces(self.widths * factor, self.powers * scale[:, None])

    def at(self, parts: Array) -> tuple[Array, Array, Array]:
        """Return place, speed and acceleration (k, m) at parts (m,) of every piece."""
        a, b, c, d = self.powers[:, :, None]
        h = self.widths[:, None] * parts
        return (
            ((a * h + b) * h + c) * h + d,
            (3.0 * a * h + 2.0 * b) * h + c,
            6.0 * a * h + 2.0 * b,
        )

    def averaged(self, window: float) -> LawPieces:
        """Return the moving average of parabolas from rest to rest over a window [s]."""
        t, start = self.times, float(self.powers[3, 0])
        knots = np.unique(np.concatenate([t, t + window]))
        knots = knots[np.append(True, np.diff(knots) > CLOSEST * knots[-1])]
        middles = 0.5 * (knots[:-1] + knots[1:])
        gone = self._gone(t, start)
        late, early = (
            self._moments(knots[:-1] - shift, middles - shift, gone, start)
            for shift in (0.0, window)
        )
        rate = (late - early) / window  # of the integral, the place, the speed, the acceleration
        powers = np.stack([rate[3] / 6.0, 0.5 * rate[2], rate[1], start + rate[0]])
        return LawPieces(np.diff(knots), powers)

    def cut(self, places: Array) -> LawPieces:
        """Return the same with knots where parts (m,) of the way are reached."""
        start, times = self.powers[3, 0], self.times
        end = self.at(np.ones(1))[0][-1, 0]
        inner = places[(places > start + BESIDE) & (places < end - BESIDE)]
        law = PiecewiseLaw(self, end=float(end))
        knots = np.union1d(times, law.duration * law.reached(inner))
        knots = knots[np.append(True, np.diff(knots) > CLOSEST * knots[-1])]
        at = np.searchsorted(times[1:-1], knots[:-1], "right")
        value, first, second = Cubics(times, self.powers).on(knots[:-1], knots[:-1])
        return LawPieces(np.diff(knots), np.stack([self.powers[0, at], 0.5 * second, first, value]))

    def _gone(self, t: Array, start: float) -> Array:
        """Return the integral (k+1,) of the way from the start, to the beginnings of pieces."""
        _, b, c, d = self.powers
        h = np.diff(t)
        return np.concatenate([[0.0], np.cumsum(((b / 3.0 * h + c / 2.0) * h + (d - start)) * h)])

    def _moments(self, at: Array, within: Array, gone: Array, start: float) -> Array:
        """Return the integral, the place from the start, speed and acceleration (4, k) at times."""
        t = self.times
        which = np.clip(np.searchsorted(t, within, "right") - 1, 0, len(self.widths) - 1)
        _, b, c, d = self.powers[:, which]
        h, d = at - t[which], d - start
        rows = np.stack(
            [
                gone[which] + ((b / 3.0 * h + c / 2.0) * h + d) * h,
                (b * h + c) * h + d,
                2.0 * b * h + c,
                2.0 * b,
            ]
        )
        rows[:, within < 0.0] = 0.0
        over = within > t[-1]
        end = self.at(np.ones(1))[0][-1, 0] - start
        rows[:, over] = 0.0
        rows[0, over], rows[1, over] = gone[-1] + end * (at[over] - t[-1]), end
        return rows


def parabolas(s: Array, x: Array) -> LawPieces:
    """Return the pieces of squared speeds x (k+1,) at parts s (k+1,) of the way."""
    root = np.sqrt(x)
    widths = 2.0 * np.diff(s) / (root[:-1] + root[1:])
    half = 0.25 * np.diff(x) / np.diff(s)
    return LawPieces(widths, np.stack([np.zeros_like(half), half, root[:-1], s[:-1]]))


def pause(place: float, seconds: float) -> LawPieces:
    """Return a piece that stands still at a part of the way."""
    return LawPieces(np.array([seconds]), np.array([[0.0], [0.0], [0.0], [place]]))


def joined(parts: Sequence[LawPieces]) -> LawPieces:
    """Return pieces one after the other."""
    widths, powers = zip(*parts, strict=True)
    return LawPieces(np.concatenate(widths), np.concatenate(powers, axis=1))


@dataclass(frozen=True, eq=False)
class PiecewiseLaw:
    """The part of the way at a part of the duration, in pieces."""

    pieces: LawPieces
    end: float = field(default=1.0, kw_only=True)  # the part of the way that is reached at last

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.pieces.duration

    @cached_property
    def edges(self) -> Array:
        """The parts (k+1,) of the duration at which pieces begin, and the last one ends."""
        times = self.pieces.times
        return np.concatenate([times[:-1] / times[-1], [1.0]])

    @cached_property
    def _cubics(self) -> Cubics:
        scale = self.duration ** np.array([3.0, 2.0, 1.0, 0.0])
        return Cubics(self.edges, self.pieces.powers * scale[:, None])

    def __call__(self, u: Jet) -> Jet:
        """Return the part of the way."""
        return self.on(u, u.value)

    def on(self, u: Jet, within: Array) -> Jet:
        """Return the same on the pieces that other parts of the duration lie on."""
        return u.through(*self._cubics.on(u.value, within))

    def reached(self, parts: Array) -> Array:
        """Return the parts (k,) of the duration when parts (k,) of the way are reached first."""
        starts = np.maximum.accumulate(np.append(self.pieces.powers[3], self.end))
        after = np.minimum(np.searchsorted(starts, parts, "left"), len(starts) - 1)
        which = np.maximum(after - 1, 0)
        knots = low = self.edges[which]
        high = self.edges[which + 1]
        a, b, c, d = self._cubics.powers[:, which]
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            h = middle - knots
            early = ((a * h + b) * h + c) * h + d < parts
            low, high = np.where(early, middle, low), np.where(early, high, middle)
        # Where a piece begins exactly: beside a stop all places are nearly the same.
        return np.where(parts == starts[after], self.edges[after], high)

"""Lines, Bézier curves and elliptical arcs as one formula, so that hundreds are worked out at once.

    z(t) = c₀ + c₁ t + c₂ t² + c₃ t³ + a cos(θ₀ + Δθ t) + b sin(θ₀ + Δθ t),   t from 0 to 1

A line has c₀ and c₁, a Bézier curve up to c₃, an arc c₀, a and b.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.motion.paths.curves import Jet, cos, sin

STILL = 1e-6  # of the way through a curve, to which the place where it stands still is known
END = 3e-3  # of a curve that starts from rest is replaced by a parabola, which does not
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)


class CurveSegment(NamedTuple):
    """One piece: what stands in the formula."""

    powers: tuple[complex, complex, complex, complex]  # c₀ … c₃
    cosine: complex = 0.0  # a
    sine: complex = 0.0  # b
    first: float = 0.0  # θ₀ [rad]
    sweep: float = 0.0  # Δθ [rad]


def bezier(*points: complex) -> CurveSegment:
    """Return the line, the quadratic or the cubic with two, three or four control points."""
    match points:
        case start, end:
            return CurveSegment((start, end - start, 0.0, 0.0))
        case start, middle, end:
            return CurveSegment((start, 2.0 * (middle - start), start - 2.0 * middle + end, 0.0))
        case start, one, two, end:
            bend = 3.0 * (start - 2.0 * one + two)
            return CurveSegment((start, 3.0 * (one - start), bend, end - start + 3.0 * (one - two)))
    raise ValueError("a Bézier curve of two to four points")


@dataclass(frozen=True, eq=False)
class CurveSegments:
    """Many pieces as arrays, powers (k, 4) and the others (k,)."""

    powers: Array
    cosine: Array
    sine: Array
    first: Array
    sweep: Array

    @classmethod
    def of(cls, pieces: Sequence[CurveSegment]) -> CurveSegments:
        """Return segments as arrays."""
        columns = (np.array(column) for column in zip(*pieces, strict=True))
        return cls(*columns)

    @classmethod
    def joined(cls, many: Sequence[CurveSegments]) -> CurveSegments:
        """Concatenate segments."""
        return cls(*(np.concatenate(parts) for parts in zip(*map(cls._parts, many), strict=True)))

    def _parts(self) -> tuple[Array, ...]:
        return self.powers, self.cosine, self.sine, self.first, self.sweep

    def __len__(self) -> int:
        return len(self.first)

    def at(self, which: Array, t: Array) -> Jet:
        """Return z with its derivatives by t, at places t (…) of pieces (…)."""
        place = Jet.variable(t)
        c = np.moveaxis(self.powers[which], -1, 0)
        z: Jet = ((place * c[3] + c[2]) * place + c[1]) * place + c[0]
        if not self.sweep.any():
            return z
        angle = place * self.sweep[which] + self.first[which]
        z += cos(angle) * self.cosine[which] + sin(angle) * self.sine[which]
        return z

    def mapped(self, turn: complex, mirror: complex, shift: complex) -> CurveSegments:
        """Return the pieces under z → turn·z + mirror·z̄ + shift, which any affine map is."""

        def map_(vector: Array) -> Array:
            return turn * vector + mirror * np.conj(vector)

        powers = map_(self.powers)
        powers[:, 0] += shift
        return CurveSegments(powers, map_(self.cosine), map_(self.sine), self.first, self.sweep)

    def chosen(self, which: Array) -> CurveSegments:
        """Return some of the pieces."""
        return CurveSegments(*(part[which] for part in self._parts()))

    def reversed(self) -> CurveSegments:
        """Return the same way back: t → 1 − t in every piece, the last piece first."""
        c0, c1, c2, c3 = self.powers.T
        powers = np.stack([c0 + c1 + c2 + c3, -(c1 + 2.0 * c2 + 3.0 * c3), c2 + 3.0 * c3, -c3], -1)
        back = CurveSegments(powers, self.cosine, self.sine, self.first + self.sweep, -self.sweep)
        return back.chosen(np.arange(len(self))[::-1])

    def starting_at(self, point: complex) -> CurveSegments:
        """Return the same from a point close by: its first piece leans over to there."""
        powers, shift = self.powers.copy(), point - self.starts[0]
        powers[0, :2] += shift, -shift
        return CurveSegments(powers, self.cosine, self.sine, self.first, self.sweep)

    @cached_property
    def starts(self) -> Array:
        """Where the pieces start (k,)."""
        return self.at(np.arange(len(self)), np.zeros(len(self))).value

    @cached_property
    def ends(self) -> Array:
        """Where the pieces end (k,)."""
        return self.at(np.arange(len(self)), np.ones(len(self))).value

    @property
    def lengths(self) -> Array:
        """The lengths (k,), by Gauss's rule: exact for lines and circles, close for the others."""
        which, t = np.broadcast_arrays(np.arange(len(self))[:, None], 0.5 + 0.5 * NODES)
        return np.asarray(np.abs(self.at(which, t).first) @ (0.5 * WEIGHTS))

    @property
    def box(self) -> tuple[complex, complex]:
        """The lower left and the upper right corner of the box around all pieces, exactly."""
        t = np.concatenate([np.zeros((len(self), 1)), np.ones((len(self), 1)), *self._turns()], 1)
        t = np.where(np.isfinite(t) & (t > 0.0), np.minimum(t, 1.0), 0.0)
        z = self.at(np.broadcast_to(np.arange(len(self))[:, None], t.shape), t).value
        low, high = complex(z.real.min(), z.imag.min()), complex(z.real.max(), z.imag.max())
        return low, high

    def _turns(self) -> list[Array]:
        """Return the places at which x or y may turn round; some are nan, or not on the piece."""
        turns = []
        with np.errstate(divide="ignore", invalid="ignore"):
            half_turn = np.pi / np.abs(self.sweep)
            for part in (np.real, np.imag):
                c = part(self.powers)
                turns.append(_roots(3.0 * c[:, 3], 2.0 * c[:, 2], c[:, 1]))
                extreme = np.arctan2(part(self.sine), part(self.cosine))
                first = np.mod((extreme - self.first) / self.sweep, half_turn)
                turns.append(np.stack([first, first + half_turn], axis=-1))
        return turns


def _roots(a: Array, b: Array, c: Array) -> Array:
    """Return the roots (k, 2) of a t² + b t + c, without losing digits where a is small."""
    root = np.sqrt(b * b - 4.0 * a * c)
    sum_ = -0.5 * (b + np.where((np.conj(b) * root).real < 0.0, -root, root))
    return np.stack([sum_ / a, c / sum_], axis=-1)


def without_standstill(piece: CurveSegment) -> list[CurveSegment]:
    """Return a piece as pieces that nowhere stand still; most are such already.

    A Bézier curve stands still at an end that a control point coincides with, and at a cusp. It
    is cut there, and the first 0.3 % beside the cut are replaced by a parabola with the same ends
    and tangents, less than 3e-8 of the curve's size beside it.
    """
    c = np.array(piece.powers)
    if piece.sweep or not c[2:].any():
        return [piece]
    with np.errstate(divide="ignore", invalid="ignore"):
        roots = _roots(*(np.array([k * c[k]]) for k in (3, 2, 1))).ravel()
    stops = [r.real for r in roots if abs(r.imag) < STILL and -STILL < r.real < 1.0 + STILL]
    if not stops:
        return [piece]
    cuts = np.unique(np.clip([0.0, *stops, 1.0], 0.0, 1.0))
    cuts = cuts[np.concatenate([[True], np.diff(cuts) > STILL])]
    cuts[-1] = 1.0
    made: list[CurveSegment] = []
    for left, right in pairwise(cuts):
        rest = [min(abs(stop - edge) for stop in stops) < STILL for edge in (left, right)]
        made += _smooth_ends(_part(c, left, right), *rest)
    return made


def _part(c: Array, left: float, right: float) -> Array:
    """Return the powers of the part of a cubic between two places, run through from 0 to 1."""
    width = right - left
    c0, c1, c2, c3 = c
    value = ((c3 * left + c2) * left + c1) * left + c0
    rise = (3.0 * c3 * left + 2.0 * c2) * left + c1
    return np.array([value, rise * width, (3.0 * c3 * left + c2) * width**2, c3 * width**3])


def _smooth_ends(c: Array, at_start: bool, at_end: bool) -> list[CurveSegment]:
    polynomial = np.polynomial.Polynomial(c)
    start, end = (complex(polynomial(t)) for t in (0.0, 1.0))
    way = end - start
    # All on one line, which is run through one way only between two rests.
    if np.all(np.abs((c[1:] * np.conj(way)).imag) <= 1e-12 * abs(way) * np.abs(c[1:]).max()):
        return [bezier(start, end)]
    left, right = (END if at_start else 0.0), (1.0 - END if at_end else 1.0)
    made = [CurveSegment(tuple(_part(c, left, right)))]
    if at_start:
        made.insert(0, _parabola(c, complex(polynomial(left))))
    if at_end:
        back = _parabola(_part(c, 1.0, 0.0), complex(polynomial(right)))
        made.append(bezier(*_controls(back)[::-1]))
    return made


def _parabola(c: Array, end: complex) -> CurveSegment:
    """Return the parabola with ends and tangents of c₀ + c₂ t² + c₃ t³ up to t = END."""
    return bezier(c[0], c[0] + c[2] * END**2 / 3.0, end)


def _controls(piece: CurveSegment) -> tuple[complex, complex, complex]:
    start, rise, bend, _ = piece.powers
    return start, start + 0.5 * rise, start + rise + bend

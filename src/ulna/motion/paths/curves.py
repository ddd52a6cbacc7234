"""Curves with exact derivatives: what they are made of, and how far along them a place is.

A curve returns point, first and second derivative (3, k, d) at parameters s (k,) from 0 to 1. At a
break between two pieces it has two limits. A curve that is made of pieces gives either:
`curve.on(s, within)` is its value at s by the formula of the piece that `within` lies on.

A jet is a number that carries its derivatives: it holds f, f' and f'' at many places at once. Sums,
products, quotients and the functions below follow the rules of calculus, so that a curve written
once is differentiated exactly. Values may be complex, which is how curves in the plane are written
here: z = x + i y.

The length ℓ is summed up by Gauss's rule over many short panels. The inverse is a polynomial of
fifth degree on each panel, from the lengths and the exact speeds at its ends. Where a curve turns
straight back p' = 0 for a moment, and the inverse is one of √ℓ from there: s − s₀ = α √ℓ + β ℓ + …,
with α² = 2/|p''| and β = −p''·p'''/(3 |p''|³).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ulna.arrays import Array
from ulna.errors import InputError, Problem

if TYPE_CHECKING:
    from ulna.motion.paths.path import Path

Curve: TypeAlias = Callable[[Array], Array]
Number: TypeAlias = "Jet | complex"

FEWEST = 4  # panels of a smooth piece
MOST_PANELS, PANELS_OF_PIECE = 2**16, 2**10  # of a path, or so many times its pieces
EXACT = 1e-13  # of the length of a smooth piece,
LEAST_LENGTH = 0.01  # but of no less than this part of the whole: beyond that is rounding
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
STILL = 1e-9  # of the mean speed, below which a curve stands still


@dataclass(frozen=True, eq=False)
class Jet:
    """A function's value, first and second derivative, arrays of one shape."""

    value: Array
    first: Array
    second: Array

    @classmethod
    def variable(cls, at: Array) -> Jet:
        """Return the variable itself: its derivative is one."""
        return cls(at, np.ones_like(at), np.zeros_like(at))

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.first, -self.second)

    def __add__(self, other: Number) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.value + other, self.first, self.second)
        return Jet(self.value + other.value, self.first + other.first, self.second + other.second)

    def __sub__(self, other: Number) -> Jet:
        return self + (-other)

    def __mul__(self, other: Number) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.value * other, self.first * other, self.second * other)
        return Jet(
            self.value * other.value,
            self.first * other.value + self.value * other.first,
            self.second * other.value + 2.0 * self.first * other.first + self.value * other.second,
        )

    def __truediv__(self, other: Number) -> Jet:
        if not isinstance(other, Jet):
            return self * (1.0 / other)
        value = self.value / other.value
        first = (self.first - value * other.first) / other.value
        second = (self.second - 2.0 * first * other.first - value * other.second) / other.value
        return Jet(value, first, second)

    def __radd__(self, other: complex) -> Jet:
        return self + other

    def __rsub__(self, other: complex) -> Jet:
        return -self + other

    def __rmul__(self, other: complex) -> Jet:
        return self * other

    def through(self, value: Array, first: Array, second: Array) -> Jet:
        """Return g(f) for a function g with these derivatives at f: the chain rule."""
        return Jet(value, first * self.first, second * self.first**2 + first * self.second)

    @property
    def points(self) -> Array:
        """A curve z = x + i y as value and derivatives (3, …, 2)."""
        rows = np.empty((3, *np.shape(self.value)), dtype=np.complex128)
        rows[0], rows[1], rows[2] = self.value, self.first, self.second
        # A complex number lies in memory as its two parts.
        return rows.view(np.float64).reshape(*rows.shape, 2)


def sin(x: Jet) -> Jet:
    """Return the sine."""
    value = np.sin(x.value)
    return x.through(value, np.cos(x.value), -value)


def cos(x: Jet) -> Jet:
    """Return the cosine."""
    value = np.cos(x.value)
    return x.through(value, -np.sin(x.value), -value)


def quintic(start: Array, end: Array, width: Array, place: Array) -> Array:
    """Return value and derivatives (3, …, d) at places from 0 to 1 of pieces that are `width` wide.

    `start` and `end` (3, …, d) are value, first and second derivative at the ends. All
    derivatives are with respect to the same variable, of which a piece covers `width` (…).
    """
    near, far = _quintic_bases(Jet.variable(place))
    rows = np.zeros(np.broadcast_shapes(start.shape, end.shape))
    for order in range(3):
        for basis, given in ((near[order], start), (far[order], end)):
            for row, part in enumerate((basis.value, basis.first, basis.second)):
                rows[row] += (part * width ** (order - row))[..., None] * given[order]
    return rows


def hermite(x: Array, start: Array, near: Array, end: Array, far: Array) -> Array:
    """Return the cubic at parts x (…) between two values with these slopes by x at both."""
    back = 1.0 - x
    return back * back * ((1.0 + 2.0 * x) * start + x * near) + x * x * (
        (1.0 + 2.0 * back) * end - back * far
    )


def quintic_value(start: Array, end: Array, width: Array, place: Array) -> Array:
    """Return the value (…, d) alone of `quintic`, in a fifth of the time."""
    near, far = _quintic_bases(place)
    value = np.zeros(np.broadcast_shapes(start.shape, end.shape)[1:])
    for order in range(3):
        for basis, given in ((near[order], start), (far[order], end)):
            value += (basis * width**order)[..., None] * given[order]
    return value


def _quintic_bases(x: Any) -> tuple[Any, Any]:
    """Return what value, slope and bend count for, at the near end and by symmetry at the far."""
    back = 1.0 - x
    cube, other = x * x * x, back * back * back
    near = (other * (1.0 + 3.0 * x + 6.0 * x * x), other * x * (1.0 + 3.0 * x), 0.5 * other * x * x)
    far = (
        cube * (1.0 + 3.0 * back + 6.0 * back * back),
        -(cube * back * (1.0 + 3.0 * back)),
        0.5 * cube * back * back,
    )
    return near, far


class Piecewise:
    """A curve of pieces: at a break it is on the piece behind it."""

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, d) at parameters (k,)."""
        return self.on(s, s)

    def on(self, s: Array, within: Array) -> Array:
        """Return the same on the pieces that other parameters (k,) lie on."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Cubics(Piecewise):
    """Polynomials of third degree (k,) between knots (k+1,), in powers of the way from a knot."""

    knots: Array  # (k+1,)
    powers: Array  # (4, k, …), the highest first

    @classmethod
    def of(cls, interpolant: Any) -> Cubics:
        """Return the pieces of one of SciPy's interpolants."""
        return cls(np.asarray(interpolant.x), np.asarray(interpolant.c))

    @classmethod
    def straight(cls, knots: Array, points: Array) -> Cubics:
        """Return straight legs between points (k+1, d)."""
        slopes = np.diff(points, axis=0) / np.diff(knots)[:, None]
        flat = np.zeros_like(slopes)
        return cls(knots, np.stack([flat, flat, slopes, points[:-1]]))

    def on(self, s: Array, within: Array) -> Array:
        which = np.searchsorted(self.knots, within, "right") - 1
        which = np.clip(which, 0, self.powers.shape[1] - 1)
        a, b, c, d = self.powers[:, which]
        h = (s - self.knots[which]).reshape(-1, *(1,) * (d.ndim - 1))
        return np.stack(
            [((a * h + b) * h + c) * h + d, (3.0 * a * h + 2.0 * b) * h + c, 6.0 * a * h + 2.0 * b]
        )


@dataclass(frozen=True, eq=False)
class Concatenation(Piecewise):
    """Paths one after the other; edges (k+1,) from 0 to 1 say where each begins."""

    paths: tuple[Path, ...]
    edges: Array

    def on(self, s: Array, within: Array) -> Array:
        which = np.clip(np.searchsorted(self.edges, within, "right") - 1, 0, len(self.paths) - 1)
        rows = np.empty((3, len(s), self.paths[0].dimensions))
        for index in np.unique(which):
            chosen = which == index
            share = self.edges[index + 1] - self.edges[index]
            local, inside = (
                np.clip((place[chosen] - self.edges[index]) / share, 0.0, 1.0)
                for place in (s, within)
            )
            steps = np.array([1.0, share, share**2])[:, None, None]
            rows[:, chosen] = self.paths[index].on(local, inside) / steps
        return rows


@dataclass(frozen=True, eq=False)
class Repetition(Piecewise):
    """A path so many times over, the last time up to a part of it."""

    cycle: Path
    count: int
    end: float  # how many times in all

    def on(self, s: Array, within: Array) -> Array:
        turn = np.minimum(np.floor(within * self.end), self.count - 1.0)
        local, inside = (np.clip(place * self.end - turn, 0.0, 1.0) for place in (s, within))
        steps = np.array([1.0, self.end, self.end**2])[:, None, None]
        return self.cycle.on(local, inside) * steps


@dataclass(frozen=True, eq=False)
class Reversed(Piecewise):
    """A path the other way round."""

    path: Path

    def on(self, s: Array, within: Array) -> Array:
        return self.path.on(1.0 - s, 1.0 - within) * np.array([1.0, -1.0, 1.0])[:, None, None]


@dataclass(frozen=True, eq=False)
class Moved(Piecewise):
    """A path of the plane under a linear map and a shift."""

    path: Path
    matrix: Array  # (2, 2), from the right
    offset: Array  # (2,)

    def on(self, s: Array, within: Array) -> Array:
        rows = self.path.on(s, within) @ self.matrix
        rows[0] += self.offset
        return rows


@dataclass(frozen=True, eq=False)
class ByLength:
    """A path with the part of its length as the parameter."""

    path: Path

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, d) at parameters (k,)."""
        return self.on(s, None)

    def on(self, s: Array, within: Array | None) -> Array:
        """Return the same on the pieces that other parameters lie on."""
        return self.path.along(s, within)


@dataclass(frozen=True, eq=False)
class RoundedCorners:
    """The same with bends (k,) from parts of it to others, which replace it there."""

    path: Path
    first: Array  # (k,) where bends begin,
    last: Array  # and end
    start: Array  # (3, k, 2) how the path runs there, by parts of its length
    end: Array

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, d) at parameters (k,)."""
        return self.on(s, None)

    def on(self, s: Array, within: Array | None) -> Array:
        """Return the same on the pieces that other parameters lie on."""
        rows, beside = self.path.along(s, within), s if within is None else within
        which: Array = np.clip(np.searchsorted(self.first, beside, "right") - 1, 0, None)
        inside = (beside > self.first[which]) & (beside < self.last[which])
        which = which[inside]
        first, span = self.first[which], self.last[which] - self.first[which]
        place = np.clip((s[inside] - first) / span, 0.0, 1.0)
        rows[:, inside] = quintic(self.start[:, which], self.end[:, which], span, place)
        return rows


class Lengths(NamedTuple):
    """The table of a curve: places, lengths up to them, and on each panel how it runs there."""

    edges: Array  # (k+1,) places
    along: Array  # (k+1,) [m] from the start
    still: Array  # (k,) −1 for panels at whose first end the curve stands still, 1 at the last
    starts: Array  # (3, k, 1) place and its two derivatives by `_measure`, at the panels' ends
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
        width, still = self.along[panel + 1] - self.along[panel], self.still[panel]
        gone = np.clip(length - self.along[panel], 0.0, width)
        whole = _measure(width, width, still)
        part = np.clip(_measure(gone, width, still) / whole, 0.0, 1.0)
        found = quintic_value(self.starts[:, panel], self.ends[:, panel], whole, part)[..., 0]
        return np.asarray(np.clip(found, self.edges[panel], self.edges[panel + 1]))


def _measure(length: Array, width: Array, still: Array) -> Array:
    """Return what the inverse of a panel (k,) is a polynomial of: the length, or its root.

    The root is the one from the end at which the curve stands still.
    """
    if not np.any(still):
        return length
    from_end = np.sqrt(width) - np.sqrt(np.maximum(width - length, 0.0))
    return np.where(still == 0.0, length, np.where(still < 0.0, np.sqrt(length), from_end))


def measure(path: Path) -> Lengths:
    """Make the table of lengths along a path.

    Panels are halved until halving changes nothing: neither their lengths nor their inverses.
    """
    breaks = pairwise(path.breaks)
    edges = np.concatenate([np.linspace(*ends, FEWEST + 1)[:-1] for ends in breaks])
    left, right = edges, np.append(edges[1:], 1.0)
    steps = _lengths(path, left, right)
    total, count = float(steps.sum()), len(steps)
    most = max(MOST_PANELS, PANELS_OF_PIECE * count // FEWEST)
    whole_pieces = np.repeat(steps.reshape(-1, FEWEST).sum(axis=1), FEWEST)
    allowed = EXACT * np.maximum(whole_pieces, LEAST_LENGTH * total)
    done: list[tuple[Array, Array]] = []
    while len(left):
        middle = 0.5 * (left + right)
        first, second = _lengths(path, left, middle), _lengths(path, middle, right)
        still, starts, ends = _ends(path, left, right, steps, total)
        whole = _measure(steps, steps, still)
        part = _measure(np.minimum(first, steps), steps, still) / whole
        found = quintic_value(starts, ends, whole, part)[..., 0]
        missed = np.abs(found - middle) / (right - left) * steps
        coarse = np.maximum(np.abs(first + second - steps), missed) > allowed
        coarse &= count <= most
        count += int(coarse.sum())
        done.append((left[~coarse], steps[~coarse]))
        left, right = (
            np.concatenate([left[coarse], middle[coarse]]),
            np.concatenate([middle[coarse], right[coarse]]),
        )
        steps = np.concatenate([first[coarse], second[coarse]])
        allowed = np.concatenate([allowed[coarse], allowed[coarse]])
    left, steps = (np.concatenate(parts) for parts in zip(*done, strict=True))
    order = np.argsort(left)
    edges = np.append(left[order], 1.0)
    along = np.concatenate([[0.0], np.cumsum(steps[order])])
    still, starts, ends = _ends(path, edges[:-1], edges[1:], np.diff(along), along[-1])
    firsts = np.searchsorted(edges, np.array(path.breaks))
    return Lengths(edges, along, still, starts, ends, firsts)


def _lengths(path: Path, left: Array, right: Array) -> Array:
    """Return the lengths (k,) of a path between places, by Gauss's rule."""
    half = 0.5 * (right - left)
    nodes = 0.5 * (left + right)[:, None] + half[:, None] * NODES
    speed = np.linalg.norm(path.curve(nodes.ravel())[1], axis=-1).reshape(nodes.shape)
    return np.asarray(half * (speed @ WEIGHTS))


def _ends(path: Path, left: Array, right: Array, width: Array, total: float) -> list[Array]:
    """Return at which ends (k,) panels stand still, and how they run at both.

    That is places (3, k, 1) with their derivatives by `_measure`.
    """
    middle, still, runs = 0.5 * (left + right), np.zeros(len(left)), list[Array]()
    both = [(at, path.on(at, middle), side) for at, side in ((left, -1.0), (right, 1.0))]
    for _, rows, side in both:
        still[~(np.linalg.norm(rows[1], axis=-1) > STILL * total)] = side
    for at, rows, side in both:
        with np.errstate(all="ignore"):
            first, second = arc_length_derivatives(rows[1], rows[2])
        # By the root r of the length from where it stands still: d/dr = 2 r d/dℓ.
        k = np.flatnonzero(still == -side)
        second[k] = 4.0 * width[k] * second[k] + 2.0 * side * first[k]
        first[k] *= 2.0 * np.sqrt(width[k])
        k = np.flatnonzero(still == side)
        first[k], second[k] = _at_rest(path, at[k], middle[k], rows[2, k], total)
        runs.append(np.stack([at, first, second])[..., None])
    return [still, *runs]


def _at_rest(
    path: Path, at: Array, within: Array, bend: Array, total: float
) -> tuple[Array, Array]:
    """Return α and 2 β (k,) at places where p' vanishes; raise where p'' does so too."""
    size = np.linalg.norm(bend, axis=-1)
    flat = np.flatnonzero(~(size > STILL * total))
    if len(flat):
        got = f"a path that stands still at {float(at[flat[0]]):.4g} of its way"
        need = "one that moves on, to be timed by its length"
        raise InputError(Problem("timing", got, need, "use timing='uniform'"))
    change = (path.on(within, within)[2] - bend) / (within - at)[:, None]
    return np.sqrt(2.0 / size), -2.0 / 3.0 * np.sum(bend * change, axis=-1) / size**3


def arc_length_derivatives(velocity: Array, bend: Array) -> tuple[Array, Array]:
    """Return ds/dℓ and d²s/dℓ² (…) of a curve with p' and p'' (…, d): 1/|p'| and −p'·p''/|p'|⁴."""
    square = np.sum(velocity**2, axis=-1)
    return 1.0 / np.sqrt(square), -np.sum(velocity * bend, axis=-1) / square**2

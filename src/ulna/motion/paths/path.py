"""Curves that know on which of their smooth pieces they are asked for.

At a break between two pieces a curve has two limits. A curve that is made of pieces gives either:
`curve.on(s, within)` is its value at s by the formula of the piece that `within` lies on.

Paths: where something should go, without saying when.

A path is a curve p(s) for s from 0 to 1, with exact first and second derivatives. It leads the tip
through the plane, p = (x, y) [m], or the joints through their angles, p = q [rad]. Paths are
composed: `path.then(other)`, `.reversed()`, `.repeated(3)`, `.placed((x, y), angle)`,
`.scaled(2.0)`, `.rounded(0.01)`.

How far along a curve a place is, and where one is that is so far along.

The length is summed up by Gauss's rule over many short panels. The inverse is a polynomial of
fifth degree on each panel, from the lengths and the exact speeds at its ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, shown
from ulna.motion.paths.jets import quintic
from ulna.namespaces import suggest_attributes
from ulna.typing import ArrayLike, PointLike

# Returns point, first and second derivative (3, k, d) at parameters s (k,) from 0 to 1.
Curve: TypeAlias = Callable[[Array], Array]

BESIDE = 1e-12  # of the way: close enough to a break to see one side of it only


def on_pieces(curve: Curve, s: Array, within: Array) -> Array:
    """Evaluate a curve at parameters (k,), on the smooth pieces that `within` (k,) lies on."""
    on = getattr(curve, "on", None)
    if on is not None:
        return np.asarray(on(s, within))
    # A function from elsewhere says nothing of its pieces: the limit is taken from close by.
    return curve(np.clip(s + BESIDE * np.sign(within - s), 0.0, 1.0))


class Smooth:
    """A curve of one piece: the same from either side."""

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, d) at parameters (k,)."""
        raise NotImplementedError

    def on(self, s: Array, _within: Array) -> Array:
        """Return the same: there is one piece."""
        return self(s)


@dataclass(frozen=True, eq=False)
class Reversed:
    """A curve the other way round."""

    curve: Curve

    def __call__(self, s: Array) -> Array:
        """Return point and derivatives (3, k, d) at parameters (k,)."""
        return self.curve(1.0 - s) * _BACK

    def on(self, s: Array, within: Array) -> Array:
        """Return the same on the pieces that other parameters lie on."""
        return on_pieces(self.curve, 1.0 - s, 1.0 - within) * _BACK


_BACK = np.array([1.0, -1.0, 1.0])[:, None, None]


SMOOTH = 1e-6  # [rad] by which the direction may jump where a path counts as smooth
JOINED = 1e-9  # of its size, by which a path that is closed may miss its start
SAMPLE_PARAMETERS = np.linspace(0.0, 1.0, 257)


# What people ask for first, and where it is.
_GUESSES = {
    "path.reversed() goes the other way": "reverse backwards flip",
    "path.placed(at, angle) moves and turns it": "translate move shift rotate place transform",
    "path.scaled(factor) is larger or smaller": "scale resize",
    "path.repeated(times) goes several times": "repeat loop times",
    "path.then(other) goes on with another": "append concat join extend chain",
    "path.rounded(radius) has round corners": "smooth blend fillet round",
    "path.by_length(...) and path.along(...) are points of it": "points sample xy at start end",
    "ulna.plan(arm, path, duration=...) plans a motion along it, ulna.plot(plan) draws that": (
        "plot plan show draw follow"
    ),
}


@suggest_attributes(_GUESSES)
@dataclass(frozen=True, eq=False, repr=False)
class Path:
    """A curve with its derivatives, and the text that makes it again.

    The functions of `ulna.paths` make them. ``path(s)`` returns points.

    Parameters
    ----------
    curve : callable
        Returns point, first and second derivative, shape (3, k, d), at parameters s, shape (k,),
        from 0 to 1.
    text : str
        The call that makes the path.
    breaks : tuple of float, optional
        Parameters between which the curve is smooth.
    in_joints : bool, optional
        Whether it is a path of the joints [rad], not of the tip [m].
    duration : float, optional
        How long [s] it takes by itself.
    fit : bool, optional
        Whether it is a drawing without a scale, to be fitted into the reach of an arm.
    notes : tuple of str, optional
        What a reader should know about how it was made.

    Examples
    --------
    >>> import ulna
    >>> round(ulna.paths.circle(radius=0.5).length, 9)
    3.141592654
    """

    curve: Curve
    text: str
    breaks: tuple[float, ...] = (0.0, 1.0)
    in_joints: bool = False
    duration: float | None = None
    fit: bool = False
    notes: tuple[str, ...] = ()

    def __call__(self, s: ArrayLike) -> Array:
        """Return the points (…, d) at parameters s (…), from 0 to 1."""
        return self.derivatives(s)[0]

    def derivatives(self, s: ArrayLike) -> Array:
        """Return points with derivatives by the path's parameter.

        Parameters
        ----------
        s : array_like, shape (...)
            Path parameters, from 0 to 1.

        Returns
        -------
        ndarray, shape (3, ..., d)
            p, dp/ds and d²p/ds².

        Raises
        ------
        InputError
            If a parameter is not between 0 and 1.
        """
        places = _parameters(s, "s")
        rows = self.curve(places.ravel())
        return rows.reshape(3, *places.shape, rows.shape[-1])

    def by_length(self, part: ArrayLike) -> Array:
        """Return points with derivatives by the part of the length.

        Parameters
        ----------
        part : array_like, shape (...)
            Parts of the length, from 0 to 1.

        Returns
        -------
        ndarray, shape (3, ..., d)
            Point, first and second derivative.

        Raises
        ------
        InputError
            If a part is not between 0 and 1.
        """
        parts = _parameters(part, "part")
        rows = self.along(parts.ravel())
        return rows.reshape(3, *parts.shape, rows.shape[-1])

    def on(self, s: Array, within: Array) -> Array:
        """Return points with derivatives, on the smooth pieces that other parameters lie on.

        Parameters
        ----------
        s : ndarray, shape (k,)
            Path parameters, from 0 to 1.
        within : ndarray, shape (k,)
            Parameters that choose the pieces: at a break the limit from their side is returned,
            exactly.

        Returns
        -------
        ndarray, shape (3, k, d)
            p, dp/ds and d²p/ds².
        """
        return on_pieces(self.curve, s, within)

    def along(self, part: Array, within: Array | None = None) -> Array:
        """Return points with derivatives by the part of the length, in a row.

        Parameters
        ----------
        part : ndarray, shape (k,)
            Parts of the length, from 0 to 1.
        within : ndarray, shape (k,), optional
            Parts that choose the pieces: at a break the limit from their side is returned.

        Returns
        -------
        ndarray, shape (3, k, d)
            Point, first and second derivative.
        """
        table = self.lengths
        if within is None:
            rows = self.curve(table.places(table.total * part))
        else:
            beside = table.total * within
            rows = self.on(table.places(table.total * part, beside), table.places(beside))
        first, second = arc_length_derivatives(rows[1], rows[2])
        bend = rows[2] * (first**2)[:, None] + rows[1] * second[:, None]
        return np.stack([rows[0], rows[1] * first[:, None] * table.total, bend * table.total**2])

    @cached_property
    def lengths(self) -> Lengths:
        """The table of lengths along the path."""
        return measure(self.curve, np.array(self.breaks))

    @property
    def length(self) -> float:
        """The length [m], or for joints [rad]."""
        return self.lengths.total

    @cached_property
    def ends(self) -> Array:
        """The first and the last point (2, d)."""
        return np.asarray(self.curve(np.array([0.0, 1.0]))[0])

    @property
    def dimensions(self) -> int:
        """How many numbers a point has."""
        return int(self.ends.shape[-1])

    @property
    def closed(self) -> bool:
        """Whether it ends where it starts."""
        points = self.curve(SAMPLE_PARAMETERS)[0]
        size = np.ptp(points, axis=0).max()
        return bool(np.linalg.norm(self.ends[1] - self.ends[0]) <= JOINED * size)

    @property
    def middles(self) -> Array:
        """A parameter (k,) on every smooth piece: half way between its breaks."""
        breaks = np.array(self.breaks)
        return np.asarray(0.5 * (breaks[:-1] + breaks[1:]))

    @property
    def sides(self) -> tuple[Array, Array]:
        """The limits (3, k, d) at all inner breaks, from before and from behind."""
        inner, middles = np.array(self.breaks[1:-1]), self.middles
        return self.on(inner, middles[:-1]), self.on(inner, middles[1:])

    @cached_property
    def corners(self) -> Array:
        """The parameters (k,) at which the direction jumps."""
        inner = np.array(self.breaks[1:-1])
        if not len(inner):
            return inner
        before, after = (rows[1] for rows in self.sides)
        sizes = np.linalg.norm(before, axis=-1) * np.linalg.norm(after, axis=-1)
        aligned = np.sum(before * after, axis=-1) > np.cos(SMOOTH) * sizes
        return np.asarray(inner[~aligned])

    def then(self, other: Path) -> Path:
        """Return this path and then another, by a straight line if that starts elsewhere.

        Parameters
        ----------
        other : Path
            A path of the tip if this is one, or of as many joints.

        Returns
        -------
        Path
            Both, one after the other.

        Raises
        ------
        InputError
            If the two do not fit.

        Examples
        --------
        >>> import ulna
        >>> there = ulna.paths.line((0.4, 0.0), (0.6, 0.0))
        >>> round(there.then(there.reversed()).length, 9)
        0.4
        """
        from ulna.motion.paths.compositions import then

        return then(self, other)

    def reversed(self) -> Path:
        """Return the same path the other way round.

        Returns
        -------
        Path
            From its end to its start.
        """
        breaks = tuple(1.0 - edge for edge in self.breaks[::-1])
        return replace(
            self, curve=Reversed(self.curve), breaks=breaks, text=f"reversed({self.text})"
        )

    def repeated(self, times: int) -> Path:
        """Return this path repeated, straight back to the start in between.

        Parameters
        ----------
        times : int
            How many times.

        Returns
        -------
        Path
            The path so many times over.

        Raises
        ------
        InputError
            If it is not a whole number, or there would be too many pieces.
        """
        from ulna.motion.paths.compositions import repeated

        return repeated(self, times)

    def placed(self, at: PointLike = (0.0, 0.0), angle: float = 0.0) -> Path:
        """Return this path turned about the origin, then moved.

        Parameters
        ----------
        at : array_like, shape (2,), optional
            Where its origin goes to, x, y [m].
        angle : float, optional
            The angle [rad] by which it is turned.

        Returns
        -------
        Path
            The path there.

        Raises
        ------
        InputError
            If it is a path of joints, or a value is not finite.
        """
        from ulna.motion.paths.compositions import placed

        return placed(self, at, angle)

    def scaled(self, factor: float, about: PointLike = (0.0, 0.0)) -> Path:
        """Return this path larger or smaller.

        Parameters
        ----------
        factor : float
            By how much.
        about : array_like, shape (2,), optional
            The point x, y [m] that stays where it is.

        Returns
        -------
        Path
            The path in its size; a drawing without a scale thereby has one.

        Raises
        ------
        InputError
            If it is a path of joints, or the factor is not above 0.
        """
        from ulna.motion.paths.compositions import scaled

        return scaled(self, factor, about)

    def rounded(self, radius: float) -> Path:
        """Return this path with every corner replaced by a smooth bend.

        Parameters
        ----------
        radius : float
            The distance [m] along the path, before and behind a corner, that the bend replaces.

        Returns
        -------
        Path
            The path without corners, but for those that turn straight back.

        Raises
        ------
        InputError
            If the radius is not above 0.
        """
        from ulna.motion.paths.compositions import rounded

        return rounded(self, radius)

    def __repr__(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text


def _parameters(given: ArrayLike, what: str) -> Array:
    places = np.asarray(float_array(given, what), dtype=np.float64)
    if not ((places >= 0.0) & (places <= 1.0)).all():
        raise InputError(Problem(what, shown(given), "path parameters from 0 to 1"))
    return places


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

"""Paths: where something should go, without saying when.

A path is a curve p(s) for s from 0 to 1, with exact first and second derivatives. It leads the tip
through the plane, p = (x, y) [m], or the joints through their angles, p = q [rad]. Paths are
composed: `path.then(other)`, `.reversed()`, `.repeated(3)`, `.placed((x, y), angle)`,
`.scaled(2.0)`, `.rounded(0.01)`.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ulna.arrays import LARGEST, Array, float_array, number, positive, whole
from ulna.errors import InputError, Problem, shown
from ulna.expressions.calls import written
from ulna.motion.paths.curves import (
    STILL,
    Curve,
    Lengths,
    Moved,
    Reversed,
    arc_length_derivatives,
    measure,
)
from ulna.typing import ArrayLike, PointLike

SMOOTH = 1e-6  # [rad] by which the direction may jump where a path counts as smooth
JOINED = 1e-9  # of its size, by which a path that is closed may miss its start
BESIDE = 1e-12  # of the way: close enough to a break to see one side of it only
MOST_PIECES = 100_000  # of a path that is repeated
SAMPLE_PARAMETERS = np.linspace(0.0, 1.0, 257)
WHOLE = ((0.0, 1.0),)  # one stroke from end to end


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
    strokes : tuple of (float, float), optional
        Parameters between which a pen is down; it is lifted between them. By default all of it.

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
    strokes: tuple[tuple[float, float], ...] = WHOLE

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
        on = getattr(self.curve, "on", None)
        if on is not None:
            return np.asarray(on(s, within))
        # A function from elsewhere says nothing of its pieces: the limit is taken from close by.
        return self.curve(np.clip(s + BESIDE * np.sign(within - s), 0.0, 1.0))

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
            rows, way = self.curve(table.places(table.total * part)), 1.0 - part
        else:
            beside = table.total * within
            places, sides = table.places(table.total * part, beside), table.places(beside)
            rows, way = self.on(places, sides), sides - places
        _set_out(rows, way, table.total)
        first, second = arc_length_derivatives(rows[1], rows[2])
        bend = rows[2] * (first**2)[:, None] + rows[1] * second[:, None]
        return np.stack([rows[0], rows[1] * first[:, None] * table.total, bend * table.total**2])

    @cached_property
    def lengths(self) -> Lengths:
        """The table of lengths along the path."""
        return measure(self)

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
        products, sizes = self._turns
        return np.asarray(inner[~(products > np.cos(SMOOTH) * sizes)])

    @property
    def _turns(self) -> tuple[Array, Array]:
        """At all inner breaks (k,): the dot product of p' before and behind, and |p'| |p'|."""
        sides = self.sides
        typical = max(float(np.abs(rows[1:]).max(initial=0.0)) for rows in sides)
        for rows, way in zip(sides, (-1.0, 1.0), strict=True):
            _set_out(rows, np.full(rows.shape[1], way), typical)
        before, after = (rows[1] for rows in sides)
        sizes = np.linalg.norm(before, axis=-1) * np.linalg.norm(after, axis=-1)
        return np.sum(before * after, axis=-1), sizes

    def then(self, other: Path) -> Path:
        """Return this path and then another, by a straight line if that starts elsewhere.

        The pen is up along that line if it is lifted anywhere in one of the two.

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
        if not isinstance(other, Path):
            raise InputError(Problem("then", shown(other), "a path"))
        both = f"{self} and {other}"
        if (self.in_joints, self.dimensions) != (other.in_joints, other.dimensions):
            need = "two paths of the tip, or two of the same number of joints"
            raise InputError(Problem("then", both, need))
        if self.fit != other.fit:
            hint = "give the drawing a scale"
            raise InputError(Problem("then", both, "two of known size", hint))
        from ulna.motion.paths.compositions import chain

        return chain(self, other, f"then({self}, {other})")

    def reversed(self) -> Path:
        """Return the same path the other way round.

        Returns
        -------
        Path
            From its end to its start.
        """
        breaks = tuple(1.0 - edge for edge in self.breaks[::-1])
        strokes = tuple((1.0 - last, 1.0 - first) for first, last in self.strokes[::-1])
        text = f"reversed({self.text})"
        made = replace(self, curve=Reversed(self), breaks=breaks, text=text, strokes=strokes)
        return made._retold(self, 1.0)

    def repeated(self, times: int) -> Path:
        """Return this path repeated, straight back to the start in between.

        The pen is up on the way back if it is lifted anywhere in the path.

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
        count = whole("repeated.times", times, 1)
        if count == 1:
            return self
        pieces = count * (len(self.breaks) - 1)
        if pieces > MOST_PIECES:
            got, need = f"{pieces:,} pieces in all", f"at most {MOST_PIECES:,}"
            raise InputError(Problem("repeated.times", got, need, "repeat it fewer times"))
        from ulna.motion.paths.compositions import repeat

        return repeat(self, count, f"repeated({self}, {count})")

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
        to, turn = point("placed.at", at), number("placed.angle", angle)
        text = described("placed", at=to, angle=turn).replace("(", f"({self}, ", 1)
        return self._moved("placed", cmath.rect(1.0, turn), to, text)

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
        size, centre = positive("scaled.factor", factor, ""), point("scaled.about", about)
        text = described("scaled", factor=size, about=centre).replace("(", f"({self}, ", 1)
        made = replace(self._moved("scaled", size, centre * (1.0 - size), text), fit=False)
        return made._retold(self, size)

    def _moved(self, what: str, factor: complex, shift: complex, text: str) -> Path:
        if self.in_joints:
            raise InputError(Problem(what, str(self), "a path of the tip, not of joints"))
        matrix = np.array([[factor.real, factor.imag], [-factor.imag, factor.real]])
        offset = np.array([shift.real, shift.imag])
        return replace(self, curve=Moved(self, matrix, offset), text=text)

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
        from ulna.motion.paths.rounding import round_corners

        size = positive("rounded.radius", radius)
        return round_corners(self, np.full(len(self.corners), size), f"rounded({self}, {size!r})")

    def _retold(self, of: Path, factor: float) -> Path:
        """Return this path with notes that hold for it, as it is a factor times another."""
        from ulna.motion.paths.compositions import retold

        return retold(self, of.notes, factor * of.length) if of.notes else self

    def __repr__(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text


def _parameters(given: ArrayLike, what: str) -> Array:
    places = np.asarray(float_array(given, what), dtype=np.float64)
    if not ((places >= 0.0) & (places <= 1.0)).all():
        raise InputError(Problem(what, shown(given), "path parameters from 0 to 1"))
    return places


def intervals(edges: Array) -> tuple[tuple[float, float], ...]:
    """Return rows (k, 2) of parameters as the strokes of a path."""
    return tuple((first, min(last, 1.0)) for first, last in edges.tolist())


def described(name: str, **values: Any) -> str:
    """Return the call that makes a shape, as text."""
    told = ", ".join(f"{key}={written(_plain(value))}" for key, value in values.items())
    return f"{name}({told})"


def _plain(value: Any) -> Any:
    if isinstance(value, complex):
        return value.real, value.imag
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value


def point(what: str, given: Any) -> complex:
    """Check a point (x, y) of the plane, and return it as x + i y."""
    values = float_array(given, what)
    if values.shape != (2,) or not (np.abs(values) <= LARGEST).all():
        raise InputError(Problem(what, shown(given), "a point (x, y) of two finite numbers [m]"))
    return complex(values[0], values[1])


def _set_out(rows: Array, way: Array, typical: float) -> None:
    """Write into rows (3, k, d) a direction where p' vanishes: that of p'' towards `way` (k,)."""
    still = np.linalg.norm(rows[1], axis=-1) <= STILL * typical
    if still.any():
        side = np.where(way[still] < 0.0, -1.0, 1.0)
        rows[1, still], rows[2, still] = rows[2, still] * side[:, None], 0.0

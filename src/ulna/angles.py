"""Angles: wrapping, wrapped differences, absolute and relative, and other people's zeros.

Inside ulna an angle is in radians, counter-clockwise, and joint angles are relative: q_1 from
the x axis, every other from the link before it. The papers and other libraries measure from
elsewhere; the functions here convert at the edge, by name.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ulna.arrays import Array, running_sum, to_float
from ulna.arrays import namespace as array_library
from ulna.namespaces import namespace
from ulna.typing import ArrayLike

__all__ = [
    "TURN",
    "absolute_to_relative",
    "difference",
    "distance",
    "from_zero_down",
    "from_zero_up",
    "relative_to_absolute",
    "to_zero_down",
    "to_zero_up",
    "unwrap",
    "wrap",
]

TURN = 2.0 * math.pi


def wrap(angle: ArrayLike, middle: ArrayLike = 0.0) -> Array:
    """Wrap angles into the turn around `middle`: (middle − π, middle + π].

    An angle that lies there already is returned untouched, to the last bit.

    Parameters
    ----------
    angle : array_like
        Angles [rad].
    middle : array_like, optional
        The middle of the turn [rad]; broadcasts against `angle`.

    Returns
    -------
    array
        The same angles up to whole turns [rad], of the shape that both broadcast to.

    Raises
    ------
    InputError
        If a value is not a number.

    Examples
    --------
    >>> float(wrap(3.5 * math.pi)) == -0.5 * math.pi
    True
    """
    xp = array_library(angle, middle)
    given, centre = to_float(xp, angle), to_float(xp, middle)
    start, end = centre - math.pi, centre + math.pi
    # ceil(x - 1/2) rounds halves down, so that a half turn maps to +π and never to −π.
    wrapped = given - TURN * xp.ceil((given - centre) / TURN - 0.5)
    # Rounding can leave an angle an ulp past either end of the turn: both ends are the upper one.
    wrapped = xp.where((wrapped > end) | (wrapped <= start), end, wrapped)
    return xp.where((given > start) & (given <= end), given, wrapped)


def difference(to: ArrayLike, from_: ArrayLike) -> Array:
    """Return the shortest signed turn that leads from one angle to another.

    Parameters
    ----------
    to : array_like
        Angles [rad].
    from_ : array_like
        Angles [rad]; broadcasts against `to`.

    Returns
    -------
    array
        `to` − `from_` [rad], wrapped into (−π, π].

    Raises
    ------
    InputError
        If a value is not a number.

    Examples
    --------
    >>> round(float(difference(-3.0, 3.0)), 6)
    0.283185
    """
    xp = array_library(to, from_)
    return wrap(to_float(xp, to) - to_float(xp, from_))


def distance(to: ArrayLike, from_: ArrayLike) -> Array:
    """Return the Euclidean distance of postures, with every joint's difference wrapped.

    Parameters
    ----------
    to : array_like, shape (..., n)
        Joint angles [rad].
    from_ : array_like, shape (..., n)
        Joint angles [rad]; broadcasts against `to`.

    Returns
    -------
    array, shape (...)
        The distance [rad].

    Raises
    ------
    InputError
        If a value is not a number.

    Examples
    --------
    >>> round(float(distance([0.3, 6.0], [0.0, 2.0 - 2.0 * math.pi + 4.0])), 6)
    0.3
    """
    turn = difference(to, from_)
    xp = array_library(turn)
    return xp.sqrt(xp.sum(turn * turn, axis=-1))


def unwrap(angle: ArrayLike, axis: int = -2) -> Array:
    """Remove jumps of 2π along an axis.

    Parameters
    ----------
    angle : array_like
        Angles [rad] that change by less than half a turn from one to the next.
    axis : int, optional
        The axis of time; by default the last but one, of postures in rows (..., T, n).

    Returns
    -------
    array
        The same angles up to whole turns [rad], without jumps.

    Raises
    ------
    InputError
        If a value is not a number.

    Examples
    --------
    >>> unwrap([[3.0], [-3.0]]).round(6).tolist()
    [[3.0], [3.283185]]
    """
    xp = array_library(angle)
    rows = xp.moveaxis(to_float(xp, angle), axis, 0)
    steps = difference(rows[1:, ...], rows[:-1, ...]) - (rows[1:, ...] - rows[:-1, ...])
    turns = xp.cumulative_sum(xp.round(steps / TURN), axis=0)
    return xp.moveaxis(xp.concat([rows[:1, ...], rows[1:, ...] + TURN * turns]), 0, axis)


def relative_to_absolute(q: ArrayLike) -> Array:
    """Convert joint angles to link angles from the x axis: φ_i = q_1 + … + q_i.

    Rates and accelerations convert in the same way.

    Parameters
    ----------
    q : array_like, shape (..., n)
        Joint angles [rad], each from the link before.

    Returns
    -------
    array, shape (..., n)
        Link angles φ [rad].

    Raises
    ------
    InputError
        If a value is not a number.

    Examples
    --------
    >>> relative_to_absolute([0.5, 0.25]).tolist()
    [0.5, 0.75]
    """
    xp = array_library(q)
    return running_sum(xp, to_float(xp, q))


def absolute_to_relative(phi: ArrayLike) -> Array:
    """Convert link angles from the x axis to joint angles: q_i = φ_i − φ_{i−1}.

    Parameters
    ----------
    phi : array_like, shape (..., n)
        Link angles φ [rad].

    Returns
    -------
    array, shape (..., n)
        Joint angles q [rad], each from the link before.

    Raises
    ------
    InputError
        If a value is not a number.

    Examples
    --------
    >>> absolute_to_relative([0.5, 0.75]).tolist()
    [0.5, 0.25]
    """
    xp = array_library(phi)
    links = to_float(xp, phi)
    return xp.concat([links[..., :1], links[..., 1:] - links[..., :-1]], axis=-1)


def from_zero_down(theta: ArrayLike) -> Array:
    """Convert joint angles whose first is zero when the link hangs down, as Acrobot has them.

    Parameters
    ----------
    theta : array_like, shape (..., n)
        Joint angles [rad], the first from straight down.

    Returns
    -------
    array, shape (..., n)
        Joint angles q [rad], the first from the x axis.

    Raises
    ------
    InputError
        If a value is not a number.

    Examples
    --------
    >>> from_zero_down([0.0, 0.5]).round(6).tolist()
    [-1.570796, 0.5]
    """
    return _turn_first(theta, -0.5 * math.pi)


def to_zero_down(q: ArrayLike) -> Array:
    """Convert to joint angles whose first is zero when the link hangs down, as for Acrobot.

    Parameters
    ----------
    q : array_like, shape (..., n)
        Joint angles [rad], the first from the x axis.

    Returns
    -------
    array, shape (..., n)
        Joint angles [rad], the first from straight down.

    Raises
    ------
    InputError
        If a value is not a number.

    Examples
    --------
    >>> to_zero_down([-math.pi / 2, 0.5]).tolist()
    [0.0, 0.5]
    """
    return _turn_first(q, 0.5 * math.pi)


def from_zero_up(theta: ArrayLike) -> Array:
    """Convert joint angles whose first is zero when the link stands up, as Pendulum has them.

    Parameters
    ----------
    theta : array_like, shape (..., n)
        Joint angles [rad], the first from straight up.

    Returns
    -------
    array, shape (..., n)
        Joint angles q [rad], the first from the x axis.

    Raises
    ------
    InputError
        If a value is not a number.

    Examples
    --------
    >>> from_zero_up([0.0, 0.5]).round(6).tolist()
    [1.570796, 0.5]
    """
    return _turn_first(theta, 0.5 * math.pi)


def to_zero_up(q: ArrayLike) -> Array:
    """Convert to joint angles whose first is zero when the link stands up, as for Pendulum.

    Parameters
    ----------
    q : array_like, shape (..., n)
        Joint angles [rad], the first from the x axis.

    Returns
    -------
    array, shape (..., n)
        Joint angles [rad], the first from straight up.

    Raises
    ------
    InputError
        If a value is not a number.

    Examples
    --------
    >>> to_zero_up([math.pi / 2, 0.5]).tolist()
    [0.0, 0.5]
    """
    return _turn_first(q, -0.5 * math.pi)


def _turn_first(q: ArrayLike, by: float) -> Array:
    xp = array_library(q)
    angles = to_float(xp, q)
    return xp.concat([angles[..., :1] + by, angles[..., 1:]], axis=-1)


if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)

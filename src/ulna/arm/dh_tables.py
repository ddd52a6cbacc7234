"""Denavit–Hartenberg tables: planar arms from them, and those of arms.

A row holds a, α, d and θ. By the standard convention it leads from the frame of one joint to that
of the next by Rot_z(θ) Trans_z(d) Trans_x(a) Rot_x(α), by the modified one (Craig) by
Rot_x(α) Trans_x(a) Rot_z(θ) Trans_z(d). An arm is planar where every α is 0 or π; d, along the
axes, moves nothing in the plane.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from ulna.arm.components import Joint, Payload
from ulna.arm.imported_arm import ImportedArm
from ulna.arm.planar_arm import EARTH, Arm
from ulna.errors import InputError, Problem, Problems, shown

Convention = Literal["standard", "modified"]
CONVENTIONS = ("standard", "modified")
COLUMNS = ("a", "alpha", "d", "theta")
MIN_LENGTH = 1e-9  # [m] of a link
HALF_TURN = 1e-6  # [rad] by which α may miss 0 or π: tables print 3.14159


def from_dh(
    table: Sequence[Sequence[float]] | np.ndarray,
    masses: Sequence[float] | np.ndarray,
    *,
    convention: Convention = "standard",
    tip_length: float | None = None,
    joints: Iterable[Joint] | None = None,
    gravity: Sequence[float] = EARTH,
    payload: float | Payload = 0.0,
    name: str = "",
) -> ImportedArm:
    """Make an arm of uniform rods from a Denavit–Hartenberg table.

    Parameters
    ----------
    table : array_like, shape (n, 4)
        A row for every joint: a [m], α [rad], d [m], θ [rad], the last the angle at which the
        joint's own is zero.
    masses : array_like, shape (n,)
        Masses of the links [kg]. `arm.replace(links=...)` makes other bodies than rods of them.
    convention : {"standard", "modified"}, optional
        Whether the rows are Denavit and Hartenberg's, or Craig's.
    tip_length : float, optional
        From the last joint to the tip [m], which a modified table does not say.
    joints : iterable of Joint, optional
        One a row, their limits as angles of the arm; free joints unless given.
    gravity : sequence of float, shape (2,), optional
        Gravity x, y [m/s²] in the frame before the first row.
    payload : float or Payload, optional
        What the tip carries.
    name : str, optional
        What messages and files call the arm.

    Returns
    -------
    ImportedArm
        The arm, and how the angles of the table become its own.

    Raises
    ------
    InputError
        With every row that is not planar, or has a value that is not finite.

    Examples
    --------
    >>> found = from_dh([[0.3, 0.0, 0.0, 0.0], [0.2, 0.0, 0.0, 0.0]], [0.5, 0.3])
    >>> found.arm.reach
    0.5
    """
    rows = _checked(table, convention, tip_length)
    points, signs = _zero_pose(rows, convention, tip_length or 0.0)
    along = np.diff(np.array(points), axis=0)
    lengths = np.hypot(along[:, 0], along[:, 1])
    _check_lengths(lengths, convention)
    directions = np.arctan2(along[:, 1], along[:, 0])
    turns = np.diff(directions, prepend=0.0)
    offsets = tuple(math.remainder(turn, 2.0 * math.pi) for turn in turns.tolist())
    arm = Arm.rods(
        lengths,
        masses,
        joints=joints,
        gravity=gravity,
        base=points[0],
        payload=payload,
        name=name,
    )
    names = tuple(f"row {number}" for number in range(1, len(rows) + 1))
    return ImportedArm(arm, names, signs, offsets)


def to_dh(arm: Arm, *, convention: Convention = "standard") -> np.ndarray:
    """Return the Denavit–Hartenberg table of an arm.

    Parameters
    ----------
    arm : Arm
        The arm; its base is where the table begins.
    convention : {"standard", "modified"}, optional
        Whether the rows are Denavit and Hartenberg's, or Craig's, in which the last link's length
        has no place.

    Returns
    -------
    table : ndarray, shape (n, 4)
        A row for every joint: a [m], α [rad], d [m], θ [rad].

    Raises
    ------
    InputError
        If it is no arm, or there is no such convention.

    Examples
    --------
    >>> import ulna
    >>> to_dh(ulna.Arm.rods([0.3, 0.2], [0.5, 0.3]))[:, 0].tolist()
    [0.3, 0.2]
    """
    _check_convention(convention)
    if not isinstance(arm, Arm):
        raise InputError(Problem("arm", shown(arm), "an Arm"))
    table = np.zeros((arm.n, 4))
    if convention == "standard":
        table[:, 0] = arm.lengths
    else:
        table[1:, 0] = arm.lengths[:-1]
    return table


def _check_convention(convention: Any) -> None:
    if convention not in CONVENTIONS:
        need = "one of " + ", ".join(CONVENTIONS)
        raise InputError(Problem("convention", shown(convention), need))


def _checked(table: Any, convention: Any, tip_length: Any) -> np.ndarray:
    """Return the rows of a table; raise with everything that is wrong with them."""
    _check_convention(convention)
    checks = Problems()
    given = checks.sequence("table", table, "rows of a, alpha, d and theta")
    rows = []
    for number, row in enumerate(given, 1):
        values = checks.sequence(f"table.{number}", row, "a row of a, alpha, d and theta")
        if len(values) != len(COLUMNS):
            checks.add(f"table.{number}", shown(row), "four numbers: a, alpha, d, theta")
            continue
        units = ("m", "rad", "m", "rad")
        read = [
            checks.number(f"table.{number}.{column}", value, unit)
            for column, value, unit in zip(COLUMNS, values, units, strict=True)
        ]
        if abs(math.sin(read[1])) > HALF_TURN:
            got = f"{read[1]:g} rad: an axis that is not parallel"
            checks.add(f"table.{number}.alpha", got, "0 or pi, as in a plane")
        rows.append(read)
    if not given:
        checks.add("table", "no rows", "a row for every joint")
    if convention == "modified":
        checks.number("tip_length", tip_length, "m", above=0.0)
    elif tip_length is not None:
        checks.add("tip_length", shown(tip_length), "none: a standard table has the last length")
    checks.raise_if_any()
    return np.array(rows)


def _zero_pose(
    rows: np.ndarray, convention: str, tip_length: float
) -> tuple[list[tuple[float, float]], tuple[float, ...]]:
    """Return where joints and tip are at the zero of the table, and which way joints count."""
    place, heading, sign = 0j, 0.0, 1.0
    points, signs = [], []
    for a, alpha, _, theta in rows.tolist():
        side = math.copysign(1.0, math.cos(alpha))
        if convention == "modified":
            place, sign = place + cmath.rect(a, heading), sign * side
        points.append((place.real, place.imag))
        signs.append(sign)
        heading += sign * theta
        if convention == "standard":
            place, sign = place + cmath.rect(a, heading), sign * side
    tip = place + cmath.rect(tip_length, heading)
    return [*points, (tip.real, tip.imag)], tuple(signs)


def _check_lengths(lengths: np.ndarray, convention: str) -> None:
    names = [f"table.{number}.a" for number in range(1, len(lengths) + 1)]
    if convention == "modified":
        # A row holds the length of the link before its joint.
        names = [*names[1:], "tip_length"]
    short = [name for name, length in zip(names, lengths, strict=True) if length < MIN_LENGTH]
    if short:
        need = "links of some length between parallel axes"
        raise InputError(Problem(name, "no length in the plane", need) for name in short)

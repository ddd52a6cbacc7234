"""How freely the tip can move from a posture, and where it cannot: singular postures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ulna.arm import Arm, Parameters, parameters_of
from ulna.arrays import float_array
from ulna.errors import InputError, Problem
from ulna.kinematics.differential_kinematics import jacobian
from ulna.kinematics.forward_kinematics import tip
from ulna.kinematics.ring import Floats

SINGULAR = 1e2  # condition number from which a posture is called singular
TINY = np.finfo(float).tiny
MOST_LINKS_LISTED = 16  # 2¹⁵ singular postures; every further link doubles them


class Ellipse(NamedTuple):
    """The tip velocities that joint rates of length one produce, drawn at the tip."""

    center: Floats  # (…, 2) [m]
    semi_axes: Floats  # (…, 2) [m/s per rad/s], the longer first
    angle: Floats  # (…) [rad] of the longer axis, in (−π/2, π/2]


class Singularities(NamedTuple):
    """The postures, up to the turn of joint 1, in which the tip cannot move along the arm."""

    q: Floats  # (…, k, n) [rad], the first angle zero
    radius: Floats  # (…, k) [m] of the circle on which the tip is then, the largest first


def singular_values(arm: Arm | Parameters, q: ArrayLike) -> Floats:
    """Return the singular values (…, min(n, 2)) of the tip's position Jacobian, largest first."""
    slopes, finite = _position_slopes(arm, float_array(q))
    x, y = slopes[..., 0, :], slopes[..., 1, :]
    xx, xy, yy = (np.einsum("...i,...i", *pair) for pair in ((x, x), (x, y), (y, y)))
    largest = np.sqrt(0.5 * (xx + yy + np.hypot(xx - yy, 2.0 * xy)))
    if slopes.shape[-1] == 1:
        return np.where(finite, largest[..., None], np.nan)
    # The product of both is the area that the rows span: the longer by what of the shorter is at
    # right angles to it, which keeps the digits of nearly parallel ones.
    swap = xx < yy
    longer, shorter = np.where(swap[..., None], y, x), np.where(swap[..., None], x, y)
    square = np.maximum(np.maximum(xx, yy), TINY)
    aside = shorter - (xy / square)[..., None] * longer
    area = np.sqrt(square * np.einsum("...i,...i", aside, aside))
    smallest = np.minimum(area / np.maximum(largest, TINY), largest)
    return np.where(finite, np.stack([largest, smallest], axis=-1), np.nan)


def manipulability(arm: Arm | Parameters, q: ArrayLike) -> Floats:
    """Return Yoshikawa's measure (…): the product of the singular values, 0 where singular.

    For two links it is l_1 l_2 |sin q_2|; for one link its length, as it has one way to move.
    """
    return np.asarray(np.prod(singular_values(arm, q), axis=-1))


def condition_number(arm: Arm | Parameters, q: ArrayLike) -> Floats:
    """Return the ratio (…) of the largest to the smallest singular value; inf where singular."""
    values = singular_values(arm, q)
    with np.errstate(divide="ignore"):
        return np.asarray(values[..., 0] / values[..., -1])


def manipulability_ellipse(arm: Arm | Parameters, q: ArrayLike) -> Ellipse:
    """Return the ellipse of tip velocities for joint rates of length one.

    Its long axis is the tip's easy direction; it is flat where the posture is singular.
    """
    angles = float_array(q)
    slopes, finite = _position_slopes(arm, angles)
    directions, values, _ = np.linalg.svd(slopes)
    values = np.where(finite, np.abs(values), np.nan)
    semi_axes = np.zeros((*values.shape[:-1], 2))
    semi_axes[..., : values.shape[-1]] = values
    easy = directions[..., :, 0]
    angle = np.arctan2(easy[..., 1], easy[..., 0])
    # An axis has no head: opposite directions are the same one.
    angle = np.where(angle > np.pi / 2, angle - np.pi, angle)
    angle = np.where(angle <= -np.pi / 2, angle + np.pi, angle)
    return Ellipse(np.asarray(tip(arm, angles)[..., :2]), semi_axes, angle)


def singularities(arm: Arm | Parameters) -> Singularities:
    """List the singular postures: every link in line with the first, stretched or folded back.

    Joint 1 turns them about the base, so each is a circle for the tip. One link is never
    singular in the one direction that it has: the list is empty.
    """
    parameters = parameters_of(arm)
    n = parameters.n
    if n > MOST_LINKS_LISTED:
        need = f"at most {MOST_LINKS_LISTED} links to list all 2^(n-1) singular postures"
        raise InputError(Problem("links", str(n), need, "use condition_number for one posture"))
    if n == 1:
        batch = parameters.length.shape[:-1]
        return Singularities(np.empty((*batch, 0, 1)), np.empty((*batch, 0)))
    folded = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n - 1)) & 1
    direction = np.concatenate([np.ones((len(folded), 1)), 1.0 - 2.0 * folded], axis=-1)
    radius = np.abs(np.asarray(parameters.length) @ direction.T)
    bends = np.pi * np.abs(np.diff(direction, axis=-1)) / 2.0
    q = np.concatenate([np.zeros((len(folded), 1)), bends], axis=-1)
    order = np.argsort(-radius, axis=-1, kind="stable")
    return Singularities(q[order], np.take_along_axis(radius, order, axis=-1))


def elbow_side(arm: Arm | Parameters, q: ArrayLike) -> Floats:
    """Return whether the elbow of two links is above (1) or below (−1) the line from base to tip.

    It is 0 where the arm is straight or folded, and where the line is vertical, which has no
    upper side. "Elbow up" names a pose and not a branch: it flips where the tip passes over the
    base.
    """
    if parameters_of(arm).n != 2:
        raise InputError(Problem("links", str(parameters_of(arm).n), "2, to have one elbow"))
    angles = float_array(q)
    across = tip(arm, angles)[..., 0] - np.asarray(parameters_of(arm).base)[..., 0]
    return np.asarray(-np.sign(_clear(np.sin(angles[..., 1]))) * np.sign(_clear(across)))


def _position_slopes(arm: Arm | Parameters, q: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the position Jacobian (…, 2, n), and (…, 1) whether it is made of numbers.

    One posture that is no number must not spoil the others: its Jacobian comes as zeros.
    """
    slopes = np.asarray(jacobian(arm, q)[..., :2, :])
    finite = np.isfinite(slopes).all(axis=(-2, -1))[..., None]
    return np.where(finite[..., None], slopes, 0.0), np.asarray(finite)


def _clear(value: Floats) -> Floats:
    """Set to zero what rounding alone keeps from it."""
    return np.where(np.abs(value) < 1e-12, 0.0, value)

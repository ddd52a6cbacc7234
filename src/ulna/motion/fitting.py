"""A drawing of unknown size, put where an arm can reach all of it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.errors import InfeasibleError, InputError, Problem
from ulna.kinematics.inverse_kinematics import inverse
from ulna.kinematics.limits import are_limited
from ulna.kinematics.path_tracking import track
from ulna.kinematics.ring import ring
from ulna.motion.composing import placed, scaled
from ulna.motion.path import SAMPLE_PARAMETERS, Path

EDGE = 0.05  # of the ring's width, which a drawing keeps from its edges and singular postures
CENTRE = 0.15  # of the reach, which it keeps from the base if there is room enough
DIRECTIONS = np.radians([0, 15, -15, 30, -30, 45, -45, 60, -60, 75, -75, 90, -90, 120, -120, 180])
DISTANCES = np.linspace(0.1, 0.9, 7)  # of the way from the inner to the outer edge
SIZES = 0.8 ** np.arange(12)  # of the largest that the ring has room for
FEW = 6  # points of a drawing that are tried first, for redundant arms, which take longer
TRIED = 24  # places for such an arm


class Fitted(NamedTuple):
    """A drawing in its place, and the posture to start it with; None where any will do."""

    path: Path
    start: Array | None


def fitted(path: Path, arm: Arm) -> Fitted:
    """Scale and place a drawing: upright, to the right of the base if joint limits let it.

    Without limits it is as large as the ring between the inner and the outer reach allows there.
    With limits many places and sizes are tried, the largest first, until all of it is allowed.
    """
    points = path.curve(SAMPLE_PARAMETERS)[0]
    low, high = points.min(axis=0), points.max(axis=0)
    if not max(high - low) > 0.0:
        raise InputError(Problem("path", str(path), "a drawing of some extent"))
    if arm.n == 1:
        why = "a single link reaches but a circle; plan its joint angle, with paths.joints"
        raise InfeasibleError(f"{path}: {why}")
    inner, outer = (float(radius) for radius in ring(np.asarray(arm.parameters.length)))
    room = outer - inner
    near, far = inner + EDGE * room, outer - EDGE * room
    near = max(near, min(CENTRE * outer, inner + 0.5 * room))
    middle = 0.5 * (low + high)
    if not are_limited(arm.parameters):
        width, height = high - low
        factor = _largest(float(width), float(height), near, far)
        at = np.array([near + 0.5 * factor * width, 0.0])
        return Fitted(_put(path, factor, np.array(arm.base) + at - factor * middle), None)
    return _within_limits(path, arm, points - middle, middle, (near, far))


def _largest(width: float, height: float, near: float, far: float) -> float:
    """Return the scale at which a box beside the hole just fits: its far corners reach `far`."""
    a, b, c = width**2 + 0.25 * height**2, 2.0 * near * width, near**2 - far**2
    return (-b + math.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)


def _put(path: Path, factor: float, at: Array) -> Path:
    """Scale and move a drawing, by numbers that a person can read and repeat."""
    factor = float(f"{factor:.6g}")
    x, y = (float(f"{part:.6g}") for part in at)
    made = placed(scaled(path, factor, (0.0, 0.0)), (x, y), 0.0)
    told = f"the drawing was fitted into reach: 1 unit is {1e3 * factor:.4g} mm"
    return replace(made, notes=(*path.notes, told))


def _within_limits(
    path: Path, arm: Arm, shape: Array, middle: Array, edges: tuple[float, float]
) -> Fitted:
    """Try places and sizes; what seems to be allowed is followed to see whether it is."""
    near, far = edges
    turn, out = (part.ravel() for part in np.meshgrid(DIRECTIONS, DISTANCES, indexing="ij"))
    distance = near + (far - near) * out
    centres = np.array(arm.base) + distance[:, None] * np.stack([np.cos(turn), np.sin(turn)], -1)
    room = np.minimum(far - distance, distance - near) / np.linalg.norm(shape, axis=-1).max()
    kept = _allowed(arm, centres[:, None])
    order = np.argsort(-room, kind="stable")
    order = order[kept[order]][: None if arm.n <= 2 else TRIED]
    few = shape[:: 4 if arm.n <= 2 else len(shape) // FEW]
    for size in SIZES:
        factors = size * room[order]
        fits = _allowed(arm, centres[order][:, None] + factors[:, None, None] * few)
        for k in np.flatnonzero(fits):
            goals = centres[order[k]] + factors[k] * shape
            start = _posture(arm, goals)
            if start is not None:
                at = centres[order[k]] - factors[k] * middle
                return Fitted(_put(path, float(factors[k]), at), start)
    raise InfeasibleError(f"{path}: no place within the arm's reach and limits holds the drawing")


def _allowed(arm: Arm, goals: Array) -> Array:
    """Return which groups (g,) of goals (g, k, 2) are within limits; of two links on one branch."""
    if not len(goals):
        return np.zeros(0, dtype=bool)
    found = inverse(arm, goals, restarts=0).within_limits
    if arm.n <= 2:
        return np.asarray(found.all(axis=1).any(axis=-1))
    return np.asarray(found.any(axis=-1).all(axis=-1))


def _posture(arm: Arm, goals: Array) -> Array | None:
    """Return a posture from which all goals (k, 2) can be followed, if there is one."""
    first = inverse(arm, goals[0], restarts=0)
    for posture in first.q[first.within_limits]:
        if track(arm, goals, posture).ok.all():
            return np.asarray(posture)
    return None

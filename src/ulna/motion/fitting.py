"""A drawing of unknown size, put where an arm can reach all of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.errors import InfeasibleError, InputError, Problem
from ulna.kinematics.inverse import inverse
from ulna.kinematics.ring import ring
from ulna.motion.composing import placed, scaled
from ulna.motion.path import LOOK, Path

OUTER, INNER = 0.95, 0.15  # of the reach: what a drawing keeps to, away from singular postures
DIRECTIONS = np.radians(np.arange(0, 360, 15))
SHRINK = 0.85
SMALLEST = 0.02  # of the first size, below which there is no place
PLACES = np.linspace(0.0, 1.0, 73)


def fitted(path: Path, arm: Arm) -> Path:
    """Scale and place a drawing: upright, to the right of the base if joint limits let it.

    It is made as large as the ring between the inner and the outer reach allows there. With joint
    limits other directions, and smaller sizes, are tried until all of it is allowed.
    """
    points = path.curve(LOOK)[0]
    low, high = points.min(axis=0), points.max(axis=0)
    width, height = high - low
    if not max(width, height) > 0.0:
        raise InputError(Problem("path", str(path), "a drawing of some extent"))
    inner, outer = ring(np.asarray(arm.parameters.length))
    near = max(float(inner) * 1.05, INNER * float(outer))
    size = _largest(float(width), float(height), near, OUTER * float(outer))
    middle, base = 0.5 * (low + high), np.array(arm.base)
    half = 0.5 * math.hypot(width, height)
    factor = size
    while factor > SMALLEST * size:
        for turn in _directions(arm):
            across = abs(math.cos(turn)) * width / 2 + abs(math.sin(turn)) * height / 2
            distance = near + factor * (across if turn == 0.0 else half)
            at = base + distance * np.array([math.cos(turn), math.sin(turn)]) - factor * middle
            if _allowed(arm, path, factor, at):
                made = placed(scaled(path, factor, (0.0, 0.0)), tuple(at.tolist()), 0.0)
                told = f"the drawing was fitted into reach: 1 unit is {1e3 * factor:.4g} mm"
                return replace(made, notes=(*path.notes, told))
        factor *= SHRINK
    raise InfeasibleError(f"{path}: no place within the arm's reach and limits holds the drawing")


def _largest(width: float, height: float, near: float, far: float) -> float:
    """Give the scale at which a box beside the hole just fits: its far corners reach `far`."""
    a, b, c = width**2 + 0.25 * height**2, 2.0 * near * width, near**2 - far**2
    return (-b + math.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)


def _directions(arm: Arm) -> Array:
    limited = np.isfinite(arm.parameters.lower).any() or np.isfinite(arm.parameters.upper).any()
    return DIRECTIONS if limited else DIRECTIONS[:1]


def _allowed(arm: Arm, path: Path, factor: float, at: Array) -> bool:
    points = path.curve(PLACES)[0] * factor + at
    found = inverse(arm, points, restarts=0)
    # One posture for all of it: an arm cannot change sides on the way.
    return bool(found.reachable.all() and found.within_limits.all(axis=0).any())

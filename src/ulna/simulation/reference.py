"""What a controller is told to follow, at every tick."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array, float_array
from ulna.control import Reference
from ulna.errors import InputError, Problem
from ulna.kinematics import tip
from ulna.simulation.options import joint_values
from ulna.simulation.sources import check_takes_time, named

# Gives angles, rates and accelerations (3, n) at a time.
Follow: TypeAlias = Callable[[float], Array]

BLOCK = 4096  # ticks that are worked out together


def read_reference(arm: Arm, given: Any, q0: Array) -> tuple[Follow, Any]:
    """Take a posture (n,) to hold, or a function of t that gives q, (q, qd) or (q, qd, qdd).

    Without one the arm is to stay where it starts. Gives it with a description as plain values.
    """
    if callable(given):
        return _following(arm, given), named(given)
    posture = q0 if given is None else joint_values(arm, "reference", given, "rad")
    rows = np.zeros((3, arm.n))
    rows[0] = posture
    return (lambda t: rows), posture.tolist()


def _following(arm: Arm, given: Callable[[float], Any]) -> Follow:
    check_takes_time(given, "reference")

    def rows(t: float) -> Array:
        found = given(t)
        parts = found if isinstance(found, tuple) else (found,)
        if len(parts) > 3:
            raise InputError(Problem("reference", f"{len(parts)} parts", "q, qd and qdd at most"))
        result = np.zeros((3, arm.n))
        for row, part in zip(result, parts, strict=False):
            values = np.atleast_1d(float_array(part, "reference"))
            if values.shape != (arm.n,) or not np.isfinite(values).all():
                got = f"{values.tolist()} at t = {t:g} s"
                need = f"{arm.n} finite numbers each for q, and qd and qdd if they are given"
                raise InputError(Problem("reference", got, need))
            row[:] = values
        return result

    return rows


def block(follow: Follow, first: int, period: float, until: float) -> Array:
    """Give what is to be followed at the next ticks before a time, (ticks, 3, n, 1)."""
    left = math.ceil((until / period - first) * (1.0 - 1e-9))
    rows = [follow(tick * period) for tick in range(first, first + min(max(left, 1), BLOCK))]
    return np.ascontiguousarray(np.array(rows)[..., None])


def as_reference(arm: Arm, rows: Array) -> Reference:
    """Give rows (3, n) as a controller in Python reads them."""
    return Reference(rows[0], rows[1], rows[2], tip(arm, rows[0]))

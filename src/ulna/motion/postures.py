"""Postures along a path, found one after the other before anything is exact.

They say on which side the elbow is and in which turn every joint, and with joints to spare where
those go; between them the solvers of `solving` are exact.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.errors import InputError, Problem
from ulna.kinematics import Tracked
from ulna.kinematics.inverse import inverse
from ulna.kinematics.limits import are_limited
from ulna.kinematics.track import track
from ulna.motion.pace import Pace
from ulna.motion.path import Path
from ulna.motion.solving import make_solver
from ulna.motion.timing import Timing
from ulna.motion.trajectory import Trajectory

STEP = 0.02  # of the reach, between two postures
KNOTS = (2000, 401)  # of them, at least: of two links, and with joints to spare, which take longer
MOST_KNOTS = (1_000_000, 20_000)
FEW = 20  # points of a path that first postures are tried on


def followed(
    arm: Arm,
    path: Path,
    pace: Pace,
    times: Array,
    start: ArrayLike | str | None,
    posture: ArrayLike | None,
    floor: float | None,
) -> tuple[Trajectory, Tracked | None, Array]:
    """Give the trajectory, and the tracked joint angles with their times."""
    if path.in_joints:
        return Trajectory(arm, path, pace.timing, pace.duration, None), None, times
    u = np.linspace(0.0, 1.0, _count_knots(arm, path, pace.timing))
    known = pace.duration * u
    points = pace.timing.points(path, u)[0]
    tracked = _tracked(arm, points, start, posture=posture, floor=floor)
    good: Array = np.isfinite(tracked.q).all(axis=-1)
    if not good.any():
        good[:] = True
    solver = make_solver(arm, known[good], np.nan_to_num(tracked.q[good]))
    return Trajectory(arm, path, pace.timing, pace.duration, solver), tracked, known


def _tracked(arm: Arm, points: Array, start: ArrayLike | str | None, **options: Any) -> Tracked:
    """Track points, from a first posture that limits are not in the way of if nobody chose one."""
    if start is None and are_limited(arm.parameters):
        first = inverse(arm, points[0])
        few = points[:: max(len(points) // FEW, 1)] if arm.n > 2 else points
        tried = {}
        for k, posture in enumerate(first.q[first.within_limits]):
            tried[k] = (int(track(arm, few, posture, **options).ok.sum()), posture)
            if tried[k][0] == len(few):
                break
        if tried:
            start = max(tried.values(), key=lambda pair: pair[0])[1]
    return track(arm, points, start, **options)


def _count_knots(arm: Arm, path: Path, timing: Timing) -> int:
    """Choose so many postures that the tip moves little between two, and no turn is lost."""
    speed = np.linalg.norm(timing.points(path, timing.looks(path))[1], axis=-1)
    least, most = KNOTS[arm.n > 2], MOST_KNOTS[arm.n > 2]
    count = max(least, math.ceil(1.2 * float(np.max(speed)) / (STEP * arm.reach)))
    if count > most:
        got = f"{path}, which is {count / most:.3g} times too long to be followed at once"
        raise InputError(Problem("path", got, "a shorter one", "plan it in parts"))
    return count

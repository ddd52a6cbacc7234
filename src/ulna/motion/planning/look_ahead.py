"""Look-ahead: speeds and accelerations of the tip that are used up wherever a path lets them.

A law with a cruise, a trapezoid or an s-curve, under both limits of the tip: it cruises where it
can, brakes in time for bends, and stops at corners. An s-curve is a trapezoid averaged over the
time v/a that its ramps take, so that on a straight line both are what they are without look-ahead.
"""

from __future__ import annotations

import numpy as np

from ulna.arm import Arm
from ulna.motion.paths.path import Path
from ulna.motion.planning.fastest_timing import FastestLaw, fastest_law, law_timing
from ulna.motion.planning.limiting import Limiting
from ulna.motion.planning.plan_request import Limits, PlanRequest
from ulna.motion.planning.timing_limits import TipLimits
from ulna.motion.trajectory import LAWS, Timing, Trajectory

CRUISING = [name for name, timing in LAWS.items() if timing.sharpness]  # laws with a cruise
MOST_SHARE = 0.5  # of the fastest time between two stops, that the window of an s-curve takes
AS_QUICK = 0.999  # of a duration: a law that takes more than this part of it is no quicker


def look_ahead(arm: Arm, path: Path, timing: Timing, limits: Limits) -> Timing:
    """Return a trapezoid or an s-curve that slows down only where it must."""
    tip = limits.speed or np.inf, limits.acceleration or np.inf
    return law_timing(timing.name, _law(arm, path, timing, tip))


def quicker(arm: Arm, path: Path, timing: Timing, limits: Limits, lasting: float) -> Timing | None:
    """Return the same if it takes less time than a law for the whole path, or stops at corners."""
    ahead = look_ahead(arm, path, timing, limits)
    stops = np.setdiff1d(path.corners, np.ravel(path.strokes))
    taken = ahead.duration or np.inf
    return ahead if len(stops) or taken < AS_QUICK * lasting else None


def what_limits(trajectory: Trajectory, request: PlanRequest) -> tuple[Limiting, ...]:
    """Return what limits a motion that was requested, if its law looks ahead.

    Where a path is straight the closed form of a law is as quick, and held up by the same.
    """
    timing = trajectory.timing
    if isinstance(timing.law, FastestLaw):
        return timing.law.limiting
    if not request.limits.look_ahead(request.duration) or timing.name not in CRUISING:
        return ()
    tip = request.limits.speed or np.inf, request.limits.acceleration or np.inf
    return _law(trajectory.arm, trajectory.path, timing, tip).limiting


def _law(arm: Arm, path: Path, timing: Timing, tip: tuple[float, float]) -> FastestLaw:
    """Return the law under a speed [m/s] and an acceleration [m/s²] of the tip."""
    window = 0.0 if timing.name == "trapezoid" else None
    return fastest_law(TipLimits(arm, path, *tip, np.ones(2)), path, None, window, MOST_SHARE)

"""Look-ahead: speeds and accelerations of the tip that are used up wherever a path lets them.

A law with a cruise, a trapezoid or an s-curve, under both limits of the tip: it cruises where it
can, brakes in time for bends, and stops at corners. An s-curve is a trapezoid averaged over the
time v/a that its ramps take, so that on a straight line both are what they are without look-ahead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ulna.arm import Arm
from ulna.motion.paths.path import Path
from ulna.motion.planning.fastest_timing import fastest_law, law_timing
from ulna.motion.planning.timing_limits import TipLimits
from ulna.motion.trajectory import Timing

if TYPE_CHECKING:
    from ulna.motion.planning.plan import Limits

MOST_SHARE = 0.5  # of the fastest time between two stops, that the window of an s-curve takes
AS_QUICK = 0.999  # of a duration: a law that takes more than this part of it is no quicker


def look_ahead(arm: Arm, path: Path, timing: Timing, limits: Limits) -> Timing:
    """Return a trapezoid or an s-curve that slows down only where it must."""
    speed, acceleration = limits.speed or np.inf, limits.acceleration or np.inf
    tip = TipLimits(arm, path, speed, acceleration, np.ones(2))
    window = 0.0 if timing.name == "trapezoid" else speed / acceleration
    return law_timing(timing.name, fastest_law(tip, path, None, window, MOST_SHARE))


def quicker(arm: Arm, path: Path, timing: Timing, limits: Limits, lasting: float) -> Timing | None:
    """Return the same if it takes less time than a law for the whole path, or stops at corners."""
    ahead = look_ahead(arm, path, timing, limits)
    stops = np.setdiff1d(path.corners, np.ravel(path.strokes))
    taken = ahead.duration or np.inf
    return ahead if len(stops) or taken < AS_QUICK * lasting else None

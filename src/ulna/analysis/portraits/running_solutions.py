"""The running solution: the joint turns for ever, and every turn is like the one before.

On the cylinder it is a closed orbit, a limit cycle. With P(ω) the speed after a turn that begins
with ω at some angle, it is where P(ω) = ω. A turn takes T = ∮ dθ/ω; over time the mean speed is
2π/T, over the angle ∮ ω dθ / 2π. A small error of ω is multiplied by P′ = exp(∫ ∂θ̈/∂ω dt) each
turn, which is exp(−b T/M) where only friction depends on the speed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ulna.analysis.portraits.flow import TURN, Flow, OrbitSegment
from ulna.analysis.portraits.phase_equilibria import PhaseEquilibrium
from ulna.analysis.portraits.separatrices import landing, passing, tops
from ulna.arrays import Array

SAMPLES = 4097
DOUBLINGS = 40
NUDGE = 1e-5  # of a speed


@dataclass(frozen=True, eq=False, slots=True)
class RunningSolution:
    """The running solution: a limit cycle of the cylinder, turn after turn the same.

    Attributes
    ----------
    direction : int
        1 counter-clockwise, −1 clockwise.
    period : float
        Of a turn [s].
    mean : float
        Mean speed over time [rad/s].
    mean_over_angle : float
        Mean speed over the angle [rad/s].
    slowest : float
        The least speed [rad/s].
    fastest : float
        The largest speed [rad/s].
    multiplier : float
        Floquet multiplier of a small error in a turn; it dies out if that is less than one.
    segment : OrbitSegment
        One turn.
    """

    direction: int
    period: float
    mean: float
    mean_over_angle: float
    slowest: float
    fastest: float
    multiplier: float
    segment: OrbitSegment


def find_running_solutions(
    flow: Flow, equilibria: tuple[PhaseEquilibrium, ...]
) -> tuple[RunningSolution, ...]:
    """Return the running solutions that attract, one for each direction at most."""
    if not flow.cylinder or (flow.constant is not None and not flow.damping):
        return ()
    found = []
    for direction in (1, -1):
        start = _lowest(flow, equilibria, direction)
        if start is not None:
            speed = _fixed_point(flow, start[0], direction, start[1])
            if speed is not None:
                found.append(_measured(flow, start[0], direction, speed))
    return tuple(found)


def _lowest(
    flow: Flow, equilibria: tuple[PhaseEquilibrium, ...], direction: int
) -> tuple[float, float] | None:
    """Return an angle and a speed there that is below the running solution, if there is one."""
    for equilibrium in tops(flow, equilibria):
        speed = landing(flow, equilibrium, direction)
        if speed is not None:
            return equilibrium.angle, abs(speed)
    angles = np.linspace(-math.pi, math.pi, 361)
    accelerations = direction * flow.acceleration(angles, 0.0)
    if equilibria or not (accelerations > 0.0).all():
        return None
    return float(angles[np.argmax(accelerations)]), 0.0


def _after_turn(flow: Flow, angle: float, direction: int, speed: float) -> float:
    return abs(flow.end(angle, direction * speed, passing(flow, angle, direction))[2])


def _fixed_point(flow: Flow, angle: float, direction: int, low: float) -> float | None:
    """Solve P(ω) = ω above a speed that grows."""
    from scipy.optimize import brentq

    def gain(speed: float) -> float:
        return _after_turn(flow, angle, direction, speed) - speed

    low = max(low, 1e-9 * flow.natural_frequency)
    high = 2.0 * max(low, flow.natural_frequency)
    for _ in range(DOUBLINGS):
        if gain(high) < 0.0:
            return float(brentq(gain, low, high, xtol=1e-13 * high, rtol=1e-14))
        low, high = high, 2.0 * high
    return None


def _measured(flow: Flow, angle: float, direction: int, speed: float) -> RunningSolution:
    period, *_ = flow.end(angle, direction * speed, passing(flow, angle, direction))
    segment = flow.segment(angle, direction * speed, period, SAMPLES)
    speeds = np.abs(segment.speed)
    low, high = _extremes(segment.t, speeds, direction * flow.acceleration(*segment[1:]))
    aside = NUDGE * speed
    ends = [_after_turn(flow, angle, direction, speed + side * aside) for side in (1.0, -1.0)]
    for values in segment:
        values.flags.writeable = False
    return RunningSolution(
        direction=direction,
        period=period,
        mean=direction * TURN / period,
        # The mean of a function over its period is that of its samples, to all digits.
        mean_over_angle=direction * float(np.mean(speeds[:-1] ** 2)) * period / TURN,
        slowest=low,
        fastest=high,
        multiplier=(ends[0] - ends[1]) / (2.0 * aside),
        segment=segment,
    )


def _extremes(t: Array, values: Array, slopes: Array) -> tuple[float, float]:
    """Return the least and the largest value of a curve (k,) with known slopes, between samples."""
    found = [float(np.min(values)), float(np.max(values))]
    for k in np.flatnonzero(slopes[1:] * slopes[:-1] < 0.0):
        step, part = t[k + 1] - t[k], slopes[k] / (slopes[k] - slopes[k + 1])
        # The slope is as good as straight over so short a piece.
        found.append(float(values[k] + 0.5 * slopes[k] * part * step))
    return min(found), max(found)

"""The regimes of one joint that the paper draws, each a phase portrait that is made once.

Where the paper does not say how fast its orbits start, the speeds are ours, chosen to show what it
describes.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ulna.analysis.portraits import Portrait, portrait
from ulna.papers.bechard.parameters import DRIVEN, DRIVEN_TORQUE, ONE, UNDER_POWERED
from ulna.simulation import simulate

PI = np.pi
NEARLY = 3.5  # [rad/s], where the driven arm is counted as running


@cache
def pendulum() -> Portrait:
    """Return figure 1: no torque."""
    starts = [(0.0, 2.0), (0.0, 5.0), (0.0, 8.0)]
    return portrait(ONE, starts=starts, angles=(-1.5 * PI, 6.5 * PI), speeds=(-9.0, 9.0))


@cache
def driven() -> Portrait:
    """Return figure 2: a torque that is more than the weight."""
    starts = [(0.0, 0.0), (0.0, -2.0), (0.0, 5.0)]
    return portrait(
        DRIVEN, torque=DRIVEN_TORQUE, starts=starts, angles=(-PI, 8.0 * PI), speeds=(-3.0, 6.0)
    )


@cache
def raised() -> Portrait:
    """Return figure 3: an under-powered motor, from rest at three angles."""
    starts = [(-0.5 * PI, 0.0), (-0.75 * PI, 0.0), (-PI, 0.0)]
    return portrait(
        ONE, torque=UNDER_POWERED, starts=starts, angles=(-1.25 * PI, 4.0 * PI), speeds=(-6.0, 12.0)
    )


@cache
def pushed() -> Portrait:
    """Return figure 4: the same motor, level, with three speeds forwards."""
    starts = [(0.0, 1.0), (0.0, 3.07), (0.0, 3.2)]
    return portrait(
        ONE, torque=UNDER_POWERED, starts=starts, angles=(-1.25 * PI, 3.0 * PI), speeds=(-6.0, 10.0)
    )


@cache
def thrown_back() -> Portrait:
    """Return figure 5: the same motor, level, with three speeds backwards."""
    starts = [(0.0, -6.0), (0.0, -9.0), (0.0, -11.0)]
    return portrait(
        ONE, torque=UNDER_POWERED, starts=starts, angles=(-5.0 * PI, PI), speeds=(-12.0, 12.0)
    )


@cache
def time_to_run() -> float:
    """Return the time [s] that the driven arm takes from rest until it is nearly running."""
    run = simulate(
        DRIVEN, q0=[0.0], torque=[DRIVEN_TORQUE], duration=60.0, until=f"qd1 - {NEARLY}",
        samples=2, progress=False,
    )  # fmt: skip
    return float(run.final.t)


@cache
def lingering() -> tuple[float, float]:
    """Return how high [rad] the arm comes from 3.07 rad/s, and when [s] it is back at level."""
    run = simulate(
        ONE, q0=[0.0], qd0=[3.07], torque=[UNDER_POWERED], duration=5.0,
        events={"highest": "qd1", "level": "q1"}, samples=2, progress=False,
    )  # fmt: skip
    highest = next(event for event in run.events if event.name == "highest")
    level = next(event for event in run.events if event.name == "level" and event.t > highest.t)
    return float(highest.q[0]), float(level.t)

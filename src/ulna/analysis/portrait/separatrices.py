"""The orbits that begin or end in a saddle: they part what comes to rest from what goes on."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ulna.analysis.portrait.flow import TURN, Course, Flow
from ulna.analysis.portrait.rests import Rest

ASIDE = 1e-6  # [rad] from the saddle, where an orbit is still straight
SAMPLES = 3001
SHORTEST, LONGEST = 5.0, 20.0  # [rad] of small swings that an orbit is followed for


@dataclass(frozen=True, eq=False, slots=True)
class Separatrix:
    """One of the four orbits of a saddle: to it (`incoming`) or from it, on one `side` of it."""

    saddle: Rest
    incoming: bool
    side: int  # +1 where it leaves or comes at larger angles, −1 at smaller ones
    course: Course


def find_separatrices(
    flow: Flow, rests: tuple[Rest, ...], fastest: float
) -> tuple[Separatrix, ...]:
    """Give the separatrices of all saddles, as far as they are slower than `fastest` [rad/s]."""
    return tuple(
        _separatrix(flow, rest, side, fastest, incoming=incoming)
        for rest in rests
        if rest.saddle
        for incoming in (True, False)
        for side in (1, -1)
    )


def _separatrix(
    flow: Flow, saddle: Rest, side: int, fastest: float, *, incoming: bool
) -> Separatrix:
    rate = saddle.rate(leaving=not incoming)
    decay = max(flow.damping / flow.inertia, 1e-3 * flow.frequency)
    rest = min(max(8.0 / decay, SHORTEST / flow.frequency), LONGEST / flow.frequency)
    course = flow.course(
        saddle.angle + side * ASIDE,
        side * ASIDE * rate,
        math.log(1.0 / ASIDE) / abs(rate) + rest,
        SAMPLES,
        until=f"abs(qd1) > {fastest!r}",
        backwards=incoming,
    )
    return Separatrix(saddle, incoming, side, course)


def landing(flow: Flow, saddle: Rest, side: int) -> float | None:
    """Give the speed [rad/s] with which an orbit from a saddle passes the next, a turn on.

    None if it does not get so far.
    """
    speed = side * ASIDE * saddle.rate(leaving=True)
    _, angle, speed = flow.end(saddle.angle + side * ASIDE, speed, passing(saddle.angle, side))
    return speed if side * speed > 0.0 and side * (angle - saddle.angle) > 0.5 * TURN else None


def passing(angle: float, side: int) -> str:
    """Give the condition that a joint has made a turn from an angle, or stands still before."""
    end = angle + side * TURN
    return f"max({side} * (q1 - {end!r}), -{side} * qd1) > 0"

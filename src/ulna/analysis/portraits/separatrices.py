"""The orbits that begin or end in a saddle: they part what comes to rest from what goes on."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ulna.analysis.portraits.flow import TURN, Course, Flow
from ulna.analysis.portraits.phase_equilibria import Rest

ASIDE = 1e-6  # [rad] from the saddle, where an orbit is still straight
BESIDE = 1e-3  # [rad] from a rest that only half holds
CREEPING = 1.2  # b/(M ω) above which nothing runs that could also rest; the border is 1.19
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
    """Return the separatrices of all saddles, as far as they are slower than `fastest` [rad/s]."""
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


def launch(rest: Rest, side: int) -> tuple[float, float]:
    """Return the state in which an orbit has just left a saddle, or a rest that only half holds."""
    if rest.saddle:
        return rest.angle + side * ASIDE, side * ASIDE * rest.rate(leaving=True)
    return rest.angle + side * BESIDE, 0.0


def tops(flow: Flow, rests: tuple[Rest, ...]) -> list[Rest]:
    """Return the rests that a joint that runs has to pass: saddles, or where one just begins."""
    if any(rest.saddle for rest in rests):
        return [rest for rest in rests if rest.saddle]
    return [rest for rest in rests if rest.kind == "degenerate" and flow.heaviest]


def landing(flow: Flow, rest: Rest, side: int) -> float | None:
    """Return the speed [rad/s] with which an orbit from a saddle passes the next, a turn on.

    None if it does not get so far.
    """
    if flow.constant is not None and flow.damping > CREEPING * flow.inertia * flow.frequency:
        # So much friction has forgotten the push of the last turn before the next top.
        return None
    _, angle, speed = flow.end(*launch(rest, side), passing(flow, rest.angle, side))
    far = side * (angle - rest.angle) > TURN * (1.0 - 1e-9)
    return speed if far and side * speed > 0.0 else None


def passing(flow: Flow, angle: float, side: int) -> str:
    """Return the condition that a joint has made a turn from an angle, or will not make it."""
    end = angle + side * TURN
    ways = [f"{side} * (q1 - {end!r})", f"-{side} * qd1"]
    if flow.constant is not None:
        # Less energy than at the end of the turn, which friction does not give back.
        top = float(flow.energy(angle, 0.0)) - flow.constant * end
        ways.append(f"{top!r} - ({0.5 * flow.inertia!r} * qd1**2 + {flow.potential})")
    return f"max({', '.join(ways)}) > 0"

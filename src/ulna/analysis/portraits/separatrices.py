"""The orbits that begin or end in a saddle: they part what comes to rest from what goes on."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ulna.analysis.portraits.flow import TURN, Flow, OrbitSegment
from ulna.analysis.portraits.phase_equilibria import PhaseEquilibrium

ASIDE = 1e-6  # [rad] from the saddle, where an orbit is still straight
BESIDE = 1e-3  # [rad] from a degenerate equilibrium
CREEPING = 1.2  # b/(M ω) above which nothing runs that could also rest; the limit is 1.19
SAMPLES = 3001
SHORTEST, LONGEST = 5.0, 20.0  # [rad] of small swings that an orbit is followed for


@dataclass(frozen=True, eq=False, slots=True)
class Separatrix:
    """One of the four orbits that begin or end in a saddle.

    Attributes
    ----------
    saddle : PhaseEquilibrium
        Where it ends or begins.
    incoming : bool
        Whether it ends there.
    side : int
        1 where it leaves or comes at larger angles, −1 at smaller ones.
    segment : OrbitSegment
        The orbit as far as it is followed.
    """

    saddle: PhaseEquilibrium
    incoming: bool
    side: int
    segment: OrbitSegment


def find_separatrices(
    flow: Flow, equilibria: tuple[PhaseEquilibrium, ...], fastest: float
) -> tuple[Separatrix, ...]:
    """Return the separatrices of all saddles, as far as they are slower than `fastest` [rad/s]."""
    return tuple(
        _separatrix(flow, equilibrium, side, fastest, incoming=incoming)
        for equilibrium in equilibria
        if equilibrium.saddle
        for incoming in (True, False)
        for side in (1, -1)
    )


def _separatrix(
    flow: Flow, saddle: PhaseEquilibrium, side: int, fastest: float, *, incoming: bool
) -> Separatrix:
    rate = saddle.rate(leaving=not incoming)
    decay = max(flow.damping / flow.inertia, 1e-3 * flow.natural_frequency)
    longest = min(
        max(8.0 / decay, SHORTEST / flow.natural_frequency), LONGEST / flow.natural_frequency
    )
    segment = flow.segment(
        saddle.angle + side * ASIDE,
        side * ASIDE * rate,
        math.log(1.0 / ASIDE) / abs(rate) + longest,
        SAMPLES,
        until=f"abs(qd1) > {fastest!r}",
        backwards=incoming,
    )
    return Separatrix(saddle, incoming, side, segment)


def launch(equilibrium: PhaseEquilibrium, side: int) -> tuple[float, float]:
    """Return the state in which an orbit has just left a saddle, or a degenerate equilibrium."""
    if equilibrium.saddle:
        return equilibrium.angle + side * ASIDE, side * ASIDE * equilibrium.rate(leaving=True)
    return equilibrium.angle + side * BESIDE, 0.0


def tops(flow: Flow, equilibria: tuple[PhaseEquilibrium, ...]) -> list[PhaseEquilibrium]:
    """Return the equilibria that a running joint has to pass: saddles, or degenerate ones."""
    if any(equilibrium.saddle for equilibrium in equilibria):
        return [equilibrium for equilibrium in equilibria if equilibrium.saddle]
    return [
        equilibrium
        for equilibrium in equilibria
        if equilibrium.kind == "degenerate" and flow.peak_gravity_torque
    ]


def landing(flow: Flow, equilibrium: PhaseEquilibrium, side: int) -> float | None:
    """Return the speed [rad/s] with which an orbit from a saddle passes the next, a turn on.

    None if it does not get so far.
    """
    if (
        flow.constant is not None
        and flow.damping > CREEPING * flow.inertia * flow.natural_frequency
    ):
        # So much friction has forgotten the energy of the last turn before the next top.
        return None
    _, angle, speed = flow.end(*launch(equilibrium, side), passing(flow, equilibrium.angle, side))
    far = side * (angle - equilibrium.angle) > TURN * (1.0 - 1e-9)
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

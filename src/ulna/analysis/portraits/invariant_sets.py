"""What a portrait is built around: separatrices, nullclines, running solutions.

Orbits leave a saddle along the eigenvector (1, λ) with λ > 0 and come to it along that with λ < 0.
These orbits, the separatrices, part what comes to rest from what goes on. With dry friction they
begin and end at the ends of sticking intervals (`phase_equilibria`).

The running solution turns for ever, and every turn is like the one before: on the cylinder it is
a closed orbit, a limit cycle. With P(ω) the speed after a turn that begins with ω at some angle, it
is where P(ω) = ω. A turn takes T = ∮ dθ/ω; over time the mean speed is 2π/T, over the angle
∮ ω dθ / 2π. A small error of ω is multiplied by P′ = exp(∫ ∂θ̈/∂ω dt) each turn, which is
exp(−b T/M) where only viscous damping depends on the speed.

Orbits that run one way do not cross, so P grows with ω. Friction that falls with the speed may give
it a second fixed point, below the first and unstable: what is slower comes to rest, even if a joint
that leaves the sticking set does not get round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ulna.analysis.portraits.flow import TURN, Flow, OrbitSegment
from ulna.analysis.portraits.phase_equilibria import (
    PhaseEquilibrium,
    find_sticking_set,
    leaving_ends,
)
from ulna.arrays import Array, freeze

ASIDE = 1e-6  # [rad] from the saddle, where an orbit is still straight
BESIDE = 1e-3  # [rad] from a degenerate equilibrium
CREEPING = 1.2  # b/(M ω) above which nothing runs that could also rest; the limit is 1.19
SAMPLES = 3001
SHORTEST, LONGEST = 5.0, 20.0  # [rad] of small swings that an orbit is followed for
GRID = 401  # along each side of the grid
RUNNING_SAMPLES = 4097
DOUBLINGS = 40
RUNNING_SPEEDS = np.geomspace(0.01, 30.0, 32)  # of small swings, that are tried
HALTING = 1e-15  # of small swings: a speed that is as good as none
CREEPS = 4.0  # times that it may take to creep through an interval at the Stribeck velocity
SLACK = 1e-9  # [J] of energy for each N·m of the weight
STRAIGHT = 1e-2  # of the weight: how much friction may differ beside a saddle
NUDGE = 1e-5  # of a speed


def nullclines(
    flow: Flow, angles: tuple[float, float], speeds: tuple[float, float]
) -> tuple[Array, ...]:
    """Return the curves (k, 2) of angle and speed on which θ̈ = 0.

    The other nullcline, on which θ̇ = 0, is the axis of angles.
    """
    from contourpy import contour_generator

    x, y = np.linspace(*angles, GRID), np.linspace(*speeds, GRID)
    # Friction jumps where the speed is zero: each side has curves of its own.
    sides = [y[y > 0.0], y[y < 0.0]] if flow.sticks else [y]
    found = [
        line
        for part in sides
        if len(part) > 1
        for line in contour_generator(x, part, flow.acceleration(x, part[:, None])).lines(0.0)
    ]
    lines = [np.asarray(line, dtype=float) for line in found]
    freeze(*lines)
    return tuple(lines)


@dataclass(frozen=True, eq=False, slots=True)
class Separatrix:
    """An orbit that begins or ends in a saddle, which has four of them.

    Attributes
    ----------
    saddle : PhaseEquilibrium
        Where it ends or begins. With dry friction it is the end of a sticking interval, a saddle
        of the flow with one sign of the speed, and has three of them: one into it and one out of
        it, and with the other sign the orbit that comes to rest there.
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
    if flow.sticks:
        return tuple(
            one
            for end, way in departures(flow, equilibria)
            for one in (
                _separatrix(flow, end, -way, fastest, incoming=True),
                _separatrix(flow, end, way, fastest, incoming=True, start=halting(flow, end, way)),
                _separatrix(flow, end, way, fastest, incoming=False),
            )
        )
    return tuple(
        _separatrix(flow, equilibrium, side, fastest, incoming=incoming)
        for equilibrium in equilibria
        if equilibrium.saddle
        for incoming in (True, False)
        for side in (1, -1)
    )


def _separatrix(
    flow: Flow,
    saddle: PhaseEquilibrium,
    side: int,
    fastest: float,
    *,
    incoming: bool,
    start: tuple[float, float] | None = None,
) -> Separatrix:
    rate = saddle.rate(leaving=not incoming)
    decay = max(flow.damping / flow.inertia, 1e-3 * flow.natural_frequency)
    longest = min(
        max(8.0 / decay, SHORTEST / flow.natural_frequency), LONGEST / flow.natural_frequency
    )
    if start is None:
        start = launch(flow, saddle, side, leaving=not incoming)
        longest += math.log(1.0 / _straight_reach(flow, rate)) / abs(rate)
        if flow.stribeck and incoming:
            # Where torque is less than static friction and more than Coulomb friction, what is to
            # come to rest creeps along the speed at which friction balances it.
            slope = flow.inertia * abs(np.prod(saddle.eigenvalues.real))
            excess = flow.static_friction - flow.friction.coulomb
            longest += CREEPS * excess / (slope * flow.friction.stribeck_velocity)
    until = f"abs(qd1) > {fastest!r}"
    segment = flow.segment(*start, longest, SAMPLES, until=until, backwards=incoming)
    return Separatrix(saddle, incoming, side, segment)


def halting(flow: Flow, end: PhaseEquilibrium, way: int) -> tuple[float, float]:
    """Return the state of a joint that comes to rest at the end of the interval that it enters.

    It moves against the way in which joints leave there. A little slower it would not get in, and
    go back.
    """
    return end.angle, -way * HALTING * flow.natural_frequency


def _straight_reach(flow: Flow, rate: float) -> float:
    """Return how far [rad] beside a saddle orbits are still straight."""
    if not flow.stribeck:
        return ASIDE
    # Friction falls by (f_s − f_c) (θ̇/ω_s)² at first, which has to be little beside the weight.
    excess = flow.static_friction - flow.friction.coulomb
    curved = excess * (rate / flow.friction.stribeck_velocity) ** 2
    return min(ASIDE, STRAIGHT * flow.inertia * rate**2 / curved)


def launch(
    flow: Flow, equilibrium: PhaseEquilibrium, side: int, *, leaving: bool = True
) -> tuple[float, float]:
    """Return the state in which an orbit has just left a saddle, or will soon be there.

    Orbits leave a degenerate equilibrium too.
    """
    if equilibrium.saddle:
        rate = equilibrium.rate(leaving=leaving)
        aside = _straight_reach(flow, rate)
        return equilibrium.angle + side * aside, side * aside * rate
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


def departures(
    flow: Flow, equilibria: tuple[PhaseEquilibrium, ...]
) -> list[tuple[PhaseEquilibrium, int]]:
    """Return from where joints start to run, and in which direction.

    They are the tops, to both sides; with dry friction the ends of the sticking set, to one.
    """
    if flow.sticks:
        shown = [one.angle for one in equilibria] or [0.0]
        return leaving_ends(flow, find_sticking_set(flow, (min(shown), max(shown))))
    return [(equilibrium, side) for equilibrium in tops(flow, equilibria) for side in (1, -1)]


def landing(flow: Flow, equilibrium: PhaseEquilibrium, side: int) -> float | None:
    """Return the speed [rad/s] with which an orbit from a saddle passes the next, a turn on.

    None if it does not get so far.
    """
    creeps = flow.damping > CREEPING * flow.inertia * flow.natural_frequency
    if flow.constant is not None and creeps and not flow.stribeck:
        # So much damping has forgotten the energy of the last turn before the next top.
        return None
    start = launch(flow, equilibrium, side)
    _, angle, speed = flow.end(*start, passing(flow, equilibrium.angle, side))
    far = side * (angle - equilibrium.angle) > TURN * (1.0 - 1e-9)
    return speed if far and side * speed > 0.0 else None


def passing(flow: Flow, angle: float, side: int) -> str:
    """Return the condition that a joint has made a turn from an angle, or will not make it."""
    end = angle + side * TURN
    ways = [f"{side} * (q1 - {end!r})", f"-{side} * qd1"]
    if flow.constant is not None:
        # Less energy than at the end of the turn, which friction does not give back. Drag takes so
        # little of it beside a saddle that rounding errors take more.
        top = float(flow.energy(angle, 0.0)) - flow.constant * end
        top -= SLACK * flow.peak_gravity_torque if flow.friction.drag else 0.0
        ways.append(f"{top!r} - ({0.5 * flow.inertia!r} * qd1**2 + {flow.potential})")
    return f"max({', '.join(ways)}) > 0"


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
    if not flow.cylinder or (flow.constant is not None and not flow.bounded):
        return ()
    found = []
    for direction in (1, -1):
        start = _lowest(flow, equilibria, direction)
        repelling = None if start else find_repelling_cycle(flow, direction)
        if repelling is not None:
            start = repelling.angle, repelling.gaining
        if start is not None:
            speed = _fixed_point(flow, start[0], direction, start[1])
            if speed is not None:
                found.append(_measured(flow, start[0], direction, speed))
    return tuple(found)


class RepellingCycle(NamedTuple):
    """A running solution that repels: its speed [rad/s] at an angle [rad], and one that grows."""

    angle: float
    speed: float
    gaining: float


def find_repelling_cycle(flow: Flow, direction: int) -> RepellingCycle | None:
    """Return the running solution in a direction between joints that stop and that go on.

    Friction that falls with the speed may have one, and so may a law that drives what is fast: what
    is slow is stopped where what is fast is driven on. It is looked for among some speeds, and not
    found if all that gain lie between two.
    """
    from scipy.optimize import brentq

    if not (flow.sticks and flow.cylinder):
        return None
    if flow.constant is not None:
        drives = direction * flow.constant > flow.friction.coulomb
        if not (flow.stribeck and drives):
            return None
    angles = np.linspace(-math.pi, math.pi, 361)
    angle = float(angles[np.argmin(direction * flow.net_torque(angles))])

    def gain(speed: float) -> float:
        return after_turn(flow, angle, direction, speed) - speed

    slower = 0.0
    for speed in (flow.natural_frequency * RUNNING_SPEEDS).tolist():
        if gain(speed) > 0.0:
            found = brentq(gain, slower, speed, xtol=1e-13 * speed, rtol=1e-14) if slower else speed
            return RepellingCycle(angle, float(found), speed)
        slower = speed
    return None


def _lowest(
    flow: Flow, equilibria: tuple[PhaseEquilibrium, ...], direction: int
) -> tuple[float, float] | None:
    """Return an angle and a speed there that is below the running solution, if there is one."""
    for equilibrium, side in departures(flow, equilibria):
        speed = landing(flow, equilibrium, side) if side == direction else None
        if speed is not None:
            return equilibrium.angle, abs(speed)
    angles = np.linspace(-math.pi, math.pi, 361)
    accelerations = direction * flow.acceleration(angles, 0.0)
    if (equilibria and not flow.sticks) or not (accelerations > 0.0).all():
        return None
    return float(angles[np.argmax(accelerations)]), 0.0


def after_turn(flow: Flow, angle: float, direction: int, speed: float) -> float:
    """Return the speed [rad/s] a turn after an angle was passed with one; 0 if it comes to rest."""
    until = passing(flow, angle, direction)
    _, end, after = flow.end(angle, direction * speed, until)
    return abs(after) if direction * (end - angle) > TURN * (1.0 - 1e-9) else 0.0


def _fixed_point(flow: Flow, angle: float, direction: int, low: float) -> float | None:
    """Solve P(ω) = ω above a speed that grows."""
    from scipy.optimize import brentq

    def gain(speed: float) -> float:
        return after_turn(flow, angle, direction, speed) - speed

    low = max(low, 1e-9 * flow.natural_frequency)
    high = 2.0 * max(low, flow.natural_frequency)
    for _ in range(DOUBLINGS):
        if gain(high) < 0.0:
            return float(brentq(gain, low, high, xtol=1e-13 * high, rtol=1e-14))
        low, high = high, 2.0 * high
    return None


def _measured(flow: Flow, angle: float, direction: int, speed: float) -> RunningSolution:
    period, *_ = flow.end(angle, direction * speed, passing(flow, angle, direction))
    segment = flow.segment(angle, direction * speed, period, RUNNING_SAMPLES)
    speeds = np.abs(segment.speed)
    low, high = _extremes(segment.t, speeds, direction * flow.acceleration(*segment[1:]))
    aside = NUDGE * speed
    ends = [after_turn(flow, angle, direction, speed + side * aside) for side in (1.0, -1.0)]
    freeze(*segment)
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

"""Basins of attraction, and where the fate changes: speeds, angles and torques between two ends.

Every start of a grid is coloured by what becomes of it. A boundary is found by bisection, sixteen
parts at a time: along a line of starts the fates are compared, and wherever two neighbours differ,
what lies between is divided again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ulna.actuation.friction import sliding_friction
from ulna.analysis.portraits.fates import UNDECIDED, UNDECIDED_NAME, Ends, Fate, Fates
from ulna.analysis.portraits.flow import TURN, Flow
from ulna.analysis.portraits.invariant_sets import (
    RUNNING_SPEEDS,
    after_turn,
    departures,
    find_repelling_cycle,
    halting,
    landing,
    launch,
)
from ulna.analysis.portraits.phase_equilibria import find_phase_equilibria
from ulna.arm import Arm, parameters_of
from ulna.arrays import Array, freeze
from ulna.concurrency import OnInterrupt, return_partial
from ulna.errors import InputError, Problem
from ulna.progress import progress as progress_line

SLICE = 250_000  # starts that move together
MOST_STEPS = 1.5e9  # of all starts, some two minutes
POINTS = 801  # of the first look along a line
PARTS = 16
BESIDE = 1e-6  # [rad/s] from an orbit into a saddle
MOST = 1000  # boundaries along a line
ROUGH, FINE = 1e-4, 1e-8  # of a speed or a torque, where friction falls with the speed
TOLERANCE = 1e-10  # [rad, rad/s], and of the largest weight for torques
FINER = 4.0  # steps than where a picture is painted


@dataclass(frozen=True, eq=False, slots=True)
class Basins:
    """What becomes of the starts on a grid.

    Attributes
    ----------
    angle : ndarray, shape (angles,)
        Angles of the starts [rad].
    speed : ndarray, shape (speeds,)
        Speeds of the starts [rad/s].
    label : ndarray of int, shape (speeds, angles)
        Which of `names` becomes of each, −1 where nothing could be decided.
    turns : ndarray of int, shape (speeds, angles)
        In which turn it comes to rest.
    names : tuple of str
        What can become of a start.
    """

    angle: Array
    speed: Array
    label: Array
    turns: Array
    names: tuple[str, ...]

    def share(self, number: int) -> float:
        """Return the part of the grid that has a fate.

        Parameters
        ----------
        number : int
            Which of `names`, −1 for what is undecided.

        Returns
        -------
        float
            From 0 to 1.
        """
        return float(np.mean(self.label == number))

    @property
    def undecided(self) -> float:
        """The part of the grid of which nothing could be said."""
        return self.share(UNDECIDED)


def find_basins(
    fates: Fates,
    angles: tuple[float, float],
    speeds: tuple[float, float],
    size: tuple[int, int],
    *,
    progress: bool | None,
    on_interrupt: OnInterrupt = "raise",
) -> Basins:
    """Simulate every start of a grid until its fate is certain; starts are middles of cells."""
    angle, speed = _middles(angles, size[0]), _middles(speeds, size[1])
    grid = [values.ravel() for values in np.meshgrid(angle, speed)]
    count = grid[0].size
    ends = Ends(np.full(count, UNDECIDED, dtype=np.int8), np.zeros(count, dtype=np.int32))
    label, turns = (end.reshape(size[::-1]) for end in ends)
    made = Basins(angle, speed, label, turns, fates.names)
    stopped = False
    with progress_line("basins", shown=progress) as report:
        try:
            for first in range(0, count, SLICE):
                part = slice(first, first + SLICE)
                weight = min(SLICE, count - first) / count

                def done(inside: float, first: int = first, weight: float = weight) -> None:
                    report(first / count + weight * inside)

                states, into = (grid[0][part], grid[1][part]), Ends(*(end[part] for end in ends))
                fates.of(*states, most=weight * MOST_STEPS, report=done, into=into)
        except KeyboardInterrupt:
            stopped = True
    freeze(made.angle, made.speed, made.label, made.turns)
    if stopped:
        told = f"interrupted: {100.0 * made.undecided:.0f} % of the starts are undecided"
        return return_partial(made, on_interrupt, told)
    return made


def _middles(ends: tuple[float, float], count: int) -> Array:
    edges = np.linspace(*ends, count + 1)
    return np.asarray(0.5 * (edges[1:] + edges[:-1]))


class BasinBoundary(NamedTuple):
    """Where the fate of starts along a line changes, and what it is on both sides.

    Attributes
    ----------
    value : float
        A speed [rad/s] or an angle [rad].
    below : Fate
        What becomes of starts below it.
    above : Fate
        What becomes of starts above it.
    """

    value: float
    below: Fate
    above: Fate


def find_basin_boundaries(
    fates: Fates, low: float, high: float, *, angle: float | None = None, speed: float = 0.0
) -> tuple[BasinBoundary, ...]:
    """Return the boundaries from low to high: of speeds at an angle, else of angles at a speed."""
    flow = fates.flow
    if angle is not None and flow.sticks and flow.constant is not None:
        return _exact_boundaries(fates, angle, low, high)

    def ends(values: Array) -> Array:
        fixed = np.full(values.size, speed if angle is None else angle)
        state = (values.ravel(), fixed) if angle is None else (fixed, values.ravel())
        label, turns = fates.of(*state, finer=FINER)
        return np.stack([label, turns], axis=-1).reshape(*values.shape, 2)

    grid = np.linspace(low, high, POINTS)
    if angle is not None:
        grid = np.union1d(grid, _beside_separatrices(flow, angle, low, high))
    grid, found = grid[None], ends(grid)[None]
    while True:
        span, part = np.nonzero((found[:, 1:] != found[:, :-1]).any(axis=-1))
        _check_count(len(span))
        low_ends, high_ends = grid[span, part], grid[span, part + 1]
        if not len(span) or np.max(high_ends - low_ends) <= TOLERANCE:
            sides = np.stack([found[span, part], found[span, part + 1]], axis=1)
            return _merged(fates, 0.5 * (low_ends + high_ends), sides)
        grid = np.linspace(low_ends, high_ends, PARTS + 1, axis=-1)
        found = ends(grid)


def _exact_boundaries(
    fates: Fates, angle: float, low: float, high: float
) -> tuple[BasinBoundary, ...]:
    """Return the boundaries of speeds with dry friction: orbits into the ends of the sticking set.

    Between two of them the fate is the same, and one start tells it.
    """
    flow = fates.flow
    found = np.array(_separatrix_speeds(flow, angle, 1.01 * max(abs(low), abs(high))))
    speeds = np.unique(found[(found > low) & (found < high)])
    _check_count(len(speeds))
    edges = np.concatenate([[low], speeds, [high]])
    middles = 0.5 * (edges[1:] + edges[:-1])
    label, turns = fates.of(np.full(middles.size, angle), middles, finer=FINER)
    ends = np.stack([label, turns], axis=-1)
    return _merged(fates, speeds, np.stack([ends[:-1], ends[1:]], axis=1))


def _beside_separatrices(flow: Flow, angle: float, low: float, high: float) -> Array:
    """Return the speeds between which the fate changes: just beside the orbits into a saddle.

    Bands of one fate may be too narrow for any grid; these orbits are what bounds them.
    """
    if flow.constant is None:
        return np.zeros(0)
    found = np.array(_separatrix_speeds(flow, angle, 1.01 * max(abs(low), abs(high))))
    beside = np.concatenate([found - BESIDE, found + BESIDE])
    return beside[(beside > low) & (beside < high)]


def _separatrix_speeds(flow: Flow, angle: float, fastest: float) -> list[float]:
    """Return the speeds [rad/s] at which what parts two fates passes an angle."""
    speeds: list[float] = []
    for equilibrium, side in departures(flow, find_phase_equilibria(flow, (-math.pi, math.pi))):
        if equilibrium.saddle:
            starts = [launch(flow, equilibrium, -side, leaving=False)]
            if flow.sticks:
                starts.append(halting(flow, equilibrium, side))
            for start in starts:
                speeds += flow.crossings(start, angle, fastest)
    for side in (1, -1):
        cycle = find_repelling_cycle(flow, side)
        if cycle is not None:
            next_angle = cycle.angle + side * (side * (angle - cycle.angle) % TURN)
            until = f"{side} * (q1 - {next_angle!r}) > 0"
            speeds.append(flow.end(cycle.angle, side * cycle.speed, until)[2])
    return speeds


def _check_count(count: int) -> None:
    if count > MOST:
        need = f"a range with at most {MOST}"
        raise InputError(
            Problem("boundaries", f"{count:,} changes of fate", need, "narrow the range")
        )


def _merged(fates: Fates, values: Array, sides: Array) -> tuple[BasinBoundary, ...]:
    """Name the boundaries (k,) with ends (k, 2, 2); on the edge itself nothing may be decided."""
    found: list[BasinBoundary] = []
    for value, (below, above) in zip(values.tolist(), sides, strict=True):
        first = fates.fate(*below)
        if found and value - found[-1].value < 10.0 * TOLERANCE:
            value, first, _ = found.pop()
        found.append(BasinBoundary(value, first, fates.fate(*above)))
    return tuple(
        boundary for boundary in found if boundary.below != boundary.above and _known(boundary)
    )


def _known(boundary: BasinBoundary) -> bool:
    """Return whether both sides are decided: how far one got with a start is no boundary."""
    return UNDECIDED_NAME not in (boundary.below.name, boundary.above.name)


class CriticalTorques(NamedTuple):
    """The torques that matter to a joint that turns in the weight of its arm.

    Attributes
    ----------
    lifting : float
        Above it there is no equilibrium [N·m]: the joint runs from wherever it is.
    running : float
        Above it a joint that runs keeps running [N·m].
    """

    lifting: float
    running: float


def find_critical_torques(flow: Flow) -> CriticalTorques | None:
    """Return the critical torques of a joint that a constant torque drives.

    Where it turns Coulomb friction takes f_c off the torque, whatever the speed.
    """
    weight, static = flow.peak_gravity_torque, flow.static_friction
    if flow.law is not None or not (weight or flow.sticks):
        return None
    tireless = replace(flow, arm=_tireless(flow))
    slides = replace(tireless, arm=tireless.arm.without_friction(keep_drag=True))
    if flow.stribeck and flow.bounded:
        return CriticalTorques(weight + static, _least_running_torque(tireless))
    running = _least_running(slides) if weight else 0.0
    return CriticalTorques(weight + static, flow.friction.coulomb + running)


def _least_running_torque(flow: Flow) -> float:
    """Return the least torque of all that keep some speed, where friction falls with the speed."""
    from scipy.optimize import minimize_scalar

    lifting = flow.peak_gravity_torque + flow.static_friction
    speeds = flow.natural_frequency * RUNNING_SPEEDS[::3]
    torques = [_keeping(flow, speed, ROUGH) for speed in speeds.tolist()]
    best = int(np.argmin(torques))
    if torques[best] >= lifting:
        return lifting
    around = speeds[max(best - 1, 0)], speeds[min(best + 1, len(speeds) - 1)]
    found = minimize_scalar(
        lambda speed: _keeping(flow, speed, FINE),
        bounds=around,
        method="bounded",
        options={"xatol": ROUGH * around[0], "maxiter": 20},
    )
    return min(float(found.fun), lifting)


def _keeping(flow: Flow, speed: float, tolerance: float) -> float:
    """Return the torque with which a joint that passes the top at a speed does so a turn on.

    It is the torque that lifts the joint at most.
    """
    from scipy.optimize import brentq

    if not flow.peak_gravity_torque:
        rate = np.array([speed])
        dry = sliding_friction(np, parameters_of(flow.free), rate, np.ones(1))
        return flow.damping * speed + float(dry[0])
    angle = find_phase_equilibria(replace(flow, torque=0.0), (-math.pi, math.pi))[-1].angle
    lifting = flow.peak_gravity_torque + flow.static_friction

    def gain(torque: float) -> float:
        return after_turn(replace(flow, torque=torque), angle, 1, speed) - speed

    if gain(lifting) <= 0.0:
        return lifting
    xtol = tolerance * flow.peak_gravity_torque
    return float(brentq(gain, flow.friction.coulomb, lifting, xtol=xtol))


def _least_running(flow: Flow) -> float:
    """Return the least torque that keeps a joint running: what leaves the saddle just passes it."""
    if not flow.bounded:
        return 0.0
    low, high = 0.0, flow.peak_gravity_torque
    while high - low > TOLERANCE * flow.peak_gravity_torque:
        middle = 0.5 * (low + high)
        if _passes(replace(flow, torque=middle)):
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def _tireless(flow: Flow) -> Arm:
    """Return the arm with a motor that has any torque, since the question is which it takes."""
    (joint,) = flow.free.joints
    return flow.free.replace(joints=[replace(joint, max_torque=math.inf)])


def _passes(flow: Flow) -> bool:
    saddles = [
        equilibrium
        for equilibrium in find_phase_equilibria(flow, (-math.pi, math.pi))
        if equilibrium.saddle
    ]
    return not saddles or landing(flow, saddles[0], 1) is not None

"""What becomes of a state: which equilibrium it comes to, or that it runs on for ever.

A state is decided long before it arrives: as soon as it is in a region that nothing leaves.

- Under a constant torque E = ½ M θ̇² + V(θ) − τ θ only falls. Where it is less than at both
  saddles around, the joint cannot leave the well between them any more.
- So does E = ½ M θ̇² − ∫ M θ̈(θ, 0) dθ under a law that only ever brakes, as springs and dampers
  do: Ė = θ̇ (τ(θ, θ̇) − τ(θ, 0) − b θ̇).
- Under any other law an equilibrium has an ellipse around it, of a quadratic form that falls along
  every orbit that meets it.
- What is faster than the orbit that leaves a saddle and passes the next can never come to rest.
- With dry friction a joint at rest in the sticking set stays there. Energy only falls: with less of
  it than at the nearest ends of the intervals beside, it comes to rest in the interval between.

On the cylinder wells that are whole turns apart are one; `turns` tells them apart.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ulna.analysis.portraits.flow import TURN, Flow
from ulna.analysis.portraits.invariant_sets import (
    SAMPLES,
    departures,
    find_repelling_cycle,
    landing,
    launch,
    passing,
    tops,
)
from ulna.analysis.portraits.phase_equilibria import EDGE, PhaseEquilibrium, StickingInterval
from ulna.arrays import Array
from ulna.errors import UlnaWarning
from ulna.simulation import simulate_batch
from ulna.simulation.simulate_arm import simulate

UNDECIDED, UNDECIDED_NAME = -1, "undecided"
STEP = 0.25  # [rad] that anything turns in a step at most
PATIENCE = 100.0  # [rad] of small swings that a state is given in any case
CHUNK, GROWTH = 4.0, 1.1  # [rad] of small swings after which it is asked who is decided, and more
MOST_STEPS = 2e8  # of all states together, some twenty seconds: what is left stays undecided
LANES = 16  # states that the engine moves together at least
REFINEMENTS, REFINED = 2, 8.0  # times that steps may become shorter, and by how much
NEARLY = 1e-6  # [rad] from the sticking set, and of small swings, at which a joint is caught
FINEST = 1e-9  # of a speed: how much faster than a separatrix is certainly faster
POINTS = 4000  # of a turn, at which the potential of a law is known
SURE = 1e-6  # of the swing of a potential: how much lower is certainly lower
RINGS, AROUND = 400, 180  # at which the quadratic form of an equilibrium is tried
# Gives for angles and speeds (k,) who is inside, and the turn of the well, which counts for those.
Region: TypeAlias = Callable[[Array, Array], tuple[Array, Array]]


class Fate(NamedTuple):
    """What becomes of an orbit.

    Attributes
    ----------
    name : str
        "settles at … rad", "swings about … rad", "runs on", "undecided" and so on.
    turns : int
        In which turn, counted from that of the portrait's well.
    """

    name: str
    turns: int


class Ends(NamedTuple):
    """What becomes of many states (…): which of the `names`, −1 if undecided, and the turns."""

    label: Array
    turns: Array


@dataclass(frozen=True, eq=False)
class Fates:
    """All that can become of a state, and the region of each that nothing leaves."""

    flow: Flow
    names: tuple[str, ...]
    regions: tuple[Region, ...]
    rate: float  # [Hz] of a controller

    def decide(self, angle: Array, speed: Array) -> Ends:
        """Return what is certain of states (k,)."""
        label = np.full(angle.shape, UNDECIDED, dtype=np.int8)
        turns = np.zeros(angle.shape, dtype=np.int32)
        for number, region in enumerate(self.regions):
            inside, turn = region(angle, speed)
            mine = inside & (label == UNDECIDED)
            label[mine], turns[mine] = number, np.broadcast_to(turn, angle.shape)[mine]
        return Ends(label, turns)

    def of(
        self,
        angle: Array,
        speed: Array,
        *,
        finer: float = 1.0,
        most: float = MOST_STEPS,
        report: Callable[[float], None] | None = None,
        into: Ends | None = None,
    ) -> Ends:
        """Return what becomes of states (k,), by letting those that are undecided move on.

        After so many steps (`most`) in all, what is not decided stays so. What is certain is
        noted `into` arrays (k,) as soon as it is.
        """
        angle, speed = np.array(angle, dtype=float), np.array(speed, dtype=float)
        ends = self.decide(angle, speed)
        if into is not None:
            for known, found in zip(into, ends, strict=True):
                known[:] = found
            ends = into
        fastest = float(np.max(np.abs(speed), initial=0.0))
        how, left = self._how(fastest, finer), self._longest(fastest)
        length = max(CHUNK / self.flow.natural_frequency, 2.0 * how["dt"])
        while left > 0.0 and most > 0.0:
            (moving,) = np.nonzero(ends.label == UNDECIDED)
            if report is not None:
                report(1.0 - len(moving) / max(len(angle), 1))
            if not len(moving):
                break
            most -= max(len(moving), LANES) * length / how["dt"]
            state = self._moved(angle[moving], speed[moving], min(length, left), how)
            angle[moving], speed[moving] = state
            for known, found in zip(ends, self.decide(*state), strict=True):
                known[moving] = found
            left, length = left - length, GROWTH * length
        return ends

    def _moved(
        self, angle: Array, speed: Array, length: float, how: dict[str, Any]
    ) -> tuple[Array, Array]:
        """Simulate states (k,) on, together on all cores; one by one under a law in Python."""
        law = self.flow.law
        if law is None or "controller" not in how or hasattr(law.controller, "compiled"):
            return self._moved_together(angle, speed, length, how, REFINEMENTS)
        runs = [
            simulate(
                self.flow.free, q0=[q], qd0=[qd], duration=length, samples=2, progress=False, **how
            )
            for q, qd in zip(angle, speed, strict=True)
        ]
        return np.array([run.q[-1, 0] for run in runs]), np.array([run.qd[-1, 0] for run in runs])

    def _moved_together(
        self, angle: Array, speed: Array, length: float, how: dict[str, Any], refinements: int
    ) -> tuple[Array, Array]:
        """Simulate states (k,) as one batch, and with shorter steps those whose steps are too long.

        Friction that falls within a small speed has some.
        """
        start = {"q0": angle[:, None], "qd0": speed[:, None], "progress": False}
        with warnings.catch_warnings():
            if self.flow.stribeck and refinements:
                warnings.simplefilter("ignore", UlnaWarning)
            batch = simulate_batch(self.flow.free, duration=length, **start, **how)
        q, qd = batch.q[:, -1, 0], batch.qd[:, -1, 0]
        coarse = batch.status.reason == "coarse"
        if not (self.flow.stribeck and refinements and coarse.any()):
            return q, qd
        q, qd, finer = q.copy(), qd.copy(), {**how, "dt": how["dt"] / REFINED}
        again = angle[coarse], speed[coarse]
        q[coarse], qd[coarse] = self._moved_together(*again, length, finer, refinements - 1)
        return q, qd

    def fate(self, label: int, turns: int) -> Fate:
        """Return the fate of a label."""
        return Fate(UNDECIDED_NAME if label == UNDECIDED else self.names[label], int(turns))

    def _longest(self, fastest: float) -> float:
        """Return how long [s] a state may need: to lose its speed, to creep, to linger at a saddle.

        Coulomb friction takes its speed within M ω / f_c, less what drives it, and the swings of a
        pendulum within as many of them as f_c is smaller than the weight; drag halves a speed in
        M / (c ω).
        """
        flow = self.flow
        decay, frequency = flow.damping / flow.inertia, flow.natural_frequency
        coulomb, drag = flow.friction.coulomb, flow.friction.drag
        losses = [1.0 / decay] if decay else []
        if coulomb:
            left = coulomb - abs(flow.constant or 0.0)
            quick = flow.inertia * fastest / (left if left > 0.0 else coulomb)
            losses.append(0.1 * quick + flow.peak_gravity_torque / (coulomb * frequency))
        if drag:
            losses.append(flow.inertia / (drag * frequency))
        slow = min(losses, default=0.0) + decay / frequency**2
        return 40.0 * slow + PATIENCE / frequency

    def _how(self, fastest: float, finer: float) -> dict[str, Any]:
        """Return method and steps: a fraction of what turns fastest."""
        flow = self.flow
        quickest = max(fastest, flow.natural_frequency, flow.damping / flow.inertia)
        step = STEP / (quickest * finer)
        if flow.law is None or flow.constant is not None:
            return {"torque": [flow.constant], "method": "dop853", "dt": step, "stops": False}
        law = {
            "controller": flow.law.controller,
            "reference": [flow.law.set_point],
            "rate": self.rate,
        }
        return {**law, "dt": min(step, 1.0 / self.rate), "stops": False}


def find_fates(
    flow: Flow,
    equilibria: tuple[PhaseEquilibrium, ...],
    rate: float,
    sticking: tuple[StickingInterval, ...] = (),
) -> Fates:
    """Find out what can become of a state."""
    if flow.sticks:
        found = find_sticking_regions(flow, equilibria, sticking)
    else:
        found = find_regions(flow, equilibria)
    return Fates(flow, tuple(name for name, _ in found), tuple(one for _, one in found), rate)


def find_regions(flow: Flow, equilibria: tuple[PhaseEquilibrium, ...]) -> list[tuple[str, Region]]:
    """Return the regions of all that can become of a state, with what it is in words."""
    wells = [equilibrium for equilibrium in equilibria if equilibrium.stable]
    saddles = [equilibrium for equilibrium in equilibria if equilibrium.saddle]
    found: list[tuple[str, Region]] = []
    if flow.constant is None:
        around = _valleys(flow, equilibria) if equilibria and _brakes(flow, equilibria) else None
        for well in wells:
            region = _ellipse(flow, well) if around is None else around(well)
            found.append((_name(well), region))
    elif wells and saddles:
        found.append((_name(wells[0]), _well(flow, wells[0], saddles[0])))
    return found + _goes_on(flow, equilibria)


def find_sticking_regions(
    flow: Flow,
    equilibria: tuple[PhaseEquilibrium, ...],
    intervals: tuple[StickingInterval, ...],
) -> list[tuple[str, Region]]:
    """Return the regions of all that can become of a state with dry friction."""
    if flow.constant is not None and not intervals:
        return [("runs on", _everywhere)]
    runs = _runs(flow, equilibria) if flow.cylinder else []
    if flow.constant is not None and not runs and intervals[0].kind == "everywhere":
        return [(sticking_name(intervals[0]), _everywhere)]
    found = [(sticking_name(one), _captured(flow, one, intervals)) for one in intervals]
    return found + runs


def sticking_name(interval: StickingInterval) -> str:
    """Return the name of the fate to stick in an interval."""
    if interval.kind == "everywhere":
        return "sticks where it stops"
    return f"sticks at {interval.lower:.4g} to {interval.upper:.4g} rad"


def _runs(flow: Flow, equilibria: tuple[PhaseEquilibrium, ...]) -> list[tuple[str, Region]]:
    """Return the ways of running for ever, with dry friction."""
    found = []
    for side, name in ((1, "runs on"), (-1, "runs on clockwise")):
        ends = [end for end, way in departures(flow, equilibria) if way == side]
        landed = [end for end in ends if landing(flow, end, side) is not None]
        if landed:
            found.append(
                (name, _beyond(flow, launch(flow, landed[0], side), side, landed[0].angle))
            )
            continue
        cycle = find_repelling_cycle(flow, side)
        if cycle is not None:
            found.append((name, _beyond(flow, (cycle.angle, side * cycle.speed), side)))
    return found


def _captured(
    flow: Flow, interval: StickingInterval, intervals: tuple[StickingInterval, ...]
) -> Region:
    """Return the region of a sticking interval: at rest in it, or unable to get to another."""
    low, wide = interval.lower - EDGE, interval.upper - interval.lower + 2.0 * EDGE
    trapped = _trap(flow, interval, intervals) if flow.constant is not None else _nowhere
    # A joint with much damping comes to the end of the interval, ever slower. Little is enough to
    # be caught beyond an end to which it is driven, and within one from which it is driven away.
    driven = float(flow.net_torque(interval.lower)) > 0.0, float(flow.net_torque(interval.upper))
    before = NEARLY if driven[0] else -10.0 * NEARLY
    beyond = NEARLY if driven[1] < 0.0 else -10.0 * NEARLY
    if interval.kind == "everywhere":
        before = beyond = 0.0

    def region(angle: Array, speed: Array) -> tuple[Array, Array]:
        turns = np.floor((angle - low + NEARLY) / TURN) if flow.cylinder else np.zeros(angle.shape)
        here = angle - low - TURN * turns
        slow = (here > -before) & (here < wide + beyond)
        slow &= np.abs(speed) < NEARLY * flow.natural_frequency
        stuck = slow | ((speed == 0.0) & (here >= 0.0) & (here <= wide))
        inside, turn = trapped(angle, speed)
        return stuck | inside, np.where(stuck, turns, turn)

    return region


def _trap(
    flow: Flow, interval: StickingInterval, intervals: tuple[StickingInterval, ...]
) -> Region:
    """Return the region with less energy than at the ends of the intervals on both sides."""
    others = [one for one in intervals if one is not interval]
    if interval.kind != "stable" or not others:
        return _nowhere
    torque = flow.constant or 0.0
    left = max(one.upper + TURN * math.floor((interval.lower - one.upper) / TURN) for one in others)
    right = min(one.lower + TURN * math.ceil((interval.upper - one.lower) / TURN) for one in others)
    least = min(float(flow.energy(end, 0.0)) - torque * end for end in (left, right))

    def region(angle: Array, speed: Array) -> tuple[Array, Array]:
        turn = np.floor((angle - left) / TURN)
        here = angle - TURN * turn
        with np.errstate(invalid="ignore", over="ignore"):
            inside = (here < right) & (flow.energy(here, speed) - torque * here < least)
        return inside, turn

    return region


def _name(equilibrium: PhaseEquilibrium) -> str:
    verb = "swings about" if equilibrium.kind == "centre" else "settles at"
    return f"{verb} {equilibrium.angle:.4g} rad"


def _goes_on(flow: Flow, equilibria: tuple[PhaseEquilibrium, ...]) -> list[tuple[str, Region]]:
    """Return the ways of never coming to rest in a well."""
    high = tops(flow, equilibria)
    if flow.constant is not None and not high:
        slows = "slows down for ever" if flow.friction.drag else "keeps its speed"
        drifts = "comes to rest" if flow.damping else slows
        return [(drifts if equilibria else "runs on", _everywhere)]
    if flow.constant is not None and not flow.bounded:
        # Nothing is lost: what is not in a well is never caught by one.
        return [("runs on", _everywhere)]
    return [
        (name, _beyond(flow, launch(flow, equilibrium, side), side, equilibrium.angle))
        for equilibrium in (high if flow.cylinder else [])
        for side, name in ((1, "runs on"), (-1, "runs on clockwise"))
        if landing(flow, equilibrium, side) is not None
    ]


def _everywhere(angle: Array, speed: Array) -> tuple[Array, Array]:
    return np.isfinite(angle) & np.isfinite(speed), 0.0


def _nowhere(angle: Array, speed: Array) -> tuple[Array, Array]:
    return np.zeros(angle.shape, dtype=bool), 0.0


def _well(flow: Flow, well: PhaseEquilibrium, saddle: PhaseEquilibrium) -> Region:
    """Return the region of a well: less energy than at the lower of the saddles around it."""
    torque = flow.constant or 0.0
    right = well.angle + (saddle.angle - well.angle) % TURN
    top = float(flow.energy(right, 0.0))

    def region(angle: Array, speed: Array) -> tuple[Array, Array]:
        turn = np.floor((angle - right) / TURN) + 1.0
        beside = right + TURN * turn - (TURN if torque < 0.0 else 0.0)
        with np.errstate(invalid="ignore", over="ignore"):
            inside = flow.energy(angle, speed) - torque * angle < top - torque * beside
        return inside, turn

    return region


def _brakes(flow: Flow, equilibria: tuple[PhaseEquilibrium, ...]) -> bool:
    """Return whether a law only ever takes energy out, whatever the angle and the speed."""
    angles = np.linspace(equilibria[0].angle - TURN, equilibria[-1].angle + TURN, 200)
    fast = flow.natural_frequency * np.geomspace(0.01, 100.0, 60)[:, None]
    speeds = np.concatenate([-fast, fast])
    extra = flow.drive(angles, speeds) - flow.drive(angles, 0.0)
    power = speeds * (extra - flow.damping * speeds)
    return bool(np.all(power <= 1e-9 * flow.inertia * flow.natural_frequency * speeds**2))


def _valleys(
    flow: Flow, equilibria: tuple[PhaseEquilibrium, ...]
) -> Callable[[PhaseEquilibrium], Region]:
    """Return what tells the region of a well: lower than the tops of the potential around it."""
    low, high = equilibria[0].angle - TURN, equilibria[-1].angle + TURN
    grid = np.linspace(low, high, int(POINTS * (high - low) / TURN))
    slope = -flow.inertia * flow.acceleration(grid, 0.0)
    steps = 0.5 * (slope[1:] + slope[:-1]) * np.diff(grid)
    height = np.concatenate([[0.0], np.cumsum(steps)])
    shifts = (-TURN, 0.0, TURN) if flow.cylinder else (0.0,)
    high_places = [
        equilibrium.angle + shift
        for equilibrium in equilibria
        if not equilibrium.stable
        for shift in shifts
    ]

    def around(well: PhaseEquilibrium) -> Region:
        left = max([top for top in high_places if top < well.angle], default=low)
        right = min([top for top in high_places if top > well.angle], default=high)
        *tall, bottom = np.interp([left, right, well.angle], grid, height)
        most = min(tall) - SURE * (min(tall) - bottom)

        def region(angle: Array, speed: Array) -> tuple[Array, Array]:
            turns = np.round((angle - well.angle) / TURN) if flow.cylinder else 0.0
            here = angle - TURN * turns
            with np.errstate(invalid="ignore", over="ignore"):
                energy = 0.5 * flow.inertia * speed**2 + np.interp(here, grid, height)
                inside = (left < here) & (here < right) & (energy < most)
            return inside, turns

        return region

    return around


def _beyond(
    flow: Flow, start: tuple[float, float], side: int, saddle: float | None = None
) -> Region:
    """Return the region that is faster than the orbit from a saddle that passes the next."""
    origin = start[0] if saddle is None else saddle
    longest = flow.end(*start, passing(flow, origin, side))[0]
    segment = flow.segment(*start, longest, 4 * SAMPLES)
    travelled = side * (segment.angle - origin)
    boundary = side * segment.speed * (1.0 + FINEST)

    def region(angle: Array, speed: Array) -> tuple[Array, Array]:
        way = np.mod(side * (angle - origin), TURN)
        faster = (
            side * speed > np.interp(way, travelled, boundary) + FINEST * flow.natural_frequency
        )
        return faster, 0.0

    return region


def _ellipse(flow: Flow, equilibrium: PhaseEquilibrium) -> Region:
    """Return the largest ellipse around an equilibrium that every orbit enters and none leaves."""
    from scipy.linalg import solve_continuous_lyapunov

    if not equilibrium.kind.startswith("stable"):
        return _nowhere  # nothing draws to it, and nothing says that it keeps
    scale = np.diag(
        [flow.natural_frequency**2, 1.0]
    )  # so that radians and radians a second compare
    form = solve_continuous_lyapunov(flow.jacobian(equilibrium.angle).T, -scale)
    root = np.linalg.cholesky(np.linalg.inv(form))
    turn = np.linspace(0.0, TURN, AROUND, endpoint=False)
    circle = root @ np.stack([np.cos(turn), np.sin(turn)])
    size = 2.0 * TURN / np.max(np.abs(circle[0]))
    sizes = size * np.geomspace(1e-3, 1.0, RINGS)
    aside = sizes[:, None] * circle[0], sizes[:, None] * circle[1]
    acceleration = flow.acceleration(equilibrium.angle + aside[0], aside[1])
    falls = aside[1] * (form[0, 0] * aside[0] + form[0, 1] * aside[1])
    falls = falls + acceleration * (form[1, 0] * aside[0] + form[1, 1] * aside[1])
    bad = np.flatnonzero((falls >= 0.0).any(axis=1))
    # One ring less than the first that something leaves: between rings nothing was tried.
    largest = sizes[max(int(bad[0]) - 2, 0)] if len(bad) else sizes[-1]

    def region(angle: Array, speed: Array) -> tuple[Array, Array]:
        away = angle - equilibrium.angle
        turns = np.round(away / TURN) if flow.cylinder else 0.0
        away = away - TURN * turns
        with np.errstate(invalid="ignore", over="ignore"):
            square = form[0, 0] * away**2 + 2.0 * form[0, 1] * away * speed + form[1, 1] * speed**2
            inside = square < largest**2
        return inside, turns

    return region

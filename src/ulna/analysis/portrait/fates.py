"""What becomes of a state: which rest it comes to, or that it runs on for ever.

A state is decided long before it arrives:

- Under a constant torque E = ½ M θ̇² + V(θ) − τ θ only falls. Where it is less than at both
  saddles around, the joint cannot leave the well between them any more.
- What is faster than the orbit that leaves a saddle and passes the next can never come to rest.
- Under a law, a rest has an ellipse around it, of a quadratic form that falls along every orbit
  that meets it: nothing that is inside gets out.

On the cylinder wells that are whole turns apart are one; `turns` tells them apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ulna.analysis.portrait.flow import TURN, Flow
from ulna.analysis.portrait.rests import Rest
from ulna.analysis.portrait.separatrices import ASIDE, SAMPLES, landing, passing
from ulna.arrays import Array
from ulna.simulation import simulate_batch

UNDECIDED = -1
FINEST = 1e-9  # of a speed: how much faster than a separatrix is certainly faster
STEP = 0.25  # [rad] that anything turns in a step at most
PATIENCE = 100.0  # [rad] of small swings that a state is given in any case
CHUNK = 4.0  # [rad] of a small swing, after which it is asked who is decided

# Gives for angles and speeds (k,) who is decided, and for those the turn of the well.
Region = Callable[[Array, Array], tuple[Array, Array]]


class Fate(NamedTuple):
    """What becomes of an orbit, and in which turn, counted from that of the portrait's well."""

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
        """Say of states (k,) what is certain."""
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
        report: Callable[[float], None] | None = None,
    ) -> Ends:
        """Say what becomes of states (k,), by letting those that are undecided move on."""
        angle, speed = np.array(angle, dtype=float), np.array(speed, dtype=float)
        ends = self.decide(angle, speed)
        how = self._how(float(np.max(np.abs(speed), initial=0.0)), finer)
        length = max(CHUNK / self.flow.frequency, 2.0 * how["dt"])
        for _ in range(math.ceil(self._longest / length)):
            (left,) = np.nonzero(ends.label == UNDECIDED)
            if report is not None:
                report(1.0 - len(left) / max(len(angle), 1))
            if not len(left):
                break
            start = {"q0": angle[left, None], "qd0": speed[left, None]}
            run = simulate_batch(self.flow.free, duration=length, **start, **how)
            angle[left], speed[left] = run.q[:, -1, 0], run.qd[:, -1, 0]
            for known, found in zip(ends, self.decide(angle[left], speed[left]), strict=True):
                known[left] = found
        return ends

    def fate(self, label: int, turns: int) -> Fate:
        """Put a label into words."""
        return Fate("undecided" if label == UNDECIDED else self.names[label], int(turns))

    @property
    def _longest(self) -> float:
        """How long [s] a state may need: to lose its speed, to creep, to linger at a saddle."""
        decay = self.flow.damping / self.flow.inertia
        slow = 1.0 / decay + decay / self.flow.frequency**2 if decay else 0.0
        return 40.0 * slow + PATIENCE / self.flow.frequency

    def _how(self, fastest: float, finer: float) -> dict[str, Any]:
        """Give method and steps: a fraction of what turns fastest."""
        flow = self.flow
        quickest = max(fastest, flow.frequency, flow.damping / flow.inertia)
        step = STEP / (quickest * finer)
        common = {"stops": False, "progress": False}
        if flow.law is None:
            return {"torque": [flow.constant], "method": "dop853", "dt": step, **common}
        law = {"controller": flow.law.controller, "reference": [flow.law.aim], "rate": self.rate}
        return {**law, "dt": min(step, 1.0 / self.rate), **common}


def find_fates(flow: Flow, rests: tuple[Rest, ...], rate: float) -> Fates:
    """Find out what can become of a state."""
    wells = [rest for rest in rests if rest.stable]
    saddles = [rest for rest in rests if rest.saddle]
    found: list[tuple[str, Region]] = []
    if flow.constant is not None and wells and saddles:
        found.append((_name(wells[0]), _well(flow, wells[0], saddles[0])))
    elif flow.constant is None:
        found.extend((_name(well), _ellipse(flow, well)) for well in wells)
    found.extend(_goes_on(flow, saddles, rests))
    names, regions = zip(*found, strict=True) if found else ((), ())
    return Fates(flow, names, regions, rate)


def _name(rest: Rest) -> str:
    verb = "swings about" if rest.kind == "centre" else "rests at"
    return f"{verb} {rest.angle:.4g} rad"


def _goes_on(flow: Flow, saddles: list[Rest], rests: tuple[Rest, ...]) -> list[tuple[str, Region]]:
    """Give the ways of never coming to rest in a well."""
    if flow.constant is not None and not saddles:
        drifts = "comes to rest" if flow.damping else "keeps its speed"
        return [(drifts if rests else "runs on", _everywhere)]
    if flow.constant is not None and not flow.damping:
        # Nothing is lost: what is not in a well is never caught by one.
        return [("runs on", _everywhere)]
    found: list[tuple[str, Region]] = []
    for saddle in saddles if flow.round else []:
        for side, name in ((1, "runs on"), (-1, "runs on clockwise")):
            if landing(flow, saddle, side) is not None:
                found.append((name, _beyond(flow, saddle, side)))
    return found


def _everywhere(angle: Array, speed: Array) -> tuple[Array, Array]:
    return np.isfinite(angle) & np.isfinite(speed), np.zeros(angle.shape, dtype=int)


def _well(flow: Flow, well: Rest, saddle: Rest) -> Region:
    """Give the region of a well: less energy than at the lower of the saddles around it."""
    torque = flow.constant or 0.0
    right = well.angle + (saddle.angle - well.angle) % TURN
    top = float(flow.energy(right, 0.0))

    def region(angle: Array, speed: Array) -> tuple[Array, Array]:
        turn = np.floor((angle - right) / TURN) + 1.0
        beside = right + TURN * turn - (TURN if torque < 0.0 else 0.0)
        with np.errstate(invalid="ignore", over="ignore"):
            inside = flow.energy(angle, speed) - torque * angle < top - torque * beside
        return inside, np.where(inside, turn, 0.0).astype(int)

    return region


def _beyond(flow: Flow, saddle: Rest, side: int) -> Region:
    """Give the region that is faster than the orbit from a saddle that passes the next."""
    start = saddle.angle + side * ASIDE, side * ASIDE * saddle.rate(leaving=True)
    until = passing(saddle.angle, side)
    longest = flow.end(*start, until)[0]
    course = flow.course(*start, longest, 4 * SAMPLES)
    ahead = side * (course.angle - saddle.angle)
    border = side * course.speed * (1.0 + FINEST)

    def region(angle: Array, speed: Array) -> tuple[Array, Array]:
        way = np.mod(side * (angle - saddle.angle), TURN)
        faster = side * speed > np.interp(way, ahead, border) + FINEST * flow.frequency
        return faster, np.zeros(angle.shape, dtype=int)

    return region


RINGS, AROUND = 400, 180  # at which the quadratic form of a rest is tried


def _ellipse(flow: Flow, rest: Rest) -> Region:
    """Give the largest ellipse around a rest that every orbit enters and none leaves."""
    from scipy.linalg import solve_continuous_lyapunov

    A = flow.slopes(rest.angle)
    scale = np.diag([flow.frequency**2, 1.0])  # so that radians and radians a second compare
    form = solve_continuous_lyapunov(A.T, -scale)
    root = np.linalg.cholesky(np.linalg.inv(form))
    turn = np.linspace(0.0, TURN, AROUND, endpoint=False)
    circle = root @ np.stack([np.cos(turn), np.sin(turn)])
    size = 2.0 * TURN / np.max(np.abs(circle[0]))
    sizes = size * np.geomspace(1e-3, 1.0, RINGS)
    aside = sizes[:, None] * circle[0], sizes[:, None] * circle[1]
    push = flow.acceleration(rest.angle + aside[0], aside[1])
    falls = aside[1] * (form[0, 0] * aside[0] + form[0, 1] * aside[1])
    falls = falls + push * (form[1, 0] * aside[0] + form[1, 1] * aside[1])
    bad = np.flatnonzero((falls >= 0.0).any(axis=1))
    # One ring less than the first that something leaves: between rings nothing was tried.
    largest = sizes[max(int(bad[0]) - 2, 0)] if len(bad) else sizes[-1]

    def region(angle: Array, speed: Array) -> tuple[Array, Array]:
        away = angle - rest.angle
        turns = np.round(away / TURN) if flow.round else np.zeros(angle.shape)
        away = away - TURN * turns
        with np.errstate(invalid="ignore", over="ignore"):
            square = form[0, 0] * away**2 + 2.0 * form[0, 1] * away * speed + form[1, 1] * speed**2
            inside = square < largest**2
        return inside, np.where(inside, turns, 0.0).astype(int)

    return region

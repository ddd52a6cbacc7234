"""What becomes of a state: which rest it comes to, or that it runs on for ever.

A state is decided long before it arrives: as soon as it is in a region that nothing leaves
(`regions`). On the cylinder wells that are whole turns apart are one; `turns` tells them apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ulna.analysis.portrait.flow import Flow
from ulna.analysis.portrait.regions import Region, find_regions
from ulna.analysis.portrait.rests import Rest
from ulna.arrays import Array
from ulna.simulation import simulate_batch

UNDECIDED = -1
STEP = 0.25  # [rad] that anything turns in a step at most
PATIENCE = 100.0  # [rad] of small swings that a state is given in any case
CHUNK = 4.0  # [rad] of a small swing, after which it is asked who is decided


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
    found = find_regions(flow, rests)
    return Fates(flow, tuple(name for name, _ in found), tuple(one for _, one in found), rate)

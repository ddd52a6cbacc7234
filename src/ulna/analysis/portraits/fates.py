"""What becomes of a state: which equilibrium it comes to, or that it runs on for ever.

A state is decided long before it arrives: as soon as it is in a region that nothing leaves
(`regions`). On the cylinder wells that are whole turns apart are one; `turns` tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ulna.analysis.portraits.flow import Flow
from ulna.analysis.portraits.phase_equilibria import PhaseEquilibrium
from ulna.analysis.portraits.regions import Region, find_regions
from ulna.arrays import Array
from ulna.simulation import simulate_batch
from ulna.simulation.simulate_arm import simulate

UNDECIDED, UNDECIDED_NAME = -1, "undecided"
STEP = 0.25  # [rad] that anything turns in a step at most
PATIENCE = 100.0  # [rad] of small swings that a state is given in any case
CHUNK, GROWTH = 4.0, 1.1  # [rad] of small swings after which it is asked who is decided, and more
MOST_STEPS = 2e8  # of all states together, some twenty seconds: what is left stays undecided
LANES = 16  # states that the engine moves together at least


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
        how = self._how(float(np.max(np.abs(speed), initial=0.0)), finer)
        length, left = max(CHUNK / self.flow.natural_frequency, 2.0 * how["dt"]), self._longest
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
        start = {"q0": angle[:, None], "qd0": speed[:, None], "progress": False}
        law = self.flow.law
        if law is None or "controller" not in how or hasattr(law.controller, "compiled"):
            batch = simulate_batch(self.flow.free, duration=length, **start, **how)
            return batch.q[:, -1, 0], batch.qd[:, -1, 0]
        runs = [
            simulate(
                self.flow.free, q0=[q], qd0=[qd], duration=length, samples=2, progress=False, **how
            )
            for q, qd in zip(angle, speed, strict=True)
        ]
        return np.array([run.q[-1, 0] for run in runs]), np.array([run.qd[-1, 0] for run in runs])

    def fate(self, label: int, turns: int) -> Fate:
        """Return the fate of a label."""
        return Fate(UNDECIDED_NAME if label == UNDECIDED else self.names[label], int(turns))

    @property
    def _longest(self) -> float:
        """How long [s] a state may need: to lose its speed, to creep, to linger at a saddle."""
        decay = self.flow.damping / self.flow.inertia
        slow = 1.0 / decay + decay / self.flow.natural_frequency**2 if decay else 0.0
        return 40.0 * slow + PATIENCE / self.flow.natural_frequency

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


def find_fates(flow: Flow, equilibria: tuple[PhaseEquilibrium, ...], rate: float) -> Fates:
    """Find out what can become of a state."""
    found = find_regions(flow, equilibria)
    return Fates(flow, tuple(name for name, _ in found), tuple(one for _, one in found), rate)

"""Whether damping, and not accuracy, keeps the steps of an adaptive run short.

An explicit method is stable only for steps h of some six times 1/λ, where λ is the fastest rate at
which damping slows any motion of the joints. Where the steps that a run takes come near that, it is
stiff: no tolerance lets it go any faster, and a method that takes damping implicitly would. λ is
the largest eigenvalue of −∂q̈/∂q̇, found by power iteration on what the engine itself computes.

Checks come after so many steps, and not after so much time, so that a run warns alike on every
machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arrays import Array
from ulna.errors import warn
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.steps import WORK

if TYPE_CHECKING:
    from ulna.simulation.simulation import Simulation

WORTH = 0.25  # [s] of work before the first check; what is over by then needs no advice
NEAR = 2.5  # h λ from which on stability counts as what holds the steps, of 6 where it fails
GAIN = 5.0  # times as fast as it must be what is advised
ITERATIONS = 30


class StiffnessWatch:
    """Check a run after some steps, and again after twice as many, until it has warned."""

    def __init__(self, n: int) -> None:
        self.warned = False
        self._due = int(WORTH / (WORK["dop853"] * n)) + 1  # tries of a step
        self._tries, self._t = 0, 0.0  # at the last check

    def until_check(self, simulation: Simulation, budget: int) -> int:
        """Return as many steps as may be taken until the next check."""
        if self.warned:
            return budget
        left = self._due - _tries(simulation)
        return budget if left >= budget else max(left, 1)

    def check(self, simulation: Simulation) -> None:
        """Warn of a run that is stiff, once."""
        tries = _tries(simulation)
        if self.warned or tries < self._due or not simulation.options.adaptive:
            return
        step = (simulation.t - self._t) / (tries - self._tries)
        self._due, self._tries, self._t = 2 * tries, tries, simulation.t
        work, other = WORK["dop853"] / max(step, 1e-300), WORK["semi-implicit"]
        if simulation.options.dynamics != "full" or work < GAIN * other / simulation.options.dt:
            return
        rate = damping_rate(simulation, at.TEXT)
        if rate * step > NEAR:
            self.warned = True
            own = damping_rate(simulation, at.STEADY)
            warn(_text(simulation, step, rate, of_joints=own * step > NEAR))


def _tries(simulation: Simulation) -> int:
    ints = simulation.memory.ints
    return int(ints.item(at.STEPS) + ints.item(at.REJECTED))


def damping_rate(simulation: Simulation, inputs: int) -> float:
    """Return the fastest rate [1/s] at which damping slows any motion of the joints now.

    `inputs` says whether formulas take part. Functions of users, which may count their calls, are
    left alone.
    """
    from ulna.dynamics.packed import QDD
    from ulna.simulation.engine.loop import evaluate

    memory, n = simulation.memory, simulation.arm.n
    kept, evaluations = memory.ints.item(at.INPUTS), memory.ints.item(at.EVALUATIONS)
    state, stage = memory.vectors[at.STATE : at.STATE + 2], memory.vectors[at.STAGE : at.STAGE + 2]
    size = 1e-3 * max(1.0, float(np.abs(state[1, :-1]).max()))  # of a change of the rates

    def qdd(change: Any) -> Array:
        stage[:] = state
        stage[1, :-1] += change
        evaluate(simulation.size, memory, simulation.control, simulation.t)
        return memory.links[:n, QDD].copy()

    memory.ints[at.INPUTS] = kept & inputs
    # Neighbours that move against one another are what damping slows fastest.
    direction, rate = (-1.0) ** np.arange(n) / np.sqrt(n), 0.0
    with np.errstate(all="ignore"):
        here = qdd(0.0)
        for _ in range(ITERATIONS):
            change = (qdd(size * direction) - here) / size
            length = float(np.linalg.norm(change))
            rate = -float(direction @ change)
            if not 0.0 < length < np.inf:
                break
            direction = change / length
    memory.ints[at.INPUTS], memory.ints[at.EVALUATIONS] = kept, evaluations
    return rate if np.isfinite(rate) else 0.0


def _text(simulation: Simulation, step: float, rate: float, *, of_joints: bool) -> str:
    n, dt = simulation.arm.n, simulation.options.dt
    faster = WORK["dop853"] / step / (WORK["semi-implicit"] / dt)
    text = (
        f"stiff at t = {simulation.t:.3g} s: damping slows the fastest motion of the joints within "
        f"{1.0 / rate:.1g} s, which keeps steps of dop853 at {step:.1g} s whatever rtol allows, "
        f"some {WORK['dop853'] * n / step:.1g} s of work for each second; "
    )
    if of_joints:
        return f"{text}try method='semi-implicit', some {faster:.0f} times as fast at dt = {dt:g} s"
    return f"{text}try a formula with less of it, or damping of the joints and 'semi-implicit'"

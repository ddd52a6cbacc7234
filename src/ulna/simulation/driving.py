"""The loop around the engine: steps in portions, and what Python has to do between them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ulna.concurrency import listening
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import ControlMemory, Memory, Record
from ulna.simulation.failures import Failed

if TYPE_CHECKING:
    from ulna.simulation.simulation import Simulation

CHUNK = 0.025  # [s] of work between two checks for Ctrl-C; well below what a person notices
REPORTED = 0.02  # [s] between two reports of a run that a controller in Python takes part in
MOST_BUDGET = 50_000_000  # steps

Report: TypeAlias = Callable[[], None]


_engines: dict[
    int, Callable[..., int]
] = {}  # by the number of joints: memories of all are of one kind


def engine_for(
    n: int, memory: Memory, control: ControlMemory, record: Record
) -> Callable[..., int]:
    """Return the compiled loop for arms of n joints."""
    if n not in _engines:
        from ulna.kernels import variant
        from ulna.simulation.engine.loop import advance

        _engines[n] = variant(advance, n, memory, control, record, 1)
    return _engines[n]


def drive(simulation: Simulation, report: Report | None) -> int:
    """Run the engine until it reaches the end, or something ends it; return its code."""
    listener, start = listening(), time.perf_counter()
    reported, checks = start, simulation.options.adaptive
    while simulation.failure is None:
        code = _run_engine(simulation, checks=checks)
        failed = None
        try:
            if code == at.CONTROL:
                simulation.ticks.call_controller(simulation.memory)
            elif _is_over(simulation, code):
                return at.CRAWLING if code == at.BUDGET else code
        except Failed as caught:
            failed = caught
        if failed is not None:
            simulation.fail(failed)
        if listener.pending:
            listener.check()
        now = time.perf_counter()
        if code == at.BUDGET:
            _pace(simulation, now - start)
        start = now
        if report is not None and (code != at.CONTROL or now - reported > REPORTED):
            reported = now
            report()
    return at.FAULTY


def _run_engine(simulation: Simulation, *, checks: bool) -> int:
    s, control = simulation, simulation.ticks.control
    budget = s.stiffness.until_check(s, s.budget) if checks else s.budget
    if not s.guarded:
        return s.engine(s.size, s.memory, control, s.record, budget)
    with np.errstate(all="ignore"), s.loads.callbacks.safe():
        return int(s.engine(s.size, s.memory, control, s.record, budget))


def _is_over(simulation: Simulation, code: int) -> bool:
    """Do what the engine returned for; return whether the run is over, or stalled."""
    if code == at.BUDGET:
        simulation.stiffness.check(simulation)
        return simulation.stall_watch.is_stalled(simulation)
    if code == at.REFERENCE:
        simulation.ticks.extend_reference(simulation.memory)
        return False
    error = simulation.loads.take_error()
    if error is not None:
        raise Failed("function failed", *simulation.loads.calling, error)
    if code == at.FAULTY:
        simulation.ticks.refuse_answer(simulation.memory)
    return True


def _pace(simulation: Simulation, elapsed: float) -> None:
    """Choose how many steps to take until the next check."""
    factor = min(max(CHUNK / max(elapsed, 1e-6), 0.25), 8.0)
    simulation.budget = int(min(max(simulation.budget * factor, 1), MOST_BUDGET))

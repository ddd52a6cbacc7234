"""The parts of a simulation, the engine that they run in, and the loop around it.

The engine works in portions: it returns for an answer of Python, at the end, and after some 25 ms
in any case, so that Ctrl-C is heard. `Simulation` is what users call.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from types import FunctionType
from typing import Any, Self, TypeAlias

import numpy as np

from ulna.arm import Actuators, Arm
from ulna.arrays import Array
from ulna.control import Controller, ControlTiming
from ulna.control.loop_stability import stability_warning
from ulna.dynamics.packed import QDD
from ulna.errors import InputError, warn
from ulna.scenario.disturbances import Disturbance
from ulna.scenario.events import Signal
from ulna.scenario.inputs import POSITION, Source, takes_positions
from ulna.scenario.loops import IDEAL
from ulna.scenario.options import SimulationOptions
from ulna.scenario.references import position_command, reference_poses, trajectory_of
from ulna.scenario.scenario import Scenario
from ulna.simulation.build import build_inputs, build_memory
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import (
    LOG_ROWS,
    ControlMemory,
    Memory,
    Record,
    carried_over,
    new_record,
)
from ulna.simulation.loads import Loads
from ulna.simulation.motor_rows import check_motors, motor_rows, start_motors
from ulna.simulation.outcome import RAISE, Failed, Failure, Status, status_of
from ulna.simulation.sensors import Sensors
from ulna.simulation.steps import StallWatch, StiffnessWatch
from ulna.simulation.ticks import Ticks

FIRST_BUDGET = 5000  # steps of one link until the first check for Ctrl-C
CHUNK = 0.025  # [s] of work between two checks for Ctrl-C; well below what a person notices
REPORTED = 0.02  # [s] between two reports of a run that a controller in Python takes part in
MOST_BUDGET = 50_000_000  # steps


def next_budget(budget: int, elapsed: float) -> int:
    """Return how many steps to take until the next check; the last ones took `elapsed` [s]."""
    factor = min(max(CHUNK / max(elapsed, 1e-6), 0.25), 8.0)
    return int(min(max(budget * factor, 1), MOST_BUDGET))


Report: TypeAlias = Callable[[], None]
_engines: dict[int, Callable[..., int]] = {}  # by the number of joints


class SimulationCore:
    """What a simulation consists of."""

    scenario: Scenario
    arm: Arm
    options: SimulationOptions
    on_error: str
    sensors: Sensors
    actuators: Actuators
    disturbances: tuple[Disturbance, ...]
    signals: tuple[Signal, ...]
    loads: Loads
    timing: ControlTiming
    ticks: Ticks
    memory: Memory
    record: Record
    status: Status
    failure: Failure | None
    accuracy_warnings: list[str]  # what a reader of the numbers should know
    keeps_signals: bool
    _times: Array
    _kept: int

    @property
    def controller(self) -> Controller | None:
        """The controller, or None; `set_controller` sets another."""
        return self.ticks.controller

    @property
    def sources(self) -> tuple[Source, Source]:
        """The torques and the force on the tip that act; `apply` lets others act."""
        return self.loads.sources

    @property
    def control(self) -> ControlMemory:
        """What the controller reads and writes, as the engine has it."""
        return self.ticks.control

    @property
    def t(self) -> float:
        """The time [s]."""
        return float(self.memory.floats.item(at.NOW))

    @property
    def reference(self) -> Any:
        """What is followed, a posture as a list; `set_reference` sets another."""
        followed = self.ticks.followed
        return followed.tolist() if isinstance(followed, np.ndarray) else followed

    @property
    def q(self) -> Array:
        """The joint angles (n,) [rad]."""
        return self.memory.vectors[at.STATE, :-1].copy()

    @property
    def qd(self) -> Array:
        """The joint rates (n,) [rad/s]."""
        return self.memory.vectors[at.STATE + 1, :-1].copy()

    @property
    def qdd(self) -> Array:
        """The joint accelerations (n,) [rad/s²] under what acts now."""
        return self._evaluate()[:, QDD].copy()

    @property
    def tau(self) -> Array:
        """The torques (n,) [N·m] of the motors that act now: as `Run.tau`, without disturbances."""
        links, since = self._evaluate(), self.t - self.memory.floats[at.HOLD_START]
        if self.memory.ints[at.MOTORS]:
            return np.asarray(links[:, at.MOTOR].copy())
        held = at.UNDISTURBED if self.disturbances else at.HOLD
        return np.asarray(
            links[:, held] + links[:, at.RAMP] * since + links[:, at.LIVE] + links[:, at.ACTUATED]
        )

    @property
    def error(self) -> Exception | None:
        """The exception of a controller or a function that ended the simulation, if one did."""
        return None if self.failure is None else self.failure.error

    @property
    def controller_state(self) -> Any:
        """What the controller remembers: of a compiled one its rows (s,), else its own object."""
        return self.ticks.remembered

    def _begin(self, controller: Controller | None, q: Array, qd: Array) -> None:
        """Set the start, at time 0."""
        self.start = (q, qd)
        self.status = Status(True, "done", "not started")
        self.accuracy_warnings = []
        self.stall_watch, self.stiffness = StallWatch(), StiffnessWatch(self.arm.n)
        self.failure = None
        self.budget = max(FIRST_BUDGET // self.arm.n, 1)
        self.memory = self._build()
        if self.actuators is not IDEAL:
            limits = self.memory.links[:-1, at.TORQUE_LIMIT]
            np.minimum(limits, self.actuators.layout(self.arm.n)[:, 3], out=limits)
        self.memory.vectors[at.STATE, :-1], self.memory.vectors[at.STATE + 1, :-1] = q, qd
        if self.memory.ints[at.MOTORS]:
            start_motors(self.memory.vectors, self.memory.per_arm, self.memory.ints)
        self._make_room()
        self.ticks.control.tau.fill(0.0)
        self.ticks.install(controller, self._started(controller))
        self._connect()

    def _build(self) -> Memory:
        motors = None
        if self.arm.has_motors and self.options.dynamics == "full":
            motors = motor_rows(self.arm, self.loads.what, self.options)
        inputs = build_inputs(
            self.arm.n, self.options, self.sources, self.disturbances, self.signals, self.sensors,
            motors, self.actuators,
        )  # fmt: skip
        memory = build_memory(self.arm, self.options, inputs, motors)
        memory.keys[0] = self.scenario.seed
        return memory

    def _read_inputs(self, scenario: Scenario, q: Array) -> None:
        """Take what acts, and what is followed: by a controller, or by motors themselves."""
        read, positioned = scenario.reading, scenario.follows_by_positions
        check_motors(self.arm, self.options, POSITION if positioned else read.command)
        self.loads.act(read.sources, read.command)
        self.ticks = Ticks(self.arm, self.timing)
        if scenario.controller is not None or positioned:
            self.ticks.follow(scenario.followed, q)
        if positioned:
            self._command_positions()

    def _takes_positions(self, controller: Any, reference: Any) -> bool:
        """Return whether motors follow a reference by themselves."""
        return controller is None and reference is not None and takes_positions(self.arm)

    def _rebuild(self) -> None:
        """Let other inputs act from now on."""
        self.memory = carried_over(self.memory, self._build())
        self._connect()

    def _command_positions(self) -> None:
        """Command servos and steppers the angles of the reference."""
        blocks = self.ticks.blocks
        assert blocks is not None
        command = position_command(self.arm, self.ticks.followed, blocks, self.options.rate)
        self.loads.follow(command)

    def _started(self, controller: Controller | None) -> Any:
        """Return the compiled law of a controller, or the state that it starts with."""
        try:
            return self.ticks.started(controller, self.t)
        except Failed as caught:
            failed = caught
        self.fail(failed)
        self.control.tau.fill(np.nan)  # no torque acts that was not computed
        return None

    def _connect(self) -> None:
        """Tell the engine the addresses of functions that it calls, which differ by process."""
        from ulna.simulation.engine.parts import connect

        self.size = self.arm.n
        self.loads.connect(self.memory)
        self.ticks.connect(self.memory)
        connect(self.size, self.memory, self.control, self.record)
        self.engine = self._compiled_loop()
        # Plain Python, and what it calls, would warn of NaN and overflow, which are checked anyway.
        self.guarded = isinstance(self.engine, FunctionType) or bool(self.loads.callbacks)
        if self.loads.callbacks:
            self.budget = 1  # a function may take long

    def _warn(self) -> None:
        """Warn beforehand that a controller will not settle."""
        if self.options.dynamics != "full" or self.controller is None:
            return
        poses = reference_poses(self.arm, self.ticks.followed, self.start[0])
        reason = stability_warning(self.controller, self.arm, self.timing, poses)
        if reason is not None:
            warn(reason)

    def _compiled_loop(self) -> Callable[..., int]:
        """Return the engine for arms of so many joints: memories of all are of one kind."""
        if self.size not in _engines:
            from ulna.kernels import variant
            from ulna.simulation.engine.loop import advance

            _engines[self.size] = variant(
                advance, self.size, self.memory, self.control, self.record, 1
            )
        return _engines[self.size]

    def _go_on(self) -> None:
        """Continue with a controller or reference that was exchanged in mid-run."""
        ints = self.memory.ints
        ints[at.ANSWERED] = ints[at.OPEN] = 0
        if not np.isfinite(self.control.tau).all() and self.failure is None:
            self.control.tau.fill(0.0)  # of torques that were refused; the tick comes again
        if self.status.reason in ("controller failed", "function failed") and not self.failure:
            self.status = status_of(self, at.REACHED)
        self._connect()

    def _evaluate(self) -> Array:
        from ulna.simulation.engine.loop import evaluate

        vectors = self.memory.vectors
        for layer in range(0, len(vectors), at.VECTORS):
            vectors[layer + at.STAGE : layer + at.STAGE + 2] = vectors[layer + at.STATE : layer + 2]
        with np.errstate(all="ignore"):
            evaluate(self.size, self.memory, self.control, self.t)
        error = self.loads.take_error()
        if error is not None:
            raise error
        return self.memory.links[:-1]

    def _drive(self, report: Report | None) -> int:
        """Run the engine until it reaches the end, or something ends it; return its code."""
        start = reported = time.perf_counter()
        checks = self.options.adaptive
        while self.failure is None:
            code = self._run_engine(checks=checks)
            failed = None
            try:
                if code == at.CONTROL:
                    self.ticks.call_controller(self.memory)
                elif self._is_over(code):
                    return at.CRAWLING if code == at.BUDGET else code
            except Failed as caught:
                failed = caught
            if failed is not None:
                self.fail(failed)
            now = time.perf_counter()
            if code == at.BUDGET:
                self.budget = next_budget(self.budget, now - start)
            start = now
            if report is not None and (code != at.CONTROL or now - reported > REPORTED):
                reported = now
                report()
        return at.FAULTY

    def _run_engine(self, *, checks: bool) -> int:
        control = self.ticks.control
        budget = self.stiffness.until_check(self, self.budget) if checks else self.budget
        if not self.guarded:
            return self.engine(self.size, self.memory, control, self.record, budget)
        with np.errstate(all="ignore"):
            return int(self.engine(self.size, self.memory, control, self.record, budget))

    def _is_over(self, code: int) -> bool:
        """Do what the engine returned for; return whether the run is over, or stalled."""
        if code == at.BUDGET:
            self.stiffness.check(self)
            return self.stall_watch.is_stalled(self)
        if code == at.REFERENCE:
            self.ticks.extend_reference(self.memory)
            return False
        error = self.loads.take_error()
        if error is not None:
            raise Failed("function failed", *self.loads.calling, error)
        if code == at.FAULTY:
            self.ticks.refuse_answer(self.memory)
        return True

    def keep_samples(self, times: Array, *, signals: bool = True) -> None:
        """Make room for samples.

        Parameters
        ----------
        times : ndarray, shape (S,)
            When [s] to keep them.
        signals : bool
            Whether to keep what a controller measures, follows and commands, and disturbances.
        """
        self._kept = self.kept_signals if signals else 0
        self.keeps_signals, self._times = signals, np.array(times)
        self._make_room()

    def _make_room(self) -> None:
        self.memory.ints[at.KEPT] = self._kept
        # Where nothing is watched, nothing is logged.
        rows = LOG_ROWS if self.memory.ints[at.WATCHING] else 0
        self.record = new_record(self._times, self.arm.n, self._kept, rows)

    @property
    def kept_signals(self) -> int:
        """What samples of this simulation could hold besides what all do."""
        controlled, disturbed = self.controller is not None, bool(self.disturbances)
        driven = bool(self.memory.ints[at.MOTORS])
        kept = at.KEEP_CONTROL * controlled + at.KEEP_DISTURBANCES * disturbed
        return kept + at.KEEP_MOTORS * driven

    def fail(self, failed: Failed) -> None:
        """End the run because Python code raised an exception, or raise it with on_error="raise".

        What a function returns at the very start is part of the input, and refused as such.

        Parameters
        ----------
        failed : Failed
            The exception, and whose it is.
        """
        error = failed.error
        unstarted = self.memory.ints[at.STEPS] == 0 and self.t == failed.t
        is_input = isinstance(error, InputError) and failed.reason == "function failed"
        if self.on_error == RAISE or (is_input and unstarted):
            raise error
        self.failure = failed.as_failure()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        # Nobody can change these.
        followed = self.ticks.followed
        shared = (self.arm, followed, trajectory_of(followed), self.memory.tableau)
        memo |= {id(one): one for one in shared}
        made.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        return made

    def __getstate__(self) -> dict[str, Any]:
        parts = {name: part for name, part in vars(self).items() if name != "engine"}
        if self.failure is not None:
            parts["failure"] = self.failure._replace(error=None)  # as of a Run
        return parts

    def __setstate__(self, parts: dict[str, Any]) -> None:
        self.__dict__.update(parts)
        self._connect()

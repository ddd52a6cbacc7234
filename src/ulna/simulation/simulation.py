"""An arm that moves on when asked to: what `simulate` and everything interactive stand on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ulna.arm import Arm, warn_unmodelled
from ulna.arrays import Array
from ulna.control import Controller
from ulna.control.judging import doubt
from ulna.control.timing import compile_controller, start_controller
from ulna.dynamics.packed import TURNING
from ulna.errors import InputError, Interrupted, Problem, shown, warn
from ulna.interrupts import listening
from ulna.simulation.build import build_memory
from ulna.simulation.called import Called
from ulna.simulation.checks import check_controlled, check_kinds, check_tip_is_free, read_answer
from ulna.simulation.disturbances import Disturbance
from ulna.simulation.engine import places as at
from ulna.simulation.engine.memory import (
    Memory,
    carried_over,
    new_control,
    new_record,
    sample_columns,
)
from ulna.simulation.events import read_events
from ulna.simulation.failures import RAISE, RETURN, Failure, check_on_error
from ulna.simulation.options import check_start, is_number, joint_values, read_options
from ulna.simulation.outcome import interrupted, status_of
from ulna.simulation.reference import Asked, as_reference, read_reference, reference_poses
from ulna.simulation.sensors import Sensors
from ulna.simulation.sources import FORCE, read_source, torque_kind
from ulna.simulation.status import Reason, Status
from ulna.simulation.steps import Headway, check_steps, concerns, prepare_steps

CHUNK = 0.025  # [s] of work between two looks at the world; well below what a person notices
FIRST_BUDGET, MOST_BUDGET = 5000, 50_000_000  # steps, the first for one link

Report = Callable[[], None]


class Simulation:
    """An arm in time. Options are those of `ulna.simulate`, without duration and samples.

    A controller or a function that fails ends it with a status; `error` is then the exception.

    >>> import ulna
    >>> swing = Simulation(ulna.Arm.rods([1.0], [1.0]), q0=[0.0])
    >>> print(swing.advance(0.5))
    ran to t = 0.5 s
    >>> round(float(swing.q[0]), 6)
    -1.661148
    """

    def __init__(
        self,
        arm: Arm,
        *,
        q0: Any,
        qd0: Any = None,
        torque: Any = None,
        controller: Controller | None = None,
        reference: Any = None,
        tip_force: Any = None,
        method: str | None = None,
        dt: float = 1e-3,
        rtol: float | None = 1e-9,
        atol: float = 1e-12,
        max_step: float = math.inf,
        between: str = "hold",
        rate: float = 1000.0,
        sensors: Sensors | None = None,
        disturbances: Sequence[Disturbance] = (),
        events: Mapping[str, Any] | None = None,
        until: Any = None,
        stops: bool = True,
        restitution: float = 0.0,
        model: str = "true",
        friction: Any = None,
        on_error: str = RETURN,
    ) -> None:
        self.on_error = check_on_error(on_error)
        self._failure: Failure | None = None
        self._calling = ("", 0.0)  # the function that is being called, and for what time
        check_kinds(arm, controller, sensors, disturbances)
        check_controlled(controller, reference=reference, sensors=sensors)
        warn_unmodelled(arm)
        self.arm = arm
        self.options = read_options(
            arm.n, method=method, controlled=controller is not None, model=model, friction=friction,
            rtol=rtol, stops=stops, dt=dt, atol=atol, max_step=max_step, rate=rate,
            restitution=restitution,
        )  # fmt: skip
        q = joint_values(arm, "q0", q0, "rad")
        qd = joint_values(arm, "qd0", np.zeros(arm.n) if qd0 is None else qd0, "rad/s")
        check_start(arm, q, qd, self.options)
        self.controller = controller
        self.sensors = sensors or Sensors()
        self.disturbances = tuple(disturbances)
        self.signals = read_events(events, until, q, qd)
        self.between = between
        self.sources = (
            read_source(torque_kind(arm.n), torque, arm.n, between=between, dt=self.options.dt),
            read_source(FORCE, tip_force, arm.n, between=between, dt=self.options.dt),
        )
        if model == "sequential":
            check_tip_is_free(tip_force, disturbances)
        self._blocks, self.reference = read_reference(arm, reference, q)
        self.timing = self.sensors.timing(self.options.rate)
        self.start = (q, qd)
        self.status = Status(True, "done", "not started")
        self.doubts: list[str] = []  # what a reader of the numbers should know
        self.headway = Headway()
        self._budget = max(FIRST_BUDGET // arm.n, 1)
        self.keeps_signals = False
        self._assemble(q, qd)
        if model == "true" and controller is not None:
            self._warn(reference_poses(arm, reference, q))

    def _warn(self, poses: Array) -> None:
        """Say beforehand that a controller will not settle."""
        reason = doubt(self.controller, self.arm, self.timing, poses)
        if reason is not None:
            warn(reason)

    def _assemble(self, q: Array, qd: Array) -> None:
        from ulna.kernels import size_of
        from ulna.simulation.engine import loop

        self._loop = loop
        self.size = size_of(self.arm.n)
        self.memory = self._build()
        self.memory.vectors[at.STATE, :-1], self.memory.vectors[at.STATE + 1, :-1] = q, qd
        self.record = new_record(np.zeros(0), self.arm.n)
        self._called = Called()
        self._set_inputs()
        if any(signal.function for signal in self.signals):
            self.memory.whole[at.EVENT_CALL] = self._callback(self._call_events)
        self._set_controller()
        self._connect()

    def _connect(self) -> None:
        """Let the engine find the parts of it that this run needs."""
        from ulna.simulation.engine.parts import connect

        connect(self.arm.n, self.memory, self.control, self.record)

    def _build(self) -> Memory:
        return build_memory(
            self.arm, self.options, self.sources, self.disturbances, self.signals, self.sensors
        )

    def _set_controller(self) -> None:
        whole, n = self.memory.whole, self.arm.n
        law = None
        if getattr(self.controller, "compiled", None) is not None:
            law = compile_controller(self.controller, self.arm, self.timing)
        self._state: Any = None
        self.control = new_control(n, law)
        if law is not None:
            from ulna.control.laws import LAW

            self._own = len(law.state)
            whole[at.CONTROLLED], whole[at.LAW_CALL] = at.COMPILED, LAW.address(law.law)
        elif self.controller is not None:
            whole[at.CONTROLLED] = at.AROUND
            self._start_controller(self.controller)

    def _start_controller(self, controller: Controller) -> None:
        try:
            self._state = start_controller(controller, self.arm, self.timing)
        except InputError:
            raise  # It tells of an arm or of settings that do not fit, before anything runs.
        except Exception as error:
            self.control.tau[:] = np.nan  # nothing acts that was not answered
            self._fail("controller failed", f"{type(controller).__name__}.start", 0.0, error)

    def _set_inputs(self) -> None:
        """Let formulas and functions of the sources act in the engine."""
        torque, force = self.sources
        links, whole = self.memory.links, self.memory.whole
        links[:-1, at.LIVE] = links[-1, at.TIP_LIVE : at.TIP_LIVE + 3] = 0.0
        whole[at.INPUTS] = at.TEXT if torque.formulas or force.formulas else at.STEADY
        if torque.function or force.function:
            whole[at.INPUTS] |= at.PYTHON
            whole[at.INPUT_CALL] = self._callback(self._call_inputs)

    def _callback(self, work: Callable[[float], None]) -> int:
        self._budget = 1  # a function may take its time
        return self._called.add(work)

    def _call_inputs(self, t: float) -> None:
        links, n = self.memory.links, self.arm.n
        q, qd = self.memory.vectors[at.STAGE : at.STAGE + 2, :n].copy()
        torque, force = self.sources
        if torque.function:
            self._calling = (_function_name("torque", torque.described), t)
            links[:n, at.LIVE] = torque.function(t, q, qd)
        if force.function:
            self._calling = (_function_name("tip_force", force.described), t)
            links[n, at.TIP_LIVE : at.TIP_LIVE + 3] = force.function(t, q, qd)

    def _call_events(self, t: float) -> None:
        q, qd = self.memory.vectors[at.STAGE : at.STAGE + 2, : self.arm.n].copy()
        first = int(self.memory.whole[at.LIVE_SIGNALS])
        for place, signal in enumerate(self.signals, first):
            if signal.function:
                self._calling = (_function_name(f"event '{signal.name}'", signal.described), t)
                self.memory.real[place] = signal.function(t, q, qd)

    @property
    def t(self) -> float:
        """The time [s]."""
        return float(self.memory.real[at.NOW])

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
        return self._evaluate()[:, TURNING].copy()

    @property
    def tau(self) -> Array:
        """The torques (n,) [N·m] of the motors that act now: as `Run.tau`, without disturbances."""
        links, since = self._evaluate(), self.t - self.memory.real[at.HOLD_START]
        held = at.OWN if self.disturbances else at.HOLD
        return np.asarray(links[:, held] + links[:, at.RAMP] * since + links[:, at.LIVE])

    @property
    def error(self) -> Exception | None:
        """The exception of a controller or a function that ended the simulation, if one did."""
        return None if self._failure is None else self._failure.error

    @property
    def controller_state(self) -> Any:
        """What the controller remembers: of a compiled one its rows (s,), else its own object."""
        if self.memory.whole[at.CONTROLLED] == at.COMPILED:
            return self.control.state[: self._own].copy()
        return self._state

    def _evaluate(self) -> Array:
        from ulna.simulation.engine.loop import evaluate

        vectors = self.memory.vectors
        vectors[at.STAGE : at.STAGE + 2] = vectors[at.STATE : at.STATE + 2]
        with np.errstate(all="ignore"):
            evaluate(self.size, self.memory, self.control, self.t)
        error = self.take_error()
        if error is not None:
            raise error
        return self.memory.links[:-1]

    def apply(self, *, torque: Any = None, tip_force: Any = None) -> None:
        """Let other torques and another tip force act from now on; what is not given is none.

        Times in formulas and tables count from the start of the simulation.
        """
        n, dt, old = self.arm.n, self.options.dt, self.memory
        self.sources = (
            read_source(torque_kind(n), torque, n, between=self.between, dt=dt),
            read_source(FORCE, tip_force, n, between=self.between, dt=dt),
        )
        self.memory = carried_over(old, self._build())
        self._set_inputs()
        self._connect()

    def advance(self, seconds: float) -> Status:
        """Move on by so many seconds, or until something ends the run; gives how it stands.

        After Ctrl-C, which raises `ulna.Interrupted`, it can be asked to go on.
        """
        if not is_number(seconds) or not 0.0 <= seconds < 1e300:
            raise InputError(Problem("advance", shown(seconds), "a time of at least 0 s"))
        told = bool(self.doubts)
        status = self.advance_to(self.t + float(seconds))
        if not told:
            warn(*self.doubts)
        return status

    def advance_to(self, t: float, report: Report | None = None) -> Status:
        """Move on to a time; `report` is called now and then on the way."""
        if not is_number(t) or not self.t <= t < 1e300:
            need = f"a time from {self.t:g} s on"
            raise InputError(Problem("advance_to", shown(t), need))
        if self.status.reason in ("diverged", "stalled", "bad torque"):
            return self.status
        check_steps(
            self.options, self.t, float(t), self.arm.n, controlled=self.controller is not None,
            disturbances=self.disturbances,
        )  # fmt: skip
        prepare_steps(self, float(t) - self.t)
        self.memory.real[at.TARGET] = float(t)
        self.memory.whole[at.OPEN] = 0  # what an interruption may have left open
        try:
            code = at.FAULTY if self._failure else self._drive(report or (lambda: None))
        except KeyboardInterrupt:
            self._clear_error()  # of a function that Ctrl-C ended, and that may be asked again
            self.status = interrupted(self)
            raise Interrupted(self.status.text, self.status) from None
        self.doubts = concerns(self) if code in (at.REACHED, at.STOPPED) else []
        self.status = self._failure.status if self._failure else status_of(self, code)
        return self.status

    def keep_samples(self, times: Array, *, signals: bool = True) -> None:
        """Make room for samples at given times; with what a controller sees and asks, if wanted."""
        kept = self.kept_signals if signals else 0
        self.keeps_signals = signals
        self.memory.whole[at.KEPT] = kept
        self.record = new_record(times, self.arm.n, kept)

    @property
    def kept_signals(self) -> int:
        """What samples of this simulation could hold besides what all do."""
        controlled, disturbed = self.controller is not None, bool(self.disturbances)
        return at.KEEP_CONTROL * controlled + at.KEEP_PUSHES * disturbed

    def finish_samples(self) -> None:
        """Record what is due at the very end of a run, and at least where the arm is."""
        try:
            with np.errstate(all="ignore"):
                self._loop.finish_samples(self.size, self.memory, self.control, self.record.samples)
            error = self.take_error()
            if error is not None and self._failure is None:
                self._fail("function failed", *self._calling, error)
                self.status = self._failure.status if self._failure else self.status
        finally:
            if self.memory.whole[at.SAMPLE] == 0:
                self._keep_state()

    def _keep_state(self) -> None:
        """Record the state alone, where nothing can be said of what acts on it."""
        row, columns = self.record.samples[0], sample_columns(self.arm.n, 0)
        row[1:] = np.nan
        row[columns["q"]], row[columns["qd"]] = self.q, self.qd
        for name, value in zip(("injected", "dissipated"), self._work, strict=True):
            row[columns[name]] = value
        self.memory.whole[at.SAMPLE] = 1

    @property
    def _work(self) -> Array:
        """Energy [J] that was put in and that was lost since the start."""
        return self.memory.vectors[at.STATE : at.STATE + 2, -1]

    def _drive(self, report: Report) -> int:
        """Let the engine work until it has come to the end, or something ends it."""
        while self._failure is None:
            start = time.perf_counter()
            with np.errstate(all="ignore"), self._called.safe():
                code = int(
                    self._loop.advance(
                        self.size, self.memory, self.control, self.record, self._budget
                    )
                )
            if code == at.BUDGET:
                if self.headway.is_lost(self):
                    return at.CRAWLING
                self._pace(time.perf_counter() - start)
            elif code == at.CONTROL:
                self._ask_controller()
            elif code == at.REFERENCE:
                self._extend_reference()
            else:
                self._look_for_failure(code)
                return code
            listening().check()
            report()
        return at.FAULTY

    def _pace(self, elapsed: float) -> None:
        """Choose how many steps to take until the next look."""
        factor = min(max(CHUNK / max(elapsed, 1e-6), 0.25), 8.0)
        self._budget = int(min(max(self._budget * factor, 1), MOST_BUDGET))

    def take_error(self) -> Exception | None:
        """Give the error that a function met since this was last asked; an interrupt is raised."""
        error = self._clear_error()
        if error is None or isinstance(error, Exception):
            return error
        raise error

    def _clear_error(self) -> BaseException | None:
        error = self._called.error()
        if error is not None:
            self.memory.whole[at.FAULT] = 0
        return error

    def _fail(
        self, reason: Reason, who: str, t: float, error: Exception, *, answered: bool = False
    ) -> None:
        """Let an error of Python code end the run, or reach the caller who asked for it.

        What a function answers at the very start is part of the input, and refused as such.
        """
        unstarted = self.memory.whole[at.STEPS] == 0 and self.t == t
        is_bad_input = isinstance(error, InputError) and reason == "function failed" and unstarted
        if self.on_error == RAISE or is_bad_input:
            raise error
        self._failure = Failure(reason, who, t, error, answered)

    def _look_for_failure(self, code: int) -> None:
        """Find out what failed inside of the engine, if anything did."""
        error = self.take_error()
        if error is not None:
            self._fail("function failed", *self._calling, error)
        elif code == at.FAULTY:
            self._read_answer((self.control.tau.copy(), None))

    def _extend_reference(self) -> None:
        first = int(self.memory.whole[at.TICK])
        self.memory.whole[at.FIRST_REFERENCE] = first
        real = self.memory.real
        asked = Asked(first, float(real[at.PERIOD]), float(real[at.TARGET]))
        try:
            rows = self._blocks.take(asked)
        except Exception as error:
            if not self._blocks.function:
                raise
            who = _function_name("reference", self.reference)
            self._fail("function failed", who, first * asked.period, error)
            return
        self.control = self.control._replace(references=rows)

    def _ask_controller(self) -> None:
        """Let a controller in Python answer what the sensors show."""
        assert self.controller is not None
        control, whole = self.control, self.memory.whole
        t = float(whole[at.TICK] * self.memory.real[at.PERIOD])
        rows = control.references[whole[at.TICK] - whole[at.FIRST_REFERENCE], :, :, 0]
        q, qd = control.q.copy(), control.qd.copy()
        reference = as_reference(self.arm, rows)
        control.tau[:] = np.nan
        try:
            answer = self.controller.torque(t, q, qd, reference, self._state)
        except Exception as error:
            self._fail("controller failed", self._law_name, t, error)
            return
        self._read_answer(answer)
        whole[at.ANSWERED] = 1

    @property
    def _law_name(self) -> str:
        return f"{type(self.controller).__name__}.torque"

    def _read_answer(self, answer: Any) -> None:
        """Take the torques of a controller and its next state, unless they cannot be used."""
        t = float(self.memory.whole[at.TICK] * self.memory.real[at.PERIOD])
        try:
            self.control.tau[:], self._state = read_answer(answer, self.arm.n, t)
        except InputError as error:
            self._fail("controller failed", self._law_name, t, error, answered=True)


def _function_name(what: str, described: Any) -> str:
    """Name a function that was given for something, by what is kept of it."""
    return f"{what} function '{described['function']}'"

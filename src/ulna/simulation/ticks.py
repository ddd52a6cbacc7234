"""The ticks of a controller: its reference, what it measures, and the torques that it returns.

A reference is computed for a block of ticks at once. A controller in Python is called between two
calls of the engine. The tip of its reference is computed only if it is read. Whether the torques
are finite is found out by the engine.
"""

from __future__ import annotations

import math
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array, float_array
from ulna.control import CompiledLaw, Controller, Reference
from ulna.control.controller import ControlTiming, compile_controller, start_controller
from ulna.control.loop_stability import is_judged
from ulna.errors import InputError, Problem, shown
from ulna.scenario.inputs import function_name
from ulna.scenario.options import per_arm
from ulna.scenario.references import Blocks, block, followed_of, read_reference
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory, new_control
from ulna.simulation.outcome import Failed
from ulna.simulation.sensors import begin_samples

FLOAT = np.dtype(np.float64)
MOST_LAWS = 64  # that are kept
SAME = 1e-12  # of a time, by which two count as one: as in the engine


class Ticks:
    """A controller, or none, with its state and its reference."""

    def __init__(self, arm: Arm, timing: ControlTiming) -> None:
        self.arm, self.timing = arm, timing
        self.controller: Controller | None = None
        self.control = new_control(arm.n, None)
        self.state: Any = None  # of a controller in Python
        self._before: Any = None  # its state before its last call
        self.blocks: Blocks | None = None  # the reference, if there is one
        self.followed: Any = None  # as it was given
        self._rows = 0  # of its own that a compiled law has in its state
        self._law: Any = None
        self._visible: Array = None  # the reference, read-only
        self._still: Reference | None = None
        self._period, self._shape = timing.period, (arm.n,)

    def __getstate__(self) -> dict[str, Any]:
        # Kernels and what is made ready are made anew: see `connect`.
        left = dict.fromkeys(("_law", "_visible", "_still", "_before"))
        return {**self.__dict__, **left}

    def follow(self, reference: Any, q: Array, *, start: float = 0.0) -> None:
        """Read the reference; without any the set-point is q."""
        reference = followed_of(reference)
        self.blocks = read_reference(self.arm, reference, q, start=start)
        # A list of the user's may change.
        is_posture = self.blocks.still and reference is not None
        self.followed = np.array(reference) if is_posture else reference
        self.control = self.control._replace(reference_table=np.zeros((0, 3, self.arm.n, 1)))

    def unfollow(self) -> None:
        """Follow nothing any more."""
        self.blocks = self.followed = None

    def restart(self, q: Array) -> None:
        """Begin the reference again; without any the set-point is q."""
        self.control = new_control(self.arm.n, None)
        if self.blocks is not None and self.followed is None:
            self.follow(None, q)

    def started(self, controller: Controller | None, t: float) -> CompiledLaw | Any:
        """Return the compiled law of a controller, or the state that one in Python starts with."""
        if controller is None:
            return None
        if _is_compiled(controller):
            return _compiled(controller, self.arm, self.timing)
        try:
            return start_controller(controller, self.arm, self.timing)
        except InputError:
            raise  # It tells of an arm or of settings that do not fit, before anything runs.
        except Exception as error:
            raise Failed("controller failed", _name(controller, "start"), t, error) from error

    def install(self, controller: Controller | None, started: CompiledLaw | Any) -> None:
        """Install the controller that is called from the next tick on."""
        law = started if controller is not None and _is_compiled(controller) else None
        self.controller, self.state = controller, None if law is not None else started
        self._law, self._rows = (None, 0) if law is None else (law.law, len(law.state))
        if law is not None or len(self.control.params):
            made = new_control(self.arm.n, law)
            self.control = self.control._replace(params=made.params, state=made.state)

    def connect(self, memory: Memory) -> None:
        """Connect the controller to the engine."""
        ints = memory.ints
        ints[at.CONTROLLED] = at.NO_CONTROLLER
        if self.controller is not None and _is_compiled(self.controller):
            if self._law is None:
                self._law = _compiled(self.controller, self.arm, self.timing).law
            ints[at.CONTROLLED], ints[at.LAW_CALL] = at.COMPILED_CONTROLLER, law_address(self._law)
        elif self.controller is not None:
            ints[at.CONTROLLED] = at.PYTHON_CONTROLLER
            self._prepare(self.control.reference_table)

    def begin_at(self, memory: Memory, measured: Array) -> None:
        """Begin with the next of the ticks k / rate, in mid-run.

        Until then it measured what is `measured` (2, n) now, and commanded no torque.
        """
        ints, now = memory.ints, memory.floats.item(at.NOW)
        tick = math.floor(now / self._period)
        ints[at.TICK] = tick + (tick * self._period < now - SAME * max(1.0, now))
        ints[at.MEASURED] = ints[at.FIRST_REFERENCE] = 0
        begin_samples(memory, measured)
        self.control.tau.fill(0.0)

    @property
    def remembered(self) -> Any:
        """What the controller remembers: of a compiled one its rows (s,), else its own object."""
        if self._law is not None:
            return self.control.state[: self._rows].copy()
        return self.state

    def extend_reference(self, memory: Memory) -> None:
        """Compute the reference at the next ticks."""
        first, target = memory.ints.item(at.TICK), memory.floats.item(at.TARGET)
        memory.ints[at.FIRST_REFERENCE] = first
        assert self.blocks is not None
        try:
            rows = block(self.blocks.at_times, first, self._period, target)
        except Exception as error:
            if self.blocks.function is None:
                raise
            who = function_name("reference", self.followed)
            raise Failed("function failed", who, first * self._period, error) from error
        self.control = self.control._replace(reference_table=rows)
        if self._law is None:
            self._prepare(rows)

    def _prepare(self, references: Array) -> None:
        """Prepare the references that a controller in Python reads."""
        self._visible = references[:, :, :, 0]
        self._visible.flags.writeable = False
        self._still = None
        if self.blocks is not None and self.blocks.still and len(references):
            self._still = Reference(*self._visible[0], arm=self.arm)

    def call_controller(self, memory: Memory) -> None:
        """Call a controller in Python with what the sensors measure."""
        control, ints = self.control, memory.ints
        tick = ints.item(at.TICK)
        reference = self._still
        if reference is None:
            row = tick - ints.item(at.FIRST_REFERENCE)
            reference = Reference(*self._visible[row], arm=self.arm)
        t, q, qd, self._before = (
            tick * self._period,
            control.q.copy(),
            control.qd.copy(),
            self.state,
        )
        try:
            answer = self.controller.torque(t, q, qd, reference, self.state)  # type: ignore[union-attr]
        except BaseException as error:
            control.tau.fill(np.nan)  # no torque acts that was not computed
            if not isinstance(error, Exception):
                raise
            raise Failed("controller failed", _name(self.controller, "torque"), t, error) from error
        if type(answer) is tuple and len(answer) == 2:
            tau = answer[0]
            if type(tau) is np.ndarray and tau.dtype is FLOAT and tau.shape == self._shape:
                control.tau[:] = tau
                self.state = answer[1]
                ints[at.ANSWERED] = 1
                return
        self._read(answer, t)
        ints[at.ANSWERED] = 1

    def _read(self, answer: Any, t: float) -> None:
        """Read what a controller returned, unless it cannot be used."""
        try:
            self.control.tau[:], self.state = read_answer(answer, self.arm.n, t)
        except InputError as error:
            self.control.tau.fill(np.nan)
            raise Failed(
                "controller failed", _name(self.controller, "torque"), t, error, answered=True
            ) from error

    def refuse_answer(self, memory: Memory) -> None:
        """Raise Failed for torques that the engine found not to be finite."""
        self.state = self._before
        answer = self.control.tau.copy(), self.state
        self._read(answer, memory.ints.item(at.TICK) * self._period)


def read_answer(answer: Any, n: int, t: float) -> tuple[Array, Any]:
    """Read torques (n,) and the next state from what a controller returned."""
    if not isinstance(answer, tuple) or len(answer) != 2:
        got = f"{shown(answer)} at t = {t:g} s"
        raise InputError(Problem("controller", got, "a pair of torques and the next state"))
    values = np.full(n, np.nan)
    with suppress(InputError):
        values = float_array(answer[0])
    if values.shape != (n,) or not np.isfinite(values).all():
        got = f"{shown(answer[0])} at t = {t:g} s"
        raise InputError(Problem("controller", got, f"{n} finite torques [N·m], one a joint"))
    return values, answer[1]


# Of controllers that are values, the laws that were made for an arm; nobody changes them.
@per_arm
def _laws(arm: Arm) -> dict[Any, CompiledLaw]:
    return {}


def _compiled(controller: Any, arm: Arm, timing: ControlTiming) -> CompiledLaw:
    if not is_judged(controller):
        return compile_controller(controller, arm, timing)
    known, key = _laws(arm), (controller, timing)
    try:
        found = known.get(key)
    except TypeError:  # of gains that cannot be hashed; they are refused where they are read
        return compile_controller(controller, arm, timing)
    if found is None:
        if len(known) >= MOST_LAWS:
            known.clear()
        found = known[key] = compile_controller(controller, arm, timing)
    return found


@lru_cache(maxsize=MOST_LAWS)
def law_address(law: Any) -> int:
    """Return the address by which the engine calls a law; raises InputError if it has none."""
    from ulna.simulation.engine.state_derivative import LAW

    return LAW.address(law)


def _name(controller: Any, method: str) -> str:
    return f"{getattr(controller, '__name__', type(controller).__name__)}.{method}"


def _is_compiled(controller: Controller) -> bool:
    return getattr(controller, "compiled", None) is not None

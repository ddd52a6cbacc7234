"""The ticks of a controller: its reference, what it measures, and the torques that it returns.

A reference is a motion, a function of time or a set-point, and is computed for a block of ticks at
once. A controller in Python is called between two calls of the engine. The tip of its reference is
computed only if it is read. Whether the torques are finite is found out by the engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array, float_array
from ulna.control import CompiledLaw, Controller, Reference
from ulna.control.controller import ControlTiming, compile_controller, start_controller
from ulna.control.loop_stability import is_judged
from ulna.errors import InputError, Problem, shown
from ulna.motion import Plan, Trajectory
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory, new_control
from ulna.simulation.loads import check_takes_time, function_name, named
from ulna.simulation.motor_rows import command_rates
from ulna.simulation.options import joint_values, per_arm
from ulna.simulation.outcome import Failed
from ulna.simulation.sensors import begin_samples

# Returns angles, rates and accelerations (k, 3, n) at times (k,).
Follow: TypeAlias = Callable[[Array], Array]

BLOCK = 4096  # ticks that are worked out together
POSES = 5  # of a motion at which a controller is judged beforehand


def trajectory_of(given: Any) -> Trajectory | None:
    """Return the motion that a plan or a trajectory describes, None of anything else."""
    if isinstance(given, Plan):
        return given.trajectory
    return given if isinstance(given, Trajectory) else None


def read_reference(arm: Arm, given: Any, q0: Array, *, start: float = 0.0) -> tuple[Blocks, Any]:
    """Read a reference: a plan or a trajectory, a set-point (n,), or a function of t.

    The function returns q, (q, qd) or (q, qd, qdd). Without any the arm is to stay where it starts.
    Motions and functions begin at the time `start` [s]. Returns it with a description as plain
    values.
    """
    motion = trajectory_of(given)
    if motion is not None:
        blocks = Blocks(follow_motion(arm.n, motion), start=start)
        return blocks, {"path": str(motion.path), "duration": motion.duration} | _begun(start)
    if callable(given):
        follow = partial(_rows_until_failure, follow_function(arm.n, given))
        return Blocks(follow, function=given, start=start), named(given) | _begun(start)
    posture = q0 if given is None else joint_values(arm.n, "reference", given, "rad")
    rows = np.zeros((3, arm.n))
    rows[0] = posture
    return Blocks(partial(_still_rows, rows), still=True), posture.tolist()


def _begun(start: float) -> dict[str, float]:
    return {"start": start} if start else {}


def _still_rows(rows: Array, times: Array) -> Array:
    return np.broadcast_to(rows, (len(times), *rows.shape))


def reference_poses(arm: Arm, given: Any, q0: Array) -> Array:
    """Return some poses (k, n) [rad] of a reference; of a function of time only where it starts."""
    motion = trajectory_of(given)
    if motion is not None:
        poses = motion.rows(np.linspace(0.0, motion.duration, POSES))[0]
        return np.asarray(poses[np.isfinite(poses).all(axis=-1)])
    if given is None or callable(given):
        return q0[None]
    return joint_values(arm.n, "reference", given, "rad")[None]


def check_motion(n: int, motion: Trajectory, what: str = "reference") -> None:
    """Raise InputError for a motion of another number of joints."""
    if motion.arm.n != n:
        got = f"a motion of {motion.arm.n} joints"
        raise InputError(Problem(what, got, f"{n}, as many as the arm has"))


def follow_motion(n: int, motion: Trajectory, what: str = "reference") -> Follow:
    """Return what follows a motion."""
    check_motion(n, motion, what)
    return partial(_motion_rows, motion, what)


def _motion_rows(motion: Trajectory, what: str, times: Array) -> Array:
    found = motion.rows(times)
    if not np.isfinite(found).all():
        lost = np.flatnonzero(~np.isfinite(found).all(axis=(0, 2)))
        got = f"a path that is out of reach at t = {times[lost[0]]:.4g} s"
        hint = "look at the plan's problems"
        raise InputError(Problem(what, got, "one in reach", hint))
    return found.transpose(1, 0, 2)


def follow_function(n: int, given: Callable[[float], Any], what: str = "reference") -> Follow:
    """Return what follows a function of time that gives q, (q, qd) or (q, qd, qdd)."""
    check_takes_time(given, what)
    return partial(_function_rows, n, given, what)


def _function_rows(n: int, given: Callable[[float], Any], what: str, times: Array) -> Array:
    return np.array([function_row(n, given(t), what, t) for t in times.tolist()])


def function_row(n: int, found: Any, what: str, t: float) -> Array:
    """Return what a function gave at a time as angles, rates and accelerations (3, n)."""
    parts = found if isinstance(found, tuple) else (found,)
    if len(parts) > 3:
        raise InputError(Problem(what, f"{len(parts)} parts", "q, qd and qdd at most"))
    result = np.zeros((3, n))
    for line, part in zip(result, parts, strict=False):
        if _is_plain(part, n):
            line[:] = part
            continue
        values = np.atleast_1d(float_array(part, what))
        if values.shape != (n,) or not np.isfinite(values).all():
            got = f"{values.tolist()} at t = {t:g} s"
            need = f"{n} finite numbers each for q, and qd and qdd if they are given"
            raise InputError(Problem(what, got, need))
        line[:] = values
    return result


def _is_plain(part: Any, n: int) -> bool:
    """Return whether something is a list of n finite numbers, which need no further look."""
    if type(part) is np.ndarray and part.shape == (n,) and part.dtype == np.float64:
        part = part.tolist()
    is_list = type(part) in (list, tuple) and len(part) == n
    return is_list and all(isinstance(one, float) and math.isfinite(one) for one in part)


def _rows_until_failure(follow: Follow, times: Array) -> Array:
    """Return a function's rows up to the first that fails, which the next call then begins with."""
    found: list[Array] = []
    for k in range(len(times)):
        try:
            found.append(follow(times[k : k + 1])[0])
        except Exception:
            if not found:
                raise
            break
    return np.array(found)


@dataclass(frozen=True, eq=False)
class Blocks:
    """A reference, block by block of ticks."""

    follow: Follow
    function: Callable[[float], Any] | None = None
    still: bool = False  # it is the same at all times
    start: float = 0.0  # [s] when it begins

    def at_times(self, times: Array) -> Array:
        """Return what is to be followed (k, 3, n) at times (k,) [s] of the simulation."""
        return self.follow(np.maximum(times - self.start, 0.0) if self.start else times)


class TickRange(NamedTuple):
    """Which ticks a block begins with, how far apart they are, and when they end [s]."""

    first: int
    period: float
    until: float


def block(follow: Follow, first: int, period: float, until: float) -> Array:
    """Return what is to be followed at the next ticks before a time, (ticks, 3, n, 1)."""
    left = math.ceil((until / period - first) * (1.0 - 1e-9))
    ticks = np.arange(first, first + min(max(left, 1), BLOCK))
    return np.array(follow(ticks * period)[..., None], order="C")


def _position(n: int, blocks: Blocks, t: float) -> Array:
    """Return the angles (n,) [rad] of a function of time that is followed."""
    assert blocks.function is not None
    found = blocks.function(max(t - blocks.start, 0.0))
    return np.asarray(function_row(n, found, "reference", t)[0])


def position_command(arm: Arm, reference: Any, blocks: Blocks, rate: float) -> Any:
    """Return the positions that make servos and steppers follow a reference.

    A motion is sampled where servos read their commands, and for steppers `rate` times a second.
    """
    if blocks.still:
        return blocks.at_times(np.zeros(1))[0, 0]
    motion = trajectory_of(reference)
    if motion is None:
        return partial(_position, arm.n, blocks)
    rates, end = set(command_rates(arm, rate)), blocks.start + motion.duration
    times = np.unique(np.concatenate([np.arange(np.ceil(end * one) + 1.0) / one for one in rates]))
    # Servos of nearly the same rate read at nearly the same times.
    times = times[np.append(True, np.diff(times) > 1e-12 * (1.0 + end))]
    return times, blocks.at_times(times)[:, 0]


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
        self.followed: Any = None  # as it was given, and described by plain values
        self.described: Any = None
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
        blocks, described = read_reference(self.arm, reference, q, start=start)
        self.blocks, self.described = blocks, described
        # A list of the user's may change.
        is_posture = blocks.still and reference is not None
        self.followed = np.array(self.described) if is_posture else reference
        self.control = self.control._replace(reference_table=np.zeros((0, 3, self.arm.n, 1)))

    def unfollow(self) -> None:
        """Follow nothing any more."""
        self.blocks = self.followed = self.described = None

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
            who = function_name("reference", self.described)
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

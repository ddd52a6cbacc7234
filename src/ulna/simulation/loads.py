"""The loads on an arm while it moves: torques, and a force at its tip.

A simulation holds a `Source` for each in its `Loads`, with the Python functions that the compiled
engine calls while it works. Compiled code knows no
exceptions: an error in a function is kept, ends the engine's work, and is taken from there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arrays import Array
from ulna.kernels import DISABLED
from ulna.scenario.inputs import (
    FORCE,
    POSITION,
    TORQUE,
    Source,
    check_between,
    command_kind,
    function_name,
    held,
    read_source,
    short_tables,
    steady_row,
)
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory
from ulna.simulation.engine.state_derivative import CALLBACK

if TYPE_CHECKING:
    from ulna.scenario.events import Signal


def kinds_of_inputs(sources: Iterable[Source], ints: Any) -> int:
    """Return what changes continuously, but for functions."""
    text = at.TEXT if any(source.formulas for source in sources) else at.STEADY
    return text | at.LAGGED * bool(ints[at.LAGS]) | at.WAVING * bool(ints[at.WAVES])


_NATIVE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double)


class Callback:
    """A function of time with an address; an exception in it is kept, and ends the engine's work.

    Compiled code cannot propagate exceptions: it receives 1 instead of 0, returns, and `error` is
    the exception. The function is called by a generator, which waits inside of its `try`: on the
    way into an ordinary function a KeyboardInterrupt would be raised before any `try`, and be lost.
    """

    def __init__(self, work: Callable[[float], None]) -> None:
        self.error: BaseException | None = None
        answers = self._answers(work)
        next(answers)
        if DISABLED:
            self.address = CALLBACK.keep(answers.send)
        else:
            self._native = _NATIVE(answers.send)  # the address is valid while this is alive
            self.address = ctypes.cast(self._native, ctypes.c_void_p).value or 0

    def _answers(self, work: Callable[[float], None]) -> Generator[int, float, None]:
        failed = 0
        while True:
            try:
                while True:
                    work((yield failed))
                    failed = 0
            except GeneratorExit:
                return
            except BaseException as error:
                self.error, failed = error, 1


class Loads:
    """The torques, the force on the tip, and the signals that are watched."""

    def __init__(self, n: int, *, between: str, dt: float, signals: Sequence[Signal]) -> None:
        check_between(between)
        self.n, self.between, self.dt, self.signals = n, between, dt, tuple(signals)
        self.what = TORQUE  # what joints are given: torques, or a command of their motors
        self.callbacks: list[Callback] = []  # kept alive while the engine may call them
        self.calling = ("", 0.0)  # the function that is being called, and for what time
        self._steady = False
        self._given: tuple[Any, Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        # The memory is the simulation's, and addresses are a process's own: see `connect`.
        return {**self.__dict__, "callbacks": [], "_memory": None}

    def set(
        self, command: Any, tip_force: Any, what: str = TORQUE, limits: Array | None = None
    ) -> None:
        """Read what acts, in any of its forms; torques stay within ± `limits`."""
        n, between, dt = self.n, self.between, self.dt
        sources = (
            read_source(command_kind(what, n), command, n, between=between, dt=dt),
            read_source(FORCE, tip_force, n, between=between, dt=dt),
        )
        if limits is not None and what == TORQUE:
            sources = (sources[0].within(limits), sources[1])
        self.act(sources, what)

    def follow(self, command: Any) -> None:
        """Command positions of a reference, in place of what joints were given."""
        read = read_source(command_kind(POSITION, self.n), command, self.n)
        self.act((read, self.sources[1]), POSITION)

    def drop_command(self) -> None:
        """Let nothing act on the joints."""
        self.act((held(self.n), self.sources[1]), TORQUE)

    def act(self, sources: tuple[Source, Source], what: str) -> None:
        """Let sources act from now on."""
        self._sources, self.what, self._given = sources, what, None
        # Whether there are rows without times, of which it is not known yet whether they suffice.
        self.spaced = any(source.spacing for source in self._sources)

    @property
    def sources(self) -> tuple[Source, Source]:
        """The torques, and the force on the tip."""
        if self._given is not None:
            self.set(*self._given, self.what)
        return self._sources

    def apply_in_place(
        self, torque: Any, tip_force: Any, what: str = TORQUE, limits: Array | None = None
    ) -> bool:
        """Write plain numbers over plain numbers; return whether they were such."""
        if not self._steady or what != self.what:
            return False
        n = self.n
        torques, forces = steady_row(command_kind(what, n), torque), steady_row(FORCE, tip_force)
        if torques is None or forces is None:
            return False
        if limits is not None and what == TORQUE:
            torques = np.clip(torques, -limits, limits).tolist()
        per_arm, ints = self._memory.per_arm, self._memory.ints
        first = ints.item(at.TABLES + at.ROWS)
        per_arm[first : first + n] = torques
        first = ints.item(at.TABLES + at.TABLE_FIELDS + at.ROWS)
        per_arm[first : first + at.AXES] = forces
        ints[at.OPEN] = 0
        # For the settings of a run, which few read: lists of its own, as long as what was given.
        self._given = (
            None if torque is None else torques,
            None if tip_force is None else forces[: len(tip_force)],
        )
        return True

    def connect(self, memory: Memory) -> None:
        """Connect formulas and functions to a memory."""
        self._memory = memory
        torque, force = self.sources
        links, ints = memory.links, memory.ints
        links[:-1, at.LIVE] = links[-1, at.TIP_LIVE : at.TIP_LIVE + 3] = 0.0
        ints[at.INPUTS] = kinds_of_inputs((torque, force), ints)
        self.callbacks.clear()
        if torque.function or force.function:
            ints[at.INPUTS] |= at.PYTHON
            ints[at.INPUT_CALL] = self._address(self._call_inputs)
        if any(signal.function for signal in self.signals):
            ints[at.EVENT_CALL] = self._address(self._call_events)
        self._steady = torque.is_steady and force.is_steady

    def _address(self, work: Callable[[float], None]) -> int:
        self.callbacks.append(Callback(work))
        return self.callbacks[-1].address

    def _call_inputs(self, t: float) -> None:
        links, n = self._memory.links, self.n
        q, qd = self._memory.vectors[at.STAGE : at.STAGE + 2, :n].copy()
        torque, force = self._sources
        if torque.function:
            self.calling = (function_name(self.what, torque.given), t)
            links[:n, at.LIVE] = torque.function(t, q, qd)
        if force.function:
            self.calling = (function_name("tip_force", force.given), t)
            links[n, at.TIP_LIVE : at.TIP_LIVE + 3] = force.function(t, q, qd)

    def _call_events(self, t: float) -> None:
        q, qd = self._memory.vectors[at.STAGE : at.STAGE + 2, : self.n].copy()
        first = int(self._memory.ints[at.LIVE_SIGNALS])
        for place, signal in enumerate(self.signals, first):
            if signal.function:
                self.calling = (function_name(f"event '{signal.name}'", signal.given), t)
                self._memory.floats[place] = signal.function(t, q, qd)

    def short_tables(self, t: float) -> list[str]:
        """Return warnings of tables that ended before t [s], the first time that they did."""
        if not self.spaced:
            return []
        found = short_tables(zip((self.what, "tip_force"), self._sources, strict=True), t)
        self.spaced = not found
        return found

    def take_error(self) -> Exception | None:
        """Return the error of a function since the last call; raise it if it is an interrupt."""
        error = self.clear_error()
        if error is None or isinstance(error, Exception):
            return error
        raise error

    def clear_error(self) -> BaseException | None:
        """Clear the engine's error flag, and return the first error that a function raised."""
        for callback in self.callbacks:
            if callback.error is not None:
                error, callback.error = callback.error, None
                self._memory.ints[at.FAULT] = 0
                return error
        return None

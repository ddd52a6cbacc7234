"""The loads on the arm of one simulation, and the Python functions that compute them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ulna.simulation.callback_registry import CallbackRegistry
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory
from ulna.simulation.events import Signal
from ulna.simulation.sources import (
    FORCE,
    Source,
    read_source,
    short_tables,
    steady_row,
    torque_kind,
)


class Loads:
    """The torques, the force on the tip, and the signals that are watched."""

    def __init__(self, n: int, *, between: str, dt: float, signals: Sequence[Signal]) -> None:
        self.n, self.between, self.dt, self.signals = n, between, dt, tuple(signals)
        self.callbacks = CallbackRegistry()
        self.calling = ("", 0.0)  # the function that is being called, and for what time
        self._steady = False
        self._given: tuple[Any, Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        # The memory is the simulation's, and addresses are a process's own: see `connect`.
        return {**self.__dict__, "callbacks": CallbackRegistry(), "_memory": None}

    def set(self, torque: Any, tip_force: Any) -> None:
        """Read what acts, in any of its forms."""
        n, between, dt = self.n, self.between, self.dt
        self._sources = (
            read_source(torque_kind(n), torque, n, between=between, dt=dt),
            read_source(FORCE, tip_force, n, between=between, dt=dt),
        )
        self._given = None
        # Whether there are rows without times, of which it is not known yet whether they suffice.
        self.spaced = any(source.spacing for source in self._sources)

    @property
    def sources(self) -> tuple[Source, Source]:
        """The torques, and the force on the tip."""
        if self._given is not None:
            self.set(*self._given)
        return self._sources

    def apply_in_place(self, torque: Any, tip_force: Any) -> bool:
        """Write plain numbers over plain numbers; return whether they were such."""
        if not self._steady:
            return False
        n = self.n
        torques, forces = steady_row(torque_kind(n), torque), steady_row(FORCE, tip_force)
        if torques is None or forces is None:
            return False
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
        ints[at.INPUTS] = at.TEXT if torque.formulas or force.formulas else at.STEADY
        self.callbacks.clear()
        if torque.function or force.function:
            ints[at.INPUTS] |= at.PYTHON
            ints[at.INPUT_CALL] = self.callbacks.add(self._call_inputs)
        if any(signal.function for signal in self.signals):
            ints[at.EVENT_CALL] = self.callbacks.add(self._call_events)
        self._steady = torque.is_steady and force.is_steady

    def _call_inputs(self, t: float) -> None:
        links, n = self._memory.links, self.n
        q, qd = self._memory.vectors[at.STAGE : at.STAGE + 2, :n].copy()
        torque, force = self._sources
        if torque.function:
            self.calling = (function_name("torque", torque.described), t)
            links[:n, at.LIVE] = torque.function(t, q, qd)
        if force.function:
            self.calling = (function_name("tip_force", force.described), t)
            links[n, at.TIP_LIVE : at.TIP_LIVE + 3] = force.function(t, q, qd)

    def _call_events(self, t: float) -> None:
        q, qd = self._memory.vectors[at.STAGE : at.STAGE + 2, : self.n].copy()
        first = int(self._memory.ints[at.LIVE_SIGNALS])
        for place, signal in enumerate(self.signals, first):
            if signal.function:
                self.calling = (function_name(f"event '{signal.name}'", signal.described), t)
                self._memory.floats[place] = signal.function(t, q, qd)

    def short_tables(self, t: float) -> list[str]:
        """Return warnings of tables that ended before t [s], the first time that they did."""
        if not self.spaced:
            return []
        found = short_tables(zip(("torque", "tip_force"), self._sources, strict=True), t)
        self.spaced = not found
        return found

    def take_error(self) -> Exception | None:
        """Return the error of a function since the last call; raise it if it is an interrupt."""
        error = self.clear_error()
        if error is None or isinstance(error, Exception):
            return error
        raise error

    def clear_error(self) -> BaseException | None:
        """Clear the engine's error flag, and return the error."""
        error = self.callbacks.error()
        if error is not None:
            self._memory.ints[at.FAULT] = 0
        return error

    def functions(self) -> dict[str, Any]:
        """Return the user's functions by the arguments that they are."""
        torque, force = self.sources
        given: dict[str, Any] = {"torque": torque.function, "tip_force": force.function}
        given |= {f"event '{signal.name}'": signal.function for signal in self.signals}
        return {what: one.function for what, one in given.items() if one is not None}


def function_name(what: str, described: Any) -> str:
    """Return what messages call a function that is an argument."""
    return f"{what} function '{described['function']}'"

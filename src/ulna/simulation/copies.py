"""Copies of a simulation, in this process and for another one."""

from __future__ import annotations

import copy
import pickle
import sys
from types import FrameType
from typing import TYPE_CHECKING, Any

from ulna.errors import InputError, Problem, shown
from ulna.simulation.reference import trajectory_of

if TYPE_CHECKING:
    from ulna.simulation.simulation import Simulation

# They pickle functions by value, so that what `pickle` cannot do is no reason to refuse.
PICKLE_MORE = ("cloudpickle", "dill")


def parts_of(simulation: Simulation) -> dict[str, Any]:
    """Return all that a simulation consists of, but for what belongs to a process."""
    parts = {name: part for name, part in vars(simulation).items() if name != "engine"}
    if simulation.failure is not None:
        parts["failure"] = simulation.failure._replace(error=None)  # as of a Run
    return parts


def deep_copy(simulation: Simulation, memo: dict[int, Any]) -> Any:
    """Copy the parts of a simulation, all but those that nobody can change."""
    followed = simulation.ticks.followed
    shared = (simulation.arm, followed, trajectory_of(followed), simulation.memory.tableau)
    memo |= {id(one): one for one in shared}
    try:
        return copy.deepcopy(parts_of(simulation), memo)
    except Exception as error:
        got = f"a controller or function that cannot be copied ({error})"
        hint = "give its class a __deepcopy__, or keep what changes in the controller's state"
        raise InputError(Problem("copy", got, "what copy.deepcopy copies", hint)) from error


def check_picklable(simulation: Simulation) -> None:
    """Raise InputError naming every argument that cannot be sent to another process."""
    if _pickles_more():
        return
    ticks = simulation.ticks
    parts = simulation.loads.functions()
    parts |= {"reference": ticks.followed, "controller": ticks.controller}
    parts["controller's state"] = ticks.state
    problems = []
    for what, part in parts.items():
        try:
            pickle.dumps(part)
        except Exception as error:
            problems.append(_unpicklable(what, part, error))
    if problems:
        raise InputError(problems)


def _unpicklable(what: str, part: Any, error: Exception) -> Problem:
    name = getattr(part, "__qualname__", None)
    got = f"function '{name}'" if name else shown(part)
    need = "what pickle can send to another process"
    hint = "define functions and classes at the top level of a module; copy() does without"
    return Problem(what, f"{got}, which cannot be pickled ({error})", need, hint)


def _pickles_more() -> bool:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").split(".")[0] in PICKLE_MORE:
            return True
        frame = frame.f_back
    return False

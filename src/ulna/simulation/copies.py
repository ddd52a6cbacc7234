"""Copies of a simulation, in this process and for another one."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

from ulna.errors import InputError, Problem, shown

# They pickle functions by value, so that what `pickle` cannot do is no reason to refuse.
PICKLE_MORE = ("cloudpickle", "dill")


def deep_copy(parts: Any, shared: tuple[Any, ...], memo: dict[int, Any]) -> Any:
    """Copy parts of a simulation, all but what is `shared` because nobody can change it."""
    memo |= {id(one): one for one in shared}
    try:
        return copy.deepcopy(parts, memo)
    except Exception as error:
        got = f"a controller or function that cannot be copied ({error})"
        hint = "give its class a __deepcopy__, or keep what changes in the controller's state"
        raise InputError(Problem("copy", got, "what copy.deepcopy copies", hint)) from error


def check_picklable(parts: Mapping[str, Any]) -> None:
    """Refuse what cannot be sent to another process, each by what it was given for."""
    if _pickles_more():
        return
    problems = []
    for what, part in parts.items():
        try:
            pickle.dumps(part)
        except Exception as error:
            name = getattr(part, "__qualname__", None)
            got = f"function '{name}'" if name else shown(part)
            need = "what pickle can send to another process"
            hint = "define functions and classes at the top level of a module; copy() needs none"
            problems.append(Problem(what, f"{got}, which cannot be pickled ({error})", need, hint))
    if problems:
        raise InputError(problems)


def _pickles_more() -> bool:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").split(".")[0] in PICKLE_MORE:
            return True
        frame = frame.f_back
    return False

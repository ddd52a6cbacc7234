"""Values that nobody can change once a result holds them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ulna.arm.checks import Problems
from ulna.errors import InputError, Problem
from ulna.simulation.status import Floats


def fixed(checks: Problems, name: str, values: Any, shape: tuple[int, ...]) -> Floats:
    """Take an array that nobody can change: itself if that is so, else a copy."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        checks.add(name, "values that are no numbers", f"an array of shape {shape}")
        return np.full(shape, np.nan)
    if array.shape != shape:
        checks.add(name, f"shape {array.shape}", f"shape {shape}")
    return array if _cannot_change(array) else read_only(array.copy())


def _cannot_change(array: Any) -> bool:
    """Whether the array and all that it is a view of are read-only."""
    while isinstance(array, np.ndarray) and not array.flags.writeable:
        array = array.base
    return array is None


def read_only(array: Floats) -> Floats:
    """Give the array itself, which can be changed no more."""
    array.flags.writeable = False
    return array


def as_json(settings: Mapping[str, Any]) -> Any:
    """Give settings as JSON has them: a copy of plain values."""
    try:
        return json.loads(json.dumps(dict(settings)))
    except (TypeError, ValueError) as error:
        need = "text, numbers, lists and dicts of them"
        raise InputError(Problem("settings", str(error), need)) from error

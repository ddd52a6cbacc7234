"""Values that nobody can change once a result holds them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ulna.errors import InputError, Problem, Problems
from ulna.simulation.status import Floats


def immutable_array(checks: Problems, name: str, values: Any, shape: tuple[int, ...]) -> Floats:
    """Return an array that nobody can change: itself if that is so, else a copy."""
    if type(values) is np.ndarray and values.shape == shape and values.dtype == np.float64:
        return values if _cannot_change(values) else read_only(values.copy())
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
    """Return the array itself, which can be changed no more."""
    array.flags.writeable = False
    return array


def _plain(value: Any) -> Any:
    if value is None or type(value) in (str, float, int, bool):
        return value
    if type(value) in (list, tuple):
        return [_plain(part) for part in value]
    if type(value) is dict and all(type(key) is str for key in value):
        return {key: _plain(part) for key, part in value.items()}
    return json.loads(json.dumps(value))


def as_json(settings: Mapping[str, Any]) -> Any:
    """Return settings as JSON has them: a copy of plain values."""
    try:
        return {str(name): _plain(value) for name, value in settings.items()}
    except (TypeError, ValueError) as error:
        need = "text, numbers, lists and dicts of them"
        raise InputError(Problem("settings", str(error), need)) from error

"""What the files of runs and of batches share: packages, checks, names of older versions."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ulna.errors import (
    FileError,
    InputError,
    MissingExtraError,
    Problem,
    Problems,
    UlnaError,
    shown,
    warn,
)
from ulna.simulation.tables import Quantity
from ulna.storage import DamagedError

# Older files name these settings otherwise, and gains in what they say of controllers.
_OLDER_SETTINGS = {"model": "dynamics", "friction": "sequential_damping"}
_OLDER_GAINS = {
    "stiffness": "kp", "damping": "kd", "integral": "ki", "frequency": "natural_frequency",
}  # fmt: skip
_OLDER_KEYWORDS = {
    **dict.fromkeys(("PD", "PID", "GravityPD", "FeedforwardPID"), _OLDER_GAINS),
    "ComputedTorque": {"frequency": "natural_frequency", "damping": "damping_ratio"},
    "Adaptive": {"frequency": "bandwidth", "damping": "kd"},
}
# A controller up to the text of an arm, which begins with "<"; gains may be tuples.
_OLDER_CONTROLLER = re.compile(rf"\b({'|'.join(_OLDER_KEYWORDS)})\(((?:[^()<]|\([^()<]*\))*)")

LONGEST_TROUBLE = 200  # letters: messages of HDF5 are long

T = TypeVar("T")


def package(name: str, install: str, purpose: str) -> Any:
    """Load a package, or say what needs it and how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing = name.partition(".")[0]
        way = f"pip install {install}"
        raise MissingExtraError(f"{purpose} needs {missing}, which is missing: {way}") from error


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Name the file in whatever goes wrong with it inside the block."""
    try:
        yield
    except InputError as error:
        raise InputError([_placed(problem, path) for problem in error.problems]) from None
    except DamagedError as error:
        raise FileError(f"{path}: cannot be read: {trouble(error)}") from error
    except UlnaError:
        raise
    except Exception as error:
        # A damaged file may surprise HDF5 anywhere, and it has no exception of its own for that.
        raise FileError(f"{path}: cannot be read: {trouble(error)}") from error


def trouble(error: BaseException) -> str:
    """Return what went wrong in one line."""
    told = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(told.split())[:LONGEST_TROUBLE]


def warn_of_no_digest(path: Path) -> None:
    """Warn that a file was opened whose damage could not be seen."""
    told = (
        f"{path}: it carries no digest, so that damage to its numbers would go unseen: it was "
        "written by an older ulna or changed by other software; save it again to give it one"
    )
    warn(told)


def check_ordinary(path: Path) -> None:
    """Raise FileError for a pipe, which would be waited for, and the like."""
    if path.exists() and not path.is_file():
        raise FileError(f"{path}: cannot be read: it is no ordinary file")


def check_array(
    checks: Problems, name: str, found: Any, shape: tuple[int, ...], kind: Any = np.float64
) -> None:
    """Add a problem unless there is an array of that kind and shape."""
    dtype, size = getattr(found, "dtype", None), getattr(found, "shape", None)
    if dtype != kind or size != shape:
        got = "nothing" if dtype is None else f"{dtype} of shape {size}"
        checks.add(name, got, f"{np.dtype(kind)} of shape {shape}")


def from_json(
    checks: Problems, name: str, texts: Mapping[str, str], build: Callable[[Any], T]
) -> T | None:
    """Build what a text says, noting where it says no such thing."""
    try:
        return build(json.loads(texts[name]))
    except (ValueError, TypeError, KeyError, RecursionError):
        checks.add(name, shown(texts[name]), f"the {name} of a run as JSON")
        return None


def versions(plain: Any) -> dict[str, str]:
    """Read the versions that something was computed with."""
    return {str(name): str(version) for name, version in dict(plain).items()}


def texts_of(found: Mapping[str, Any], form: str, names: tuple[str, ...]) -> dict[str, str]:
    """Read attributes that are text; the format first, which says what else there is."""
    version = found.get("format")
    if version != form:
        got = "nothing" if version is None else shown(version)
        need = f"'{form}', the format of a saved {_thing(form)}"
        raise InputError(Problem("format", got, need, _hint(form, version)))
    checks = Problems()
    for name in names:
        if not isinstance(found.get(name), str):
            checks.add(name, shown(found.get(name)), "text in the attribute of this name")
    checks.raise_if_any()
    return {name: found[name] for name in names}


def _thing(form: Any) -> str:
    return "batch" if str(form).startswith("batch") else "run"


def _hint(form: str, version: Any) -> str:
    if version is None:
        return ""
    if _thing(version) != _thing(form):
        return f"it holds a {_thing(version)}: read it with open_{_thing(version)}"
    return "is it from a later ulna?"


def write_variable(content: Any, name: str, quantity: Quantity, text: Any, **packed: Any) -> None:
    """Write an array and what it says of itself to a netCDF file; text as HDF5 has it."""
    values = quantity.values
    if values.dtype.kind == "U":
        variable = content.create_variable(name, quantity.axes, data=values.astype(text))
    else:
        variable = content.create_variable(name, quantity.axes, data=values, **packed)
    variable.attrs.update(quantity.attributes)


def _placed(problem: Problem, path: Path) -> Problem:
    return problem.at(f"{path}, {problem.place}" if problem.place else str(path))


def read_settings(plain: Any) -> dict[str, Any]:
    """Return the settings of a file by the names that they have here; older files have others."""
    settings = dict(plain)
    if "model" not in settings:
        return settings
    settings = {_OLDER_SETTINGS.get(name, name): value for name, value in settings.items()}
    if settings["dynamics"] == "true":
        settings["dynamics"] = "full"
    if isinstance(settings.get("controller"), str):
        settings["controller"] = _OLDER_CONTROLLER.sub(_renamed_gains, settings["controller"])
    return settings


def _renamed_gains(controller: re.Match[str]) -> str:
    name, arguments = controller.groups()
    for old, new in _OLDER_KEYWORDS[name].items():
        arguments = re.sub(rf"\b{old}=", f"{new}=", arguments)
    return f"{name}({arguments}"

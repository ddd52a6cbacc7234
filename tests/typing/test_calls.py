"""Signatures say what functions take: a page of calls, type-checked, and no parameter untyped."""

import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest

import ulna

pytest.importorskip("mypy")

pytestmark = pytest.mark.check
ROOT = Path(__file__).resolve().parents[2]
PAGE = Path(__file__).with_name("calls.py")
# Rooms whose names nobody outside ulna is meant to call.
INTERNAL = {"cli", "kernels", "lanes"}
ROOMS = [room.name for room in iter_modules(ulna.__path__) if room.ispkg]
MODULES = ["ulna", *(f"ulna.{room}" for room in ROOMS if room not in INTERNAL)]
MODULES += ["ulna.actuation", "ulna.angles", "ulna.motion.paths", "ulna.scenario.disturbances"]


def test_right_calls_are_right_and_wrong_ones_are_wrong():
    # By the rules and with the cache of `make check`; a mark that nothing answers to is an error.
    source = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "mypy", str(PAGE.relative_to(ROOT))]
    done = subprocess.run(
        command, cwd=ROOT, env=source, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def public_functions():
    """Return all public functions, and the methods of public classes, by their names."""
    found = {}
    for module in map(importlib.import_module, MODULES):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isroutine(value):
                found[name] = value
            elif inspect.isclass(value) and value.__module__.startswith("ulna."):
                found |= _methods(value)
    found |= {kind.__name__: kind for kind in (ulna.Simulation, ulna.BatchSimulation)}
    return found


def _methods(kind):
    own = {name: value for name, value in vars(kind).items() if not name.startswith("_")}
    kinds = (classmethod, staticmethod)
    return {
        name: getattr(kind, name)
        for name, value in own.items()
        if inspect.isfunction(value) or isinstance(value, kinds)
    }


def untyped(function):
    """Return the parameters that a signature hides, or says nothing of."""
    hidden = []
    for one in inspect.signature(function).parameters.values():
        # The fields of an arm, by a typed dict; the state of a controller, which is its own affair.
        passed_on = "Unpack[" in str(one.annotation) or "Never" in str(one.annotation)
        known = one.name in ("self", "state") or passed_on
        catches_all = one.kind is one.VAR_KEYWORD
        if not known and (catches_all or one.annotation in (one.empty, "Any", Any)):
            hidden.append(str(one))
    return hidden


def test_every_parameter_is_shown_with_its_type():
    hidden = {name: untyped(function) for name, function in public_functions().items()}
    assert {name: parameters for name, parameters in hidden.items() if parameters} == {}

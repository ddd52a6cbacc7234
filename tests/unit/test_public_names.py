"""One name for one thing: classes, modules and what packages offer."""

import ast
import importlib
import inspect
from collections import defaultdict
from pathlib import Path
from pkgutil import walk_packages

import pytest

import ulna

pytestmark = pytest.mark.check
SOURCES = Path(ulna.__file__).parent
# Rooms whose names nobody outside ulna is meant to call.
INTERNAL = ("ulna.cli", "ulna.kernels", "ulna.lanes")
PUBLIC = (
    "ulna",
    *(
        f"ulna.{room.name}"
        for room in sorted(SOURCES.iterdir())
        if (room / "__init__.py").exists() and f"ulna.{room.name}" not in INTERNAL
    ),
    "ulna.actuation",
    "ulna.angles",
    "ulna.motion.paths",
    "ulna.scenario.disturbances",
    "ulna.typing",
)


def classes_by_name():
    found = defaultdict(list)
    for file in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(f"{file.relative_to(SOURCES)}:{node.lineno}")
    return found


def twice():
    return {name: places for name, places in classes_by_name().items() if len(places) > 1}


def all_packages():
    return ["ulna", *(m.name for m in walk_packages(ulna.__path__, "ulna.") if m.ispkg)]


def submodules(package):
    """Return the public modules of a package by the names of their files."""
    folder = Path(importlib.import_module(package).__file__).parent
    for file in sorted(folder.iterdir()):
        if file.name.startswith("_"):
            continue
        if file.suffix == ".py" or (file / "__init__.py").exists():
            yield file.stem


def shadowed():
    """Return the submodules whose names mean something else in their packages."""
    found = set()
    for package in all_packages():
        for name in submodules(package):
            value = vars(importlib.import_module(package)).get(name)
            if value is not None and not inspect.ismodule(value):
                found.add(f"{package}.{name}")
    return found


def leaking(package):
    """Return the names that `dir` shows beside the public ones, and the public ones it hides."""
    module = importlib.import_module(package)
    shown = {name for name in dir(module) if not (name.startswith("__") and name.endswith("__"))}
    public = {name for name in module.__all__ if not name.startswith("__")}
    # What functions return need not be in the way of those who look for a function.
    hidden = {name for name in public - shown if inspect.isroutine(getattr(module, name))}
    return sorted((shown - public) | hidden)


def test_every_class_has_a_name_of_its_own():
    assert twice() == {}


def test_no_module_is_shadowed_by_what_its_package_imports():
    assert shadowed() == set()


@pytest.mark.parametrize("package", PUBLIC)
def test_dir_shows_public_names_only(package):
    for name in all_packages():  # whatever else has been imported
        importlib.import_module(name)
    assert leaking(package) == []


@pytest.mark.parametrize("package", PUBLIC)
def test_public_names_are_there_once_each(package):
    module = importlib.import_module(package)
    assert len(set(module.__all__)) == len(module.__all__)
    assert all(hasattr(module, name) for name in module.__all__)

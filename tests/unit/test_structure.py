"""How much a reader has to open: files on the way of a call, modules, functions, lines.

Run as a script it lists what counts: `python tests/unit/test_structure.py`.
"""

import ast
import contextlib
import io
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import pytest

import ulna
from ulna.cli import main

SOURCE = Path(ulna.__file__).parent
MAP = Path(__file__).resolve().parents[2] / "docs" / "architecture.md"
LONGEST_MODULE = 500  # lines in all
LONGEST_FUNCTION = 60  # lines without its docstring

# How many there may be.
FILES_OF_FOLLOW = 100
FILES_OF_SIMULATE = 30
FILES_OF_SIMULATE_BATCH = 22
SINGLE_IMPORTERS = 20
LONG_MODULES = 0
LONG_FUNCTIONS = 0
SHARED_STEMS = 1
CODE_LINES = 61_000

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A source file of the package."""

    name: str
    text: str
    is_package: bool

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(ast.parse(self.text)))

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    @property
    def code_lines(self) -> int:
        """Lines that are neither blank nor a comment nor in a docstring."""
        code = {
            number
            for number, line in enumerate(self.text.splitlines(), 1)
            if line.strip() and not line.lstrip().startswith("#")
        }
        described = ast.Module | ast.ClassDef | Function
        docstrings = (docstring_lines(node) for node in self.nodes if isinstance(node, described))
        return len(code.difference(*docstrings))

    def imports(self, names: Container[str]) -> set[str]:
        """Return which of these modules it imports, itself left out."""
        found = set()
        for node in self.nodes:
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = self._base(node)
                inner = [f"{base}.{alias.name}" for alias in node.names]
                found.update(name if name in names else base for name in inner)
        return {name for name in found if name in names and name != self.name}

    def _base(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        kept = len(parts) - node.level + self.is_package
        return ".".join([*parts[:kept], *([node.module] if node.module else [])])


def docstring_lines(node: ast.Module | ast.ClassDef | Function) -> range:
    if ast.get_docstring(node, clean=False) is None:
        return range(0)
    return range(node.body[0].lineno, node.body[0].end_lineno + 1)


@cache
def modules() -> dict[str, Module]:
    found = {}
    for file in sorted(SOURCE.rglob("*.py")):
        parts = list(file.relative_to(SOURCE.parent).with_suffix("").parts)
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        found[name] = Module(name, file.read_text("utf-8"), is_package)
    return found


def files() -> list[Module]:
    """Return the modules that are no packages."""
    return [module for module in modules().values() if not module.is_package]


def single_importers() -> list[str]:
    """List the modules that nobody imports but one sibling, of which they could be a part.

    A package that imports its own module offers it to others, and a module of another room or
    sub-package could not take it in: those do not count.
    """
    importers = defaultdict(list)
    for module in modules().values():
        for name in module.imports(modules()):
            importers[name].append(module)
    return [
        f"{module.name} <- {importers[module.name][0].name}"
        for module in files()
        if len(importers[module.name]) == 1 and _is_sibling(importers[module.name][0], module)
    ]


def _is_sibling(one: Module, other: Module) -> bool:
    folders = {module.name.rpartition(".")[0] for module in (one, other)}
    return len(folders) == 1 and not one.is_package


def long_modules() -> list[str]:
    return [
        f"{module.name}: {module.lines} lines"
        for module in modules().values()
        if module.lines > LONGEST_MODULE
    ]


def long_functions() -> list[str]:
    return [
        f"{module.name}.{node.name}: {length} lines"
        for module in modules().values()
        for node in module.nodes
        if isinstance(node, Function) and (length := function_lines(node)) > LONGEST_FUNCTION
    ]


def function_lines(node: Function) -> int:
    return node.end_lineno - node.lineno + 1 - len(docstring_lines(node))


def shared_stems() -> list[str]:
    stems = defaultdict(list)
    for module in files():
        stems[module.name.rpartition(".")[2]].append(module.name)
    return [f"{stem}: {', '.join(names)}" for stem, names in stems.items() if len(names) > 1]


def code_lines() -> Counter[str]:
    """Count the lines of code of every room."""
    rooms: Counter[str] = Counter()
    for module in modules().values():
        rooms[".".join(module.name.split(".")[:2])] += module.code_lines
    return rooms


@cache
def files_walked(call: Callable[[], object]) -> list[str]:
    """List the files of the package in which a function runs, the second time it is called."""
    call()
    seen: set[str] = set()

    def look(frame, event, _):
        code = frame.f_code
        # Bodies of modules and classes are not optimised: only functions count.
        if event == "call" and code.co_flags & 1:
            seen.add(code.co_filename)

    threading.setprofile(look)
    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return sorted(str(Path(f).relative_to(SOURCE)) for f in seen if f.startswith(str(SOURCE)))


@cache
def arm() -> ulna.Arm:
    return ulna.preset("kehl")


@cache
def planned() -> ulna.Plan:
    path = ulna.paths.circle(center=(0.4, 0.3), radius=0.2)
    return ulna.plan(arm(), path, duration=4.0)


@cache
def controller() -> ulna.control.ComputedTorque:
    return ulna.control.ComputedTorque(natural_frequency=20.0)


def follow() -> None:
    said = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
    ):
        path = "circle(center=(0.4, 0.3), radius='20 cm')"
        words = ["--duration", "2 s", "--out", str(Path(folder) / "out")]
        assert main(["follow", "kehl", path, *words]) == 0, said


def simulate() -> None:
    ulna.simulate(arm(), controller=controller(), reference=planned())


def simulate_batch() -> None:
    q0 = np.random.default_rng(0).uniform(-3.0, 3.0, (100, 2))
    ulna.simulate_batch(arm(), q0=q0, duration=0.1, dt=5e-3)


WALKS = {
    follow: FILES_OF_FOLLOW,
    simulate: FILES_OF_SIMULATE,
    simulate_batch: FILES_OF_SIMULATE_BATCH,
}


@pytest.mark.parametrize("call", WALKS, ids=lambda call: call.__name__)
def test_a_call_runs_through_few_files(call):
    assert_at_most(WALKS[call], files_walked(call))


@pytest.mark.parametrize("call", [follow, simulate, simulate_batch], ids=lambda call: call.__name__)
def test_the_map_names_every_file_on_the_way(call):
    walks = MAP.read_text("utf-8").partition("## The walk of")[2].partition("\n## What holds")[0]
    unnamed = [name for name in files_walked(call) if f"{Path(name).name}`" not in walks]
    assert not unnamed


@pytest.mark.check
def test_few_modules_are_imported_by_one_sibling_alone():
    assert_at_most(SINGLE_IMPORTERS, single_importers())


@pytest.mark.check
def test_a_module_is_a_chapter_and_no_book():
    assert_at_most(LONG_MODULES, long_modules())


@pytest.mark.check
def test_functions_are_short():
    assert_at_most(LONG_FUNCTIONS, long_functions())


@pytest.mark.check
def test_a_file_is_known_by_its_name():
    assert_at_most(SHARED_STEMS, shared_stems())


@pytest.mark.check
def test_the_package_does_not_grow():
    rooms = code_lines()
    assert rooms.total() <= CODE_LINES, rooms


def assert_at_most(most: int, found: list[str]) -> None:
    assert len(found) <= most, "\n".join(found)


def report() -> None:
    """Print all that counts."""
    for call in WALKS:
        _print_list(f"{call.__name__} runs through {{}} files", files_walked(call))
    _print_list("{} modules that one sibling alone imports", single_importers())
    _print_list(f"{{}} modules over {LONGEST_MODULE} lines", long_modules())
    _print_list(f"{{}} functions over {LONGEST_FUNCTION} lines", long_functions())
    _print_list("{} stems shared by several modules", shared_stems())
    print(f"{len(files())} modules, {len(modules()) - len(files())} packages")
    rooms = code_lines()
    print(f"{rooms.total()} lines of code")
    for room, lines in rooms.most_common():
        print(f"    {lines:5}  {room}")


def _print_list(title: str, found: list[str]) -> None:
    print("\n    ".join([title.format(len(found)), *found]))


if __name__ == "__main__":
    report()

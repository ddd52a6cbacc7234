"""Print how large the project is, and through how many files a call runs.

`python tools/size.py` counts modules, code lines (neither blank, comment nor docstring),
statements and expression nodes of each package. `python tools/size.py --walks` also runs
`simulate`, `simulate_batch` and `ulna follow` once each, and lists the files in which their
functions run.
"""

import argparse
import ast
import contextlib
import io
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "ulna"
TREES = ("src/ulna", "papers", "tests")
DESCRIBED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Size(NamedTuple):
    """What a file, a package or a tree amounts to."""

    modules: int = 0
    lines: int = 0
    statements: int = 0
    expressions: int = 0

    def plus(self, other: "Size") -> "Size":
        return Size(*(one + two for one, two in zip(self, other, strict=True)))


def size_of(file: Path) -> Size:
    text = file.read_text("utf-8")
    nodes = list(ast.walk(ast.parse(text)))
    docstrings = {id(node): node for node in _docstrings(nodes)}
    described = {
        line for node in docstrings.values() for line in range(node.lineno, node.end_lineno + 1)
    }
    lines = sum(
        bool(line.strip()) and not line.lstrip().startswith("#") and number not in described
        for number, line in enumerate(text.splitlines(), 1)
    )
    statements = sum(isinstance(node, ast.stmt) and id(node) not in docstrings for node in nodes)
    expressions = sum(isinstance(node, ast.expr) for node in nodes) - len(docstrings)
    return Size(1, lines, statements, expressions)


def _docstrings(nodes: list[ast.AST]) -> Iterator[ast.stmt]:
    for node in nodes:
        if isinstance(node, DESCRIBED) and ast.get_docstring(node, clean=False) is not None:
            yield node.body[0]


def print_sizes() -> None:
    print(f"{'':24}{'modules':>9}{'lines':>9}{'statements':>12}{'expressions':>13}")
    for tree in TREES:
        packages: defaultdict[str, Size] = defaultdict(Size)
        for file in sorted((ROOT / tree).rglob("*.py")):
            inside = file.relative_to(ROOT / tree).parts
            packages[inside[0]] = packages[inside[0]].plus(size_of(file))
        total = Size()
        for size in packages.values():
            total = total.plus(size)
        for name, size in [(tree, total), *sorted(packages.items(), key=lambda one: -one[1].lines)]:
            if size.modules:
                indent = "" if name == tree else "  "
                print(
                    f"{indent + name:24}{size.modules:9,}{size.lines:9,}"
                    f"{size.statements:12,}{size.expressions:13,}"
                )


def files_run(call: Callable[[], object]) -> list[str]:
    """List the files of the package in which functions run, the second time it is called."""
    call()
    seen: set[str] = set()

    def note(frame, event, _argument):
        # Bodies of modules and classes are not optimised: only functions count.
        if event == "call" and frame.f_code.co_flags & 1:
            seen.add(frame.f_code.co_filename)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return sorted(str(Path(name).relative_to(SOURCE)) for name in seen if str(SOURCE) in name)


def print_walks() -> None:
    import numpy as np

    import ulna
    from ulna.cli import main

    arm = ulna.preset("kehl")
    plan = ulna.plan(arm, ulna.paths.circle(center=(0.4, 0.3), radius=0.2), duration=4.0)
    controller = ulna.control.ComputedTorque(natural_frequency=20.0)
    q0 = np.random.default_rng(0).uniform(-3.0, 3.0, (100, 2))

    def follow() -> None:
        words = ["follow", "kehl", "circle(center=(0.4, 0.3), radius='20 cm')", "--duration", "2 s"]
        printed = io.StringIO()
        with (
            tempfile.TemporaryDirectory() as folder,
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
        ):
            main([*words, "--out", str(Path(folder, "out"))])

    walks = {
        "simulate": lambda: ulna.simulate(arm, controller=controller, reference=plan),
        "simulate_batch": lambda: ulna.simulate_batch(arm, q0=q0, duration=0.1, dt=5e-3),
        "ulna follow": follow,
    }
    for name, call in walks.items():
        files = files_run(call)
        print("\n    ".join([f"\n{name} runs through {len(files)} files", *files]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--walks", action="store_true", help="run calls and list their files")
    chosen = parser.parse_args()
    print_sizes()
    if chosen.walks:
        print_walks()

"""`ulna info` and `ulna compile`: what is installed, and kernels that are kept compiled."""

from __future__ import annotations

import os
import platform
import re
import time
from importlib import metadata
from typing import Annotated, Any

from ulna._version import __version__
from ulna.arrays import whole
from ulna.cli import flags
from ulna.cli.flags import option
from ulna.cli.terminal import say, show_json, show_table
from ulna.storage import cache_folder

_REQUIREMENT = re.compile(r"^([A-Za-z0-9_.-]+)")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")


def info(json: flags.Json = False) -> None:
    """Show versions, extras, cache and cores."""
    needed = _needed()
    versions = {name: _version(name) for name in needed}
    machine: dict[str, Any] = {
        "ulna": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": os.cpu_count(),
        "cache": str(cache_folder()),
    }
    if json:
        show_json({**machine, "packages": versions})
        return
    show_table("ulna", ("what", "which"), [(key, str(value)) for key, value in machine.items()])
    rows = [
        (name, versions[name] or "not installed", ", ".join(extras) or "always")
        for name, extras in needed.items()
    ]
    show_table("packages", ("package", "version", "needed by"), rows)


def _needed() -> dict[str, list[str]]:
    """Return what ulna's own metadata asks for, each with the extras that ask for it."""
    try:
        requirements = metadata.requires("ulna") or []
    except metadata.PackageNotFoundError:
        requirements = []
    needed: dict[str, list[str]] = {}
    for requirement in requirements:
        name, extra = _REQUIREMENT.match(requirement), _EXTRA.search(requirement)
        if name and name[1] != "ulna":
            needed.setdefault(name[1], []).extend([extra[1]] if extra else [])
    return needed


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


WorkersOption = Annotated[
    int | None, option("N", "Processes to use; one for every core unless given.")
]


def compile_(workers: WorkersOption = None) -> None:
    """Compile the engine for all sizes of arms and all controllers, so that nobody waits later.

    What is there already is only loaded. The cache is where $ULNA_CACHE says.
    """
    from ulna.kernels.cache import kept_files
    from ulna.progress import progress
    from ulna.simulation.precompile import compile_all

    if workers is not None:
        whole("--workers", workers, 1)
    start, (folder, before) = time.perf_counter(), kept_files()
    with progress("compiling") as report:
        report(0.0)
        for done in compile_all(workers):
            report(done)
    made = len(kept_files()[1] - before)
    if made:
        elapsed = time.perf_counter() - start
        say(f"compiled {made} kernels in {elapsed:.0f} s; they are kept in {folder}")
    else:
        say(f"all kernels are there, in {folder}")

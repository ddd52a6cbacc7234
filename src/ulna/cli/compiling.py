"""`ulna compile`: everything compiled beforehand."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from ulna.cli.terminal import say
from ulna.errors import InputError, Problem, shown


def compile_(
    workers: Annotated[
        str | None,
        typer.Option(metavar="N", help="Processes to use; one for every core unless given."),
    ] = None,
) -> None:
    """Compile the engine for all sizes of arms and all controllers, so that nobody waits later.

    What is there already is only loaded. The cache is where $ULNA_CACHE says.
    """
    from ulna.kernels.cache import kept_files
    from ulna.progress import progress
    from ulna.simulation.precompile import compile_all

    processes = None if workers is None else _read_workers(workers)
    start, (folder, before) = time.perf_counter(), kept_files()
    with progress("compiling") as report:
        report(0.0)
        for done in compile_all(processes):
            report(done)
    made = len(kept_files()[1] - before)
    if made:
        elapsed = time.perf_counter() - start
        say(f"compiled {made} kernels in {elapsed:.0f} s; they are kept in {folder}")
    else:
        say(f"all kernels are there, in {folder}")


def _read_workers(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        hint = "leave it out to use every core"
        raise InputError(Problem("--workers", shown(text), "a whole number of at least 1", hint))
    return int(text)

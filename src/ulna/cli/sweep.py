"""`ulna sweep`: an arm for many parameters, into one labelled dataset; the same command goes on."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from ulna.cli import INTERRUPTED, flags
from ulna.cli.flags import argument, option, switch
from ulna.cli.outputs import UnfinishedError
from ulna.cli.terminal import TYPED, note, number, say, show_json, show_table
from ulna.errors import (
    FileError,
    Interrupted,
    Problem,
    UlnaError,
    rewording,
    size_text,
)
from ulna.sweep.dask_clusters import ClusterError
from ulna.sweep.execute import sweep as carry_out
from ulna.sweep.results import Sweep, duration_text
from ulna.sweep.store import STATUS, read_store
from ulna.zarr_stores import MARKS

PARTLY = 4  # the exit code of what could not be done for all points
CURVE_AXES = ("time", "sample")
SpecArgument = Annotated[str, argument("SPEC", "A sweep file: .toml.")]
OutOption = Annotated[
    str | None, option("STORE", "The folder of the results; SPEC.zarr unless given.")
]
WorkersOption = Annotated[
    int | None, option("N", "Processes of a Dask cluster on this machine to compute in.")
]
SchedulerOption = Annotated[
    str | None, option("ADDRESS", "The Dask scheduler to compute with: tcp://host:8786.")
]
CaOption = Annotated[
    str | None, option("FILE", "The certificate authority of a scheduler at tls://.")
]
CertOption = Annotated[str | None, option("FILE", "The certificate to show it.")]
KeyOption = Annotated[str | None, option("FILE", "The key of that certificate.")]
DryRunSwitch = Annotated[
    bool, switch("--dry-run", "Time a few points, and say what all of them take.")
]
OPTIONS = {
    "store": "--out",
    "workers": "--workers",
    "scheduler": "--scheduler",
    "tls": "--tls-ca-file, --tls-cert, --tls-key",
}


def sweep(
    spec: SpecArgument,
    out: OutOption = None,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    tls_ca_file: CaOption = None,
    tls_cert: CertOption = None,
    tls_key: KeyOption = None,
    dry_run: DryRunSwitch = False,
    overwrite: flags.Overwrite = False,
    json: flags.Json = False,
) -> None:
    """Simulate an arm for many parameters, and keep the results as one labelled dataset.

    Stopped by whatever, the same command goes on where it was.
    """
    store = Path(out) if out is not None else Path(f"{Path(spec).stem}.zarr")
    files = {"ca_file": tls_ca_file, "cert": tls_cert, "key": tls_key}
    settings: dict[str, Any] = {
        "workers": workers,
        "scheduler": scheduler,
        "tls": {name: file for name, file in files.items() if file is not None} or None,
        "dry_run": dry_run,
        "overwrite": overwrite,
    }
    replaces = overwrite and any((store / mark).is_file() for mark in MARKS)
    with rewording(_of_option):
        found = _carried_out(spec, store, settings, replaces=replaces)
        if dry_run:
            _show_estimate(found, workers, json=json)
            return
    if json:
        show_json(_facts(found, store))
    else:
        _show(found, store)
    if not found.is_complete:
        raise UnfinishedError([_kept(found, replaces=replaces)], PARTLY)


def _of_option(problem: Problem) -> Problem:
    return replace(problem, what=OPTIONS.get(problem.what, problem.what))


def _carried_out(spec: str, store: Path, settings: Mapping[str, Any], *, replaces: bool) -> Sweep:
    """Run a sweep; where it ends early, say what there is, and how to go on."""
    try:
        return carry_out(spec, store, **settings)
    except Interrupted as stopped:
        if stopped.result is None:
            raise
        told = f"stopped; {_kept(stopped.result, replaces=replaces)}"
        raise UnfinishedError([told], INTERRUPTED) from None
    except (FileError, ClusterError) as error:
        if replaces:  # what is in the store is what it would have replaced
            told = _going_on(replaces=True)
        else:
            try:
                told = _kept(Sweep(read_store(store)), replaces=False)
            except UlnaError:
                raise error from None
        raise UnfinishedError([str(error), told], error.exit_code) from error


def _kept(found: Sweep, *, replaces: bool) -> str:
    done = f"{found.finished:,} of {len(found):,} points are finished, in {found.path}"
    return f"{done}; {_going_on(replaces=replaces)}"


def _going_on(*, replaces: bool) -> str:
    """Return the command that goes on with what this one has done."""
    words = [word for word in TYPED if replaces or word != "--overwrite"]
    return f"to go on: {shlex.join(['ulna', *words])}"


def _show_estimate(found: Sweep, workers: int | None, *, json: bool) -> None:
    made = found.estimate(workers)
    if json:
        show_json(made._asdict())
        return
    rows = [
        ("points", f"{made.points:,}"),
        ("finished", f"{made.finished:,}"),
        ("time", f"{duration_text(made.seconds)}, by {made.timed} points that were timed"),
        ("memory", size_text(made.memory)),
        ("disk", size_text(made.disk)),
    ]
    show_table("dry run: nothing is written", ("what", "how much"), rows)


def _show(found: Sweep, store: Path) -> None:
    axes = ", ".join(f"{size:,} {name}" for name, size in found.axes.items())
    rows = [(*where, *map(number, numbers)) for where, numbers in _ranges(found)]
    say(f"{len(found):,} points ({axes}): {found.status}")
    if rows:
        show_table("", ("output", "joint", "unit", "least", "median", "largest"), rows)
    failed = found.failed
    if failed:
        told = f"the first, {failed[0]}: {found.why(failed[0])}"
        note(f"{len(failed):,} points did not run to their end; {told}")
    say(f"written: {store}; in Python: ulna.open_sweep({str(store)!r}).dataset")


def _ranges(found: Sweep) -> Iterator[tuple[tuple[str, str, str], tuple[float, ...]]]:
    """Return the range of every scalar, of each joint by itself."""
    axes = tuple(found.axes)
    for name, values in found.dataset.data_vars.items():
        if name in (STATUS, "t_end") or set(CURVE_AXES) & set(values.dims):
            continue
        further = [dim for dim in values.dims if dim not in axes]
        rows = np.asarray(values.transpose(*further, *axes)).reshape(
            *[values.sizes[dim] for dim in further], -1
        )
        for place in np.ndindex(rows.shape[:-1]):
            known = rows[place][np.isfinite(rows[place])]
            if known.size:
                where = (str(name), ", ".join(str(one + 1) for one in place))
                ends = float(known.min()), float(np.median(known)), float(known.max())
                yield (*where, values.attrs.get("units", "")), ends


def _facts(found: Sweep, store: Path) -> dict[str, Any]:
    ranges = [
        {"output": where[0], "joint": where[1], "unit": where[2], "least": ends[0],
         "median": ends[1], "largest": ends[2]}
        for where, ends in _ranges(found)
    ]  # fmt: skip
    return {
        "store": str(store),
        "points": len(found),
        "axes": dict(found.axes),
        "status": found.counts,
        "failed": list(found.failed),
        "not_computed": list(found.not_computed),
        "outputs": ranges,
    }

"""How a sweep is carried out: chunk by chunk, in this process or by the workers of a cluster.

Chunks are independent of one another, and each is a pure function of the spec and of the numbers of
its points. So those that are finished are kept whatever becomes of the others, and a sweep that
was stopped goes on with those that are missing.
"""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ulna.concurrency import interruptible, return_partial
from ulna.errors import warn
from ulna.progress import progress as progress_line
from ulna.storage import exists
from ulna.sweep.chunks import Coordinate, SweepLayout, Variable
from ulna.sweep.cluster import run_on
from ulna.sweep.compute import compute
from ulna.sweep.dask_clusters import check_cluster, connected
from ulna.sweep.results import Estimate, Sweep, not_computed_text
from ulna.sweep.sampling import POINT, Axis
from ulna.sweep.spec_reader import SpecKeywords
from ulna.sweep.store import STATUS_VARIABLE, Arrays, SweepMemory, create_store, finish_store
from ulna.sweep.sweep_outputs import AXIS, JOINT, SAMPLE
from ulna.sweep.sweep_spec import SweepSpec, asked_spec

TIMED = 64  # points that an estimate times
SHORT = 0.5  # [s] after which it is content with fewer


class SweepJob:
    """A sweep that is carried out.

    Attributes
    ----------
    spec : SweepSpec
        The sweep.
    chunks : ChunkGrid
        How its points are cut.
    missing : list of int
        The chunks that are not finished.
    """

    def __init__(
        self, spec: SweepSpec, results: SweepMemory, report: Callable[[float], None]
    ) -> None:
        self.spec, self.chunks = spec, results.layout.chunks
        self._results, self._report = results, report
        self.missing = [n for n in range(len(self.chunks)) if not results.is_finished(n)]
        self._left = sum(len(self.chunks.points(number)) for number in self.missing)
        report(1.0 - self._left / len(spec))

    def finish(self, number: int, arrays: Arrays) -> None:
        """Keep a chunk."""
        self._results.write(number, arrays)
        self._left -= len(self.chunks.points(number))
        self._report(1.0 - self._left / len(self.spec))


@interruptible
def sweep(
    spec: SweepSpec | str | Path | Mapping[str, Any] | None = None,
    store: str | Path | None = None,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    tls: Mapping[str, str] | None = None,
    overwrite: bool = False,
    dry_run: bool = False,
    progress: bool | None = None,
    **keywords: Unpack[SpecKeywords],
) -> Sweep:
    """Simulate an arm for many parameters, and keep what was asked for of every point.

    A sweep that was stopped, by whatever, goes on where it was when it is called again with the
    same store. Points that keep killing the workers that compute them are left out, with a warning;
    the next call tries them again.

    Parameters
    ----------
    spec : SweepSpec, str, Path or mapping, optional
        What to vary and what to keep: a file, or its content. Needed unless there are keywords.
    store : str or Path, optional
        A folder for the results, as Zarr; in memory unless given.
    workers : int, optional
        Processes to compute in, of a Dask cluster on this machine; in this process unless given.
    scheduler : str, optional
        The address of the scheduler of a Dask cluster ("tcp://host:8786") to compute on.
    tls : mapping of str to str, optional
        Files for a scheduler at ``tls://``: ``ca_file``, ``cert`` and ``key``.
    overwrite : bool, optional
        Whether to replace a store, even of another spec.
    dry_run : bool, optional
        Whether to compute nothing: `Sweep.estimate` says what it would take.
    progress : bool, optional
        Whether to show how far it is; unless given, where it takes long and somebody looks.
    **keywords : SpecKeywords
        In place of a spec its keys, such as arm, path, vary and keep.

    Returns
    -------
    Sweep
        The results.

    Raises
    ------
    InputError
        A spec that cannot be used, or a store of another one.
    FileError
        If the disk is full or out of reach; what is finished is kept.
    ClusterError
        If the cluster is gone; what is finished is kept.
    Interrupted
        On Ctrl-C; its `result` holds what is finished.

    Examples
    --------
    >>> import ulna
    >>> spec = {
    ...     "format": 1,
    ...     "arm": "kehl",
    ...     "path": "circle(center=(0.4, 0.3), radius='20 cm')",
    ...     "duration": "0.2 s",
    ...     "controller": "ComputedTorque()",
    ...     "vary": {"payload": ["0 kg", "1 kg", "2 kg"]},
    ...     "keep": {"scalars": ["torque.peak"]},
    ... }
    >>> found = ulna.sweep(spec)
    >>> found.status, found.dataset["torque.peak"].dims
    ('3 done', ('payload', 'joint'))
    >>> len(ulna.sweep(arm="kehl", path="loops()", simulate=False, vary={"payload": [0.0, 1.0]}))
    2
    """
    check_cluster(workers, scheduler, tls)
    asked = asked_spec(spec, keywords)
    layout, path = layout_of(asked), None if store is None else Path(store)
    if path is None or (dry_run and not exists(path)):
        results = SweepMemory(layout)
    else:
        results = create_store(path, layout, overwrite=overwrite and not dry_run)
    found = Sweep(results, asked)
    if dry_run:
        return found
    try:
        if not found.is_complete:
            with progress_line("sweeping", shown=progress) as report:
                _carry_out(SweepJob(asked, results, report), workers, scheduler, tls)
    except KeyboardInterrupt:
        done = f"{found.finished:,} of {len(found):,} points are finished"
        return return_partial(found, "raise", f"interrupted; {done}")
    if not found.is_complete:
        why = "they kept killing the workers that computed them"
        warn(f"{not_computed_text(found)}; {why}; the same sweep tries them again")
    elif path is not None and found.path not in (None, path):
        found = Sweep(finish_store(found.path, path), asked)
    return found


def _carry_out(
    job: SweepJob, workers: int | None, scheduler: str | None, tls: Mapping[str, str] | None
) -> None:
    if workers is None and scheduler is None:
        run_here(job)
        return
    with connected(workers, scheduler, tls) as cluster:
        run_on(cluster, job)


def run_here(job: SweepJob) -> None:
    """Compute what is missing of a sweep in this process."""
    for number in job.missing:
        job.finish(number, compute(job.spec, job.chunks.points(number)))


def layout_of(spec: SweepSpec) -> SweepLayout:
    """Return what the results of a spec look like."""
    design, kept = spec.design, spec.keep
    axes = dict(zip(design.dims, design.shape, strict=True))
    coordinates = [*_parameter_coordinates(spec), *_output_coordinates(spec)]
    taken = {one.name for one in coordinates}
    outputs = [
        Variable(
            name,
            about.unit,
            kept.dims(name),
            kept.shape(name, spec.n, spec.grid),
            attributes={"long_name": about.about},
        )
        for name, about in kept.outputs.items()
        if name not in taken  # a duration that is varied is a coordinate already
    ]
    t_end = Variable("t_end", "s", attributes={"long_name": "when the run ended"})
    variables = [*outputs, t_end, STATUS_VARIABLE]
    return SweepLayout(spec.content, axes, coordinates, variables)


def _parameter_coordinates(spec: SweepSpec) -> Iterator[Coordinate]:
    """Return the values of what is varied: along axes of a grid, or along the points."""
    design, units = spec.design, {one.name: one.unit for one in spec.parameters}
    if design.kind != "grid":
        for name, values in design.columns(np.arange(design.count)).items():
            yield Coordinate(name, (POINT,), _plain(values), units[name])
    elif design.axes:
        for axis in design.axes:
            assert isinstance(axis, Axis)
            yield Coordinate(axis.name, (axis.name,), _plain(axis.values), units[axis.name])
    if design.dims == (POINT,):
        yield Coordinate(POINT, (POINT,), np.arange(design.count))


def _plain(values: Any) -> NDArray[Any]:
    """Return numbers, or text."""
    found = np.asarray(values)
    return found if found.dtype.kind in "fiub" else np.array([str(one) for one in values])


def _output_coordinates(spec: SweepSpec) -> Iterator[Coordinate]:
    """Return the axes that outputs have besides those of the points."""
    used = {dim for name in spec.keep.outputs for dim in spec.keep.dims(name)}
    unit = "s" if spec.has_shared_time else "1"  # seconds, or parts of a duration that differs
    duration = float(spec.base.duration or 1.0) if spec.has_shared_time else 1.0
    known = {
        JOINT: (np.arange(1, spec.n + 1), ""),
        AXIS: (np.array(["x", "y"]), ""),
        "time": (spec.curve_times, unit),
        SAMPLE: (spec.grid.times(duration), unit),
    }
    for name, (values, unit) in known.items():
        if name in used:
            yield Coordinate(name, (name,), values, unit)


def estimate(
    spec: SweepSpec, layout: SweepLayout, finished: int, workers: int | None = None
) -> Estimate:
    """Time a few points, and say what the rest of them takes."""
    points = layout.points
    few = range(min(2, points))
    compute(spec, few)  # which loads, or compiles, what all of them need
    timed, seconds = few, math.inf
    for count in (8, TIMED):
        timed = range(min(count, points))
        start = time.perf_counter()
        compute(spec, timed)
        seconds = time.perf_counter() - start
        if seconds > SHORT:
            break
    tracemalloc.start()
    try:
        compute(spec, timed)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    chunk = math.prod(layout.chunks.box)
    # Workers share the cores that a process by itself uses, but each has its own memory.
    return Estimate(
        points,
        finished,
        seconds / len(timed) * (points - finished),
        peak / len(timed) * chunk * (workers or 1),
        layout.bytes_per_point * chunk * len(layout.chunks),
        len(timed),
    )

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
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ulna.concurrency import (
    check_on_interrupt,
    deferred,
    interruptible,
    listening,
    return_partial,
)
from ulna.errors import FileError, Problems, shown, warn
from ulna.progress import progress as progress_line
from ulna.storage import check_space
from ulna.sweep.chunks import Coordinate, SweepLayout, Variable
from ulna.sweep.compute import compute
from ulna.sweep.results import (
    SET_ASIDE,
    STATUS,
    STATUS_VARIABLE,
    WORDS,
    Estimate,
    Sweep,
    SweepMemory,
    attributes,
    machines,
    mixed_text,
    named_points,
)
from ulna.sweep.sampling import POINT, Axis
from ulna.sweep.store import (
    MESSAGE,
    Arrays,
    ChunkRecord,
    SweepStore,
    create_store,
    machine,
    messages_of,
    write_chunk,
)
from ulna.sweep.sweep_outputs import AXIS, JOINT, SAMPLE
from ulna.sweep.sweep_spec import SpecKeywords, SweepSpec, asked_spec

if TYPE_CHECKING:
    from ulna.typing import OnInterrupt

MAX_WORKERS = 4096
TIMED = 64  # points that an estimate times
SHORT = 0.5  # [s] after which it is content with fewer


@dataclass
class SweepJob:
    """A sweep that is carried out: what is missing, and where what is finished goes."""

    spec: SweepSpec
    results: SweepStore | SweepMemory
    report: Callable[[float], None] = lambda done: None
    done: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        chunks = self.results.chunks
        self.done = sum(len(chunks.points(number)) for number in self.results.records)

    @property
    def layout(self) -> SweepLayout:
        """What the results are."""
        return self.results.layout

    @property
    def path(self) -> Path | None:
        """The folder of the results, unless they are in memory."""
        return self.results.path if isinstance(self.results, SweepStore) else None

    def missing(self) -> Iterator[int]:
        """Return the chunks that are not finished."""
        return (n for n in range(len(self.results.chunks)) if n not in self.results.records)

    def finish(
        self,
        number: int,
        arrays: Arrays,
        made_by: Mapping[str, str],
        set_aside: tuple[int, ...] = (),
    ) -> None:
        """Keep a chunk: its data first, then the record of it."""
        with deferred():
            if isinstance(self.results, SweepMemory):
                self.results.put(number, arrays, ChunkRecord({}, made_by, set_aside))
            else:
                digests = write_chunk(self.results.path, self.layout, number, arrays)
                told = messages_of(self.results.chunks.points(number), arrays)
                self.results.record(number, ChunkRecord(digests, made_by, set_aside, told))
        self._count(number)

    def note_written(self, number: int, record: ChunkRecord) -> None:
        """Record a chunk whose data a worker has written."""
        assert isinstance(self.results, SweepStore)
        with deferred():
            self.results.record(number, record)
        self._count(number)

    def _count(self, number: int) -> None:
        self.done += len(self.results.chunks.points(number))
        self.report(self.done / self.layout.points)


@interruptible
def sweep(
    spec: SweepSpec | str | Path | Mapping[str, Any] | None = None,
    store: str | Path | None = None,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    tls: Mapping[str, str] | None = None,
    overwrite: bool = False,
    retry: bool = False,
    verify: bool = False,
    dry_run: bool = False,
    progress: bool | None = None,
    on_interrupt: OnInterrupt = "raise",
    **keywords: Unpack[SpecKeywords],
) -> Sweep:
    """Simulate an arm for many parameters, and keep what was asked for of every point.

    A sweep that was stopped, by whatever, goes on where it was when it is called again with the
    same store.

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
    retry : bool, optional
        Whether to try points again that were set aside.
    verify : bool, optional
        Whether to read finished chunks, and to compute damaged ones anew.
    dry_run : bool, optional
        Whether to compute nothing: `Sweep.estimate` says what it would take.
    progress : bool, optional
        Whether to show how far it is; unless given, where it takes long and somebody looks.
    on_interrupt : {"raise", "return"}
        Whether Ctrl-C raises `ulna.Interrupted`, or what is finished is returned.
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
    check_on_interrupt(on_interrupt)
    _check_cluster(workers, scheduler, tls)
    asked = asked_spec(spec, keywords)
    layout = layout_of(asked)
    if dry_run:
        return _untouched(asked, layout, store)
    with _results(layout, store, overwrite=overwrite) as results:
        if isinstance(results, SweepStore):
            _prepare(results, retry=retry, verify=verify)
        job = SweepJob(asked, results)
        found = Sweep(results, job.path, asked)
        try:
            _carry_out(job, partial(_run, workers, scheduler, tls), progress)
        except KeyboardInterrupt:
            listening().clear()
            _describe(results)
            text = f"interrupted; {found.finished:,} of {len(found):,} points are finished"
            return return_partial(found, on_interrupt, text)
        except Exception:
            with suppress(FileError):  # what went wrong first is told
                _describe(results)
            raise
        _describe(results)
        _tell(found)
        return found


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
    return SweepLayout(spec.hash, spec.content, spec.text, axes, coordinates, variables)


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


def _check_cluster(
    workers: int | None, scheduler: str | None, tls: Mapping[str, str] | None
) -> None:
    checks = Problems()
    if workers is not None and scheduler is not None:
        hint = "leave out one of them"
        checks.add("workers", f"{workers} and a scheduler", "one of the two", hint)
    whole = isinstance(workers, int) and not isinstance(workers, bool)
    if workers is not None and not (whole and 1 <= workers <= MAX_WORKERS):
        checks.add("workers", shown(workers), f"a whole number from 1 to {MAX_WORKERS:,}")
    if scheduler is not None and not isinstance(scheduler, str):
        checks.add("scheduler", shown(scheduler), "an address, such as 'tcp://127.0.0.1:8786'")
    if tls is not None and scheduler is None:
        checks.add("tls", "files and no scheduler", "a scheduler at tls://")
    if tls is not None and set(tls) != {"ca_file", "cert", "key"}:
        checks.add("tls", shown(sorted(tls)), "the files ca_file, cert and key")
    checks.raise_if_any()


@contextmanager
def _results(
    layout: SweepLayout, store: str | Path | None, *, overwrite: bool
) -> Iterator[SweepStore | SweepMemory]:
    """Return where results go: memory, or a store that nobody else writes to."""
    if store is None:
        yield SweepMemory(layout)
        return
    path = Path(store)
    made = create_store(path, layout, attributes(SweepMemory(layout)), overwrite=overwrite)
    with made.locked():
        try:
            made.remove_parts()
            yield made
        finally:
            made.remove_parts()


def _untouched(spec: SweepSpec, layout: SweepLayout, store: str | Path | None) -> Sweep:
    """Return a sweep that computes nothing: what is finished, if there is a store."""
    path = None if store is None else Path(store)
    if path is None or not (path / ".zgroup").is_file():
        return Sweep(SweepMemory(layout), None, spec)
    return Sweep(create_store(path, layout, {}, overwrite=False), path, spec)


def _prepare(results: SweepStore, *, retry: bool, verify: bool) -> None:
    """Forget what is to be computed again, and see that there is room for what is missing."""
    if verify:
        results.forget(results.damaged())
    if retry:
        results.forget([n for n, record in results.records.items() if record.set_aside])
    missing = len(results.chunks) - len(results.records)
    box = math.prod(results.chunks.box)
    check_space(results.path, missing * box * results.layout.bytes_per_point)


def _carry_out(job: SweepJob, run: Callable[[SweepJob], None], progress: bool | None) -> None:
    if job.done == job.layout.points:
        return
    with progress_line("sweeping", shown=progress) as report:
        job.report = report
        report(job.done / job.layout.points)
        run(job)


def _run(
    workers: int | None, scheduler: str | None, tls: Mapping[str, str] | None, job: SweepJob
) -> None:
    if workers is None and scheduler is None:
        run_here(job)
        return
    from ulna.sweep.cluster import run_on
    from ulna.sweep.dask_clusters import connected

    with connected(workers, scheduler, tls) as cluster:
        run_on(cluster, job)


def run_here(job: SweepJob) -> None:
    """Compute what is missing of a sweep in this process."""
    listener = listening()
    for number in job.missing():
        job.finish(number, compute(job.spec, job.results.chunks.points(number)), machine())
        listener.check()


def blank(layout: SweepLayout, count: int) -> dict[str, NDArray[Any]]:
    """Return the outputs of points that could not be computed."""
    found = {
        one.name: np.full((count, *one.shape), one.fill, one.dtype) for one in layout.variables
    }
    found[STATUS][...] = WORDS.index(SET_ASIDE)
    found[MESSAGE] = np.full(count, "", "<U1")
    return found


def _describe(results: SweepStore | SweepMemory) -> None:
    """Write into a store what computed it."""
    if isinstance(results, SweepStore):
        with deferred():
            results.write_attributes(attributes(results))


def _tell(found: Sweep) -> None:
    """Warn of what a user would not expect."""
    told = machines(found.records)
    if len(told) > 1:
        warn(mixed_text(told))
    lost = found.set_aside
    if lost:
        why = "set aside, since each killed the process that computed it three times"
        warn(f"{why}: {named_points(lost)}")

"""Executes a batch slab by slab, into memory or into a store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Parameters
from ulna.arrays import Array
from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.interrupts import OnInterrupt, deferred, listening, return_partial
from ulna.progress import progress as progress_line
from ulna.simulation.batch.buckets import Acting, Slab
from ulna.simulation.batch.files import BatchStore, create, open_batch
from ulna.simulation.batch.members import TO_RUN, Members
from ulna.simulation.batch.run import BatchRun
from ulna.simulation.batch.scratch import LaneKind
from ulna.simulation.batch.status import CODES, Statuses
from ulna.simulation.batch.thread_pool import ThreadPool, cost_of
from ulna.simulation.build import tableau_of
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.bucket import Outcome
from ulna.simulation.immutable import read_only
from ulna.simulation.options import SimulationOptions
from ulna.simulation.status import Reason

MOST_PREPARED = 2**16  # arms that are made ready at a time
PRECISIONS = {"double": np.float64, "single": np.float32}
# The reason that a result states for each of the engine's return codes.
ENDINGS: dict[int, Reason] = {
    TO_RUN: "not run",
    at.BUDGET: "interrupted",
    at.REACHED: "done",
    at.DIVERGED: "diverged",
    at.STALLED: "stalled",
    at.CHATTERING: "stalled",
    at.FAULTY: "bad torque",
    at.COARSE: "coarse",
}


# The same as an array, by the engine's codes; the last entry, index −1, is that of TO_RUN.
RESULTS = np.full(at.COARSE + 2, CODES["not run"], dtype=np.int8)
for _code, _reason in ENDINGS.items():
    RESULTS[_code] = CODES[_reason]


class BatchJob(NamedTuple):
    """A batch that is ready to be simulated."""

    members: Members
    acting: Acting
    options: SimulationOptions
    duration: float
    times: Array  # (S,) of the samples
    slab: int  # how many arms to work on at a time
    torques: bool
    settings: dict[str, Any]


def execute(
    job: BatchJob,
    *,
    precision: str,
    threads: int | None,
    store: Any,
    overwrite: bool,
    progress: bool | None,
    on_interrupt: OnInterrupt,
) -> BatchRun:
    """Simulate all arms, and return the result."""
    members = job.members
    pool = ThreadPool(kind_of(precision, job.options), read_threads(threads))
    count, size = members.count, min(job.slab, MOST_PREPARED)
    with progress_line("simulating", shown=progress) as report:

        def told(done: float) -> None:
            report(done / count)

        if store is not None:
            return _stored(job, pool, size, store, overwrite, told, on_interrupt)
        outcome = _room(job, count)
        try:
            for first in range(0, count, size):
                part = outcome if size >= count else _part(outcome, first, first + size)
                _run_slab(job, pool, part, first, told)
        except KeyboardInterrupt:
            if pool.is_at_work:
                raise
            # What is finished is given back, and its status says what is not.
            run = _run(job, outcome)
            return return_partial(run, on_interrupt, f"interrupted: {run.status}")
    return _run(job, outcome)


def _stored(
    job: BatchJob,
    pool: ThreadPool,
    size: int,
    file: Any,
    overwrite: bool,
    told: Callable[[float], None],
    on_interrupt: OnInterrupt,
) -> BatchRun:
    """Simulate slab after slab, and write each to the store before the next."""
    members = job.members
    store = create(
        file, members.parameters, job.times, members=members.count, settings=job.settings,
        keep_tau=job.torques, overwrite=overwrite,
    )  # fmt: skip
    try:
        for first in range(0, members.count, size):
            _store_slab(job, pool, store, first, min(first + size, members.count), told)
    except KeyboardInterrupt:
        # Between slabs what is written is whole; who presses twice wants none of it.
        if pool.is_at_work or not store.is_open or store.is_empty:
            store.abandon()
            raise
        listening().clear()
        place = store.set_aside()
        run = open_batch(place)
        return return_partial(run, on_interrupt, f"interrupted: {run.status}; they are in {place}")
    except BaseException:
        store.abandon()
        raise
    return _finished(store, file)


def _store_slab(
    job: BatchJob,
    pool: ThreadPool,
    store: BatchStore,
    first: int,
    last: int,
    told: Callable[[float], None],
) -> None:
    """Simulate some arms and write them to the store, after Ctrl-C as far as they have come."""
    outcome = _room(job, last - first)
    interrupt: KeyboardInterrupt | None = None
    try:
        _run_slab(job, pool, outcome, first, told)
    except KeyboardInterrupt as error:
        if pool.is_at_work:
            raise
        listening().clear()
        interrupt = error
    codes = _codes(job, outcome, first)
    tau = outcome.tau if job.torques else None
    store.write(first, outcome.q, outcome.qd, tau, outcome.t_end, codes)
    if interrupt is not None:
        raise interrupt


def _finished(store: BatchStore, file: Any) -> BatchRun:
    run: BatchRun | None = None
    try:
        with deferred():
            store.finish()
            run = open_batch(file)
    except KeyboardInterrupt:
        if run is None:
            raise
        return return_partial(run, "raise", f"interrupted; all arms are done and in {file}")
    return run


def _room(job: BatchJob, count: int) -> Outcome:
    """Allocate the outcome of so many arms."""
    shape = (count, len(job.times), job.members.n)
    tau = _blank(shape) if job.torques else np.zeros((0, *shape[1:]))
    codes = np.empty(count, dtype=np.int8)
    codes.fill(TO_RUN)
    return Outcome(job.times, _blank(shape), _blank(shape), tau, _blank((count,)), codes)


def _blank(shape: tuple[int, ...]) -> Array:
    values = np.empty(shape)
    values.fill(np.nan)
    return values


def _part(outcome: Outcome, first: int, last: int) -> Outcome:
    times, *arrays = outcome
    return Outcome(times, *(array[first:last] for array in arrays))


def _run_slab(
    job: BatchJob, pool: ThreadPool, outcome: Outcome, first: int, told: Callable[[float], None]
) -> None:
    last = first + len(outcome.codes)
    # Arms that cannot run are passed over.
    outcome.codes[job.members.codes[first:last] != TO_RUN] = at.STOPPED
    buckets = Slab(job.members, first, last).buckets(job.acting, job.options, job.duration)
    options, controlled = job.options, buckets[0].law is not None
    steps = max(job.duration / options.dt, 1.0)
    cost = steps * cost_of(options, job.members.n, last - first, controlled=controlled)
    pool.work(buckets, outcome, told, cost)


def _codes(job: BatchJob, outcome: Outcome, first: int) -> Array:
    """Return the status codes of the arms."""
    own = job.members.codes[first : first + len(outcome.codes)]
    return np.where(own == TO_RUN, RESULTS[outcome.codes], own)


def _run(job: BatchJob, outcome: Outcome) -> BatchRun:
    # These arrays are ours alone, so that they need not be copied or checked again.
    status = Statuses.made(_codes(job, outcome, 0), outcome.t_end)
    parameters = job.members.parameters
    if job.members.arm is None:
        parameters = Parameters(*map(read_only, parameters))
    return BatchRun.made(
        parameters,
        job.times,
        outcome.q,
        outcome.qd,
        outcome.tau if job.torques else None,
        status,
        job.settings,
    )


def kind_of(precision: Any, options: SimulationOptions) -> LaneKind:
    """Read the precision, and return the kind of lanes."""
    from ulna.lanes import WIDTHS

    if not isinstance(precision, str) or precision not in PRECISIONS:
        hint = did_you_mean(str(precision), PRECISIONS)
        raise InputError(Problem("precision", shown(precision), "'double' or 'single'", hint))
    number = np.dtype(PRECISIONS[precision])
    return LaneKind(number, WIDTHS[number], tableau_of(options))


def read_threads(given: Any) -> int | None:
    """Read the largest number of threads; None is one for every core of this process."""
    return None if given is None else read_count("threads", given, 1)


def read_count(what: str, given: Any, least: int) -> int:
    """Read a whole number that has no upper bound."""
    if not isinstance(given, int | np.integer) or isinstance(given, bool) or given < least:
        raise InputError(Problem(what, shown(given), f"a whole number of at least {least}"))
    return int(given)

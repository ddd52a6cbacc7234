"""From what is to be run to what came out: slab by slab, into memory or into a store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Parameters
from ulna.arrays import Array
from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.interrupts import OnInterrupt, deferred, given_back, listening
from ulna.progress import progress as progress_line
from ulna.simulation.batch.bench import Kind
from ulna.simulation.batch.files import BatchStore, create, open_batch
from ulna.simulation.batch.lots import Acting, Slab
from ulna.simulation.batch.members import TO_RUN, Members
from ulna.simulation.batch.run import BatchRun
from ulna.simulation.batch.status import CODES, Statuses
from ulna.simulation.batch.work import Crew, cost_of
from ulna.simulation.build import tableau_of
from ulna.simulation.engine import places as at
from ulna.simulation.engine.lots import Outcome
from ulna.simulation.fixed import read_only
from ulna.simulation.options import Options
from ulna.simulation.status import Reason

MOST_PREPARED = 2**16  # arms that are made ready at a time
PRECISIONS = {"double": np.float64, "single": np.float32}
# How a result calls the engine's reasons to come back.
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


# The same as a table, by the engine's numbers; the last, of which none is, is TO_RUN's.
RESULTS = np.full(at.COARSE + 2, CODES["not run"], dtype=np.int8)
for _code, _reason in ENDINGS.items():
    RESULTS[_code] = CODES[_reason]


class Performance(NamedTuple):
    """All that is to be run."""

    members: Members
    acting: Acting
    options: Options
    duration: float
    times: Array  # (S,) of the samples
    slab: int  # how many arms to work on at a time
    torques: bool
    settings: dict[str, Any]


def perform(
    asked: Performance,
    *,
    precision: str,
    threads: int | None,
    store: Any,
    force: bool,
    progress: bool | None,
    on_interrupt: OnInterrupt,
) -> BatchRun:
    """Run all arms, and return what they did."""
    members = asked.members
    crew = Crew(kind_of(precision, asked.options), read_threads(threads))
    count, size = members.count, min(asked.slab, MOST_PREPARED)
    with progress_line("simulating", shown=progress) as report:

        def told(done: float) -> None:
            report(done / count)

        if store is not None:
            return _stored(asked, crew, size, store, force, told, on_interrupt)
        outcome = _room(asked, count)
        try:
            for first in range(0, count, size):
                part = outcome if size >= count else _part(outcome, first, first + size)
                _run_slab(asked, crew, part, first, told)
        except KeyboardInterrupt:
            if crew.is_at_work:
                raise
            # What is finished is given back, and its status says what is not.
            run = _run(asked, outcome)
            return given_back(run, on_interrupt, f"interrupted: {run.status}")
    return _run(asked, outcome)


def _stored(
    asked: Performance,
    crew: Crew,
    size: int,
    file: Any,
    force: bool,
    told: Callable[[float], None],
    on_interrupt: OnInterrupt,
) -> BatchRun:
    """Run slab after slab, and write each away before the next."""
    members = asked.members
    store = create(
        file, members.parameters, asked.times, members=members.count, settings=asked.settings,
        keep_tau=asked.torques, force=force,
    )  # fmt: skip
    try:
        for first in range(0, members.count, size):
            _store_slab(asked, crew, store, first, min(first + size, members.count), told)
    except KeyboardInterrupt:
        # Between slabs what is written is whole; who presses twice wants none of it.
        if crew.is_at_work or not store.is_open or store.is_empty:
            store.abandon()
            raise
        listening().answer()
        place = store.set_aside()
        run = open_batch(place)
        return given_back(run, on_interrupt, f"interrupted: {run.status}; they are in {place}")
    except BaseException:
        store.abandon()
        raise
    return _finished(store, file)


def _store_slab(
    asked: Performance,
    crew: Crew,
    store: BatchStore,
    first: int,
    last: int,
    told: Callable[[float], None],
) -> None:
    """Run some arms and write them away; after Ctrl-C what there is of them."""
    outcome = _room(asked, last - first)
    interrupt: KeyboardInterrupt | None = None
    try:
        _run_slab(asked, crew, outcome, first, told)
    except KeyboardInterrupt as error:
        if crew.is_at_work:
            raise
        listening().answer()
        interrupt = error
    codes = _codes(asked, outcome, first)
    tau = outcome.tau if asked.torques else None
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
        return given_back(run, "raise", f"interrupted; all arms are done and in {file}")
    return run


def _room(asked: Performance, count: int) -> Outcome:
    """Make room for what becomes of so many arms."""
    shape = (count, len(asked.times), asked.members.n)
    tau = _blank(shape) if asked.torques else np.zeros((0, *shape[1:]))
    codes = np.empty(count, dtype=np.int8)
    codes.fill(TO_RUN)
    return Outcome(asked.times, _blank(shape), _blank(shape), tau, _blank((count,)), codes)


def _blank(shape: tuple[int, ...]) -> Array:
    values = np.empty(shape)
    values.fill(np.nan)
    return values


def _part(outcome: Outcome, first: int, last: int) -> Outcome:
    times, *arrays = outcome
    return Outcome(times, *(array[first:last] for array in arrays))


def _run_slab(
    asked: Performance, crew: Crew, outcome: Outcome, first: int, told: Callable[[float], None]
) -> None:
    last = first + len(outcome.codes)
    # Arms that cannot run are passed over.
    outcome.codes[asked.members.codes[first:last] != TO_RUN] = at.STOPPED
    lots = Slab(asked.members, first, last).lots(asked.acting, asked.options, asked.duration)
    options, controlled = asked.options, lots[0].law is not None
    steps = max(asked.duration / options.dt, 1.0)
    cost = steps * cost_of(options, asked.members.n, last - first, controlled=controlled)
    crew.work(lots, outcome, told, cost)


def _codes(asked: Performance, outcome: Outcome, first: int) -> Array:
    """Return how every arm ended, as results count it."""
    own = asked.members.codes[first : first + len(outcome.codes)]
    return np.where(own == TO_RUN, RESULTS[outcome.codes], own)


def _run(asked: Performance, outcome: Outcome) -> BatchRun:
    # Nobody else has these, so that they need not be copied or looked at again.
    status = Statuses.made(_codes(asked, outcome, 0), outcome.t_end)
    parameters = asked.members.parameters
    if asked.members.arm is None:
        parameters = Parameters(*map(read_only, parameters))
    return BatchRun.made(
        parameters,
        asked.times,
        outcome.q,
        outcome.qd,
        outcome.tau if asked.torques else None,
        status,
        asked.settings,
    )


def kind_of(precision: Any, options: Options) -> Kind:
    """Take what lanes are to be made of."""
    from ulna.lanes import WIDTHS

    if not isinstance(precision, str) or precision not in PRECISIONS:
        hint = did_you_mean(str(precision), PRECISIONS)
        raise InputError(Problem("precision", shown(precision), "'double' or 'single'", hint))
    number = np.dtype(PRECISIONS[precision])
    return Kind(number, WIDTHS[number], tableau_of(options))


def read_threads(given: Any) -> int | None:
    """Take how many threads to use at most; None is as many as there are cores for this process."""
    if given is None:
        return None
    if not isinstance(given, int | np.integer) or isinstance(given, bool) or given < 1:
        raise InputError(Problem("threads", shown(given), "a whole number of at least 1"))
    return int(given)

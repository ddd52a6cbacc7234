"""From numbers of points to outputs: what a run in process, a worker and a retry all call.

`compute` is a pure function. What it returns of a point is the same to the last bit in whichever
order and company points are computed: batches guarantee it of runs, and reductions over samples go
along rows of one member each.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ulna.arrays import Array
from ulna.dynamics import inverse_dynamics
from ulna.errors import InputError, Problem, UlnaWarning
from ulna.motion import Plan
from ulna.motion.planning.postures import sliding_to_rest
from ulna.simulation import BatchRun, simulate_batch
from ulna.simulation.batch.statuses import CODES, Statuses
from ulna.sweep.batches import CaseBatch, Refused, batches
from ulna.sweep.cases import batch_keywords
from ulna.sweep.sweep_outputs import (
    INVALID,
    LONGEST_MESSAGE,
    MESSAGE_TYPE,
    NOT_COMPUTED,
    OK_STATUSES,
    STATUS_CODES,
    STATUSES,
    Results,
)
from ulna.sweep.sweep_spec import SweepSpec

MOST_NUMBERS = 1_000_000  # of a history that is worked on at a time: memory stays flat
MOST_MEMBERS = 256  # that are simulated together: their arrays stay in the cache
ALWAYS = ("status", "message", "t_end")  # outputs that every point has


def compute(
    spec: SweepSpec, indices: Iterable[int] | Array, *, threads: int | None = None
) -> dict[str, Array]:
    """Compute some points of a sweep.

    Parameters
    ----------
    spec : SweepSpec
        The sweep.
    indices : range, or array_like of int, shape (k,)
        Numbers of the points.
    threads : int, optional
        The most threads to use: as many as there are cores unless given.

    Returns
    -------
    dict of str to ndarray
        For every output that is kept an array (k, ...), NaN of points that could not be computed;
        "status" (k,), codes of `STATUSES`; "message" (k,), a sentence of each point that is not
        done; "t_end" (k,) [s].

    Raises
    ------
    InputError
        If there is no such point.
    Interrupted
        On Ctrl-C.

    Examples
    --------
    >>> from ulna.sweep.sweep_spec import read_spec
    >>> spec = read_spec(
    ...     {"arm": "kehl", "path": "loops()", "simulate": False, "vary": {"payload": [0.0, 1.0]}}
    ... )
    >>> compute(spec, range(2))["torque.peak"].round(1).tolist()
    [[78.8, 25.5], [88.5, 30.6]]
    """
    numbers = _numbers(spec, indices)
    found = empty_outputs(spec, len(numbers))
    size = max(1, min(MOST_MEMBERS, MOST_NUMBERS // (spec.grid.count * spec.n)))
    for first in range(0, len(numbers), size):
        part = slice(first, first + size)
        _compute_slab(spec, numbers[part], {k: v[part] for k, v in found.items()}, threads)
    return found


def _numbers(spec: SweepSpec, indices: Any) -> Array:
    listed = list(indices) if not isinstance(indices, np.ndarray | Sequence) else indices
    numbers = np.asarray(listed)
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
        raise InputError(Problem("indices", f"shape {numbers.shape}", "numbers of points"))
    if numbers.size and (numbers.min() < 0 or numbers.max() >= len(spec)):
        got = f"{numbers.min():,} to {numbers.max():,}"
        raise InputError(Problem("indices", got, f"points from 0 to {len(spec) - 1:,}"))
    return numbers.astype(np.int64)


def empty_outputs(spec: SweepSpec, count: int) -> dict[str, Array]:
    """Return outputs of points that are not computed: NaN, and a status that says so.

    Parameters
    ----------
    spec : SweepSpec
        The sweep.
    count : int
        How many points.

    Returns
    -------
    dict of str to ndarray
        As `compute` returns them.
    """
    found: dict[str, Array] = {
        name: np.full((count, *spec.keep.shape(name, spec.n, spec.grid)), np.nan)
        for name in spec.keep.outputs
    }
    found["status"] = np.full(count, STATUS_CODES[NOT_COMPUTED], dtype=np.int8)
    found["message"] = np.full(count, "", dtype=MESSAGE_TYPE)
    found["t_end"] = np.full(count, np.nan)
    return found


def _compute_slab(
    spec: SweepSpec, numbers: Array, found: dict[str, Array], threads: int | None
) -> None:
    made, refused = batches(spec, numbers)
    for batch in made:
        try:
            results = _results(spec, batch, threads)
        except InputError as error:
            refused += _alone(spec, batch, numbers, found, error, threads)
            continue
        _write(spec, batch.places, results, found)
    for place, status, message in refused:
        found["status"][place] = STATUS_CODES[status]
        found["message"][place] = _short(message)


def _alone(
    spec: SweepSpec,
    batch: CaseBatch,
    numbers: Array,
    found: dict[str, Array],
    error: InputError,
    threads: int | None,
) -> list[Refused]:
    """Compute the members of a batch that was refused one by one, and return those to blame."""
    if len(batch.places) == 1:
        return [Refused(int(batch.places[0]), INVALID, " ".join(str(error).split()))]
    for place in batch.places:
        one = slice(int(place), int(place) + 1)
        _compute_slab(spec, numbers[one], {k: v[one] for k, v in found.items()}, threads)
    return []


def _results(spec: SweepSpec, batch: CaseBatch, threads: int | None) -> Results:
    """Simulate the members of a batch, or plan them."""
    made = batch.prepared
    plans = [one.plan for one in made if one.plan is not None]
    shared: Any = None
    if plans:
        shared = plans[0] if all(one is plans[0] for one in plans) else tuple(plans)
    goals = None if made[0].reference is None or plans else np.stack([m.reference for m in made])
    if not spec.base.is_simulated:
        return Results(_planned(spec, batch), shared, spec.grid)
    with warnings.catch_warnings():
        # Statuses say of which points steps are too long; numbers of members mean nothing here.
        warnings.simplefilter("ignore", UlnaWarning)
        run = simulate_batch(
            batch.arms, samples=spec.grid.times(made[0].duration), seeds=batch.seeds,
            keep_torques=True, threads=threads, progress=False,
            **batch_keywords(batch.cases, made),
        )  # fmt: skip
    return Results(run, shared, spec.grid, goals)


def _planned(spec: SweepSpec, batch: CaseBatch) -> BatchRun:
    """Return planned motions as a batch, with the torques that they need."""
    arms, duration = batch.parameters, batch.prepared[0].duration
    times = spec.grid.times(duration)
    plans = {id(one.plan): one.plan for one in batch.prepared}
    rows = {key: _rows(spec, plan, times) for key, plan in plans.items()}
    each = [rows[id(one.plan)] for one in batch.prepared]
    q, qd = (np.stack([own[part] for own, _ in each]) for part in range(2))
    sliding = [np.stack([own[part] for _, own in each]) for part in range(3)]
    tau = np.asarray(inverse_dynamics(arms.per_sample(), *sliding))
    count = len(batch.places)
    codes = np.full(count, CODES["done"], dtype=np.int8)
    status = Statuses.made(codes, np.full(count, duration))
    return BatchRun.made(arms, times, q, qd, tau, status, {"method": "planned"})


def _rows(spec: SweepSpec, plan: Plan | None, times: Array) -> tuple[Any, Any]:
    """Return angles, rates and accelerations of a plan, and the same as friction feels them."""
    assert plan is not None  # as the spec requires
    rows: Any = (plan.q, plan.qd, plan.qdd)
    if not spec.grid.finite:
        rows = tuple(np.asarray(part) for part in plan.trajectory(times))
    return rows, tuple(sliding_to_rest(plan.trajectory, times, rows))


def _write(spec: SweepSpec, places: Array, results: Results, found: dict[str, Array]) -> None:
    """Write outputs, statuses and sentences of members to their places."""
    status = results.run.status
    for name, output in spec.keep.outputs.items():
        found[name][places] = output.of(results)
    found["status"][places] = [STATUS_CODES[reason] for reason in status.reason]
    found["t_end"][places] = results.run.t_end
    for member in np.flatnonzero(status.reason != "done"):
        found["message"][places[member]] = _short(status[int(member)].text)


def _short(message: str) -> str:
    """Return a message in so many letters, whole clauses where it has some."""
    if len(message) <= LONGEST_MESSAGE:
        return message
    clauses = message[:LONGEST_MESSAGE].rpartition("; ")[0]
    return clauses or f"{message[: LONGEST_MESSAGE - 1]}…"


def is_ok(status: Array) -> Array:
    """Return which points went as they were meant to.

    Parameters
    ----------
    status : ndarray of int
        Codes of `STATUSES`.

    Returns
    -------
    ndarray of bool
        Whether each did.
    """
    good = np.array([name in OK_STATUSES for name in STATUSES])
    return np.asarray(good[np.asarray(status)])

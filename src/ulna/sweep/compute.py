"""From numbers of points to outputs: what a run in process, a worker and a retry all call.

`compute` is a pure function. What it returns of a point is the same to the last bit in whichever
order and company points are computed: batches guarantee it of runs, and reductions over samples go
along rows of one member each.

What points have in common is made once: a plan for every distinct motion, a case for every distinct
loop. Masses, friction and the like become columns of arrays, without an `Arm` for every point;
where such numbers may be those of no arm, or motors have limits, an `Arm` is made after all.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ulna.actuation.friction import efficiencies
from ulna.arm import Arm, Parameters
from ulna.arm.parameters import stack_parameters
from ulna.arrays import Array
from ulna.errors import InfeasibleError, InputError, UlnaWarning
from ulna.motion import Plan
from ulna.motion.planning.demands import motion_torques
from ulna.motion.planning.postures import sliding_to_rest
from ulna.scenario.arm_names import stacked_arms
from ulna.simulation import BatchRun, simulate_batch
from ulna.simulation.batch.statuses import CODES, Statuses
from ulna.sweep.case_values import applied
from ulna.sweep.cases import Case, PreparedCase, batch_keywords, shared_value
from ulna.sweep.sweep_outputs import (
    INFEASIBLE,
    INVALID,
    LONGEST_MESSAGE,
    MESSAGE_TYPE,
    NOT_COMPUTED,
    STATUS_CODES,
    Results,
    overloads,
)
from ulna.sweep.sweep_parameters import DYNAMICS, MOTION, SEED
from ulna.sweep.sweep_spec import SweepSpec

MOST_NUMBERS = 1_000_000  # of a history that is worked on at a time: memory stays flat
MOST_MEMBERS = 256  # that are simulated together: their arrays stay in the cache
PLANS_KEPT = 64  # of distinct motions, from one chunk to the next


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
    numbers = np.asarray(list(indices), dtype=np.int64)
    found = empty_outputs(spec, len(numbers))
    size = max(1, min(MOST_MEMBERS, MOST_NUMBERS // (spec.grid.count * spec.n)))
    for first in range(0, len(numbers), size):
        part = slice(first, first + size)
        _compute_slab(spec, numbers[part], {k: v[part] for k, v in found.items()}, threads)
        # Arrays of a run hold one another: they go before the next one needs as much memory. What
        # is old is left alone, which is most of what there is.
        gc.collect(1)
    return found


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
            if len(batch.places) == 1:
                refused += _refusals(error, batch.places)
                continue
            for place in batch.places.tolist():  # one by one, to find those to blame
                one = slice(place, place + 1)
                _compute_slab(spec, numbers[one], {k: v[one] for k, v in found.items()}, threads)
            continue
        _write(spec, batch.places, results, found)
    for place, status, message in refused:
        found["status"][place] = STATUS_CODES[status]
        found["message"][place] = _short(message)


def _results(spec: SweepSpec, batch: CaseBatch, threads: int | None) -> Results:
    """Simulate the members of a batch, or plan them."""
    made = batch.prepared
    plans = [one.plan for one in made if one.plan is not None]
    shared = shared_value(plans) if plans else None
    goals = None if made[0].reference is None or plans else np.stack([m.reference for m in made])
    if not spec.base.is_simulated:
        return Results(_planned(spec, batch), shared, spec.grid, arms=batch.driven)
    with warnings.catch_warnings():
        # Statuses say of which points steps are too long; numbers of members mean nothing here.
        warnings.simplefilter("ignore", UlnaWarning)
        run = simulate_batch(
            batch.arms, samples=spec.grid.times(made[0].duration), seeds=batch.seeds,
            keep_torques=True, threads=threads, progress=False,
            **batch_keywords(batch.cases, made),
        )  # fmt: skip
    return Results(run, shared, spec.grid, goals, batch.driven)


def _planned(spec: SweepSpec, batch: CaseBatch) -> BatchRun:
    """Return planned motions as a batch, with the torques that they take."""
    arms, duration = batch.parameters, batch.prepared[0].duration
    times = spec.grid.times(duration)
    plans = {id(one.plan): one.plan for one in batch.prepared}
    rows = {key: _rows(spec, plan, times) for key, plan in plans.items()}
    each = [rows[id(one.plan)] for one in batch.prepared]
    q, qd = (np.stack([own[part] for own, _ in each]) for part in range(2))
    sliding = [np.stack([own[part] for _, own in each]) for part in range(3)]
    driven: Sequence[Arm | Parameters] = batch.driven or [arms]
    gears = np.stack([efficiencies(one) for one in driven], axis=1)[:, :, None]
    tau = motion_torques(arms.per_sample(), sliding, None, gears)
    count = len(batch.places)
    ends = np.full(count, duration)
    status = Statuses(np.full(count, CODES["done"]), ends)
    return BatchRun(arms, times, q, qd, tau, ends, status, {"method": "planned"})


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
    if not spec.base.is_simulated:
        for overloaded, told in overloads(results):
            found["status"][places[overloaded]] = STATUS_CODES[INFEASIBLE]
            found["message"][places[overloaded]] = _short(told)


def _short(message: str) -> str:
    """Return a message in so many letters, whole clauses where it has some."""
    if len(message) <= LONGEST_MESSAGE:
        return message
    clauses = message[:LONGEST_MESSAGE].rpartition("; ")[0]
    return clauses or f"{message[: LONGEST_MESSAGE - 1]}…"


class Refused(NamedTuple):
    """A point that cannot be computed."""

    place: int  # among the points that were asked for
    status: str
    message: str


@dataclass(frozen=True, eq=False)
class CaseBatch:
    """Points that one call of `simulate_batch` computes.

    Attributes
    ----------
    places : ndarray of int, shape (B,)
        Which of the points that were asked for.
    cases : list of Case
        What each is, but for what `arms` says.
    prepared : list of PreparedCase
        Motion, start and command of each.
    arms : Parameters or list of Arm
        The arms.
    seeds : ndarray of int, shape (B,)
        Their streams of random numbers.
    """

    places: Array
    cases: list[Case]
    prepared: list[PreparedCase]
    arms: Parameters | list[Arm]
    seeds: Array

    @property
    def driven(self) -> Sequence[Arm] | None:
        """The arms, where they have motors."""
        return None if isinstance(self.arms, Parameters) else self.arms

    @property
    def parameters(self) -> Parameters:
        """The arrays of the arms, (B, n) each."""
        if isinstance(self.arms, Parameters):
            return self.arms
        return stack_parameters(self.arms)


class _Group(NamedTuple):
    """Points of one case, which differ in the numbers of their arms alone."""

    places: Array
    case: Case
    prepared: PreparedCase
    arms: Parameters | list[Arm]


def batches(spec: SweepSpec, numbers: Array) -> tuple[list[CaseBatch], list[Refused]]:
    """Return points in batches, and those that cannot be computed.

    Parameters
    ----------
    spec : SweepSpec
        The sweep.
    numbers : ndarray of int, shape (k,)
        Of the points.

    Returns
    -------
    found : list of CaseBatch
        What is simulated together.
    refused : list of Refused
        Points out of reach, or with numbers that no arm has.
    """
    refused: list[Refused] = []
    groups = list(_groups(spec, numbers, refused))
    together: dict[Any, list[_Group]] = {}
    for group in groups:
        together.setdefault(_call_key(group), []).append(group)
    seeds = _seeds(spec, numbers)
    return [_batch(parts, seeds) for parts in together.values()], refused


def _seeds(spec: SweepSpec, numbers: Array) -> Array:
    """Return the streams of random numbers: varied, one for all, or each point its own."""
    for one in spec.parameters:
        if one.role == SEED:
            return np.asarray(spec.design.columns(numbers)[one.name]).astype(np.int64)
    if spec.base.seed is not None:
        return np.full(len(numbers), spec.base.seed, dtype=np.int64)
    return np.asarray(numbers, dtype=np.int64)


def _call_key(group: _Group) -> Any:
    """Return what members of one call have to have in common."""
    case, made = group.case, group.prepared
    command = made.command
    return (
        made.duration,
        tuple(sorted(case.simulation.items())),
        None if command is None else command[0],
        case.tip_force is None,
        case.controller is None,
        case.sensors is None,
        case.actuators is None,
        isinstance(group.arms, Parameters),
    )


def _batch(groups: list[_Group], seeds: Array) -> CaseBatch:
    places = np.concatenate([group.places for group in groups])
    cases = [group.case for group in groups for _ in group.places]
    made = [group.prepared for group in groups for _ in group.places]
    arms: Any = [arm for group in groups for arm in group.arms]
    if isinstance(groups[0].arms, Parameters):
        columns = zip(*(group.arms for group in groups), strict=True)
        arms = Parameters(*(np.concatenate(column) for column in columns))
    return CaseBatch(places, cases, made, arms, seeds[places])


def _groups(spec: SweepSpec, numbers: Array, refused: list[Refused]) -> Iterator[_Group]:
    """Return the points by the values of what is no plain number of an arm."""
    columns = spec.design.columns(numbers)
    roles = {one.name: one.role for one in spec.parameters}
    others = [name for name in columns if roles[name] not in (DYNAMICS, SEED)]
    plain = {name: columns[name] for name in columns if roles[name] == DYNAMICS}
    for values, places in _distinct(columns, others, len(numbers)):
        try:
            case, made = _prepared(spec, values)
        except (InputError, InfeasibleError) as error:
            refused.extend(_refusals(error, places))
            continue
        own = {name: column[places] for name, column in plain.items()}
        yield from _with_arms(case, made, own, places, refused)


def _distinct(
    columns: Mapping[str, Any], names: list[str], count: int
) -> Iterable[tuple[dict[str, Any], Array]]:
    """Return the distinct values of some parameters, each with the places where they are."""
    if not names:
        return [({}, np.arange(count))]
    found: dict[tuple[Any, ...], list[int]] = {}
    rows = zip(*(columns[name].tolist() for name in names), strict=True)
    for place, row in enumerate(rows):
        found.setdefault(row, []).append(place)
    return [(dict(zip(names, row, strict=True)), np.array(places)) for row, places in found.items()]


def _prepared(spec: SweepSpec, values: dict[str, Any]) -> tuple[Case, PreparedCase]:
    """Return the case of some values, and what it is simulated with."""
    case = applied(spec.base, values)
    roles = {one.name: one.role for one in spec.parameters}
    moving = tuple((name, value) for name, value in values.items() if roles[name] == MOTION)
    made = case.prepared(_plan(spec, moving))
    if case.is_simulated:
        case.check_steps(made.duration)
    return case, made


@lru_cache(maxsize=PLANS_KEPT)
def _plan(spec: SweepSpec, moving: tuple[tuple[str, Any], ...]) -> Plan | None:
    """Return the plan of what decides the motion, from one call to the next."""
    return applied(spec.base, dict(moving)).plan(spec.grid)


def _with_arms(
    case: Case,
    made: PreparedCase,
    columns: dict[str, Array],
    places: Array,
    refused: list[Refused],
) -> Iterator[_Group]:
    """Return the points of a case with their arms, as arrays where that is certain to be right."""
    doubtful = np.ones(len(places), dtype=bool)
    if not case.arm.has_motors:
        rows, certain = stacked_arms(case.arm, columns, len(places))
        doubtful = ~certain
        if certain.all():
            yield _Group(places, case, made, rows)
        elif certain.any():
            yield _Group(places[certain], case, made, rows.rows(certain))
    arms, kept = [], []
    for place in np.flatnonzero(doubtful):
        values = {name: float(column[place]) for name, column in columns.items()}
        try:
            arms.append(applied(Case(case.arm), values).arm)
            kept.append(places[place])
        except InputError as error:
            refused.extend(_refusals(error, places[place : place + 1]))
    if kept and case.arm.has_motors:
        yield _Group(np.array(kept), case, made, arms)
    elif kept:
        yield _Group(np.array(kept), case, made, stack_parameters(arms))


def _refusals(error: Exception, places: Array) -> list[Refused]:
    status = INFEASIBLE if isinstance(error, InfeasibleError) else INVALID
    return [Refused(int(place), status, " ".join(str(error).split())) for place in places]

"""Points of a sweep in batches: what is simulated together, and what points share.

What points have in common is made once: a plan for every distinct motion, a case for every distinct
loop. Masses, friction and the like become columns of arrays, without an `Arm` for every point;
where such numbers may be those of no arm, or motors have limits, an `Arm` is made after all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Arm, Parameters
from ulna.arm.parameters import stack_parameters
from ulna.arrays import Array
from ulna.errors import InfeasibleError, InputError
from ulna.motion import Plan
from ulna.sweep.arm_parameters import stacked_arms
from ulna.sweep.case_values import applied
from ulna.sweep.cases import Case, PreparedCase
from ulna.sweep.sweep_outputs import INFEASIBLE, INVALID
from ulna.sweep.sweep_parameters import DYNAMICS, MOTION, SEED
from ulna.sweep.sweep_spec import SweepSpec

PLANS_KEPT = 64  # of distinct motions, from one chunk to the next


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
    rows = zip(*(_listed(columns[name]) for name in names), strict=True)
    for place, row in enumerate(rows):
        found.setdefault(row, []).append(place)
    return [(dict(zip(names, row, strict=True)), np.array(places)) for row, places in found.items()]


def _listed(values: Any) -> list[Any]:
    return list(values.tolist()) if isinstance(values, np.ndarray) else list(values)


def _prepared(spec: SweepSpec, values: dict[str, Any]) -> tuple[Case, PreparedCase]:
    """Return the case of some values, and what it is simulated with."""
    case = applied(spec.base, values)
    roles = {one.name: one.role for one in spec.parameters}
    moving = tuple((name, value) for name, value in values.items() if roles[name] == MOTION)
    motion = _plans(spec.hash, moving, _Source(spec))
    return case, case.prepared(motion)


class _Source:
    """A spec that is no part of a key: its hash is."""

    def __init__(self, spec: SweepSpec) -> None:
        self.spec = spec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Source)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=PLANS_KEPT)
def _plans(_hash: str, moving: tuple[tuple[str, Any], ...], source: _Source) -> Plan | None:
    """Return the plan of what decides the motion, from one call to the next."""
    spec = source.spec
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

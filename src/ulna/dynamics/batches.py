"""The recursion over batches, compiled: lanes of arms and states, one block after the other.

The arms come as they are in `Parameters` and are packed here, in lanes: done in NumPy beforehand
that would take longer than the dynamics. A last block that is not full repeats the last row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ulna.arrays import Array
from ulna.dynamics.packed import (
    ALONG,
    ASIDE,
    CARRIER,
    COLUMNS,
    CROSS,
    DAMPING,
    FORCE_X,
    GRAVITY_X,
    LENGTH,
    MASS,
    OWN,
    QDD,
    SECOND,
    TORQUE,
    TURNS,
    link_moments,
    rotor_moments,
)
from ulna.dynamics.recursive import forward, forward_coupled, inverse
from ulna.kernels import inlined, kernel
from ulna.lanes import all_lanes, any_lane, gather, lanes, logical_or, matrix_view, scatter, select

ANGLES, RATES, KEPT = range(3)
VECTORS = 3

_link_moments, _rotor_moments = inlined(link_moments), inlined(rotor_moments)


class Batch(NamedTuple):
    """What there is to do: rows (1 or b, …) of numbers, one row where it is the same for all."""

    length: Array  # (1 or b, n), as in `Parameters`
    mass: Array
    com: Array
    com_offset: Array
    inertia: Array
    tip_mass: Array
    damping: Array
    rotor_inertia: Array
    gear_ratio: Array
    gravity: Array  # (1 or b, 2)
    q: Array  # (1 or b, n)
    qd: Array
    given: Array  # torques or accelerations
    force: Array  # (1 or b, 2 or 3)


class LaneScratch(NamedTuple):
    """Where the recursion works, all of it lanes."""

    links: Any  # (n+1, COLUMNS)
    turns: Any  # (TURNS, n+1)
    vectors: Any  # (VECTORS, n+1)


def scratch_size(n: int) -> int:
    """Return how many lanes the kernels below need as scratch."""
    return (n + 1) * (COLUMNS + TURNS + VECTORS)


@kernel
def forward_batch(
    size: int, batch: Batch, memory: Array, first: int, last: int, found: Array
) -> None:
    """Turn torques into accelerations (b, n), for the blocks from `first` to before `last`.

    `memory` (scratch_size(n), W) is scratch.
    """
    scratch = _scratch(size, memory)
    links, turns, vectors = scratch.links, scratch.turns, scratch.vectors
    width = memory.shape[1]
    for block in range(first, last):
        _load_block(size, batch, scratch, TORQUE, block * width, block == first)
        # An arm goes the same way whatever stands beside it.
        coupled = _are_coupled(size, links)
        if not all_lanes(coupled):
            forward(size, links, turns, vectors, ANGLES, None)
            for i in range(size):
                vectors[KEPT, i] = links[i, QDD]
        if any_lane(coupled):
            forward_coupled(size, links, turns, vectors, ANGLES, CARRIER)
        for i in range(size):
            qdd = select(coupled, links[i, QDD], vectors[KEPT, i])
            scatter(qdd, found, block * width, i)


@kernel
def inverse_batch(
    size: int, batch: Batch, memory: Array, first: int, last: int, found: Array
) -> None:
    """Turn accelerations into the torques (b, n) that they take, in the same way."""
    scratch = _scratch(size, memory)
    width = memory.shape[1]
    for block in range(first, last):
        _load_block(size, batch, scratch, QDD, block * width, block == first)
        inverse(size, scratch.links, scratch.turns, scratch.vectors, ANGLES)
        for i in range(size):
            scatter(scratch.links[i, TORQUE], found, block * width, i)


@inlined
def _scratch(size: int, memory: Array) -> LaneScratch:
    rows, storage = size + 1, lanes(memory)
    return LaneScratch(
        matrix_view(storage, 0, rows, COLUMNS),
        matrix_view(storage, rows * COLUMNS, TURNS, rows),
        matrix_view(storage, rows * (COLUMNS + TURNS), VECTORS, rows),
    )


@inlined
def _load_block(
    size: int, batch: Batch, scratch: LaneScratch, given: int, row: int, begin: bool
) -> None:
    """Put arms and states from this row on where the recursion reads them."""
    n, links, vectors = size, scratch.links, scratch.vectors
    if begin or _differ(batch):
        for i in range(n):
            _load_link(batch, links, row, i)
    if begin or len(batch.gravity) > 1:
        for axis in range(2):
            links[n, GRAVITY_X + axis] = gather(batch.gravity, row, axis)
    if begin or len(batch.force) > 1:
        for axis in range(batch.force.shape[1]):
            links[n, FORCE_X + axis] = gather(batch.force, row, axis)
    for i in range(n):
        vectors[ANGLES, i] = gather(batch.q, row, i)
        vectors[RATES, i] = gather(batch.qd, row, i)
        links[i, given] = gather(batch.given, row, i)


@inlined
def _load_link(batch: Batch, links: Any, row: int, i: int) -> None:
    length = gather(batch.length, row, i)
    mass, along, aside, second = _link_moments(
        length,
        gather(batch.mass, row, i),
        gather(batch.com, row, i),
        gather(batch.com_offset, row, i),
        gather(batch.inertia, row, i),
        gather(batch.tip_mass, row, i),
    )
    links[i, LENGTH], links[i, MASS] = length, mass
    links[i, ALONG], links[i, ASIDE], links[i, SECOND] = along, aside, second
    links[i, DAMPING] = gather(batch.damping, row, i)
    rotor, ratio = gather(batch.rotor_inertia, row, i), gather(batch.gear_ratio, row, i)
    links[i, CARRIER], links[i, CROSS], links[i, OWN] = _rotor_moments(rotor, ratio)


@inlined
def _differ(batch: Batch) -> bool:
    """Return whether there are several arms."""
    rows = max(len(batch.length), len(batch.mass), len(batch.com), len(batch.com_offset))
    rows = max(rows, len(batch.inertia), len(batch.tip_mass), len(batch.damping))
    return max(rows, len(batch.rotor_inertia), len(batch.gear_ratio)) > 1


@inlined
def _are_coupled(size: int, links: Any) -> Any:
    """Say in which lanes neighbours exchange anything."""
    found = links[0, CARRIER] != 0.0
    for i in range(size):
        exchanged = logical_or(links[i, CARRIER] != 0.0, links[i, OWN] != 0.0)
        found = logical_or(found, logical_or(exchanged, links[i, CROSS] != 0.0))
    return found

"""The recursion compiled: for one state, the checks of it included, and for rows of states.

Everything comes from the two sweeps of inverse dynamics, τ = f(q, q̇, q̈), and from those of
forward dynamics, which undo them:

    G = f(q, 0, 0)        M e_k = f(q, 0, e_k) − G        M⁻¹ r = the accelerations under torques r

The derivatives of f need no formulas of their own either. As the sweeps compute it, f is of second
degree in the cosines and sines of the links, and there a central difference is exact whatever its
step is. With u the directions of the links, and u' those of the links that joint k turns, each a
right angle ahead:

    ∂f/∂q_k = (f(u + u') − f(u − u')) / 2

In the squares of the links' rates f is of first degree, so that ∂f/∂q̇_k is what f gives for the
squares 2 φ̇_i of these links, without gravity and accelerations, and for damping at the rate e_k.
Then

    A = [0, 1; −M⁻¹ ∂f/∂q, −M⁻¹ ∂f/∂q̇]        B = [0; M⁻¹]

An arm with friction has kernels of its own, so that others neither compile nor load any of it:
friction that slides is a torque, and by its slope a damping; for joints at rest see `sticking`.

Rows of states are worked on in lanes, one block after the other. Their arms come as they are in
`Parameters` and are packed here, in lanes: done in NumPy beforehand that would take longer than the
dynamics. A last block that is not full repeats the last row.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ulna.arrays import Array
from ulna.dynamics import packed as at
from ulna.dynamics.packed import link_moments, rotor_moments
from ulna.dynamics.recursive import (
    forward,
    forward_coupled,
    gather_torques,
    inverse,
    link_directions,
    spread_accelerations,
)
from ulna.dynamics.sticking import hold_by_friction, hold_or_release, slide
from ulna.kernels import inlined, inner, kernel
from ulna.kinematics.posture_kernels import FINE, OVERFLOW, checked, finite, finite_rows
from ulna.lanes import all_lanes, any_lane, gather, lanes, logical_or, matrix_view, scatter, select

# Vectors of the scratch memory; those after the rates are kept for later within a kernel.
ANGLES, RATES, COSINES, SINES = range(4)
KEPT = COSINES
VECTORS = 4
PER_LINK = at.COLUMNS + at.TURNS + VECTORS  # numbers for every link, and for one more
AT_REST = 4  # the code of a state in which a joint is at rest, and friction has no derivative
OWN_DAMPING = at.LEAST  # the damping of a joint, while friction's slope is added to it
# The memory of a kernel for one state, one array (k,), has one number more, the last: it is not
# zero where neighbours exchange a torque.

_link_moments, _rotor_moments = inlined(link_moments), inlined(rotor_moments)


class StateScratch(NamedTuple):
    """Where the recursion works, all of it numbers or lanes."""

    links: Any  # (n+1, COLUMNS)
    turns: Any  # (TURNS, n+1)
    vectors: Any  # (VECTORS, n+1)


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


@kernel
def forward_one(size: int, memory: Array, q: Array, qd: Array, tau: Array, found: Array) -> int:
    """Turn torques (n,) into accelerations (n,)."""
    code = _checked(size, q, qd, tau)
    if code != FINE:
        return code
    scratch = _scratch(size, memory)
    _load_state(size, scratch, q, qd, at.TORQUE, tau)
    _solve(size, scratch, _coupled(memory))
    for i in range(size):
        found[i] = scratch.links[i, at.QDD]
    return FINE if finite(found) else OVERFLOW


@kernel
def inverse_one(size: int, memory: Array, q: Array, qd: Array, qdd: Array, found: Array) -> int:
    """Turn accelerations (n,) into torques (n,)."""
    code = _checked(size, q, qd, qdd)
    if code != FINE:
        return code
    scratch = _scratch(size, memory)
    _load_state(size, scratch, q, qd, at.QDD, qdd)
    inverse(size, scratch.links, scratch.turns, scratch.vectors, ANGLES)
    for i in range(size):
        found[i] = scratch.links[i, at.TORQUE]
    return FINE if finite(found) else OVERFLOW


@kernel
def gravity_one(size: int, memory: Array, q: Array, found: Array) -> int:
    """Write the torques (n,) that carry the arm's weight."""
    code = checked(size, q)
    if code != FINE:
        return code
    scratch = _scratch(size, memory)
    _load_posture(size, scratch, q)
    for i in range(size):
        scratch.links[i, at.QDD] = 0.0
    inverse(size, scratch.links, scratch.turns, scratch.vectors, ANGLES)
    for i in range(size):
        found[i] = scratch.links[i, at.TORQUE]
    return FINE if finite(found) else OVERFLOW


@kernel
def mass_matrix_one(size: int, memory: Array, q: Array, found: Array) -> int:
    """Write the mass matrix (n, n), symmetric to the last bit."""
    code = checked(size, q)
    if code != FINE:
        return code
    n = size
    scratch = _scratch(size, memory)
    links = scratch.links
    _load_posture(size, scratch, q)
    link_directions(size, scratch.turns, scratch.vectors, ANGLES)
    gravity_x, gravity_y = links[n, at.GRAVITY_X], links[n, at.GRAVITY_Y]
    links[n, at.GRAVITY_X] = links[n, at.GRAVITY_Y] = 0.0
    for k in range(n):
        for i in range(n):
            links[i, at.QDD] = 1.0 if i == k else 0.0
        _sweep(size, scratch)
        for i in range(k, n):
            found[i, k] = found[k, i] = links[i, at.TORQUE]
    links[n, at.GRAVITY_X], links[n, at.GRAVITY_Y] = gravity_x, gravity_y
    return FINE if finite_rows(found) else OVERFLOW


@kernel
def linearise_one(
    size: int, memory: Array, q: Array, qd: Array, tau: Array, A: Array, B: Array
) -> int:
    """Write A (2n, 2n) and B (2n, n)."""
    code = _checked(size, q, qd, tau)
    if code != FINE:
        return code
    scratch = _scratch(size, memory)
    _load_state(size, scratch, q, qd, at.TORQUE, tau)
    _solve(size, scratch, _coupled(memory))
    _write_derivatives(size, scratch, _coupled(memory), qd, A, B)
    return FINE if finite_rows(A) and finite_rows(B) else OVERFLOW


@inner
def _write_derivatives(
    size: int, scratch: StateScratch, coupled: float, qd: Array, A: Array, B: Array
) -> None:
    """Write A and B for the accelerations that the links have."""
    n, links = size, scratch.links
    for i in range(n):
        scratch.vectors[RATES, i] = 0.0
    _write_angle_derivatives(size, scratch, A)
    gravity_x, gravity_y = links[n, at.GRAVITY_X], links[n, at.GRAVITY_Y]
    links[n, at.GRAVITY_X] = links[n, at.GRAVITY_Y] = 0.0
    _write_rate_derivatives(size, scratch, qd, A)
    _divide_by_inertia(size, scratch, coupled, A, B)
    links[n, at.GRAVITY_X], links[n, at.GRAVITY_Y] = gravity_x, gravity_y


@inner
def _write_angle_derivatives(size: int, scratch: StateScratch, A: Array) -> None:
    """Write ∂f/∂q into the lower left of A, for the accelerations that the links have."""
    n = size
    links, turns, vectors = scratch.links, scratch.turns, scratch.vectors
    for i in range(n):
        vectors[COSINES, i], vectors[SINES, i] = turns[at.COS, i], turns[at.SIN, i]
    for k in range(n):
        for i in range(n):
            A[n + i, k] = 0.0
        for side in range(-1, 2, 2):
            for i in range(k, n):
                turns[at.COS, i] = vectors[COSINES, i] - side * vectors[SINES, i]
                turns[at.SIN, i] = vectors[SINES, i] + side * vectors[COSINES, i]
            _sweep(size, scratch)
            for i in range(n):
                A[n + i, k] += 0.5 * side * links[i, at.TORQUE]
        for i in range(k, n):
            turns[at.COS, i], turns[at.SIN, i] = vectors[COSINES, i], vectors[SINES, i]


@inner
def _write_rate_derivatives(size: int, scratch: StateScratch, qd: Array, A: Array) -> None:
    """Write ∂f/∂q̇ into the lower right of A."""
    n = size
    links, turns, vectors = scratch.links, scratch.turns, scratch.vectors
    for i in range(n):
        links[i, at.QDD] = 0.0
    for k in range(n):
        rate = 0.0
        for i in range(n):
            rate += qd[i]
            turns[at.OMEGA_SQUARED, i] = 2.0 * rate if i >= k else 0.0
        vectors[RATES, k] = 1.0
        _sweep(size, scratch)
        vectors[RATES, k] = 0.0
        for i in range(n):
            A[n + i, n + k] = links[i, at.TORQUE]


@inner
def _divide_by_inertia(
    size: int, scratch: StateScratch, coupled: float, A: Array, B: Array
) -> None:
    """Turn torques into accelerations, column by column, and write what is known above them."""
    n = size
    links = scratch.links
    for k in range(2 * n):
        for i in range(n):
            A[i, k] = 1.0 if k == n + i else 0.0
            links[i, at.TORQUE] = -A[n + i, k]
        _solve(size, scratch, coupled)
        for i in range(n):
            A[n + i, k] = links[i, at.QDD]
    for k in range(n):
        for i in range(n):
            B[i, k] = 0.0
            links[i, at.TORQUE] = 1.0 if i == k else 0.0
        _solve(size, scratch, coupled)
        for i in range(n):
            B[n + i, k] = links[i, at.QDD]


@inner
def _solve(size: int, scratch: StateScratch, coupled: float) -> None:
    """Turn torques into accelerations for the angles and rates of the vectors."""
    if coupled != 0.0:
        forward_coupled(size, scratch.links, scratch.turns, scratch.vectors, ANGLES, at.CARRIER)
    else:
        forward(size, scratch.links, scratch.turns, scratch.vectors, ANGLES, None)


@inner
def _sweep(size: int, scratch: StateScratch) -> None:
    """Turn accelerations into torques for links that stand as they are."""
    spread_accelerations(size, scratch.links, scratch.turns)
    gather_torques(size, scratch.links, scratch.turns, scratch.vectors, RATES)


@kernel
def resisted_forward_one(
    size: int, memory: Array, q: Array, qd: Array, tau: Array, found: Array
) -> int:
    """Turn torques (n,) into accelerations (n,)."""
    code = _checked(size, q, qd, tau)
    if code != FINE:
        return code
    scratch = _scratch(size, memory)
    _load_state(size, scratch, q, qd, at.TORQUE, tau)
    hold_by_friction(size, scratch.links, scratch.vectors, ANGLES)
    hold_or_release(size, scratch.links, scratch.turns, scratch.vectors, ANGLES, False)
    for i in range(size):
        found[i] = 0.0 if scratch.links[i, at.STUCK] != 0.0 else scratch.links[i, at.QDD]
    return FINE if finite(found) else OVERFLOW


@kernel
def resisted_inverse_one(
    size: int, memory: Array, q: Array, qd: Array, qdd: Array, found: Array
) -> int:
    """Turn accelerations (n,) into torques (n,)."""
    code = _checked(size, q, qd, qdd)
    if code != FINE:
        return code
    scratch = _scratch(size, memory)
    links = scratch.links
    _load_state(size, scratch, q, qd, at.QDD, qdd)
    for i in range(size):
        motion = qdd[i] if qd[i] == 0.0 else qd[i]
        links[i, at.DIRECTION] = 0.0 if motion == 0.0 else math.copysign(1.0, motion)
    slide(size, links, scratch.vectors, ANGLES)
    inverse(size, links, scratch.turns, scratch.vectors, ANGLES)
    for i in range(size):
        found[i] = links[i, at.TORQUE] + links[i, at.FRICTION]
    return FINE if finite(found) else OVERFLOW


@kernel
def resisted_linearise_one(
    size: int, memory: Array, q: Array, qd: Array, tau: Array, A: Array, B: Array
) -> int:
    """Write A (2n, 2n) and B (2n, n), or return AT_REST where they do not exist."""
    code = _checked(size, q, qd, tau)
    if code != FINE:
        return code
    scratch = _scratch(size, memory)
    links = scratch.links
    for i in range(size):
        if qd[i] == 0.0 and links[i, at.STATIC] != 0.0:
            return AT_REST
    _load_state(size, scratch, q, qd, at.TORQUE, tau)
    hold_by_friction(size, links, scratch.vectors, ANGLES)
    hold_or_release(size, links, scratch.turns, scratch.vectors, ANGLES, False)
    for i in range(size):
        links[i, OWN_DAMPING] = links[i, at.DAMPING]
        links[i, at.DAMPING] += _slope(scratch, i, qd[i])
    _write_derivatives(size, scratch, _coupled(memory), qd, A, B)
    for i in range(size):
        links[i, at.DAMPING] = links[i, OWN_DAMPING]
    return FINE if finite_rows(A) and finite_rows(B) else OVERFLOW


@inlined
def _slope(scratch: StateScratch, i: int, rate: float) -> float:
    """Return ∂f/∂ω [N·m·s/rad] of a joint that moves."""
    links, speed = scratch.links, abs(rate)
    ratio = speed / links[i, at.STRIBECK]
    excess = links[i, at.STATIC] - links[i, at.COULOMB]
    fall = excess * math.exp(-ratio * ratio) * 2.0 * ratio / links[i, at.STRIBECK]
    return float(2.0 * links[i, at.DRAG] * speed - fall)


@inlined
def _scratch(size: int, storage: Array) -> StateScratch:
    rows = size + 1
    return StateScratch(
        matrix_view(storage, 0, rows, at.COLUMNS),
        matrix_view(storage, rows * at.COLUMNS, at.TURNS, rows),
        matrix_view(storage, rows * (at.COLUMNS + at.TURNS), VECTORS, rows),
    )


@inlined
def _coupled(memory: Array) -> float:
    return memory[memory.shape[0] - 1]  # type: ignore[no-any-return]


@inlined
def _checked(size: int, q: Array, qd: Array, given: Array) -> int:
    code = checked(size, q)
    code = checked(size, qd) if code == FINE else code
    return checked(size, given) if code == FINE else code


@inlined
def _load_state(
    size: int, scratch: StateScratch, q: Array, qd: Array, column: int, given: Array
) -> None:
    """Put a state, and torques or accelerations, where the recursion reads them."""
    for i in range(size):
        scratch.vectors[ANGLES, i], scratch.vectors[RATES, i] = q[i], qd[i]
        scratch.links[i, column] = given[i]


@inlined
def _load_posture(size: int, scratch: StateScratch, q: Array) -> None:
    for i in range(size):
        scratch.vectors[ANGLES, i], scratch.vectors[RATES, i] = q[i], 0.0


@kernel
def forward_batch(
    size: int, batch: Batch, memory: Array, first: int, last: int, found: Array
) -> None:
    """Turn torques into accelerations (b, n), for the blocks from `first` to before `last`.

    `memory` (PER_LINK (n + 1), W) is scratch.
    """
    scratch = _scratch(size, lanes(memory))
    links, turns, vectors = scratch.links, scratch.turns, scratch.vectors
    width = memory.shape[1]
    for block in range(first, last):
        _load_block(size, batch, scratch, at.TORQUE, block * width, block == first)
        # An arm goes the same way whatever stands beside it.
        coupled = _are_coupled(size, links)
        if not all_lanes(coupled):
            forward(size, links, turns, vectors, ANGLES, None)
            for i in range(size):
                vectors[KEPT, i] = links[i, at.QDD]
        if any_lane(coupled):
            forward_coupled(size, links, turns, vectors, ANGLES, at.CARRIER)
        for i in range(size):
            qdd = select(coupled, links[i, at.QDD], vectors[KEPT, i])
            scatter(qdd, found, block * width, i)


@kernel
def inverse_batch(
    size: int, batch: Batch, memory: Array, first: int, last: int, found: Array
) -> None:
    """Turn accelerations into the torques (b, n) that they take, in the same way."""
    scratch = _scratch(size, lanes(memory))
    width = memory.shape[1]
    for block in range(first, last):
        _load_block(size, batch, scratch, at.QDD, block * width, block == first)
        inverse(size, scratch.links, scratch.turns, scratch.vectors, ANGLES)
        for i in range(size):
            scatter(scratch.links[i, at.TORQUE], found, block * width, i)


@inlined
def _load_block(
    size: int, batch: Batch, scratch: StateScratch, given: int, row: int, begin: bool
) -> None:
    """Put arms and states from this row on where the recursion reads them."""
    n, links, vectors = size, scratch.links, scratch.vectors
    if begin or _differ(batch):
        for i in range(n):
            _load_link(batch, links, row, i)
    if begin or len(batch.gravity) > 1:
        for axis in range(2):
            links[n, at.GRAVITY_X + axis] = gather(batch.gravity, row, axis)
    if begin or len(batch.force) > 1:
        for axis in range(batch.force.shape[1]):
            links[n, at.FORCE_X + axis] = gather(batch.force, row, axis)
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
    links[i, at.LENGTH], links[i, at.MASS] = length, mass
    links[i, at.ALONG], links[i, at.ASIDE], links[i, at.SECOND] = along, aside, second
    links[i, at.DAMPING] = gather(batch.damping, row, i)
    rotor, ratio = gather(batch.rotor_inertia, row, i), gather(batch.gear_ratio, row, i)
    links[i, at.CARRIER], links[i, at.CROSS], links[i, at.OWN] = _rotor_moments(rotor, ratio)


@inlined
def _differ(batch: Batch) -> bool:
    """Return whether there are several arms."""
    rows = max(len(batch.length), len(batch.mass), len(batch.com), len(batch.com_offset))
    rows = max(rows, len(batch.inertia), len(batch.tip_mass), len(batch.damping))
    return max(rows, len(batch.rotor_inertia), len(batch.gear_ratio)) > 1


@inlined
def _are_coupled(size: int, links: Any) -> Any:
    """Say in which lanes neighbours exchange anything."""
    found = links[0, at.CARRIER] != 0.0
    for i in range(size):
        exchanged = logical_or(links[i, at.CARRIER] != 0.0, links[i, at.OWN] != 0.0)
        found = logical_or(found, logical_or(exchanged, links[i, at.CROSS] != 0.0))
    return found

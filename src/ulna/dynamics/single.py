"""The recursion for one state, compiled, the checks of its arguments included.

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
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.dynamics.packed import (
    CARRIER,
    COLUMNS,
    CONSTANTS,
    COS,
    GRAVITY_X,
    GRAVITY_Y,
    OMEGA_SQUARED,
    QDD,
    SIN,
    STUCK,
    TORQUE,
    TURNS,
)
from ulna.dynamics.recursive import (
    forward,
    forward_coupled,
    gather_torques,
    inverse,
    link_directions,
    spread_accelerations,
)
from ulna.kernels import inlined, inner, kernel
from ulna.kinematics.single import FINE, OVERFLOW, checked, finite, finite_rows
from ulna.lanes import matrix_view

# The memory of a kernel, one array (k,): the table of links, how they stand, these vectors, and
# last a number that is not zero where neighbours exchange a torque.
ANGLES, RATES, COSINES, SINES = range(4)
VECTORS = 4
COUPLED = -1


class StateScratch(NamedTuple):
    """The memory of a kernel, part by part."""

    links: Any  # (n+1, COLUMNS)
    turns: Any  # (TURNS, n+1)
    vectors: Any  # (VECTORS, n+1)
    coupled: Any


def memory_of(constants: Array) -> Array:
    """Return the memory for an arm whose constants (n+1, 12) are packed."""
    rows = len(constants)
    memory = np.zeros(rows * (COLUMNS + TURNS + VECTORS) + 1)
    links_of(memory, rows - 1)[:, :CONSTANTS] = constants
    memory[COUPLED] = constants[:-1, CARRIER:STUCK].any()
    return memory


def links_of(memory: Array, n: int) -> Array:
    """Return the table of links (n+1, COLUMNS) that is a part of the memory."""
    return memory[: (n + 1) * COLUMNS].reshape(n + 1, COLUMNS)


@kernel
def forward_one(size: int, memory: Array, q: Array, qd: Array, tau: Array, found: Array) -> int:
    """Turn torques (n,) into accelerations (n,)."""
    code = _checked(size, q, qd, tau)
    if code != FINE:
        return code
    scratch = _scratch(size, memory)
    _load_state(size, scratch, q, qd, TORQUE, tau)
    _solve(size, scratch)
    for i in range(size):
        found[i] = scratch.links[i, QDD]
    return FINE if finite(found) else OVERFLOW


@kernel
def inverse_one(size: int, memory: Array, q: Array, qd: Array, qdd: Array, found: Array) -> int:
    """Turn accelerations (n,) into torques (n,)."""
    code = _checked(size, q, qd, qdd)
    if code != FINE:
        return code
    scratch = _scratch(size, memory)
    _load_state(size, scratch, q, qd, QDD, qdd)
    inverse(size, scratch.links, scratch.turns, scratch.vectors, ANGLES)
    for i in range(size):
        found[i] = scratch.links[i, TORQUE]
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
        scratch.links[i, QDD] = 0.0
    inverse(size, scratch.links, scratch.turns, scratch.vectors, ANGLES)
    for i in range(size):
        found[i] = scratch.links[i, TORQUE]
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
    gravity_x, gravity_y = links[n, GRAVITY_X], links[n, GRAVITY_Y]
    links[n, GRAVITY_X] = links[n, GRAVITY_Y] = 0.0
    for k in range(n):
        for i in range(n):
            links[i, QDD] = 1.0 if i == k else 0.0
        _sweep(size, scratch)
        for i in range(k, n):
            found[i, k] = found[k, i] = links[i, TORQUE]
    links[n, GRAVITY_X], links[n, GRAVITY_Y] = gravity_x, gravity_y
    return FINE if finite_rows(found) else OVERFLOW


@kernel
def linearise_one(
    size: int, memory: Array, q: Array, qd: Array, tau: Array, A: Array, B: Array
) -> int:
    """Write A (2n, 2n) and B (2n, n)."""
    code = _checked(size, q, qd, tau)
    if code != FINE:
        return code
    n = size
    scratch = _scratch(size, memory)
    links = scratch.links
    _load_state(size, scratch, q, qd, TORQUE, tau)
    _solve(size, scratch)
    for i in range(n):
        scratch.vectors[RATES, i] = 0.0
    _write_angle_derivatives(size, scratch, A)
    gravity_x, gravity_y = links[n, GRAVITY_X], links[n, GRAVITY_Y]
    links[n, GRAVITY_X] = links[n, GRAVITY_Y] = 0.0
    _write_rate_derivatives(size, scratch, qd, A)
    _divide_by_inertia(size, scratch, A, B)
    links[n, GRAVITY_X], links[n, GRAVITY_Y] = gravity_x, gravity_y
    return FINE if finite_rows(A) and finite_rows(B) else OVERFLOW


@inner
def _write_angle_derivatives(size: int, scratch: StateScratch, A: Array) -> None:
    """Write ∂f/∂q into the lower left of A, for the accelerations that the links have."""
    n = size
    links, turns, vectors = scratch.links, scratch.turns, scratch.vectors
    for i in range(n):
        vectors[COSINES, i], vectors[SINES, i] = turns[COS, i], turns[SIN, i]
    for k in range(n):
        for i in range(n):
            A[n + i, k] = 0.0
        for side in range(-1, 2, 2):
            for i in range(k, n):
                turns[COS, i] = vectors[COSINES, i] - side * vectors[SINES, i]
                turns[SIN, i] = vectors[SINES, i] + side * vectors[COSINES, i]
            _sweep(size, scratch)
            for i in range(n):
                A[n + i, k] += 0.5 * side * links[i, TORQUE]
        for i in range(k, n):
            turns[COS, i], turns[SIN, i] = vectors[COSINES, i], vectors[SINES, i]


@inner
def _write_rate_derivatives(size: int, scratch: StateScratch, qd: Array, A: Array) -> None:
    """Write ∂f/∂q̇ into the lower right of A."""
    n = size
    links, turns, vectors = scratch.links, scratch.turns, scratch.vectors
    for i in range(n):
        links[i, QDD] = 0.0
    for k in range(n):
        rate = 0.0
        for i in range(n):
            rate += qd[i]
            turns[OMEGA_SQUARED, i] = 2.0 * rate if i >= k else 0.0
        vectors[RATES, k] = 1.0
        _sweep(size, scratch)
        vectors[RATES, k] = 0.0
        for i in range(n):
            A[n + i, n + k] = links[i, TORQUE]


@inner
def _divide_by_inertia(size: int, scratch: StateScratch, A: Array, B: Array) -> None:
    """Turn torques into accelerations, column by column, and write what is known above them."""
    n = size
    links = scratch.links
    for k in range(2 * n):
        for i in range(n):
            A[i, k] = 1.0 if k == n + i else 0.0
            links[i, TORQUE] = -A[n + i, k]
        _solve(size, scratch)
        for i in range(n):
            A[n + i, k] = links[i, QDD]
    for k in range(n):
        for i in range(n):
            B[i, k] = 0.0
            links[i, TORQUE] = 1.0 if i == k else 0.0
        _solve(size, scratch)
        for i in range(n):
            B[n + i, k] = links[i, QDD]


@inner
def _solve(size: int, scratch: StateScratch) -> None:
    """Turn torques into accelerations for the angles and rates of the vectors."""
    if scratch.coupled != 0.0:
        forward_coupled(size, scratch.links, scratch.turns, scratch.vectors, ANGLES, CARRIER)
    else:
        forward(size, scratch.links, scratch.turns, scratch.vectors, ANGLES, None)


@inner
def _sweep(size: int, scratch: StateScratch) -> None:
    """Turn accelerations into torques for links that stand as they are."""
    spread_accelerations(size, scratch.links, scratch.turns)
    gather_torques(size, scratch.links, scratch.turns, scratch.vectors, RATES)


@inlined
def _scratch(size: int, memory: Array) -> StateScratch:
    rows = size + 1
    return StateScratch(
        matrix_view(memory, 0, rows, COLUMNS),
        matrix_view(memory, rows * COLUMNS, TURNS, rows),
        matrix_view(memory, rows * (COLUMNS + TURNS), VECTORS, rows),
        memory[memory.shape[0] - 1],
    )


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

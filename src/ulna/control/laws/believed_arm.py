"""The arm that a controller believes in, as laws hold it: constants in params, scratch in state.

A law's own rows of state come first. Behind them lies scratch memory, which holds the tables
that the recursion reads. A law is written for one arm, and compiled for one and for lanes of arms.
"""

from __future__ import annotations

from ulna.arrays import Array
from ulna.dynamics.packed import COLUMNS, CONSTANTS, LENGTH, QDD, TORQUE, TURNS
from ulna.dynamics.recursive import inverse
from ulna.kernels import inlined, inner
from ulna.lanes import all_lanes, matrix_view

# Rows of the motion: angles, rates, reference rates q̇_r, and the sliding variable s = q̇_r − q̇.
ANGLE, RATE, QD_REF, SLIDING = range(4)
MOTIONS = 4
# Rows of the reference.
REF_Q, REF_QD, REF_QDD = range(3)
NOTHING = 0  # rows of state or params before what is looked for


def scratch_rows(n: int) -> int:
    """Return how many rows of scratch memory a law needs for an arm of n links."""
    return (n + 1) * (COLUMNS + TURNS + MOTIONS)


@inlined
def scratch_tables(n: int, state: Array, own: int) -> tuple[Array, Array, Array]:
    """Return the tables of links, turns and motions, which lie behind a law's own rows of state."""
    turns = own + (n + 1) * COLUMNS
    motions = turns + (n + 1) * TURNS
    return (
        matrix_view(state, own, n + 1, COLUMNS),
        matrix_view(state, turns, TURNS, n + 1),
        matrix_view(state, motions, MOTIONS, n + 1),
    )


@inlined
def load_model(n: int, params: Array, first: int, links: Array) -> None:
    """Copy the constants of the arm, which begin at a row of params, into the table."""
    if all_lanes(links[0, LENGTH] == params[first + LENGTH]):
        return  # They are there since the tick before.
    for i in range(n + 1):
        for column in range(CONSTANTS):
            links[i, column] = params[first + i * CONSTANTS + column]


@inner
def torque_of_reference(
    n: int,
    reference: Array,
    params: Array,
    first: int,
    links: Array,
    turns: Array,
    y: Array,
    tau: Array,
) -> None:
    """Write the inverse dynamics of the reference for the arm whose constants begin at a row."""
    load_model(n, params, first, links)
    for i in range(n):
        y[ANGLE, i], y[RATE, i] = reference[REF_Q, i], reference[REF_QD, i]
        links[i, QDD] = reference[REF_QDD, i]
    inverse(n, links, turns, y, ANGLE)
    for i in range(n):
        tau[i] = links[i, TORQUE]

"""The arm that a controller believes in: the simulated one, unless it is told another.

Laws hold it as numbers: its constants are the last of their parameters. Their own rows of state
come first, and behind them lies scratch memory for the tables that the recursion reads.
"""

from __future__ import annotations

from typing import TypeAlias

from ulna.arm import Arm, Parameters, parameters_of
from ulna.arrays import Array
from ulna.control.laws import REF_Q, REF_QD, REF_QDD
from ulna.dynamics.packed import COLUMNS, CONSTANTS, LENGTH, QDD, TORQUE, TURNS, pack
from ulna.dynamics.recursive import inverse
from ulna.errors import InputError, Problem, shown
from ulna.kernels import inlined, inner
from ulna.lanes import all_lanes, matrix_view

AnyArm: TypeAlias = Arm | Parameters

# Rows of the motion: angles, rates, reference rates q̇_r, and the sliding variable s = q̇_r − q̇.
ANGLE, RATE, QD_REF, SLIDING = range(4)
MOTIONS = 4


def believed(controller: object, model: Arm | None, arm: AnyArm) -> AnyArm:
    """Return the model of a controller of an arm; refuses one with another number of joints."""
    if model is None:
        return arm
    what = f"{type(controller).__name__}.model"
    if not isinstance(model, Arm):
        raise InputError(Problem(what, shown(model), "an Arm, or None for the simulated one"))
    if model.n != arm.n:
        need = f"{arm.n}, as many as the simulated arm has"
        raise InputError(Problem(what, f"an arm with {_joints(model.n)}", need))
    return model


def constants(model: Arm | Parameters) -> Array:
    """Return the numbers of an arm in a row (…, p), as laws read them."""
    table = pack(parameters_of(model))
    return table.reshape(*table.shape[:-2], -1)


def _joints(n: int) -> str:
    return f"{n} joint{'s' * (n != 1)}"


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
def load_model(n: int, constants: Array, links: Array) -> None:
    """Copy the constants of the arm into the table."""
    if all_lanes(links[0, LENGTH] == constants[LENGTH]):
        return  # They are there since the tick before.
    for i in range(n + 1):
        for column in range(CONSTANTS):
            links[i, column] = constants[i * CONSTANTS + column]


@inner
def torque_of_reference(
    n: int, reference: Array, constants: Array, state: Array, own: int, tau: Array
) -> None:
    """Write the inverse dynamics of the reference; scratch lies behind the law's own rows."""
    links, turns, y = scratch_tables(n, state, own)
    load_model(n, constants, links)
    for i in range(n):
        y[ANGLE, i], y[RATE, i] = reference[REF_Q, i], reference[REF_QD, i]
        links[i, QDD] = reference[REF_QDD, i]
    inverse(n, links, turns, y, ANGLE)
    for i in range(n):
        tau[i] = links[i, TORQUE]

"""The laws that are inverse dynamics: of the reference alone, and of what is measured."""

from __future__ import annotations

from ulna.arrays import Array
from ulna.control.laws.believed_arm import (
    ANGLE,
    NOTHING,
    RATE,
    REF_Q,
    REF_QD,
    REF_QDD,
    load_model,
    scratch_tables,
    torque_of_reference,
)
from ulna.control.laws.law_signature import MANY, LawArguments, for_lanes, for_one, for_wide_lanes
from ulna.dynamics.packed import QDD, TORQUE
from ulna.dynamics.recursive import inverse
from ulna.kernels import inner, kernel

GAINS = 2  # rows of params a joint: all by angle [1/s²], then all by rate [1/s]


@kernel
def open_loop_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """Write the torques of the reference for the believed arm, which is all that params hold."""
    if q.shape[1] == 1:
        _open_loop(for_one(q, qd, reference, params, state, tau))
    elif q.shape[1] == MANY:
        _open_loop(for_lanes(q, qd, reference, params, state, tau))
    else:
        _open_loop(for_wide_lanes(q, qd, reference, params, state, tau))


@inner
def _open_loop(arguments: LawArguments) -> None:
    n = len(arguments.tau)
    links, turns, y = scratch_tables(n, arguments.state, NOTHING)
    torque_of_reference(
        n, arguments.reference, arguments.params, NOTHING, links, turns, y, arguments.tau
    )


@kernel
def computed_torque_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """Write the torques that let the believed arm, which follows in params, close the gap."""
    if q.shape[1] == 1:
        _computed_torque(for_one(q, qd, reference, params, state, tau))
    elif q.shape[1] == MANY:
        _computed_torque(for_lanes(q, qd, reference, params, state, tau))
    else:
        _computed_torque(for_wide_lanes(q, qd, reference, params, state, tau))


@inner
def _computed_torque(arguments: LawArguments) -> None:
    q, qd, reference, params, state, tau = arguments
    n = len(q)
    links, turns, y = scratch_tables(n, state, NOTHING)
    load_model(n, params, GAINS * n, links)
    for i in range(n):
        y[ANGLE, i], y[RATE, i] = q[i], qd[i]
        error, error_rate = reference[REF_Q, i] - q[i], reference[REF_QD, i] - qd[i]
        links[i, QDD] = reference[REF_QDD, i] + params[i] * error + params[n + i] * error_rate
    inverse(n, links, turns, y, ANGLE)
    for i in range(n):
        tau[i] = links[i, TORQUE]

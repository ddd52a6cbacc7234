"""The laws of a spring and a damper at every joint, alone and with the weight of an arm."""

from __future__ import annotations

from ulna.arrays import Array
from ulna.control.laws.believed_arm import (
    ANGLE,
    NOTHING,
    RATE,
    REF_Q,
    REF_QD,
    load_model,
    scratch_tables,
)
from ulna.control.laws.law_signature import MANY, LawArguments, for_lanes, for_one, for_wide_lanes
from ulna.dynamics.packed import QDD, TORQUE
from ulna.dynamics.recursive import inverse
from ulna.kernels import inner, kernel
from ulna.lanes import select

MEASURED = 1  # row of params that says where the weight is taken
GAINS = 2  # rows of params a joint: all kp, then all kd


@kernel
def pd_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """Write the torques of springs and dampers; params are all kp, then all kd."""
    if q.shape[1] == 1:
        _pd(for_one(q, qd, reference, params, state, tau))
    elif q.shape[1] == MANY:
        _pd(for_lanes(q, qd, reference, params, state, tau))
    else:
        _pd(for_wide_lanes(q, qd, reference, params, state, tau))


@inner
def _pd(arguments: LawArguments) -> None:
    q, qd, reference, params, _, tau = arguments
    for i in range(len(q)):
        tau[i] = 0.0
    _add_pd(q, qd, reference, params, tau)


@kernel
def gravity_pd_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """Write the same on top of the weight of the believed arm, at the reference or as measured.

    Behind the gains params hold 1 for as measured, then the constants of the arm.
    """
    if q.shape[1] == 1:
        _gravity_pd(for_one(q, qd, reference, params, state, tau))
    elif q.shape[1] == MANY:
        _gravity_pd(for_lanes(q, qd, reference, params, state, tau))
    else:
        _gravity_pd(for_wide_lanes(q, qd, reference, params, state, tau))


@inner
def _gravity_pd(arguments: LawArguments) -> None:
    q, qd, reference, params, state, tau = arguments
    n = len(q)
    links, turns, y = scratch_tables(n, state, NOTHING)
    load_model(n, params, GAINS * n + MEASURED, links)
    measured = params[GAINS * n] != 0.0
    for i in range(n):
        y[ANGLE, i] = select(measured, q[i], reference[REF_Q, i])
        y[RATE, i], links[i, QDD] = 0.0, 0.0
    inverse(n, links, turns, y, ANGLE)
    for i in range(n):
        tau[i] = links[i, TORQUE]
    _add_pd(q, qd, reference, params, tau)


@inner
def _add_pd(q: Array, qd: Array, reference: Array, params: Array, tau: Array) -> None:
    n = len(q)
    for i in range(n):
        error, error_rate = reference[REF_Q, i] - q[i], reference[REF_QD, i] - qd[i]
        tau[i] += params[i] * error + params[n + i] * error_rate

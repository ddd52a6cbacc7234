"""The laws that are inverse dynamics: of the reference alone, and of what is measured."""

from __future__ import annotations

from ulna.arrays import Array
from ulna.control.laws.law import MANY, Told, of_many, of_more, of_one
from ulna.control.laws.model import (
    AIM,
    AIM_RATE,
    AIM_TURNING,
    ANGLE,
    NOTHING,
    RATE,
    lay_model,
    room_to_work,
    torque_of_reference,
)
from ulna.dynamics.packed import QDD, TORQUE
from ulna.dynamics.recursive import inverse
from ulna.kernels import inner, kernel

GAINS = 2  # rows of params a joint: all by angle [1/s²], then all by rate [1/s]


@kernel
def open_loop_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """The torques that take the believed arm, which is all that params hold, along."""
    if q.shape[1] == 1:
        _open_loop(of_one(q, qd, reference, params, state, tau))
    elif q.shape[1] == MANY:
        _open_loop(of_many(q, qd, reference, params, state, tau))
    else:
        _open_loop(of_more(q, qd, reference, params, state, tau))


@inner
def _open_loop(told: Told) -> None:
    n = len(told.tau)
    links, turns, y = room_to_work(n, told.state, NOTHING)
    torque_of_reference(n, told.reference, told.params, NOTHING, links, turns, y, told.tau)


@kernel
def computed_torque_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """The torques that let the believed arm, which follows in params, close the gap."""
    if q.shape[1] == 1:
        _computed_torque(of_one(q, qd, reference, params, state, tau))
    elif q.shape[1] == MANY:
        _computed_torque(of_many(q, qd, reference, params, state, tau))
    else:
        _computed_torque(of_more(q, qd, reference, params, state, tau))


@inner
def _computed_torque(told: Told) -> None:
    q, qd, reference, params, state, tau = told
    n = len(q)
    links, turns, y = room_to_work(n, state, NOTHING)
    lay_model(n, params, GAINS * n, links)
    for i in range(n):
        y[ANGLE, i], y[RATE, i] = q[i], qd[i]
        ahead, faster = reference[AIM, i] - q[i], reference[AIM_RATE, i] - qd[i]
        links[i, QDD] = reference[AIM_TURNING, i] + params[i] * ahead + params[n + i] * faster
    inverse(n, links, turns, y, ANGLE)
    for i in range(n):
        tau[i] = links[i, TORQUE]

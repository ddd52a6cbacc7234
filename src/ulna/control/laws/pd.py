"""The laws of a spring and a damper at every joint, alone and with the weight of an arm."""

from __future__ import annotations

from ulna.arrays import Array
from ulna.control.laws.law import MANY, Told, of_many, of_more, of_one
from ulna.control.laws.model import AIM, AIM_RATE, ANGLE, NOTHING, RATE, lay_model, room_to_work
from ulna.dynamics.packed import QDD, TORQUE
from ulna.dynamics.recursive import inverse
from ulna.kernels import inner, kernel
from ulna.lanes import select

MEASURED = 1  # row of params that says where the weight is taken
GAINS = 2  # rows of params a joint: all stiffnesses, then all dampings


@kernel
def pd_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """A spring and a damper; params are all stiffnesses, then all dampings."""
    if q.shape[1] == 1:
        _pd(of_one(q, qd, reference, params, state, tau))
    elif q.shape[1] == MANY:
        _pd(of_many(q, qd, reference, params, state, tau))
    else:
        _pd(of_more(q, qd, reference, params, state, tau))


@inner
def _pd(told: Told) -> None:
    q, qd, reference, params, _, tau = told
    for i in range(len(q)):
        tau[i] = 0.0
    _pull(q, qd, reference, params, tau)


@kernel
def gravity_pd_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """The same on top of what holds the believed arm, at the aim or where it is.

    Behind the gains params hold 1 for where it is, then the constants of the arm.
    """
    if q.shape[1] == 1:
        _gravity_pd(of_one(q, qd, reference, params, state, tau))
    elif q.shape[1] == MANY:
        _gravity_pd(of_many(q, qd, reference, params, state, tau))
    else:
        _gravity_pd(of_more(q, qd, reference, params, state, tau))


@inner
def _gravity_pd(told: Told) -> None:
    q, qd, reference, params, state, tau = told
    n = len(q)
    links, turns, y = room_to_work(n, state, NOTHING)
    lay_model(n, params, GAINS * n + MEASURED, links)
    measured = params[GAINS * n] != 0.0
    for i in range(n):
        y[ANGLE, i] = select(measured, q[i], reference[AIM, i])
        y[RATE, i], links[i, QDD] = 0.0, 0.0
    inverse(n, links, turns, y, ANGLE)
    for i in range(n):
        tau[i] = links[i, TORQUE]
    _pull(q, qd, reference, params, tau)


@inner
def _pull(q: Array, qd: Array, reference: Array, params: Array, tau: Array) -> None:
    n = len(q)
    for i in range(n):
        ahead, faster = reference[AIM, i] - q[i], reference[AIM_RATE, i] - qd[i]
        tau[i] += params[i] * ahead + params[n + i] * faster

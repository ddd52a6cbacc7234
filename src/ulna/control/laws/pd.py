"""The laws of a spring and a damper at every joint, alone and with the weight of an arm."""

from __future__ import annotations

from ulna.arrays import Array
from ulna.control.laws.model import AIM, ANGLE, NOTHING, RATE, lay_model, room_to_work
from ulna.dynamics.packed import TORQUE, TURNING
from ulna.dynamics.recursive import inverse
from ulna.kernels import inner, kernel

MEASURED = 1  # row of params that says where the weight is taken
GAINS = 2  # rows of params a joint: all stiffnesses, then all dampings


@kernel
def pd_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """A spring and a damper; params are all stiffnesses, then all dampings."""
    for w in range(q.shape[1]):
        for i in range(len(q)):
            tau[i, w] = 0.0
        _pull(q, qd, reference, params, tau, w)


@kernel
def gravity_pd_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """The same on top of what holds the believed arm, at the aim or where it is.

    Behind the gains params hold 1 for where it is, then the constants of the arm.
    """
    n = len(q)
    links, turns, y = room_to_work(n, state, NOTHING)
    for w in range(q.shape[1]):
        lay_model(n, params, GAINS * n + MEASURED, w, links)
        measured = params[GAINS * n, w] != 0.0
        for i in range(n):
            y[ANGLE, i] = q[i, w] if measured else reference[AIM, i, w]
            y[RATE, i], links[i, TURNING] = 0.0, 0.0
        inverse(n, links, turns, y, ANGLE)
        for i in range(n):
            tau[i, w] = links[i, TORQUE]
        _pull(q, qd, reference, params, tau, w)


@inner
def _pull(q: Array, qd: Array, reference: Array, params: Array, tau: Array, w: int) -> None:
    n = len(q)
    for i in range(n):
        ahead, faster = reference[0, i, w] - q[i, w], reference[1, i, w] - qd[i, w]
        tau[i, w] += params[i, w] * ahead + params[n + i, w] * faster

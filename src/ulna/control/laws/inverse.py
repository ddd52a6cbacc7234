"""The laws that are inverse dynamics: of the reference alone, and of what is measured."""

from __future__ import annotations

from ulna.arrays import Array
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
from ulna.dynamics.packed import TORQUE, TURNING
from ulna.dynamics.recursive import inverse
from ulna.kernels import kernel

GAINS = 2  # rows of params a joint: all by angle [1/s²], then all by rate [1/s]


@kernel
def open_loop_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """The torques that take the believed arm, which is all that params hold, along."""
    n = len(q)
    links, turns, y = room_to_work(n, state, NOTHING)
    for w in range(q.shape[1]):
        torque_of_reference(n, reference, params, NOTHING, w, links, turns, y, tau)


@kernel
def computed_torque_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """The torques that let the believed arm, which follows in params, close the gap."""
    n = len(q)
    links, turns, y = room_to_work(n, state, NOTHING)
    for w in range(q.shape[1]):
        lay_model(n, params, GAINS * n, w, links)
        for i in range(n):
            y[ANGLE, i], y[RATE, i] = q[i, w], qd[i, w]
            ahead, faster = reference[AIM, i, w] - q[i, w], reference[AIM_RATE, i, w] - qd[i, w]
            back = params[i, w] * ahead + params[n + i, w] * faster
            links[i, TURNING] = reference[AIM_TURNING, i, w] + back
        inverse(n, links, turns, y, ANGLE)
        for i in range(n):
            tau[i, w] = links[i, TORQUE]

"""The laws of PID, alone and on top of the torques that the reference takes."""

from __future__ import annotations

import math

from ulna.arrays import Array
from ulna.control.laws.model import AIM, AIM_RATE, room_to_work, torque_of_reference
from ulna.kernels import inner, kernel

# Rows of params: stiffness, damping, integral gain and limit of all joints, then the filter's
# corner. Rows of state: integrals and filtered rates of all joints, then the last tick's time.
GAINS = 4
MEMORIES = 2


@kernel
def pid_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """A spring, a damper and a growing push at every joint."""
    for w in range(q.shape[1]):
        for i in range(len(q)):
            tau[i, w] = 0.0
        _push(t, q, qd, reference, params, state, tau, w)


@kernel
def feedforward_pid_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """The same on top of what takes the believed arm, which follows in params, along."""
    n = len(q)
    links, turns, y = room_to_work(n, state, MEMORIES * n + 1)
    for w in range(q.shape[1]):
        torque_of_reference(n, reference, params, GAINS * n + 1, w, links, turns, y, tau)
        _push(t, q, qd, reference, params, state, tau, w)


@inner
def _push(
    t: float,
    q: Array,
    qd: Array,
    reference: Array,
    params: Array,
    state: Array,
    tau: Array,
    w: int,
) -> None:
    n = len(q)
    last = MEMORIES * n
    step = t - state[last, w]
    # Before the first tick lies all of time: the filter has settled, and nothing was integrated.
    blend = 1.0 - math.exp(-params[GAINS * n, w] * step)
    if math.isinf(step):
        step = 0.0
    for i in range(n):
        ahead, faster = reference[AIM, i, w] - q[i, w], reference[AIM_RATE, i, w] - qd[i, w]
        state[n + i, w] += blend * (faster - state[n + i, w])
        tau[i, w] += params[i, w] * ahead + params[n + i, w] * state[n + i, w]
        before = tau[i, w] + params[2 * n + i, w] * state[i, w]
        if abs(before) < params[3 * n + i, w] or before * ahead <= 0.0:
            state[i, w] += ahead * step
        tau[i, w] += params[2 * n + i, w] * state[i, w]
    state[last, w] = t

"""The laws of PID, alone and on top of the torques that the reference takes."""

from __future__ import annotations

import math

from ulna.arrays import Array
from ulna.control.laws.law import MANY, Told, of_many, of_more, of_one
from ulna.control.laws.model import AIM, AIM_RATE, room_to_work, torque_of_reference
from ulna.kernels import inner, kernel
from ulna.lanes import logical_or, numbers, select

# Rows of params: stiffness, damping, integral gain and limit of all joints, then the filter's
# corner. Rows of state: integrals and filtered rates of all joints, then the last tick's time; and
# behind them, as room to work in, how far the filter moves in a tick.
GAINS = 4
MEMORIES = 2
ROOM = 1


@kernel
def pid_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """A spring, a damper and a growing push at every joint."""
    if q.shape[1] == 1:
        _pid(t, of_one(q, qd, reference, params, state, tau))
    elif q.shape[1] == MANY:
        _pid(t, of_many(q, qd, reference, params, state, tau))
    else:
        _pid(t, of_more(q, qd, reference, params, state, tau))


@inner
def _pid(t: float, told: Told) -> None:
    q, qd, reference, params, state, tau = told
    for i in range(len(q)):
        tau[i] = 0.0
    _push(t, q, qd, reference, params, state, tau)


@kernel
def feedforward_pid_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """The same on top of what takes the believed arm, which follows in params, along."""
    if q.shape[1] == 1:
        _feedforward_pid(t, of_one(q, qd, reference, params, state, tau))
    elif q.shape[1] == MANY:
        _feedforward_pid(t, of_many(q, qd, reference, params, state, tau))
    else:
        _feedforward_pid(t, of_more(q, qd, reference, params, state, tau))


@inner
def _feedforward_pid(t: float, told: Told) -> None:
    q, qd, reference, params, state, tau = told
    n = len(q)
    links, turns, y = room_to_work(n, state, MEMORIES * n + 1 + ROOM)
    torque_of_reference(n, reference, params, GAINS * n + 1, links, turns, y, tau)
    _push(t, q, qd, reference, params, state, tau)


@inner
def _push(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    n = len(q)
    last = MEMORIES * n
    step = t - state[last]
    # Before the first tick lies all of time: the filter has settled, and nothing was integrated.
    _blend(params, state, n, t)
    blend = state[last + 1]
    step = select(step < math.inf, step, 0.0)
    for i in range(n):
        ahead, faster = reference[AIM, i] - q[i], reference[AIM_RATE, i] - qd[i]
        state[n + i] += blend * (faster - state[n + i])
        tau[i] += params[i] * ahead + params[n + i] * state[n + i]
        before, most = tau[i] + params[2 * n + i] * state[i], params[3 * n + i]
        # Beyond its limit the push may only shrink.
        grows = logical_or(abs(before) < most, before * ahead <= 0.0)
        state[i] += select(grows, ahead * step, 0.0)
        tau[i] += params[2 * n + i] * state[i]
    state[last] = t


@inner
def _blend(params: Array, state: Array, n: int, t: float) -> None:
    """Note how far the filter moves until now."""
    corners, kept = numbers(params), numbers(state)
    last = MEMORIES * n
    for w in range(kept.shape[1]):
        kept[last + 1, w] = 1.0 - math.exp(-corners[GAINS * n, w] * (t - kept[last, w]))

"""The laws of PID, alone and on top of the torques that the reference takes."""

from __future__ import annotations

import math

from ulna.arrays import Array
from ulna.control.laws.believed_arm import REF_Q, REF_QD, scratch_tables, torque_of_reference
from ulna.control.laws.law_signature import MANY, LawArguments, for_lanes, for_one, for_wide_lanes
from ulna.kernels import inner, kernel
from ulna.lanes import logical_or, numbers, select

# Rows of params: kp, kd, ki and torque limit of all joints, then the filter's corner frequency.
# Rows of state: integrals and filtered rates of all joints, then the last tick's time; and behind
# them, as scratch, how far the filter moves in a tick.
GAINS = 4
MEMORIES = 2
SCRATCH = 1


@kernel
def pid_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """Write the torques of a spring, a damper and an integral at every joint."""
    if q.shape[1] == 1:
        _pid(t, for_one(q, qd, reference, params, state, tau))
    elif q.shape[1] == MANY:
        _pid(t, for_lanes(q, qd, reference, params, state, tau))
    else:
        _pid(t, for_wide_lanes(q, qd, reference, params, state, tau))


@inner
def _pid(t: float, arguments: LawArguments) -> None:
    q, qd, reference, params, state, tau = arguments
    for i in range(len(q)):
        tau[i] = 0.0
    _add_pid(t, q, qd, reference, params, state, tau)


@kernel
def feedforward_pid_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """Write the same on top of the torques of the reference for the arm that follows in params."""
    if q.shape[1] == 1:
        _feedforward_pid(t, for_one(q, qd, reference, params, state, tau))
    elif q.shape[1] == MANY:
        _feedforward_pid(t, for_lanes(q, qd, reference, params, state, tau))
    else:
        _feedforward_pid(t, for_wide_lanes(q, qd, reference, params, state, tau))


@inner
def _feedforward_pid(t: float, arguments: LawArguments) -> None:
    q, qd, reference, params, state, tau = arguments
    n = len(q)
    links, turns, y = scratch_tables(n, state, MEMORIES * n + 1 + SCRATCH)
    torque_of_reference(n, reference, params, GAINS * n + 1, links, turns, y, tau)
    _add_pid(t, q, qd, reference, params, state, tau)


@inner
def _add_pid(
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
        error, error_rate = reference[REF_Q, i] - q[i], reference[REF_QD, i] - qd[i]
        state[n + i] += blend * (error_rate - state[n + i])
        tau[i] += params[i] * error + params[n + i] * state[n + i]
        before, most = tau[i] + params[2 * n + i] * state[i], params[3 * n + i]
        # Beyond its limit the torque may only shrink.
        grows = logical_or(abs(before) < most, before * error <= 0.0)
        state[i] += select(grows, error * step, 0.0)
        tau[i] += params[2 * n + i] * state[i]
    state[last] = t


@inner
def _blend(params: Array, state: Array, n: int, t: float) -> None:
    """Write how far the filter moves until now."""
    corners, kept = numbers(params), numbers(state)
    last = MEMORIES * n
    for w in range(kept.shape[1]):
        kept[last + 1, w] = 1.0 - math.exp(-corners[GAINS * n, w] * (t - kept[last, w]))

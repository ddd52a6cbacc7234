"""The law that learns the arm: torques by the columns of the regressor, one after the other.

A column is what inverse dynamics gives for an arm of which one quantity of one link is one, and
all others are nothing.
"""

from __future__ import annotations

import math
from typing import Any

from ulna.arrays import Array
from ulna.control.laws.believed_arm import (
    ANGLE,
    QD_REF,
    RATE,
    REF_Q,
    REF_QD,
    REF_QDD,
    SLIDING,
    scratch_tables,
)
from ulna.control.laws.law_signature import MANY, LawArguments, for_lanes, for_one, for_wide_lanes
from ulna.dynamics.packed import (
    ALONG,
    ASIDE,
    CARRIER,
    CONSTANTS,
    DAMPING,
    LENGTH,
    MASS,
    OMEGA_SQUARED,
    OWN,
    QDD,
    SECOND,
    TORQUE,
)
from ulna.dynamics.recursive import gather_torques, link_directions, spread_accelerations
from ulna.kernels import inner, kernel
from ulna.lanes import all_lanes, select

# Rows of params: bandwidth and kd of all joints, how fast every entry is learnt, and the
# table of an arm of ones. Rows of state: the estimate, then the last tick's time.
GAINS = 2
QUANTITIES = 6
# The columns that a quantity stands in, first and last; a rotor stands in three.
FIRST = (MASS, ALONG, ASIDE, SECOND, DAMPING, CARRIER)
LAST = (MASS, ALONG, ASIDE, SECOND, DAMPING, OWN)


@kernel
def adaptive_law(
    t: float, q: Array, qd: Array, reference: Array, params: Array, state: Array, tau: Array
) -> None:
    """Write the torques of the estimated arm, and those of the sliding variable."""
    if q.shape[1] == 1:
        _adaptive(t, for_one(q, qd, reference, params, state, tau))
    elif q.shape[1] == MANY:
        _adaptive(t, for_lanes(q, qd, reference, params, state, tau))
    else:
        _adaptive(t, for_wide_lanes(q, qd, reference, params, state, tau))


@inner
def _adaptive(t: float, arguments: LawArguments) -> None:
    q, qd, reference, params, state, tau = arguments
    n = len(q)
    last = QUANTITIES * n
    links, turns, y = scratch_tables(n, state, last + 1)
    step = t - state[last]
    state[last] = t
    _reference_motion(q, qd, reference, params, links, y, tau)
    _load_lengths(n, params, links, turns, y)
    # At the first tick nothing has been seen that could be learnt from.
    _adapt(n, select(step < math.inf, step, 0.0), params, state, links, turns, y, tau)


@inner
def _reference_motion(
    q: Array, qd: Array, reference: Array, params: Array, links: Array, y: Array, tau: Array
) -> None:
    """Write the reference rates, the sliding variable, and its torque."""
    n = len(q)
    for i in range(n):
        error, error_rate = reference[REF_Q, i] - q[i], reference[REF_QD, i] - qd[i]
        y[ANGLE, i], y[RATE, i] = q[i], qd[i]
        y[QD_REF, i] = reference[REF_QD, i] + params[i] * error
        y[SLIDING, i] = y[QD_REF, i] - qd[i]
        links[i, QDD] = reference[REF_QDD, i] + params[i] * error_rate
        tau[i] = params[n + i] * y[SLIDING, i]


@inner
def _load_lengths(n: int, params: Array, links: Array, turns: Array, y: Array) -> None:
    """Load an arm of lengths and gravity alone, and how it moves."""
    ones = (GAINS + QUANTITIES) * n
    for i in range(n + 1):
        for column in range(CONSTANTS):
            links[i, column] = 0.0
            if column == LENGTH or i == n:
                links[i, column] = params[ones + i * CONSTANTS + column]
    link_directions(n, turns, y, ANGLE)
    rate = wanted = 0.0
    for i in range(n):
        rate += y[RATE, i]
        wanted += y[QD_REF, i]
        turns[OMEGA_SQUARED, i] = rate * wanted
    spread_accelerations(n, links, turns)


@inner
def _adapt(
    n: int,
    step: Any,
    params: Array,
    state: Array,
    links: Array,
    turns: Array,
    y: Array,
    tau: Array,
) -> None:
    """Add up the torques of all columns, and move every entry by Γ Yᵀ s."""
    speeds, ones = GAINS * n, (GAINS + QUANTITIES) * n
    for entry in range(QUANTITIES * n):
        quantity, link = entry // n, entry % n
        value, speed = state[entry], params[speeds + entry]
        if all_lanes(value == 0.0) and all_lanes(speed == 0.0):
            continue
        for column in range(FIRST[quantity], LAST[quantity] + 1):
            links[link, column] = params[ones + link * CONSTANTS + column]
        gather_torques(n, links, turns, y, QD_REF)
        for column in range(FIRST[quantity], LAST[quantity] + 1):
            links[link, column] = 0.0
        correlation = 0.0
        for i in range(n):
            tau[i] += links[i, TORQUE] * value
            correlation += links[i, TORQUE] * y[SLIDING, i]
        state[entry] = value + step * speed * correlation

"""The law that learns the arm: torques by the columns of the regressor, one after the other.

A column is what inverse dynamics gives for an arm of which one quantity of one link is one, and
all others are nothing.
"""

from __future__ import annotations

import math
from typing import Any

from ulna.arrays import Array
from ulna.control.laws.law import MANY, Told, of_many, of_more, of_one
from ulna.control.laws.model import (
    AIM,
    AIM_RATE,
    AIM_TURNING,
    ANGLE,
    MISSING,
    RATE,
    WANTED,
    room_to_work,
)
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
from ulna.dynamics.recursive import gather_torques, lay_out, spread_accelerations
from ulna.kernels import inner, kernel
from ulna.lanes import all_lanes, select

# Rows of params: frequency and damping of all joints, how fast every entry is learnt, and the
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
    """The torques of the estimated arm, and what pulls the rates to where they are wanted."""
    if q.shape[1] == 1:
        _adaptive(t, of_one(q, qd, reference, params, state, tau))
    elif q.shape[1] == MANY:
        _adaptive(t, of_many(q, qd, reference, params, state, tau))
    else:
        _adaptive(t, of_more(q, qd, reference, params, state, tau))


@inner
def _adaptive(t: float, told: Told) -> None:
    q, qd, reference, params, state, tau = told
    n = len(q)
    last = QUANTITIES * n
    links, turns, y = room_to_work(n, state, last + 1)
    step = t - state[last]
    state[last] = t
    _want(q, qd, reference, params, links, y, tau)
    _lay(n, params, links, turns, y)
    # At the first tick nothing has been seen that could be learnt from.
    _learn(n, select(step < math.inf, step, 0.0), params, state, links, turns, y, tau)


@inner
def _want(
    q: Array, qd: Array, reference: Array, params: Array, links: Array, y: Array, tau: Array
) -> None:
    """Note the rates that would close the gap, what is missing to them, and its pull."""
    n = len(q)
    for i in range(n):
        ahead, faster = reference[AIM, i] - q[i], reference[AIM_RATE, i] - qd[i]
        y[ANGLE, i], y[RATE, i] = q[i], qd[i]
        y[WANTED, i] = reference[AIM_RATE, i] + params[i] * ahead
        y[MISSING, i] = y[WANTED, i] - qd[i]
        links[i, QDD] = reference[AIM_TURNING, i] + params[i] * faster
        tau[i] = params[n + i] * y[MISSING, i]


@inner
def _lay(n: int, params: Array, links: Array, turns: Array, y: Array) -> None:
    """Lay out an arm of lengths and gravity alone, and how it moves."""
    ones = (GAINS + QUANTITIES) * n
    for i in range(n + 1):
        for column in range(CONSTANTS):
            links[i, column] = 0.0
            if column == LENGTH or i == n:
                links[i, column] = params[ones + i * CONSTANTS + column]
    lay_out(n, turns, y, ANGLE)
    rate = wanted = 0.0
    for i in range(n):
        rate += y[RATE, i]
        wanted += y[WANTED, i]
        turns[OMEGA_SQUARED, i] = rate * wanted
    spread_accelerations(n, links, turns)


@inner
def _learn(
    n: int,
    step: Any,
    params: Array,
    state: Array,
    links: Array,
    turns: Array,
    y: Array,
    tau: Array,
) -> None:
    """Add up the torques of all columns, and move every entry by what its column missed."""
    speeds, ones = GAINS * n, (GAINS + QUANTITIES) * n
    for entry in range(QUANTITIES * n):
        quantity, link = entry // n, entry % n
        value, speed = state[entry], params[speeds + entry]
        if all_lanes(value == 0.0) and all_lanes(speed == 0.0):
            continue
        for column in range(FIRST[quantity], LAST[quantity] + 1):
            links[link, column] = params[ones + link * CONSTANTS + column]
        gather_torques(n, links, turns, y, WANTED)
        for column in range(FIRST[quantity], LAST[quantity] + 1):
            links[link, column] = 0.0
        missed = 0.0
        for i in range(n):
            tau[i] += links[i, TORQUE] * value
            missed += links[i, TORQUE] * y[MISSING, i]
        state[entry] = value + step * speed * missed

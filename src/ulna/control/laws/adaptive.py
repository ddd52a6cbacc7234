"""The law that learns the arm: torques by the columns of the regressor, one after the other.

A column is what inverse dynamics gives for an arm of which one quantity of one link is one, and
all others are nothing.
"""

from __future__ import annotations

import math

from ulna.arrays import Array
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
    OWN,
    SECOND,
    TORQUE,
    TURNING,
    WHIRL,
)
from ulna.dynamics.recursive import gather_torques, lay_out, spread_accelerations
from ulna.kernels import inner, kernel

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
    n = len(q)
    last = QUANTITIES * n
    links, turns, y = room_to_work(n, state, last + 1)
    for w in range(q.shape[1]):
        step = t - state[last, w]
        state[last, w] = t
        _want(q, qd, reference, params, links, y, tau, w)
        _lay(n, params, links, turns, y, w)
        # At the first tick nothing has been seen that could be learnt from.
        _learn(n, 0.0 if math.isinf(step) else step, params, state, links, turns, y, tau, w)


@inner
def _want(
    q: Array,
    qd: Array,
    reference: Array,
    params: Array,
    links: Array,
    y: Array,
    tau: Array,
    w: int,
) -> None:
    """Note the rates that would close the gap, what is missing to them, and its pull."""
    n = len(q)
    for i in range(n):
        ahead, faster = reference[AIM, i, w] - q[i, w], reference[AIM_RATE, i, w] - qd[i, w]
        y[ANGLE, i], y[RATE, i] = q[i, w], qd[i, w]
        y[WANTED, i] = reference[AIM_RATE, i, w] + params[i, w] * ahead
        y[MISSING, i] = y[WANTED, i] - qd[i, w]
        links[i, TURNING] = reference[AIM_TURNING, i, w] + params[i, w] * faster
        tau[i, w] = params[n + i, w] * y[MISSING, i]


@inner
def _lay(n: int, params: Array, links: Array, turns: Array, y: Array, w: int) -> None:
    """Lay out an arm of lengths and gravity alone, and how it moves."""
    ones = (GAINS + QUANTITIES) * n
    for i in range(n + 1):
        for column in range(CONSTANTS):
            known = column == LENGTH or i == n
            links[i, column] = params[ones + i * CONSTANTS + column, w] if known else 0.0
    lay_out(n, turns, y, ANGLE)
    rate = wanted = 0.0
    for i in range(n):
        rate += y[RATE, i]
        wanted += y[WANTED, i]
        turns[WHIRL, i] = rate * wanted
    spread_accelerations(n, links, turns)


@inner
def _learn(
    n: int,
    step: float,
    params: Array,
    state: Array,
    links: Array,
    turns: Array,
    y: Array,
    tau: Array,
    w: int,
) -> None:
    """Add up the torques of all columns, and move every entry by what its column missed."""
    speeds, ones = GAINS * n, (GAINS + QUANTITIES) * n
    for entry in range(QUANTITIES * n):
        quantity, link = entry // n, entry % n
        value, speed = state[entry, w], params[speeds + entry, w]
        if value == 0.0 and speed == 0.0:
            continue
        for column in range(FIRST[quantity], LAST[quantity] + 1):
            links[link, column] = params[ones + link * CONSTANTS + column, w]
        gather_torques(n, links, turns, y, WANTED)
        for column in range(FIRST[quantity], LAST[quantity] + 1):
            links[link, column] = 0.0
        missed = 0.0
        for i in range(n):
            tau[i, w] += links[i, TORQUE] * value
            missed += links[i, TORQUE] * y[MISSING, i]
        state[entry, w] = value + step * speed * missed

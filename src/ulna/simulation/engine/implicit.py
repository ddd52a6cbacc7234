"""Implicit methods: semi-implicit Euler, and two-stage Gauss of order 4."""

from __future__ import annotations

import math
from typing import Any

from ulna.dynamics import packed as link
from ulna.dynamics.recursive import forward_coupled
from ulna.kernels import inlined, inner, kernel
from ulna.lanes import any_lane, is_scalar, is_single, logical_and, logical_not, logical_or, select
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory
from ulna.simulation.engine.state_derivative import (
    call_account,
    call_motors,
    call_slide,
    columns,
    copy,
    inputs,
    note_friction,
    note_power,
    state_derivative,
    state_derivative_inlined,
)

ROOT = math.sqrt(3.0) / 6.0
NODES = (0.5 - ROOT, 0.5 + ROOT)
# The stages' weights of one another, a = [[1/4, 1/4 − √3/6], [1/4 + √3/6, 1/4]].
OWN, EARLY, LATE = 0.25, 0.25 - ROOT, 0.25 + ROOT
MOST_ITERATIONS = 60
# Of a rate, by which accelerations change it in a step at least to count: times the tolerance of
# iterations that bring no more, the rounding of the rate.
UNSEEN, UNSEEN_SHORT = 1e-6, 1e-2


@kernel
def semi_implicit_step(size: int, m: Memory, t: float, h: float) -> None:
    """Write the state after a step to TRIAL: new rates first, with the damping of new rates.

    The damping torque is −b (q̇ + h q̈): what neighbours exchange gains h b, and the step stays
    stable however stiff the joint.
    """
    n = size
    v, links = m.vectors, m.links
    copy(size, m, at.STATE, at.STAGE)
    for i in range(n):
        extra = h * links[i, link.DAMPING]
        links[i, at.IMPLICIT] = links[i, link.CARRIER] + extra
        links[i, at.IMPLICIT + 1] = links[i, link.CROSS] - extra
        links[i, at.IMPLICIT + 2] = links[i, link.OWN] + extra
    driven = m.ints[at.MOTORS] != 0
    if driven:
        call_motors(size, m, at.BEGIN_STEP, at.NONE, at.NONE, at.NONE, t, h)
    inputs(size, m, t)
    if driven:
        call_motors(size, m, at.DRIVE, at.NONE, at.NONE, at.NONE, t, h)
    if m.ints[at.FRICTIONAL] != 0:
        call_slide(size, m, at.IMPLICIT)
    else:
        forward_coupled(size, links, m.turns, v, at.STAGE, at.IMPLICIT)
    _update_rates_first(size, m, h)
    if driven:
        call_motors(size, m, at.WRITE_RATES, at.DERIVATIVES, at.NONE, at.NONE, t, h)
        if is_scalar(v):
            call_account(size, m, at.WRITE_POWERS, at.DERIVATIVES, t, h)
        call_motors(size, m, at.EULER_END, at.NONE, at.NONE, at.NONE, t + h, h)


@kernel
def sequential_euler_step(size: int, m: Memory, t: float, h: float) -> None:
    """Do the same in the sequential dynamics, whose damping is a part of the derivative."""
    copy(size, m, at.STATE, at.STAGE)
    state_derivative(size, m, t, at.FIRST)
    _update_rates_first(size, m, h)


@inlined
def _update_rates_first(size: int, m: Memory, h: float) -> None:
    """Write rates after a step of these accelerations, and angles after one of those rates."""
    n, v, links = size, m.vectors, m.links
    for i in range(n):
        rate = v[at.STATE + 1, i] + h * links[i, link.QDD]
        v[at.TRIAL, i] = v[at.STATE, i] + h * rate
        v[at.TRIAL + 1, i] = rate
    if is_scalar(v):
        note_power(size, m, at.TRIAL, at.TRIAL)
        if m.ints[at.FRICTIONAL] != 0:
            note_friction(size, m, at.TRIAL, at.TRIAL)
        for part in range(2):
            v[at.TRIAL + part, n] = v[at.STATE + part, n] + h * v[at.TRIAL + part, n]


@kernel
def gauss_step(size: int, m: Memory, t: float, h: float) -> None:
    """Write the state after a step to TRIAL; VALID says where the iterations converged."""
    converged = _iterate_stages(size, m, t, h)
    m.links[size, at.VALID] = select(converged, 1.0, 0.0)


@inner
def _iterate_stages(size: int, m: Memory, t: float, h: float) -> Any:
    """Write the state after a step to TRIAL; return whether the iterations converged.

    The derivatives of the two stages are found by fixed-point iteration, predicted by the
    polynomial of the step before. Lanes that have converged keep their values while others go on.
    """
    driven = m.ints[at.MOTORS] != 0
    if driven:
        call_motors(size, m, at.BEGIN_STEP, at.NONE, at.NONE, at.NONE, t, h)
    _predict_stages(size, m, t, h)
    before = abs(m.vectors[at.STATE, 0]) + math.inf
    running = before > 0.0
    converged = before < 0.0
    for _ in range(MOST_ITERATIONS):
        for s in range(2):
            _gauss_stage(size, m, s, h)
            if driven:
                call_motors(size, m, at.GAUSS_STAGE, s, at.NONE, at.NONE, t + NODES[s] * h, h)
            state_derivative_inlined(size, m, t + NODES[s] * h, at.NEW + s)
        change, largest = _update_stages(size, m, running, h)
        if driven:
            m.links[size, at.VALID] = select(running, 1.0, 0.0)
            call_motors(size, m, at.GAUSS_UPDATE, at.NONE, at.NONE, at.NONE, t, h)
        # The last digits go on changing for ever: stop when an iteration brings no more.
        least = select(change >= before, 1e-5 if is_single(change) else 1e-10, 1e-17)
        still = change <= least * largest
        if driven:
            still = logical_and(still, m.links[size, at.VALID] < 2.0)
        converged = logical_or(converged, logical_and(running, still))
        # NaN, or what grows beyond all bounds, will never converge.
        running = logical_and(logical_and(running, change < math.inf), logical_not(still))
        if not any_lane(running):
            break
        before = change
    _combine_stages(size, m, h)
    if driven:
        call_motors(size, m, at.GAUSS_END, at.NONE, at.NONE, at.NONE, t + h, h)
    return converged


@inner
def _predict_stages(size: int, m: Memory, t: float, h: float) -> None:
    v = m.vectors
    if m.ints[at.FSAL_VALID] == 0:
        copy(size, m, at.STATE, at.STAGE)
        state_derivative(size, m, t, at.FIRST)
        copy(size, m, at.SOLVED_ROW, at.SOLVED_ROW + 2)
        return
    for s in range(2):
        # Where the stage lies on the line through the two of the previous step.
        position = 1.0 + NODES[s] * h / m.floats[at.LAST_STEP] - NODES[0]
        place = position / (NODES[1] - NODES[0])
        for i in range(size):
            first = v[at.PREVIOUS_ROW + 1, i]
            v[at.SOLVED_ROW + 2 * s + 1, i] = first + place * (v[at.PREVIOUS_ROW + 3, i] - first)


@inlined
def _gauss_stage(size: int, m: Memory, s: int, h: float) -> None:
    """Write the state of stage s to STAGE, both parts from the accelerations alone."""
    mine, theirs = (EARLY, LATE) if s == 0 else (LATE, EARLY)
    v = m.vectors
    for i in range(size):
        q, rate = v[at.STATE, i], v[at.STATE + 1, i]
        own, other = v[at.SOLVED_ROW + 2 * s + 1, i], v[at.SOLVED_ROW + 3 - 2 * s, i]
        own_rate = rate + h * (OWN * own + mine * other)
        other_rate = rate + h * (OWN * other + theirs * own)
        v[at.STAGE, i] = q + h * (OWN * own_rate + mine * other_rate)
        v[at.STAGE + 1, i] = own_rate


@inlined
def _update_stages(size: int, m: Memory, running: Any, h: float) -> tuple[Any, Any]:
    """Update the derivatives of lanes that iterate; return their change and their size.

    Of a uniform motion accelerations are nothing but rounding: what would not change a rate counts
    as that.
    """
    v = m.vectors
    change = largest = 0.0 * v[at.NEW_ROW + 1, 0]
    part_of_rate = (UNSEEN_SHORT if is_single(change) else UNSEEN) / h
    # Springs of motors turn the rounding of an angle into accelerations.
    part_of_angle = part_of_rate / h if m.ints[at.MOTORS] != 0 else 0.0
    for i in range(size):
        unseen = part_of_rate * abs(v[at.STATE + 1, i]) + part_of_angle * abs(v[at.STATE, i])
        largest = select(unseen > largest, unseen, largest)
    for s in range(2):
        for i in range(size):
            new = v[at.NEW_ROW + 2 * s + 1, i]
            step = abs(new - v[at.SOLVED_ROW + 2 * s + 1, i])
            # Written so that NaN counts as the largest change.
            change = select(step <= change, change, step)
            largest = select(abs(new) > largest, abs(new), largest)
        for part in range(2):
            for i in range(columns(size, v)):
                new, old = v[at.NEW_ROW + 2 * s + part, i], v[at.SOLVED_ROW + 2 * s + part, i]
                v[at.SOLVED_ROW + 2 * s + part, i] = select(running, new, old)
    return change, largest


@inlined
def _gain(m: Memory, part: int, i: int, h: float) -> Any:
    """Return the increment of a step, with the rounding error of the last addition."""
    v = m.vectors
    total = v[at.SOLVED_ROW + part, i] + v[at.SOLVED_ROW + 2 + part, i]
    return 0.5 * h * total + v[at.COMPENSATION + part, i]


@inlined
def _combine_stages(size: int, m: Memory, h: float) -> None:
    v = m.vectors
    for part in range(2):
        for i in range(columns(size, v)):
            v[at.TRIAL + part, i] = v[at.STATE + part, i] + _gain(m, part, i, h)


@kernel
def save_gauss_stages(size: int, m: Memory, h: float) -> None:
    """Save the derivatives and the rounding error of an accepted step.

    An arm that took the step by itself has its own rounding error already.
    """
    v = m.vectors
    together = m.links[size, at.FALLBACK] == 0.0
    for part in range(2):
        for i in range(columns(size, v)):
            moved = v[at.NEXT_STATE + part, i] - v[at.STATE + part, i]
            lost = _gain(m, part, i, h) - moved
            v[at.COMPENSATION + part, i] = select(together, lost, v[at.COMPENSATION + part, i])
    copy(size, m, at.SOLVED_ROW, at.PREVIOUS_ROW)
    copy(size, m, at.SOLVED_ROW + 2, at.PREVIOUS_ROW + 2)
    m.floats[at.LAST_STEP] = h
    m.ints[at.FSAL_VALID] = 1

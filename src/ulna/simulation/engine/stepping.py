"""One step: its length, its error, and the state anywhere inside it."""

from __future__ import annotations

import math
from typing import Any

from ulna.dynamics import packed as link
from ulna.kernels import inlined, inner
from ulna.lanes import is_single, logical_and, select
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.explicit import error_of_step, explicit_step, first_step, read_dense
from ulna.simulation.engine.memory import Memory
from ulna.simulation.engine.sampled_loop import next_bend
from ulna.simulation.engine.schedule import slack
from ulna.simulation.engine.state_derivative import call_account, call_step_part, copy

SAFETY, LEAST_FACTOR, MOST_FACTOR, EXPONENT = 0.9, 0.2, 10.0, -0.125
HOPELESS = 0.1  # the factor after a step that ends in NaN
RUNAWAY = 1e12  # [rad, rad/s] beyond which a state has diverged
SHORTEST = 1e-2  # of the time that counts as none
WINDOWS = 64.0  # of events that an adaptive step may reach across
CHECK_EVERY = 64  # steps
STUCK_STEP = 16.0  # of dt, that an adaptive step may last while a joint is stuck
FALL = 4.0  # Stribeck velocities, beyond which friction has fallen: by all but 1e-7
# The relative difference of two ends of a step that rounding alone explains.
ROUNDING, ROUNDING_SHORT = 1e-14, 4e-6


@inlined
def step_size(size: int, m: Memory) -> float:
    """Return the length of the next step."""
    floats, ints = m.floats, m.ints
    if ints[at.ADAPTIVE] == 0:
        return step_to_bend(size, m)
    left = floats[at.STOP] - floats[at.NOW]
    if floats[at.STEP] <= 0.0:
        guess = first_step(size, m, floats[at.NOW], left)
        shortest = SHORTEST * slack(floats[at.NOW])
        # Written so that NaN counts as too short.
        floats[at.STEP] = guess if guess > shortest else shortest
    h = min(floats[at.STEP], floats[at.MAX_STEP])
    if ints[at.EVENTS] != 0 and ints[at.ALIASED] == 0:
        h = min(h, WINDOWS * floats[at.WINDOW])
    if ints[at.FRICTIONAL] != 0 and ints[at.INPUTS] != at.STEADY:
        h = min(h, _longest_stuck(size, m))
    # No sliver is left over at the end of a segment.
    return float(left if h >= left * (1.0 - 1e-6) else min(h, max(0.5 * left, left - h)))


@inner
def _longest_stuck(size: int, m: Memory) -> float:
    """Return the longest step while a joint is stuck under torques that change by themselves.

    Nothing that moves tells of them, and the errors of the step do not.
    """
    for i in range(size):
        if m.links[i, link.STUCK] != 0.0:
            return float(STUCK_STEP * m.floats[at.DT])
    return math.inf


@inlined
def even_step(m: Memory) -> float:
    """Return what is left until the end of the next of equal steps."""
    floats, ints = m.floats, m.ints
    span, steps = floats[at.STOP] - floats[at.PLAN_START], ints[at.STEP_COUNT]
    end = floats[at.PLAN_START] + span * (ints[at.STEP_INDEX] + 1) / steps
    return float(end - floats[at.NOW])


@inlined
def step_to_bend(size: int, m: Memory) -> float:
    """Return the length of the next of equal steps, which ends early where a torque bends."""
    floats, ints, h = m.floats, m.ints, even_step(m)
    ints[at.CUT] = 0
    if ints[at.LAGS] == 0:
        return h
    end, bend = floats[at.NOW] + h, next_bend(size, m)
    if bend >= end - slack(end):
        return h
    ints[at.CUT] = 1
    return float(bend - floats[at.NOW])


@inlined
def attempt(size: int, m: Memory, h: float) -> int:
    """Write the end of a step to TRIAL; return BUDGET if it is accepted, AGAIN, or what failed."""
    ints = m.ints
    good = take_step(size, m, m.floats[at.NOW], h)
    if ints[at.FAULT] != 0:
        return at.FAULTY
    if ints[at.ADAPTIVE] != 0:
        if ints[at.MOTORS] != 0:
            call_account(size, m, at.ESTIMATE_ERROR, at.NONE, 0.0, h)
        return _accept_or_reject(size, m, h, good)
    if good:
        return at.BUDGET
    return at.STALLED if ints[at.ITERATIVE] != 0 else at.DIVERGED


@inlined
def take_step(size: int, m: Memory, t: float, h: float) -> Any:
    """Write the end of a step from time t to TRIAL; return whether it is a valid state."""
    ints = m.ints
    if ints[at.STEP_PART] == 0:
        explicit_step(size, m, t, h)
        return _is_finite(size, m)
    call_step_part(size, m, t, h)
    if ints[at.ITERATIVE] != 0:
        return logical_and(m.links[size, at.VALID] != 0.0, _is_finite(size, m))
    return _is_finite(size, m)


@inner
def step_from(size: int, m: Memory, t: float, h: float) -> Any:
    """Do as `take_step` does, where small code matters more than speed."""
    return take_step(size, m, t, h)


@inlined
def is_checked(m: Memory) -> bool:
    """Return whether the error of the next step is checked, for the steps up to the next check."""
    ints = m.ints
    ints[at.UNCHECKED] -= 1
    if ints[at.UNCHECKED] != 0:
        return False
    # Close together at first: a motion that settles does so early.
    ints[at.UNCHECKED] = ints[at.CHECK_INTERVAL]
    ints[at.CHECK_INTERVAL] = min(2 * ints[at.CHECK_INTERVAL], CHECK_EVERY)
    return True


@inner
def take_half_steps(size: int, m: Memory, h: float) -> None:
    """Write the end of the step, taken in two halves, to HALF_STEPS.

    All else is unchanged, but that an explicit step finds its first derivative, which is that of
    its first half as well.
    """
    ints, now = m.ints, m.floats[at.NOW]
    # Motors show in samples what they did in the first stage, which has to come again.
    explicit = ints[at.METHOD] < at.BY_KERNEL and ints[at.MOTORS] == 0
    fsal_valid, evaluations = ints[at.FSAL_VALID], ints[at.EVALUATIONS]
    ints[at.FSAL_VALID] = 0
    copy(size, m, at.STATE, at.SAVED_STATE)
    step_from(size, m, now, 0.5 * h)
    copy(size, m, at.TRIAL, at.STATE)
    copy(size, m, at.DERIVATIVES, at.HALF_STEPS)
    step_from(size, m, now + 0.5 * h, 0.5 * h)
    if explicit:
        copy(size, m, at.HALF_STEPS, at.DERIVATIVES)
        fsal_valid, evaluations = 1, evaluations + 1
    copy(size, m, at.TRIAL, at.HALF_STEPS)
    copy(size, m, at.SAVED_STATE, at.STATE)
    ints[at.FSAL_VALID], ints[at.EVALUATIONS] = fsal_valid, evaluations


@inner
def accumulate_error(size: int, m: Memory, h: float) -> None:
    """Add the error of the angles of a step, and of those it stands for.

    A step differs from its two halves by its error, but for a factor of its order. An error of a
    rate goes on turning the joint until the motion has changed by its own size, or to the end.
    Errors add up, whatever their signs: most go along with the motion, to and fro, and put it out
    of time. Where they cancel to and fro, as those of semi-implicit steps do, they are added with
    their signs.
    """
    n, v, links, signed = size, m.vectors, m.links, m.ints[at.SIGNED_ERRORS] != 0
    # An arm that took the step by itself, at its stop, has not taken this one.
    fallback = links[n, at.FALLBACK] != 0.0
    speed = change = 0.0 * v[at.TRIAL + 1, 0]
    for i in range(n):
        speed += abs(v[at.TRIAL + 1, i])
        change += abs(v[at.TRIAL + 1, i] - v[at.SAVED_STATE + 1, i])
    left = m.floats[at.TARGET] - m.floats[at.NOW]
    persistence = h * speed / (change + speed * (h / left) + 1e-30)
    rounding, stride = ROUNDING_SHORT if is_single(speed) else ROUNDING, float(m.ints[at.UNCHECKED])
    worst = 0.0 * speed
    for i in range(n):
        off = v[at.TRIAL, i] - v[at.HALF_STEPS, i]
        off_rate = v[at.TRIAL + 1, i] - v[at.HALF_STEPS + 1, i]
        if signed:
            drift = links[i, at.DRIFT] + 2.0 * stride * (off + persistence * off_rate)
            links[i, at.DRIFT] = select(fallback, links[i, at.DRIFT], drift)
            large = abs(links[i, at.DRIFT])
        else:
            large = abs(off) - rounding * abs(v[at.TRIAL, i])
            large += persistence * (abs(off_rate) - rounding * abs(v[at.TRIAL + 1, i]))
        # Written so that NaN counts as the worst.
        worst = select(large <= worst, worst, large)
    before = links[n, at.ERROR]
    after = select(worst <= before, before, worst) if signed else before + stride * worst
    links[n, at.ERROR] = select(fallback, before, after)


@inlined
def _is_finite(size: int, m: Memory) -> Any:
    total = 0.0
    for part in range(2):
        for i in range(size):
            total += abs(m.vectors[at.TRIAL + part, i])
    return total < RUNAWAY


@inner
def _accept_or_reject(size: int, m: Memory, h: float, finite: bool) -> int:
    """Accept or reject a step by its error, and set the length of the next one."""
    floats, ints = m.floats, m.ints
    error = max(error_of_step(size, m, h), floats[at.MOTOR_ERROR]) if finite else math.inf
    if finite and ints[at.FRICTIONAL] != 0:
        error = max(error, _unseen_fall(size, m))
    if error < 1.0:
        factor = MOST_FACTOR if error == 0.0 else SAFETY * error**EXPONENT
        factor = min(MOST_FACTOR, max(LEAST_FACTOR, factor))
        # A step cut short by the end of a segment says little about the next.
        longer = floats[at.STEP] if h < floats[at.STEP] and factor >= 1.0 else 0.0
        floats[at.STEP] = max(h * factor, longer)
        return at.BUDGET
    ints[at.REJECTED] += 1
    # The derivative at the start of the step stays valid.
    ints[at.FSAL_VALID] = 1 if finite else 0
    floats[at.STEP] = h * (max(LEAST_FACTOR, SAFETY * error**EXPONENT) if finite else HOPELESS)
    # Written so that NaN counts as too short.
    return at.AGAIN if floats[at.STEP] >= SHORTEST * slack(floats[at.NOW]) else at.STALLED


@inner
def _unseen_fall(size: int, m: Memory) -> float:
    """Return by how much too far rates change where friction falls, as an error of the step.

    Within some ω_s of rest friction changes from static to Coulomb friction. A step that reaches
    across that has its stages to both sides, sees nothing of it and finds no error.
    """
    v, worst = m.vectors, 0.0
    for i in range(size):
        if m.links[i, link.STATIC] != m.links[i, link.COULOMB]:
            width, start, end = m.links[i, link.STRIBECK], v[at.STATE + 1, i], v[at.TRIAL + 1, i]
            nearest = 0.0 if start * end < 0.0 else min(abs(start), abs(end))
            if nearest < FALL * width:
                # Up to where friction begins to fall a step may go at once.
                most = max(width, abs(start) - FALL * width)
                worst = max(worst, abs(end - start) / most)
    return float((SAFETY * worst) ** (1.0 / -EXPONENT))


@inner
def state_at(size: int, m: Memory, h: float, part_of_step: float) -> None:
    """Write the state at a part of the step to STAGE.

    Methods without dense output take a shorter step, which is as exact as a whole one.
    """
    if m.ints[at.ADAPTIVE] != 0:
        read_dense(size, m, part_of_step)
        if m.ints[at.MOTORS] != 0:
            call_account(size, m, at.READ_DENSE, at.NONE, 0.0, part_of_step)
        return
    step_from(size, m, m.floats[at.NOW], part_of_step * h)
    copy(size, m, at.TRIAL, at.STAGE)

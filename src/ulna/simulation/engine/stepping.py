"""One step: how long it is, whether it is good, and the state anywhere inside it."""

from __future__ import annotations

import math
from typing import Any

from ulna.kernels import count, inlined, inner
from ulna.lanes import both
from ulna.simulation.engine import places as at
from ulna.simulation.engine.explicit import error_of_step, explicit_step, first_step, read_dense
from ulna.simulation.engine.implicit import gauss_step, semi_implicit_step
from ulna.simulation.engine.memory import Memory
from ulna.simulation.engine.slope import copy
from ulna.simulation.engine.times import slack

SAFETY, LEAST_FACTOR, MOST_FACTOR, EXPONENT = 0.9, 0.2, 10.0, -0.125
HOPELESS = 0.1  # the factor after a step whose end is no number
RUNAWAY = 1e12  # [rad, rad/s] at which a state counts as lost; nothing turns so far or so fast
SHORTEST = 1e-2  # of the time that counts as none


@inlined
def step_size(size: object, m: Memory) -> float:
    """Give the length of the next step."""
    real, whole = m.real, m.whole
    if whole[at.ADAPTIVE] == 0:
        return even_step(m)
    left = real[at.STOP] - real[at.NOW]
    if real[at.STEP] <= 0.0:
        real[at.STEP] = first_step(size, m, real[at.NOW], left)
    h = min(real[at.STEP], real[at.MAX_STEP])
    # No sliver is left over at the end of a segment.
    return float(left if h >= left * (1.0 - 1e-6) else min(h, max(0.5 * left, left - h)))


@inlined
def even_step(m: Memory) -> float:
    """Give what is left until the end of the next of equal steps."""
    real, whole = m.real, m.whole
    span, steps = real[at.STOP] - real[at.PLAN_START], whole[at.STEP_COUNT]
    end = real[at.PLAN_START] + span * (whole[at.STEP_INDEX] + 1) / steps
    return float(end - real[at.NOW])


@inlined
def attempt(size: object, m: Memory, h: float) -> int:
    """Put the end of a step into TRIAL; gives BUDGET if it is good, AGAIN, or what is wrong."""
    whole = m.whole
    good = take_step(size, m, h)
    if whole[at.FAULT] != 0:
        return at.FAULTY
    if whole[at.ADAPTIVE] != 0:
        return _judge(size, m, h, good)
    if good:
        return at.BUDGET
    return at.STALLED if whole[at.METHOD] == at.GAUSS4 else at.DIVERGED


@inlined
def take_step(size: object, m: Memory, h: float) -> Any:
    """Put the end of a step into TRIAL; gives whether it is a state at all."""
    whole, t = m.whole, m.real[at.NOW]
    if whole[at.METHOD] == at.GAUSS4:
        converged = gauss_step(size, m, t, h)
        return both(converged, _is_finite(size, m))
    if whole[at.METHOD] == at.SEMI_IMPLICIT:
        semi_implicit_step(size, m, t, h)
    else:
        explicit_step(size, m, t, h)
    return _is_finite(size, m)


@inlined
def _is_finite(size: object, m: Memory) -> Any:
    total = 0.0
    for part in range(2):
        for i in range(count(size)):
            total += abs(m.vectors[at.TRIAL + part, i])
    return total < RUNAWAY


@inner
def _judge(size: object, m: Memory, h: float, finite: bool) -> int:
    """Accept or refuse a step by its error, and choose the next one."""
    real, whole = m.real, m.whole
    error = error_of_step(size, m, h) if finite else math.inf
    if error < 1.0:
        factor = MOST_FACTOR if error == 0.0 else SAFETY * error**EXPONENT
        factor = min(MOST_FACTOR, max(LEAST_FACTOR, factor))
        # A step cut short by the end of a segment says little about the next.
        longer = real[at.STEP] if h < real[at.STEP] and factor >= 1.0 else 0.0
        real[at.STEP] = max(h * factor, longer)
        return at.BUDGET
    whole[at.REJECTED] += 1
    # The slope at the start of the step stays what it was.
    whole[at.FRESH] = 1 if finite else 0
    real[at.STEP] = h * (max(LEAST_FACTOR, SAFETY * error**EXPONENT) if finite else HOPELESS)
    # Written so that a step which is no number counts as too short.
    return at.AGAIN if real[at.STEP] >= SHORTEST * slack(real[at.NOW]) else at.STALLED


@inner
def state_at(size: object, m: Memory, h: float, part_of_step: float) -> None:
    """Put the state at a part of the step into STAGE.

    Methods without dense output take a shorter step, which is as exact as a whole one.
    """
    if m.whole[at.ADAPTIVE] != 0:
        read_dense(size, m, part_of_step)
        return
    t, shorter = m.real[at.NOW], part_of_step * h
    if m.whole[at.METHOD] == at.GAUSS4:
        gauss_step(size, m, t, shorter)
    elif m.whole[at.METHOD] == at.SEMI_IMPLICIT:
        semi_implicit_step(size, m, t, shorter)
    else:
        _explicit_step(size, m, t, shorter)
    copy(size, m, at.TRIAL, at.STAGE)


@inner
def _explicit_step(size: object, m: Memory, t: float, h: float) -> None:
    explicit_step(size, m, t, h)

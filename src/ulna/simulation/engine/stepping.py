"""One step: how long it is, whether it is good, and the state anywhere inside it."""

from __future__ import annotations

import math
from typing import Any

from ulna.kernels import inlined, inner
from ulna.lanes import both, choose, short
from ulna.simulation.engine import places as at
from ulna.simulation.engine.explicit import error_of_step, explicit_step, first_step, read_dense
from ulna.simulation.engine.hooks import call_implicit_step
from ulna.simulation.engine.memory import Memory
from ulna.simulation.engine.slope import copy
from ulna.simulation.engine.times import slack

SAFETY, LEAST_FACTOR, MOST_FACTOR, EXPONENT = 0.9, 0.2, 10.0, -0.125
HOPELESS = 0.1  # the factor after a step whose end is no number
RUNAWAY = 1e12  # [rad, rad/s] at which a state counts as lost; nothing turns so far or so fast
SHORTEST = 1e-2  # of the time that counts as none
WINDOWS = 64.0  # of events that an adaptive step may reach across
JUDGED_EVERY = 64  # steps
# What two ends of a step may differ by through rounding alone, of an angle or a rate.
ROUNDING, ROUNDING_SHORT = 1e-14, 4e-6


@inlined
def step_size(size: int, m: Memory) -> float:
    """Return the length of the next step."""
    real, whole = m.real, m.whole
    if whole[at.ADAPTIVE] == 0:
        return even_step(m)
    left = real[at.STOP] - real[at.NOW]
    if real[at.STEP] <= 0.0:
        guess, shortest = first_step(size, m, real[at.NOW], left), SHORTEST * slack(real[at.NOW])
        # Written so that a guess which is no number counts as too short.
        real[at.STEP] = guess if guess > shortest else shortest
    h = min(real[at.STEP], real[at.MAX_STEP])
    if whole[at.EVENTS] != 0 and whole[at.ALIASED] == 0:
        h = min(h, WINDOWS * real[at.WINDOW])
    # No sliver is left over at the end of a segment.
    return float(left if h >= left * (1.0 - 1e-6) else min(h, max(0.5 * left, left - h)))


@inlined
def even_step(m: Memory) -> float:
    """Return what is left until the end of the next of equal steps."""
    real, whole = m.real, m.whole
    span, steps = real[at.STOP] - real[at.PLAN_START], whole[at.STEP_COUNT]
    end = real[at.PLAN_START] + span * (whole[at.STEP_INDEX] + 1) / steps
    return float(end - real[at.NOW])


@inlined
def attempt(size: int, m: Memory, h: float) -> int:
    """Put the end of a step into TRIAL; return BUDGET if it is good, AGAIN, or what is wrong."""
    whole = m.whole
    good = take_step(size, m, m.real[at.NOW], h)
    if whole[at.FAULT] != 0:
        return at.FAULTY
    if whole[at.ADAPTIVE] != 0:
        return _judge(size, m, h, good)
    if good:
        return at.BUDGET
    return at.STALLED if whole[at.METHOD] == at.GAUSS4 else at.DIVERGED


@inlined
def take_step(size: int, m: Memory, t: float, h: float) -> Any:
    """Put the end of a step from time t into TRIAL; return whether it is a state at all."""
    whole = m.whole
    if whole[at.METHOD] == at.RK4 or whole[at.METHOD] == at.DOP853:
        explicit_step(size, m, t, h)
        return _is_finite(size, m)
    call_implicit_step(size, m, t, h)
    if whole[at.METHOD] == at.GAUSS4:
        return both(m.links[size, at.GOOD] != 0.0, _is_finite(size, m))
    return _is_finite(size, m)


@inner
def step_from(size: int, m: Memory, t: float, h: float) -> Any:
    """Do as `take_step` does, where code is better small than fast."""
    return take_step(size, m, t, h)


@inlined
def is_judged(m: Memory) -> bool:
    """Return whether the step that comes is judged, for the UNJUDGED steps it stands for."""
    whole = m.whole
    whole[at.UNJUDGED] -= 1
    if whole[at.UNJUDGED] != 0:
        return False
    # Close together at first: a motion settles quickly where it does.
    whole[at.UNJUDGED] = whole[at.STRIDE]
    whole[at.STRIDE] = min(2 * whole[at.STRIDE], JUDGED_EVERY)
    return True


@inner
def take_halves(size: int, m: Memory, h: float) -> None:
    """Put the end of the step, taken in two halves, into HALVES; all else stays as it is."""
    whole, now = m.whole, m.real[at.NOW]
    fresh, evaluations = whole[at.FRESH], whole[at.EVALUATIONS]
    whole[at.FRESH] = 0
    copy(size, m, at.STATE, at.KEPT_STATE)
    step_from(size, m, now, 0.5 * h)
    copy(size, m, at.TRIAL, at.STATE)
    step_from(size, m, now + 0.5 * h, 0.5 * h)
    copy(size, m, at.TRIAL, at.HALVES)
    copy(size, m, at.KEPT_STATE, at.STATE)
    whole[at.FRESH], whole[at.EVALUATIONS] = fresh, evaluations


@inner
def note_error(size: int, m: Memory, h: float) -> None:
    """Add to the error what the step, and those it speaks for, leave in the angles.

    A step differs from its two halves by its error, but for a factor of its order. An error of a
    rate goes on turning the joint until the motion has changed by its own size, or to the end.
    Errors add up, whatever their signs: most go along with the motion, to and fro, and put it out
    of time. Those of semi-implicit steps cancel to and fro, and are added with their signs.
    """
    n, v, links, signed = size, m.vectors, m.links, m.whole[at.METHOD] == at.SEMI_IMPLICIT
    # An arm that took the step by itself, at its stop, has not taken this one.
    apart = links[n, at.APART] != 0.0
    speed = change = 0.0 * v[at.TRIAL + 1, 0]
    for i in range(n):
        speed += abs(v[at.TRIAL + 1, i])
        change += abs(v[at.TRIAL + 1, i] - v[at.KEPT_STATE + 1, i])
    left = m.real[at.TARGET] - m.real[at.NOW]
    lasting = h * speed / (change + speed * (h / left) + 1e-30)
    rounding, stride = ROUNDING_SHORT if short(speed) else ROUNDING, float(m.whole[at.UNJUDGED])
    worst = 0.0 * speed
    for i in range(n):
        off = v[at.TRIAL, i] - v[at.HALVES, i]
        off_rate = v[at.TRIAL + 1, i] - v[at.HALVES + 1, i]
        if signed:
            drift = links[i, at.DRIFT] + 2.0 * stride * (off + lasting * off_rate)
            links[i, at.DRIFT] = choose(apart, links[i, at.DRIFT], drift)
            large = abs(links[i, at.DRIFT])
        else:
            large = abs(off) - rounding * abs(v[at.TRIAL, i])
            large += lasting * (abs(off_rate) - rounding * abs(v[at.TRIAL + 1, i]))
        # Written so that what is no number counts as the worst.
        worst = choose(large <= worst, worst, large)
    before = links[n, at.ERROR]
    after = choose(worst <= before, before, worst) if signed else before + stride * worst
    links[n, at.ERROR] = choose(apart, before, after)


@inlined
def _is_finite(size: int, m: Memory) -> Any:
    total = 0.0
    for part in range(2):
        for i in range(size):
            total += abs(m.vectors[at.TRIAL + part, i])
    return total < RUNAWAY


@inner
def _judge(size: int, m: Memory, h: float, finite: bool) -> int:
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
def state_at(size: int, m: Memory, h: float, part_of_step: float) -> None:
    """Put the state at a part of the step into STAGE.

    Methods without dense output take a shorter step, which is as exact as a whole one.
    """
    if m.whole[at.ADAPTIVE] != 0:
        read_dense(size, m, part_of_step)
        return
    step_from(size, m, m.real[at.NOW], part_of_step * h)
    copy(size, m, at.TRIAL, at.STAGE)

"""Scalar steps of arms of a block whose joints meet a stop, stick, reverse, or are driven by a
torque that bends within the step.

The engine for single arms takes such an arm from the start of the step to its end, with what
happens in between; then it is copied back to its lane. That step is compiled by itself, for the
first arm with stops or friction, and called by its address: so it is compiled once for all kinds of
blocks.
"""

from __future__ import annotations

from typing import Any

from ulna.arrays import Array
from ulna.dynamics import packed as link
from ulna.dynamics.sticking import grip, hold_margin
from ulna.kernels import INT, ArrayOf, Hook, RecordOf, inlined, inner, kernel
from ulna.kinematics.posture_kernels import FINE, OVERFLOW, checked, finite_rows
from ulna.lanes import any_lane, logical_and, logical_or, numbers, select
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.load_lanes import retire
from ulna.simulation.engine.loop import accept
from ulna.simulation.engine.memory import Bucket, Memory, Outcome, Record
from ulna.simulation.engine.sampled_loop import bend_of
from ulna.simulation.engine.schedule import slack
from ulna.simulation.engine.state_derivative import copy, state_derivative
from ulna.simulation.engine.stepping import attempt, step_to_bend
from ulna.simulation.engine.watch import CREEP, TOUCH, save_signals, signals, update_contacts

_ROW, _TABLE, _INTS = ArrayOf("float64", 1), ArrayOf("float64", 2), ArrayOf("int64", 1)
_MEMORY = RecordOf(Memory, (_TABLE, _TABLE, _TABLE, _ROW, _INTS, _TABLE, _ROW, _INTS))
# step(n, memory, record, whether inputs have just changed)
STEP = Hook((INT, _MEMORY, RecordOf(Record, (_TABLE, _TABLE)), INT))
call_step = STEP.call


@kernel
def scalar_step(size: int, m: Memory, record: Record, opened: int) -> int:
    """Advance an arm to the end of the segment; return BUDGET, or why it goes no further."""
    return _to_end(size, m, record, opened)


@inner
def _to_end(size: int, m: Memory, record: Record, opened: int) -> int:
    if opened != 0:
        update_contacts(size, m, record.log)
    else:
        copy(size, m, at.STATE, at.STAGE)
        signals(size, m, m.floats[at.NOW])
        save_signals(size, m)
    code = at.BUDGET
    while code == at.BUDGET and m.ints[at.OPEN] != 0:
        h = step_to_bend(size, m)
        code = attempt(size, m, h)
        if code == at.BUDGET:
            code = accept(size, m, record.samples, record.log, h)
    return code


@kernel
def step_with_friction(
    size: int, m: Memory, q: Array, qd: Array, tau: Array, h: float, found: Array
) -> int:
    """Take a step as `step_one` does, through the reversals of its joints; h is not negative."""
    code = checked(size, q)
    code = checked(size, qd) if code == FINE else code
    code = checked(size, tau) if code == FINE else code
    if code != FINE or h < 0.0:
        return code if code != FINE else OVERFLOW
    v, floats, ints = m.vectors, m.floats, m.ints
    for i in range(size):
        v[at.STATE, i], v[at.STATE + 1, i], m.links[i, at.HOLD] = q[i], qd[i], tau[i]
    floats[at.NOW] = floats[at.PLAN_START] = floats[at.HOLD_START] = 0.0
    floats[at.STOP] = floats[at.TARGET] = h
    ints[at.STEP_INDEX], ints[at.STEP_COUNT], ints[at.IDLE] = 0, 1, 0
    ints[at.OPEN] = 1 if h > 0.0 else 0
    nothing = m.vectors[:0]
    ended = _to_end(size, m, Record(nothing, nothing), 1)
    for i in range(size):
        found[0, i], found[1, i] = v[at.STATE, i], v[at.STATE + 1, i]
    return FINE if ended == at.BUDGET and finite_rows(found) else OVERFLOW


# Rows that are kept from step to step.
PERSISTENT = (at.STATE, at.STATE + 1, at.COMPENSATION, at.COMPENSATION + 1)
DRIVEN = (at.ELECTRIC, at.ELECTRIC + 1, at.ROTORS, at.ROTORS + 1, at.GEARS)  # those of motors
# Columns of a link that are.
KEPT = (link.STUCK, link.DIRECTION, link.LEAST, link.MOST, at.SIDE, at.LAST_HIT)


@kernel
def scalar_fallback(
    size: int,
    m: Memory,
    scalar: Memory,
    record: Record,
    bucket: Bucket,
    outcome: Outcome,
    h: float,
) -> None:
    """Take the step of these arms one by one; it ends in NEXT_STATE as all do."""
    n = size
    links = numbers(m.links)
    active = m.links[n, at.ACTIVE] != 0.0
    fallback = is_resting(size, m)
    if m.ints[at.STOPS] != 0:
        fallback = logical_or(fallback, _is_near(size, m, h))
    if m.ints[at.FRICTIONAL] != 0:
        fallback = logical_or(fallback, _has_reversed(size, m))
        fallback = logical_or(fallback, _breaks_away(size, m))
    if m.ints[at.LAGS] != 0:
        fallback = logical_or(fallback, _bends(size, m))
    fallback = logical_and(active, fallback)
    m.links[n, at.FALLBACK] = select(fallback, 1.0, 0.0)
    if not any_lane(fallback):
        return
    for w in range(links.shape[2]):
        if links[n, at.FALLBACK, w] == 0.0:
            continue
        _copy_out(size, m, scalar, w)
        opened = 1 if m.ints[at.STEP_INDEX] == 0 else 0
        code = call_step(m.ints[at.SCALAR_CALL], n, scalar, record, opened)
        _keep_samples(size, m, scalar, record, bucket, outcome, w)
        if code == at.BUDGET:
            _copy_back(size, m, scalar, w)
        else:
            retire(size, m, bucket, outcome, w, code, h)


@inlined
def is_resting(size: int, m: Memory) -> Any:
    """Return which arms begin the step with a joint at a stop, or one that may break away."""
    v, links, found = m.vectors, m.links, _none(m)
    for i in range(size):
        q = v[at.STATE, i]
        gap = _least(links[i, link.UPPER] - q, q - links[i, link.LOWER])
        found = logical_or(found, logical_or(gap <= TOUCH, links[i, at.SIDE] != 0.0))
        # A joint without a direction has not been looked at yet; one without a rate may stick.
        free = logical_and(links[i, link.STUCK] == 0.0, _rubs(m, i))
        still = logical_and(v[at.STATE + 1, i] == 0.0, grip(m.links, i) > 0.0)
        still = logical_or(still, links[i, link.DIRECTION] == 0.0)
        found = logical_or(found, logical_and(free, still))
    return found


@inlined
def _none(m: Memory) -> Any:
    """Return a condition that holds in no lane."""
    return m.links[0, link.LENGTH] < 0.0


@inlined
def _rubs(m: Memory, i: int) -> Any:
    found = grip(m.links, i) + m.links[i, link.COULOMB] + m.links[i, link.DRAG]
    if m.ints[at.MOTORS] != 0:  # a gear, whose load may be zero now
        row = m.ints[at.MOTOR_ROWS] + i * at.MOTOR_COLUMNS
        found = found + m.per_arm[row + at.FORWARD_LOSS] + m.per_arm[row + at.BACK_LOSS]
    return found > 0.0


@inlined
def _has_reversed(size: int, m: Memory) -> Any:
    """Return which arms have a joint that reverses in the step, against friction."""
    v, links, found = m.vectors, m.links, _none(m)
    for i in range(size):
        edge = select(grip(m.links, i) > 0.0, 0.0, -CREEP)
        back = links[i, link.DIRECTION] * v[at.NEXT_STATE + 1, i] < edge
        found = logical_or(found, logical_and(back, _rubs(m, i)))
    return found


@inner
def _breaks_away(size: int, m: Memory) -> Any:
    """Return which arms have a stuck joint that cannot be held at both ends of the step."""
    found = stuck = _none(m)
    for i in range(size):
        stuck = logical_or(stuck, m.links[i, link.STUCK] != 0.0)
    if not any_lane(stuck):
        return found
    if m.ints[at.STEP_INDEX] == 0:  # inputs may have jumped
        found = logical_or(found, _lacks_hold(size, m, at.STATE, m.floats[at.NOW]))
    return logical_or(found, _lacks_hold(size, m, at.NEXT_STATE, m.floats[at.STEP_END]))


@inner
def _lacks_hold(size: int, m: Memory, state: int, t: float) -> Any:
    """Return which arms have a stuck joint that cannot be held in a state."""
    copy(size, m, state, at.STAGE)
    state_derivative(size, m, t, at.SCRATCH)
    found = _none(m)
    for i in range(size):
        lost = logical_and(m.links[i, link.STUCK] != 0.0, hold_margin(m.links, i) < 0.0)
        found = logical_or(found, lost)
    return found


@inlined
def _is_near(size: int, m: Memory, h: float) -> Any:
    """Return which arms pass a stop in the step, or may have reversed beyond it."""
    v, links, near = m.vectors, m.links, _none(m)
    for i in range(size):
        lower, upper = links[i, link.LOWER], links[i, link.UPPER]
        gap = _least(upper - v[at.STATE, i], v[at.STATE, i] - lower)
        end = _least(upper - v[at.NEXT_STATE, i], v[at.NEXT_STATE, i] - lower)
        first, last = v[at.STATE + 1, i], v[at.NEXT_STATE + 1, i]
        fastest = select(abs(first) > abs(last), abs(first), abs(last))
        turned = logical_and(first * last < 0.0, _least(gap, end) <= h * fastest)
        near = logical_or(near, logical_or(turned, end <= TOUCH))
    return near


@inner
def _bends(size: int, m: Memory) -> Any:
    """Return which arms have a torque that bends within the step."""
    now, end, found = m.floats[at.NOW], m.floats[at.STEP_END], _none(m)
    for i in range(size):
        bend = bend_of(m, m.per_arm, i)
        inside = logical_and(bend > now + slack(now), bend < end - slack(end))
        found = logical_or(found, inside)
    return found


@inlined
def _least(one: Any, other: Any) -> Any:
    return select(one < other, one, other)


@inner
def _copy_out(size: int, m: Memory, scalar: Memory, w: int) -> None:
    """Copy an arm from its lane to the memory of a single one."""
    n, stuck = size, 0
    vectors, links, per_arm = numbers(m.vectors), numbers(m.links), numbers(m.per_arm)
    for i in range(n + 1):
        for row in PERSISTENT:
            scalar.vectors[row, i] = vectors[row, i, w]
        if m.ints[at.MOTORS] != 0:
            for row in DRIVEN:
                scalar.vectors[row, i] = vectors[row, i, w]
        for column in range(at.COLUMNS):
            scalar.links[i, column] = links[i, column, w]
        stuck += int(i < n and scalar.links[i, link.STUCK] != 0.0)
    for k in range(len(per_arm)):
        scalar.per_arm[k] = per_arm[k, w]
    scalar.ints[at.COUPLED] = m.ints[at.COUPLED] + stuck
    for place in (at.NOW, at.HOLD_START, at.LAG_START):
        scalar.floats[place] = m.floats[place]
    if m.ints[at.SERVOS] != 0:  # when each read its command last
        for k in range(m.ints[at.LATCHES], m.ints[at.LATCHES] + 2 * n):
            scalar.floats[k] = m.floats[k]
    scalar.floats[at.PLAN_START] = m.floats[at.NOW]
    scalar.floats[at.STOP] = scalar.floats[at.TARGET] = m.floats[at.STEP_END]
    scalar.ints[at.STEP_INDEX], scalar.ints[at.STEP_COUNT], scalar.ints[at.OPEN] = 0, 1, 1
    scalar.ints[at.FSAL_VALID], scalar.ints[at.SAMPLE] = 0, m.ints[at.SAMPLE]
    scalar.ints[at.IDLE] = 0


@inner
def _keep_samples(
    size: int,
    m: Memory,
    scalar: Memory,
    record: Record,
    bucket: Bucket,
    outcome: Outcome,
    w: int,
) -> None:
    """Copy the arm's samples within the step to the outcome."""
    n = size
    b = bucket.members[m.ints[at.BLOCK] * numbers(m.links).shape[2] + w]
    for row in range(m.ints[at.SAMPLE], scalar.ints[at.SAMPLE]):
        for i in range(n):
            outcome.q[b, row, i] = record.samples[row, 1 + i]
            outcome.qd[b, row, i] = record.samples[row, 2 + n + i]
            if len(outcome.tau) > 0:
                outcome.tau[b, row, i] = record.samples[row, 3 + 3 * n + i]


@inner
def _copy_back(size: int, m: Memory, scalar: Memory, w: int) -> None:
    """Copy the arm back into its lane, as it is at the end of the step."""
    vectors, links = numbers(m.vectors), numbers(m.links)
    for i in range(size):
        for part in range(2):
            vectors[at.NEXT_STATE + part, i, w] = scalar.vectors[at.STATE + part, i]
            vectors[at.COMPENSATION + part, i, w] = scalar.vectors[at.COMPENSATION + part, i]
        for column in KEPT:
            links[i, column, w] = scalar.links[i, column]
    if m.ints[at.MOTORS] != 0:
        for i in range(size):
            for row in DRIVEN:
                vectors[row + at.NEXT_STATE - at.STATE, i, w] = scalar.vectors[row, i]

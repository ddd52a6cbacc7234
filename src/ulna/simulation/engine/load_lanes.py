"""Loading the arms of a bucket into the lanes of a block, and retiring those that fail.

The status of an arm that fails is recorded, and its lane becomes idle.
"""

from __future__ import annotations

import math

from ulna.arrays import Array
from ulna.dynamics import packed as link
from ulna.kernels import inlined, inner
from ulna.lanes import numbers
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Bucket, ControlMemory, Memory, Outcome
from ulna.simulation.engine.motor_laws import row_of
from ulna.simulation.engine.state_derivative import copy, inputs
from ulna.simulation.engine.stepping import RUNAWAY


@inner
def load_lanes(
    size: int, m: Memory, control: ControlMemory, scalar: Memory, bucket: Bucket, outcome: Outcome
) -> None:
    """Load the arms of the next block into its lanes; lanes that are left over are idle."""
    block, last = m.ints[at.BLOCK], m.ints[at.LAST_BLOCK]
    _begin(m, bucket)
    _begin(scalar, bucket)
    for k in range(at.SCALAR_PARTS - at.PARTS):
        scalar.ints[at.PARTS + k] = bucket.ints[at.SCALAR_PARTS + k]
    _clear(size, m, control)
    m.ints[at.BLOCK], m.ints[at.LAST_BLOCK], m.ints[at.LOADED] = block, last, 1
    for k in range(len(bucket.per_arm)):
        m.per_arm[k] = bucket.per_arm[k]
    width, shared = numbers(m.per_arm).shape[1], len(bucket.arms) == 1
    if shared:
        _load_shared(size, m, bucket)
    for w in range(width):
        row = block * width + w
        if row < len(bucket.members) and outcome.codes[bucket.members[row]] < 0:
            if not shared:
                _load_constants(size, m, bucket, bucket.members[row], w)
            _load_own(size, m, control, bucket, row, w)
        else:
            idle_lane(size, m, w)


@inlined
def _begin(m: Memory, bucket: Bucket) -> None:
    """Reset time and counters."""
    for k in range(len(bucket.floats)):
        m.floats[k] = bucket.floats[k]
    for k in range(len(bucket.ints)):
        m.ints[k] = bucket.ints[k]


@inlined
def _clear(size: int, m: Memory, control: ControlMemory) -> None:
    """Clear what the previous arms left."""
    for i in range(size + 1):
        for row in range(len(m.vectors)):
            m.vectors[row, i] = 0.0
        for column in range(at.COLUMNS):
            m.links[i, column] = 0.0
    for i in range(size):
        m.links[i, at.LAST_HIT] = -math.inf
    _zero(control.params)
    _zero(control.state)
    _zero(control.tau)


@inlined
def _zero(values: Array) -> None:
    for k in range(len(values)):
        values[k] = 0.0


@inner
def load_arm(
    size: int, m: Memory, control: ControlMemory, bucket: Bucket, row: int, w: int
) -> None:
    """Load an arm into a lane."""
    per_arm = numbers(m.per_arm)
    for k in range(len(bucket.per_arm)):
        per_arm[k, w] = bucket.per_arm[k]
    _load_constants(size, m, bucket, bucket.members[row], w)
    _load_own(size, m, control, bucket, row, w)


@inlined
def _load_shared(size: int, m: Memory, bucket: Bucket) -> None:
    """Load the constants of the one arm that all share into all lanes at once."""
    for i in range(size + 1):
        for column in range(link.CONSTANTS):
            m.links[i, column] = bucket.arms[0, i, column]


@inner
def _load_constants(size: int, m: Memory, bucket: Bucket, b: int, w: int) -> None:
    """Load an arm's constants into a lane."""
    links, arm = numbers(m.links), shared_or_own(bucket.arms, b)
    for i in range(size + 1):
        for column in range(link.CONSTANTS):
            links[i, column, w] = bucket.arms[arm, i, column]


@inner
def _load_own(
    size: int, m: Memory, control: ControlMemory, bucket: Bucket, row: int, w: int
) -> None:
    """Load what an arm has besides its constants into a lane."""
    n, b = size, bucket.members[row]
    vectors, links, per_arm = numbers(m.vectors), numbers(m.links), numbers(m.per_arm)
    limit = shared_or_own(bucket.limits, b)
    for i in range(n):
        links[i, at.TORQUE_LIMIT, w] = bucket.limits[limit, i]
        vectors[at.STATE, i, w] = bucket.start[0, b, i]
        vectors[at.STATE + 1, i, w] = bucket.start[1, b, i]
    links[n, at.ACTIVE, w] = 1.0
    m.keys[w] = bucket.keys[b]
    for k in range(len(bucket.columns)):
        per_arm[bucket.columns[k], w] = bucket.own[shared_or_own(bucket.own, row), k]
    if m.ints[at.MOTORS] != 0:
        _start_motors(size, m, w)
    _copy_row(bucket.params, row, control.params, w)
    _copy_row(bucket.state, row, control.state, w)
    if m.ints[at.SETPOINT] != 0:
        reference = numbers(control.reference)
        for i in range(n):
            reference[0, i, w] = bucket.postures[shared_or_own(bucket.postures, row), i]


@inner
def _start_motors(size: int, m: Memory, w: int) -> None:
    """Set windings, rotors and targets of servos as they are at the start."""
    v, per_arm = numbers(m.vectors), numbers(m.per_arm)
    for i in range(size):
        row = row_of(m, i)
        v[at.ELECTRIC + at.STATE, i, w] = v[at.GEARS + at.STATE, i, w] = 0.0
        v[at.ELECTRIC + at.STATE + 1, i, w] = per_arm[row + at.AMBIENT, w]
        for part in range(2):
            v[at.ROTORS + at.STATE + part, i, w] = v[at.STATE + part, i, w]
        per_arm[row + at.LATCHED, w] = per_arm[row + at.TARGET_START, w] = v[at.STATE, i, w]


@inlined
def shared_or_own(rows: Array, k: int) -> int:
    """Return the row of an arm: its own, or the one that all share."""
    return k if len(rows) > 1 else 0


@inlined
def _copy_row(rows: Array, row: int, target: Array, w: int) -> None:
    values, source = numbers(target), shared_or_own(rows, row)
    for k in range(rows.shape[1]):
        values[k, w] = rows[source, k]


PROBES = 3  # of the inputs in a step that failed: at its start, middle and end


@inner
def retire(
    size: int, m: Memory, bucket: Bucket, outcome: Outcome, w: int, code: int, h: float
) -> None:
    """Record why an arm gets no further than the start of the step, and idle its lane."""
    b = bucket.members[m.ints[at.BLOCK] * numbers(m.links).shape[2] + w]
    outcome.t_end[b], outcome.codes[b] = m.floats[at.NOW], code
    if code != at.CHATTERING and _has_bad_input(size, m, w, h):
        outcome.codes[b] = at.FAULTY
    idle_lane(size, m, w)


@inner
def _has_bad_input(size: int, m: Memory, w: int, h: float) -> bool:
    """Return whether a torque or the force on the tip has no value in the step."""
    n, links, v = size, numbers(m.links), m.vectors
    copy(size, m, at.STATE, at.STAGE)
    for probe in range(PROBES):
        since = probe / (PROBES - 1) * h
        for i in range(n):
            v[at.STAGE, i] = v[at.STATE, i] + since * v[at.STATE + 1, i]
        if not _is_a_state(size, m, w):
            continue
        inputs(size, m, m.floats[at.NOW] + since)
        for i in range(n):
            if not abs(links[i, link.TORQUE, w]) < math.inf:
                return True
        for k in range(3):
            if not abs(links[n, link.FORCE_X + k, w]) < math.inf:
                return True
    return False


@inner
def _is_a_state(size: int, m: Memory, w: int) -> bool:
    """Return whether STAGE is a finite state; elsewhere a bad input is not the cause."""
    vectors = numbers(m.vectors)
    total = 0.0
    for part in range(2):
        for i in range(size):
            total += abs(vectors[at.STAGE + part, i, w])
    return total < RUNAWAY


@inner
def idle_lane(size: int, m: Memory, w: int) -> None:
    """Load a rod at rest on which nothing acts into a lane, so that nothing can overflow."""
    n, vectors, links = size, numbers(m.vectors), numbers(m.links)
    m.ints[at.RETIRED] += 1
    for i in range(n + 1):
        for column in range(at.COLUMNS):
            links[i, column, w] = 0.0
        for row in range(vectors.shape[0]):
            vectors[row, i, w] = 0.0
    for i in range(n):
        links[i, link.LENGTH, w] = links[i, link.MASS, w] = links[i, link.SECOND, w] = 1.0
        links[i, link.STRIBECK, w] = 1.0
        links[i, link.LOWER, w], links[i, link.UPPER, w] = -math.inf, math.inf

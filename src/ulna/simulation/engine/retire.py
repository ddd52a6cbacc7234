"""Retiring an arm that fails: its status is recorded, and its lane becomes idle."""

from __future__ import annotations

import math

from ulna.dynamics import packed as link
from ulna.kernels import inner
from ulna.lanes import numbers
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.bucket import Bucket, Outcome
from ulna.simulation.engine.memory import Memory
from ulna.simulation.engine.state_derivative import copy, inputs
from ulna.simulation.engine.stepping import RUNAWAY

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
        links[i, link.LOWER, w], links[i, link.UPPER, w] = -math.inf, math.inf

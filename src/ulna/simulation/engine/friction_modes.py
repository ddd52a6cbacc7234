"""Friction: joints that slide, stick and break away.

A joint with friction slides one way or the other, or it is stuck. Within a step it keeps its
DIRECTION, so that every method sees a smooth law; the step ends where a rate passes through zero,
or where more is asked of a stuck joint than static friction can hold. There, and whenever inputs
jump, all joints at rest are looked at together (`dynamics/sticking.py`): those that hold, at stops
or by friction, are STUCK, and their angles do not change by a bit.
"""

from __future__ import annotations

import math

from ulna.dynamics import packed as link
from ulna.dynamics.sticking import forward_with_friction, grip, hold_margin, hold_or_release
from ulna.kernels import inlined, inner, kernel
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory
from ulna.simulation.engine.state_derivative import call_motors, copy, inputs, state_derivative
from ulna.simulation.engine.watch import reset_history, resting_side


@kernel
def slide_part(size: int, m: Memory, pairs: int) -> None:
    """Compute the accelerations of the state STAGE, and the friction of joints that slide."""
    forward_with_friction(size, m.links, m.turns, m.vectors, at.STAGE, pairs, False)


@kernel
def geared_slide_part(size: int, m: Memory, pairs: int) -> None:
    """Do as `slide_part` does, where gears take a part of the torque."""
    forward_with_friction(size, m.links, m.turns, m.vectors, at.STAGE, pairs, True)


@kernel
def friction_part(size: int, m: Memory, task: int, t: float) -> int:
    """Do what friction takes besides sliding, of an arm without motors."""
    return _do(size, m, task, t, False)


@kernel
def driven_friction_part(size: int, m: Memory, task: int, t: float) -> int:
    """Do what friction takes besides sliding, of an arm with motors, whose gears hold as well."""
    return _do(size, m, task, t, True)


@inlined
def _do(size: int, m: Memory, task: int, t: float, driven: bool) -> int:
    """Do a task.

    SETTLE finds which joints hold from now on, and notes it; PROBE only finds it. MARGINS computes
    the signals of the state STAGE. LOOSEN lets joints go that friction alone holds: no friction
    withstands an impact.
    """
    if task == at.SETTLE or task == at.PROBE:
        _settle(size, m, t, driven)
        if task == at.SETTLE:
            for i in range(size):
                _note_sticking(size, m, i, t)
    elif task == at.MARGINS:
        _margins(size, m, t, driven)
    else:
        for i in range(size):
            m.links[i, link.STUCK] = m.links[i, at.SIDE]
    return 0


@inner
def _settle(size: int, m: Memory, t: float, driven: bool) -> None:
    """Find which joints at rest hold, for the inputs that act from now on."""
    links, resting, changed = m.links, False, False
    if driven:
        copy(size, m, at.STATE, at.STAGE)
        inputs(size, m, t)
        call_motors(size, m, at.DRIVE, at.NONE, at.NONE, at.NONE, t, 0.0)
    for i in range(size):
        links[i, at.RATE] = links[i, link.STUCK]  # as it was
        held = _bound(m, i)
        resting = resting or held
        links[i, link.STUCK] = 1.0 if held else 0.0
    if resting:
        if not driven:
            copy(size, m, at.STATE, at.STAGE)
            inputs(size, m, t)
        hold_or_release(size, links, m.turns, m.vectors, at.STAGE, driven)
    for i in range(size):
        changed = changed or (links[i, at.RATE] != 0.0) != (links[i, link.STUCK] != 0.0)
    if changed:
        reset_history(size, m)


@inner
def _bound(m: Memory, i: int) -> bool:
    """Write which torques hold a joint; return whether it is at rest, and any may do so."""
    links, rate = m.links, m.vectors[at.STATE + 1, i]
    if rate != 0.0:
        links[i, link.DIRECTION] = math.copysign(1.0, rate)
        return False
    side, static = resting_side(m, i), links[i, link.STATIC]
    links[i, link.LEAST] = -math.inf if side > 0.0 else -static - links[i, link.GEAR_FORTH]
    links[i, link.MOST] = math.inf if side < 0.0 else static - links[i, link.GEAR_BACK]
    held = bool(links[i, link.LEAST] != links[i, link.MOST])
    if held:
        links[i, link.DIRECTION] = 0.0
    elif links[i, link.DIRECTION] == 0.0:
        links[i, link.DIRECTION] = 1.0  # until it moves, which drag alone does not hinder
    return held


@inner
def _note_sticking(size: int, m: Memory, i: int, t: float) -> None:
    """Note when a joint begins to be held by friction alone, and when it breaks away."""
    n, floats, first = size, m.floats, m.ints[at.NOTED]
    by_friction = resting_side(m, i) == 0.0 and grip(m.links, i) > 0.0
    sticking = m.links[i, link.STUCK] != 0.0 and by_friction
    since = first + at.STICKING_SINCE * n + i
    if sticking and floats[first + at.STICKING * n + i] == 0.0:
        if floats[first + at.STICKS * n + i] == 0.0:
            floats[first + at.STICKING_FIRST * n + i] = t
        floats[first + at.STICKS * n + i] += 1.0
        floats[since] = t
    elif not sticking and floats[first + at.STICKING * n + i] != 0.0:
        floats[first + at.STICKING_TIME * n + i] += t - floats[since]
    floats[first + at.STICKING * n + i] = 1.0 if sticking else 0.0


@inner
def _margins(size: int, m: Memory, t: float, driven: bool) -> None:
    """Compute how nearly joints that are stuck break away, and how fast the others slide."""
    links, held = m.links, False
    for i in range(size):
        held = held or links[i, link.STUCK] != 0.0
    if held:
        state_derivative(size, m, t, at.SCRATCH)
    first = m.ints[at.SIGNALS] + size + m.ints[at.EVENTS]
    for i in range(size):
        if links[i, link.STUCK] != 0.0:
            m.floats[first + i] = hold_margin(links, i)
        else:
            sliding = links[i, link.DIRECTION] * m.vectors[at.STAGE + 1, i]
            m.floats[first + i] = sliding if _rubs(m, i, driven) else 1.0


@inlined
def _rubs(m: Memory, i: int, driven: bool) -> bool:
    """Return whether it matters which way a joint slides, now or later."""
    loss = 0.0
    if driven:  # of a gear, whose load may be zero now
        row = m.ints[at.MOTOR_ROWS] + i * at.MOTOR_COLUMNS
        loss = m.per_arm[row + at.FORWARD_LOSS] + m.per_arm[row + at.BACK_LOSS]
    dry = m.links[i, link.STATIC] + m.links[i, link.COULOMB]
    return bool(dry + m.links[i, link.DRAG] + loss > 0.0)

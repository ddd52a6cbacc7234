"""Stops and events: what is watched for, and what happens when it comes.

A joint that is free has its distance to the nearer stop for a signal, one that rests at a stop the
torque with which the stop pushes back; each event has its own formula. Something happens where a
signal changes its sign.
"""

from __future__ import annotations

from ulna.arrays import Array
from ulna.dynamics import packed as link
from ulna.kernels import inner
from ulna.simulation.engine import places as at
from ulna.simulation.engine.contact import hit, lay_to_rest, nearer_side, release, write_log
from ulna.simulation.engine.hooks import call_python
from ulna.simulation.engine.memory import Memory
from ulna.simulation.engine.slope import copy, formula, name_values, slope
from ulna.simulation.engine.stepping import even_step
from ulna.simulation.engine.times import slack

NO_PROGRESS = 1e-12  # [s]
MOST_IDLE = 200  # events in a row that let no time pass
TOUCH = 1e-12  # [rad] by which a joint may pass its stop unnoticed


@inner
def signals(size: int, m: Memory, t: float) -> None:
    """Work out the signals of the state STAGE at time t."""
    n = size
    v, links, real, now = m.vectors, m.links, m.real, m.whole[at.SIGNALS]
    resting = False
    for i in range(n):
        real[now + i] = 1.0
        if m.whole[at.STOPS] != 0:
            q = v[at.STAGE, i]
            real[now + i] = min(links[i, link.UPPER] - q, q - links[i, link.LOWER])
            resting = resting or links[i, link.STUCK] != 0.0
    if resting:
        slope(size, m, t, at.SPARE)
        for i in range(n):
            if links[i, link.STUCK] != 0.0:
                real[now + i] = -links[i, link.STUCK] * links[i, link.HOLDING]
    if m.whole[at.EVENTS] != 0:
        _event_signals(size, m, t)


@inner
def _event_signals(size: int, m: Memory, t: float) -> None:
    real, whole = m.real, m.whole
    first = whole[at.SIGNALS] + size
    if whole[at.EVENT_CALL] != 0 and whole[at.FAULT] == 0:
        whole[at.FAULT] = call_python(whole[at.EVENT_CALL], t)
    for k in range(whole[at.EVENTS]):
        real[first + k] = real[whole[at.LIVE_SIGNALS] + k]
    name_values(size, m, t)
    for k in range(whole[at.FORMULAS]):
        place = whole[whole[at.SPANS] + 3 * k] - (size + 3)
        if place >= 0:
            real[first + place] = formula(m, k)


@inner
def crossing(size: int, m: Memory) -> int:
    """Return the first signal that has changed its sign since the start of the step, or −1."""
    n = size
    real, whole = m.real, m.whole
    for i in range(n):
        edge = 0.0 if m.links[i, link.STUCK] != 0.0 else -TOUCH
        if real[whole[at.SIGNALS] + i] < edge <= real[whole[at.BEFORE] + i]:
            return i
    for k in range(whole[at.EVENTS]):
        before, now = real[whole[at.BEFORE] + n + k], real[whole[at.SIGNALS] + n + k]
        direction = whole[whole[at.DIRECTIONS] + k]
        rising = before < 0.0 <= now
        falling = before > 0.0 >= now
        if (rising and direction >= 0) or (falling and direction <= 0):
            return n + k
    return -1


@inner
def remember(size: int, m: Memory) -> None:
    """Make the signals those of the start of the next step."""
    real, whole = m.real, m.whole
    for k in range(size + whole[at.EVENTS]):
        real[whole[at.BEFORE] + k] = real[whole[at.SIGNALS] + k]
    for i in range(size):
        m.links[i, at.RATE] = m.vectors[at.STAGE + 1, i]


@inner
def settle(size: int, m: Memory, log: Array) -> None:
    """Bring stops and joints into agreement with the inputs that act from now on."""
    for _ in range(2 * size + 1):
        copy(size, m, at.STATE, at.STAGE)
        signals(size, m, m.real[at.NOW])
        if m.whole[at.STOPS] == 0 or not _settle_one(size, m, log):
            break
    remember(size, m)


@inner
def _settle_one(size: int, m: Memory, log: Array) -> bool:
    """Release a joint that leaves its stop, or lay one to rest; return whether one was."""
    for i in range(size):
        side, signal = m.links[i, link.STUCK], m.real[m.whole[at.SIGNALS] + i]
        if side != 0.0 and signal < 0.0:
            release(size, m, log, i)
            return True
        if side == 0.0 and signal <= TOUCH:
            side, speed = nearer_side(m, i), m.vectors[at.STATE + 1, i]
            if speed * side > 0.0:
                _meet_stop(size, m, log, i)
                return True
            if speed == 0.0 and _is_pressed(size, m, i, side):
                lay_to_rest(size, m, log, i, side, 0.0)
                return True
    return False


@inner
def happen(size: int, m: Memory, log: Array, which: int) -> None:
    """Let what was found by `crossing` take place at this instant."""
    m.whole[at.FRESH] = 0
    if which >= size:
        write_log(size, m, log, which, at.EVENT, 0.0)
    elif m.links[which, link.STUCK] != 0.0:
        release(size, m, log, which)
    else:
        _meet_stop(size, m, log, which)


@inner
def _meet_stop(size: int, m: Memory, log: Array, i: int) -> None:
    side, speed = nearer_side(m, i), m.vectors[at.STATE + 1, i]
    rebound = hit(size, m, log, i, side)
    if rebound == 0.0 and _is_pressed(size, m, i, side):
        lay_to_rest(size, m, log, i, side, speed)


@inner
def _is_pressed(size: int, m: Memory, i: int, side: float) -> bool:
    """Return whether joint i, without speed at its stop, is pressed against it.

    It is held for a look at the torque that this takes: the number by which it is released, so
    that no joint can be released and laid to rest by turns.
    """
    links, whole = m.links, m.whole
    links[i, link.STUCK] = side
    whole[at.COUPLED] += 1
    copy(size, m, at.STATE, at.STAGE)
    slope(size, m, m.real[at.NOW], at.SPARE)
    push = -side * links[i, link.HOLDING]
    links[i, link.STUCK] = 0.0
    whole[at.COUPLED] -= 1
    return bool(push > 0.0)


@inner
def let_happen(size: int, m: Memory, log: Array, which: int) -> int:
    """Let all that was found at one instant take place, one after the other."""
    n, real, whole = size, m.real, m.whole
    passed = real[at.SEEN_AT] - real[at.NOW]
    real[at.NOW] = real[at.SEEN_AT]
    whole[at.IDLE] = whole[at.IDLE] + 1 if passed < NO_PROGRESS else 0
    ended = False
    while which >= 0:
        happen(size, m, log, which)
        ended = ended or (which >= n and whole[whole[at.ENDS] + which - n] != 0)
        real[whole[at.BEFORE] + which] = real[whole[at.SIGNALS] + which]
        which = crossing(size, m)
    if ended:
        return at.STOPPED
    if whole[at.IDLE] > MOST_IDLE:
        return at.CHATTERING
    settle(size, m, log)
    if real[at.NOW] >= real[at.STOP] - slack(real[at.STOP]):
        real[at.NOW], whole[at.OPEN] = real[at.STOP], 0
    elif whole[at.ADAPTIVE] == 0 and even_step(m) <= slack(real[at.NOW]):
        whole[at.STEP_INDEX] += 1  # What is left of the step would be no step.
    return at.BUDGET

"""Stops and events: their signals, and what is done where one changes its sign.

The signal of a free joint is its distance to the nearer stop, that of one at rest at a stop the
reaction torque of the stop; each event has its own formula. A joint that meets its stop bounces off
it, by an impulse that changes the speeds of all joints at once, or comes to rest at it until
something pulls it away. Where there is friction a part of its own (`friction_modes.py`) has one
more signal for each joint, and says which joints are held, at stops or by friction.
"""

from __future__ import annotations

from ulna.arrays import Array
from ulna.dynamics import packed as link
from ulna.dynamics.recursive import forward_coupled
from ulna.dynamics.sticking import grip
from ulna.kernels import inlined, inner
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory
from ulna.simulation.engine.schedule import slack
from ulna.simulation.engine.state_derivative import (
    call_friction,
    call_motors,
    call_python,
    copy,
    formula,
    inputs,
    name_values,
    state_derivative,
)
from ulna.simulation.engine.stepping import even_step

SOON = 1e-5  # [s] between two hits: a joint that bounces faster comes to rest


@inner
def nearer_side(m: Memory, i: int) -> float:
    """Return +1 if joint i is nearer to its upper stop, −1 if to its lower."""
    q = m.vectors[at.STATE, i]
    return 1.0 if m.links[i, link.UPPER] - q <= q - m.links[i, link.LOWER] else -1.0


@inner
def hit(size: int, m: Memory, log: Array, i: int, side: float) -> float:
    """Apply the impact of joint i on its stop; return the speed with which it leaves."""
    v, links, now = m.vectors, m.links, m.floats[at.NOW]
    v[at.STATE, i] = links[i, link.UPPER] if side > 0.0 else links[i, link.LOWER]
    speed = v[at.STATE + 1, i]
    write_log(size, m, log, i, at.HIT, speed)
    if m.ints[at.FRICTIONAL] != 0:
        call_friction(size, m, at.LOOSEN, now)
    rebound = -m.floats[at.RESTITUTION] * speed
    hasty = now - links[i, at.LAST_HIT] < SOON
    if hasty:
        rebound = 0.0
        m.ints[at.CHATTER] += 1
    links[i, at.LAST_HIT] = now
    _apply_impact(size, m, log, i, rebound, hasty)
    reset_history(size, m)
    return float(rebound)


@inner
def _apply_impact(size: int, m: Memory, log: Array, i: int, rebound: float, hasty: bool) -> None:
    """Change the speed of joint i at once; what that does to the others follows from M⁻¹.

    With `hasty` no joint is released: two that release one another would do so for ever.
    """
    n = size
    v, links = m.vectors, m.links
    gravity_x, gravity_y = links[n, link.GRAVITY_X], links[n, link.GRAVITY_Y]
    links[n, link.GRAVITY_X] = links[n, link.GRAVITY_Y] = 0.0
    impulse = 0.0
    for _ in range(n + 1):
        copy(size, m, at.STATE, at.STAGE)
        for k in range(n):
            v[at.STAGE + 1, k] = links[k, link.TORQUE] = 0.0
        for k in range(3):
            links[n, link.FORCE_X + k] = 0.0
        links[i, link.TORQUE] = 1.0
        forward_coupled(size, links, m.turns, v, at.STAGE, link.CARRIER)
        impulse = (rebound - v[at.STATE + 1, i]) / links[i, link.QDD]
        if hasty or not _release_pulled(size, m, log, impulse):
            break
    links[n, link.GRAVITY_X], links[n, link.GRAVITY_Y] = gravity_x, gravity_y
    # The energy lost is the impulse times the mean of the speeds before and after.
    v[at.STATE + 1, n] -= 0.5 * impulse * (v[at.STATE + 1, i] + rebound)
    for k in range(n):
        v[at.STATE + 1, k] += impulse * links[k, link.QDD]
    v[at.STATE + 1, i] = rebound
    if m.ints[at.BACKLASHES] != 0:
        _keep_spin(size, m, impulse)


@inner
def _keep_spin(size: int, m: Memory, impulse: float) -> None:
    """Let rotors with backlash spin on as they did where an impact changes how carriers turn."""
    carrier = 0.0
    for i in range(size):
        if m.ints[m.ints[at.MOTOR_CODES] + i * at.CODES_OF_MOTOR + at.HAS_BACKLASH] != 0:
            ratio = m.per_arm[m.ints[at.MOTOR_ROWS] + i * at.MOTOR_COLUMNS + at.RATIO]
            m.vectors[at.ROTORS + at.STATE + 1, i] -= carrier / ratio
        carrier += impulse * m.links[i, link.QDD]


@inner
def _release_pulled(size: int, m: Memory, log: Array, impulse: float) -> bool:
    """Release the joints that an impulse pulls from their stops: a stop cannot pull."""
    released = False
    for k in range(size):
        if impulse * m.links[k, link.HOLDING] * m.links[k, at.SIDE] > 0.0:
            release(size, m, log, k)
            released = True
    return released


@inner
def hold_at_stop(size: int, m: Memory, log: Array, i: int, side: float, speed: float) -> None:
    """Hold joint i at rest at its stop until something pulls it away."""
    stop = m.links[i, link.UPPER] if side > 0.0 else m.links[i, link.LOWER]
    m.vectors[at.STATE, i], m.vectors[at.STATE + 1, i] = stop, 0.0
    m.links[i, link.STUCK] = m.links[i, at.SIDE] = side
    m.ints[at.COUPLED] += 1
    write_log(size, m, log, i, at.REST, speed)


@inner
def release(size: int, m: Memory, log: Array, i: int) -> None:
    """Release joint i from its stop."""
    m.links[i, link.STUCK] = m.links[i, at.SIDE] = 0.0
    if m.ints[at.FRICTIONAL] == 0:
        m.ints[at.COUPLED] -= 1
    reset_history(size, m)
    write_log(size, m, log, i, at.RELEASE, 0.0)


@inner
def reset_history(size: int, m: Memory) -> None:
    """Reset what is kept from the step before: velocities are discontinuous here."""
    m.ints[at.FSAL_VALID] = 0
    for part in range(2):
        for i in range(size + 1):
            m.vectors[at.COMPENSATION + part, i] = 0.0


@inner
def write_log(size: int, m: Memory, log: Array, which: int, what: int, speed: float) -> None:
    """Log an event with the state; beyond the last row it is only counted."""
    row = m.ints[at.LOGGED]
    m.ints[at.LOGGED] += 1
    if row >= len(log):
        return
    log[row, at.LOG_T], log[row, at.LOG_WHICH] = m.floats[at.NOW], which
    log[row, at.LOG_WHAT], log[row, at.LOG_SPEED] = what, speed
    n = size
    for part in range(2):
        for i in range(n):
            log[row, at.LOG_STATE + part * n + i] = m.vectors[at.STATE + part, i]


NO_PROGRESS = 1e-12  # [s]
MOST_IDLE = 200  # events in a row that let no time pass
TOUCH = 1e-12  # [rad] by which a joint may pass its stop unnoticed
CREEP = 1e-12  # [rad/s] at which quadratic drag is nothing


@inner
def signals(size: int, m: Memory, t: float) -> None:
    """Compute the signals of the state STAGE at time t."""
    n = size
    v, links, floats, now = m.vectors, m.links, m.floats, m.ints[at.SIGNALS]
    resting = False
    for i in range(n):
        floats[now + i] = 1.0
        if m.ints[at.STOPS] != 0:
            q = v[at.STAGE, i]
            floats[now + i] = min(links[i, link.UPPER] - q, q - links[i, link.LOWER])
            resting = resting or links[i, at.SIDE] != 0.0
    if has_switches(m):
        inputs(size, m, t)
        call_motors(size, m, at.DRIVE, at.NONE, at.NONE, at.NONE, t, 0.0)
    if m.ints[at.FRICTIONAL] != 0:
        call_friction(size, m, at.MARGINS, t)
    elif resting:
        state_derivative(size, m, t, at.SCRATCH)
        for i in range(n):
            if links[i, at.SIDE] != 0.0:
                floats[now + i] = -links[i, at.SIDE] * links[i, link.HOLDING]
    if m.ints[at.EVENTS] != 0:
        _event_signals(size, m, t)


@inner
def _event_signals(size: int, m: Memory, t: float) -> None:
    floats, ints = m.floats, m.ints
    first = ints[at.SIGNALS] + size
    if ints[at.EVENT_CALL] != 0 and ints[at.FAULT] == 0:
        ints[at.FAULT] = call_python(ints[at.EVENT_CALL], t)
    for k in range(ints[at.EVENTS]):
        floats[first + k] = floats[ints[at.LIVE_SIGNALS] + k]
    name_values(size, m, t)
    for k in range(ints[at.FORMULAS]):
        place = ints[ints[at.SPANS] + 3 * k] - (size + 3)
        if place >= 0:
            floats[first + place] = formula(m, k)


@inner
def zero_crossing(size: int, m: Memory) -> int:
    """Return the first signal that has changed its sign since the start of the step, or −1."""
    n = size
    floats, ints = m.floats, m.ints
    for i in range(n):
        edge = 0.0 if m.links[i, at.SIDE] != 0.0 else -TOUCH
        if floats[ints[at.SIGNALS] + i] < edge <= floats[ints[at.BEFORE] + i]:
            return i
    for k in range(ints[at.EVENTS]):
        before, now = floats[ints[at.BEFORE] + n + k], floats[ints[at.SIGNALS] + n + k]
        direction = ints[ints[at.DIRECTIONS] + k]
        rising = before < 0.0 <= now
        falling = before > 0.0 >= now
        if (rising and direction >= 0) or (falling and direction <= 0):
            return n + k
    found = _friction_crossing(size, m) if ints[at.FRICTIONAL] != 0 else -1
    return _switch_crossing(size, m) if found < 0 and has_switches(m) else found


@inlined
def has_switches(m: Memory) -> bool:
    """Return whether laws of motors keep their branches in a step: in adaptive ones."""
    return bool(m.ints[at.MOTORS] != 0 and m.ints[at.ADAPTIVE] != 0)


@inlined
def switch_place(m: Memory, i: int, switch: int) -> int:
    """Return where in `per_arm` a switch of a joint's motor is."""
    row = m.ints[at.MOTOR_ROWS] + i * at.MOTOR_COLUMNS
    return int(row + at.SWITCHES + at.SWITCH_FIELDS * switch)


@inner
def _switch_crossing(size: int, m: Memory) -> int:
    """Return the signal of the first motor whose law leaves its branch, or −1."""
    for i in range(size):
        for k in range(at.SWITCH_COUNT):
            if m.per_arm[switch_place(m, i, k) + at.MARGIN] < 0.0:
                return int(2 * size + m.ints[at.EVENTS] + i)
    return -1


@inner
def _switch(size: int, m: Memory) -> None:
    """Let the laws of motors choose their branches again."""
    m.ints[at.SWITCHES_HELD] = 0
    for i in range(size):
        for k in range(at.SWITCH_COUNT):
            m.per_arm[switch_place(m, i, k) + at.MARGIN] = 0.0


@inner
def _friction_crossing(size: int, m: Memory) -> int:
    """Return the first signal of friction that has changed its sign, or −1."""
    floats, ints, first = m.floats, m.ints, size + m.ints[at.EVENTS]
    for i in range(size):
        # Without dry friction a joint may creep back and forth as it likes.
        edge = 0.0 if grip(m.links, i) > 0.0 else -CREEP
        if floats[ints[at.SIGNALS] + first + i] < edge <= floats[ints[at.BEFORE] + first + i]:
            return int(first + i)
    return -1


@inner
def save_signals(size: int, m: Memory) -> None:
    """Save the signals as those of the start of the next step."""
    floats, ints = m.floats, m.ints
    count = size + ints[at.EVENTS]
    if ints[at.FRICTIONAL] != 0:
        count += size
    for k in range(count):
        floats[ints[at.BEFORE] + k] = floats[ints[at.SIGNALS] + k]
    for i in range(size):
        m.links[i, at.RATE] = m.vectors[at.STAGE + 1, i]


@inner
def update_contacts(size: int, m: Memory, log: Array) -> None:
    """Update which joints are held, at stops or by friction, for the inputs from now on."""
    for _ in range(2 * size + 1):
        copy(size, m, at.STATE, at.STAGE)
        signals(size, m, m.floats[at.NOW])
        if m.ints[at.STOPS] == 0 or not _update_one_contact(size, m, log):
            break
    if m.ints[at.FRICTIONAL] != 0:
        call_friction(size, m, at.SETTLE, m.floats[at.NOW])
        _log_contacts(size, m, log)
        copy(size, m, at.STATE, at.STAGE)
        signals(size, m, m.floats[at.NOW])
    save_signals(size, m)


@inner
def resting_side(m: Memory, i: int) -> float:
    """Return +1 or −1 if joint i, which is at rest, touches its upper or lower stop, else 0."""
    if m.ints[at.STOPS] == 0:
        return 0.0
    q = m.vectors[at.STATE, i]
    if m.links[i, link.UPPER] - q <= TOUCH:
        return 1.0
    return -1.0 if q - m.links[i, link.LOWER] <= TOUCH else 0.0


@inner
def _log_contacts(size: int, m: Memory, log: Array) -> None:
    """Log the joints that have come to rest at stops, and those that leave them."""
    for i in range(size):
        before = m.links[i, at.SIDE]
        side = resting_side(m, i) if m.links[i, link.STUCK] != 0.0 else 0.0
        m.links[i, at.SIDE] = side
        if before == 0.0 and side != 0.0:
            write_log(size, m, log, i, at.REST, 0.0)
        elif before != 0.0 and side == 0.0:
            write_log(size, m, log, i, at.RELEASE, 0.0)


@inner
def _update_one_contact(size: int, m: Memory, log: Array) -> bool:
    """Release a joint that leaves its stop, or hold one at it; return whether one was."""
    frictional = m.ints[at.FRICTIONAL] != 0
    for i in range(size):
        side, signal = m.links[i, at.SIDE], m.floats[m.ints[at.SIGNALS] + i]
        if side != 0.0 and signal < 0.0:
            release(size, m, log, i)
            return True
        if side == 0.0 and signal <= TOUCH:
            side, speed = nearer_side(m, i), m.vectors[at.STATE + 1, i]
            if speed * side > 0.0:
                _meet_stop(size, m, log, i)
                return True
            if speed == 0.0 and not frictional and _is_pressed(size, m, i, side):
                hold_at_stop(size, m, log, i, side, 0.0)
                return True
    return False


@inner
def handle_event(size: int, m: Memory, log: Array, which: int) -> None:
    """Handle the event found by `zero_crossing` at this instant."""
    m.ints[at.FSAL_VALID] = 0
    if which >= 2 * size + m.ints[at.EVENTS]:
        _switch(size, m)
    elif which >= size + m.ints[at.EVENTS]:
        _stop_sliding(size, m, which - size - m.ints[at.EVENTS])
    elif which >= size:
        write_log(size, m, log, which, at.EVENT, 0.0)
    elif m.links[which, at.SIDE] != 0.0:
        release(size, m, log, which)
    else:
        _meet_stop(size, m, log, which)


@inner
def _meet_stop(size: int, m: Memory, log: Array, i: int) -> None:
    side, speed = nearer_side(m, i), m.vectors[at.STATE + 1, i]
    rebound = hit(size, m, log, i, side)
    if m.ints[at.FRICTIONAL] != 0:
        return  # it is decided for all joints together whether this one rests
    if rebound == 0.0 and _is_pressed(size, m, i, side):
        hold_at_stop(size, m, log, i, side, speed)


@inner
def _stop_sliding(size: int, m: Memory, i: int) -> None:
    """Stop joint i, whose rate has come to zero; whether it sticks is decided for all together."""
    if m.links[i, link.STUCK] == 0.0 and grip(m.links, i) > 0.0:
        m.vectors[at.STATE + 1, i] = 0.0
    reset_history(size, m)


@inner
def _is_pressed(size: int, m: Memory, i: int, side: float) -> bool:
    """Return whether joint i, without speed at its stop, is pressed against it.

    It is held to compute the reaction of the stop: the number by which it is released, so that no
    joint can be released and held by turns.
    """
    links, ints = m.links, m.ints
    links[i, link.STUCK] = side
    ints[at.COUPLED] += 1
    copy(size, m, at.STATE, at.STAGE)
    state_derivative(size, m, m.floats[at.NOW], at.SCRATCH)
    reaction = -side * links[i, link.HOLDING]
    links[i, link.STUCK] = 0.0
    ints[at.COUPLED] -= 1
    return bool(reaction > 0.0)


@inner
def handle_events(size: int, m: Memory, log: Array, which: int) -> int:
    """Handle all events of one instant, one after the other."""
    n, floats, ints = size, m.floats, m.ints
    passed = floats[at.SIGNAL_TIME] - floats[at.NOW]
    floats[at.NOW] = floats[at.SIGNAL_TIME]
    ints[at.IDLE] = ints[at.IDLE] + 1 if passed < NO_PROGRESS else 0
    ended = False
    while which >= 0:
        handle_event(size, m, log, which)
        is_event = n <= which < n + ints[at.EVENTS]
        ended = ended or (is_event and ints[ints[at.ENDS] + which - n] != 0)
        if which < 2 * n + ints[at.EVENTS]:
            floats[ints[at.BEFORE] + which] = floats[ints[at.SIGNALS] + which]
        which = zero_crossing(size, m)
    if ended:
        return at.STOPPED
    if ints[at.IDLE] > MOST_IDLE:
        return at.CHATTERING
    update_contacts(size, m, log)
    if floats[at.NOW] >= floats[at.STOP] - slack(floats[at.STOP]):
        floats[at.NOW], ints[at.OPEN] = floats[at.STOP], 0
    elif ints[at.ADAPTIVE] == 0 and even_step(m) <= slack(floats[at.NOW]):
        ints[at.STEP_INDEX] += 1  # What remains of the step is too short for one.
    return at.BUDGET

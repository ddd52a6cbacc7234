"""Event location: where in a step the first signal changes its sign, none left out.

Signals are sampled in windows of time, at instants that follow no pattern. A window in which an
event changes its sign twice, or bends as if it did between two samples, is shortened until it holds
one change at most; the next may be twice as long. So windows adapt to how fast events change, and
are never much longer than that. What changes faster than the finest window is given up, and noted.
"""

from __future__ import annotations

import math

from ulna.arrays import Array
from ulna.dynamics import packed as link
from ulna.kernels import inner, kernel
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory
from ulna.simulation.engine.schedule import slack
from ulna.simulation.engine.state_derivative import copy
from ulna.simulation.engine.stepping import state_at
from ulna.simulation.engine.watch import (
    handle_events,
    has_switches,
    save_signals,
    signals,
    switch_place,
    update_contacts,
    zero_crossing,
)

# Samples of an adaptive step in which laws of motors are watched: close together at its ends, so
# that a margin that falls and rises again between two of them is seen to do so.
SHARES = (0.03125, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 0.96875, 1.0)
NEARLY = 0.5  # of a margin, to which a parabola through three samples falls for a closer look
SECTIONS = 30  # of that look
PIECES = 8  # of an adaptive step, in which stops and reversals are searched for
HALVINGS = 60
NARROW = 2.0**-47  # of a step: an interval that need not be narrowed
SAMPLES = 8  # of the events in a window
SHRINK, GROW = 0.25, 2.0
ABRUPT = 1.0 / 64.0  # of a window: what is that much shorter may have been so unseen
MOST_WINDOWS = 1024  # in one step
GOLDEN = 0.6180339887498949  # its multiples follow no pattern
JITTER = 0.7  # of the way from one sample to the next
GRAZE = 1e-9  # of its value, by which a signal has to pass zero to be suspected of it


@kernel
def watch_part(size: int, m: Memory, log: Array, task: int, which: int, h: float) -> int:
    """Handle stops and events.

    UPDATE_CONTACTS updates which joints are held at stops. FIND_EVENT returns the first event in a
    step, or −1; FOUND says where in it. HANDLE_EVENTS handles what was found, and returns why the
    engine ends, or BUDGET.
    """
    if task == at.UPDATE_CONTACTS:
        update_contacts(size, m, log)
        return 0
    if task == at.FIND_EVENT:
        m.floats[at.FOUND], which = find_event(size, m, h)
        return which
    return handle_events(size, m, log, which)


@inner
def find_event(size: int, m: Memory, h: float) -> tuple[float, int]:
    """Return where in the step the first event is and which it is; its state goes to NEXT_STATE."""
    early, windows = 0.0, 0
    while early < 1.0:
        late = _clear_window(size, m, h, early, windows)
        part_of_step, which = _search(size, m, h, early, late)
        if which >= 0:
            return part_of_step, which
        early = late
        windows += 1
    return 1.0, -1


@inner
def _clear_window(size: int, m: Memory, h: float, early: float, windows: int) -> float:
    """Return up to where in the step no event changes its sign twice."""
    floats, ints = m.floats, m.ints
    if ints[at.EVENTS] == 0 or ints[at.ALIASED] != 0:
        return 1.0
    if windows >= MOST_WINDOWS:
        ints[at.SKIPPED] = ints[at.SUSPECT]
        return 1.0
    rest, before = 1.0 - early, floats[at.WINDOW]
    span = min(rest, min(GROW * before, floats[at.LONGEST]) / h)
    suspect = _suspect(size, m, h, early, span)
    if suspect == 0:
        _keep_edge(m, h, early, span)
        floats[at.WINDOW] = max(before, span * h)
        return 1.0 if span == rest else float(early + span)
    seen = 0
    while suspect != 0 and span * h > floats[at.FINEST]:
        ints[at.SUSPECT] = abs(suspect)
        seen = max(seen, suspect)
        span *= SHRINK
        suspect = _suspect(size, m, h, early, span)
    if suspect > 0:
        ints[at.ALIASED] = suspect
        return 1.0
    if seen > 0 and span * h < ABRUPT * min(before, h):
        ints[at.SKIPPED] = seen
    _keep_edge(m, h, early, span)
    floats[at.WINDOW] = span * h
    return float(early + span)


@inner
def _keep_edge(m: Memory, h: float, early: float, span: float) -> None:
    """Save the sample before the last: two changes may hide about the end of a window."""
    floats, ints = m.floats, m.ints
    floats[at.EDGE_T] = floats[at.NOW] + (early + span * _sample_position(m, SAMPLES - 1)) * h
    floats[at.EDGE_END] = floats[at.NOW] + (early + span) * h
    for k in range(ints[at.EVENTS]):
        floats[ints[at.EDGE] + k] = floats[ints[at.OLDER] + k]


@inner
def _suspect(size: int, m: Memory, h: float, early: float, span: float) -> int:
    """Return which event (counted from 1) changes its sign twice in a window, else 0.

    It is negative where two changes may hide between the samples.
    """
    floats, ints = m.floats, m.ints
    before, now = ints[at.BEFORE] + size, ints[at.SIGNALS] + size
    older, latest, changes = ints[at.OLDER], ints[at.LATEST], ints[at.CHANGES]
    for k in range(ints[at.EVENTS]):
        floats[latest + k], floats[older + k] = floats[before + k], floats[ints[at.EDGE] + k]
        ints[changes + k] = 0
    start = floats[at.NOW] + early * h
    x_latest, x_older = early, early + (floats[at.EDGE_T] - start) / h
    first = 1 if abs(start - floats[at.EDGE_END]) <= slack(start) else 2
    hidden = 0
    for sample in range(1, SAMPLES + 1):
        x = early + span * _sample_position(m, sample)
        _sample_signals(size, m, h, x)
        for k in range(ints[at.EVENTS]):
            a, b, c = floats[older + k], floats[latest + k], floats[now + k]
            if b < 0.0 <= c or b > 0.0 >= c:
                ints[changes + k] += 1
                # From a start at zero no change of sign is seen at the end.
                if ints[changes + k] > 1 or floats[before + k] == 0.0:
                    return k + 1 if ints[changes + k] > 1 else -(k + 1)
            elif sample >= first and _dips(a, b, c, x_latest - x_older, x - x_latest):
                hidden = -(k + 1)
            floats[older + k], floats[latest + k] = b, c
        x_older, x_latest = x_latest, x
    return hidden


@inner
def _sample_position(m: Memory, sample: int) -> float:
    """Return where in a window a sample is, from 0 to 1; the last is at its end."""
    if sample == SAMPLES:
        return 1.0
    multiple = GOLDEN * (m.ints[at.STEPS] % 1_000_000 * SAMPLES + sample)
    return float((sample - JITTER * (multiple - math.floor(multiple))) / SAMPLES)


@inner
def _dips(a: float, b: float, c: float, before: float, after: float) -> bool:
    """Return whether the parabola through three values of one sign passes through zero."""
    if not (a * b > 0.0 and abs(b) <= abs(a) and abs(b) <= abs(c)):
        return False
    extreme = _lowest_of_parabola(a, b, c, before, after)
    return extreme * b < 0.0 and abs(extreme) > GRAZE * max(abs(a), abs(c))


@inner
def _sample_signals(size: int, m: Memory, h: float, x: float) -> None:
    """Evaluate the signals at a part of the step, accurately enough to count their changes."""
    v = m.vectors
    if x == 1.0:
        copy(size, m, at.NEXT_STATE, at.STAGE)
    elif m.ints[at.ADAPTIVE] != 0:
        state_at(size, m, h, x)
    else:
        for i in range(size):
            # The cubic that has the angles and the rates of both ends.
            first, last = h * v[at.STATE + 1, i], h * v[at.NEXT_STATE + 1, i]
            way = v[at.NEXT_STATE, i] - v[at.STATE, i]
            bend, twist = 3.0 * way - 2.0 * first - last, first + last - 2.0 * way
            v[at.STAGE, i] = v[at.STATE, i] + x * (first + x * (bend + x * twist))
            v[at.STAGE + 1, i] = (first + x * (last - first)) / h
    now, end = m.floats[at.NOW], m.floats[at.STEP_END]
    signals(size, m, end if x == 1.0 else min(now + x * h, end))


@inner
def _search(size: int, m: Memory, h: float, start: float, end: float) -> tuple[float, int]:
    """Return the first event in a part of the step, of signals that change sign there once."""
    pieces, switching = 1, has_switches(m)
    cut = m.ints[at.STOPS] + m.ints[at.FRICTIONAL] + m.ints[at.ALIASED] != 0
    if m.ints[at.ADAPTIVE] != 0 and cut:
        pieces = max(math.ceil(PIECES * (end - start)), 1)
    if switching:
        pieces = len(SHARES)
        _crossed(size, m, h, start)
        _shift_margins(size, m, math.inf)
    before = early = start
    for piece in range(1, pieces + 1):
        share = SHARES[piece - 1] if switching else piece / pieces
        late = end if piece == pieces else start + (end - start) * share
        early, late, which = _crossed_in_piece(size, m, h, before, early, late)
        if which < 0:
            before, early = early, late
            if switching:
                _shift_margins(size, m, 0.0)
            save_signals(size, m)
            continue
        if size + m.ints[at.EVENTS] <= which < 2 * size + m.ints[at.EVENTS]:
            early, late, which = _approach(size, m, h, early, late, which)
        for _ in range(HALVINGS if late - early > NARROW else 0):
            middle = 0.5 * (early + late)
            if middle <= early or middle >= late:
                break
            found = _crossed(size, m, h, middle)
            if found >= 0:
                late, which = middle, found
            else:
                early = middle
        _crossed(size, m, h, late)
        copy(size, m, at.STAGE, at.NEXT_STATE)
        return late, which
    return 1.0, -1


@inner
def _crossed_in_piece(
    size: int, m: Memory, h: float, before: float, early: float, late: float
) -> tuple[float, float, int]:
    """Return the part of a piece of a step at whose end a signal has changed, and which, or −1."""
    which = _crossed(size, m, h, late)
    if which < 0 and m.ints[at.STOPS] != 0:
        late = _turned_beyond(size, m, h, early, late)
        which = _crossed(size, m, h, late)
    if which < 0 and has_switches(m):
        dip = _find_dip(size, m, h, before, early, late)
        if dip != late:
            which = _crossed(size, m, h, dip)
            return early if dip > early else before, dip, which
    return early, late, which


@inner
def _shift_margins(size: int, m: Memory, older: float) -> None:
    """Keep the margins of switches as those of the last sample; `older` adds to the one before."""
    for i in range(size):
        for k in range(at.SWITCH_COUNT):
            place = switch_place(m, i, k)
            m.per_arm[place + at.OLDER_MARGIN] = m.per_arm[place + at.LAST_MARGIN] + older
            m.per_arm[place + at.LAST_MARGIN] = m.per_arm[place + at.MARGIN]


@inner
def _find_dip(size: int, m: Memory, h: float, first: float, middle: float, last: float) -> float:
    """Return where between three samples a margin is below zero, if one is, else the last."""
    for i in range(size):
        for k in range(at.SWITCH_COUNT):
            place = switch_place(m, i, k)
            a, b = m.per_arm[place + at.OLDER_MARGIN], m.per_arm[place + at.LAST_MARGIN]
            c = m.per_arm[place + at.MARGIN]
            if not (math.isfinite(a) and b <= a and b <= c) or b == a == c:
                continue
            if _lowest_of_parabola(a, b, c, middle - first, last - middle) < NEARLY * b:
                dip = _lowest(size, m, h, place + at.MARGIN, first, last)
                if m.per_arm[place + at.MARGIN] < 0.0:
                    return dip
                _crossed(size, m, h, last)
    return last


@inner
def _lowest_of_parabola(a: float, b: float, c: float, before: float, after: float) -> float:
    """Return the extreme of the parabola through three values."""
    first, second = (b - a) / before, (c - b) / after
    bend = (second - first) / (before + after)
    if bend == 0.0:
        return b
    rate = first + bend * before
    return float(b - rate * rate / (4.0 * bend))


@inner
def _lowest(size: int, m: Memory, h: float, place: int, first: float, last: float) -> float:
    """Return where a margin is below zero, or lowest (golden-section search)."""
    low, high = last - GOLDEN * (last - first), first + GOLDEN * (last - first)
    _crossed(size, m, h, low)
    at_low = m.per_arm[place]
    for _ in range(SECTIONS):
        if at_low < 0.0:
            break
        _crossed(size, m, h, high)
        at_high = m.per_arm[place]
        if at_high < 0.0:
            return high
        if at_low < at_high:
            last, high = high, low
            low = last - GOLDEN * (last - first)
        else:
            first, low = low, high
            high = first + GOLDEN * (last - first)
        _crossed(size, m, h, low)
        at_low = m.per_arm[place]
    return low


@inner
def _approach(
    size: int, m: Memory, h: float, early: float, late: float, which: int
) -> tuple[float, float, int]:
    """Narrow the interval in which a signal of friction, which is smooth, changes its sign.

    By secants, and where one end stays with half of its value, so that the other overtakes it
    (the Illinois rule). Another signal that is found to change before ends it.
    """
    floats, place = m.floats, m.ints[at.SIGNALS] + which
    first, last = floats[m.ints[at.BEFORE] + which], floats[place]
    moved = 0
    for _ in range(HALVINGS):
        if late - early <= NARROW or not first > last:
            break
        x = early + (late - early) * first / (first - last)
        x = min(max(x, early + 0.5 * NARROW), late - 0.5 * NARROW)
        found = _crossed(size, m, h, x)
        if found >= 0 and found != which:
            return early, x, found
        if found >= 0:
            late, last = x, floats[place]
            first = 0.5 * first if moved > 0 else first
            moved = 1
        else:
            early, first = x, floats[place]
            last = 0.5 * last if moved < 0 else last
            moved = -1
    return early, late, which


@inner
def _turned_beyond(size: int, m: Memory, h: float, early: float, late: float) -> float:
    """Return where a joint turned round beyond its stop inside a piece of a step, else its end.

    Such a joint is back before the end of the piece, and its signal there says nothing.
    """
    n, v, links = size, m.vectors, m.links
    for i in range(n):
        links[i, at.NEXT_RATE] = v[at.STAGE + 1, i]
    for i in range(n):
        before, after = links[i, at.RATE], links[i, at.NEXT_RATE]
        way = max(abs(before), abs(after)) * h * (late - early)
        if before * after >= 0.0 or _gap(m, i) > way or links[i, link.STUCK] != 0.0:
            continue
        first, last = early, late
        for _ in range(HALVINGS // 2):
            middle = 0.5 * (first + last)
            state_at(size, m, h, middle)
            if v[at.STAGE + 1, i] * before > 0.0:
                first = middle
            else:
                last = middle
        if _crossed(size, m, h, last) >= 0:
            return last
    return late


@inner
def _gap(m: Memory, i: int) -> float:
    """Return the least distance to its stops that joint i had at the ends of a piece."""
    before, after = m.floats[m.ints[at.BEFORE] + i], m.floats[m.ints[at.SIGNALS] + i]
    return float(min(before, after))


@inner
def _crossed(size: int, m: Memory, h: float, part_of_step: float) -> int:
    if part_of_step == 1.0:
        copy(size, m, at.NEXT_STATE, at.STAGE)
    else:
        state_at(size, m, h, part_of_step)
    now, end = m.floats[at.NOW], m.floats[at.STEP_END]
    m.floats[at.SIGNAL_TIME] = end if part_of_step == 1.0 else min(now + part_of_step * h, end)
    signals(size, m, m.floats[at.SIGNAL_TIME])
    return zero_crossing(size, m)

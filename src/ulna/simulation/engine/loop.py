"""The engine: from segment to segment, from step to step, until Python is needed."""

from __future__ import annotations

from ulna.arrays import Array
from ulna.dynamics import packed as link
from ulna.kernels import inlined, inner, kernel
from ulna.simulation.engine import places as at
from ulna.simulation.engine.explicit import prepare_dense, slope_at_end
from ulna.simulation.engine.hooks import call_let_happen, call_part, call_settle
from ulna.simulation.engine.memory import Control, Memory, Record
from ulna.simulation.engine.schedule import hold, open_segment
from ulna.simulation.engine.slope import copy, motor_torque, slope
from ulna.simulation.engine.stepping import (
    attempt,
    is_judged,
    note_error,
    state_at,
    step_size,
    take_halves,
)
from ulna.simulation.engine.times import slack

ON_TIME = 1e-9  # of a step, by which a sample may be early or late


@kernel
def advance(size: int, m: Memory, control: Control, record: Record, budget: int) -> int:
    """Take steps until the target time, the end of the budget, or a reason to stop.

    With FINISH in place of a budget it only records what is due at the very end.
    """
    samples, log = record.samples, record.log
    if budget == at.FINISH:
        _finish_samples(size, m, control, samples)
        return at.REACHED
    for _ in range(budget):
        if m.whole[at.OPEN] == 0:
            code = _begin(size, m, control, log)
            if code != at.BUDGET:
                return code
        h = step_size(size, m)
        judged = m.whole[at.ADAPTIVE] == 0 and is_judged(m)
        if judged:
            take_halves(size, m, h)
        code = attempt(size, m, h)
        if code == at.BUDGET:
            if judged:
                note_error(size, m, h)
            code = accept(size, m, samples, log, h)
        elif code == at.AGAIN:
            continue
        if code != at.BUDGET:
            return code
    return at.BUDGET


@inlined
def _begin(size: int, m: Memory, control: Control, log: Array) -> int:
    code = open_segment(size, m, control)
    if code == at.BUDGET and m.whole[at.WATCHING] != 0:
        call_settle(size, m, log)
    return code


@inlined
def accept(size: int, m: Memory, samples: Array, log: Array, h: float) -> int:
    """Look into the step for events and samples, then make its end the state."""
    whole = m.whole
    copy(size, m, at.TRIAL, at.AHEAD)
    set_end(m, h)
    which = -1
    sampled = _is_sampled(m, samples, h)
    plain = whole[at.ADAPTIVE] + whole[at.WATCHING] == 0 and whole[at.METHOD] != at.GAUSS4
    if sampled and plain and _is_at_start(m, samples, h):
        _write_start(size, m, samples)
        sampled = _is_sampled(m, samples, h)
    if sampled or not plain:
        which = _look_inside(size, m, samples, log, h, sampled)
    copy(size, m, at.AHEAD, at.STATE)
    whole[at.STEPS] += 1
    if which >= 0:
        return call_let_happen(size, m, log, which)
    m.real[at.NOW] = m.real[at.STEP_END]
    whole[at.STEP_INDEX] += 1
    if m.real[at.NOW] == m.real[at.STOP]:
        whole[at.OPEN] = 0
    return at.BUDGET


@inlined
def _is_sampled(m: Memory, samples: Array, h: float) -> bool:
    row = m.whole[at.SAMPLE]
    return bool(row < len(samples) and samples[row, 0] < m.real[at.NOW] + h * (1.0 - ON_TIME))


@inner
def _look_inside(size: int, m: Memory, samples: Array, log: Array, h: float, sampled: bool) -> int:
    """Do what a step needs besides its end; return which event is first in it, or −1."""
    whole, now = m.whole, m.real[at.NOW]
    watched = whole[at.WATCHING] != 0
    if whole[at.METHOD] == at.GAUSS4:
        call_part(whole[at.KEEP_PART], size, m, h)
    if whole[at.ADAPTIVE] != 0:
        slope_at_end(size, m, now, h)
        if watched or sampled:
            prepare_dense(size, m, now, h)
    end, which = 1.0, -1
    if watched:
        which = int(call_part(whole[at.WATCH_PART], size, m, log, at.FIND, 0, h))
        end = m.real[at.FOUND]
    if sampled:
        _take_samples(size, m, samples, h, end)
    if whole[at.ADAPTIVE] != 0:
        copy(size, m, at.END, at.SLOPES)
        whole[at.FRESH] = 1
    return which


@inlined
def set_end(m: Memory, h: float) -> None:
    """Say when the step ends: one number, whoever asks, or events at its end would be lost."""
    real, whole = m.real, m.whole
    if whole[at.ADAPTIVE] == 0:
        last = whole[at.STEP_INDEX] + 1 == whole[at.STEP_COUNT]
    else:
        last = real[at.NOW] + h >= real[at.STOP] - slack(real[at.STOP])
    real[at.STEP_END] = real[at.STOP] if last else real[at.NOW] + h


@inner
def _take_samples(size: int, m: Memory, samples: Array, h: float, end: float) -> None:
    now, early = m.real[at.NOW], h * ON_TIME
    while m.whole[at.SAMPLE] < len(samples) and m.whole[at.FAULT] == 0:
        t = samples[m.whole[at.SAMPLE], 0]
        if t >= now + end * h - early:
            return
        if t <= now + early:
            copy(size, m, at.STATE, at.STAGE)
        else:
            state_at(size, m, h, (t - now) / h)
        _write_sample(size, m, samples, t)


@inlined
def _is_at_start(m: Memory, samples: Array, h: float) -> bool:
    """Return whether the next sample is where a step starts, and all is known of it already."""
    steady = m.whole[at.METHOD] == at.RK4 and m.whole[at.INPUTS] == at.STEADY
    return bool(steady and samples[m.whole[at.SAMPLE], 0] <= m.real[at.NOW] + h * ON_TIME)


@inlined
def _write_start(size: int, m: Memory, samples: Array) -> None:
    """Record the start of a step, whose accelerations are its first slope."""
    n, row = size, m.whole[at.SAMPLE]
    for part in range(2):
        for i in range(n + 1):
            samples[row, 1 + part * (n + 1) + i] = m.vectors[at.STATE + part, i]
    for i in range(n):
        samples[row, 3 + 2 * n + i] = m.vectors[at.SLOPES + 1, i]
    _write_inputs(size, m, samples, samples[row, 0])


@inner
def _write_sample(size: int, m: Memory, samples: Array, t: float) -> None:
    """Record the state STAGE, its accelerations, and what acts on it, unless a function fails."""
    n, row = size, m.whole[at.SAMPLE]
    slope(size, m, t, at.SPARE)
    if m.whole[at.FAULT] != 0:
        return
    for part in range(2):
        for i in range(n + 1):
            samples[row, 1 + part * (n + 1) + i] = m.vectors[at.STAGE + part, i]
    for i in range(n):
        samples[row, 3 + 2 * n + i] = m.links[i, link.TURNING]
    _write_inputs(size, m, samples, t)


@inlined
def _write_inputs(size: int, m: Memory, samples: Array, t: float) -> None:
    """Record the motors' torques and the force on the tip, and complete the sample."""
    n, row, links, whole = size, m.whole[at.SAMPLE], m.links, m.whole
    first, since = 3 + 3 * n, t - m.real[at.HOLD_START]
    disturbed = whole[at.DISTURBANCES] != 0
    for i in range(n):
        samples[row, first + i] = motor_torque(m, i, since)
    held = at.TIP_OWN if disturbed else at.TIP_HOLD
    for k in range(3):
        force = links[n, held + k] + links[n, at.TIP_RAMP + k] * since
        samples[row, first + n + k] = force + links[n, at.TIP_LIVE + k]
    if whole[at.KEPT] != 0:
        _write_signals(size, m, samples, since)
    whole[at.SAMPLE] += 1


@inner
def _write_signals(size: int, m: Memory, samples: Array, since: float) -> None:
    """Record what the controller asked for, read and was to follow, and what disturbs."""
    n, row, links, whole = size, m.whole[at.SAMPLE], m.links, m.whole
    place = 6 + 4 * n
    if whole[at.KEPT] & at.KEEP_CONTROL:
        noted = whole[at.NOTED] + at.COMMANDED * n
        for k in range(at.KEPT_NOTES * n):
            samples[row, place + k] = m.real[noted + k]
        for i in range(n):
            samples[row, place + i] += links[i, at.RAMP] * since + links[i, at.LIVE]
        place += at.KEPT_NOTES * n
    if whole[at.KEPT] & at.KEEP_PUSHES:
        for i in range(n):
            samples[row, place + i] = links[i, at.PUSH]
        for k in range(3):
            samples[row, place + n + k] = links[n, at.TIP_PUSH + k]


@inner
def _finish_samples(size: int, m: Memory, control: Control, samples: Array) -> None:
    """Record what is due at the very end, under the inputs that acted until then."""
    now = m.real[at.NOW]
    if m.whole[at.STEPS] == 0:
        hold(size, m, control)
    end = now + slack(now)
    while m.whole[at.SAMPLE] < len(samples) and samples[m.whole[at.SAMPLE], 0] <= end:
        copy(size, m, at.STATE, at.STAGE)
        _write_sample(size, m, samples, now)
        if m.whole[at.FAULT] != 0:
            return


@kernel
def evaluate(size: int, m: Memory, control: Control, t: float) -> None:
    """Work out what acts on the state STAGE at time t, and its accelerations."""
    if m.whole[at.OPEN] == 0:
        hold(size, m, control)
    slope(size, m, t, at.SPARE)

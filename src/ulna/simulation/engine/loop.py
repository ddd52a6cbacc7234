"""The engine's loop for one arm: segment by segment, step by step, until Python is needed."""

from __future__ import annotations

from ulna.arrays import Array
from ulna.dynamics import packed as link
from ulna.kernels import inlined, inner, kernel
from ulna.kinematics.posture_kernels import FINE, OVERFLOW, checked, finite_rows
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.explicit import derivative_at_end, explicit_step, prepare_dense
from ulna.simulation.engine.memory import ControlMemory, Memory, Record
from ulna.simulation.engine.schedule import hold, open_segment, slack
from ulna.simulation.engine.state_derivative import (
    call_account,
    call_friction,
    call_handle_events,
    call_part,
    call_update_contacts,
    copy,
    motor_torque,
    state_derivative,
)
from ulna.simulation.engine.stepping import (
    accumulate_error,
    attempt,
    is_checked,
    state_at,
    step_size,
    take_half_steps,
)

ON_TIME = 1e-9  # of a step, by which a sample may be early or late


@kernel
def advance(size: int, m: Memory, control: ControlMemory, record: Record, budget: int) -> int:
    """Take steps until the target time, the end of the budget, or a reason to stop.

    With FINISH in place of a budget it only records what is due at the very end.
    """
    samples, log = record.samples, record.log
    if budget == at.FINISH:
        _finish_samples(size, m, control, samples)
        return at.REACHED
    for _ in range(budget):
        if m.ints[at.OPEN] == 0:
            code = _begin(size, m, control, log)
            if code != at.BUDGET:
                return code
        h = step_size(size, m)
        checked = m.ints[at.ADAPTIVE] == 0 and is_checked(m)
        if checked:
            take_half_steps(size, m, h)
        code = attempt(size, m, h)
        if code == at.BUDGET:
            if checked:
                accumulate_error(size, m, h)
            code = accept(size, m, samples, log, h)
        elif code == at.AGAIN:
            continue
        if code != at.BUDGET:
            return code
    return at.BUDGET


@inlined
def _begin(size: int, m: Memory, control: ControlMemory, log: Array) -> int:
    code = open_segment(size, m, control)
    if code == at.BUDGET and m.ints[at.WATCHING] != 0:
        call_update_contacts(size, m, log)
    return code


@inlined
def accept(size: int, m: Memory, samples: Array, log: Array, h: float) -> int:
    """Find events and samples within the step, then make its end the state."""
    ints = m.ints
    copy(size, m, at.TRIAL, at.NEXT_STATE)
    set_end(m, h)
    which = -1
    sampled = _is_sampled(m, samples, h)
    plain = ints[at.ADAPTIVE] + ints[at.WATCHING] + ints[at.ITERATIVE] == 0
    if sampled and plain and _is_at_start(m, samples, h):
        _write_start(size, m, samples)
        sampled = _is_sampled(m, samples, h)
    if sampled or not plain:
        which = _process_step(size, m, samples, log, h, sampled)
    copy(size, m, at.NEXT_STATE, at.STATE)
    ints[at.STEPS] += 1
    ints[at.SWITCHES_HELD] = 0
    if ints[at.MOTORS] != 0:
        end = m.floats[at.SIGNAL_TIME] if which >= 0 else m.floats[at.STEP_END]
        call_account(size, m, at.NOTE_STEP, at.NONE, end, end - m.floats[at.NOW])
    if which >= 0:
        return call_handle_events(size, m, log, which)
    m.floats[at.NOW] = m.floats[at.STEP_END]
    ints[at.STEP_INDEX] += 1 - ints[at.CUT]
    if m.floats[at.NOW] == m.floats[at.STOP]:
        ints[at.OPEN] = 0
    return at.BUDGET


@inlined
def _is_sampled(m: Memory, samples: Array, h: float) -> bool:
    row = m.ints[at.SAMPLE]
    return bool(row < len(samples) and samples[row, 0] < m.floats[at.NOW] + h * (1.0 - ON_TIME))


@inner
def _process_step(size: int, m: Memory, samples: Array, log: Array, h: float, sampled: bool) -> int:
    """Find events and take samples within a step; return the first event, or −1."""
    ints, now = m.ints, m.floats[at.NOW]
    watched = ints[at.WATCHING] != 0
    if ints[at.ITERATIVE] != 0:
        call_part(ints[at.KEEP_PART], size, m, h)
    if ints[at.ADAPTIVE] != 0:
        derivative_at_end(size, m, now, h)
        if watched or sampled:
            prepare_dense(size, m, now, h)
    end, which = 1.0, -1
    if watched:
        which = int(call_part(ints[at.WATCH_PART], size, m, log, at.FIND_EVENT, 0, h))
        end = m.floats[at.FOUND]
    if sampled:
        _take_samples(size, m, samples, h, end)
    if ints[at.ADAPTIVE] != 0 and ints[at.WINDINGS] != 0:
        call_account(size, m, at.NOTE_HEAT, at.NONE, now, h)
    if ints[at.ADAPTIVE] != 0:
        copy(size, m, at.END, at.DERIVATIVES)
        ints[at.FSAL_VALID] = 1
    return which


@inlined
def set_end(m: Memory, h: float) -> None:
    """Set the end of the step: one number for all, or events at its end would be missed."""
    floats, ints = m.floats, m.ints
    if ints[at.ADAPTIVE] == 0:
        last = ints[at.STEP_INDEX] + 1 == ints[at.STEP_COUNT] and ints[at.CUT] == 0
    else:
        last = floats[at.NOW] + h >= floats[at.STOP] - slack(floats[at.STOP])
    floats[at.STEP_END] = floats[at.STOP] if last else floats[at.NOW] + h


@inner
def _take_samples(size: int, m: Memory, samples: Array, h: float, end: float) -> None:
    now, early = m.floats[at.NOW], h * ON_TIME
    while m.ints[at.SAMPLE] < len(samples) and m.ints[at.FAULT] == 0:
        t = samples[m.ints[at.SAMPLE], 0]
        if t >= now + end * h - early:
            return
        if _is_at_start(m, samples, h):
            _write_start(size, m, samples)
            continue
        if t <= now + early:
            copy(size, m, at.STATE, at.STAGE)
        else:
            state_at(size, m, h, (t - now) / h)
        _write_sample(size, m, samples, t)


@inlined
def _is_at_start(m: Memory, samples: Array, h: float) -> bool:
    """Return whether the next sample is where a step starts, and all is known of it already."""
    steady = m.ints[at.METHOD] == at.CHAINED and m.ints[at.INPUTS] == at.STEADY
    steady = steady and m.ints[at.SETTLINGS] == 0
    return bool(steady and samples[m.ints[at.SAMPLE], 0] <= m.floats[at.NOW] + h * ON_TIME)


@inlined
def _write_start(size: int, m: Memory, samples: Array) -> None:
    """Record the start of a step, whose accelerations are in its first derivative."""
    n, row = size, m.ints[at.SAMPLE]
    for part in range(2):
        for i in range(n + 1):
            samples[row, 1 + part * (n + 1) + i] = m.vectors[at.STATE + part, i]
    for i in range(n):
        samples[row, 3 + 2 * n + i] = m.vectors[at.DERIVATIVES + 1, i]
    if m.ints[at.MOTORS] != 0:
        copy(size, m, at.STATE, at.STAGE)
        call_account(size, m, at.SHOW_START, at.NONE, samples[row, 0], 0.0)
    _write_inputs(size, m, samples, samples[row, 0])


@inner
def _write_sample(size: int, m: Memory, samples: Array, t: float) -> None:
    """Record the state STAGE, its accelerations, and what acts on it, unless a function fails."""
    n, row = size, m.ints[at.SAMPLE]
    state_derivative(size, m, t, at.SCRATCH)
    if m.ints[at.FAULT] != 0:
        return
    for part in range(2):
        for i in range(n + 1):
            samples[row, 1 + part * (n + 1) + i] = m.vectors[at.STAGE + part, i]
    for i in range(n):
        samples[row, 3 + 2 * n + i] = m.links[i, link.QDD]
    _write_inputs(size, m, samples, t)


@inlined
def _write_inputs(size: int, m: Memory, samples: Array, t: float) -> None:
    """Record the motors' torques and the force on the tip, and complete the sample."""
    n, row, links, ints = size, m.ints[at.SAMPLE], m.links, m.ints
    first, since = 3 + 3 * n, t - m.floats[at.HOLD_START]
    disturbed = ints[at.DISTURBANCES] != 0
    for i in range(n):
        samples[row, first + i] = (
            links[i, at.MOTOR] if ints[at.MOTORS] != 0 else motor_torque(m, i, since)
        )
    held = at.TIP_UNDISTURBED if disturbed else at.TIP_HOLD
    for k in range(3):
        force = links[n, held + k] + links[n, at.TIP_RAMP + k] * since
        samples[row, first + n + k] = force + links[n, at.TIP_LIVE + k]
    if ints[at.KEPT] != 0:
        _write_signals(size, m, samples, since)
    ints[at.SAMPLE] += 1


@inner
def _write_signals(size: int, m: Memory, samples: Array, since: float) -> None:
    """Record the controller's command, measurement and reference, and the disturbances."""
    n, row, links, ints = size, m.ints[at.SAMPLE], m.links, m.ints
    place = 6 + 4 * n
    if ints[at.KEPT] & at.KEEP_CONTROL:
        noted = ints[at.NOTED] + at.COMMANDED * n
        for k in range(at.KEPT_NOTES * n):
            samples[row, place + k] = m.floats[noted + k]
        for i in range(n):
            samples[row, place + i] += links[i, at.RAMP] * since + links[i, at.LIVE]
        place += at.KEPT_NOTES * n
    if ints[at.KEPT] & at.KEEP_DISTURBANCES:
        for i in range(n):
            samples[row, place + i] = links[i, at.DISTURBANCE_TORQUE]
        for k in range(3):
            samples[row, place + n + k] = links[n, at.TIP_DISTURBANCE + k]
        place += n + 3
    if ints[at.KEPT] & at.KEEP_MOTORS:
        call_account(size, m, at.SHOW, at.NONE, samples[row, 0], 0.0)
        for k in range(5 * n + at.ENERGIES):
            samples[row, place + k] = m.floats[ints[at.SHOWN] + k]


@inner
def _finish_samples(size: int, m: Memory, control: ControlMemory, samples: Array) -> None:
    """Record what is due at the very end, under the inputs that acted until then."""
    now = m.floats[at.NOW]
    if m.ints[at.STEPS] == 0:
        hold(size, m, control)
    end = now + slack(now)
    while m.ints[at.SAMPLE] < len(samples) and samples[m.ints[at.SAMPLE], 0] <= end:
        copy(size, m, at.STATE, at.STAGE)
        _write_sample(size, m, samples, now)
        if m.ints[at.FAULT] != 0:
            return


@kernel
def evaluate(size: int, m: Memory, control: ControlMemory, t: float) -> None:
    """Compute what acts on the state STAGE at time t, and its accelerations."""
    if m.ints[at.OPEN] == 0:
        hold(size, m, control)
        if m.ints[at.FRICTIONAL] != 0:
            copy(size, m, at.STAGE, at.SAVED_STATE)
            call_friction(size, m, at.PROBE, t)
            copy(size, m, at.SAVED_STATE, at.STAGE)
    state_derivative(size, m, t, at.SCRATCH)


@kernel
def step_one(size: int, m: Memory, q: Array, qd: Array, tau: Array, h: float, found: Array) -> int:
    """Take a step of RK4 under held torques; found (2, n) are the new angles and rates."""
    code = checked(size, q)
    code = checked(size, qd) if code == FINE else code
    code = checked(size, tau) if code == FINE else code
    if code != FINE:
        return code
    n = size
    v = m.vectors
    for i in range(n):
        v[at.STATE, i], v[at.STATE + 1, i], m.links[i, at.HOLD] = q[i], qd[i], tau[i]
    explicit_step(size, m, 0.0, h)
    for i in range(n):
        found[0, i], found[1, i] = v[at.TRIAL, i], v[at.TRIAL + 1, i]
    return FINE if finite_rows(found) else OVERFLOW

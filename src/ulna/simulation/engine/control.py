"""The controller's ticks: its measurements, its reference, and its torques within their limits."""

from __future__ import annotations

from ulna.arrays import Array
from ulna.kernels import inlined, inner
from ulna.lanes import any_lane, floor, is_scalar, numbers, select
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.hooks import call_law, call_sensors
from ulna.simulation.engine.memory import ControlMemory, Memory
from ulna.simulation.engine.noise import draw_normal
from ulna.simulation.engine.times import slack


@inlined
def control_tick(size: int, m: Memory, control: ControlMemory) -> int:
    """Call the controller if its tick has come; return BUDGET, or what Python has to do."""
    floats, ints = m.floats, m.ints
    t = ints[at.TICK] * floats[at.PERIOD]
    if t > floats[at.NOW] + slack(floats[at.NOW]):
        return at.BUDGET
    row = ints[at.TICK] - ints[at.FIRST_REFERENCE]
    if row >= len(control.reference_table) and ints[at.SETPOINT] == 0:
        return at.REFERENCE
    if ints[at.MEASURED] == 0:
        _measure(size, m, control)
    if ints[at.SETPOINT] == 0:
        _set_reference(size, control, row)
    if ints[at.CONTROLLED] != at.PYTHON_CONTROLLER:
        _call_law(m, control, t)
    elif ints[at.ANSWERED] == 0:
        return at.CONTROL
    if is_scalar(m.vectors):
        if not _is_answered(size, control):
            return at.FAULTY
        _note(size, m, control, t)
    _limit(size, m, control)
    ints[at.TICK] += 1
    ints[at.MEASURED] = ints[at.ANSWERED] = 0
    return at.BUDGET


@inlined
def _limit(size: int, m: Memory, control: ControlMemory) -> None:
    """Saturate the torques at the limits of the joints."""
    for i in range(size):
        most, torque = m.links[i, at.TORQUE_LIMIT], control.tau[i]
        if any_lane(abs(torque) > most):
            control.tau[i] = select(torque > most, most, select(torque < -most, -most, torque))


@inlined
def _measure(size: int, m: Memory, control: ControlMemory) -> None:
    m.ints[at.MEASURED] = 1
    if m.ints[at.PERFECT] == 0:
        call_sensors(size, m, control)
        return
    for i in range(size):
        control.q[i] = m.vectors[at.STATE, i]
        control.qd[i] = m.vectors[at.STATE + 1, i]


@inlined
def _set_reference(size: int, control: ControlMemory, row: int) -> None:
    """Set the reference of this tick."""
    reference_table, reference = control.reference_table, numbers(control.reference)
    for part in range(3):
        for i in range(size):
            if reference_table.shape[3] == 1:
                control.reference[part, i] = reference_table[row, part, i, 0]
                continue
            for w in range(reference.shape[2]):
                reference[part, i, w] = reference_table[row, part, i, w]


@inlined
def _call_law(m: Memory, control: ControlMemory, t: float) -> None:
    """Call a compiled control law, which writes the torques."""
    call_law(
        m.ints[at.LAW_CALL],
        t,
        numbers(control.q),
        numbers(control.qd),
        numbers(control.reference),
        numbers(control.params),
        numbers(control.state),
        numbers(control.tau),
    )


@inlined
def _is_answered(size: int, control: ControlMemory) -> bool:
    """Return whether the controller of a single arm returned finite torques."""
    total, tau = 0.0, numbers(control.tau)
    for i in range(size):
        # Zero, unless the torque is infinite or NaN.
        total += tau[i, 0] * 0.0
    return bool(total == 0.0)


@inlined
def _note(size: int, m: Memory, control: ControlMemory, t: float) -> None:
    """Record a tick of a single arm's controller, before its torques are saturated."""
    _note_saturation(size, m, control, t)
    if m.ints[at.KEPT] & at.KEEP_CONTROL:
        _note_signals(size, m, control)


@inlined
def _note_saturation(size: int, m: Memory, control: ControlMemory, t: float) -> None:
    """Record which joints reach or leave their torque limits at a tick."""
    n, floats = size, m.floats
    tau, links = numbers(control.tau), numbers(m.links)
    for i in range(n):
        place = m.ints[at.NOTED] + i
        beyond = abs(tau[i, 0]) > links[i, at.TORQUE_LIMIT, 0]
        if beyond != (floats[place + at.SATURATED * n] != 0.0):
            _note_change(n, floats, place, beyond, t)


@inner
def _note_change(n: int, floats: Array, place: int, beyond: bool, t: float) -> None:
    floats[place + at.SATURATED * n] = 1.0 if beyond else 0.0
    if not beyond:
        floats[place + at.SATURATED_TIME * n] += t - floats[place + at.SATURATED_SINCE * n]
        return
    if floats[place + at.EPISODES * n] == 0.0:
        floats[place + at.SATURATED_FIRST * n] = t
    floats[place + at.EPISODES * n] += 1.0
    floats[place + at.SATURATED_SINCE * n] = t


@inlined
def _note_signals(size: int, m: Memory, control: ControlMemory) -> None:
    """Record the measurement, the reference, and the torque that was requested."""
    n, floats, noted = size, m.floats, m.ints[at.NOTED]
    q, qd, reference = numbers(control.q), numbers(control.qd), numbers(control.reference)
    tau = numbers(control.tau)
    for i in range(n):
        floats[noted + at.REQUESTED * n + i] = tau[i, 0]
        floats[noted + at.MEASUREMENT * n + i] = q[i, 0]
        floats[noted + (at.MEASUREMENT + 1) * n + i] = qd[i, 0]
        for part in range(3):
            floats[noted + (at.FOLLOWED + part) * n + i] = reference[part, i, 0]


@inner
def read_sensors(size: int, m: Memory, control: ControlMemory) -> None:
    """Read angles and rates as the sensors do: with noise, quantisation and delay."""
    n = size
    ints, per_arm = m.ints, m.per_arm
    tick, late, past = ints[at.TICK], ints[at.DELAY], ints[at.PAST]
    for part in range(2):
        for i in range(n):
            value = m.vectors[at.STATE + part, i]
            place = ints[at.SENSOR] + 2 * (part * n + i)
            deviation, step = per_arm[place], per_arm[place + 1]
            if any_lane(deviation > 0.0):
                kind, seed = at.ANGLE_NOISE + part, ints[at.SENSOR_SEED]
                value = value + deviation * draw_normal(m, seed, kind, at.SENSORS, tick, i)
            if any_lane(step > 0.0):
                value = select(step > 0.0, step * floor(value / step + 0.5), value)
            newest = tick % (late + 1)
            for k in range(late + 1):
                # Before the start the arm was as it is now.
                if k == newest or tick == 0:
                    per_arm[past + (k * 2 + part) * n + i] = value
    oldest = past + (tick + 1) % (late + 1) * 2 * n
    for i in range(n):
        control.q[i], control.qd[i] = per_arm[oldest + i], per_arm[oldest + n + i]

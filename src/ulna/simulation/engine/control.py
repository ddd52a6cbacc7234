"""The controller's ticks: what it is shown, and what becomes of its answer."""

from __future__ import annotations

from ulna.arrays import Array
from ulna.control.laws import call_law
from ulna.kernels import inlined, inner
from ulna.lanes import alone, choose, floor, numbers, some
from ulna.simulation.engine import places as at
from ulna.simulation.engine.hooks import call_sensors
from ulna.simulation.engine.memory import Control, Memory
from ulna.simulation.engine.noise import draw_normal
from ulna.simulation.engine.times import slack


@inlined
def let_control(size: int, m: Memory, control: Control) -> int:
    """Let the controller speak if its tick has come; return BUDGET, or what Python has to do."""
    real, whole = m.real, m.whole
    t = whole[at.TICK] * real[at.PERIOD]
    if t > real[at.NOW] + slack(real[at.NOW]):
        return at.BUDGET
    row = whole[at.TICK] - whole[at.FIRST_REFERENCE]
    if row >= len(control.references) and whole[at.AIM_STILL] == 0:
        return at.REFERENCE
    if whole[at.SEEN] == 0:
        _see(size, m, control)
    if whole[at.AIM_STILL] == 0:
        _aim(size, control, row)
    if whole[at.CONTROLLED] != at.AROUND:
        _obey(m, control, t)
    elif whole[at.ANSWERED] == 0:
        return at.CONTROL
    if alone(m.vectors):
        if not _is_answered(size, control):
            return at.FAULTY
        _note(size, m, control, t)
    _limit(size, m, control)
    whole[at.TICK] += 1
    whole[at.SEEN] = whole[at.ANSWERED] = 0
    return at.BUDGET


@inlined
def _limit(size: int, m: Memory, control: Control) -> None:
    """Cut the torques at what the joints can give."""
    for i in range(size):
        most, torque = m.links[i, at.LIMIT], control.tau[i]
        if some(abs(torque) > most):
            control.tau[i] = choose(torque > most, most, choose(torque < -most, -most, torque))


@inlined
def _see(size: int, m: Memory, control: Control) -> None:
    m.whole[at.SEEN] = 1
    if m.whole[at.PERFECT] == 0:
        call_sensors(size, m, control)
        return
    for i in range(size):
        control.q[i] = m.vectors[at.STATE, i]
        control.qd[i] = m.vectors[at.STATE + 1, i]


@inlined
def _aim(size: int, control: Control, row: int) -> None:
    """Say what is to be followed now."""
    references, aim = control.references, numbers(control.aim)
    for part in range(3):
        for i in range(size):
            if references.shape[3] == 1:
                control.aim[part, i] = references[row, part, i, 0]
                continue
            for w in range(aim.shape[2]):
                aim[part, i, w] = references[row, part, i, w]


@inlined
def _obey(m: Memory, control: Control, t: float) -> None:
    """Let a compiled law write the torques."""
    call_law(
        m.whole[at.LAW_CALL],
        t,
        numbers(control.q),
        numbers(control.qd),
        numbers(control.aim),
        numbers(control.params),
        numbers(control.state),
        numbers(control.tau),
    )


@inlined
def _is_answered(size: int, control: Control) -> bool:
    """Return whether the controller of a single arm gave a finite torque for every joint."""
    total, tau = 0.0, numbers(control.tau)
    for i in range(size):
        # Zero, unless the torque is infinite or NaN.
        total += tau[i, 0] * 0.0
    return bool(total == 0.0)


@inlined
def _note(size: int, m: Memory, control: Control, t: float) -> None:
    """Note what a tick of a single arm's controller was like, before its torques are cut."""
    _note_saturation(size, m, control, t)
    if m.whole[at.KEPT] & at.KEEP_CONTROL:
        _note_signals(size, m, control)


@inlined
def _note_saturation(size: int, m: Memory, control: Control, t: float) -> None:
    """Note which joints come to their torque limits at a tick, or leave them."""
    n, real = size, m.real
    tau, links = numbers(control.tau), numbers(m.links)
    for i in range(n):
        place = m.whole[at.NOTED] + i
        beyond = abs(tau[i, 0]) > links[i, at.LIMIT, 0]
        if beyond != (real[place + at.SATURATED * n] != 0.0):
            _note_change(n, real, place, beyond, t)


@inner
def _note_change(n: int, real: Array, place: int, beyond: bool, t: float) -> None:
    real[place + at.SATURATED * n] = 1.0 if beyond else 0.0
    if not beyond:
        real[place + at.SATURATED_TIME * n] += t - real[place + at.SATURATED_SINCE * n]
        return
    if real[place + at.EPISODES * n] == 0.0:
        real[place + at.SATURATED_FIRST * n] = t
    real[place + at.EPISODES * n] += 1.0
    real[place + at.SATURATED_SINCE * n] = t


@inlined
def _note_signals(size: int, m: Memory, control: Control) -> None:
    """Note what the controller read, was to follow, and asked for."""
    n, real, noted = size, m.real, m.whole[at.NOTED]
    q, qd, aim = numbers(control.q), numbers(control.qd), numbers(control.aim)
    tau = numbers(control.tau)
    for i in range(n):
        real[noted + at.ASKED * n + i] = tau[i, 0]
        real[noted + at.READ * n + i] = q[i, 0]
        real[noted + (at.READ + 1) * n + i] = qd[i, 0]
        for part in range(3):
            real[noted + (at.AIMED + part) * n + i] = aim[part, i, 0]


@inner
def measure(size: int, m: Memory, control: Control) -> None:
    """Read angles and rates as the controller's sensors do: noisy, in steps, late."""
    n = size
    whole, each = m.whole, m.each
    tick, late, past = whole[at.TICK], whole[at.DELAY], whole[at.PAST]
    for part in range(2):
        for i in range(n):
            value = m.vectors[at.STATE + part, i]
            place = whole[at.SENSOR] + 2 * (part * n + i)
            deviation, step = each[place], each[place + 1]
            if some(deviation > 0.0):
                kind, seed = at.ANGLE_NOISE + part, whole[at.SENSOR_SEED]
                value = value + deviation * draw_normal(m, seed, kind, at.SENSORS, tick, i)
            if some(step > 0.0):
                value = choose(step > 0.0, step * floor(value / step + 0.5), value)
            newest = tick % (late + 1)
            for k in range(late + 1):
                # Before the start the arm stood as it stands now.
                if k == newest or tick == 0:
                    each[past + (k * 2 + part) * n + i] = value
    oldest = past + (tick + 1) % (late + 1) * 2 * n
    for i in range(n):
        control.q[i], control.qd[i] = each[oldest + i], each[oldest + n + i]

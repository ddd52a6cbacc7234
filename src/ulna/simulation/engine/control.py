"""The controller's ticks: what it is shown, and what becomes of its answer."""

from __future__ import annotations

from ulna.control.laws import law_at
from ulna.kernels import count, inlined, inner
from ulna.lanes import choose, floor, numbers, some
from ulna.simulation.engine import places as at
from ulna.simulation.engine.memory import Control, Memory
from ulna.simulation.engine.noise import draw_normal
from ulna.simulation.engine.times import slack


@inlined
def let_control(size: object, m: Memory, control: Control) -> int:
    """Let the controller speak if its tick has come; gives BUDGET, or what Python has to do."""
    real, whole = m.real, m.whole
    t = whole[at.TICK] * real[at.PERIOD]
    if t > real[at.NOW] + slack(real[at.NOW]):
        return at.BUDGET
    row = whole[at.TICK] - whole[at.FIRST_REFERENCE]
    if row >= len(control.references) and whole[at.AIM_STILL] == 0:
        return at.REFERENCE
    if whole[at.SEEN] == 0:
        _see(size, m, control)
    if whole[at.CONTROLLED] != at.AROUND:
        if whole[at.AIM_STILL] == 0:
            _aim(size, control, row)
        _obey(m, control, t)
    elif whole[at.ANSWERED] == 0:
        return at.CONTROL
    for i in range(count(size)):
        most, torque = m.links[i, at.LIMIT], control.tau[i]
        if some(abs(torque) > most):
            control.tau[i] = choose(torque > most, most, choose(torque < -most, -most, torque))
            whole[at.SATURATED] += 1
    whole[at.TICK] += 1
    whole[at.SEEN] = whole[at.ANSWERED] = 0
    return at.BUDGET


@inlined
def _see(size: object, m: Memory, control: Control) -> None:
    m.whole[at.SEEN] = 1
    if m.whole[at.PERFECT] == 0:
        _measure(size, m, control)
        return
    for i in range(count(size)):
        control.q[i] = m.vectors[at.STATE, i]
        control.qd[i] = m.vectors[at.STATE + 1, i]


@inlined
def _aim(size: object, control: Control, row: int) -> None:
    """Say what is to be followed now."""
    references, aim = control.references, numbers(control.aim)
    for part in range(3):
        for i in range(count(size)):
            if references.shape[3] == 1:
                control.aim[part, i] = references[row, part, i, 0]
                continue
            for w in range(aim.shape[2]):
                aim[part, i, w] = references[row, part, i, w]


@inlined
def _obey(m: Memory, control: Control, t: float) -> None:
    """Let a compiled law write the torques."""
    law_at(m.whole[at.LAW_CALL])(
        t,
        numbers(control.q),
        numbers(control.qd),
        numbers(control.aim),
        numbers(control.params),
        numbers(control.state),
        numbers(control.tau),
    )


@inner
def _measure(size: object, m: Memory, control: Control) -> None:
    """Read angles and rates as the controller's sensors do: noisy, in steps, late."""
    n = count(size)
    whole, each = m.whole, m.each
    tick, late, past = whole[at.TICK], whole[at.DELAY], whole[at.PAST]
    for part in range(2):
        for i in range(n):
            value = m.vectors[at.STATE + part, i]
            place = whole[at.SENSOR] + 2 * (part * n + i)
            deviation, step = each[place], each[place + 1]
            if some(deviation > 0.0):
                value = value + deviation * draw_normal(
                    m, whole[at.SENSOR_SEED], tick, 2 * i + part
                )
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

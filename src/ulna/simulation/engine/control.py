"""The controller's ticks: what it is shown, and what becomes of its answer."""

from __future__ import annotations

import math

from ulna.control.laws import law_at
from ulna.kernels import count, inlined, inner
from ulna.simulation.engine import places as at
from ulna.simulation.engine.memory import Control, Memory
from ulna.simulation.engine.noise import normal
from ulna.simulation.engine.times import slack


@inlined
def let_control(size: object, m: Memory, control: Control) -> int:
    """Let the controller speak if its tick has come; gives BUDGET, or what Python has to do."""
    real, whole = m.real, m.whole
    t = whole[at.TICK] * real[at.PERIOD]
    if t > real[at.NOW] + slack(real[at.NOW]):
        return at.BUDGET
    row = whole[at.TICK] - whole[at.FIRST_REFERENCE]
    if row >= len(control.references):
        return at.REFERENCE
    if whole[at.SEEN] == 0:
        if whole[at.PERFECT] != 0:
            for i in range(count(size)):
                control.q[i, 0] = m.vectors[at.STATE, i]
                control.qd[i, 0] = m.vectors[at.STATE + 1, i]
        else:
            _measure(size, m, control)
        whole[at.SEEN] = 1
    if whole[at.CONTROLLED] == at.AROUND:
        if whole[at.ANSWERED] == 0:
            return at.CONTROL
    else:
        law_at(whole[at.LAW_CALL])(
            t,
            control.q,
            control.qd,
            control.references[row],
            control.params,
            control.state,
            control.tau,
        )
    for i in range(count(size)):
        most = m.links[i, at.LIMIT]
        if abs(control.tau[i, 0]) > most:
            control.tau[i, 0] = math.copysign(most, control.tau[i, 0])
            whole[at.SATURATED] += 1
    whole[at.TICK] += 1
    whole[at.SEEN] = whole[at.ANSWERED] = 0
    return at.BUDGET


@inner
def _measure(size: object, m: Memory, control: Control) -> None:
    """Read angles and rates as the controller's sensors do: noisy, in steps, late."""
    n = count(size)
    real, whole = m.real, m.whole
    tick, late, past = whole[at.TICK], whole[at.DELAY], whole[at.PAST]
    for part in range(2):
        for i in range(n):
            value = m.vectors[at.STATE + part, i]
            place = whole[at.SENSOR] + 2 * (part * n + i)
            deviation, step = real[place], real[place + 1]
            if deviation > 0.0:
                value += deviation * normal(whole[at.SENSOR_SEED], 0, tick, 2 * i + part)
            if step > 0.0:
                value = step * math.floor(value / step + 0.5)
            newest = tick % (late + 1)
            for k in range(late + 1):
                # Before the start the arm stood as it stands now.
                if k == newest or tick == 0:
                    real[past + (k * 2 + part) * n + i] = value
    oldest = past + (tick + 1) % (late + 1) * 2 * n
    for i in range(n):
        control.q[i, 0], control.qd[i, 0] = real[oldest + i], real[oldest + n + i]

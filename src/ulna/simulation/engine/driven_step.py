"""A step of an explicit method for an arm with motors, compiled as a whole.

It does as `explicit.py` and `state_derivative.py` do, with the motors' laws in their place: called
stage by stage, parts of the engine would cost more than the laws themselves.
"""

from __future__ import annotations

from ulna.kernels import inlined, kernel
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.explicit import combine, rk_stage
from ulna.simulation.engine.memory import Memory
from ulna.simulation.engine.motor_laws import row_of
from ulna.simulation.engine.motors import (
    begin_step,
    combine_layers,
    driven_derivative,
    settle_currents,
)


@kernel
def driven_step(size: int, m: Memory, t: float, h: float) -> None:
    """Write the state a step h after STATE at time t to TRIAL."""
    ints = m.ints
    begin_step(size, m, t, h)
    first = 1 if ints[at.FSAL_VALID] != 0 else 0
    ints[at.FSAL_VALID] = 0
    for s in range(first, ints[at.STAGES]):
        now = t + m.tableau[s, at.NODE] * h
        if ints[at.METHOD] == at.CHAINED:
            rk_stage(size, m, s, h)
        else:
            combine(size, m, s, s, h, at.STAGE)
        combine_layers(size, m, s, s, at.STAGE, h)
        ints[at.EVALUATIONS] += 1
        driven_derivative(size, m, now, at.DERIVATIVES + 2 * s)
        if s == 0:
            _keep_start(size, m)
    combine(size, m, at.WEIGHTS, ints[at.STAGES], h, at.TRIAL)
    combine_layers(size, m, at.WEIGHTS, ints[at.STAGES], at.TRIAL, h)
    settle_currents(size, m, t + h)


@inlined
def _keep_start(size: int, m: Memory) -> None:
    """Keep what motors do at the start of the step, for samples."""
    for i in range(size):
        row = row_of(m, i)
        m.per_arm[row + at.START_TORQUE] = m.links[i, at.MOTOR]
        m.per_arm[row + at.START_AMPERES] = m.per_arm[row + at.AMPERES]
        m.per_arm[row + at.START_VOLTS] = m.per_arm[row + at.VOLTS]

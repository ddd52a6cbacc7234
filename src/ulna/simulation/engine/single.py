"""A single RK4 step, for loops that users write."""

from __future__ import annotations

from ulna.arrays import Array
from ulna.kernels import kernel
from ulna.kinematics.posture_kernels import FINE, OVERFLOW, checked, finite_rows
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.explicit import explicit_step
from ulna.simulation.engine.memory import Memory


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

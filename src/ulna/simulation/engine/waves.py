"""Disturbances that change continuously: sines, chirps, formulas of time and state."""

from __future__ import annotations

from ulna.dynamics import packed as link
from ulna.kernels import kernel
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory
from ulna.simulation.engine.schedule import slack
from ulna.simulation.engine.state_derivative import formula, name_values


@kernel
def add_waves(size: int, m: Memory, t: float) -> None:
    """Add what acts in this segment, for the state STAGE at time t.

    A formula is of one part of a disturbance, or a factor of all of them.
    """
    n, links, ints, floats, per_arm = size, m.links, m.ints, m.floats, m.per_arm
    name_values(size, m, t)
    soon = floats[at.HOLD_START] + slack(floats[at.HOLD_START])
    for i in range(n):
        links[i, at.DISTURBANCE_TORQUE] = links[i, at.HELD_DISTURBANCE]
    for k in range(3):
        links[n, at.TIP_DISTURBANCE + k] = links[n, at.TIP_HELD + k]
    for k in range(ints[at.FORMULAS], ints[at.FORMULAS] + ints[at.WAVES]):
        place = ints[ints[at.SPANS] + 3 * k]
        d, part = place // (n + 4), place % (n + 4)
        edges = ints[at.EDGES] + 3 * d
        if not floats[edges] <= soon < floats[edges + 1]:
            continue
        value = formula(m, k)
        sizes = ints[at.SIZES] + d * (n + 3)
        for p in range(n + 3):
            if part != n + 3 and part != p:
                continue
            load = per_arm[sizes + p] * value
            if p < n:
                links[p, at.DISTURBANCE_TORQUE] += load
                links[p, link.TORQUE] += load
            else:
                links[n, at.TIP_DISTURBANCE + p - n] += load
                links[n, link.FORCE_X + p - n] += load

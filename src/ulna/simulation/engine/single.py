"""One evaluation and one step at a time, for loops that other people write."""

from __future__ import annotations

from ulna.arrays import Array
from ulna.dynamics import packed as link
from ulna.dynamics.recursive import forward, forward_coupled, inverse
from ulna.kernels import count, kernel
from ulna.simulation.engine import places as at
from ulna.simulation.engine.explicit import explicit_step
from ulna.simulation.engine.memory import Memory


@kernel
def forward_one(
    size: object,
    links: Array,
    turns: Array,
    y: Array,
    q: Array,
    qd: Array,
    tau: Array,
    coupled: int,
    found: Array,
) -> None:
    """Turn torques (n,) into accelerations (n,)."""
    n = count(size)
    for i in range(n):
        y[0, i], y[1, i], links[i, link.TORQUE] = q[i], qd[i], tau[i]
    if coupled != 0:
        forward_coupled(size, links, turns, y, 0, link.CARRIER)
    else:
        forward(size, links, turns, y, 0, None)
    for i in range(n):
        found[i] = links[i, link.TURNING]


@kernel
def inverse_one(
    size: object,
    links: Array,
    turns: Array,
    y: Array,
    q: Array,
    qd: Array,
    qdd: Array,
    found: Array,
) -> None:
    """Turn accelerations (n,) into torques (n,)."""
    n = count(size)
    for i in range(n):
        y[0, i], y[1, i], links[i, link.TURNING] = q[i], qd[i], qdd[i]
    inverse(size, links, turns, y, 0)
    for i in range(n):
        found[i] = links[i, link.TORQUE]


@kernel
def step_one(
    size: object, m: Memory, q: Array, qd: Array, tau: Array, h: float, found: Array
) -> None:
    """Take a step of RK4 under held torques; found (2, n) are the new angles and rates."""
    n = count(size)
    v = m.vectors
    for i in range(n):
        v[at.STATE, i], v[at.STATE + 1, i], m.links[i, at.HOLD] = q[i], qd[i], tau[i]
    explicit_step(size, m, 0.0, h)
    for i in range(n):
        found[0, i], found[1, i] = v[at.TRIAL, i], v[at.TRIAL + 1, i]

"""The recursion over batches, compiled: one arm and state after the other."""

from __future__ import annotations

from ulna.arrays import Array
from ulna.dynamics.packed import CARRIER, CONSTANTS, FORCE_X, TORQUE, TURNING
from ulna.dynamics.recursive import forward, forward_coupled, inverse
from ulna.kernels import count, inner, kernel


@kernel
def forward_batch(
    size: object,
    arms: Array,
    links: Array,
    turns: Array,
    y: Array,
    states: Array,
    given: Array,
    forces: Array,
    coupled: int,
    found: Array,
) -> None:
    """Turn torques (b, n) into accelerations (b, n), for states (2, b, n) and forces (b, 3).

    One arm serves all, or there are b of them; `links`, `turns` and `y` are to work in.
    """
    for k in range(len(given)):
        _lay(size, arms, links, y, states, forces, k)
        for i in range(count(size)):
            links[i, TORQUE] = given[k, i]
        if coupled != 0:
            forward_coupled(size, links, turns, y, 0, CARRIER)
        else:
            forward(size, links, turns, y, 0, None)
        for i in range(count(size)):
            found[k, i] = links[i, TURNING]


@kernel
def inverse_batch(
    size: object,
    arms: Array,
    links: Array,
    turns: Array,
    y: Array,
    states: Array,
    given: Array,
    forces: Array,
    found: Array,
) -> None:
    """Turn accelerations (b, n) into the torques (b, n) that they take."""
    for k in range(len(given)):
        _lay(size, arms, links, y, states, forces, k)
        for i in range(count(size)):
            links[i, TURNING] = given[k, i]
        inverse(size, links, turns, y, 0)
        for i in range(count(size)):
            found[k, i] = links[i, TORQUE]


@inner
def _lay(
    size: object, arms: Array, links: Array, y: Array, states: Array, forces: Array, k: int
) -> None:
    """Put arm k, its state and the force on its tip where the recursion reads them."""
    n = count(size)
    if k == 0 or len(arms) > 1:
        for i in range(n + 1):
            for column in range(CONSTANTS):
                links[i, column] = arms[k, i, column]
    for i in range(n):
        y[0, i], y[1, i] = states[0, k, i], states[1, k, i]
    row = k if len(forces) > 1 else 0
    for axis in range(3):
        links[n, FORCE_X + axis] = forces[row, axis]

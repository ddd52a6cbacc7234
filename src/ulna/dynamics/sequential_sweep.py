"""The decoupled approximation (`sequential.py`) in O(n), compiled: one sweep from the tip."""

from __future__ import annotations

from ulna.arrays import Array
from ulna.dynamics.packed import (
    ALONG,
    ASIDE,
    COS,
    DAMPING,
    GRAVITY_X,
    GRAVITY_Y,
    LENGTH,
    MASS,
    PER_SECOND,
    QDD,
    RHO,
    ROTORS,
    SECOND,
    SIN,
    TORQUE,
)  # fmt: skip
from ulna.dynamics.recursive import link_directions
from ulna.kernels import inner


@inner
def sequential(size: int, links: Array, turns: Array, y: Array, at: int) -> None:
    """Turn joint torques into joint accelerations, each joint by itself."""
    n = size
    link_directions(size, turns, y, at)
    gravity_x, gravity_y = links[n, GRAVITY_X], links[n, GRAVITY_Y]
    mass = moment_x = moment_y = inertia = rate = 0.0
    for i in range(n):
        rate += y[at + 1, i]
    for back in range(n):
        i = n - 1 - back
        cos, sin = turns[COS, i], turns[SIN, i]
        l_cos, l_sin = links[i, LENGTH] * cos, links[i, LENGTH] * sin
        # What lies beyond is seen from this joint, not from the next.
        inertia += 2.0 * (l_cos * moment_x + l_sin * moment_y)
        inertia += mass * (l_cos * l_cos + l_sin * l_sin) + links[i, SECOND]
        moment_x += mass * l_cos + links[i, ALONG] * cos - links[i, ASIDE] * sin
        moment_y += mass * l_sin + links[i, ALONG] * sin + links[i, ASIDE] * cos
        mass += links[i, MASS]
        weight = gravity_x * moment_y - gravity_y * moment_x
        net = links[i, TORQUE] - weight - links[i, DAMPING] * rate
        links[i, RHO] = net / (inertia + links[i, ROTORS]) - links[i, PER_SECOND] * rate
        rate -= y[at + 1, i]
    before = 0.0
    for i in range(n):
        links[i, QDD] = links[i, RHO] - before
        before = links[i, RHO]

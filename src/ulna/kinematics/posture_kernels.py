"""Tip and Jacobian of one posture, compiled, the checks of its angles included.

Python's checks of an array take longer than the sums here. A kernel returns a code instead, and
its caller finds out what is wrong where the code is not FINE.
"""

from __future__ import annotations

import math

from ulna.arrays import Array
from ulna.kernels import inlined, kernel
from ulna.lanes import matrix_view
from ulna.sincos import COS, SIN, turn_links

# What a kernel returns: all is well; an array has not one value a joint; a value of it is not
# finite; all were, and what was found is not. After the second and the third nothing is found.
FINE, MISSHAPEN, NOT_FINITE, OVERFLOW = range(4)

# The memory of a kernel, one array (k,): lengths and base of the arm (n+2), then to work in the
# angles (n+1), and cosines and sines (2, n+1).
TURNS = 2
SCRATCH_ROWS = 1 + TURNS


@kernel
def tip_one(size: int, memory: Array, q: Array, found: Array) -> int:
    """Write the tip's position and angle (3,)."""
    code = checked(size, q)
    if code != FINE:
        return code
    n = size
    turns = matrix_view(memory, 2 * n + 3, TURNS, n + 1)
    _turn(size, memory, turns, q)
    x = y = angle = 0.0
    for i in range(n):
        x += memory[i] * turns[COS, i]
        y += memory[i] * turns[SIN, i]
        angle += q[i]
    found[0], found[1], found[2] = x + memory[n], y + memory[n + 1], angle
    return FINE if finite(found) else OVERFLOW


@kernel
def jacobian_one(size: int, memory: Array, q: Array, found: Array) -> int:
    """Write the Jacobian (3, n), summed up from the tip to the base."""
    code = checked(size, q)
    if code != FINE:
        return code
    n = size
    turns = matrix_view(memory, 2 * n + 3, TURNS, n + 1)
    _turn(size, memory, turns, q)
    x = y = 0.0
    for back in range(n):
        j = n - 1 - back
        x += memory[j] * turns[COS, j]
        y += memory[j] * turns[SIN, j]
        found[0, j], found[1, j], found[2, j] = -y, x, 1.0
    return FINE if finite_rows(found) else OVERFLOW


@inlined
def checked(size: int, values: Array) -> int:
    """Return whether an array has one value a joint, and all of them finite."""
    if values.shape[0] != size:
        return MISSHAPEN
    return FINE if finite(values) else NOT_FINITE


@inlined
def finite(values: Array) -> bool:
    """Return whether all of an array (k,) is finite."""
    good = True
    for k in range(values.shape[0]):
        good = good and math.isfinite(values[k])
    return good


@inlined
def finite_rows(values: Array) -> bool:
    """Return whether all of an array (m, k) is finite."""
    good = True
    for row in range(values.shape[0]):
        good = good and finite(values[row])
    return good


@inlined
def _turn(size: int, memory: Array, turns: Array, q: Array) -> None:
    """Note cosine and sine of every link."""
    n = size
    angles = matrix_view(memory, n + 2, 1, n + 1)
    for i in range(n):
        angles[0, i] = q[i]
    turn_links(size, turns, angles, 0)

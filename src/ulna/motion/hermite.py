"""The polynomial of fifth degree between two ends whose first two derivatives are known."""

from __future__ import annotations

import numpy as np

from ulna.arrays import Array
from ulna.motion.jets import Jet


def quintic(start: Array, end: Array, width: Array, place: Array) -> Array:
    """Return value and derivatives (3, …, d) at places from 0 to 1 of pieces that are `width` wide.

    `start` and `end` (3, …, d) are value, first and second derivative at the ends. All
    derivatives are with respect to the same variable, of which a piece covers `width` (…).
    """
    x = Jet.variable(place)
    back = 1.0 - x
    cube, other = x * x * x, back * back * back
    # Value, slope and bend at the near end; by symmetry at the far one.
    near = (other * (1.0 + 3.0 * x + 6.0 * x * x), other * x * (1.0 + 3.0 * x), 0.5 * other * x * x)
    far = (
        cube * (1.0 + 3.0 * back + 6.0 * back * back),
        -(cube * back * (1.0 + 3.0 * back)),
        0.5 * cube * back * back,
    )
    rows = np.zeros(np.broadcast_shapes(start.shape, end.shape))
    for order in range(3):
        for basis, given in ((near[order], start), (far[order], end)):
            for row, part in enumerate((basis.value, basis.first, basis.second)):
                rows[row] += (part * width ** (order - row))[..., None] * given[order]
    return rows

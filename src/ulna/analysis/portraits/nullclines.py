"""Curves in the plane of angle and speed: where the joint neither speeds up nor slows down."""

from __future__ import annotations

import numpy as np

from ulna.analysis.portraits.flow import Flow
from ulna.arrays import Array

POINTS = 401  # along each side of the grid


def nullclines(
    flow: Flow, angles: tuple[float, float], speeds: tuple[float, float]
) -> tuple[Array, ...]:
    """Return the curves (k, 2) of angle and speed on which θ̈ = 0.

    The other nullcline, on which θ̇ = 0, is the axis of angles.
    """
    from contourpy import contour_generator

    x, y = np.linspace(*angles, POINTS), np.linspace(*speeds, POINTS)
    values = flow.acceleration(x, y[:, None])
    found = contour_generator(x, y, values).lines(0.0)
    lines = [np.asarray(line, dtype=float) for line in found]
    for line in lines:
        line.flags.writeable = False
    return tuple(lines)

"""The cylinder on a page: angles a turn apart are one, whether it is rolled up or unrolled."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ulna.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ulna.analysis.portraits import Portrait

TURN = 2.0 * math.pi
MOST_MARKS = 9  # numbers along the axis of angles


def rolled(portrait: Portrait) -> bool:
    """Whether the page shows one turn of a cylinder."""
    return portrait.cylinder and np.ptp(portrait.angles) <= TURN * (1.0 + 1e-9)


def wrapped(portrait: Portrait, angle: Array) -> Array:
    """Return angles as they lie on the page."""
    if not rolled(portrait):
        return angle
    low = portrait.angles[0]
    return np.asarray(low + np.mod(angle - low, TURN))


def onto_page(portrait: Portrait, angle: float) -> float:
    """Return the whole turns [rad] by which a start beside the page is moved onto it."""
    low, high = portrait.angles
    if not portrait.cylinder or low <= angle <= high:
        return 0.0
    return TURN * math.ceil((low - angle) / TURN)


def broken(portrait: Portrait, angle: Array, speed: Array) -> tuple[Array, Array]:
    """Break a curve with NaN where it leaves the page on one side, to return on the other."""
    low, high = portrait.angles[0], portrait.angles[0] + TURN
    (jumps,) = np.nonzero(np.abs(np.diff(angle)) > 0.5 * TURN)
    before, after = angle[jumps], angle[jumps + 1]
    out, back = np.where(after < before, high, low), np.where(after < before, low, high)
    part = (out - before) / (after - before + np.where(after < before, TURN, -TURN))
    edge = speed[jumps] + part * (speed[jumps + 1] - speed[jumps])
    at = np.repeat(jumps + 1, 3)
    breaks = np.stack([out, np.full(len(jumps), np.nan), back], axis=-1).ravel()
    return np.insert(angle, at, breaks), np.insert(speed, at, np.repeat(edge, 3))


def shifts(portrait: Portrait, low: float, high: float) -> Iterator[float]:
    """Return the whole turns by which something from low to high is moved onto the page."""
    if not portrait.cylinder:
        yield 0.0
        return
    left, right = portrait.angles
    first, last = math.ceil((left - high) / TURN - 1e-9), math.floor((right - low) / TURN + 1e-9)
    for turn in range(first, last + 1):
        yield turn * TURN


def mark_angles(axes: Axes, angles: tuple[float, float]) -> None:
    """Put numbers at parts or multiples of π."""
    steps = (1, 2, 4, 8, 16, 32)  # in quarter turns of π/2
    wide = np.ptp(angles) / (0.5 * math.pi)
    step = next((one for one in steps if wide / one <= MOST_MARKS), None)
    if step is None or wide < 2.0:
        return
    first, last = (angle / (0.5 * math.pi * step) for angle in angles)
    marks = [step * k for k in range(math.ceil(first - 1e-9), math.floor(last + 1e-9) + 1)]
    axes.set_xticks([0.5 * math.pi * mark for mark in marks], [_in_pi(mark) for mark in marks])


def _in_pi(halves: int) -> str:
    """Write halves of π.

    >>> _in_pi(-1), _in_pi(0), _in_pi(2), _in_pi(3)
    ('−π/2', '0', 'π', '3π/2')
    """
    if not halves:
        return "0"
    sign, count = "−" if halves < 0 else "", abs(halves)
    over = "" if count % 2 == 0 else "/2"
    count = count // 2 if count % 2 == 0 else count
    return f"{sign}{'' if count == 1 else count}π{over}"

"""What a phase portrait shows: curves, marks and basins, as they lie on the page.

Figures and reports draw the same content. The plane is a cylinder: angles a turn apart are one,
whether it is rolled up, where curves are cut at the seam, or unrolled, where they are repeated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from ulna.analysis.portraits.fates import UNDECIDED, sticking_name
from ulna.analysis.portraits.report_text import fate_text
from ulna.arrays import Array

if TYPE_CHECKING:
    from ulna.analysis.portraits import Basins, Portrait

TURN = 2.0 * math.pi
COLUMNS, ROWS = 27, 19  # of arrows
# Colours are places among the data colours of a page and the colour of warnings after them.
WARNING = 5
HUES = (1, 2, 3, 0, WARNING)  # of basins
RUNNING = 3  # the colour of the running solution, and of stable sticking intervals
DEEPER = 0.22  # of a colour, where hues are used again
PALE = 0.16, 0.28  # of a basin's colour, in turn where the cylinder is unrolled
# What becomes of a joint that rests just outside of a sticking interval.
STICKING = {
    "stable": "stable",
    "unstable": "around a top",
    "half-stable": "left to one side",
    "everywhere": "every angle",
}

CurveRole: TypeAlias = Literal["nullcline", "incoming", "outgoing", "running", "sticking", "orbit"]
MarkRole: TypeAlias = Literal["stable", "saddle", "unstable", "start", "stop"]


@dataclass(frozen=True, eq=False, slots=True)
class PhaseCurve:
    """A curve of angle and speed, with NaN where it is interrupted.

    `label` names it in the legend, together with others of that name. `number` is that of an
    orbit, `colour` that of a running solution or a sticking interval.
    """

    role: CurveRole
    label: str
    angle: Array
    speed: Array
    number: int = 0
    colour: int = 0


@dataclass(frozen=True, slots=True)
class PhaseMark:
    """An equilibrium, or the start or the end of the orbit with a `number`."""

    role: MarkRole
    label: str
    angle: float
    speed: float
    number: int = 0


@dataclass(frozen=True, slots=True)
class BasinTint:
    """A basin in even or in odd turns: its colour, and how much of it covers the background.

    Without a colour it is what is undecided. A basin in odd turns follows the same in even ones.
    """

    label: str
    colour: int | None
    depth: float
    odd: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class BasinPicture:
    """Basins as cells (rows, columns) from the lower left, each with the number of its tint."""

    cells: Array
    tints: tuple[BasinTint, ...]
    hues: dict[str, int]  # colours by the names of fates
    extent: tuple[float, float, float, float]  # left, right [rad], bottom, top [rad/s]


def phase_curves(portrait: Portrait, basins: BasinPicture | None = None) -> Iterator[PhaseCurve]:
    """Return all curves of a portrait, in the order of its legend."""
    hues = {} if basins is None else basins.hues
    yield from _nullclines(portrait)
    yield from _separatrices(portrait)
    yield from _running_solutions(portrait)
    yield from _sticking_intervals(portrait, hues)
    yield from _orbits(portrait)


def _nullclines(portrait: Portrait) -> Iterator[PhaseCurve]:
    level = np.stack([portrait.angles, np.zeros(2)], axis=-1)
    for line in (level, *portrait.nullclines):
        yield PhaseCurve("nullcline", "nullclines: no speed, no acceleration", *line.T)


def _separatrices(portrait: Portrait) -> Iterator[PhaseCurve]:
    where = "an end of the sticking set" if portrait.flow.sticks else "a saddle"
    labels = {"incoming": f"separatrices into {where}", "outgoing": f"separatrices out of {where}"}
    for one in portrait.separatrices:
        role: CurveRole = "incoming" if one.incoming else "outgoing"
        curve = PhaseCurve(role, labels[role], one.segment.angle, one.segment.speed)
        yield from _on_page(portrait, curve)


def _running_solutions(portrait: Portrait) -> Iterator[PhaseCurve]:
    low, high = portrait.speeds
    for running in portrait.running_solutions:
        _, angle, speed = running.segment
        if np.max(speed) >= low and np.min(speed) <= high:
            label = f"running solution, {running.slowest:.3g} to {running.fastest:.3g} rad/s"
            curve = PhaseCurve("running", label, angle, speed, colour=RUNNING)
            yield from _on_page(portrait, curve)


def _sticking_intervals(portrait: Portrait, hues: dict[str, int]) -> Iterator[PhaseCurve]:
    for one in portrait.sticking:
        label = f"sticking set: {STICKING[one.kind]}"
        colour = hues.get(sticking_name(one), RUNNING if one.stable else WARNING)
        for shift in shifts(portrait, one.lower, one.upper):
            ends = np.array([one.lower, one.upper]) + shift
            yield PhaseCurve("sticking", label, ends, np.zeros(2), colour=colour)


def _orbits(portrait: Portrait) -> Iterator[PhaseCurve]:
    for number, orbit in enumerate(portrait.orbits):
        angle = orbit.run.q[:, 0] + _onto_page(portrait, orbit.angle)
        label = f"from {orbit.angle:.3g} rad, {orbit.speed:.3g} rad/s: {fate_text(orbit.fate)}"
        curve = PhaseCurve("orbit", label, angle, orbit.run.qd[:, 0], number)
        yield from _on_page(portrait, curve, copies=False)


def phase_marks(portrait: Portrait) -> Iterator[PhaseMark]:
    """Return starts, where friction stops orbits, and equilibria, in the order of the legend."""
    for number, orbit in enumerate(portrait.orbits):
        angle = wrapped(portrait, orbit.run.q[[0, -1], 0] + _onto_page(portrait, orbit.angle))
        yield PhaseMark("start", "", float(angle[0]), orbit.speed, number)
        if portrait.flow.sticks and orbit.run.qd[-1, 0] == 0.0:
            yield PhaseMark("stop", "", float(angle[1]), 0.0, number)
    without = " without dry friction" if portrait.flow.sticks else ""
    for one in portrait.equilibria:
        role: MarkRole = "stable" if one.stable else "saddle" if one.saddle else "unstable"
        for shift in shifts(portrait, one.angle, one.angle):
            yield PhaseMark(role, f"{one.kind}{without}", one.angle + shift, 0.0)


def basin_picture(basins: Basins) -> BasinPicture:
    """Return the picture of basins: five hues, then the same deeper, each paler in even turns."""
    cells = np.zeros(basins.label.shape, dtype=np.uint8)
    tints: list[BasinTint] = []
    hues: dict[str, int] = {}

    def add(here: Array, tint: BasinTint) -> None:
        cells[here] = len(tints)
        tints.append(tint)

    present = [number for number in range(len(basins.names)) if basins.share(number)]
    for place, number in enumerate(present):
        hue, depth = HUES[place % len(HUES)], DEEPER * (place // len(HUES))
        hues[basins.names[number]] = hue
        label, here = f"basin: {basins.names[number]}", basins.label == number
        odd = here & (basins.turns % 2 == 1)
        add(here & ~odd, BasinTint(label, hue, depth + PALE[0]))
        if odd.any():
            add(odd, BasinTint(label, hue, depth + PALE[1], odd=True))
    if basins.undecided:
        add(basins.label == UNDECIDED, BasinTint("undecided", None, 1.0))
    extent = (*_edges(basins.angle), *_edges(basins.speed))
    return BasinPicture(cells, tuple(tints), hues, extent)


def _edges(middles: Array) -> tuple[float, float]:
    half = 0.5 * (middles[1] - middles[0]) if len(middles) > 1 else 0.5
    return float(middles[0] - half), float(middles[-1] + half)


def rolled(portrait: Portrait) -> bool:
    """Return whether the page shows one turn of a cylinder."""
    return portrait.cylinder and np.ptp(portrait.angles) <= TURN * (1.0 + 1e-9)


def wrapped(portrait: Portrait, angle: Array) -> Array:
    """Return angles as they lie on the page."""
    if not rolled(portrait):
        return angle
    low = portrait.angles[0]
    return np.asarray(low + np.mod(angle - low, TURN))


def _on_page(portrait: Portrait, curve: PhaseCurve, *, copies: bool = True) -> Iterator[PhaseCurve]:
    """Return a curve as it lies on the page: cut at the seam, or unrolled with its copies."""
    angle, speed = curve.angle, curve.speed
    if rolled(portrait):
        # Where a sample is half a turn on nobody knows the way: the pen is lifted.
        fast = np.abs(np.diff(angle, prepend=angle[0])) > 0.5 * TURN
        known = np.where(fast, np.nan, speed)
        angle, speed = _cut_at_seam(portrait, wrapped(portrait, angle), known)
        yield replace(curve, angle=angle, speed=speed)
        return
    low, high = float(np.min(angle)), float(np.max(angle))
    for shift in shifts(portrait, low, high) if copies else [0.0]:
        yield replace(curve, angle=angle + shift)


def _onto_page(portrait: Portrait, angle: float) -> float:
    """Return the whole turns [rad] by which a start beside the page is moved onto it."""
    return min(shifts(portrait, angle, angle), key=abs, default=0.0)


def _cut_at_seam(portrait: Portrait, angle: Array, speed: Array) -> tuple[Array, Array]:
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

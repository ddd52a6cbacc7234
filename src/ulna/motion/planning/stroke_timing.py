"""When a pen is where: every stroke and every travel from rest to rest, the pen moved in between.

The law of a whole drawing is one law after the other, σ(u) = p_i + (p_{i+1} − p_i) σ_i(u_i), u_i
the part of the section's own time. The tip waits `PEN_TIME` where the pen is lowered or lifted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ulna.arrays import Array
from ulna.motion.paths.curves import Jet, Piecewise
from ulna.motion.paths.path import Path
from ulna.motion.trajectory import EVEN, HALVINGS, LAWS, Ramped, Timing, Trajectory, ramps
from ulna.progress import progress

if TYPE_CHECKING:
    from ulna.motion.planning.plan_request import Limits

PEN_TIME = 0.2  # [s] that lowering or lifting a pen takes, as hobby servos do
LIFTED = 1e-9  # of the path's length before the end of a stroke, at which the pen is lifted
STRAIGHT = 1e-12  # of its length, by which a straight way may be longer than its chord
SAMPLES = 20_001  # of a law, for its largest rate and acceleration
# Returns the largest speed and acceleration of the tip along a path, for a duration of 1 s.
Peaks: TypeAlias = Callable[[Path, Timing], tuple[float, float]]


@dataclass(frozen=True, eq=False)
class PathSection(Piecewise):
    """The part of a path from one parameter to another."""

    path: Path
    first: float
    last: float

    def on(self, s: Array, within: Array) -> Array:
        share = self.last - self.first
        inside = (self.first + share * part for part in (s, within))
        return self.path.on(*inside) * np.array([1.0, share, share**2])[:, None, None]


@dataclass(frozen=True, eq=False)
class SectionLaw:
    """Laws from rest to rest, one a section."""

    law: Timing
    when: Array  # (k+1,) parts of the duration, and
    way: Array  # (k+1,) parts of the way, at the ends of the sections
    ramps: Array  # (k,) of a section's time, for a law with ramps

    def __call__(self, u: Jet) -> Jet:
        """Return the part of the way."""
        return self.on(u, u.value)

    def on(self, u: Jet, within: Array) -> Jet:
        """Return the same on the sections that other parts of the duration lie on."""
        which = np.clip(np.searchsorted(self.when, within, "right") - 1, 0, len(self.ramps) - 1)
        share, start = np.diff(self.when)[which], self.when[which]
        local, inside = (u - start) / share, np.clip((within - start) / share, 0.0, 1.0)
        local = replace(local, value=np.clip(local.value, 0.0, 1.0))
        law = self.law.law
        if isinstance(law, Ramped):
            gone = Ramped(self.ramps[which], law.rise).on(local, inside)
        else:
            gone = law(local)
        made: Jet = gone * np.diff(self.way)[which] + self.way[which]
        return made

    def reached(self, parts: Array) -> Array:
        """Return at which parts of the duration parts (k,) of the way are reached first."""
        after = np.searchsorted(self.way, parts, "left")
        low, high = (
            self.when[np.maximum(after - 1, 0)],
            self.when[np.minimum(after, len(self.when) - 1)],
        )
        end = parts == self.way[np.minimum(after, len(self.way) - 1)]
        last = high
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            early = self(Jet.variable(middle)).value < parts
            low, high = np.where(early, middle, low), np.where(early, high, middle)
        # At the end of a section exactly, where all before it is nearly at rest.
        return np.where(end, last, high)


def has_pen(path: Path) -> bool:
    """Return whether a path is drawn by a pen that is lifted, or stops between its strokes."""
    return len(path.strokes) > 1 or path.strokes[0] != (0.0, 1.0)


def time_strokes(path: Path, timing: Timing, limits: Limits, peaks: Peaks) -> Timing:
    """Return the timing of a drawing, every stroke and travel as fast as the limits allow.

    Laws at an even speed get ramps: a pen that stops cannot have it from end to end.
    """
    law = LAWS["s-curve"] if timing.name in EVEN else timing
    edges = np.unique([0.0, *np.ravel(path.strokes), *_travel_corners(path), 1.0])
    lifts = set(pen_moves(path))
    ways, lasting, ramped = [0.0], [0.0], [0.0]
    with progress("timing the path") as report:
        for first, last in pairwise(edges.tolist()):
            report(first)
            chosen, seconds = _shortest(path, first, last, law, limits, peaks)
            if first in lifts:
                ways, lasting, ramped = [*ways, first], [*lasting, PEN_TIME], [*ramped, 0.5]
            ramp = chosen.law.ramp if isinstance(chosen.law, Ramped) else 0.5
            ways, lasting, ramped = [*ways, last], [*lasting, seconds], [*ramped, float(ramp)]
    when = np.cumsum(lasting)
    total, parts = float(when[-1]), path.lengths.parts(np.array(ways))
    made = SectionLaw(law, when / total, parts, np.array(ramped[1:]))
    return Timing(law.name, made, knots=_knots(made), duration=total)


def _shortest(
    path: Path, first: float, last: float, law: Timing, limits: Limits, peaks: Peaks
) -> tuple[Timing, float]:
    """Return the law and the duration [s] of a section of a path, from rest to rest."""
    parts = path.lengths.parts(np.array([first, last]))
    length = path.length * float(parts[1] - parts[0])
    chosen = fit_ramps(law, length, limits)
    speed, acceleration = (length * peak for peak in _law_peaks(chosen))
    if limits.acceleration is not None and not is_straight(path, first, last):
        speed, acceleration = peaks(_section(path, first, last), chosen)
    return chosen, limits.shortest(speed, acceleration, f"{law.name} along {path}")


def is_straight(path: Path, first: float = 0.0, last: float = 1.0) -> bool:
    """Return whether the tip goes straight on from one parameter to another."""
    parts = path.lengths.parts(np.array([first, last]))
    length = path.length * float(parts[1] - parts[0])
    chord = float(np.linalg.norm(np.diff(path(np.array([first, last])), axis=0)))
    return not path.in_joints and chord >= (1.0 - STRAIGHT) * length


def fit_ramps(timing: Timing, length: float, limits: Limits) -> Timing:
    """Shorten ramps as far as the limits allow, where both speed and acceleration have one."""
    if not timing.sharpness or limits.speed is None or limits.acceleration is None:
        return timing
    ramp = timing.sharpness * limits.speed / limits.acceleration  # [s]
    cruise = length / limits.speed - ramp
    part = ramp / (2.0 * ramp + cruise) if cruise > 0.0 else 0.5
    return ramps(timing.name, part)


@lru_cache(maxsize=256)
def _law_peaks(timing: Timing) -> tuple[float, float]:
    """Return the largest rate and acceleration of a law: of a tip that goes straight on for 1 m."""
    u = np.linspace(0.0, 1.0, SAMPLES)
    way = timing.law(Jet.variable(u))
    return float(np.abs(way.first).max()), float(np.abs(way.second).max())


def pen_moves(path: Path) -> list[float]:
    """Return the parameters at which a pen is lowered or lifted, but for start and end.

    Where one stroke ends and the next begins the pen stays down.
    """
    edges, counts = np.unique(np.ravel(path.strokes), return_counts=True)
    moved: list[float] = edges[(counts == 1) & (edges > 0.0) & (edges < 1.0)].tolist()
    return moved


def _travel_corners(path: Path) -> Array:
    """Return the corners of travel (k,): nothing rounds them, and the tip stops there."""
    starts, ends = np.array(path.strokes).T
    corners = np.asarray(path.corners)
    stroke = np.maximum(np.searchsorted(starts, corners) - 1, 0)
    return corners[(corners <= starts[stroke]) | (corners >= ends[stroke])]


def _section(path: Path, first: float, last: float) -> Path:
    inner = [(edge - first) / (last - first) for edge in path.breaks if first < edge < last]
    return Path(PathSection(path, first, last), path.text, (0.0, *inner, 1.0), path.in_joints)


def _knots(made: SectionLaw) -> tuple[float, ...]:
    """Return where accelerations or jerks may jump: at the ends of sections and of ramps."""
    knots = [made.when[1:-1]]
    for number, (start, share) in enumerate(zip(made.when[:-1], np.diff(made.when), strict=True)):
        if made.way[number + 1] > made.way[number] and made.law.knots:
            ramp = float(made.ramps[number])
            parts = np.array([0.5 * ramp, ramp, 1.0 - ramp, 1.0 - 0.5 * ramp])
            knots.append(start + share * parts)
    return tuple(np.unique(np.concatenate(knots)).tolist())


def pen_down(trajectory: Trajectory, times: Array) -> NDArray[np.bool_]:
    """Return whether the pen is down at times (k,) [s]: on a stroke, and where it is lowered."""
    path, timing = trajectory.path, trajectory.timing
    if not has_pen(path):
        return np.ones(len(times), dtype=bool)
    u = np.clip(times / trajectory.duration, 0.0, 1.0)
    way = timing.law(Jet.variable(u)).value
    strokes = np.array(path.strokes)
    if timing.by_length:
        strokes = path.lengths.parts(strokes)
    # A stroke that begins where another ends goes on with the pen down.
    which = np.searchsorted(strokes[:, 0] - LIFTED, way, "right") - 1
    return np.asarray((which >= 0) & (way < strokes[np.maximum(which, 0), 1] - LIFTED))

"""What holds up a fastest motion: limits, corners, bends, the pen, smoothing; and what each costs.

A limit holds a motion up wherever it is reached, and used more than the others. A corner holds it
up from where the motion brakes for it to where it is as fast as before: the motion stops there, or
a bend is passed slowly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.motion.planning.smoothing import smooth_path
from ulna.motion.planning.speed_profile import MIDDLE, PathGrid, SolvedPath
from ulna.motion.planning.timing_limits import SpeedLimits

if TYPE_CHECKING:
    from ulna.motion.planning.fastest_timing import FastestLaw

ACTIVE = 0.995  # of a limit: it counts as reached
LEAST_SHARE = 0.005  # of the duration: what limits for less is not told
RAISED = 1.1  # times a limit: what that would gain is told
LESS = 0.1  # of waiting or smoothing: what that would gain is told
MOST_CORNERS = 5  # that are told,
LEAST_GAIN = 0.005  # of the duration, that a corner or a bend which is told would save
BEND = 0.1  # of the largest speed, by which the motion is slower at a bend than around it
TIGHT = 2.0  # times the median curvature, at a bend
STRAIGHT_BACK = np.radians(179.0)  # by which the direction turns at a reversal
STILL = 1e-9  # of its largest speed, with which a tip counts as standing still
FULL = 0.999  # of the speed between two bends: it is left, or not yet braked for


class Limiting(NamedTuple):
    """One thing that holds a motion up, for how long, and what more of it would gain.

    Attributes
    ----------
    limit : str
        "torque", "motor", "joint speed", "joint acceleration", "tip speed", "tip acceleration";
        "corner", where the motion stops, "reversal", where it must as the path turns straight back,
        and "bend", where it slows down; "pen" for waiting while that is moved, "smoothing", and
        "s-curve", for what that takes longer than a trapezoid.
    joint : int or None
        The joint, counted from 1; None for all else.
    share : float
        The part of the duration for which it is the limit that is used most, or from braking for a
        corner or a bend to being as fast again. Without corners and bends they sum up to the whole.
    first : float
        When it begins first [s].
    last : float
        When it ends last [s].
    gain : float
        The time [s] that the motion would be shorter with a limit 10 % higher, of a motor with 10 %
        more torque at every speed; with all limits 10 % higher at a bend, without the stop at a
        corner, with 10 % less waiting or smoothing, by a trapezoid in place of an s-curve; 0 at a
        reversal.
    place : float or None
        How far along the path a corner, reversal or bend is.
    unit : str or None
        Its unit: "m", or "rad" along a path of joints.
    """

    limit: str
    joint: int | None
    share: float
    first: float
    last: float
    gain: float
    place: float | None = None
    unit: str | None = None

    def __str__(self) -> str:
        held, saved = f"for {self.share:.1%} of the time", f"would save {self.gain:.3g} s"
        if self.place is not None:
            where = f"the {self.limit} {self.place:.4g} {self.unit} along the path"
            if self.limit == "reversal":
                return f"{where} holds it up {held}: it turns straight back, and must stop there"
            other = "not to stop" if self.limit == "corner" else "limits 10 % higher"
            return f"{where} holds it up {held}; {other} there {saved}"
        if self.limit == "s-curve":
            return f"the s-curve takes {self.share:.1%} of the time; a trapezoid {saved}"
        if self.limit in ("pen", "smoothing"):
            return f"the {self.limit} takes {self.share:.1%} of the time; 10 % less {saved}"
        which = self.limit if self.joint is None else f"{self.limit} of joint {self.joint}"
        more = "10 % more torque" if self.limit == "motor" else "10 % more"
        return f"the {which} limits it {held}; {more} {saved}"


def find_limiting(law: FastestLaw) -> tuple[Limiting, ...]:
    """Return what holds a motion up: first limits, then corners, the most of the time first."""
    usual = _lasting(law, law.solved.limits)
    parts = [*_limits(law, usual), *_others(law, usual)]
    parts.sort(key=lambda one: -one.share)
    corners = sorted(_corners(law), key=lambda one: -one.share)
    return (*parts, *corners)


def _limits(law: FastestLaw, usual: float) -> list[Limiting]:
    profile, grid, limits = law.solved
    use = grid.use(limits, profile)[:, MIDDLE]
    worst, found = np.argmax(use, axis=1), list[Limiting]()
    for column, (limit, joint) in enumerate(limits.columns):
        held = np.flatnonzero((worst == column) & (use[:, column] >= ACTIVE))
        share = float(profile.durations[held].sum() / law.duration)
        if share >= LEAST_SHARE:
            first, last = _when(law, held[0], held[-1] + 1)
            factor = limits.factor.copy()
            factor[column] *= RAISED
            gain = max(0.0, usual - _lasting(law, limits.scaled(factor)))
            found.append(Limiting(limit, joint, share, first, last, gain))
    return found


def _others(law: FastestLaw, usual: float) -> list[Limiting]:
    """Return what else takes time: the pen, and smoothing."""
    T, waiting = law.duration, law.waiting
    found = [Limiting("pen", None, waiting / T, 0.0, T, LESS * waiting)]
    if law.smoothed is not None:
        over = T - law.solved.profile.duration - waiting
        kind, gain = "s-curve", over
        if not law.has_ramps:
            kind, gain = "smoothing", usual - _lasting(law, law.solved.limits, LESS)
        found.append(Limiting(kind, None, over / T, 0.0, T, max(0.0, gain)))
    return [one for one in found if one.share >= LEAST_SHARE]


def _when(law: FastestLaw, first: int, last: int) -> tuple[float, float]:
    """Return when two nodes are reached [s]."""
    begin, end = law.duration * law.reached(law.solved.profile.s[[first, last]])
    return float(begin), float(end)


def _lasting(law: FastestLaw, limits: SpeedLimits, less: float = 0.0) -> float:
    """Return how long it takes [s] with other limits on the same grid, or less smoothing."""
    profile, grid, _ = law.solved
    other = grid.solve(limits, profile)
    if law.smoothed is None:
        return other.duration
    window = limits.ramp_time if law.has_ramps else law.smoothed.window
    solved = SolvedPath(other, grid, limits)
    return smooth_path(solved, (1.0 - less) * window, law.smoothed.most_share).duration


def _estimate(law: FastestLaw, without: float | None = None, room: Array | None = None) -> float:
    """Return how long it takes [s] with a stop less, or more room (k+1,) at nodes."""
    profile, grid, limits = law.solved
    if law.smoothed is not None:
        return law.smoothed.estimate(limits, without, room)
    kept = grid if without is None else grid.without(without)
    return kept.solve(limits, profile, room).duration


class _Slow(NamedTuple):
    """A node at which the motion is slow, and those from and to which it is held up by that."""

    share: float  # of the duration
    node: int
    begin: int
    end: int


def _corners(law: FastestLaw) -> list[Limiting]:
    profile, grid, _ = law.solved
    usual = _estimate(law)
    times = law.duration * law.reached(profile.s)
    told = list[Limiting]()
    for slow in sorted(_slow_places(law, times), reverse=True)[:MOST_CORNERS]:
        at = float(profile.s[slow.node])
        if at in grid.stops and grid.turned(slow.node) > STRAIGHT_BACK:
            kind, lasting = "reversal", usual
        elif at in grid.stops:
            kind, lasting = "corner", _estimate(law, without=at)
        else:
            room = np.ones(len(profile.s))
            room[slow.begin : slow.end + 1] = RAISED
            kind, lasting = "bend", _estimate(law, room=room)
        first, last = float(times[slow.begin]), float(times[slow.end])
        gain = max(0.0, usual - lasting)
        if kind != "reversal" and gain < LEAST_GAIN * law.duration:
            continue
        place = at * law.length
        told.append(Limiting(kind, None, slow.share, first, last, gain, place, law.unit))
    return told


def _slow_places(law: FastestLaw, times: Array) -> Iterator[_Slow]:
    """Return stops but for those of a pen, and bends: what is straighter is slow for a limit."""
    from scipy.signal import find_peaks

    s, v = law.solved.profile.s, np.sqrt(law.solved.profile.x)
    inner, _ = find_peaks(-v, prominence=BEND * v.max())
    bent, slow = _curvature(law.solved.grid), [0, *inner.tolist(), len(v) - 1]
    usual = float(np.median(bent))
    for before, node, after in zip(slow[:-2], slow[1:-1], slow[2:], strict=True):
        begin, end = _held_up(v, before, node, after)
        share = float((times[end] - times[begin]) / times[-1])
        stops = s[node] in law.solved.grid.stops
        tight = begin + int(np.argmax(bent[begin : end + 1]))
        if (
            share < LEAST_SHARE
            or s[node] in law.lifts
            or not (stops or bent[tight] > TIGHT * usual)
        ):
            continue
        yield _Slow(share, node if stops else tight, begin, end)


def _curvature(grid: PathGrid) -> Array:
    """Return the curvature (k+1,) of the tip's path at the nodes."""
    first, second = (part[::2] for part in (grid.ends_at.tip_first, grid.ends_at.tip_second))
    size = np.linalg.norm(first, axis=-1)
    across = np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0])
    moves = size > STILL * np.max(size, initial=0.0)
    bent = np.divide(across, size**3, out=np.zeros_like(size), where=moves)
    return np.append(bent, bent[-1])


def _held_up(v: Array, before: int, node: int, after: int) -> tuple[int, int]:
    """Return from which node to which a slow one holds the motion up."""
    left, right = v[before : node + 1], v[node : after + 1]
    begin = before + int(np.flatnonzero(left >= FULL * left.max())[-1])
    end = node + int(np.flatnonzero(right >= FULL * right.max())[0])
    return begin, end

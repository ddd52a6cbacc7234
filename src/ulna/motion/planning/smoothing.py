"""Jerk smoothing of a fastest motion: moving averages of its time law, within all limits.

Every section from rest to rest is averaged over a window by itself (`law_pieces.py`). An average
is faster than it may be where the limits are narrowest, at bends. There the limits are narrowed,
within a window of the place, and the fastest profile is found again. It stops at the tightest ones,
which takes less time than that. What is still too much in the end makes its section slower.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.errors import InfeasibleError
from ulna.motion.planning.law_pieces import LawPieces, parabolas
from ulna.motion.planning.speed_profile import PathGrid, Profile, SolvedPath, room_used
from ulna.motion.planning.timing_limits import PathGeometry, SpeedLimits
from ulna.progress import progress

PASSES = 10  # of narrowing limits,
NEAR = 1.002  # until no more than so many times the room is used
SLOW = 2.0  # times the speed at a bend: if the average is more, the motion stops there
LEAST_ROOM = 0.01  # to which limits are narrowed
INSIDE = np.array([0.0, 0.5, 1.0])  # of a piece: where limits are looked at, and
DENSE = np.linspace(0.0, 1.0, 6)  # in the end
SPARE = 2e-5  # of a limit, for what is between
SLOWEST = 100.0  # times slower than the average, until it is given up
HALVINGS = 40


class SmoothedPath(NamedTuple):
    """The averaged law of every section between stops, and what it was found from."""

    sections: list[LawPieces]
    profile: Profile  # that was averaged
    grid: PathGrid
    room: Array  # (k+1,) of what limits leave, that it uses at most
    slower: Array  # (k,) how many times slower than the average every interval is passed
    window: float  # [s] of the average, or
    most_share: float  # of the time of a section at most

    @property
    def duration(self) -> float:
        """How long all sections take [s]."""
        return sum(part.duration for part in self.sections)

    def estimate(
        self, limits: SpeedLimits, without: float | None = None, room: Array | None = None
    ) -> float:
        """Return how long it takes about [s] with a stop less, or more room (k+1,) at nodes."""
        grid = self.grid if without is None else self.grid.without(without)
        left = self.room if room is None else self.room * room
        each = grid.solve(limits, self.profile, left, turning=False).durations * self.slower
        parts = np.array([each[first:last].sum() for first, last in grid.sections])
        return float((parts + np.minimum(self.window, self.most_share * parts)).sum())


def smooth_path(solved: SolvedPath, window: float, most_share: float = np.inf) -> SmoothedPath:
    """Average the law of every section between stops.

    The window is so long [s], or so large a part of the fastest time of a section.
    """
    limits = solved.limits
    grid = _with_stops(solved, window)
    spans, room = grid.sections, np.ones(len(grid.s))
    profile = grid.solve(limits, solved.profile.even, turning=False)
    averaged, stale = dict[int, LawPieces](), list(range(len(spans)))
    with progress("smoothing the path") as report:
        for left in reversed(range(PASSES)):
            narrowed = room.copy()
            for done, k in enumerate(stale):
                first, last = spans[k]
                part = _section(profile, first, last)
                shorter = min(window, most_share * part.duration)
                averaged[k] = part.averaged(shorter).cut(grid.s)
                _narrow(limits, narrowed[first : last + 1], part, averaged[k], shorter)
                report(1.0 - (len(stale) - done) / len(spans))
            stale = [k for k in stale if _differ(narrowed, room, *spans[k])]
            if not left or not stale:
                break
            room = narrowed
            profile = grid.solve(limits, profile, room, turning=False)
    found = [_slowed(limits, averaged[k]) for k in range(len(spans))]
    ratios = [new.duration / averaged[k].duration for k, new in enumerate(found)]
    slower = np.repeat(ratios, [last - first for first, last in spans])
    return SmoothedPath(found, profile, grid, room, slower, window, most_share)


def _differ(one: Array, other: Array, first: int, last: int) -> bool:
    """Return whether values at the nodes of a section differ."""
    return bool((one[first : last + 1] != other[first : last + 1]).any())


def _with_stops(solved: SolvedPath, window: float) -> PathGrid:
    """Add stops at bends so slow that averages over the window would be several times faster."""
    profile, grid, _ = solved
    s, v = profile.s, np.sqrt(profile.x)
    times = np.append(0.0, np.cumsum(profile.durations))
    least = np.flatnonzero((v[1:-1] <= v[:-2]) & (v[1:-1] < v[2:])) + 1
    after, before = (np.interp(times[least] + way * window, times, s) for way in (0.5, -0.5))
    slow = least[after - before > SLOW * window * v[least]]
    return replace(grid, stops=np.union1d(grid.stops, s[slow]))


def _section(profile: Profile, first: int, last: int) -> LawPieces:
    nodes = slice(first, last + 1)
    return parabolas(profile.s[nodes], profile.x[nodes])


def _narrow(
    limits: SpeedLimits, room: Array, part: LawPieces, made: LawPieces, window: float
) -> None:
    """Narrow the room (k+1,) at nodes of a section within a window of where too much is used."""
    places, speeds, accelerations = made.at(INSIDE)
    at = _geometry(limits, places)
    used = room_used(limits, at, speeds.ravel(), accelerations.ravel()).reshape(places.shape)
    worst, times = used.max(axis=1), part.times
    begin, end = made.times[:-1] - window, made.times[1:]
    firsts = np.maximum(np.searchsorted(times, begin, "right") - 1, 0)
    lasts = np.searchsorted(times, end, "left") + 1
    before = room.copy()
    for k in np.flatnonzero(worst > NEAR):
        nodes = slice(firsts[k], lasts[k])
        narrower = np.maximum(before[nodes] / worst[k], LEAST_ROOM)
        room[nodes] = np.minimum(room[nodes], narrower)


def _geometry(limits: SpeedLimits, places: Array) -> PathGeometry:
    within = np.repeat(0.5 * (places[:, 0] + places[:, -1]), places.shape[1])
    return limits.geometry(np.clip(places.ravel(), 0.0, 1.0), np.clip(within, 0.0, 1.0))


def _slowed(limits: SpeedLimits, made: LawPieces) -> LawPieces:
    """Slow a section down as a whole, as little as keeps all limits."""
    places, speeds, accelerations = made.at(DENSE)
    at = _geometry(limits, places)
    v, u = np.maximum(speeds.ravel(), 0.0), accelerations.ravel()

    def passes(factor: float) -> bool:
        use = limits.use(at, v / factor, u / factor**2).reshape(*places.shape, -1)
        return _peak(use) > 1.0 - SPARE

    if not passes(1.0):
        return made
    low, high = 1.0, 1.0 + SPARE
    while passes(high):
        low, high = high, 1.0 + 2.0 * (high - 1.0)
        if high > SLOWEST:
            told = "no slower motion keeps all limits, since the arm cannot hold itself somewhere"
            raise InfeasibleError(f"the path cannot be smoothed: {told}; leave smoothing out")
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if passes(middle) else (low, middle)
    return made.slowed(high)


def _peak(use: Array) -> float:
    """Return the largest of values (k, p, m) at even parts (p,) of pieces, or between them.

    Between three of them, the one in the middle the largest, it is that of a parabola.
    """
    before, here, after = use[:, :-2], use[:, 1:-1], use[:, 2:]
    bent, slope = 2.0 * here - before - after, 0.5 * (after - before)
    inside = bent > np.abs(2.0 * slope)
    more = np.divide(slope**2, 2.0 * bent, out=np.zeros_like(here), where=inside)
    return float(max(use.max(), (here + more).max()))

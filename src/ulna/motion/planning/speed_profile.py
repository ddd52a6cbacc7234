"""The fastest speed along a path, on a grid of it, under all limits.

The path is followed once in the time 1. Its speed is found on a grid by reachability analysis
(`reachability_kernels.py`), under what `timing_limits.py` says. The grid has a node wherever the
path or a friction jumps, is dense beside stops, and is halved where the result uses less than a
limit or more. Where a limit is passed between nodes it is narrowed there in the end, and what is
left of that slows the section between two stops down a little, so that none is passed anywhere.
Nothing of a motion reaches beyond a stop: a long path is solved in stretches of a few sections,
each on a grid of its own, and takes no more time per section than a short one. Straight ways from
rest to rest need no nodes but the ends of their ramps, and sections whose profile has settled are
not solved again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ulna.arrays import Array
from ulna.errors import InfeasibleError, InputError, Problem
from ulna.motion.paths.path import Path
from ulna.motion.planning.law_pieces import LawPieces
from ulna.motion.planning.path_nodes import angles_between, far_apart, place_nodes, refine_bends
from ulna.motion.planning.timing_limits import PathGeometry, SpeedLimits
from ulna.progress import Report

ENDS, INSIDE, MIDDLE = np.array([0.0, 1.0]), np.array([0.2, 0.5, 0.8]), 1
MOST = 8000  # at most after halving, and
MOST_OF_PIECE = 125  # as many for every piece, of a stretch of several
MAX_PIECES = 64  # smooth pieces in such a stretch, unless one section has more
# What intervals may use of their limits without being halved.
LEAST_USE, MOST_USE = 0.997, 1.00005
PROFILES = 8  # computed at most, until friction and turns are those of the profile itself, and
FEW_PROFILES = 3  # for each grid of one stretch of several
ROUNDS, FEW_ROUNDS = 6, 3  # of halving, for one stretch and for each of several
SAME = 1e-6  # of the duration, by which two profiles may differ
REST = 1e-12  # of the way, by which a break may miss a place where the motion is slow
MOST_TURN = 0.25  # of x, by which a turn of the acceleration changes it
NEWTON = 4  # steps
UNBOUNDED = 1e20  # x [1/s²]: no limit bears on the motion
CORRECTIONS = 8  # of limits for what is passed between nodes
KEPT = 2e-7  # of a limit: what is left of it
# Of an interval: where limits are looked at in the end, and
NEAR_START = np.array([0.0, 0.001, 0.005, 0.02, 0.06, 0.12, 0.2, 0.35])
DENSE = np.concatenate([NEAR_START, [0.5], 1.0 - NEAR_START[::-1]])
LITTLE = 2e-5  # of all limits, at most at once, for peaks between them
SPARE = 1e-6  # of all limits, left to those who retime the profile
GAINS = 2.0 ** np.arange(7)  # by which all is slowed down more than it is over a limit, in turn


class Profile(NamedTuple):
    """Squared speeds x along a grid of parts s of the way, and how accelerations turn between."""

    s: Array  # (k+1,)
    x: Array  # (k+1,) [1/s²]
    turn: Array  # (k,) [1/s²] by which the acceleration grows on an interval, evenly in time

    @property
    def durations(self) -> Array:
        """How long (k,) [s] intervals take."""
        root, h = np.sqrt(self.x), np.diff(self.s)
        mean = 3.0 * (root[:-1] + root[1:])  # h = (v₀ + v₁) T/2 − turn T²/12
        return np.asarray(12.0 * h / (mean + np.sqrt(mean * mean - 12.0 * self.turn * h)))

    @property
    def duration(self) -> float:
        """How long all of it takes [s]."""
        return float(self.durations.sum())

    @property
    def even(self) -> Profile:
        """The same with even accelerations on all intervals."""
        return self._replace(turn=np.zeros_like(self.turn))

    @property
    def pieces(self) -> LawPieces:
        """The law of motion: the part of the way as cubics of time."""
        v, T = np.sqrt(self.x), self.durations
        half = 0.5 * np.diff(v) / T - 0.25 * self.turn
        return LawPieces(T, np.stack([self.turn / (6.0 * T), half, v[:-1], self.s[:-1]]))

    @property
    def off_mean(self) -> Array:
        """By how much (k, 2) accelerations at the ends differ from Δx/(2 Δs) of intervals."""
        shift = -np.diff(np.sqrt(self.x)) * self.turn * self.durations / (12.0 * np.diff(self.s))
        return np.stack([shift - 0.5 * self.turn, shift + 0.5 * self.turn], axis=-1)

    def at(self, parts: Array) -> tuple[Array, Array]:
        """Return speeds and accelerations (k, p) at parts (p,) of the ways of all intervals."""
        # From the slower end of each, backwards in time if that is the last one.
        v, back = np.sqrt(self.x), (np.diff(self.x) < 0.0)[:, None]
        ends = np.stack([v[:-1], v[1:]])[:, :, None]
        T, turn = self.durations[:, None], self.turn[:, None]
        mean = (ends[1] - ends[0]) / T
        c, b = np.where(back, ends[::-1], ends)[0], 0.5 * np.where(back, -mean, mean) - 0.25 * turn
        a, part = turn / (6.0 * T), np.where(back, 1.0 - parts, parts)
        place = np.diff(self.s)[:, None] * part
        # When a place is reached, by Newton's method from an even acceleration on.
        gained = np.abs(np.diff(self.x))[:, None] * part
        t = 2.0 * np.divide(
            place, c + np.sqrt(c * c + gained), out=np.zeros_like(place), where=part > 0.0
        )
        for _ in range(NEWTON):
            gone, rate = ((a * t + b) * t + c) * t, (3.0 * a * t + 2.0 * b) * t + c
            t += np.divide(place - gone, rate, out=np.zeros_like(t), where=part > 0.0)
        u = 6.0 * a * t + 2.0 * b
        return np.maximum((3.0 * a * t + 2.0 * b) * t + c, 0.0), np.where(back, -u, u)


@dataclass(frozen=True, eq=False)
class PathGrid:
    """Nodes along a path, and the arm at both ends of the intervals between them."""

    limits: SpeedLimits
    s: Array  # (k+1,)
    stops: Array  # parts of the way at which the tip stands still
    ends: Array  # (2,) x at start and end
    marks: Array  # parts of the way at which the path or a friction may jump

    @cached_property
    def ends_at(self) -> PathGeometry:
        """The arm at first and last ends in turn (2 k,)."""
        return self.at(ENDS)

    @cached_property
    def inside_at(self) -> PathGeometry:
        """The arm between them (3 k,)."""
        return self.at(INSIDE)

    def at(self, parts: Array) -> PathGeometry:
        """Return the arm at parts (p,) of all intervals, in a row (k p,)."""
        first, last = self.s[:-1, None], self.s[1:, None]
        places = first * (1.0 - parts) + last * parts
        return self.limits.geometry(places.ravel(), np.repeat(0.5 * (first + last), len(parts)))

    @cached_property
    def sections(self) -> list[tuple[int, int]]:
        """The first and the last node of every section between stops."""
        inner = np.flatnonzero(np.isin(self.s[1:-1], self.stops)) + 1
        return list(pairwise([0, *inner.tolist(), len(self.s) - 1]))

    def turned(self, node: int) -> float:
        """Return by how much [rad] joints, or else the tip, turn at an inner node."""
        joints, tip = self.ends_at.first, self.ends_at.tip_first
        rows = joints if joints.shape[1] else tip
        return float(angles_between(rows[2 * node - 1][None], rows[2 * node][None])[0])

    def without(self, stop: float) -> PathGrid:
        """Return the same grid without one of its stops."""
        made = replace(self, stops=self.stops[self.stops != stop])
        vars(made).update(ends_at=self.ends_at, inside_at=self.inside_at)
        return made

    def solve(
        self,
        limits: SpeedLimits,
        first: Profile | None = None,
        room: Array | None = None,
        *,
        turning: bool = True,
        only: NDArray[np.bool_] | None = None,
        profiles: int = PROFILES,
    ) -> Profile:
        """Return the fastest profile on the grid; raise InfeasibleError where there is none.

        `room` (k+1,) is the part of what limits leave at rest that may be used at every node.
        Without damping the same everywhere slows the motion down by its root. Accelerations turn
        on intervals as they do between them, or else as those of the first profile do. With `only`
        (m,), the other sections keep the first profile, which must be on this grid.
        """
        sections = np.array(self.sections)
        firsts, counts = sections[:, 0], np.diff(sections)[:, 0]
        found = self._begin(first) if only is None or first is None else first
        wanted = np.ones(len(sections), dtype=bool) if only is None else only
        found = self._solve_once(limits, found, room, sections[wanted])
        for _ in range(profiles):
            last = found
            if turning:
                turn = np.where(np.repeat(wanted, counts), self._turn(found), found.turn)
                last = found._replace(turn=turn)
            again = self._solve_once(limits, last, room, sections[wanted])
            lasting, change = again.durations, again.durations - found.durations
            found = again
            moved = np.add.reduceat(np.abs(change), firsts)
            wanted = wanted & (moved > SAME * np.add.reduceat(lasting, firsts))
            if not wanted.any():
                break
        return found

    def _begin(self, first: Profile | None) -> Profile:
        """Return what a profile is looked for from: one of another grid, or any."""
        if first is None:
            return Profile(self.s, np.ones(len(self.s)), np.zeros(len(self.s) - 1))
        middles = 0.5 * (self.s[:-1] + self.s[1:])
        which = np.clip(np.searchsorted(first.s, middles) - 1, 0, len(first.turn) - 1)
        turn = (first.turn / np.diff(first.s))[which] * np.diff(self.s)
        return _bounded(Profile(self.s, np.interp(self.s, first.s, first.x), turn))

    def _turn(self, profile: Profile) -> Array:
        """Return by how much (k,) accelerations grow on intervals, by those of their neighbours.

        Of the slopes to both sides the lesser one counts, none where they disagree (minmod): what
        jumps, as between speeding up and braking, is not smeared. Across a mark there is no slope,
        and the next one on the other side counts.
        """
        h = np.diff(self.s)
        mean = 0.5 * np.diff(profile.x) / h
        slope = np.diff(mean) / (0.5 * (h[1:] + h[:-1]))
        slope[np.isin(self.s[1:-1], self.marks)] = np.nan
        two = np.full(2, np.nan)
        farther, left, right, beyond = sliding_window_view(np.concatenate([two, slope, two]), 4).T
        left, right = (
            np.where(np.isnan(one), other, one) for one, other in ((left, beyond), (right, farther))
        )
        agree = left * right > 0.0
        least = np.copysign(np.minimum(np.abs(left), np.abs(right)), left)
        return np.where(agree, least, 0.0) * h

    def _solve_once(
        self, limits: SpeedLimits, last: Profile, room: Array | None, sections: Array
    ) -> Profile:
        """Return the fastest profile of sections (m, 2), for turns and friction of the last one."""
        from ulna.motion.planning.reachability_kernels import FOUND, reach_profile

        count, v, last = len(self.s) - 1, np.sqrt(last.x), _bounded(last)
        both = np.stack([v[:-1], v[1:]], axis=-1).ravel()
        rows = np.ascontiguousarray(limits.rows(self.ends_at, both).reshape(count, 2, -1, 4))
        squares = np.ascontiguousarray(limits.squares(self.ends_at).reshape(count, 2, 4))
        most = limits.fastest(self.ends_at).reshape(count, 2)
        top = np.minimum(np.append(most[:, 0], np.inf), np.append(np.inf, most[:, 1]))
        if room is not None:
            at_ends = np.stack([room[:-1], room[1:]], axis=-1)
            # What cannot be held at rest is passed at speed, and needs all there is.
            rows[..., 3] *= np.where(rows[..., 3] < 0.0, at_ends[..., None], 1.0)
            squares[..., 3] *= at_ends**2
            top *= room
        top[np.isin(self.s, self.stops)] = 0.0
        low, high = np.zeros((2, count + 1))
        x, ends = last.x.copy(), np.minimum(self.ends, top[[0, -1]])
        code = reach_profile(
            np.diff(self.s), rows, squares, last.off_mean, top, ends, sections, low, high, x,
            np.zeros(2),
        )  # fmt: skip
        if code != FOUND:
            limits.refuse(self.ends_at, self.s, max(code, 0))
        stuck = np.flatnonzero((x[:-1] == 0.0) & (x[1:] == 0.0))
        if len(stuck):
            limits.refuse(self.ends_at, self.s, int(stuck[0]))
        return _bounded(Profile(self.s, x, last.turn))

    def use(self, limits: SpeedLimits, profile: Profile) -> Array:
        """Return how much (k, 3, m) of all limits is used inside the intervals."""
        return _use(limits, profile, self.inside_at, INSIDE)


class SolvedPath(NamedTuple):
    """The fastest profile along a path, and what it was found on."""

    profile: Profile
    grid: PathGrid
    limits: SpeedLimits


def solve_path(
    limits: SpeedLimits, path: Path, stops: Array, ends: Array, report: Report
) -> SolvedPath:
    """Return the fastest profile, at rest at stops (k,) and with x (2,) at start and end."""
    breaks = np.union1d(path.lengths.parts(np.array(path.breaks)), stops)
    stretches, solved = _stretches(breaks, stops), list[SolvedPath]()
    for first, last in stretches:
        report(first)
        inside, rests = (at[(at >= first) & (at <= last)] for at in (breaks, stops))
        at_ends = np.where([first > 0.0, last < 1.0], 0.0, ends)
        solved.append(_solve_stretch(limits, inside, rests, at_ends, len(stretches) == 1))
    return solved[0] if len(solved) == 1 else _joined(solved, ends)


def _stretches(breaks: Array, stops: Array) -> list[tuple[float, float]]:
    """Return from which stop to which (k, 2) a path is solved at once."""
    edges = np.unique(np.concatenate([[0.0], stops, [1.0]]))
    group = np.searchsorted(breaks, edges) // MAX_PIECES
    kept = np.append(np.append(True, np.diff(group[:-1]) > 0), True)
    return list(pairwise(edges[kept].tolist()))


def _joined(solved: Sequence[SolvedPath], ends: Array) -> SolvedPath:
    """Return the profiles of stretches as one: at the stops between them all stand still."""
    profiles, grids = [one.profile for one in solved], [one.grid for one in solved]
    s, x = (
        np.concatenate([*(part[:-1] for part in parts), parts[-1][-1:]])
        for parts in zip(*((profile.s, profile.x) for profile in profiles), strict=True)
    )
    stops, marks = (
        np.unique(np.concatenate(parts))
        for parts in zip(*((grid.stops, grid.marks) for grid in grids), strict=True)
    )
    turn = np.concatenate([profile.turn for profile in profiles])
    limits = solved[0].limits
    return SolvedPath(Profile(s, x, turn), PathGrid(limits, s, stops, ends, marks), limits)


def _solve_stretch(
    limits: SpeedLimits, breaks: Array, stops: Array, ends: Array, alone: bool
) -> SolvedPath:
    """Return the fastest profile from the first break to the last: of all, or of one stretch."""
    rounds, profiles = (ROUNDS, PROFILES) if alone else (FEW_ROUNDS, FEW_PROFILES)
    most = MOST if alone else max(MOST, MOST_OF_PIECE * len(breaks))
    slow = np.concatenate([stops, breaks[[0, -1]][ends == 0.0]])
    at_rest = np.isclose(breaks[:, None], slow, rtol=0.0, atol=REST).any(axis=1)
    ramps = np.full((len(breaks) - 1, 2), np.nan)
    if not alone:
        ramps = limits.ramp_ends(breaks[:-1], breaks[1:])
    nodes, cusps = refine_bends(place_nodes(breaks, at_rest, ramps, most), limits, most)
    breaks, stops = np.union1d(breaks, cusps), np.union1d(stops, cusps)
    kinks = limits.kinks[(limits.kinks > nodes[0]) & (limits.kinks < nodes[-1])]
    if len(kinks) <= most // 2:  # more of them are so close that none is sharp
        nodes = np.union1d(nodes, far_apart(kinks, nodes))
    turns = far_apart(limits.turns(nodes), nodes)
    s = np.union1d(nodes, turns)
    grid = PathGrid(limits, s, stops, ends, np.union1d(breaks, turns))
    profile = grid.solve(limits, profiles=profiles)
    _check_bounded(profile)
    for _ in range(rounds):
        use = grid.use(limits, profile).max(axis=2)
        rough = (use.min(axis=1) < LEAST_USE) | (use.max(axis=1) > MOST_USE)
        # Where the motion stays longest first, if there are too many.
        halved = np.flatnonzero(rough)[np.argsort(-profile.durations[rough])][
            : max(0, most - len(s))
        ]
        if not len(halved):
            break
        s = np.sort(np.concatenate([s, 0.5 * (s[:-1] + s[1:])[halved]]))
        grid = replace(grid, s=s)
        profile = grid.solve(limits, profile, profiles=profiles)
    return SolvedPath(_corrected(limits, grid, profile), grid, limits)


def _check_bounded(profile: Profile) -> None:
    if profile.x.max() < UNBOUNDED:
        return
    at = f"{profile.s[np.argmax(profile.x)]:.1%} of the way"
    need = "a limit of what moves there: torques, max_acceleration or max_joint_acceleration"
    raise InputError(Problem("timing", f"'fastest', and nothing limits it at {at}", need))


def _bounded(profile: Profile) -> Profile:
    """Return the same with accelerations that turn no more than leaves speeds nearly even."""
    s, x, turn = profile
    most = MOST_TURN * (x[:-1] + x[1:]) / np.diff(s)
    return Profile(s, x, np.clip(turn, -most, most))


def _corrected(limits: SpeedLimits, grid: PathGrid, profile: Profile) -> Profile:
    """Take what is passed between nodes off the limits where it is passed, and slow down a bit.

    Where nothing would be left, as beside a stop at the edge of the reach, they stay as they are.
    """
    at, room = grid.at(DENSE), np.ones(len(grid.s))
    sections = np.array(grid.sections)
    firsts, counts = sections[:, 0], np.diff(sections)[:, 0]
    over, wanted = np.ones(len(grid.s) - 1), np.ones(len(sections), dtype=bool)
    for _ in range(CORRECTIONS):
        v, u = profile.at(DENSE)
        seen = np.repeat(wanted, counts)
        part = at if seen.all() else at.taken(np.repeat(seen, len(DENSE)))
        used = room_used(limits, part, v[seen].ravel(), u[seen].ravel())
        over[seen] = np.maximum(_peaks(used.reshape(-1, len(DENSE), 1))[:, 0], 1.0)
        wanted = np.maximum.reduceat(over, firsts) > 1.0 + KEPT
        if not wanted.any():
            break
        beside = np.maximum(np.append(over, 1.0), np.append(1.0, over))
        narrowed = room / np.where(beside > 1.0, beside * (1.0 + KEPT), 1.0)
        try:
            profile = grid.solve(limits, profile, narrowed, turning=False, only=wanted)
        except InfeasibleError:
            break
        room = narrowed
    return _slowed(limits, grid, profile, at)


def _slowed(limits: SpeedLimits, grid: PathGrid, profile: Profile, at: PathGeometry) -> Profile:
    """Return the same slowed down for what is still passed, a little, as far as that helps.

    Every section between stops is slowed down for its own.
    """
    firsts, lasts = np.array(grid.sections).T
    best, least, slower = profile, np.full(len(firsts), np.inf), np.ones(len(firsts))
    for gain in GAINS:
        # A section's last node stands still, or is the end of the path.
        each = np.repeat(slower, lasts - firsts)
        made = Profile(profile.s, profile.x / np.append(each, each[-1]), profile.turn / each)
        use = _use(limits, made, at, DENSE)
        peaks = np.minimum(_peaks(use).max(axis=1), 1.0 + LITTLE)
        worst = np.maximum.reduceat(np.maximum(use.max(axis=(1, 2)), peaks), firsts)
        better = np.repeat(worst < least, lasts - firsts)
        best = Profile(
            profile.s,
            np.where(np.append(better, better[-1]), made.x, best.x),
            np.where(better, made.turn, best.turn),
        )
        least = np.minimum(worst, least)
        over = least > 1.0 - SPARE
        if not over.any():
            break
        slower *= np.where(over, 1.0 + gain * (worst - 1.0 + 2.0 * SPARE), 1.0)
    return best


def room_used(limits: SpeedLimits, at: PathGeometry, v: Array, u: Array) -> Array:
    """Return the largest part (k,) that is used of what any limit leaves at rest."""
    x, v = v * v, np.maximum(v, 0.0)
    rows = limits.rows(at, v)
    needed = rows[..., 0] * u[:, None] + rows[..., 1] * x[:, None] + rows[..., 2] * v[:, None]
    left = np.where(rows[..., 3] < 0.0, -rows[..., 3], np.inf)
    squares = limits.squares(at)
    along = squares[:, 0] * u**2 + 2.0 * squares[:, 1] * u * x + squares[:, 2] * x**2
    return np.max(
        [
            (needed / left).max(axis=1, initial=0.0),
            np.sqrt(np.maximum(along, 0.0) / squares[:, 3]),
            x / limits.fastest(at),
        ],
        axis=0,
    )


def _peaks(use: Array) -> Array:
    """Return the largest (k, m) of what is used (k, p, m) at DENSE places and between them.

    Between two places it is no more than where the lines from both sides meet: so are peaks and
    kinks, as that of a motor's curve, and jumps of friction are not taken for peaks. In the first
    gap and the last there is a line on one side only.
    """
    slope = np.diff(use, axis=1) / np.diff(DENSE)[:, None]
    gap = np.diff(DENSE)[1:-1, None]
    rise, fall = slope[:, :-2], -slope[:, 2:]
    here, after = use[:, 1:-2], use[:, 2:-1]
    both = np.where((rise > 0.0) & (fall > 0.0), rise + fall, np.inf)
    part = np.clip((after - here + fall * gap) / both, 0.0, gap)
    between = (here + np.maximum(rise, 0.0) * part).max(axis=1)
    start = use[:, 1] + np.clip(-slope[:, 1:3].max(axis=1), 0.0, None) * DENSE[1]
    end = use[:, -2] + np.clip(slope[:, -3:-1].min(axis=1), 0.0, None) * (1.0 - DENSE[-2])
    return np.maximum.reduce([between, start, end, use.max(axis=1)])


def _use(limits: SpeedLimits, profile: Profile, at: PathGeometry, parts: Array) -> Array:
    """Return how much (k, p, m) of all limits is used at parts (p,) of all intervals."""
    v, u = profile.at(parts)
    return limits.use(at, v.ravel(), u.ravel()).reshape(*v.shape, -1)

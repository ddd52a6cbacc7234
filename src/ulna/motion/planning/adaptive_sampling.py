"""Adaptive sampling of functions of time, dense enough to hold their extremes.

Every smooth piece is cut into intervals of five even nodes. An interval is halved as long as the
parabola through three of its nodes misses the other two by too much. Where the polynomial through
all five has its extremes the function itself is asked, and again where a parabola through the
answers has its vertex. At a break both limits are seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from ulna.arrays import Array, runs

# Returns values (k, m) at parts u (k,) of the duration, on the pieces that others (k,) lie on.
Function: TypeAlias = Callable[[Array, Array], Array]
Measure: TypeAlias = Callable[[Array], Array]  # makes sizes (k,) of values (k, m)

INTERVALS = 32  # to begin with, at least
CLOSE = 2e-2  # of the largest value, by which a parabola may miss a node
ROUGH = 10  # halvings, after which few intervals are left but where there is nothing but rounding;
MANY, MANY_TIMES = 32_768, 8  # or so many intervals, or so many for each piece;
MOST_ROUGH = 64  # so many of them are halved again
SHORTEST = 1e-12  # of the duration: no interval is halved below
MOST = 1_000_000  # samples
UNEVEN = 0.3  # of an interval, by which the first ones differ: what repeats itself may hide from
GOLDEN = 0.6180339887498949  # even ones
EDGE = 0.98  # of an extreme or a limit: what comes so close is refined
NEITHER, SIZE, BOTH = 0, 1, 2  # which extremes of a column are wanted
MOST_EXTREMES = 4  # for every extreme, and
MOST_PASSED = 2_000  # above a limit
STEPS = (1.0 / 32.0, 1.0 / 512.0)  # of an interval, to both sides of where an extreme should be,
FARTHEST = 3.0  # of them, that a parabola may lead
HALVINGS = 30  # of the way between two neighbours, to where a limit is passed
MOST_POSITIONS = 100  # tried for a root; some ten will do
FINE = np.linspace(0.0, 1.0, 17)
NODES = np.linspace(0.0, 1.0, 5)
TO_FINE = np.vander(FINE, 5) @ np.linalg.inv(np.vander(NODES, 5))
# Boole's rule, exact for polynomials of fifth degree.
WEIGHTS = np.array([7.0, 32.0, 12.0, 32.0, 7.0]) / 90.0
# What a parabola through the first, middle and last node has at the others.
PARABOLA = np.array([[0.375, 0.75, -0.125], [-0.125, 0.75, 0.375]])


class TimeSpan(NamedTuple):
    """A span of time, and the worst value in it.

    Attributes
    ----------
    first : float
        When it begins [s].
    last : float
        When it ends [s].
    worst : float
        The worst value.
    worst_at : float
        When that is [s].
    """

    first: float
    last: float
    worst: float
    worst_at: float

    def __str__(self) -> str:
        if self.first == self.last:
            return f"at t = {self.first:.4g} s"
        return f"from t = {self.first:.4g} to {self.last:.4g} s"

    @property
    def peak(self) -> str:
        """The time of the worst value, in words."""
        return f"at t = {self.worst_at:.4g} s"


@dataclass(frozen=True, eq=False)
class TimeSamples:
    """Values (k, m) at parts u (k,) of a duration [s], in their order: the samples of a table."""

    u: Array
    values: Array
    duration: float

    def passed(self, measure: Measure, limit: float) -> Iterator[TimeSpan]:
        """Return all spans with sizes above a limit."""
        sizes = measure(self.values)
        found = runs(sizes > limit)
        if not found:
            return
        first, last = np.array(found).T
        begin, end = self._crossings(first, last, measure, limit) * self.duration
        for k, (start, stop) in enumerate(found):
            top = start + int(np.argmax(sizes[start : stop + 1]))
            at = float(self.u[top] * self.duration)
            yield TimeSpan(float(begin[k]), float(end[k]), float(sizes[top]), at)

    def _crossings(self, first: Array, last: Array, _measure: Measure, _limit: float) -> Array:
        """Return the parts of the duration (2, k) at which spans of samples begin and end."""
        return np.stack([self.u[first], self.u[last]])


@dataclass(frozen=True, eq=False)
class AdaptiveSamples(TimeSamples):
    """The same where nothing is left between: the extremes are among the values."""

    within: Array  # (k,) the middles of the pieces that the places are on
    weights: Array  # (k,) parts of the duration that values stand for in an integral
    function: Function

    @property
    def largest(self) -> Array:
        """The largest values (m,)."""
        return np.asarray(np.max(self.values, axis=0))

    @property
    def smallest(self) -> Array:
        """The smallest values (m,)."""
        return np.asarray(np.min(self.values, axis=0))

    @property
    def peak(self) -> Array:
        """The largest absolute values (m,)."""
        return np.maximum(np.abs(self.largest), np.abs(self.smallest))

    @property
    def rms(self) -> Array:
        """The root of the mean square (m,), over all samples."""
        return np.asarray(np.sqrt(self.weights @ self.values**2 / self.weights.sum()))

    def _crossings(self, first: Array, last: Array, measure: Measure, limit: float) -> Array:
        inside = np.concatenate([first, last])
        beside = np.clip(np.concatenate([first - 1, last + 1]), 0, len(self.u) - 1)
        near, far, piece = self.u[inside], self.u[beside], self.within[inside]
        # At a break, and at the ends, it begins or ends at once.
        far = np.where(piece == self.within[beside], far, near)
        for _ in range(HALVINGS):
            middle = 0.5 * (near + far)
            passed = measure(self.function(middle, piece)) > limit
            near, far = np.where(passed, middle, near), np.where(passed, far, middle)
        return near.reshape(2, -1)


def sample_adaptively(
    function: Function,
    edges: Array,
    duration: float,
    *,
    close: float = CLOSE,
    limits: Array | None = None,
    wanted: Array | None = None,
    intervals: int = INTERVALS,
) -> AdaptiveSamples:
    """Sample a function on all smooth pieces between edges (k+1,) of the duration.

    `close` is the part of the largest value that a parabola may miss a node by, or of the limits
    (m,) where those are smaller. Pieces may be left out: by edges (k, 2) of those that are there.
    Columns (m,) are refined at the largest size, by default at both extremes, or at neither, as
    `wanted` says.
    """
    pieces = np.stack([edges[:-1], edges[1:]], axis=-1) if np.ndim(edges) == 1 else edges
    part = _first_intervals(pieces, intervals, function)
    most = np.inf if limits is None else limits
    peak, sampled, done = np.zeros(part.values.shape[-1]), 0, list[Intervals]()
    while len(part.left):
        peak = np.maximum(peak, np.max(np.abs(part.values), axis=(0, 1)))
        sampled += part.values.shape[0]
        coarse = part.coarse(close * np.minimum(peak, most))
        coarse &= (part.width > SHORTEST) & (sampled < MOST)
        if len(done) >= ROUGH or sampled > max(MANY, MANY_TIMES * len(pieces)):
            coarse[np.flatnonzero(coarse)[MOST_ROUGH:]] = False
        done.append(part.chosen(~coarse))
        part = part.chosen(coarse).halved(function)
    whole = Intervals(*(np.concatenate(column) for column in zip(*done, strict=True)))
    whole = whole.chosen(np.argsort(whole.left))
    extremes = np.full(len(peak), BOTH) if wanted is None else wanted
    candidates = _candidates(whole.values, most, extremes)
    parts = [whole.nodes, *_polished(function, whole, *candidates)]
    u, pieces, values, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.lexsort((pieces, u))
    return AdaptiveSamples(
        u[order], values[order], duration, pieces[order], weights[order], function
    )


class Intervals(NamedTuple):
    """Intervals of the duration (k,), each with the values (k, 5, m) at its nodes."""

    left: Array
    width: Array
    within: Array  # the middles of the pieces that they are on
    values: Array

    @property
    def nodes(self) -> tuple[Array, Array, Array, Array]:
        """All nodes in a row (5 k,): places, pieces, values, and weights in an integral."""
        left, width = self.left[:, None], self.width[:, None]
        values = self.values.reshape(-1, self.values.shape[-1])
        places, weights = left + width * NODES, width * WEIGHTS
        return places.ravel(), np.repeat(self.within, 5), values, weights.ravel()

    def chosen(self, which: Array) -> Intervals:
        """Return some of them."""
        return Intervals(*(column[which] for column in self))

    def coarse(self, allowed: Array) -> Array:
        """Return in which (k,) a parabola misses a node by more than is allowed (m,)."""
        missed = self.values[:, 1::2] - np.einsum("xk,ikm->ixm", PARABOLA, self.values[:, ::2])
        return np.asarray((np.abs(missed) > allowed).any(axis=(1, 2)))

    def halved(self, function: Function) -> Intervals:
        """Return all halves, by two more nodes each."""
        if not len(self.left):
            return self
        between = self.left[:, None] + self.width[:, None] * np.array([0.125, 0.375, 0.625, 0.875])
        fresh, old = _at(function, between, self.within), self.values
        halves = [
            np.stack([old[:, k], fresh[:, k], old[:, k + 1], fresh[:, k + 1], old[:, k + 2]], 1)
            for k in (0, 2)
        ]
        half = 0.5 * self.width
        return Intervals(
            np.concatenate([self.left, self.left + half]),
            np.concatenate([half, half]),
            np.concatenate([self.within, self.within]),
            np.concatenate(halves),
        )


def sign_changes(samples: AdaptiveSamples) -> Array:
    """Return the parts of the duration (k,), in order, at which values change their sign.

    The first half of the columns are the values, the second half their derivatives: where those
    are zero values have extremes, between which they cannot pass zero twice.
    """
    middle = samples.values.shape[-1] // 2
    turns, within = _roots(samples, range(middle, 2 * middle))
    order = np.argsort(np.concatenate([samples.u, turns]), kind="stable")
    among = replace(
        samples,
        u=np.concatenate([samples.u, turns])[order],
        within=np.concatenate([samples.within, within])[order],
        values=np.concatenate([samples.values, samples.function(turns, within)])[order],
    )
    return np.unique(_roots(among, range(middle))[0])


def _roots(samples: AdaptiveSamples, columns: Iterable[int]) -> tuple[Array, Array]:
    """Return where (k,) columns are zero between samples of either sign, and the pieces (k,).

    They are found by false position, in which an end that stays where it is counts for half
    (the Illinois method).
    """
    found = [_brackets(samples, column) for column in columns]
    before, after, column = (np.concatenate(part) for part in zip(*found, strict=True))
    left, right, within = samples.u[before], samples.u[after], samples.within[before]
    at_left, at_right = samples.values[before, column], samples.values[after, column]
    rows = np.arange(len(column))
    for _ in range(MOST_POSITIONS * bool(len(rows))):
        rise = at_right - at_left
        way = np.divide(at_right, rise, out=np.zeros_like(rise), where=rise != 0.0)
        place = right - way * (right - left)
        value = samples.function(place, within)[rows, column]
        crossed = value * at_right <= 0.0
        left = np.where(crossed, right, left)
        at_left = np.where(crossed, at_right, 0.5 * at_left)
        done = np.abs(place - right) <= np.finfo(float).eps
        right, at_right = place, value
        if done.all():
            break
    return right, within


def _brackets(samples: AdaptiveSamples, column: int) -> tuple[Array, Array, Array]:
    """Return neighbours (k,) of opposite sign on one piece, and (k,) the column."""
    values, within = samples.values[:, column], samples.within
    signed = np.flatnonzero(values)
    before, after = signed[:-1], signed[1:]
    crossed = (values[before] * values[after] < 0.0) & (within[before] == within[after])
    return before[crossed], after[crossed], np.full(crossed.sum(), column)


def _first_intervals(pieces: Array, count: int, function: Function) -> Intervals:
    """Cut pieces (k, 2) by their length into intervals of which no two neighbours are alike."""
    widths = pieces[:, 1] - pieces[:, 0]
    counts = np.maximum(1, np.ceil(count * widths / widths.sum())).astype(int)
    which = np.repeat(np.arange(len(pieces)), counts)
    place = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    left, right = (
        pieces[which, 0] + widths[which] * (k + UNEVEN * np.mod(k * GOLDEN, 1.0)) / counts[which]
        for k in (place, place + 1)
    )
    right = np.where(place + 1 == counts[which], pieces[which, 1], right)
    within = 0.5 * (pieces[:, 0] + pieces[:, 1])[which]
    values = _at(function, left[:, None] + (right - left)[:, None] * NODES, within)
    return Intervals(left, right - left, within, values)


def _at(function: Function, u: Array, within: Array) -> Array:
    """Return values (k, p, m) at places (k, p) of intervals on pieces (k,)."""
    values = function(u.ravel(), np.repeat(within, u.shape[1]))
    return np.asarray(values).reshape(*u.shape, -1)


def _polished(
    function: Function, whole: Intervals, which: Array, column: Array, place: Array
) -> Iterator[tuple[Array, ...]]:
    """Return places, pieces, values and weights where extremes should be, then where they are."""
    if not len(which):
        return
    left, width, within = whole.left[which], whole.width[which], whole.within[which]
    for step in STEPS:
        place = np.clip(place, step, 1.0 - step)
        u = left[:, None] + width[:, None] * (place[:, None] + np.array([-step, 0.0, step]))
        values = _at(function, u, within)
        rows = values.reshape(-1, values.shape[-1])
        yield u.ravel(), np.repeat(within, 3), rows, np.zeros(u.size)
        before, here, after = np.moveaxis(values[np.arange(len(which)), :, column], 1, 0)
        bend = before - 2.0 * here + after
        way = np.divide(0.5 * (before - after), bend, out=np.zeros_like(bend), where=bend != 0.0)
        place = np.clip(place + step * np.clip(way, -FARTHEST, FARTHEST), 0.0, 1.0)
    u = left + width * place
    yield u, within, function(u, within), np.zeros(u.size)


def _candidates(values: Array, most: Array | float, wanted: Array) -> list[Array]:
    """Return candidates for extremes: intervals, columns, and places in the intervals (k,)."""
    fine = np.einsum("xk,ikm->ixm", TO_FINE, values)
    ways = (fine, -fine)
    highest = [np.max(way, axis=(0, 1)) for way in ways]
    size = np.maximum(*highest)
    chosen: list[tuple[Array, Array, Array]] = []
    for way, best in zip(ways, highest, strict=True):
        at, top = np.argmax(way, axis=1), np.max(way, axis=1)
        beside = np.pad(top, ((1, 1), (0, 0)), constant_values=-np.inf)
        local = (top >= beside[:-2]) & (top >= beside[2:]) & (wanted != NEITHER)
        # The best few of those that come close to the best, whichever that is in truth.
        least = np.where(wanted == BOTH, best, size)
        least = np.maximum(least - (1.0 - EDGE) * np.abs(least), _nth(top, local))
        passed = local & (top >= EDGE * most)
        both = np.argwhere(local & (top >= least))[: 4 * MOST_EXTREMES * len(wanted)]
        both = np.concatenate([both, np.argwhere(passed & (top < least))[:MOST_PASSED]])
        chosen.append((both[:, 0], both[:, 1], FINE[at[both[:, 0], both[:, 1]]]))
    return [np.concatenate(parts) for parts in zip(*chosen, strict=True)]


def _nth(top: Array, local: Array) -> Array:
    """Return the values (m,) that as many candidates reach as are refined."""
    heights = np.where(local, top, -np.inf)
    if len(heights) <= MOST_EXTREMES:
        return np.full(heights.shape[1], -np.inf)
    return np.asarray(np.partition(heights, -MOST_EXTREMES, axis=0)[-MOST_EXTREMES])

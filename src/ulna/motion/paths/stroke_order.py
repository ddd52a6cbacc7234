"""The order of strokes: which comes when, from which of its ends, with little travel between them.

A stroke can be drawn in several ways. An open one has two, forwards and backwards; a closed one as
many as there are places to begin at, and ends where it began. A route takes every stroke once, in
one of its ways.

A few strokes have the best route (dynamic programming over subsets, as Held and Karp do). For more
a route from nearest to nearest is improved: 2-opt reverses runs of strokes, or-opt moves runs of up
to three elsewhere, both between ends that are near to one another, as long as that shortens the
travel. In between the best ways for the order are found by dynamic programming along it. Equal
inputs have equal outputs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array

MOST_EXACT = 9  # strokes of which the best route is found
MOST_SUMS = 40_000_000  # that finding it may take; fewer ways are looked at otherwise
MOST_WAYS = 256  # of a closed stroke that are looked at
MOST_TWICE = 1_000  # strokes that are ordered from the file's own order as well
NEIGHBOURS = 10  # ends near to an end, where better routes are looked for
LONGEST_RUN = 3  # strokes that or-opt moves
ROUNDS = 4  # of choosing orders, then ways
LESS = 1e-12  # of the travel, by which a change has to shorten it
AS_GIVEN = 1e-10  # of the extent, by which a way other than that of the file has to be shorter


class StrokeOrder(NamedTuple):
    """An order of strokes, and the travel between them."""

    index: Array  # (k,) which stroke comes when,
    backwards: Array  # (k,) bool, whether from its end to its start,
    places: Array  # (k,) and at which of its places a closed one begins
    travel: float  # in the unit of the strokes
    travel_before: float  # the same in the order that was given


class Ways(NamedTuple):
    """All ways to draw all strokes."""

    entry: Array  # (m,) complex: where the pen is lowered,
    leave: Array  # (m,) and where it is lifted
    first: Array  # (k+1,) which ways are the first of strokes, and how many there are

    def of(self, stroke: int) -> range:
        """Return the ways of a stroke."""
        return range(int(self.first[stroke]), int(self.first[stroke + 1]))

    def travel(self, route: Array) -> float:
        """Return the travel of a route (k,) of ways."""
        return float(np.abs(self.entry[route[1:]] - self.leave[route[:-1]]).sum())


def order_strokes(
    starts: Array, ends: Array, places: Sequence[Array] = (), *, keep: bool = False
) -> StrokeOrder:
    """Order strokes from complex starts (k,) to ends (k,) so that the travel is short.

    `places` are the points (m,) at which each stroke may begin if it is closed, its own start the
    first; none of an open one.
    """
    count = len(starts)
    if len(places) < count:
        places = [starts[:0]] * count
    ways = _all_ways(starts, ends, places)
    given = ways.first[:-1].copy()
    before = ways.travel(given)
    route = given if keep or count < 2 else _short_route(ways, given)
    index = np.searchsorted(ways.first, route, "right") - 1
    number = route - ways.first[index]
    closed = np.array([len(one) > 0 for one in places], dtype=bool)[index]
    turned, begun = (number > 0) & ~closed, np.where(closed, number, 0)
    return StrokeOrder(index, turned, begun, ways.travel(route), before)


def _all_ways(starts: Array, ends: Array, places: Sequence[Array]) -> Ways:
    entries, leaves = [], []
    for start, end, points in zip(starts, ends, places, strict=True):
        entries.append(points if len(points) else np.array([start, end]))
        leaves.append(points if len(points) else np.array([end, start]))
    first = np.concatenate([[0], np.cumsum([len(one) for one in entries])]).astype(int)
    return Ways(np.concatenate(entries), np.concatenate(leaves), first)


def _short_route(ways: Ways, given: Array) -> Array:
    if len(given) <= MOST_EXACT:
        return _best_route(ways)
    routes = [_improved(ways, _nearest_first(ways))]
    # The file's own order may be hard to beat; of many strokes it is tried where it is ahead.
    if len(given) <= MOST_TWICE or ways.travel(routes[0]) > ways.travel(given):
        routes.append(_improved(ways, given))
    return min(routes, key=ways.travel)


def _best_route(ways: Ways) -> Array:
    """Find the best route: the least travel through every set of strokes to every last way."""
    count = len(ways.first) - 1
    most = max(2, int((2.0 * MOST_SUMS / 2.0**count) ** 0.5) // count)
    own = [_thinned(ways.of(stroke), most) for stroke in range(count)]
    costs = np.full((1 << count, len(ways.entry)), np.inf)
    before = np.zeros(costs.shape, dtype=np.int32)
    extra = _preference(ways)
    for reached in range(1, 1 << count):
        inside = [stroke for stroke in range(count) if reached >> stroke & 1]
        for last in inside:
            ending, rest = own[last], reached ^ (1 << last)
            if not rest:
                costs[reached, ending] = extra[ending]
                continue
            leaving = np.concatenate([own[stroke] for stroke in inside if stroke != last])
            gaps = np.abs(ways.entry[ending][None] - ways.leave[leaving][:, None])
            sums = costs[rest, leaving][:, None] + gaps
            best = np.argmin(sums, axis=0)
            costs[reached, ending] = sums[best, np.arange(len(ending))] + extra[ending]
            before[reached, ending] = leaving[best]
    return _traced(ways, costs, before, 0.5 * float(extra.max()))


def _traced(ways: Ways, costs: Array, before: Array, alike: float) -> Array:
    reached = len(costs) - 1
    # Every route is as long as its reverse: that which ends with the later stroke is the file's.
    route = [int(np.flatnonzero(costs[reached] <= costs[reached].min() + alike)[-1])]
    while True:
        stroke = int(np.searchsorted(ways.first, route[0], "right")) - 1
        if reached == 1 << stroke:
            return np.array(route)
        way = int(before[reached, route[0]])
        reached ^= 1 << stroke
        route.insert(0, way)


def _thinned(ways: range, most: int) -> Array:
    """Return all ways of a stroke, or as many of them evenly picked, the first among them."""
    if len(ways) <= most:
        return np.array(ways)
    return ways.start + np.arange(most) * len(ways) // most


def _preference(ways: Ways) -> Array:
    """Return a trifle (m,) for every way that is not the file's own, so that it decides ties."""
    extent = max(np.ptp(ways.entry.real), np.ptp(ways.entry.imag))
    extra = np.full(len(ways.entry), AS_GIVEN * float(extent))
    extra[ways.first[:-1]] = 0.0
    return extra


def _nearest_first(ways: Ways) -> Array:
    """Begin with the first stroke as it is, and go on to the nearest way of all that are left."""
    from scipy.spatial import KDTree

    owner = np.repeat(np.arange(len(ways.first) - 1), np.diff(ways.first))
    flat = np.stack([ways.entry.real, ways.entry.imag], -1)
    leaves = np.stack([ways.leave.real, ways.leave.imag], -1)
    near = KDTree(flat).query(leaves, min(2 * NEIGHBOURS, len(flat)))[1].tolist()
    waiting, owners = np.ones(len(ways.first) - 1, dtype=bool), owner.tolist()
    waiting[0] = False
    route = [0]
    for _ in range(len(waiting) - 1):
        way = next((way for way in near[route[-1]] if waiting[owners[way]]), None)
        if way is None:
            left = np.flatnonzero(waiting[owner])
            way = int(left[np.argmin(np.abs(ways.entry[left] - ways.leave[route[-1]]))])
        route.append(way)
        waiting[owners[way]] = False
    return np.array(route)


def _improved(ways: Ways, route: Array) -> Array:
    """Choose ways for the order, then an order for the ways, until neither shortens the travel."""
    route = _best_ways(ways, route)
    for _ in range(ROUNDS):
        found = _best_ways(ways, _LocalSearch(ways, route).run())
        better = ways.travel(found) < (1.0 - LESS) * ways.travel(route)
        route = found if better else route
        if not better or (np.diff(ways.first) <= 2).all():
            break
    return route


def _best_ways(ways: Ways, route: Array) -> Array:
    """Return the best ways (k,) to draw strokes in the order of a route."""
    order: Array = np.searchsorted(ways.first, route, "right") - 1
    choices = [
        _with(_thinned(ways.of(stroke), MOST_WAYS), way)
        for stroke, way in zip(order.tolist(), route.tolist(), strict=True)
    ]
    extra = _preference(ways)
    costs, befores = extra[choices[0]], list[Array]()
    for here, there in pairwise(choices):
        sums = costs[:, None] + np.abs(ways.entry[there][None] - ways.leave[here][:, None])
        befores.append(np.argmin(sums, axis=0))
        costs = sums[befores[-1], np.arange(len(there))] + extra[there]
    chosen = [int(np.argmin(costs))]
    for before in reversed(befores):
        chosen.append(int(before[chosen[-1]]))
    return np.array([ways_[k] for ways_, k in zip(choices, reversed(chosen), strict=True)])


def _with(ways: Array, one: int) -> Array:
    return ways if one in ways else np.append(ways, one)


class _LocalSearch:
    """2-opt and or-opt on a route; strokes stand at positions 0 … k − 1 of it."""

    def __init__(self, ways: Ways, route: Array) -> None:
        from scipy.spatial import KDTree

        self.ways, self.count = ways, len(route)
        self.strokes: Array = np.searchsorted(ways.first, route, "right") - 1  # at positions
        self.position = np.argsort(self.strokes)  # of strokes
        self.forwards = np.ones(self.count, dtype=bool)  # of strokes: as in the route given
        self.route = route[self.position]  # by strokes
        self.entry: list[complex] = ways.entry[route].tolist()  # at positions
        self.leave: list[complex] = ways.leave[route].tolist()
        # Ends by strokes: 2 s is where stroke s begins in the route given, 2 s + 1 where it ends.
        both = np.stack([ways.entry[self.route], ways.leave[self.route]], -1).ravel()
        flat = np.stack([both.real, both.imag], -1)
        self.near = KDTree(flat).query(flat, min(NEIGHBOURS + 1, len(flat)))[1].tolist()
        self.least = LESS * max(ways.travel(route), float(np.finfo(float).tiny))

    def run(self) -> Array:
        """Return the route, no change of which shortens the travel."""
        waiting = deque(self.strokes.tolist())
        queued = [True] * self.count
        while waiting:
            stroke = waiting.popleft()
            queued[stroke] = False
            touched = self._changed(stroke)
            while touched:
                for position in touched:
                    if 0 <= position < self.count:
                        other = int(self.strokes[position])
                        if not queued[other]:
                            queued[other] = True
                            waiting.append(other)
                touched = self._changed(stroke)
        return self._as_route()

    def _as_route(self) -> Array:
        """Return ways: that of the route given, or of an open stroke turned round the other one."""
        first = self.ways.first
        stays = self.forwards | (self.ways.entry[self.route] == self.ways.leave[self.route])
        other = first[:-1] + first[1:] - 1 - self.route
        return np.asarray(np.where(stays, self.route, other)[self.strokes])

    def _gap(self, position: int) -> float:
        """Return the travel from the stroke at a position to the next."""
        if 0 <= position < self.count - 1:
            return abs(self.entry[position + 1] - self.leave[position])
        return 0.0

    def _changed(self, stroke: int) -> tuple[int, ...]:
        """Make a change at the ends of a stroke; return the positions around it, if there is one.

        Every change has a new way from an end to one near by, shorter than the way it replaces.
        """
        for side in (0, 1):
            end = 2 * stroke + side
            here = int(self.position[stroke])
            leaving = (side == 1) == bool(self.forwards[stroke])
            gap = self._gap(here if leaving else here - 1)
            point = self.leave[here] if leaving else self.entry[here]
            for near in self.near[end]:
                other, last = divmod(near, 2)
                if other == stroke:
                    continue
                there = int(self.position[other])
                near_leaves = (last == 1) == bool(self.forwards[other])
                new = abs((self.leave[there] if near_leaves else self.entry[there]) - point)
                if new >= gap:
                    break
                touched = self._try(here, there, leaving, near_leaves)
                if touched:
                    return touched
        return ()

    def _try(self, here: int, there: int, leaving: bool, near_leaves: bool) -> tuple[int, ...]:
        """Join an end of the stroke at one position to an end of that at another, if it pays."""
        if leaving == near_leaves:
            low, high = min(here, there), max(here, there)
            # Both are left: what lies behind the first, up to the second, is reversed.
            touched = self._try_reversing(*((low + 1, high) if leaving else (low, high - 1)))
            if touched:
                return touched
        for one, other, one_leaves, other_leaves in (
            (here, there, leaving, near_leaves),
            (there, here, near_leaves, leaving),
        ):
            # The run that begins or ends with one goes beside the other.
            for length in range(1, LONGEST_RUN + 1):
                first = one - length + 1 if one_leaves else one
                after = other if other_leaves else other - 1
                touched = self._try_moving(first, length, after, one_leaves == other_leaves)
                if touched:
                    return touched
        return ()

    def _try_reversing(self, first: int, last: int) -> tuple[int, ...]:
        entry, leave = self.entry, self.leave
        gain = self._gap(first - 1) + self._gap(last)
        if first > 0:
            gain -= abs(leave[last] - leave[first - 1])
        if last < self.count - 1:
            gain -= abs(entry[last + 1] - entry[first])
        if gain <= self.least:
            return ()
        self._reverse(first, last)
        return first - 1, first, last, last + 1

    def _try_moving(self, first: int, length: int, after: int, turned: bool) -> tuple[int, ...]:
        """Move a run of strokes to behind the stroke at a position; −1 is before all."""
        last = first + length - 1
        if first < 0 or last >= self.count or first - 1 <= after <= last:
            return ()
        entry, leave = self.entry, self.leave
        head, tail = (leave[last], entry[first]) if turned else (entry[first], leave[last])
        gain = self._gap(first - 1) + self._gap(last) + self._gap(after)
        if first > 0 and last < self.count - 1:
            gain -= abs(entry[last + 1] - leave[first - 1])
        if after >= 0:
            gain -= abs(head - leave[after])
        if after < self.count - 1:
            gain -= abs(entry[after + 1] - tail)
        if gain <= self.least:
            return ()
        # Two neighbouring runs change places where both together are reversed, then each.
        if after > last:
            low, middle, high = first, after - length, after
            self._reverse(low, high)
            self._reverse(low, middle)
            if not turned:
                self._reverse(middle + 1, high)
            return low - 1, low, middle, middle + 1, high, high + 1
        low, middle, high = after + 1, after + length, last
        self._reverse(low, high)
        self._reverse(middle + 1, high)
        if not turned:
            self._reverse(low, middle)
        return low - 1, low, middle, middle + 1, high, high + 1

    def _reverse(self, first: int, last: int) -> None:
        run = slice(first, last + 1)
        self.strokes[run] = self.strokes[run][::-1].copy()
        moved = self.strokes[run]
        self.position[moved] = np.arange(first, last + 1)
        self.forwards[moved] = ~self.forwards[moved]
        self.entry[run], self.leave[run] = self.leave[run][::-1], self.entry[run][::-1]

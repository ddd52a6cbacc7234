"""The order of strokes: which comes when, and from which of its ends, with little travel.

An open stroke can be drawn in two ways, forwards and backwards. A closed one can begin at several
places, and ends where it began. A route takes every stroke once, in one of its ways.

Several routes are improved, and the shortest is returned: the order of the file, and routes from
each stroke to the nearest one, which differ in the stroke that is the first. 2-opt reverses runs of
strokes, and closed strokes begin elsewhere, as long as either shortens the travel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ulna.arrays import Array

MOST_STARTED = 1000  # strokes of all routes to the nearest together, if that is more than one
LONGEST_RUN = 1000  # strokes that are reversed at once
FIRST_LOOK = 64  # ends near to an end, among which the next stroke is looked for first
LESS = 1e-9  # of the travel, by which a change has to shorten it


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
    owner: Array  # (m,) the stroke
    opposite: Array  # (m,) the way in the opposite direction
    first: Array  # (k+1,) the first way of each stroke, and how many there are

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
    places = places or [starts[:0]] * len(starts)
    ways = _all_ways(starts, ends, places)
    given = ways.first[:-1]
    route = given
    if not keep and len(given) > 1:
        begins = np.arange(len(ways.owner))[:: 1 + len(given) * len(ways.owner) // MOST_STARTED]
        routes = [given, *(_nearest_first(ways, int(way)) for way in begins)]
        route = min((_improved(ways, one) for one in routes), key=ways.travel)
    index = ways.owner[route]
    number = route - ways.first[index]
    closed = (ways.entry == ways.leave)[route]
    turned, begun = (number > 0) & ~closed, np.where(closed, number, 0)
    return StrokeOrder(index, turned, begun, ways.travel(route), ways.travel(given))


def _all_ways(starts: Array, ends: Array, places: Sequence[Array]) -> Ways:
    both = [
        (points, points) if len(points) else (np.array([start, end]), np.array([end, start]))
        for start, end, points in zip(starts, ends, places, strict=True)
    ]
    entry, leave = (np.concatenate(parts) for parts in zip(*both, strict=True))
    counts = [len(one) for one, _ in both]
    first = np.concatenate([[0], np.cumsum(counts)])
    owner, number = np.repeat(np.arange(len(starts)), counts), np.arange(len(entry))
    opposite = np.where(entry == leave, number, 2 * first[owner] + 1 - number)
    return Ways(entry, leave, owner, opposite, first)


def _nearest_first(ways: Ways, way: int) -> Array:
    """Begin with a way, and go on to the nearest of those that are left."""
    from scipy.spatial import KDTree

    tree = KDTree(np.stack([ways.entry.real, ways.entry.imag], axis=-1))
    waiting = np.ones(len(ways.first) - 1, dtype=bool)
    route = [way]
    for _ in range(len(waiting) - 1):
        waiting[ways.owner[route[-1]]] = False
        here, count = ways.leave[route[-1]], FIRST_LOOK
        left: Array = np.zeros(0, dtype=int)
        while not len(left):
            near = tree.query((here.real, here.imag), min(count, len(ways.owner)))[1]
            left, count = near[waiting[ways.owner[near]]], 8 * count
        route.append(int(left[0]))
    return np.array(route)


def _improved(ways: Ways, given: Array) -> Array:
    """Reverse runs of strokes, and begin closed ones elsewhere, until neither shortens it."""
    route, least = given.copy(), LESS * ways.travel(given)
    changed = True
    while changed:
        changed = False
        for position in range(len(route)):
            gains = _reversal_gains(ways, route[:position], route[position:])
            best = int(np.argmax(gains))
            if gains[best] > least:
                run = slice(position, position + best + 1)
                route[run] = ways.opposite[route[run]][::-1]
                changed = True
            changed |= _begun_elsewhere(ways, route, position, least)
    return route


def _reversal_gains(ways: Ways, before: Array, rest: Array) -> Array:
    """Return the travel saved (r,) by reversing the first one, two, … ways of the rest."""
    run, behind = rest[:LONGEST_RUN], ways.entry[rest[1 : LONGEST_RUN + 1]]
    start, ends = ways.entry[run[0]], ways.leave[run]
    gains = np.zeros(len(run))
    if len(before):
        last = ways.leave[before[-1]]
        gains += np.abs(start - last) - np.abs(ends - last)
    gains[: len(behind)] += np.abs(behind - ends[: len(behind)]) - np.abs(behind - start)
    return gains


def _begun_elsewhere(ways: Ways, route: Array, position: int, least: float) -> bool:
    """Let a closed stroke begin where the travel to it and from it is least."""
    own = slice(*ways.first[ways.owner[route[position]] :][:2])
    if ways.opposite[own.start] != own.start:
        return False
    travel = np.zeros(own.stop - own.start)
    if position:
        travel += np.abs(ways.entry[own] - ways.leave[route[position - 1]])
    if position + 1 < len(route):
        travel += np.abs(ways.entry[own] - ways.entry[route[position + 1]])
    best = int(np.argmin(travel))
    if not travel[best] < travel[route[position] - own.start] - least:
        return False
    route[position] = own.start + best
    return True

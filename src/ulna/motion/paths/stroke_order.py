"""The order of strokes: which comes when, and from which of its ends, with little travel.

A route begins at either end of the first stroke, and goes on to the nearest stroke that is left;
2-opt then reverses runs of strokes as long as that shortens the travel. The order of the file is
kept if no route is shorter.

A route holds the ways in which strokes are drawn: 2k is stroke k from its start to its end, and
2k + 1 is the same backwards. A way begins at its point, and ends at that of the opposite way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ulna.arrays import Array

LONGEST_RUN = 1000  # strokes that are reversed at once
FIRST_LOOK = 64  # ends near to an end, among which the next stroke is looked for first
LESS = 1e-9  # of the travel, by which a change has to shorten it


class StrokeOrder(NamedTuple):
    """An order of strokes, and the travel between them."""

    index: Array  # (k,) which stroke comes when,
    backwards: Array  # (k,) bool, whether from its end to its start
    travel: float  # in the unit of the strokes
    travel_before: float  # the same in the order that was given


def order_strokes(starts: Array, ends: Array, *, keep: bool = False) -> StrokeOrder:
    """Order strokes from complex starts (k,) to ends (k,) so that the travel is short."""
    points = np.stack([starts, ends], axis=-1).ravel()
    given = 2 * np.arange(len(starts))
    route = given
    if not keep and len(given) > 1:
        routes = [given, *(_improved(points, _nearest_first(points, way)) for way in (0, 1))]
        route = min(routes, key=lambda one: _travel(points, one))
    index = route // 2
    backwards = (route % 2 == 1) & (starts != ends)[index]
    return StrokeOrder(index, backwards, _travel(points, route), _travel(points, given))


def _travel(points: Array, route: Array) -> float:
    return float(np.abs(points[route[1:]] - points[route[:-1] ^ 1]).sum())


def _nearest_first(points: Array, way: int) -> Array:
    """Begin with a way, and go on to the nearest of those that are left."""
    from scipy.spatial import KDTree

    tree = KDTree(np.stack([points.real, points.imag], axis=-1))
    waiting = np.ones(len(points), dtype=bool)
    route = [way]
    for _ in range(len(points) // 2 - 1):
        waiting[[route[-1], route[-1] ^ 1]] = False
        here, count = points[route[-1] ^ 1], FIRST_LOOK
        left: Array = np.zeros(0, dtype=int)
        while not len(left):
            near = tree.query((here.real, here.imag), min(count, len(points)))[1]
            left, count = near[waiting[near]], 8 * count
        route.append(int(left[0]))
    return np.array(route)


def _improved(points: Array, given: Array) -> Array:
    """Reverse runs of strokes until that does not shorten the travel."""
    route, least = given.copy(), LESS * _travel(points, given)
    changed = True
    while changed:
        changed = False
        for position in range(len(route)):
            gains = _reversal_gains(points, route[:position], route[position:])
            best = int(np.argmax(gains))
            if gains[best] > least:
                run = slice(position, position + best + 1)
                route[run] = route[run][::-1] ^ 1
                changed = True
    return route


def _reversal_gains(points: Array, before: Array, rest: Array) -> Array:
    """Return the travel saved (r,) by reversing the first one, two, … ways of the rest."""
    run, behind = rest[:LONGEST_RUN], points[rest[1 : LONGEST_RUN + 1]]
    start, ends = points[run[0]], points[run ^ 1]
    gains = np.zeros(len(run))
    if len(before):
        last = points[before[-1] ^ 1]
        gains += np.abs(start - last) - np.abs(ends - last)
    gains[: len(behind)] += np.abs(behind - ends[: len(behind)]) - np.abs(behind - start)
    return gains

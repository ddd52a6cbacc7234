"""Minimum time along a path by reachability analysis, compiled.

With s the part of the way, v = ds/dt, x = v² and u = d²s/dt², dx/ds = 2 u. On an interval of the
grid, from x to y, the mean of u is (y − x)/(2 h), and by how much u differs from it at both ends
is known. Every limit is one of

    a u + b x + d √x + c ≤ 0          A u² + 2 B u x + C x² ≤ D

with numbers of each of the two ends: at the first with x, at the second with y. For a given x each
leaves an interval of y, in closed form: the roots of a quadratic in √y or in u. Nothing is
linearised, viscous damping (d √x) included.

1. From the end to the start: the speeds [low, high] of a node from which the end can be reached
   (controllable set): those x that leave a y in the set of the next node.
2. From the start to the end: the largest y that all of them allow (greedy, time-optimal).

Sources: Pham and Pham, A new approach to time-optimal path parameterization based on reachability
analysis, IEEE T-RO 34 (2018).
"""

from __future__ import annotations

import math
from typing import Any

from ulna.arrays import Array
from ulna.kernels import inner, kernel

A, B, D, C = range(4)  # the columns of a row: of u, of x, of √x, and the constant
UU, UX, XX, MOST = range(4)  # the columns of a square
LOW, HIGH = range(2)  # of an interval
BISECTIONS = 100
SEARCHES = 120
FINE = 1e-14  # of a value, to which it is found
NEARBY = 0.01  # of a speed's square, by which that of the next node may differ: a first guess
ITP_SHARE = 0.2  # of how much a secant is moved
ROUNDING = 1e-12  # of a speed, by which intervals may miss one another
SMALL = 1e-12  # x [1/s²] to start from where nothing is known
LARGE = 1e30  # x beyond which there is no limit
GOLDEN = 0.6180339887498949
FOUND, NO_START = -1, -2  # what is returned, besides the number of an interval that fails


@kernel
def reach_profile(
    step: Array, rows: Array, squares: Array, turn: Array, top: Array, ends: Array,
    sections: Array, low: Array, high: Array, x: Array, section: Array,
) -> int:  # fmt: skip
    """Write x (k+1,) at the nodes of a grid, the fastest that all limits allow.

    `step` (k,), `rows` (k, 2, r, 4), `squares` (k, 2, 4), `turn` (k, 2) by how much u differs from
    its mean at both ends, `top` (k+1,) the largest x of nodes, `ends` (2,) x at start and end,
    `sections` (m, 2) the first and last nodes of sections between stops: others keep their x;
    `low` and `high` (k+1,) get the controllable sets; `section` (2,) is to work in. Returns FOUND,
    the number of the interval that no speed passes, or NO_START.
    """
    for k in range(len(sections)):
        first, last = sections[k, 0], sections[k, 1]
        start = ends[0] if first == 0 else 0.0
        low[last] = high[last] = ends[1] if last == len(step) else 0.0
        for back in range(last - first):
            i = last - 1 - back
            if not _controllable(i, step, rows, squares, turn, top, low, high, section):
                return int(i)
        slack = ROUNDING * (start + high[first])
        if start > high[first] + slack or start < low[first] - slack:
            return int(first) if first > 0 else NO_START
        x[first] = min(max(start, low[first]), high[first])
        for i in range(first, last):
            _cut(i, x[i], step, rows, squares, turn, low, high, section)
            y = section[HIGH]
            if section[LOW] > y:
                y = 0.5 * (section[LOW] + y)
            x[i + 1] = min(max(y, low[i + 1]), high[i + 1])
    return FOUND


@inner
def _controllable(
    i: int, step: Array, rows: Array, squares: Array, turn: Array, top: Array, low: Array,
    high: Array, section: Array,
) -> bool:  # fmt: skip
    """Find the speeds of a node from which the set of the next one is reached."""
    at_rest = _width(i, 0.0, step, rows, squares, turn, low, high, section) >= 0.0
    inside, most = 0.0, top[i]
    if not at_rest:
        inside = _widest(i, step, rows, squares, turn, top, low, high, section)
        if _width(i, inside, step, rows, squares, turn, low, high, section) < 0.0:
            return False
    low[i] = 0.0
    if not at_rest:
        low[i] = _edge(i, inside, 0.0, step, rows, squares, turn, low, high, section)
    # The edge is near that of the next node: it is looked for from there, farther and farther.
    outside = max(min(high[i + 1], most), inside)
    if _width(i, outside, step, rows, squares, turn, low, high, section) >= 0.0:
        inside, grown = outside, NEARBY
        while outside < most and outside < LARGE:
            outside = min(most, (1.0 + grown) * outside + SMALL)
            if _width(i, outside, step, rows, squares, turn, low, high, section) < 0.0:
                break
            inside, grown = outside, 4.0 * grown
    else:
        least, shrunk = inside, NEARBY
        for _ in range(SEARCHES):
            nearer = max(least, outside - shrunk * outside)
            if _width(i, nearer, step, rows, squares, turn, low, high, section) >= 0.0:
                inside = nearer
                break
            outside, shrunk = nearer, min(0.5, 4.0 * shrunk)
    high[i] = inside
    if outside > inside:
        high[i] = _edge(i, inside, outside, step, rows, squares, turn, low, high, section)
    return True


@inner
def _edge(
    i: int, inside: float, outside: float, step: Array, rows: Array, squares: Array, turn: Array,
    low: Array, high: Array, section: Array,
) -> Any:  # fmt: skip
    """Find the last x that is possible, between one that is and one that is not.

    By secants that are moved a little towards the middle, and by halves where those are slow (ITP,
    Oliveira and Takahashi 2020).
    """
    first = _width(i, inside, step, rows, squares, turn, low, high, section)
    last = _width(i, outside, step, rows, squares, turn, low, high, section)
    whole = abs(outside - inside)
    bound = 2.0 * whole
    for _ in range(BISECTIONS):
        gap = abs(outside - inside)
        if gap <= FINE * (abs(inside) + abs(outside)):
            break
        middle, way = 0.5 * (inside + outside), outside - inside
        at = inside + way * (first / (first - last)) if first > last else middle
        moved = ITP_SHARE * gap * gap / whole + FINE * abs(outside)
        at = middle if abs(middle - at) <= moved else at + math.copysign(moved, middle - at)
        bound *= 0.5
        room = bound - 0.5 * gap  # by which it may be off the middle and be no slower than halves
        if abs(at - middle) > room:
            at = middle - math.copysign(max(room, 0.0), middle - at)
        width = _width(i, at, step, rows, squares, turn, low, high, section)
        if width >= 0.0:
            inside, first = at, width
        else:
            outside, last = at, width
    return inside


@inner
def _widest(
    i: int, step: Array, rows: Array, squares: Array, turn: Array, top: Array, low: Array,
    high: Array, section: Array,
) -> Any:  # fmt: skip
    """Search the x that leaves most room for y: the width of a convex set's section is concave."""
    first, last = 0.0, min(top[i], 4.0 * max(high[i + 1], SMALL))
    for _ in range(SEARCHES):
        one, other = last - GOLDEN * (last - first), first + GOLDEN * (last - first)
        at_one = _width(i, one, step, rows, squares, turn, low, high, section)
        at_other = _width(i, other, step, rows, squares, turn, low, high, section)
        if at_one >= 0.0:
            return one
        if at_other >= 0.0:
            return other
        if at_one > at_other:
            last = other
        else:
            first = one
    return 0.5 * (first + last)


@inner
def _width(
    i: int, x: float, step: Array, rows: Array, squares: Array, turn: Array, low: Array,
    high: Array, section: Array,
) -> Any:  # fmt: skip
    """Return how wide the interval of y is, and rounding; negative where there is none."""
    _cut(i, x, step, rows, squares, turn, low, high, section)
    return section[HIGH] - section[LOW] + ROUNDING * (x + high[i + 1])


@inner
def _cut(
    i: int, x: float, step: Array, rows: Array, squares: Array, turn: Array, low: Array,
    high: Array, section: Array,
) -> None:  # fmt: skip
    """Write the interval of y that is controllable and that both ends' limits allow from x."""
    h, root = 2.0 * step[i], math.sqrt(x)
    section[LOW], section[HIGH] = low[i + 1], high[i + 1]
    for r in range(rows.shape[2]):
        a, c = rows[i, 0, r, A], rows[i, 0, r, C] + rows[i, 0, r, A] * turn[i, 0]
        _cut_linear(a, rows[i, 0, r, B] * x + rows[i, 0, r, D] * root + c, x, h, section)
        a, c = rows[i, 1, r, A], rows[i, 1, r, C] + rows[i, 1, r, A] * turn[i, 1]
        b, d = rows[i, 1, r, B], rows[i, 1, r, D]
        if d == 0.0:
            _cut_linear(a + h * b, b * x + c, x, h, section)
        else:
            _cut_root(a / h + b, d, c - a * x / h, root, section)
    for end in range(2):
        if squares[i, end, MOST] < LARGE:
            shift, off = h * end, turn[i, end]
            uu, ux = squares[i, end, UU], squares[i, end, UX]
            xx = squares[i, end, XX]
            quadratic = uu + 2.0 * shift * ux + shift * shift * xx
            half = uu * off + ux * (x + shift * off) + shift * xx * x
            rest = uu * off * off + 2.0 * ux * off * x + xx * x * x
            _cut_square(quadratic, half, rest - squares[i, end, MOST], x, h, section)


@inner
def _cut_linear(a: float, rest: float, x: float, h: float, section: Array) -> None:
    """Keep the y = x + h u with a u + rest ≤ 0."""
    if a > 0.0:
        section[HIGH] = min(section[HIGH], x - h * rest / a)
    elif a < 0.0:
        section[LOW] = max(section[LOW], x - h * rest / a)
    elif rest > 0.0:
        section[LOW], section[HIGH] = LARGE, -LARGE * (1.0 + rest)


@inner
def _cut_square(
    quadratic: float, half: float, rest: float, x: float, h: float, section: Array
) -> None:
    """Keep the y = x + h u with quadratic u² + 2 half u + rest ≤ 0."""
    inside = half * half - quadratic * rest
    if inside < 0.0:
        section[LOW], section[HIGH] = LARGE, -LARGE - rest
    elif quadratic > 0.0:
        root = math.sqrt(inside)
        section[HIGH] = min(section[HIGH], x + h * (root - half) / quadratic)
        section[LOW] = max(section[LOW], x - h * (root + half) / quadratic)
    elif rest > 0.0:
        section[LOW], section[HIGH] = LARGE, -LARGE - rest


@inner
def _cut_root(p: float, d: float, rest: float, near: float, section: Array) -> None:
    """Keep the y = z² with p z² + d z + rest ≤ 0; of two intervals the one that z = near is in."""
    inside = d * d - 4.0 * p * rest
    if p == 0.0:
        z = -rest / d
        if d < 0.0:
            section[LOW] = max(section[LOW], max(z, 0.0) ** 2)
        elif z >= 0.0:
            section[HIGH] = min(section[HIGH], z * z)
        else:
            section[HIGH] = -LARGE
        return
    if inside < 0.0:
        if p > 0.0:
            section[HIGH] = -LARGE
        return
    half = -0.5 * (d + math.copysign(math.sqrt(inside), d))
    one, other = half / p, rest / half if half != 0.0 else 0.0
    first, last = min(one, other), max(one, other)
    if p > 0.0:
        section[HIGH] = min(section[HIGH], last * last if last >= 0.0 else -LARGE)
        section[LOW] = max(section[LOW], max(first, 0.0) ** 2)
    elif first < 0.0 or near >= 0.5 * (first + last):
        section[LOW] = max(section[LOW], max(last, 0.0) ** 2)
    else:
        section[HIGH] = min(section[HIGH], first * first)

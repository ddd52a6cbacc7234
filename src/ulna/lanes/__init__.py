"""SIMD lanes: vectors of numbers on which compiled code works at once, an arm in each lane.

A formula in a kernel is written for one number. Given lanes, each of its operations is done on all
of them together, in the processor's vector registers: the same lines serve one arm and sixteen.
Nothing passes from one lane to another, so that the result of a lane does not depend on its
neighbours.

In memory lanes are the last axis of an array: `lanes(array)` views (…, W) numbers as (…) lanes, and
`numbers(array)` views them as numbers again. Branches that depend on a number are written with
`select`, `all_lanes` and `any_lane`. Without a compiler lanes are rows of NumPy, which does all of
this by itself; so what is read from an array is never changed in place, which would change the
array.
"""

from ulna.lanes.uncompiled import (
    WIDTHS,
    all_lanes,
    any_lane,
    floor,
    gather,
    is_scalar,
    is_single,
    lanes,
    lanes_like,
    logical_and,
    logical_not,
    logical_or,
    matrix_view,
    numbers,
    scatter,
    select,
    sqrt,
    squeeze,
    turn_quarters,
    wide_lanes,
)

__all__ = [
    "WIDTHS",
    "all_lanes",
    "any_lane",
    "floor",
    "gather",
    "is_scalar",
    "is_single",
    "lanes",
    "lanes_like",
    "logical_and",
    "logical_not",
    "logical_or",
    "matrix_view",
    "numbers",
    "scatter",
    "select",
    "sqrt",
    "squeeze",
    "turn_quarters",
    "wide_lanes",
]

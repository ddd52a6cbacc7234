"""Numbers that stand for many: the lanes in which compiled code works on many arms at once.

A formula in a kernel is written for one number. Where it is given lanes, each of its operations is
done on all of them together, in the processor's wide registers: the same lines serve one arm and
sixteen. Nothing passes from one lane to another, so that what comes out of a lane does not depend
on what stands beside it.

In memory lanes are the last axis of an array: `lanes(array)` sees (…, W) numbers as (…) lanes, and
`numbers(array)` sees them as numbers again. What depends on a number is written with `choose`,
`every` and `some`. Without a compiler lanes are rows of NumPy, which does all of this by itself; so
what is read from an array is never changed in place, which would change the array.
"""

from ulna.lanes.uncompiled import (
    WIDTHS,
    all_lanes,
    any_lane,
    bit,
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
    wide_lanes,
)

__all__ = [
    "WIDTHS",
    "all_lanes",
    "any_lane",
    "bit",
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
    "wide_lanes",
]

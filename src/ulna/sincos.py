"""Sine and cosine together, without branches, so that a compiler can run many side by side.

The angle is brought to within π/4 of zero by taking off a multiple of π/2, which is written as
three numbers of 33 bits so that the products are exact; then two polynomials, those of the
classic FDLIBM. The error stays about half a unit in the last place up to a million radians. Beyond
that the reduction runs out of bits, and the library's functions take over.
"""

from __future__ import annotations

import math
from typing import Any

from ulna.arrays import Array
from ulna.kernels import inlined, inner
from ulna.lanes import any_lane, is_single, numbers, select, turn_quarters

FAR = 1e6  # [rad]
COS, SIN = 0, 1  # rows of a table
TWO_OVER_PI = 0.6366197723675814
# Adding and taking off 1.5 · 2⁵² rounds to the nearest integer.
ROUND = 6755399441055744.0
HALF_PI = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624871116645580e-21)
HALF_PI_REST = 8.47842766036889956997e-32  # what the three leave out
SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
# The same in single precision: π/2 in numbers of 8, 11 and 24 bits, and the polynomials of Cephes.
SHORT_FAR = 1e4  # [rad]
SHORT_ROUND = 12582912.0  # 1.5 · 2²³
SHORT_HALF_PI = (1.5703125, 4.837512969970703125e-4, 7.54978995489188216e-8)
SHORT_SINE = (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4)
SHORT_COSINE = (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5)


@inlined
def sincos(angle: float) -> tuple[float, float]:
    """Return the sine and the cosine of an angle."""
    if not abs(angle) <= FAR:
        return math.sin(angle), math.cos(angle)
    return sincos_near(angle)


@inlined
def sincos_near(angle: Any) -> tuple[Any, Any]:
    """Return the sine and the cosine of an angle that is not far."""
    if is_single(angle):
        turns, s, c = _short_quarter(angle)
    else:
        turns, s, c = _quarter(angle)
    return turn_quarters(s, c, turns)


@inlined
def far(angle: Any) -> Any:
    """Return whether an angle is beyond what can be brought near to zero exactly."""
    return abs(angle) > (SHORT_FAR if is_single(angle) else FAR)


@inlined
def _short_quarter(angle: Any) -> tuple[Any, Any, Any]:
    """Do as `_quarter` does, in single precision."""
    turns = (angle * TWO_OVER_PI + SHORT_ROUND) - SHORT_ROUND
    x = angle - turns * SHORT_HALF_PI[0] - turns * SHORT_HALF_PI[1] - turns * SHORT_HALF_PI[2]
    z = x * x
    sine = x + x * z * (SHORT_SINE[0] + z * (SHORT_SINE[1] + z * SHORT_SINE[2]))
    series = SHORT_COSINE[0] + z * (SHORT_COSINE[1] + z * SHORT_COSINE[2])
    return turns, sine, 1.0 - 0.5 * z + z * z * series


@inlined
def _quarter(angle: Any) -> tuple[Any, Any, Any]:
    """Return the nearest number of quarter turns, and sine and cosine of what is left."""
    turns = (angle * TWO_OVER_PI + ROUND) - ROUND
    near = angle - turns * HALF_PI[0]
    step = turns * HALF_PI[1]
    middle = near - step
    rest = (near - middle) - step
    step = turns * HALF_PI[2]
    x = middle - step
    rest += ((middle - x) - step) - turns * HALF_PI_REST

    z = x * x
    cube = z * x
    series = SINE[1] + z * (SINE[2] + z * (SINE[3] + z * (SINE[4] + z * SINE[5])))
    sine = x - ((z * (0.5 * rest - cube * series) - rest) - cube * SINE[0])
    series = COSINE[2] + z * (COSINE[3] + z * (COSINE[4] + z * COSINE[5]))
    series = z * (COSINE[0] + z * (COSINE[1] + z * series))
    half = 0.5 * z
    most = 1.0 - half
    cosine = most + (((1.0 - most) - half) + (z * series - x * rest))

    return turns, sine, cosine


@inlined
def turn_links(size: int, turns: Array, y: Array, at: int) -> None:
    """Note the cosine and the sine of every link, the first two rows, for joint angles y[at].

    The table has a column more than there are links.
    """
    n = size
    angle = sizes = 0.0
    for i in range(n):
        angle += y[at, i]
        sizes += abs(angle)
        turns[COS, i] = angle
    gone = any_lane(far(sizes))  # seldom, and then perhaps none by itself
    if gone:
        _leave_out_far(size, turns)
    for i in range(n):
        sine, cosine = sincos_near(turns[COS, i])
        turns[COS, i], turns[SIN, i] = cosine, sine
    if gone:
        _turn_far(size, turns, y, at)


@inner
def _leave_out_far(size: int, turns: Array) -> None:
    for i in range(size):
        turns[COS, i] = select(far(turns[COS, i]), 0.0, turns[COS, i])


@inner
def _turn_far(size: int, turns: Array, y: Array, at: int) -> None:
    """Turn the links that are far by the library's functions, and leave those beside them."""
    n, found = size, numbers(turns)
    angle = 0.0
    for i in range(n):
        angle += y[at, i]
        # The column after the last link is for notes.
        turns[COS, n], turns[SIN, n] = angle, select(far(angle), 1.0, 0.0)
        for w in range(found.shape[2]):
            if found[SIN, n, w] != 0.0:
                found[SIN, i, w] = math.sin(found[COS, n, w])
                found[COS, i, w] = math.cos(found[COS, n, w])

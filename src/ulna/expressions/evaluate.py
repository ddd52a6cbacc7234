"""The interpreter of `program.py`, compiled: the same opcodes on numbers, or on lanes of them.

Arithmetic and choices are done on all lanes together, the library's functions lane by lane.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ulna.expressions.program import Op
from ulna.kernels import inner
from ulna.lanes import logical_or, numbers, select

Array: TypeAlias = NDArray[Any]

# A kernel reads plain integers.
CONSTANT, VARIABLE, TUCK, SWAP_BELOW = (
    int(op) for op in (Op.CONSTANT, Op.VARIABLE, Op.TUCK, Op.SWAP_BELOW)
)
SELECT, CLIP, NEGATE = int(Op.SELECT), int(Op.CLIP), int(Op.NEGATE)
SIN, COS, TAN, ASIN, ACOS, ATAN = (
    int(op) for op in (Op.SIN, Op.COS, Op.TAN, Op.ASIN, Op.ACOS, Op.ATAN)
)
SINH, COSH, TANH, EXP, LOG, LOG10 = (
    int(op) for op in (Op.SINH, Op.COSH, Op.TANH, Op.EXP, Op.LOG, Op.LOG10)
)
SQRT, ABS, SIGN, FLOOR = (int(op) for op in (Op.SQRT, Op.ABS, Op.SIGN, Op.FLOOR))
ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, REMAINDER = (
    int(op) for op in (Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.POWER, Op.REMAINDER)
)
MIN, MAX, ATAN2, HYPOT = (int(op) for op in (Op.MIN, Op.MAX, Op.ATAN2, Op.HYPOT))
LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL = (
    int(op) for op in (Op.LESS, Op.LESS_EQUAL, Op.GREATER, Op.GREATER_EQUAL, Op.EQUAL)
)


@inner
def evaluate(
    codes: Array, reals: Array, start: int, stop: int, constants: int, values: int, stack: int
) -> Any:
    """Run the steps whose codes and arguments stand in turn from `start` to `stop` in `codes`.

    Constants, values and the stack to work on begin at those places of `reals`.
    """
    each = numbers(reals)
    top = stack - 1
    for step in range(start, stop, 2):
        code = codes[step]
        if code == CONSTANT:
            top += 1
            reals[top] = reals[constants + codes[step + 1]]
        elif code == VARIABLE:
            top += 1
            reals[top] = reals[values + codes[step + 1]]
        elif code == TUCK:
            top += 1
            reals[top] = reals[top - 1]
            reals[top - 1] = reals[top - 2]
            reals[top - 2] = reals[top]
        elif code == SWAP_BELOW:
            for w in range(each.shape[1]):
                each[top - 2, w], each[top - 1, w] = each[top - 1, w], each[top - 2, w]
        elif code == SELECT:
            top -= 2
            reals[top] = select(reals[top] != 0.0, reals[top + 1], reals[top + 2])
        elif code == CLIP:
            top -= 2
            reals[top] = _least(_most(reals[top], reals[top + 1]), reals[top + 2])
        else:
            top = _calculate(code, reals, top)
    return reals[stack]


@inner
def _calculate(code: int, reals: Array, top: int) -> int:
    """Replace the topmost values by an operation on them; return where the stack ends."""
    each = numbers(reals)
    if code == NEGATE:
        reals[top] = -reals[top]
        return top
    if code < ADD:
        for w in range(each.shape[1]):
            each[top, w] = _one(code, each[top, w])
        return top
    top -= 1
    if code in (POWER, REMAINDER, ATAN2, HYPOT):
        for w in range(each.shape[1]):
            each[top, w] = _two(code, each[top, w], each[top + 1, w])
    else:
        reals[top] = _both(code, reals[top], reals[top + 1])
    return top


@inner
def _one(code: int, x: float) -> Any:  # noqa: C901 - one line an opcode
    if code == SIN:
        return np.sin(x)
    if code == COS:
        return np.cos(x)
    if code == TAN:
        return np.tan(x)
    if code == ASIN:
        return np.arcsin(x)
    if code == ACOS:
        return np.arccos(x)
    if code == ATAN:
        return np.arctan(x)
    if code == SINH:
        return np.sinh(x)
    if code == COSH:
        return np.cosh(x)
    if code == TANH:
        return np.tanh(x)
    if code == EXP:
        return np.exp(x)
    if code == LOG:
        return np.log(x)
    if code == LOG10:
        return np.log10(x)
    if code == SQRT:
        return np.sqrt(x)
    if code == ABS:
        return abs(x)
    if code == SIGN:
        return np.sign(x)
    if code == FLOOR:
        return np.floor(x)
    return np.ceil(x)


@inner
def _two(code: int, w: float, x: float) -> Any:
    if code == POWER:
        return np.power(w, x)
    if code == REMAINDER:
        return np.remainder(w, x)
    if code == ATAN2:
        return np.arctan2(w, x)
    return np.hypot(w, x)


@inner
def _both(code: int, w: Any, x: Any) -> Any:
    if code == ADD:
        return w + x
    if code == SUBTRACT:
        return w - x
    if code == MULTIPLY:
        return w * x
    if code == DIVIDE:
        return w / x
    if code == MIN:
        return _least(w, x)
    if code == MAX:
        return _most(w, x)
    return select(_holds(code, w, x), 1.0, 0.0)


@inner
def _holds(code: int, w: Any, x: Any) -> Any:
    if code == LESS:
        return w < x
    if code == LESS_EQUAL:
        return w <= x
    if code == GREATER:
        return w > x
    if code == GREATER_EQUAL:
        return w >= x
    if code == EQUAL:
        return w == x
    return w != x


@inner
def _least(w: Any, x: Any) -> Any:
    # As NumPy has it: what is not a number stays so.
    return select(logical_or(w <= x, w != w), w, x)


@inner
def _most(w: Any, x: Any) -> Any:
    return select(logical_or(w >= x, w != w), w, x)

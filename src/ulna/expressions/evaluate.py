"""The interpreter of `program.py`, compiled: the same opcodes on single numbers."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ulna.expressions.program import Op
from ulna.kernels import inner

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
) -> float:
    """Run the steps whose codes and arguments stand in turn from `start` to `stop` in `codes`.

    Constants, values and the stack to work on begin at those places of `reals`.
    """
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
            reals[top - 2], reals[top - 1] = reals[top - 1], reals[top - 2]
        elif code == SELECT:
            top -= 2
            reals[top] = reals[top + 1] if reals[top] != 0.0 else reals[top + 2]
        elif code == CLIP:
            top -= 2
            reals[top] = _least(_most(reals[top], reals[top + 1]), reals[top + 2])
        elif code < ADD:
            reals[top] = _one(code, reals[top])
        else:
            top -= 1
            reals[top] = _two(code, reals[top], reals[top + 1])
    return float(reals[stack])


@inner
def _one(code: int, x: float) -> Any:  # noqa: C901 - one line an opcode
    if code == NEGATE:
        return -x
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
def _two(code: int, w: float, x: float) -> Any:  # noqa: C901 - one line an opcode
    if code == ADD:
        return w + x
    if code == SUBTRACT:
        return w - x
    if code == MULTIPLY:
        return w * x
    if code == DIVIDE:
        return w / x
    if code == POWER:
        return np.power(w, x)
    if code == REMAINDER:
        return np.remainder(w, x)
    if code == MIN:
        return _least(w, x)
    if code == MAX:
        return _most(w, x)
    if code == ATAN2:
        return np.arctan2(w, x)
    if code == HYPOT:
        return np.hypot(w, x)
    return 1.0 if _holds(code, w, x) else 0.0


@inner
def _holds(code: int, w: float, x: float) -> bool:
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
def _least(w: float, x: float) -> float:
    # As NumPy has it: what is not a number stays so.
    return w if w <= x or math.isnan(w) else x


@inner
def _most(w: float, x: float) -> float:
    return w if w >= x or math.isnan(w) else x

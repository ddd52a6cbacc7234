"""The flat program that text becomes, and the interpreter that runs it on NumPy arrays.

A program is postfix code for a stack machine. It holds nothing but arrays of numbers, so that
a compiled kernel can run the same program by the same opcodes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Stack: TypeAlias = list[Any]


class Op(IntEnum):
    """What one step does to the stack; x is the top entry, below it w, below that v.

    Arithmetic is NumPy's on float64: division by zero, ``log(-1)`` and the like give inf or nan.
    A remainder takes the sign of the divisor. A comparison gives 1.0 or 0.0.
    """

    CONSTANT = 0  # push constants[argument]
    VARIABLE = 1  # push values[argument]
    TUCK = 2  # w x -> x w x
    SWAP_BELOW = 3  # v w x -> w v x
    SELECT = 4  # v w x -> w if v is not zero, else x; both were computed, nothing branches
    CLIP = 5  # v w x -> min(max(v, w), x)
    NEGATE = 10
    SIN = 11
    COS = 12
    TAN = 13
    ASIN = 14
    ACOS = 15
    ATAN = 16
    SINH = 17
    COSH = 18
    TANH = 19
    EXP = 20
    LOG = 21
    LOG10 = 22
    SQRT = 23
    ABS = 24
    SIGN = 25
    FLOOR = 26
    CEIL = 27
    ADD = 40
    SUBTRACT = 41
    MULTIPLY = 42
    DIVIDE = 43
    POWER = 44
    REMAINDER = 45
    MIN = 46
    MAX = 47
    ATAN2 = 48
    HYPOT = 49
    LESS = 60
    LESS_EQUAL = 61
    GREATER = 62
    GREATER_EQUAL = 63
    EQUAL = 64
    NOT_EQUAL = 65


_UNARY = {
    Op.NEGATE: np.negative,
    Op.SIN: np.sin,
    Op.COS: np.cos,
    Op.TAN: np.tan,
    Op.ASIN: np.arcsin,
    Op.ACOS: np.arccos,
    Op.ATAN: np.arctan,
    Op.SINH: np.sinh,
    Op.COSH: np.cosh,
    Op.TANH: np.tanh,
    Op.EXP: np.exp,
    Op.LOG: np.log,
    Op.LOG10: np.log10,
    Op.SQRT: np.sqrt,
    Op.ABS: np.abs,
    Op.SIGN: np.sign,
    Op.FLOOR: np.floor,
    Op.CEIL: np.ceil,
}
_BINARY = {
    Op.ADD: np.add,
    Op.SUBTRACT: np.subtract,
    Op.MULTIPLY: np.multiply,
    Op.DIVIDE: np.divide,
    Op.POWER: np.power,
    Op.REMAINDER: np.remainder,
    Op.MIN: np.minimum,
    Op.MAX: np.maximum,
    Op.ATAN2: np.arctan2,
    Op.HYPOT: np.hypot,
    Op.LESS: np.less,
    Op.LESS_EQUAL: np.less_equal,
    Op.GREATER: np.greater,
    Op.GREATER_EQUAL: np.greater_equal,
    Op.EQUAL: np.equal,
    Op.NOT_EQUAL: np.not_equal,
}

CONSTANTS: Mapping[str, float] = MappingProxyType({"pi": math.pi, "e": math.e})

# A function's opcode, and how many arguments it takes: min and max take two or more.
FUNCTIONS: Mapping[str, tuple[Op, int]] = MappingProxyType(
    {op.name.lower(): (op, 1) for op in _UNARY if op is not Op.NEGATE}
    | {op.name.lower(): (op, 2) for op in (Op.MIN, Op.MAX, Op.ATAN2, Op.HYPOT)}
    | {"clip": (Op.CLIP, 3)}
)


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Postfix code: step k does codes[k] with arguments[k].

    Parameters
    ----------
    codes : ndarray of int, shape (k,)
        Opcodes, see `Op`.
    arguments : ndarray of int, shape (k,)
        Index of a constant or of a variable; of no meaning for others.
    constants : ndarray of float, shape (c,)
        The constants.
    depth : int
        Size of the stack that it needs.
    """

    codes: NDArray[np.int64]
    arguments: NDArray[np.int64]
    constants: NDArray[np.float64]
    depth: int

    def __post_init__(self) -> None:
        for array in (self.codes, self.arguments, self.constants):
            array.setflags(write=False)


def run(program: Program, values: Sequence[ArrayLike]) -> Any:
    """Run a program, and return what it leaves on the stack.

    Never raises on numbers, nor warns: what has no value is inf or nan.

    Parameters
    ----------
    program : Program
        What an expression was compiled to.
    values : sequence of array_like
        A value for each variable, broadcast together.

    Returns
    -------
    float or ndarray
        The value of the expression.

    Examples
    --------
    >>> from ulna.expressions import Expression
    >>> line = Expression.parse("2*t + 1")
    >>> run(line.program, [[0.0, 0.5, 1.0]]).tolist()
    [1.0, 2.0, 3.0]
    """
    arrays = [np.asarray(value, dtype=np.float64) for value in values]
    stack: Stack = []
    steps = zip(program.codes.tolist(), program.arguments.tolist(), strict=True)
    with np.errstate(all="ignore"):
        for code, argument in steps:
            if code == Op.CONSTANT:
                stack.append(program.constants[argument])
            elif code == Op.VARIABLE:
                stack.append(arrays[argument])
            else:
                _STEPS[code](stack)
    return stack.pop()


def _unary(function: np.ufunc) -> Callable[[Stack], None]:
    def step(stack: Stack) -> None:
        stack.append(function(stack.pop()))

    return step


def _binary(function: np.ufunc) -> Callable[[Stack], None]:
    def step(stack: Stack) -> None:
        right, left = stack.pop(), stack.pop()
        stack.append(np.asarray(function(left, right), dtype=np.float64))

    return step


def _tuck(stack: Stack) -> None:
    stack.insert(-2, stack[-1])


def _swap_below(stack: Stack) -> None:
    stack[-3], stack[-2] = stack[-2], stack[-3]


def _select(stack: Stack) -> None:
    other, chosen, condition = stack.pop(), stack.pop(), stack.pop()
    stack.append(np.where(condition != 0.0, chosen, other))


def _clip(stack: Stack) -> None:
    high, low, value = stack.pop(), stack.pop(), stack.pop()
    stack.append(np.minimum(np.maximum(value, low), high))


_STEPS: dict[int, Callable[[Stack], None]] = {
    Op.TUCK: _tuck,
    Op.SWAP_BELOW: _swap_below,
    Op.SELECT: _select,
    Op.CLIP: _clip,
    **{op: _unary(function) for op, function in _UNARY.items()},
    **{op: _binary(function) for op, function in _BINARY.items()},
}

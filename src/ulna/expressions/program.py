"""Formulas in text, "100*t" or "5 if t < 1 else 0", as flat programs that run on NumPy arrays.

A program is postfix code for a stack machine. It holds nothing but arrays of numbers, so that
a compiled kernel can run the same program by the same opcodes (`evaluate.py`). The grammar says
which nodes of a syntax tree mean something, and which opcodes they become.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ulna.errors import did_you_mean
from ulna.expressions.syntax import SourceText, counted, read_tree

Stack: TypeAlias = list[Any]

_LONGEST = 4_000  # characters of a formula
_DEEPEST_STACK = 64


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


# NumPy calls its functions as the opcodes are called, but for these.
_OTHERWISE = {
    Op.NEGATE: np.negative,
    Op.ASIN: np.arcsin,
    Op.ACOS: np.arccos,
    Op.ATAN: np.arctan,
    Op.MIN: np.minimum,
    Op.MAX: np.maximum,
    Op.ATAN2: np.arctan2,
}
_UFUNCS: dict[Op, np.ufunc] = {
    op: _OTHERWISE.get(op) or getattr(np, op.name.lower()) for op in Op if op >= Op.NEGATE
}

CONSTANTS: Mapping[str, float] = MappingProxyType({"pi": math.pi, "e": math.e})

# A function's opcode, and how many arguments it takes: min and max take two or more.
FUNCTIONS: Mapping[str, tuple[Op, int]] = MappingProxyType(
    {op.name.lower(): (op, 1) for op in Op if Op.NEGATE < op < Op.ADD}
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


def _apply(function: np.ufunc) -> Callable[[Stack], None]:
    def replace_one(stack: Stack) -> None:
        stack.append(function(stack.pop()))

    def replace_two(stack: Stack) -> None:
        right, left = stack.pop(), stack.pop()
        stack.append(np.asarray(function(left, right), dtype=np.float64))

    return replace_one if function.nin == 1 else replace_two


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
    **{op: _apply(ufunc) for op, ufunc in _UFUNCS.items()},
}

_OPERATORS: dict[type[ast.operator], Op] = {
    ast.Add: Op.ADD,
    ast.Sub: Op.SUBTRACT,
    ast.Mult: Op.MULTIPLY,
    ast.Div: Op.DIVIDE,
    ast.Pow: Op.POWER,
    ast.Mod: Op.REMAINDER,
}
_COMPARISONS: dict[type[ast.cmpop], Op] = {
    ast.Lt: Op.LESS,
    ast.LtE: Op.LESS_EQUAL,
    ast.Gt: Op.GREATER,
    ast.GtE: Op.GREATER_EQUAL,
    ast.Eq: Op.EQUAL,
    ast.NotEq: Op.NOT_EQUAL,
}
_GROWTH = {Op.CONSTANT: 1, Op.VARIABLE: 1, Op.TUCK: 1, Op.SWAP_BELOW: 0, Op.SELECT: -2, Op.CLIP: -2}
_FOREIGN: dict[type[ast.expr], str] = {
    ast.Tuple: "a list of values",
    ast.List: "a list of values",
    ast.Subscript: "a subscript",
    ast.Starred: "a starred argument",
}


class Instruction(NamedTuple):
    """One step of a program; `value` is a constant's value, or a variable's index."""

    op: Op
    value: float = 0.0


Part: TypeAlias = ast.expr | Instruction


def compile_tree(source: SourceText, tree: ast.expr, names: Sequence[str]) -> Program:
    """Translate a tree into a program over `names`, refusing what the grammar does not know.

    Works off a list rather than by recursion: a sum of a thousand terms is a thousand deep.
    """
    grammar = _Grammar(source, tuple(names))
    work: list[Part] = [tree]
    steps: list[Instruction] = []
    while work:
        part = work.pop()
        if isinstance(part, Instruction):
            steps.append(part)
        else:
            work.extend(reversed(grammar.expand(part)))
    depth = _depth(steps)
    if depth > _DEEPEST_STACK:
        need = f"at most {_DEEPEST_STACK} values waiting for one another"
        raise source.fault(tree, "an expression that nests too deep", need)
    return _assemble(steps, depth)


def _depth(steps: Sequence[Instruction]) -> int:
    height = deepest = 0
    for step in steps:
        unary = Op.NEGATE <= step.op < Op.ADD
        height += _GROWTH.get(step.op, 0 if unary else -1)
        deepest = max(deepest, height)
    return deepest


def _assemble(steps: Sequence[Instruction], depth: int) -> Program:
    constants = list(dict.fromkeys(s.value for s in steps if s.op is Op.CONSTANT))
    places = {value: place for place, value in enumerate(constants)}
    arguments = [places[s.value] if s.op is Op.CONSTANT else int(s.value) for s in steps]
    return Program(
        codes=np.array([step.op for step in steps], dtype=np.int64),
        arguments=np.array(arguments, dtype=np.int64),
        constants=np.array(constants, dtype=np.float64),
        depth=depth,
    )


@dataclass(frozen=True, slots=True)
class _Grammar:
    source: SourceText
    names: tuple[str, ...]

    def expand(self, node: ast.expr) -> list[Part]:
        """Return the parts of a node in the order in which a stack machine meets them."""
        match node:
            case ast.Constant():
                return [self.constant(node)]
            case ast.Name():
                return [self.name(node)]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return [operand, Instruction(Op.NEGATE)]
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return [operand]
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
                return [left, right, Instruction(_OPERATORS[type(operator)])]
            case ast.Compare(ops=ops) if all(type(op) in _COMPARISONS for op in ops):
                return self.comparison(node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return [test, body, orelse, Instruction(Op.SELECT)]
            case ast.Call():
                return self.call(node)
        raise self.source.fault(node, _FOREIGN.get(type(node), "something else"), "a number")

    def constant(self, node: ast.Constant) -> Instruction:
        if isinstance(node.value, str):
            raise self.source.fault(node, "text in quotes", "a number")
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            raise self.source.fault(node, f"the word '{node.value!r}'", "a number")
        return Instruction(Op.CONSTANT, float(node.value))

    def name(self, node: ast.Name) -> Instruction:
        if node.id in self.names:
            return Instruction(Op.VARIABLE, self.names.index(node.id))
        if node.id in CONSTANTS:
            return Instruction(Op.CONSTANT, CONSTANTS[node.id])
        known = [*self.names, *CONSTANTS]
        hint = did_you_mean(node.id, known)
        if node.id in FUNCTIONS:
            hint = f"write {node.id}(...) to call the function"
        raise self.source.fault(
            node, f"unknown name '{node.id}'", f"one of {', '.join(known)}", hint
        )

    def comparison(self, node: ast.Compare) -> list[Part]:
        """Compare neighbours and multiply the outcomes, each operand being computed once.

        Between two comparisons of a chain the stack holds the operand that both share, and
        above it the product of the outcomes so far.
        """
        ops = [Instruction(_COMPARISONS[type(op)]) for op in node.ops]
        share, below = Instruction(Op.TUCK), Instruction(Op.SWAP_BELOW)
        product = Instruction(Op.MULTIPLY)
        parts: list[Part] = [node.left, node.comparators[0]]
        if len(ops) == 1:
            return [*parts, ops[0]]
        parts += [share, ops[0]]
        for op, operand in zip(ops[1:-1], node.comparators[1:-1], strict=True):
            parts += [operand, below, share, op, below, product]
        return [*parts, node.comparators[-1], below, ops[-1], product]

    def call(self, node: ast.Call) -> list[Part]:
        if not isinstance(node.func, ast.Name):
            hint = "write * to multiply"
            raise self.source.fault(node.func, "a call of what is no function", "", hint)
        name = node.func.id
        if name not in FUNCTIONS:
            hint = did_you_mean(name, FUNCTIONS)
            need = f"one of {', '.join(FUNCTIONS)}"
            raise self.source.fault(node.func, f"unknown function '{name}'", need, hint)
        if node.keywords:
            reason = f"a keyword argument of '{name}'"
            raise self.source.fault(node.keywords[0], reason, "plain arguments")
        op, count = FUNCTIONS[name]
        many = op in (Op.MIN, Op.MAX)
        if len(node.args) != count and not (many and len(node.args) > count):
            need = f"{count} or more" if many else str(count)
            raise self.source.fault(node, f"{counted(node.args)} for '{name}'", need)
        first, *rest = node.args
        if op is Op.CLIP or count == 1:
            return [first, *rest, Instruction(op)]
        return [first, *(part for argument in rest for part in (argument, Instruction(op)))]


@dataclass(frozen=True, slots=True, repr=False)
class Expression:
    """A formula over named numbers; two are equal if text and names are.

    Parameters
    ----------
    text : str
        The formula.
    names : tuple of str
        Its variables.
    program : Program
        What the formula was compiled to.

    Examples
    --------
    >>> torque = Expression.parse("100*t if t < 1 else 0")
    >>> torque(t=0.5), torque(t=[0.25, 2.0]).tolist()
    (50.0, [25.0, 0.0])
    """

    text: str
    names: tuple[str, ...]
    program: Program = field(compare=False)

    @classmethod
    def parse(cls, text: str, names: Iterable[str] = ("t",), what: str = "torque") -> Expression:
        """Read a formula.

        Parameters
        ----------
        text : str
            The formula.
        names : iterable of str, optional
            Names of its variables.
        what : str, optional
            Name of the text in messages.

        Returns
        -------
        Expression
            Called with values for its names, it returns its own.

        Raises
        ------
        ExpressionError
            Where the text does not follow the grammar.
        """
        names = tuple(names)
        source, tree = read_tree(text, what, _LONGEST, "'100*t'")
        return cls(text, names, compile_tree(source, tree, names))

    @property
    def is_constant(self) -> bool:
        """Whether no name occurs, so that the value is the same everywhere."""
        return Op.VARIABLE not in self.program.codes

    def __call__(self, **values: ArrayLike) -> float | NDArray[np.float64]:
        """Evaluate at numbers or arrays, broadcast together; a constant fills their shape.

        Division by zero, ``log(-1)`` and the like give inf or nan, without a warning.
        """
        if set(values) != set(self.names):
            raise TypeError(f"got values for {sorted(values)}, need {sorted(self.names)}")
        arrays: list[NDArray[Any]] = [
            np.asarray(values[name], dtype=np.float64) for name in self.names
        ]
        result = run(self.program, arrays)
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        return np.array(np.broadcast_to(result, shape)) if shape else float(result)

    def __repr__(self) -> str:
        return f"Expression({self.text!r}, names={self.names!r})"


def constant(text: str, what: str = "") -> float:
    """Evaluate a formula without variables.

    Parameters
    ----------
    text : str
        The formula, such as "2*pi/3".
    what : str, optional
        Name of the text in messages.

    Returns
    -------
    float
        Its value, finite.

    Raises
    ------
    ExpressionError
        Where the text does not follow the grammar, or the value is not finite.

    Examples
    --------
    >>> constant("3**2 + 1")
    10.0
    """
    return constant_value(*read_tree(text, what, _LONGEST, "'2*pi/3'"))


def constant_value(source: SourceText, tree: ast.expr) -> float:
    """Evaluate a tree without variables, whose value has to be finite."""
    value = float(run(compile_tree(source, tree, ()), ()))
    if not math.isfinite(value):
        raise source.fault(tree, f"a result of {value}", "a finite number")
    return value

"""The grammar: which nodes of a syntax tree mean something, and the opcodes they become."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from ulna.errors import did_you_mean
from ulna.expressions.faults import counted
from ulna.expressions.program import CONSTANTS, FUNCTIONS, Op, Program
from ulna.expressions.source import SourceText

_DEEPEST_STACK = 64
_BINARY: dict[type[ast.operator], Op] = {
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
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _BINARY:
                return [left, right, Instruction(_BINARY[type(operator)])]
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

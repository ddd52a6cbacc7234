"""The compiled interpreter of formulas gives what NumPy's gives, opcode by opcode."""

import numba
import numpy as np
import pytest

from tabular import tabular
from ulna.expressions import CONSTANTS, FUNCTIONS, Expression, Op, Program, run
from ulna.expressions.evaluate import evaluate
from ulna.kernels.numba_internals import OPTIONS

NAMES = ("t", "x")
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-320, -1e300, 1e308, np.inf, -np.inf, np.nan)
# Rounded correctly wherever they are computed; the others may differ in their last places.
EXACT = {
    Op.NEGATE, Op.SQRT, Op.ABS, Op.SIGN, Op.FLOOR, Op.CEIL, Op.ADD, Op.SUBTRACT, Op.MULTIPLY,
    Op.DIVIDE, Op.REMAINDER, Op.MIN, Op.MAX, Op.LESS, Op.LESS_EQUAL, Op.GREATER,
    Op.GREATER_EQUAL, Op.EQUAL, Op.NOT_EQUAL,
}  # fmt: skip
UNARY = [op for op in Op if Op.NEGATE <= op < Op.ADD]
BINARY = [op for op in Op if op >= Op.ADD]


@numba.njit(**OPTIONS)
def compiled(codes, reals, start, stop, constants, values, stack):
    return evaluate(codes, reals, start, stop, constants, values, stack)


def value(program, values):
    """Run a program where the engine would: somewhere in the middle of two arrays."""
    codes = np.full(6 + 2 * len(program.codes), -7)
    codes[4:-2:2], codes[5:-2:2] = program.codes, program.arguments
    reals = np.concatenate(
        [[np.nan], program.constants, [np.nan], values, [np.nan], np.zeros(program.depth), [8.25]]
    )
    first, second = 2 + len(program.constants), 3 + len(program.constants) + len(values)
    found = compiled(codes, reals, 4, len(codes) - 2, 1, first, second)
    assert reals[-1] == 8.25  # it needs no more than the stack it says
    return found


def program(*steps, constants=(), depth=3):
    codes, arguments = zip(*((s, 0) if isinstance(s, Op) else s for s in steps), strict=True)
    return Program(np.array(codes), np.array(arguments), np.array(constants, dtype=float), depth)


def numpys(program, values):
    """Run a program on arrays: NumPy has short cuts for single numbers, such as w**0.5."""
    return float(run(program, [np.full(2, x) for x in values])[0])


def push(k):
    return (Op.VARIABLE, k)


def same(ours, theirs, ulps=0.0):
    """Whether two numbers are one; a zero has no sign here."""
    if np.isnan(theirs) or np.isinf(theirs) or ulps == 0.0:
        return np.array_equal(ours, theirs, equal_nan=True)
    return abs(ours - theirs) <= ulps * np.spacing(abs(theirs))


def numbers():
    random = np.random.default_rng(1)
    return [*SPECIAL, *random.uniform(-4.0, 4.0, 20), *random.uniform(-1.0, 1.0, 20)]


@pytest.mark.parametrize("op", UNARY, ids=lambda op: op.name)
def test_functions_of_one_number(op):
    one = program(push(0), op, depth=1)
    for x in numbers():
        assert same(value(one, [x]), numpys(one, [x]), 0.0 if op in EXACT else 4.0), x


@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.name)
def test_functions_of_two_numbers(op):
    two = program(push(0), push(1), op, depth=2)
    for w in numbers():
        for x in (*SPECIAL, 0.3, -0.7, w):
            ulps = 0.0 if op in EXACT else 4.0
            assert same(value(two, [w, x]), numpys(two, [w, x]), ulps), (w, x)


@tabular("condition", [0.0, -0.0, -3.0, np.nan, np.inf])
def test_anything_but_zero_is_true(condition):
    made = program(push(0), push(1), push(2), Op.SELECT)
    values = [condition, 7.0, 8.0]
    assert value(made, values) == float(run(made, values)) == (8.0 if condition == 0.0 else 7.0)


@tabular("v", [-3.0, 0.5, 9.0, np.nan])
@tabular("low", [0.0, np.nan, 2.0])
@tabular("high", [1.0, np.nan, -1.0])
def test_clip_between_anything(v, low, high):
    made = program(push(0), push(1), push(2), Op.CLIP)
    assert same(value(made, [v, low, high]), float(run(made, [v, low, high])))


def random_program(random, length):
    """Draw a program that never runs out of operands and leaves one value."""
    steps, height, deepest = [], 0, 0
    moves = [Op.TUCK, Op.SWAP_BELOW, Op.SELECT, Op.CLIP]
    # Zeros may differ in their sign, which only a division would bring to light.
    ops = [*sorted(EXACT - {Op.DIVIDE}), *moves]
    while len(steps) < length or height > 1:
        op = ops[random.integers(len(ops))]
        winding_up = len(steps) >= length
        needs = 1 if op in UNARY else 3 if op in moves[1:] else 2
        if height < needs or (not winding_up and random.random() < 0.4 and height < 20):
            steps.append(
                (Op.CONSTANT if random.random() < 0.5 else Op.VARIABLE, random.integers(4))
            )
            height += 1
        elif not winding_up or op not in (Op.TUCK, Op.SWAP_BELOW, *UNARY):
            steps.append(op)
            grows = {Op.TUCK: 1, Op.SWAP_BELOW: 0, Op.SELECT: -2, Op.CLIP: -2}
            height += grows.get(op, 0 if op in UNARY else -1)
        deepest = max(deepest, height)
    return program(*steps, constants=random.uniform(-3.0, 3.0, 4), depth=deepest)


def test_random_programs_to_the_last_bit():
    random = np.random.default_rng(2)
    seen = set()
    for _ in range(500):
        made = random_program(random, int(random.integers(1, 40)))
        values = random.uniform(-5.0, 5.0, 4)
        values[random.integers(4)] = SPECIAL[random.integers(len(SPECIAL))]
        assert same(value(made, values), float(run(made, values)))
        seen.update(made.codes.tolist())
    assert seen >= EXACT - {Op.DIVIDE}


def test_every_function_of_the_grammar_is_known_to_it():
    assert set(CONSTANTS) == {"pi", "e"}
    for name, (op, count) in FUNCTIONS.items():
        arguments = ", ".join(f"0.{k + 2}" for k in range(count))
        formula = Expression.parse(f"{name}({arguments})", NAMES)
        assert op in formula.program.codes
        assert same(value(formula.program, [0.0, 0.0]), formula(t=0.0, x=0.0), 4.0)

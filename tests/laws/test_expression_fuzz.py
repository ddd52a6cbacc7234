"""Laws of user text: formulas mean what Python's precedence says, and nothing breaks the reader.

Formulas are drawn as pairs: a syntax tree, which Python itself writes as text, and a closure that
computes the same with NumPy scalars. The text, read by ulna, must give the closure's value to
the last bit. Hostile text must give a value or an `InputError`, soon.
"""

import ast
import math
import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabular import tabular
from ulna.errors import InputError
from ulna.expressions import Call, Expression, ExpressionError, bind, constant, parse_call
from ulna.units import UNITS, parse_list, split_unit, to_si

thorough = settings(max_examples=1000, deadline=None)
SOON = 1.0  # [s] for one text, a hundred times what the slowest takes

NAMES = ("x", "y")
OPERATORS = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Mod: np.mod,
}
COMPARISONS = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}
# Correctly rounded functions give the same bits for a number alone and for one within an array.
EXACT = {
    "abs": (np.abs, 1),
    "floor": (np.floor, 1),
    "ceil": (np.ceil, 1),
    "sign": (np.sign, 1),
    "sqrt": (np.sqrt, 1),
    "min": (lambda *a: np.minimum.reduce(a), 2),
    "max": (lambda *a: np.maximum.reduce(a), 3),
    "clip": (lambda v, low, high: np.minimum(np.maximum(v, low), high), 3),
}
SMOOTH = {
    name: (getattr(np, numpy_name), count)
    for name, numpy_name, count in [
        ("sin", "sin", 1),
        ("cos", "cos", 1),
        ("tan", "tan", 1),
        ("asin", "arcsin", 1),
        ("acos", "arccos", 1),
        ("atan", "arctan", 1),
        ("sinh", "sinh", 1),
        ("cosh", "cosh", 1),
        ("tanh", "tanh", 1),
        ("exp", "exp", 1),
        ("log", "log", 1),
        ("log10", "log10", 1),
        ("atan2", "arctan2", 2),
        ("hypot", "hypot", 2),
    ]
}


def constants():
    numbers = st.one_of(st.integers(0, 20), st.floats(0.0, 1e6), st.floats(0.0, 1e-300))
    return numbers.map(lambda n: (ast.Constant(n), lambda _: np.float64(n)))


def variables():
    return st.sampled_from(NAMES).map(lambda n: (ast.Name(n), lambda at: np.float64(at[n])))


def signed(part):
    node, compute = part
    return ast.UnaryOp(ast.USub(), node), lambda at: -compute(at)


def combined(operator, left, right):
    kind, function = operator
    node = ast.BinOp(left[0], kind(), right[0])
    return node, lambda at: function(left[1](at), right[1](at))


def compared(kinds, first, rest):
    operands = [first, *rest[: len(kinds)]]
    node = ast.Compare(first[0], [kind() for kind in kinds], [part[0] for part in operands[1:]])

    def compute(at):
        values = [part[1](at) for part in operands]
        pairs = zip(kinds, values, values[1:], strict=False)
        return np.float64(all(COMPARISONS[kind](a, b) for kind, a, b in pairs))

    return node, compute


def chosen(test, body, other):
    node = ast.IfExp(test[0], body[0], other[0])
    return node, lambda at: body[1](at) if test[1](at) != 0 else other[1](at)


def called(name, function, arguments):
    node = ast.Call(ast.Name(name), [part[0] for part in arguments], [])
    return node, lambda at: function(*(part[1](at) for part in arguments))


def grown(parts, operators, functions):
    kinds = st.lists(st.sampled_from(list(COMPARISONS)), min_size=1, max_size=3)
    three = st.lists(parts, min_size=3, max_size=3)
    return st.one_of(
        parts.map(signed),
        st.builds(combined, st.sampled_from(list(operators.items())), parts, parts),
        st.builds(compared, kinds, parts, three),
        st.builds(chosen, parts, parts, parts),
        st.builds(
            lambda name, arguments: called(
                name, functions[name][0], arguments[: functions[name][1]]
            ),
            st.sampled_from(list(functions)),
            three,
        ),
    )


def formulas(operators, functions):
    leaves = st.one_of(constants(), variables())
    return st.recursive(leaves, lambda p: grown(p, operators, functions), max_leaves=8)


def alike(one, other):
    return one == other or (math.isnan(one) and math.isnan(other))


numbers = st.floats(-1e3, 1e3) | st.sampled_from([0.0, 1.0, math.inf, math.nan])


@settings(max_examples=400, deadline=None)
@given(formulas(OPERATORS | {ast.Pow: np.power}, EXACT | SMOOTH), numbers, numbers)
def test_a_formula_means_what_python_wrote(formula, x, y):
    node, compute = formula
    with np.errstate(all="ignore"):
        expected = compute({"x": x, "y": y})
    text = ast.unparse(node)
    assert alike(Expression.parse(text, NAMES)(x=x, y=y), expected), text


@settings(max_examples=80, deadline=None)
@given(formulas(OPERATORS, EXACT), st.lists(numbers, min_size=1, max_size=5), numbers)
def test_an_array_gives_what_its_numbers_give(formula, xs, y):
    expression = Expression.parse(ast.unparse(formula[0]), NAMES)
    together = expression(x=np.array(xs), y=y)
    assert together.shape == (len(xs),)
    assert all(alike(a, expression(x=x, y=y)) for a, x in zip(together, xs, strict=True))


@settings(max_examples=80, deadline=None)
@given(formulas(OPERATORS, EXACT))
def test_the_declared_depth_is_what_the_program_needs(formula):
    program = Expression.parse(ast.unparse(formula[0]), NAMES).program
    deepest = height = 0
    takes_and_gives = {2: (2, 3), 3: (3, 3), 4: (3, 1), 5: (3, 1), 0: (0, 1), 1: (0, 1)}
    for code in program.codes.tolist():
        taken, given_back = takes_and_gives.get(code, (1, 1) if code < 40 else (2, 1))
        assert height >= taken
        height += given_back - taken
        deepest = max(deepest, height)
    assert (height, deepest) == (1, program.depth)


values = st.recursive(
    st.one_of(
        st.floats(allow_nan=False, allow_infinity=False),
        st.booleans(),
        st.none(),
        st.text(st.characters(exclude_categories=("C",), exclude_characters="'\\"), max_size=5),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.builds(
            Call,
            st.sampled_from(["circle", "g", "θ"]),
            st.lists(inner, max_size=2).map(tuple),
            st.dictionaries(st.sampled_from(["a", "radius", "é"]), inner, max_size=2),
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.builds(Call, st.just("f"), st.lists(values, max_size=3).map(tuple)))
def test_a_call_written_as_text_reads_back(call):
    assert parse_call(str(call)) == call


def formula_at_half(text):
    return Expression.parse(text)(t=0.5)


def call_read_back(text):
    call = parse_call(text)
    assert parse_call(str(call)) == call
    bind(call, {"center": "point", "radius": "length", "loops": "number", "shape": "any"})
    return call


READERS = {
    formula_at_half: float,
    constant: float,
    call_read_back: Call,
    split_unit: tuple,
    lambda text: to_si(text, "torque", what="x", number=constant): float,
    lambda text: parse_list(text, "angle", number=constant): list,
}


def check(text):
    """Every reader gives a value of its type or a printable `InputError`, and does so soon.

    A warning would be an error: pytest is set so.
    """
    for read, kind in READERS.items():
        start = time.perf_counter()
        try:
            assert isinstance(read(text), kind)
        except InputError as error:
            check_error(error)
        assert time.perf_counter() - start < SOON, text


def check_error(error):
    assert str(error).encode()
    assert len(str(error)) < 1000 * max(1, len(error.problems))
    if isinstance(error, ExpressionError):
        assert 0 <= error.column <= len(error.text)
        assert error.width >= 1
        carets = str(error).rsplit("\n", 1)[1]
        assert set(carets) <= {" ", "^"}
        assert "^" in carets


@thorough
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_in_words(text):
    check(text)


PIECES = """
    t pi e sin( min( circle( f( ) ( [ ] , ; ' " + - * / ** % < <= == != > = : . 1 2.5 1e3 1e999
    0 007 9 _ 1_0 if else and not lambda for in True None x= radius= center= '5_cm' 'kg' deg N*m
    kg cm ° ² µ − · θ é \\ ｔ { } @ := f' b' # ~ nan inf 0x1 1j
"""
ALL_PIECES = [*PIECES.split(), "\n", "\t", "\x00", "\ud800", "\u2028", "\u00a0"]


@thorough
@given(st.lists(st.sampled_from(ALL_PIECES), max_size=10), st.sampled_from(["", " "]))
def test_text_made_of_the_grammars_own_pieces(words, space):
    check(space.join(words))


VALID = [
    "100*t",
    "5 if t < 1 else 0",
    "1 < t <= 2 != 3",
    "clip(sin(2*pi*t), -0.5, 0.5)**2 % 3",
    "min(t, 1, atan2(t, -1)) - hypot(3, 4)/1e-3",
    "circle(center=(0.2, 0.1), radius='5 cm')",
    "blend(circle(radius=2*pi/60), line((0, 0), ['1 in', 1]), loops=13, shape=None)",
    "12 kg*cm",
    "40 deg, -60 deg",
    "2*pi/3 rad; -pi/4",
    "0.02 N·m·s/rad",
]


def mutated(seed):
    dice = random.Random(seed)
    text = dice.choice(VALID)
    for _ in range(dice.randint(1, 4)):
        start = dice.randint(0, len(text))
        end = start + dice.randint(0, 3)
        anything = chr(dice.randrange(0x110000))
        insert = dice.choice(["", text[start:end] * 2, anything, *dice.choices(ALL_PIECES, k=3)])
        text = text[:start] + insert + text[end:]
    return text


@thorough
@given(st.integers(0, 2**32).map(mutated))
def test_valid_text_with_a_few_mistakes(text):
    check(text)


@tabular(
    "text",
    [
        "(" * 10_000,
        "(" * 10_000 + ")" * 10_000,
        "((" * 19 + "1 1" + "))" * 19,
        "f(a=[" * 19 + "1 1" + "])" * 19,
        "x<(" * 39 + "t" + ")<t" * 39,
        "-" * 100_000 + "1",
        "- " * 1_900 + "1",
        "9" * 100_000,
        "0" * 19_000,
        "f(" + "0" * 19_000 + ")",
        "1" + "0" * 3_900,
        "9**9**9**9",
        "**".join(["9"] * 60),
        "t if t else " * 300 + "t",
        "1+" * 499 + "t",
        "f(" + "1+" * 2_400 + "1)",
        "f(" + "(1, 2), " * 600 + ")",
        "f(" + "g(" * 38 + ")" * 39,
        "1" * 500 + " m" * 500,
        "a " * 2_000,
        "1, " * 5_000 + "deg",
        "t" + "_" * 3_000,
        "2" + "t" * 3_000,
        "9" * 3_000 + "t",
        "\x00" * 1_000,
        "\ud800" * 1_000,
        "'" * 3_999,
        "circle('\ud800')",
        "'" + "a" * 3_900 + "'",
        "é" * 3_999,
        "\n" * 3_999 + "t",
    ],
)
def test_hostile_text_is_read_or_refused_in_words(text):
    check(text)


@tabular("kind", list(UNITS))
def test_every_kind_explains_what_it_needs(kind):
    with pytest.raises(InputError, match="such as"):
        to_si("nothing", kind)

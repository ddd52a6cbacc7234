"""The grammar of user text: what it accepts, what it means, and where it puts the caret."""

import math
import pickle

import numpy as np
import pytest

from tabular import tabular
from ulna.errors import InputError, Problem
from ulna.expressions import (
    CONSTANTS,
    FUNCTIONS,
    Call,
    Expression,
    ExpressionError,
    Op,
    bind,
    constant,
    parse_call,
)

SHAPE = {
    "center": "point",
    "radius": "length",
    "loops": "number",
    "label": "text",
    "closed": "flag",
    "inner": "any",
    "through": "points",
}


def value(text, **values):
    return Expression.parse(text, names=tuple(values))(**values)


def fault(text, read=Expression.parse, **options):
    with pytest.raises(ExpressionError) as caught:
        read(text, **options)
    return caught.value


def marked(error):
    """The characters of the text that the carets stand under."""
    return error.text[error.column : error.column + error.width]


@tabular(
    ("text", "expected"),
    [
        ("1 < 2 < 3", 1.0),
        ("1 < 2 > 0 <= 0 != 5 == 5 >= 5", 1.0),
        ("1 < 2 > 0 <= 0 != 5 == 5 >= 6", 0.0),
        ("1 if 0 else 2 if 0 else 3", 3.0),
        ("1_000 + .5 + 1.", 1001.5),
        ("−2 × 3 + 2·5", 4.0),
        ("\t2\n* 3 \r\n\u00a0", 6.0),
    ],
)
def test_chains_choices_and_spellings_of_numbers(text, expected):
    assert constant(text) == expected
    assert value(text, t=1.0) == expected


def test_functions_of_two_numbers_and_constants():
    assert value("atan2(y, x)", y=1.0, x=-2.0) == math.atan2(1.0, -2.0)
    assert dict(CONSTANTS) == {"pi": math.pi, "e": math.e}
    assert constant("2*pi/3") == 2 * math.pi / 3
    assert "tau" in str(fault("tau"))


def test_numbers_never_raise():
    assert value("1/x", x=0.0) == math.inf
    assert value("-1/x", x=0.0) == -math.inf
    assert constant("1 if 9**9**9**9 > 1e300 else 0") == 1.0
    for text in ("log(-1)", "x % 0", "asin(2)", "(-8)**(1/3)", "0*9**9**9**9", "sqrt(-1)"):
        assert math.isnan(value(text, x=1.0))
    assert value("5 if x < 1 else 6", x=math.nan) == 6.0
    assert value("5 if x else 6", x=math.nan) == 5.0


def test_arrays_broadcast_and_a_constant_fills_their_shape():
    rows, columns = np.arange(3.0)[:, None], np.arange(4.0)
    both = Expression.parse("x*10 + y if x < y else 0", names=("x", "y"))
    expected = [[x * 10 + y if x < y else 0 for y in range(4)] for x in range(3)]
    assert both(x=rows, y=columns).tolist() == expected
    assert value("5", t=np.zeros((2, 3))).tolist() == [[5.0] * 3] * 2
    assert value("t < 1", t=[0, 2]).dtype == np.float64


def test_values_must_be_those_of_the_names():
    expression = Expression.parse("t + x", names=("t", "x"))
    for values in ({"t": 1.0}, {"t": 1.0, "x": 1.0, "y": 1.0}):
        with pytest.raises(TypeError, match="need"):
            expression(**values)


def test_expressions_are_values():
    one, same = Expression.parse("100*t"), Expression.parse("100*t", what="other")
    assert one == same
    assert hash(one) == hash(same)
    assert one != Expression.parse("100*t", names=("t", "q"))
    assert one != Expression.parse("100 * t")
    assert repr(one) == "Expression('100*t', names=('t',))"
    assert pickle.loads(pickle.dumps(one))(t=2.0) == 200.0
    assert Expression.parse("2*pi").is_constant
    assert not one.is_constant


def test_an_if_is_a_select_and_a_chain_computes_its_middle_once():
    assert Expression.parse("1 if t else 2").program.codes[-1] == Op.SELECT
    codes = Expression.parse("1 < exp(t) < 2 < 3").program.codes
    assert (codes == Op.EXP).sum() == 1


@tabular(
    ("text", "under"),
    [
        ("100*tt", "tt"),
        ("sine(t)", "sine"),
        ("1 + sin(t, 2)", "sin(t, 2)"),
        ("sin(x=1)", "x=1"),
        ("sin(*t)", "*t"),
        ("1 + t[0]", "t[0]"),
        ("t.real", "."),
        ("t + 'abc'", "'abc'"),
        ("1e999*t", "1e999"),
        ("2t", "2t"),
        ("t^2", "^"),
        ("t and 1", "and"),
        ("lambda: t", "lambda"),
        ("t # note", "#"),
        ("'t", "'"),
        ("'\ud800'", "'"),
        ("(t + 1", "("),
        ("t 2", "2"),
        ("\x00", "\x00"),
        ("θ + 1", "θ"),
        ("(t)*(θ) + (θ + tt)", "θ"),
        ("\n t + tt", "tt"),
        ("min('θθ', 1)", "'θθ'"),
    ],
)
def test_the_caret_stands_under_the_fault(text, under):
    error = fault(text, what="torque")
    assert marked(error) == under
    assert str(error).startswith(f"torque: {error.reason}")
    line, carets = str(error).splitlines()[-2:]
    if len(text) < 60:
        shown = line[carets.index("^") : carets.rindex("^") + 1]
        assert shown == "".join(c if c.isprintable() else " " for c in under)
        assert carets.strip() == "^" * len(under)


@pytest.mark.parametrize("text", ["  ", "t +", "t if t else"])
def test_text_that_ends_too_early_is_marked_at_its_end(text):
    error = fault(text)
    assert error.column == len(text.rstrip())
    assert "ends too early" in error.reason or "empty" in error.reason


def test_a_message_has_the_name_the_known_ones_the_nearest_and_a_caret():
    said = str(fault("100*tt"))
    for word in ("torque: ", "'tt'", "t, pi, e", "did you mean 't'?", "  100*tt\n      ^^"):
        assert word in said
    assert "need one of pi, e" in str(fault("t", constant))


def test_messages_offer_a_way_out():
    for text, hint in (("2t", "write 2*t"), ("t^2", "**"), ("sine(t)", "did you mean 'sin'?")):
        assert hint in str(fault(text))
    assert all(name in str(fault("zzz(t)")) for name in FUNCTIONS)
    assert "1 argument for 'atan2', need 2" in str(fault("atan2(1)"))


def test_a_long_text_is_shown_as_a_window_around_the_fault():
    text = "t + " * 200 + "tt" + " + t" * 200
    error = fault(text)
    assert marked(error) == "tt"
    line, carets = str(error).splitlines()[-2:]
    assert len(line) < 100
    assert line[carets.index("^") : carets.rindex("^") + 1] == "tt"
    assert line.strip().startswith("...")
    assert line.endswith("...")


def test_errors_are_values_that_travel():
    error = fault("100*tt")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.column, copy.width) == (str(error), 4, 2)
    assert isinstance(error, InputError)
    (problem,) = error.problems
    moved = problem.within("joint.1").at("arm.toml:3")
    assert str(moved).startswith("arm.toml:3: joint.1.torque: unknown name 'tt'")
    assert str(moved).endswith("^^")


@tabular("text", ["(" * 1_000, "9" * 100_000, "-" * 3_999 + "t", "1 if " * 300])
def test_text_without_measure_is_refused(text):
    assert len(str(fault(text))) < 1_000
    assert constant("+".join(["1"] * 400)) == 400


def test_text_must_be_text():
    for read in (Expression.parse, constant, parse_call):
        for thing in (5, None, b"t", ["t"]):
            with pytest.raises(InputError, match="need text such as"):
                read(thing)


@pytest.mark.parametrize("text", ["1/0", "9**9**9**9", "log(-1)", "0/0"])
def test_a_constant_is_finite(text):
    error = fault(text, constant, what="duration")
    assert marked(error) == text
    assert "need a finite number" in str(error)
    assert marked(fault(f"circle(1, radius={text})", parse_call)) == text


def test_calls_have_a_name_and_keywords():
    call = parse_call("circle(center=(0.2, 0.1), radius='5 cm')")
    assert (call.name, call.arguments) == ("circle", ())
    assert call.keywords == {"center": (0.2, 0.1), "radius": "5 cm"}
    assert parse_call("circle") == parse_call("circle()") == Call("circle")
    assert parse_call(" ComputedTorque ( natural_frequency = 20 ) ")["natural_frequency"] == 20.0


def test_arguments_of_calls_are_numbers_texts_lists_and_calls():
    call = parse_call("f(2*pi/60, sqrt(4), -1, g(h, x=1), [1, 'a'], None, True, False, (), pi)")
    nested = Call("g", (Call("h"),), {"x": 1.0})
    ten = (2 * math.pi / 60, 2.0, -1.0, nested, (1.0, "a"), None, True, False, (), math.pi)
    assert call.arguments == ten
    assert [type(v) for v in call.arguments[:3]] == [float] * 3
    assert call.arguments[6] is True
    assert call[4] == (1.0, "a")


def test_calls_are_values():
    one, same = parse_call("f(1, a=(2, g))"), parse_call("f(1.0,a=[2,g()])", what="other")
    assert one == same
    assert hash(one) == hash(same)
    assert one != parse_call("f(1, b=(2, g))")
    assert pickle.loads(pickle.dumps(one)) == one
    assert repr(one) == "f(1, a=(2, g()))"
    assert repr(parse_call("g")) == "g"
    with pytest.raises(TypeError):
        one.keywords["a"] = 3.0


@tabular(
    "text",
    [
        "circle",
        "f(0.1, -2.5, 1e-300, 1e22, -0, 'a', \"it's\", 'say \"x\"', '')",
        "f((), (1,), [[1], 'x'], True, None, θ=g(b=h(1)))",
    ],
)
def test_a_call_written_back_reads_the_same(text):
    call = parse_call(text)
    assert parse_call(str(call)) == call
    assert str(parse_call(str(call))) == str(call)


@tabular(
    ("text", "under"),
    [
        ("f(a=1, a=2)", "a=2"),
        ("f(*k)", "*k"),
        ("5", "5"),
        ("f(1)(2)", "f(1)(2)"),
        ("f(2*zz)", "zz"),
        ("f(a=1, 2)", ")"),
    ],
)
def test_the_caret_of_a_call(text, under):
    error = fault(text, parse_call)
    assert marked(error) == under
    assert str(error).startswith("path: ")


def test_a_builder_can_put_a_caret_under_an_argument():
    call = parse_call("f(1, g(2), radius='x')")
    assert marked(call.fault(0, "too small")) == "1"
    assert marked(call.fault("radius", "too small")) == "radius='x'"
    assert marked(call.fault(None, "unknown shape")) == "f"
    inner = call.arguments[1]
    assert marked(inner.fault(0, "too small")) == "2"
    assert str(call.fault("radius", "too small")).startswith("path.radius: too small\n")
    assert str(call.fault(0, "too small")).startswith("path: too small\n")
    assert marked(Call("f", (1.0,)).fault(0, "too small")) == "f(1)"


def test_binding_converts_to_si():
    call = parse_call(
        "f((0, '5 cm'), '1 in', label='x', closed=True, inner=g(1), through=[(1, 2)])"
    )
    assert bind(call, SHAPE) == {
        "center": (0.0, 0.05),
        "radius": 0.0254,
        "label": "x",
        "closed": True,
        "inner": Call("g", (1.0,)),
        "through": ((1.0, 2.0),),
    }
    assert list(bind(parse_call("f(loops=3, center=(1, 1))"), SHAPE)) == ["center", "loops"]
    assert bind(parse_call("f"), SHAPE) == {}


def test_a_kind_may_be_a_function_that_converts_or_refuses():
    def even(value):
        if value % 2:
            raise InputError(Problem("", f"{value:g}", "an even number"))
        return int(value)

    assert bind(parse_call("f(4)"), {"count": even}) == {"count": 4}
    with pytest.raises(ExpressionError) as error:
        bind(parse_call("f(3)"), {"count": even})
    assert str(error.value).splitlines()[0] == "path.count: got 3, need an even number"
    assert error.value.column == 2


@tabular(
    ("text", "under", "sentence"),
    [
        ("f(raduis=3)", "raduis=3", "did you mean 'radius'?"),
        ("f(radius='5 kg')", "radius='5 kg'", "got '5 kg', need a length such as '25 cm'"),
        ("f((1, 2), center=(1, 2))", "center=(1, 2)", "'center' given twice"),
        ("f(center=1)", "center=1", "got 1, need a point"),
        ("f(label=1)", "label=1", "got 1, need text"),
        ("f(loops='2 m')", "loops='2 m'", "'m' is a unit of length"),
    ],
)
def test_binding_puts_carets_under_bad_arguments(text, under, sentence):
    error = fault(parse_call(text), bind, signature=SHAPE)
    assert marked(error) == under
    assert sentence in str(error)


def test_binding_reports_all_problems_in_their_order():
    call = parse_call("f((0, 'x'), '5 kg', raduis=3, loops='x', center=1)", what="shape")
    error = fault(call, bind, signature=SHAPE)
    assert [problem.what for problem in error.problems] == [
        "shape.center", "shape.radius", "shape.raduis", "shape.loops", "shape.center",
    ]  # fmt: skip
    assert str(error).count("\n") == 3 * 5 - 1


def test_binding_too_many_arguments():
    error = fault(parse_call("f(1, 2)"), bind, signature={"a": "number"})
    assert (marked(error), error.reason) == ("2", "2 arguments for 'f'")
    error = fault(parse_call("f(1)"), bind, signature={})
    assert "1 argument for 'f', need at most 0" in str(error)


def test_binding_postures_times_and_calls():
    kinds = {"through": "postures", "times": "times", "path": "call"}
    call = parse_call("f([('90 deg', 0), (0, 1)], times=(0, '500 ms'), path=circle(radius=2))")
    found = bind(call, kinds)
    assert found["through"] == ((math.pi / 2.0, 0.0), (0.0, 1.0))
    assert found["times"] == (0.0, 0.5)
    assert found["path"] == parse_call("circle(radius=2)")
    for text, under, sentence in (
        ("f(through=3)", "through=3", "need postures such as"),
        ("f(times=(0, '1 m'))", "times=(0, '1 m')", "'m' is a unit of length"),
        ("f(path='circle')", "path='circle'", "need a name with arguments"),
    ):
        error = fault(parse_call(text), bind, signature=kinds)
        assert marked(error) == under
        assert sentence in str(error)

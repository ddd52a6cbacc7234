"""Operations on lanes: arithmetic, comparison, selection and reduction."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import signature

from ulna.lanes.lane_types import (
    Lanes,
    Mask,
    common_lanes,
    register_lowering,
    register_typing,
)
from ulna.lanes.uncompiled import (
    all_lanes,
    any_lane,
    floor,
    logical_and,
    logical_not,
    logical_or,
    select,
    sqrt,
    turn_quarters,
)

ARITHMETIC = {
    "fadd": (operator.add, operator.iadd),
    "fsub": (operator.sub, operator.isub),
    "fmul": (operator.mul, operator.imul),
    "fdiv": (operator.truediv, operator.itruediv),
}
REGISTER = 256  # bits, of most processors
# Bits of an integer as large as a number, and digits after the point of one with exponent zero.
INTEGERS = {types.float64: (64, 52), types.float32: (32, 23)}
COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def _elementwise(
    function: Any, build: Callable[..., Any], *, compares: bool = False, ours: bool = False
) -> None:
    """Register a function of numbers for lanes; one of our own for numbers as well."""

    def typed(context: Any, arguments: Any) -> Any:
        kind = common_lanes(arguments)
        if kind is None:
            return signature(*arguments, *arguments) if ours else None
        return signature(Mask(kind) if compares else kind, *([kind] * len(arguments)))

    def lower(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return build(builder, *arguments)

    register_typing(function, typed)
    register_lowering(function, types.Any if ours else Lanes)(lower)
    register_lowering(function, Lanes, Lanes)(lower)


def _calculating(name: str) -> Callable[..., Any]:
    return lambda builder, a, b: getattr(builder, name)(a, b, flags=("contract",))


def _comparing(sign: str) -> Callable[..., Any]:
    # NaN differs from everything, and is neither more nor less.
    if sign == "!=":
        return lambda builder, a, b: builder.fcmp_unordered(sign, a, b)
    return lambda builder, a, b: builder.fcmp_ordered(sign, a, b)


def _library(name: str) -> Callable[..., Any]:
    """Return one of LLVM's intrinsic functions on lanes."""

    def build(builder: Any, value: Any) -> Any:
        kind = value.type
        many = f"v{kind.count}" if isinstance(kind, ir.VectorType) else ""
        number = kind.element if many else kind
        full = f"llvm.{name}.{many}{'f64' if isinstance(number, ir.DoubleType) else 'f32'}"
        function = ir.FunctionType(kind, [kind])
        return builder.call(cgutils.get_or_insert_function(builder.module, function, full), [value])

    return build


for _name, _functions in ARITHMETIC.items():
    for _function in _functions:
        _elementwise(_function, _calculating(_name))
for _sign, _function in COMPARISONS.items():
    _elementwise(_function, _comparing(_sign), compares=True)
_elementwise(operator.neg, lambda builder, a: builder.fneg(a))
_elementwise(abs, _library("fabs"))


def _typed_select(context: Any, arguments: Any) -> Any:
    condition, yes, no = arguments
    if isinstance(condition, Mask):
        kind = common_lanes((yes, no)) or condition.kind
        return signature(kind, condition, kind, kind)
    kind = context.unify_types(yes, no)
    return signature(kind, types.boolean, kind, kind)


def _typed_turn_quarters(context: Any, arguments: Any) -> Any:
    return signature(types.UniTuple(arguments[0], 2), *([arguments[0]] * 3))


register_typing(select, _typed_select)
register_typing(all_lanes, lambda context, arguments: signature(types.boolean, *arguments))
register_typing(any_lane, lambda context, arguments: signature(types.boolean, *arguments))
_elementwise(floor, _library("floor"), ours=True)
_elementwise(sqrt, _library("sqrt"), ours=True)
register_typing(logical_and, lambda context, arguments: signature(arguments[0], *arguments))
register_typing(logical_or, lambda context, arguments: signature(arguments[0], *arguments))
register_typing(logical_not, lambda context, arguments: signature(arguments[0], *arguments))
register_typing(turn_quarters, _typed_turn_quarters)


@register_lowering(select, types.Any, types.Any, types.Any)
def _select(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return builder.select(*arguments)


@register_lowering(logical_and, types.Any, types.Any)
def _logical_and(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return builder.and_(*arguments)


@register_lowering(logical_or, types.Any, types.Any)
def _logical_or(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return builder.or_(*arguments)


@register_lowering(logical_not, types.Any)
def _logical_not(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return builder.not_(arguments[0])


@register_lowering(all_lanes, types.Boolean)
@register_lowering(any_lane, types.Boolean)
def _itself(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return arguments[0]


@register_lowering(all_lanes, Mask)
def _all_lanes(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    bits = ir.IntType(sig.args[0].width)
    return builder.icmp_unsigned("==", builder.bitcast(arguments[0], bits), bits(-1))


@register_lowering(any_lane, Mask)
def _any_lane(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    bits = ir.IntType(sig.args[0].width)
    return builder.icmp_unsigned("!=", builder.bitcast(arguments[0], bits), bits(0))


@register_lowering(turn_quarters, types.Float, types.Float, types.Float)
def _turn_quarters(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    sine, cosine, turns = arguments
    kind = ir.IntType(32)
    count = builder.fptosi(turns, kind)

    def has(bit: int, integer: Any) -> Any:
        return builder.icmp_unsigned("!=", builder.and_(integer, kind(bit)), kind(0))

    odd, back = has(1, count), has(2, count)
    one, other = builder.select(odd, cosine, sine), builder.select(odd, sine, cosine)
    before = has(2, builder.add(count, kind(1)))
    turned = (
        builder.select(back, builder.fneg(one), one),
        builder.select(before, builder.fneg(other), other),
    )
    return context.make_tuple(builder, sig.return_type, turned)


@register_lowering(turn_quarters, Lanes, Lanes, Lanes)
def _turn_quarters_of_lanes(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    # Register by register: of longer vectors LLVM would first gather which lanes are selected.
    kind = sig.args[0]
    width = REGISTER // INTEGERS[kind.number][0]
    parts = [
        _turned(
            builder, *INTEGERS[kind.number], *(_part(builder, one, k, width) for one in arguments)
        )
        for k in range(0, kind.width, width)
    ]
    joined = [_joined(builder, list(part)) for part in zip(*parts, strict=True)]
    return context.make_tuple(builder, sig.return_type, joined)


def _turned(
    builder: Any, width: int, digits: int, sine: Any, cosine: Any, turns: Any
) -> tuple[Any, Any]:
    """Exchange sine and cosine by the last bit of an integer, and set signs by the last two."""
    kind = ir.VectorType(ir.IntType(width), turns.type.count)

    def constant(kind: Any, value: Any) -> Any:
        return ir.Constant(kind, [value] * kind.count)

    def signed(value: Any, sign: Any) -> Any:
        sign = builder.and_(sign, constant(kind, 1 << (width - 1)))
        return builder.bitcast(builder.xor(builder.bitcast(value, kind), sign), turns.type)

    # A sum of this size has no fraction, and the integer for its last digits.
    large = builder.fadd(turns, constant(turns.type, 1.5 * 2.0**digits))
    last = builder.bitcast(large, kind)
    first, second = (builder.shl(last, constant(kind, width - k)) for k in (1, 2))
    odd = builder.icmp_signed("<", first, constant(kind, 0))
    one, other = builder.select(odd, cosine, sine), builder.select(odd, sine, cosine)
    return signed(one, second), signed(other, builder.xor(first, second))


def _part(builder: Any, vector: Any, first: int, count: int) -> Any:
    chosen = ir.Constant(ir.VectorType(ir.IntType(32), count), list(range(first, first + count)))
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), chosen)


def _joined(builder: Any, parts: list[Any]) -> Any:
    while len(parts) > 1:
        count = 2 * parts[0].type.count
        every = ir.Constant(ir.VectorType(ir.IntType(32), count), list(range(count)))
        parts = [
            builder.shuffle_vector(*pair, every)
            for pair in zip(parts[::2], parts[1::2], strict=True)
        ]
    return parts[0]

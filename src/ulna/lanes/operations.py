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
    broadcast,
    common_lanes,
    register_lowering,
    register_typing,
)
from ulna.lanes.uncompiled import (
    all_lanes,
    any_lane,
    bit,
    floor,
    logical_and,
    logical_not,
    logical_or,
    select,
    sqrt,
)

ARITHMETIC = {
    "fadd": (operator.add, operator.iadd),
    "fsub": (operator.sub, operator.isub),
    "fmul": (operator.mul, operator.imul),
    "fdiv": (operator.truediv, operator.itruediv),
}
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


def _typed_bit(context: Any, arguments: Any) -> Any:
    number = arguments[0]
    result = Mask(number) if isinstance(number, Lanes) else types.boolean
    return signature(result, number, types.int32)


register_typing(select, _typed_select)
register_typing(all_lanes, lambda context, arguments: signature(types.boolean, *arguments))
register_typing(any_lane, lambda context, arguments: signature(types.boolean, *arguments))
_elementwise(floor, _library("floor"), ours=True)
_elementwise(sqrt, _library("sqrt"), ours=True)
register_typing(logical_and, lambda context, arguments: signature(arguments[0], *arguments))
register_typing(logical_or, lambda context, arguments: signature(arguments[0], *arguments))
register_typing(logical_not, lambda context, arguments: signature(arguments[0], *arguments))
register_typing(bit, _typed_bit)


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


@register_lowering(bit, types.Any, types.Any)
def _bit(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    number, position = arguments
    kind = ir.IntType(32)
    wanted = builder.shl(kind(1), position)
    if isinstance(sig.args[0], Lanes):
        kind = ir.VectorType(kind, sig.args[0].width)
        wanted = broadcast(builder, wanted, kind)
    found = builder.and_(builder.fptosi(number, kind), wanted)
    return builder.icmp_unsigned("!=", found, ir.Constant(kind, None))

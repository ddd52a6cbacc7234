"""Lanes and masks as the compiler knows them: their types, and what is done with them.

Importing this module registers them with Numba: arithmetic, comparison, selection and reduction of
lanes, views of arrays of numbers as arrays of lanes and the other way round, and columns of rows
that are gathered into lanes, one row a lane, and scattered back.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_cast, models, register_model

from ulna.kernels.numba_internals import (
    Conversion,
    contiguous_array,
    declared,
    register_lowering,
    register_typing,
    signature,
    struct_of,
    unpack_tuple,
)
from ulna.lanes import (
    WIDTHS,
    all_lanes,
    any_lane,
    floor,
    gather,
    is_scalar,
    is_single,
    lanes,
    lanes_like,
    logical_and,
    logical_not,
    logical_or,
    matrix_view,
    numbers,
    scatter,
    select,
    sqrt,
    squeeze,
    turn_quarters,
    wide_lanes,
)  # fmt: skip

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


class Lanes(types.Type):  # type: ignore[misc]
    """The type of lanes: a vector of numbers."""

    def __init__(self, number: types.Float, width: int) -> None:
        self.number, self.width = number, width
        super().__init__(name=f"lanes({number} x {width})")

    def unify(self, context: Any, other: Any) -> Any:
        """Unify a number and lanes as lanes."""
        return self if isinstance(other, types.Number) else None

    def can_convert_from(self, context: Any, other: Any) -> Any:
        """Allow a number to be broadcast, and lanes to change precision."""
        if isinstance(other, Lanes):
            return Conversion.unsafe if other.width == self.width else None
        return Conversion.safe if isinstance(other, types.Number) else None


class Mask(types.Type):  # type: ignore[misc]
    """The type of masks: a vector of booleans, one for each lane."""

    def __init__(self, kind: Lanes) -> None:
        self.kind, self.width = kind, kind.width
        super().__init__(name=f"mask({kind})")

    def unify(self, context: Any, other: Any) -> Any:
        """Unify a boolean and a mask as a mask."""
        return self if isinstance(other, types.Boolean) else None

    def can_convert_from(self, context: Any, other: Any) -> Any:
        """Allow a boolean to be broadcast."""
        return Conversion.safe if isinstance(other, types.Boolean) else None


def lanes_of(number: Any, width: int | None = None) -> Lanes:
    """Return the type of lanes of a type of number, of the default width unless given."""
    return Lanes(number, width or WIDTHS[np.dtype(str(number))])


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Lanes) -> None:
        number = ir.DoubleType() if kind.number is types.float64 else ir.FloatType()
        super().__init__(manager, kind, ir.VectorType(number, kind.width))


@register_model(Mask)
class _MaskModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Mask) -> None:
        super().__init__(manager, kind, ir.VectorType(ir.IntType(1), kind.width))


def broadcast(builder: Any, value: Any, kind: Any) -> Any:
    """Broadcast a value to every lane."""
    nothing = ir.Constant(kind, ir.Undefined)
    one = builder.insert_element(nothing, value, ir.IntType(32)(0))
    first = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    return builder.shuffle_vector(one, nothing, first)


@lower_cast(types.Number, Lanes)  # type: ignore[untyped-decorator]
def _from_number(context: Any, builder: Any, source: Any, target: Lanes, value: Any) -> Any:
    number = context.cast(builder, value, source, target.number)
    return broadcast(builder, number, context.get_value_type(target))


@lower_cast(Lanes, Lanes)  # type: ignore[untyped-decorator]
def _from_lanes(context: Any, builder: Any, source: Lanes, target: Lanes, value: Any) -> Any:
    kind = context.get_value_type(target)
    if source == target:
        return value
    wider = target.number is types.float64
    return builder.fpext(value, kind) if wider else builder.fptrunc(value, kind)


@lower_cast(types.Boolean, Mask)  # type: ignore[untyped-decorator]
def _from_boolean(context: Any, builder: Any, source: Any, target: Mask, value: Any) -> Any:
    return broadcast(builder, value, context.get_value_type(target))


def common_lanes(arguments: Sequence[Any]) -> Lanes | None:
    """Return the type of lanes among arguments that are lanes and numbers."""
    found = [one for one in arguments if isinstance(one, Lanes)]
    fits = found and all(isinstance(one, Lanes | types.Number) for one in arguments)
    return found[0] if fits else None


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
        return builder.call(declared(builder.module, full, kind, kind), [value])

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


def _typed_lanes(context: Any, arguments: Any) -> Any:
    (array,) = arguments
    # NumPy's arrays need not be aligned to vector registers.
    kind = types.Array(lanes_of(array.dtype), array.ndim - 1, "C", aligned=False)
    return signature(kind, array)


def _typed_lanes_like(context: Any, arguments: Any) -> Any:
    array, other = arguments
    number = lanes_of(array.dtype, other.dtype.width)
    return signature(types.Array(number, array.ndim - 1, "C", aligned=False), array, other)


def _typed_wide_lanes(context: Any, arguments: Any) -> Any:
    (array,) = arguments
    number = lanes_of(array.dtype, WIDTHS[np.dtype(np.float32)])
    return signature(types.Array(number, array.ndim - 1, "C", aligned=False), array)


def _typed_matrix_view(array: Any, *bounds: Any) -> Any:
    kind = types.Array(array.dtype, 2, "C", aligned=array.aligned)
    return signature(kind, array, *([types.intp] * len(bounds)))


def _without_last(array: Any) -> Any:
    return types.Array(array.dtype, array.ndim - 1, "C")


def _typed_numbers(context: Any, arguments: Any) -> Any:
    (array,) = arguments
    number = array.dtype.number if isinstance(array.dtype, Lanes) else array.dtype
    return signature(types.Array(number, array.ndim + 1, "C"), array)


register_typing(lanes, _typed_lanes)
register_typing(lanes_like, _typed_lanes_like)
register_typing(wide_lanes, _typed_wide_lanes)
register_typing(numbers, _typed_numbers)
register_typing(
    squeeze, lambda context, arguments: signature(_without_last(arguments[0]), *arguments)
)
register_typing(matrix_view, lambda context, arguments: _typed_matrix_view(*arguments))
register_typing(is_single, lambda context, arguments: signature(types.boolean, *arguments))
register_typing(is_scalar, lambda context, arguments: signature(types.boolean, *arguments))


@register_lowering(is_single, types.Any)
def _is_single(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    kind = sig.args[0]
    number = kind.number if isinstance(kind, Lanes) else kind
    return context.get_constant(types.boolean, number is types.float32)


@register_lowering(is_scalar, types.Array)
def _is_scalar(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return context.get_constant(types.boolean, not isinstance(sig.args[0].dtype, Lanes))


@register_lowering(lanes, types.Array)
@register_lowering(wide_lanes, types.Array)
@register_lowering(numbers, types.Array)
@register_lowering(squeeze, types.Array)
def _lower_view(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    source, target = sig.args[0], sig.return_type
    old = struct_of(context, builder, source, arguments[0])
    shape = unpack_tuple(builder, old.shape)[: target.ndim]
    if target.ndim > source.ndim:
        width = source.dtype.width if isinstance(source.dtype, Lanes) else 1
        shape.append(context.get_constant(types.intp, width))
    return contiguous_array(context, builder, target, old.data, shape, old)


@register_lowering(lanes_like, types.Array, types.Array)
def _lanes_like(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    shorter = signature(sig.return_type, sig.args[0])
    return _lower_view(context, builder, shorter, arguments[:1])


@register_lowering(matrix_view, types.Array, types.Integer, types.Integer, types.Integer)
def _matrix_view(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    array, first, *shape = arguments
    old = struct_of(context, builder, sig.args[0], array)
    data = builder.gep(old.data, [first])
    return contiguous_array(context, builder, sig.return_type, data, shape, old)


def _typed_gather(context: Any, arguments: Any) -> Any:
    return signature(lanes_of(arguments[0].dtype), arguments[0], types.intp, types.intp)


def _typed_scatter(context: Any, arguments: Any) -> Any:
    values, rows, *_ = arguments
    return signature(types.none, values, rows, types.intp, types.intp)


register_typing(gather, _typed_gather)
register_typing(scatter, _typed_scatter)


def _element_pointer(
    context: Any, builder: Any, kind: Any, array: Any, column: Any
) -> Callable[[Any], Any]:
    """Return the function from a row to the address of its number; arrays are contiguous."""
    columns = unpack_tuple(builder, array.shape)[1]
    return lambda row: builder.gep(
        array.data, [builder.add(builder.mul(row, columns), column)], inbounds=True
    )


@register_lowering(gather, types.Array, types.Integer, types.Integer)
def _gather(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    given, first, column = arguments
    array = struct_of(context, builder, sig.args[0], given)
    pointer = _element_pointer(context, builder, sig.args[0], array, column)
    count = unpack_tuple(builder, array.shape)[0]
    vector = context.get_value_type(sig.return_type)

    def taken(clip: Callable[[Any], Any]) -> Any:
        value = ir.Constant(vector, ir.Undefined)
        for lane in range(vector.count):
            row = clip(builder.add(first, first.type(lane)))
            value = builder.insert_element(value, builder.load(pointer(row)), ir.IntType(32)(lane))
        return value

    def clipped(row: Any) -> Any:
        last = builder.sub(count, count.type(1))
        return builder.select(builder.icmp_signed("<", row, last), row, last)

    # A full block, as nearly all are, needs no check in every lane.
    is_full = builder.icmp_signed("<=", builder.add(first, first.type(vector.count)), count)
    with builder.if_else(is_full) as (then, otherwise):
        with then:
            full = taken(lambda row: row)
            full_end = builder.block
        with otherwise:
            part = taken(clipped)
            part_end = builder.block
    found = builder.phi(vector)
    found.add_incoming(full, full_end)
    found.add_incoming(part, part_end)
    return found


@register_lowering(scatter, types.Any, types.Array, types.Integer, types.Integer)
def _scatter(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    values, given, first, column = arguments
    array = struct_of(context, builder, sig.args[1], given)
    pointer = _element_pointer(context, builder, sig.args[1], array, column)
    count = unpack_tuple(builder, array.shape)[0]
    for lane in range(sig.args[0].width):
        row = builder.add(first, first.type(lane))
        with builder.if_then(builder.icmp_signed("<", row, count), likely=True):
            builder.store(builder.extract_element(values, ir.IntType(32)(lane)), pointer(row))
    return context.get_dummy_value()

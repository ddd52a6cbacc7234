"""Gather and scatter: a column of rows of numbers to lanes, one row a lane, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import signature

from ulna.lanes.lane_types import lanes_of, register_lowering, register_typing
from ulna.lanes.uncompiled import gather, scatter


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
    columns = cgutils.unpack_tuple(builder, array.shape)[1]
    return lambda row: builder.gep(
        array.data, [builder.add(builder.mul(row, columns), column)], inbounds=True
    )


@register_lowering(gather, types.Array, types.Integer, types.Integer)
def _gather(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    given, first, column = arguments
    array = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=given)
    pointer = _element_pointer(context, builder, sig.args[0], array, column)
    count = cgutils.unpack_tuple(builder, array.shape)[0]
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
    array = cgutils.create_struct_proxy(sig.args[1])(context, builder, value=given)
    pointer = _element_pointer(context, builder, sig.args[1], array, column)
    count = cgutils.unpack_tuple(builder, array.shape)[0]
    for lane in range(sig.args[0].width):
        row = builder.add(first, first.type(lane))
        with builder.if_then(builder.icmp_signed("<", row, count), likely=True):
            builder.store(builder.extract_element(values, ir.IntType(32)(lane)), pointer(row))
    return context.get_dummy_value()

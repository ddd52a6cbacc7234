"""Views of arrays of numbers as arrays of lanes, and the other way round."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import signature

from ulna.lanes.lane_types import Lanes, lanes_of, register_lowering, register_typing
from ulna.lanes.uncompiled import (
    WIDTHS,
    is_scalar,
    is_single,
    lanes,
    lanes_like,
    matrix_view,
    numbers,
    squeeze,
    wide_lanes,
)


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
    old = cgutils.create_struct_proxy(source)(context, builder, value=arguments[0])
    shape = cgutils.unpack_tuple(builder, old.shape)[: target.ndim]
    if target.ndim > source.ndim:
        width = source.dtype.width if isinstance(source.dtype, Lanes) else 1
        shape.append(context.get_constant(types.intp, width))
    return _view(context, builder, target, old, old.data, shape)


@register_lowering(lanes_like, types.Array, types.Array)
def _lanes_like(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    shorter = signature(sig.return_type, sig.args[0])
    return _lower_view(context, builder, shorter, arguments[:1])


@register_lowering(matrix_view, types.Array, types.Integer, types.Integer, types.Integer)
def _matrix_view(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    array, first, *shape = arguments
    old = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=array)
    return _view(context, builder, sig.return_type, old, builder.gep(old.data, [first]), shape)


def _view(context: Any, builder: Any, kind: Any, old: Any, data: Any, shape: Any) -> Any:
    """Return a contiguous array that views memory of another one."""
    new = cgutils.create_struct_proxy(kind)(context, builder)
    item = context.get_data_type(kind.dtype)
    size = context.get_constant(types.intp, context.get_abi_sizeof(item))
    strides, count = [size], shape[0]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
        count = builder.mul(count, length)
    new.data = builder.bitcast(data, item.as_pointer())
    new.meminfo, new.parent, new.itemsize, new.nitems = old.meminfo, old.parent, size, count
    new.shape = cgutils.pack_array(builder, shape)
    new.strides = cgutils.pack_array(builder, strides)
    return new._getvalue()

"""Arrays of numbers seen as arrays of lanes, and the other way round."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import signature

from ulna.lanes.kinds import LANES, Array, Lanes, Rows, declare, lowers


def lanes(array: Array) -> Any:
    """See an array (…, W) of numbers as an array (…) of lanes."""
    return array.view(Rows)


def numbers(array: Any) -> Array:
    """See an array (…) of lanes as numbers (…, W); of numbers as (…, 1)."""
    return array.view(np.ndarray) if isinstance(array, Rows) else array[..., None]


def single(array: Array) -> Array:
    """See an array (…, 1) of numbers as an array (…)."""
    return array[..., 0]


def table(array: Any, first: int, rows: int, columns: int) -> Any:
    """See a part of an array (k,), of numbers or of lanes, as an array (rows, columns)."""
    part = array[first : first + rows * columns]
    return part.reshape(rows, columns, *array.shape[1:])


def alone(array: Any) -> bool:
    """Say whether an array holds numbers, and not lanes: what the compiler knows in advance."""
    return not isinstance(array, Rows)


def _typed_lanes(context: Any, arguments: Any) -> Any:
    (array,) = arguments
    # Memory of NumPy's need not begin where a wide register would like it to.
    kind = types.Array(LANES[array.dtype], array.ndim - 1, "C", aligned=False)
    return signature(kind, array)


def _typed_table(array: Any, *places: Any) -> Any:
    kind = types.Array(array.dtype, 2, "C", aligned=array.aligned)
    return signature(kind, array, *([types.intp] * len(places)))


def _without_last(array: Any) -> Any:
    return types.Array(array.dtype, array.ndim - 1, "C")


def _typed_numbers(context: Any, arguments: Any) -> Any:
    (array,) = arguments
    number = array.dtype.number if isinstance(array.dtype, Lanes) else array.dtype
    return signature(types.Array(number, array.ndim + 1, "C"), array)


declare(lanes, _typed_lanes)
declare(numbers, _typed_numbers)
declare(single, lambda context, arguments: signature(_without_last(arguments[0]), *arguments))
declare(table, lambda context, arguments: _typed_table(*arguments))
declare(alone, lambda context, arguments: signature(types.boolean, *arguments))


@lowers(alone, types.Array)
def _alone(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return context.get_constant(types.boolean, not isinstance(sig.args[0].dtype, Lanes))


@lowers(lanes, types.Array)
@lowers(numbers, types.Array)
@lowers(single, types.Array)
def _see_as(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    source, target = sig.args[0], sig.return_type
    old = cgutils.create_struct_proxy(source)(context, builder, value=arguments[0])
    shape = cgutils.unpack_tuple(builder, old.shape)[: target.ndim]
    if target.ndim > source.ndim:
        width = source.dtype.width if isinstance(source.dtype, Lanes) else 1
        shape.append(context.get_constant(types.intp, width))
    return _view(context, builder, target, old, old.data, shape)


@lowers(table, types.Array, types.Integer, types.Integer, types.Integer)
def _table(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    array, first, *shape = arguments
    old = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=array)
    return _view(context, builder, sig.return_type, old, builder.gep(old.data, [first]), shape)


def _view(context: Any, builder: Any, kind: Any, old: Any, data: Any, shape: Any) -> Any:
    """Give an array that sees memory of another one, its items one after the other."""
    new = cgutils.create_struct_proxy(kind)(context, builder)
    item = context.get_data_type(kind.dtype)
    stride = context.get_constant(types.intp, context.get_abi_sizeof(item))
    new.itemsize = stride
    strides: list[Any] = []
    for length in reversed(shape):
        strides.insert(0, stride)
        stride = builder.mul(stride, length)
    new.data = builder.bitcast(data, item.as_pointer())
    new.meminfo, new.parent = old.meminfo, old.parent
    new.nitems = builder.sdiv(stride, new.itemsize)
    new.shape = cgutils.pack_array(builder, shape)
    new.strides = cgutils.pack_array(builder, strides)
    return new._getvalue()

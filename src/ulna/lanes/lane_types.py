"""Numba's types of lanes and masks, and how functions on them are registered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin, lower_cast, models, register_model

from ulna.lanes.uncompiled import WIDTHS

Function = TypeVar("Function", bound=Callable[..., Any])


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


def register_typing(function: Any, typed: Callable[[Any, tuple[Any, ...]], Any]) -> None:
    """Register the types that a function takes and returns."""

    @infer_global(function)
    class _Template(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            return typed(self.context, args)


def register_lowering(function: Any, *kinds: Any) -> Callable[[Function], Function]:
    """Register the lowering of a function for arguments of these types."""
    made: Callable[[Function], Function] = lower_builtin(function, *kinds)
    return made

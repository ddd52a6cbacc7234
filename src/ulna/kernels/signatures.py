"""Types of a kernel's arguments, without a compiler."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

INT, FLOAT = "int64", "float64"


class ArrayOf(NamedTuple):
    """A C-contiguous array."""

    number: str  # the name of its dtype
    dimensions: int


class LanesOf(NamedTuple):
    """An array of lanes of a width."""

    number: str
    dimensions: int
    width: int


class RecordOf(NamedTuple):
    """A NamedTuple."""

    kind: type
    fields: tuple[Any, ...]


Kind: TypeAlias = "str | ArrayOf | LanesOf | RecordOf"
Signature: TypeAlias = "tuple[Kind, ...]"


def signature_of(*values: Any) -> Signature:
    """Return the types of values.

    >>> signature_of(2, 0.5, np.zeros((3, 2)))
    ('int64', 'float64', ArrayOf(number='float64', dimensions=2))
    """
    return tuple([kind_of(value) for value in values])


def kind_of(value: Any) -> Kind:
    """Return the type of a value; raises TypeError for what no kernel takes."""
    if type(value) is np.ndarray:
        number = value.dtype
        if not value.flags.c_contiguous or not number.isnative:
            raise TypeError("kernels take arrays without gaps, in the machine's own byte order")
        # The name of a dtype takes long to compute.
        place = number.char, value.ndim
        if place not in _arrays:
            _arrays[place] = ArrayOf(number.name, value.ndim)
        return _arrays[place]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return RecordOf(type(value), signature_of(*value))
    if isinstance(value, int | np.integer | np.bool_):
        return INT
    if isinstance(value, float | np.floating):
        return FLOAT
    raise TypeError(f"kernels take numbers, arrays and records of arrays, not {type(value)}")


_arrays: dict[tuple[str, int], ArrayOf] = {}


def signature_text(kind: Any) -> str:
    """Return a type, or a signature, as text that is the same in every process."""
    if isinstance(kind, RecordOf):
        return f"{kind.kind.__module__}.{kind.kind.__qualname__}{signature_text(kind.fields)}"
    if isinstance(kind, LanesOf):
        return f"{kind.number}x{kind.width}[{kind.dimensions}]"
    if isinstance(kind, ArrayOf):
        return f"{kind.number}[{kind.dimensions}]"
    if isinstance(kind, tuple):
        return f"({', '.join(signature_text(one) for one in kind)})"
    return str(kind)

"""Controllers as plain values: comparable, hashable, and written as they are read."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np


def freeze_fields(controller: Any, *names: str) -> None:
    """Turn lists and arrays among the fields of a frozen controller into tuples.

    So it can be compared, hashed and written down whatever its gains were given as.
    """
    for name in names:
        value = getattr(controller, name)
        if isinstance(value, list | np.ndarray | np.generic):
            plain = value if isinstance(value, list) else value.tolist()
            object.__setattr__(controller, name, tuple(plain) if isinstance(plain, list) else plain)


def call_text(controller: Any) -> str:
    """Write a controller as the call that makes it: what differs from the defaults.

    `read_controller` reads it back, save for a model, which is named by its first line.
    """
    parts = []
    for field in dataclasses.fields(controller):
        value = getattr(controller, field.name)
        if field.name == "model" and value is not None:
            parts.append(f"model=<{repr(value).splitlines()[0]}>")
        elif value != field.default:
            parts.append(f"{field.name}={value!r}")
    return f"{type(controller).__name__}({', '.join(parts)})"

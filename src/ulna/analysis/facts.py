"""What was found, as plain values that JSON takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def plain(**found: Any) -> dict[str, Any]:
    """Return arrays as lists, numbers as Python has them, and None for what is not finite.

    >>> plain(peak=np.array([1.0, np.inf]))
    {'peak': [1.0, None]}
    """
    return {name: _plain(value) for name, value in found.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value

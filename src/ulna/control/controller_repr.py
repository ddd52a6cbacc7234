"""Controllers as plain values: comparable, hashable, written as they are read, and well refused."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

# Names that people try first, and what the parameter may be called instead.
_GUESSES = {
    "kp": "stiffness Kp KP K P p proportional",
    "damping_ratio": "damping zeta ratio",
    "kd": "damping derivative Kd KD D d",
    "ki": "integral Ki KI I i",
    "natural_frequency": "frequency omega omega_n wn w bandwidth",
    "bandwidth": "frequency omega lam lambda_ natural_frequency",
    "adaptation": "gamma Gamma adaptation_gain learning_rate",
    "filter": "cutoff corner filter_frequency derivative_filter",
    "model": "arm robot",
}


def keyword_guesses(*parameters: str) -> dict[str, str]:
    """Return which of these parameters is meant by names that people try first.

    >>> keyword_guesses("natural_frequency", "damping_ratio")["damping"]
    'damping_ratio'
    """
    found: dict[str, str] = {}
    for parameter, names in _GUESSES.items():
        if parameter in parameters:
            found |= {name: parameter for name in names.split() if name not in found}
    return {name: parameter for name, parameter in found.items() if name not in parameters}


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

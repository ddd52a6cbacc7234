"""Numbers of an arm's parts: what each may be, and how it is read.

A part is a frozen data class; a table beside it names its numbers, which are the keys of robot
files as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ulna.errors import Problems


class BoundedNumber(NamedTuple):
    """A number of a part, and a key of robot files: its kind among `ulna.units`, its bounds."""

    kind: str
    unit: str
    above: float | None = None
    least: float | None = None
    infinite: bool = False
    needed: bool = False  # whether a robot file has to have it


NumberTable = Mapping[str, BoundedNumber]


def read_numbers(checks: Problems, table: NumberTable, part: Any) -> dict[str, float]:
    """Return the numbers of a part; what is wrong with them is noted."""
    return {name: read_number(checks, table, name, getattr(part, name)) for name in table}


def read_number(checks: Problems, table: NumberTable, name: str, value: Any) -> float:
    """Return a number of a part; what is wrong with it is noted."""
    _, unit, above, least, infinite, _ = table[name]
    return checks.number(name, value, unit, above=above, least=least, infinite=infinite)


def store(part: Any, checks: Problems, values: Mapping[str, Any]) -> None:
    """Raise what was found wrong, or keep the values: plain floats, whatever kind came in."""
    checks.raise_if_any()
    for name, value in values.items():
        object.__setattr__(part, name, value)

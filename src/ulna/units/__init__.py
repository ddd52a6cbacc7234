"""The edge between human units and SI: "30 deg", "12 kg*cm", "120 rpm" and back.

Inside ulna every number is SI and every angle is in radians, so a bare number is SI too. A unit
belongs to one kind ("length", "torque"). Factors may be joined by ``*``, ``·``, a space, a
hyphen or a dot, in any order ("oz-in", "in oz"), and squares are ``^2``, ``**2`` or ``²``. Case
is free, save for an M before a letter, which could mean mega.
"""

from typing import TYPE_CHECKING

from ulna.namespaces import namespace
from ulna.units.spelling import known_unit, split_unit
from ulna.units.table import STANDARD_GRAVITY, UNITS
from ulna.units.values import (
    bare_items,
    format_si,
    from_si,
    parse_list,
    separate,
    suspicious_angle,
    to_si,
)

__all__ = [
    "STANDARD_GRAVITY",
    "UNITS",
    "bare_items",
    "format_si",
    "from_si",
    "known_unit",
    "parse_list",
    "separate",
    "split_unit",
    "suspicious_angle",
    "to_si",
]

if not TYPE_CHECKING:
    _guesses = {
        "units.to_si('30 deg', 'angle') reads text with a unit": (
            "parse read convert to_SI si quantity Quantity deg2rad radians"
        ),
        "units.from_si(value, 'deg', 'angle') expresses an SI value in a unit": (
            "to_unit to from_SI rad2deg degrees"
        ),
        "units.format_si(value, 'deg', 'angle') writes an SI value with its unit": "format text",
        "units.UNITS lists all units by kind": "units all known names list_units",
    }
    __getattr__, __dir__ = namespace(__name__, _guesses, also=__all__)

"""The edge between human units and SI: "30 deg", "12 kg*cm", "120 rpm" and back.

Inside ulna every number is SI and every angle is in radians, so a bare number is SI too. A unit
belongs to one kind ("length", "torque"). Factors may be joined by ``*``, ``·``, a space, a
hyphen or a dot, in any order ("oz-in", "in oz"), and squares are ``^2``, ``**2`` or ``²``. Case
is free, save for an M before a letter, which could mean mega.
"""

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

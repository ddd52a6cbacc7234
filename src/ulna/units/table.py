"""The units that people write, by kind, each with its exact factor to SI.

`speed` is the angular one. Factors follow the definitions: the international inch and pound, the
standard gravity of a kilogram-force. A servo's "kg*cm" is a kilogram-force on a lever.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

STANDARD_GRAVITY = 9.80665  # [m/s²]
_INCH, _FOOT, _POUND = 0.0254, 0.3048, 0.45359237
TURN = 2.0 * math.pi
_LENGTHS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "km": 1e3, "in": _INCH, "ft": _FOOT}
_MASSES = {"kg": 1.0, "g": 1e-3, "mg": 1e-6, "lb": _POUND, "oz": _POUND / 16.0}
_NEWTONS = {"N": 1.0, "mN": 1e-3, "kN": 1e3, "MN": 1e6}
_WEIGHTS = {f"{mass}f": factor * STANDARD_GRAVITY for mass, factor in _MASSES.items()}
_FORCES = _NEWTONS | {unit: _WEIGHTS[unit] for unit in ("kgf", "gf", "lbf", "ozf")}
_PULLS = _FORCES | {mass: _WEIGHTS[f"{mass}f"] for mass in ("kg", "g", "lb", "oz")}
_ANGLES = {"rad": 1.0, "deg": math.pi / 180.0, "turn": TURN, "rev": TURN, "mrad": 1e-3}
# By these products oz*in is 0.0070615518 N*m and kg*cm 0.0980665 N*m.
_TORQUES = (
    "N*m N*cm N*mm mN*m kN*m MN*m kgf*m kgf*cm kgf*mm gf*cm kg*m kg*cm kg*mm g*cm "
    "ozf*in oz*in lbf*in lbf*ft lb*in lb*ft"
)


def _products(
    units: str, left: Mapping[str, float], right: Mapping[str, float]
) -> dict[str, float]:
    pairs = (unit.split("*") for unit in units.split())
    return {f"{a}*{b}": left[a] * right[b] for a, b in pairs}


def _squares(units: str) -> dict[str, float]:
    pairs = (unit.split("*") for unit in units.split())
    return {f"{mass}*{length}^2": _MASSES[mass] * _LENGTHS[length] ** 2 for mass, length in pairs}


# For each kind an example, and its units.
_TABLE: dict[str, tuple[str, dict[str, float]]] = {
    "length": ("25 cm", _LENGTHS),
    "mass": ("400 g", _MASSES),
    "angle": ("30 deg", _ANGLES),
    "torque": ("12 kg*cm", _products(_TORQUES, _PULLS, _LENGTHS)),
    "speed": (
        "120 rpm",
        {f"{angle}/s": factor for angle, factor in _ANGLES.items()}
        | {"rpm": TURN / 60.0, "deg/min": _ANGLES["deg"] / 60.0},
    ),
    "angular_acceleration": (
        "90 deg/s^2",
        {f"{angle}/s^2": _ANGLES[angle] for angle in ("rad", "deg", "rev")},
    ),
    "time": ("4 s", {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "h": 3600.0}),
    "inertia": ("50 g*cm^2", _squares("kg*m kg*cm kg*mm g*m g*cm g*mm lb*ft lb*in oz*in")),
    "damping": (
        "0.02 N*m*s/rad",
        {"N*m*s/rad": 1.0, "N*m*s": 1.0, "mN*m*s/rad": 1e-3, "mN*m*s": 1e-3},
    ),
    "drag": (
        "0.001 N*m*s^2/rad^2",
        {"N*m*s^2/rad^2": 1.0, "N*m*s^2": 1.0, "mN*m*s^2/rad^2": 1e-3, "mN*m*s^2": 1e-3},
    ),
    "stiffness": ("3 N*m/rad", {"N*m/rad": 1.0, "N*m/deg": 1.0 / _ANGLES["deg"], "mN*m/rad": 1e-3}),
    "force": ("5 N", _FORCES),
    "velocity": ("20 cm/s", {"m/s": 1.0, "cm/s": 1e-2, "mm/s": 1e-3, "in/s": _INCH, "ft/s": _FOOT}),
    "acceleration": ("2 m/s^2", {"m/s^2": 1.0, "cm/s^2": 1e-2, "mm/s^2": 1e-3, "ft/s^2": _FOOT}),
    "voltage": ("12 V", {"V": 1.0, "mV": 1e-3, "kV": 1e3}),
    "current": ("800 mA", {"A": 1.0, "mA": 1e-3}),
    "resistance": ("1.5 ohm", {"ohm": 1.0, "mohm": 1e-3, "kohm": 1e3}),
    "inductance": ("0.4 mH", {"H": 1.0, "mH": 1e-3, "uH": 1e-6}),
    "torque_constant": ("20 mN*m/A", {"N*m/A": 1.0, "mN*m/A": 1e-3, "V*s/rad": 1.0}),
    "power": ("5 W", {"W": 1.0, "mW": 1e-3, "kW": 1e3}),
    "energy": ("2 J", {"J": 1.0, "mJ": 1e-3, "kJ": 1e3}),
    "torque_rate": ("20 N*m/s", {"N*m/s": 1.0, "mN*m/s": 1e-3}),
    "angle_density": ("0.001 deg/rtHz", {"rad/rtHz": 1.0, "deg/rtHz": _ANGLES["deg"]}),
    "speed_density": ("0.01 deg/s/rtHz", {"rad/s/rtHz": 1.0, "deg/s/rtHz": _ANGLES["deg"]}),
    "frequency": ("50 Hz", {"Hz": 1.0, "kHz": 1e3}),
    "temperature": ("80 degC", {"degC": 1.0}),
    "thermal_resistance": ("12 K/W", {"K/W": 1.0}),
    "thermal_capacity": ("5 J/K", {"J/K": 1.0, "kJ/K": 1e3}),
    "number": ("0.5", {}),
}
UNITS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {kind: MappingProxyType(units) for kind, (_, units) in _TABLE.items()}
)
EXAMPLES = {kind: example for kind, (example, _) in _TABLE.items()}

_SYNONYMS = {
    "m": "meter meters metre metres",
    "in": "inch inches",
    "ft": "foot feet",
    "kg": "kilogram kilograms",
    "g": "gram grams",
    "lb": "lbs pound pounds",
    "oz": "ounce ounces",
    "deg": "degree degrees",
    "rad": "radian radians",
    "turn": "turns",
    "rev": "revs revolution revolutions",
    "s": "sec secs second seconds",
    "min": "minute minutes",
    "h": "hr hrs hour hours",
    "N": "newton newtons",
    "V": "volt volts",
    "A": "amp amps ampere amperes",
    "ohm": "ohms",
    "rev/s": "rps",
    "N*m": "Nm",
    "N*cm": "Ncm",
    "N*mm": "Nmm",
    "mN*m": "mNm",
    "kN*m": "kNm",
    "MN*m": "MNm",
    "N*m*s": "Nms",
    "kg*cm": "kgcm",
    "oz*in": "ozin",
}
# One word of a unit at a time, so that "Nm*s/rad" is "N*m*s/rad".
SYNONYMS = {word: unit for unit, words in _SYNONYMS.items() for word in words.split()}

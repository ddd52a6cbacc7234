"""Robot files, format 1: which keys there are, and what kind of quantity each holds."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

FORMAT = 1

TEXT = "text"

LINK: Mapping[str, str] = MappingProxyType(
    {
        "length": "length",
        "mass": "mass",
        "com": "length",
        "inertia": "inertia",
        "tip_mass": "mass",
        "com_offset": "length",
    }
)
JOINT: Mapping[str, str] = MappingProxyType(
    {
        "lower": "angle",
        "upper": "angle",
        "max_velocity": "speed",
        "max_torque": "torque",
        "damping": "damping",
        "rotor_inertia": "inertia",
        "gear_ratio": "number",
    }
)
FRICTION: Mapping[str, str] = MappingProxyType(
    {"coulomb": "torque", "static": "torque", "stribeck_velocity": "speed"}
)
MOTOR: Mapping[str, str] = MappingProxyType(
    {
        "voltage": "voltage",
        "resistance": "resistance",
        "torque_constant": "torque_constant",
        "inductance": "inductance",
        "no_load_current": "current",
        "max_current": "current",
        "name": TEXT,
    }
)
PAYLOAD: Mapping[str, str] = MappingProxyType({"mass": "mass", "inertia": "inertia"})
TOP = ("format", "name", "gravity", "base", "payload", "link")

NEEDED_IN_LINK = ("length", "mass")
NEEDED_IN_PAYLOAD = ("mass",)
NEEDED_IN_FRICTION = ("coulomb",)
NEEDED_IN_MOTOR = ("voltage", "resistance", "torque_constant")

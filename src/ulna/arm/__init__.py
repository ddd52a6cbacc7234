"""WHAT it is: links, joints and payload, presets, and robot files."""

from typing import TYPE_CHECKING

from ulna.arm.components import (
    Friction,
    Joint,
    Link,
    Payload,
)
from ulna.arm.control_loop import Actuators, ControlLoop, Sensors
from ulna.arm.motor_catalogue import motor
from ulna.arm.motor_parts import Backlash, WindingHeat
from ulna.arm.motors import IdealMotor, Motor, ServoMotor, StepperMotor, TorqueSpeedMotor
from ulna.arm.parameters import Parameters, parameters_of, stack
from ulna.arm.planar_arm import EARTH, FLAT, Arm
from ulna.arm.preset_arms import preset, presets
from ulna.namespaces import namespace

__all__ = [
    "EARTH",
    "FLAT",
    "Actuators",
    "Arm",
    "Backlash",
    "ControlLoop",
    "Friction",
    "IdealMotor",
    "ImportedArm",
    "Joint",
    "Link",
    "Motor",
    "Parameters",
    "Payload",
    "Sensors",
    "ServoMotor",
    "StepperMotor",
    "TorqueSpeedMotor",
    "WindingHeat",
    "from_dh",
    "motor",
    "parameters_of",
    "preset",
    "presets",
    "stack",
    "to_dh",
]

# An arm needs none of them, and they take as long to import as all else here.
_FILES = {
    "ImportedArm": "ulna.arm.imported_arm",
    "from_dh": "ulna.arm.dh_tables",
    "to_dh": "ulna.arm.dh_tables",
}

if TYPE_CHECKING:
    from ulna.arm.dh_tables import from_dh, to_dh
    from ulna.arm.imported_arm import ImportedArm
else:
    __getattr__, __dir__ = namespace(__name__, lazy=_FILES)

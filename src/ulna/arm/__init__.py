"""WHAT it is: links, joints and payload, presets, and robot files."""

from ulna.arm.joint import Friction, Joint, Motor
from ulna.arm.link import Link, Payload
from ulna.arm.not_modelled import NOT_MODELLED, unmodelled, warn_unmodelled
from ulna.arm.parameters import Parameters, parameters_of, stack
from ulna.arm.planar_arm import EARTH, FLAT, Arm
from ulna.arm.preset_arms import preset, presets
from ulna.arm.robot_file_writing import save
from ulna.arm.robot_files import load

__all__ = [
    "EARTH",
    "FLAT",
    "NOT_MODELLED",
    "Arm",
    "Friction",
    "Joint",
    "Link",
    "Motor",
    "Parameters",
    "Payload",
    "load",
    "parameters_of",
    "preset",
    "presets",
    "save",
    "stack",
    "unmodelled",
    "warn_unmodelled",
]

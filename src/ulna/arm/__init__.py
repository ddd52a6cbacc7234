"""WHAT it is: links, joints and payload, presets, and robot files."""

from ulna.arm.arm import EARTH, FLAT, Arm
from ulna.arm.files import load
from ulna.arm.joint import Friction, Joint, Motor
from ulna.arm.link import Link, Payload
from ulna.arm.parameters import Parameters, parameters_of, stack
from ulna.arm.presets import preset, presets
from ulna.arm.unmodelled import NOT_MODELLED, unmodelled, warn_unmodelled
from ulna.arm.writing import save

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

"""WHAT drives it: the catalogue of actuators."""

from typing import TYPE_CHECKING

from ulna.actuation.catalogue import Actuator, actuators
from ulna.namespaces import namespace

__all__ = ["Actuator", "actuators"]

if not TYPE_CHECKING:
    _guesses = {
        "actuation.actuators() lists motors with their gears": (
            "motors servos catalog motor_catalogue list_actuators"
        ),
    }
    __getattr__, __dir__ = namespace(__name__, _guesses, also=__all__)

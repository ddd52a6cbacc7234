"""WHAT drives it: the catalogue of actuators."""

from ulna.actuation.catalogue import Actuator, actuators

__all__ = ["Actuator", "actuators"]

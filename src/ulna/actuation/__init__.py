"""WHAT drives it: the laws of motors, and actuators as their makers' data sheets give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ulna.actuation.motor_formulas import (
    TorqueRange,
    continuous_torque,
    current,
    current_limit,
    gear_loss,
    motor_torque,
    steady_temperature,
    supply_power,
    temperature,
    torque_range,
    voltage,
    winding_loss,
)
from ulna.arm.motor_catalogue import catalogue
from ulna.namespaces import namespace

__all__ = [
    "Actuator",
    "TorqueRange",
    "actuators",
    "continuous_torque",
    "current",
    "current_limit",
    "gear_loss",
    "motor_torque",
    "steady_temperature",
    "supply_power",
    "temperature",
    "torque_range",
    "voltage",
    "winding_loss",
]


class Actuator(NamedTuple):
    """A motor with its gear, seen from the output shaft.

    Attributes
    ----------
    name : str
        Maker and model.
    voltage : float
        Of the supply [V].
    stall_torque : float
        Torque at rest [N·m]; the peak torque where the driver limits it.
    no_load_speed : float
        Speed without a load [rad/s].
    stall_current : float or None
        Current at rest [A]; None of what its maker does not say, here and below.
    gear_ratio : float or None
        Motor turns per turn of the output shaft.
    mass : float or None
        With its gear [kg].
    """

    name: str
    voltage: float
    stall_torque: float
    no_load_speed: float
    stall_current: float | None
    gear_ratio: float | None
    mass: float | None


def actuators() -> tuple[Actuator, ...]:
    """Return the catalogue of actuators, hobby servos first.

    Returns
    -------
    tuple of Actuator
        As their makers' data sheets give them. `ulna.motor` makes a motor of a name.

    Examples
    --------
    >>> actuators()[0].name
    'tower-pro-sg90'
    """
    return tuple(
        Actuator(name, *(getattr(known, field) for field in Actuator._fields[1:]))
        for name, known in catalogue().items()
    )


if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)

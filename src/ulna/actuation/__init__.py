"""WHAT drives it: actuators that people build arms with, as their makers' data sheets give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ulna.namespaces import first_guesses, namespace

__all__ = ["Actuator", "actuators"]


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
    stall_current : float
        Current at rest [A].
    gear_ratio : float
        Motor turns per turn of the output shaft.
    mass : float
        With its gear [kg].
    """

    name: str
    voltage: float
    stall_torque: float
    no_load_speed: float
    stall_current: float
    gear_ratio: float
    mass: float


ACTUATORS: tuple[Actuator, ...] = (
    Actuator("dynamixel-ax-12a", 12.0, 1.5, 6.178, 1.5, 254.0, 0.0546),
    Actuator("dynamixel-xl430-w250", 12.0, 1.5, 6.388, 1.4, 258.5, 0.0572),
    Actuator("dynamixel-xm430-w350", 12.0, 4.1, 4.817, 2.3, 353.5, 0.082),
    Actuator("dynamixel-xm540-w270", 12.0, 10.6, 3.142, 4.4, 272.5, 0.165),
    Actuator("feetech-sts3215-12v", 12.0, 2.942, 4.712, 2.7, 345.0, 0.055),
    Actuator("t-motor-ak80-6", 24.0, 12.0, 38.2, 24.0, 6.0, 0.485),
    Actuator("maxon-ec-45-flat-70w", 24.0, 1.690, 586.4, 42.0, 1.0, 0.141),
)


def actuators() -> tuple[Actuator, ...]:
    """Return the catalogue of actuators, hobby servos first.

    Returns
    -------
    tuple of Actuator
        As their makers' data sheets give them.

    Examples
    --------
    >>> actuators()[0].name
    'dynamixel-ax-12a'
    """
    return ACTUATORS


if not TYPE_CHECKING:
    _guesses = first_guesses("actuation")
    __getattr__, __dir__ = namespace(__name__, _guesses, also=__all__)

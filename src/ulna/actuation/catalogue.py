"""Actuators that people build arms with, as their makers' data sheets give them."""

from __future__ import annotations

from typing import NamedTuple


class Actuator(NamedTuple):
    """A motor with its gear, seen from the output shaft."""

    name: str
    voltage: float  # [V]
    stall_torque: float  # [N·m]; the peak torque where the driver limits it
    no_load_speed: float  # [rad/s]
    stall_current: float  # [A]
    gear_ratio: float
    mass: float  # [kg]


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
    """Return the whole catalogue, hobby servos first."""
    return ACTUATORS

"""What a DC motor may have besides: a winding that warms up, and a gap in its gear. Data only."""

from __future__ import annotations

from dataclasses import dataclass

from ulna.arm.bounded_numbers import BoundedNumber, read_numbers, store
from ulna.errors import Problems

HEAT = {
    "thermal_resistance": BoundedNumber("thermal_resistance", "K/W", above=0.0, needed=True),
    "thermal_capacity": BoundedNumber("thermal_capacity", "J/K", above=0.0, needed=True),
    "max_temperature": BoundedNumber("temperature", "°C"),
    "derating_from": BoundedNumber("temperature", "°C"),
    "ambient": BoundedNumber("temperature", "°C"),
    "copper_coefficient": BoundedNumber("number", "1/K", least=0.0),
    "magnet_coefficient": BoundedNumber("number", "1/K"),
}
BACKLASH = {
    "gap": BoundedNumber("angle", "rad", above=0.0, needed=True),
    "stiffness": BoundedNumber("stiffness", "N·m/rad", above=0.0, needed=True),
    "damping": BoundedNumber("damping", "N·m·s/rad", least=0.0),
}


@dataclass(frozen=True, slots=True)
class WindingHeat:
    """How the winding of a DC motor warms up, and what that does to the motor.

    A current i heats the winding by R i², which flows off through the thermal resistance. Its
    resistance grows with temperature, and its magnets weaken.

    Parameters
    ----------
    thermal_resistance : float
        From the winding to the surroundings [K/W].
    thermal_capacity : float
        Of the winding [J/K]; the two multiplied are the time in which it warms up [s].
    max_temperature : float, optional
        Of the winding [°C], above which it counts as overheated.
    derating_from : float, optional
        The temperature [°C] from which on the driver lowers the current limit, to zero at
        `max_temperature`; without it the driver protects nothing.
    ambient : float, optional
        Temperature of the surroundings [°C], and of the winding at the start.
    copper_coefficient : float, optional
        By which part the resistance grows a kelvin above 25 °C [1/K].
    magnet_coefficient : float, optional
        By which part the torque constant changes a kelvin above 25 °C [1/K]; negative of magnets
        that weaken, about −0.001 of neodymium and −0.002 of ferrite.

    Raises
    ------
    InputError
        If a value is out of its range.

    Examples
    --------
    >>> heat = WindingHeat(thermal_resistance=12.0, thermal_capacity=4.0)
    >>> heat.max_temperature
    125.0
    """

    thermal_resistance: float
    thermal_capacity: float
    max_temperature: float = 125.0
    derating_from: float | None = None
    ambient: float = 25.0
    copper_coefficient: float = 0.00393
    magnet_coefficient: float = 0.0

    def __post_init__(self) -> None:
        checks = Problems()
        derates = self.derating_from is not None
        given = {name: one for name, one in HEAT.items() if derates or name != "derating_from"}
        values = read_numbers(checks, given, self)
        start = values.get("derating_from", self.ambient)
        if not checks.found and not self.ambient <= start < self.max_temperature:
            need = f"from ambient ({self.ambient:g} °C) to below max_temperature"
            checks.add("derating_from", f"{start:g} °C", f"{need} ({self.max_temperature:g} °C)")
        store(self, checks, values)


@dataclass(frozen=True, slots=True)
class Backlash:
    """The gap between the teeth of a gear: the rotor moves in it by itself.

    Where the teeth touch they push like a stiff spring with damping, and never pull.

    Parameters
    ----------
    gap : float
        From one contact to the other, as an angle of the joint [rad].
    stiffness : float
        Of teeth in contact, at the joint [N·m/rad].
    damping : float, optional
        Of teeth in contact, at the joint, for every radian that they give way
        [N·m·s/rad per rad]: it grows with the load, and begins from zero.

    Raises
    ------
    InputError
        If a value is out of its range.

    Examples
    --------
    >>> Backlash(gap=0.01, stiffness=500.0).damping
    0.0
    """

    gap: float
    stiffness: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        checks = Problems()
        store(self, checks, read_numbers(checks, BACKLASH, self))

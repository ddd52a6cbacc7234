"""Motors that people build arms with, by name, from `motors.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ulna import units
from ulna.arm.motors import AnyMotor
from ulna.errors import InputError, Problem, nearest_name, shown

SHORTEST = 3  # letters of a word that may be a part of a name
# What data sheets state of a whole motor, with the kinds of its units.
_PRINTED = {
    "voltage": "voltage",
    "stall_torque": "torque",
    "no_load_speed": "speed",
    "stall_current": "current",
    "mass": "mass",
}


class CataloguedMotor(NamedTuple):
    """A motor of the catalogue, and where its numbers are from.

    Attributes
    ----------
    motor : Motor, ServoMotor or StepperMotor
        What `ulna.motor` returns.
    voltage : float
        Of the supply [V] that the numbers are for.
    stall_torque : float
        At rest, at the output shaft [N·m]; the peak torque where the driver limits it, the holding
        torque of a stepper.
    no_load_speed : float
        Of the output shaft, without a load [rad/s].
    stall_current : float or None
        At rest [A]; the peak current where the driver limits it, the rated one of a stepper.
    gear_ratio : float or None
        Motor turns per turn of the output shaft.
    mass : float or None
        With its gear [kg].
    source : str
        Where the numbers are from.
    estimated : tuple of str
        What of the motor is not from there: "name: how".
    """

    motor: AnyMotor
    voltage: float
    stall_torque: float
    no_load_speed: float
    stall_current: float | None
    gear_ratio: float | None
    mass: float | None
    source: str
    estimated: tuple[str, ...]


def motor(name: str) -> AnyMotor:
    """Return the motor of a name.

    Parameters
    ----------
    name : str
        One that `ulna.actuation.actuators()` and `ulna list motors` list.

    Returns
    -------
    Motor, ServoMotor or StepperMotor
        The motor, with that name.

    Raises
    ------
    InputError
        If there is no such motor; it names the nearest one.

    Examples
    --------
    >>> motor("feetech-sts3215-12v").command
    'position'
    """
    return catalogued(name).motor


def motor_names() -> tuple[str, ...]:
    """Return the names of all motors of the catalogue, hobby servos first."""
    return tuple(catalogue())


def catalogued(name: str, what: str = "motor") -> CataloguedMotor:
    """Return a motor of the catalogue with its sources; raise for an unknown name."""
    known = catalogue()
    if not isinstance(name, str) or name not in known:
        need = "the name of a motor"
        word = name.lower() if isinstance(name, str) else str(name)
        alike = [one for one in known if len(word) >= SHORTEST and word in one]
        hint = f"did you mean {alike[0]!r}?" if alike else nearest_name(word, tuple(known))
        raise InputError(Problem(what, shown(name), need, hint))
    return known[name]


@cache
def catalogue() -> Mapping[str, CataloguedMotor]:
    """Return all motors with their sources, by name."""
    import tomllib

    text = Path(__file__).with_name("motors.toml").read_text("utf-8")
    return {name: _catalogued(name, table) for name, table in tomllib.loads(text).items()}


def _catalogued(name: str, table: Mapping[str, Any]) -> CataloguedMotor:
    from ulna.arm.robot_files import read_motor  # which reads names of motors too

    made = read_motor(
        {key: value for key, value in table.items() if key != "sheet"} | {"name": name}
    )
    sheet = table["sheet"]
    # What the data sheet does not print follows from the motor, or is unknown.
    printed: dict[str, Any] = {
        key: units.to_si(sheet[key], kind) if key in sheet else getattr(made, key, None)
        for key, kind in _PRINTED.items()
    }
    return CataloguedMotor(
        made,
        **printed,
        gear_ratio=made.gear_ratio if "gear_ratio" in table else None,
        source=sheet["source"],
        estimated=tuple(sheet["estimated"]),
    )

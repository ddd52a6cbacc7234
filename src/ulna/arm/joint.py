"""A joint of an arm: its limits, what resists it, and what turns it.

These classes hold data only.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import inf
from typing import TYPE_CHECKING, Any

from ulna.arm.arm_checks import Problems
from ulna.arm.first_guesses import OF_A_JOINT
from ulna.errors import shown
from ulna.namespaces import no_attribute, suggest_keywords

_FRICTION_HINT = "Friction(coulomb=...) is dry friction [N·m], damping=... viscous [N·m·s/rad]"


@suggest_keywords(dry="coulomb", stiction="static")
@dataclass(frozen=True, slots=True)
class Friction:
    """Dry friction at a joint, in addition to the joint's viscous `damping`.

    The moving joint feels `coulomb` against its motion, a resting one up to `static`; between
    the two the torque falls over `stribeck_velocity`.

    Parameters
    ----------
    coulomb : float, optional
        Torque against the motion while the joint moves [N·m].
    static : float, optional
        The largest torque while it does not move [N·m]; as large as `coulomb` unless given.
    stribeck_velocity : float, optional
        The rate over which static friction falls to Coulomb friction [rad/s].

    Raises
    ------
    InputError
        If a value is negative or not finite, or static friction is less than Coulomb friction.
    """

    coulomb: float = 0.0
    static: float | None = None
    stribeck_velocity: float = 0.01

    def __post_init__(self) -> None:
        checks = Problems()
        coulomb = checks.number("coulomb", self.coulomb, "N·m", least=0.0)
        static = coulomb
        if self.static is not None:
            static = checks.number("static", self.static, "N·m", least=0.0)
        if static < coulomb:
            checks.add("static", shown(static), f"at least coulomb ({coulomb:g} N·m)")
        stribeck = checks.number("stribeck_velocity", self.stribeck_velocity, "rad/s", above=0.0)
        checks.raise_if_any()
        _store(self, coulomb=coulomb, static=static, stribeck_velocity=stribeck)


@suggest_keywords(kt="torque_constant", R="resistance", L="inductance", V="voltage")
@dataclass(frozen=True, slots=True)
class Motor:
    """A DC motor on the motor side of its gear; the gear and the rotor belong to the `Joint`.

    Parameters
    ----------
    voltage : float
        Of the supply [V].
    resistance : float
        Of the winding [Ω].
    torque_constant : float
        Torque per current [N·m/A], equal to the back-EMF constant in V·s/rad.
    inductance : float, optional
        Of the winding [H].
    no_load_current : float, optional
        The current that turns the motor alone [A].
    max_current : float, optional
        The most that the driver gives [A].
    name : str, optional
        How reports call the motor.

    Raises
    ------
    InputError
        If a value is out of its range.
    """

    voltage: float
    resistance: float
    torque_constant: float
    inductance: float = 0.0
    no_load_current: float = 0.0
    max_current: float = inf
    name: str = ""

    def __post_init__(self) -> None:
        checks = Problems()
        values = {
            "voltage": checks.number("voltage", self.voltage, "V", above=0.0),
            "resistance": checks.number("resistance", self.resistance, "Ω", above=0.0),
            "torque_constant": checks.number(
                "torque_constant", self.torque_constant, "N·m/A", above=0.0
            ),
            "inductance": checks.number("inductance", self.inductance, "H", least=0.0),
            "no_load_current": checks.number(
                "no_load_current", self.no_load_current, "A", least=0.0
            ),
            "max_current": checks.number(
                "max_current", self.max_current, "A", above=0.0, infinite=True
            ),
        }
        checks.one_line("name", self.name)
        checks.raise_if_any()
        _store(self, **values)


@suggest_keywords(
    limits="lower and upper",
    limit="lower and upper",
    min="lower",
    max="upper",
    max_speed="max_velocity",
    effort="max_torque",
    ratio="gear_ratio",
)
@dataclass(frozen=True, slots=True)
class Joint:
    """A revolute joint: its limits, its damping, and the rotor that turns it.

    A rotor of inertia J geared N : 1 sits on the link before the joint. Limits mark postures;
    they never change what an angle means.

    Parameters
    ----------
    lower : float, optional
        Lower limit of the angle [rad], −inf for none.
    upper : float, optional
        Upper limit of the angle [rad], inf for none.
    max_velocity : float, optional
        Limit of the rate [rad/s].
    max_torque : float, optional
        Limit of the torque [N·m].
    damping : float, optional
        Viscous damping on the relative rate [N·m·s/rad].
    rotor_inertia : float, optional
        Inertia of the rotor, on the motor side of the gear [kg·m²].
    gear_ratio : float, optional
        Motor turns per joint turn; negative if the gear reverses.
    friction : Friction, optional
        Dry friction.
    motor : Motor, optional
        The motor that turns the joint.

    Raises
    ------
    InputError
        If a value is out of its range, or `lower` is not below `upper`.
    """

    lower: float = -inf
    upper: float = inf
    max_velocity: float = inf
    max_torque: float = inf
    damping: float = 0.0
    rotor_inertia: float = 0.0
    gear_ratio: float = 1.0
    friction: Friction | None = None
    motor: Motor | None = None

    def __post_init__(self) -> None:
        checks = Problems()
        values = {
            "lower": checks.number("lower", self.lower, "rad", infinite=True),
            "upper": checks.number("upper", self.upper, "rad", infinite=True),
            "max_velocity": checks.number(
                "max_velocity", self.max_velocity, "rad/s", above=0.0, infinite=True
            ),
            "max_torque": checks.number(
                "max_torque", self.max_torque, "N·m", above=0.0, infinite=True
            ),
            "damping": checks.number("damping", self.damping, "N·m·s/rad", least=0.0),
            "rotor_inertia": checks.number("rotor_inertia", self.rotor_inertia, "kg·m²", least=0.0),
            "gear_ratio": checks.number("gear_ratio", self.gear_ratio, ""),
        }
        if values["gear_ratio"] == 0.0:
            checks.add("gear_ratio", shown(self.gear_ratio), "a ratio other than 0")
        _check_limits(checks, values["lower"], values["upper"])
        for name, kind in (("friction", Friction), ("motor", Motor)):
            part = getattr(self, name)
            if part is not None and not isinstance(part, kind):
                hint = _FRICTION_HINT if name == "friction" else ""
                checks.add(name, shown(part), f"a {kind.__name__}, or None", hint)
        checks.raise_if_any()
        _store(self, **values)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name, OF_A_JOINT)

    @property
    def is_free(self) -> bool:
        """Whether every setting is the default: no limits, nothing that resists or drives."""
        return all(getattr(self, field.name) == field.default for field in fields(self))


def _check_limits(checks: Problems, lower: float, upper: float) -> None:
    if lower >= upper:
        hint = "swap them" if lower > upper else "leave the joint a little room"
        checks.add("lower", shown(lower), f"less than upper ({upper:g} rad)", hint)
    if lower == inf:
        checks.add("lower", shown(lower), "a number in rad, or -inf for no limit")
    if upper == -inf:
        checks.add("upper", shown(upper), "a number in rad, or inf for no limit")


def _store(instance: Any, **values: float) -> None:
    # Frozen data still becomes plain floats, whatever kind of number came in.
    for name, value in values.items():
        object.__setattr__(instance, name, value)

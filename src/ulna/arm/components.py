"""The parts of an arm: links and the load at its tip, joints and what resists or turns them.

These classes hold data only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import partial
from math import inf, isinf
from typing import TYPE_CHECKING, Any

from ulna.arm.bounded_numbers import BoundedNumber, read_number, read_numbers, store
from ulna.arm.motor_catalogue import catalogued
from ulna.arm.motors import MOTORS, AnyMotor
from ulna.errors import InputError, Problem, Problems, shown

LINK = {
    "length": BoundedNumber("length", "m", above=0.0, needed=True),
    "mass": BoundedNumber("mass", "kg", least=0.0, needed=True),
    "com": BoundedNumber("length", "m"),
    "inertia": BoundedNumber("inertia", "kg·m²", least=0.0),
    "tip_mass": BoundedNumber("mass", "kg", least=0.0),
    "com_offset": BoundedNumber("length", "m"),
}
PAYLOAD = {
    "mass": BoundedNumber("mass", "kg", least=0.0, needed=True),
    "inertia": BoundedNumber("inertia", "kg·m²", least=0.0),
}
JOINT = {
    "lower": BoundedNumber("angle", "rad", infinite=True),
    "upper": BoundedNumber("angle", "rad", infinite=True),
    "max_velocity": BoundedNumber("speed", "rad/s", above=0.0, infinite=True),
    "max_torque": BoundedNumber("torque", "N·m", above=0.0, infinite=True),
    "damping": BoundedNumber("damping", "N·m·s/rad", least=0.0),
    "rotor_inertia": BoundedNumber("inertia", "kg·m²", least=0.0),
    "gear_ratio": BoundedNumber("number", ""),
}
FRICTION = {
    "coulomb": BoundedNumber("torque", "N·m", least=0.0),
    "static": BoundedNumber("torque", "N·m", least=0.0),
    "stribeck_velocity": BoundedNumber("speed", "rad/s", above=0.0),
    "drag": BoundedNumber("drag", "N·m·s²/rad²", least=0.0),
}
_FRICTION_HINT = "Friction(coulomb=...) is dry friction [N·m], damping=... viscous [N·m·s/rad]"
_MOTOR_HINT = (
    "Motor(voltage=..., resistance=..., torque_constant=...) is a DC motor; a name such as "
    "'feetech-sts3215-12v' is one of the catalogue"
)
# A link may be this wide, as a fraction of its length, before its inertia looks wrong.
PLAUSIBLE_WIDTH = 0.5


@dataclass(frozen=True, slots=True, init=False)
class Link:
    """A rigid link, described in the frame of its proximal joint (x along the link).

    The defaults make a uniform rod. The centre of mass may lie anywhere along the link or beyond
    its ends (a counterweight); a point mass at the distal end stands for the next motor or a
    gripper.

    Parameters
    ----------
    length : float
        From the proximal joint to the distal one [m].
    mass : float
        Of the link, without the point mass [kg].
    com : float, optional
        Distance of the centre of mass along the link [m], half its length unless given.
    inertia : float, optional
        About the centre of mass, without rotors [kg·m²]; that of a uniform rod unless given.
    tip_mass : float, optional
        Point mass at the distal end [kg].
    com_offset : float, optional
        Distance of the centre of mass to the left of the link [m].

    Raises
    ------
    InputError
        If the length is not above 0, a mass or the inertia is negative, or a value is not finite.

    Examples
    --------
    >>> Link(0.5, 10.0).inertia
    0.20833333333333334
    """

    length: float
    mass: float
    com: float
    inertia: float
    tip_mass: float
    com_offset: float

    def __init__(
        self,
        length: float,
        mass: float,
        com: float | None = None,
        inertia: float | None = None,
        tip_mass: float = 0.0,
        com_offset: float = 0.0,
    ) -> None:
        checks = Problems()
        read = partial(read_number, checks, LINK)
        length, mass = read("length", length), read("mass", mass)
        rod = rod_inertia(length, mass)
        if isinf(rod):
            checks.add("length", f"{length:g}", "a length in m that arithmetic can square")
        values = {
            "length": length,
            "mass": mass,
            "com": rod_com(length) if com is None else read("com", com),
            "inertia": rod if inertia is None else read("inertia", inertia),
            "tip_mass": read("tip_mass", tip_mass),
            "com_offset": read("com_offset", com_offset),
        }
        store(self, checks, values)

    @property
    def is_rod(self) -> bool:
        """Whether mass is spread evenly along the link, as the defaults have it."""
        rod = (rod_com(self.length), rod_inertia(self.length, self.mass), 0.0)
        return (self.com, self.inertia, self.com_offset) == rod


@dataclass(frozen=True, slots=True, init=False)
class Payload:
    """A load at the tip of the arm, fixed to the last link.

    Parameters
    ----------
    mass : float, optional
        Of the load [kg].
    inertia : float, optional
        About the tip [kg·m²].

    Raises
    ------
    InputError
        If one of them is negative or not finite.
    """

    mass: float
    inertia: float

    def __init__(self, mass: float = 0.0, inertia: float = 0.0) -> None:
        checks = Problems()
        given = {"mass": mass, "inertia": inertia}
        store(
            self, checks, {name: read_number(checks, PAYLOAD, name, given[name]) for name in given}
        )


def rod_com(length: float) -> float:
    """Return the centre of mass of a uniform rod: l/2."""
    return length / 2


def rod_inertia(length: float, mass: float) -> float:
    """Return the inertia of a uniform rod about its centre of mass: m l²/12."""
    return mass * (length * length) / 12


def largest_inertia(link: Link) -> float:
    """Return the largest inertia about the centre of mass that a body of the link's size has.

    Mass between a and b along the link with its centre at c has a second moment there of at most
    m (c − a)(b − c), all of it at the two ends; a width w adds at most m w²/4. The body is taken
    to span the link, and half its length to either side of the centre where that is more.
    """
    half = link.length / 2
    behind = link.com - min(0.0, link.com - half)
    before = max(link.length, link.com + half) - link.com
    return link.mass * (behind * before + (PLAUSIBLE_WIDTH * half) ** 2)


def doubts(link: Link) -> list[Problem]:
    """List what is allowed by the numbers but found in no real body."""
    most = largest_inertia(link)
    if link.inertia <= most:
        return []
    need = (
        f"at most {most:.4g}: no body of {link.mass:g} kg and {link.length:g} m with its centre of "
        f"mass at {link.com:g} m has more"
    )
    rod = rod_inertia(link.length, link.mass)
    hint = f"a uniform rod has {rod:.4g}; is yours about the joint, or in other units?"
    return [Problem("inertia", f"{link.inertia:.4g} kg·m²", need, hint)]


@dataclass(frozen=True, slots=True)
class Friction:
    """Dry friction and drag at a joint, in addition to the joint's viscous `damping`.

    A joint that turns at the rate ω feels, against its motion,

        coulomb + (static − coulomb) exp(−(ω / stribeck_velocity)²) + drag ω²

    and one at rest whatever holds it there, up to `static`: it sticks.

    Parameters
    ----------
    coulomb : float, optional
        Coulomb friction: the torque against the motion at any rate [N·m].
    static : float, optional
        Static friction (stiction): the largest torque that holds the joint at rest [N·m]; as large
        as `coulomb` unless given.
    stribeck_velocity : float, optional
        The rate over which static friction falls to Coulomb friction [rad/s].
    drag : float, optional
        Quadratic drag, as of air or oil: the torque per square of the rate [N·m·s²/rad²].

    Raises
    ------
    InputError
        If a value is negative or not finite, or static friction is less than Coulomb friction.

    Examples
    --------
    >>> Friction(coulomb=0.2).static
    0.2
    """

    coulomb: float = 0.0
    static: float | None = None
    stribeck_velocity: float = 0.01
    drag: float = 0.0

    def __post_init__(self) -> None:
        checks = Problems()
        read = partial(read_number, checks, FRICTION)
        coulomb = read("coulomb", self.coulomb)
        static = coulomb if self.static is None else read("static", self.static)
        if static < coulomb:
            checks.add("static", shown(static), f"at least coulomb ({coulomb:g} N·m)")
        others = {name: read(name, getattr(self, name)) for name in ("stribeck_velocity", "drag")}
        store(self, checks, {"coulomb": coulomb, "static": static, **others})


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
        Dry friction and drag.
    motor : Motor, TorqueSpeedMotor, ServoMotor, StepperMotor, IdealMotor or str, optional
        The motor that turns the joint, ideal unless given; a name is one of the catalogue. Its
        gear ratio multiplies that of the joint, and its rotor's inertia adds to the joint's.

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
    motor: AnyMotor | None = None

    def __post_init__(self) -> None:
        checks = Problems()
        values = read_numbers(checks, JOINT, self)
        if values["gear_ratio"] == 0.0:
            checks.add("gear_ratio", shown(self.gear_ratio), "a ratio other than 0")
        _check_limits(checks, values["lower"], values["upper"])
        if self.friction is not None and not isinstance(self.friction, Friction):
            checks.add("friction", shown(self.friction), "a Friction, or None", _FRICTION_HINT)
        with checks.gather():
            object.__setattr__(self, "motor", read_motor(self.motor))
        store(self, checks, values)

    if TYPE_CHECKING:

        def __init__(
            self,
            lower: float = -inf,
            upper: float = inf,
            max_velocity: float = inf,
            max_torque: float = inf,
            damping: float = 0.0,
            rotor_inertia: float = 0.0,
            gear_ratio: float = 1.0,
            friction: Friction | None = None,
            motor: AnyMotor | str | None = None,
        ) -> None: ...

    @property
    def is_free(self) -> bool:
        """Whether every setting is the default: no limits, nothing that resists or drives."""
        return all(getattr(self, field.name) == field.default for field in fields(self))


def read_parts(checks: Problems, what: str, parts: Any, kind: type) -> tuple[Any, ...]:
    """Read a list of links or of joints."""
    found = checks.sequence(what, parts, f"a list of {kind.__name__}")
    for number, part in enumerate(found, 1):
        if not isinstance(part, kind):
            hint = "such as Joint(lower=-2, upper=2)" if kind is Joint else ""
            if kind is Link and isinstance(part, int | float):
                hint = "for lengths and masses there is Arm.rods(lengths, masses)"
            place = f"{what.removesuffix('s')}.{number}"
            checks.add(place, shown(part), f"a {kind.__name__}", hint)
    return found


def read_payload(checks: Problems, payload: Any) -> Payload:
    """Read a payload, or a mass in kilograms."""
    if isinstance(payload, Payload):
        return payload
    with checks.gather("payload"):
        return Payload(payload)
    return Payload()


def read_each(lengths: Any, masses: Any, build: Callable[[float, float], Link]) -> list[Link]:
    """Return links of lengths and masses, each by `build`."""
    checks = Problems()
    need = "a list of numbers, one a link"
    lengths = checks.sequence("lengths", lengths, need)
    masses = checks.sequence("masses", masses, need)
    checks.raise_if_any()
    if len(lengths) != len(masses):
        need = f"one a link, {len(lengths)} as there are lengths"
        checks.add("masses", f"{len(masses)} values", need)
    checks.raise_if_any()
    links = []
    for number, (length, mass) in enumerate(zip(lengths, masses, strict=True), 1):
        with checks.gather(f"link.{number}"):
            links.append(build(length, mass))
    checks.raise_if_any()
    return links


def read_motor(given: Any, what: str = "motor") -> AnyMotor | None:
    """Return a motor, by its name in the catalogue or as it is; raise InputError for what is none.

    Parameters
    ----------
    given : motor, str or None
        What a joint is to be turned by.
    what : str, optional
        What the error calls it.

    Returns
    -------
    motor or None
        None as it came.
    """
    if isinstance(given, str):
        return catalogued(given, what).motor
    if given is not None and not isinstance(given, MOTORS):
        raise InputError(Problem(what, shown(given), "a Motor, or None", _MOTOR_HINT))
    return given


def read_motors(given: Any, joints: int) -> tuple[AnyMotor | None, ...]:
    """Return one motor a joint, of one for all or of several; raise for what is wrong with them."""
    several = isinstance(given, Iterable) and not isinstance(given, str)
    motors = list(given) if several else [given] * joints
    checks = Problems()
    if len(motors) != joints:
        got = f"{len(motors)} motor{'s' * (len(motors) != 1)}"
        checks.add("motors", got, f"one for all joints or one a joint, {joints} of them")
    found = []
    for number, one in enumerate(motors if several else motors[:1], 1):
        with checks.gather():
            found.append(read_motor(one, f"motors.{number}" if several else "motors"))
    checks.raise_if_any()
    return tuple(found if several else found * joints)


def _check_limits(checks: Problems, lower: float, upper: float) -> None:
    if lower >= upper:
        hint = "swap them" if lower > upper else "leave the joint a little room"
        checks.add("lower", shown(lower), f"less than upper ({upper:g} rad)", hint)
    if lower == inf:
        checks.add("lower", shown(lower), "a number in rad, or -inf for no limit")
    if upper == -inf:
        checks.add("upper", shown(upper), "a number in rad, or inf for no limit")

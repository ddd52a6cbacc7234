"""Motors of joints, as their data sheets describe them: data only.

Each kind names what it is commanded with: a torque, a current, a voltage, or a position. Torques
and speeds of a DC motor are those of its rotor, in front of its gear; those of the other kinds are
given at the output shaft, as makers of servos do. The laws are in `ulna.actuation`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, pi
from typing import Any, ClassVar, TypeAlias

from ulna.arm.bounded_numbers import BoundedNumber, NumberTable, read_numbers, store
from ulna.arm.motor_parts import Backlash, WindingHeat
from ulna.errors import Problems, shown

TORQUE, CURRENT, VOLTAGE, POSITION = "torque", "current", "voltage", "position"
ROUNDING = 1e-9

_GEAR = {
    "gear_ratio": BoundedNumber("number", ""),
    "rotor_inertia": BoundedNumber("inertia", "kg·m²", least=0.0),
}
_AT_THE_SHAFT = {
    "stall_torque": BoundedNumber("torque", "N·m", above=0.0, needed=True),
    "no_load_speed": BoundedNumber("speed", "rad/s", above=0.0, needed=True),
}
DC_MOTOR = {
    "voltage": BoundedNumber("voltage", "V", above=0.0, needed=True),
    "resistance": BoundedNumber("resistance", "Ω", above=0.0, needed=True),
    "torque_constant": BoundedNumber("torque_constant", "N·m/A", above=0.0, needed=True),
    "inductance": BoundedNumber("inductance", "H", least=0.0),
    "no_load_current": BoundedNumber("current", "A", least=0.0),
    "max_current": BoundedNumber("current", "A", above=0.0, infinite=True),
    "back_emf_constant": BoundedNumber("torque_constant", "V·s/rad", above=0.0),
    **_GEAR,
    "efficiency": BoundedNumber("number", "", above=0.0),
    "backdriving_efficiency": BoundedNumber("number", "", above=0.0),
    "rated_torque_constant": BoundedNumber("torque_constant", "N·m/A", above=0.0),
}
# What a DC motor has as large as another number of it, unless it is given.
SAME_UNLESS_GIVEN = {
    "back_emf_constant": "torque_constant",
    "backdriving_efficiency": "efficiency",
    "rated_torque_constant": "torque_constant",
}


class FilledIn(float):
    """A number that was not given, and goes with another one.

    `dataclasses.replace` hands it to the copy, which fills it in anew.
    """

    __slots__ = ()


TORQUE_SPEED_MOTOR = {
    **_AT_THE_SHAFT,
    "max_torque": BoundedNumber("torque", "N·m", above=0.0, infinite=True),
    **_GEAR,
}
SERVO_MOTOR = {
    **_AT_THE_SHAFT,
    "stiffness": BoundedNumber("stiffness", "N·m/rad", above=0.0, needed=True),
    "damping": BoundedNumber("damping", "N·m·s/rad", least=0.0),
    "max_speed": BoundedNumber("speed", "rad/s", above=0.0, infinite=True),
    "dead_band": BoundedNumber("angle", "rad", least=0.0),
    "update_rate": BoundedNumber("frequency", "Hz", above=0.0),
    **_GEAR,
}
STEPPER_MOTOR = {
    "holding_torque": BoundedNumber("torque", "N·m", above=0.0, needed=True),
    "corner_speed": BoundedNumber("speed", "rad/s", above=0.0, needed=True),
    "max_speed": BoundedNumber("speed", "rad/s", above=0.0, needed=True),
    "step_angle": BoundedNumber("angle", "rad", above=0.0),
    "microsteps": BoundedNumber("number", "", least=1.0),
    "damping": BoundedNumber("damping", "N·m·s/rad", least=0.0),
    **_GEAR,
}


@dataclass(frozen=True, slots=True)
class Motor:
    """A brushed DC motor with its gear and its driver.

    The winding obeys L di/dt = v − R i − Ke ω for the speed ω of the rotor, which feels Kt i.

    Parameters
    ----------
    voltage : float
        Of the supply [V]: the most that the driver applies, either way.
    resistance : float
        Of the winding [Ω], at 25 °C.
    torque_constant : float
        Kt, the torque per current [N·m/A].
    inductance : float, optional
        Of the winding [H]. It delays the current where the command is a voltage; a driver that is
        commanded a current or a torque sets the current at once.
    no_load_current : float, optional
        The current that turns the motor alone [A]: dry friction of Kt times it at the rotor.
    max_current : float, optional
        The most that the driver gives [A].
    name : str, optional
        How reports call the motor.
    back_emf_constant : float, optional
        Ke, the voltage per speed [V·s/rad], as large as Kt unless given.
    gear_ratio : float, optional
        Turns of the rotor per turn of the output shaft; negative if the gear reverses.
    efficiency : float, optional
        Of the gear that is driven by the motor: the part of the power that reaches the joint.
    backdriving_efficiency : float, optional
        Of the gear that is driven by the joint; as large as `efficiency` unless given.
    rotor_inertia : float, optional
        Of the rotor [kg·m²].
    heat : WindingHeat, optional
        How the winding warms up; without it its temperature stays at 25 °C.
    backlash : Backlash, optional
        The gap in the gear.
    command : {"torque", "current", "voltage"}, optional
        What its driver takes; what a controller asks for is converted to it.
    rated_torque_constant : float, optional
        The torque constant of the data sheet [N·m/A], with which the driver converts torques to
        currents; as large as `torque_constant` unless given. A motor whose magnets have aged gives
        less torque than it is asked for.

    Raises
    ------
    InputError
        If a value is out of its range.

    Examples
    --------
    >>> motor = Motor(voltage=12.0, resistance=2.0, torque_constant=0.02, gear_ratio=100.0)
    >>> motor.stall_torque
    12.0
    """

    voltage: float
    resistance: float
    torque_constant: float
    inductance: float = 0.0
    no_load_current: float = 0.0
    max_current: float = inf
    name: str = ""
    back_emf_constant: float | None = None
    gear_ratio: float = 1.0
    efficiency: float = 1.0
    backdriving_efficiency: float | None = None
    rotor_inertia: float = 0.0
    heat: WindingHeat | None = None
    backlash: Backlash | None = None
    command: str = TORQUE
    rated_torque_constant: float | None = None

    kind: ClassVar[str] = "dc"

    def __post_init__(self) -> None:
        checks = Problems()
        given = {
            name: number
            for name, number in DC_MOTOR.items()
            if name not in SAME_UNLESS_GIVEN or not isinstance(getattr(self, name), FilledIn | None)
        }
        values = _read(checks, given, self)
        for name, same in SAME_UNLESS_GIVEN.items():
            values.setdefault(name, FilledIn(values[same]))
        for name in ("efficiency", "backdriving_efficiency"):
            if name in given and values[name] > 1.0:
                checks.add(name, shown(getattr(self, name)), "a number above 0, at most 1")
        least = values["torque_constant"]
        if values["back_emf_constant"] < least * (1.0 - ROUNDING):
            need = f"at least torque_constant ({least:g}): a motor makes no energy"
            checks.add("back_emf_constant", shown(self.back_emf_constant), need)
        for name, kind in (("heat", WindingHeat), ("backlash", Backlash)):
            part = getattr(self, name)
            if part is not None and not isinstance(part, kind):
                checks.add(name, shown(part), f"{kind.__name__}(...), or None")
        if isinstance(self.backlash, Backlash) and values["rotor_inertia"] == 0.0:
            need = "an inertia above 0 with backlash: the rotor moves in the gap by itself"
            checks.add("rotor_inertia", shown(self.rotor_inertia), need)
        if self.command not in (TORQUE, CURRENT, VOLTAGE):
            checks.add("command", shown(self.command), "'torque', 'current' or 'voltage'")
        store(self, checks, values)

    @property
    def stall_current(self) -> float:
        """The most current [A] that supply and driver give the motor at rest."""
        return min(self.voltage / self.resistance, self.max_current)

    @property
    def stall_torque(self) -> float:
        """The most torque [N·m] at the output shaft at rest, with the losses of the gear."""
        return self.stall_current * self.torque_constant * abs(self.gear_ratio) * self.efficiency

    @property
    def no_load_speed(self) -> float:
        """The speed [rad/s] of the output shaft that is not loaded."""
        emf = self.voltage - self.resistance * self.no_load_current
        return emf / (float(self.back_emf_constant or self.torque_constant) * abs(self.gear_ratio))


@dataclass(frozen=True, slots=True)
class TorqueSpeedMotor:
    """A motor known by the torque that it has left at a speed: a line from stall to no load.

    Its torque is commanded. At the speed ω it drives with stall_torque (1 − ω/no_load_speed) at
    most, and brakes with stall_torque (1 + ω/no_load_speed), neither with more than `max_torque`.

    Parameters
    ----------
    stall_torque : float
        At rest, at the output shaft [N·m].
    no_load_speed : float
        Of the output shaft [rad/s].
    max_torque : float, optional
        The most that the driver allows [N·m].
    gear_ratio : float, optional
        Turns of the rotor per turn of the output shaft; it matters for the rotor alone.
    rotor_inertia : float, optional
        Of the rotor [kg·m²].
    name : str, optional
        How reports call the motor.

    Raises
    ------
    InputError
        If a value is out of its range.

    Examples
    --------
    >>> TorqueSpeedMotor(stall_torque=2.9, no_load_speed=4.7).command
    'torque'
    """

    stall_torque: float
    no_load_speed: float
    max_torque: float = inf
    gear_ratio: float = 1.0
    rotor_inertia: float = 0.0
    name: str = ""

    kind: ClassVar[str] = "torque-speed"
    command: ClassVar[str] = TORQUE

    def __post_init__(self) -> None:
        checks = Problems()
        store(self, checks, _read(checks, TORQUE_SPEED_MOTOR, self))


@dataclass(frozen=True, slots=True)
class ServoMotor:
    """A hobby servo: a motor with a position loop of its own, which is commanded an angle.

    The command is read `update_rate` times a second. The servo's target moves to it at
    `max_speed`; its torque is stiffness × (error beyond the dead band) − damping × rate. At the
    speed ω the servo drives with stall_torque (1 − ω/no_load_speed) at most, and brakes with
    stall_torque at most.

    Parameters
    ----------
    stall_torque : float
        At rest, at the output shaft [N·m].
    no_load_speed : float
        Of the output shaft [rad/s].
    stiffness : float
        Of the position loop [N·m/rad].
    damping : float, optional
        Of the position loop [N·m·s/rad].
    max_speed : float, optional
        Of the target [rad/s].
    dead_band : float, optional
        The error to either side [rad] that the loop leaves alone.
    update_rate : float, optional
        How often the command is read [Hz].
    gear_ratio : float, optional
        Turns of the rotor per turn of the output shaft; it matters for the rotor alone.
    rotor_inertia : float, optional
        Of the rotor [kg·m²].
    name : str, optional
        How reports call the motor.

    Raises
    ------
    InputError
        If a value is out of its range.

    Examples
    --------
    >>> ServoMotor(stall_torque=2.9, no_load_speed=4.7, stiffness=40.0).command
    'position'
    """

    stall_torque: float
    no_load_speed: float
    stiffness: float
    damping: float = 0.0
    max_speed: float = inf
    dead_band: float = 0.0
    update_rate: float = 50.0
    gear_ratio: float = 1.0
    rotor_inertia: float = 0.0
    name: str = ""

    kind: ClassVar[str] = "servo"
    command: ClassVar[str] = POSITION

    def __post_init__(self) -> None:
        checks = Problems()
        store(self, checks, _read(checks, SERVO_MOTOR, self))

    @property
    def max_torque(self) -> float:
        """The largest torque [N·m] at any speed, driving or braking: the stall torque."""
        return self.stall_torque


@dataclass(frozen=True, slots=True)
class StepperMotor:
    """A stepper motor: commanded an angle, it pulls towards it like a magnetic spring.

    Its torque is T(ω) sin(π/2 · error / step_angle), where the pull-out torque T is the holding
    torque up to the corner speed and falls to zero at `max_speed`. A rotor that is pulled away by
    more than two steps falls to another tooth: it has lost four steps, or more.

    Parameters
    ----------
    holding_torque : float
        The largest torque at rest, at the output shaft [N·m].
    corner_speed : float
        Of the output shaft [rad/s], up to which the torque is the holding torque.
    max_speed : float
        Of the output shaft [rad/s], at which no torque is left.
    step_angle : float, optional
        A full step of the output shaft [rad], 1.8 degrees unless given.
    microsteps : float, optional
        Into how many parts a full step is divided.
    damping : float, optional
        Of the rotor about its commanded angle, on the joint's rate [N·m·s/rad].
    gear_ratio : float, optional
        Turns of the rotor per turn of the output shaft; it matters for the rotor alone.
    rotor_inertia : float, optional
        Of the rotor [kg·m²].
    name : str, optional
        How reports call the motor.

    Raises
    ------
    InputError
        If a value is out of its range.

    Examples
    --------
    >>> StepperMotor(holding_torque=0.4, corner_speed=20.0, max_speed=60.0).command
    'position'
    """

    holding_torque: float
    corner_speed: float
    max_speed: float
    step_angle: float = 2.0 * pi / 200.0
    microsteps: float = 1.0
    damping: float = 0.0
    gear_ratio: float = 1.0
    rotor_inertia: float = 0.0
    name: str = ""

    kind: ClassVar[str] = "stepper"
    command: ClassVar[str] = POSITION

    def __post_init__(self) -> None:
        checks = Problems()
        values = _read(checks, STEPPER_MOTOR, self)
        if values["corner_speed"] >= values["max_speed"]:
            need = f"less than max_speed ({self.max_speed:g} rad/s)"
            checks.add("corner_speed", shown(self.corner_speed), need)
        if values["microsteps"] % 1.0 > 0.0:
            checks.add("microsteps", shown(self.microsteps), "a whole number of at least 1")
        store(self, checks, values)

    @property
    def stall_torque(self) -> float:
        """The most torque at rest, at the output shaft [N·m]."""
        return self.holding_torque

    @property
    def no_load_speed(self) -> float:
        """The speed at which no torque is left [rad/s]."""
        return self.max_speed


@dataclass(frozen=True, slots=True)
class IdealMotor:
    """A motor that gives whatever torque is commanded, as a joint without one has it.

    Parameters
    ----------
    name : str, optional
        How reports call the motor.

    Examples
    --------
    >>> IdealMotor().command
    'torque'
    """

    name: str = ""

    kind: ClassVar[str] = "ideal"
    command: ClassVar[str] = TORQUE
    gear_ratio: ClassVar[float] = 1.0
    rotor_inertia: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        checks = Problems()
        checks.one_line("name", self.name)
        checks.raise_if_any()


AnyMotor: TypeAlias = Motor | TorqueSpeedMotor | ServoMotor | StepperMotor | IdealMotor
# Every kind with its numbers, by the name that robot files give it.
MOTOR_TABLES: dict[type, NumberTable] = {
    Motor: DC_MOTOR,
    TorqueSpeedMotor: TORQUE_SPEED_MOTOR,
    ServoMotor: SERVO_MOTOR,
    StepperMotor: STEPPER_MOTOR,
    IdealMotor: {},
}
MOTOR_KINDS: dict[str, type] = {kind.kind: kind for kind in MOTOR_TABLES}  # type: ignore[attr-defined]
MOTORS = (Motor, TorqueSpeedMotor, ServoMotor, StepperMotor, IdealMotor)


def _read(checks: Problems, table: NumberTable, motor: Any) -> dict[str, float]:
    values = read_numbers(checks, table, motor)
    if values.get("gear_ratio") == 0.0:
        checks.add("gear_ratio", shown(motor.gear_ratio), "a ratio other than 0")
    checks.one_line("name", motor.name)
    return values


def motor_friction(motor: AnyMotor) -> float:
    """Return the dry friction [N·m] of a motor that turns alone, at its output shaft."""
    if not isinstance(motor, Motor):
        return 0.0
    return motor.no_load_current * motor.torque_constant * abs(motor.gear_ratio)


def without_motor_friction(motor: AnyMotor | None) -> AnyMotor | None:
    """Return a motor that turns freely: the same one without its no-load current."""
    if not isinstance(motor, Motor) or motor.no_load_current == 0.0:
        return motor
    return replace(motor, no_load_current=0.0)

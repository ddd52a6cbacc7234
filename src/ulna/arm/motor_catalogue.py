"""Motors that people build arms with, by name: what data sheets say, and what is estimated.

Data sheets give the stall torque, the no-load speed, the current, the gear and the mass; of
steppers and of motors without a gear the winding too. What the laws need besides is estimated, and
every estimate is named with how it was made. What is neither known nor estimated is left out: a
rotor whose inertia nobody states has none here.

A servo that applies a voltage in proportion to its error gives the torque
stall_torque (e / e₀ − ω / no_load_speed), where e₀ is the error of full voltage: its stiffness is
stall_torque / e₀, and the back-EMF damps it with stall_torque / no_load_speed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import hypot, pi, radians, sqrt
from typing import NamedTuple

from ulna.arm.motor_parts import WindingHeat
from ulna.arm.motors import AnyMotor, Motor, ServoMotor, StepperMotor
from ulna.errors import InputError, Problem, nearest_name, shown

KG_CM = 0.0980665  # [N·m] of a kilogram-force at a centimetre
RPM = pi / 30.0  # [rad/s]
COUNT = 2.0 * pi / 4096  # [rad] of a 12-bit encoder
HOBBY_ERROR = radians(5.0)  # of full voltage, as hobby servos have it
PULSE = radians(90.0) / 1e-3  # [rad/s]: a millisecond of pulse width is a quarter turn
SHORTEST = 3  # letters of a word that may be a part of a name
STEPPER_LAG = 0.005  # [s] by which the damping of a stepper falls behind its holding torque

_BACK_EMF = "damping: stall torque by no-load speed, the back-EMF of a motor on a voltage"
_BUS = "update_rate: a serial bus that writes every millisecond"
_HOBBY = (
    "stiffness: full voltage at an error of 5 degrees",
    _BACK_EMF,
    "dead_band: half the width of the data sheet, at 90 degrees a millisecond",
)
_X_SERIES = (
    "stiffness: full voltage at 885 units of PWM, with the position P gain set at the factory",
    _BACK_EMF,
    _BUS,
)
_STEPPER = (
    "microsteps: as drivers are usually set",
    "damping: the holding torque times 5 ms, a tenth of critical for a rotor alone",
)
_HEAT = (
    "heat: one body of both thermal resistances and the winding's own capacity; "
    "the housing's is left out"
)


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
    listed = (*_hobby_servos(), *_dynamixels(), *_feetechs(), *_torque_motors(), *_steppers())
    return {one.motor.name: one for one in listed}


def _servo(
    name: str,
    voltage: float,
    stall: float,
    speed: float,
    error: float,
    *,
    current: float | None,
    gear: float | None,
    mass: float | None,
    source: str,
    estimated: tuple[str, ...],
    dead_band: float = 0.0,
    update_rate: float = 1000.0,
    rotor_inertia: float = 0.0,
) -> CataloguedMotor:
    made = ServoMotor(
        stall_torque=stall,
        no_load_speed=speed,
        stiffness=stall / error,
        damping=stall / speed,
        dead_band=dead_band,
        update_rate=update_rate,
        gear_ratio=gear or 1.0,
        rotor_inertia=rotor_inertia,
        name=name,
    )
    return CataloguedMotor(made, voltage, stall, speed, current, gear, mass, source, estimated)


def _hobby_servos() -> tuple[CataloguedMotor, ...]:
    return (
        _servo(
            "tower-pro-sg90", 4.8, 1.8 * KG_CM, radians(60.0) / 0.10, HOBBY_ERROR,
            current=0.65, gear=None, mass=0.009, dead_band=5e-6 * PULSE, update_rate=50.0,
            source="data sheet of the SG90: at 4.8 V, dead band 10 us, 50 Hz", estimated=_HOBBY,
        ),
        _servo(
            "tower-pro-mg996r", 6.0, 11.0 * KG_CM, radians(60.0) / 0.14, HOBBY_ERROR,
            current=2.5, gear=None, mass=0.055, dead_band=2.5e-6 * PULSE, update_rate=50.0,
            source="data sheet of the MG996R: at 6 V, dead band 5 us, 50 Hz", estimated=_HOBBY,
        ),
        _servo(
            "dfrobot-dss-m15s", 6.0, 11.5 * KG_CM, radians(60.0) / 0.18, HOBBY_ERROR,
            current=1.4, gear=310.0, mass=None, update_rate=330.0,
            source="DFRobot's page of the SER0044: at 6 V, 50 to 330 Hz", estimated=_HOBBY[:2],
        ),
    )  # fmt: skip


def _dynamixels() -> tuple[CataloguedMotor, ...]:
    sheet = "ROBOTIS e-Manual of the {}: at {} V"
    known = (
        ("xl330-m288", 5.0, 0.52, 103.0, 400.0, 1.47, 288.4, 0.018),
        ("xl430-w250", 12.0, 1.5, 61.0, 640.0, 1.4, 258.5, 0.0572),
        ("xm430-w350", 12.0, 4.1, 46.0, 800.0, 2.3, 353.5, 0.082),
        ("xm540-w270", 12.0, 10.6, 30.0, 800.0, 4.4, 272.5, 0.165),
    )
    unit = radians(300.0 / 1023.0)  # in which an AX-12A counts
    older = _servo(
        "dynamixel-ax-12a", 12.0, 1.5, 59.0 * RPM, 32.0 * unit, dead_band=unit,
        current=1.5, gear=254.0, mass=0.0546, source=sheet.format("AX-12A", 12),
        estimated=("stiffness: full voltage 32 units off, the compliance slope set at the factory",
                   _BACK_EMF, "dead_band: the compliance margin of 1 unit", _BUS),
    )  # fmt: skip
    return (
        older,
        *(
            _servo(
                f"dynamixel-{model}", voltage, stall, rpm * RPM, 885.0 / (gain / 128.0) * COUNT,
                current=current, gear=gear, mass=mass,
                source=sheet.format(model.upper(), f"{voltage:g}"), estimated=_X_SERIES,
            )
            for model, voltage, stall, rpm, gain, current, gear, mass in known
        ),
    )  # fmt: skip


def _feetechs() -> tuple[CataloguedMotor, ...]:
    # 1.5 kg on a lever of 10 cm at 45 degrees pulled one of 12 V off by 20 to 30 counts.
    stiffness = 1.5 * 9.81 * 0.10 / sqrt(2.0) / (25.0 * COUNT)
    known = (
        ("7v4", 7.4, 19.5 * KG_CM, 52.0 * RPM, None, "the ST3215, SER0069 of DFRobot"),
        ("12v", 12.0, 30.0 * KG_CM, 45.0 * RPM, 2.7, "the STS3215 of 30 kg·cm"),
    )
    full_error = known[1][2] / stiffness
    return tuple(
        _servo(
            f"feetech-sts3215-{kind}", voltage, stall, speed, full_error,
            current=current, gear=345.0, mass=0.055, rotor_inertia=0.028 / 345.0**2,
            source=f"data sheet of {sheet}: at {voltage:g} V",
            estimated=(
                "stiffness: 27 N·m/rad at 12 V, as 1.04 N·m pulled one off by 20 to 30 counts",
                _BACK_EMF,
                "rotor_inertia: 0.028 kg·m² at the output shaft, as SO-101's MuJoCo model has it",
                _BUS,
            ),
        )
        for kind, voltage, stall, speed, current, sheet in known
    )  # fmt: skip


def _torque_motors() -> tuple[CataloguedMotor, ...]:
    return (_ak80_6(), _ec_45_flat(), _re_40(), _pololu_37d())


def _ak80_6() -> CataloguedMotor:
    peak, speed, current, torque_constant, gear = 12.0, 38.2, 24.0, 0.091, 6.0
    made = Motor(
        voltage=24.0,
        resistance=0.17,
        torque_constant=torque_constant,
        inductance=57e-6,
        max_current=current,
        back_emf_constant=24.0 / (speed * gear),
        gear_ratio=gear,
        efficiency=peak / (current * torque_constant * gear),
        rotor_inertia=6.0719e-5,
        name="t-motor-ak80-6",
    )
    return CataloguedMotor(
        made, 24.0, peak, speed, current, gear, 0.485,
        "T-Motor's manual of the AK80-6, as DFKI's double pendulum cites it",
        (
            "back_emf_constant: 24 V turn it at the 38.2 rad/s of the manual; its 100 rpm/V alone "
            "would be 41.9 rad/s",
            "efficiency: 24 A give the peak torque of 12 N·m at the output shaft",
            "one winding between two phases stands for the three",
        ),
    )  # fmt: skip


def _ec_45_flat() -> CataloguedMotor:
    made = Motor(
        voltage=24.0,
        resistance=0.573,
        torque_constant=0.0404,
        inductance=0.301e-3,
        no_load_current=0.270,
        rotor_inertia=181e-7,
        heat=WindingHeat(2.55 + 6.64, 43.1 / 6.64, max_temperature=125.0),
        name="maxon-ec-45-flat-70w",
    )
    return CataloguedMotor(
        made, 24.0, 1.690, 5600.0 * RPM, 42.0, 1.0, 0.141,
        "maxon's catalogue: EC 45 flat, 70 W, 651614; no gear",
        ("one winding between two phases stands for the three", _HEAT),
    )  # fmt: skip


def _re_40() -> CataloguedMotor:
    made = Motor(
        voltage=24.0,
        resistance=0.317,
        torque_constant=0.0302,
        inductance=0.0823e-3,
        no_load_current=0.137,
        rotor_inertia=138e-7,
        heat=WindingHeat(4.65 + 1.93, 41.6 / 1.93, max_temperature=155.0),
        name="maxon-re-40-24v",
    )
    return CataloguedMotor(
        made, 24.0, 2.280, 7580.0 * RPM, 75.7, 1.0, 0.480,
        "maxon's catalogue: RE 40, 150 W, 148867; no gear", (_HEAT,),
    )  # fmt: skip


def _pololu_37d() -> CataloguedMotor:
    voltage, stall, speed, no_load, current, gear = 12.0, 21.0 * KG_CM, 200.0 * RPM, 0.2, 5.5, 50.0
    resistance = voltage / current
    constant = (voltage - resistance * no_load) / (speed * gear)
    made = Motor(
        voltage=voltage,
        resistance=resistance,
        torque_constant=constant,
        no_load_current=no_load,
        gear_ratio=gear,
        efficiency=stall / (current * constant * gear),
        name="pololu-37d-50-12v",
    )
    return CataloguedMotor(
        made, voltage, stall, speed, current, gear, None,
        "Pololu's data sheet of 37D metal gearmotors: 50:1, 12 V, 4743 and 4753",
        (
            "resistance: voltage by stall current",
            "torque_constant: the back-EMF at the no-load speed",
            "efficiency: stall torque by what the stall current gives without losses",
        ),
    )  # fmt: skip


def _steppers() -> tuple[CataloguedMotor, ...]:
    # What 24 V drive against inductance and back-EMF: corners of published curves lie at a third
    # of it, and their ends at twice it.
    at_24_volts = (
        "corner_speed: a third of the speed at which 24 V just drive the rated current against "
        "inductance and back-EMF",
        "max_speed: twice that speed",
        *_STEPPER,
    )
    read_off = (
        "corner_speed, max_speed: a line through 1.54 N·m at 40 rad/s and 1.17 N·m at 60 rad/s, "
        "the pull-out torque at 48 V",
        *_STEPPER,
    )
    driven = _driven_speed(24.0, 1.7, 0.40, 2.8e-3)
    slope = (1.54 - 1.17) / (60.0 - 40.0)
    return (
        _stepper(
            "nema-17-17hs4401", 24.0, 0.40, driven / 3.0, 2.0 * driven, 1.7, 54e-7, 0.280,
            "MotionKing's data sheet of the 17HS4401", at_24_volts,
        ),
        _stepper(
            "nema-23-23hs30-2804s", 48.0, 1.9, 60.0 - (1.9 - 1.17) / slope, 60.0 + 1.17 / slope,
            2.8, 0.0, None, "StepperOnline's page of the 23HS30-2804S", read_off,
        ),
    )  # fmt: skip


def _driven_speed(voltage: float, current: float, torque: float, inductance: float) -> float:
    """Return the speed at which a supply just drives a stepper of 50 pole pairs at its current."""
    back_emf = torque / (sqrt(2.0) * current)
    return voltage / hypot(50.0 * inductance * current, back_emf)


def _stepper(
    name: str,
    voltage: float,
    torque: float,
    corner: float,
    fastest: float,
    current: float,
    inertia: float,
    mass: float | None,
    source: str,
    estimated: tuple[str, ...],
) -> CataloguedMotor:
    made = StepperMotor(
        holding_torque=torque,
        corner_speed=corner,
        max_speed=fastest,
        microsteps=16.0,
        damping=STEPPER_LAG * torque,
        rotor_inertia=inertia,
        name=name,
    )
    return CataloguedMotor(made, voltage, torque, fastest, current, 1.0, mass, source, estimated)

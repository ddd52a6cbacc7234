"""The catalogue against the makers' data sheets, and against the law that energy is not free."""

import math

import pytest

import ulna
from ulna import actuation
from ulna.units import to_si

# Data sheets print speed in rpm (for the servos) and torque in N·m or kg·cm.
SHEETS = {
    "dynamixel-ax-12a": (12.0, "1.5 N*m", "59 rpm", 1.5, 254.0, "54.6 g"),
    "dynamixel-xl430-w250": (12.0, "1.5 N*m", "61 rpm", 1.4, 258.5, "57.2 g"),
    "dynamixel-xm430-w350": (12.0, "4.1 N*m", "46 rpm", 2.3, 353.5, "82 g"),
    "dynamixel-xm540-w270": (12.0, "10.6 N*m", "30 rpm", 4.4, 272.5, "165 g"),
    "feetech-sts3215-12v": (12.0, "30 kg*cm", "45 rpm", 2.7, 345.0, "55 g"),
}


@pytest.mark.parametrize("name", SHEETS)
def test_servos_are_as_their_sheets_print_them(name):
    [servo] = [entry for entry in actuation.actuators() if entry.name == name]
    voltage, torque, speed, current, ratio, mass = SHEETS[name]
    assert (servo.voltage, servo.stall_current, servo.gear_ratio) == (voltage, current, ratio)
    assert servo.stall_torque == pytest.approx(to_si(torque, "torque"), rel=2e-4)
    assert servo.no_load_speed == pytest.approx(to_si(speed, "speed"), rel=2e-4)
    assert servo.mass == pytest.approx(to_si(mass, "mass"))


@pytest.mark.parametrize("motor", actuation.actuators(), ids=lambda motor: motor.name)
def test_no_motor_gives_more_than_it_takes(motor):
    """A DC motor's stall torque times its free speed is at most its stall current times voltage.

    A stepper's torque is its own up to the corner speed only.
    """
    if motor.stall_current is None:
        pytest.skip("its maker does not say what it draws")
    speed = getattr(ulna.motor(motor.name), "corner_speed", motor.no_load_speed)
    assert motor.stall_torque * speed <= motor.voltage * motor.stall_current


@pytest.mark.parametrize("motor", actuation.actuators(), ids=lambda motor: motor.name)
def test_every_number_is_positive_and_finite(motor):
    assert all(0 < value < math.inf for value in motor[1:] if value is not None)
    assert None not in motor[:4]


def test_names_are_unique_and_plain():
    names = [motor.name for motor in actuation.actuators()]
    assert len(set(names)) == len(names) >= 5
    assert all(name.isascii() and name == name.lower() for name in names)
    assert not any(" " in name for name in names)


def test_the_catalogue_cannot_be_changed():
    motors = actuation.actuators()
    assert isinstance(motors, tuple)
    with pytest.raises(AttributeError):
        motors[0].mass = 0.0

"""The catalogue of motors: what data sheets say, what is estimated, and names it does not have."""

import dataclasses
import math

import pytest

import ulna
from refusals import names_of, problems_of
from ulna import Arm, Joint
from ulna.arm.motor_catalogue import catalogue, catalogued, motor_names
from ulna.arm.motors import MOTOR_TABLES
from ulna.arm.robot_files import dumps, parse

KG_CM, RPM = 0.0980665, math.pi / 30.0  # [N·m], [rad/s]
NAMES = motor_names()
PLAIN = "format = 1\n[[link]]\nlength = 0.2\nmass = 0.3\n"
# Voltage, stall torque [N·m], no-load speed [rpm], stall current [A], gear and mass [g], as makers
# print them: the e-Manual of ROBOTIS, DFKI's page of the AK80-6, maxon's catalogue, Pololu's sheet.
PRINTED = {
    "tower-pro-sg90": (4.8, 1.8 * KG_CM, 100.0, 0.65, None, 9.0),
    "tower-pro-mg996r": (6.0, 11.0 * KG_CM, 60.0 / 0.84, 2.5, None, 55.0),
    "dfrobot-dss-m15s": (6.0, 11.5 * KG_CM, 60.0 / 1.08, 1.4, 310.0, None),
    "dynamixel-ax-12a": (12.0, 1.5, 59.0, 1.5, 254.0, 54.6),
    "dynamixel-xl330-m288": (5.0, 0.52, 103.0, 1.47, 288.4, 18.0),
    "dynamixel-xl430-w250": (12.0, 1.5, 61.0, 1.4, 258.5, 57.2),
    "dynamixel-xm430-w350": (12.0, 4.1, 46.0, 2.3, 353.5, 82.0),
    "dynamixel-xm540-w270": (12.0, 10.6, 30.0, 4.4, 272.5, 165.0),
    "feetech-sts3215-7v4": (7.4, 19.5 * KG_CM, 52.0, None, 345.0, 55.0),
    "feetech-sts3215-12v": (12.0, 30.0 * KG_CM, 45.0, 2.7, 345.0, 55.0),
    "t-motor-ak80-6": (24.0, 12.0, 38.2 / RPM, 24.0, 6.0, 485.0),
    "maxon-ec-45-flat-70w": (24.0, 1.690, 5600.0, 42.0, 1.0, 141.0),
    "maxon-re-40-24v": (24.0, 2.280, 7580.0, 75.7, 1.0, 480.0),
    "pololu-37d-50-12v": (12.0, 2.1 * 9.80665 * 0.1, 200.0, 5.5, 50.0, None),
}


@pytest.mark.parametrize("name", PRINTED)
def test_what_data_sheets_print_is_in_the_catalogue(name):
    voltage, stall, rpm, current, gear, mass = PRINTED[name]
    known = catalogued(name)
    assert known.voltage == voltage
    assert known.stall_torque == pytest.approx(stall, rel=1e-9)
    assert known.no_load_speed == pytest.approx(rpm * RPM, rel=1e-9)
    assert (known.stall_current, known.gear_ratio) == (current, gear)
    assert known.mass == (None if mass is None else pytest.approx(mass / 1000))


@pytest.mark.parametrize("name", NAMES)
def test_a_motor_gives_the_torque_and_speed_of_its_data_sheet(name):
    # maxon rounds to three digits, and its iron losses grow with speed.
    known, motor = catalogued(name), ulna.motor(name)
    assert motor.name == name
    assert motor.stall_torque == pytest.approx(known.stall_torque, rel=3e-3)
    assert motor.no_load_speed == pytest.approx(known.no_load_speed, rel=7e-3)
    assert abs(motor.gear_ratio) == (known.gear_ratio or 1.0)


@pytest.mark.parametrize("name", [n for n in NAMES if ulna.motor(n).kind == "dc"])
def test_a_dc_motor_draws_the_current_of_its_data_sheet(name):
    known, motor = catalogued(name), ulna.motor(name)
    assert motor.stall_current == pytest.approx(known.stall_current, rel=3e-3)
    assert motor.back_emf_constant >= motor.torque_constant


@pytest.mark.parametrize("name", [n for n in NAMES if ulna.motor(n).kind == "servo"])
def test_a_servo_is_damped_by_its_back_emf(name):
    motor = ulna.motor(name)
    assert motor.damping * motor.no_load_speed == pytest.approx(motor.stall_torque)
    assert 0.05 < motor.stall_torque / motor.stiffness < 0.5  # [rad] of error at full voltage


def test_dynamixels_have_the_stiffness_of_their_factory_gains():
    # 885 units of PWM are all of the voltage; the P gain of the table is 128 times as large.
    for name, gain in (("xl330-m288", 400), ("xl430-w250", 640), ("xm540-w270", 800)):
        motor = ulna.motor(f"dynamixel-{name}")
        counts = motor.stall_torque / motor.stiffness / (2 * math.pi / 4096)
        assert counts * gain / 128 == pytest.approx(885.0)


def test_a_servo_gives_way_as_one_was_measured_to():
    # 1.5 kg on a lever of 10 cm at 45 degrees: off by 20 to 30 counts of 4096.
    motor = ulna.motor("feetech-sts3215-12v")
    off = 1.5 * 9.81 * 0.1 * math.cos(math.pi / 4) / motor.stiffness
    assert 20 <= off / (2 * math.pi / 4096) <= 30
    assert motor.rotor_inertia * motor.gear_ratio**2 == pytest.approx(0.028)


def test_the_nominal_current_heats_maxon_motors_to_about_their_limit():
    # maxon's nominal currents are those that heat the winding to its limit at 25 °C.
    for name, nominal in (("maxon-re-40-24v", 5.77), ("maxon-ec-45-flat-70w", 3.29)):
        motor = ulna.motor(name)
        heat = motor.heat
        hot = 1.0 + heat.copper_coefficient * (heat.max_temperature - heat.ambient)
        risen = heat.thermal_resistance * motor.resistance * hot * nominal**2
        assert risen == pytest.approx(heat.max_temperature - heat.ambient, rel=0.25)


@pytest.mark.parametrize("name", NAMES)
def test_every_estimate_is_named_with_how_it_was_made(name):
    known = catalogued(name)
    assert len(known.source) > 10
    fields = {field.name for field in dataclasses.fields(known.motor)}
    named = {one.strip() for text in known.estimated for one in text.partition(":")[0].split(",")}
    assert named & fields or not known.estimated
    # What no data sheet of servos and steppers gives has to be among them.
    loop = {"servo": {"stiffness", "damping"}, "stepper": {"corner_speed", "damping"}}
    assert loop.get(known.motor.kind, set()) <= named
    assert all(": " in text or "stands for" in text for text in known.estimated)


@pytest.mark.parametrize("name", NAMES)
def test_a_robot_file_names_a_motor_or_spells_it_out(name):
    named, _ = parse(PLAIN + f'joint = {{ motor = "{name}" }}\n')
    assert named.joints[0].motor == ulna.motor(name)
    assert parse(dumps(named))[0] == named
    assert Joint(motor=name) == named.joints[0]


def test_actuators_are_the_motors_of_the_catalogue():
    listed = {one.name: one for one in ulna.actuation.actuators()}
    assert tuple(listed) == NAMES
    assert len(listed) >= 16
    assert listed["feetech-sts3215-12v"] == ulna.actuation.Actuator(
        "feetech-sts3215-12v", 12.0, 30.0 * KG_CM, 45.0 * RPM, 2.7, 345.0, 0.055
    )
    assert {type(known.motor) for known in catalogue().values()} <= set(MOTOR_TABLES)
    assert all(name.isascii() and name == name.lower() and " " not in name for name in NAMES)


@pytest.mark.parametrize("motor", ulna.actuation.actuators(), ids=lambda motor: motor.name)
def test_no_motor_gives_more_than_it_takes(motor):
    """A DC motor's stall torque times its free speed is at most its stall current times voltage.

    A stepper's torque is its own up to the corner speed only.
    """
    assert all(0 < value < math.inf for value in motor[1:] if value is not None)
    speed = getattr(ulna.motor(motor.name), "corner_speed", motor.no_load_speed)
    if motor.stall_current is not None:
        assert motor.stall_torque * speed <= motor.voltage * motor.stall_current


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ("feetech-sts3215-12", "did you mean 'feetech-sts3215-12v'?"),
        ("engine", "known: tower-pro-sg90"),
        (7, "known: "),
    ],
)
def test_a_name_that_is_not_there_gets_the_nearest(wrong, hint):
    [problem] = problems_of(lambda: ulna.motor(wrong))
    assert problem.what == "motor"
    assert problem.hint.startswith(hint)


# Motors of a whole arm


ARM = Arm.rods([0.2, 0.2], [0.3, 0.2], joints=[Joint(-1, 2, damping=0.1), Joint(gear_ratio=2)])


def test_an_arm_takes_one_motor_for_all_joints_or_one_each():
    servo, other = ulna.motor("feetech-sts3215-12v"), ulna.motor("tower-pro-sg90")
    for given in (servo, servo.name, [servo, servo.name], (one for one in [servo, servo])):
        driven = ARM.with_motors(given)
        assert [joint.motor for joint in driven.joints] == [servo, servo]
    mixed = ARM.with_motors([other.name, None])
    assert [joint.motor for joint in mixed.joints] == [other, None]
    assert mixed.with_motors(None) == ARM
    assert (mixed.joints[0].lower, mixed.joints[0].damping) == (-1.0, 0.1)


def test_gear_and_rotor_of_motors_are_in_the_parameters():
    p = ARM.with_motors("feetech-sts3215-12v").parameters
    assert p.gear_ratio.tolist() == [345.0, 690.0]
    assert p.rotor_inertia[0] * 345.0**2 == pytest.approx(0.028)


def test_an_arm_without_friction_has_motors_without_it():
    driven = ARM.with_motors(["maxon-re-40-24v", None])
    assert driven.has_friction
    smooth = driven.without_friction()
    assert not smooth.has_friction
    assert smooth.joints[0].motor.resistance == driven.joints[0].motor.resistance


@pytest.mark.parametrize(
    ("motors", "names"),
    [
        ("feetech", ["motors"]),
        ([], ["motors"]),
        (["tower-pro-sg90", "sg9"], ["motors.2"]),
        (["sg9", 1, "tower-pro-sg90"], ["motors", "motors.1", "motors.2"]),
    ],
)
def test_all_that_is_wrong_with_motors_comes_at_once(motors, names):
    assert names_of(lambda: ARM.with_motors(motors)) == names

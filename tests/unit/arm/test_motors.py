"""Motors that are not plain DC motors, and the parts of one: numbers, refusals, and files."""

import dataclasses
import math
import pickle

import pytest

import ulna
from ulna import InputError
from ulna.arm.motor_parts import BACKLASH, HEAT
from ulna.arm.motors import MOTOR_KINDS, MOTOR_TABLES
from ulna.arm.robot_files import parse

DC = {"voltage": 12.0, "resistance": 2.0, "torque_constant": 0.02}
NEEDED = {
    ulna.Motor: DC,
    ulna.TorqueSpeedMotor: {"stall_torque": 2.0, "no_load_speed": 5.0},
    ulna.ServoMotor: {"stall_torque": 2.0, "no_load_speed": 5.0, "stiffness": 20.0},
    ulna.StepperMotor: {"holding_torque": 0.4, "corner_speed": 20.0, "max_speed": 60.0},
    ulna.IdealMotor: {},
    ulna.WindingHeat: {"thermal_resistance": 10.0, "thermal_capacity": 4.0},
    ulna.Backlash: {"gap": 0.01, "stiffness": 500.0},
}
TABLES = {**MOTOR_TABLES, ulna.WindingHeat: HEAT, ulna.Backlash: BACKLASH}
NUMBERS = [(kind, name) for kind, table in TABLES.items() for name in table]
PLAIN = "format = 1\n[[link]]\nlength = 0.2\nmass = 0.3\n"


def names(call):
    with pytest.raises(InputError) as caught:
        call()
    return [problem.what for problem in caught.value.problems]


def in_file(motor):
    return parse(PLAIN + f"joint.motor = {motor}\n")[0].joints[0].motor


def wrong_in_file(motor):
    with pytest.raises(InputError) as caught:
        in_file(motor)
    return [(problem.what, problem.hint) for problem in caught.value.problems]


@pytest.mark.parametrize(("kind", "name"), NUMBERS, ids=lambda one: getattr(one, "__name__", one))
@pytest.mark.parametrize("value", ["1", [1.0], math.nan, -math.inf], ids=repr)
def test_each_number_is_checked_by_name(kind, name, value):
    assert names(lambda: kind(**NEEDED[kind] | {name: value})) == [name]


@pytest.mark.parametrize(("kind", "name"), NUMBERS, ids=lambda one: getattr(one, "__name__", one))
def test_what_is_bounded_is_refused_beyond_its_bounds(kind, name):
    number = TABLES[kind][name]
    wrong = [number.above] if number.above is not None else []
    wrong += [number.least - 0.5] if number.least is not None else []
    wrong += [] if number.infinite else [math.inf]
    for value in wrong:
        assert names(lambda value=value: kind(**NEEDED[kind] | {name: value})) == [name]


@pytest.mark.parametrize("kind", [*MOTOR_KINDS.values()], ids=[*MOTOR_KINDS])
def test_each_kind_is_a_value_that_names_its_command(kind):
    motor = kind(**NEEDED[kind], name="one")
    assert pickle.loads(pickle.dumps(motor)) == motor
    assert hash(motor) == hash(dataclasses.replace(motor))
    assert motor.command in ("torque", "current", "voltage", "position")
    assert MOTOR_KINDS[motor.kind] is kind
    assert names(lambda: kind(**NEEDED[kind], name="two\nlines")) == ["name"]
    given = {"kind": motor.kind, "name": "one", **NEEDED[kind]}
    assert in_file("{ " + keys(given) + " }") == motor


def keys(values):
    return ", ".join(f"{key} = {value!r}" for key, value in values.items())


def test_a_table_without_a_kind_is_a_dc_motor_with_its_parts():
    parts = "heat = { thermal_resistance = '10 K/W', thermal_capacity = 4, ambient = '30 degC' }"
    parts += ", backlash = { gap = '0.5 deg', stiffness = 500 }"
    motor = in_file("{ " + keys(DC) + f", rotor_inertia = 1e-6, command = 'voltage', {parts} }}")
    assert motor == ulna.Motor(
        **DC,
        rotor_inertia=1e-6,
        command="voltage",
        heat=ulna.WindingHeat(10.0, 4.0, ambient=30.0),
        backlash=ulna.Backlash(math.radians(0.5), 500.0),
    )


def test_numbers_of_motors_take_units():
    motor = in_file(
        "{ kind = 'servo', stall_torque = '20 kg*cm', no_load_speed = '60 rpm', stiffness = "
        "'1 N*m/deg', dead_band = '0.3 deg', update_rate = '1 kHz' }"
    )
    assert motor.stall_torque == pytest.approx(1.96133)
    assert motor.no_load_speed == pytest.approx(2 * math.pi)
    assert motor.stiffness == pytest.approx(180 / math.pi)
    assert (motor.dead_band, motor.update_rate) == pytest.approx((math.radians(0.3), 1000.0))


MOTOR = "link.1.joint.motor"


@pytest.mark.parametrize(
    ("motor", "what", "hint"),
    [
        ("'feetech-sts3215'", MOTOR, "did you mean 'feetech-sts3215-7v4'?"),
        ("''", MOTOR, "known: "),
        ("3", MOTOR, ""),
        ("[1, 2]", MOTOR, ""),
        ("{ kind = 'servos' }", f"{MOTOR}.kind", "did you mean 'servo'?"),
        ("{ kind = 'brushless' }", f"{MOTOR}.kind", "known: dc, torque-speed, servo"),
        ("{ kind = 3 }", f"{MOTOR}.kind", "known: dc"),
        ("{ kind = 'ideal', voltage = 3 }", f"{MOTOR}.voltage", "known: name"),
        ("{ kind = 'ideal', heat = {} }", f"{MOTOR}.heat", ""),
        ("{ " + keys(DC) + ", effciency = 1 }", f"{MOTOR}.effciency", "did you mean 'efficiency'?"),
        ("{ " + keys(DC) + ", efficiency = 2 }", f"{MOTOR}.efficiency", ""),
        ("{ " + keys(DC) + ", command = 'speed' }", f"{MOTOR}.command", ""),
        ("{ " + keys(DC) + ", command = 3 }", f"{MOTOR}.command", ""),
        ("{ " + keys(DC) + ", heat = 3 }", f"{MOTOR}.heat", ""),
        ("{ " + keys(DC) + ", heat = { ambient = 20 } }", f"{MOTOR}.heat.thermal_resistance", ""),
        (
            "{ " + keys(DC) + ", backlash = { gap = 1, stiffness = 1 } }",
            f"{MOTOR}.rotor_inertia",
            "",
        ),
        (
            "{ " + keys(DC) + ", backlash = { gap = -1, stiffness = 1 } }",
            f"{MOTOR}.backlash.gap",
            "",
        ),
    ],
)
def test_what_is_wrong_with_a_motor_in_a_file_is_named(motor, what, hint):
    found = wrong_in_file(motor)
    assert found[0][0] == what
    assert found[0][1].startswith(hint)


def test_a_motor_makes_no_energy():
    assert names(lambda: ulna.Motor(**DC, back_emf_constant=0.019)) == ["back_emf_constant"]
    assert names(lambda: ulna.Motor(**DC, efficiency=1.01)) == ["efficiency"]
    assert ulna.Motor(**DC, back_emf_constant=0.021).no_load_speed < ulna.Motor(**DC).no_load_speed


def test_what_goes_with_another_number_goes_with_it_in_a_copy():
    motor = ulna.Motor(**DC)
    for made in (motor, pickle.loads(pickle.dumps(motor))):
        geared = dataclasses.replace(made, efficiency=0.7, torque_constant=0.03)
        assert (geared.backdriving_efficiency, geared.back_emf_constant) == (0.7, 0.03)
    given = ulna.Motor(**DC, backdriving_efficiency=0.9, back_emf_constant=0.04)
    geared = dataclasses.replace(given, efficiency=0.7, torque_constant=0.03)
    assert (geared.backdriving_efficiency, geared.back_emf_constant) == (0.9, 0.04)
    assert repr(motor).count("back_emf_constant=0.02,") == 1


def test_derating_begins_between_ambient_and_the_limit():
    for start in (20.0, 125.0, 130.0):
        assert names(lambda start=start: ulna.WindingHeat(10.0, 4.0, derating_from=start)) == [
            "derating_from"
        ]
    assert ulna.WindingHeat(10.0, 4.0, derating_from=100.0).derating_from == 100.0


def test_a_stepper_s_corner_lies_below_its_highest_speed():
    assert names(lambda: ulna.StepperMotor(0.4, 60.0, 60.0)) == ["corner_speed"]
    assert names(lambda: ulna.StepperMotor(0.4, 20.0, 60.0, microsteps=2.5)) == ["microsteps"]


def test_a_motor_weaker_than_its_data_sheet_gives_that_much_less_than_it_is_asked_for():
    # i = τ / (N Kt_rated), T = N Kt i.
    weak = ulna.Motor(**DC | {"torque_constant": 0.018}, rated_torque_constant=0.02)
    assert weak.rated_torque_constant == 0.02
    arm = ulna.Arm.rods([0.3], [0.5], joints=[ulna.Joint(motor=weak)])
    run = ulna.simulate(arm, q0=[0.0], torque=[0.01], duration=0.01)
    assert run.tau[0, 0] == pytest.approx(0.009, rel=1e-12)
    assert dataclasses.replace(ulna.Motor(**DC), torque_constant=0.03).rated_torque_constant == 0.03

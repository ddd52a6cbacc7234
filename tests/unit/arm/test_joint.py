"""Joints, friction and motors: defaults, refusals, and values that behave as values."""

import dataclasses
import math
import pickle
from fractions import Fraction
from math import inf

import numpy as np
import pytest

from tabular import tabular
from ulna import Friction, InputError, Joint, Motor

NOT_NUMBERS = [True, "1", "1 deg", [1.0], 1j, np.True_, ...]
MAY_BE_LEFT_OUT = (
    "back_emf_constant",
    "backdriving_efficiency",
    "rated_torque_constant",
    "heat",
    "backlash",
)
MOTOR = {"voltage": 12.0, "resistance": 1.5, "torque_constant": 0.02}


def problems(call):
    with pytest.raises(InputError) as caught:
        call()
    return caught.value.problems


def names(call):
    return [problem.what for problem in problems(call)]


def test_a_joint_is_free_unless_told_otherwise():
    joint = Joint()
    assert dataclasses.astuple(joint) == (-inf, inf, inf, inf, 0.0, 0.0, 1.0, None, None)
    assert joint.is_free


@pytest.mark.parametrize(
    "changed",
    [
        {"lower": -1.0},
        {"upper": 1.0},
        {"damping": 0.1},
        {"gear_ratio": 2.0},
        {"friction": Friction(0.1)},
        {"motor": Motor(**MOTOR)},
        {"max_torque": 1.0},
    ],
)
def test_a_joint_with_any_setting_is_not_free(changed):
    assert not Joint(**changed).is_free


@tabular(
    "field",
    ["lower", "upper", "max_velocity", "max_torque", "damping", "rotor_inertia", "gear_ratio"],
)
@tabular("value", [*NOT_NUMBERS, None, math.nan], ids=repr)
def test_what_is_no_number_is_refused_by_name(field, value):
    assert names(lambda: Joint(**{field: value})) == [field]


@pytest.mark.parametrize("field", ["damping", "rotor_inertia", "gear_ratio"])
@pytest.mark.parametrize("value", [inf, -inf, 10**400], ids=["inf", "-inf", "huge"])
def test_what_must_be_finite_is_refused_by_name(field, value):
    assert names(lambda: Joint(**{field: value})) == [field]


@pytest.mark.parametrize("field", ["max_velocity", "max_torque"])
@pytest.mark.parametrize("value", [0, -1.0, -inf])
def test_a_bound_is_above_zero(field, value):
    assert names(lambda: Joint(**{field: value})) == [field]


@pytest.mark.parametrize("field", ["damping", "rotor_inertia"])
def test_nothing_resists_by_pushing(field):
    assert names(lambda: Joint(**{field: -1e-9})) == [field]
    assert getattr(Joint(**{field: 0}), field) == 0.0


def test_a_gear_may_reverse_but_not_be_zero():
    assert Joint(gear_ratio=-50).gear_ratio == -50.0
    assert names(lambda: Joint(gear_ratio=0)) == ["gear_ratio"]


@pytest.mark.parametrize(
    ("lower", "upper"),
    [(1.0, -1.0), (1.0, 1.0), (inf, inf), (-inf, -inf), (inf, 0.0), (0.0, -inf), (inf, -inf)],
)
def test_limits_that_leave_no_room_are_refused(lower, upper):
    assert set(names(lambda: Joint(lower, upper))) <= {"lower", "upper"}


def test_swapped_limits_are_told_apart_from_equal_ones():
    assert "swap" in problems(lambda: Joint(1.0, -1.0))[0].hint
    assert "room" in problems(lambda: Joint(1.0, 1.0))[0].hint


@pytest.mark.parametrize(("lower", "upper"), [(-inf, 0.0), (0.0, inf), (-400.0, -399.0), (3, 9)])
def test_limits_may_lie_anywhere_and_on_one_side_only(lower, upper):
    joint = Joint(lower, upper)
    assert (joint.lower, joint.upper) == (lower, upper)


@pytest.mark.parametrize(
    ("field", "value"),
    [("friction", 0.1), ("friction", Motor(**MOTOR)), ("motor", "AX-12"), ("motor", Friction())],
)
def test_parts_of_another_kind_are_refused(field, value):
    assert names(lambda: Joint(**{field: value})) == [field]


def test_all_problems_of_a_joint_come_at_once():
    found = names(
        lambda: Joint(
            lower="x",
            upper=math.nan,
            max_velocity=0,
            max_torque=-1,
            damping=-1,
            rotor_inertia=-1,
            gear_ratio=0,
            friction=1,
            motor=2,
        )
    )
    assert sorted(found) == sorted(f.name for f in dataclasses.fields(Joint))


# Friction


def test_friction_at_rest_is_that_of_motion_unless_given():
    assert Friction().static == 0.0
    assert Friction(0.2).static == 0.2
    assert Friction(0.2, 0.3).static == 0.3
    assert Friction(0.2).stribeck_velocity == 0.01


@pytest.mark.parametrize("value", [*NOT_NUMBERS, None, math.nan, inf, -0.1], ids=repr)
def test_a_bad_coulomb_torque_is_the_only_one_blamed(value):
    assert names(lambda: Friction(value)) == ["coulomb"]


@pytest.mark.parametrize("value", [*NOT_NUMBERS, math.nan, inf, -0.1], ids=repr)
def test_a_bad_static_torque_is_refused(value):
    assert set(names(lambda: Friction(0.0, value))) == {"static"}


@pytest.mark.parametrize("value", [*NOT_NUMBERS, None, math.nan, inf, 0.0, -0.1], ids=repr)
def test_a_bad_stribeck_velocity_is_refused(value):
    assert names(lambda: Friction(0.1, 0.1, value)) == ["stribeck_velocity"]


def test_friction_at_rest_is_no_less_than_in_motion():
    [problem] = problems(lambda: Friction(0.2, 0.1))
    assert (problem.what, problem.got) == ("static", "0.1")
    assert "0.2" in problem.need


# Motors


def test_a_motor_has_no_inductance_and_no_limit_unless_given():
    motor = Motor(12, 1.5, 0.02)
    assert dataclasses.astuple(motor)[:7] == (12.0, 1.5, 0.02, 0.0, 0.0, inf, "")
    assert (motor.back_emf_constant, motor.gear_ratio, motor.rotor_inertia) == (0.02, 1.0, 0.0)
    assert (motor.efficiency, motor.backdriving_efficiency) == (1.0, 1.0)
    assert (motor.heat, motor.backlash, motor.command) == (None, None, "torque")


@tabular("field", [f.name for f in dataclasses.fields(Motor) if f.name != "name"])
@tabular("value", [*NOT_NUMBERS, None, math.nan, -1.0, -inf], ids=repr)
def test_a_motor_s_numbers_are_checked_by_name(field, value):
    if (field, value) == ("gear_ratio", -1.0) or (field in MAY_BE_LEFT_OUT and value is None):
        assert Motor(**MOTOR | {field: value}).voltage == 12.0
        return
    assert names(lambda: Motor(**MOTOR | {field: value})) == [field]


@pytest.mark.parametrize("field", ["voltage", "resistance", "torque_constant", "max_current"])
def test_what_drives_a_motor_is_above_zero(field):
    assert names(lambda: Motor(**MOTOR | {field: 0.0})) == [field]


@pytest.mark.parametrize("field", [*MOTOR, "inductance", "no_load_current"])
def test_only_the_current_may_be_without_limit(field):
    assert names(lambda: Motor(**MOTOR | {field: inf})) == [field]


@pytest.mark.parametrize("name", [1, None, b"x", "two\nlines", "\x1b[31m", "half a \ud800 pair"])
def test_a_motor_s_name_is_text_on_one_line(name):
    assert names(lambda: Motor(**MOTOR, name=name)) == ["name"]


def test_all_problems_of_a_motor_come_at_once():
    wrong = (0, -1, "x", -1, -1, 0, 7, -1, 0, 2.0, 0, -1, 1, 1, "speed", 0)
    found = names(lambda: Motor(*wrong))
    assert sorted(found) == sorted(f.name for f in dataclasses.fields(Motor))


@pytest.mark.parametrize(
    "part",
    [
        Joint(-1, 1, 2, 3, 0.1, 1e-4, -50, Friction(0.1), Motor(**MOTOR)),
        Friction(0.1, 0.2, 0.05),
        Motor(**MOTOR, name="AX-12"),
    ],
)
def test_parts_are_values(part):
    twin = pickle.loads(pickle.dumps(part))
    assert twin == part
    assert hash(twin) == hash(part)
    first = dataclasses.fields(part)[0].name
    with pytest.raises(AttributeError):
        setattr(part, first, 0.05)
    with pytest.raises((AttributeError, TypeError)):
        part.colour = "red"
    assert dataclasses.replace(part, **{first: 0.05}) != part


@pytest.mark.parametrize("number", [1, np.float32(1), np.int8(1), Fraction(1)])
def test_any_real_number_becomes_a_plain_float(number):
    joint = Joint(upper=number, damping=number, friction=Friction(number), gear_ratio=number)
    for value in (joint.upper, joint.damping, joint.gear_ratio, joint.friction.coulomb):
        assert type(value) is float
        assert value == 1.0

"""The numbers of an arm's parts, all by their tables: what is refused, and what is kept."""

import dataclasses
import inspect
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

import ulna
from refusals import REQUIRED, assert_refused, names_of, problems_of
from ulna import Link
from ulna.arm.control_loop import ACTUATOR_TIMES, ACTUATORS, LOOP, SENSOR_TIMES, SENSORS
from ulna.arm.robot_files import NUMBERS

each_kind = pytest.mark.parametrize("kind", NUMBERS, ids=lambda kind: kind.__name__)


@each_kind
def test_numbers_out_of_range_and_other_things_are_refused_by_name(kind):
    assert_refused(kind, NUMBERS[kind], REQUIRED[kind])


def test_the_numbers_of_a_control_loop_are_refused_by_name():
    filtered = {"rate_from": "filtered", "rate_bandwidth": 9.0}
    assert_refused(ulna.Sensors, SENSORS, {}, owner="sensors", per_joint=True)
    assert_refused(ulna.Sensors, SENSOR_TIMES, filtered, owner="sensors")
    assert_refused(ulna.Actuators, ACTUATORS, {}, owner="actuators", per_joint=True)
    assert_refused(ulna.Actuators, ACTUATOR_TIMES, {}, owner="actuators")
    assert_refused(ulna.ControlLoop, LOOP, {})


@each_kind
def test_all_problems_come_at_once(kind):
    if NUMBERS[kind]:
        assert names_of(lambda: kind(**dict.fromkeys(NUMBERS[kind], math.nan))) == [*NUMBERS[kind]]


@each_kind
@pytest.mark.parametrize(
    "convert", [np.float32, np.float64, Fraction], ids=lambda one: one.__name__
)
def test_any_real_number_becomes_a_plain_float(kind, convert):
    made = kind(**{name: convert(value) for name, value in REQUIRED[kind].items()})
    for name, value in REQUIRED[kind].items():
        assert type(getattr(made, name)) is float
        assert getattr(made, name) == pytest.approx(value, rel=1e-6)


@each_kind
def test_parts_are_values(kind):
    part = kind(**REQUIRED[kind])
    twin = pickle.loads(pickle.dumps(part))
    assert twin == part == dataclasses.replace(part)
    assert hash(twin) == hash(part)
    for name in [*inspect.signature(kind).parameters][:1]:
        with pytest.raises(AttributeError):
            setattr(part, name, 0.05)
    with pytest.raises((AttributeError, TypeError)):
        part.colour = "red"


def test_a_value_is_shown_as_it_came_and_not_at_any_length():
    assert len(str(problems_of(lambda: Link("x" * 10_000, 1.0))[0])) < 200
    assert len(str(problems_of(lambda: Link(-(10**5000), 1.0))[0])) < 200
    assert problems_of(lambda: Link(np.float64(-2.5), 1.0))[0].got == "-2.5"

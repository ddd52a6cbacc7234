"""Refusals of numbers, generated from the tables that state their bounds."""

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import ulna
from ulna import InputError
from ulna.arm.bounded_numbers import BoundedNumber, NumberTable
from ulna.errors import Problem

# What the parts of an arm that have number tables are made with at least.
REQUIRED: dict[type, dict[str, float]] = {
    ulna.Link: {"length": 1.0, "mass": 1.0},
    ulna.Payload: {"mass": 1.0},
    ulna.Joint: {},
    ulna.Friction: {},
    ulna.Motor: {"voltage": 12.0, "resistance": 2.0, "torque_constant": 0.02},
    ulna.TorqueSpeedMotor: {"stall_torque": 2.0, "no_load_speed": 5.0},
    ulna.ServoMotor: {"stall_torque": 2.0, "no_load_speed": 5.0, "stiffness": 20.0},
    ulna.StepperMotor: {"holding_torque": 0.4, "corner_speed": 20.0, "max_speed": 60.0},
    ulna.IdealMotor: {},
    ulna.WindingHeat: {"thermal_resistance": 10.0, "thermal_capacity": 4.0},
    ulna.Backlash: {"gap": 0.01, "stiffness": 500.0},
}

NOT_NUMBERS = (True, np.True_, "1", "1 m", 1j, [1.0], np.zeros(2), {}, ...)
NOT_NUMBERS_PER_JOINT = (
    True, np.True_, [True], np.array([True], object), "1", "1 m", 1j, [[1.0]], [],
    [1.0, math.nan], ["a"], ...,
)  # fmt: skip
TOO_LARGE = (math.inf, 10**400, Fraction(10**400, 3))


def problems_of(call: Callable[[], object]) -> tuple[Problem, ...]:
    """Return what a call finds wrong with its input; fail if it finds nothing."""
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.exit_code == 2
    assert all(len(str(problem)) < 1000 for problem in caught.value.problems)
    return caught.value.problems


def names_of(call: Callable[[], object]) -> list[str]:
    """Return the names of the values that a call refuses."""
    return [problem.what for problem in problems_of(call)]


def out_of_range(number: BoundedNumber) -> Iterator[float]:
    """Yield numbers that a table does not allow."""
    yield from (math.nan, np.float32("nan"))
    if not number.infinite:
        yield from (*TOO_LARGE, -math.inf)
    if number.above is not None:
        yield from (number.above, number.above - 1.0, -math.inf)
    if number.least is not None:
        yield from (number.least - 1.0, math.nextafter(number.least, -math.inf), -math.inf)


def assert_refused(
    make: Callable[..., object],
    table: NumberTable,
    given: Mapping[str, Any],
    *,
    owner: str = "",
    per_joint: bool = False,
) -> None:
    """Check that a constructor refuses every wrong value of every number of its table.

    Parameters
    ----------
    make : callable
        The constructor.
    table : mapping of str to BoundedNumber
        Its numbers.
    given : mapping
        Arguments with which it makes something.
    owner : str, optional
        What the names in its messages begin with.
    per_joint : bool, optional
        Whether it also takes one value per joint.
    """
    others = NOT_NUMBERS_PER_JOINT if per_joint else NOT_NUMBERS
    parameters = inspect.signature(make).parameters
    for name, number in table.items():
        nothing = () if parameters[name].default is None else (None,)
        for value in (*out_of_range(number), *others, *nothing):
            found = problems_of(lambda name=name, value=value: make(**{**given, name: value}))
            told = [(problem.what, bool(problem.got), bool(problem.need)) for problem in found]
            assert told == [(f"{owner}.{name}" if owner else name, True, True)], repr(value)

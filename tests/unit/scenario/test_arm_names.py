"""Parameters of arms by name: one arm, or the arrays of many, to the last bit the same."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.tabular import tabular

import ulna
from ulna import Arm, Friction, Joint, Link, Payload
from ulna.arm.parameters import stack_parameters
from ulna.errors import InputError
from ulna.scenario.arm_names import ARM_FIELDS, changed_arm, moves_arrays, stacked_arms, template

BASE = Arm.of(
    [Link(0.3, 1.0), Link(0.2, 0.5, com=0.05, inertia=0.004, tip_mass=0.1), Link(0.1, 0.3)],
    [
        Joint(damping=0.1, friction=Friction(0.2)),
        Joint(friction=Friction(0.2, static=0.3, drag=0.01), rotor_inertia=1e-4, gear_ratio=30.0),
        Joint(max_torque=5.0),
    ],
    payload=Payload(0.2, 0.001),
)
NUMBERS = {
    "link.1.mass": 1.7,
    "link.all.mass": 0.9,
    "link.1.com": 0.11,
    "link.3.inertia": 0.02,
    "link.2.tip_mass": 0.4,
    "link.all.com_offset": 0.01,
    "joint.1.damping": 0.3,
    "joint.1.friction.coulomb": 0.25,
    "joint.2.friction.coulomb": 0.2,
    "joint.3.friction.drag": 0.02,
    "joint.all.friction.stribeck_velocity": 0.02,
    "joint.1.friction.static": 0.7,
    "joint.3.rotor_inertia": 2e-4,
    "joint.2.gear_ratio": -20.0,
    "joint.3.max_torque": np.inf,
    "payload": 0.7,
    "payload.inertia": 0.002,
    "gravity.y": -1.62,
    "gravity.x": 0.5,
}


@tabular("names", [*[(name,) for name in NUMBERS], ("link.1.mass", "link.1.com"), tuple(NUMBERS)])
def test_arrays_of_many_arms_are_those_of_the_arms(names: tuple[str, ...]) -> None:
    factors = np.array([0.5, 1.0, 1.3])
    columns = {name: NUMBERS[name] * factors for name in names}
    rows, certain = stacked_arms(BASE, columns, 3)
    arms = [changed_arm(BASE, {n: float(c[k]) for n, c in columns.items()}) for k in range(3)]
    wanted = stack_parameters(arms)
    for field, value in rows._asdict().items():
        assert np.array_equal(value, getattr(wanted, field)), field
    assert certain.all()


def test_every_number_of_an_arm_has_a_name() -> None:
    arrays = {name for name in ARM_FIELDS if moves_arrays(name)}
    assert {template(name) for name in NUMBERS} <= arrays
    for field in ulna.Parameters._fields:
        owners = ("link.K", "joint.K", "joint.K.friction")
        names = {f"{owner}.{field}" for owner in owners} | {f"{field}.x"}
        assert names & set(ARM_FIELDS), field


def test_a_rod_of_another_mass_or_length_stays_one() -> None:
    rods = Arm.rods([0.5, 0.5], [1.0, 10.0])
    changed = changed_arm(rods, {"link.2.mass": 3.0, "link.1.length": 0.8})
    assert changed == Arm.rods([0.8, 0.5], [1.0, 3.0])


def test_what_is_no_rod_keeps_its_own_centre_and_inertia() -> None:
    changed = changed_arm(BASE, {"link.2.mass": 2.0, "link.2.length": 0.4})
    assert (changed.links[1].com, changed.links[1].inertia) == (0.05, 0.004)


def test_static_friction_follows_coulomb_friction_only_where_it_is_the_same() -> None:
    changed = changed_arm(BASE, {"joint.all.friction.coulomb": 0.25})
    static = [joint.friction.static for joint in changed.joints if joint.friction]
    assert static == [0.25, 0.3, 0.25]


def test_one_link_comes_before_all_of_them_where_it_is_named_last() -> None:
    changed = changed_arm(BASE, {"link.all.mass": 2.0, "link.2.mass": 3.0})
    assert [link.mass for link in changed.links] == [2.0, 3.0, 2.0]


@tabular(
    "name, value, told",
    [
        ("link.2.mass", -1.0, "link.2.mass: got -1.0"),
        ("joint.1.friction.coulomb", -0.1, "joint.1.friction.coulomb: got -0.1"),
        ("payload", -0.1, "payload.mass: got -0.1"),
        ("link.1.length", 0.0, "link.1.length: got 0.0"),
    ],
)
def test_numbers_that_no_arm_has_are_refused_by_name(name: str, value: float, told: str) -> None:
    with pytest.raises(InputError) as refusal:
        changed_arm(BASE, {name: value})
    assert told in str(refusal.value)


def test_arms_that_may_be_none_are_not_certain() -> None:
    masses = np.array([1.0, 0.0, -1.0, np.nan, 1e300, 2.0])
    _, certain = stacked_arms(BASE, {"link.1.mass": masses}, 6)
    assert certain.tolist() == [True, False, False, False, False, True]


def test_motors_are_changed_by_their_numbers_and_by_name() -> None:
    motor = ulna.Motor(voltage=12.0, resistance=2.0, torque_constant=0.02, gear_ratio=100.0)
    driven = Arm.rods([0.2, 0.2], [0.3, 0.2]).with_motors(motor)
    changed = changed_arm(
        driven, {"joint.1.motor.torque_constant": 0.03, "joint.2.motor": "tower-pro-sg90"}
    )
    first, second = (joint.motor for joint in changed.joints)
    assert (first.torque_constant, first.back_emf_constant) == (0.03, 0.03)
    assert second.name == "tower-pro-sg90"

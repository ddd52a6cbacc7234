"""Links, joints, friction and motors: their defaults, and the rules between their numbers."""

import dataclasses
import math
import pickle
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ulna
from refusals import REQUIRED, names_of, problems_of
from ulna import Arm, Friction, Joint, Link, Motor, Payload, UlnaWarning
from ulna.arm.motors import MOTOR_TABLES

DC = REQUIRED[Motor]


# Links and payloads


def test_a_link_is_a_uniform_rod_by_default():
    link = Link(0.5, 10.0)
    assert (link.length, link.mass, link.com) == (0.5, 10.0, 0.25)
    assert link.inertia == pytest.approx(10.0 * 0.5**2 / 12, rel=1e-15)
    assert (link.tip_mass, link.com_offset) == (0.0, 0.0)
    assert link.is_rod
    assert Link(1, 1, tip_mass=2).is_rod
    for other in (Link(1, 1, com=0.4), Link(1, 1, inertia=0.1), Link(1, 1, com_offset=0.1)):
        assert not other.is_rod


def test_the_order_of_arguments():
    link = Link(1.0, 2.0, 0.3, 0.04, 0.5, -0.6)
    assert dataclasses.astuple(link) == (1.0, 2.0, 0.3, 0.04, 0.5, -0.6)
    assert dataclasses.astuple(Payload(2, 0.5)) == (2.0, 0.5)
    assert dataclasses.astuple(Joint()) == (-inf, inf, inf, inf, 0.0, 0.0, 1.0, None, None)
    assert dataclasses.astuple(Motor(12, 1.5, 0.02))[:7] == (12.0, 1.5, 0.02, 0.0, 0.0, inf, "")


def test_a_bad_length_is_not_blamed_on_what_follows_from_it():
    assert names_of(lambda: Link(math.nan, 1.0)) == ["length"]
    assert names_of(lambda: Link("x", None)) == ["length", "mass"]


@pytest.mark.parametrize("length", [1e200, 1e308])
def test_a_length_whose_square_overflows_is_refused(length):
    assert "length" in names_of(lambda: Link(length, 1.0))
    assert problems_of(lambda: Arm.of([Link(length, 1.0, inertia=0.0)]))


# Inertias that no body has


def doubted(link):
    with pytest.warns(UlnaWarning) as caught:
        Arm.of([Link(1.0, 1.0), link])
    assert caught[0].filename == __file__
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize("mass", [1.0, 10.0])
def test_the_listing_of_paper_000_is_doubted(mass):
    [message] = doubted(Link(0.5, mass, inertia=mass**2 / 12))
    assert message.startswith("link.2.inertia: got ")
    assert f"{mass * 0.25 / 12:.4g}" in message


@pytest.mark.parametrize(("length", "mass"), [(0.02, 0.01), (30.0, 100.0)])
def test_a_rod_s_inertia_about_the_joint_is_doubted_as_one_about_the_centre(length, mass):
    assert len(doubted(Link(length, mass, inertia=mass * length**2 / 3))) == 1


def test_an_inertia_in_other_units_or_without_mass_is_doubted():
    in_g_cm2 = 0.4 * 0.25**2 / 12 * 1e7
    assert len(doubted(Link(0.25, 0.4, inertia=in_g_cm2))) == 1
    assert len(doubted(Link(1.0, 0.0, inertia=0.01))) == 1


@pytest.mark.parametrize(
    "link",
    [
        Link(0.5, 2.0, inertia=2.0 * 0.25**2 / 2),  # a disc as wide as the link is long
        Link(0.5, 2.0, com=0.0, inertia=2.0 * 0.25**2 / 2),  # a wheel on the joint
        Link(0.5, 2.0, com=-0.3, inertia=2.0 * 0.3**2 / 12),  # a counterweight
    ],
)
def test_bodies_that_exist_are_not_doubted(link):
    Arm.of([link])


inside = st.floats(-0.999, 0.999)


@settings(max_examples=200, deadline=None)
@given(
    st.floats(0.01, 10.0),
    st.lists(st.tuples(st.floats(0.01, 5.0), inside, inside), min_size=1, max_size=6),
)
def test_no_cloud_of_points_within_the_link_is_doubted(length, cloud):
    """Points anywhere along the link, up to a quarter of its length to either side."""
    masses, along, across = (np.array(column) for column in zip(*cloud, strict=True))
    x, y = length * (1 + along) / 2, length * across / 4
    mass = float(np.sum(masses))
    com, offset = float(masses @ x) / mass, float(masses @ y) / mass
    inertia = float(masses @ ((x - com) ** 2 + (y - offset) ** 2))
    Arm.of([Link(length, mass, com, inertia, com_offset=offset, tip_mass=1.0)])


# Joints and friction


def test_a_joint_with_any_setting_is_not_free():
    assert Joint().is_free
    numbers = {"lower": -1.0, "upper": 1.0, "damping": 0.1, "gear_ratio": 2.0, "max_torque": 1.0}
    parts = {"friction": Friction(0.1), "motor": Motor(**DC)}
    for name, value in (numbers | parts).items():
        assert not Joint(**{name: value}).is_free


def test_a_gear_may_reverse_but_not_be_zero():
    assert Joint(gear_ratio=-50).gear_ratio == -50.0
    assert names_of(lambda: Joint(gear_ratio=0)) == ["gear_ratio"]
    assert names_of(lambda: Motor(**DC, gear_ratio=0)) == ["gear_ratio"]


@pytest.mark.parametrize(
    ("lower", "upper", "way_out"),
    [(1.0, -1.0, "swap"), (1.0, 1.0, "room"), (inf, inf, ""), (-inf, -inf, ""), (0.0, -inf, "")],
)
def test_limits_that_leave_no_room_are_refused(lower, upper, way_out):
    found = problems_of(lambda: Joint(lower, upper))
    assert {problem.what for problem in found} <= {"lower", "upper"}
    assert way_out in found[0].hint


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Joint(friction=0.1), "friction"),
        (lambda: Joint(motor=Friction()), "motor"),
        (lambda: Motor(**DC, heat=1.0), "heat"),
        (lambda: Motor(**DC, backlash=Friction()), "backlash"),
        (lambda: Motor(**DC, command="speed"), "command"),
    ],
)
def test_parts_of_another_kind_are_refused(make, name):
    assert names_of(make) == [name]


def test_static_friction_is_at_least_that_of_motion():
    assert (Friction().static, Friction(0.2).static, Friction(0.2, 0.3).static) == (0.0, 0.2, 0.3)
    [problem] = problems_of(lambda: Friction(0.2, 0.1))
    assert (problem.what, problem.got) == ("static", "0.1")
    assert "0.2" in problem.need


# Motors


@pytest.mark.parametrize("kind", MOTOR_TABLES)
def test_a_motor_s_name_is_text_on_one_line(kind):
    for name in (1, "two\nlines"):
        assert names_of(lambda name=name: kind(**REQUIRED[kind], name=name)) == ["name"]


def test_a_motor_makes_no_energy():
    assert names_of(lambda: Motor(**DC, back_emf_constant=0.019)) == ["back_emf_constant"]
    for part in ("efficiency", "backdriving_efficiency"):
        assert names_of(lambda part=part: Motor(**DC, **{part: 1.01})) == [part]
    assert Motor(**DC, back_emf_constant=0.021).no_load_speed < Motor(**DC).no_load_speed


def test_what_goes_with_another_number_goes_with_it_in_a_copy():
    motor = Motor(**DC)
    assert (motor.back_emf_constant, motor.backdriving_efficiency) == (0.02, 1.0)
    for made in (motor, pickle.loads(pickle.dumps(motor))):
        geared = dataclasses.replace(made, efficiency=0.7, torque_constant=0.03)
        assert (geared.backdriving_efficiency, geared.back_emf_constant) == (0.7, 0.03)
        assert geared.rated_torque_constant == 0.03
    given = Motor(**DC, backdriving_efficiency=0.9, back_emf_constant=0.04)
    geared = dataclasses.replace(given, efficiency=0.7, torque_constant=0.03)
    assert (geared.backdriving_efficiency, geared.back_emf_constant) == (0.9, 0.04)


def test_derating_begins_between_ambient_and_the_limit():
    for start in (20.0, 125.0, 130.0):
        make = lambda start=start: ulna.WindingHeat(10.0, 4.0, derating_from=start)  # noqa: E731
        assert names_of(make) == ["derating_from"]
    assert ulna.WindingHeat(10.0, 4.0, derating_from=100.0).derating_from == 100.0


def test_the_rules_of_a_stepper_and_of_backlash():
    assert names_of(lambda: ulna.StepperMotor(0.4, 60.0, 60.0)) == ["corner_speed"]
    assert names_of(lambda: ulna.StepperMotor(0.4, 20.0, 60.0, microsteps=2.5)) == ["microsteps"]
    gap = ulna.Backlash(0.01, 500.0)
    assert names_of(lambda: Motor(**DC, backlash=gap)) == ["rotor_inertia"]


def test_a_motor_weaker_than_its_data_sheet_gives_that_much_less_than_it_is_asked_for():
    # i = τ / (N Kt_rated), T = N Kt i.
    weak = Motor(**DC | {"torque_constant": 0.018}, rated_torque_constant=0.02)
    arm = Arm.rods([0.3], [0.5], joints=[Joint(motor=weak)])
    run = ulna.simulate(arm, q0=[0.0], torque=[0.01], duration=0.01)
    assert run.tau[0, 0] == pytest.approx(0.009, rel=1e-12)

"""Links and payloads: defaults, refusals, and inertias that no body has."""

import dataclasses
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabular import tabular
from ulna import Arm, InputError, Link, Payload, UlnaWarning

NOT_NUMBERS = [True, False, "1", "1 m", None, [1.0], 1j, np.True_, ..., np.zeros(2)]
NOT_FINITE = [math.nan, math.inf, -math.inf, np.float32("nan"), 10**400, Fraction(10**400, 3)]


def problems(call):
    with pytest.raises(InputError) as caught:
        call()
    return caught.value.problems


def names(call):
    return [problem.what for problem in problems(call)]


def test_a_link_is_a_uniform_rod_unless_told_otherwise():
    link = Link(0.5, 10.0)
    assert (link.length, link.mass) == (0.5, 10.0)
    assert link.com == 0.25
    assert link.inertia == pytest.approx(10.0 * 0.5**2 / 12, rel=1e-15)
    assert (link.tip_mass, link.com_offset) == (0.0, 0.0)
    assert link.is_rod


@pytest.mark.parametrize(
    "link",
    [Link(1, 1, com=0.4), Link(1, 1, inertia=0.1), Link(1, 1, com_offset=0.1)],
)
def test_a_link_with_its_matter_elsewhere_is_no_rod(link):
    assert not link.is_rod


def test_a_tip_mass_makes_no_other_link():
    assert Link(1, 1, tip_mass=2).is_rod


def test_positions_are_as_the_contract_says():
    link = Link(1.0, 2.0, 0.3, 0.04, 0.5, -0.6)
    assert dataclasses.astuple(link) == (1.0, 2.0, 0.3, 0.04, 0.5, -0.6)


@pytest.mark.parametrize("number", [1, 1.0, np.float32(1), np.int16(1), Fraction(1)])
def test_any_real_number_becomes_a_plain_float(number):
    link = Link(number, number, number, number, number, number)
    assert all(type(value) is float and value == 1.0 for value in dataclasses.astuple(link))
    payload = Payload(number, number)
    assert all(type(value) is float for value in dataclasses.astuple(payload))


GOOD = {"length": 1.0, "mass": 1.0, "com": 0.5, "inertia": 0.1, "tip_mass": 0.0, "com_offset": 0.0}


@pytest.mark.parametrize("field", GOOD)
@pytest.mark.parametrize("value", NOT_NUMBERS + NOT_FINITE, ids=lambda value: repr(value)[:12])
def test_what_is_no_finite_number_is_refused_by_name(field, value):
    if value is None and field in ("com", "inertia"):
        pytest.skip("None stands for the rod's")
    assert names(lambda: Link(**GOOD | {field: value})) == [field]


@pytest.mark.parametrize("field", ["length", "mass", "inertia", "tip_mass"])
def test_what_cannot_be_negative_is_refused(field):
    [problem] = problems(lambda: Link(**GOOD | {field: -0.5}))
    assert (problem.what, problem.got) == (field, "-0.5")
    assert "0" in problem.need


def test_a_length_is_above_zero_and_a_centre_may_lie_anywhere():
    assert names(lambda: Link(0.0, 1.0)) == ["length"]
    assert Link(1.0, 1.0, com=-0.4, com_offset=-2.0).com == -0.4
    assert Link(1.0, 0.0, inertia=0.0).mass == 0.0


def test_all_problems_of_a_link_come_at_once():
    bad = Link, (0, -1, "a", -2, math.nan, math.inf)
    assert names(lambda: bad[0](*bad[1])) == [
        "length",
        "mass",
        "com",
        "inertia",
        "tip_mass",
        "com_offset",
    ]


def test_a_bad_length_is_not_blamed_on_what_follows_from_it():
    assert names(lambda: Link(math.nan, 1.0)) == ["length"]
    assert names(lambda: Link("x", None)) == ["length", "mass"]


@pytest.mark.parametrize("length", [1e200, 1e308])
def test_a_size_that_overflows_is_refused_in_words(length):
    with pytest.raises(InputError):
        Link(length, 1.0)
    with pytest.raises(InputError):
        Arm.of([Link(length, 1.0, inertia=0.0)])


def test_a_value_is_shown_as_it_came_and_not_at_any_length():
    [problem] = problems(lambda: Link("x" * 10_000, 1.0))
    assert len(str(problem)) < 200
    [problem] = problems(lambda: Link(np.float64(-2.5), 1.0))
    assert problem.got == "-2.5"
    [problem] = problems(lambda: Link(-(10**5000), 1.0))
    assert len(str(problem)) < 200


def test_a_payload_is_a_mass_and_an_inertia_about_the_tip():
    assert dataclasses.astuple(Payload()) == (0.0, 0.0)
    assert dataclasses.astuple(Payload(2, 0.5)) == (2.0, 0.5)


@tabular("value", [*NOT_NUMBERS, *NOT_FINITE, -1.0], ids=lambda v: repr(v)[:12])
def test_a_payload_that_is_no_mass_is_refused(value):
    assert names(lambda: Payload(value)) == ["mass"]
    assert names(lambda: Payload(1.0, value)) == ["inertia"]
    assert names(lambda: Payload(value, value)) == ["mass", "inertia"]


@pytest.mark.parametrize("part", [Link(1.0, 2.0, tip_mass=0.5), Payload(1.0, 0.1)])
def test_parts_are_values(part):
    twin = pickle.loads(pickle.dumps(part))
    assert twin == part
    assert hash(twin) == hash(part)
    with pytest.raises(AttributeError):
        part.mass = 3.0
    with pytest.raises((AttributeError, TypeError)):
        part.colour = "red"
    assert dataclasses.replace(part, mass=3.0).mass == 3.0
    assert dataclasses.replace(part, mass=3.0) != part
    with pytest.raises(InputError):
        dataclasses.replace(part, mass=-3.0)


# Inertias that no body has


def doubted(link):
    with pytest.warns(UlnaWarning) as caught:
        Arm.of([Link(1.0, 1.0), link])
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize("mass", [1.0, 10.0])
def test_the_listing_of_paper_000_is_doubted(mass):
    [message] = doubted(Link(0.5, mass, inertia=mass**2 / 12))
    assert message.startswith("link.2.inertia: got ")
    assert f"{mass * 0.25 / 12:.4g}" in message


@pytest.mark.parametrize("length", [0.02, 0.5, 30.0])
@pytest.mark.parametrize("mass", [0.01, 1.0, 100.0])
def test_a_rod_s_inertia_about_the_joint_is_doubted_as_one_about_the_centre(length, mass):
    assert len(doubted(Link(length, mass, inertia=mass * length**2 / 3))) == 1


def test_an_inertia_in_other_units_is_doubted():
    in_g_cm2 = 0.4 * 0.25**2 / 12 * 1e7
    assert len(doubted(Link(0.25, 0.4, inertia=in_g_cm2))) == 1


def test_inertia_without_mass_is_doubted():
    assert len(doubted(Link(1.0, 0.0, inertia=0.01))) == 1


def test_the_doubt_points_at_the_caller():
    with pytest.warns(UlnaWarning) as caught:
        Arm.of([Link(1.0, 1.0, inertia=5.0)])
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "link",
    [
        Link(0.5, 2.0),
        Link(0.5, 2.0, com=0.5, inertia=0.0),
        Link(0.5, 2.0, com=0.0, inertia=0.0, tip_mass=1.0),
        Link(0.5, 2.0, inertia=2.0 * 0.25**2 / 2),  # a disc as wide as the link is long
        Link(0.5, 2.0, com=0.5, inertia=2.0 * 0.1**2 / 2),  # a disc at the tip
        Link(0.5, 2.0, com=0.0, inertia=2.0 * 0.25**2 / 2),  # a wheel on the joint
        Link(0.5, 2.0, inertia=2.0 * 0.25**2),  # half the mass at either end
        Link(0.5, 2.0, com=-0.3, inertia=2.0 * 0.3**2 / 12),  # a counterweight
        Link(0.5, 2.0, inertia=2.0 * (0.5**2 + 0.1**2) / 12),  # a bar
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

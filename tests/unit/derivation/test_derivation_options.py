"""What can be asked of a derivation, and what an arm decides by itself."""

import numpy as np
import pytest

import ulna
from refusals import names_of, problems_of
from tabular import tabular
from ulna.derivation.derivation_options import (
    BODIES,
    CONVENTIONS,
    GRAVITIES,
    DerivationOptions,
    options_for,
)

CHOICES = {"convention": CONVENTIONS, "bodies": BODIES, "gravity": GRAVITIES}


def refused(*arguments, **options):
    return names_of(lambda: ulna.derive(*arguments, **options))


@pytest.mark.parametrize("links", [0, 5, -1, 2.0, True, "two", float("nan"), [2]])
def test_links_are_a_whole_number_from_1_to_4(links):
    assert refused(links) == ["links"]
    assert type(DerivationOptions(np.int64(3)).links) is int


@tabular(("name", "known"), CHOICES.items())
def test_an_unknown_choice_is_refused_with_the_nearest_known(name, known):
    for value in ("other", 3, [known[0]], np.array([0.0, -9.81])):
        (problem,) = problems_of(lambda value=value: ulna.derive(**{name: value}))
        assert (problem.what, problem.need) == (name, f"one of {', '.join(known)}")
    (nearly,) = problems_of(lambda: ulna.derive(**{name: known[1][:-1]}))
    assert known[1] in nearly.hint


@pytest.mark.parametrize("name", ["payload", "tip_force", "drives", "friction"])
def test_letters_are_asked_for_by_yes_or_no(name):
    for value in (0.5, "no", [1.0, 2.0], 1):
        assert refused(**{name: value}) == [name]


def test_all_that_is_wrong_is_said_at_once():
    wrong = refused(7, convention="x", bodies="y", gravity="z")
    assert wrong == ["convention", "bodies", "gravity", "links"]


def rod(**options):
    return ulna.Arm.rods([0.5, 0.4], [1.0, 2.0], **options)


def general(**options):
    return ulna.Arm.of([ulna.Link(0.5, 1.0, **options), ulna.Link(0.4, 1.0)])


@pytest.mark.parametrize(
    ("arm", "bodies"),
    [
        (rod(), "rods"),
        (rod(payload=0.5), "rods"),
        (rod(payload=ulna.Payload(0.5, 0.01)), "general"),
        (ulna.Arm.point_masses([0.5, 0.4], [1.0, 2.0]), "points"),
        (general(com=0.3), "general"),
        (general(inertia=0.03), "general"),
        (general(com_offset=0.01), "general"),
        (general(tip_mass=0.1), "general"),
        (ulna.Arm.of([*rod().links[:1], *ulna.Arm.point_masses([1.0], [1.0]).links]), "general"),
    ],
)
def test_the_bodies_are_the_simplest_that_the_arm_is_made_of(arm, bodies):
    options = options_for(arm)
    assert (options.links, options.bodies) == (2, bodies)
    assert options.payload == bool(arm.payload.mass)


def test_a_rod_out_of_a_robot_file_is_a_rod(tmp_path):
    text = "format = 1\n[[link]]\nlength = '30 cm'\nmass = '700 g'\ncom = '15 cm'\n"
    (tmp_path / "rod.toml").write_text(text + "inertia = 0.00525\n")
    assert options_for(ulna.load(tmp_path / "rod.toml")).bodies == "rods"


@pytest.mark.parametrize(
    ("gravity", "kind"),
    [
        ((0.0, -1.62), "down"),
        ((0.0, 9.81), "vector"),
        ((3.0, -9.0), "vector"),
        ((-0.0, -0.0), "none"),
    ],
)
def test_the_gravity_of_the_arm_decides(gravity, kind):
    assert options_for(ulna.Arm.rods([0.5], [1.0], gravity=gravity)).gravity == kind


@pytest.mark.parametrize(
    ("joint", "driven"),
    [
        (ulna.Joint(-1.0, 1.0, max_torque=3.0, gear_ratio=30.0), False),
        (ulna.Joint(damping=0.1), True),
        (ulna.Joint(rotor_inertia=1e-5), True),
    ],
)
def test_rotors_and_damping_come_in_where_the_arm_has_them(joint, driven):
    arm = ulna.Arm.rods([0.5], [1.0], joints=[joint])
    assert options_for(arm).drives is driven


def test_what_is_chosen_stands_where_it_can_describe_the_arm():
    chosen = {"bodies": "general", "payload": True, "drives": True, "gravity": "vector"}
    options = ulna.derive(2, arm=rod(), tip_force=True, convention="absolute", **chosen).options
    assert options == DerivationOptions(2, "absolute", "general", True, True, "vector", True)
    assert options_for(rod(gravity=(0.0, 0.0)), gravity="down").gravity == "down"


@pytest.mark.parametrize(
    ("arm", "options", "need"),
    [
        (rod(), {"bodies": "points"}, "'rods' or 'general'"),
        (general(com=0.3), {"bodies": "rods"}, "'general', as"),
        (rod(gravity=(1.0, -9.0)), {"gravity": "down"}, "'vector'"),
        (rod(), {"links": 3}, "2, as the arm has"),
        (rod(), {"links": "two"}, "2, as the arm has"),
        (rod(), {"links": 2.0}, "a whole number"),
        (ulna.Arm.rods([0.1] * 5, [1.0] * 5), {"links": 2}, "from 1 to 4"),
    ],
)
def test_letters_that_cannot_stand_for_the_arm_are_refused(arm, options, need):
    (problem,) = problems_of(lambda: ulna.derive(arm=arm, **options))
    assert [problem.what] == list(options)
    assert need in problem.need


@pytest.mark.parametrize("arm", ["kehl", ulna.preset("kehl").parameters, 2])
def test_only_an_arm_has_numbers_to_put_beside_the_letters(arm):
    assert refused(arm=arm) == ["arm"]

"""What can be asked of a derivation, and what an arm decides by itself."""

import subprocess
import sys

import numpy as np
import pytest

import ulna
from ulna.derivation.derivation_options import DerivationOptions, options_for
from ulna.errors import InputError


def refusal(*arguments, **options):
    with pytest.raises(InputError) as refused:
        ulna.derive(*arguments, **options)
    return str(refused.value)


def test_without_a_choice_it_is_two_rods_in_joint_angles_that_weigh():
    assert DerivationOptions() == DerivationOptions(
        2, "relative", "rods", False, False, "down", False
    )
    assert DerivationOptions().relative
    assert not DerivationOptions(convention="absolute").relative


@pytest.mark.parametrize("links", [0, 5, -1, 2.0, True, "two", float("nan"), [2]])
def test_links_are_a_whole_number_from_1_to_4(links):
    said = refusal(links)
    assert "need a whole number of links from 1 to 4" in said
    assert "ulna.dynamics has the numbers for any number of links" in said


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"convention": "absolut"}, "did you mean 'absolute'?"),
        ({"convention": "dh"}, "need one of relative, absolute"),
        ({"bodies": "point"}, "did you mean 'points'?"),
        ({"bodies": "sticks"}, "need one of rods, points, general"),
        ({"bodies": 3}, "bodies: got 3, need one of rods, points, general"),
        ({"gravity": "up"}, "need one of down, vector, none"),
        ({"gravity": "vectors"}, "did you mean 'vector'?"),
        ({"gravity": (0.0, -9.81)}, "need one of down, vector, none"),
        ({"convention": ["relative"]}, "need one of relative, absolute"),
    ],
)
def test_an_unknown_choice_is_refused_with_the_nearest_known(options, says):
    assert says in refusal(**options)


def test_all_that_is_wrong_is_said_at_once():
    said = refusal(7, convention="x", bodies="y", gravity="z").splitlines()
    assert [line.split(":")[0] for line in said] == ["convention", "bodies", "gravity", "links"]


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
    assert options_for(arm).bodies == bodies


def test_a_rod_out_of_a_robot_file_is_a_rod(tmp_path):
    text = "format = 1\n[[link]]\nlength = '30 cm'\nmass = '700 g'\ncom = '15 cm'\n"
    (tmp_path / "rod.toml").write_text(text + "inertia = 0.00525\n")
    assert options_for(ulna.load(tmp_path / "rod.toml")).bodies == "rods"


@pytest.mark.parametrize(
    ("gravity", "kind"),
    [
        ((0.0, -9.81), "down"),
        ((0.0, -1.62), "down"),
        ((0.0, 9.81), "vector"),
        ((3.0, -9.0), "vector"),
        ((0.0, 0.0), "none"),
        ((-0.0, -0.0), "none"),
    ],
)
def test_the_gravity_of_the_arm_decides(gravity, kind):
    assert options_for(ulna.Arm.rods([0.5], [1.0], gravity=gravity)).gravity == kind


@pytest.mark.parametrize(
    ("joint", "driven"),
    [
        (ulna.Joint(), False),
        (ulna.Joint(-1.0, 1.0, max_torque=3.0), False),
        (ulna.Joint(gear_ratio=30.0), False),
        (ulna.Joint(damping=0.1), True),
        (ulna.Joint(rotor_inertia=1e-5), True),
    ],
)
def test_rotors_and_damping_come_in_where_the_arm_has_them(joint, driven):
    arm = ulna.Arm.rods([0.5], [1.0], joints=[joint])
    assert options_for(arm).drives is driven


def test_the_arm_decides_on_links_and_payload_too():
    options = options_for(rod(payload=0.1))
    assert (options.links, options.payload) == (2, True)
    assert not options_for(rod()).payload


def test_what_is_chosen_stands_where_it_can_describe_the_arm():
    chosen = {"bodies": "general", "payload": True, "drives": True, "gravity": "vector"}
    options = ulna.derive(2, arm=rod(), tip_force=True, convention="absolute", **chosen).options
    assert options == DerivationOptions(2, "absolute", "general", True, True, "vector", True)
    assert options_for(rod(gravity=(0.0, 0.0)), gravity="down").gravity == "down"


@pytest.mark.parametrize(
    ("arm", "options", "says"),
    [
        (rod(), {"bodies": "points"}, "bodies: got 'points', need 'rods' or 'general'"),
        (general(com=0.3), {"bodies": "rods"}, "bodies: got 'rods', need 'general'"),
        (rod(gravity=(1.0, -9.0)), {"gravity": "down"}, "gravity: got 'down', need 'vector'"),
        (rod(), {"links": 3}, "links: got 3, need 2, as the arm has; leave it out"),
        (rod(), {"links": "two"}, "links: got 'two', need 2"),
        (rod(), {"links": 2.0}, "a whole number"),
        (rod(), {"bodies": "rod"}, "did you mean 'rods'?"),
    ],
)
def test_letters_that_cannot_stand_for_the_arm_are_refused(arm, options, says):
    assert says in refusal(arm=arm, **options)


def test_letters_that_do_not_fit_are_refused_all_at_once():
    said = refusal(arm=rod(gravity=(1.0, -9.0)), bodies="points", gravity="down").splitlines()
    assert [line.split(":")[0] for line in said] == ["bodies", "gravity"]


@pytest.mark.parametrize("links", [5, 12])
def test_a_longer_arm_is_refused_with_what_can_be_derived(links):
    said = refusal(arm=ulna.Arm.rods([0.1] * links, [1.0] * links))
    assert f"got {links}" in said
    assert "from 1 to 4" in said


def test_sympy_is_loaded_by_those_who_derive_and_by_nobody_else():
    loaded = "print('sympy' in sys.modules)"
    code = f"import sys, ulna; {loaded}; ulna.derive; {loaded}; ulna.derive(1); {loaded}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True"]


def test_a_whole_number_of_numpy_will_do():
    assert DerivationOptions(np.int64(3)) == DerivationOptions(3)
    assert type(DerivationOptions(np.int64(3)).links) is int


@pytest.mark.parametrize("arm", ["kehl", ulna.preset("kehl").parameters, 2])
def test_only_an_arm_has_numbers_to_put_beside_the_letters(arm):
    assert refusal(arm=arm).startswith("arm: got ")
    assert "need an Arm" in refusal(arm=arm)


def test_gravity_is_named_and_not_given_as_a_vector():
    assert "need one of down, vector, none" in refusal(gravity=np.array([0.0, -9.81]))


def test_no_number_of_links_is_offered_that_is_refused_next():
    long = ulna.Arm.rods([1.0] * 6, [1.0] * 6)
    for links in (None, 2, 6):
        said = refusal(links, arm=long)
        assert said.startswith("links: got 6, need a whole number of links from 1 to 4")


def test_bodies_that_fit_are_offered_once():
    said = refusal(arm=ulna.preset("so-101"), bodies="rods")
    assert said.startswith("bodies: got 'rods', need 'general'")
    assert said.count("general") == 1


@pytest.mark.parametrize(
    "options", [{"payload": 0.5}, {"payload": "no"}, {"tip_force": [1.0, 2.0]}, {"drives": 1}]
)
def test_letters_are_asked_for_by_yes_or_no(options):
    (name,) = options
    assert refusal(**options).startswith(f"{name}: got ")
    assert "need True or False" in refusal(**options)

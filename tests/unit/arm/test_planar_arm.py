"""The arm: how it is made, what it refuses, and that it behaves as a value."""

import copy
import math
import pickle

import numpy as np
import pytest

import ulna
from ulna import Arm, Friction, InputError, Joint, Link, Motor, Payload


def problems(call):
    with pytest.raises(InputError) as caught:
        call()
    return caught.value.problems


def names(call):
    return [problem.what for problem in problems(call)]


def rich_arm():
    motor = Motor(12.0, 1.5, 0.02, name="AX-12")
    return Arm.of(
        [Link(0.5, 1.0, tip_mass=0.1), Link(0.4, 0.8, com=0.1, inertia=0.01, com_offset=0.02)],
        [Joint(-1, 2, damping=0.1), Joint(friction=Friction(0.1), motor=motor, gear_ratio=-50)],
        gravity=(1.0, -2.0),
        base=(0.5, 0.25),
        payload=Payload(0.3, 0.004),
        name="rich",
    )


# Making


def test_rods_are_uniform_and_free():
    arm = Arm.rods([0.5, 0.25], [1.0, 10.0])
    assert arm.links == (Link(0.5, 1.0), Link(0.25, 10.0))
    assert arm.joints == (Joint(), Joint())
    assert arm.gravity == (0.0, -9.81)
    assert arm.base == (0.0, 0.0)
    assert arm.payload == Payload()
    assert arm.name == ""
    assert (arm.n, arm.reach, arm.mass) == (2, 0.75, 11.0)


def test_point_masses_sit_at_the_distal_ends():
    arm = Arm.point_masses([0.5, 0.25], [1.0, 10.0])
    for link, length, mass in zip(arm.links, (0.5, 0.25), (1.0, 10.0), strict=True):
        assert (link.length, link.mass, link.com, link.inertia) == (length, mass, length, 0.0)
        assert link.tip_mass == 0.0


@pytest.mark.parametrize("make", [Arm.rods, Arm.point_masses])
@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_lengths_and_masses_come_in_any_sequence(make, kind):
    arm = make(kind([1, 2]), kind([3, 4]))
    assert [link.length for link in arm.links] == [1.0, 2.0]
    assert [link.mass for link in arm.links] == [3.0, 4.0]


@pytest.mark.parametrize("make", [Arm.rods, Arm.point_masses])
def test_options_are_those_of_an_arm_of_links(make):
    options = {
        "joints": [Joint(damping=0.1)],
        "gravity": (0.0, 0.0),
        "base": [1, 2],
        "payload": 0.5,
        "name": "x",
    }
    arm = make([1.0], [1.0], **options)
    assert arm.joints == (Joint(damping=0.1),)
    assert (arm.gravity, arm.base) == ((0.0, 0.0), (1.0, 2.0))
    assert (arm.payload, arm.name) == (Payload(0.5), "x")


def test_links_may_come_from_a_generator():
    arm = Arm.of((Link(1, 1) for _ in range(3)), (Joint() for _ in range(3)))
    assert arm.n == 3
    assert isinstance(arm.links, tuple)
    assert isinstance(arm.joints, tuple)


def test_an_arm_made_of_lists_is_the_same_value():
    direct = Arm([Link(1, 1)], [Joint()], [0.0, -9.81], [0.0, 0.0])
    assert direct == Arm.of([Link(1, 1)])
    assert hash(direct) == hash(Arm.of([Link(1, 1)]))


def test_mass_counts_links_tips_and_payload():
    arm = Arm.of([Link(1, 1, tip_mass=2), Link(1, 4)], payload=8)
    assert arm.mass == 15.0


def test_any_number_of_links():
    arm = Arm.rods([0.125] * 1000, [1.0] * 1000)
    assert (arm.n, arm.reach) == (1000, 125.0)


# Refusing


def test_all_problems_of_all_links_come_at_once():
    found = problems(lambda: Arm.rods([1, -2], [math.nan, "x"]))
    assert [p.what for p in found] == ["link.1.mass", "link.2.length", "link.2.mass"]
    assert [p.got for p in found] == ["nan", "-2", "'x'"]


def test_point_masses_blame_what_was_given():
    assert names(lambda: Arm.point_masses([math.nan, 1], [1, -1])) == [
        "link.1.length",
        "link.2.mass",
    ]


@pytest.mark.parametrize("make", [Arm.rods, Arm.point_masses])
@pytest.mark.parametrize("bad", [None, 1.0, "12", np.array(1.0)])
def test_lengths_and_masses_are_lists(make, bad):
    assert names(lambda: make(bad, [1.0])) == ["lengths"]
    assert names(lambda: make([1.0], bad)) == ["masses"]
    assert names(lambda: make(bad, bad)) == ["lengths", "masses"]


def test_there_is_a_mass_for_every_length():
    [problem] = problems(lambda: Arm.rods([1, 2, 3], [1, 2]))
    assert problem.what == "masses"
    assert "2" in problem.got
    assert "3" in problem.need


@pytest.mark.parametrize(
    "make", [lambda: Arm.of([]), lambda: Arm.rods([], []), lambda: Arm((), ())]
)
def test_an_arm_has_a_link(make):
    assert names(make) == ["links"]


def test_there_is_a_joint_for_every_link():
    assert names(lambda: Arm.of([Link(1, 1)] * 2, [Joint()])) == ["joints"]
    assert names(lambda: Arm.of([Link(1, 1)], [])) == ["joints"]


def test_links_are_links_and_joints_are_joints():
    found = problems(lambda: Arm.of([Link(1, 1), 3.0, Joint()], [Joint(), None, Link(1, 1)]))
    assert [p.what for p in found] == ["link.2", "link.3", "joint.2", "joint.3"]
    assert "Link" in found[0].need
    assert "Joint" in found[2].need


@pytest.mark.parametrize("bad", [5, None, Link(1, 1), 2.5])
def test_links_and_joints_come_in_lists(bad):
    assert names(lambda: Arm.of(bad)) == ["links"]
    assert names(lambda: Arm(bad, (Joint(),))) == ["links"]
    if bad is not None:
        assert names(lambda: Arm.of([Link(1, 1)], bad)) == ["joints"]


@pytest.mark.parametrize("field", ["gravity", "base"])
@pytest.mark.parametrize("bad", [None, 9.81, (), (1.0,), (1.0, 2.0, 3.0), "abc", np.zeros((3, 2))])
def test_vectors_have_two_components(field, bad):
    assert names(lambda: Arm.rods([1], [1], **{field: bad})) == [field]


@pytest.mark.parametrize("field", ["gravity", "base"])
@pytest.mark.parametrize(
    "bad", [math.nan, math.inf, "1", True, None, 10**400], ids=lambda bad: repr(bad)[:9]
)
def test_components_are_finite_numbers(field, bad):
    assert names(lambda: Arm.rods([1], [1], **{field: (bad, 0.0)})) == [f"{field}.x"]
    assert names(lambda: Arm.rods([1], [1], **{field: (0.0, bad)})) == [f"{field}.y"]
    assert names(lambda: Arm.rods([1], [1], **{field: (bad, bad)})) == [f"{field}.x", f"{field}.y"]


def test_vectors_may_be_arrays_and_become_floats():
    arm = Arm.rods([1], [1], gravity=np.array([1, 2]), base=np.array([3.0, 4.0]))
    assert (arm.gravity, arm.base) == ((1.0, 2.0), (3.0, 4.0))
    assert all(type(value) is float for value in (*arm.gravity, *arm.base))


@pytest.mark.parametrize("bad", ["1 kg", -1.0, math.nan, None, True, [1.0]])
def test_a_payload_is_a_mass_or_a_payload(bad):
    assert names(lambda: Arm.rods([1], [1], payload=bad)) == ["payload.mass"]
    assert names(lambda: Arm.rods([1], [1]).with_payload(bad)) == ["payload.mass"]


def test_the_bare_class_takes_no_other_thing_for_a_payload():
    [name] = names(lambda: Arm((Link(1, 1),), (Joint(),), payload="heavy"))
    assert name.startswith("payload")


@pytest.mark.parametrize("bad", [None, 1, b"arm", "two\nlines", "tab\there", "\x1b[31mred", "\x00"])
def test_a_name_is_text_on_one_line(bad):
    assert names(lambda: Arm.rods([1], [1], name=bad)) == ["name"]


@pytest.mark.parametrize(
    "name", ["", " ", "bras à 2 axes", "ロボット　アーム", "机械臂", "👩‍🔧", "a\u00a0b"]
)
def test_a_name_on_one_line_is_kept_in_any_script(name):
    assert Arm.rods([1], [1], name=name).name == name


def test_problems_of_different_parts_come_at_once():
    found = names(
        lambda: Arm.of([Link(1, 1), 7], [Joint()], gravity="x", base=(0, math.nan), name=3)
    )
    assert sorted(found) == ["base.y", "gravity", "joints", "link.2", "name"]


def test_a_bad_payload_does_not_hide_the_rest():
    found = names(lambda: Arm.rods([1], [1], gravity="x", payload=-1))
    assert sorted(found) == ["gravity", "payload.mass"]
    found = names(lambda: Arm.rods([1], [1]).replace(name=3, payload=-1))
    assert sorted(found) == ["name", "payload.mass"]


# Changing


def test_an_arm_is_frozen():
    arm = rich_arm()
    for field in ("links", "joints", "gravity", "base", "payload", "name", "parameters"):
        with pytest.raises(AttributeError):
            setattr(arm, field, None)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"gravity": (0.0, 0.0)},
        {"base": (9.0, 9.0)},
        {"payload": Payload(9.0)},
        {"payload": 9.0},
        {"links": [Link(1, 1), Link(2, 2)]},
        {"joints": (Joint(), Joint())},
        {"links": [Link(1, 1)], "joints": [Joint()]},
    ],
)
def test_replace_gives_an_arm_that_differs_there_only(change):
    arm = rich_arm()
    other = arm.replace(**change)
    assert other != arm
    for field in ("links", "joints", "gravity", "base", "payload", "name"):
        expected = change.get(field, getattr(arm, field))
        if field == "payload" and not isinstance(expected, Payload):
            expected = Payload(expected)
        assert getattr(other, field) == (
            tuple(expected) if field in change and field in ("links", "joints") else expected
        )
    assert arm == rich_arm()


def test_replace_renews_the_parameters():
    arm = Arm.rods([1.0, 1.0], [1.0, 1.0])
    other = arm.replace(links=[Link(2.0, 3.0), Link(1.0, 1.0)], gravity=(0.0, -1.62))
    np.testing.assert_array_equal(other.parameters.length, [2.0, 1.0])
    np.testing.assert_array_equal(other.parameters.gravity, [0.0, -1.62])
    np.testing.assert_array_equal(arm.parameters.length, [1.0, 1.0])


def test_replace_knows_its_names():
    [problem] = problems(lambda: rich_arm().replace(lengths=[1, 2]))
    assert "lengths" in problem.got
    for field in ("links", "joints", "gravity", "base", "payload", "name"):
        assert field in problem.need
    assert "parameters" not in problem.need
    assert len(problems(lambda: rich_arm().replace(parameters=None, colour="red"))) == 2


@pytest.mark.parametrize(
    ("change", "blamed"),
    [
        ({"links": 5}, ["links"]),
        ({"links": None}, ["links"]),
        ({"joints": 5}, ["joints"]),
        ({"links": ["a", "b"]}, ["link.1", "link.2"]),
        ({"links": [Link(1, 1)]}, ["joints"]),
        ({"gravity": None}, ["gravity"]),
        ({"base": "ab"}, ["base.x", "base.y"]),
        ({"payload": "heavy"}, ["payload.mass"]),
        ({"name": None}, ["name"]),
    ],
)
def test_replace_checks_as_making_does(change, blamed):
    assert names(lambda: rich_arm().replace(**change)) == blamed


def test_replacing_nothing_gives_an_equal_arm():
    assert rich_arm().replace() == rich_arm()


@pytest.mark.parametrize("payload", [0.5, Payload(0.5), np.float32(0.5)])
def test_a_payload_hangs_on_the_last_tip(payload):
    arm = Arm.of([Link(1, 1, tip_mass=0.25), Link(1, 2, tip_mass=0.125)])
    loaded = arm.with_payload(payload)
    np.testing.assert_array_equal(loaded.parameters.tip_mass, [0.25, 0.625])
    np.testing.assert_array_equal(loaded.parameters.inertia, arm.parameters.inertia)
    assert loaded.links == arm.links
    assert loaded.payload == Payload(0.5)
    assert loaded.mass == arm.mass + 0.5
    assert arm.payload == Payload()


def test_a_payload_is_put_in_place_of_the_one_before():
    arm = Arm.rods([1.0], [1.0], payload=3.0)
    assert arm.with_payload(1.0).parameters.tip_mass[0] == 1.0
    assert arm.with_payload(0.0) == Arm.rods([1.0], [1.0])


def test_a_payload_s_inertia_belongs_to_the_last_link():
    arm = Arm.rods([1.0, 1.0], [1.0, 3.0])
    loaded = arm.with_payload(Payload(0.5, 0.25))
    np.testing.assert_array_equal(loaded.parameters.inertia, [1 / 12, 0.25 + 0.25])
    np.testing.assert_array_equal(loaded.parameters.tip_mass, [0.0, 0.5])


# Being a value


def test_equal_arms_are_one_key():
    assert rich_arm() == rich_arm()
    assert hash(rich_arm()) == hash(rich_arm())
    assert len({rich_arm(), rich_arm(), Arm.rods([1], [1])}) == 2
    assert rich_arm() != "arm"
    assert Arm.rods([1], [1]) != Arm.rods([1], [1], name="x")


@pytest.mark.parametrize(
    "clone", [copy.copy, copy.deepcopy, lambda arm: pickle.loads(pickle.dumps(arm))]
)
def test_a_copy_is_as_good_and_as_frozen(clone):
    arm = rich_arm()
    twin = clone(arm)
    assert twin == arm
    assert repr(twin) == repr(arm)
    for ours, theirs in zip(twin.parameters, arm.parameters, strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert not ours.flags.writeable


def test_the_public_names_are_the_contract():
    for name in ("Arm", "Link", "Joint", "Payload", "Friction", "Motor", "Parameters"):
        assert isinstance(getattr(ulna, name), type)
    for name in ("preset", "presets", "load", "save", "stack"):
        assert callable(getattr(ulna, name))


def test_lengths_and_masses_are_those_of_the_links_and_read_only():
    arm = Arm.rods([0.5, 0.4], [1.0, 2.0]).with_payload(3.0)
    assert arm.lengths.tolist() == [0.5, 0.4]
    assert arm.masses.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        arm.lengths[0] = 1.0


def test_what_nobody_would_ask_an_arm_is_just_not_there():
    assert not hasattr(Arm.rods([0.5], [1.0]), "zzz")
    assert not hasattr(Arm, "__wrapped__")


def test_numbers_in_place_of_links_are_told_of_rods():
    with pytest.raises(InputError, match=r"need a Link; .*Arm\.rods\(lengths, masses\)"):
        Arm([0.5], [1.0])


def test_limits_in_place_of_joints_are_told_how_joints_have_them():
    with pytest.raises(InputError, match=r"need a Joint; such as Joint\(lower=-2, upper=2\)"):
        Arm.rods([1.0], [1.0], joints=[(-2.0, 2.0)])


def test_an_arm_without_friction_keeps_its_damping_and_all_else():
    joint = Joint(-1, 2, damping=0.1, friction=Friction(0.2, 0.3, drag=0.4))
    arm = Arm.rods([1.0, 0.5], [1.0, 2.0], joints=[joint, Joint(damping=0.3)], payload=0.5)
    without = arm.without_friction()
    assert arm.has_friction
    assert not without.has_friction
    assert without == arm.replace(joints=[Joint(-1, 2, damping=0.1), Joint(damping=0.3)])
    same = arm.parameters.without_friction()
    for name in ("coulomb", "static", "drag"):
        assert not getattr(same, name).any()
    dragging = arm.without_friction(keep_drag=True)
    assert dragging.joints[0].friction == Friction(drag=0.4)
    assert dragging.joints[1] == arm.joints[1]
    assert np.array_equal(arm.parameters.without_friction(keep_drag=True).drag, [0.4, 0.0])
    assert without.without_friction() is without
    for name in set(same._fields) - {"coulomb", "static", "drag", "stribeck_velocity"}:
        assert np.array_equal(getattr(same, name), getattr(without.parameters, name))


@pytest.mark.parametrize(
    ("friction", "has"),
    [(None, False), (Friction(), False), (Friction(0.0, 0.1), True), (Friction(drag=0.1), True)],
)
def test_an_arm_has_friction_where_a_joint_does(friction, has):
    arm = Arm.rods([1.0, 1.0], [1.0, 1.0], joints=[Joint(), Joint(friction=friction)])
    assert arm.has_friction is has


@pytest.mark.parametrize("letter", ["\u202e", "\u2066", "\ufffe", "\n", "\x1b", "\ud800"])
def test_names_that_no_file_could_hold_are_refused(letter):
    with pytest.raises(ulna.InputError, match=r"control character U\+.*, need text"):
        ulna.Arm.rods([1.0], [1.0], name=f"a{letter}b")

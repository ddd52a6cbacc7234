"""The arm: how it is made, what it refuses, and that it behaves as a value."""

import copy
import math
import pickle

import numpy as np
import pytest

from refusals import names_of, problems_of
from tabular import tabular
from ulna import Arm, Friction, Joint, Link, Motor, Payload

FIELDS = ("links", "joints", "gravity", "base", "payload", "name")


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
    assert (arm.gravity, arm.base) == ((0.0, -9.81), (0.0, 0.0))
    assert (arm.payload, arm.name) == (Payload(), "")
    assert (arm.n, arm.reach, arm.mass) == (2, 0.75, 11.0)


def test_point_masses_sit_at_the_distal_ends():
    arm = Arm.point_masses([0.5, 0.25], [1.0, 10.0])
    for link, length, mass in zip(arm.links, (0.5, 0.25), (1.0, 10.0), strict=True):
        assert (link.length, link.mass, link.com, link.inertia) == (length, mass, length, 0.0)
        assert link.tip_mass == 0.0


@pytest.mark.parametrize("kind", [list, np.array])
def test_lengths_masses_and_vectors_come_in_any_sequence(kind):
    arm = Arm.rods(kind([1, 2]), kind([3, 4]), gravity=kind([1, 2]), base=kind([3, 4]), payload=0.5)
    assert [(link.length, link.mass) for link in arm.links] == [(1.0, 3.0), (2.0, 4.0)]
    assert (arm.gravity, arm.base, arm.payload) == ((1.0, 2.0), (3.0, 4.0), Payload(0.5))
    assert all(type(value) is float for value in (*arm.gravity, *arm.base))


def test_links_may_come_from_a_generator_or_a_list():
    arm = Arm.of((Link(1, 1) for _ in range(3)), (Joint() for _ in range(3)))
    assert arm.n == 3
    direct = Arm([Link(1, 1)], [Joint()], [0.0, -9.81], [0.0, 0.0])
    assert direct == Arm.of([Link(1, 1)])
    assert hash(direct) == hash(Arm.of([Link(1, 1)]))


def test_mass_counts_links_tips_and_payload():
    assert Arm.of([Link(1, 1, tip_mass=2), Link(1, 4)], payload=8).mass == 15.0


# Refusing


def test_all_problems_of_all_links_come_at_once():
    found = problems_of(lambda: Arm.rods([1, -2], [math.nan, "x"]))
    assert [(p.what, p.got) for p in found] == [
        ("link.1.mass", "nan"), ("link.2.length", "-2"), ("link.2.mass", "'x'"),
    ]  # fmt: skip
    assert names_of(lambda: Arm.point_masses([math.nan, 1], [1, -1])) == [
        "link.1.length", "link.2.mass",
    ]  # fmt: skip


def test_lengths_and_masses_are_lists_of_one_length():
    for bad in (None, 1.0, "12", np.array(1.0)):
        assert names_of(lambda bad=bad: Arm.rods(bad, bad)) == ["lengths", "masses"]
    assert names_of(lambda: Arm.rods([1, 2, 3], [1, 2])) == ["masses"]


def test_an_arm_has_links_and_as_many_joints():
    for make in (lambda: Arm.of([]), lambda: Arm.rods([], []), lambda: Arm((), ())):
        assert names_of(make) == ["links"]
    assert names_of(lambda: Arm.of([Link(1, 1)] * 2, [Joint()])) == ["joints"]


def test_links_are_links_and_joints_are_joints():
    found = problems_of(lambda: Arm.of([Link(1, 1), 3.0, Joint()], [Joint(), None, Link(1, 1)]))
    assert [p.what for p in found] == ["link.2", "link.3", "joint.2", "joint.3"]
    for bad in (5, None, Link(1, 1)):
        assert names_of(lambda bad=bad: Arm(bad, (Joint(),))) == ["links"]
    # What to write instead of lengths, and instead of pairs of limits.
    assert "Arm.rods(" in problems_of(lambda: Arm([0.5], [1.0]))[0].hint
    assert "Joint(lower=" in problems_of(lambda: Arm.rods([1.0], [1.0], joints=[(-2, 2)]))[0].hint


@pytest.mark.parametrize("field", ["gravity", "base"])
def test_vectors_have_two_finite_components(field):
    for bad in (None, 9.81, (1.0, 2.0, 3.0), "abc", np.zeros((3, 2))):
        assert names_of(lambda bad=bad: Arm.rods([1], [1], **{field: bad})) == [field]
    for bad in (math.nan, "1"):
        both = names_of(lambda bad=bad: Arm.rods([1], [1], **{field: (bad, bad)}))
        assert both == [f"{field}.x", f"{field}.y"]


def test_a_payload_is_a_mass_or_a_payload():
    for bad in ("1 kg", [1.0]):
        make = lambda bad=bad: Arm.rods([1], [1], payload=bad)  # noqa: E731
        assert names_of(make) == ["payload.mass"]


@tabular("bad", [None, 1, "two\nlines", "\x1b[31mred", "a\u202eb", "a\ufffeb", "a\ud800b"])
def test_a_name_is_text_on_one_line(bad):
    assert names_of(lambda: Arm.rods([1], [1], name=bad)) == ["name"]


@tabular("name", ["", "bras à 2 axes", "机械臂", "👩‍🔧", "a\u00a0b"])
def test_a_name_on_one_line_is_kept_in_any_script(name):
    assert Arm.rods([1], [1], name=name).name == name


def test_problems_of_different_parts_come_at_once():
    found = names_of(
        lambda: Arm.of([Link(1, 1), 7], [Joint()], gravity="x", base=(0, math.nan), name=3)
    )
    assert sorted(found) == ["base.y", "gravity", "joints", "link.2", "name"]


# Changing


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"gravity": (0.0, 0.0)},
        {"base": (9.0, 9.0)},
        {"payload": Payload(9.0)},
        {"links": (Link(1, 1), Link(2, 2))},
        {"joints": (Joint(), Joint())},
        {"links": (Link(1, 1),), "joints": (Joint(),)},
    ],
)
def test_replace_gives_an_arm_that_differs_there_only(change):
    arm = rich_arm()
    other = arm.replace(**change)
    assert other != arm
    for field in FIELDS:
        assert getattr(other, field) == change.get(field, getattr(arm, field))
    assert arm == rich_arm() == rich_arm().replace()


def test_replace_renews_the_parameters():
    arm = Arm.rods([1.0, 1.0], [1.0, 1.0])
    other = arm.replace(links=[Link(2.0, 3.0), Link(1.0, 1.0)], gravity=(0.0, -1.62))
    np.testing.assert_array_equal(other.parameters.length, [2.0, 1.0])
    np.testing.assert_array_equal(other.parameters.gravity, [0.0, -1.62])
    np.testing.assert_array_equal(arm.parameters.length, [1.0, 1.0])


def test_replace_knows_its_names():
    [problem] = problems_of(lambda: rich_arm().replace(lengths=[1, 2]))
    assert "lengths" in problem.got
    assert all(field in problem.need for field in FIELDS)
    assert "parameters" not in problem.need
    assert len(problems_of(lambda: rich_arm().replace(parameters=None, colour="red"))) == 2


@pytest.mark.parametrize("payload", [0.5, Payload(0.5), np.float32(0.5)])
def test_a_payload_hangs_on_the_last_tip(payload):
    arm = Arm.of([Link(1, 1, tip_mass=0.25), Link(1, 2, tip_mass=0.125)])
    loaded = arm.with_payload(payload)
    np.testing.assert_array_equal(loaded.parameters.tip_mass, [0.25, 0.625])
    np.testing.assert_array_equal(loaded.parameters.inertia, arm.parameters.inertia)
    assert loaded.links == arm.links
    assert (loaded.payload, loaded.mass) == (Payload(0.5), arm.mass + 0.5)
    # A payload replaces the one before.
    assert loaded.with_payload(1.0).parameters.tip_mass[1] == 1.125
    assert loaded.with_payload(0.0) == arm


def test_a_payload_s_inertia_belongs_to_the_last_link():
    loaded = Arm.rods([1.0, 1.0], [1.0, 3.0]).with_payload(Payload(0.5, 0.25))
    np.testing.assert_array_equal(loaded.parameters.inertia, [1 / 12, 0.25 + 0.25])
    np.testing.assert_array_equal(loaded.parameters.tip_mass, [0.0, 0.5])


# Being a value


def test_equal_arms_are_one_key():
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
    for field in (*FIELDS, "parameters"):
        with pytest.raises(AttributeError):
            setattr(twin, field, None)
    for ours, theirs in zip(twin.parameters, arm.parameters, strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert not ours.flags.writeable


def test_lengths_and_masses_are_those_of_the_links_and_read_only():
    arm = Arm.rods([0.5, 0.4], [1.0, 2.0]).with_payload(3.0)
    assert (arm.lengths.tolist(), arm.masses.tolist()) == ([0.5, 0.4], [1.0, 2.0])
    with pytest.raises(ValueError, match="read-only"):
        arm.lengths[0] = 1.0


def test_an_arm_without_friction_keeps_its_damping_and_all_else():
    joint = Joint(-1, 2, damping=0.1, friction=Friction(0.2, 0.3, drag=0.4))
    arm = Arm.rods([1.0, 0.5], [1.0, 2.0], joints=[joint, Joint(damping=0.3)], payload=0.5)
    without = arm.without_friction()
    assert (arm.has_friction, without.has_friction) == (True, False)
    assert without == arm.replace(joints=[Joint(-1, 2, damping=0.1), Joint(damping=0.3)])
    dragging = arm.without_friction(keep_drag=True)
    assert dragging.joints[0].friction == Friction(drag=0.4)
    assert dragging.joints[1] == arm.joints[1]
    assert np.array_equal(arm.parameters.without_friction(keep_drag=True).drag, [0.4, 0.0])
    same = arm.parameters.without_friction()
    for name in set(same._fields) - {"stribeck_velocity"}:
        assert np.array_equal(getattr(same, name), getattr(without.parameters, name))


@pytest.mark.parametrize(
    ("friction", "has"),
    [(None, False), (Friction(), False), (Friction(0.0, 0.1), True), (Friction(drag=0.1), True)],
)
def test_an_arm_has_friction_where_a_joint_does(friction, has):
    arm = Arm.rods([1.0, 1.0], [1.0, 1.0], joints=[Joint(), Joint(friction=friction)])
    assert arm.has_friction is has

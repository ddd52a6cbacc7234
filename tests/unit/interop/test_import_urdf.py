"""URDF files that MuJoCo compiles: the planar arm in them, and all that is refused."""

import re
import time

import numpy as np
import pytest

import robot_descriptions as robots
import ulna
from ulna import InputError
from ulna.interop import import_robot

pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")

UPRIGHT = {"axis": (0.0, -1.0, 0.0)}


def two_links(*, elbow=None, more="", body=None):
    return robots.robot(
        robots.link("base"),
        robots.link("upper", robots.inertial(1.0, (0.2, 0.0, 0.0))),
        robots.link("lower", robots.inertial(0.5, (0.1, 0.0, 0.0)) if body is None else body),
        robots.link("tip"),
        robots.joint("shoulder", "base", "upper", **UPRIGHT),
        elbow or elbow_of(),
        robots.joint("flange", "lower", "tip", (0.3, 0.0, 0.0), kind="fixed"),
        more,
    )


def elbow_of(**options):
    return robots.joint("elbow", "upper", "lower", (0.4, 0.0, 0.0), **(UPRIGHT | options))


@pytest.fixture
def read(tmp_path):
    def read(text, **links):
        file = tmp_path / "arm.urdf"
        file.write_text(text)
        return import_robot(file, **links)

    return read


def problems(read, text, **links):
    with pytest.raises(InputError) as caught:
        read(text, **links)
    return {problem.what: problem for problem in caught.value.problems}


def test_lengths_masses_and_inertias_are_those_of_the_file(read):
    found = read(two_links())
    assert found.same_angles
    assert found.joint_names == ("shoulder", "elbow")
    assert found.arm.lengths == pytest.approx([0.4, 0.3])
    assert found.arm.masses == pytest.approx([1.0, 0.5])
    assert [link.com for link in found.arm.links] == pytest.approx([0.2, 0.1])
    # The joints turn about y of the links.
    assert [link.inertia for link in found.arm.links] == pytest.approx([9e-5, 9e-5])
    assert found.arm.gravity == (0.0, -9.81)


@pytest.mark.parametrize("attribute", ["name", "xmlns='http://drake.mit.edu' name"])
def test_limits_damping_and_friction_are_those_of_the_file(read, attribute):
    limits = robots.limits(-1, 2, effort=3, velocity=4, damping=0.1, friction=0.2)
    text = two_links(elbow=elbow_of(kind="revolute", more=limits))
    first, second = read(text.replace("<robot name", f"<robot {attribute}")).arm.joints
    assert first.is_free
    assert second == ulna.Joint(-1.0, 2.0, 4.0, 3.0, 0.1, friction=ulna.Friction(0.2))


def test_an_axis_against_the_first_reverses_angles_and_limits(read):
    limits = robots.limits(-1.0, 2.0)
    found = read(two_links(elbow=elbow_of(axis=(0.0, 1.0, 0.0), kind="revolute", more=limits)))
    assert found.signs == (1.0, -1.0)
    assert (found.arm.joints[1].lower, found.arm.joints[1].upper) == (-2.0, 1.0)
    assert found.from_file_angles([0.3, 0.5]) == pytest.approx([0.3, -0.5])
    assert found.to_file_angles([0.3, -0.5]) == pytest.approx([0.3, 0.5])


@pytest.mark.parametrize(
    ("axis", "x_axis", "text"),
    [
        ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), "x of the arm is +x of the file, y is +z"),
        ((0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), "x of the arm is −x of the file, y is +z"),
    ],
)
def test_the_axes_of_the_arm_are_those_in_which_the_file_moves(read, axis, x_axis, text):
    found = read(two_links().replace("0.0 -1.0 0.0", " ".join(map(str, axis))))
    assert found.x_axis == pytest.approx(x_axis)
    assert found.axes_text == text
    x, y, _ = ulna.kinematics.tip(found.arm, found.from_file_angles([0.0, 0.0]))
    # At the zero of the file the arm lies along +x.
    here = x * np.array(found.x_axis) + y * np.array(found.y_axis)
    assert here == pytest.approx([0.7, 0.0, 0.0], abs=1e-12)


def test_an_arm_that_lies_flat_feels_no_gravity(read):
    assert read(two_links().replace("0.0 -1.0 0.0", "0.0 0.0 1.0")).arm.gravity == (0.0, 0.0)


def test_what_is_fixed_to_a_link_is_a_part_of_it(read):
    motor = robots.link("motor", robots.inertial(0.5, moments=(0.001, 0.001, 0.001)))
    weld = robots.joint("weld", "upper", "motor", (0.4, 0.0, 0.0), (0.3, 0.2, 0.1), kind="fixed")
    link = read(two_links(more=motor + weld), tip_link="tip").arm.links[0]
    assert (link.mass, link.com) == pytest.approx((1.5, (0.2 + 0.5 * 0.4) / 1.5))
    # Two bodies 0.2 m apart, of reduced mass 1/3, and their own inertias.
    assert link.inertia == pytest.approx(9e-5 + 0.001 + 0.2**2 / 3.0)


def test_a_last_link_without_a_frame_beyond_it_ends_as_a_rod_does(read):
    with pytest.warns(ulna.UlnaWarning, match="the frame of 'lower' is on the axis"):
        arm = read(robots.double_pendulum()).arm
    assert arm.lengths == pytest.approx([0.6, 0.4])


@pytest.mark.filterwarnings("ignore:the frame of:ulna.UlnaWarning")
def test_axes_that_are_parallel_to_a_few_digits_are_accepted(read):
    text = robots.pitch_arm(round_right_angles=4)
    with pytest.warns(ulna.UlnaWarning, match="no part of the arm: pan, wrist_roll, grip"):
        read(text, base_link="shoulder", tip_link="wrist")


@pytest.mark.parametrize(
    ("elbow", "what", "got"),
    [
        ({"kind": "prismatic", "more": robots.limits(0.0, 1.0)}, "", "a prismatic joint"),
        ({"more": '<mimic joint="shoulder"/>'}, "", "a joint that mimics 'shoulder'"),
        ({"axis": (0.0, 0.0, 1.0)}, ".axis", "an axis at 90° to that of 'shoulder'"),
    ],
)
def test_joints_that_no_planar_arm_has_are_named(read, elbow, what, got):
    for links in ({}, {"tip_link": "tip"}):
        found = problems(read, two_links(elbow=elbow_of(**elbow)), **links)[f"joint.elbow{what}"]
        assert found.got == got
        assert found.place.endswith("arm.urdf")


def test_limits_that_were_not_entered_are_none(read):
    # As SolidWorks writes a joint without limits.
    more = '<limit lower="0" upper="0" effort="0" velocity="0"/>'
    with pytest.warns(ulna.UlnaWarning) as told:
        found = read(two_links(elbow=elbow_of(kind="revolute", more=more)))
    assert any("velocity of elbow, effort of elbow" in str(one.message) for one in told)
    assert found.arm.joints[1].is_free


def test_limits_the_wrong_way_round_are_refused(read):
    more = '<limit lower="2" upper="-2" effort="3" velocity="4"/>'
    elbow = elbow_of(kind="revolute", more=more)
    assert "joint.elbow.limit" in problems(read, two_links(elbow=elbow))


@pytest.mark.parametrize("key", ["xyz", "value", "ixx", "lower", "effort"])
def test_nan_is_refused_by_its_owner(read, key):
    """MuJoCo takes it for 0, or for no limit."""
    limits = robots.limits(-1, 1, effort=3, velocity=4)
    text = two_links(elbow=elbow_of(kind="revolute", more=limits))
    found = problems(read, re.sub(rf'{key}="[^"]*"', f'{key}="nan"', text))
    assert any(name.endswith(f".{key}") for name in found)


MASS, MOMENTS = '<mass value="1"/>', 'ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"'


@pytest.mark.filterwarnings("ignore:link:ulna.UlnaWarning")
def test_an_inertia_that_no_body_has_can_be_balanced_as_the_message_says(read):
    body = f"<inertial>{MASS}<inertia {MOMENTS.replace('1e-3', '1', 1)}/></inertial>"
    problem = problems(read, two_links(body=body))["robot"]
    assert "'lower'" in problem.got
    advice = problem.hint.partition(": ")[2]
    read(two_links(body=body).replace("</robot>", f"{advice}</robot>"))


def test_a_branch_needs_a_tip(read):
    branch = robots.link("other", robots.inertial(1.0)) + robots.joint(
        "second_arm", "upper", "other", (0.2, 0.0, 0.0), **UPRIGHT
    )
    found = problems(read, two_links(more=branch))
    assert all("tip_link" in problem.hint for problem in found.values())
    with pytest.warns(ulna.UlnaWarning, match="held at zero, as no part of the arm: second_arm"):
        assert read(two_links(more=branch), tip_link="tip").held == ("second_arm",)


def test_links_that_are_not_there_are_answered_with_the_nearest(read):
    assert "did you mean 'tip'?" in problems(read, two_links(), tip_link="tipp")["tip_link"].hint
    assert "base_link" in problems(read, two_links(), base_link="floor")


def test_a_joint_on_which_the_tip_lies_is_named(read):
    text = two_links().replace("0.3 0.0 0.0", "0.0 0.0 0.0")
    text = text.replace('xyz="0.1 0.0 0.0"', 'xyz="0.0 0.0 0.0"')
    found = problems(read, text)["joint.elbow"]
    assert found.got == "the next joint, or the tip, on its own axis"
    assert "tip_link" in found.hint


@pytest.mark.parametrize("word", ["nan", "-1", "fast"])
def test_a_limit_of_velocity_is_a_number(read, word):
    limits = robots.limits(-1, 1, velocity=word)
    assert problems(read, two_links(elbow=elbow_of(kind="revolute", more=limits)))


LAUGHS = "".join(f'<!ENTITY a{i + 1} "{f"&a{i};" * 10}">' for i in range(9))
HOSTILE = {
    "document type": '<!DOCTYPE robot [<!ENTITY a "b">]><robot name="&a;"/>',
    "external entity": '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot>&a;</robot>',
    "entities of entities": f'<!DOCTYPE r [<!ENTITY a0 "ha">{LAUGHS}]><robot name="&a9;"/>',
    "deep": "<robot>" + "<link>" * 200_000,
    "not closed": "<robot><link>",
    "another root": "<sdf/>",
    "empty": "",
    "a terminal's command": '<robot name="&#x9b;31m"><link name="a"/></robot>',
    "text in UTF-16": "<robot/>".encode("utf-16"),
    "bytes": bytes(range(256)),
    "a million numbers": f'<robot><joint><origin xyz="{"1 " * 1_000_000}"/></joint></robot>',
    "many copies": '<mujoco><worldbody><replicate count="100000000"><geom size="1"/></replicate>'
    "</worldbody></mujoco>",
    "a large field": '<mujoco><asset><hfield nrow="100000" ncol="100000" size="1 1 1 1"/></asset>'
    "</mujoco>",
    "a large mesh": '<mujoco><asset><mesh builtin="plate" params="9000 9000"/></asset></mujoco>',
    "long attributes of many": f'<mujoco><default><geom user="{"1 " * 50_000}"/></default>'
    f"<worldbody>{'<geom/>' * 9_000}</worldbody></mujoco>",
    "many attributes": "<robot " + " ".join(f'a{i}=""' for i in range(40_000)) + "/>",
    "nested": "<robot>" + "<link>" * 5_000 + "</link>" * 5_000 + "</robot>",
    "copies in a namespace": '<mujoco xmlns="a"><worldbody><replicate count="20000">'
    '<geom size="1"/></replicate></worldbody></mujoco>',
    "many links": "<robot>" + "<link/>" * 80_000 + "</robot>",
    "a macro": '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include/></robot>',
    "another file": '<mujoco><include file="../../arm.xml"/></mujoco>',
    "a file for a mesh": '<mujoco><asset><mesh name="m" file="/etc/passwd"/></asset><worldbody>'
    '<body><joint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>',
}


@pytest.mark.filterwarnings("ignore::ulna.UlnaWarning")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_quickly(tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = HOSTILE[name]
    (tmp_path / "arm.urdf").write_bytes(text.encode() if isinstance(text, str) else text)
    start = time.process_time()
    with pytest.raises(InputError):
        import_robot(tmp_path / "arm.urdf")
    assert time.process_time() - start < 1.0
    assert [file.name for file in tmp_path.iterdir()] == ["arm.urdf"]


def test_a_warning_of_mujoco_is_passed_on_and_leaves_no_file(tmp_path, monkeypatch, read):
    monkeypatch.chdir(tmp_path)
    with pytest.warns(ulna.UlnaWarning, match="NaN"), pytest.raises(InputError):
        read(two_links().replace('mass value="1.0"', 'mass value="nan(1)"'))
    assert [file.name for file in tmp_path.iterdir()] == ["arm.urdf"]


def test_without_mujoco_the_message_names_what_to_install(read, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "mujoco", None)
    with pytest.raises(ImportError, match=r"pip install 'ulna\[interop\]'"):
        read(two_links())


@pytest.mark.parametrize(
    ("more", "body", "said"),
    [
        (robots.joint("bar", "base", "lower", (0.1, 0.0, 0.0), **UPRIGHT), None, "multiple"),
        ("", "", "'lower'"),  # without a mass
    ],
)
def test_what_is_no_tree_of_bodies_is_refused_with_its_name(read, more, body, said):
    assert said in problems(read, two_links(more=more, body=body))["robot"].got


def test_load_reads_a_urdf_by_its_name_and_tells_how_it_counts(tmp_path):
    file = tmp_path / "arm.URDF"
    file.write_text(two_links())
    assert ulna.load(file).reach == pytest.approx(0.7)
    file.write_text(robots.acrobot())
    with pytest.warns(ulna.UlnaWarning, match="counts joint angles from another zero"):
        ulna.load(file)


def test_what_is_of_descriptions_alone_is_refused_for_a_robot_file(tmp_path):
    ulna.save(ulna.Arm.rods([1.0], [1.0]), tmp_path / "arm.toml")
    for name in ("base_link", "tip_link", "hold"):
        with pytest.raises(InputError, match=name):
            ulna.load(tmp_path / "arm.toml", **{name: "a"})


def test_a_large_file_is_not_read_to_its_end(tmp_path):
    with (tmp_path / "arm.urdf").open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(InputError, match="100,000,000 bytes"):
        import_robot(tmp_path / "arm.urdf")

"""URDF files: what is read and written, and all that is refused."""

import time
import warnings

import numpy as np
import pytest

import robot_descriptions as robots
import ulna
from ulna import InputError, dynamics
from ulna.arm import import_robot, robot_files
from ulna.arm.description_files import FORMATTERS, PARSERS

UPRIGHT = {"axis": (0.0, -1.0, 0.0)}


def two_links(*, elbow=None, more="", body=None):
    return robots.robot(
        robots.link("base"),
        robots.link("upper", robots.inertial(1.0, (0.2, 0.0, 0.0))),
        robots.link("lower", robots.inertial(0.5, (0.1, 0.0, 0.0)) if body is None else body),
        robots.link("tip"),
        robots.joint("shoulder", "base", "upper", **UPRIGHT),
        elbow or robots.joint("elbow", "upper", "lower", (0.4, 0.0, 0.0), **UPRIGHT),
        robots.joint("flange", "lower", "tip", (0.3, 0.0, 0.0), kind="fixed"),
        more,
    )


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


def told(read, text, **links):
    """Return what is read, and all that is warned of it."""
    with pytest.warns(ulna.UlnaWarning) as caught:
        found = read(text, **links)
    return found, "\n".join(str(one.message) for one in caught)


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


def test_load_reads_a_urdf_by_its_name(tmp_path):
    (tmp_path / "arm.URDF").write_text(two_links())
    assert ulna.load(tmp_path / "arm.URDF").reach == pytest.approx(0.7)


def test_a_continuous_joint_has_no_limits_and_a_revolute_one_has_its_own(read):
    limits = robots.limits(-1, 2, effort=3, velocity=4, damping=0.1, friction=0.2)
    elbow = robots.joint(
        "elbow", "upper", "lower", (0.4, 0.0, 0.0), kind="revolute", more=limits, **UPRIGHT
    )
    first, second = read(two_links(elbow=elbow)).arm.joints
    assert first.is_free
    assert second == ulna.Joint(-1.0, 2.0, 4.0, 3.0, 0.1, friction=ulna.Friction(0.2))


def test_an_axis_against_the_first_turns_angles_and_limits_around(read):
    elbow = robots.joint(
        "elbow",
        "upper",
        "lower",
        (0.4, 0.0, 0.0),
        axis=(0.0, 1.0, 0.0),
        kind="revolute",
        more=robots.limits(-1.0, 2.0),
    )
    found = read(two_links(elbow=elbow))
    assert found.signs == (1.0, -1.0)
    assert (found.arm.joints[1].lower, found.arm.joints[1].upper) == (-2.0, 1.0)
    assert found.from_file_angles([0.3, 0.5]) == pytest.approx([0.3, -0.5])
    assert found.to_file_angles([0.3, -0.5]) == pytest.approx([0.3, 0.5])


def test_load_warns_where_angles_are_others_than_in_the_file(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(robots.acrobot())
    with pytest.warns(ulna.UlnaWarning, match="counted otherwise"):
        ulna.load(file)


def test_an_arm_that_lies_flat_feels_no_gravity(read):
    text = two_links().replace("0.0 -1.0 0.0", "0.0 0.0 1.0")
    assert read(text).arm.gravity == (0.0, 0.0)


def test_what_is_fixed_to_a_link_is_a_part_of_it(read):
    motor = robots.link("motor", robots.inertial(0.5, moments=(0.001, 0.001, 0.001)))
    weld = robots.joint("weld", "upper", "motor", (0.4, 0.0, 0.0), (0.3, 0.2, 0.1), kind="fixed")
    link = read(two_links(more=motor + weld), tip_link="tip").arm.links[0]
    assert (link.mass, link.com) == pytest.approx((1.5, (0.2 + 0.5 * 0.4) / 1.5))
    # Two bodies 0.2 m apart, of reduced mass 1/3, and their own inertias.
    assert link.inertia == pytest.approx(9e-5 + 0.001 + 0.2**2 / 3.0)


def test_a_last_link_without_a_frame_beyond_it_ends_as_a_rod_does(read):
    with pytest.warns(ulna.UlnaWarning, match="no link beyond 'lower'"):
        arm = read(robots.double_pendulum()).arm
    assert arm.lengths == pytest.approx([0.6, 0.4])


def test_right_angles_of_few_digits_are_taken_as_such_and_told(read):
    with pytest.warns(ulna.UlnaWarning) as caught:
        read(robots.pitch_arm(round_right_angles=4), base_link="shoulder", tip_link="wrist")
    told = " ".join(str(one.message) for one in caught)
    assert "not quite parallel" in told
    assert "held at zero, as no part of the arm: pan, wrist_roll, grip" in told


def test_what_a_file_says_beyond_links_and_joints_is_told(read):
    more = "<gazebo/><gazebo/><transmission name='t'/><material name='grey'/>"
    elbow = robots.joint(
        "elbow", "upper", "lower", (0.4, 0.0, 0.0), more="<calibration rising='1'/>", **UPRIGHT
    )
    told = r"left out: <calibration> \(1\), <gazebo> \(2\), <transmission> \(1\)"
    with pytest.warns(ulna.UlnaWarning, match=told):
        read(two_links(elbow=elbow, more=more))


@pytest.mark.parametrize(
    ("kind", "more", "got"),
    [
        ("prismatic", robots.limits(0.0, 1.0), "a prismatic joint"),
        ("floating", "", "a floating joint"),
        ("planar", "", "a planar joint"),
        ("continuous", '<mimic joint="shoulder"/>', "a joint that mimics 'shoulder'"),
    ],
)
def test_joints_that_no_planar_arm_has_are_named(read, kind, more, got):
    elbow = robots.joint(
        "elbow", "upper", "lower", (0.4, 0.0, 0.0), kind=kind, more=more, **UPRIGHT
    )
    found = problems(read, two_links(elbow=elbow))["joint.elbow"]
    assert found.got == got
    assert found.place.endswith("arm.urdf:8")
    assert "joint.elbow" in problems(read, two_links(elbow=elbow), tip_link="tip")


def test_an_axis_that_is_not_parallel_is_named(read):
    elbow = robots.joint("elbow", "upper", "lower", (0.4, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    found = problems(read, two_links(elbow=elbow))["joint.elbow.axis"]
    assert found.got == "an axis at 90° to that of 'shoulder'"


def test_a_closed_loop_is_named(read):
    bar = robots.joint("bar", "base", "lower", (0.1, 0.0, 0.0), **UPRIGHT)
    assert "a second joint of link 'lower'" in problems(read, two_links(more=bar))["joint.bar"].got
    ring = robots.joint("ring", "tip", "base")
    assert problems(read, two_links(more=ring))["joint.shoulder"].got == "a closed loop"


@pytest.mark.parametrize("axis", ["0 0 0", "0 one 0"])
def test_an_axis_that_cannot_be_read_is_named_once(read, axis):
    elbow = robots.joint("elbow", "upper", "lower", (0.4, 0.0, 0.0), axis=(7.0, 7.0, 7.0))
    text = two_links(elbow=elbow).replace("7.0 7.0 7.0", axis)
    assert set(problems(read, text)) == {"joint.elbow.axis.xyz"}


def test_the_axis_of_a_joint_that_does_not_move_says_nothing(read):
    # As SolidWorks writes it: the flange is fixed, and its axis the only one along z.
    text = two_links().replace('axis xyz="0.0 0.0 1.0"', 'axis xyz="0 0 0"')
    assert text.count('xyz="0 0 0"') == 1
    assert read(text).arm.lengths == pytest.approx([0.4, 0.3])


def test_a_joint_without_a_parent_is_told_once(read):
    text = two_links().replace('<parent link="upper"/>', "")
    assert set(problems(read, text)) == {"joint.elbow.parent"}


def revolute(more):
    return robots.joint(
        "elbow", "upper", "lower", (0.4, 0.0, 0.0), kind="revolute", more=more, **UPRIGHT
    )


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        # As SolidWorks writes it where nothing was entered.
        ('<limit lower="0" upper="0" effort="0" velocity="0"/>', "limit: lower and upper of 0 are"),
        ('<limit effort="1" velocity="1"/>', "arm.urdf:8: joint.elbow.limit: lower and upper of 0"),
        ("", "joint.elbow: a joint without <limit> is taken for one without limits"),
    ],
)
def test_limits_that_were_not_entered_are_none_and_told(read, more, sentence):
    found, said = told(read, two_links(elbow=revolute(more)))
    assert (found.arm.joints[1].lower, found.arm.joints[1].upper) == (-np.inf, np.inf)
    assert sentence in said


def test_equal_limits_other_than_zero_are_refused(read):
    found = problems(read, two_links(elbow=revolute(robots.limits(0.5, 0.5))))
    assert found["joint.elbow.limit"].got == "lower 0.5, upper 0.5"


MASS, MOMENTS = '<mass value="1"/>', '<inertia ixx="1e-3" iyy="1e-3" izz="1e-3"/>'


@pytest.mark.parametrize(
    ("inside", "missing"),
    [
        (MASS + '<inertia ixx="1e-3"/>', ["inertia.iyy", "inertia.izz"]),
        (MASS + "<inertia/>", ["inertia.ixx", "inertia.iyy", "inertia.izz"]),
        ("<mass/>" + MOMENTS, ["mass.value"]),
    ],
)
def test_masses_and_moments_that_are_missing_are_no_zeros(read, inside, missing):
    found = problems(read, two_links(body=f"<inertial>{inside}</inertial>"))
    assert set(found) == {f"link.lower.{name}" for name in missing}
    assert all(problem.place.endswith("arm.urdf:5") for problem in found.values())


def test_products_of_inertia_may_be_left_out(read):
    body = f'<inertial><origin xyz="0.1 0 0"/>{MASS}{MOMENTS}</inertial>'
    assert read(two_links(body=body)).arm.links[1].inertia == pytest.approx(1e-3)


@pytest.mark.parametrize(
    ("right", "wrong", "sentences"),
    [
        ("rpy=", "rp=", ["arm.urdf:4: link.upper.origin.rp: ", "left out; did you mean 'rpy'?"]),
        ('type="cont', 'typ="a" type="cont', ["joint.shoulder.typ: ", "did you mean 'type'?"]),
        ('axis xyz="0.0 -1', 'axis xy="1" xyz="0.0 -1', ["joint.elbow.axis.xy: ", "'xyz'?"]),
        ("ixy=", "xy=", ["link.upper.inertia.xy: ", "did you mean 'ixy'?"]),
        ('value="1.0"', 'value="1.0" velue="2"', ["link.upper.mass.velue: ", "'value'?"]),
        ("<inertial>", "<inertial mass='1'>", ["link.upper.inertial.mass: "]),
    ],
)
def test_attributes_that_are_not_known_are_told_with_the_nearest(read, right, wrong, sentences):
    said = told(read, two_links().replace(right, wrong))[1]
    for sentence in sentences:
        assert sentence in said


def test_limits_that_are_not_known_are_told(read):
    more = '<limit lower="-1" upper="1" efort="3"/><dynamics dampin="1"/>'
    said = told(read, two_links(elbow=revolute(more)))[1]
    assert "joint.elbow.limit.efort" in said
    assert "joint.elbow.dynamics.dampin" in said
    assert "did you mean 'damping'?" in said


def test_a_tip_on_its_own_joint_is_told_with_the_frames_beyond_it(read):
    with pytest.warns(ulna.UlnaWarning, match=r"the frame of 'lower' is on its own joint .* tip\)"):
        arm = read(two_links(), tip_link="lower").arm
    # The centre of mass is at 0.1 m.
    assert arm.lengths == pytest.approx([0.4, 0.2])


def test_a_joint_that_moves_no_mass_is_named(read):
    found = problems(read, two_links(body=""))["joint.elbow"]
    assert found.got == "no mass of link 'lower'"


def test_a_branch_is_asked_for_its_tip(read):
    branch = robots.link("other", robots.inertial(1.0)) + robots.joint(
        "second_arm", "upper", "other", (0.2, 0.0, 0.0), **UPRIGHT
    )
    found = problems(read, two_links(more=branch))
    assert all("tip_link" in problem.hint for problem in found.values())
    with pytest.warns(ulna.UlnaWarning, match="held at zero, as no part of the arm: second_arm"):
        assert read(two_links(more=branch), tip_link="tip").held == ("second_arm",)


def test_links_of_other_names_are_answered_with_the_nearest(read):
    assert "did you mean 'tip'?" in problems(read, two_links(), tip_link="tipp")["tip_link"].hint
    assert "base_link" in problems(read, two_links(), base_link="floor")


def test_all_problems_of_a_file_are_told_at_once(read):
    text = two_links(more=robots.joint("", "nowhere", "tip2"))
    text = text.replace('mass value="1.0"', 'mass value="-1"').replace('ixx="8e-05"', 'ixx="nan"')
    found = problems(read, text)
    assert {"link.upper.mass.value", "link.upper.inertia.ixx", "joint", "joint."} <= set(found)
    lines = [int(problem.place.rsplit(":")[-1]) for problem in found.values()]
    assert lines == sorted(lines)


@pytest.mark.parametrize("word", ["nan", "inf", "1e999", "1e300", "0x10", "1_000", "", "1 2"])
def test_only_finite_numbers_are_read(read, word):
    text = two_links().replace('mass value="1.0"', f'mass value="{word}"')
    assert problems(read, text)["link.upper.mass.value"].need == "a finite number"


LAUGHS = "".join(f'<!ENTITY a{i + 1} "{f"&a{i};" * 10}">' for i in range(9))
MANY = " ".join(f"a{i}=''" for i in range(99))
LINKS = "".join(f'<link name="link {i}"/>' for i in range(50))
UNKNOWN = '<joint name="a" type="fixed"><parent link="links a"/><child link="links b"/></joint>'
HOSTILE = {
    "document type": '<!DOCTYPE robot [<!ENTITY a "b">]><robot name="&a;"/>',
    "external entity": '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot>&a;</robot>',
    "entities of entities": f'<!DOCTYPE r [<!ENTITY a0 "ha">{LAUGHS}]><robot name="&a9;"/>',
    "deep": "<robot>" + "<link>" * 200_000,
    "not closed": "<robot><link>",
    "another root": "<sdf/>",
    "empty": "",
    "many bodies": "<robot>" + "".join(f'<link name="{i}"/>' for i in range(20_000)) + "</robot>",
    "many of another kind": "<robot>" + "<gazebo/>" * 200_000 + "</robot>",
    "a terminal's command": '<robot name="&#x9b;31m"/>',
    "text the other way": '<robot name="&#x202e;mra"/>',
    "text in UTF-16": "<robot/>".encode("utf-16"),
    "bytes": bytes(range(256)),
    "zeros": bytes(1000),
    "a million numbers": f'<robot><joint><origin xyz="{"1 " * 1_000_000}"/></joint></robot>',
    "a million digits": f'<robot><link name="{"1" * 1_000_000}"/></robot>',
    "digits before a letter": two_links().replace("0.4 0.0 0.0", "1" * 20_000 + "x 0 0"),
    "a long namespace": f'<robot xmlns:a="{"b" * 1_000_000}">' + "<a:c/>" * 20_000 + "</robot>",
    "many attributes": "<robot>" + f"<joint {MANY}/>" * 1500 + "</robot>",
    "unknown links": f"<robot>{LINKS}{UNKNOWN * 4000}</robot>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_quickly(tmp_path, name):
    text = HOSTILE[name]
    (tmp_path / "arm.urdf").write_bytes(text.encode() if isinstance(text, str) else text)
    start = time.process_time()
    with pytest.raises(InputError):
        import_robot(tmp_path / "arm.urdf")
    assert time.process_time() - start < 1.0


def test_a_file_of_a_hundred_megabytes_is_not_read_to_its_end(tmp_path):
    with (tmp_path / "arm.urdf").open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(InputError, match="100,000,000 bytes, need at most 3,000,000"):
        import_robot(tmp_path / "arm.urdf")


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "arm.urdf").mkdir()
    with pytest.raises(ulna.FileError, match="cannot be read"):
        import_robot(tmp_path / "arm.urdf")


def test_line_breaks_in_names_are_spaces(read):
    text = two_links().replace('"elbow"', '"the&#10;elbow"')
    assert read(text).joint_names == ("shoulder", "the elbow")


def test_macros_are_not_run(read):
    text = two_links(more='<x:include xmlns:x="http://www.ros.org/wiki/xacro" filename="a"/>')
    with pytest.warns(ulna.UlnaWarning, match=r"left out: <xacro:include> \(1\)"):
        found = problems(read, text)
    assert found["robot"].got == "macros of xacro"


def test_a_joint_on_which_the_tip_lies_is_named(read):
    text = two_links().replace("0.3 0.0 0.0", "0.0 0.0 0.0")
    text = text.replace('xyz="0.1 0.0 0.0"', 'xyz="0.0 0.0 0.0"')
    found = problems(read, text)["joint.elbow"]
    assert found.got == "the next joint, or the tip, on its own axis"
    assert "tip_link" in found.hint


def test_an_arm_is_written_and_read_back(tmp_path):
    joints = [ulna.Joint(), ulna.Joint(-1.0, 2.0, 3.0, 4.0)]
    arm = ulna.Arm.rods([0.5, 0.3], [1.0, 0.5], joints=joints, base=(0.1, 0.2), name='a "b" & <c>')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ulna.save(arm, tmp_path / "arm.urdf")
        back = ulna.load(tmp_path / "arm.urdf")
    assert back.name == arm.name
    assert back.joints == arm.joints
    assert back.base == pytest.approx(arm.base)
    assert back.lengths == pytest.approx(arm.lengths)


def test_what_pinocchio_leaves_out_of_a_urdf_is_told(tmp_path):
    joints = [ulna.Joint(damping=0.1, max_velocity=3.0), ulna.Joint(friction=ulna.Friction(0.2))]
    arm = ulna.Arm.rods([0.5, 0.3], [1.0, 0.5], joints=joints)
    told = r"arm\.urdf has damping and friction of joints 1, 2, which .* leaves out: up to 0\.3 N·m"
    with pytest.warns(ulna.UlnaWarning, match=told):
        ulna.save(arm, tmp_path / "arm.urdf")
    back = ulna.load(tmp_path / "arm.urdf")
    assert back.joints == arm.joints


def test_a_rotor_geared_one_to_one_and_that_of_the_first_joint_are_kept_exactly(tmp_path):
    joints = [ulna.Joint(rotor_inertia=0.01, gear_ratio=30.0), ulna.Joint(rotor_inertia=0.02)]
    arm = ulna.Arm.rods([0.5, 0.3], [1.0, 0.5], joints=joints)
    ulna.save(arm, tmp_path / "arm.urdf")
    with pytest.warns(ulna.UlnaWarning, match="no body"):
        back = ulna.load(tmp_path / "arm.urdf")
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 10, 2))
    expected = dynamics.inverse_dynamics(arm, q, qd, qdd)
    assert dynamics.inverse_dynamics(back, q, qd, qdd) == pytest.approx(expected, rel=1e-12)


def test_what_a_urdf_loses_is_told_with_its_torque(tmp_path):
    joints = [
        ulna.Joint(friction=ulna.Friction(0.1, static=0.3, drag=0.02)),
        ulna.Joint(rotor_inertia=1e-6, gear_ratio=100.0),
    ]
    arm = ulna.Arm.rods([0.5, 0.3], [1.0, 0.5], joints=joints)
    with pytest.warns(ulna.UlnaWarning) as caught:
        ulna.save(arm, tmp_path / "arm.urdf")
    told = " ".join(str(one.message) for one in caught)
    assert "static friction of joint 1: 0.2 N·m at rest" in told
    assert "drag of joint 1: 0.02 N·m" in told
    # J N (N − 1) = 0.0099 kg·m² of the relative rate alone.
    assert "the rotor of joint 2: torques differ by up to 0.0099 N·m for every rad/s²" in told
    # At 5 rad/s drag is 0.02 · 25 = 0.5 N·m, more than what holds the joint at rest.
    assert "torques differ from the arm's by up to 0.5 N·m (joint 1), at rates up to" in told
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        back = ulna.load(tmp_path / "arm.urdf")
    still = ulna.Arm.of(arm.links, [ulna.Joint(), joints[1]])
    rest, unit = np.zeros(2), np.array([0.0, 1.0])
    here = dynamics.inverse_dynamics(still, rest, rest, unit)
    there = dynamics.inverse_dynamics(back.without_friction(), rest, rest, unit)
    assert here - there == pytest.approx([0.0, 0.0099], abs=1e-12)


def test_gravity_beyond_the_readers_own_is_told(tmp_path):
    with pytest.warns(ulna.UlnaWarning) as caught:
        ulna.save(ulna.Arm.rods([1.0], [1.0], gravity=(0.0, -24.8)), tmp_path / "arm.urdf")
    told = [str(one.message) for one in caught]
    assert "gravity of 24.8 m/s²: set it in the program" in told[0]
    # 1 kg at half a metre under 14.99 m/s² that the file has not.
    assert "torques differ from the arm's by up to 7.5 N·m (joint 1)" in told[1]


def test_a_robot_file_takes_no_links_by_name(tmp_path):
    ulna.save(ulna.Arm.rods([1.0], [1.0]), tmp_path / "arm.toml")
    with pytest.raises(InputError, match="tip_link"):
        ulna.load(tmp_path / "arm.toml", tip_link="tip")


def test_every_format_that_is_known_by_its_ending_is_read_and_written():
    assert set(robot_files.DESCRIPTIONS) == set(PARSERS) == set(FORMATTERS)

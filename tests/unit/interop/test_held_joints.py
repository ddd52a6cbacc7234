"""Joints that are no part of an arm are held at the zero of their file, and not judged.

What an arm carries beyond joints that are held is compared with MuJoCo and Pinocchio, in which
those joints are at zero.
"""

import numpy as np
import pytest

import robot_descriptions as robots
import ulna
from mujoco_torques import check_as_mujoco
from tabular import tabular
from ulna import dynamics
from ulna.interop import import_robot

HELD = "ignore:held at zero:ulna.UlnaWarning"
INERTIAL = '<inertial pos=".1 0 0" mass="1" diaginertia=".002 .003 .004"/>'


def world(inside, more=""):
    return f"<mujoco><worldbody>\n{inside}</worldbody>{more}</mujoco>"


def read(text, folder, ending="xml", **links):
    file = folder / f"robot.{ending}"
    file.write_text(text)
    return import_robot(file, **links)


ARM = '<joint name="j" axis="0 1 0" damping="0.2"/>' + INERTIAL + '<site name="t" pos=".3 .1 .05"/>'
HAND = '<inertial pos=".2 .1 .05" mass="2" diaginertia=".02 .03 .04"/>'


def finger(joint):
    """Return an arm of one hinge with a hand beyond another joint."""
    held = f'<body pos=".3 0 .1" euler="10 20 30"><joint name="held" {joint}/>{HAND}</body>'
    return f"<body>{ARM}{held}</body>"


REFERENCES = {
    "beyond the arm": finger('axis="0 1 0" ref="90"'),
    "beyond, about an anchor": finger('axis="1 2 3" pos=".1 -.2 .3" ref="-70"'),
    "a slide beyond": finger('type="slide" axis="0 1 2" ref=".3"'),
    "before the base": f"""<body name="turned" euler="0 10 0">
      <joint name="held" axis="0 1 0" pos="1 2 3" ref="40"/>{HAND}<body name="arm">{ARM}</body>
      </body>""",
    "two of one body": f"""<body>{ARM}<body pos=".3 0 0" euler="10 20 30">
      <joint name="first" type="slide" axis="1 0 1" ref=".2"/>
      <joint name="second" axis="0 1 1" pos=".1 0 0" ref="50"/>{HAND}</body></body>""",
}


@pytest.mark.filterwarnings(HELD, "ignore:link:ulna.UlnaWarning")  # a hand far from the link
@tabular("name", REFERENCES)
def test_a_joint_that_counts_from_elsewhere_is_held_at_its_zero(tmp_path_factory, name):
    text = world(REFERENCES[name])
    links = {"tip_link": "t"} | ({"base_link": "turned"} if "before" in name else {})
    check_as_mujoco(text, read(text, tmp_path_factory.mktemp("held"), **links))


@pytest.mark.parametrize(
    ("joint", "told"),
    [
        ('range="20 70"', r"held \(though its limits are 0\.3491 to 1\.222 rad\)"),
        ('type="slide" range="-.5 -.1"', r"held \(though its limits are -0\.5 to -0\.1 m\)"),
        ('range="-20 70"', "as no part of the arm: held$"),
    ],
)
def test_limits_that_exclude_zero_are_told_of_a_joint_that_is_held(tmp_path, joint, told):
    with pytest.warns(ulna.UlnaWarning, match=told):
        read(world(finger(joint)), tmp_path, tip_link="t")


DOOR = '<body name="door" {}>{}<geom size=".1" pos=".1 0 0" {}/></body>'
ELSEWHERE = {
    "a spring": DOOR.format("", '<joint name="hinge" stiffness="3"/>', ""),
    "a compensation of gravity": DOOR.format('gravcomp="1"', "", ""),
    "an axis across": DOOR.format("", '<joint axis="1 0 0"/>', ""),
    "limits": DOOR.format("", '<joint range="2 1"/>', ""),
    "a polynomial": DOOR.format("", '<joint damping="1 2 3"/>', ""),
}


@pytest.mark.filterwarnings(HELD)
@tabular("name", ELSEWHERE)
def test_what_is_wrong_elsewhere_is_no_fault_of_the_arm(tmp_path_factory, name):
    text = world(f'<body name="b">{ARM}</body>\n{ELSEWHERE[name]}')
    found = read(text, tmp_path_factory.mktemp("door"), tip_link="t")
    assert found.joint_names == ("j",)
    assert [link.mass for link in found.arm.links] == [1.0]


@pytest.mark.filterwarnings(HELD)
def test_actuators_of_other_joints_are_no_fault_of_the_arm(tmp_path):
    door = DOOR.format("", '<joint name="hinge"/>', "")
    motor = '<motor joint="hinge" ctrlrange="0 5" armature="1"/><motor joint="j" ctrlrange="-2 2"/>'
    text = world(f"<body>{ARM}</body>{door}", f"<actuator>{motor}</actuator>")
    assert read(text, tmp_path, tip_link="t").arm.joints[0].max_torque == 2.0


def test_only_what_is_asked_for_is_named_where_it_is_not_there(tmp_path):
    text = world(f'<body name="b">{ARM}</body>\n{ELSEWHERE["a spring"]}')
    with pytest.raises(ulna.InputError) as caught:
        read(text, tmp_path, tip_link="tt")
    assert [problem.what for problem in caught.value.problems] == ["tip_link"]


def test_what_is_wrong_on_the_way_to_the_tip_is_named(tmp_path):
    joint, end = '<joint name="k" axis="0 1 0" stiffness="1"/>', '<site name="end" pos="1 0 0"/>'
    text = f'<body>{ARM}<body pos=".3 0 0">{joint}{HAND}{end}</body></body>'
    with pytest.raises(ulna.InputError) as caught:
        read(world(text), tmp_path, tip_link="end")
    assert [problem.what for problem in caught.value.problems] == ["joint.k.stiffness"]


@pytest.mark.filterwarnings(HELD, "ignore:link:ulna.UlnaWarning")
def test_a_six_axis_arm_has_its_tool_for_a_tip_where_its_wrist_is_held(tmp_path):
    pinocchio = pytest.importorskip("pinocchio", reason="no wheel for this platform")
    text = robots.six_axis_arm()
    links = {"base_link": "axis_1_link", "tip_link": "axis_6_link"}
    found = read(text, tmp_path, "urdf", **links, hold=["axis_5", "axis_6"])
    assert found.joint_names == ("axis_2", "axis_3", "axis_4")
    assert found.held == ("axis_1", "axis_5", "axis_6")
    model = pinocchio.buildModelFromXML(text)
    data, signs = model.createData(), np.array(found.signs)
    ours, theirs = [], []
    for theta, rates, gains in np.random.default_rng(2).normal(size=(10, 3, 3)):
        q, qd, qdd = np.zeros((3, 6))
        q[1:4], qd[1:4], qdd[1:4] = theta, rates, gains
        turns = np.stack([np.cos(q), np.sin(q)], axis=-1).ravel()  # all are continuous
        expected = pinocchio.rnea(model, data, turns, qd, qdd)[1:4]
        angles = found.from_file_angles(theta)
        here = dynamics.inverse_dynamics(found.arm, angles, signs * rates, signs * gains)
        assert here == pytest.approx(signs * expected, rel=1e-9, abs=1e-9)
        pinocchio.framesForwardKinematics(model, data, turns)
        theirs.append(data.oMf[model.getFrameId("axis_6_link")].translation[[0, 2]])
        ours.append(ulna.kinematics.tip(found.arm, angles)[:2])
    # The axes are along y, so that x of the plane is against that of the file.
    assert np.array(ours) == pytest.approx(np.array(theirs) * [-1.0, 1.0], abs=1e-9)


@pytest.mark.filterwarnings(HELD, "ignore:link:ulna.UlnaWarning")
@tabular("joint", ['axis="1 0 0" ref="30"', 'type="slide" axis="0 1 1" ref=".2"', 'type="ball"'])
def test_a_joint_on_the_way_to_the_tip_is_held_as_in_mujoco(tmp_path_factory, joint):
    end = f'<joint name="end" axis="0 1 0"/>{INERTIAL}<site name="tool" pos=".2 0 .1"/>'
    text = world(
        f"""<body>{ARM}<body pos=".3 0 .1"><joint name="held" {joint}/>{HAND}
        <body pos=".1 0 0">{end}</body></body></body>"""
    )
    links = {"tip_link": "tool", "hold": "held"}
    if "axis" in joint and "slide" not in joint:
        text = text.replace('name="end" axis="0 1 0"', 'name="end" axis="0 {} {}"').format(
            np.cos(np.radians(30.0)), np.sin(np.radians(30.0))
        )  # which the held joint turns by -30 degrees about x
    found = read(text, tmp_path_factory.mktemp("way"), **links)
    assert found.joint_names == ("j", "end")
    if "ball" not in joint:
        check_as_mujoco(text, found)


def test_a_joint_that_is_not_there_is_not_held(tmp_path):
    with pytest.raises(ulna.InputError) as caught:
        read(robots.six_axis_arm(), tmp_path, "urdf", tip_link="axis_6_link", hold="axis_7")
    found = {problem.what: problem for problem in caught.value.problems}
    assert found["hold"].got == "'axis_7'"
    assert "did you mean" in found["hold"].hint

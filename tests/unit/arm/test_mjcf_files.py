"""MJCF files, MuJoCo's own: what is written, and what is told to be lost."""

import time
import warnings

import numpy as np
import pytest

import robot_descriptions as robots
import ulna
from ulna import dynamics
from ulna.arm import import_robot

mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")


def written(arm, tmp_path):
    """Return MuJoCo's model of the file of an arm, and what was told of it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ulna.save(arm, tmp_path / "arm.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    return model, [str(one.message) for one in caught]


def torques(model, q, qd, qdd):
    # Beyond a limit MuJoCo adds the force of its soft stop.
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    data, found = mujoco.MjData(model), []
    for data.qpos, data.qvel, data.qacc in zip(q, qd, qdd, strict=True):
        mujoco.mj_inverse(model, data)
        found.append(data.qfrc_inverse.copy())
    return np.array(found)


@pytest.mark.parametrize("ratio", [1.0, -3.0, 80.0])
def test_torques_are_mujocos_with_damping_and_coupled_rotors(tmp_path, ratio):
    joints = [ulna.Joint(damping=0.1 * i, rotor_inertia=1e-4, gear_ratio=ratio) for i in range(4)]
    links = [ulna.Link(0.4, 1.0, 0.25, 0.02, 0.1, -0.05) for _ in range(4)]
    arm = ulna.Arm.of(links, joints, gravity=(1.0, -9.0), base=(0.2, -0.3), payload=0.2)
    model, told = written(arm, tmp_path)
    assert told == []
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 20, 4))
    expected = dynamics.inverse_dynamics(arm, q, qd, qdd)
    assert torques(model, q, qd, qdd) == pytest.approx(expected, rel=1e-11, abs=1e-11)
    data = mujoco.MjData(model)
    data.qpos = q[0]
    mujoco.mj_forward(model, data)
    x, y, _ = ulna.kinematics.tip(arm, q[0])
    assert data.site("tip").xpos == pytest.approx([x, 0.0, y])


def test_settings_of_joints_are_there(tmp_path):
    joint = ulna.Joint(-1.0, 2.0, 5.0, 3.0, damping=0.1, friction=ulna.Friction(0.2, static=0.5))
    model, told = written(ulna.Arm.rods([0.3], [1.0], joints=[joint]), tmp_path)
    assert model.jnt_range[0] == pytest.approx([-1.0, 2.0])
    assert model.jnt_actfrcrange[0] == pytest.approx([-3.0, 3.0])
    assert (model.dof_damping[0], model.dof_frictionloss[0]) == pytest.approx((0.1, 0.2))
    text = " ".join(told)
    assert "limits of the rates of joints 1" in text
    assert "frictionloss is soft" in text
    assert "static friction of joint 1: 0.3 N·m at rest" in text
    # Static friction holds the joint one way, and frictionloss pushes it the other.
    assert "torques differ from the arm's by up to 0.7 N·m (joint 1)" in text


def test_a_rotor_that_no_armature_holds_is_told_with_its_torque(tmp_path):
    joints = [ulna.Joint(), ulna.Joint(rotor_inertia=0.5, gear_ratio=10.0)]
    _, told = written(ulna.Arm.rods([0.1, 0.1], [0.1, 0.1], joints=joints), tmp_path)
    assert "the rotor of joint 2: torques differ by up to" in " ".join(told)


def test_a_link_without_mass_is_refused(tmp_path):
    arm = ulna.Arm.of(
        [ulna.Link(1.0, 0.0), ulna.Link(1.0, 1.0)], [ulna.Joint(rotor_inertia=1.0), ulna.Joint()]
    )
    with pytest.raises(ulna.InputError, match=r"link\.1\.mass: got 0, need a mass"):
        ulna.save(arm, tmp_path / "arm.xml")


@pytest.fixture
def read(tmp_path):
    def read(text, **links):
        (tmp_path / "robot.xml").write_text(text)
        return import_robot(tmp_path / "robot.xml", **links)

    return read


def test_a_file_is_read_as_mujoco_reads_it(read):
    text = robots.mujoco_arm()
    with pytest.warns(ulna.UlnaWarning, match="actuators left out but for .* torques: servo"):
        found = read(text)
    assert found.joint_names == ("shoulder", "elbow", "wrist")
    assert found.signs == (1.0, 1.0, -1.0)
    assert found.arm.gravity == pytest.approx((0.0, -9.7))
    model = mujoco.MjModel.from_xml_string(text)
    data, signs = mujoco.MjData(model), np.array(found.signs)
    theta, rates, gains = np.random.default_rng(2).normal(size=(3, 20, 3))
    q = found.from_file_angles(theta)
    expected = signs * torques(model, theta, rates, gains)
    own = dynamics.inverse_dynamics(found.arm, q, signs * rates, signs * gains)
    assert own == pytest.approx(expected, rel=1e-9, abs=1e-9)
    for k in range(20):
        data.qpos = theta[k]
        mujoco.mj_kinematics(model, data)
        # The axis is MuJoCo's x: y is up, and x of the plane MuJoCo's y.
        end = data.site("tool").xpos
        assert ulna.kinematics.tip(found.arm, q[k])[:2] == pytest.approx(end[1:], abs=1e-9)


def test_the_planar_part_of_a_desk_arm_is_read_as_mujoco_reads_it(read):
    text = robots.mujoco_desk_arm()
    with pytest.warns(ulna.UlnaWarning) as caught:
        found = read(text, base_link="shoulder", tip_link="tool")
    told = "\n".join(str(one.message) for one in caught)
    for words in ("servo_1, servo_2", "fingers", "<sensor> (1)", "held at zero", "pan", "roll"):
        assert words in told
    assert found.joint_names == ("lift", "elbow", "flex")
    assert [joint.max_torque for joint in found.arm.joints] == [2.94, 2.94, 2.0]
    model = mujoco.MjModel.from_xml_string(text)
    flags = (mujoco.mjtDisableBit.mjDSBL_CONTACT, mujoco.mjtDisableBit.mjDSBL_EQUALITY)
    model.opt.disableflags |= sum(map(int, flags))
    model.dof_frictionloss[:] = 0.0
    own = [model.joint(name).qposadr[0] for name in found.joint_names]
    q, qd, qdd = np.zeros((3, 20, model.nq))
    theta, rates, gains = np.random.default_rng(2).normal(size=(3, 20, 3))
    q[:, own], qd[:, own], qdd[:, own] = theta, rates, gains
    expected, signs = torques(model, q, qd, qdd)[:, own], np.array(found.signs)
    here = dynamics.inverse_dynamics(
        found.arm.without_friction(), found.from_file_angles(theta), signs * rates, signs * gains
    )
    assert here == pytest.approx(signs * expected, rel=1e-9, abs=1e-9)


def test_limits_are_in_degrees_from_where_the_file_counts(read):
    with pytest.warns(ulna.UlnaWarning, match="actuators"):
        found = read(robots.mujoco_arm())
    first, second, third = found.arm.joints
    assert (first.lower, third.upper) == (-np.inf, np.inf)
    limits = found.from_file_angles([0.0, np.radians(-90.0), 0.0])[1]
    assert second.lower == pytest.approx(limits)
    assert second.upper - second.lower == pytest.approx(np.radians(210.0))
    assert [joint.damping for joint in found.arm.joints] == [0.1, 0.3, 0.3]


@pytest.mark.parametrize("armature", [1e-3, 0.5])
def test_an_arm_comes_back_with_its_rotors_as_armatures(read, tmp_path, armature):
    ratio = 50.0
    rotor = armature / (ratio * (ratio - 1.0))
    joints = [ulna.Joint(damping=0.1, rotor_inertia=rotor, gear_ratio=ratio)] * 3
    arm = ulna.Arm.rods([0.5, 0.4, 0.3], [3.0, 2.0, 1.0], joints=joints)
    ulna.save(arm, tmp_path / "arm.xml")
    found = read((tmp_path / "arm.xml").read_text())
    assert found.same_angles
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 20, 3))
    expected = dynamics.inverse_dynamics(arm, q, qd, qdd)
    back = dynamics.inverse_dynamics(found.arm, q, qd, qdd)
    assert back == pytest.approx(expected, rel=1e-10, abs=1e-10)


BODY = '<body name="arm"><inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/>{}</body>'


@pytest.mark.parametrize(
    ("inside", "what", "got"),
    [
        ('<joint name="a" type="slide"/>', "joint.a", "a slide joint"),
        ('<joint name="a" type="ball"/>', "joint.a", "a ball joint"),
        ('<freejoint name="a"/>', "joint.a", "a free joint"),
        ('<joint name="a" stiffness="2"/>', "joint.a.stiffness", "a spring"),
        ('<joint name="a" class="nowhere"/>', "joint.class", "'nowhere'"),
        ('<joint name="a" axis="0 0 0"/>', "joint.a.axis", "no direction"),
        ('<joint name="a" damping="-1"/>', "joint.a.damping", "'-1'"),
        ('<joint name="a" springdamper="1 1"/>', "joint.a.stiffness", "a spring"),
        ('<joint name="a"/><include file="b.xml"/>', "worldbody", "<include>"),
        ('<joint name="a"/><replicate count="3"/>', "worldbody", "<replicate>"),
        (
            '<joint name="a"/><body name="b" pos="0 0 1"><joint name="c"/>'
            '<geom type="mesh" mesh="part"/></body>',
            "body.b",
            "no <inertial>, and a mesh",
        ),
        (
            '<joint name="a"/><body name="b" pos="0 0 1"><joint name="c"/>'
            '<geom size="1" shellinertia="true"/></body>',
            "body.b",
            "no <inertial>, and a shell",
        ),
        (
            '<joint name="a"/><body name="b" pos="0 0 1"><joint name="c" axis="1 0 0"/></body>',
            "joint.c.axis",
            "an axis at 90° to that of 'a'",
        ),
    ],
)
def test_what_no_planar_arm_has_is_named(read, inside, what, got):
    text = f"<mujoco>\n<worldbody>\n{BODY.format(inside)}\n</worldbody></mujoco>"
    with pytest.raises(ulna.InputError) as caught:
        read(text)
    found = {problem.what: problem for problem in caught.value.problems}
    assert found[what].got == got
    assert found[what].place.endswith("robot.xml:3")


def test_joints_that_are_tied_together_are_named(read):
    body = BODY.format('<joint name="a" axis="1 0 0"/>')
    loop = '<equality><connect name="bar" body1="arm" anchor="0 0 1"/></equality>'
    with pytest.raises(ulna.InputError, match=r"equality\.bar: got <connect>, which ties"):
        read(f"<mujoco><worldbody>{body}</worldbody>{loop}</mujoco>")


WIDE = "<worldbody><body><joint name='a'/>" + "<geom type='box'/>" * 4000 + "</body></worldbody>"
MOTORS = "<actuator>" + "<motor joint='a'/>" * 20_000 + "</actuator>"


@pytest.mark.parametrize(
    "text",
    [
        "<!DOCTYPE m [<!ENTITY a 'b'>]><mujoco>&a;</mujoco>",
        "<mujoco><worldbody>" + "<body>" * 200_000,
        "<mujoco><worldbody>" + "<body/>" * 400_000 + "</worldbody></mujoco>",
        "<mujoco><worldbody><body>" + "<geom/>" * 400_000 + "</body></worldbody></mujoco>",
        "<robot/>",
        "<mujoco/>",
        '<mujoco><include file="../../arm.xml"/></mujoco>',
        f'<mujoco><default><geom size="{"1 " * 1_300_000}"/></default>{WIDE}</mujoco>',
        f'<mujoco><default><motor gear="{"1 " * 1_300_000}"/></default>{WIDE}{MOTORS}</mujoco>',
        f'<mujoco><default><motor damping="{"0 " * 1_300_000}"/></default>{WIDE}{MOTORS}</mujoco>',
        f"<mujoco>{WIDE}</mujoco>".replace("<geom", '<geom class="none"'),
        "<mujoco><worldbody>" + "<body name='a'/>" * 5000 + "</worldbody></mujoco>",
    ],
    ids=[
        *("entity", "deep", "wide", "geoms", "root", "empty", "file"),
        *("sizes", "gears", "dampings", "classes", "names"),
    ],
)
def test_hostile_files_are_refused_quickly(read, text):
    start = time.process_time()
    with pytest.raises(ulna.InputError):
        read(text)
    assert time.process_time() - start < 1.0


PLANAR = BODY.replace("1 1 1", "0.1 0.1 0.1").format(
    '<joint name="a"/><site name="tip" pos="1 0 0"/>'
)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("<sensor><jointpos joint='a'/></sensor>", r"robot\.xml: left out: <sensor> \(1\)"),
        ("<keyframe><key qpos='1'/></keyframe>", r"left out: <keyframe> \(1\)"),
        ("<contact><pair geom1='a' geom2='b'/></contact>", r"left out: <contact pair> \(1\)"),
        ("<worldbody><plugin plugin='p'/></worldbody>", r"left out: <plugin> \(1\)"),
        ("<option><flag actuation='disable'/></option>", r"left out: <flag actuation> \(1\)"),
        ("<option density='1.2' viscosity='0.1'/>", "density and viscosity of a fluid"),
    ],
)
def test_what_is_left_out_is_told(read, said, told):
    with pytest.warns(ulna.UlnaWarning, match=told):
        read(f"<mujoco><worldbody>{PLANAR}</worldbody>{said}</mujoco>")


def test_gravity_may_be_switched_off(read):
    flat = '<option gravity="0 -5 0"/>'
    text = f"<mujoco>{flat}<worldbody>{PLANAR}</worldbody>{{}}</mujoco>"
    assert read(text.format("")).arm.gravity == pytest.approx((0.0, -5.0))
    off = '<option timestep="0.1"><flag gravity="disable"/></option>'
    assert read(text.format(off)).arm.gravity == (0.0, 0.0)


RESISTING = PLANAR.replace(
    'name="a"', 'name="a" axis="0 1 0" damping="2" frictionloss="0.5" range="-30 40"'
)
SPRINGY = RESISTING.replace("damping", 'stiffness="3" damping')


@pytest.mark.parametrize(
    ("body", "flags"),
    [
        (RESISTING, 'damper="enable" frictionloss="enable" limit="enable" spring="enable"'),
        (RESISTING, 'damper="disable"'),
        (RESISTING, 'frictionloss="disable"'),
        (RESISTING, 'limit="disable"'),
        (RESISTING, 'constraint="disable"'),
        (SPRINGY, 'spring="disable"'),
        (SPRINGY, 'spring="disable" damper="disable" constraint="disable"'),
        (
            SPRINGY.replace("<body", '<body gravcomp="1"'),
            'spring="disable" damper="disable" gravity="disable"',
        ),
    ],
)
def test_flags_switch_forces_off_as_in_mujoco(read, body, flags):
    text = f"<mujoco><option><flag {flags}/></option><worldbody>{body}</worldbody></mujoco>"
    found = read(text)  # which warns of nothing
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos, data.qvel, data.qacc = [0.2], [3.0], [1.0]
    mujoco.mj_inverse(model, data)
    q, rate, gain = found.from_file_angles([0.2]), found.signs, np.array(found.signs)
    expected = dynamics.inverse_dynamics(found.arm, q, 3.0 * np.array(rate), gain)
    assert gain * data.qfrc_inverse == pytest.approx(expected, rel=1e-9)
    # Beyond a limit there is a constraint unless it is switched off.
    data.qpos, data.qvel = [2.0], [0.0]
    mujoco.mj_forward(model, data)
    stops = np.any(data.efc_type[: data.nefc] == mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT)
    assert np.isfinite(found.arm.joints[0].upper) == stops


def test_flags_of_mujoco_3_stand_for_those_of_mujoco_4(read):
    text = f"<mujoco><option><flag {{}}/></option><worldbody>{SPRINGY}</worldbody></mujoco>"
    one = read(text.format('passive="disable"')).arm
    both = read(text.format('spring="disable" damper="disable"')).arm
    assert one == both
    assert one.joints[0].damping == 0.0


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ('<option><flag gravty="disable"/></option>', "option.flag.gravty", "'gravity'"),
        ('<option><flag gravity="off"/></option>', "option.flag.gravity", ""),
        ('<default class="foo"/>', "default.class", ""),
        ("<default><default/></default>", "default.class", ""),
        ('<default><joint axsi="1 0 0"/></default>', "default.joint.axsi", "'axis'"),
        ('<default><geom size="1 1 1 1"/></default>', "default.geom.size", ""),
    ],
)
def test_settings_that_mujoco_refuses_are_refused(read, text, what, hint):
    text = f"<mujoco>{text}<worldbody>{PLANAR}</worldbody></mujoco>"
    with pytest.raises(ValueError, match=r"\w"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(ulna.InputError) as caught:
        read(text)
    (problem,) = caught.value.problems
    assert problem.what == what
    assert hint in problem.hint


MOMENTS = 'diaginertia="0.1 0.1 0.1"'
INERTIAL = f'<inertial pos="0 0 1" mass="1" {MOMENTS}/>'


@pytest.mark.parametrize(
    ("right", "wrong", "what"),
    [
        ('<joint name="a"', '<joint name="a" axsi="1 0 0"', "joint.a.axsi"),
        ('<body name="arm"', '<body name="arm" poss="1 0 0"', "body.arm.poss"),
        ('<site name="tip"', '<site name="tip" psos="1 0 0"', "site.tip.psos"),
        ("<inertial", '<inertial qaut="1 0 0 0"', "body.arm.inertial.qaut"),
        (INERTIAL, INERTIAL + '<geom size="1" masss="2"/>', "body.arm.geom.masss"),
        ('mass="1" ', "", "body.arm.inertial.mass"),
        ('pos="0 0 1" ', "", "body.arm.inertial.pos"),
        (MOMENTS, "", "body.arm.inertial"),
        ("diaginertia", 'fullinertia="1 1 1 0 0 0" diaginertia', "body.arm.inertial"),
        (MOMENTS, 'quat="1 1 0 0" fullinertia="1 1 1 0 0 0"', "body.arm.inertial"),
        (INERTIAL, INERTIAL * 2, "body.arm.inertial"),
        (PLANAR, PLANAR + PLANAR.replace('"arm"', '"b"').replace('"a"', '"b"'), "site.tip"),
        (PLANAR, PLANAR.replace('"arm"', '"world"'), "body.world"),
    ],
)
def test_bodies_that_mujoco_refuses_are_refused(read, right, wrong, what):
    text = f"<mujoco>\n<worldbody>{PLANAR}</worldbody></mujoco>"
    assert right in text
    text = text.replace(right, wrong)
    with pytest.raises(ValueError, match=r"\w"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(ulna.InputError) as caught:
        read(text, tip_link="tip")
    (problem,) = caught.value.problems
    assert problem.what == what
    assert problem.place.endswith("robot.xml:2")


def test_damping_that_is_no_constant_is_named(read):
    body = PLANAR.replace('name="a"', 'name="a" damping="{}"')
    text = f"<mujoco><worldbody>{body}</worldbody></mujoco>"
    assert read(text.format("2 0 0")).arm.joints[0].damping == 2.0
    with pytest.raises(ulna.InputError, match="a polynomial of the rate, need one number"):
        read(text.format("1 2 3"))


def test_what_a_frame_does_not_have_is_told(read):
    text = f"<mujoco><worldbody><frame euler='0 0 9' ps='1'>{PLANAR}</frame></worldbody></mujoco>"
    mujoco.MjModel.from_xml_string(text)
    with pytest.warns(ulna.UlnaWarning, match=r"frame\.ps: .* left out; did you mean 'pos'\?"):
        read(text)


LINK = '<inertial pos=".1 0 0" mass="1" diaginertia=".02 .03 .04"/>'
NAMES = {
    "a site like a body": f"""<body name="t"><joint axis="0 1 0"/>{LINK}
      <body name="u" pos=".3 0 0"><site name="t" pos=".1 0 0"/></body></body>""",
    "a site like a later body": f"""<body name="s"><joint axis="0 1 0"/>{LINK}
      <site name="t" pos=".4 0 0"/><body name="t" pos=".3 0 0"/></body>""",
    "a name like those that are made": f"""<body><joint axis="0 1 0"/>{LINK}
      <body name="body_1" pos=".3 0 0"><body pos=".1 0 0"><site name="t"/></body></body></body>""",
    "joints without names": f"""<body name="s"><joint axis="0 1 0"/>{LINK}
      <site name="t" pos=".4 0 0"/><body><joint/><joint axis="1 0 0"/>{LINK}</body></body>""",
    "a joint like one that is made": f"""<body name="s"><joint axis="0 1 0"/>{LINK}
      <body pos=".3 0 0"><joint name="joint of s" axis="0 1 0"/>{LINK}
      <site name="t" pos=".4 0 0"/></body></body>""",
}


@pytest.mark.filterwarnings("ignore:held at zero:ulna.UlnaWarning")
@pytest.mark.parametrize("name", NAMES)
def test_bodies_joints_and_sites_have_names_of_their_own(read, name):
    text = f"<mujoco><worldbody>{NAMES[name]}</worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    tip = "t (site)" if "like a" in name and "site" in name else "t"
    found = read(text, tip_link=tip)
    assert len({*found.joint_names, *found.held}) == model.njnt
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    x, _, z = data.site("t").xpos
    # About y, x of the arm is against the world's.
    ours = ulna.kinematics.tip(found.arm, found.from_file_angles(np.zeros(found.arm.n)))
    assert ours[:2] == pytest.approx([-x, z], abs=1e-12)


@pytest.mark.parametrize(
    "compiler", ['inertiafromgeom="true"', 'boundinertia=".05"', 'balanceinertia="true"']
)
def test_bodies_that_mujoco_makes_one_of_before_it_weighs_them_are_refused(read, compiler):
    fixed = '<body name="fixed" pos="1 0 0"><inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/>'
    body = PLANAR.replace("</body>", fixed + "</body></body>")
    text = f"<mujoco><compiler {{}} {compiler}/><worldbody>{body}</worldbody></mujoco>"
    read(text.format(""), tip_link="tip")
    with pytest.raises(ulna.InputError, match=r"body\.fixed: got fusestatic, by which MuJoCo"):
        read(text.format('fusestatic="true"'), tip_link="tip")
    plain = text.replace(compiler, "")
    assert read(plain.format('fusestatic="true"'), tip_link="tip").arm.masses == [6.0]


def arm_with_fingers(tie):
    """Return an arm of one hinge that carries two fingers, with something that ties joints."""
    finger = (
        '<body name="{0}"><inertial pos="0 0 0" mass="1" diaginertia="0 0 0"/><joint name="{0}"'
    )
    fingers = "".join(finger.format(name) + ' type="slide"/></body>' for name in ("f", "g"))
    body = PLANAR.replace("</body>", fingers + "</body>")
    return f"<mujoco><worldbody>{body}</worldbody>{tie}</mujoco>"


@pytest.mark.filterwarnings("ignore:held at zero:ulna.UlnaWarning")
@pytest.mark.parametrize(
    "tie",
    [
        "<equality><joint name='t' joint1='f' joint2='g'/></equality>",
        "<equality><weld name='t' body1='f' body2='g'/></equality>",
        "<tendon><fixed name='t'><joint joint='f' coef='1'/></fixed></tendon>",
    ],
)
def test_what_ties_only_joints_that_are_held_is_told(read, tie):
    with pytest.warns(ulna.UlnaWarning, match=r"ties no joints of the arm: \w+\.t"):
        assert read(arm_with_fingers(tie), tip_link="tip").joint_names == ("a",)


@pytest.mark.filterwarnings("ignore:held at zero:ulna.UlnaWarning")
@pytest.mark.parametrize(
    "tie",
    [
        "<equality><joint name='t' joint1='a' joint2='g'/></equality>",
        "<equality><connect name='t' body1='f' anchor='0 0 0'/></equality>",
        "<tendon><spatial name='t'><site site='tip'/><site site='world'/></spatial></tendon>",
        "<tendon><spatial name='t'/></tendon>",
    ],
)
def test_what_ties_a_joint_of_the_arm_is_refused(read, tie):
    with pytest.raises(ulna.InputError, match=r"\.t: got <\w+>, which ties joints together"):
        read(arm_with_fingers(tie), tip_link="tip")


@pytest.mark.filterwarnings("ignore:held at zero:ulna.UlnaWarning")
@pytest.mark.parametrize(
    "tie",
    [
        "<equality><joint joint1='a' joint2='g' active='false'/></equality>",
        "<option><flag equality='disable'/></option><equality><joint joint1='a'/></equality>",
        "<option><flag constraint='disable'/></option><equality><joint joint1='a'/></equality>",
        "<default><equality active='false'/></default><equality><joint joint1='a'/></equality>",
    ],
)
def test_equalities_that_are_not_active_tie_nothing(read, tie):
    text = arm_with_fingers(tie)
    assert read(text, tip_link="tip").joint_names == ("a",)


def test_a_tendon_of_one_joint_is_not_said_to_tie_several(read):
    tie = "<tendon><fixed name='t' stiffness='1'><joint joint='a' coef='1'/></fixed></tendon>"
    with pytest.raises(ulna.InputError, match=r"tendon\.t: got <fixed>, which acts on .* 'a'"):
        read(arm_with_fingers(tie), tip_link="tip")


@pytest.mark.parametrize(
    ("compiler", "what"),
    [
        ('angle="grad"', "compiler.angle"),
        ('coordinate="global"', "compiler.coordinate"),
        ('settotalmass="3"', "compiler.settotalmass"),
        ('eulerseq="xyw"', "compiler.eulerseq"),
        ('boundmass="1"', "body.hollow"),
    ],
)
def test_settings_that_are_not_known_are_refused(read, compiler, what):
    hollow = '<body name="hollow" pos="1 0 0"/>'
    body = PLANAR.replace("</body>", hollow + "</body>")
    with pytest.raises(ulna.InputError) as caught:
        read(
            f"<mujoco><compiler {compiler}/><worldbody>{body}</worldbody></mujoco>", tip_link="tip"
        )
    assert [problem.what for problem in caught.value.problems] == [what]


@pytest.mark.parametrize(
    ("geom", "what"),
    [
        ('type="cone"', "type"),
        ('type="box" size="1 1"', "size"),
        ('size="-1"', "size"),
        ('size="1" fromto="0 0 0 1 0 0"', "fromto"),
        ('type="capsule" size="1" fromto="0 0 1 0 0 1"', "fromto"),
        ('size="1" density="-3"', "density"),
        ('size="1" quat="0 0 0 0"', "quat"),
        ('size="1" class="none"', "class"),
    ],
)
def test_what_is_wrong_with_a_geom_is_named(read, geom, what):
    text = f'<mujoco><worldbody><body name="b"><joint/><geom {geom}/></body></worldbody></mujoco>'
    with pytest.raises(ulna.InputError) as caught:
        read(text)
    named = {problem.what for problem in caught.value.problems}
    assert named & {f"body.b.geom.{what}", f"geom.{what}"}

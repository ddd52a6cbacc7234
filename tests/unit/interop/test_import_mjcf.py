"""MJCF files: the planar arm in them moves as MuJoCo moves it, and the rest is named."""

import numpy as np
import pytest

import robot_descriptions as robots
import ulna
from ulna import dynamics
from ulna.interop import import_robot

mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")


@pytest.fixture
def read(tmp_path):
    def read(text, **links):
        (tmp_path / "robot.xml").write_text(text)
        return import_robot(tmp_path / "robot.xml", **links)

    return read


def world(inside, more=""):
    return f"<mujoco><worldbody>{inside}</worldbody>{more}</mujoco>"


def torques(model, q, qd, qdd):
    # Beyond a limit MuJoCo adds the force of its soft stop.
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    data, found = mujoco.MjData(model), []
    for data.qpos, data.qvel, data.qacc in zip(q, qd, qdd, strict=True):
        mujoco.mj_inverse(model, data)
        found.append(data.qfrc_inverse.copy())
    return np.array(found)


def test_a_file_is_read_as_mujoco_reads_it(read):
    text = robots.mujoco_arm()
    with pytest.warns(ulna.UlnaWarning, match="only limits of torque are used: servo"):
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
    for words in ("servo_1, servo_2", "fingers", "sensor", "held at zero", "pan", "roll"):
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
HINGE = '<joint name="a"/><body name="b" pos="0 0 1"><joint name="c" {}/>{}</body>'
MASS = '<inertial pos="0 0 .1" mass="1" diaginertia=".1 .1 .1"/>'


@pytest.mark.parametrize(
    ("inside", "what", "got"),
    [
        ('<joint name="a" type="slide"/>', "joint.a", "a prismatic joint"),
        ('<joint name="a" type="ball"/>', "joint.a", "a ball joint"),
        ('<freejoint name="a"/>', "joint.a", "a free joint"),
        (HINGE.format('stiffness="2"', MASS), "joint.c.stiffness", "a spring"),
        (HINGE.format('damping="1 2 3"', MASS), "joint.c.damping", "a polynomial"),
        (HINGE.format('axis="1 0 0"', MASS), "joint.c.axis", "an axis at 90° to that of 'a'"),
        (HINGE.format('class="nowhere"', MASS), "robot", "unknown default class name 'nowhere'"),
        (HINGE.format('axsi="1 0 0"', MASS), "robot", "unrecognized attribute: 'axsi'"),
        (HINGE.format("", '<geom type="mesh" mesh="part"/>'), "robot", "mesh 'part' not found"),
        ('<joint name="a"/><include file="b.xml"/>', "XML", "<include>"),
    ],
)
def test_what_no_planar_arm_has_is_named(read, inside, what, got):
    with pytest.raises(ulna.InputError) as caught:
        read(world(BODY.format(inside)))
    found = {problem.what: problem for problem in caught.value.problems}
    assert got in found[what].got
    assert found[what].place.endswith("robot.xml")


def test_meshes_of_bodies_with_a_mass_are_not_read(read):
    asset = '<asset><mesh name="part" file="part.stl"/><texture name="t" file="t.png"/>'
    asset += '<material name="m" texture="t"/></asset>'
    geom = '<geom type="mesh" mesh="part" material="m"/><site name="tip" pos="3 0 0" material="m"/>'
    found = read(world(BODY.format(f'<joint name="a"/>{geom}'), asset))
    assert found.arm.lengths == pytest.approx([3.0])


PLANAR = BODY.replace("1 1 1", "0.1 0.1 0.1").format(
    '<joint name="a"/><site name="tip" pos="1 0 0"/>'
)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("<sensor><jointpos joint='a'/></sensor>", "ignored, as no part .*: sensor"),
        ("<keyframe><key qpos='1'/></keyframe>", "ignored, as no part .*: keyframe"),
        ("<option density='1.2' viscosity='0.1'/>", "density and viscosity of a fluid"),
    ],
)
def test_what_an_arm_does_not_have_is_named(read, more, said):
    with pytest.warns(ulna.UlnaWarning, match=said):
        read(world(PLANAR, more))


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


@pytest.mark.filterwarnings("ignore:held at zero:ulna.UlnaWarning")
def test_bodies_that_are_fused_before_they_are_bounded_keep_their_masses(read):
    fixed = '<body name="fixed" pos="1 0 0"><inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/>'
    body = PLANAR.replace("</body>", fixed + "</body></body>")
    compiler = '<compiler fusestatic="true"/>'
    assert read(world(body, compiler), tip_link="tip").arm.masses == [6.0]


def arm_with_fingers(tie):
    """Return an arm of one hinge that carries two fingers, with something that ties joints."""
    mass = '<inertial pos="0 0 0" mass="1" diaginertia=".01 .01 .01"/>'
    finger = f'<body name="{{0}}">{mass}<joint name="{{0}}" type="slide"/></body>'
    fingers = "".join(finger.format(name) for name in ("f", "g"))
    body = PLANAR.replace("</body>", fingers + "</body>")
    return world(f'<site name="floor" pos="0 0 -1"/>{body}', tie)


@pytest.mark.filterwarnings("ignore:held at zero:ulna.UlnaWarning")
@pytest.mark.parametrize(
    "tie",
    [
        "<equality><joint name='t' joint1='f' joint2='g'/></equality>",
        "<equality><weld name='t' body1='f' body2='g'/></equality>",
        "<tendon><fixed name='t'><joint joint='f' coef='1'/></fixed></tendon>",
    ],
)
def test_couplings_of_held_joints_are_ignored_with_a_warning(read, tie):
    with pytest.warns(ulna.UlnaWarning, match="tie no joints of the arm: t"):
        assert read(arm_with_fingers(tie), tip_link="tip").joint_names == ("a",)


@pytest.mark.filterwarnings("ignore:held at zero:ulna.UlnaWarning")
@pytest.mark.parametrize(
    "tie",
    [
        "<equality><joint name='t' joint1='a' joint2='g'/></equality>",
        "<equality><connect name='t' body1='f' anchor='0 0 0'/></equality>",
        "<tendon><fixed name='t'><joint joint='a' coef='1'/></fixed></tendon>",
        "<tendon><spatial name='t'><site site='tip'/><site site='floor'/></spatial></tendon>",
    ],
)
def test_what_ties_a_joint_of_the_arm_is_refused(read, tie):
    with pytest.raises(ulna.InputError, match="acts on joints of the arm: t"):
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

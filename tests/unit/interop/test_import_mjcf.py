"""MJCF files: the planar arm in them moves as MuJoCo moves it, and the rest is named."""

import warnings

import numpy as np
import pytest

import robot_descriptions as robots
import ulna
from mujoco_torques import check_as_mujoco, mujoco
from promptness import prompt
from tabular import tabular
from ulna import dynamics
from ulna.interop import import_robot


@pytest.fixture
def read(tmp_path):
    def read(text, **links):
        (tmp_path / "robot.xml").write_text(text)
        return import_robot(tmp_path / "robot.xml", **links)

    return read


def world(inside, more=""):
    return f"<mujoco><worldbody>{inside}</worldbody>{more}</mujoco>"


def test_a_file_is_read_as_mujoco_reads_it(read):
    text = robots.mujoco_arm()
    with pytest.warns(ulna.UlnaWarning, match="only limits of torque are used: servo"):
        found = read(text)
    assert found.joint_names == ("shoulder", "elbow", "wrist")
    assert found.signs == (1.0, 1.0, -1.0)
    assert found.arm.gravity == pytest.approx((0.0, -9.7))
    check_as_mujoco(text, found, "tool")
    first, second, third = found.arm.joints
    assert (first.lower, third.upper) == (-np.inf, np.inf)
    # Limits are in degrees, and the elbow's angles count from where the file has its zero.
    assert second.lower == pytest.approx(found.from_file_angles([0.0, np.radians(-90.0), 0.0])[1])
    assert second.upper - second.lower == pytest.approx(np.radians(210.0))
    assert [joint.damping for joint in found.arm.joints] == [0.1, 0.3, 0.3]


def test_the_planar_part_of_a_desk_arm_is_read_as_mujoco_reads_it(read):
    text = robots.mujoco_desk_arm()
    with pytest.warns(ulna.UlnaWarning) as caught:
        found = read(text, base_link="shoulder", tip_link="tool")
    told = "\n".join(str(one.message) for one in caught)
    for words in ("servo_1, servo_2", "fingers", "held at zero", "pan", "roll"):
        assert words in told
    assert found.joint_names == ("lift", "elbow", "flex")
    assert [joint.max_torque for joint in found.arm.joints] == [2.94, 2.94, 2.0]
    check_as_mujoco(text, found)


INERTIAL = '<inertial pos="0.1 0.2 0.1" mass="2" diaginertia="0.1 0.04 0.03"/>'
COMPILERS = (
    'balanceinertia="true" boundmass="2.5" boundinertia="0.02"',
    'balanceinertia="true" inertiagrouprange="1 2"',
)
TURNED = f'<body pos="0.2 0 0" euler="10 20 30">{INERTIAL}<body/></body>'
MASSLESS = f"""<mujoco><compiler boundinertia="0.05" eulerseq="ZyX"/><worldbody>
<body><joint name="a" axis="0 1 0"/>{INERTIAL}{TURNED}<site name="tool" pos="0.3 0 0"/></body>
</worldbody></mujoco>"""


@pytest.mark.filterwarnings("ignore:link:ulna.UlnaWarning")  # links with far geoms
@tabular("compiler", [*COMPILERS, None])
def test_settings_of_the_compiler_mean_what_they_mean_to_mujoco(read, compiler):
    text = MASSLESS
    if compiler:
        text = robots.random_geoms_arm(np.random.default_rng(9), 3, compiler)
        text = text.replace('class="heavy"/>', f'class="heavy" group="1"/>{INERTIAL}', 2)
    check_as_mujoco(text, read(text, tip_link="tool"), "tool")


BODY = '<body name="arm"><inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/>{}</body>'
HINGE = '<joint name="a"/><body name="b" pos="0 0 1"><joint name="c" {}/>{}</body>'
MASS = '<inertial pos="0 0 .1" mass="1" diaginertia=".1 .1 .1"/>'
SITES = "".join(f'<site name="s{i}"/>' for i in range(100))


@pytest.mark.parametrize(
    ("inside", "what", "got"),
    [
        ('<joint name="a" type="slide"/>', "joint.a", "a prismatic joint"),
        ('<joint name="a" type="ball"/>', "joint.a", "a ball joint"),
        ('<freejoint name="a"/>', "joint.a", "a free joint"),
        (HINGE.format('stiffness="2"', MASS), "joint.c.stiffness", "a spring"),
        (HINGE.format('damping="1 2 3"', MASS), "joint.c.damping", "a polynomial"),
        (HINGE.format('axis="1 0 0"', MASS), "joint.c.axis", "an axis at 90° to that of 'a'"),
        (HINGE.format("", '<geom type="mesh" mesh="part"/>'), "robot", "mesh 'part' not found"),
        ('<joint name="a"/><include file="b.xml"/>', "XML", "<include>"),
        (HINGE.replace("0 0 1", "0 0 inf").format("", MASS), "link.arm.length", "nan"),
        ('<joint name="a"/>' + SITES, "tip", "s0, s1, s2, s3, s4, s5, s6, s7, s8, s9 and 90 more"),
        ('<model name="m" file="b.xml"/>', "XML", "<model>"),
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


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.mark.parametrize("shape", ['type="mesh"', 'type="box"'])  # as it is, or a box around it
@pytest.mark.parametrize("compiler", ["", '<compiler inertiafromgeom="true"/>'])
def test_a_mesh_that_a_mass_is_computed_from_is_not_read(read, tmp_path, shape, compiler):
    (tmp_path / "part.obj").write_text(TETRAHEDRON)
    more = f'{compiler}<asset><mesh name="part" file="{tmp_path}/part.obj"/></asset>'
    body = BODY if compiler else '<body name="arm">{}</body>'
    mesh = f'<joint name="a"/><geom {shape} mesh="part"/><geom size="0.1" mass="2"/>'
    with pytest.raises(ulna.InputError, match=r"body\.arm: got .*part\.obj.*need an <inertial>"):
        read(world(body.format(mesh), more))


@pytest.mark.parametrize(
    "more",
    [
        '<size nuser_geom="2000000000" nuserdata="2000000000" memory="900T"/>',
        '<sensor><user name="u" dim="1000000000"/></sensor>',
        '<actuator><motor joint="a" nsample="100000000" delay="1"/></actuator>',
        '<actuator><general joint="a" dyntype="user" actdim="1000000000"/></actuator>',
        '<compiler><lengthrange mode="all" inttotal="2e4"/></compiler>'
        '<actuator><motor joint="a"/></actuator>',
    ],
)
@pytest.mark.filterwarnings("ignore:actuators of which only limits:ulna.UlnaWarning")
def test_memory_and_time_that_the_arm_does_not_need_are_not_taken(read, more):
    with prompt():
        assert read(world(PLANAR, more)).arm.lengths == pytest.approx([1.0])


def test_meshes_of_what_never_moves_are_not_read(read):
    asset = '<asset><mesh name="base" file="base.stl"/></asset>'
    arm = BODY.format('<joint name="a"/><site name="tip" pos="3 0 0"/>')
    base = f'<body><geom type="mesh" mesh="base"/>{arm}</body>'
    assert read(world(base, asset)).arm.lengths == pytest.approx([3.0])


PLANAR = BODY.replace("1 1 1", "0.1 0.1 0.1").format(
    '<joint name="a"/><site name="tip" pos="1 0 0"/>'
)


def test_a_fluid_is_named_and_sensors_and_keyframes_are_none_of_the_arm(read):
    more = "<sensor><jointpos joint='a'/></sensor><keyframe><key qpos='1'/></keyframe>"
    with pytest.warns(ulna.UlnaWarning, match="density and viscosity of a fluid"):
        read(world(PLANAR, more + "<option density='1.2' viscosity='0.1'/>"))


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


@tabular(
    "body, flags",
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
    "joints without names": f"""<body name="s"><joint axis="0 1 0"/>{LINK}
      <site name="t" pos=".4 0 0"/><body><joint/><joint axis="1 0 0"/>{LINK}</body></body>""",
}


@pytest.mark.filterwarnings("ignore:held at zero:ulna.UlnaWarning")
@pytest.mark.parametrize("name", NAMES)
def test_a_tip_is_told_from_bodies_and_joints_without_names(read, name):
    text = f"<mujoco><worldbody>{NAMES[name]}</worldbody></mujoco>"
    found = read(text, tip_link="t (site)" if "site" in name else "t")
    model = mujoco.MjModel.from_xml_string(text)
    assert len({*found.joint_names, *found.held}) == model.njnt
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    ours = ulna.kinematics.tip(found.arm, found.from_file_angles(np.zeros(found.arm.n)))
    plane = np.array([found.x_axis, found.y_axis])
    assert ours[:2] == pytest.approx(plane @ data.site("t").xpos, abs=1e-12)


@pytest.mark.filterwarnings("ignore:held at zero:ulna.UlnaWarning")
def test_fixed_bodies_are_not_fused_before_their_names_are_read(read):
    fixed = '<body name="fixed" pos="1 0 0"><inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/>'
    body = PLANAR.replace("</body>", fixed + "</body></body>")
    assert read(world(body, '<compiler fusestatic="true"/>'), tip_link="fixed").arm.masses == [6.0]


def arm_with_fingers(tie):
    """Return an arm of one hinge that carries two fingers, with something that ties joints."""
    mass = '<inertial pos="0 0 0" mass="1" diaginertia=".01 .01 .01"/>'
    finger = f'<body name="{{0}}" pos=".5 0 0">{mass}<joint name="{{0}}" type="slide"/></body>'
    fingers = "".join(finger.format(name) for name in ("f", "g"))
    body = PLANAR.replace("</body>", fingers + "</body>")
    return world(f'<site name="floor" pos="0 2 -1"/><site name="hub" pos="0 0 -1"/>{body}', tie)


IGNORED = [
    "<equality><joint name='t' joint1='f' joint2='g'/></equality>",
    "<equality><weld name='t' body1='f' body2='g'/></equality>",
    "<equality><connect name='t' body1='f' body2='g' anchor='.1 .2 .3'/></equality>",
    "<tendon><fixed name='t'><joint joint='f' coef='1'/></fixed></tendon>",
    "<tendon><spatial name='t'><site site='tip'/><site site='hub'/></spatial></tendon>",
]
REFUSED = [
    "<equality><joint name='t' joint1='a' joint2='g'/></equality>",
    "<equality><connect name='t' body1='f' anchor='0 0 0'/></equality>",
    "<equality><weld name='t' body1='arm' body2='world'/></equality>",
    "<tendon><fixed name='t'><joint joint='a' coef='1'/></fixed></tendon>",
    "<tendon><spatial name='t'><site site='tip'/><site site='floor'/></spatial></tendon>",
]
NOT_ACTIVE = [
    "<equality><joint joint1='a' joint2='g' active='false'/></equality>",
    "<option><flag constraint='disable'/></option><equality><joint joint1='a'/></equality>",
]


@pytest.mark.filterwarnings("ignore:held at zero:ulna.UlnaWarning")
@pytest.mark.parametrize("tie", IGNORED + REFUSED + NOT_ACTIVE)
def test_only_active_couplings_of_the_arms_own_joints_are_refused(read, tie):
    text = arm_with_fingers(tie)
    if tie in REFUSED:
        with pytest.raises(ulna.InputError, match="acts on joints of the arm: t"):
            read(text, tip_link="tip")
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert read(text, tip_link="tip").joint_names == ("a",)
    told = "".join(str(one.message) for one in caught)
    assert ("tie no joints of the arm: t" in told) == (tie in IGNORED)

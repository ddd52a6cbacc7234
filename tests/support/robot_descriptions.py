"""URDF and MJCF files like those of public robots, written anew from a few numbers.

Frames are turned and shifted at random where a planar arm leaves that open, so that a reader that
forgets one of them is wrong.
"""

import numpy as np

MESH = '<visual><geometry><mesh filename="package://nowhere/part.stl"/></geometry></visual>'


def text_of(*values):
    return " ".join(repr(float(value)) for value in values)


def inertial(mass, com=(0.0, 0.0, 0.0), moments=(8e-5, 9e-5, 1e-4), rpy=(0.0, 0.0, 0.0)):
    xx, yy, zz = moments
    return (
        f'<inertial><origin xyz="{text_of(*com)}" rpy="{text_of(*rpy)}"/><mass value="{mass!r}"/>'
        f'<inertia ixx="{xx!r}" iyy="{yy!r}" izz="{zz!r}" ixy="0" ixz="0" iyz="0"/></inertial>'
    )


def link(name, body=""):
    return f'<link name="{name}">{body}{MESH}</link>\n'


def joint(
    name,
    parent,
    child,
    xyz=(0.0, 0.0, 0.0),
    rpy=(0.0, 0.0, 0.0),
    axis=(0.0, 0.0, 1.0),
    kind="continuous",
    more="",
):
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="{text_of(*xyz)}" rpy="{text_of(*rpy)}"/>'
        f'<parent link="{parent}"/><child link="{child}"/><axis xyz="{text_of(*axis)}"/>{more}'
        "</joint>\n"
    )


def robot(*parts, name="robot"):
    return f'<?xml version="1.0"?>\n<robot name="{name}">\n{"".join(parts)}</robot>\n'


def limits(lower, upper, effort=3.0, velocity=5.0, damping=0.0, friction=0.0):
    return (
        f'<limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="{velocity}"/>'
        f'<dynamics damping="{damping}" friction="{friction}"/>'
    )


def double_pendulum():
    """Two links that hang along −z of their frames and turn about y; the last has no tip frame."""
    return robot(
        link("world"),
        link("upper", inertial(1.5, (0.0, 0.0, -0.3), (0.05, 0.0505, 0.001))),
        link("lower", inertial(0.9, (0.0, 0.0, -0.2), (0.02, 0.0205, 0.001))),
        joint("shoulder", "world", "upper", (0.0, 0.1, 1.2), axis=(0.0, 1.0, 0.0)),
        joint("elbow", "upper", "lower", (0.0, 0.07, -0.6), axis=(0.0, 1.0, 0.0)),
        name="double pendulum",
    )


def acrobot():
    """Two links about ∓y, the second axis against the first, with damping and a tip frame."""
    return robot(
        link("base", inertial(4.0)),
        link("link1", inertial(1.0, (0.0, 0.02, -0.5), (0.083, 0.083, 0.003), (0.4, 0.0, 0.0))),
        link("link2", inertial(1.0, (0.03, 0.0, -1.0), (0.33, 0.333, 0.004), (0.0, 0.7, 0.0))),
        link("hand"),
        joint(
            "shoulder",
            "base",
            "link1",
            (0.0, 0.15, 0.0),
            axis=(0.0, -1.0, 0.0),
            more='<dynamics damping="0.1"/>',
        ),
        joint(
            "elbow",
            "link1",
            "link2",
            (0.0, 0.1, -1.0),
            axis=(0.0, 1.0, 0.0),
            more='<dynamics damping="0.2" friction="0.0"/>',
        ),
        joint("hand_joint", "link2", "hand", (0.0, 0.0, -2.0), kind="fixed"),
        name="acrobot",
    )


def pitch_arm(round_right_angles=None):
    """A desk arm with a pan, three pitch joints, a wrist roll and a gripper, as SO-101 is built.

    Frames are turned by right angles from one link to the next, so that axes are z of some and
    −z of others; `round_right_angles` prints them with that many digits, as drawing programs do.
    """
    right = np.pi / 2 if round_right_angles is None else round(np.pi / 2, round_right_angles)
    return robot(
        link("base", inertial(0.15)),
        link("shoulder", inertial(0.1, (-0.03, 0.0, -0.02))),
        link("upper_arm", inertial(0.103, (-0.09, -0.008, 0.018), rpy=(0.2, -0.3, 0.4))),
        link("motor", inertial(0.055, (0.01, 0.0, 0.0), (1e-5, 1.1e-5, 1.2e-5), (0.3, 0.2, 0.1))),
        link("lower_arm", inertial(0.104, (-0.098, 0.003, 0.018), rpy=(0.1, 0.2, 0.3))),
        link("wrist", inertial(0.079, (-0.0001, -0.03, 0.018))),
        link("gripper", inertial(0.087, (0.0002, 0.0002, -0.025))),
        link("gripper_frame"),
        link("jaw", inertial(0.012, (-0.001, -0.03, 0.019))),
        joint("pan", "base", "shoulder", (0.04, 0.0, 0.06), (np.pi, 0.0, -np.pi), kind="revolute",
              more=limits(-1.9, 1.9)),
        joint("shoulder_lift", "shoulder", "upper_arm", (-0.03, -0.018, -0.054),
              (-right, -right, 0.0), kind="revolute", more=limits(-1.7, 1.6, damping=0.6)),
        joint("motor_mount", "upper_arm", "motor", (-0.1, 0.01, 0.02), (0.5, 0.6, 0.7),
              kind="fixed"),
        joint("elbow_flex", "upper_arm", "lower_arm", (-0.11, -0.028, 0.0), (0.0, 0.0, right),
              kind="revolute", more=limits(-1.69, 1.69, friction=0.05)),
        joint("wrist_flex", "lower_arm", "wrist", (-0.135, 0.005, 0.0), (2 * right, 0.0, -right),
              kind="revolute", more=limits(-1.66, 1.5)),
        joint("wrist_roll", "wrist", "gripper", (0.0, -0.061, 0.018), (right, 0.05, np.pi),
              kind="revolute", more=limits(-2.7, 2.8)),
        joint("gripper_frame_joint", "gripper", "gripper_frame", (-0.008, 0.0, -0.098),
              kind="fixed"),
        joint("grip", "gripper", "jaw", (0.02, 0.019, -0.023), (right, 0.0, 0.0), kind="revolute",
              more=limits(-0.17, 1.7)),
        name="so_like",
    )  # fmt: skip


def prismatic_gripper_arm():
    """A desk arm about y with a prismatic gripper whose second finger mimics the first."""
    pitch = {"axis": (0.0, 1.0, 0.0), "kind": "revolute"}
    return robot(
        link("world"),
        link("link1", inertial(0.08, (0.003, 0.0, 0.048))),
        link("link2", inertial(0.099, (-0.0003, 0.0, 0.018))),
        link("link3", inertial(0.138, (0.0103, 0.0004, 0.1017))),
        link("link4", inertial(0.133, (0.0909, 0.0004, 0.0002))),
        link("link5", inertial(0.143, (0.0442, 0.0, 0.0091))),
        link("finger", inertial(0.001)),
        link("other_finger", inertial(0.001)),
        link("end_effector"),
        joint("world_fixed", "world", "link1", kind="fixed"),
        joint("joint1", "link1", "link2", (0.012, 0.0, 0.017), kind="revolute",
              more=limits(-2.8, 2.8)),
        joint("joint2", "link2", "link3", (0.0, 0.0, 0.0595), more=limits(-1.8, 1.5), **pitch),
        joint("joint3", "link3", "link4", (0.024, 0.0, 0.128), more=limits(-0.9, 1.4), **pitch),
        joint("joint4", "link4", "link5", (0.124, 0.0, 0.0), more=limits(-1.8, 2.0), **pitch),
        joint("gripper", "link5", "finger", (0.0817, 0.021, 0.0), axis=(0.0, 1.0, 0.0),
              kind="prismatic", more=limits(-0.01, 0.019)),
        joint("gripper_sub", "link5", "other_finger", (0.0817, -0.021, 0.0),
              axis=(0.0, -1.0, 0.0), kind="prismatic",
              more='<mimic joint="gripper"/>' + limits(-0.01, 0.019)),
        joint("end_effector_joint", "link5", "end_effector", (0.126, 0.0, 0.0), kind="fixed"),
        name="manipulator_like",
    )  # fmt: skip


def six_axis_arm():
    """An industrial arm of six axes, of which the second to the fourth are parallel."""
    bodies = [(7.1, 0.02), (12.7, 0.3), (4.3, 0.25), (2.0, 0.01), (2.0, 0.0), (0.4, 0.0)]
    frames = [
        ((0.0, 0.0, 0.16), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
        ((0.0, 0.14, 0.0), (0.0, np.pi / 2, 0.0), (0.0, 1.0, 0.0)),
        ((0.0, -0.12, 0.61), (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        ((0.0, 0.0, 0.57), (0.0, np.pi / 2, 0.0), (0.0, -1.0, 0.0)),
        ((0.0, 0.115, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
        ((0.0, 0.0, 0.115), (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    ]
    parts, before = [link("base_link", inertial(4.0))], "base_link"
    for number, ((mass, along), (xyz, rpy, axis)) in enumerate(zip(bodies, frames, strict=True), 1):
        body = inertial(mass, (0.01, 0.02, along), (0.2, 0.22, 0.03), (0.1 * number, 0.2, 0.0))
        name = f"axis_{number}_link"
        parts += [link(name, body), joint(f"axis_{number}", before, name, xyz, rpy, axis)]
        before = name
    return robot(*parts, name="six_axis")


def random_planar(random, n):
    """A planar chain of n joints in a random plane, its frames turned and shifted at random."""
    normal = random.normal(size=3)
    normal /= np.linalg.norm(normal)
    parts, before, turn = [link("root")], "root", np.eye(3)
    for number in range(1, n + 1):
        rpy = random.uniform(-1.5, 1.5, 3)
        turn = turn @ rotation(*rpy)
        axis = turn.T @ normal * random.choice([-1.0, 1.0]) * random.uniform(0.5, 2.0)
        name = f"body{number}"
        mass, moments = random.uniform(0.5, 2.0), random.uniform(0.02, 0.03, 3)
        body = inertial(
            float(mass), random.normal(size=3) / 5, moments.tolist(), random.uniform(-1, 1, 3)
        )
        xyz = random.uniform(0.1, 0.4, 3)
        parts += [link(name, body), joint(f"hinge{number}", before, name, xyz, rpy, axis)]
        extra = inertial(0.3, random.normal(size=3) / 5, (0.01, 0.012, 0.014), (0.1, 0.2, 0.3))
        place = random.normal(size=3) / 5, random.uniform(-1.0, 1.0, 3)
        parts += [link(f"part{number}", extra)]
        parts += [joint(f"weld{number}", name, f"part{number}", *place, kind="fixed")]
        before = name
    parts += [link("tool"), joint("tool_joint", before, "tool", (0.3, 0.2, -0.1), kind="fixed")]
    return robot(*parts, name="random planar chain")


def rotation(roll, pitch, yaw):
    made = np.eye(3)
    for axis, angle in enumerate((roll, pitch, yaw)):
        turn = np.eye(3)
        one, two = (axis + 1) % 3, (axis + 2) % 3
        turn[[one, two], [one, two]] = np.cos(angle)
        turn[two, one], turn[one, two] = np.sin(angle), -np.sin(angle)
        made = turn @ made
    return made


def mujoco_arm():
    """An upright arm of three hinges in MuJoCo's ways: degrees, classes, anchors, orientations.

    The second hinge counts from 30°, the third turns against the others.
    """
    return """<mujoco model="mujoco arm">
  <compiler eulerseq="zYx"/>
  <option gravity="0 0 -9.7"/>
  <default>
    <joint damping="0.1"/>
    <default class="geared"><joint armature="0.02" damping="0.3" range="-90 120"/></default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="pedestal" pos="0.1 0.2 0.3" euler="0 0 90">
      <geom type="box" size="0.1 0.1 0.1"/>
      <body name="upper" pos="0 0.1 0.2" quat="0.9 0.3 0 0" childclass="geared">
        <inertial pos="0.1 0.05 0.2" mass="1.5" diaginertia="0.02 0.03 0.025" quat="1 2 3 4"/>
        <joint name="shoulder" axis="1 0 0" pos="0.02 0.03 0.04" class="main"/>
        <geom type="capsule" fromto="0 0 0 0 0 0.4" size="0.02"/>
        <body name="bracket" pos="0 0.02 0.3" axisangle="1 2 3 40">
          <inertial pos="0.01 0.02 0.03" mass="0.2" diaginertia="0.001 0.001 0.001"/>
        </body>
        <body name="lower" pos="0.1 0.1 0.4" xyaxes="0 1 0.2 1 0 0">
          <inertial pos="0 0.1 0.1" mass="0.8" fullinertia="0.02 0.03 0.025 0.001 0.002 0.003"/>
          <joint name="elbow" axis="0 1 0" ref="30"/>
          <body name="hand" pos="0.2 0.05 0.25" zaxis="0.3 0 0.5">
            <inertial pos="0.02 0.03 0.1" mass="0.4" diaginertia="0.0012 0.001 0.0009"/>
            <joint name="wrist" axis="0 -1 0" range="-20 70" limited="false"/>
            <site name="tool" pos="0.1 0.2 0.05"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><position name="servo" joint="wrist" kp="3"/></actuator>
</mujoco>
"""


def mujoco_desk_arm():
    """A desk arm in MJCF as public ones are written: classes, meshes, servos, a gripper, sensors.

    A pan, three pitch joints, a wrist roll, and two fingers that an equality ties together. Meshes
    are drawn, and weigh nothing; some bodies weigh what their geoms do.
    """
    return """<mujoco model="desk arm">
  <compiler angle="radian" meshdir="assets" autolimits="true"/>
  <option integrator="implicitfast" cone="elliptic"><flag multiccd="enable"/></option>
  <default>
    <default class="desk">
      <joint damping="0.6" frictionloss="0.052" armature="0.028"/>
      <position kp="17.8" dampratio="1" forcerange="-2.94 2.94"/>
      <default class="visual">
        <geom type="mesh" contype="0" conaffinity="0" density="0" group="2" material="grey"/>
      </default>
      <default class="collision"><geom group="3" type="capsule" mass="0"/></default>
      <default class="finger"><joint type="slide" axis="1 0 0" range="0 0.04"/></default>
    </default>
  </default>
  <asset>
    <material name="grey" rgba="0.5 0.5 0.5 1"/>
    <mesh name="part" vertex="0 0 0  0.1 0 0  0 0.1 0  0 0 0.1"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="1 1 0.1"/>
    <body name="base" childclass="desk">
      <inertial pos="0 0 0.03" mass="0.15" diaginertia="1e-4 1e-4 1e-4"/>
      <geom class="visual" mesh="part"/>
      <body name="shoulder" pos="0.04 0 0.06">
        <inertial pos="-0.03 0 -0.02" mass="0.1" diaginertia="8e-5 8e-5 7e-5"/>
        <joint name="pan" axis="0 0 1" range="-1.9 1.9"/>
        <body name="upper_arm" pos="0.03 -0.018 0.054" quat="0.5 -0.5 -0.5 -0.5">
          <inertial pos="-0.09 -0.008 0.018" quat="0.9 0.1 0.2 0.3" mass="0.103"
            diaginertia="6e-5 5e-5 4e-5"/>
          <joint name="lift" axis="0 0 1" range="-1.7 1.6"/>
          <geom class="visual" mesh="part"/>
          <geom class="collision" fromto="0 0 0 -0.11 0 0" size="0.02"/>
          <body name="lower_arm" pos="-0.11 -0.028 0" quat="1 0 0 1">
            <joint name="elbow" axis="0 0 -1" range="-1.69 1.69"/>
            <geom class="visual" mesh="part"/>
            <geom type="box" size="0.06 0.015 0.02" pos="-0.06 0.003 0.018" mass="0.104"/>
            <body name="wrist" pos="-0.135 0.005 0">
              <joint name="flex" axis="0 0 1" range="-1.66 1.66"/>
              <geom type="cylinder" size="0.012 0.02" pos="0 -0.03 0.018" density="2000"/>
              <site name="tool" pos="0 -0.16 0.018"/>
              <body name="gripper" pos="0 -0.061 0.018" euler="1.5707963267948966 0 0">
                <inertial pos="0 0 -0.025" mass="0.087" diaginertia="3e-5 3e-5 2e-5"/>
                <joint name="roll" axis="0 0 1" range="-2.7 2.8"/>
                <body name="left">
                  <inertial pos="0 0.01 0" mass="0.01" diaginertia="1e-6 1e-6 1e-6"/>
                  <joint name="left" class="finger"/>
                </body>
                <body name="right">
                  <inertial pos="0 0.01 0" mass="0.01" diaginertia="1e-6 1e-6 1e-6"/>
                  <joint name="right" class="finger"/>
                </body>
              </body>
            </body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <equality><joint name="fingers" joint1="left" joint2="right"/></equality>
  <actuator>
    <position class="desk" name="servo_1" joint="lift" ctrlrange="-1.7 1.6"/>
    <position class="desk" name="servo_2" joint="elbow" ctrlrange="-1.69 1.69"/>
    <motor name="servo_3" joint="flex" ctrlrange="-0.5 0.5" gear="4"/>
  </actuator>
  <sensor><jointpos joint="lift"/></sensor>
</mujoco>
"""


GEOMS = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}


def random_geom(random, kind):
    """A geom of a kind, by its centre and sizes or by its ends, turned in one of five ways."""
    more = [f'type="{kind}"', f'group="{random.integers(0, 4)}"']
    weight = random.integers(0, 4)  # none but that of its class, a mass, a density, nothing
    more += [[], ['mass="0.7"'], ['density="450"'], ['mass="0"']][weight]
    if kind != "sphere" and random.random() < 0.4:
        ends = text_of(*random.normal(size=6) / 4)
        return (
            f'<geom {" ".join(more)} size="{text_of(random.uniform(0.02, 0.1))}" fromto="{ends}"/>'
        )
    ways = {"quat": 4, "euler": 3, "axisangle": 4, "xyaxes": 6, "zaxis": 3}
    way = random.choice(list(ways))
    scale = 60.0 if way == "euler" else 1.0
    turn = f'{way}="{text_of(*scale * random.normal(size=ways[way]))}"'
    sizes = text_of(*random.uniform(0.02, 0.2, GEOMS[kind]))
    place = text_of(*random.normal(size=3) / 4)
    return f'<geom {" ".join(more)} size="{sizes}" pos="{place}" {turn}/>'


def random_geoms_arm(random, n, compiler=""):
    """A chain of n hinges about y in MJCF, of bodies whose masses are those of their geoms.

    Some geoms, joints and bodies stand in frames, which turn about y; some have classes.
    """
    text, ends = "", ""
    for number in range(1, n + 1):
        angle = random.uniform(-90.0, 90.0)
        kinds = [list(GEOMS)[number % 5], *random.choice(list(GEOMS), 2)]
        geoms = [random_geom(random, kind) for kind in kinds]
        frame = f'<frame pos="{text_of(*random.normal(size=3) / 5)}" euler="0 {angle!r} 0">'
        hinge = (
            f'<joint name="hinge{number}" axis="0 {random.choice([-2.0, 1.0])} 0" pos="0.1 0 0"/>'
        )
        text += (
            f'{frame}<body name="body{number}" pos="{text_of(*random.uniform(0.1, 0.3, 3))}" '
            f'childclass="{random.choice(["heavy", "light"])}">'
            f'{frame}{hinge}{geoms[0]}<frame axisangle="1 1 0 40">{geoms[1]}</frame></frame>'
            f'<geom size="0.05" class="heavy"/>{geoms[2]}'
        )
        ends = "</body></frame>" + ends
    return f"""<mujoco model="geoms">
<compiler {compiler}/>
<default>
  <geom density="700"/>
  <default class="heavy"><geom density="3000"/><joint damping="0.2" armature="0.01"/></default>
  <default class="light"><geom mass="0.3"/><joint damping="0.1"/></default>
</default>
<worldbody>{text}<site name="tool" pos="0.3 0.1 0.2"/>{ends}</worldbody>
</mujoco>
"""

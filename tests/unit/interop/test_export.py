"""URDF and MJCF files that are written: what they hold, and what they lose."""

import warnings

import numpy as np
import pytest

import ulna
from mujoco_torques import mujoco, torques_of
from tabular import tabular
from ulna import dynamics


def save(arm, file):
    """Write an arm; return what is told of its file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ulna.save(arm, file)
    return " ".join(str(one.message) for one in caught)


@pytest.mark.parametrize("ratio", [1.0, -3.0, 80.0])
def test_torques_of_an_mjcf_are_those_of_the_arm_with_coupled_rotors(tmp_path, ratio):
    joints = [ulna.Joint(damping=0.1 * i, rotor_inertia=1e-4, gear_ratio=ratio) for i in range(4)]
    links = [ulna.Link(0.4, 1.0, 0.25, 0.02, 0.1, -0.05) for _ in range(4)]
    arm = ulna.Arm.of(links, joints, gravity=(1.0, -9.0), base=(0.2, -0.3), payload=0.2)
    assert save(arm, tmp_path / "arm.xml") == ""
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 20, 4))
    expected = dynamics.inverse_dynamics(arm, q, qd, qdd)
    assert torques_of(model, q, qd, qdd) == pytest.approx(expected, rel=1e-11, abs=1e-11)
    data = mujoco.MjData(model)
    data.qpos = q[0]
    mujoco.mj_forward(model, data)
    x, y, _ = ulna.kinematics.tip(arm, q[0])
    assert data.site("tip").xpos == pytest.approx([x, 0.0, y])


@tabular("ending", ["xml", "urdf"])
def test_an_arm_is_written_and_read_back(tmp_path_factory, ending):
    joints = [ulna.Joint(damping=0.1, friction=ulna.Friction(0.2)), ulna.Joint(-1.0, 2.0, 3.0, 4.0)]
    arm = ulna.Arm.rods([0.5, 0.3], [1.0, 0.5], joints=joints, base=(0.1, 0.2), name='a "b" & <c>')
    file = tmp_path_factory.mktemp("back") / f"arm.{ending}"
    told, back = save(arm, file), ulna.load(file)
    if ending == "xml":
        assert "limits of the rates of joints 2" in told
        joints[1] = ulna.Joint(-1.0, 2.0, max_torque=4.0)
    assert (back.name, back.joints) == (arm.name, tuple(joints))
    assert back.base == pytest.approx(arm.base)
    assert back.lengths == pytest.approx(arm.lengths)


def geared(rotor):
    return ulna.Joint(damping=0.1, rotor_inertia=rotor / 2450.0, gear_ratio=50.0)


@pytest.mark.parametrize(
    ("ending", "joints", "rel"),
    [
        *(("xml", [geared(rotor)] * n, 1e-10) for rotor in (1e-3, 0.5) for n in (1, 2, 3)),
        # Without armatures: that of the first joint, and one that is geared one to one.
        (
            "urdf",
            [ulna.Joint(rotor_inertia=0.01, gear_ratio=30.0), ulna.Joint(rotor_inertia=0.02)],
            1e-12,
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:.*no body:ulna.UlnaWarning")
def test_rotors_come_back(tmp_path, ending, joints, rel):
    n = len(joints)
    arm = ulna.Arm.rods([0.5, 0.4, 0.3][:n], [3.0, 2.0, 1.0][:n], joints=joints)
    assert save(arm, tmp_path / f"arm.{ending}") == ""
    found = ulna.interop.import_robot(tmp_path / f"arm.{ending}")
    assert found.same_angles
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 20, n))
    expected = dynamics.inverse_dynamics(arm, q, qd, qdd)
    back = dynamics.inverse_dynamics(found.arm, q, qd, qdd)
    assert back == pytest.approx(expected, rel=rel, abs=rel)


DRY = ulna.Friction(0.1, static=0.3, drag=0.02)
LOSSES = [
    # Static friction holds the joint one way, and frictionloss pushes it the other.
    ("xml", [ulna.Joint(friction=ulna.Friction(0.2, static=0.5))], "frictionloss is soft"),
    ("xml", [ulna.Joint(friction=ulna.Friction(0.2, static=0.5))], "up to 0.7 N·m (joint 1)"),
    ("xml", [ulna.Joint(), ulna.Joint(rotor_inertia=0.5, gear_ratio=10.0)], "rotor of joint 2"),
    ("urdf", [ulna.Joint(friction=DRY)], "static friction of joint 1: 0.2 N·m at rest"),
    ("urdf", [ulna.Joint(friction=DRY)], "drag of joint 1: 0.02 N·m"),
    # At 5 rad/s drag is 0.02 · 25 = 0.5 N·m, more than what holds the joint at rest.
    ("urdf", [ulna.Joint(friction=DRY)], "differ from the arm's by up to 0.5 N·m (joint 1)"),
    # J N (N − 1) = 0.0099 kg·m² of the relative rate alone.
    ("urdf", [ulna.Joint(), ulna.Joint(rotor_inertia=1e-6, gear_ratio=100.0)], "up to 0.0099 N·m"),
    ("urdf", [ulna.Joint(damping=0.1, max_velocity=3.0)], "damping of joints 1, which Pinocchio"),
    ("urdf", [ulna.Joint(damping=0.1, max_velocity=3.0)], "leaves out: up to 0.3 N·m"),
]


@tabular("ending, joints, words", LOSSES)
def test_what_a_file_loses_is_told_with_its_torque(tmp_path_factory, ending, joints, words):
    lengths, masses = [0.5, 0.3][: len(joints)], [1.0, 0.5][: len(joints)]
    arm = ulna.Arm.rods(lengths, masses, joints=joints)
    assert words in save(arm, tmp_path_factory.mktemp("lost") / f"arm.{ending}")


def test_gravity_beyond_the_readers_own_is_told(tmp_path):
    told = save(ulna.Arm.rods([1.0], [1.0], gravity=(0.0, -24.8)), tmp_path / "arm.urdf")
    assert "gravity of 24.8 m/s²" in told
    # 1 kg at half a metre under 14.99 m/s² that the file has not.
    assert "up to 7.5 N·m (joint 1)" in told


def test_a_link_without_mass_is_refused_for_an_mjcf(tmp_path):
    arm = ulna.Arm.of(
        [ulna.Link(1.0, 0.0), ulna.Link(1.0, 1.0)], [ulna.Joint(rotor_inertia=1.0), ulna.Joint()]
    )
    with pytest.raises(ulna.InputError, match=r"link\.1\.mass: got 0"):
        ulna.save(arm, tmp_path / "arm.xml")

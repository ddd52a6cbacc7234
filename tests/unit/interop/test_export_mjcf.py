"""MJCF files that are written: what MuJoCo reads in them, and what they lose."""

import warnings

import numpy as np
import pytest

import ulna
from ulna import dynamics

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

"""URDF files that are written: what they hold, and what they lose."""

import warnings

import numpy as np
import pytest

import ulna
from ulna import dynamics

pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")


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

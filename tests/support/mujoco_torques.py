"""Torques that MuJoCo finds, to compare an arm with the file that describes it."""

import numpy as np
import pytest

from ulna import dynamics, kinematics

mujoco = pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")

# Beyond a limit MuJoCo adds the force of its soft stop, and bodies may touch.
OFF = ("mjDSBL_LIMIT", "mjDSBL_CONTACT", "mjDSBL_EQUALITY")


def torques_of(model, q, qd, qdd):
    """Return the torques of MuJoCo's joints in some states, without stops, contacts and ties."""
    for flag in OFF:
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, flag))
    data, found = mujoco.MjData(model), []
    for data.qpos, data.qvel, data.qacc in zip(q, qd, qdd, strict=True):
        mujoco.mj_inverse(model, data)
        found.append(data.qfrc_inverse.copy())
    return np.array(found)


def check_as_mujoco(text, found, tip=None):
    """Compare torques of an arm with those of its file, in which all other joints are at zero.

    The tip is compared with the body or the site `tip` where one is named; the joints of such an
    arm turn about axes of the world.
    """
    model, n = mujoco.MjModel.from_xml_string(text), found.arm.n
    model.dof_frictionloss[:] = 0.0
    own = [model.joint(name).qposadr[0] for name in found.joint_names]
    theta, rates, gains = np.random.default_rng(n).normal(size=(3, 20, n))
    q, qd, qdd = np.zeros((3, 20, model.nq))
    q[:, own], qd[:, own], qdd[:, own] = theta, rates, gains
    signs, angles = np.array(found.signs), found.from_file_angles(theta)
    here = dynamics.inverse_dynamics(
        found.arm.without_friction(), angles, signs * rates, signs * gains
    )
    expected = signs * torques_of(model, q, qd, qdd)[:, own]
    assert here == pytest.approx(expected, rel=1e-9, abs=1e-9)
    if tip is None:
        return
    data, plane = mujoco.MjData(model), np.array([found.x_axis, found.y_axis])
    for data.qpos, point in zip(q, kinematics.tip(found.arm, angles)[:, :2], strict=True):
        mujoco.mj_kinematics(model, data)
        assert point == pytest.approx(plane @ data.site(tip).xpos, abs=1e-9)

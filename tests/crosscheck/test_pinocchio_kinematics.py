"""Frames, Jacobians and tip motion against Pinocchio: 1,000 random arms of 1 to 50 links."""

import numpy as np
import pytest

from tabular import tabular
from ulna import kinematics

pinocchio = pytest.importorskip(
    "pinocchio", reason="Pinocchio has no wheel for this platform: kinematics not cross-checked"
)

ARMS_EACH = 20
TOLERANCE = 1e-12  # in units of the reach, and of the rates that enter


def planar_chain(length, base):
    """Give a model of revolute joints about z, the frame of each at the end of the link before."""
    model = pinocchio.Model()
    parent, offset = 0, np.array([base[0], base[1], 0.0])
    for number, link in enumerate(length):
        place = pinocchio.SE3(np.eye(3), offset)
        parent = model.addJoint(parent, pinocchio.JointModelRZ(), place, f"joint {number}")
        offset = np.array([link, 0.0, 0.0])
    place = pinocchio.SE3(np.eye(3), offset)
    kind = pinocchio.FrameType.OP_FRAME
    tip = model.addFrame(pinocchio.Frame("tip", parent, 0, place, kind))
    return model, tip


def planar(vector):
    """Keep x, y and the turn about z of a spatial vector or of the rows of a matrix."""
    return np.asarray(vector)[[0, 1, 5]]


@tabular("n", range(1, 51))
def test_frames_jacobians_and_motion_agree(random_arm, n):
    random = np.random.default_rng(n)
    arms = random_arm(random, n, (ARMS_EACH,))
    q, qd, qdd = random.uniform(-np.pi, np.pi, (3, ARMS_EACH, n))
    joints, tips = kinematics.joints(arms, q), kinematics.tip(arms, q)
    frames = kinematics.transforms(arms, q).product
    jacobians, rates = kinematics.jacobian(arms, q), kinematics.jacobian_rate(arms, q, qd)
    velocities = kinematics.tip_velocity(arms, q, qd)
    accelerations = kinematics.tip_acceleration(arms, q, qd, qdd)
    aligned = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED

    for k in range(ARMS_EACH):
        model, tip = planar_chain(arms.length[k], arms.base[k])
        data = model.createData()
        pinocchio.forwardKinematics(model, data, q[k], qd[k], qdd[k])
        pinocchio.updateFramePlacements(model, data)
        pinocchio.computeJointJacobiansTimeVariation(model, data, q[k], qd[k])
        allowed = TOLERANCE * np.sum(arms.length[k])
        speed = 1.0 + np.max(np.abs(np.cumsum(qd[k])))
        turning = 1.0 + np.max(np.abs(np.cumsum(qdd[k])))

        placed = np.array([data.oMi[i + 1].translation[:2] for i in range(n)])
        assert np.abs(joints[k, :-1] - placed).max() <= allowed
        there = data.oMf[tip]
        assert np.abs(joints[k, -1] - there.translation[:2]).max() <= allowed
        assert np.abs(tips[k, :2] - there.translation[:2]).max() <= allowed
        assert np.abs(frames[k, :2, :2] - there.rotation[:2, :2]).max() <= TOLERANCE
        turned = np.exp(1j * tips[k, 2]) - complex(*there.rotation[:2, 0])
        assert abs(turned) <= TOLERANCE

        # For one joint Pinocchio gives a vector in place of a matrix of one column.
        theirs = planar(pinocchio.getFrameJacobian(model, data, tip, aligned)).reshape(3, n)
        assert np.abs(jacobians[k] - theirs).max() <= allowed
        theirs = pinocchio.getFrameJacobianTimeVariation(model, data, tip, aligned)
        assert np.abs(rates[k] - planar(theirs).reshape(3, n)).max() <= allowed * speed
        theirs = planar(pinocchio.getFrameVelocity(model, data, tip, aligned).vector)
        assert np.abs(velocities[k] - theirs).max() <= allowed * speed
        theirs = planar(pinocchio.getFrameClassicalAcceleration(model, data, tip, aligned).vector)
        assert np.abs(accelerations[k] - theirs).max() <= allowed * (speed**2 + turning)

"""The same dynamics in link angles: what papers write, and torques to ground."""

from functools import partial

import numpy as np
import pytest

import ulna
from refusals import problems_of
from ulna import dynamics
from ulna.dynamics import absolute

approx = partial(pytest.approx, rel=1e-13, abs=1e-13)
G = 9.81


@pytest.fixture
def arm():
    links = [ulna.Link(0.5, 2.0, com=0.2, tip_mass=0.3), ulna.Link(0.4, 1.0, com_offset=-0.1)]
    joints = [ulna.Joint(damping=0.3), ulna.Joint(damping=0.7)]
    return ulna.Arm.of(links, joints)


def drawn(*shape):
    return np.random.default_rng(7).uniform(-3.0, 3.0, (3, *shape))


PHI, PHID, PHIDD = np.array([0.9, -0.4]), np.array([1.5, -2.5]), np.array([3.0, 0.5])


@pytest.fixture
def points():
    """Give two point masses: m_1 = 2 on 0.5 m, m_2 = 3 on 0.8 m."""
    return ulna.Arm.point_masses([0.5, 0.8], [2.0, 3.0])


def test_a_double_pendulum_has_the_matrices_that_every_textbook_prints(points):
    # Two point masses in absolute angles, from any text on mechanics.
    c, s = np.cos(PHI[0] - PHI[1]), np.sin(PHI[0] - PHI[1])
    coupled = 3.0 * 0.5 * 0.8
    mass = np.array([[5.0 * 0.25, coupled * c], [coupled * c, 3.0 * 0.64]])
    whirl = np.array([[0.0, coupled * s * PHID[1]], [-coupled * s * PHID[0], 0.0]])
    weight = G * np.array([5.0 * 0.5 * np.cos(PHI[0]), 3.0 * 0.8 * np.cos(PHI[1])])
    assert absolute.mass_matrix(points, PHI) == approx(mass)
    assert absolute.coriolis_matrix(points, PHI, PHID) == approx(whirl)
    assert absolute.gravity_torque(points, PHI) == approx(weight)
    needed = mass @ PHIDD + whirl @ PHID + weight
    assert absolute.inverse_dynamics(points, PHI, PHID, PHIDD) == approx(needed)
    moved = absolute.forward_dynamics(points, PHI, PHID, needed)
    assert moved == pytest.approx(PHIDD, rel=1e-12)


def test_every_link_carries_its_own_moment_and_no_other(arm):
    level = absolute.gravity_torque(arm, [0.0, 0.7])[0]
    assert absolute.gravity_torque(arm, [0.0, -2.0])[0] == level
    assert level == approx(G * (2.0 * 0.2 + 0.5 * (0.3 + 1.0)))


def test_a_motor_at_a_joint_pushes_against_the_link_before():
    assert absolute.ground_torques([5.0, 3.0, 1.0]).tolist() == [2.0, 2.0, 1.0]
    assert absolute.joint_torques([2.0, 2.0, 1.0]).tolist() == [5.0, 3.0, 1.0]


@pytest.mark.parametrize("n", [1, 2, 8, 9, 20])
def test_torques_to_ground_and_at_the_joints_undo_each_other(n):
    # Multiples of 1/64: every sum of these is exact.
    torques = np.random.default_rng(n).integers(-999, 999, (4, 3, n)) / 64
    assert (absolute.joint_torques(absolute.ground_torques(torques)) == torques).all()
    assert (absolute.ground_torques(absolute.joint_torques(torques)) == torques).all()


def test_damping_acts_between_neighbouring_links():
    joints = [ulna.Joint(damping=2.0), ulna.Joint(damping=3.0)]
    damped = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0], joints=joints)
    free = damped.replace(joints=[ulna.Joint()] * 2)
    state = ([0.3, -0.5], [1.5, -0.5], [0.2, 0.1])
    more = absolute.inverse_dynamics(damped, *state) - absolute.inverse_dynamics(free, *state)
    # Joint 1 turns at 1.5, joint 2 at −2; what brakes link 2 drags link 1 along.
    assert more == approx([2.0 * 1.5 - 3.0 * -2.0, 3.0 * -2.0])


def test_a_force_at_the_tip_acts_on_the_arm_and_a_moment_on_its_last_link():
    arm = ulna.Arm.rods([1.0, 0.5], [1.0, 1.0], gravity=(0.0, 0.0))
    still = ([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
    lifted = absolute.inverse_dynamics(arm, *still, tip_force=[0.0, 4.0])
    assert lifted == approx([-4.0 * 1.0, -4.0 * 0.5])
    turned = absolute.inverse_dynamics(arm, *still, tip_force=[0.0, 0.0, 4.0])
    assert turned == approx([0.0, -4.0])


def test_it_is_the_motion_that_the_joints_see(arm):
    """Nothing but the coordinates changes: the same arm under the same motors."""
    q, qd, tau = drawn(2)
    force = [1.0, -2.0, 0.5]
    qdd = dynamics.forward_dynamics(arm, q, qd, tau, tip_force=force)
    ground = absolute.ground_torques(tau)
    found = absolute.forward_dynamics(arm, np.cumsum(q), np.cumsum(qd), ground, tip_force=force)
    assert found == pytest.approx(np.cumsum(qdd), rel=1e-12)
    needed = absolute.inverse_dynamics(
        arm, np.cumsum(q), np.cumsum(qd), np.cumsum(qdd), tip_force=force
    )
    assert absolute.joint_torques(needed) == pytest.approx(tau, rel=1e-11)


def test_motors_at_the_joints_of_one_link_stand_on_the_ground():
    arm = ulna.Arm.rods([2.0], [3.0], gravity=(0.0, 0.0))
    assert absolute.forward_dynamics(arm, [0.2], [1.0], [8.0]) == approx([2.0])
    assert absolute.ground_torques([8.0]).tolist() == absolute.joint_torques([8.0]).tolist() == [8]


@pytest.mark.parametrize("convert", [absolute.joint_torques, absolute.ground_torques])
def test_what_is_no_row_of_torques_is_refused(convert):
    for bad in ("ab", [[1, 2], [3]], [None], object, 5.0, []):
        assert problems_of(lambda bad=bad: convert(bad))

"""Paper 001's approximation: every joint for itself, with all beyond it frozen."""

from functools import partial

import numpy as np
import pytest

import ulna
from ulna import dynamics
from ulna.dynamics import sequential

approx = partial(pytest.approx, rel=1e-13, abs=1e-13)
G = 9.81


@pytest.fixture
def points():
    """Give two point masses: m_1 = 2 on 1 m, m_2 = 3 on 2 m."""
    return ulna.Arm.point_masses([1.0, 2.0], [2.0, 3.0])


def test_each_joint_sees_the_masses_beyond_it_as_one_body(points):
    # Level, then straight up: m_2 is at (1, 2) from joint 1.
    seen = sequential.frozen(points, [0.0, np.pi / 2])
    assert seen.inertia == approx([2.0 * 1.0 + 3.0 * 5.0, 3.0 * 4.0])
    assert seen.weight == approx([G * (2.0 * 1.0 + 3.0 * 1.0), 0.0])


def test_links_point_masses_and_offsets_are_all_seen():
    links = [
        ulna.Link(1.0, 2.0, com=0.4, com_offset=0.3, inertia=0.1, tip_mass=5.0),
        ulna.Link(2.0, 3.0, com=0.5, inertia=0.2),
    ]
    seen = sequential.frozen(ulna.Arm.of(links, payload=7.0), [0.0, np.pi / 2])
    # The centre of link 2 is at (1, 0.5) from joint 1, the payload at (1, 2).
    beyond = 0.2 + 3.0 * 1.25 + 7.0 * 5.0
    assert seen.inertia[0] == approx(0.1 + 2.0 * 0.25 + 5.0 + beyond)
    assert seen.inertia[1] == approx(0.2 + 3.0 * 0.25 + 7.0 * 4.0)
    assert seen.weight == approx([G * (2.0 * 0.4 + 5.0 + 3.0 + 7.0), 0.0])


def test_angles_are_absolute(points):
    assert sequential.frozen(points, [0.7, 0.7]).inertia == approx([2.0 + 3.0 * 9.0, 12.0])


def test_gravity_may_pull_sideways(points):
    sideways = points.replace(gravity=(-4.0, 0.0))
    seen = sequential.frozen(sideways, [np.pi / 2, np.pi / 2])
    assert seen.weight == approx([-4.0 * (2.0 * 1.0 + 3.0 * 3.0), -4.0 * 3.0 * 2.0])


def test_each_joint_moves_as_if_it_were_alone(points):
    theta, tau = [0.0, np.pi / 2], [90.0, 24.0]
    found = sequential.forward_dynamics(points, theta, [3.0, -2.0], tau)
    # Rates do not matter: the approximation has no centrifugal torques.
    assert found == approx([(90.0 - 5.0 * G) / 17.0, 24.0 / 12.0])


def test_the_papers_friction_slows_each_joint_in_proportion_to_its_rate(points):
    theta, thetad, tau = [0.0, np.pi / 2], [3.0, -2.0], [90.0, 24.0]
    found = sequential.forward_dynamics(points, theta, thetad, tau, sequential_damping=[0.5, 0.25])
    assert found == approx([(90.0 - 5.0 * G) / 17.0 - 1.5, 2.0 + 0.5])


def test_the_joints_damping_acts_on_absolute_rates(points):
    damped = points.replace(joints=[ulna.Joint(damping=34.0), ulna.Joint(damping=6.0)])
    theta, thetad, tau = [0.0, np.pi / 2], [3.0, -2.0], [90.0, 24.0]
    found = sequential.forward_dynamics(damped, theta, thetad, tau)
    assert found == approx([(90.0 - 5.0 * G) / 17.0 - 6.0, 2.0 + 1.0])


def test_friction_takes_the_place_of_damping(points):
    damped = points.replace(joints=[ulna.Joint(damping=34.0), ulna.Joint(damping=6.0)])
    state = ([0.0, 1.0], [3.0, -2.0], [90.0, 24.0])
    with_friction = [
        sequential.forward_dynamics(arm, *state, sequential_damping=[0.5, 0.25])
        for arm in (points, damped)
    ]
    assert with_friction[0] == approx(with_friction[1])


@pytest.mark.parametrize("theta", [-1.2, 0.0, 0.8, 3.0])
def test_for_one_joint_it_is_exact(theta):
    # A damped rod of 3 kg and 1 m: θ̈ = τ − b θ̇ − m g c cos θ.
    arm = ulna.Arm.rods([1.0], [3.0], joints=[ulna.Joint(damping=0.4)])
    expected = 7.0 - 0.4 * 2.0 - 1.5 * G * np.cos(theta)
    assert sequential.forward_dynamics(arm, [theta], [2.0], [7.0]) == approx([expected])
    true = dynamics.forward_dynamics(arm, [theta], [2.0], [7.0])
    assert true == approx([expected])
    # The paper's B = b / I is the same friction.
    same = sequential.forward_dynamics(arm, [theta], [2.0], [7.0], sequential_damping=[0.4])
    assert same == approx([expected])


def test_for_one_joint_with_a_geared_rotor_it_is_exact_too():
    # A flat rod of inertia 1 with a rotor of 0.03 · 10² on the joint's side.
    joints = [ulna.Joint(rotor_inertia=0.03, gear_ratio=10.0)]
    arm = ulna.Arm.rods([1.0], [3.0], joints=joints, gravity=(0.0, 0.0))
    assert dynamics.forward_dynamics(arm, [0.3], [0.0], [8.0]) == approx([2.0])
    assert sequential.forward_dynamics(arm, [0.3], [0.0], [8.0]) == approx([2.0])


def test_for_two_joints_it_is_not(points):
    flat = points.replace(gravity=(0.0, 0.0))
    # A torque at the elbow pushes the upper arm back; here it does not.
    found = sequential.forward_dynamics(flat, [0.0, 0.0], [0.0, 0.0], [0.0, 12.0])
    assert found == approx([0.0, 1.0])
    true = dynamics.absolute.forward_dynamics(
        flat, [0.0, 0.0], [0.0, 0.0], dynamics.absolute.ground_torques([0.0, 12.0])
    )
    assert true[0] < -1.0

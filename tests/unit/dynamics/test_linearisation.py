"""The arm near a state: A and B by hand for one link, and as derivatives for more."""

from functools import partial

import numpy as np
import pytest

import ulna
from ulna import dynamics

approx = partial(pytest.approx, rel=1e-13, abs=1e-13)
G = 9.81
# Central differences of sixth order.
STEPS = np.array([-3, -2, -1, 1, 2, 3])
WEIGHTS = np.array([-1, 9, -45, 45, -9, 1]) / 60


@pytest.fixture
def pendulum():
    """Give a rod of 3 kg and 1 m, so that its inertia about the joint is one, with damping."""
    return ulna.Arm.rods([1.0], [3.0], joints=[ulna.Joint(damping=0.4)])


@pytest.fixture
def arm():
    links = [ulna.Link(0.5, 2.0, com=0.2, com_offset=0.05, tip_mass=0.3), ulna.Link(0.4, 1.0)]
    joints = [ulna.Joint(damping=0.3), ulna.Joint(damping=0.1, rotor_inertia=1e-3, gear_ratio=9.0)]
    return ulna.Arm.of(links, joints, gravity=(1.0, -9.0))


def differences(arm, q, qd, tau, force=None):
    """Give (q̇, q̈) of a state differentiated by (q, q̇, τ), one column each."""
    n = len(q)
    h = 2e-3
    centre = np.concatenate([q, qd, tau])
    states = centre + h * STEPS[:, None, None] * np.eye(3 * n)
    q, qd, tau = np.split(states, 3, axis=-1)
    turning = dynamics.forward_dynamics(arm, q, qd, tau, tip_force=force)
    moved = np.concatenate([qd, turning], axis=-1)
    return np.einsum("k,kij->ji", WEIGHTS / h, moved)


@pytest.mark.parametrize("q", [-np.pi / 2, 0.3, np.pi / 2, 2.5])
@pytest.mark.parametrize("qd", [0.0, 3.0])
def test_one_link_is_a_pendulum(pendulum, q, qd):
    # q̈ = τ − b q̇ − m g c cos q.
    state, control = dynamics.linearise(pendulum, [q], [qd], [0.7])
    stiffness = 3.0 * G * 0.5 * np.sin(q)
    assert state == approx(np.array([[0.0, 1.0], [stiffness, -0.4]]))
    assert control == approx(np.array([[0.0], [1.0]]))


def test_a_force_at_the_tip_keeps_its_direction_and_stiffens_the_link(pendulum):
    flat = pendulum.replace(gravity=(0.0, 0.0))
    still = ([0.3], [0.0], [0.0])
    # A pull along x turns the link back by F l sin q, one along y turns it by F l cos q.
    state, _ = dynamics.linearise(flat, *still, tip_force=[5.0, 0.0])
    assert state[1, 0] == approx(-5.0 * np.cos(0.3))
    state, _ = dynamics.linearise(flat, *still, tip_force=[0.0, 5.0])
    assert state[1, 0] == approx(-5.0 * np.sin(0.3))


def test_a_moment_at_the_tip_has_no_stiffness(pendulum):
    alone, _ = dynamics.linearise(pendulum, [0.3], [0.0], [0.0])
    turned, _ = dynamics.linearise(pendulum, [0.3], [0.0], [0.0], tip_force=[0.0, 0.0, 2.0])
    assert turned == approx(alone)


def test_a_gear_makes_the_link_slower(pendulum):
    joint = ulna.Joint(damping=0.4, rotor_inertia=0.03, gear_ratio=-10.0)
    state, control = dynamics.linearise(pendulum.replace(joints=[joint]), [0.3], [0.0], [0.0])
    assert state[1, 1] == approx(-0.1)
    assert control[1, 0] == approx(0.25)


def test_a_flat_arm_at_rest_drifts():
    arm = ulna.Arm.rods([1.0, 0.5], [1.0, 2.0], gravity=(0.0, 0.0))
    state, _ = dynamics.linearise(arm, [0.3, 0.4], [0.0, 0.0], [0.0, 0.0])
    drift = np.zeros((4, 4))
    drift[:2, 2:] = np.eye(2)
    assert state == approx(drift)


def test_rates_come_first_and_torques_act_through_the_mass_matrix():
    # The textbook arm at a right angle, M = [1.5, .25; .25, .25]: its inverse is by hand.
    arm = ulna.Arm.of([ulna.Link(1.0, 1.0, com=0.5, inertia=0.0)] * 2)
    state, control = dynamics.linearise(arm, [0.3, np.pi / 2], [0.5, -1.0], [2.0, 1.0])
    assert state[:2].tolist() == [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    assert control[:2].tolist() == [[0.0, 0.0], [0.0, 0.0]]
    inverse = np.array([[0.25, -0.25], [-0.25, 1.5]]) / 0.3125
    assert control[2:] == pytest.approx(inverse, rel=1e-12)


@pytest.mark.parametrize("force", [None, (2.0, -3.0), (2.0, -3.0, 1.5)], ids=str)
def test_it_is_the_derivative_of_the_motion(arm, force):
    q, qd, tau = [0.4, -1.1], [1.5, -2.0], [3.0, 0.5]
    found = np.concatenate(dynamics.linearise(arm, q, qd, tau, tip_force=force), axis=-1)
    assert found == pytest.approx(differences(arm, q, qd, tau, force), abs=1e-9)


def test_it_is_the_derivative_for_nine_links_too(random_arm):
    # Longer than what is summed column by column.
    random = np.random.default_rng(8)
    arm = random_arm(random, 9, whole=True)
    q, qd, tau = random.uniform(-1.0, 1.0, (3, 9))
    found = np.concatenate(dynamics.linearise(arm, q, qd, tau), axis=-1)
    expected = differences(arm, q, qd, tau)
    assert np.abs(found - expected).max() <= 1e-9 * np.abs(expected).max()


def test_an_arm_that_stands_up_falls():
    state, _ = dynamics.linearise(ulna.Arm.rods([1.0], [1.0]), [np.pi / 2], [0.0], [0.0])
    assert np.sort(np.linalg.eigvals(state).real) == pytest.approx(
        [-3.836013555763, 3.836013555763], abs=1e-9
    )


@pytest.mark.parametrize("batch", [(), (1,), (5,), (4, 3), (0,)])
def test_leading_axes_of_the_state_lead_the_result(arm, batch):
    state, control = dynamics.linearise(arm, *np.zeros((3, *batch, 2)))
    assert state.shape == (*batch, 4, 4)
    assert control.shape == (*batch, 4, 2)


@pytest.mark.parametrize("force", [None, "force"])
def test_arms_states_and_forces_broadcast(arm, force):
    other = ulna.Arm.rods([0.3, 0.7], [1.0, 4.0])
    random = np.random.default_rng(6)
    q, qd, tau = random.uniform(-2.0, 2.0, (3, 5, 1, 2))
    pushes = random.normal(size=(6, 1, 1, 3)) if force else None
    lead = (6, 5, 2) if force else (5, 2)
    state, control = dynamics.linearise(ulna.stack([arm, other]), q, qd, tau, tip_force=pushes)
    assert state.shape == (*lead, 4, 4)
    assert control.shape == (*lead, 4, 2)
    for place, member in enumerate([arm, other]):
        push = pushes[2, 0, 0] if force else None
        alone = dynamics.linearise(member, q[3, 0], qd[3, 0], tau[3, 0], tip_force=push)
        one = (2, 3, place) if force else (3, place)
        assert state[one] == approx(alone[0], rel=1e-11)
        assert control[one] == approx(alone[1], rel=1e-11)


def test_one_posture_meets_many_torques(arm):
    state, control = dynamics.linearise(arm, [0.1, 0.2], [0.0, 0.0], np.zeros((7, 2)))
    assert state.shape == (7, 4, 4)
    assert control.shape == (7, 4, 2)

"""The arm near a state: A and B by hand for one link and for two."""

from functools import partial

import numpy as np
import pytest

import ulna
from ulna import dynamics

approx = partial(pytest.approx, rel=1e-13, abs=1e-13)
G = 9.81


@pytest.fixture
def pendulum():
    """Give a rod of 3 kg and 1 m, so that its inertia about the joint is one, with damping."""
    return ulna.Arm.rods([1.0], [3.0], joints=[ulna.Joint(damping=0.4)])


@pytest.mark.parametrize("q", [-np.pi / 2, 0.3, np.pi / 2, 2.5])
@pytest.mark.parametrize("qd", [0.0, 3.0])
def test_one_link_is_a_pendulum(pendulum, q, qd):
    # q̈ = τ − b q̇ − m g c cos q.
    state, control = dynamics.linearise(pendulum, [q], [qd], [0.7])
    stiffness = 3.0 * G * 0.5 * np.sin(q)
    assert state == approx(np.array([[0.0, 1.0], [stiffness, -0.4]]))
    assert control == approx(np.array([[0.0], [1.0]]))


def test_rates_come_first_and_torques_act_through_the_mass_matrix():
    # The textbook arm at a right angle, M = [1.5, .25; .25, .25]: its inverse is by hand.
    arm = ulna.Arm.of([ulna.Link(1.0, 1.0, com=0.5, inertia=0.0)] * 2)
    state, control = dynamics.linearise(arm, [0.3, np.pi / 2], [0.5, -1.0], [2.0, 1.0])
    assert state[:2].tolist() == [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    assert control[:2].tolist() == [[0.0, 0.0], [0.0, 0.0]]
    inverse = np.array([[0.25, -0.25], [-0.25, 1.5]]) / 0.3125
    assert control[2:] == pytest.approx(inverse, rel=1e-12)

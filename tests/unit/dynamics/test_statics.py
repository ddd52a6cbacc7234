"""Holding still: torques, the forces that balance them, and how much more can be carried."""

from functools import partial

import numpy as np
import pytest

import ulna
from ulna import dynamics

approx = partial(pytest.approx, rel=1e-13, abs=1e-13)
G = 9.81


def strong(*limits):
    return [ulna.Joint(max_torque=limit) for limit in limits]


# The force that torques balance


@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_along_a_stretched_arm_the_torques_tell_of_no_force(n):
    arm = ulna.Arm.rods(np.linspace(0.3, 0.8, n), np.ones(n))
    q = np.zeros((40, n))
    q[:, 0] = np.linspace(-3.0, 3.0, 40)
    along = np.stack([np.cos(q[:, 0]), np.sin(q[:, 0])], axis=-1)
    force = np.random.default_rng(n).normal(size=(40, 2))
    torques = dynamics.holding_torque(arm, q, tip_force=force)
    found = dynamics.tip_force(arm, q, torques)
    assert np.abs(np.sum(found * along, axis=-1)).max() <= 1e-12
    across = force - along * np.sum(force * along, axis=-1, keepdims=True)
    assert found == pytest.approx(across, abs=1e-11)


def test_along_a_stretched_arm_single_precision_knows_as_little():
    arm = ulna.Arm.rods([0.3, 0.7], [1.0, 2.0])
    single = ulna.Parameters(*(value.astype(np.float32) for value in arm.parameters))
    for first in np.linspace(-3.0, 3.0, 40, dtype=np.float32):
        q, tau = np.array([first, 0.0], np.float32), np.array([20.0, 3.0], np.float32)
        along = np.array([np.cos(first), np.sin(first)])
        assert abs(dynamics.tip_force(single, q, tau) @ along) <= 1e-3


# The largest payload


def test_what_no_load_can_hold_is_not_a_number():
    # The shoulder's counterweight asks for 2 kg at the tip at least; the elbow carries 1 kg.
    links = [ulna.Link(0.5, 10.0, com=-0.4), ulna.Link(0.5, 0.0, tip_mass=1.0)]
    limits = strong(G * (10.0 * 0.4 - 1.0 - 2.0), G * 0.5 * (1.0 + 1.0))
    assert np.isnan(dynamics.largest_payload(ulna.Arm.of(links, limits), [0.0, 0.0]))
    # An elbow just strong enough meets the shoulder's need.
    limits = strong(G * (10.0 * 0.4 - 1.0 - 2.0), G * 0.5 * (1.0 + 3.0))
    assert dynamics.largest_payload(ulna.Arm.of(links, limits), [0.0, 0.0]) == approx(3.0)


@pytest.mark.parametrize("q", [[np.pi / 2, 0.0], [-np.pi / 2, 0.0], [np.pi / 2, np.pi]])
def test_what_hangs_on_no_lever_burdens_no_joint(q):
    joint = ulna.Joint(max_torque=5.0, friction=ulna.Friction(5.0))
    arm = ulna.Arm.rods([1.0, 0.5], [1.0, 1.0], joints=[joint] * 2)
    assert dynamics.largest_payload(arm, q) == dynamics.friction_payload(arm, q) == np.inf

"""What the tests of all controllers share: two ways to run one, and how to compare them."""

import dataclasses

import numpy as np
import pytest

import ulna
from ulna.control import Reference


class OnlyPython:
    """A controller that the engine has to ask in Python."""

    def __init__(self, controller):
        self.start, self.torque = controller.start, controller.torque


@pytest.fixture(scope="session")
def only_python():
    return OnlyPython


@pytest.fixture(scope="session")
def geared():
    """Give an arm with everything that dynamics knows: damping, rotors, offsets, point masses."""
    links = [
        ulna.Link(0.5, 2.0, com=0.2, com_offset=0.03, tip_mass=0.4),
        ulna.Link(0.4, 1.5, com_offset=-0.02),
    ]
    joints = [
        ulna.Joint(damping=0.3, rotor_inertia=1e-4, gear_ratio=-40.0),
        ulna.Joint(damping=0.1, rotor_inertia=5e-5, gear_ratio=30.0),
    ]
    return ulna.Arm.of(links, joints, payload=0.3)


@pytest.fixture(scope="session")
def rubbing(geared):
    """Give the same arm with friction: stiction that falls at one joint, drag at the other."""
    frictions = [
        ulna.Friction(0.8, static=1.3, stribeck_velocity=0.5),
        ulna.Friction(0.3, drag=0.2),
    ]
    joints = [
        dataclasses.replace(joint, friction=one)
        for joint, one in zip(geared.joints, frictions, strict=True)
    ]
    return geared.replace(joints=joints)


@pytest.fixture(scope="session")
def law_and_twin():
    """Give largest difference, relative, of a law serving a block of arms and its Python twin."""

    def compare(controller, arm, seed, ticks=5):
        random, n, lanes = np.random.default_rng(seed), arm.n, 16
        law = controller.compiled(arm)
        rows = np.concatenate([law.state, np.zeros((law.scratch_rows, 1))])
        params, state = np.repeat(law.params, lanes, axis=1), np.repeat(rows, lanes, axis=1)
        twins, worst = [controller.start(arm)] * lanes, 0.0
        for t in np.cumsum(random.uniform(1e-3, 1e-2, ticks)):
            q, qd = random.uniform(-3.0, 3.0, (2, n, lanes))
            aim, tau = random.uniform(-3.0, 3.0, (3, n, lanes)), np.full((n, lanes), np.nan)
            # Some references turn back, and some stand still.
            aim[1, :, ::3], aim[2, :, ::6] = 0.0, 0.0
            law.law(t, q, qd, aim, params, state, tau)
            for w in range(lanes):
                wanted = Reference(*aim[:, :, w], np.zeros(3))
                ours, twins[w] = controller.torque(t, q[:, w], qd[:, w], wanted, twins[w])
                scale = max(1.0, np.abs(ours).max())
                worst = max(worst, np.abs(tau[:, w] - ours).max() / scale)
        return worst

    return compare


@pytest.fixture(scope="session")
def circling():
    """Give a reference of n joints that moves all the time, with its derivatives."""

    def reference(n, pace=2.0, size=0.6):
        paces, places = pace * (1.0 + 0.4 * np.arange(n)), 0.3 * np.arange(n)

        def at(t):
            angle = paces * t + places
            sine, cosine = size * np.sin(angle), size * np.cos(angle)
            return sine, paces * cosine, -(paces**2) * sine

        return at

    return reference

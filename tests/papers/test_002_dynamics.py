"""Paper 002 (Garai): the steps (16) to (32) between its energies and its equations of motion.

Its q1, q2 are both measured from the x axis; they are written phi here. `printed` computes as the
paper prints; energies, torques and statics are in test_002_rows.
"""

import numpy as np
import pytest

import ulna
from papers.garai import printed
from ulna.angles import absolute_to_relative
from ulna.dynamics import absolute
from ulna.kinematics import tip

ARM = ulna.preset("garai")
P = printed.constants(ARM)
STEP = 1e-6  # of differences, which are good to 1e-8 here


@pytest.fixture(scope="module")
def states():
    """Give phi, its rates and its accelerations, (500, 2) each."""
    return np.random.default_rng(2).uniform(-3.0, 3.0, (3, 500, 2))


def slopes(function, at):
    """Give the derivatives (…, 2) of a function (…) of at (…, 2)."""
    ways = [function(at + way) - function(at - way) for way in STEP * np.eye(2)]
    return np.stack(ways, axis=-1) / (2.0 * STEP)


def test_slopes_of_the_energies_23_to_26(states):
    phi, rate, _ = states
    potential, kinetic = printed.by_angle(P, phi, rate)
    assert np.abs(absolute.gravity_torque(ARM, phi) - potential).max() <= 1e-13
    assert np.abs(slopes(lambda at: printed.potential(P, at), phi) - potential).max() <= 1e-7
    assert np.abs(slopes(lambda at: printed.kinetic(P, at, rate), phi) - kinetic).max() <= 1e-7


def test_momenta_27_29_and_their_rates_28_30(states):
    phi, rate, turning = states
    momenta = printed.momenta(P, phi, rate)
    ours = (absolute.mass_matrix(ARM, phi) @ rate[..., None])[..., 0]
    assert np.abs(ours - momenta).max() <= 1e-13
    assert np.abs(slopes(lambda at: printed.kinetic(P, phi, at), rate) - momenta).max() <= 1e-7
    ahead, behind = (
        printed.momenta(P, phi + way * rate, rate + way * turning) for way in (STEP, -STEP)
    )
    change = (ahead - behind) / (2.0 * STEP)
    assert np.abs(printed.momentum_rates(P, phi, rate, turning) - change).max() <= 1e-7


def test_work_of_the_force_16_and_the_right_of_21(states):
    phi, forces = states[0], np.random.default_rng(3).uniform(-20.0, 20.0, (500, 2))

    def work(at):
        return np.sum(forces * tip(ARM, absolute_to_relative(at))[:, :2], axis=-1)

    assert np.abs(slopes(work, phi) - printed.pull(P, phi, forces)).max() <= 1e-7


def test_31_32_are_33_34(states):
    phi, rate, turning = states
    potential, kinetic = printed.by_angle(P, phi, rate)
    unsimplified = printed.momentum_rates(P, phi, rate, turning) - kinetic + potential
    assert np.abs(unsimplified - printed.left_sides(P, phi, rate, turning)).max() <= 1e-12

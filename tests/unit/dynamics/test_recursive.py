"""The compiled recursion against the closed form, which shares nothing with it but the arm.

The closed form solves a whole mass matrix; what may differ is rounding, which grows with the arm:
the tolerance is a part of the largest acceleration.
"""

import numpy as np
import pytest

import ulna
from ulna.dynamics import chain, sequential
from ulna.dynamics.equations_of_motion import state_memory
from ulna.dynamics.packed import COLUMNS, FORCE_X, HOLDING, STUCK, pack
from ulna.dynamics.state_kernels import forward_one

TOLERANCE = 1e-11


def links_of(memory, n):
    """Return the table of links that is a part of the memory."""
    return memory[: (n + 1) * COLUMNS].reshape(n + 1, COLUMNS)


def laid_out(arm, force):
    """Give a packed arm where the recursion reads it, with the force on its tip."""
    n = len(arm) - 1
    memory = state_memory(arm)
    links_of(memory, n)[n, FORCE_X : FORCE_X + 3] = force
    return memory


def forward(arms, q, qd, tau, force):
    """Give the accelerations of packed arms, and the links as they were left."""
    found = np.empty_like(tau)
    n = q.shape[-1]
    for k in range(len(q)):
        memory = laid_out(arms[k], force[k])
        memory[-1] = True  # of joints that are stuck the rows are coupled
        forward_one(n, memory, q[k], qd[k], tau[k], found[k])
    return found, links_of(memory, n)


def close(ours, expected, tolerance=TOLERANCE):
    largest = np.max(np.abs(expected), axis=-1, keepdims=True)
    return np.all(np.abs(ours - expected) <= tolerance * largest)


# Free joints


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_angles_of_many_turns_are_no_other_postures(drawn, n):
    arm, q, qd, tau, force = drawn(n, 4)
    near, _ = forward(pack(arm), q, qd, tau, force)
    # 2e5 turns are beyond what the quick sine takes: the library's own is used there.
    for turns, digits in ((1000, 1e-9), (200_000, 1e-6)):
        far, _ = forward(pack(arm), q + 2.0 * np.pi * turns, qd, tau, force)
        assert close(far, near, digits)


# Joints that are stuck


def held(arms, stuck):
    """Give the arms with some of their joints at rest against a stop."""
    arms = arms.copy()
    arms[..., :-1, STUCK] = stuck
    return arms


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6, 12])
@pytest.mark.parametrize("rotors", [True, False])
def test_stuck_joints_leave_the_equations_of_the_others(drawn, n, rotors):
    random = np.random.default_rng(100 + n)
    for trial in range(12):
        arm, q, qd, tau, force = drawn(n, 1, rotors=rotors)
        stuck = random.choice([-1.0, 0.0, 1.0], n)
        stuck[trial % n] = 1.0
        free = stuck == 0.0
        qd[0, ~free] = 0.0
        found, links = forward(held(pack(arm), stuck), q, qd, tau, force)

        mass = chain.mass_matrix(arm, q)[0]
        bias = chain.inverse_dynamics(arm, q, qd, 0.0 * q, tip_force=force)[0]
        expected = np.zeros(n)
        expected[free] = np.linalg.solve(mass[np.ix_(free, free)], (tau[0] - bias)[free])
        scale = max(np.abs(expected).max(), np.abs(chain.forward_dynamics(arm, q, qd, tau)).max())
        assert np.abs(found[0] - expected).max() <= TOLERANCE * scale
        assert (found[0, ~free] == 0.0).all()
        # The stop gives what is missing from the joint's own row.
        holding = mass @ expected + bias - tau[0]
        size = np.abs(mass @ np.abs(expected)).max() + np.abs(bias).max() + np.abs(tau).max()
        assert np.abs(links[:n, HOLDING] - np.where(free, 0.0, holding)).max() <= TOLERANCE * size


# How the arm is packed


@pytest.mark.parametrize("n", [1, 2, 4, 9])
@pytest.mark.parametrize("rubbed", [True, False])
def test_the_sequential_sweep_is_its_closed_form(random_arm, n, rubbed):
    # The only way to it is a simulation's acceleration at its start.
    random = np.random.default_rng(n)
    arm = ulna.Arm.of(
        [
            ulna.Link(*random.uniform(0.2, 1.0, 2), com=0.1, tip_mass=0.5, com_offset=0.05)
            for _ in range(n)
        ],
        [
            ulna.Joint(damping=b, rotor_inertia=1e-3, gear_ratio=10.0)
            for b in random.uniform(0.0, 1.0, n)
        ],
        gravity=(1.0, -9.0),
    )
    q, qd, tau, friction = random.uniform(-2.0, 2.0, (4, n))
    options = {"sequential_damping": friction} if rubbed else {}
    run = ulna.simulate(
        arm, q0=q, qd0=qd, torque=tau, duration=1e-6, samples=2, dynamics="sequential", **options
    )
    theta, rate = np.cumsum(q), np.cumsum(qd)
    turning = sequential.forward_dynamics(arm, theta, rate, tau, **options)
    assert np.cumsum(run.qdd[0]) == pytest.approx(turning, rel=1e-11, abs=1e-11)

"""The controllers' laws as plain Python, against their twins; run with NUMBA_DISABLE_JIT=1."""

import numba
import numpy as np
import pytest

import ulna
from ulna.control import CONTROLLERS, PID, Adaptive, Reference, read_controller
from ulna.dynamics import parameter_vector

pytestmark = pytest.mark.skipif(
    not numba.config.DISABLE_JIT, reason="kernels are compiled: run with NUMBA_DISABLE_JIT=1"
)

LANES = 16


def arm_of(n):
    """Give an arm with everything that dynamics knows."""
    links = [ulna.Link(0.5, 1.0 + i, com_offset=0.02, tip_mass=0.3) for i in range(n)]
    joint = ulna.Joint(damping=0.2, rotor_inertia=1e-4, gear_ratio=-20.0, max_torque=30.0)
    return ulna.Arm.of(links, [joint] * n)


@pytest.mark.parametrize("name", CONTROLLERS)
@pytest.mark.parametrize("n", [1, 3])
def test_a_law_is_its_twin(name, n):
    controller, arm, random = read_controller(name), arm_of(n), np.random.default_rng(n)
    law = controller.compiled(arm)
    rows = np.concatenate([law.state, np.zeros((law.scratch_rows, 1))])
    params, state = np.repeat(law.params, LANES, axis=1), np.repeat(rows, LANES, axis=1)
    twins = [controller.start(arm)] * LANES
    for t in (0.0, 0.01, 0.015):
        q, qd = random.uniform(-3.0, 3.0, (2, n, LANES))
        motion, tau = random.uniform(-3.0, 3.0, (3, n, LANES)), np.zeros((n, LANES))
        law.law(t, q, qd, motion, params, state, tau)
        for w in range(LANES):
            reference = Reference(*motion[:, :, w], np.zeros(3))
            ours, twins[w] = controller.torque(t, q[:, w], qd[:, w], reference, twins[w])
            assert tau[:, w] == pytest.approx(ours, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", CONTROLLERS)
def test_a_law_runs_in_the_loop(name):
    arm = arm_of(2)
    swing = ulna.Simulation(
        ulna.Scenario(
            arm=arm,
            q0=[0.1, 0.2],
            controller=read_controller(name),
            reference=[0.1, 0.2],
            rate=200.0,
        )
    )
    assert swing.advance(0.05)
    assert np.isfinite(swing.q).all()


def test_at_its_limit_an_integral_stands_still():
    arm = ulna.Arm.rods([1.0], [3.0], joints=[ulna.Joint(max_torque=5.0)], gravity=(0.0, 0.0))
    with pytest.warns(ulna.UlnaWarning, match="unstable"):  # nothing damps it
        swing = ulna.Simulation(
            ulna.Scenario(arm=arm, q0=[0.0], controller=PID(50.0, 0.0, 40.0), reference=[2.0])
        )
    swing.advance(0.02)
    assert swing.controller_state[0] == 0.0


def test_a_load_that_it_was_not_told_of_moves_the_estimate():
    believed = ulna.preset("kehl")
    swing = ulna.Simulation(
        ulna.Scenario(
            arm=believed.with_payload(2.0), q0=[0.0, 0.0], controller=Adaptive(model=believed)
        )
    )
    swing.advance(0.05)
    moved = Adaptive.estimate(swing.controller_state) - parameter_vector(believed)
    # It sags, and so it must weigh more.
    assert moved.reshape(6, 2)[1].min() > 0.0

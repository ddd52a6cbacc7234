"""Kernels for one state as plain Python: `make coverage` runs this with NUMBA_DISABLE_JIT=1."""

import numba
import numpy as np
import pytest

import ulna
import ulna.kernels
from ulna import dynamics
from ulna.arrays import one_state
from ulna.dynamics import chain, equations_of_motion
from ulna.errors import InputError
from ulna.kinematics import differential_kinematics, forward_kinematics

pytestmark = pytest.mark.skipif(
    not numba.config.DISABLE_JIT, reason="kernels are compiled: run with NUMBA_DISABLE_JIT=1"
)

OF_POSTURE = {
    "gravity_torque": chain.gravity_torque,
    "mass_matrix": chain.mass_matrix,
    "tip": forward_kinematics.tip_by_formula,
    "jacobian": differential_kinematics.jacobian_by_formula,
}
OF_STATE = {
    "forward_dynamics": chain.forward_dynamics,
    "inverse_dynamics": chain.inverse_dynamics,
    "linearise": dynamics.linearise,
}


def drawn(random_arm, arm_of, n, rotors):
    random = np.random.default_rng(n)
    numbers = random_arm(random, n, whole=True)
    if not rotors:
        numbers = numbers._replace(rotor_inertia=0.0 * numbers.rotor_inertia)
    return arm_of(numbers), random.uniform(-np.pi, np.pi, (3, n))


def close(ours, expected):
    return np.abs(ours - expected).max() <= 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("rotors", [True, False])
def test_compiled_arms_are_the_closed_form(random_arm, arm_of, n, rotors):
    arm, state = drawn(random_arm, arm_of, n, rotors)
    quick = ulna.compiled(arm)
    for name, formula in OF_POSTURE.items():
        assert close(getattr(quick, name)(state[0]), formula(arm, state[0]))
    for name, formula in OF_STATE.items():
        ours, theirs = getattr(quick, name)(*state), formula(arm, *state)
        assert all(map(close, ours, theirs)) if name == "linearise" else close(ours, theirs)
    q, qd = quick.step(*state, 1e-6)
    assert q - state[0] == pytest.approx(1e-6 * state[1], rel=1e-3)
    assert qd - state[1] == pytest.approx(1e-6 * chain.forward_dynamics(arm, *state), rel=1e-3)


@pytest.mark.parametrize("n", [1, 3])
def test_compiled_arms_with_friction_are_the_closed_form(random_arm, arm_of, n):
    random = np.random.default_rng(n)
    arm = arm_of(random_arm(random, n, whole=True, friction=True))
    quick, (q, qd, tau) = ulna.compiled(arm), random.uniform(-np.pi, np.pi, (3, n))
    for ours, theirs in zip(
        quick.linearise(q, qd, tau), dynamics.linearise(arm, q, qd, tau), strict=True
    ):
        assert close(ours, theirs)
    for rates in (qd, 0.0 * qd):
        for scale in (0.1, 1.0, 3.0, 10.0):
            found = quick.forward_dynamics(q, rates, scale * tau)
            expected = chain.forward_dynamics(arm, q, rates, scale * tau)
            assert found == pytest.approx(expected, rel=1e-11)
            torques = quick.inverse_dynamics(q, rates, found)
            assert close(torques, chain.inverse_dynamics(arm, q, rates, found))
    with pytest.raises(InputError, match="joint 1 at rest"):
        quick.linearise(q, 0.0 * qd, tau)


def test_what_is_wrong_is_told_by_a_code():
    arm = ulna.preset("unit")
    good, bad, short = np.zeros(2), np.array([0.0, np.nan]), np.zeros(1)
    quick = ulna.compiled(arm)
    assert np.isnan(quick.forward_dynamics(good, good, bad)).all()
    assert np.isnan(quick.jacobian(bad)).all()
    assert np.isnan(quick.step(bad, good, good, 1e-3)[0]).all()
    with pytest.raises(InputError, match=r"^compiled: got shape \(2,\) and \(1,\) and \(2,\)"):
        quick.inverse_dynamics(good, short, good)
    with np.errstate(all="ignore"):
        assert not np.isfinite(quick.forward_dynamics(good, np.array([1e200, 0.0]), good)).all()
    for array in (bad, short):
        assert one_state(arm, equations_of_motion.state_evaluator, "mass_matrix", array) is None

"""Adaptive: its Lyapunov function falls, and it learns a load that it was not told of."""

import numpy as np
import pytest

import ulna
from ulna.control import Adaptive, ComputedTorque
from ulna.dynamics import inverse_dynamics, mass_matrix, parameter_vector, regressor

BELIEVED = ulna.preset("kehl")
LOADED = BELIEVED.with_payload(0.2 * BELIEVED.mass)


def followed(arm, controller, reference, **options):
    q, qd, _ = reference(0.0)
    return ulna.Simulation(
        ulna.Scenario(
            arm=arm, controller=controller, reference=reference, **{"q0": q, "qd0": qd, **options}
        )
    )


def missed(estimate, arm):
    """Give how far the torques of an estimate are from the arm's, over motions of all kinds."""
    q, qd, qdd = np.random.default_rng(5).uniform(-1.0, 1.0, (3, 300, arm.n)) * np.array(
        [[[2.0]], [[3.0]], [[8.0]]]
    )
    error = regressor(arm, q, qd, qdd) @ estimate - inverse_dynamics(arm, q, qd, qdd)
    return np.sqrt(np.mean(error**2))


def test_its_law_sees_the_columns_of_the_regressor(geared):
    # With an estimate that is one in one place, and no damping, the torque is that column.
    n = geared.n
    law = Adaptive(3.0, kd=0.0).compiled(geared)
    random = np.random.default_rng(4)
    q, qd, aim, aim_rate, aim_turning = random.uniform(-2.0, 2.0, (5, n))
    wanted, turning = aim_rate + 3.0 * (aim - q), aim_turning + 3.0 * (aim_rate - qd)
    Y = regressor(geared, q, qd, turning, qd_ref=wanted)
    reference = np.stack([aim, aim_rate, aim_turning])[..., None]
    for entry in range(6 * n):
        state, tau = np.zeros((6 * n + 1 + law.scratch_rows, 1)), np.zeros((n, 1))
        state[entry], state[6 * n] = 1.0, -np.inf
        law.law(0.0, q[:, None], qd[:, None], reference, law.params, state, tau)
        assert tau[:, 0] == pytest.approx(Y[:, entry], rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("adaptation", [0.03, 0.3])
def test_its_lyapunov_function_never_grows(adaptation, circling):
    # V = ½ sᵀ M s + ½ π̃ᵀ Γ⁻¹ π̃, over the entries that are learnt.
    reference, omega = circling(2), 10.0
    swing = followed(
        LOADED, Adaptive(omega, adaptation=adaptation, model=BELIEVED), reference,
        q0=[0.3, -0.2], rate=5000.0, dt=2e-4,
    )  # fmt: skip
    gains, true = Adaptive(adaptation=adaptation).start(BELIEVED).gains, parameter_vector(LOADED)
    learnt = gains.speed > 0.0
    assert (Adaptive.estimate(swing.controller_state)[~learnt] == true[~learnt]).all()
    values = []
    for _ in range(100):
        aim, rate, _ = reference(swing.t)
        s = rate + omega * (aim - swing.q) - swing.qd
        wrong = (true - Adaptive.estimate(swing.controller_state))[learnt]
        moving = 0.5 * s @ mass_matrix(LOADED, swing.q) @ s
        values.append(moving + 0.5 * np.sum(wrong**2 / gains.speed[learnt]))
        swing.advance(0.02)
    assert np.diff(values).max() <= 1e-3 * values[0]
    assert values[-1] < 0.6 * values[0]


def test_it_learns_a_load_within_ten_seconds(circling):
    reference = circling(2, size=0.8)
    swing = followed(LOADED, Adaptive(model=BELIEVED), reference)
    gaps = []
    for _ in range(100):
        swing.advance(0.1)
        gaps.append(np.abs(swing.q - reference(swing.t)[0]).max())
    before = missed(parameter_vector(BELIEVED), LOADED)
    assert missed(Adaptive.estimate(swing.controller_state), LOADED) < before / 10.0
    assert max(gaps[-20:]) < max(gaps[:20]) / 10.0
    fixed = followed(LOADED, ComputedTorque(10.0, model=BELIEVED), reference)
    fixed.advance(10.0)
    assert max(gaps[-20:]) < 0.1 * np.abs(fixed.q - reference(fixed.t)[0]).max()


def test_it_does_not_shake(circling):
    # Torques change from tick to tick no more than those of the arm's own inverse dynamics.
    reference = circling(2, size=0.8)
    q, qd, _ = reference(0.0)
    run = ulna.simulate(
        LOADED, q0=q, qd0=qd, duration=10.0, controller=Adaptive(model=BELIEVED),
        reference=reference,
    )  # fmt: skip
    aims = np.array([reference(t) for t in run.t])
    exact = inverse_dynamics(LOADED, *np.moveaxis(aims, 1, 0))
    last = run.t > 5.0
    steps, smooth = np.diff(run.tau[last], axis=0), np.diff(exact[last], axis=0)
    assert np.abs(steps).max() <= 1.2 * np.abs(smooth).max()


def test_without_adaptation_the_estimate_stays(circling):
    swing = followed(LOADED, Adaptive(adaptation=0.0, model=BELIEVED), circling(2))
    swing.advance(0.2)
    assert (Adaptive.estimate(swing.controller_state) == parameter_vector(BELIEVED)).all()


def test_quantities_that_the_model_has_none_of_are_not_learnt(geared):
    speed = Adaptive().start(geared).gains.speed.reshape(6, -1)
    assert (speed > 0.0).all()
    none = Adaptive().start(BELIEVED).gains.speed.reshape(6, -1)
    assert (none > 0.0).all(axis=-1).tolist() == [True, True, False, True, False, False]


def test_the_estimate_is_read_from_either_state(circling, only_python):
    controller, found = Adaptive(model=BELIEVED), []
    for way in (controller, only_python(controller)):
        swing = followed(LOADED, way, circling(2), rate=200.0)
        swing.advance(0.2)
        found.append(Adaptive.estimate(swing.controller_state))
    assert found[0].shape == (12,)
    assert found[0] == pytest.approx(found[1], rel=1e-9)

"""GravityPD: rests at its aim under gravity, and beside it by what its model does not know."""

import numpy as np
import pytest

import ulna
from ulna.control import PD, GravityPD
from ulna.dynamics import gravity_torque

ARM = ulna.preset("kehl")
AIM = np.array([0.7, -1.2])


def rest(controller, arm=ARM):
    run = ulna.simulate(arm, q0=[0.0, 0.0], duration=5.0, controller=controller, reference=AIM)
    assert np.abs(run.qd[-1]).max() <= 1e-9
    return run


@pytest.mark.parametrize("measured", [False, True])
def test_it_rests_exactly_at_its_aim(measured):
    run = rest(GravityPD(measured=measured))
    assert run.q[-1] == pytest.approx(AIM, abs=1e-10)
    assert run.tau[-1] == pytest.approx(gravity_torque(ARM, AIM), abs=1e-8)


def test_a_load_that_it_does_not_know_stretches_its_springs():
    loaded, K = ARM.with_payload(2.0), np.array([900.0, 300.0])
    q = rest(GravityPD(K, K / 10.0, measured=True, model=ARM), loaded).q[-1]
    unknown = gravity_torque(loaded, q) - gravity_torque(ARM, q)
    assert AIM - q == pytest.approx(unknown / K, rel=1e-6)
    assert rest(GravityPD(K, K / 10.0, model=loaded), loaded).q[-1] == pytest.approx(AIM, abs=1e-9)


def test_without_gravity_it_is_pd():
    flat = ARM.replace(gravity=(0.0, 0.0))
    assert rest(GravityPD(), flat).q == pytest.approx(rest(PD(), flat).q, abs=1e-12)


def test_energy_only_leaves():
    # ½ q̇ᵀ M q̇ + ½ eᵀ K e falls, since the springs are all that is left of the potentials.
    K, D = GravityPD().start(ARM).gains
    run = ulna.simulate(
        ARM, q0=[0.0, 0.0], duration=0.5, reference=AIM, rate=2e4, dt=5e-5, samples=101,
        controller=GravityPD(K, 0.3 * D, measured=True),
    )  # fmt: skip
    gap = AIM - run.q
    energy = run.energy.kinetic + 0.5 * np.sum(K * gap**2, axis=-1)
    assert np.diff(energy).max() <= 1e-6 * energy[0]
    assert energy[-1] < 0.5 * energy[0]


def test_springs_softer_than_the_weight_hold_it_only_where_it_is_measured():
    # Upright, the weight's stiffness is −g Σ s_i: a spring of less cannot hold G(q_ref).
    pole = ulna.Arm.rods([1.0], [2.0])
    soft, aim = 0.5 * 9.81, np.array([np.pi / 2])

    def gap(measured):
        controller = GravityPD(soft, 3.0, measured=measured)
        run = ulna.simulate(pole, q0=aim - 0.1, duration=20.0, reference=aim, controller=controller)
        return abs(run.q[-1, 0] - aim[0])

    with pytest.warns(ulna.UlnaWarning, match="springs are softer than gravity"):
        assert gap(measured=False) > 0.5
    assert gap(measured=True) < 1e-6

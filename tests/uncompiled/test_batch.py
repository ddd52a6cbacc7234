"""Batches without a compiler: `make coverage` runs this with NUMBA_DISABLE_JIT=1.

Lanes are rows of NumPy then. Runs have few steps; every expectation is a law or a closed form, or
the single engine, which runs without a compiler too.
"""

import numba
import numpy as np
import pytest

import ulna
from ulna import Arm, Joint, Sensors, simulate, simulate_batch
from ulna.scenario import disturbances

pytestmark = pytest.mark.skipif(
    not numba.config.DISABLE_JIT, reason="kernels are compiled: run with NUMBA_DISABLE_JIT=1"
)

METHODS = ("rk4", "dop853", "semi-implicit", "gauss4")
ROD = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # of inertia 1 kg·m²
FREE = Arm.rods([1.0, 0.8], [1.0, 2.0])
GEARED = Arm.rods(
    [1.0, 0.7],
    [1.0, 2.0],
    joints=[Joint(damping=0.2), Joint(rotor_inertia=1e-3, gear_ratio=30.0)],
)


def as_alone(arms, common, each):
    """Run arms at once and one by one, and compare all samples."""
    run = simulate_batch(ulna.stack(arms), keep_torques=True, **common, **each)
    one = {"rtol": None} if common.get("method") == "dop853" else {"method": "rk4"}
    for b, arm in enumerate(arms):
        own = {name: values[b] for name, values in each.items()}
        alone = simulate(arm, **(one | common | own))
        assert run.status[b].reason == alone.status.reason == "done"
        assert np.abs(run.q[b] - alone.q).max() <= 1e-12
        assert np.abs(run.qd[b] - alone.qd).max() <= 1e-11
        assert np.abs(run.tau[b] - alone.tau).max() <= 1e-11
    return run


@pytest.mark.parametrize("method", METHODS)
def test_arms_go_as_they_go_alone_with_samples_between_steps(method):
    common = {
        "duration": 0.006,
        "dt": 2e-3,
        "method": method,
        "samples": [0.0, 0.0013, 0.004, 0.006],
    }
    each = {
        "q0": [[0.3, -0.4], [0.1, 0.2]],
        "qd0": [[1.0, 0.0], [0.0, 2.0]],
        "tip_force": [[1.0, 2.0, 0.5], [0.0, 0.0, 0.0]],
    }
    as_alone([GEARED, FREE], common, each)


@pytest.mark.parametrize("between", ["hold", "linear"])
def test_tables_of_each_its_own(between):
    each = {
        "q0": [[0.3, -0.4], [0.1, 0.2]],
        "torque": [([0.001, 0.0025], [[1.0, 2.0], [3.0, 4.0]]), ([0.0, 0.002], [[0.0, 1.0]] * 2)],
    }
    as_alone([FREE, FREE], {"duration": 0.004, "samples": 3, "between": between}, each)


def test_controllers_follow_motions_of_their_own():
    each = {
        "q0": [[0.3, -0.4], [0.1, 0.2], [0.0, 0.0]],
        "controller": [
            ulna.control.PD(20.0, 2.0),
            ulna.control.ComputedTorque(),
            ulna.control.PD(30.0, 1.0),
        ],
        "reference": [lambda t: ([t, 0.0], [1.0, 0.0]), [0.2, 0.3], lambda t: [np.sin(t), t]],
        "sensors": [
            Sensors(),
            Sensors(angle_noise=1e-3, rate_resolution=1e-3, delay=2e-3),
            Sensors(angle_resolution=1e-2),
        ],
    }
    limited = FREE.replace(joints=(Joint(max_torque=1.0), Joint()))
    arms = [limited, GEARED, FREE]
    common = {"duration": 0.006, "rate": 500.0, "samples": 4}
    run = simulate_batch(ulna.stack(arms), seeds=0, **common, **each)
    for b, arm in enumerate(arms):
        alone = simulate(arm, **common, **{name: values[b] for name, values in each.items()})
        assert np.abs(run.q[b] - alone.q).max() <= 1e-12


def test_disturbances_push_for_as_long_as_they_last():
    applied = [
        [disturbances.step([1.0], at=0.001), disturbances.pulse([2.0], at=0.0023, lasting=0.0011)],
        [disturbances.pulse(force=[0.0, 1.0, 0.0], at=0.0, lasting=0.001)],
        [disturbances.noise([1.0], rate=500.0, seed=1)],
        [disturbances.noise([1.0], rate=500.0, seed=1)],
    ]
    run = simulate_batch(ROD, q0=[0.0], duration=0.004, disturbances=applied, seeds=[0, 0, 0, 1])
    ends = run.final.qd[:, 0]
    assert ends[:2] == pytest.approx([0.003 * 1.0 + 0.0011 * 2.0, 0.001], abs=1e-9)
    alone = simulate(ROD, q0=[0.0], duration=0.004, method="rk4", disturbances=applied[2])
    assert ends[2] == pytest.approx(alone.qd[-1, 0], abs=1e-14)
    assert ends[3] != ends[2]


def test_a_joint_rests_at_its_stop_until_it_is_pulled_away():
    near = ROD.replace(joints=(Joint(lower=-1.0, upper=0.002),))
    run = simulate_batch(
        near, q0=[0.0], qd0=[1.0], duration=0.01, torque=["1 - 200*t", "1"], samples=11
    )
    resting = (run.t > 0.0025) & (run.t < 0.0055)
    assert (run.q[:, resting] == 0.002).all()
    assert run.final.q[0, 0] < 0.002
    assert run.final.q[1, 0] == 0.002


def test_what_goes_wrong_with_one_is_nobody_elses():
    stiff = ROD.replace(joints=(Joint(damping=1e9),))
    arms = ulna.stack([ROD, stiff, ROD, ROD, ROD])
    mass = arms.mass.copy()
    mass[3] = np.nan
    for method, lost in (("rk4", "diverged"), ("gauss4", "stalled")):
        run = simulate_batch(
            arms._replace(mass=mass), q0=[[0.0], [0.0], [np.nan], [0.0], [0.0]], qd0=[1.0],
            duration=0.03, dt=0.01, method=method, samples=4,
            torque=["0", "0", "0", "0", "sqrt(0.01 - t)"],
        )  # fmt: skip
        reasons = ["done", lost, "bad start", "bad arm", "bad torque"]
        assert run.status.reason.tolist() == reasons
        assert run.q[0, :, 0] == pytest.approx(run.t, abs=1e-12)
        assert np.isnan(run.final.q[1:]).all()


def test_when_all_are_lost_there_is_no_more_to_do():
    run = simulate_batch(ROD, q0=np.zeros((3, 1)), duration=1e6, torque="sqrt(0.001 - t)")
    assert run.status.counts() == {"bad torque": 3}

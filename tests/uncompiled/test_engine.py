"""The kernels as plain Python: `make coverage` runs this with NUMBA_DISABLE_JIT=1.

That shows that they need no compiler, and lets coverage see their lines. Runs are short, because
they are a hundred times slower than compiled ones; every expectation is a law or a closed form.
"""

import numba
import numpy as np
import pytest

import ulna
from ulna import expressions
from ulna.dynamics import chain

pytestmark = pytest.mark.skipif(
    not numba.config.DISABLE_JIT, reason="kernels are compiled: run with NUMBA_DISABLE_JIT=1"
)

FLAT = {"gravity": (0.0, 0.0)}


def one_rod(**joint):
    return ulna.Arm.rods([1.0], [3.0], joints=[ulna.Joint(**joint)], **FLAT)  # inertia 1 kg·m²


@pytest.mark.parametrize("n", [1, 2, 5])
def test_batches_are_the_closed_form(random_arm, n):
    random = np.random.default_rng(n)
    differing = random_arm(random, n, (3,), whole=True)
    differing.rotor_inertia[1] = 0.0
    for arms in (differing, random_arm(random, n)):
        q, qd, tau = random.uniform(-3.0, 3.0, (3, 3, n))
        force = random.uniform(-3.0, 3.0, (3, 3))
        ours = ulna.dynamics.forward_dynamics(arms, q, qd, tau, tip_force=force)
        theirs = chain.forward_dynamics(arms, q, qd, tau, tip_force=force)
        assert np.max(np.abs(ours - theirs)) <= 1e-11 * np.max(np.abs(theirs))
        back = ulna.dynamics.inverse_dynamics(arms, q, qd, ours, tip_force=force)
        assert np.allclose(back, tau, rtol=1e-9, atol=1e-9)


def test_sequential_model_of_one_joint_is_the_true_one():
    arm = ulna.preset("bechard-1")
    true = ulna.simulate(arm, q0=[0.5], torque=[3.0], duration=0.1, samples=2)
    for options in ({}, {"sequential_damping": [0.2]}, {"method": "semi-implicit", "dt": 1e-4}):
        run = ulna.simulate(
            arm, q0=[0.5], torque=[3.0], duration=0.1, samples=2, dynamics="sequential", **options
        )
        assert np.allclose(run.q, true.q, atol=1e-9 if "dt" not in options else 1e-4)


@pytest.mark.parametrize("wrapped", [False, True])
def test_controllers_hold_their_torque(wrapped):
    class Plain:
        def start(self, arm):
            return 0

        def torque(self, t, q, qd, reference, state):
            return 50.0 * (reference.q - q) - 10.0 * qd, state + 1

    controller = Plain() if wrapped else ulna.control.PD(50.0, 10.0)
    sensors = ulna.Sensors(angle_noise=1e-4, rate_resolution=1e-3, delay=0.004)
    arm = one_rod(max_torque=20.0)
    run = ulna.simulate(
        arm,
        q0=[0.0],
        duration=0.1,
        controller=controller,
        reference=lambda t: [1.0],
        rate=250.0,
        sensors=sensors,
    )
    assert "was at its torque limit" in run.status.text
    inside = run.tau[:-1].reshape(-1, 4)  # four steps a tick
    assert np.array_equal(inside, np.repeat(inside[:, :1], 4, axis=1))
    assert abs(run.tau).max() == 20.0


def test_bouncing_ever_faster_comes_to_rest():
    arm = one_rod(upper=0.0)
    run = ulna.simulate(arm, q0=[-1e-6], duration=0.02, torque=[1.0], method="rk4", restitution=0.5)
    assert "chatter" in run.status.text
    assert run.contacts[-1].what == "rest"
    assert run.q[-1, 0] == 0.0


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_events_are_found(method):
    run = ulna.simulate(
        one_rod(),
        q0=[0.0],
        qd0=[1.0],
        duration=0.1,
        method=method,
        dt=7e-3,
        events={"early": "q1 - 0.02", "late": lambda t: t - 0.03},
        until="q1 >= 0.05",
    )
    assert [event.name for event in run.events] == ["early", "late", "until"]
    assert [event.t for event in run.events] == pytest.approx([0.02, 0.03, 0.05], abs=1e-9)
    assert run.status.reason == "stopped"
    assert run.t[-1] == pytest.approx(0.05, abs=1e-9)


def test_python_functions_drive():
    run = ulna.simulate(
        one_rod(),
        q0=[0.0],
        duration=0.05,
        torque=lambda t, q, qd: [2.0],
        tip_force=lambda t: [0, 1],
    )
    assert run.qd[-1, 0] == pytest.approx(0.15, abs=1e-4)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"method": "rk4", "dt": 0.05}, "diverged"),
        ({"method": "gauss4", "dt": 0.05}, "stalled"),
        ({"torque": "sqrt(0.01 - t)"}, "bad torque"),
    ],
)
def test_what_cannot_go_on_says_so(options, reason):
    arm = one_rod(damping=1e9 if "dt" in options else 0.0)
    run = ulna.simulate(arm, q0=[0.0], qd0=[1.0], duration=2.0, **options)
    assert run.status.reason == reason
    assert np.isfinite(run.q).all()


def test_a_torque_applied_between_steps_acts_from_then_on():
    swing = ulna.Simulation(
        ulna.Scenario(arm=one_rod(), q0=[0.0], controller=ulna.control.PD(0.0, 0.0))
    )
    swing.advance(0.01)
    swing.apply(torque=[2.0])
    swing.advance(0.01)
    assert swing.qd[0] == pytest.approx(0.02, abs=1e-12)
    assert swing.tau[0] == 2.0
    assert swing.qdd[0] == pytest.approx(2.0)


FORMULAS = [
    *(f"{name}(0.3 + q1)" for name, (_, count) in expressions.FUNCTIONS.items() if count == 1),
    *(f"{name}(0.3, 0.7*t + 0.1)" for name in ("min", "max", "atan2", "hypot")),
    "clip(t, 0.1, 0.2)",
    "-t + 2 - 3*t/4 + t**2 + t % 0.3",
    "1 if 0 < t < 2 else 5",
    "1 if t == 0 else 2 if t != 1 else 3",
    "(t <= 1) + (t >= 1) + (t > 1) + x + y + qd1",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_give_what_numpy_gives(text):
    swing = ulna.Simulation(ulna.Scenario(arm=one_rod(), q0=[0.2], qd0=[0.1], torque=text))
    names = {"t": 0.0, "x": np.cos(0.2), "y": np.sin(0.2), "q1": 0.2, "qd1": 0.1}
    expected = expressions.Expression.parse(text, names)(**names)
    assert swing.tau[0] == pytest.approx(expected, rel=1e-14, abs=1e-15, nan_ok=True)

"""Runs whose steps damping keeps short: they say so once, with what to use instead."""

import warnings

import numpy as np
import pytest

import ulna
from ulna import Arm, Joint, Simulation
from ulna.errors import UlnaWarning
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.steps import damping_rate


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    """Look after a few hundred steps, and not after a quarter of a second of them."""
    monkeypatch.setattr("ulna.simulation.steps.WORTH", 3e-4)


def damped(n, damping, **options):
    joints = [Joint(damping=damping)] * n
    return Arm.rods([1.0 / n] * n, [1.0 / n] * n, joints=joints, **options)


def told(arm, **options):
    """Give what a run is warned of."""
    options = {"q0": 0.1 * np.ones(arm.n), "samples": 2, **options}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UlnaWarning)
        run = ulna.simulate(arm, **options)
    assert run.status
    return [str(one.message) for one in caught], run


@pytest.mark.parametrize("n", [2, 8])
def test_the_rate_is_the_largest_eigenvalue_of_damping_over_inertia(n):
    """λ of B v = λ M v, with the mass matrix of the textbook."""
    arm = damped(n, 0.3)
    q, qd = np.random.default_rng(n).uniform(-1.0, 1.0, (2, n))
    swing = Simulation(ulna.Scenario(arm=arm, q0=q, qd0=0.01 * qd))
    mass = ulna.dynamics.chain.mass_matrix(arm, q)
    largest = np.linalg.eigvals(np.linalg.solve(mass, 0.3 * np.eye(n))).real.max()
    assert damping_rate(swing, at.TEXT) == pytest.approx(largest, rel=0.02)


def test_damping_by_a_formula_counts_and_is_told_apart():
    arm = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m²
    swing = Simulation(ulna.Scenario(arm=arm, q0=[0.0], qd0=[1.0], torque="-7*qd1"))
    swing.advance(0.01)
    assert damping_rate(swing, at.TEXT) == pytest.approx(7.0, rel=1e-6)
    assert damping_rate(swing, at.STEADY) == pytest.approx(0.0, abs=1e-6)


def test_a_stiff_run_says_so_once_with_what_to_use():
    messages, _ = told(damped(10, 0.2), duration=0.2)
    assert len(messages) == 1
    assert messages[0].startswith("stiff at t = ")
    assert "method='semi-implicit'" in messages[0]
    again, _ = told(damped(10, 0.2), duration=0.2)
    assert again == messages  # whatever the machine is at


def test_what_it_advises_takes_a_fraction_of_the_steps():
    arm, options = damped(10, 5.0), {"q0": 0.1 * np.ones(10)}
    stiff, soft = (
        Simulation(ulna.Scenario(arm=arm, **options)),
        Simulation(ulna.Scenario(arm=arm, method="semi-implicit", **options)),
    )
    with pytest.warns(UlnaWarning, match="stiff"):
        stiff.advance(0.2)
    assert soft.advance(0.2)
    steps = [int(one.memory.ints[at.STEPS]) for one in (stiff, soft)]
    assert steps[0] > 20 * steps[1]
    assert soft.q == pytest.approx(stiff.q, abs=1e-2)


def test_what_was_announced_beforehand_is_not_told_again():
    """Damping that stops a joint within a microsecond, and a run that ends long before its time."""
    arm = Arm.rods([1.0], [3.0], joints=[Joint(damping=3e6)])
    messages, _ = told(arm, duration=300.0, until="t > 5e-3")
    assert len(messages) == 1
    assert "joint 1, damping" in messages[0]


def test_steps_by_hand_are_told_once_in_all():
    swing = Simulation(ulna.Scenario(arm=damped(10, 0.2), q0=0.1 * np.ones(10)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UlnaWarning)
        for _ in range(40):
            swing.advance(0.01)
        swing.copy().advance(0.1)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_looking_changes_no_bit(monkeypatch):
    arm, options = damped(10, 0.2), {"duration": 0.2, "torque": ["5*sin(q1)"] + 9 * ["0"]}
    messages, looked = told(arm, **options)
    assert messages
    monkeypatch.setattr("ulna.simulation.steps.WORTH", 1e9)
    messages, run = told(arm, **options)
    assert not messages
    assert (run.q == looked.q).all()
    assert (run.qd == looked.qd).all()


def test_stiffness_of_a_formula_is_told_with_another_way_out():
    arm = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))
    messages, _ = told(arm, q0=[0.0], qd0=[1.0], torque="sin(t) - 2e5*qd1", duration=0.05)
    assert len(messages) == 1
    assert "damping of the joints" in messages[0]


def test_functions_are_not_asked_for_it(monkeypatch):
    arm, times = damped(10, 0.2), []

    def push(t):
        times.append(t)
        return np.zeros(10)

    messages, _ = told(arm, torque=push, duration=0.1)
    looked = len(times)
    assert messages
    assert messages[0].startswith("stiff")
    times.clear()
    monkeypatch.setattr("ulna.simulation.steps.WORTH", 1e9)
    told(arm, torque=push, duration=0.1)
    assert len(times) == looked


@pytest.mark.parametrize("name", ulna.presets())
def test_no_preset_is_called_stiff(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UlnaWarning)
        arm = ulna.preset(name)
    inside = arm.parameters.lower + 0.05, arm.parameters.upper - 0.05
    messages, run = told(arm, q0=np.clip(0.3, *inside), duration=20.0)
    assert not [one for one in messages if "stiff" in one], run

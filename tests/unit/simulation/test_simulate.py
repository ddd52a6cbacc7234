"""The front door: what is kept, what is asked for, what is refused, and what is written down."""

import sys

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import Arm, Simulation, simulate
from ulna.errors import InputError

SPUN = Arm.rods([1.0], [3.0], gravity=(0.0, 0.0))  # 1 kg·m² about its joint
TWO = Arm.rods([1.0, 1.0], [1.0, 1.0])
module = sys.modules["ulna.simulation.simulate_arm"]
METHODS = ("dop853", "rk4", "gauss4", "semi-implicit")


def spinning(duration=1.0, **options):
    return simulate(SPUN, q0=[0.0], qd0=[1.0], duration=duration, **options)


# What is kept


def test_without_a_word_there_is_a_sample_every_dt():
    run = spinning()
    assert run.t == pytest.approx(np.linspace(0.0, 1.0, 1001))
    assert len(spinning(dt=0.3)) == 5
    assert len(spinning(0.05, dt=0.3)) == 2


def test_long_runs_are_thinned():
    run = spinning(1000.0, dt=1e-3)
    assert 50_000 <= len(run) <= 100_001
    assert run.t[-1] == 1000.0
    assert np.diff(run.t) == pytest.approx(run.t[1], rel=1e-9)


def test_long_arms_are_thinned_by_their_memory(monkeypatch):
    monkeypatch.setattr(module, "DEFAULT_MEMORY", 8 * (4 * 2 + 6) * 10)
    run = simulate(TWO, q0=[0.0, 0.0], duration=1.0)
    assert 2 <= len(run) <= 10
    assert run.t[-1] == 1.0


@tabular("method", METHODS)
@tabular("samples", [2, 3, 7, 1000])
def test_a_number_of_samples_is_spread_evenly(method, samples):
    run = spinning(method=method, samples=samples, dt=0.01)
    assert run.t == pytest.approx(np.linspace(0.0, 1.0, samples), abs=0.0)
    assert run.q[:, 0] == pytest.approx(run.t, abs=1e-12)


def test_one_sample_is_the_end():
    run = spinning(samples=1)
    assert run.t.tolist() == [1.0]
    assert run.q[0] == pytest.approx([1.0], rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_samples_at_given_times(method):
    times = [0.1, 0.123456, 0.5, 0.99]
    run = spinning(method=method, samples=times, dt=0.01)
    assert run.t.tolist() == times
    assert run.q[:, 0] == pytest.approx(times, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_no_time_at_all_is_the_start(method):
    run = simulate(
        SPUN,
        q0=[0.3],
        qd0=[2.0],
        duration=0.0,
        torque=[5.0],
        tip_force=[0.0, 0.0, 1.0],
        method=method,
    )
    assert run.t.tolist() == [0.0]
    assert (run.q.tolist(), run.qd.tolist()) == ([[0.3]], [[2.0]])
    assert run.status.ok
    assert run.tau.tolist() == [[5.0]]
    assert run.tip_force.tolist() == [[0.0, 0.0, 1.0]]
    assert run.qdd == pytest.approx(np.array([[6.0]]))


def test_accelerations_are_those_of_the_dynamics():
    run = simulate(
        TWO,
        q0=[0.3, 0.4],
        qd0=[1.0, 2.0],
        torque=["sin(9*t)", "q1"],
        tip_force="1, t",
        duration=0.5,
        samples=20,
    )
    expected = ulna.dynamics.forward_dynamics(TWO, run.q, run.qd, run.tau, tip_force=run.tip_force)
    assert run.qdd == pytest.approx(expected, rel=1e-10, abs=1e-10)
    assert run.tau[:, 0] == pytest.approx(np.sin(9.0 * run.t))
    assert run.tip_force == pytest.approx(np.stack([np.ones(20), run.t, np.zeros(20)], axis=-1))


# A simulation that is asked to go on


def test_a_simulation_stands_where_it_was_told_to():
    swing = Simulation(ulna.Scenario(arm=TWO, q0=[0.1, 0.2], qd0=[0.3, 0.4]))
    assert swing.t == 0.0
    assert (swing.q.tolist(), swing.qd.tolist()) == ([0.1, 0.2], [0.3, 0.4])
    assert swing.qdd == pytest.approx(
        ulna.dynamics.forward_dynamics(TWO, swing.q, swing.qd, np.zeros(2)), rel=1e-12
    )
    swing.q[0] = 99.0
    assert swing.q[0] == 0.1


def test_it_reports_on_its_way():
    swing = Simulation(ulna.Scenario(arm=TWO, q0=[0.0, 0.0], method="rk4", dt=1e-4))
    times = []
    swing.advance_to(20.0, lambda: times.append(swing.t))
    assert len(times) >= 2
    assert times == sorted(times)


# What is refused


def test_the_figure_is_half_of_the_memory_and_a_way_out_is_offered(monkeypatch):
    monkeypatch.setattr("ulna.simulation.capacity.machine_memory", lambda: 80_000.0)
    with pytest.raises(InputError, match="such as samples=500"):
        spinning(samples=501)
    assert len(spinning(samples=500)) == 500

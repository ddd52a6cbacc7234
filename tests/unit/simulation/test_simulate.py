"""The front door: what is kept, what is asked for, what is refused, and what is written down."""

import json
import math
import sys

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import Arm, Joint, Sensors, Simulation, simulate
from ulna.control import PD
from ulna.errors import InputError
from ulna.scenario.disturbances import noise, pulse, step

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
    swing = Simulation(TWO, q0=[0.1, 0.2], qd0=[0.3, 0.4])
    assert swing.t == 0.0
    assert (swing.q.tolist(), swing.qd.tolist()) == ([0.1, 0.2], [0.3, 0.4])
    assert swing.qdd == pytest.approx(
        ulna.dynamics.forward_dynamics(TWO, swing.q, swing.qd, np.zeros(2)), rel=1e-12
    )
    swing.q[0] = 99.0
    assert swing.q[0] == 0.1


def test_it_reports_on_its_way():
    swing = Simulation(TWO, q0=[0.0, 0.0], method="rk4", dt=1e-4)
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


# What is written down


def repeated(run):
    """Run it again from nothing but its settings and its arm, read back from JSON."""
    plain = json.loads(json.dumps(run.provenance))
    settings = plain["settings"]
    controller = settings.pop("controller", None)
    if controller is not None:
        settings["controller"] = eval(controller, {"PD": PD})
        settings["sensors"] = Sensors(**settings["sensors"])
    makers = []
    for one in settings.pop("disturbances", []):
        end = math.inf if one["stop"] is None else one["stop"]
        makers.append(ulna.scenario.disturbances.Disturbance(**{**one, "stop": end}))
        for name in ("torque", "force"):
            value = getattr(makers[-1], name)
            object.__setattr__(makers[-1], name, None if value is None else tuple(value))
    if isinstance(settings["torque"], dict):
        table = settings["torque"]
        settings |= {"torque": (table["times"], table["values"]), "between": table["between"]}
    if settings["max_step"] is None:
        settings["max_step"] = math.inf
    return simulate(run.arm, disturbances=makers, **settings)


@tabular(
    "options",
    [
        {},
        {"method": "rk4", "dt": 0.003},
        {"rtol": None, "dt": 0.01},
        {"rtol": 1e-6, "atol": 1e-9, "max_step": 0.05},
        {"torque": [1.0, -2.0], "tip_force": [1.0, 2.0, 3.0]},
        {"torque": "10*sin(3*t), q1", "tip_force": "t, 0"},
        {"torque": ["10*sin(3*t)", 2.0], "method": "gauss4"},
        {"dynamics": "sequential", "sequential_damping": [0.5, 0.25]},
        {"restitution": 0.5, "qd0": [4.0, -3.0]},
        {"stops": False, "qd0": [4.0, -3.0]},
        {"events": {"level": "q1 + q2"}, "until": "q1 < -2"},
        {
            "controller": PD([20.0, 10.0], 2.0),
            "rate": 200.0,
            "sensors": Sensors(angle_noise=1e-3, delay=0.01, seed=5),
        },
        {"controller": PD(20.0, 2.0), "reference": [0.5, 0.5]},
        {
            "disturbances": [
                step([1.0, 0.0], at=0.1),
                pulse(force=[1.0, 2.0], at=0.2, lasting=0.1),
                noise([0.1, 0.1], seed=3),
            ]
        },
        {"torque": ([0.0, 0.2, 0.4], [[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]), "between": "linear"},
        {"torque": np.arange(20.0).reshape(10, 2), "dt": 0.05},
    ],
    ids=lambda options: "+".join(options) or "plain",
)
def test_settings_are_enough_to_repeat_a_run_bit_for_bit(options):
    arm = TWO.replace(joints=(Joint(-3.0, 0.6), Joint(-0.4, 0.4)))
    run = simulate(arm, duration=0.5, samples=7, **{"q0": [0.1, 0.2], **options})
    again = repeated(run)
    for name in ("t", "q", "qd", "qdd", "tau", "tip_force", "injected", "dissipated"):
        assert getattr(again, name).tolist() == getattr(run, name).tolist(), name
    assert again.settings == run.settings

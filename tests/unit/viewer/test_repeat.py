"""The script of a report repeats its result from nothing, to the last digits."""

import numpy as np
import pytest

import ulna
from ulna.control import ComputedTorque, OpenLoop
from ulna.simulation import disturbances
from ulna.viewer.report_page import document


@pytest.fixture(scope="module")
def plan():
    return ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), duration=0.5)


def executed(made):
    names = {}
    exec(made.header["repeat"]["script"], names)
    return names


def test_the_script_of_a_run_with_formulas_repeats_it():
    arm = ulna.preset("kehl")
    run = ulna.simulate(arm, q0=[0.1, 0.2], torque=["2*cos(t)", "0.1*q1"], duration=0.5)
    again = executed(document(run))["run"]
    np.testing.assert_allclose(again.q[-1], run.q[-1], rtol=0.0, atol=1e-12)


def test_the_script_of_a_table_repeats_it():
    table = ([0.0, 0.2], [[1.0, 0.0], [0.0, 1.0]])
    how = {"torque": table, "between": "linear", "duration": 0.2}
    run = ulna.simulate(ulna.preset("unit"), q0=[0.3, 0.1], **how)
    again = executed(document(run))["run"]
    np.testing.assert_allclose(again.q[-1], run.q[-1], rtol=0.0, atol=1e-12)


def test_the_script_of_a_plan_repeats_it(plan):
    again = executed(document(plan))["plan"]
    np.testing.assert_allclose(again.q[-1], plan.q[-1], rtol=0.0, atol=1e-12)


def test_the_script_of_a_following_repeats_both_runs(plan):
    laws = {"open loop": OpenLoop(), "closed loop": ComputedTorque(natural_frequency=30.0)}
    runs = {
        label: ulna.simulate(plan.arm, controller=law, reference=plan, rate=500.0)
        for label, law in laws.items()
    }
    again = executed(document(runs, plan=plan))["runs"]
    for label, run in runs.items():
        np.testing.assert_allclose(again[label].q[-1], run.q[-1], rtol=0.0, atol=1e-12)


def test_the_script_of_a_disturbed_loop_repeats_it():
    run = ulna.simulate(
        ulna.preset("kehl"),
        q0=[0.1, 0.2],
        controller=ComputedTorque(),
        reference=[0.3, 0.4],
        rate=250.0,
        sensors=ulna.Sensors(delay=0.002, angle_noise=1e-3, seed=4),
        actuators=ulna.Actuators(delay=0.001, time_constant=0.005, max_torque=(90.0, 80.0)),
        disturbances=[
            disturbances.step(torque=[3.0, 0.0], at=0.1),
            disturbances.noise(force=[1.0, 2.0], rate=100.0, seed=7, until=0.3),
            disturbances.sine(torque=[0.0, 5.0], frequency=4.0),
        ],
        events={"low": "y - 0.3"},
        duration=0.4,
    )
    again = executed(document(run))["run"]
    np.testing.assert_allclose(again.q[-1], run.q[-1], rtol=0.0, atol=1e-12)
    assert [one.name for one in again.events] == [one.name for one in run.events]


def test_the_script_of_sequential_dynamics_repeats_it():
    arm, how = ulna.preset("kehl"), {"dynamics": "sequential", "sequential_damping": [0.3, 0.2]}
    run = ulna.simulate(arm, q0=[0.1, 0.2], duration=0.3, **how)
    again = executed(document(run))["run"]
    np.testing.assert_allclose(again.q[-1], run.q[-1], rtol=0.0, atol=1e-12)


def test_what_no_script_can_hold_is_told():
    run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], torque=lambda t: [t, 0.0], duration=0.1)
    header = document(run).header
    assert header["repeat"]["script"] is None
    assert any("torque is the function" in note for note in header["notes"])
    run = ulna.simulate(
        ulna.preset("unit"), q0=[0.0, 0.0], events={"low": lambda t, q, qd: q[0]}, duration=0.1
    )
    assert any("its event low is the function" in note for note in document(run).header["notes"])


def test_the_script_of_a_portrait_repeats_it():
    arm = ulna.preset("bechard-1")
    portrait = ulna.portrait(arm, torque=4.0, starts=[(0.0, 3.07)], duration=2.0)
    made = document(portrait)
    again = executed(made)["portrait"]
    q = portrait.orbits[0].run.q[-1]
    np.testing.assert_allclose(again.orbits[0].run.q[-1], q, rtol=0.0, atol=1e-12)
    assert made.header["verdict"]["text"].startswith("2 equilibria, 1 of them stable")


def test_a_batch_says_how_many_finished_and_why_no_script_repeats_it():
    q0 = np.random.default_rng(0).uniform(-1.0, 1.0, (40, 2))
    batch = ulna.simulate_batch(ulna.preset("kehl"), q0=q0, duration=0.2, samples=11)
    header = document(batch).header
    assert header["verdict"]["text"].startswith("40 of 40 arms ran to the end")
    assert len(header["planes"][0]["points"]) == 40
    assert header["repeat"]["script"] is None
    assert any("does not keep its starts" in note for note in header["notes"])

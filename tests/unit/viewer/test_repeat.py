"""The script of a report repeats its result from nothing, to the last digits."""

import numpy as np
import pytest

import ulna
from ulna.control import ComputedTorque, OpenLoop
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


def test_what_no_script_can_hold_is_told():
    run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], torque=lambda t: [t, 0.0], duration=0.1)
    header = document(run).header
    assert header["repeat"]["script"] is None
    assert any("torque is the function" in note for note in header["notes"])

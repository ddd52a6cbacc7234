"""OpenLoop: inverse dynamics of the reference, whatever is measured."""

import numpy as np
import pytest

import ulna
from ulna.control import OpenLoop
from ulna.dynamics import inverse_dynamics


def follow(arm, reference, controller=None, **options):
    q, qd, _ = reference(0.0)
    options = {"q0": q, "qd0": qd, "rate": 1000.0, "duration": 0.5, **options}
    return ulna.simulate(arm, controller=controller or OpenLoop(), reference=reference, **options)


def test_its_torques_are_those_that_the_reference_takes(geared, circling):
    reference = circling(2)
    run = follow(geared, reference)
    aims = np.array([reference(t) for t in run.t[:-1]])
    expected = inverse_dynamics(geared, *np.moveaxis(aims, 1, 0))
    assert run.tau[:-1] == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_it_ignores_what_is_measured(geared, circling):
    reference = circling(2)
    plain = follow(geared, reference)
    blind = follow(
        geared, reference, q0=[1.0, -2.0], sensors=ulna.Sensors(angle_noise=1.0, rate_noise=1.0)
    )
    assert (plain.tau == blind.tau).all()


def test_an_arm_that_is_its_model_stays_on_the_reference(geared, circling):
    # What is held over a tick is off by half a tick's change: the gap goes with the period.
    reference = circling(2)
    gaps = []
    for rate in (1000.0, 4000.0):
        run = follow(geared, reference, rate=rate, dt=1.0 / rate, samples=11)
        gaps.append(np.abs(run.q - [reference(t)[0] for t in run.t]).max())
    assert gaps[1] <= 2e-3
    assert gaps[0] / gaps[1] == pytest.approx(4.0, rel=0.05)

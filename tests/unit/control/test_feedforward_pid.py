"""FeedforwardPID: the model does the work, PID what the model does not know."""

import numpy as np
import pytest

import ulna
from ulna.control import FeedforwardPID, OpenLoop


def gaps(arm, controller, reference, duration=2.0):
    q, qd, _ = reference(0.0)
    run = ulna.simulate(
        arm, q0=q, qd0=qd, duration=duration, controller=controller, reference=reference,
        samples=101,
    )  # fmt: skip
    return np.abs(run.q - [reference(t)[0] for t in run.t]).max(axis=-1)


def test_without_gains_it_is_the_open_loop(geared, circling):
    none = FeedforwardPID(0.0, 0.0, 0.0)
    reference = circling(2)
    assert gaps(geared, none, reference, 0.3) == pytest.approx(
        gaps(geared, OpenLoop(), reference, 0.3), abs=1e-12
    )


def test_a_load_that_the_model_does_not_know_is_left_to_the_integral(geared):
    aim, loaded = np.array([0.4, 0.9]), geared.with_payload(1.5)
    swing = ulna.Simulation(
        ulna.Scenario(
            arm=loaded, q0=[0.0, 0.0], reference=aim, controller=FeedforwardPID(model=geared)
        )
    )
    swing.advance(8.0)
    assert swing.q == pytest.approx(aim, abs=1e-8)
    push = FeedforwardPID().start(geared).pid.gains.ki * swing.controller_state[:2]
    missing = ulna.dynamics.gravity_torque(loaded, aim) - ulna.dynamics.gravity_torque(geared, aim)
    assert push == pytest.approx(missing, rel=1e-6)


def test_it_knows_its_limits_by_the_whole_torque():
    # Torques that the model alone brings to the limit leave nothing for the integral to gather.
    arm = ulna.Arm.rods([1.0], [3.0], joints=[ulna.Joint(max_torque=10.0)])  # takes 14.7 N·m
    with pytest.warns(ulna.UlnaWarning, match="springs are softer than gravity"):
        swing = ulna.Simulation(
            ulna.Scenario(
                arm=arm, q0=[0.0], controller=FeedforwardPID(0.0, 0.0, 10.0), reference=[0.1]
            )
        )
    swing.advance(0.05)
    assert swing.tau[0] == 10.0
    assert swing.controller_state[0] == 0.0

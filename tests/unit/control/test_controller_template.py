"""The script that a person starts from: it runs, and its class is a controller."""

from importlib.resources import files

import numpy as np
import pytest

import ulna
from ulna.control import Controller

CONTROLLER_TEMPLATE = (files("ulna.control") / "controller_template.txt").read_text("utf-8")


@pytest.fixture(scope="module")
def deadband():
    names = {"__name__": "my_controller"}
    exec(compile(CONTROLLER_TEMPLATE, "my_controller.py", "exec"), names)
    return names["Deadband"]


def test_a_simulation_takes_its_class(deadband):
    controller = deadband(kp=400.0, kd=80.0, deadband=0.05)
    assert isinstance(controller, Controller)
    arm = ulna.preset("kehl")
    swing = ulna.Simulation(
        ulna.Scenario(arm=arm, q0=[0.0, 0.0], controller=controller, reference=[0.5, 0.0])
    )
    assert swing.advance(2.0)
    assert swing.controller_state is arm
    gap = np.array([0.5, 0.0]) - swing.q
    assert np.abs(gap).max() <= 0.0501


def test_within_its_deadband_it_only_carries_the_weight(deadband):
    arm = ulna.preset("kehl")
    run = ulna.simulate(
        arm, q0=[0.3, 0.2], duration=0.5, controller=deadband(400.0, 80.0, 0.05),
        reference=[0.31, 0.19],
    )  # fmt: skip
    assert run.q[-1] == pytest.approx([0.3, 0.2], abs=1e-9)

"""What is no controller is refused, wherever controllers are taken, with what to write instead."""

import numpy as np
import pytest

import ulna
from refusals import names_of, problems_of
from tabular import tabular
from ulna import analysis, control
from ulna.control import PID

ARM = ulna.preset("kehl")
ONE = ulna.preset("bechard-1")
PLAN = {"path": ulna.paths.circle((0.4, 0.3), 0.1), "duration": 2.0}
MOVED = {"q0": [0.0, 0.0], "duration": 0.1}

TAKERS = {
    "simulate": lambda law: ulna.simulate(ARM, controller=law, **MOVED),
    "Simulation": lambda law: ulna.Simulation(
        ulna.Scenario(arm=ARM, q0=[0.0, 0.0], controller=law)
    ),
    "simulate_batch": lambda law: ulna.simulate_batch(ARM, controller=law, **MOVED),
    "step_response": lambda law: analysis.step_response(ulna.Scenario(arm=ARM, controller=law)),
    "stability": lambda law: analysis.stability(ulna.plan(ARM, **PLAN), controller=law, rate=100.0),
    "portrait": lambda law: ulna.portrait(ONE, controller=law),
    "poincare": lambda law: ulna.poincare(
        ulna.Scenario(arm=ARM, duration=1.0, controller=law), starts=[([0.0, 0.0], [0.0, 0.0])]
    ),
    "with_model": lambda law: control.with_model(law, ARM),
}


class Mine:
    def start(self, arm):
        return None

    def torque(self, t, q, qd, reference, state):
        return 0.0 * q, state


@tabular("take", TAKERS.values(), ids=TAKERS)
@tabular("law", [PID, Mine, "PID"])
def test_what_is_none_is_told_how_to_make_one(take, law):
    (problem,) = problems_of(lambda: take(law))
    assert problem.what == "controller"
    if isinstance(law, type):
        assert problem.hint == f"make one, with parentheses: {law.__name__}()"
    elif take is not TAKERS["with_model"]:
        assert "read_controller" in problem.hint


def test_a_class_among_others_is_found_in_a_batch():
    made = [PID(), PID]
    assert names_of(lambda: ulna.simulate_batch([ARM, ARM], controller=made, **MOVED)) == [
        "controller[1]"
    ]


class Compiling:
    """A controller whose compiled form is whatever a test says."""

    def __init__(self, made):
        self.made = made

    def start(self, arm):
        """Return no state."""

    def torque(self, t, q, qd, reference, state):
        """Give nothing."""
        return 0.0 * q, state

    def compiled(self, arm):
        """Return what was given."""
        return self.made


@pytest.mark.parametrize("take", ["simulate", "simulate_batch"])
def test_a_law_that_is_not_compiled_is_told_as_such(take):
    uncompiled = control.CompiledLaw(print, np.zeros((0, 1)), np.zeros((0, 1)))
    for made, name in ((None, "compiled"), (uncompiled, "compiled.law")):
        assert names_of(lambda made=made: TAKERS[take](Compiling(made))) == [f"Compiling.{name}"]

"""What is no controller is refused, wherever controllers are taken, with what to write instead."""

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import analysis, control
from ulna.control import PID

ARM = ulna.preset("kehl")
ONE = ulna.preset("bechard-1")
PLAN = {"path": ulna.paths.circle((0.4, 0.3), 0.1), "duration": 2.0}
MOVED = {"q0": [0.0, 0.0], "duration": 0.1}

TAKERS = {
    "simulate": lambda law: ulna.simulate(ARM, controller=law, **MOVED),
    "Simulation": lambda law: ulna.Simulation(ARM, q0=[0.0, 0.0], controller=law),
    "simulate_batch": lambda law: ulna.simulate_batch(ARM, controller=law, **MOVED),
    "step_response": lambda law: analysis.step_response(ARM, law),
    "stability": lambda law: analysis.stability(ulna.plan(ARM, **PLAN), controller=law, rate=100.0),
    "portrait": lambda law: ulna.portrait(ONE, controller=law),
    "poincare": lambda law: ulna.poincare(
        ARM, starts=[([0.0, 0.0], [0.0, 0.0])], duration=1.0, controller=law
    ),
    "with_model": lambda law: control.with_model(law, ARM),
}


class Mine:
    def start(self, arm):
        return None

    def torque(self, t, q, qd, reference, state):
        return 0.0 * q, state


@tabular("take", TAKERS.values(), ids=TAKERS)
@tabular("law", [PID, Mine])
def test_a_class_is_told_its_parentheses(take, law):
    name = law.__name__
    with pytest.raises(
        ulna.InputError, match=rf"^controller: got the class {name}, need"
    ) as caught:
        take(law)
    assert str(caught.value).endswith(f"make one, with parentheses: {name}()")


def test_a_class_among_others_is_found_in_a_batch():
    with pytest.raises(ulna.InputError, match=r"^controller\[1\]: got the class PID, need"):
        ulna.simulate_batch([ARM, ARM], controller=[PID(), PID], **MOVED)


@pytest.mark.parametrize("name", [name for name in TAKERS if name != "with_model"])
def test_text_is_told_how_it_becomes_a_controller(name):
    with pytest.raises(ulna.InputError, match=r"controller: got 'PID'.*control\.read_controller"):
        TAKERS[name]("PID")


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
@pytest.mark.parametrize(
    ("made", "words"),
    [
        (None, r"Compiling\.compiled: got None, need a CompiledLaw\(law, params, state\)"),
        (
            control.CompiledLaw(print, np.zeros((0, 1)), np.zeros((0, 1))),
            r"Compiling\.compiled\.law: got .*print.*, need one compiled by ulna\.kernels\.kernel",
        ),
    ],
)
def test_a_law_that_is_not_compiled_is_told_as_such(take, made, words):
    with pytest.raises(ulna.InputError, match=words):
        TAKERS[take](Compiling(made))

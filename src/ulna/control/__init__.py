"""HOW we command: controllers, one a file, each with its law.

A controller is a small frozen object with two methods, which a user's own class may have as well:

    start(arm) -> state
    torque(t, q, qd, reference, state) -> (tau, state)

One that also has `compiled(arm)` runs inside the compiled engine; `law` makes such a one of a
function. Where `start` or `compiled` takes `timing` as well, it is told the control rate and the
delay of what it measures.
"""

from typing import TYPE_CHECKING

from ulna.control.adaptive import Adaptive
from ulna.control.computed_torque import ComputedTorque
from ulna.control.controller import CompiledLaw, Controller, ControlTiming, Reference
from ulna.control.controller_text import CONTROLLERS, read_controller, with_model
from ulna.control.feedforward_pid import FeedforwardPID
from ulna.control.gravity_pd import GravityPD
from ulna.control.laws import law
from ulna.control.open_loop import OpenLoop
from ulna.control.pd import PD
from ulna.control.pid import PID
from ulna.namespaces import first_guesses, namespace

__all__ = [
    "CONTROLLERS",
    "PD",
    "PID",
    "Adaptive",
    "CompiledLaw",
    "ComputedTorque",
    "ControlTiming",
    "Controller",
    "FeedforwardPID",
    "GravityPD",
    "OpenLoop",
    "Reference",
    "law",
    "read_controller",
    "with_model",
]

if not TYPE_CHECKING:
    _guesses = first_guesses("control")
    __getattr__, __dir__ = namespace(__name__, _guesses, also=CONTROLLERS)

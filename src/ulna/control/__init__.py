"""HOW we command: controllers, one a file.

A controller is a small frozen object with two methods, which a user's own class may have as well:

    start(arm) -> state
    torque(t, q, qd, reference, state) -> (tau, state)

One that also has `compiled(arm)` runs inside the compiled engine. Where `start` or `compiled` takes
`timing` as well, it is told the control rate and the delay of what it measures.
"""

from typing import TYPE_CHECKING

from ulna.control.adaptive import Adaptive
from ulna.control.computed_torque import ComputedTorque
from ulna.control.control_timing import ControlTiming
from ulna.control.controller import CompiledLaw, Controller, Reference
from ulna.control.controller_text import CONTROLLERS, read_controller, with_model
from ulna.control.feedforward_pid import FeedforwardPID
from ulna.control.gravity_pd import GravityPD
from ulna.control.open_loop import OpenLoop
from ulna.control.pd import PD
from ulna.control.pid import PID
from ulna.namespaces import namespace

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
    "read_controller",
    "with_model",
]

if not TYPE_CHECKING:
    _guesses = {
        "controllers are classes: control.PD()": "pd PDController",
        "controllers are classes: control.PID()": "pid Pid PIDController",
        "controllers are classes: control.ComputedTorque()": (
            "computed_torque inverse_dynamics CTC feedback_linearization"
        ),
        "controllers are classes: control.GravityPD()": "gravity_pd PDGravity gravity_compensation",
        "controllers are classes: control.FeedforwardPID()": "feedforward_pid feedforward",
        "controllers are classes: control.Adaptive()": "adaptive",
        "controllers are classes: control.OpenLoop()": "open_loop",
    }
    __getattr__, __dir__ = namespace(__name__, _guesses, also=CONTROLLERS)

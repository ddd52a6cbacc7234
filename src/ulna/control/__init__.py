"""HOW we command: controllers, one a file, each with its law.

A controller is a small frozen object with two methods, which a user's own class may have as well:

    start(arm) -> state
    torque(t, q, qd, reference, state) -> (tau, state)

One that also has `compiled(arm)` runs inside the compiled engine; `law` makes such a one of a
function, which may use `select`, `logical_and`, `logical_or`, `logical_not`, `sqrt`, `sincos` and
functions of its own marked with `inner`. Where `start` or `compiled` takes `timing` as well, it is
told the control rate and the delay of what it measures.
"""

from typing import TYPE_CHECKING

from ulna.control.adaptive import Adaptive
from ulna.control.computed_torque import ComputedTorque
from ulna.control.controller import CompiledLaw, Controller, ControlTiming, Reference
from ulna.control.controller_text import CONTROLLERS, read_controller, with_model
from ulna.control.feedforward_pid import FeedforwardPID
from ulna.control.gravity_pd import GravityPD
from ulna.control.laws import law, sincos
from ulna.control.open_loop import OpenLoop
from ulna.control.pd import PD
from ulna.control.pid import PID
from ulna.kernels import inner
from ulna.lanes import logical_and, logical_not, logical_or, select, sqrt
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
    "inner",
    "law",
    "logical_and",
    "logical_not",
    "logical_or",
    "read_controller",
    "select",
    "sincos",
    "sqrt",
    "with_model",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)

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
    "law",
    "read_controller",
    "with_model",
]

if not TYPE_CHECKING:
    _guesses = {
        "controllers are classes: control.PD()": "pd Pd PDController pd_control",
        "controllers are classes: control.PID()": (
            "pid Pid PIDController pid_control PI PIController"
        ),
        "controllers are classes: control.ComputedTorque()": (
            "computed_torque computed_torque_control inverse_dynamics CTC ctc InverseDynamics "
            "ComputedTorqueController feedback_linearization FeedbackLinearization"
        ),
        "controllers are classes: control.GravityPD()": (
            "gravity_pd PDGravity PDPlusGravity gravity_compensation GravityCompensation"
        ),
        "controllers are classes: control.FeedforwardPID()": (
            "feedforward_pid feedforward Feedforward"
        ),
        "controllers are classes: control.Adaptive()": "adaptive AdaptiveController SlotineLi",
        "controllers are classes: control.OpenLoop()": "open_loop",
        "none is built in; any object with start(arm) and torque(t, q, qd, reference, state) is a "
        "controller, and dynamics.linearise(arm, q, qd, tau) gives A and B": (
            "LQR lqr TrajectoryLQR TVLQR LQG MPC mpc SlidingMode SMC Impedance ImpedanceControl "
            "Admittance StateFeedback"
        ),
        "control.read_controller(text) reads one such as 'PID(kp=400, kd=40)'": (
            "parse_controller controller_from_text from_text from_string parse load"
        ),
        "control.law makes a compiled controller of a function": (
            "compiled_law control_law make_controller register register_controller custom jit"
        ),
        "control.CONTROLLERS are all of them by name": (
            "controllers list_controllers all_controllers"
        ),
        "a set-point is given to ulna.simulate as reference=[...]": (
            "setpoint set_point SetPoint target"
        ),
        "control.ControlTiming(rate, delay) is the timing that a controller is told": (
            "Timing timing SampleTime"
        ),
    }
    __getattr__, __dir__ = namespace(__name__, _guesses, also=CONTROLLERS)

"""HOW we command: controllers, one a file.

A controller is a small frozen object with two methods, which a user's own class may have as well:

    start(arm) -> state
    torque(t, q, qd, reference, state) -> (tau, state)

One that also has `compiled(arm)` runs inside the compiled engine.
"""

from ulna.control.controller import CompiledLaw, Controller, Reference
from ulna.control.pd import PD

__all__ = ["PD", "CompiledLaw", "Controller", "Reference"]

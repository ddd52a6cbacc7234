"""What a simulation is given, checked for its kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ulna.arm import Arm
from ulna.control import Controller
from ulna.errors import InputError, Problem, shown
from ulna.simulation.disturbances import Disturbance
from ulna.simulation.sensors import Sensors


def check_tip_is_free(tip_force: Any, disturbances: Sequence[Disturbance]) -> None:
    """Refuse a force on the tip for a model that has no place for it."""
    if tip_force is not None or any(one.force is not None for one in disturbances):
        need = "none with model='sequential', which knows no force on the tip"
        raise InputError(Problem("tip_force", "a force on the tip", need, "use model='true'"))


def check_kinds(arm: Any, controller: Any, sensors: Any, disturbances: Any) -> None:
    """Refuse what is no arm, no controller, no sensors or no list of disturbances."""
    if not isinstance(arm, Arm):
        raise InputError(Problem("arm", shown(arm), "an Arm"))
    is_class = isinstance(controller, type)
    if controller is not None and (is_class or not isinstance(controller, Controller)):
        need = "an object with start(arm) and torque(t, q, qd, reference, state)"
        raise InputError(Problem("controller", shown(controller), need))
    if sensors is not None and not isinstance(sensors, Sensors):
        raise InputError(Problem("sensors", shown(sensors), "Sensors(...)"))
    is_list = isinstance(disturbances, Sequence)
    if not is_list or not all(isinstance(one, Disturbance) for one in disturbances):
        hint = "see ulna.simulation.disturbances"
        raise InputError(Problem("disturbances", shown(disturbances), "a list of them", hint))

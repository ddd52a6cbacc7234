"""What of a scenario does not go together; and the loop that closes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ulna.actuation.friction import has_friction
from ulna.arm import Arm
from ulna.control.controller import check_controller
from ulna.errors import InputError, Problem, shown, warn
from ulna.scenario.disturbances import Disturbance
from ulna.scenario.loops import check_loop


def check_sequential(arm: Arm) -> None:
    """Warn of friction, which sequential dynamics do not know."""
    if has_friction(arm.parameters):
        warn("dynamics='sequential' knows no friction: only damping resists; use dynamics='full'")


def check_tip_is_free(tip_force: Any, disturbances: Sequence[Disturbance]) -> None:
    """Raise InputError if a force acts on the tip, which sequential dynamics do not take."""
    if tip_force is not None or any(one.force is not None for one in disturbances):
        need = "none with dynamics='sequential', which know no force on the tip"
        raise InputError(Problem("tip_force", "a force on the tip", need, "use dynamics='full'"))


def check_controlled(controller: Any, **given: Any) -> None:
    """Raise InputError for arguments that only a controller uses where there is none."""
    if controller is None:
        for name, value in given.items():
            if value is not None:
                need = "nothing without a controller"
                raise InputError(Problem(name, shown(value), need, "pass controller= as well"))


def check_kinds(
    arm: Any, controller: Any, sensors: Any, disturbances: Any, actuators: Any = None
) -> None:
    """Raise InputError if an argument is none of what it is to be."""
    if not isinstance(arm, Arm):
        raise InputError(Problem("arm", shown(arm), "an Arm"))
    if controller is not None:
        check_controller(controller)
    check_loop(sensors, actuators)
    is_list = isinstance(disturbances, Sequence)
    if not is_list or not all(isinstance(one, Disturbance) for one in disturbances):
        hint = "see ulna.scenario.disturbances"
        raise InputError(Problem("disturbances", shown(disturbances), "a list of them", hint))

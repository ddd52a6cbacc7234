"""Checks of the kinds of a simulation's arguments."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ulna.arm import Arm, unmodelled, warn_unmodelled
from ulna.arrays import Array, float_array
from ulna.control.controller import check_controller
from ulna.errors import InputError, Problem, shown
from ulna.simulation.disturbances import Disturbance
from ulna.simulation.per_arm import PerArm
from ulna.simulation.sensors import Sensors


@PerArm
def _is_unmodelled(arm: Arm) -> bool:
    return bool(unmodelled(arm))


def warn_of_unmodelled(arm: Arm) -> None:
    """Warn of what is not modelled of an arm, at every run; of most arms there is nothing."""
    if _is_unmodelled(arm):
        warn_unmodelled(arm)


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


def read_answer(answer: Any, n: int, t: float) -> tuple[Array, Any]:
    """Read torques (n,) and the next state from what a controller returned."""
    if not isinstance(answer, tuple) or len(answer) != 2:
        got = f"{shown(answer)} at t = {t:g} s"
        raise InputError(Problem("controller", got, "a pair of torques and the next state"))
    values = np.full(n, np.nan)
    with suppress(InputError):
        values = float_array(answer[0])
    if values.shape != (n,) or not np.isfinite(values).all():
        got = f"{shown(answer[0])} at t = {t:g} s"
        raise InputError(Problem("controller", got, f"{n} finite torques [N·m], one a joint"))
    return values, answer[1]


def check_kinds(arm: Any, controller: Any, sensors: Any, disturbances: Any) -> None:
    """Raise InputError if an argument is no arm, controller, sensors or list of disturbances."""
    if not isinstance(arm, Arm):
        raise InputError(Problem("arm", shown(arm), "an Arm"))
    if controller is not None:
        check_controller(controller)
    if sensors is not None and not isinstance(sensors, Sensors):
        raise InputError(Problem("sensors", shown(sensors), "Sensors(...)"))
    is_list = isinstance(disturbances, Sequence)
    if not is_list or not all(isinstance(one, Disturbance) for one in disturbances):
        hint = "see ulna.simulation.disturbances"
        raise InputError(Problem("disturbances", shown(disturbances), "a list of them", hint))

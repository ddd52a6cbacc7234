"""The controllers of a batch: one for all arms, or each its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ulna.arm import Arm, Parameters
from ulna.control import CompiledLaw, ControlTiming
from ulna.control.control_timing import compile_controller
from ulna.control.controller import check_controller
from ulna.errors import InputError, Problem, shown
from ulna.simulation.batch.inputs import Form, Input
from ulna.simulation.batch.members import Members
from ulna.simulation.batch.status import CODES

_FIRST = np.zeros(1, dtype=np.intp)
NOBODY = Input(_FIRST, (Form(None, np.zeros((1, 0)), _FIRST),))


def read_controllers(given: Any) -> list[Any]:
    """Read a controller for all arms, or a list of one each; None is an empty list."""
    if given is None:
        return []
    is_list = isinstance(given, Sequence) and not isinstance(given, str)
    controllers = list(given) if is_list else [given]
    if not controllers:
        raise InputError(Problem("controller", shown(given), "one for all arms, or one for each"))
    for place, one in enumerate(controllers):
        what = "controller" if one is given else f"controller[{place}]"
        check_controller(one, what)
        if not hasattr(one, "compiled"):
            need = "a controller that is compiled, such as those of ulna.control"
            hint = "run your own in Python one by one, with ulna.simulate"
            raise InputError(Problem(what, shown(one), need, hint))
    return controllers


def compile_controllers(
    controllers: list[Any], members: Members, sensors: Input, rate: float
) -> Input:
    """Compile the controllers for their arms, and group the arms by control law."""
    count = members.count
    if not controllers:
        return NOBODY
    labels, rows = np.zeros((2, count), dtype=np.intp)
    forms: dict[Any, list[tuple[CompiledLaw, Any]]] = {}
    timings = [form.example.timing(rate) for form in sensors.forms]
    for (controller, timing), arms in _arms_of(controllers, timings, sensors, count).items():
        arm = _chosen(_sound(members), arms)
        law = compile_controller(controllers[controller], arm, timing)
        key = (law.law, len(law.params), len(law.state))
        forms.setdefault(key, []).append((law, arms))
    made = []
    for label, parts in enumerate(forms.values()):
        arms = np.concatenate([arms for _, arms in parts])
        labels[arms], rows[arms] = label, np.arange(len(arms))
        values = np.concatenate([_values(law, len(arms)) for law, arms in parts])
        same = len(parts) == 1 and parts[0][0].params.shape[1] == parts[0][0].state.shape[1] == 1
        made.append(Form(parts[0][0], values[:1] if same else values, rows))
    return Input(labels, tuple(made))


def _arms_of(
    controllers: list[Any], timings: list[ControlTiming], sensors: Input, count: int
) -> dict[tuple[int, ControlTiming], Any]:
    """Return the arms by controller (the index of its first use) and timing."""
    if len(controllers) == 1 and len(set(timings)) == 1:
        return {(0, timings[0]): np.arange(count)}
    late = np.broadcast_to(sensors.labels, count)
    first_uses: dict[Any, int] = {}
    arms: dict[tuple[int, ControlTiming], list[int]] = {}
    for arm in range(count):
        one = 0 if len(controllers) == 1 else arm
        first = first_uses.setdefault(controllers[one], one)
        arms.setdefault((first, timings[late[arm]]), []).append(arm)
    return {key: np.array(found) for key, found in arms.items()}


def _sound(members: Members) -> Parameters:
    """Return the parameters, with those of a valid arm in place of invalid ones."""
    p, bad = members.parameters, members.codes == CODES["bad arm"]
    if not bad.any():
        return p
    if bad.all():
        rod = Arm.rods([1.0] * p.n, [1.0] * p.n).parameters
        return Parameters(*map(np.broadcast_to, rod, map(np.shape, p)))
    return p.rows(np.where(bad, np.argmin(bad), np.arange(members.count)))


def _chosen(p: Parameters, arms: Any) -> Parameters:
    if p.length.ndim == 1 or len(arms) == len(p.length):
        return p
    return p.rows(arms)


def _values(law: CompiledLaw, count: int) -> Any:
    """Return params and state of so many arms, (count, p + s)."""
    values = [np.broadcast_to(part, (len(part), count)) for part in (law.params, law.state)]
    return np.concatenate(values).T

"""What decides the numbers of a sweep, as plain values that make the same sweep again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ulna.control import Controller, read_controller
from ulna.control.laws import LawController
from ulna.errors import InputError
from ulna.motion import Path
from ulna.scenario.plain_parts import plain_disturbance, plain_part
from ulna.sweep.cases import EXACT, FINITE, Case, Grid
from ulna.sweep.sampling import Axis, Design, Distribution
from ulna.sweep.spec_files import portable_arm, portable_path
from ulna.sweep.sweep_outputs import KeptOutputs
from ulna.sweep.sweep_parameters import Choice, Parameter

FORMAT = 1
MADE_IN_PYTHON = "made in Python"  # the key of what no text makes again


def content_of(
    base: Case, design: Design, parameters: Sequence[Parameter], keep: KeptOutputs, grid: Grid
) -> dict[str, Any]:
    """Return what decides the numbers of a sweep.

    Parameters
    ----------
    base, design, parameters, keep, grid
        As those of a `SweepSpec`.

    Returns
    -------
    dict
        Plain values, as JSON has them, under the keys of a spec.
    """
    files: dict[str, str] = {}
    found = {"format": FORMAT, "arm": portable_arm(base.arm), **_case_content(base, files)}
    found["vary"] = _vary(design, files)
    found["keep"] = {
        "scalars": list(keep.scalars),
        "curves": list(keep.curves),
        "run": keep.run,
        "curve_points": grid.curve_points,
    }
    found["samples"] = grid.samples
    if grid.finite:
        found["derivatives"] = FINITE
    if files:
        found["files"] = files
    made_in_python = _made_in_python(base, design)
    if made_in_python:
        found[MADE_IN_PYTHON] = made_in_python
    return found


def is_complete(content: dict[str, Any]) -> bool:
    """Return whether a content makes its sweep again, or has something that no text makes.

    Parameters
    ----------
    content : dict
        Of `content_of`.

    Returns
    -------
    bool
        Whether all of it is plain.
    """
    return MADE_IN_PYTHON not in content


def _case_content(base: Case, files: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {"simulate": base.is_simulated, **dict(base.motion)}
    if base.path is not None:
        found["path"] = portable_path(base.path, files)
    if base.controller is not None:
        found["controller"] = repr(base.controller)
    if base.controller_model is not None:
        found["controller_model"] = portable_arm(base.controller_model)
    for name in ("duration", "set_point", "torque", "tip_force", "q0", "qd0", "seed"):
        value = getattr(base, name)
        if value is not None:
            found[name] = list(value) if isinstance(value, tuple) else value
    if base.start != EXACT:
        found["start"] = base.start
    for name in ("sensors", "actuators"):
        if getattr(base, name) is not None:
            found[name] = plain_part(getattr(base, name))
    if base.disturbances:
        found["disturbances"] = [plain_disturbance(one) for one in base.disturbances]
    return found | dict(base.simulation)


def _made_in_python(base: Case, design: Design) -> list[str]:
    """Return what of a sweep no text makes: paths, and controllers of one's own."""
    chosen = [one.value for axis in design.axes for one in _choices(axis)]
    things = [base.path, base.controller, *chosen]
    paths = ["path"] if any(isinstance(one, Path) for one in things) else []
    controllers = [one for one in things if isinstance(one, Controller)]
    return paths + (["controller"] if not all(map(_reads_back, controllers)) else [])


def _choices(axis: Axis | Distribution) -> list[Choice]:
    if isinstance(axis, Distribution) or isinstance(axis.values, np.ndarray):
        return []
    return [one for one in axis.values if isinstance(one, Choice)]


def _reads_back(controller: Any) -> bool:
    if isinstance(controller, LawController):
        return False  # another process does not know it by its name
    try:
        return bool(read_controller(repr(controller)) == controller)
    except InputError:
        return False


def _vary(design: Design, files: dict[str, str]) -> list[list[Any]]:
    """Return what is varied as pairs, whose order is that of the axes."""
    pairs: list[list[Any]] = [[axis.name, _values(axis, files)] for axis in design.axes]
    if design.kind != "grid":
        pairs += [["design", design.kind], ["count", design.count], ["seed", design.seed]]
    return pairs


def _values(axis: Axis | Distribution, files: dict[str, str]) -> Any:
    if isinstance(axis, Distribution):
        if axis.scale == "normal":
            return {"mean": axis.low, "std": axis.high}
        return {"from": axis.low, "to": axis.high, "scale": axis.scale}
    if axis.scale is not None:
        first, last = float(axis.values[0]), float(axis.values[-1])
        return {"from": first, "to": last, "count": len(axis), "scale": axis.scale}
    if isinstance(axis.values, np.ndarray):
        return axis.values.tolist()
    return [_chosen(axis.name, one, files) for one in axis.values]


def _chosen(name: str, one: Any, files: dict[str, str]) -> Any:
    if not isinstance(one, Choice):
        return one
    if name == "arm":
        return {**portable_arm(one.value), "label": one.label}
    return portable_path(one.value, files) if name == "path" else repr(one.value)

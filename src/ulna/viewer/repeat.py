"""The Python script that repeats a result from nothing, or why there is none.

A script carries the robot as the text of its file, and every number to the last digit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arm.robot_files import dumps
from ulna.control import read_controller
from ulna.errors import InputError
from ulna.motion.paths.path_text import read_path

if TYPE_CHECKING:
    from ulna.analysis import Portrait
    from ulna.arm import Arm
    from ulna.motion import Plan
    from ulna.simulation import Run

HEAD = '''"""Repeats a result of ulna."""

import tempfile
from pathlib import Path

import ulna
from ulna.control import read_controller
from ulna.motion.paths.path_text import read_path
from ulna.simulation.disturbances import Disturbance

with tempfile.TemporaryDirectory() as folder:
    robot = Path(folder) / "robot.toml"
    robot.write_text({robot}, encoding="utf-8")
    arm = ulna.load(robot)
'''
INPUTS = ("torque", "voltage", "current", "position", "tip_force")
OPTIONS = ("method", "dt", "rtol", "atol", "max_step", "stops", "restitution", "dynamics")
SAME = 1e-12  # of its size, by which a path that is read from its text may differ


class NotRepeatableError(Exception):
    """What of a result no script can hold."""


def run_script(run: Run, plan: Plan | None = None) -> str:
    """Return the script of a run; along a plan it makes that first."""
    made = "" if plan is None else plan_lines(plan)
    return f"{_head(run.arm)}{made}{_simulate(run, plan)}print(run)\n"


def following_script(plan: Plan, runs: Mapping[str, Run]) -> str:
    """Return the script of runs along a plan: `runs`, by their labels."""
    parts = [_head(plan.arm), plan_lines(plan), "runs = {}\n"]
    for label, run in runs.items():
        parts += [_simulate(run, plan), f"runs[{label!r}] = run\n"]
    return "".join([*parts, "print(runs)\n"])


def plan_script(plan: Plan) -> str:
    """Return the script of a plan."""
    return f"{_head(plan.arm)}{plan_lines(plan)}print(plan)\n"


def portrait_script(portrait: Portrait) -> str:
    """Return the script of a portrait."""
    given: dict[str, Any] = {
        "starts": portrait.starts,
        "angles": portrait.angles,
        "speeds": portrait.speeds,
        "duration": portrait.duration,
        "rate": portrait.rate,
    }
    texts = {name: repr(value) for name, value in given.items()}
    if portrait.controller is None:
        texts["torque"] = repr(portrait.flow.torque)
    else:
        texts["controller"] = _controller(repr(portrait.controller))
        texts["set_point"] = repr(portrait.set_point)
    return (
        f"{_head(portrait.arm)}portrait = ulna.portrait(arm{_keywords(texts)})\nprint(portrait)\n"
    )


def plan_lines(plan: Plan) -> str:
    """Return the lines that make a plan."""
    timing, text = plan.trajectory.timing, str(plan.path)
    if timing.knots or timing.law.__name__ == "<lambda>":
        raise NotRepeatableError("its timing is no timing by name")
    if plan.tip_force is not None:
        raise NotRepeatableError("a force acts on the tip of its plan")
    _check_path(plan, text)
    given = {"duration": repr(plan.duration), "timing": repr(timing.name)}
    if not plan.path.in_joints:
        if not np.isfinite(plan.q[0]).all():
            raise NotRepeatableError("its plan has no first posture")
        given["start"] = repr(plan.q[0].tolist())
    if plan.derivatives != "exact":
        raise NotRepeatableError("its plan is made with finite differences")
    return f"plan = ulna.plan(arm, read_path({text!r}){_keywords(given)})\n"


def _check_path(plan: Plan, text: str) -> None:
    """Raise unless the text makes the very same path again."""
    at = np.linspace(0.0, 1.0, 101)
    try:
        again = read_path(text)(at)
    except InputError:
        raise NotRepeatableError("its path cannot be written as text") from None
    if again.shape != plan.path(at).shape or np.abs(again - plan.path(at)).max() > SAME:
        raise NotRepeatableError("its path cannot be written as text without rounding")


def _head(arm: Arm) -> str:
    return HEAD.format(robot=repr(dumps(arm)))


def _keywords(given: Mapping[str, str]) -> str:
    return "".join(f",\n    {name}={text}" for name, text in given.items()) + ",\n"


def _controller(text: str) -> str:
    """Return what makes a controller again of its text."""
    try:
        again = read_controller(text)
    except InputError:
        raise NotRepeatableError(f"its controller is {text}") from None
    if repr(again) != text:
        raise NotRepeatableError(f"its controller is {text}")
    return f"read_controller({text!r})"


def _simulate(run: Run, plan: Plan | None) -> str:
    """Return the call of `simulate` that made a run."""
    settings = run.settings
    given = {name: repr(settings[name]) for name in ("q0", "qd0")}
    for name in INPUTS:
        given |= _input(name, settings.get(name))
    given |= {
        name: repr(settings[name])
        for name in OPTIONS
        if name in settings and (name != "max_step" or settings[name] is not None)
    }
    if settings.get("controller"):
        given["controller"] = _controller(settings["controller"])
        given["rate"] = repr(settings["rate"])
        given["sensors"] = f"ulna.Sensors(**{settings['sensors']!r})"
        if settings.get("actuators"):
            given["actuators"] = f"ulna.Actuators(**{settings['actuators']!r})"
    given |= _surroundings(settings)
    if "reference" in settings:
        given["reference"] = _reference(settings["reference"], plan)
    given["duration"] = repr(float(run.t[-1]))
    if not run.status.reason == "done":
        raise NotRepeatableError("it ended before its time")
    given["samples"] = repr(len(run.t))
    return f"run = ulna.simulate(arm{_keywords(given)})\n"


def _surroundings(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return what acts besides, what is looked for, and the damping of sequential dynamics."""
    given: dict[str, str] = {}
    if settings.get("disturbances"):
        made = ",\n        ".join(map(_disturbance, settings["disturbances"]))
        given["disturbances"] = f"[\n        {made},\n    ]"
    events = settings.get("events") or {}
    for name, what in events.items():
        if not isinstance(what, str):
            raise NotRepeatableError(f"its event {name} is the function {what['function']}")
    if events:
        given["events"] = repr(dict(events))
    if settings.get("sequential_damping"):
        given["sequential_damping"] = repr(settings["sequential_damping"])
    return given


def _disturbance(made: Mapping[str, Any]) -> str:
    plain = {name: tuple(one) if isinstance(one, list) else one for name, one in made.items()}
    stop = plain.pop("stop")  # None is never, which has no number
    until = 'float("inf")' if stop is None else repr(stop)
    return f"Disturbance(**{plain!r}, stop={until})"


def _input(name: str, source: Any) -> dict[str, str]:
    if source is None:
        return {}
    if not isinstance(source, Mapping):
        return {name: repr(source)}
    if "values" not in source:
        what = f"the function {source['function']}" if "function" in source else "a long table"
        raise NotRepeatableError(f"its {name.replace('_', ' ')} is {what}")
    table = repr((source["times"], source["values"]))
    return {name: table, "between": repr(source["between"])}


def _reference(given: Any, plan: Plan | None) -> str:
    if not isinstance(given, Mapping):
        return repr(given)
    if plan is None or given.get("path") != str(plan.path):
        raise NotRepeatableError("it follows a plan that is not known here: pass plan=")
    return "plan"

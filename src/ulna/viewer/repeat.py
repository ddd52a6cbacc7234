"""The Python script that repeats a result from nothing, or why there is none.

A script carries the robot as the text of its file, and every number to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arm.robot_files import dumps
from ulna.arrays import Array
from ulna.control import read_controller, with_model
from ulna.errors import InputError
from ulna.motion import Plan
from ulna.simulation.batch.batch_call import MOST_LETTERS, MOST_NUMBERS
from ulna.simulation.made_with import controller_and_model

if TYPE_CHECKING:
    from ulna.analysis import Portrait
    from ulna.analysis.portraits import Basins
    from ulna.arm import Arm
    from ulna.simulation import BatchRun, Run

HEAD = '''"""Repeats a result of ulna."""

from math import inf, nan

import ulna
from ulna.arm import Parameters
from ulna.control import read_controller, with_model
from ulna.scenario.disturbances import Disturbance

'''
INPUTS = ("torque", "voltage", "current", "position", "tip_force")
OPTIONS = ("method", "dt", "rtol", "atol", "max_step", "stops", "restitution", "dynamics")
# What a batch is asked, arm by arm, and for all of them.
LOOP = ("controller", "reference", "sensors", "actuators")
ARGUMENTS = ("q0", "qd0", *INPUTS, *LOOP, "disturbances", "seeds")
BATCH_OPTIONS = ("duration", "dt", "method", "between", "stops", "restitution", "precision")
SAME = 1e-12  # of a duration, by which even times may differ


class NotRepeatableError(Exception):
    """What of a result no script can hold."""


def run_script(run: Run) -> str:
    """Return the script of a run."""
    return f"{_head(run.arm)}{_simulate(run, run.arm, None)}print(run)\n"


def following_script(plan: Plan, runs: Mapping[str, Run]) -> str:
    """Return the script of runs along a plan: `runs`, by their labels."""
    parts = [_plan_lines(plan), "runs = {}\n"]
    for label, run in runs.items():
        parts += [_simulate(run, plan.arm, plan), f"runs[{label!r}] = run\n"]
    return "".join([*parts, "print(runs)\n"])


def plan_script(plan: Plan) -> str:
    """Return the script of a plan."""
    return f"{_plan_lines(plan)}print(plan)\n"


def portrait_script(portrait: Portrait, basins: Basins | None = None) -> str:
    """Return the script of a portrait, and of its basins."""
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
        model = getattr(portrait.controller, "model", None)
        believed = None if model is None else dumps(model)
        texts["controller"] = _controller(repr(portrait.controller), believed)
        texts["set_point"] = repr(portrait.set_point)
    made = f"portrait = ulna.portrait(arm{_keywords(texts)})\nprint(portrait)\n"
    if basins is not None:
        made += f"basins = portrait.basins({basins.label.shape[::-1]})\n"
    return f"{_head(portrait.arm)}{made}"


def batch_script(batch: BatchRun) -> str:
    """Return the script of a batch, or of some arms of one."""
    if batch.call is None:
        much = f"more than {MOST_NUMBERS:,} numbers"
        why = f"what its arms started with, or what acted on them, is {much}, or not in its file"
        raise NotRepeatableError(why)
    if any(one.reason == "not run" for one in batch.status.endings()):
        raise NotRepeatableError("it was interrupted")
    plain = batch.call.plain
    given = {name: _expression(plain["arguments"].get(name)) for name in ("arms", *ARGUMENTS)}
    arms = given.pop("arms")
    given = {name: text for name, text in given.items() if text != "None"} | _batch_options(batch)
    made = f"batch = ulna.simulate_batch(\n    {arms}{_keywords(given)})\n"
    some = "" if plain["members"] is None else f"batch = batch[{_expression(plain['members'])}]\n"
    script = f"{HEAD}{made}{some}print(batch)\n"
    if len(script) > MOST_LETTERS:
        much = f"{len(script):,} letters, more than {MOST_LETTERS:,}"
        raise NotRepeatableError(f"what its {len(batch):,} arms are and start with takes {much}")
    return script


def _batch_options(batch: BatchRun) -> dict[str, str]:
    """Return the options of a batch, and when its samples are."""
    settings, t = batch.settings, batch.t
    given = {name: repr(settings[name]) for name in BATCH_OPTIONS}
    if settings.get("controller") not in (None, "None"):
        given["rate"] = repr(settings["rate"])
    if batch.tau is not None:
        given["keep_torques"] = "True"
    if t.tolist() != [settings["duration"]]:
        even = len(t) > 1 and _are_even(t, len(t), settings["duration"])
        given["samples"] = repr(len(t) if even else t.tolist())
    return given


def _expression(value: Any) -> str:
    """Return what makes an argument of a batch again."""
    if value is None or isinstance(value, str | bool | int | float):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_expression, value))}]"
    if isinstance(value, Plan):
        return _plan_call(value, None)
    if isinstance(value, Mapping):
        for kind, made in EXPRESSIONS.items():
            if kind in value:
                return made(value)
    name = getattr(value, "__name__", type(value).__name__)
    raise NotRepeatableError(f"among what acted on its arms is {name}, which no text holds")


EXPRESSIONS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "tuple": lambda given: f"tuple({_expression(list(given['tuple']))})",
    "robot": lambda given: f"ulna.Arm.from_toml({given['robot']!r})",
    "parameters": lambda given: f"Parameters(**{dict(given['parameters'])!r})",
    "sensors": lambda given: f"ulna.Sensors(**{dict(given['sensors'])!r})",
    "actuators": lambda given: f"ulna.Actuators(**{dict(given['actuators'])!r})",
    "disturbance": lambda given: _disturbance(given["disturbance"]),
    "controller": lambda given: _controller(given["controller"], given["model"]),
}


def _plan_lines(plan: Plan) -> str:
    return f"{_head(plan.arm)}plan = {_plan_call(plan, plan.arm)}\n"


def _plan_call(plan: Plan, arm: Arm | None) -> str:
    try:
        given = plan.request.arguments()
    except InputError as error:
        raise NotRepeatableError(f"its plan cannot be written: {error}") from None
    given.pop("arm")
    return f"ulna.plan({_named(plan.arm, arm)}, {given.pop('path')}{_keywords(given)})"


def _head(arm: Arm) -> str:
    return f"{HEAD}arm = ulna.Arm.from_toml({dumps(arm)!r})\n"


def _named(arm: Arm, known: Arm | None) -> str:
    """Return what an arm is called in a script, or what makes it where it is another."""
    same = known is not None and dumps(arm) == dumps(known)
    return "arm" if same else f"ulna.Arm.from_toml({dumps(arm)!r})"


def _keywords(given: Mapping[str, str]) -> str:
    return "".join(f",\n    {name}={text}" for name, text in given.items()) + ",\n"


def _controller(text: str, model: str | None = None) -> str:
    """Return what makes a controller again of its text, with the robot that it believes in."""
    bare, believed = controller_and_model({"controller": text, "controller_model": model})
    try:
        again = read_controller(bare)
        again = again if believed is None else with_model(again, believed)
    except InputError:
        raise NotRepeatableError(f"its controller is {text}") from None
    if repr(again) != text:
        raise NotRepeatableError(f"its controller is {text}")
    made = f"read_controller({bare!r})"
    return made if model is None else f"with_model({made}, ulna.Arm.from_toml({model!r}))"


def _simulate(run: Run, arm: Arm, plan: Plan | None) -> str:
    """Return the call of `simulate` that made a run, in a script whose `arm` is this one."""
    settings = run.settings
    if "q0" not in settings:
        raise NotRepeatableError("a report of the batch that it is a member of holds one")
    given = {name: repr(settings[name]) for name in ("q0", "qd0")}
    followed = "position" in settings and "reference" in settings
    for name in INPUTS:
        given |= {} if followed and name == "position" else _input(name, settings.get(name))
    if followed:
        given["rate"] = repr(settings["rate"])
    given |= {
        name: repr(settings[name])
        for name in OPTIONS
        if name in settings and (name != "max_step" or settings[name] is not None)
    }
    if settings.get("controller"):
        given["controller"] = _controller(settings["controller"], settings.get("controller_model"))
        given["rate"] = repr(settings["rate"])
        given["sensors"] = f"ulna.Sensors(**{settings['sensors']!r})"
        if settings.get("actuators"):
            given["actuators"] = f"ulna.Actuators(**{settings['actuators']!r})"
    given |= _surroundings(settings)
    if "reference" in settings:
        given["reference"] = _reference(settings["reference"], plan)
    given |= _times(run)
    return f"run = ulna.simulate({_named(run.arm, arm)}{_keywords(given)})\n"


def _times(run: Run) -> dict[str, str]:
    """Return the duration that was asked for, however the run ended, and the samples."""
    if run.status.reason == "interrupted":
        raise NotRepeatableError("it was interrupted")
    count, duration = run.settings.get("samples"), run.settings.get("duration")
    if count is None or duration is None:
        raise NotRepeatableError("its file does not say how long it was to be")
    ended = run.status.reason != "done"
    due = run.t[:-1] if ended else run.t  # the last state of one that ended early is kept as well
    samples: Any = count
    if not _are_even(due, count, duration):
        samples = [*due.tolist(), duration] if ended else due.tolist()
    return {"duration": repr(duration), "samples": repr(samples)}


def _are_even(t: Array, count: int, duration: float) -> bool:
    """Return whether these are the first of so many even times, the duration the last of them."""
    even = np.linspace(0.0 if count > 1 else duration, duration, count)[: len(t)]
    return np.allclose(t, even, rtol=0.0, atol=SAME * duration)


def _surroundings(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return what acts besides, what is looked for, and the damping of sequential dynamics."""
    given: dict[str, str] = {}
    if settings.get("disturbances"):
        made = ",\n        ".join(map(_disturbance, settings["disturbances"]))
        given["disturbances"] = f"[\n        {made},\n    ]"
    events = dict(settings.get("events") or {})
    for name, what in events.items():
        _formula(name, what)
    if settings.get("until") is not None:
        given["until"] = _formula("until", settings["until"])
    if events:
        given["events"] = repr(events)
    if settings.get("sequential_damping"):
        given["sequential_damping"] = repr(settings["sequential_damping"])
    return given


def _formula(name: str, what: Any) -> str:
    if not isinstance(what, str):
        raise NotRepeatableError(f"its event {name} is the function {what['function']}")
    return repr(what)


def _disturbance(made: Mapping[str, Any]) -> str:
    plain = {name: tuple(one) if isinstance(one, list) else one for name, one in made.items()}
    stop = plain.pop("stop")  # None is never, which has no number
    return f"Disturbance(**{plain!r}, stop={'inf' if stop is None else repr(stop)})"


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

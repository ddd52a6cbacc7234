"""The Python script that repeats a result from nothing, or why there is none.

A script carries the robot as the text of its file, and every number to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arm.plain_arms import plain_arm
from ulna.arm.robot_files import dumps
from ulna.arrays import Array
from ulna.control import read_controller
from ulna.errors import InputError
from ulna.motion import Plan
from ulna.scenario.codec import NotWritableError, express_controller, to_python
from ulna.scenario.plain_parts import disturbance_expression, part_expression
from ulna.simulation.batch.batch_call import MOST_LETTERS, MOST_NUMBERS

if TYPE_CHECKING:
    from ulna.analysis import Portrait
    from ulna.analysis.portraits import Basins
    from ulna.arm import Arm
    from ulna.simulation import BatchRun, Run

HEAD = '''"""Repeats a result of ulna."""

import ulna

'''
BATCH_HEAD = '''"""Repeats a result of ulna."""

from math import inf, nan

import ulna
from ulna.arm import Parameters
from ulna.control import read_controller, with_model

'''
INPUTS = ("torque", "voltage", "current", "position", "tip_force")
# What a batch is asked, arm by arm, and for all of them.
LOOP = ("controller", "reference", "sensors", "actuators")
ARGUMENTS = ("q0", "qd0", *INPUTS, *LOOP, "disturbances", "seeds")
BATCH_OPTIONS = ("duration", "dt", "method", "between", "stops", "restitution", "precision")
SAME = 1e-12  # of a duration, by which even times may differ


class NotRepeatableError(Exception):
    """What of a result no script can hold."""


def run_script(run: Run) -> str:
    """Return the script of a run."""
    return f"{HEAD}{_arm(run.arm)}{_simulate(run, {})}print(run)\n"


def following_script(plan: Plan, runs: Mapping[str, Run]) -> str:
    """Return the script of runs along a plan: `runs`, by their labels."""
    parts = [HEAD, _plan_lines(plan), "runs = {}\n"]
    for label, run in runs.items():
        known = {"reference": "plan"} if run.scenario.motion is plan.trajectory else {}
        if run.arm != plan.arm:
            known["arm"] = _made_arm(run.arm)
        parts += [_simulate(run, known), f"runs[{label!r}] = run\n"]
    return "".join([*parts, "print(runs)\n"])


def plan_script(plan: Plan) -> str:
    """Return the script of a plan."""
    return f"{HEAD}{_plan_lines(plan)}print(plan)\n"


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
        try:
            texts["controller"] = express_controller(portrait.controller)
        except NotWritableError as error:
            raise NotRepeatableError(f"its controller is {error}") from None
        texts["set_point"] = repr(portrait.set_point)
    made = f"portrait = ulna.portrait(arm{_keywords(texts)})\nprint(portrait)\n"
    if basins is not None:
        made += f"basins = portrait.basins({basins.label.shape[::-1]})\n"
    return f"{HEAD}{_arm(portrait.arm)}{made}"


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
    script = f"{BATCH_HEAD}{made}{some}print(batch)\n"
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
    "sensors": lambda given: part_expression("Sensors", given["sensors"]),
    "actuators": lambda given: part_expression("Actuators", given["actuators"]),
    "disturbance": lambda given: disturbance_expression(given["disturbance"]),
    "controller": lambda given: _controller(given["controller"], given["model"]),
}


def _plan_lines(plan: Plan) -> str:
    return f"{_arm(plan.arm)}plan = {_plan_call(plan, plan.arm)}\n"


def _plan_call(plan: Plan, arm: Arm | None) -> str:
    try:
        given = plan.request.arguments()
    except InputError as error:
        raise NotRepeatableError(f"its plan cannot be written: {error}") from None
    given.pop("arm")
    return f"ulna.plan({_named(plan.arm, arm)}, {given.pop('path')}{_keywords(given)})"


def _arm(arm: Arm) -> str:
    """Return the lines that make an arm."""
    return f"arm = {_made_arm(arm)}\n"


def _made_arm(arm: Arm) -> str:
    plain = plain_arm(arm)
    if isinstance(plain, str):
        return f"ulna.preset({plain!r})"
    text = arm.to_toml()
    bare = '"""' not in text and "\\" not in text
    return f'ulna.Arm.from_toml("""\n{text}""")' if bare else f"ulna.Arm.from_toml({text!r})"


def _named(arm: Arm, known: Arm | None) -> str:
    """Return what an arm is called in a script, or what makes it where it is another."""
    same = known is not None and dumps(arm) == dumps(known)
    return "arm" if same else f"ulna.Arm.from_toml({dumps(arm)!r})"


def _keywords(given: Mapping[str, str]) -> str:
    return "".join(f",\n    {name}={text}" for name, text in given.items()) + ",\n"


def _controller(text: str, model: str | None = None) -> str:
    """Return what makes a controller again of its text, with the robot that it believes in."""
    try:
        again = read_controller(text)
    except InputError:
        again = None
    if repr(again) != text:
        raise NotRepeatableError(f"its controller is {text}")
    made = f"read_controller({text!r})"
    return made if model is None else f"with_model({made}, ulna.Arm.from_toml({model!r}))"


def _simulate(run: Run, known: Mapping[str, str]) -> str:
    """Return the lines that simulate a run again; names in a script stand for what is `known`."""
    if run.status.reason == "interrupted":
        raise NotRepeatableError("it was interrupted")
    try:
        given = to_python(run.scenario, {"arm": "arm", **known})
    except NotWritableError as error:
        raise NotRepeatableError(str(error)) from None
    fields = "".join(f"    {name}={text},\n" for name, text in given.items())
    return f"scenario = ulna.Scenario(\n{fields})\nrun = ulna.simulate(scenario)\n"


def _are_even(t: Array, count: int, duration: float) -> bool:
    """Return whether these are the first of so many even times, the duration the last of them."""
    even = np.linspace(0.0 if count > 1 else duration, duration, count)[: len(t)]
    return np.allclose(t, even, rtol=0.0, atol=SAME * duration)

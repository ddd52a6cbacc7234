"""A controller at the command line: its reference, its sensors, its control rate."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from ulna.arm import Arm
from ulna.cli.angle_option import Angles
from ulna.cli.arguments import find_arm, read_quantity
from ulna.cli.planning import PlanRequest, make_task
from ulna.cli.running import spoken
from ulna.cli.terminal import note
from ulna.columns import read_cells
from ulna.control import Controller, OpenLoop, read_controller, with_model
from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.expressions import FUNCTIONS
from ulna.motion import SHAPES, Path, Plan, paths, plan, read_path
from ulna.simulation import Sensors
from ulna.simulation.disturbances import Disturbance, sizes
from ulna.simulation.reading import read_disturbance, read_sensors

DEFAULT_RATE = 1000.0  # [Hz]
LARGEST = 1_000_000_000  # [bytes] of a plan file
CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\(")
WORD = re.compile(r"\s*[A-Za-z_]\w*\s*")
REFERENCES = (
    'a posture such as "30 deg, -20 deg", a plan file such as plan/plan.csv, '
    "or a path such as \"circle(center=(0.5, 0.1), radius='5 cm')\""
)

CONTROLLER: Any = typer.Option(
    "--controller",
    metavar="CONTROLLER",
    help='Such as "PID(kp=400, kd=40)", gains in N*m/rad and N*m*s/rad; '
    "see `ulna list controllers`.",
)
RATE: Any = typer.Option("--rate", metavar="FREQUENCY", help='The control rate: "1000 Hz".')
ReferenceOption = Annotated[
    str | None,
    typer.Option(
        "--reference",
        metavar="REFERENCE",
        help='What the controller follows: a posture "30 deg, -20 deg"; a plan.csv of `ulna plan`; '
        "or a path as `ulna plan` takes it, timed as there.",
        show_default=False,
    ),
]
SensorsOption = Annotated[
    str | None,
    typer.Option(
        "--sensors",
        metavar="SENSORS",
        help="What the controller measures with: \"Sensors(angle_noise='0.1 deg', delay='2 ms')\"; "
        "see `ulna list sensors`.",
        show_default=False,
    ),
]
DisturbOption = Annotated[
    list[str] | None,
    typer.Option(
        "--disturbance",
        metavar="DISTURBANCE",
        help="What acts besides, in N*m or on the tip in N: \"step(torque=('1 N*m', 0), at='1 s')\""
        "; can be repeated; see `ulna list disturbances`.",
        show_default=False,
    ),
]


def read_controllers(text: str, model: str | None) -> tuple[Controller, Controller]:
    """Return the controller that is asked for, and open loop; both believe in the model."""
    chosen = read_controller(text, "--controller")
    if model is None:
        return chosen, OpenLoop()
    believed = find_arm(model, "--controller-model")
    try:
        return with_model(chosen, believed), OpenLoop(believed)
    except InputError as error:
        raise InputError([_of_option(problem) for problem in error.problems]) from None


def read_rate(text: str) -> float:
    """Read the control rate [Hz]."""
    rate = read_quantity(text, "frequency", "--rate")
    if not rate > 0.0:
        raise InputError(Problem("--rate", shown(text), "a frequency above 0, such as '1000 Hz'"))
    return rate


def check_controllers(arm: Arm, *controllers: Controller) -> None:
    """Raise if gains or models do not fit the arm, before any work is done."""
    for controller in controllers:
        try:
            controller.start(arm)
        except InputError as error:
            raise InputError([_of_option(problem) for problem in error.problems]) from None


def _of_option(problem: Problem) -> Problem:
    if problem.what.endswith(".model"):
        return replace(problem, what="--controller-model")
    within = "" if problem.what == "controller" else f": {problem.what}"
    return replace(problem, what=f"--controller{within}")


class ControlOptions(NamedTuple):
    """The options of a controller, as they were typed."""

    controller: str | None
    reference: str | None
    sensors: str | None
    rate: str | None
    disturb: Sequence[str]

    def check(self) -> None:
        """Raise if there are options of a controller without one, or one without a reference."""
        if self.controller is None:
            given = {"reference": self.reference, "sensors": self.sensors, "rate": self.rate}
            hint = 'add one, such as --controller "ComputedTorque()"'
            problems = [
                Problem(f"--{name}", f"{shown(text)} and no --controller", "a controller", hint)
                for name, text in given.items()
                if text is not None
            ]
            if problems:
                raise InputError(problems)
        elif self.reference is None:
            got = f"{shown(self.controller)} and no --reference"
            need = f"what it is to follow: {REFERENCES}"
            hint = "to hold the arm where it starts, repeat what --q0 says"
            raise InputError(Problem("--controller", got, need, hint))

    def read(self, arm: Arm, name: str, angles: Angles) -> dict[str, Any]:
        """Return the options of `ulna.simulate` that these words stand for."""
        self.check()
        options: dict[str, Any] = {}
        if self.disturb:
            options["disturbances"] = read_disturbances(self.disturb, arm)
        if self.controller is None or self.reference is None:
            return options
        options["controller"] = read_controller(self.controller, "--controller")
        check_controllers(arm, options["controller"])
        options["rate"] = DEFAULT_RATE if self.rate is None else read_rate(self.rate)
        if self.sensors is not None:
            options["sensors"] = _fitting_sensors(self.sensors, arm, options["rate"])
        options["reference"] = read_reference(self.reference, arm, name, angles)
        return options


def read_disturbances(texts: Sequence[str], arm: Arm) -> list[Disturbance]:
    """Read what acts on an arm, each from a text of its own."""
    made = [read_disturbance(text, "--disturbance") for text in texts]
    for text, one in zip(texts, made, strict=True):
        with_option("--disturbance", lambda one=one: sizes([one], arm.n), text)  # type: ignore[misc]
    return made


def _fitting_sensors(text: str, arm: Arm, rate: float) -> Sensors:
    """Read sensors, and check that they fit the arm and its control rate."""
    made = read_sensors(text, "--sensors")
    with_option("--sensors", lambda: (made.layout(arm.n), made.ticks_late(1.0 / rate)), text)
    return made


def with_option(option: str, work: Callable[[], Any], text: str) -> None:
    """Do what may find a value wrong, and name the option that it came from."""
    try:
        work()
    except InputError as error:
        raise InputError(
            [
                replace(
                    problem,
                    what=f"{option} {text}: {problem.what.rpartition('.')[2]}",
                    hint=spoken(problem.hint),
                )
                for problem in error.problems
            ]
        ) from None


def read_reference(text: str, arm: Arm, name: str, angles: Angles) -> list[float] | Plan:
    """Read what a controller is to follow: a posture to hold, a plan file, or a path to plan."""
    plain = text.strip()
    called = CALL.match(plain)
    if plain.lower().endswith(".csv"):
        return _plan_file(plain, arm) or _planned(plain, arm, name, angles)
    is_file = plain.lower().endswith((".svg", ".toml", ".nc", ".json", ".parquet"))
    if is_file or plain in SHAPES or (called and called[1] not in FUNCTIONS):
        return _planned(plain, arm, name, angles)
    if not plain or (WORD.fullmatch(plain) and plain not in ("pi", "e")):
        hint = did_you_mean(plain, SHAPES)
        raise InputError(Problem("--reference", shown(text), REFERENCES, hint))
    return angles.read(plain, arm, "--reference")


def _planned(text: str, arm: Arm, name: str, angles: Angles) -> Plan:
    path = read_path(text, "--reference", absolute=angles.absolute)
    made = make_task(PlanRequest(name, arm, path), names={"path": "reference"}).plan
    made.raise_if_infeasible()
    if not made.ok:
        told = next(found.text for found in made.problems if found.exceeds)
        note(f"the reference asks for more than the arm can do: {told}")
    return made


def _plan_file(file: str, arm: Arm) -> Plan | None:
    """Read the joint angles of a plan or a run; None of a file that holds none."""
    cells = read_cells(file, LARGEST, "the columns t, q1, q2, ... of a plan, or x, y of a path")
    names = [name.partition("[")[0].strip().lower() for name in cells.names]
    if not {"t", "q1"} <= set(names):
        return None
    wanted = ["t", *(f"q{joint}" for joint in range(1, arm.n + 1))]
    joints = sum(bool(re.fullmatch(r"q\d+", name)) for name in names)
    if joints != arm.n or not set(wanted) <= set(names):
        got = f"angles of {joints} joint{'s' * (joints != 1)}"
        need, hint = f"{arm.n}, as many as the arm has", "plan it for this arm"
        raise InputError(Problem("--reference", got, need, hint, file))
    rows = np.array(cells.numbers([names.index(name) for name in wanted], wanted))
    cells.check_times(rows[:, 0].tolist())
    if len(rows) < 2:
        raise InputError(Problem("--reference", "one row", "at least two", place=file))
    path: Path = replace(paths.joints(rows[:, 1:], times=rows[:, 0]), text=file)
    made: Any = plan(arm, path)
    return made  # type: ignore[no-any-return]

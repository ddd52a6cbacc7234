"""`ulna plan`: inverse kinematics and inverse dynamics along a path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer

from ulna.cli.angle_option import AngleOption, Angles, read_convention
from ulna.cli.arguments import JsonOption, NoGravityOption, OverwriteOption, PayloadOption
from ulna.cli.folder import folder_outputs, write_folder
from ulna.cli.outputs import Output
from ulna.cli.plan_files import SHOWN_ANYWAY, files_of_before, plan_writers
from ulna.cli.planning import (
    PLAN_COLUMNS,
    DurationOption,
    ElbowOption,
    MaxAccelerationOption,
    MaxSpeedOption,
    PathArgument,
    PlanArmArgument,
    PlanningTask,
    TimingOption,
    limits_lines,
    make_task,
    plan_facts,
    plan_heading,
    plan_rows,
    posture_facts,
    posture_line,
    reach_line,
    read_request,
)
from ulna.cli.running import UnfinishedError, raise_if_unwritten
from ulna.cli.terminal import say, say_about, show_json, show_table
from ulna.errors import InfeasibleError


def plan(
    arm: PlanArmArgument = None,
    path: PathArgument = None,
    duration: DurationOption = None,
    timing: TimingOption = None,
    max_speed: MaxSpeedOption = None,
    max_acceleration: MaxAccelerationOption = None,
    elbow: ElbowOption = None,
    angles: AngleOption = "relative",
    derivatives: Annotated[
        str | None,
        typer.Option(
            "--derivatives",
            metavar="NAME",
            help="exact, or finite: differences of sampled angles.",
            show_default=False,
        ),
    ] = None,
    payload: PayloadOption = None,
    no_gravity: NoGravityOption = False,
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="The folder that the files go into.")
    ] = "plan",
    json: JsonOption = False,
    overwrite: OverwriteOption = False,
) -> None:
    """Compute torques along a path (inverse dynamics), and check that the arm can do it."""
    outputs = folder_outputs(out, plan_writers(), overwrite=overwrite)
    convention = read_convention(angles)
    asked = read_request(arm, path, payload, no_gravity=no_gravity, angles=convention)
    task = make_task(
        asked,
        duration=duration,
        timing=timing,
        max_speed=max_speed,
        max_acceleration=max_acceleration,
        elbow=elbow,
        derivatives=derivatives,
    )
    finish_plan(task, outputs, out, convention, json=json, overwrite=overwrite)


def finish_plan(
    task: PlanningTask,
    outputs: Sequence[Output],
    folder: str,
    angles: Angles,
    *,
    json: bool,
    overwrite: bool,
    facts: Callable[[PlanningTask], Mapping[str, Any]] = plan_facts,
) -> None:
    """Write and show a plan; end with the exit code of what is infeasible, if that is so."""
    if not task.plan.feasible:
        outputs = [output for output in outputs if output.file.endswith(SHOWN_ANYWAY)]
    written = write_folder(task, outputs, folder, old=files_of_before, overwrite=overwrite)
    if json:
        told = {**facts(task), **posture_facts(task.plan, angles)}
        show_json({**told, "files": written.files})
    else:
        show_plan(task, angles)
        say_about("files", [", ".join(written.files)])
    raise_if_unwritten(written)
    refuse_infeasible(task)


def show_plan(task: PlanningTask, angles: Angles) -> None:
    """Print what the plan asks of the arm."""
    made = task.plan
    title = plan_heading(task, angles)
    if not made.feasible:
        say(title)
        return
    show_table(title, PLAN_COLUMNS, plan_rows(made))
    say_about("reachable", [reach_line(made)])
    say_about("postures", [posture_line(made, angles)])
    say_about("limits", limits_lines(made))


def refuse_infeasible(task: PlanningTask) -> None:
    """End with the exit code of what cannot be done, if that is so."""
    task.plan.raise_if_infeasible()
    if not task.plan.ok:
        told = [found.text for found in task.plan.problems if found.exceeds]
        more = f"; and {len(told) - 3} more" * (len(told) > 3)
        message = f"the arm cannot do it: {'; '.join(told[:3])}{more}"
        raise UnfinishedError([message], InfeasibleError.exit_code)

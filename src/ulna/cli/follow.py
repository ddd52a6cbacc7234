"""`ulna follow`: which torques make the tip follow a path, and does the arm really do it?"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from ulna.analysis import verdict
from ulna.cli.angle_option import AngleOption, Angles, read_convention
from ulna.cli.arguments import (
    FilmSpeedOption,
    JsonOption,
    NoGravityOption,
    OverwriteOption,
    PayloadOption,
)
from ulna.cli.controlling import (
    CONTROLLER,
    RATE,
    check_controllers,
    read_controllers,
    read_rate,
)
from ulna.cli.folder import folder_outputs, write_folder
from ulna.cli.follow_checks import check_start, check_work, read_tolerance
from ulna.cli.follow_report import (
    FollowResult,
    follow_facts,
    raise_if_not_followed,
    refused_facts,
    show_followed,
)
from ulna.cli.outputs import Output, check_film
from ulna.cli.plan import finish_plan, refuse_infeasible
from ulna.cli.plan_files import PLANNED, files_of_before, follow_writers
from ulna.cli.planning import (
    DurationOption,
    ElbowOption,
    MaxAccelerationOption,
    MaxSpeedOption,
    PathArgument,
    PlanArmArgument,
    PlanningTask,
    TimingOption,
    make_task,
    posture_facts,
    read_request,
)
from ulna.cli.running import (
    INTERRUPTED,
    UnfinishedError,
    raise_if_failed,
    raise_if_unwritten,
    renamed,
)
from ulna.cli.terminal import note, number, say, say_about, show_json
from ulna.control import Controller
from ulna.errors import InputError, UlnaWarning
from ulna.simulation import Run, simulate

DEFAULT_CONTROLLER = "ComputedTorque()"


def follow(
    arm: PlanArmArgument = None,
    path: PathArgument = None,
    controller: Annotated[str, CONTROLLER] = DEFAULT_CONTROLLER,
    duration: DurationOption = None,
    timing: TimingOption = None,
    max_speed: MaxSpeedOption = None,
    max_acceleration: MaxAccelerationOption = None,
    rate: Annotated[str, RATE] = "1000 Hz",
    payload: PayloadOption = None,
    no_gravity: NoGravityOption = False,
    elbow: ElbowOption = None,
    angles: AngleOption = "relative",
    start: Annotated[
        str,
        typer.Option(
            "--start", metavar="NAME", help="exact: moving with the path; rest: still at its start."
        ),
    ] = "exact",
    controller_model: Annotated[
        str | None,
        typer.Option(
            "--controller-model",
            metavar="ARM",
            help="The arm that the controller believes in, if it is another.",
            show_default=False,
        ),
    ] = None,
    tolerance: Annotated[
        str | None,
        typer.Option(
            "--tolerance",
            metavar="LENGTH",
            help="How far off the tip may be, such as 5 mm: 1 % of the reach or 2 % of the path's "
            "extent, whichever is less, unless given.",
            show_default=False,
        ),
    ] = None,
    film: Annotated[bool, typer.Option("--film", help="Film it, into follow.mp4.")] = False,
    film_speed: FilmSpeedOption = 1.0,
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="The folder that the files go into.")
    ] = "follow",
    json: JsonOption = False,
    overwrite: OverwriteOption = False,
) -> None:
    """Plan a path, simulate the arm along it, and say whether it follows, open loop and closed.

    Ends with 3 where the closed loop does not follow, with 5 where the plan is infeasible.
    """
    outputs = folder_outputs(out, follow_writers(film_speed if film else None), overwrite=overwrite)
    chosen, open_loop = read_controllers(controller, controller_model)
    ticks = read_rate(rate)
    allowed = read_tolerance(tolerance)
    check_start(start)
    convention = read_convention(angles)
    asked = read_request(arm, path, payload, no_gravity=no_gravity, angles=convention)
    check_controllers(asked.arm, chosen, open_loop)
    task = make_task(
        asked,
        duration=duration,
        timing=timing,
        max_speed=max_speed,
        max_acceleration=max_acceleration,
        elbow=elbow,
    )
    if film:
        check_film(film_speed, task.plan.duration)
    elif film_speed != 1.0:
        note("--film-speed says nothing without --film")
    check_work(task.plan.duration, ticks)
    if not task.plan.feasible:
        _refuse(task, outputs, out, convention, json=json, overwrite=overwrite)
    note(f"simulating {number(task.plan.duration)} s open loop, then with {controller}")
    runs = _simulate(task, {"open loop": open_loop, "closed loop": chosen}, ticks, start)
    if "closed loop" not in runs:
        _keep_plan(task, outputs, out)
    done = FollowResult(task, chosen, controller, ticks, runs, allowed)
    note(f"judging both, and writing into {out}")
    whole = done.closed.status.reason != "interrupted"
    written = write_folder(
        done, outputs, out, old=files_of_before, overwrite=overwrite, whole=whole
    )
    if written.stopped:
        say_about("files", [", ".join(written.files)])
    elif json:
        told = {**follow_facts(done), **posture_facts(task.plan, convention)}
        show_json({**told, "files": written.files})
    else:
        show_followed(done, convention)
        say_about("files", [", ".join(written.files)])
    if done.closed.status.reason == "interrupted":
        raise_if_failed(done.closed.status, written)
    raise_if_unwritten(written)
    refuse_infeasible(task)
    raise_if_not_followed(done, written)


def _refuse(
    task: PlanningTask,
    outputs: Sequence[Output],
    folder: str,
    angles: Angles,
    *,
    json: bool,
    overwrite: bool,
) -> None:
    """Write and show a plan without a motion, the verdict first, and end as infeasible."""
    if not json:
        say(verdict(None, task.plan).text)
    finish_plan(task, outputs, folder, angles, json=json, overwrite=overwrite, facts=refused_facts)


def _keep_plan(task: PlanningTask, outputs: Sequence[Output], folder: str) -> None:
    """Write what there is when nothing has been followed yet, and end as interrupted."""
    kept = [output for output in outputs if output.file.endswith(PLANNED)]
    written = write_folder(task, kept, folder, old=files_of_before, overwrite=False, whole=False)
    raise UnfinishedError([f"stopped; the plan is in {', '.join(written.files)}"], INTERRUPTED)


def _simulate(
    task: PlanningTask, controllers: Mapping[str, Controller], rate: float, start: str
) -> dict[str, Run]:
    """Simulate the arm along the plan under one controller after the other, until Ctrl-C."""
    options: dict[str, Any] = {"reference": task.plan, "rate": rate}
    options["dt"] = min(1e-3, 1.0 / rate)
    if start == "rest":
        options["q0"] = task.plan.trajectory(0.0).q
    runs = {}
    for label, controller in controllers.items():
        try:
            with warnings.catch_warnings():
                if label == "open loop":
                    # Off its path it whirls, too fast for its steps; what is told is when it left.
                    warnings.simplefilter("ignore", UlnaWarning)
                runs[label] = simulate(
                    task.arm, controller=controller, **options, on_interrupt="return"
                )
        except InputError as error:
            raise InputError([renamed(problem) for problem in error.problems]) from None
        if runs[label].status.reason == "interrupted":
            break
    return runs

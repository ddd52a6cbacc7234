"""`ulna follow`: which torques make the tip follow a path, and does the arm really do it?"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer

from ulna.cli.arguments import (
    FilmSpeedOption,
    FlatOption,
    ForceOption,
    JsonOption,
    PayloadOption,
    find_arm,
    read_quantity,
)
from ulna.cli.folder import Writer, figure_writer, folder_outputs, json_writer, make_folder
from ulna.cli.follow_report import Followed, follow_facts, show_followed
from ulna.cli.outputs import FPS, Output, check_film, write_outputs
from ulna.cli.plan import SHOWN_ANYWAY, refuse_infeasible, show_plan
from ulna.cli.planning import (
    DurationOption,
    ElbowOption,
    MaxAccelerationOption,
    MaxSpeedOption,
    PathArgument,
    PlanArmArgument,
    Task,
    TimingOption,
    make_task,
    plan_facts,
)
from ulna.cli.running import insist, insist_written, loading, renamed
from ulna.cli.terminal import note, number, say_about, show_json
from ulna.control import Controller, OpenLoop, read_controller, with_model
from ulna.errors import InputError
from ulna.simulation import Run, simulate

DEFAULT_CONTROLLER = "ComputedTorque(frequency=20)"


class Start(StrEnum):
    """How the arm starts: moving with the path, or standing still at its first point."""

    EXACT = "exact"
    REST = "rest"


def follow(
    arm: PlanArmArgument = None,
    path: PathArgument = None,
    controller: Annotated[
        str,
        typer.Option(
            "--controller",
            metavar="CONTROLLER",
            help='Such as "PID(stiffness=400, damping=40)"; see `ulna list controllers`.',
        ),
    ] = DEFAULT_CONTROLLER,
    duration: DurationOption = None,
    timing: TimingOption = None,
    max_speed: MaxSpeedOption = None,
    max_acceleration: MaxAccelerationOption = None,
    rate: Annotated[
        str, typer.Option("--rate", metavar="FREQUENCY", help="How often the controller speaks.")
    ] = "1000 Hz",
    payload: PayloadOption = None,
    flat: FlatOption = False,
    elbow: ElbowOption = None,
    start: Annotated[
        Start, typer.Option("--start", help="Moving with the path, or at rest at its start.")
    ] = Start.EXACT,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="ARM",
            help="The arm that the controller believes in, if it is another.",
            show_default=False,
        ),
    ] = None,
    film: Annotated[bool, typer.Option("--film", help="Film it, into follow.mp4.")] = False,
    film_speed: FilmSpeedOption = 1.0,
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="The folder that the files go into.")
    ] = "follow",
    json: JsonOption = False,
    force: ForceOption = False,
) -> None:
    """Plan a path, let the arm follow it, and say how well it does, open loop and closed."""
    outputs = folder_outputs(out, _writers(film_speed if film else None), force=force)
    chosen = read_controller(controller, "--controller")
    open_loop: Controller = OpenLoop()
    if model is not None:
        believed = find_arm(model, "--model")
        chosen, open_loop = with_model(chosen, believed), with_model(OpenLoop(), believed)
    ticks = read_quantity(rate, "frequency", "--rate")
    task = make_task(
        arm,
        path,
        payload,
        flat=flat,
        duration=duration,
        timing=timing,
        max_speed=max_speed,
        max_acceleration=max_acceleration,
        elbow=elbow,
    )
    if film:
        check_film(film_speed, task.plan.duration)
    make_folder(out)
    if not task.plan.feasible:
        _show_infeasible(task, outputs, json=json)
    note(f"simulating {number(task.plan.duration)} s open loop, then with {controller}")
    runs = _simulate(task, {"open loop": open_loop, "closed loop": chosen}, ticks, start)
    note("judging both")
    done = Followed(task, chosen, controller, ticks, runs)
    note(f"writing into {out}")
    written = write_outputs(done, outputs)
    if json:
        show_json({**follow_facts(done), "files": written.files})
    else:
        show_followed(done)
        say_about("files", [", ".join(written.files)])
    insist(done.closed.status, written, outputs)
    refuse_infeasible(task)


def _show_infeasible(task: Task, outputs: list[Output], *, json: bool) -> None:
    """Draw where the path cannot be followed, and end so."""
    kept = [output for output in outputs if output.file.endswith(SHOWN_ANYWAY)]
    written = write_outputs(task, kept)
    if json:
        show_json({**plan_facts(task), "files": written.files})
    else:
        show_plan(task)
        say_about("files", [", ".join(written.files)])
    insist_written(written, kept)
    refuse_infeasible(task)


def _simulate(
    task: Task, controllers: Mapping[str, Controller], rate: float, start: Start
) -> dict[str, Run]:
    """Let the arm follow the plan under each of the controllers."""
    options: dict[str, Any] = {"reference": task.plan, "rate": rate}
    options["dt"] = min(1e-3, 1.0 / rate)
    if start is Start.REST:
        options["q0"] = task.plan.trajectory(0.0).q
    runs = {}
    for label, controller in controllers.items():
        try:
            with loading():
                simulate(task.arm, controller=controller, **{**options, "duration": 0.0})
            runs[label] = simulate(task.arm, controller=controller, **options)
        except InputError as error:
            raise InputError([renamed(problem) for problem in error.problems]) from None
        if label == "open loop" and runs[label].status.reason == "interrupted":
            raise KeyboardInterrupt
    return runs


def _writers(film_speed: float | None) -> dict[str, Writer]:
    """Give what writes each file, the numbers before the pictures."""
    writers: dict[str, Writer] = {
        "plan.csv": lambda done, file: done.plan.save(file),
        "run.nc": lambda done, file: done.closed.save(file),
        "motion.png": figure_writer(_motion),
        "torques.png": figure_writer(_torques),
        "error.png": figure_writer(_error),
        "summary.json": json_writer(_facts),
    }
    if film_speed is not None:
        writers["follow.mp4"] = lambda done, file: _film(done, file, film_speed)
    return writers


def _facts(done: Followed | Task) -> Mapping[str, Any]:
    return follow_facts(done) if isinstance(done, Followed) else plan_facts(done)


def _motion(done: Followed | Task) -> Any:
    from ulna.viewer import motion_figure

    return motion_figure(done.plan, done.closed if isinstance(done, Followed) else None)


def _torques(done: Followed) -> Any:
    from ulna.viewer import torques_figure

    return torques_figure(done.plan)


def _error(done: Followed) -> Any:
    from ulna.viewer import error_figure

    return error_figure(done.plan, done.runs)


def _film(done: Followed, file: str, speed: float) -> None:
    from ulna.viewer import animate_following

    animate_following(done.plan, done.runs, file, fps=FPS, speed=speed)

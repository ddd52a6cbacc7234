"""`ulna follow`: which torques make the tip follow a path, and does the arm really do it?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
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
from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.simulation import Run, simulate
from ulna.simulation.status import Status

DEFAULT_CONTROLLER = "ComputedTorque(frequency=20)"


STARTS = ("exact", "rest")  # moving with the path, or standing still at its first point
MOST_TICKS = 100_000_000  # some minutes of work


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
        str,
        typer.Option(
            "--start", metavar="NAME", help="exact: moving with the path; rest: still at its start."
        ),
    ] = "exact",
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
        open_loop = OpenLoop(believed)
        try:
            chosen = with_model(chosen, believed)
        except InputError as error:
            raise InputError([_of_option(problem) for problem in error.problems]) from None
    ticks = _read_rate(rate)
    _check_start(start)
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
    elif film_speed != 1.0:
        note("--film-speed says nothing without --film")
    _check_work(task.plan.duration, ticks)
    _check_controllers(task, chosen, open_loop)
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
    insist(_in_our_words(done.closed.status), written, outputs)
    refuse_infeasible(task)


def _read_rate(text: str) -> float:
    rate = read_quantity(text, "frequency", "--rate")
    if not rate > 0.0:
        raise InputError(Problem("--rate", shown(text), "a frequency above 0, such as '1000 Hz'"))
    return rate


def _check_start(start: str) -> None:
    if start not in STARTS:
        hint = did_you_mean(start, STARTS)
        raise InputError(Problem("--start", shown(start), "exact or rest", hint))


def _check_work(duration: float, rate: float) -> None:
    """Refuse what would take hours, and what ends before the controller has spoken."""
    ticks = duration * max(rate, 1000.0)
    if ticks > MOST_TICKS:
        got = f"{number(duration)} s at {number(rate)} Hz, {ticks:.3g} steps"
        need = f"at most {MOST_TICKS:,}, some minutes of work"
        hint = "make --duration shorter, or --rate lower"
        raise InputError(Problem("--duration", got, need, hint))
    if duration * rate < 1.0:
        need = f"at least {number(1.0 / duration, 3)} Hz: one tick in {number(duration, 3)} s"
        raise InputError(Problem("--rate", f"{number(rate)} Hz", need))


def _check_controllers(task: Task, *controllers: Controller) -> None:
    """Let gains and models be wrong before any work is done."""
    for controller in controllers:
        try:
            controller.start(task.arm)
        except InputError as error:
            raise InputError([_of_option(problem) for problem in error.problems]) from None


def _of_option(problem: Problem) -> Problem:
    if problem.what.endswith(".model"):
        return replace(problem, what="--model")
    within = "" if problem.what == "controller" else f": {problem.what}"
    return replace(problem, what=f"--controller{within}")


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


def _in_our_words(status: Status) -> Status:
    """Give what the engine advises as far as it can be followed here."""
    text = status.text.replace("try a smaller dt", "try a higher --rate, or softer gains")
    return replace(status, text=text)


def _simulate(
    task: Task, controllers: Mapping[str, Controller], rate: float, start: str
) -> dict[str, Run]:
    """Let the arm follow the plan under each of the controllers."""
    options: dict[str, Any] = {"reference": task.plan, "rate": rate}
    options["dt"] = min(1e-3, 1.0 / rate)
    if start == "rest":
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

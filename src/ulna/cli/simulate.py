"""`ulna simulate`: an arm in time, and what it did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ulna.arm import Arm
from ulna.cli.angle_option import AngleOption, Angles, read_convention
from ulna.cli.arguments import (
    ArmArgument,
    FilmOption,
    FilmSpeedOption,
    JsonOption,
    NoGravityOption,
    OverwriteOption,
    PayloadOption,
    PlotOption,
    changed_arm,
    find_arm,
    read_joints,
    read_quantity,
)
from ulna.cli.controlling import (
    CONTROLLER,
    RATE,
    ControlOptions,
    DisturbOption,
    ReferenceOption,
    SensorsOption,
)
from ulna.cli.drives import read_tip_force, read_torques
from ulna.cli.outputs import (
    Output,
    check_film,
    check_outputs,
    data_output,
    figure_output,
    film_output,
    interrupted_outputs,
    write_outputs,
)
from ulna.cli.reading import read_all
from ulna.cli.running import Timed, raise_if_failed, run_arm, spoken
from ulna.cli.summary import facts, show_summary, start_of
from ulna.cli.terminal import note, say, show_json
from ulna.errors import InputError, Problem
from ulna.simulation.ticks import trajectory_of

LEAST = 0.1  # [s] of a run whose pace says something


def _option(name: str, metavar: str, text: str) -> Any:
    return typer.Option(name, metavar=metavar, help=text, show_default=False)


def simulate(
    arm: ArmArgument,
    q0: Annotated[
        str | None,
        _option(
            "--q0",
            "ANGLES",
            'Where it starts: "40 deg, -60 deg"; else where a plan to follow does.',
        ),
    ] = None,
    duration: Annotated[
        str | None, _option("--duration", "TIME", 'How long: "20 s"; else as a plan to follow.')
    ] = None,
    qd0: Annotated[
        str | None,
        _option(
            "--qd0", "SPEEDS", 'How fast --q0 starts: "30 deg/s, 0", "15 rpm, 0"; else at rest.'
        ),
    ] = None,
    angles: AngleOption = "relative",
    torque: Annotated[
        str | None,
        _option(
            "--torque",
            "TORQUES",
            'One a joint: "3 N*m, 5*sin(2*pi*t)", over t, x, y, q1, qd1 ...; or a .csv file.',
        ),
    ] = None,
    tip_force: Annotated[
        str | None,
        _option("--tip-force", "FORCE", 'On the tip: "0 N, -5 N", or with a moment [N*m].'),
    ] = None,
    controller: Annotated[str | None, CONTROLLER] = None,
    reference: ReferenceOption = None,
    sensors: SensorsOption = None,
    disturb: DisturbOption = None,
    rate: Annotated[str | None, RATE] = None,
    until: Annotated[
        str | None, _option("--until", "FORMULA", 'Stop when it becomes true: "y < 0".')
    ] = None,
    payload: PayloadOption = None,
    no_gravity: NoGravityOption = False,
    method: Annotated[
        str | None,
        _option(
            "--method",
            "NAME",
            "dop853, or rk4 with a controller, unless given; see `ulna list methods`.",
        ),
    ] = None,
    dt: Annotated[
        str | None, _option("--dt", "TIME", "Step of the other methods, and of samples: 1 ms.")
    ] = None,
    rtol: Annotated[
        float | None, _option("--rtol", "NUMBER", "Relative error of dop853: 1e-9.")
    ] = None,
    samples: Annotated[
        int | None, _option("--samples", "COUNT", "How many to keep; one every dt.")
    ] = None,
    no_stops: Annotated[bool, typer.Option("--no-stops", help="Let joints pass limits.")] = False,
    restitution: Annotated[
        float | None, _option("--restitution", "NUMBER", "Part of its speed a stop gives back: 0.")
    ] = None,
    dynamics: Annotated[
        str | None,
        _option(
            "--dynamics", "NAME", "full, or sequential: joint by joint, without their coupling."
        ),
    ] = None,
    sequential_damping: Annotated[
        str | None,
        _option(
            "--sequential-damping",
            "NUMBERS",
            'Of the sequential dynamics, one a joint [1/s]: "0.5, 0.5".',
        ),
    ] = None,
    between: Annotated[
        str | None, _option("--between", "NAME", "hold or linear: torques between rows of a file.")
    ] = None,
    out: Annotated[
        str | None, _option("--out", "FILE", "Write the run: .nc (all of it), .csv or .parquet.")
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Also write a .csv, beside --out.")] = False,
    plot: PlotOption = None,
    film: FilmOption = None,
    film_speed: FilmSpeedOption = 1.0,
    json: JsonOption = False,
    overwrite: OverwriteOption = False,
) -> None:
    """Simulate an arm (forward dynamics) under torques or a controller, and show what it did."""
    described = changed_arm(find_arm(arm), payload, no_gravity=no_gravity)
    convention = read_convention(angles)
    options = read_all(
        {
            "q0": (q0, lambda text: convention.read(text, described, "--q0")),
            "duration": (duration, lambda text: read_quantity(text, "time", "--duration")),
            "qd0": (qd0, lambda text: convention.read_speeds(text, described, "--qd0")),
            "torque": (torque, lambda text: read_torques(text, described, "--torque")),
            "tip_force": (tip_force, lambda text: read_tip_force(text, described, "--tip-force")),
            "sequential_damping": (
                sequential_damping,
                lambda text: read_joints(text, "number", described, "--sequential-damping", "0.5"),
            ),
            "dt": (dt, lambda text: read_quantity(text, "time", "--dt")),
        }
    )
    plain = {
        "until": until,
        "method": method,
        "rtol": rtol,
        "samples": samples,
        "restitution": restitution,
        "dynamics": dynamics,
        "between": between,
    }
    options |= {name: value for name, value in plain.items() if value is not None}
    outputs = _outputs(out, plot, film, film_speed, csv=csv, overwrite=overwrite)
    check_outputs(outputs, overwrite=overwrite)
    control = ControlOptions(controller, reference, sensors, rate, disturb or [])
    options |= control.read(described, arm, convention)
    seconds = _check_start(options, described)
    if film is not None:
        check_film(film_speed, None if until else seconds)
    try:
        done = run_arm(described, {**options, "stops": not no_stops})
    except InputError as error:
        raise InputError([_measured(problem, convention) for problem in error.problems]) from None
    if done.run.status.reason == "interrupted" and outputs:
        outputs = interrupted_outputs(outputs)
        note("interrupted; writing what there is, Ctrl-C again to stop at once")
    written = write_outputs(done.run, outputs)
    if json:
        run = done.run
        beside = convention.facts(phi=run.q[-1], phid=run.qd[-1], phi_start=start_of(run))
        show_json({**facts(run), **beside, "files": written.files})
    else:
        _show(done, arm, written.files, convention)
    raise_if_failed(done.run.status, written, cause=done.run.error)


def _check_start(options: Mapping[str, Any], arm: Arm) -> float:
    """Return the duration [s]; raise unless it and a start are given, or a plan is."""
    motion = trajectory_of(options.get("reference"))
    problems = []
    if "q0" not in options and motion is None:
        such = ", ".join(["30 deg"] * min(arm.n, 3) + ["..."] * (arm.n > 3))
        need = f"the angles at the start, {arm.n} of them"
        problems.append(Problem("--q0", "nothing", need, f'such as --q0 "{such}"'))
    elif "qd0" in options and "q0" not in options:
        got = "speeds without angles"
        hint = "leave --qd0 out to start as the plan does, or add --q0"
        problems.append(Problem("--qd0", got, "--q0 as well", hint))
    if "duration" not in options and motion is None:
        problems.append(
            Problem("--duration", "nothing", "how long it takes", 'such as --duration "20 s"')
        )
    if problems:
        raise InputError(problems)
    return float(
        options["duration"] if motion is None or "duration" in options else motion.duration
    )


def _measured(problem: Problem, angles: Angles) -> Problem:
    """Return a problem with a start beyond limits, which are of the joint's own angle."""
    if not angles.absolute or not problem.what.startswith("--q0, joint"):
        return problem
    return replace(problem, got=f"{problem.got} from the link before")


def _outputs(
    out: str | None,
    plot: str | None,
    film: str | None,
    film_speed: float,
    *,
    csv: bool,
    overwrite: bool,
) -> list[Output]:
    """List the files to write, the numbers before the pictures."""
    table = str(Path(out or "run.nc").with_suffix(".csv")) if csv else None
    outputs = [data_output("--out", out, overwrite=overwrite)] if out else []
    if table and table != out:
        outputs.append(data_output("--csv", table, overwrite=overwrite))
    if plot:
        outputs.append(figure_output(plot, overwrite=overwrite))
    if film:
        outputs.append(film_output(film, film_speed, overwrite=overwrite))
    return outputs


def _show(done: Timed, name: str, files: list[str], angles: Angles) -> None:
    run = done.run
    show_summary(run, name, angles)
    if run.status:
        say(f"{spoken(run.status.text)}{_pace(done)}")
    if files:
        say(f"written: {', '.join(files)}")


def _pace(done: Timed) -> str:
    """Return how fast it was computed, where there was time to speak of."""
    t = float(done.run.t[-1])
    if t < LEAST or done.elapsed <= 0.0:
        return ""
    times = float(f"{t / done.elapsed:.2g}")
    return f"; computed at {times:,.15g} times real time"

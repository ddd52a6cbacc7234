"""`ulna simulate`: an arm in time, and what it did."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ulna.cli.arguments import (
    ArmArgument,
    FilmOption,
    FilmSpeedOption,
    FlatOption,
    ForceOption,
    JsonOption,
    PayloadOption,
    PlotOption,
    changed_arm,
    find_arm,
    read_angles,
    read_joints,
    read_quantity,
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
from ulna.cli.running import Timed, insist, run_arm, spoken
from ulna.cli.summary import facts, show_summary
from ulna.cli.terminal import note, say, show_json

LEAST = 0.1  # [s] of a run whose pace says something


def _option(name: str, metavar: str, text: str) -> Any:
    return typer.Option(name, metavar=metavar, help=text, show_default=False)


def simulate(
    arm: ArmArgument,
    q0: Annotated[str, _option("--q0", "ANGLES", 'Where it starts: "40 deg, -60 deg".')],
    duration: Annotated[str, _option("--for", "TIME", 'How long: "20 s".')],
    qd0: Annotated[
        str | None, _option("--qd0", "SPEEDS", 'How fast it starts: "30 deg/s, 0"; else at rest.')
    ] = None,
    torque: Annotated[
        str | None,
        _option(
            "--torque",
            "TORQUES",
            'One a joint: "3 N*m, 5*sin(2*pi*t)", over t, x, y, q1, qd1 ...; or a .csv file.',
        ),
    ] = None,
    tip_force: Annotated[
        str | None, _option("--tip-force", "FORCE", 'On the tip: "0 N, -5 N", or with a moment.')
    ] = None,
    until: Annotated[
        str | None, _option("--until", "FORMULA", 'Stop when it becomes true: "y < 0".')
    ] = None,
    payload: PayloadOption = None,
    flat: FlatOption = False,
    method: Annotated[
        str | None, _option("--method", "NAME", "dop853 unless given; see `ulna list methods`.")
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
    model: Annotated[
        str | None, _option("--model", "NAME", "true, or sequential: paper 001's approximation.")
    ] = None,
    friction: Annotated[
        str | None, _option("--friction", "NUMBERS", 'Of the sequential model [1/s]: "0.5, 0.5".')
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
    force: ForceOption = False,
) -> None:
    """Let an arm move under torques, and show what it did."""
    described = changed_arm(find_arm(arm), payload, flat=flat)
    options = read_all(
        {
            "q0": (q0, lambda text: read_angles(text, described, "--q0")),
            "duration": (duration, lambda text: read_quantity(text, "time", "--for")),
            "qd0": (qd0, lambda text: read_joints(text, "speed", described, "--qd0", "1 rad/s")),
            "torque": (torque, lambda text: read_torques(text, described, "--torque")),
            "tip_force": (tip_force, lambda text: read_tip_force(text, described, "--tip-force")),
            "friction": (
                friction,
                lambda text: read_joints(text, "number", described, "--friction", "0.5"),
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
        "model": model,
        "between": between,
    }
    options |= {name: value for name, value in plain.items() if value is not None}
    outputs = _outputs(out, plot, film, film_speed, csv=csv, force=force)
    check_outputs(outputs, force=force)
    if film is not None:
        check_film(film_speed, None if until else options["duration"])
    done = run_arm(described, {**options, "stops": not no_stops})
    if done.run.status.reason == "interrupted" and outputs:
        outputs = interrupted_outputs(outputs)
        note("interrupted; writing what there is, Ctrl-C again to stop at once")
    written = write_outputs(done.run, outputs)
    if json:
        show_json({**facts(done.run), "files": written.files})
    else:
        _show(done, arm, written.files)
    insist(done.run.status, written, cause=done.run.error)


def _outputs(
    out: str | None,
    plot: str | None,
    film: str | None,
    film_speed: float,
    *,
    csv: bool,
    force: bool,
) -> list[Output]:
    """List the files to write, the numbers before the pictures."""
    table = str(Path(out or "run.nc").with_suffix(".csv")) if csv else None
    outputs = [data_output("--out", out, force=force)] if out else []
    if table and table != out:
        outputs.append(data_output("--csv", table, force=force))
    if plot:
        outputs.append(figure_output(plot, force=force))
    if film:
        outputs.append(film_output(film, film_speed, force=force))
    return outputs


def _show(done: Timed, name: str, files: list[str]) -> None:
    run = done.run
    show_summary(run, name)
    if run.status:
        say(f"{spoken(run.status.text)}{_pace(done)}")
    if files:
        say(f"written: {', '.join(files)}")


def _pace(done: Timed) -> str:
    """Say how fast it was computed, where there was time to speak of."""
    t = float(done.run.t[-1])
    if t < LEAST or done.elapsed <= 0.0:
        return ""
    times = float(f"{t / done.elapsed:.2g}")
    return f"; computed at {times:,.15g} times real time"

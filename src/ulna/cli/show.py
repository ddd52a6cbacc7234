"""`ulna show`: what was saved, a run or a sweep: what came out and how it was made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ulna.cli import flags
from ulna.cli.arguments import Angles, read_convention
from ulna.cli.flags import argument, option
from ulna.cli.motor_report import motor_list
from ulna.cli.outputs import (
    check_film,
    check_outputs,
    data_output,
    html_outputs,
    picture_outputs,
    write_outputs,
)
from ulna.cli.run_report import run_facts, show_run, status_line
from ulna.cli.sweep_report import is_sweep_store, refuse_for_sweep, show_sweep
from ulna.cli.terminal import say, show_json, show_table
from ulna.errors import InputError, Problem, shown
from ulna.simulation import Run, open_run
from ulna.simulation.made_with import made_with

TABLES = (".csv", ".parquet")


def show(
    file: Annotated[
        str, argument("FILE", "A run that was saved as .nc, or the folder of a sweep.")
    ],
    plot: flags.Plot = None,
    html: flags.Html = None,
    film: flags.Film = None,
    film_speed: flags.FilmSpeed = 1.0,
    csv: Annotated[str | None, option("FILE", "Write its table: .csv or .parquet.")] = None,
    what: Annotated[
        str | None, option("NAME", "The output of a sweep to draw: torque.peak; its first one.")
    ] = None,
    angles: flags.Angles = "relative",
    json: flags.Json = False,
    overwrite: flags.Overwrite = False,
) -> None:
    """Show a saved run or sweep: what came out, and how it was made."""
    if is_sweep_store(file):
        refuse_for_sweep(
            {
                "--film": film,
                "--film-speed": None if film_speed == 1.0 else film_speed,
                "--csv": csv,
                "--angles": None if angles == "relative" else angles,
            }
        )
        show_sweep(file, plot, html, what, json=json, overwrite=overwrite)
        return
    if what is not None:
        raise InputError(Problem("--what", shown(what), "nothing beside a run"))
    convention = read_convention(angles)
    outputs = [data_output("--csv", csv, TABLES, overwrite=overwrite)] if csv is not None else []
    outputs += picture_outputs(plot, film, film_speed, overwrite=overwrite)
    outputs += html_outputs(html, overwrite=overwrite)
    check_outputs(outputs, overwrite=overwrite)
    if film is not None:
        check_film(film_speed)
    run = open_run(file)
    written = write_outputs(run, outputs)
    if json:
        show_json({**run_facts(run, convention), "files": written.files})
    else:
        show_run(run, Path(file).name, convention)
        say(status_line(run))
        show_table("made with", ("what", "which"), _made(run, convention))
        if written.files:
            say(f"written: {', '.join(written.files)}")
    # Showing went well, however the run ended.
    written.raise_if_failed()


def _made(run: Run, angles: Angles) -> list[tuple[str, str]]:
    """Return how a run was made, in words; what was not there is left out."""
    versions = ", ".join(f"{name} {which}" for name, which in run.versions.items())
    besides = [("motors", motor_list(run.arm)), ("versions", versions)]
    rows = made_with(run.scenario, absolute=angles.absolute)
    return rows + [(what, which) for what, which in besides if which]

"""`ulna show`: a run that was saved, what it did and how it was made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from ulna.cli import flags
from ulna.cli.arguments import Angles, part_text, read_convention
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
from ulna.cli.terminal import number, say, show_json, show_table
from ulna.simulation import Run, open_run

TABLES = (".csv", ".parquet")


def show(
    file: Annotated[str, argument("FILE", "A run that was saved as .nc.")],
    plot: flags.Plot = None,
    html: flags.Html = None,
    film: flags.Film = None,
    film_speed: flags.FilmSpeed = 1.0,
    csv: Annotated[str | None, option("FILE", "Write its table: .csv or .parquet.")] = None,
    angles: flags.Angles = "relative",
    json: flags.Json = False,
    overwrite: flags.Overwrite = False,
) -> None:
    """Show a saved run: what the arm did, and how the run was made."""
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
    settings = run.settings
    rows = [
        ("method", _method(settings)),
        ("start", _start(settings, angles)),
        ("torque", _in_words(settings.get("torque"), "N·m")),
        ("tip force", _in_words(settings.get("tip_force"), "N, N, N·m")),
        ("controller", _controller(settings)),
        ("reference", _reference(settings, angles)),
        ("motors", motor_list(run.arm)),
        ("sensors", _sensors(settings)),
        ("actuators", _actuators(settings)),
        ("disturbances", _count(settings.get("disturbances"))),
        ("events", _events(settings.get("events"))),
        ("until", _events({"it ends": settings["until"]}) if "until" in settings else ""),
        ("stops", _stops(run)),
        ("dynamics", _dynamics(settings)),
        ("versions", ", ".join(f"{name} {which}" for name, which in run.versions.items())),
    ]
    return [(what, which) for what, which in rows if which]


def _method(settings: Mapping[str, Any]) -> str:
    method, rtol = settings.get("method"), settings.get("rtol")
    if method is None:
        return ""
    if method == "dop853" and rtol is not None:
        return f"{method}, relative error {rtol:g} a step, absolute {settings.get('atol'):g}"
    return f"{method}, steps of {settings.get('dt'):g} s"


def _start(settings: Mapping[str, Any], angles: Angles) -> str:
    q0, qd0 = settings.get("q0"), settings.get("qd0")
    if q0 is None:
        return ""
    moving = ", at rest"
    if any(qd0 or ()):
        moving = f", speeds {_numbers(angles.of(qd0).tolist())} rad/s"
    return f"angles {_numbers(angles.of(q0).tolist())} rad{_measured(angles)}{moving}"


def _measured(angles: Angles) -> str:
    return f" {angles.measured}" if angles.absolute else ""


def _reference(settings: Mapping[str, Any], angles: Angles) -> str:
    """Return what a controller was to follow: a posture, a motion, a function."""
    given = settings.get("reference") if settings.get("controller") else None
    if isinstance(given, Mapping) and "path" in given:
        return f"{given['path']}, {number(given.get('duration', 0.0))} s"
    if isinstance(given, Mapping):
        return f"the function {given.get('function')}"
    if given is None:
        return ""
    return f"angles {_numbers(angles.of(given).tolist())} rad{_measured(angles)}"


def _sensors(settings: Mapping[str, Any]) -> str:
    """Return what lay between the arm and its controller, where that was anything."""
    given = settings.get("sensors")
    if not isinstance(given, Mapping):
        return ""
    return part_text(given)


def _actuators(settings: Mapping[str, Any]) -> str:
    """Return what lay between the controller's commands and the torques, where that was any."""
    given = settings.get("actuators")
    if not isinstance(given, Mapping):
        return ""
    return part_text(given)


def _in_words(source: Any, unit: str) -> str:
    """Return what acted: numbers and formulas as they are, of the rest what it was."""
    if isinstance(source, Mapping) and "function" in source:
        return f"the function {source['function']}"
    if isinstance(source, Mapping):
        between = "held" if source.get("between") == "hold" else source.get("between")
        return f"a table of {source.get('rows')} rows until {source.get('until')} s, {between}"
    return f"{_numbers(source)} {unit}" if source else ""


def _numbers(values: Any) -> str:
    return ", ".join(f"{value:.9g}" if isinstance(value, float) else str(value) for value in values)


def _controller(settings: Mapping[str, Any]) -> str:
    controller = settings.get("controller")
    return f"{controller} at {settings.get('rate'):g} Hz" if controller else ""


def _count(things: Any) -> str:
    return str(len(things)) if things else ""


def _events(events: Any) -> str:
    return ", ".join(f"{name}: {what}" for name, what in events.items()) if events else ""


def _stops(run: Run) -> str:
    if not any(
        joint.lower > -float("inf") or joint.upper < float("inf") for joint in run.arm.joints
    ):
        return ""
    if not run.settings.get("stops", True):
        return "off"
    return f"at the joint limits, restitution {run.settings.get('restitution', 0.0):g}"


def _dynamics(settings: Mapping[str, Any]) -> str:
    if settings.get("dynamics") != "sequential":
        return ""
    damping = settings.get("sequential_damping")
    return "sequential" + (f", damping {_numbers(damping)} per second" if damping else "")

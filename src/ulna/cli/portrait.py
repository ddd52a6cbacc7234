"""`ulna portrait`: the phase portrait of one joint; of more joints, a Poincaré section."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from ulna.analysis import Portrait
from ulna.analysis import portrait as draw_up
from ulna.analysis.portraits.phase_portrait import MOST_BASINS
from ulna.arm import Arm
from ulna.cli.angle_option import RELATIVE, read_convention
from ulna.cli.arguments import (
    ArmArgument,
    JsonOption,
    NoGravityOption,
    OverwriteOption,
    PayloadOption,
    changed_arm,
    find_arm,
    read_angles,
    read_joints,
    read_quantity,
)
from ulna.cli.controlling import read_rate
from ulna.cli.outputs import Output, check_outputs
from ulna.cli.plotting import FORMATS, save_figure
from ulna.cli.portrait_report import CriticalSpeeds, show_portrait
from ulna.cli.portrait_section import finish, show_section_of
from ulna.cli.portrait_states import named_here, read_range, read_state
from ulna.cli.terminal import note
from ulna.control import read_controller
from ulna.errors import InputError, Problem, shown

SWINGS = 5.0  # of the frequency of small swings: up to where critical speeds are looked for
SLIPPERY = 0.01  # b/(M ω) below which the fate changes with every turn and every breath
DURATION, LONG = "20 s", "200 s"  # of an orbit; of what a section is cut through


def _option(name: str, metavar: str, text: str) -> Any:
    return typer.Option(name, metavar=metavar, help=text, show_default=False)


def portrait(
    arm: ArmArgument,
    torque: Annotated[
        str | None, _option("--torque", "TORQUE", 'A constant torque: "4 N*m"; one a joint.')
    ] = None,
    start: Annotated[
        list[str] | None,
        _option("--start", "STATE", 'Angles, then speeds: "0 rad, 3.07 rad/s"; can be repeated.'),
    ] = None,
    controller: Annotated[
        str | None,
        _option("--controller", "CONTROLLER", 'In the loop: "PD(kp=20, kd=2)".'),
    ] = None,
    set_point: Annotated[
        str | None, _option("--set-point", "ANGLE", 'What the controller holds: "30 deg"; else 0.')
    ] = None,
    max_torque: Annotated[
        str | None, _option("--max-torque", "TORQUE", 'The most that the motor gives: "5 N*m".')
    ] = None,
    angle_range: Annotated[
        str | None,
        _option(
            "--angle-range", "RANGE", 'What is shown: "-360 deg, 720 deg" unrolls; else one turn.'
        ),
    ] = None,
    speed_range: Annotated[
        str | None, _option("--speed-range", "RANGE", 'What is shown: "-10 rad/s, 10 rad/s".')
    ] = None,
    angles: Annotated[
        str | None,
        _option(
            "--angles",
            "NAME",
            "Of more joints, how --start is measured: relative, each angle from the link before; "
            "absolute, each link's from the x axis.",
        ),
    ] = None,
    basins: Annotated[
        int, typer.Option("--basins", metavar="COUNT", help="Colour basins, so many starts a side.")
    ] = 0,
    energy: Annotated[bool, typer.Option("--energy", help="Colour it by the energy.")] = False,
    duration: Annotated[
        str | None, _option("--duration", "TIME", f"How long starts are followed: {DURATION}.")
    ] = None,
    rate: Annotated[
        str | None, _option("--rate", "FREQUENCY", "The control rate: 1000 Hz.")
    ] = None,
    section_joint: Annotated[
        int | None,
        _option("--section-joint", "JOINT", "Of more joints: whose angle the section is at; 1."),
    ] = None,
    section_angle: Annotated[
        str | None, _option("--section-angle", "ANGLE", "The angle that the section is at: 0 deg.")
    ] = None,
    payload: PayloadOption = None,
    no_gravity: NoGravityOption = False,
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="The picture: .png, .svg or .pdf.")
    ] = "portrait.png",
    json: JsonOption = False,
    overwrite: OverwriteOption = False,
) -> None:
    """Draw a phase portrait of one joint: equilibria, separatrices, basins, running solutions.

    Of an arm with more joints the runs from the starts are shown joint by joint, and a Poincaré
    section through them.
    """
    described = changed_arm(find_arm(arm), payload, no_gravity=no_gravity)
    convention = RELATIVE if angles is None else read_convention(angles)
    given = {"controller": controller, "set_point": set_point, "max_torque": max_torque,
             "angles": angle_range, "speeds": speed_range, "rate": rate}  # fmt: skip
    if described.n == 1:
        section = {"section_joint": section_joint, "section_angle": section_angle}
        _refuse(section, "one joint", "several joints")
        if controller is None:
            _refuse({"set_point": set_point, "rate": rate}, "no --controller", "one")
        _of_one(
            described, arm, given, torque, start or [], duration or DURATION,
            basins=basins, energy=energy, out=out, json=json, overwrite=overwrite,
        )  # fmt: skip
        return
    only = {"controller": controller, "set_point": set_point, "max_torque": max_torque,
            "angle_range": angle_range, "speed_range": speed_range, "rate": rate,
            "basins": basins or None, "energy": energy or None}  # fmt: skip
    _refuse(only, f"an arm with {described.n} joints", "one joint")
    show_section_of(
        described, arm, torque, start or [], duration or LONG, section_joint or 1,
        section_angle or "0 deg", convention, out=out, json=json, overwrite=overwrite,
    )  # fmt: skip


def _of_one(
    arm: Arm,
    name: str,
    given: dict[str, str | None],
    torque: str | None,
    starts: list[str],
    duration: str,
    *,
    basins: int,
    energy: bool,
    out: str,
    json: bool,
    overwrite: bool,
) -> None:
    readers: dict[str, Callable[[str], Any]] = {
        "controller": lambda text: read_controller(text, "--controller"),
        "set_point": lambda text: read_angles(text, arm, "--set-point")[0],
        "max_torque": lambda text: read_quantity(text, "torque", "--max-torque"),
        "angles": lambda text: read_range(text, "angle", "--angle-range", "-180 deg, 180 deg"),
        "speeds": lambda text: read_range(text, "speed", "--speed-range", "-10 rad/s, 10 rad/s"),
        "rate": read_rate,
    }
    options = {word: readers[word](text) for word, text in given.items() if text is not None}
    if torque is not None:
        options["torque"] = read_joints(torque, "torque", arm, "--torque", "4 N*m")[0]
    if not 0 <= basins <= MOST_BASINS:
        need = f"a count of starts up to {MOST_BASINS:,} along each side, or 0 for none"
        raise InputError(Problem("--basins", shown(basins), need))
    options["starts"] = [(q[0], qd[0]) for q, qd in (read_state(text, arm) for text in starts)]
    options["duration"] = read_quantity(duration, "time", "--duration")
    with named_here():
        drawn = draw_up(arm, **options)
    _write_portrait(drawn, name, basins, energy=energy, out=out, json=json, overwrite=overwrite)


def _write_portrait(
    drawn: Portrait, name: str, count: int, *, energy: bool, out: str, json: bool, overwrite: bool
) -> None:
    def write(found: Portrait, out: str) -> None:
        from ulna.viewer import portrait_figure

        coloured = found.basins(count) if count else None
        figure = portrait_figure(found, basins=coloured, energy=energy)
        save_figure(lambda: figure, out, overwrite=overwrite)

    output = Output("--out", out, FORMATS, write, patient=not count)
    check_outputs([output], overwrite=overwrite)
    with named_here():
        borders = {angle: _borders(drawn, angle) for angle in _angles(drawn)}
        facts = drawn.facts()
    if json:
        told = {
            str(angle): [
                {"speed": one.value, "below": one.below._asdict(), "above": one.above._asdict()}
                for one in looked.borders
            ]
            for angle, looked in borders.items()
        }
        facts |= {"critical_speeds": told}
    else:
        show_portrait(drawn, name, borders)
    finish(drawn, output, facts if json else None)


def _borders(drawn: Portrait, angle: float) -> CriticalSpeeds:
    """Return the critical speeds that are shown, up to where they only repeat themselves."""
    flow = drawn.flow
    if 0.0 < flow.damping < SLIPPERY * flow.inertia * flow.natural_frequency:
        note("so little friction has too many critical speeds to list them")
        return CriticalSpeeds((), 0.0, 0.0)
    most = SWINGS * flow.natural_frequency
    low, high = max(drawn.speeds[0], -most), min(drawn.speeds[1], most)
    found = drawn.critical_speeds(angle, within=(low, high)) if low < high else ()
    return CriticalSpeeds(found, low, high)


def _angles(drawn: Portrait) -> list[float]:
    """Return the angles from which critical speeds are asked for: those of the starts, or zero."""
    return list(dict.fromkeys(angle for angle, _ in drawn.starts)) or [0.0]


def _refuse(given: dict[str, Any], got: str, need: str) -> None:
    """Raise if options say nothing about such an arm."""
    asked = [word for word, value in given.items() if value is not None]
    if asked:
        raise InputError([Problem(f"--{word.replace('_', '-')}", got, need) for word in asked])

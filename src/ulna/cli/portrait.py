"""`ulna portrait`: all that one joint can do, on a page; of more joints, a section."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import typer

from ulna import units
from ulna.analysis import Portrait, Section, poincare
from ulna.analysis import portrait as draw_up
from ulna.arm import Arm
from ulna.cli.arguments import (
    ArmArgument,
    FlatOption,
    ForceOption,
    JsonOption,
    PayloadOption,
    changed_arm,
    find_arm,
    number_reader,
    read_angles,
    read_joints,
    read_quantity,
)
from ulna.cli.follow_checks import read_rate
from ulna.cli.outputs import Output, check_outputs, write_outputs
from ulna.cli.plotting import FORMATS, save_figure
from ulna.cli.portrait_report import show_portrait, show_section
from ulna.cli.running import INTERRUPTED, PAINTING, UnfinishedError, loading
from ulna.cli.terminal import say, show_json
from ulna.control import read_controller
from ulna.errors import InputError, Problem, shown

# What Python's words for a setting are called at the command line.
NAMES = {"duration": "for", "starts": "start", "q0": "start", "qd0": "start", "joint": "section"}
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
        _option("--controller", "CONTROLLER", 'In the loop: "PD(stiffness=20, damping=2)".'),
    ] = None,
    aim: Annotated[
        str | None, _option("--aim", "ANGLE", 'What the controller holds: "30 deg"; else 0.')
    ] = None,
    limit: Annotated[
        str | None, _option("--limit", "TORQUE", "The most that the motor gives.")
    ] = None,
    angles: Annotated[
        str | None,
        _option("--angles", "RANGE", 'What is shown: "-360 deg, 720 deg" unrolls; else one turn.'),
    ] = None,
    speeds: Annotated[
        str | None, _option("--speeds", "RANGE", 'What is shown: "-10 rad/s, 10 rad/s".')
    ] = None,
    basins: Annotated[
        int, typer.Option("--basins", metavar="COUNT", help="Colour so many starts a side.")
    ] = 0,
    energy: Annotated[bool, typer.Option("--energy", help="Colour it by the energy.")] = False,
    duration: Annotated[
        str | None, _option("--for", "TIME", f"How long starts are followed: {DURATION}.")
    ] = None,
    rate: Annotated[
        str, typer.Option("--rate", metavar="FREQUENCY", help="How often the controller speaks.")
    ] = "1000 Hz",
    section: Annotated[
        int, typer.Option("--section", metavar="JOINT", help="Of more joints: which is cut.")
    ] = 1,
    at: Annotated[
        str, typer.Option("--at", metavar="ANGLE", help="The angle at which it is cut.")
    ] = "0 deg",
    payload: PayloadOption = None,
    flat: FlatOption = False,
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="The picture: .png, .svg or .pdf.")
    ] = "portrait.png",
    json: JsonOption = False,
    force: ForceOption = False,
) -> None:
    """Draw the phase portrait of one joint: where it rests, how it runs, what becomes of starts.

    Of an arm with more joints the runs from the starts are shown joint by joint, and a Poincaré
    section through them.
    """
    described = changed_arm(find_arm(arm), payload, flat=flat)
    given = {"controller": controller, "aim": aim, "limit": limit, "angles": angles,
             "speeds": speeds}  # fmt: skip
    if described.n == 1:
        _of_one(
            described, arm, given, torque, start or [], duration or DURATION, rate,
            basins=basins, energy=energy, out=out, json=json, force=force,
        )  # fmt: skip
        return
    _refuse(described, given, basins=basins, energy=energy)
    _of_many(
        described, arm, torque, start or [], duration or LONG, section, at,
        out=out, json=json, force=force,
    )  # fmt: skip


def _of_one(
    arm: Arm,
    name: str,
    given: dict[str, str | None],
    torque: str | None,
    starts: list[str],
    duration: str,
    rate: str,
    *,
    basins: int,
    energy: bool,
    out: str,
    json: bool,
    force: bool,
) -> None:
    readers: dict[str, Callable[[str], Any]] = {
        "controller": lambda text: read_controller(text, "--controller"),
        "aim": lambda text: read_angles(text, arm, "--aim")[0],
        "limit": lambda text: read_quantity(text, "torque", "--limit"),
        "angles": lambda text: _range(text, "angle", "--angles", "-180 deg, 180 deg"),
        "speeds": lambda text: _range(text, "speed", "--speeds", "-10 rad/s, 10 rad/s"),
    }
    options = {word: readers[word](text) for word, text in given.items() if text is not None}
    if torque is not None:
        options["torque"] = read_joints(torque, "torque", arm, "--torque", "4 N*m")[0]
    if basins < 0:
        raise InputError(Problem("--basins", shown(basins), "a count of starts, or 0 for none"))
    options["starts"] = [(q[0], qd[0]) for q, qd in (_state(text, arm) for text in starts)]
    options["duration"] = read_quantity(duration, "time", "--for")
    if "controller" in options:
        options["rate"] = read_rate(rate)
    with _named_here():
        drawn = draw_up(arm, **options)
    _write_portrait(drawn, name, basins, energy=energy, out=out, json=json, force=force)


def _write_portrait(
    drawn: Portrait, name: str, count: int, *, energy: bool, out: str, json: bool, force: bool
) -> None:
    def write(found: Portrait) -> None:
        from ulna.viewer import portrait_figure

        coloured = found.basins(count) if count else None
        figure = portrait_figure(found, basins=coloured, energy=energy)
        save_figure(lambda: figure, out, force=force)

    output = Output("--out", out, FORMATS, write, patient=not count)
    check_outputs([output], force=force)
    with _named_here(), loading(PAINTING):
        borders = {angle: drawn.critical_speeds(angle) for angle in _angles(drawn)}
        facts = drawn.facts()
    if json:
        told = {
            str(angle): [
                {"speed": one.value, "below": one.below._asdict(), "above": one.above._asdict()}
                for one in found
            ]
            for angle, found in borders.items()
        }
        facts |= {"critical_speeds": told}
    else:
        show_portrait(drawn, name, borders)
    _finish(drawn, output, facts if json else None)


def _angles(drawn: Portrait) -> list[float]:
    """Give the angles from which critical speeds are asked for: those of the starts, or zero."""
    return list(dict.fromkeys(angle for angle, _ in drawn.starts)) or [0.0]


def _refuse(arm: Arm, given: dict[str, str | None], *, basins: int, energy: bool) -> None:
    """Refuse what only the portrait of one joint has."""
    asked = [word for word, text in given.items() if text is not None]
    asked += [word for word, wanted in (("basins", basins), ("energy", energy)) if wanted]
    if asked:
        got, need = f"an arm with {arm.n} joints", "one joint"
        raise InputError([Problem(f"--{word}", got, need) for word in asked])


def _of_many(
    arm: Arm,
    name: str,
    torque: str | None,
    starts: list[str],
    duration: str,
    joint: int,
    at: str,
    *,
    out: str,
    json: bool,
    force: bool,
) -> None:
    if not starts:
        such = ", ".join(["30 deg"] * arm.n + ["0 rad/s"] * arm.n)
        got, need = "nothing", f"{arm.n} angles, then {arm.n} speeds"
        raise InputError(Problem("--start", got, need, f'such as "{such}"'))
    options: dict[str, Any] = {"joint": joint, "angle": read_quantity(at, "angle", "--at")}
    if torque is not None:
        options["torque"] = read_joints(torque, "torque", arm, "--torque", "4 N*m")

    def write(found: Section) -> None:
        from ulna.viewer import section_figure

        save_figure(lambda: section_figure(found), out, force=force)

    output = Output("--out", out, FORMATS, write)
    check_outputs([output], force=force)
    states = [_state(text, arm) for text in starts]
    length = read_quantity(duration, "time", "--for")
    with _named_here():
        with loading():
            poincare(arm, starts=states[:1], duration=0.0, **options)
        found = poincare(arm, starts=states, duration=length, **options)
    if not json:
        show_section(found, name)
    _finish(found, output, found.facts() if json else None)
    if any(one.run.status.reason == "interrupted" for one in found.passages):
        raise UnfinishedError(["stopped; what there is has been drawn"], INTERRUPTED)


def _finish(found: Portrait | Section, output: Output, facts: dict[str, Any] | None) -> None:
    """Write the picture, and say so."""
    written = write_outputs(found, [output])
    if written.troubles:
        raise written.troubles[0]
    if written.stopped:
        raise KeyboardInterrupt
    if facts is not None:
        show_json({**facts, "files": written.files})
    else:
        say(f"written: {', '.join(written.files)}")


def _state(text: str, arm: Arm) -> tuple[list[float], list[float]]:
    """Read angles and then speeds, one of each a joint: "0 rad, 3.07 rad/s"."""
    items = units.separate(text)
    n = arm.n
    if len(items) != 2 * n:
        got = f"{len(items)} value{'s' * (len(items) != 1)}"
        need = "an angle and a speed" if n == 1 else f"{n} angles, then {n} speeds"
        such = ", ".join(["0 rad"] * n + ["3 rad/s"] * n)
        raise InputError(Problem("--start", got, need, f'such as "{such}"'))
    first, last = ", ".join(items[:n]), ", ".join(items[n:])
    return (
        read_angles(first, arm, "--start"),
        read_joints(last, "speed", arm, "--start", "3 rad/s"),
    )


def _range(text: str, kind: str, what: str, example: str) -> list[float]:
    values = units.parse_list(text, kind, what=what, number=number_reader(what))
    if len(values) != 2:
        got = f"{len(values)} value{'s' * (len(values) != 1)}"
        raise InputError(Problem(what, got, "two", f'such as "{example}"'))
    return values


class _named_here:  # noqa: N801  # it reads as a function
    """Tell what is wrong with an option by the name that it has at the command line."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        if isinstance(error, InputError):
            raise InputError([_renamed(problem) for problem in error.problems]) from None


def _renamed(problem: Problem) -> Problem:
    if problem.what.startswith("--"):
        return problem
    word = problem.what.partition(".")[0]
    return replace(problem, what=f"--{NAMES.get(word, word)}")

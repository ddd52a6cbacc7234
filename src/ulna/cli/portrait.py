"""`ulna portrait`: the phase portrait of one joint; of more joints, a Poincaré section."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, NamedTuple

import numpy as np

import ulna
from ulna import units
from ulna.analysis import Portrait, Section, poincare
from ulna.analysis import portrait as draw_up
from ulna.analysis.portraits import BasinBoundary
from ulna.analysis.portraits.phase_portrait import MOST_BASINS
from ulna.analysis.portraits.report_text import (
    EVERYWHERE,
    drive_text,
    eigenvalues_text,
    everywhere_in_equilibrium,
    fate_text,
    holds_text,
    left_out,
    run_text,
)
from ulna.arm import Arm
from ulna.arrays import whole
from ulna.cli import flags
from ulna.cli.arguments import (
    RELATIVE,
    Angles,
    changed_arm,
    read_angles,
    read_convention,
    read_joints,
    read_quantity,
    read_rate,
    read_values,
)
from ulna.cli.flags import option, switch, with_default
from ulna.cli.outputs import (
    FIGURES,
    INTERRUPTED,
    Output,
    UnfinishedError,
    check_outputs,
    html_outputs,
    interrupted_outputs,
    save_figure,
    write_outputs,
)
from ulna.cli.terminal import counted, note, number, say, say_about, show_json, show_table
from ulna.control import read_controller
from ulna.errors import InputError, Problem, rewording, shown
from ulna.scenario import Scenario
from ulna.viewer.section_figures import MOST_JOINTS

SWINGS = 5.0  # of the frequency of small swings: up to where critical speeds are looked for
SLIPPERY = 0.01  # b/(M ω), f_c/G, c/M below which the fate changes with every turn and every breath
DURATION, LONG = "20 s", "200 s"  # of an orbit; of what a section is cut through
MOST_BORDERS = 12
# What Python's words for a setting are called at the command line.
NAMES = {
    "starts": "start",
    "q0": "start",
    "qd0": "start",
    "set_point": "set-point",
    "max_torque": "max-torque",
    "angles": "angle-range",
    "speeds": "speed-range",
    "joint": "section-joint",
    "angle": "section-angle",
}
# Options that only an arm of one joint has, those of its controller, and those of a section.
OF_ONE_JOINT = (
    "controller",
    "set_point",
    "max_torque",
    "angle_range",
    "speed_range",
    "rate",
    "basins",
    "energy",
    "html",
)
OF_CONTROLLER = ("set_point", "rate")
OF_SECTION = ("section_joint", "section_angle")

TorqueOption = Annotated[str | None, option("TORQUE", 'A constant torque: "4 N*m"; one a joint.')]
StartOption = Annotated[
    list[str] | None,
    option("STATE", 'Angles, then speeds: "0 rad, 3.07 rad/s"; can be repeated.'),
]
ControllerOption = Annotated[str | None, option("CONTROLLER", 'In the loop: "PD(kp=20, kd=2)".')]
SetPointOption = Annotated[
    str | None, option("ANGLE", 'What the controller holds: "30 deg"; else 0.')
]
MaxTorqueOption = Annotated[str | None, option("TORQUE", 'The most that the motor gives: "5 N*m".')]
AngleRangeOption = Annotated[
    str | None, option("RANGE", 'What is shown: "-360 deg, 720 deg" unrolls; else one turn.')
]
SpeedRangeOption = Annotated[str | None, option("RANGE", 'What is shown: "-10 rad/s, 10 rad/s".')]
ConventionOption = Annotated[
    str | None,
    option(
        "NAME",
        "Of more joints, how --start is measured: relative, each angle from the link before; "
        "absolute, each link's from the x axis.",
    ),
]
BasinsOption = Annotated[int, with_default("COUNT", "Colour basins, so many starts a side.")]
DurationOption = Annotated[str | None, option("TIME", f"How long starts are followed: {DURATION}.")]
RateOption = Annotated[str | None, option("FREQUENCY", "The control rate: 1000 Hz.")]
SectionJointOption = Annotated[
    int | None, option("JOINT", "Of more joints: whose angle the section is at; 1.")
]
SectionAngleOption = Annotated[
    str | None, option("ANGLE", "The angle that the section is at: 0 deg.")
]
OutOption = Annotated[str, with_default("FILE", "The picture: .png, .svg or .pdf.")]


def portrait(
    arm: flags.Arm,
    torque: TorqueOption = None,
    start: StartOption = None,
    controller: ControllerOption = None,
    set_point: SetPointOption = None,
    max_torque: MaxTorqueOption = None,
    angle_range: AngleRangeOption = None,
    speed_range: SpeedRangeOption = None,
    angles: ConventionOption = None,
    basins: BasinsOption = 0,
    energy: Annotated[bool, switch("--energy", "Colour it by the energy.")] = False,
    duration: DurationOption = None,
    rate: RateOption = None,
    section_joint: SectionJointOption = None,
    section_angle: SectionAngleOption = None,
    payload: flags.Payload = None,
    values: flags.Values = None,
    no_gravity: flags.NoGravity = False,
    out: OutOption = "portrait.png",
    html: flags.Html = None,
    json: flags.Json = False,
    overwrite: flags.Overwrite = False,
) -> None:
    """Draw a phase portrait of one joint: equilibria, separatrices, basins, running solutions.

    Of an arm with more joints the runs from the starts are shown joint by joint, and a Poincaré
    section through them.
    """
    given = locals()
    described = changed_arm(arm, payload, no_gravity=no_gravity, values=values)
    convention = RELATIVE if angles is None else read_convention(angles)
    if described.n > 1:
        only = given | {"basins": basins or None, "energy": energy or None}
        _refuse(only, OF_ONE_JOINT, f"an arm with {described.n} joints", "one joint")
        _show_section(described, given, convention)
        return
    _refuse(given, OF_SECTION, "one joint", "several joints")
    if controller is None:
        _refuse(given, OF_CONTROLLER, "no --controller", "one")
    settings = _read_options(given, described)
    with rewording(_of_option):
        drawn = draw_up(described, **settings)
    _show_portrait(drawn, given)


def _refuse(given: Mapping[str, Any], words: Sequence[str], got: str, need: str) -> None:
    """Raise if options say nothing about such an arm."""
    asked = [word for word in words if given[word] is not None]
    if asked:
        raise InputError([Problem(f"--{word.replace('_', '-')}", got, need) for word in asked])


def _of_option(problem: Problem) -> Problem:
    if problem.what.startswith("--"):
        return problem
    word = problem.what.partition(".")[0]
    return replace(problem, what=f"--{NAMES.get(word, word)}")


def _read_options(given: Mapping[str, Any], arm: Arm) -> dict[str, Any]:
    """Return the settings of `ulna.analysis.portrait` that were given."""
    readers: dict[str, tuple[str, Callable[[str], Any]]] = {
        "controller": ("controller", lambda text: read_controller(text, "--controller")),
        "set_point": ("set_point", lambda text: read_angles(text, arm, "--set-point")[0]),
        "max_torque": ("max_torque", lambda text: read_quantity(text, "torque", "--max-torque")),
        "angle_range": (
            "angles",
            lambda text: _read_range(text, "angle", "--angle-range", "-180 deg, 180 deg"),
        ),
        "speed_range": (
            "speeds",
            lambda text: _read_range(text, "speed", "--speed-range", "-10 rad/s, 10 rad/s"),
        ),
        "rate": ("rate", read_rate),
        "torque": ("torque", lambda text: _read_torque(text, arm)[0]),
    }
    settings = {
        name: read(given[word]) for word, (name, read) in readers.items() if given[word] is not None
    }
    whole("--basins", given["basins"], 0, MOST_BASINS)
    starts = [_read_state(text, arm, RELATIVE) for text in given["start"] or ()]
    settings["starts"] = [(q[0], qd[0]) for q, qd in starts]
    settings["duration"] = read_quantity(given["duration"] or DURATION, "time", "--duration")
    return settings


def _read_torque(text: str, arm: Arm) -> list[float]:
    return read_joints(text, "torque", arm, "--torque", "4 N*m")


def _read_state(text: str, arm: Arm, angles: Angles) -> tuple[list[float], list[float]]:
    """Read angles and then speeds, one of each a joint: "0 rad, 3.07 rad/s"."""
    items = units.separate(text)
    n = arm.n
    if len(items) != 2 * n:
        need = "an angle and a speed" if n == 1 else f"{n} angles, then {n} speeds"
        such = ", ".join(["0 rad"] * n + ["3 rad/s"] * n)
        got = counted(len(items), "value")
        raise InputError(Problem("--start", got, need, f'such as "{such}"'))
    first, last = ", ".join(items[:n]), ", ".join(items[n:])
    return angles.read(first, arm, "--start"), angles.read_speeds(last, arm, "--start")


def _read_range(text: str, kind: str, what: str, example: str) -> list[float]:
    """Read the least and the largest value of something."""
    values, hint = read_values(text, kind, what), f'such as "{example}"'
    if len(values) != 2:
        raise InputError(Problem(what, counted(len(values), "value"), "two", hint))
    if not values[0] < values[1]:
        raise InputError(Problem(what, shown(text), "the smaller value first", hint))
    return values


class CriticalSpeeds(NamedTuple):
    """The critical speeds that were found from an angle, and between which speeds [rad/s]."""

    borders: Sequence[BasinBoundary]
    low: float
    high: float

    def facts(self) -> list[dict[str, Any]]:
        """Return them in SI numbers."""
        return [
            {"speed": one.value, "below": one.below._asdict(), "above": one.above._asdict()}
            for one in self.borders
        ]


def _show_portrait(drawn: Portrait, given: Mapping[str, Any]) -> None:
    """Draw a portrait, and print what it shows."""
    count = given["basins"]

    @cache
    def coloured(found: Portrait) -> dict[str, Any]:
        return {"basins": found.basins(count)} if count else {}

    def figure(found: Portrait) -> Any:
        return ulna.viewer.portrait_figure(found, **coloured(found), energy=given["energy"])

    pages = html_outputs(given["html"], overwrite=given["overwrite"], options=coloured)
    outputs = [_picture(figure, given), *pages]
    check_outputs(outputs, overwrite=given["overwrite"])
    # Critical speeds are asked for from the angles of the starts, or from zero.
    angles = list(dict.fromkeys(angle for angle, _ in drawn.starts)) or [0.0]
    with rewording(_of_option):
        borders = {angle: _critical_speeds(drawn, angle) for angle in angles}
        facts = drawn.facts()
    facts["critical_speeds"] = {str(angle): found.facts() for angle, found in borders.items()}
    if not given["json"]:
        _print_portrait(drawn, given["arm"], borders)
    _finish(drawn, outputs, facts, json=given["json"])


def _picture(figure: Callable[[Any], Any], given: Mapping[str, Any]) -> Output:
    """Return the file that a figure goes into."""
    overwrite = given["overwrite"]

    def write(found: Any, file: str) -> None:
        save_figure(lambda: figure(found), file, overwrite=overwrite)

    return Output("--out", given["out"], FIGURES, write)


def _finish(found: Any, outputs: Sequence[Output], facts: dict[str, Any], *, json: bool) -> None:
    """Write the picture, and the page if it is asked for, and say so."""
    written = write_outputs(found, outputs)
    if written.troubles:
        raise written.troubles[0]
    if json:
        show_json({**facts, "files": written.files})
    else:
        say(f"written: {', '.join(written.files)}")


def _critical_speeds(drawn: Portrait, angle: float) -> CriticalSpeeds:
    """Return the critical speeds that are shown, up to where they only repeat themselves."""
    flow = drawn.flow
    viscous = flow.damping / (flow.inertia * flow.natural_frequency)
    dry = flow.friction.coulomb / (flow.peak_gravity_torque or math.inf)
    if 0.0 < max(viscous, dry, flow.friction.drag / flow.inertia) < SLIPPERY:
        note("so little friction has too many critical speeds to list them")
        return CriticalSpeeds((), 0.0, 0.0)
    most = SWINGS * flow.natural_frequency
    low, high = max(drawn.speeds[0], -most), min(drawn.speeds[1], most)
    found = drawn.critical_speeds(angle, within=(low, high)) if low < high else ()
    return CriticalSpeeds(found, low, high)


def _print_portrait(drawn: Portrait, name: str, borders: Mapping[float, CriticalSpeeds]) -> None:
    """Print equilibria, running solution, critical torques, critical speeds by angle, starts."""
    _print_equilibria(drawn, f"{drawn.arm.name or name}, {drive_text(drawn)}")
    say_about("left out", [", ".join(left_out(drawn))] if left_out(drawn) else [])
    say_about("running", ["none" if drawn.running is None else run_text(drawn.running)])
    torques = drawn.critical_torques
    if torques is not None:
        lifts = f"above {torques.lifting:.9g} N·m it runs from wherever it stands"
        say_about("torques", [lifts, f"above {torques.running:.9g} N·m it keeps running"])
    for angle, critical in borders.items():
        say_about("speeds", _border_lines(drawn, angle, critical))
    say_about(
        "starts",
        [
            f"{number(orbit.angle)} rad, {number(orbit.speed)} rad/s: {fate_text(orbit.fate)}"
            for orbit in drawn.orbits
        ],
    )


def _print_equilibria(drawn: Portrait, title: str) -> None:
    if drawn.sticking:
        _print_sticking(drawn, title)
        return
    if drawn.flow.sticks or not drawn.equilibria or everywhere_in_equilibrium(drawn):
        say(title)
        everywhere = drawn.equilibria and not drawn.flow.sticks
        say_about("equilibria", [EVERYWHERE if everywhere else "none"])
        return
    rows = [
        (one.kind, f"{one.angle:.7g}", f"{math.degrees(one.angle):.5g}", eigenvalues_text(one))
        for one in drawn.equilibria
    ]
    show_table(title, ("equilibrium", "angle [rad]", "[deg]", "eigenvalues [1/s]"), rows)


def _print_sticking(drawn: Portrait, title: str) -> None:
    """Print the angles at which dry friction holds the joint, and what it holds there."""
    rows = [
        (one.kind, f"{math.degrees(one.lower):.5g}", f"{math.degrees(one.upper):.5g}",
         holds_text(one))
        for one in drawn.sticking
    ]  # fmt: skip
    show_table(title, ("sticks", "from [deg]", "to [deg]", "holds"), rows)


def _border_lines(drawn: Portrait, angle: float, critical: CriticalSpeeds) -> list[str]:
    head = f"from {number(angle)} rad"
    lines = [
        f"{head} at {border.value:.9g} rad/s: {fate_text(border.below)} | {fate_text(border.above)}"
        for border in critical.borders[:MOST_BORDERS]
    ]
    if len(critical.borders) > MOST_BORDERS:
        lines.append(f"and {len(critical.borders) - MOST_BORDERS} more")
    some = critical.low < critical.high
    if not lines and some:
        lines.append(f"{head} {_only_fate(drawn, angle, critical)}")
    if (critical.low, critical.high) != drawn.speeds:
        between = f"{number(critical.low, 3)} and {number(critical.high, 3)} rad/s"
        where = f"those between {between} are listed" if some else "none listed"
        lines.append(f"{where}; critical_speeds in Python has all")
    return lines


def _only_fate(drawn: Portrait, angle: float, critical: CriticalSpeeds) -> str:
    """Return what becomes of all starts at an angle, where nothing parts them."""
    speeds = np.linspace(critical.low, critical.high, 5)
    label, turns = drawn.fates.of(np.full(speeds.size, angle), speeds)
    found = {drawn.fates.fate(int(a), int(b)) for a, b in zip(label, turns, strict=True)}
    if len(found) > 1:
        return "the fate changes where nothing could be decided"
    return f"at all speeds: {fate_text(found.pop())}"


def _show_section(arm: Arm, given: Mapping[str, Any], angles: Angles) -> None:
    """Cut through the motion of an arm from some starts, draw it, and print how often it passed."""
    joint, starts = given["section_joint"] or 1, given["start"] or []
    _check_section(arm, joint, starts, angles)
    at = read_quantity(given["section_angle"] or "0 deg", "angle", "--section-angle")
    torque = None if given["torque"] is None else _read_torque(given["torque"], arm)
    output = _picture(ulna.viewer.section_figure, given)
    check_outputs([output], overwrite=given["overwrite"])
    states = [_read_state(text, arm, angles) for text in starts]
    length = read_quantity(given["duration"] or LONG, "time", "--duration")
    with rewording(_of_option):
        asked = Scenario(arm=arm, duration=length, torque=torque)
        found = poincare(asked, starts=states, joint=joint, angle=at, on_interrupt="return")
    last = found.crossings[-1].run.status
    stopped = len(found.crossings) < len(states) or last.reason == "interrupted"
    if stopped:
        (output,) = interrupted_outputs([output])
    if not given["json"]:
        _print_section(found, given["arm"])
    _finish(found, [output], _section_facts(found, angles), json=given["json"])
    if stopped:
        drawn = f"stopped; what there is has been drawn in {output.file}"
        raise UnfinishedError([drawn], INTERRUPTED)


def _check_section(arm: Arm, joint: int, starts: Sequence[str], angles: Angles) -> None:
    if arm.n > MOST_JOINTS:
        hint = "draw the joints that matter in Python, with plot_projection"
        raise InputError(Problem("ARM", f"{arm.n} joints", f"at most {MOST_JOINTS}", hint))
    if not starts:
        such = ", ".join(["30 deg"] * arm.n + ["0 rad/s"] * arm.n)
        got, need = "nothing", f"{arm.n} angles, then {arm.n} speeds"
        raise InputError(Problem("--start", got, need, f'such as "{such}"'))
    if angles.absolute and joint > 1:
        got, need = f"joint {joint} with --angles absolute", "joint 1, whose angle is both"
        hint = "a section is cut at a joint's own angle: add --angles relative for another"
        raise InputError(Problem("--section-joint", got, need, hint))


def _print_section(section: Section, name: str) -> None:
    rows = [
        (str(index), f"{one.run.t[-1]:g}", str(len(one)), one.run.status.text)
        for index, one in enumerate(section.crossings, start=1)
    ]
    title = f"{name}: joint {section.joint} growing through {number(section.angle)} rad"
    show_table(title, ("start", "time [s]", "crossings", ""), rows)


def _section_facts(found: Section, angles: Angles) -> dict[str, Any]:
    """Return what was found, from the x axis too if angles are to be so."""
    facts = found.facts()
    if angles.absolute:
        facts["angles"] = "absolute"
        for told, one in zip(facts["crossings"], found.crossings, strict=True):
            told |= {"phi": angles.of(one.q), "phid": angles.of(one.qd)}
    return facts

"""`ulna portrait` of an arm with several joints: its runs, and a section through them."""

from __future__ import annotations

from typing import Any

from ulna.analysis import Portrait, Section, poincare
from ulna.arm import Arm
from ulna.cli.angle_option import Angles
from ulna.cli.arguments import read_joints, read_quantity
from ulna.cli.outputs import Output, check_outputs, interrupted_outputs, write_outputs
from ulna.cli.plotting import FORMATS, save_figure
from ulna.cli.portrait_report import show_section
from ulna.cli.portrait_states import named_here, read_state
from ulna.cli.running import INTERRUPTED, UnfinishedError
from ulna.cli.terminal import say, show_json
from ulna.errors import InputError, Problem
from ulna.viewer.section_figures import MOST_JOINTS


def show_section_of(
    arm: Arm,
    name: str,
    torque: str | None,
    starts: list[str],
    duration: str,
    joint: int,
    at: str,
    angles: Angles,
    *,
    out: str,
    json: bool,
    overwrite: bool,
) -> None:
    """Cut through the motion of an arm from some starts, and draw it."""
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
    options: dict[str, Any] = {
        "joint": joint,
        "angle": read_quantity(at, "angle", "--section-angle"),
    }
    if torque is not None:
        options["torque"] = read_joints(torque, "torque", arm, "--torque", "4 N*m")

    def write(found: Section, out: str) -> None:
        from ulna.viewer import section_figure

        save_figure(lambda: section_figure(found), out, overwrite=overwrite)

    output = Output("--out", out, FORMATS, write)
    check_outputs([output], overwrite=overwrite)
    states = [read_state(text, arm, angles) for text in starts]
    length = read_quantity(duration, "time", "--duration")
    with named_here():
        found = poincare(arm, starts=states, duration=length, on_interrupt="return", **options)
    last = found.crossings[-1].run.status
    stopped = len(found.crossings) < len(states) or last.reason == "interrupted"
    if stopped:
        (output,) = interrupted_outputs([output])
    if not json:
        show_section(found, name)
    finish(found, output, _facts(found, angles) if json else None)
    if stopped:
        raise UnfinishedError(
            [f"stopped; what there is has been drawn in {output.file}"], INTERRUPTED
        )


def _facts(found: Section, angles: Angles) -> dict[str, Any]:
    """Return what was found, from the x axis too if angles are to be so."""
    facts = found.facts()
    if angles.absolute:
        facts["angles"] = "absolute"
        for told, one in zip(facts["crossings"], found.crossings, strict=True):
            told |= {"phi": angles.of(one.q), "phid": angles.of(one.qd)}
    return facts


def finish(found: Portrait | Section, output: Output, facts: dict[str, Any] | None) -> None:
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

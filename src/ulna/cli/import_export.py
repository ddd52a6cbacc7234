"""`ulna import` and `ulna export`: arms as files of other programs."""

from __future__ import annotations

from typing import Annotated

from ulna.arm import ImportedArm
from ulna.arm.robot_files import dumps
from ulna.cli import flags
from ulna.cli.arguments import find_arm
from ulna.cli.flags import argument, option
from ulna.cli.outputs import Output, check_outputs
from ulna.cli.terminal import (
    counted,
    degrees,
    number,
    print_file,
    say,
    show_joints,
    show_json,
)
from ulna.errors import InputError, Problem, rewording
from ulna.interop.description_files import DESCRIPTIONS, export_robot, import_robot
from ulna.interop.exported_arm import ACCELERATION, ExportedArm
from ulna.storage import write_whole

LINKS = {"base_link": "--base-link", "tip_link": "--tip-link"}
TYPED = LINKS | {"hold": "--hold"}
IN_TEXT = LINKS | {"to hold": "to --hold"}

FileArgument = Annotated[str, argument("FILE", f"The file to read: {', '.join(DESCRIPTIONS)}.")]
TomlOption = Annotated[str | None, option("FILE", "Write a robot file, .toml; else it is printed.")]
DescriptionOption = Annotated[
    str | None, option("FILE", f"The file to write: {', '.join(DESCRIPTIONS)}.")
]
BaseOption = Annotated[
    str | None, option("LINK", "The link that the arm stands on; the root unless given.")
]
TipOption = Annotated[str | None, option("LINK", "The link whose frame is the tip of the arm.")]
HoldOption = Annotated[
    list[str] | None,
    option("JOINT", "A joint between them that is held at zero; once for each such joint."),
]


def import_(
    file: FileArgument,
    base_link: BaseOption = None,
    tip_link: TipOption = None,
    hold: HoldOption = None,
    out: TomlOption = None,
    overwrite: flags.Overwrite = False,
) -> None:
    """Read the planar arm in a file of another program, and write a robot file.

    Joints outside of the arm, between the root and --base-link or beyond --tip-link, are held at
    zero, and so are those of --hold. Whatever is not planar is named, and nothing is flattened.
    """
    if out is not None:
        check_outputs([Output("--out", out, (".toml",), _unwritten)], overwrite=overwrite)
    with rewording(_as_typed):
        found = import_robot(file, base_link=base_link, tip_link=tip_link, hold=hold or ())
    if out is None:
        print_file(dumps(found.arm))
        return
    write_whole(out, dumps(found.arm), overwrite=overwrite)
    say(f"wrote {out}, an arm of {counted(found.arm.n, 'link')}")
    show_joints("angles of the file and of the arm", _angles(found))
    say(found.axes_text)
    say(f"next: ulna check {out}")


def _unwritten(_result: object, _file: str) -> None:
    """Stand for a writer where only the name of a file is checked."""


def _as_typed(problem: Problem) -> Problem:
    """Return a problem with the names of options in place of Python's."""
    hint, what = problem.hint, TYPED.get(problem.what, problem.what)
    need = problem.need
    for name, typed in IN_TEXT.items():
        hint, need = hint.replace(name, typed), need.replace(name, typed)
    return Problem(what, problem.got, need, hint, problem.place)


def _angles(found: ImportedArm) -> dict[str, list[str]]:
    lengths = [f"{number(link.length, 4)}" for link in found.arm.links]
    signs = ["against the file's" if sign < 0.0 else "as in the file" for sign in found.signs]
    offsets = [degrees(offset, 3) for offset in found.offsets]
    return {
        "in the file": list(found.joint_names),
        "link [m]": lengths,
        "counts": signs,
        "at its zero [°]": offsets,
    }


def export(
    arm: flags.Arm,
    out: DescriptionOption = None,
    values: flags.Values = None,
    overwrite: flags.Overwrite = False,
    json: flags.Json = False,
) -> None:
    """Write an arm as a file of another program; what such a file loses is told.

    The largest difference of torques is over all poses, rates up to the joints' limits or 5 rad/s,
    and accelerations up to 10 rad/s².
    """
    if out is None:
        need = f"the file to write, a name that ends in {', '.join(DESCRIPTIONS)}"
        raise InputError(Problem("--out", "nothing", need))
    check_outputs([Output("--out", out, tuple(DESCRIPTIONS), _unwritten)], overwrite=overwrite)
    described = find_arm(arm, values=values)
    exported = export_robot(described, out)
    write_whole(out, exported.text, overwrite=overwrite)
    if json:
        show_json(_loss(exported, out))
        return
    say(f"wrote {out}, an arm of {counted(described.n, 'link')}")
    if exported.largest == 0.0:
        say(exported.largest_text)


def _loss(exported: ExportedArm, out: str) -> dict[str, object]:
    return {
        "file": out,
        "lost": list(exported.lost),
        "left_out_by_readers": list(exported.unread),
        "largest_torque_difference": exported.largest,
        "torque_differences": list(exported.differences),
        "rates": list(exported.rates),
        "acceleration": ACCELERATION,
    }

"""`ulna derive`: the equations of motion after Lagrange, on paper or as code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ulna.cli import flags
from ulna.cli.arguments import find_arm, read_choice
from ulna.cli.flags import option, switch, with_default
from ulna.cli.terminal import note, print_file, say
from ulna.derivation import derive as derived
from ulna.errors import InputError, Problem, rewording, shown
from ulna.storage import check_new, write_whole

if TYPE_CHECKING:
    from ulna.derivation.derivation import Derivation

ENDINGS = {
    ".txt": "text",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".py": "python",
    ".c": "c",
    ".m": "matlab",
    ".js": "javascript",
    ".mjs": "javascript",
}
FORMATS = tuple(dict.fromkeys(ENDINGS.values()))

LinksOption = Annotated[int | None, option(None, "1 to 4; two unless given.")]
ConventionOption = Annotated[
    str, with_default(None, "relative joint angles, or absolute link angles.")
]
BodiesOption = Annotated[str | None, option(None, "rods, points or general; rods unless given.")]
GravityOption = Annotated[str | None, option(None, "down, vector or none; down unless given.")]
ArmOption = Annotated[
    str | None, option("ARM", "Put the numbers of a preset or robot file beside the letters.")
]
FormatOption = Annotated[
    str | None, option(None, "text, markdown, latex, html, python, c, matlab or javascript.")
]
OutOption = Annotated[str | None, option("FILE", "Write a file; its ending chooses the format.")]


def derive(
    links: LinksOption = None,
    convention: ConventionOption = "relative",
    bodies: BodiesOption = None,
    payload: Annotated[bool, switch("--payload", "Add a payload at the tip.")] = False,
    tip_force: Annotated[bool, switch("--tip-force", "Add a force that acts on the tip.")] = False,
    gravity: GravityOption = None,
    drives: Annotated[bool, switch("--drives", "Add geared rotors and damping.")] = False,
    friction: Annotated[bool, switch("--friction", "Add dry friction and drag.")] = False,
    arm: ArmOption = None,
    values: flags.Values = None,
    format: FormatOption = None,  # noqa: A002 - the word that users know
    out: OutOption = None,
    overwrite: flags.Overwrite = False,
) -> None:
    """Derive the equations of motion step by step, and check them in numbers."""
    wanted = _format(format, out)
    if out is not None:
        check_new(out, "--out", overwrite=overwrite)
    if arm is None and values:
        need = "an arm"
        raise InputError(Problem("--set", shown(values[0]), need, "add --arm"))
    numbers = None if arm is None else find_arm(arm, "--arm", values)
    with rewording(lambda problem: replace(problem, what=f"--{problem.what}")):
        found = derived(
            arm=numbers,
            links=links,
            convention=convention,
            bodies=bodies,
            payload=payload or None,
            tip_force=tip_force,
            gravity=gravity,
            drives=drives or None,
            friction=friction,
        )
    if out is not None:
        _save(found, wanted, out, overwrite=overwrite)
    elif wanted == "text":
        say(found.text())
    else:
        print_file(found.write(wanted))


def _save(found: Derivation, wanted: str, out: str, *, overwrite: bool) -> None:
    matlab = wanted == "matlab"
    text = found.code("matlab", name=Path(out).stem) if matlab else found.write(wanted)
    write_whole(out, text, overwrite=overwrite)
    if matlab and f" {Path(out).stem}()" not in text.partition("\n")[0]:
        note(f"MATLAB cannot call a file of this name: rename {out} to arm_model.m")
    say(f"{found.title}: written to {out}")
    say(f"checked against the closed form: largest difference {found.check.worst:.1e}")


def _format(named: str | None, out: str | None) -> str:
    """Return the format that was named, or that the ending of the file stands for."""
    if named is not None:
        return read_choice(named, FORMATS, "--format", f"one of {', '.join(FORMATS)}")
    if out is None:
        return "text"
    ending = Path(out).suffix.lower()
    if ending not in ENDINGS:
        need = f"a name that ends in {', '.join(ENDINGS)}"
        raise InputError(Problem("--out", shown(out), need, "or add --format"))
    return ENDINGS[ending]

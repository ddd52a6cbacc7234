"""`ulna derive`: the equations of motion after Lagrange, on paper or as code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ulna.cli.arguments import OverwriteOption, find_arm
from ulna.cli.terminal import fitted, note, print_file, say
from ulna.derivation import derive as derived
from ulna.errors import InputError, Problem, did_you_mean, shown
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
}
FORMATS = tuple(ENDINGS.values())


def derive(
    links: Annotated[
        int | None, typer.Option("--links", help="1 to 4; two unless given.", show_default=False)
    ] = None,
    convention: Annotated[
        str,
        typer.Option("--convention", help="relative joint angles, or absolute link angles."),
    ] = "relative",
    bodies: Annotated[
        str | None,
        typer.Option(
            "--bodies", help="rods, points or general; rods unless given.", show_default=False
        ),
    ] = None,
    payload: Annotated[bool, typer.Option("--payload", help="Add a payload at the tip.")] = False,
    tip_force: Annotated[
        bool, typer.Option("--tip-force", help="Add a force that acts on the tip.")
    ] = False,
    gravity: Annotated[
        str | None,
        typer.Option(
            "--gravity", help="down, vector or none; down unless given.", show_default=False
        ),
    ] = None,
    drives: Annotated[
        bool, typer.Option("--drives", help="Add geared rotors and damping.")
    ] = False,
    arm: Annotated[
        str | None,
        typer.Option(
            "--arm",
            metavar="ARM",
            help="Put the numbers of a preset or robot file beside the letters.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[  # noqa: A002 - the word that users know
        str | None,
        typer.Option(
            "--format", help="text, markdown, latex, html, python, c or matlab.", show_default=False
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Write a file; its ending chooses the format.",
            show_default=False,
        ),
    ] = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Derive the equations of motion step by step, and check them in numbers."""
    wanted = _format(format, out)
    if out is not None:
        check_new(out, "--out", overwrite=overwrite)
    found = _derived(
        arm=None if arm is None else find_arm(arm, "--arm"),
        links=links,
        convention=convention,
        bodies=bodies,
        payload=payload or None,
        tip_force=tip_force,
        gravity=gravity,
        drives=drives or None,
    )
    if out is not None:
        _save(found, wanted, out, overwrite=overwrite)
    elif wanted == "text":
        # The terminal's letters first: a table is laid out in what will be printed.
        say(found.text(spell=fitted))
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


def _derived(**options: Any) -> Derivation:
    """Derive; what is wrong with an option is told by the name it has here."""
    try:
        return derived(**options)
    except InputError as error:
        renamed = (replace(problem, what=f"--{problem.what}") for problem in error.problems)
        raise InputError(renamed) from None


def _format(named: str | None, out: str | None) -> str:
    """Return the format that was named, or that the ending of the file stands for."""
    if named is not None:
        if named not in FORMATS:
            hint = did_you_mean(named, FORMATS)
            raise InputError(
                Problem("--format", shown(named), f"one of {', '.join(FORMATS)}", hint)
            )
        return named
    if out is None:
        return "text"
    ending = Path(out).suffix.lower()
    if ending not in ENDINGS:
        need = f"a name that ends in {', '.join(ENDINGS)}"
        raise InputError(Problem("--out", shown(out), need, "or add --format"))
    return ENDINGS[ending]

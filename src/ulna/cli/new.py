"""`ulna new`: a commented file to start from, of an arm or of a controller."""

from __future__ import annotations

from importlib.resources import files
from pathlib import PurePath
from typing import Annotated

from ulna.arm.robot_files import template
from ulna.cli import flags
from ulna.cli.flags import argument, option
from ulna.cli.terminal import counted, say
from ulna.errors import InputError, Problem, shown
from ulna.storage import write_whole

USUAL_LINKS = 2

FileArgument = Annotated[
    str, argument("FILE", "The file to write: .toml for an arm, .py for a controller.")
]
LinksOption = Annotated[
    int | None, option(None, f"How many links the arm has; {USUAL_LINKS} unless given.")
]


def new(file: FileArgument, links: LinksOption = None, overwrite: flags.Overwrite = False) -> None:
    """Write a commented file to start from: an arm (.toml) or a controller (.py)."""
    ending = PurePath(file).suffix.lower()
    if ending == ".toml":
        _new_arm(file, USUAL_LINKS if links is None else links, overwrite=overwrite)
    elif ending == ".py":
        _new_controller(file, links, overwrite=overwrite)
    else:
        need = "a name that ends in .toml, for an arm, or in .py, for a controller"
        raise InputError(Problem("FILE", shown(file), need))


def _new_arm(file: str, links: int, *, overwrite: bool) -> None:
    write_whole(file, template(links), overwrite=overwrite)
    say(f"wrote {file}, an arm of {counted(links, 'link')}")
    say(f"next: edit it, then  ulna check {file}")


def _new_controller(file: str, links: int | None, *, overwrite: bool) -> None:
    if links is not None:
        raise InputError(Problem("--links", str(links), "no number of links for a controller"))
    script = files("ulna.control") / "controller_template.txt"
    write_whole(file, script.read_text("utf-8"), overwrite=overwrite)
    say(f"wrote {file}, a controller and a run that tries it")
    say(f"next: edit it, then  python {file}")

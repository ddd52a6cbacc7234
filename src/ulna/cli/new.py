"""`ulna new`: a commented robot file to start from."""

from __future__ import annotations

from typing import Annotated

import typer

from ulna.arm.template import template
from ulna.cli.arguments import ForceOption
from ulna.cli.terminal import say
from ulna.storage import write_whole


def new(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The robot file to write (.toml).")],
    links: Annotated[int, typer.Option(help="How many links the arm has.")] = 2,
    force: ForceOption = False,
) -> None:
    """Write a commented robot file to start from."""
    write_whole(file, template(links), force=force)
    say(f"wrote {file}, an arm of {links} link{'s' * (links != 1)}")
    say(f"next: edit it, then  ulna check {file}")

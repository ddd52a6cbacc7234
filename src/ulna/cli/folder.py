"""A folder of results: checked before any work is done, then filled file by file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ulna.cli.outputs import Output
from ulna.cli.plotting import save_figure
from ulna.cli.terminal import as_json
from ulna.errors import FileError, InputError, Problem, shown
from ulna.storage import exists, write_whole

Writer = Callable[[Any, str], None]


def folder_outputs(folder: str, writers: Mapping[str, Writer], *, force: bool) -> list[Output]:
    """List the files of a folder; refuses what could not be written in the end."""
    place = Path(folder)
    if not folder.strip():
        raise InputError(Problem("--out", shown(folder), "a folder, such as results"))
    _check_folder(place)
    present = [name for name in writers if exists(place / name)]
    if present and not force:
        got = f"{folder}, which holds {', '.join(present)}"
        hint = "add --force to replace them, or give another folder"
        raise InputError(Problem("--out", got, "a folder without such files", hint))
    return [
        # A film takes its time, which Ctrl-C is not to wait for.
        Output(
            "--out",
            str(place / name),
            (),
            _bound(writer, str(place / name)),
            patient=not name.endswith(".mp4"),
        )
        for name, writer in writers.items()
    ]


def _bound(writer: Writer, file: str) -> Callable[[Any], None]:
    return lambda result: writer(result, file)


def _check_folder(place: Path) -> None:
    nearest = next(part for part in (place, *place.absolute().parents) if exists(part))
    if not nearest.is_dir():
        raise FileError(f"{place}: cannot be a folder: {nearest} is a file")
    if not os.access(nearest, os.W_OK):
        raise FileError(f"{place}: cannot be written: the folder {nearest} cannot be written to")


def make_folder(folder: str) -> None:
    """Make the folder if it is not there."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder}: cannot be made: {error.strerror}") from error


def figure_writer(draw: Callable[[Any], Any]) -> Writer:
    """Give what draws a result into a file."""
    return lambda result, file: save_figure(lambda: draw(result), file, force=True)


def json_writer(facts: Callable[[Any], Mapping[str, Any]]) -> Writer:
    """Give what writes the numbers of a result as JSON, in SI units."""
    return lambda result, file: write_whole(file, as_json(facts(result)) + "\n")

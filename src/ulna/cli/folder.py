"""A folder of results: checked before any work is done, filled when all of them are there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ulna.cli.outputs import Output, Written, write_outputs
from ulna.cli.plotting import save_figure
from ulna.cli.terminal import as_json
from ulna.errors import FileError, InputError, Problem, UlnaError, shown
from ulna.storage import exists, move_in, set_aside, staged, write_whole

Writer = Callable[[Any, str], None]


def folder_outputs(folder: str, writers: Mapping[str, Writer], *, overwrite: bool) -> list[Output]:
    """List the files of a folder; raise if one could not be written in the end."""
    place = Path(folder)
    if not folder.strip():
        raise InputError(Problem("--out", shown(folder), "a folder, such as results"))
    _check_folder(place)
    present = [name for name in writers if exists(place / name)]
    if present and not overwrite:
        got = f"{folder}, which holds {', '.join(present)}"
        hint = "add --overwrite to replace them, or give another folder"
        raise InputError(Problem("--out", got, "a folder without such files", hint))
    for name in present:
        if (place / name).is_dir():
            raise FileError(f"{place / name}: cannot be written: it is a folder")
    return [
        # A film takes its time, which Ctrl-C is not to wait for.
        Output("--out", str(place / name), (), writer, patient=not name.endswith(".mp4"))
        for name, writer in writers.items()
    ]


def write_folder(
    result: Any,
    outputs: Sequence[Output],
    folder: str,
    *,
    old: Callable[[Path], Sequence[str]],
    overwrite: bool,
    whole: bool = True,
) -> Written:
    """Write files that belong together, and put them into their folder at once.

    With `overwrite` they take the place of those that are there, and of the `old` ones: files of
    one result are never beside those of another. Any other file stays. What is not `whole`, because
    of Ctrl-C or since a file could not be written, goes into a folder of its own, as
    "plan.interrupted", and all that is there stays as it was.
    """
    place = Path(folder)
    with staged(place) as part:
        inside = [output._replace(file=str(part / _name(output.file))) for output in outputs]
        written = write_outputs(result, inside)
        home = place
        if whole and not written.missing:
            move_in(part, place, old(place), overwrite=overwrite)
        elif written.files:
            home = _set_aside(part, place)
    return Written(
        [str(home / _name(file)) for file in written.files],
        [str(place / _name(file)) for file in written.missing],
        [_at_home(trouble, part, place) for trouble in written.troubles],
        written.stopped,
    )


def _name(file: str) -> str:
    return Path(file).name


def _set_aside(part: Path, place: Path) -> Path:
    if place.name not in ("", ".."):
        # The folder around it may be closed, or on another disk.
        with suppress(FileError):
            return set_aside(part, place)
    return set_aside(part, place / "results")


def _at_home(trouble: UlnaError, part: Path, place: Path) -> UlnaError:
    """Return a trouble with a file under the name that the file was to have."""
    if not isinstance(trouble, FileError):
        return trouble
    return FileError(str(trouble).replace(str(part), str(place)))


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
    """Return what draws a result into a file."""
    return lambda result, file: save_figure(lambda: draw(result), file, overwrite=True)


def json_writer(facts: Callable[[Any], Mapping[str, Any]]) -> Writer:
    """Return what writes the numbers of a result as JSON, in SI units."""
    return lambda result, file: write_whole(file, as_json(facts(result)) + "\n")

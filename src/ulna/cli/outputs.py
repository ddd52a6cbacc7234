"""What a command writes, and how it ends.

Files are checked before any work is done, then written one by one; those of a folder belong
together, and are put into it when all of them are there. What one file meets does not keep back
the others: the command ends with `UnfinishedError` after it has done all the rest.
"""

from __future__ import annotations

import io
import math
import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import ulna
from ulna.cli.arguments import spoken
from ulna.cli.terminal import TYPED, as_json
from ulna.concurrency import call_in_thread
from ulna.errors import (
    FileError,
    InputError,
    Problem,
    Problems,
    UlnaError,
    import_extra,
    shown,
)
from ulna.storage import (
    check_new,
    exists,
    move_in,
    name_aside,
    set_aside,
    staged,
    write_whole,
)

if TYPE_CHECKING:
    from ulna.simulation.outcome import Status

FAILED, INTERRUPTED = 3, 130  # exit codes
FIGURES = (".png", ".svg", ".pdf")
FPS = 30.0  # pictures a second

Writer = Callable[[Any, str], object]  # writes a result, such as a run, to a file


class UnfinishedError(UlnaError):
    """What a command could not do, raised after it has done all the rest."""

    def __init__(self, told: Sequence[str], exit_code: int) -> None:
        super().__init__("\n".join(told))
        self.exit_code = exit_code


class Written(NamedTuple):
    """What became of the files."""

    files: list[str]
    missing: list[str]
    troubles: list[UlnaError]

    @property
    def line(self) -> str:
        """The files, those of one folder by their names in it."""
        folders = {str(Path(file).parent) for file in self.files}
        if len(folders) != 1 or len(self.files) == 1:
            return ", ".join(self.files)
        return f"in {folders.pop()}: {', '.join(Path(file).name for file in self.files)}"

    @property
    def kept(self) -> str:
        """Where to find what a run did until it ended."""
        return f"; all until then is in {', '.join(self.files)}" if self.files else ""

    def raise_if_failed(self, status: Status | None = None, cause: Exception | None = None) -> None:
        """Raise if files could not be written or a run has failed, with what is kept nevertheless.

        The cause is the exception that ended a run, for those who ask for its traceback.
        """
        told = [spoken(str(trouble)) for trouble in self.troubles]
        codes = [trouble.exit_code for trouble in self.troubles]
        if status is not None and not status:
            told.append(f"{spoken(status.text)}{self.kept}")
            codes.append(INTERRUPTED if status.reason == "interrupted" else FAILED)
        if told:
            raise UnfinishedError(told, codes[0]) from cause


class Output(NamedTuple):
    """A file to write: the option that asked for it, its kinds, and how it is written."""

    option: str
    file: str
    endings: tuple[str, ...]
    write: Writer


def data_output(option: str, file: str, endings: tuple[str, ...], *, overwrite: bool) -> Output:
    """Return the file that holds the numbers of a run."""
    return Output(option, file, endings, lambda run, file: run.save(file, overwrite=overwrite))


def picture_outputs(
    plot: str | None, film: str | None, speed: float, *, overwrite: bool
) -> list[Output]:
    """Return the page that a run is drawn on and its film, if they are asked for."""

    def draw(run: Any, file: str) -> None:
        save_figure(lambda: ulna.viewer.run_figure(run), file, overwrite=overwrite)

    outputs = [Output("--plot", plot, FIGURES, draw)] if plot is not None else []
    if film is not None:
        from ulna.viewer.video import FORMATS

        def make(run: Any, file: str) -> None:
            ulna.animate(run, file, fps=FPS, speed=speed, overwrite=overwrite)

        outputs.append(Output("--film", film, tuple(FORMATS), make))
    return outputs


def check_film(speed: float, seconds: float | None = None) -> None:
    """Raise if no film could be made of a run of so many seconds, if that is known."""
    from ulna.viewer.film import MOST_FRAMES
    from ulna.viewer.video import ffmpeg

    ffmpeg()
    if not 0.0 < speed < math.inf:
        raise InputError(Problem("--film-speed", shown(speed), "a number above 0"))
    frames = (seconds or 0.0) / speed * FPS
    if frames > MOST_FRAMES:
        faster = f"add --film-speed {1.05 * speed * frames / MOST_FRAMES:.2g}"
        need = f"at most {MOST_FRAMES:,}"
        raise InputError(Problem("--film", f"{frames:,.0f} pictures", need, faster))


def check_outputs(outputs: Sequence[Output], *, overwrite: bool) -> None:
    """Raise if files could not be written in the end, all of them at once."""
    problems = Problems()
    for output in outputs:
        with problems.gather():
            _check_ending(output.option, output.file, output.endings)
            check_new(output.file, output.option, overwrite=overwrite)
    problems.raise_if_any()
    for output in outputs:
        _check_place(Path(output.file))


def _check_ending(option: str, file: str, endings: Iterable[str]) -> None:
    if Path(file).suffix.lower() not in endings:
        need = "a name that ends in " + ", ".join(endings)
        raise InputError(Problem(option, shown(file), need))


def _check_place(path: Path) -> None:
    if path.suffix.lower() == ".parquet":
        import_extra("pyarrow", "tables", "a .parquet file")
    trouble = ""
    if path.is_dir():
        trouble = "it is a folder"
    elif not path.parent.is_dir():
        trouble = f"there is no folder {path.parent}"
    elif not os.access(path.parent, os.W_OK):
        trouble = f"the folder {path.parent} cannot be written to"
    if trouble:
        raise FileError(f"{path}: cannot be written: {trouble}")


def write_outputs(result: Any, outputs: Sequence[Output]) -> Written:
    """Write all files that can be written; Ctrl-C leaves out those that are not written yet."""
    files: list[str] = []
    troubles: list[UlnaError] = []
    try:
        for output in outputs:
            try:
                output.write(result, output.file)
                files.append(output.file)
            except UlnaError as error:
                troubles.append(error)
    except KeyboardInterrupt:
        left = ", ".join(output.file for output in outputs if output.file not in files)
        troubles.append(UnfinishedError([f"stopped; not written: {left}"], INTERRUPTED))
    missing = [output.file for output in outputs if output.file not in files]
    return Written(files, missing, troubles)


def interrupted_outputs(outputs: Sequence[Output]) -> list[Output]:
    """Return the outputs under names of their own: what is finished is not replaced by less."""
    return [output._replace(file=str(name_aside(output.file))) for output in outputs]


def save_figure(draw: Callable[[], Any], file: str, *, overwrite: bool) -> None:
    """Draw and write a figure; nothing is drawn for a file that cannot be written."""
    _check_ending("--plot", file, FIGURES)
    check_new(file, "--plot", overwrite=overwrite)
    picture = call_in_thread(_drawn, draw, Path(file).suffix.lower()[1:])
    write_whole(file, picture, overwrite=overwrite)


def _drawn(draw: Callable[[], Any], form: str) -> bytes:
    page = io.BytesIO()
    draw().savefig(page, format=form)
    return page.getvalue()


def figure_writer(draw: Callable[[Any], Any]) -> Writer:
    """Return what draws a result into a file."""
    return lambda result, file: save_figure(lambda: draw(result), file, overwrite=True)


def typed_command() -> str:
    """Return the command as it was typed, quoted for a shell."""
    return shlex.join(["ulna", *TYPED])


def html_outputs(
    html: str | None,
    *,
    overwrite: bool,
    options: Callable[[Any], Mapping[str, Any]] = lambda result: {},
) -> list[Output]:
    """Return the page that a result is told on, if it is asked for, with options of `report`."""

    def write(result: Any, file: str) -> None:
        given = options(result)
        ulna.report(result, file, command=typed_command(), overwrite=overwrite, **given)

    return [] if html is None else [Output("--html", html, (".html",), write)]


def json_writer(facts: Callable[[Any], Mapping[str, Any]]) -> Writer:
    """Return what writes the numbers of a result as JSON, in SI units."""
    return lambda result, file: write_whole(file, as_json(facts(result)) + "\n")


class ResultFolder:
    """A folder of files that belong together; raises if one could not be written in the end.

    `old` returns the names of files that an earlier result has left in the folder.
    """

    def __init__(
        self,
        folder: str,
        writers: Mapping[str, Writer],
        old: Callable[[Path], Sequence[str]],
        *,
        overwrite: bool,
    ) -> None:
        self.place, self.writers, self.old = check_folder(folder), writers, old
        self.overwrite = overwrite
        present = [name for name in writers if exists(self.place / name)]
        if present and not overwrite:
            got = f"{folder}, which holds {', '.join(present)}"
            hint = "add --overwrite to replace them, or give another folder"
            raise InputError(Problem("--out", got, "a folder without such files", hint))
        for name in present:
            if (self.place / name).is_dir():
                raise FileError(f"{self.place / name}: cannot be written: it is a folder")

    def write(
        self, result: Any, names: Iterable[str] | None = None, *, whole: bool = True
    ) -> Written:
        """Write the files, or those of some names, and put them into the folder at once.

        With `overwrite` they take the place of those that are there, and of the `old` ones; see
        `move_in`. Any other file stays. What is not `whole`, because of Ctrl-C or since a file
        could not be written, goes into a folder of its own, as "plan.interrupted", and all that is
        there stays as it was.
        """
        place = self.place
        with staged(place) as part:
            inside = [
                Output("--out", str(part / name), (), writer)
                for name, writer in self.writers.items()
                if names is None or name in names
            ]
            written = write_outputs(result, inside)
            home = place
            if whole and not written.missing:
                move_in(part, place, self.old(place), overwrite=self.overwrite)
            elif written.files:
                home = _set_aside(part, place)
        return Written(
            [str(home / Path(file).name) for file in written.files],
            [str(place / Path(file).name) for file in written.missing],
            [_at_home(trouble, part, place) for trouble in written.troubles],
        )


def check_folder(folder: str) -> Path:
    """Return the folder; raise if nothing could be written into it."""
    place = Path(folder)
    if not folder.strip():
        raise InputError(Problem("--out", shown(folder), "a folder, such as results"))
    nearest = next(part for part in (place, *place.absolute().parents) if exists(part))
    if not nearest.is_dir():
        raise FileError(f"{place}: cannot be a folder: {nearest} is a file")
    if not os.access(nearest, os.W_OK):
        raise FileError(f"{place}: cannot be written: the folder {nearest} cannot be written to")
    return place


def _set_aside(part: Path, place: Path) -> Path:
    if place.name not in ("", ".."):
        # The folder around it may be closed, or on another disk.
        with suppress(FileError):
            return set_aside(part, place)
    return set_aside(part, place / "results")


def _at_home(trouble: UlnaError, part: Path, place: Path) -> UlnaError:
    """Return a trouble with a file under the name that the file was to have."""
    text = str(trouble).replace(str(part), str(place))
    if isinstance(trouble, UnfinishedError):
        return UnfinishedError([text], trouble.exit_code)
    return FileError(text) if isinstance(trouble, FileError) else trouble

"""Files that a run goes into: checked before any work is done, then written one by one."""

from __future__ import annotations

import importlib.util
import math
import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from ulna.cli.plotting import FORMATS, save_figure
from ulna.concurrency import deferred, listening
from ulna.errors import FileError, InputError, MissingExtraError, Problem, UlnaError, shown
from ulna.simulation import Run
from ulna.simulation.files import ENDINGS
from ulna.storage import check_new, name_aside

FPS = 30.0  # pictures a second


class Output(NamedTuple):
    """A file to write: the option that asked for it, its kinds, and how it is written."""

    option: str
    file: str
    endings: tuple[str, ...]
    write: Callable[[Any, str], None]  # a run, or whatever it is that is written, to a file
    patient: bool = True  # a first Ctrl-C lets it be finished


class Written(NamedTuple):
    """What became of the files."""

    files: list[str]
    missing: list[str]
    troubles: list[UlnaError]
    stopped: bool  # by Ctrl-C


def data_output(
    option: str, file: str, *, overwrite: bool, endings: tuple[str, ...] = ENDINGS
) -> Output:
    """Return the file that holds the numbers of a run."""
    return Output(option, file, endings, lambda run, file: run.save(file, overwrite=overwrite))


def figure_output(file: str, *, overwrite: bool) -> Output:
    """Return the page that a run is drawn on."""

    def write(run: Run, file: str) -> None:
        from ulna.viewer import run_figure

        save_figure(lambda: run_figure(run), file, overwrite=overwrite)

    return Output("--plot", file, FORMATS, write)


def film_output(file: str, speed: float, *, overwrite: bool) -> Output:
    """Return the film of a run."""
    from ulna.viewer import animate
    from ulna.viewer.video import FORMATS

    def write(run: Run, file: str) -> None:
        animate(run, file, fps=FPS, speed=speed, overwrite=overwrite)

    return Output("--film", file, tuple(FORMATS), write, patient=False)


def check_outputs(outputs: Sequence[Output], *, overwrite: bool) -> None:
    """Raise if files could not be written in the end, all of them at once."""
    problems: list[Problem] = []
    for output in outputs:
        try:
            _check_ending(output)
            check_new(output.file, output.option, overwrite=overwrite)
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    for output in outputs:
        _check_place(output)


def check_film(speed: float, seconds: float | None = None) -> None:
    """Raise if no film could be made of a run of so many seconds, if that is known."""
    from ulna.viewer.film import MOST_FRAMES

    if not 0.0 < speed < math.inf:
        raise InputError(Problem("--film-speed", shown(speed), "a number above 0"))
    frames = (seconds or 0.0) / speed * FPS
    if frames > MOST_FRAMES:
        faster = f"add --film-speed {1.05 * speed * frames / MOST_FRAMES:.2g}"
        need = f"at most {MOST_FRAMES:,}"
        raise InputError(Problem("--film", f"{frames:,.0f} pictures", need, faster))


def _check_ending(output: Output) -> None:
    ending = Path(output.file).suffix.lower()
    if ending not in output.endings:
        need = "a name that ends in " + ", ".join(output.endings)
        raise InputError(Problem(output.option, shown(output.file), need))


def _check_place(output: Output) -> None:
    path = Path(output.file)
    if path.suffix.lower() == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        way = "pip install 'ulna[tables]'"
        raise MissingExtraError(f"a .parquet file needs pyarrow, which is missing: {way}")
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
    """Write all files that can be written; what one of them meets does not keep back the others."""
    files: list[str] = []
    troubles: list[UlnaError] = []
    stopped = False
    try:
        for output in outputs:
            with deferred() if output.patient else nullcontext():
                try:
                    output.write(result, output.file)
                    files.append(output.file)
                except UlnaError as error:
                    troubles.append(error)
    except KeyboardInterrupt:
        listening().clear()
        stopped = True
    missing = [output.file for output in outputs if output.file not in files]
    return Written(files, missing, troubles, stopped)


def interrupted_outputs(outputs: Sequence[Output]) -> list[Output]:
    """Return the outputs under names of their own: what is finished is not replaced by less."""
    return [output._replace(file=str(name_aside(output.file))) for output in outputs]

"""Films of a run."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from numbers import Real
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arm import Arm
from ulna.concurrency import interruptible
from ulna.errors import InputError, Problem, shown
from ulna.namespaces import suggest_keywords
from ulna.progress import progress as progress_line
from ulna.storage import check_new
from ulna.viewer.frames import TRAIL, ArmScene, Playback, moments
from ulna.viewer.inline import InlineFilm, inline_ending
from ulna.viewer.style import PRINT, Theme
from ulna.viewer.video import WRITERS, FilmFormat, write_film

if TYPE_CHECKING:
    from ulna.simulation.run import Run

SIZE = (800, 800)  # [pixels] wide and high
INLINE_SIZE = (480, 480)  # [pixels] of a film in a notebook, which holds it as text
SMALLEST, LARGEST = 64, 4096  # [pixels]
MOST_FRAMES = 20_000
RATES = {".mp4": 240.0, ".gif": 50.0}  # [1/s] the most that players keep up with


@interruptible
@suggest_keywords(force="overwrite", replace="overwrite", filename="file")
def animate(
    run: Run,
    file: str | os.PathLike[str] | None = None,
    *,
    fps: float = 30.0,
    speed: float = 1.0,
    size: tuple[int, int] | None = None,
    theme: Theme = PRINT,
    overwrite: bool = True,
    progress: bool | None = None,
) -> InlineFilm | None:
    """Make a film of a run: a file, or without one a film that a notebook plays.

    Parameters
    ----------
    run : Run
        What `ulna.simulate` returned.
    file : path-like, optional
        The film, .mp4 or .gif by its name. Without it the film is returned: as the
        last line of a notebook's cell it plays there; anywhere else it says what it is, and its
        `save` writes it.
    fps : float, optional
        Pictures a second.
    speed : float, optional
        How many times as fast as the run went it plays.
    size : tuple of int, optional
        Width and height, even numbers of pixels: 800 × 800 in a file, 480 × 480 in a notebook.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.
    overwrite : bool, optional
        Whether a file that exists is replaced.
    progress : bool, optional
        Whether a bar appears. Without it, where somebody sees it: on a terminal, in a notebook.

    Returns
    -------
    InlineFilm or None
        The film, if there is no file to write it to.

    Raises
    ------
    InputError
        For what no film can be made of, and a file that is to stay.
    FileError
        If the file cannot be written.

    Examples
    --------
    >>> import ulna
    >>> run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], duration=0.1)
    >>> animate(run, fps=10.0, size=(64, 64)).frames
    2
    """
    if size is None:
        size = INLINE_SIZE if file is None else SIZE
    check_film(file, fps, speed, size, overwrite=overwrite)
    fps, size = float(fps), (int(size[0]), int(size[1]))
    times = frame_times(run, fps, float(speed))
    scene = ArmScene(run.arm, arm_title(run.arm), speed_remark(speed), size, theme)
    # By then the trace has all of its colours.
    *_, late = moments(run, times[: math.ceil(TRAIL * fps) + 1], fps)
    film = FilmFormat(fps, size, scene.draw(late).copy())
    pictures = (scene.draw(moment) for moment in moments(run, times, fps))
    return filmed(file, pictures, len(times), film, overwrite=overwrite, progress=progress)


def filmed(
    file: str | os.PathLike[str] | None,
    pictures: Iterable[np.ndarray],
    count: int,
    film: FilmFormat,
    *,
    overwrite: bool,
    progress: bool | None,
) -> InlineFilm | None:
    """Write a film to a file, or without one keep it for a notebook."""
    if file is not None:
        shoot(file, pictures, count, film, overwrite=overwrite, progress=progress)
        return None
    with TemporaryDirectory() as folder:
        place = Path(folder) / f"film{inline_ending()}"
        shoot(place, pictures, count, film, overwrite=True, progress=progress)
        return InlineFilm(place.read_bytes(), place.suffix, film.size, count, count / film.fps)


def shoot(
    file: str | os.PathLike[str],
    pictures: Iterable[np.ndarray],
    count: int,
    film: FilmFormat,
    *,
    overwrite: bool,
    progress: bool | None,
) -> None:
    """Write so many pictures into a film, and show how far it is."""
    with progress_line("drawing the film", shown=progress) as report:

        def reported() -> Iterator[np.ndarray]:
            for done, picture in enumerate(pictures, start=1):
                yield picture
                report(done / count)

        write_film(file, reported(), film, overwrite=overwrite)


def frame_times(run: Run, fps: float, speed: float) -> np.ndarray:
    """Return the times [s] of the run that a film shows: evenly from its start to its end.

    A run that takes no time is shown for a second.
    """
    playback = Playback(run)
    return times_between(playback.start, playback.end, fps, speed)


def times_between(start: float, end: float, fps: float, speed: float) -> np.ndarray:
    """Return the times [s] that a film shows from a start to an end."""
    duration = end - start
    if duration == 0.0:
        return np.full(round(fps), start)
    frames = duration / speed * fps
    if not frames < MOST_FRAMES:
        raise InputError(_too_long(duration, frames, fps))
    count = math.ceil(frames * (1.0 - 1e-12)) + 1
    return np.asarray(np.minimum(start + np.arange(count) * (speed / fps), end))


def _too_long(duration: float, frames: float, fps: float) -> Problem:
    got = f"{frames:,.0f} frames" if frames < 1e12 else f"{frames:.3g} frames"
    enough = 1.05 * duration * fps / MOST_FRAMES
    hint = f"play it faster with speed={enough:.2g}"
    return Problem("film", f"{got} at {fps:g} a second", f"at most {MOST_FRAMES:,}", hint)


def arm_title(arm: Arm) -> str:
    """Return the name of an arm, or how many links it has."""
    return arm.name or ("one link" if arm.n == 1 else f"{arm.n} links")


def speed_remark(speed: float) -> str:
    """Return a remark where a film is faster or slower than what it shows."""
    return "" if speed == 1.0 else f"{speed:g} × as fast"


def check_film(
    file: str | os.PathLike[str] | None, fps: Any, speed: Any, size: Any, *, overwrite: bool
) -> None:
    """Raise if no film can be made of it, all reasons at once, or the file is to stay."""
    problems = []
    ending = inline_ending() if file is None else Path(file).suffix.lower()
    if file is not None and ending not in WRITERS:
        need = "a name that ends in " + " or ".join(WRITERS)
        problems.append(Problem("film", shown(os.fspath(file)), need))
    most = RATES.get(ending, max(RATES.values()))
    if not (_is_number(fps) and 1.0 <= fps <= most):
        problems.append(Problem("fps", shown(fps), f"1 to {most:g} frames a second"))
    if not (_is_number(speed) and 0.0 < speed < math.inf):
        problems.append(Problem("speed", shown(speed), "a positive number", "1 is as it happened"))
    if not _is_size(size):
        need = f"width and height, even numbers of pixels from {SMALLEST} to {LARGEST}"
        problems.append(Problem("size", shown(size), need))
    if problems:
        raise InputError(problems)
    if file is not None:
        check_new(file, "film", overwrite=overwrite)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_size(size: Any) -> bool:
    if not isinstance(size, tuple | list | np.ndarray) or len(size) != 2:
        return False
    return all(_is_number(side) and SMALLEST <= side <= LARGEST and side % 2 == 0 for side in size)

"""Films of a run: in a file, or in the page of a notebook."""

from __future__ import annotations

import math
import os
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from numbers import Real
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ulna.errors import InputError, Problem, Problems, shown
from ulna.progress import card
from ulna.progress import progress as progress_line
from ulna.simulation.run import run_of
from ulna.storage import check_new, write_whole
from ulna.viewer.arm_drawing import Playback
from ulna.viewer.figure_style import PRINT, Theme, arm_title
from ulna.viewer.scene import TRAIL, ArmScene, moments
from ulna.viewer.video import FORMATS, FilmFormat, ffmpeg, write_film

if TYPE_CHECKING:
    from ulna.simulation.batch.member import Member
    from ulna.simulation.run import Run

Seen = TypeVar("Seen")  # what a picture is drawn of
SIZE = (800, 800)  # [pixels] wide and high
INLINE_SIZE = (480, 480)  # [pixels] of a film in a notebook, which holds it as text
SMALLEST, LARGEST = 64, 4096  # [pixels]
MOST_FRAMES = 20_000
RATES = {".mp4": 240.0, ".gif": 50.0}  # [1/s] the most that players keep up with
MOST_INLINE = 20_000_000  # [bytes] that a notebook is made to hold
CLIP = "data:video/mp4;base64,{data}"
PLAYER = '<video controls autoplay loop muted playsinline width="{wide}" src="{clip}"></video>'


def animate(
    run: Run | Member,
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
    run : Run or Member
        What `ulna.simulate` returned, or a member of a batch.
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
    run = run_of(run)
    if size is None:
        size = INLINE_SIZE if file is None else SIZE
    fps, speed, size = check_film(file, fps, speed, size, overwrite=overwrite)
    playback = Playback(run)
    times = times_between(playback.start, playback.end, fps, speed)
    scene = ArmScene(run.arm, arm_title(run.arm), speed_remark(speed), size, theme)
    seen_at = partial(moments, run, fps=fps)
    how: Any = {"overwrite": overwrite, "progress": progress}
    return film_moments(file, scene.draw, seen_at, times, fps, size, **how)


def film_moments(
    file: str | os.PathLike[str] | None,
    draw: Callable[[Seen], np.ndarray],
    seen_at: Callable[[np.ndarray], Iterator[Seen]],
    times: np.ndarray,
    fps: float,
    size: tuple[int, int],
    *,
    overwrite: bool,
    progress: bool | None,
) -> InlineFilm | None:
    """Film what is seen at each of the times, as `draw` draws it; keep it if there is no file."""
    # By then traces have all of their colours.
    *_, late = seen_at(times[: math.ceil(TRAIL * fps) + 1])
    film = FilmFormat(fps, size, draw(late).copy())
    with (
        TemporaryDirectory() as folder,
        progress_line("drawing the film", shown=progress) as report,
    ):

        def pictures() -> Iterator[np.ndarray]:
            for done, seen in enumerate(seen_at(times), start=1):
                yield draw(seen)
                report(done / len(times))

        place = Path(folder) / "film.mp4" if file is None else Path(file)
        write_film(place, pictures(), film, overwrite=overwrite)
        if file is None:
            return InlineFilm(place.read_bytes(), size, len(times), len(times) / fps)
    return None


def times_between(start: float, end: float, fps: float, speed: float) -> np.ndarray:
    """Return the times [s] that a film shows, evenly from a start to an end.

    What takes no time is shown for a second.
    """
    duration = end - start
    if duration == 0.0:
        return np.full(round(fps), start)
    frames = duration / speed * fps
    if not frames < MOST_FRAMES:
        got = f"{frames:,.0f} frames" if frames < 1e12 else f"{frames:.3g} frames"
        hint = f"play it faster with speed={1.05 * duration * fps / MOST_FRAMES:.2g}"
        what = f"{got} at {fps:g} a second"
        raise InputError(Problem("film", what, f"at most {MOST_FRAMES:,}", hint))
    count = math.ceil(frames * (1.0 - 1e-12)) + 1
    return np.asarray(np.minimum(start + np.arange(count) * (speed / fps), end))


def speed_remark(speed: float) -> str:
    """Return a remark where a film is faster or slower than what it shows."""
    return "" if speed == 1.0 else f"{speed:g} × as fast"


def check_film(
    file: str | os.PathLike[str] | None, fps: Any, speed: Any, size: Any, *, overwrite: bool
) -> tuple[float, float, tuple[int, int]]:
    """Return frame rate, speed and size as numbers; raise for all that no film can be made of."""
    checks = Problems()
    ending = ".mp4" if file is None else Path(file).suffix.lower()
    if ending not in FORMATS:
        need = "a name that ends in " + " or ".join(FORMATS)
        checks.add("film", shown(str(file)), need)
    most = RATES.get(ending, max(RATES.values()))
    fps = checks.number("fps", fps, "1/s", least=1.0)
    if fps > most:
        checks.add("fps", shown(fps), f"1 to {most:g} frames per second")
    speed = checks.number("speed", speed, "", above=0.0)
    if not _is_size(size):
        need = f"width and height, even numbers of pixels from {SMALLEST} to {LARGEST}"
        checks.add("size", shown(size), need)
    checks.raise_if_any()
    ffmpeg()
    if file is not None:
        check_new(file, "film", overwrite=overwrite)
    return fps, speed, (int(size[0]), int(size[1]))


def _is_size(size: Any) -> bool:
    if not isinstance(size, tuple | list | np.ndarray) or len(size) != 2:
        return False
    return all(isinstance(side, Real) and side in range(SMALLEST, LARGEST + 1, 2) for side in size)


@dataclass(frozen=True, repr=False)
class InlineFilm:
    """An .mp4 film in memory, which a notebook plays; `save` writes it to a file.

    Attributes
    ----------
    data : bytes
        The film as a file holds it.
    size : tuple of int
        Width and height [pixels].
    frames : int
        How many pictures it has.
    duration : float
        How long it plays [s].
    """

    data: bytes = field(repr=False)
    size: tuple[int, int]  # [pixels] wide and high
    frames: int
    duration: float  # [s] that it plays

    def save(self, file: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Write the film to a file.

        Parameters
        ----------
        file : path-like
            A name that ends in .mp4.
        overwrite : bool, optional
            Whether a file that exists is replaced.

        Raises
        ------
        InputError
            For a name with another ending, and a file that is to stay.
        FileError
            If the file cannot be written.
        """
        if Path(file).suffix.lower() != ".mp4":
            hint = "give animate the file, and it makes the film in that format"
            need = "a name that ends in .mp4"
            raise InputError(Problem("film", shown(os.fspath(file)), need, hint))
        write_whole(file, self.data, overwrite=overwrite)

    def __repr__(self) -> str:
        wide, high = self.size
        return (
            f"Film of {self.duration:.3g} s, {self.frames} frames of {wide} × {high} pixels, "
            f"{len(self.data) / 1000:,.0f} kB: a notebook plays it, save('film.mp4') writes it"
        )

    def _repr_html_(self) -> str:
        if len(self.data) > MOST_INLINE:
            return card("Film", [repr(self), "It is too large to be kept in a notebook: save it."])
        clip = CLIP.format(data=b64encode(self.data).decode("ascii"))
        return PLAYER.format(wide=self.size[0], clip=clip)

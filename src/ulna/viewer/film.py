"""Films of a run."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.errors import InputError, Problem, shown
from ulna.progress import progress as progress_line
from ulna.storage import check_new
from ulna.viewer.frames import TRAIL, Playback, Scene, moments
from ulna.viewer.style import PRINT, Look
from ulna.viewer.video import WRITERS, Film, write_film

if TYPE_CHECKING:
    from ulna.simulation.run import Run

SIZE = (800, 800)  # [pixels] wide and high
SMALLEST, LARGEST = 64, 4096  # [pixels]
MOST_FRAMES = 20_000
RATES = {".mp4": 240.0, ".gif": 50.0}  # [1/s] the most that players keep up with


def animate(
    run: Run,
    file: str | os.PathLike[str],
    *,
    fps: float = 30.0,
    speed: float = 1.0,
    size: tuple[int, int] = SIZE,
    look: Look = PRINT,
    force: bool = True,
    progress: bool | None = None,
) -> None:
    """Make a film of a run, .mp4 or .gif by the name of the file.

    It plays `speed` times as fast as the run went. Without `force` a file that exists is not
    replaced. Unless `progress` says so or not, a bar appears if standard error is a terminal.
    """
    _check(file, fps, speed, size)
    check_new(file, "film", force=force)
    fps, size = float(fps), (int(size[0]), int(size[1]))
    times = frame_times(run, fps, float(speed))
    scene = Scene(run.arm, _title(run), _remark(speed), size, look)
    film = Film(fps, size, _sample(scene, run, times, fps))
    with progress_line("drawing the film", shown=progress) as report:

        def pictures() -> Iterator[np.ndarray]:
            for done, moment in enumerate(moments(run, times, fps), start=1):
                yield scene.draw(moment)
                report(done / len(times))

        write_film(file, pictures(), film, force=force)


def frame_times(run: Run, fps: float, speed: float) -> np.ndarray:
    """Give the times [s] of the run that a film shows: evenly from its start to its end.

    A run that takes no time is shown for a second.
    """
    playback = Playback(run)
    duration = playback.end - playback.start
    if duration == 0.0:
        return np.full(round(fps), playback.start)
    frames = duration / speed * fps
    if not frames < MOST_FRAMES:
        raise InputError(_too_long(duration, frames, fps))
    count = math.ceil(frames * (1.0 - 1e-12)) + 1
    return np.asarray(np.minimum(playback.start + np.arange(count) * (speed / fps), playback.end))


def _too_long(duration: float, frames: float, fps: float) -> Problem:
    got = f"{frames:,.0f} frames" if frames < 1e12 else f"{frames:.3g} frames"
    enough = 1.05 * duration * fps / MOST_FRAMES
    hint = f"play it faster with speed={enough:.2g}"
    return Problem("film", f"{got} at {fps:g} a second", f"at most {MOST_FRAMES:,}", hint)


def _sample(scene: Scene, run: Run, times: np.ndarray, fps: float) -> np.ndarray:
    """Draw a moment by which the trace has all of its colours."""
    *_, late = moments(run, times[: math.ceil(TRAIL * fps) + 1], fps)
    return scene.draw(late).copy()


def _title(run: Run) -> str:
    return run.arm.name or ("one link" if run.arm.n == 1 else f"{run.arm.n} links")


def _remark(speed: float) -> str:
    return "" if speed == 1.0 else f"{speed:g} × as fast"


def _check(file: str | os.PathLike[str], fps: Any, speed: Any, size: Any) -> None:
    problems = []
    ending = Path(file).suffix.lower()
    if ending not in WRITERS:
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


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_size(size: Any) -> bool:
    if not isinstance(size, tuple | list | np.ndarray) or len(size) != 2:
        return False
    return all(_is_number(side) and SMALLEST <= side <= LARGEST and side % 2 == 0 for side in size)

"""A film of runs side by side, each following the same plan as well as it can."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.errors import InputError, Problem
from ulna.motion.planning.stroke_timing import pen_down
from ulna.viewer.arm_drawing import TIP, Playback, draw_reach, draw_strokes, widths
from ulna.viewer.figure_style import PRINT, Theme, arm_title, fit_axes, mixed
from ulna.viewer.film import InlineFilm, check_film, film_moments, speed_remark, times_between
from ulna.viewer.plan_figures import PALE, reference_points, shown_times
from ulna.viewer.scene import HEAD, MARGIN, Moment, MovingArm, Scene, moments, number, shortened
from ulna.viewer.tracking_figures import check_runs

if TYPE_CHECKING:
    from ulna.motion.planning.plan_result import Plan
    from ulna.simulation.run import Run

SIZE = (1280, 720)  # [pixels] wide and high
INLINE_SIZE = (960, 540)  # [pixels] of a film in a notebook
MOST_RUNS = 4  # side by side
LABEL = 0.9  # [inches] from the top
ABOVE, BELOW = 1.0, 0.12  # [inches] of the film, beyond the panels
CLOCK, ERROR = 1.9, 2.4  # [inches] that clock and error take
NARROW, LINE = 4.5, 0.35  # [inches] of a panel, whose error is then a line below its label
LETTERS: dict[str, Any] = {"size": 15, "parse_math": False}
RING = 1.7  # of the tip's radius: the place where it should be


def animate_following(
    plan: Plan,
    runs: Mapping[str, Run],
    file: str | os.PathLike[str] | None = None,
    *,
    fps: float = 30.0,
    speed: float = 1.0,
    size: tuple[int, int] | None = None,
    theme: Theme = PRINT,
    overwrite: bool = True,
    progress: bool | None = None,
) -> InlineFilm | None:
    """Make a film of runs that follow a plan, side by side under their labels.

    Parameters
    ----------
    plan : Plan
        What `ulna.plan` returned.
    runs : mapping of str to Run
        Up to four runs along the plan by their labels.
    file : path-like, optional
        The film, .mp4 or .gif by its name. Without it the film is returned, and plays in a
        notebook.
    fps : float, optional
        Pictures a second.
    speed : float, optional
        How many times as fast as the runs went it plays.
    size : tuple of int, optional
        Width and height, even numbers of pixels: (1280, 720) in a file, (960, 540) in a notebook.
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

    Notes
    -----
    Each panel shows the path, where the tip should be, where it is and was, and its error. The film
    goes on to the end of the plan or of the longest run.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.preset("kehl")
    >>> plan = ulna.plan(arm, ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)
    >>> run = ulna.simulate(arm, q0=plan.q[0], duration=1.0)
    >>> animate_following(plan, {"without torque": run}, fps=5.0, size=(128, 72)).frames
    6
    """
    runs = check_runs(plan, runs)
    if len(runs) > MOST_RUNS:
        raise InputError(Problem("runs", f"{len(runs)} of them", f"at most {MOST_RUNS} in a film"))
    if size is None:
        size = INLINE_SIZE if file is None else SIZE
    fps, speed, size = check_film(file, fps, speed, size, overwrite=overwrite)
    playbacks = [Playback(run) for run in runs.values()]
    end = max(plan.duration, *(playback.end for playback in playbacks))
    times = times_between(min(playback.start for playback in playbacks), end, fps, speed)
    scene = Comparison(plan, list(runs), speed_remark(speed), size, theme)
    seen_at = partial(scenes, runs, fps=fps)
    how: Any = {"overwrite": overwrite, "progress": progress}
    return film_moments(file, scene.draw, seen_at, times, fps, size, **how)


def scenes(runs: Mapping[str, Run], times: np.ndarray, fps: float) -> Iterator[tuple[Moment, ...]]:
    """Return what is seen of all runs at each of the times; one that ended stays where it is."""
    return zip(*(moments(run, times, fps) for run in runs.values()), strict=True)


class Comparison:
    """Arms beside one another on a page, with a clock for all of them."""

    def __init__(
        self, plan: Plan, labels: Sequence[str], remark: str, size: tuple[int, int], theme: Theme
    ) -> None:
        self.plan, self.scene = plan, Scene(size, theme)
        wide = self.scene.inches[0]
        across = (wide - MARGIN * (len(labels) + 1)) / len(labels)
        with self.scene.set_up():
            title = shortened(arm_title(plan.arm), wide - 2.0 * CLOCK)
            self.scene.text((MARGIN, HEAD), title, weight="bold", **LETTERS)
            self.scene.text((-CLOCK, HEAD), remark, color=theme.muted, ha="right", **LETTERS)
            self.clock = _changing(self.scene, (wide - MARGIN, HEAD))
            self.panels = [
                ComparisonPanel(self.scene, plan, label, (MARGIN + k * (across + MARGIN), across))
                for k, label in enumerate(labels)
            ]

    def draw(self, together: Sequence[Moment]) -> np.ndarray:
        """Draw a moment of every run; the picture is overwritten by the next one."""
        t = together[0].t
        asked = self.plan.trajectory.tip(t).position
        self.clock.set_text(f"t = {number(t)} s")
        moving = [self.clock]
        for panel, moment in zip(self.panels, together, strict=True):
            moving += panel.place(moment, asked)
        return self.scene.picture(moving)


class ComparisonPanel:
    """One run of a comparison: its label and its error above, the path and the arm below."""

    def __init__(self, scene: Scene, plan: Plan, label: str, place: tuple[float, float]) -> None:
        left, across = place
        theme, high = scene.theme, scene.inches[1]
        narrow = across < NARROW
        above = ABOVE + LINE if narrow else ABOVE
        self.axes = _surroundings(scene, plan, (left, BELOW, across, high - above - BELOW))
        name = shortened(label, across if narrow else across - ERROR)
        scene.text((left, LABEL), name, weight="bold", **LETTERS)
        end = (left, LABEL + LINE) if narrow else (left + across, LABEL)
        self.error = _changing(scene, end, "left" if narrow else "right")
        self.gap, self.target = _target(self.axes, plan, theme)
        self.moving = MovingArm(self.axes, plan.arm, theme)

    def place(self, moment: Moment, asked: np.ndarray) -> list[Any]:
        """Move everything to a moment, and return what is to be drawn, from back to front."""
        tip = moment.points[-1]
        self.moving.place(moment)
        self.target.center = asked
        self.gap.set_data(*np.stack([asked, tip]).T)
        self.error.set_text(f"tip off by {millimetres(np.hypot(*(tip - asked)))} mm")
        trail, *arm = self.moving.shapes
        return [trail, self.gap, self.target, *arm, self.error]


def millimetres(error: float) -> str:
    """Write an error [m] in millimetres, to three digits or whole."""
    digits = 2 if error < 0.00995 else 1 if error < 0.0995 else 0
    return f"{1000.0 * error:,.{digits}f}"


def _surroundings(scene: Scene, plan: Plan, box: tuple[float, float, float, float]) -> Any:
    axes, asked, theme = scene.axes(box), reference_points(plan), scene.theme
    axes.set_axis_off()
    scene.fill(fit_axes(draw_reach(axes, plan.arm, theme=theme), plan.arm, also=asked))
    pale = mixed(theme.background, theme.data[1], PALE)
    down = pen_down(plan.trajectory, shown_times(plan))
    draw_strokes(axes, asked, down, {"color": pale, "lw": 2.4, "zorder": 2})
    return axes


def _target(axes: Any, plan: Plan, theme: Theme) -> tuple[Any, Any]:
    from matplotlib.patches import Circle

    blue = theme.data[1]
    radius = RING * TIP * widths(plan.arm)[-1]
    target = Circle((0, 0), radius, fc=mixed(theme.background, blue, PALE), ec=blue, lw=1.6)
    target.set_animated(True)
    axes.add_patch(target)
    (gap,) = axes.plot([], [], color=blue, lw=1.2, ls=(0, (2, 2)), animated=True)
    return gap, target


def _changing(scene: Scene, place: tuple[float, float], align: str = "right") -> Any:
    """Return a text that is set for every picture."""
    return scene.text(place, "", ha=align, animated=True, **LETTERS)

"""The pictures of a film: a run at any moment, and a scene that draws a moment quickly."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ulna import kinematics
from ulna.arm import Arm
from ulna.errors import InputError, Problem
from ulna.viewer.arm import (
    HOLE,
    TIP,
    capsules,
    draw_reach,
    even_ticks,
    fading,
    frame,
    link_colors,
    widths,
)
from ulna.viewer.style import Look, styled

if TYPE_CHECKING:
    from ulna.simulation.run import Run

TRAIL = 1.5  # [s] of the film: how long the tip's trace is seen
FINER = 8  # points of the trace a frame
STRONGEST_BEND = 0.5  # [rad] that speeds may bend the way between two samples by
HUGE = 1e150  # what a run gone wild is cut to, so that sums and products stay finite
MARGIN = 0.3  # [inches]
LEFT = 0.75  # [inches]
HEAD, BELOW_HEAD = 0.45, 0.7  # [inches] from the top
READINGS, UNIT = 1.7, 0.67  # [inches] from the right
LETTER = 0.145  # [inches] of a title


class Playback:
    """A run between its samples: postures and the tip's speed at any time."""

    def __init__(self, run: Run) -> None:
        t, q = np.asarray(run.t, dtype=float), np.asarray(run.q, dtype=float)
        known = np.isfinite(t) & np.all(np.isfinite(q), axis=-1)
        if not np.any(known):
            raise InputError(Problem("run", "no sample with finite angles", "at least one"))
        qd, velocity = (np.nan_to_num(values[known]) for values in (run.qd, run.tip_velocity))
        self.t, self.q = t[known], np.clip(q[known], -HUGE, HUGE)
        self.qd = np.clip(qd, -HUGE, HUGE)
        self.tip_speed = np.hypot(*np.clip(velocity[:, :2], -HUGE, HUGE).T)
        self.start, self.end = float(self.t[0]), float(self.t[-1])

    def postures(self, times: ArrayLike) -> np.ndarray:
        """Give joint angles (…, n) at times (…), along cubics with the speeds of the samples.

        Where samples are too far apart for their speeds to mean much, the way is nearly straight.
        """
        times = np.asarray(times, dtype=float)
        before = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, None)
        after = np.minimum(before + 1, len(self.t) - 1)
        lasting = np.maximum(self.t[after] - self.t[before], np.finfo(float).tiny)[..., None]
        part = np.clip((times - self.t[before])[..., None] / lasting, 0.0, 1.0)
        way = self.q[after] - self.q[before]
        leaving = self._bend(self.qd[before] * lasting - way)
        arriving = self._bend(self.qd[after] * lasting - way)
        bend = part * (1.0 - part) * ((1.0 - part) * leaving - part * arriving)
        return np.asarray(self.q[before] + part * way + bend)

    def tip_speeds(self, times: np.ndarray) -> np.ndarray:
        """Give the speeds [m/s] of the tip at times (T,)."""
        return np.asarray(np.interp(times, self.t, self.tip_speed))

    @staticmethod
    def _bend(excess: np.ndarray) -> np.ndarray:
        return np.asarray(np.clip(excess, -STRONGEST_BEND, STRONGEST_BEND))


class Moment(NamedTuple):
    """What one picture of a film shows."""

    t: float
    points: np.ndarray  # (n+1, 2) of the joints and the tip
    trail: np.ndarray  # (k, FINER + 1, 2) the way of the tip, a piece a frame, oldest first
    tip_speed: float


def moments(run: Run, times: np.ndarray, fps: float) -> Iterator[Moment]:
    """Give what is seen at each of the times, one after the other."""
    playback = Playback(run)
    trail: deque[np.ndarray] = deque(maxlen=max(1, round(TRAIL * fps)))
    before = times[0]
    for t, tip_speed in zip(times, playback.tip_speeds(times), strict=True):
        points = kinematics.joints(run.arm, playback.postures(np.linspace(before, t, FINER + 1)))
        trail.append(points[:, -1])
        yield Moment(float(t), points[-1], np.array(trail), float(tip_speed))
        before = t


class Scene:
    """An arm on a page: its surroundings are drawn once, what moves for every picture."""

    def __init__(
        self, arm: Arm, title: str, remark: str, size: tuple[int, int], look: Look
    ) -> None:
        from matplotlib.backends import backend_agg
        from matplotlib.figure import Figure

        canvas_of: Any = backend_agg.FigureCanvasAgg  # parts of it have no types

        # Text shrinks more slowly than the film, or a small one could not be read.
        dpi = 100.0 * (min(size) / 800.0) ** 0.6
        self.arm, self.look = arm, look
        with styled(look):
            # A tenth of a pixel more, since the canvas rounds down.
            figure = Figure(figsize=((size[0] + 0.1) / dpi, (size[1] + 0.1) / dpi), dpi=dpi)
            self.canvas: Any = canvas_of(figure)
            self.axes = _axes(figure)
            even_ticks(_fill(frame(draw_reach(self.axes, arm, look=look), arm)))
            _head(figure, title, remark, look)
            self.trail, self.links, self.holes, self.tip = self._shapes()
            self.clock = _reading(figure, HEAD, "t =", "s")
            self.speed = _reading(figure, BELOW_HEAD, "tip", "m/s", color=look.quiet)
            self.canvas.draw()
        self.background = self.canvas.copy_from_bbox(figure.bbox)

    def draw(self, moment: Moment) -> np.ndarray:
        """Draw a moment; the picture (height, width, 4) is overwritten by the next one."""
        self._place(moment)
        self.canvas.restore_region(self.background)
        for shape in (self.trail, self.links, self.holes, self.tip):
            self.axes.draw_artist(shape)
        for text in (self.clock, self.speed):
            self.axes.figure.draw_artist(text)
        return np.asarray(self.canvas.buffer_rgba())

    def _place(self, moment: Moment) -> None:
        self.trail.set_segments(moment.trail)
        self.trail.set_color(fading(len(moment.trail), self.look))
        self.links.set_verts(capsules(self.arm, moment.points))
        self.holes.set_verts(self._circles + moment.points[:-1, None])
        self.tip.center = moment.points[-1]
        self.clock.set_text(_number(moment.t))
        self.speed.set_text(_number(moment.tip_speed))

    def _shapes(self) -> tuple[Any, Any, Any, Any]:
        from matplotlib.collections import LineCollection, PolyCollection
        from matplotlib.patches import Circle

        look, wide = self.look, widths(self.arm)
        turn = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
        self._circles = (HOLE * wide)[:, None, None] * np.stack([np.cos(turn), np.sin(turn)], -1)
        moving = {"animated": True}
        trail = LineCollection([], linewidths=2.4, capstyle="round", **moving)
        links = PolyCollection([], facecolors=link_colors(self.arm, look), lw=0, **moving)
        holes = PolyCollection([], facecolors=look.paper, lw=0, **moving)
        end = Circle((0, 0), TIP * wide[-1], fc=look.movable, ec=look.paper, lw=1.6, **moving)
        for shapes in (trail, links, holes):
            self.axes.add_collection(shapes, autolim=False)
        self.axes.add_patch(end)
        return trail, links, holes, end


def _axes(figure: Any) -> Any:
    wide, high = figure.get_size_inches()
    below, above = 0.65, 0.95  # [inches]
    box = (LEFT / wide, below / high, 1 - (LEFT + MARGIN) / wide, 1 - (below + above) / high)
    return figure.add_axes(box)


def _fill(axes: Any) -> Any:
    """Widen what is shown to the shape of the axes: a wide film shows more to both sides."""
    wide, high = axes.get_window_extent().size
    (left, right), (low, top) = axes.get_xlim(), axes.get_ylim()
    across = 0.5 * max(right - left, (top - low) * wide / high)
    x, y = 0.5 * (left + right), 0.5 * (low + top)
    up = across * high / wide
    axes.set(xlim=(x - across, x + across), ylim=(y - up, y + up))
    return axes


def _head(figure: Any, title: str, remark: str, look: Look) -> None:
    # A long name stays away from the clock, and is shown as it is, dollar signs and all.
    room = max(8, int((figure.get_size_inches()[0] - LEFT - READINGS) / LETTER))
    name = title if len(title) <= room else title[: room - 1] + "…"
    bold: dict[str, Any] = {"size": 15, "weight": "bold", "parse_math": False}
    _text(figure, (LEFT, HEAD), name, **bold)
    _text(figure, (LEFT, BELOW_HEAD), remark, size=12, color=look.quiet)


def _reading(figure: Any, down: float, label: str, unit: str, **look: Any) -> Any:
    """Write a label and a unit, and give the text between them: less to draw for each picture."""
    look = {"size": 12, **look}
    _text(figure, (-READINGS, down), label, **look)
    _text(figure, (-UNIT, down), f" {unit}", **look)
    return _text(figure, (-UNIT, down), "", ha="right", animated=True, parse_math=False, **look)


def _text(figure: Any, place: tuple[float, float], text: str, **look: Any) -> Any:
    """Write on a line that is so far [inches] from the left, or from the right if negative."""
    wide, high = figure.get_size_inches()
    x = place[0] / wide if place[0] > 0.0 else 1.0 + place[0] / wide
    return figure.text(x, 1.0 - place[1] / high, text, va="baseline", **look)


def _number(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 1e4 else f"{value:.2e}"

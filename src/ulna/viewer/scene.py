"""The pictures of a film: a page that stays, an arm that moves over it, and readings beside it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ulna import kinematics
from ulna.arm import Arm
from ulna.viewer.arm_drawing import (
    HOLE,
    MOST_CHORDS,
    TIP,
    Playback,
    capsules,
    draw_reach,
    fading,
    link_colors,
    widths,
)
from ulna.viewer.figure_style import Theme, cut, even_ticks, fit_axes, styled

if TYPE_CHECKING:
    from ulna.simulation.run import Run

MARGIN = 0.3  # [inches]
LEFT = 0.75  # [inches]
HEAD, BELOW_HEAD = 0.45, 0.7  # [inches] from the top
READINGS, UNIT = 1.7, 0.67  # [inches] from the right
LETTER = 0.145  # [inches] of a title
FADES = 10  # steps in which a trail fades; of each, little changes from picture to picture
BELOW, ABOVE = 0.65, 0.95  # [inches] of the film, beyond the axes
TRAIL = 1.5  # [s] of the film: how long the tip's trace is seen


class Moment(NamedTuple):
    """What one picture of a film shows."""

    t: float
    points: np.ndarray  # (n+1, 2) of the joints and the tip
    trail: Sequence[np.ndarray]  # the trace of the tip, a piece (m, 2) a frame, oldest first
    tip_speed: float
    rate: float = 0.0  # [rad/s] of the first joint


def moments(run: Run, times: np.ndarray, fps: float) -> Iterator[Moment]:
    """Return what is seen at each of the times, one after the other."""
    playback = Playback(run)
    trail: deque[np.ndarray] = deque(maxlen=max(1, round(TRAIL * fps)))
    before = times[0]
    recorded = (playback.tip_speed, playback.qd[:, 0])
    readings = (np.interp(times, playback.t, values) for values in recorded)
    for t, tip_speed, rate in zip(times, *readings, strict=True):
        arc = playback.arc_times(before, t)
        trail.append(kinematics.tip(run.arm, playback.postures(arc))[:, :2])
        while sum(map(len, trail)) > MOST_CHORDS and len(trail) > 1:
            trail.popleft()
        points = kinematics.joints(run.arm, playback.postures(t))
        yield Moment(float(t), points, tuple(trail), float(tip_speed), float(rate))
        before = t


class Scene:
    """A page of so many pixels: what stays is drawn once, what moves for every picture."""

    def __init__(self, size: tuple[int, int], theme: Theme) -> None:
        from matplotlib.backends import backend_agg
        from matplotlib.figure import Figure

        canvas_of: Any = backend_agg.FigureCanvasAgg  # parts of it have no types

        # Text shrinks more slowly than the film, or a small one could not be read.
        dpi = 100.0 * (min(size) / 800.0) ** 0.6
        self.theme = theme
        # A tenth of a pixel more, since the canvas rounds down.
        self.inches = ((size[0] + 0.1) / dpi, (size[1] + 0.1) / dpi)
        with styled(theme):
            self.figure = Figure(figsize=self.inches, dpi=dpi)
            self.canvas: Any = canvas_of(self.figure)

    @contextmanager
    def set_up(self) -> Iterator[None]:
        """Draw what stays inside the block; at its end it is kept."""
        with styled(self.theme):
            yield
            self.canvas.draw()
        self.background = self.canvas.copy_from_bbox(self.figure.bbox)

    def picture(self, moving: Iterable[Any]) -> np.ndarray:
        """Draw what moves over what stays; (height, width, 4), overwritten by the next one."""
        self.canvas.restore_region(self.background)
        for shape in moving:
            (shape.axes or self.figure).draw_artist(shape)
        return np.asarray(self.canvas.buffer_rgba())

    def axes(self, box: tuple[float, float, float, float]) -> Any:
        """Return axes in a box [inches]: left, bottom, width and height."""
        wide, high = self.inches
        return self.figure.add_axes((box[0] / wide, box[1] / high, box[2] / wide, box[3] / high))

    @staticmethod
    def fill(axes: Any) -> Any:
        """Widen what is shown to the shape of the axes: a wide film shows more to both sides."""
        wide, high = axes.get_window_extent().size
        (left, right), (low, top) = axes.get_xlim(), axes.get_ylim()
        across = 0.5 * max(right - left, (top - low) * wide / high)
        x, y = 0.5 * (left + right), 0.5 * (low + top)
        up = across * high / wide
        axes.set(xlim=(x - across, x + across), ylim=(y - up, y + up))
        return axes

    def head(self, title: str, remark: str) -> None:
        """Write a title, and a remark below it."""
        # A long name stays away from the clock, and is shown as it is, dollar signs and all.
        name = shortened(title, self.inches[0] - LEFT - READINGS)
        self.text((LEFT, HEAD), name, size=15, weight="bold", parse_math=False)
        self.text((LEFT, BELOW_HEAD), remark, size=12, color=self.theme.muted)

    def reading(self, down: float, label: str, unit: str, **style: Any) -> Any:
        """Write a label and a unit, and return the text between them: less to draw a picture."""
        style = {"size": 12, **style}
        self.text((-READINGS, down), label, **style)
        self.text((-UNIT, down), f" {unit}", **style)
        moving: dict[str, Any] = {"ha": "right", "animated": True, "parse_math": False}
        return self.text((-UNIT, down), "", **moving, **style)

    def text(self, place: tuple[float, float], text: str, **style: Any) -> Any:
        """Write on a line so far [inches] from the left, or from the right if negative."""
        wide, high = self.inches
        x = place[0] / wide if place[0] > 0.0 else 1.0 + place[0] / wide
        return self.figure.text(x, 1.0 - place[1] / high, text, va="baseline", **style)


class MovingArm:
    """The shapes of an arm and of the trail of its tip, to be placed for every picture."""

    def __init__(self, axes: Any, arm: Arm, theme: Theme) -> None:
        from matplotlib.collections import LineCollection, PolyCollection
        from matplotlib.patches import Circle

        self.arm, self.theme, wide = arm, theme, widths(arm)
        turn = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
        self._circles = (HOLE * wide)[:, None, None] * np.stack([np.cos(turn), np.sin(turn)], -1)
        moving = {"animated": True}
        self.trail: Any = LineCollection([], linewidths=2.4, capstyle="round", **moving)
        self.links: Any = PolyCollection([], facecolors=link_colors(arm, theme), lw=0, **moving)
        self.holes: Any = PolyCollection([], facecolors=theme.background, lw=0, **moving)
        end = Circle((0, 0), TIP * wide[-1], fc=theme.accent, ec=theme.background, lw=1.6, **moving)
        self.tip: Any = end
        for shapes in (self.trail, self.links, self.holes):
            axes.add_collection(shapes, autolim=False)
        axes.add_patch(end)

    @property
    def shapes(self) -> tuple[Any, ...]:
        """What is drawn, from the back to the front."""
        return self.trail, self.links, self.holes, self.tip

    def place(self, moment: Moment) -> None:
        """Move to where the joints and the tip are, with the trail."""
        points, trail = moment.points, moment.trail
        self.trail.set_segments(trail)
        steps = min(FADES, len(trail))
        self.trail.set_color(fading(steps, self.theme)[np.arange(len(trail)) * steps // len(trail)])
        self.links.set_verts(capsules(self.arm, points))
        self.holes.set_verts(self._circles + points[:-1, None])
        self.tip.center = points[-1]


class ArmScene:
    """An arm on a page: its surroundings are drawn once, what moves for every picture."""

    def __init__(
        self, arm: Arm, title: str, remark: str, size: tuple[int, int], theme: Theme
    ) -> None:
        self.scene = Scene(size, theme)
        with self.scene.set_up():
            wide, high = self.scene.inches
            box = (LEFT, BELOW, wide - LEFT - MARGIN, high - BELOW - ABOVE)
            self.axes = self.scene.axes(box)
            even_ticks(self.scene.fill(fit_axes(draw_reach(self.axes, arm, theme=theme), arm)))
            self.scene.head(title, remark)
            self.moving = MovingArm(self.axes, arm, theme)
            self.clock = self.scene.reading(HEAD, "t =", "s")
            # One joint has a rate, as phase portraits show it; several have a tip in common.
            self.single = arm.n == 1
            label, unit = ("joint", "rad/s") if self.single else ("tip", "m/s")
            self.speed = self.scene.reading(BELOW_HEAD, label, unit, color=theme.muted)

    def draw(self, moment: Moment) -> np.ndarray:
        """Draw a moment; the picture (height, width, 4) is overwritten by the next one."""
        self.moving.place(moment)
        self.clock.set_text(number(moment.t))
        self.speed.set_text(number(moment.rate if self.single else moment.tip_speed))
        return self.scene.picture([*self.moving.shapes, self.clock, self.speed])


def shortened(title: str, room: float) -> str:
    """Cut a title to the room [inches] that there is for it."""
    return cut(title, max(8, int(room / LETTER)))


def number(value: float) -> str:
    """Write a number that changes from picture to picture, always as long."""
    text = f"{value:.2f}" if abs(value) < 1e4 else f"{value:.2e}"
    return text.replace("-", "−")

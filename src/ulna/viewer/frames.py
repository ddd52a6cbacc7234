"""The pictures of a film: a run at any moment, and a scene that draws a moment."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ulna import kinematics
from ulna.arm import Arm
from ulna.errors import InputError, Problem
from ulna.viewer.arm import draw_reach, even_ticks, fit_axes
from ulna.viewer.scene import BELOW_HEAD, HEAD, LEFT, MARGIN, MovingArm, Scene, number
from ulna.viewer.style import Theme

if TYPE_CHECKING:
    from ulna.simulation.run import Run

TRAIL = 1.5  # [s] of the film: how long the tip's trace is seen
FINER = 8  # points of the trace a frame, at least
FINEST = 240.0  # [1/s] of the film, at least: a fast tip is to leave curves behind, not corners
STRONGEST_BEND = 0.5  # [rad] that speeds may bend the way between two samples by
HUGE = 1e150  # what a run gone wild is cut to, so that sums and products stay finite
BELOW, ABOVE = 0.65, 0.95  # [inches] of the film, beyond the axes


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
        """Return joint angles (…, n) at times (…), along cubics with the speeds of the samples.

        Where samples are too far apart for their speeds to mean much, the way is nearly straight.
        """
        times = np.asarray(times, dtype=float)
        before = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, None)
        after = np.minimum(before + 1, len(self.t) - 1)
        lasting = np.maximum(self.t[after] - self.t[before], np.finfo(float).tiny)[..., None]
        part = np.clip((times - self.t[before])[..., None], 0.0, lasting) / lasting
        way = self.q[after] - self.q[before]
        leaving = self._bend(self.qd[before] * lasting - way)
        arriving = self._bend(self.qd[after] * lasting - way)
        bend = part * (1.0 - part) * ((1.0 - part) * leaving - part * arriving)
        return np.asarray(self.q[before] + part * way + bend)

    def tip_speeds(self, times: np.ndarray) -> np.ndarray:
        """Return the speeds [m/s] of the tip at times (T,)."""
        return np.asarray(np.interp(times, self.t, self.tip_speed))

    @staticmethod
    def _bend(excess: np.ndarray) -> np.ndarray:
        return np.asarray(np.clip(excess, -STRONGEST_BEND, STRONGEST_BEND))


class Moment(NamedTuple):
    """What one picture of a film shows."""

    t: float
    points: np.ndarray  # (n+1, 2) of the joints and the tip
    trail: np.ndarray  # (k, m, 2) the trace of the tip, a piece a frame, oldest first
    tip_speed: float


def moments(run: Run, times: np.ndarray, fps: float) -> Iterator[Moment]:
    """Return what is seen at each of the times, one after the other."""
    playback = Playback(run)
    trail: deque[np.ndarray] = deque(maxlen=max(1, round(TRAIL * fps)))
    finer = max(FINER, math.ceil(FINEST / fps))
    before = times[0]
    for t, tip_speed in zip(times, playback.tip_speeds(times), strict=True):
        points = kinematics.joints(run.arm, playback.postures(np.linspace(before, t, finer + 1)))
        trail.append(points[:, -1])
        yield Moment(float(t), points[-1], np.array(trail), float(tip_speed))
        before = t


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
            self.speed = self.scene.reading(BELOW_HEAD, "tip", "m/s", color=theme.muted)

    def draw(self, moment: Moment) -> np.ndarray:
        """Draw a moment; the picture (height, width, 4) is overwritten by the next one."""
        self.moving.place(moment.points, moment.trail)
        self.clock.set_text(number(moment.t))
        self.speed.set_text(number(moment.tip_speed))
        return self.scene.picture([*self.moving.shapes, self.clock, self.speed])

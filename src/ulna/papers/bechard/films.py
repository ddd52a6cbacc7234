"""Films of paper 001: its one joint, and arms in its model beside the same arms as they move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ulna.papers.bechard import rows, runs
from ulna.papers.bechard.arms import link_rates
from ulna.papers.bechard.runs import angular_momentum
from ulna.papers.row import Played
from ulna.simulation.run import Run
from ulna.viewer.arm_drawing import draw_reach
from ulna.viewer.figure_style import PRINT, Theme, fit_axes
from ulna.viewer.film import animate, shoot, times_between
from ulna.viewer.scene import MARGIN, Moment, MovingArm, Scene, moments, number
from ulna.viewer.video import FilmFormat

SIZE = (800, 480)  # [pixels] of two arms beside one another
SQUARE = (640, 640)  # [pixels] of one
SLOW, FAST = 20.0, 30.0  # pictures a second, of long and of short films
# The one joint gets to 49 rad/s: so it turns by a tenth of a turn from picture to picture.
SMOOTH, HALF = 40.0, 0.5
HEAD, LABEL = 0.45, 0.85  # [inches] from the top
ABOVE, BELOW = 1.0, 0.15  # [inches] of the film, beyond the arms
LINE = 0.25  # [inches] from a reading to the next
LABELLED, UNIT, GAP = 1.75, 0.55, 0.08  # [inches] of a reading, from its right end
LETTERS: dict[str, Any] = {"size": 13, "parse_math": False}


@rows.film("001-one-joint.mp4")
def one_joint(file: str) -> None:
    """Make the film of one joint, with clock and speed."""
    animate(runs.one_joint(), file, fps=SMOOTH, speed=HALF, size=SQUARE, progress=False)


@rows.player("001-one-joint.mp4")
def play_one_joint() -> Played:
    """Play the one joint under its torque of 10 N·m."""
    return Played("One joint, 10 N·m", {"one joint": runs.one_joint()})


@rows.film("001-four-joints.mp4")
def four_joints(file: str) -> None:
    """Make the film of the four joints in both models."""
    _side_by_side(
        "four joints, friction B·I", _both(runs.four("sequential"), runs.four("full")), file, SLOW
    )


@rows.player("001-four-joints.mp4")
def play_four_joints() -> Played:
    """Play the four joints in both models."""
    return Played("Four joints", _both(runs.four("sequential"), runs.four("full")))


@rows.film("001-skater.mp4")
def skater(file: str) -> None:
    """Make the film of the skater in both models."""
    _side_by_side(
        "skater, friction B·I", _both(runs.skater("sequential"), runs.skater("full")), file, FAST
    )


@rows.player("001-skater.mp4")
def play_skater() -> Played:
    """Play the skater under both torques, in both models."""
    return Played("The skater, driven", _both(runs.skater("sequential"), runs.skater("full")))


@rows.player("001-skater-tuck.mp4")
def play_tuck() -> Played:
    """Play the skater who spins freely and tucks, in both models."""
    shown = _both(runs.tucking("sequential"), runs.tucking("full"))
    return Played("The skater, free, tucks", shown)


@rows.film("001-skater-tuck.mp4")
def tuck(file: str) -> None:
    """Make the film of a skater who spins freely and tucks: speed and momentum in both models."""
    shown = _both(runs.tucking("sequential"), runs.tucking("full"))
    _side_by_side("skater, free, tucks after 1.5 s", shown, file, FAST, kept=True)


def _both(sequential: Run, true: Run) -> dict[str, Run]:
    return {"sequential model": sequential, "true dynamics": true}


def _side_by_side(
    title: str, shown: Mapping[str, Run], file: str, fps: float, *, kept: bool = False
) -> None:
    duration = max(float(run.t[-1]) for run in shown.values())
    times = times_between(0.0, duration, fps, 1.0)
    scene = Pair(title, shown, SIZE, PRINT, kept=kept)
    seen = zip(*(moments(run, times, fps) for run in shown.values()), strict=True)
    first = scene.draw([next(moments(run, times, fps)) for run in shown.values()])
    film = FilmFormat(fps, SIZE, first.copy())
    pictures = (scene.draw(together) for together in seen)
    shoot(file, pictures, len(times), film, overwrite=True, progress=False)


class Pair:
    """Arms beside one another with a clock for both, and the first joint's speed for each.

    Where it should be kept, the angular momentum about the base stands below the speed.
    """

    def __init__(
        self,
        title: str,
        shown: Mapping[str, Run],
        size: tuple[int, int],
        theme: Theme,
        *,
        kept: bool = False,
    ) -> None:
        self.scene = Scene(size, theme)
        wide, high = self.scene.inches
        across = (wide - MARGIN * (len(shown) + 1)) / len(shown)
        with self.scene.set_up():
            self.scene.text((MARGIN, HEAD), title, weight="bold", **LETTERS)
            self.clock = self._reading("t =", "s", (wide - MARGIN, HEAD))
            self.arms, self.speeds, self.momenta = [], [], []
            above = ABOVE + LINE if kept else ABOVE
            for k, (label, run) in enumerate(shown.items()):
                left = MARGIN + k * (across + MARGIN)
                axes = self.scene.axes((left, BELOW, across, high - above - BELOW))
                axes.set_axis_off()
                self.scene.fill(fit_axes(draw_reach(axes, run.arm, theme=theme), run.arm))
                self.scene.text((left, LABEL), label, **LETTERS)
                self.arms.append(MovingArm(axes, run.arm, theme))
                self.speeds.append(self._reading("joint 1", "rad/s", (left + across, LABEL)))
                if kept:
                    end = (left + across, LABEL + LINE)
                    self.momenta.append(self._reading("momentum", "kg·m²/s", end, wide=0.3))
        self.known = [(run.t, link_rates(run)[:, 0]) for run in shown.values()]
        self.kept = [(run.t, angular_momentum(run)) for run in shown.values() if kept]

    def draw(self, together: Sequence[Moment]) -> np.ndarray:
        """Draw a moment of every run; the picture is overwritten by the next one."""
        t = together[0].t
        self.clock.set_text(number(t))
        moving = [self.clock]
        for arm, speed, known, moment in zip(
            self.arms, self.speeds, self.known, together, strict=True
        ):
            arm.place(moment)
            speed.set_text(f"{np.interp(t, *known):.1f}".replace("-", "−"))
            moving += [*arm.shapes, speed]
        for momentum, kept in zip(self.momenta, self.kept, strict=True):
            momentum.set_text(f"{np.interp(t, *kept):.2f}".replace("-", "−"))
            moving.append(momentum)
        return self.scene.picture(moving)

    def _reading(
        self, label: str, unit: str, end: tuple[float, float], *, wide: float = 0.0
    ) -> Any:
        """Write a label and a unit, and return the number between them, all that is drawn anew.

        `wide` is by how much [inches] its unit is longer than others.
        """
        (right, down), quiet = end, self.scene.theme.muted
        self.scene.text((right - LABELLED - 2.2 * wide, down), label, color=quiet, **LETTERS)
        self.scene.text((right - UNIT - wide, down), unit, color=quiet, **LETTERS)
        moving = {"ha": "right", "animated": True, "color": quiet, **LETTERS}
        return self.scene.text((right - UNIT - wide - GAP, down), "", **moving)

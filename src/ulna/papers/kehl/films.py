"""Films of paper 000: the arm on its path, its replay, and torques that grow with the masses."""

from __future__ import annotations

from typing import Any

import numpy as np

import ulna
from ulna.arrays import Array
from ulna.dynamics import inverse_dynamics
from ulna.papers.kehl import printed
from ulna.papers.kehl.motions import MASSES, differences, plan
from ulna.viewer import PRINT, Theme, animate_following
from ulna.viewer.comparison import Comparison, scenes
from ulna.viewer.film import shoot, speed_remark, times_between
from ulna.viewer.scene import HEAD, Scene, number
from ulna.viewer.video import FilmFormat

SIZE = (640, 640)  # [pixels]
PAIR = (800, 460)  # [pixels] of two arms side by side
SWEEP = (800, 560)  # [pixels]
RATE = 20.0  # [1/s] pictures
SLOWLY = 0.5  # times as fast as it goes
GROWING = 100  # pictures in which a mass grows
RESTING = 10  # pictures for which it stays
LIMITS = (-180.0, 180.0), (-60.0, 60.0)  # [N·m] that are shown
EVERY = 3  # samples between those that are drawn: finer than a pixel


def film_following(file: str) -> None:
    """Show the arm on its path under feedback, four times as fast as it goes."""
    from ulna.papers.kehl.feedback import run

    runs = {"computed torque at 1 kHz": run("computed torque")}
    animate_following(plan(), runs, file, fps=RATE, speed=4.0, size=SIZE, progress=False)


def film_replay(file: str) -> None:
    """Show the first seconds: torques replayed, and the same arm under feedback."""
    from ulna.papers.kehl.feedback import FIRST, first_seconds

    runs = first_seconds()
    times = times_between(0.0, FIRST, RATE, SLOWLY)
    scene = Comparison(plan(), list(runs), speed_remark(SLOWLY), PAIR, PRINT)
    *_, late = scenes(runs, times, RATE)
    film = FilmFormat(RATE, PAIR, scene.draw(late).copy())
    pictures = (scene.draw(together) for together in scenes(runs, times, RATE))
    shoot(file, pictures, len(times), film, overwrite=True, progress=False)


def film_mass_sweep(file: str) -> None:
    """Show both torques while one link grows from 1 to 20 kg, then the other."""
    scene = Sweep(PRINT)
    steps = [
        (link, mass)
        for link in (1, 2)
        for mass in np.pad(np.linspace(MASSES[0], MASSES[-1], GROWING), RESTING, mode="edge")
    ]
    film = FilmFormat(RATE, SWEEP, scene.draw(1, MASSES[-1]).copy())
    pictures = (scene.draw(link, float(mass)) for link, mass in steps)
    shoot(file, pictures, len(steps), film, overwrite=True, progress=False)


class Sweep:
    """Two panels of torques, drawn anew for every mass over those of the lightest link."""

    def __init__(self, theme: Theme) -> None:
        self.scene = Scene(SWEEP, theme)
        self.t = printed.TIMES[1:-1:EVERY]
        with self.scene.set_up():
            wide, high = self.scene.inches
            tall = (high - 1.9) / 2.0
            bottoms = (0.65 + tall + 0.35, 0.65)
            self.panels = [self.scene.axes((0.85, low, wide - 1.15, tall)) for low in bottoms]
            self.curves = [self._panel(k, theme) for k in (0, 1)]
            self.scene.text((0.85, HEAD), "torques along the path", size=14, weight="bold")
            moving: dict[str, Any] = {"ha": "right", "size": 13, "animated": True}
            self.masses = self.scene.text((-0.3, HEAD), "", **moving)

    def _panel(self, joint: int, theme: Theme) -> Any:
        axes = self.panels[joint]
        axes.set(xlim=(0.0, printed.DURATION), ylim=LIMITS[joint])
        axes.set_ylabel(f"τ{'₁₂'[joint]} [N·m]")
        axes.tick_params(labelbottom=joint == 1)
        if joint == 1:
            axes.set_xlabel("time [s]")
        lightest = tau_of(1.0, 1.0)[::EVERY, joint]
        axes.plot(self.t, lightest, color=theme.ghost, lw=1.2)
        (line,) = axes.plot([], [], color=theme.data[joint], lw=1.8, animated=True)
        return line

    def draw(self, link: int, mass: float) -> Array:
        """Draw the torques with a mass of one link, the other as in the paper."""
        masses = (mass, 10.0) if link == 1 else (1.0, mass)
        tau = tau_of(*masses)[::EVERY]
        for joint, line in enumerate(self.curves):
            line.set_data(self.t, tau[:, joint])
        self.masses.set_text(f"m₁ = {number(masses[0])} kg,  m₂ = {number(masses[1])} kg")
        return self.scene.picture([*self.curves, self.masses])


def tau_of(first: float, second: float) -> Array:
    """Return the torques (k, 2) along the path for links of these masses [kg]."""
    arm = ulna.Arm.rods([0.5, 0.5], [first, second])
    return np.asarray(inverse_dynamics(arm, *differences()))

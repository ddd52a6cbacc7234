"""Drawings as in textbooks: an arm of lines and joints, with letters beside it.

They are not to scale for any arm, and explain what an angle is measured from, where a mass is, and
which way a torque turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon, Wedge
from numpy.typing import ArrayLike, NDArray

from ulna.viewer import PRINT, Theme, styled

Floats = NDArray[np.float64]
LETTERS = 17  # [points], of symbols
WORDS = 11  # [points]
DASHES = (0, (5, 4))
GROUND = 0.13  # [m] half of the width of the ground under a joint
JOINT = 0.034  # [m] radius of a joint


def heading(angle: float) -> Floats:
    """Return the unit vector (2,) of a direction."""
    return np.array([np.cos(angle), np.sin(angle)])


def ends(lengths: Sequence[float], phi: Sequence[float]) -> Floats:
    """Return where links (n) in absolute angles begin and end (n+1, 2), from the origin."""
    steps = [length * heading(angle) for length, angle in zip(lengths, phi, strict=True)]
    return np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])


class Schematic:
    """A sheet without axes on which links, angles, forces and their letters are drawn.

    Places are in metres and angles in radians from the x axis, counter-clockwise. What is drawn
    later lies over what was drawn before, except that joints lie over all links.
    """

    def __init__(
        self,
        x: tuple[float, float],
        y: tuple[float, float],
        *,
        wide: float = 8.0,
        theme: Theme = PRINT,
    ) -> None:
        self.theme = theme
        with styled(theme):
            high = wide * (y[1] - y[0]) / (x[1] - x[0])
            self.figure = Figure(figsize=(wide, high), dpi=150)
            self.axes: Any = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
            self.axes.set(xlim=x, ylim=y, aspect="equal")
            self.axes.set_axis_off()

    def text(
        self,
        place: ArrayLike,
        text: str,
        *,
        by: ArrayLike = (0.0, 0.0),
        color: str = "",
        **style: Any,
    ) -> None:
        """Write symbols, or words if there is no formula in them, so far from a place."""
        x, y = np.add(place, by)
        style = {"ha": "center", "va": "center", "zorder": 9, **style}
        style.setdefault("fontsize", LETTERS if "$" in text else WORDS)
        ink = color or self.theme.foreground
        self.axes.text(x, y, text, color=ink, math_fontfamily="stix", **style)

    def line(self, start: ArrayLike, end: ArrayLike, *, color: str = "", **style: Any) -> None:
        """Draw a thin line, dashed unless said otherwise."""
        points = np.stack([np.asarray(start, dtype=float), np.asarray(end, dtype=float)])
        style = {"lw": 1.0, "ls": DASHES, "zorder": 2, **style}
        self.axes.plot(*points.T, color=color or self.theme.muted, **style)

    def arrow(
        self,
        start: ArrayLike,
        end: ArrayLike,
        *,
        color: str = "",
        both: bool = False,
        lw: float = 1.8,
        layer: float = 6.0,
    ) -> None:
        """Draw an arrow from a place to a place, or with a head at both."""
        style = {
            "arrowstyle": "<|-|>" if both else "-|>",
            "color": color or self.theme.foreground,
            "lw": lw,
            "shrinkA": 0,
            "shrinkB": 0,
            "mutation_scale": 9 + 3 * lw,
        }
        ends = {"xy": tuple(np.asarray(end)), "xytext": tuple(np.asarray(start))}
        self.axes.annotate("", **ends, arrowprops=style, zorder=layer)

    def frame(self, *, right: float, up: float, below: float = 0.09) -> None:
        """Draw the axes x and y from the origin, with their names at the ends."""
        for way, end, name in (((right, 0), (0, -below), "$x$"), ((0, up), (-below, 0), "$y$")):
            self.arrow((0, 0), way, color=self.theme.muted, lw=1.1, layer=2)
            self.text(np.add(way, end), name, color=self.theme.muted)

    def ground(self, place: ArrayLike = (0.0, 0.0)) -> None:
        """Draw the ground on which a joint stands: a bracket on a hatched floor."""
        x, y = np.asarray(place, dtype=float)
        floor = y - 1.25 * GROUND
        bracket = [[x, y], [x - 0.6 * GROUND, floor], [x + 0.6 * GROUND, floor]]
        shape = Polygon(bracket, fc=self.theme.grid, ec=self.theme.foreground, lw=1.4, zorder=3)
        self.axes.add_patch(shape)
        ends = (x - GROUND, floor), (x + GROUND, floor)
        self.line(*ends, color=self.theme.foreground, ls="-", lw=1.6, zorder=3)
        for at in np.linspace(x - GROUND + 0.03, x + GROUND, 7):
            foot = (at - 0.045, floor - 0.05)
            self.line((at, floor), foot, color=self.theme.foreground, ls="-", lw=0.9, zorder=3)

    def chain(self, points: ArrayLike, *, joints: int | None = None) -> None:
        """Draw links from point to point (n+1, 2), and hollow joints at all but the last."""
        places = np.asarray(points, dtype=float)
        style: dict[str, Any] = {"color": self.theme.link, "zorder": 4, "solid_capstyle": "round"}
        self.axes.plot(*places.T, lw=6.0, solid_joinstyle="round", **style)
        for place in places[: len(places) - 1 if joints is None else joints]:
            hollow = {"fc": self.theme.background, "ec": self.theme.link, "lw": 2.2, "zorder": 5}
            self.axes.add_patch(Circle(tuple(place), JOINT, **hollow))

    def mass(self, place: ArrayLike, *, radius: float = 0.06) -> None:
        """Draw a point mass as a ball, with a joint seen in it."""
        x, y = np.asarray(place, dtype=float)
        ball = {"fc": self.theme.link_light, "ec": self.theme.link, "lw": 1.6, "zorder": 4.5}
        self.axes.add_patch(Circle((x, y), radius, **ball))

    def centre(self, place: ArrayLike, *, radius: float = 0.05) -> None:
        """Draw the centre of a mass: a disc in quarters."""
        x, y = np.asarray(place, dtype=float)
        disc = {"ec": self.theme.link, "lw": 1.3}
        self.axes.add_patch(Circle((x, y), radius, fc=self.theme.background, zorder=6, **disc))
        for quarter in (0, 180):
            dark = Wedge((x, y), radius, quarter, quarter + 90, fc=self.theme.link, zorder=6.5)
            self.axes.add_patch(dark)

    def angle(
        self,
        place: ArrayLike,
        start: float,
        end: float,
        text: str,
        *,
        color: str,
        radius: float = 0.3,
        away: float = 0.11,
        at: float = 0.5,
        lw: float = 1.6,
    ) -> None:
        """Draw an angle as an arc with a head, its letter outside, at a part of the way."""
        middle = start + at * (end - start)
        self._sweep(place, start, end, radius, color, lw=lw)
        self.text(np.asarray(place) + (radius + away) * heading(middle), text, color=color)

    def torque(self, place: ArrayLike, start: float, end: float, text: str, **style: Any) -> None:
        """Draw a torque: an angle as a strong arrow around a joint, its letter by the head."""
        strong = {"radius": 0.16, "away": 0.12, "at": 1.0, "lw": 2.6}
        self.angle(place, start, end, text, **{**strong, **style})

    def length(self, start: ArrayLike, end: ArrayLike, text: str, *, aside: float) -> None:
        """Draw a measure beside the line between two points, `aside` to its left."""
        first, last = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
        along = (last - first) / np.linalg.norm(last - first)
        beside = aside * np.array([-along[1], along[0]])
        self.arrow(first + beside, last + beside, both=True, color=self.theme.muted, lw=0.9)
        for point in (first, last):
            self.line(point + beside * (1.0 - 0.06 / abs(aside)), point + 1.1 * beside, ls="-")
        # The letter stands in the line and interrupts it.
        paper = {"fc": self.theme.background, "ec": "none", "pad": 2.5}
        self.text(0.5 * (first + last) + beside, text, bbox=paper)

    def _sweep(
        self, place: ArrayLike, start: float, end: float, radius: float, color: str, *, lw: float
    ) -> None:
        """Draw an arc with a head that ends exactly where the angle does."""
        centre = np.asarray(place, dtype=float)
        head = np.sign(end - start) * min(0.075 / radius, 0.6 * abs(end - start))
        turn = np.linspace(start, end - 0.7 * head, 80)
        line = centre + radius * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
        self.axes.plot(*line.T, color=color, lw=lw, zorder=6, solid_capstyle="butt")
        tail, point = (centre + radius * heading(by) for by in (end - head, end))
        self.arrow(tail, point, color=color, lw=lw)

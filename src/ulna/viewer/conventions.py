"""A drawing of the conventions: frames, angles and signs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ulna import kinematics
from ulna.arm import Arm, Link
from ulna.viewer.arm_drawing import draw_arm
from ulna.viewer.figure_style import PRINT, Theme, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
ARM = Arm.of(
    [
        Link(1.0, 1.0, com=0.45, com_offset=0.12, tip_mass=0.2),
        Link(0.8, 1.0, com=0.4),
        Link(0.5, 1.0, com=0.25),
    ]
)
POSE = np.radians([50.0, -75.0, 55.0])


def heading(angle: float) -> Floats:
    """Return the unit vector (2,) of a direction."""
    return np.array([np.cos(angle), np.sin(angle)])


def conventions_figure(*, theme: Theme = PRINT) -> Figure:
    """Draw what angles are measured from, and which way is positive.

    Parameters
    ----------
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.figure.Figure
        The page; pyplot does not know it, so nothing has to be closed.

    Examples
    --------
    >>> texts = [text.get_text() for text in conventions_figure().axes[0].texts]
    >>> "base" in texts, "tip" in texts, "gravity" in texts
    (True, True, True)
    """
    points = kinematics.joints(ARM, POSE)
    with styled(theme):
        figure = new_figure(8.4, 3.9, layout="constrained")
        axes = figure.add_subplot()
        axes.set(xlim=(-0.75, 2.6), ylim=(-0.3, 1.2), aspect="equal")
        axes.set_axis_off()
        _frame(axes, theme)
        draw_arm(axes, ARM, POSE, theme=theme)
        _angles(axes, points, theme)
        _absolute(axes, points, theme)
        _centre(axes, theme)
        _surroundings(axes, points, theme)
    return figure


def _frame(axes: Axes, theme: Theme) -> None:
    for end, name, place in (((0.45, 0), "x", (0.45, -0.08)), ((0, 0.45), "y", (-0.06, 0.44))):
        _arrow(axes, (0, 0), end, theme.foreground, width=1.4)
        axes.text(
            place[0], place[1], name, fontsize=12, fontstyle="italic", ha="center", va="center"
        )
    axes.plot([-0.12, 0.12], [-0.075, -0.075], color=theme.foreground, lw=1.5)
    for x in np.linspace(-0.12, 0.09, 6):
        axes.plot([x, x - 0.03], [-0.075, -0.115], color=theme.foreground, lw=0.8)
    axes.text(0.2, -0.13, "base", ha="left", va="center")


def _angles(axes: Axes, points: np.ndarray, theme: Theme) -> None:
    phi = np.concatenate([[0.0], np.cumsum(POSE)])
    for i in range(3):
        color = theme.data[i]
        away = 0.42 if i else 0.62
        _dashed(axes, points[i], phi[i], away, color)
        _arc(axes, points[i], phi[i], phi[i + 1], 0.3, color)
        middle = 0.5 * (phi[i] + phi[i + 1])
        text = f"$q_{i + 1}{'>' if POSE[i] > 0 else '<'}0$"
        place = points[i] + (0.46 if i else 0.43) * heading(middle)
        label = axes.text(
            place[0], place[1], text, color=color, fontsize=12, ha="center", va="center", zorder=9
        )
        label.set_bbox({"fc": theme.background, "ec": "none", "pad": 1.5})


def _absolute(axes: Axes, points: np.ndarray, theme: Theme) -> None:
    start, phi = points[2], float(np.sum(POSE))
    _dashed(axes, start, 0.0, 0.72, theme.muted)
    _arc(axes, start, 0.0, phi, 0.62, theme.muted)
    text = r"$\varphi_3=q_1+q_2+q_3$, from the $x$ axis"
    axes.text(start[0] + 0.67, start[1] + 0.12, text, color=theme.muted, fontsize=10)


def _centre(axes: Axes, theme: Theme) -> None:
    link, along = ARM.links[0], heading(POSE[0])
    left = np.array([-along[1], along[0]])
    foot, centre = link.com * along, kinematics.centres(ARM, POSE)[0]
    axes.plot(*np.stack([foot, centre]).T, color=theme.foreground, lw=1.0, zorder=8)
    axes.plot(
        *centre, marker="o", ms=8, mfc=theme.background, mec=theme.foreground, mew=1.4, zorder=9
    )
    x, y = centre + 0.11 * left
    text = "centre of mass:\n$c_1$ along the link,\n$d_1$ to its left"
    axes.text(x, y, text, ha="right", va="bottom")


def _surroundings(axes: Axes, points: np.ndarray, theme: Theme) -> None:
    elbow, tip = points[1], points[3]
    axes.text(elbow[0] - 0.06, elbow[1] + 0.06, "joint 2, with a\ntip mass $p_1$", ha="right")
    axes.text(tip[0] - 0.05, tip[1] + 0.07, "tip", color=theme.accent, fontsize=12, ha="right")
    force = np.array([0.3, 0.22])
    _arrow(axes, tip, tip + force, theme.accent, width=1.8)
    x, y = tip + force + 0.03
    axes.text(x, y, "a force acts on the arm", color=theme.accent, va="center")
    _arrow(axes, (-0.55, 0.1), (-0.55, -0.22), theme.foreground, width=1.8)
    axes.text(-0.51, -0.06, "gravity", va="center", ha="left")


def _arrow(axes: Axes, start: Any, end: Any, color: str, *, width: float) -> None:
    style = {"arrowstyle": "-|>", "color": color, "lw": width, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", xy=end, xytext=start, arrowprops=style, zorder=7)


def _dashed(axes: Axes, start: np.ndarray, angle: float, length: float, color: str) -> None:
    end = start + length * heading(angle)
    axes.plot(*np.stack([start, end]).T, color=color, lw=1.0, ls=(0, (4, 3)), zorder=6)


def _arc(axes: Axes, centre: np.ndarray, a: float, b: float, radius: float, color: str) -> None:
    turn = np.linspace(a, b, 60)
    line = centre[:, None] + radius * np.stack([np.cos(turn), np.sin(turn)])
    axes.plot(*line, color=color, lw=1.6, zorder=6)
    _arrow(axes, line[:, -4], line[:, -1], color, width=1.6)

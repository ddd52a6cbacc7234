"""Figures 1 to 3 of paper 000, and the branch along its path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ulna import kinematics
from ulna.arm import Arm
from ulna.arrays import Array
from ulna.papers.kehl import near_singular as near
from ulna.papers.kehl import printed
from ulna.papers.kehl.motions import TARGET, arm, unit_arm
from ulna.viewer import PRINT, Theme, draw_arm, draw_ghosts, draw_reach, fit_axes, styled
from ulna.viewer.arm import even_ticks
from ulna.viewer.pages import PageLayout, name_outer, page_of_panels
from ulna.viewer.run import curve, finish, legend_above
from ulna.viewer.style import PATTERNS, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (6.0, 5.0)  # [inches] of a posture
PAGE = (9.0, 7.4)  # [inches] of four panels
JUMP = 20.0  # [deg] from one sample to the next, across which no line is drawn


def forward_figure(theme: Theme = PRINT) -> Figure:
    """Draw the arm at 40° and −60°, with its angles and the place of its tip."""
    q = np.radians([40.0, -60.0])
    with styled(theme):
        figure, axes = _page("forward kinematics of two links of 1 m")
        draw_arm(axes, unit_arm(), q, theme=theme)
        base, elbow, tip = kinematics.joints(unit_arm(), q)
        _angle(axes, base, 0.0, q[0], r"$\theta_1 = 40°$", theme.data[1])
        _angle(axes, elbow, q[0], q[1], r"$\theta_2 = -60°$", theme.data[2])
        pose = f"({tip[0]:.4f}, {tip[1]:.4f}) m, −{-np.degrees(q.sum()):.0f}°"
        _say(axes, tip, pose, (0, -16), theme, ha="right")
        axes.set(xlim=(-0.2, 2.05), ylim=(-0.35, 1.15), aspect="equal")
    return figure


def inverse_figure(theme: Theme = PRINT) -> Figure:
    """Draw both postures that reach (1.71, 0.30)."""
    found = kinematics.inverse(unit_arm(), TARGET)
    with styled(theme):
        figure, axes = _page("two postures for one point")
        draw_arm(axes, unit_arm(), found.q[1], theme=theme, ghost=True)
        draw_arm(axes, unit_arm(), found.q[0], theme=theme)
        axes.plot(*TARGET, "o", ms=20, mfc="none", mec=theme.data[1], mew=1.8, zorder=7)
        for q, aside in zip(found.q, ((6, -32), (-8, 28)), strict=True):
            text = f"θ₁ = {np.degrees(q[0]):.2f}°\nθ₂ = {np.degrees(q[1]):.2f}°".replace("-", "−")
            _say(axes, kinematics.joints(unit_arm(), q)[1], text, aside, theme)
        _say(axes, np.array(TARGET), "(1.71, 0.30) m", (-44, 0), theme, ha="right")
        axes.set(xlim=(-0.2, 2.15), ylim=(-0.75, 1.0), aspect="equal")
    return figure


def branch_figure(wrapped: Array, plain: Array, theme: Theme = PRINT) -> Figure:
    """Draw the angles along the path, the nearer solution taken by either distance."""
    with styled(theme):
        title = "the nearer of two solutions, along the path of Figure 4"
        figure, panels = page_of_panels(PageLayout((2.0, 2.0), 9.0), title)
        names = r"$\theta_1$ [deg]", r"$\theta_2$ [deg]"
        for joint, (axes, name) in enumerate(zip(panels, names, strict=True)):
            rows = {"plain distance": plain, "wrapped distance": wrapped}
            styles = ({"color": theme.data[0], "lw": 2.6}, {"color": theme.data[1], "lw": 1.4})
            for (label, angles), style in zip(rows.items(), styles, strict=True):
                values = _broken(np.degrees(angles[:, joint]))
                curve(axes, printed.TIMES, values, label, style)
            name_outer(finish(axes, theme, ylabel=name), last=joint == 1)
        panels[1].legend().remove()
    return figure


def singular_figure(theme: Theme = PRINT) -> Figure:
    """Draw a line past the base, its angles with the check and without, and the joints' speeds."""
    from matplotlib.figure import Figure

    with styled(theme):
        figure = Figure(figsize=PAGE, dpi=150)
        figure.set_layout_engine("constrained", w_pad=0.12, h_pad=0.12)
        panels = figure.subplots(2, 2)
        _draw_line(panels[0, 0], arm(), theme)
        _draw_angles(panels[0, 1], theme)
        _draw_speeds(panels[1, 0], theme)
        _draw_growth(panels[1, 1], theme)
    return figure


def _draw_line(axes: Axes, two: Arm, theme: Theme) -> None:
    draw_reach(axes, two, theme=theme)
    rows = near.nearest_branch()
    draw_ghosts(axes, two, rows[::20], theme=theme, count=9)
    draw_arm(axes, two, rows[-1], theme=theme)
    axes.plot(*near.points().T, color=theme.data[1], lw=1.8, zorder=3.5)
    even_ticks(fit_axes(axes, two))
    axes.set_title(f"a line {100 * near.SHOWN:g} cm above the base")


def _draw_angles(axes: Axes, theme: Theme) -> None:
    t = near.times()
    rows = {"upper elbow": near.upper_elbow(), "nearest": near.nearest_branch()}
    for (name, angles), pattern in zip(rows.items(), (PATTERNS[3], "-"), strict=True):
        for joint, color in enumerate(theme.data[:2]):
            values = _broken(np.degrees(angles[:, joint]))
            label = f"$\\theta_{joint + 1}$, {name}"
            curve(axes, t, values, label, {"color": color, "ls": pattern})
    finish(axes, theme, ylabel="angle [deg]")
    legend_above(axes, theme, columns=2)


def _draw_speeds(axes: Axes, theme: Theme) -> None:
    shown = near.PAST_BASE[:3]
    for distance, style in zip(reversed(shown), series(len(shown), theme), strict=True):
        made = near.past_base(distance)
        t = near.MIDDLE + np.sinh(np.linspace(-8.0, 8.0, 1201)) / np.sinh(8.0) * near.MIDDLE
        speed = np.abs(made.trajectory(t).qd).max(axis=-1)
        curve(axes, t, speed, f"{100 * distance:g} cm from base", style)
    finish(axes, theme, ylabel="faster joint [rad/s]")


def _draw_growth(axes: Axes, theme: Theme) -> None:
    past = [near.speed_past_base(d) for d in near.PAST_BASE]
    rim = [near.speed_at_rim(d) for d in near.FROM_RIM]
    axes.loglog(near.PAST_BASE, past, "o-", color=theme.data[0], label="past the base: v/d")
    axes.loglog(near.FROM_RIM, rim, "s-", color=theme.data[1], label="to the rim: v √(2/d)")
    axes.set(xlabel="nearest distance d [m]", ylabel="fastest joint [rad/s]")
    legend_above(axes, theme, columns=1)


def _page(title: str) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, layout="constrained", dpi=150)
    axes = figure.add_subplot()
    axes.set_title(title)
    axes.set(xlabel="x [m]", ylabel="y [m]")
    return figure, axes


def _angle(axes: Axes, at: Array, start: float, turn: float, text: str, color: str) -> None:
    """Draw an angle from a dashed direction, and name it."""
    radius, ends = 0.42, np.array([start, start + turn])
    ray = at + 0.75 * np.array([[0.0, 0.0], [np.cos(start), np.sin(start)]])
    axes.plot(*ray.T, color=color, lw=1.0, ls=(0, (4, 3)), zorder=3.2)
    way = np.linspace(ends[0], ends[1], 60)
    arc = at + radius * np.stack([np.cos(way), np.sin(way)], axis=-1)
    axes.plot(*arc.T, color=color, lw=1.8, zorder=6)
    middle = at + 1.12 * radius * np.array([np.cos(ends.mean()), np.sin(ends.mean())])
    axes.text(
        float(middle[0]),
        float(middle[1]),
        text,
        color=color,
        va="center",
        ha="left",
        zorder=8,
        fontsize=12,
    )


def _say(axes: Axes, at: Array, text: str, aside: Any, theme: Theme, ha: str = "left") -> None:
    label = axes.annotate(
        text, (float(at[0]), float(at[1])), xytext=aside, textcoords="offset points", ha=ha,
        va="center", color=theme.foreground, zorder=9,
    )  # fmt: skip
    label.set_bbox({"fc": theme.background, "ec": "none", "alpha": 0.85, "pad": 1.5})


def _broken(values: Array) -> Array:
    """Return a curve in degrees that is not drawn across a jump."""
    found = np.array(values, dtype=float)
    found[1:][np.abs(np.diff(values)) > JUMP] = np.nan
    return found

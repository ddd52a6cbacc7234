"""Where the arm is: Figures 1 and 2 of paper 000, the branch along its path, and errata of both."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from papers.figures import curve, finish, page_of_panels
from papers.kehl import printed, rows
from papers.kehl.motions import TARGET, arm, broken, largest, plan, switches, unit_arm
from papers.kehl.printed import Array
from papers.rows_file import Values
from ulna.kinematics import inverse, joints, tip, track, transforms
from ulna.viewer import PRINT, Theme, draw_arm, styled

SIZE = (6.0, 5.0)  # [inches] of a posture
OUTSIDE = (2.1, 2.8)  # [m] out of reach of links of 1 m


@rows.values("forward")
def forward() -> Values:
    q = np.radians([40.0, -60.0])
    x, y, angle = tip(unit_arm(), q)
    product = transforms(unit_arm(), q).product
    factors = printed.transform(40, 0), printed.transform(-60, 1), printed.transform(0, 1)
    return {
        "x": x,
        "y": y,
        "angle": np.degrees(angle),
        "x_matrix": product[0, 2],
        "y_matrix": product[1, 2],
        "cosine": product[0, 0],
        "sine": product[1, 0],
        "matrix_off": largest(product - printed.MATRIX),
        "factors_off": max(largest(a - b) for a, b in zip(factors, printed.FACTORS, strict=True)),
        "composed_off": largest(factors[0] @ factors[1] @ factors[2] - product),
    }


@rows.picture("000-figure-1.svg")
def forward_figure(theme: Theme = PRINT) -> Figure:
    """Draw the arm at 40° and −60°, with its angles and the place of its tip."""
    q = np.radians([40.0, -60.0])
    with styled(theme):
        figure, axes = _page("forward kinematics of two links of 1 m")
        draw_arm(axes, unit_arm(), q, theme=theme)
        base, elbow, end = joints(unit_arm(), q)
        _angle(axes, base, 0.0, q[0], r"$\theta_1 = 40°$", theme.data[1])
        _angle(axes, elbow, q[0], q[1], r"$\theta_2 = -60°$", theme.data[2])
        pose = f"({end[0]:.4f}, {end[1]:.4f}) m, −{-np.degrees(q.sum()):.0f}°"
        _say(axes, end, pose, (0, -16), theme, ha="right")
        axes.set(xlim=(-0.2, 2.05), ylim=(-0.35, 1.15), aspect="equal")
    return figure


@rows.values("inverse")
def both_postures() -> Values:
    found = inverse(unit_arm(), TARGET)
    (first, bend), (first_other, bend_other) = np.degrees(found.q)
    halved = np.arctan2(TARGET[1], TARGET[0]) - found.q[:, 1] / 2
    return {
        "cosine": np.cos(found.q[0, 1]),
        "bend": bend,
        "first": first,
        "bend_other": bend_other,
        "first_other": first_other,
        "half_bend_off": largest(found.q[:, 0] - halved),
        "missed": largest(tip(unit_arm(), found.q)[:, :2] - np.array(TARGET)),
    }


@rows.picture("000-figure-2.svg")
def inverse_figure(theme: Theme = PRINT) -> Figure:
    """Draw both postures that reach (1.71, 0.30)."""
    found = inverse(unit_arm(), TARGET)
    with styled(theme):
        figure, axes = _page("two postures for one point")
        draw_arm(axes, unit_arm(), found.q[1], theme=theme, ghost=True)
        draw_arm(axes, unit_arm(), found.q[0], theme=theme)
        axes.plot(*TARGET, "o", ms=20, mfc="none", mec=theme.data[1], mew=1.8, zorder=7)
        for q, aside in zip(found.q, ((6, -32), (-8, 28)), strict=True):
            text = f"θ₁ = {np.degrees(q[0]):.2f}°\nθ₂ = {np.degrees(q[1]):.2f}°".replace("-", "−")
            _say(axes, joints(unit_arm(), q)[1], text, aside, theme)
        _say(axes, np.array(TARGET), "(1.71, 0.30) m", (-44, 0), theme, ha="right")
        axes.set(xlim=(-0.2, 2.15), ylim=(-0.75, 1.0), aspect="equal")
    return figure


@cache
def branches() -> tuple[Array, Array]:
    """Return the angles along the path, the nearer solution by wrapped and by plain distance."""
    points = printed.path()
    wrapped, plain = (
        printed.joint_trajectory(points, 0.5, 0.5, wrapped=wrapped) for wrapped in (True, False)
    )
    return wrapped, plain


@rows.values("branch")
def branch_along_the_path() -> Values:
    wrapped, plain = branches()
    ours = track(arm(), printed.path(), start="positive").q
    return {
        "points": printed.COUNT,
        "off": largest(printed.wrap_delta(ours, wrapped)),
        "switches": switches(wrapped),
        "switches_unwrapped": switches(plain),
    }


@rows.picture("000-branch.svg")
def branch_figure(theme: Theme = PRINT) -> Figure:
    """Draw the angles along the path, the nearer solution taken by either distance."""
    wrapped, plain = branches()
    with styled(theme):
        title = "the nearer of two solutions, along the path of Figure 4"
        figure, panels = page_of_panels(title, (2.0, 2.0))
        names = r"$\theta_1$ [deg]", r"$\theta_2$ [deg]"
        for joint, (axes, name) in enumerate(zip(panels, names, strict=True)):
            angles_by = {"plain distance": plain, "wrapped distance": wrapped}
            styles = ({"color": theme.data[0], "lw": 2.6}, {"color": theme.data[1], "lw": 1.4})
            for (label, angles), style in zip(angles_by.items(), styles, strict=True):
                values = broken(np.degrees(angles[:, joint]))
                curve(axes, printed.TIMES, values, label, style)
            finish(axes, theme, ylabel=name)
        panels[1].legend().remove()
    return figure


def _page(title: str) -> tuple[Figure, Axes]:
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


@rows.values("erratum-1")
def bend_of_the_example() -> Values:
    radians = inverse(unit_arm(), TARGET).q[0, 1]
    degrees = np.degrees(radians)
    off = {"degrees": abs(59.533 - degrees), "radians": abs(1.03904686 - radians)}
    return {"degrees": degrees, "radians": radians, "off": off}


@rows.values("erratum-2")
def first_angle_of_the_other() -> Values:
    radians = inverse(unit_arm(), TARGET).q[1, 0]
    reached = tip(unit_arm(), np.array([0.69352343, -1.03904686]))[:2]
    missed = 1e3 * float(np.hypot(*(reached - np.array(TARGET))))
    return {"radians": radians, "degrees": np.degrees(radians), "missed": missed}


@rows.values("erratum-3")
def which_elbow_is_up() -> Values:
    right, left = (_elbow_above(x) for x in (TARGET[0], -TARGET[0]))
    return {"right": right, "left": left, "below": -right}


def _elbow_above(x: float) -> float:
    """Return how far [m] the elbow of `th2_up` is above the line from base to tip."""
    both = printed.inverse_kinematics_both(np.array(x), np.array(TARGET[1]), 1.0, 1.0)
    _, elbow, end = joints(unit_arm(), both[0])
    left = (end[0] * elbow[1] - end[1] * elbow[0]) / np.hypot(*end)
    return float(np.sign(x) * left)


@rows.values("erratum-13")
def out_of_reach() -> Values:
    x, y = (np.array(value) for value in OUTSIDE)
    accepted = printed.inverse_kinematics_both(x, y, 1.0, 1.0)
    return {
        "outside": str(OUTSIDE),
        "missed": np.hypot(*(tip(unit_arm(), accepted[0])[:2] - np.array(OUTSIDE))),
        "shortfall": inverse(unit_arm(), OUTSIDE).shortfall,
    }


@rows.values("erratum-15")
def jumps_by_a_turn() -> Values:
    steps = np.abs(np.diff(branches()[0][:, 0]))
    jumps = np.flatnonzero(steps > np.pi)
    when = printed.TIMES[jumps]
    return {
        "count": len(jumps),
        "times": ", ".join(f"{t:.2f}" for t in when),
        "jump": when,
        "size": steps[jumps].max(),
        "ours": largest(np.diff(plan().q, axis=0)),
    }

"""What paper 002's rule of the upper elbow does: where it jumps, and what it is good for."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from papers.garai import printed, rows, states
from papers.garai.printed import Floats
from papers.rows_file import Values
from ulna.angles import absolute_to_relative
from ulna.kinematics import elbow_side, inverse, joints
from ulna.viewer import PRINT, Theme, draw_arm, draw_reach, styled

HEIGHT = 1.0  # [m] of the line along which the tip passes over the base
BESIDE = 1e-9  # [m] to both sides of it
RINGS, BEARINGS = 300, 720  # of the grid on which areas are summed
SIZE = (9.0, 4.4)  # [inches]


@rows.values("elbow-up-jump")
@rows.values("erratum-3")
def leap() -> Values:
    p, ((q1_right, q2_right), (q1_left, q2_left)) = states.rods(), at_the_jump()
    return {
        "l1": p.l1,
        "l2": p.l2,
        "height": HEIGHT,
        "q1": {"right": q1_right, "left": q1_left},
        "q2": {"right": q2_right, "left": q2_left},
    }


@rows.values("range")
def reach_of_each_elbow() -> Values:
    size = areas()
    lost = 1.0 - size["down_clear"] / size["up_clear"]
    return {"rings": RINGS, "bearings": BEARINGS, **size, "lost": 100.0 * lost}


class Reached(NamedTuple):
    """Which points of the ring, on a grid of polar coordinates, each elbow reaches."""

    points: Floats  # (rings, bearings, 2) [m]
    area: Floats  # (rings, 1) [m²] of the patch around each
    up: NDArray[np.bool_]  # (rings, bearings) with the elbow up
    down: NDArray[np.bool_]
    up_clear: NDArray[np.bool_]  # and with every point of the arm above the floor
    down_clear: NDArray[np.bool_]


@cache
def at_the_jump() -> Floats:
    """Return q1, q2 (2, 2) [deg] as the tip comes from the right and just beyond the base."""
    points = np.array([[BESIDE, HEIGHT], [-BESIDE, HEIGHT]])
    return np.asarray(np.degrees(printed.elbow_up(states.rods(), points)[0]))


@cache
def reached() -> Reached:
    """Try both postures for every point of the ring, without and with a floor at y = 0."""
    p, arm = states.rods(), states.arm()
    inner, outer = abs(p.l1 - p.l2), p.l1 + p.l2
    edges = np.linspace(inner, outer, RINGS + 1)
    radius = 0.5 * (edges[1:] + edges[:-1])
    # No bearing is exactly level or upright: there an elbow is neither up nor down.
    bearing = (np.arange(BEARINGS) + 0.5) * 2.0 * np.pi / BEARINGS
    way = np.stack([np.cos(bearing), np.sin(bearing)], axis=-1)
    points = radius[:, None, None] * way
    found = inverse(arm, points)
    side = elbow_side(arm, found.q)
    clear = (joints(arm, found.q)[..., 1:, 1] >= 0.0).all(axis=-1)
    cases = [
        np.asarray((found.valid & (side == which) & allowed).any(axis=-1))
        for allowed in (np.True_, clear)
        for which in (1, -1)
    ]
    area = np.diff(edges**2)[:, None] * np.pi / BEARINGS
    return Reached(points, area, *cases)


def areas() -> dict[str, float]:
    """Return the areas [m²] that are reached, by the name of the case."""
    found = reached()
    return {
        case: float((found.area * getattr(found, case)).sum())
        for case in ("up", "down", "up_clear", "down_clear")
    }


@rows.picture("002-elbow-up-jump.svg")
def jump(*, theme: Theme = PRINT) -> Figure:
    """Draw both angles along a level line, and the postures on both sides of the leap."""
    with styled(theme):
        figure = Figure(figsize=SIZE, dpi=150, layout="constrained")
        angles, postures = figure.subplots(1, 2, width_ratios=(1.15, 1.0))
        _angles_along_the_line(angles, theme)
        _postures_at_the_leap(postures, theme)
    return figure


def _angles_along_the_line(axes: Any, theme: Theme) -> None:
    p = states.rods()
    far = 0.98 * float(np.sqrt((p.l1 + p.l2) ** 2 - HEIGHT**2))
    for ends in ((-far, -BESIDE), (BESIDE, far)):
        x = np.linspace(*ends, 200)
        phi, _ = printed.elbow_up(p, np.stack([x, np.full_like(x, HEIGHT)], axis=-1))
        named = ends[0] < 0.0
        for i in range(2):
            label = f"$q_{i + 1}$" if named else None
            axes.plot(x, np.degrees(phi[:, i]), color=theme.data[i], lw=2.0, label=label)
    axes.axvline(0.0, color=theme.muted, lw=1.0, ls=(0, (4, 3)))
    axes.set(xlabel="x of the tip [m]", ylabel="angle from the x axis [deg]")
    axes.set_title(f"elbow up along y = {HEIGHT:g} m")
    axes.legend(loc="upper right")


def _postures_at_the_leap(axes: Any, theme: Theme) -> None:
    arm = states.arm()
    right, left = at_the_jump()
    for degrees, ghost in ((left, True), (right, False)):
        draw_arm(axes, arm, absolute_to_relative(np.radians(degrees)), theme=theme, ghost=ghost)
    for degrees, side, way in ((right, "x = 0⁺", -1.0), (left, "x = 0⁻", 1.0)):
        words = f"{side}\n$q_1$ = {degrees[0]:.1f}°\n$q_2$ = {degrees[1]:.1f}°"
        axes.text(way * 0.95, 0.3, words, ha="center", va="center")
    axes.plot([-1.3, 1.3], [HEIGHT, HEIGHT], color=theme.muted, lw=1.0, ls=(0, (4, 3)), zorder=1)
    axes.set(xlim=(-1.3, 1.3), ylim=(-0.15, 1.45), aspect="equal", xlabel="x [m]", ylabel="y [m]")
    axes.set_title("the two postures over the base")


@rows.picture("002-range.svg")
def ranges(*, theme: Theme = PRINT) -> Figure:
    """Draw what either elbow reaches above a floor, inside the ring that both reach without it."""
    found, size = reached(), areas()
    with styled(theme):
        figure = Figure(figsize=SIZE, dpi=150, layout="constrained")
        panels = figure.subplots(1, 2, sharey=True)
        for axes, case, words in zip(
            panels, ("up_clear", "down_clear"), ("elbow up", "elbow down"), strict=True
        ):
            _reached_part(axes, found, case, theme)
            axes.set_title(f"{words}: {size[case]:.2f} m²")
        panels[0].set_ylabel("y [m]")
    return figure


def _reached_part(axes: Any, found: Any, case: str, theme: Theme) -> None:
    arm = states.arm()
    draw_reach(axes, arm, theme=theme)
    # The first bearing once more at the end, or a slit would stay open.
    x, y = (np.c_[part, part[:, :1]] for part in np.moveaxis(found.points, -1, 0))
    allowed = getattr(found, case).astype(float)
    axes.contourf(
        x, y, np.c_[allowed, allowed[:, :1]], levels=[0.5, 1.5], colors=[theme.data[3]], alpha=0.45
    )
    axes.axhline(0.0, color=theme.foreground, lw=1.6)
    bends = (1.25, -1.1) if case == "up_clear" else (0.15, 1.1)
    draw_arm(axes, arm, np.array(bends), theme=theme)
    axes.set(xlim=(-1.95, 1.95), ylim=(-1.95, 1.95), aspect="equal", xlabel="x [m]")

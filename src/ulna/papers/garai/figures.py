"""The figures of paper 002's rule of the upper elbow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.angles import absolute_to_relative
from ulna.papers.garai import printed, samples
from ulna.viewer.arm import draw_arm, draw_reach
from ulna.viewer.style import PRINT, Theme, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE = (9.0, 4.4)  # [inches]


def jump(*, theme: Theme = PRINT) -> Figure:
    """Draw both angles along a level line, and the postures on both sides of the leap."""
    from matplotlib.figure import Figure

    with styled(theme):
        figure = Figure(figsize=SIZE, dpi=150, layout="constrained")
        angles, postures = figure.subplots(1, 2, width_ratios=(1.15, 1.0))
        _angles_along_the_line(angles, theme)
        _postures_at_the_leap(postures, theme)
    return figure


def _angles_along_the_line(axes: Any, theme: Theme) -> None:
    from ulna.papers.garai.elbow import BESIDE, HEIGHT

    p = samples.rods()
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
    from ulna.papers.garai.elbow import HEIGHT, at_the_jump

    arm = samples.arm()
    right, left = at_the_jump()
    for degrees, ghost in ((left, True), (right, False)):
        draw_arm(axes, arm, absolute_to_relative(np.radians(degrees)), theme=theme, ghost=ghost)
    for degrees, side, way in ((right, "x = 0⁺", -1.0), (left, "x = 0⁻", 1.0)):
        words = f"{side}\n$q_1$ = {degrees[0]:.1f}°\n$q_2$ = {degrees[1]:.1f}°"
        axes.text(way * 0.95, 0.3, words, ha="center", va="center")
    axes.plot([-1.3, 1.3], [HEIGHT, HEIGHT], color=theme.muted, lw=1.0, ls=(0, (4, 3)), zorder=1)
    axes.set(xlim=(-1.3, 1.3), ylim=(-0.15, 1.45), aspect="equal", xlabel="x [m]", ylabel="y [m]")
    axes.set_title("the two postures over the base")


def ranges(*, theme: Theme = PRINT) -> Figure:
    """Draw what either elbow reaches above a floor, inside the ring that both reach without it."""
    from matplotlib.figure import Figure

    from ulna.papers.garai.elbow import areas, reached

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
    arm = samples.arm()
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

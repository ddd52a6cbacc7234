"""Figures 4, 5 and 8 of paper 000: the path, its torques, and those of heavier links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arrays import Array
from ulna.papers.kehl import printed
from ulna.papers.kehl.motions import AS_PRINTED, MASSES, RODS, arm, plan, torques
from ulna.viewer import PRINT, Theme, draw_arm, draw_reach, fit_axes, styled
from ulna.viewer.arm import even_ticks
from ulna.viewer.pages import FOOT, PageLayout, name_outer, page_of_panels
from ulna.viewer.plan import reference_points
from ulna.viewer.run import curve, finish, legend_above
from ulna.viewer.style import PATTERNS, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TIMES = printed.TIMES[1:-1]
UNIT = "torque [N·m]"
NAMES = "joint 1", "joint 2"
LEGEND = 0.35  # [inches] below the panels


def path_figure(theme: Theme = PRINT) -> Figure:
    """Draw the path inside the reach, and the arm at its start."""
    from matplotlib.figure import Figure

    made = plan()
    way = reference_points(made)
    with styled(theme):
        figure = Figure(figsize=(6.6, 6.8), layout="constrained", dpi=150)
        axes = figure.add_subplot()
        draw_reach(axes, arm(), theme=theme)
        draw_arm(axes, arm(), made.q[0], theme=theme)
        axes.plot(*way.T, color=theme.data[1], lw=1.8, label="desired path", zorder=3.2)
        axes.plot(
            *way[0], "o", ms=12, mfc="none", mec=theme.data[3], mew=2.0, ls="", label=" start"
        )
        axes.plot([], [], color=theme.muted, ls=(0, (4, 3)), label="reach")
        even_ticks(fit_axes(axes, arm()))
        legend_above(axes, theme)
        axes.set_title("the path")
    return figure


def torque_figure(theme: Theme = PRINT) -> Figure:
    """Draw both torques as printed, with the right inertias, and with exact derivatives."""
    ways: dict[str, tuple[Array, dict[str, Any]]] = {
        "as printed": (torques(AS_PRINTED, "differences"), {"color": theme.data[0]}),
        "I = m l²/12": (torques(RODS, "differences"), {"color": theme.data[1], "lw": 2.6}),
        "I = m l²/12, exact derivatives": (
            torques(RODS, "exact"),
            {"color": theme.foreground, "ls": PATTERNS[3], "lw": 1.3},
        ),
    }
    with styled(theme):
        layout = PageLayout((2.5, 2.5), 9.0)
        figure, panels = page_of_panels(layout, "the torques along the path")
        for joint, axes in enumerate(panels):
            for name, (tau, style) in ways.items():
                curve(axes, TIMES, tau[:, joint], name, style)
            finish(axes, theme, ylabel=UNIT)
            axes.set_title(NAMES[joint])
            axes.set_xlim(0.0, printed.DURATION)
            name_outer(axes, last=joint == 1)
        panels[1].legend().remove()
    return figure


def sweep_figure(first: Array, second: Array, theme: Theme = PRINT) -> Figure:
    """Draw both torques (6, k, 2) for six masses of link 1, and of link 2."""
    with styled(theme):
        layout = PageLayout((2.2, 2.2), 11.0, 2, foot=FOOT + LEGEND)
        figure, panels = page_of_panels(layout, "the torques for links of other masses")
        for k, axes in enumerate(panels):
            joint, link = divmod(k, 2)
            _draw_masses(axes, (first, second)[link][..., joint], theme)
            held = "m₂ = 10 kg" if link == 0 else "m₁ = 1 kg"
            same = " (one curve)" if joint == 1 and link == 0 else ""
            axes.set_title(f"{NAMES[joint]}, m{'₁₂'[link]} varied, {held}{same}")
            finish(axes, theme, ylabel=UNIT)
            axes.set_xlim(0.0, printed.DURATION)
            axes.legend().remove()
            name_outer(axes, last=joint == 1)
        for joint in (0, 1):
            _share_scale(panels[2 * joint : 2 * joint + 2])
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="lower center", ncols=len(labels), fontsize=9)
    return figure


def _draw_masses(axes: Axes, tau: Array, theme: Theme) -> None:
    """Draw a torque (6, k) for each mass; where all are one, the last one hides the others."""
    for mass, values, style in zip(MASSES, tau, series(len(MASSES), theme), strict=True):
        curve(axes, TIMES, values, f"{mass:g} kg", {**style, "lw": 1.2})


def _share_scale(panels: list[Axes]) -> None:
    low = min(axes.get_ylim()[0] for axes in panels)
    high = max(axes.get_ylim()[1] for axes in panels)
    for axes in panels:
        axes.set_ylim(np.floor(low), np.ceil(high))

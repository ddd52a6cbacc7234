"""What the figures of the papers share: pages of panels, curves over time, legends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure

from ulna.viewer import Theme

WIDE = 9.0  # [inches] of a page of one column
ROOM = 0.9  # [inches] of a row beyond its panels
# Line styles tell curves apart without colour.
PATTERNS: tuple[Any, ...] = ("-", "-", (0, (5, 2)), (0, (1, 1)), (0, (6, 2, 1, 2)))


def page_of_panels(
    title: str, heights: Sequence[float], *, wide: float = WIDE, columns: int = 1
) -> tuple[Figure, list[Axes]]:
    """Return a page with a title and rows of panels of these heights [inches], on one time axis."""
    high = sum(heights) + ROOM * len(heights)
    figure = Figure(figsize=(wide, high), dpi=150, layout="constrained")
    figure.suptitle(title, x=0.02, ha="left", size=11, weight="bold")
    panels: Any = figure.subplots(
        len(heights), columns, sharex=True, squeeze=False, height_ratios=heights
    )
    return figure, list(panels.flat)


def series(count: int, theme: Theme) -> list[dict[str, Any]]:
    """Return colour and line style of so many curves: distinct for a few, a scale for many."""
    if count <= len(theme.data):
        return [{"color": theme.data[k], "ls": PATTERNS[k]} for k in range(count)]
    scale = LinearSegmentedColormap.from_list("scale", theme.sequence)
    return [{"color": to_hex(scale(k / (count - 1)))} for k in range(count)]


def curve(axes: Axes, t: Any, values: Any, name: str, style: dict[str, Any]) -> None:
    """Plot values (S,) over time."""
    axes.plot(np.asarray(t), np.asarray(values), **{"lw": 1.5, **style}, label=name or "_")


def joint_curves(axes: Axes, t: Any, values: Any, symbol: str, theme: Theme, ylabel: str) -> Axes:
    """Plot values (S, n) over time, one curve per joint."""
    columns = np.asarray(values).T
    for joint, style in enumerate(series(len(columns), theme)):
        curve(axes, t, columns[joint], f"${symbol}_{{{joint + 1}}}$", style)
    return finish(axes, theme, ylabel=ylabel)


def finish(axes: Axes, theme: Theme, *, ylabel: str, columns: int = 8) -> Axes:
    """Label the axes and the curves of a plot over time."""
    axes.set(xlabel="time [s]", ylabel=ylabel)
    axes.margins(x=0.0)
    place = axes.get_subplotspec()
    if place is not None and not place.is_last_row():
        axes.set_xlabel("")
    return legend_above(axes, theme, columns=columns)


def legend_above(axes: Axes, theme: Theme, *, columns: int = 8) -> Axes:
    """Put the legend above the axes, where it hides nothing."""
    if axes.get_legend_handles_labels()[1]:
        axes.legend(
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            ncols=columns,
            labelcolor=theme.foreground,
            fontsize=9,
            borderaxespad=0.1,
            handlelength=1.4,
            handletextpad=0.4,
            columnspacing=1.0,
        )
    return axes

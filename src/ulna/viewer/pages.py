"""Pages of curves below and beside one another, laid out in inches.

Matplotlib can find room for texts by itself, but draws them several times over for that; a page
of six panels would take a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ulna.motion.plan_result import Plan

LETTERS = 76  # of a title
LEFT, RIGHT = 0.85, 0.2  # [inches] beside the panels
HEAD, FOOT = 0.8, 0.6  # [inches] above and below
BETWEEN_ROWS, BETWEEN_COLUMNS = 0.5, 0.7  # [inches]
TITLE = 0.12, 0.28  # [inches] from the left and from the top
BELOW_TITLE = 0.08  # [inches] between the title and a legend
NAME = 0.62  # [inches] from the panels to the name of what is up


class PageLayout(NamedTuple):
    """How a page is laid out, in inches; of the heights there is one for each row."""

    heights: Sequence[float]
    wide: float
    columns: int = 1
    right: float = RIGHT
    foot: float = FOOT
    head: float = HEAD

    @property
    def high(self) -> float:
        """The height of the page."""
        between = BETWEEN_ROWS * (len(self.heights) - 1)
        return self.head + sum(self.heights) + between + self.foot


def page_of_panels(layout: PageLayout, title: str) -> tuple[Figure, list[Axes]]:
    """Return a page with a title, and its panels row by row, which share their time."""
    from ulna.viewer.display import DisplayFigure

    rows = len(layout.heights)
    high = layout.high
    figure = DisplayFigure(figsize=(layout.wide, high), dpi=150)
    bold: dict[str, Any] = {"weight": "bold", "size": 11, "parse_math": False}
    figure.text(TITLE[0] / layout.wide, 1.0 - TITLE[1] / high, title, va="center", **bold)
    panels = figure.subplots(
        rows,
        layout.columns,
        sharex=True,
        squeeze=False,
        gridspec_kw=_spaces(layout),
    )
    across = float(panels[0, 0].get_position().width) * layout.wide
    for axes in panels.flat:
        axes.yaxis.set_label_coords(-NAME / across, 0.5)
    return figure, list(panels.flat)


def make_head_room(figure: Figure, layout: PageLayout, legend: Any) -> None:
    """Make a page higher where a legend above its first panel would reach into its title."""
    (title,) = figure.texts
    missing = (legend.get_window_extent().y1 - title.get_window_extent().y0) / figure.dpi
    missing += BELOW_TITLE
    if missing <= 0.0:
        return
    taller = layout._replace(head=layout.head + missing)
    figure.set_size_inches(taller.wide, taller.high)
    spaces = _spaces(taller)
    del spaces["height_ratios"]
    grid: Any = figure.axes[0].get_gridspec()
    grid.update(**spaces)
    for panel in figure.axes:
        place: Any = panel.get_subplotspec()
        panel.set_position(place.get_position(figure))
    title.set_y(1.0 - TITLE[1] / taller.high)


def shorten(text: Any, room: float) -> None:
    """Cut a text that is there to a width in pixels."""
    whole = text.get_text()
    for letters in range(len(whole), 0, -1):
        text.set_text(cut(whole, letters))
        if text.get_window_extent().width <= room:
            return


def plan_title(plan: Plan) -> str:
    """Return which arm follows which path."""
    return cut(f"{plan.arm.name}: {plan.path}" if plan.arm.name else str(plan.path), LETTERS)


def cut(text: str, letters: int) -> str:
    """Return a text, or as much of it as there is room for."""
    return text if len(text) <= letters else text[: letters - 1] + "…"


def _spaces(layout: PageLayout) -> dict[str, Any]:
    """Return where the panels are, in parts of the page as matplotlib takes them."""
    rows, columns, high = len(layout.heights), layout.columns, layout.high
    inside = layout.wide - LEFT - layout.right - BETWEEN_COLUMNS * (columns - 1)
    return {
        "left": LEFT / layout.wide,
        "right": 1.0 - layout.right / layout.wide,
        "top": 1.0 - layout.head / high,
        "bottom": layout.foot / high,
        "hspace": BETWEEN_ROWS * rows / sum(layout.heights),
        "wspace": BETWEEN_COLUMNS * columns / inside,
        "height_ratios": layout.heights,
    }


def name_outer(axes: Axes, *, last: bool) -> Axes:
    """Keep the names of axes at the edge of the page, and the numbers of time in the last row.

    The numbers upwards stay: every panel has its own scale.
    """
    place = axes.get_subplotspec()
    if place is not None and not place.is_first_col():
        axes.set_ylabel("")
    if not last:
        axes.set_xlabel("")
    axes.tick_params(labelbottom=last)
    return axes

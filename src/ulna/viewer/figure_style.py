"""What all figures share: the theme, pages laid out in inches, curves over time, axes to scale.

One theme is for all figures: colours that survive colour-blindness and print, and quiet axes.
Matplotlib can find room for texts by itself, but draws them several times over for that; a page
of six panels would take a second. So pages are laid out in inches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ulna.arm import Arm
from ulna.viewer.web_document import extremes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ulna.motion.planning.plan_result import Plan


QUIET: dict[Any, Any] = {
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "font.size": 10,
    "svg.hashsalt": "ulna",  # the same picture gives the same file
}
COLORED = {  # what is drawn in which colour of the theme
    "background": "figure.facecolor savefig.facecolor axes.facecolor",
    "foreground": "axes.labelcolor axes.titlecolor text.color",
    "muted": "axes.edgecolor xtick.color ytick.color",
    "grid": "grid.color",
}

# Beside the colours, since blue and purple are one to some eyes, and all are one in grey print.
PATTERNS: tuple[Any, ...] = ("-", "-", (0, (5, 2)), (0, (1, 1)), (0, (6, 2, 1, 2)))
PIXELS = 80.0  # of a notebook's page for an inch; the picture itself is finer
LETTERS = 76  # of a title
LONGEST = 400  # letters of a cell of a table
TITLE_X = 0.02  # of the width, where the title of a figure begins
LEFT, RIGHT = 0.85, 0.2  # [inches] beside the panels
HEAD, FOOT = 0.8, 0.6  # [inches] above and below
BETWEEN_ROWS, BETWEEN_COLUMNS = 0.5, 0.7  # [inches]
TITLE = 0.12, 0.28  # [inches] from the left and from the top
NAME = 0.62  # [inches] from the panels to the name of what is up
MOST_POINTS = 10_000  # of a curve; of a longer one, what a page cannot show is left out
MOST_NAMES = 8  # curves with a name each; of more, a few are named
FEW_NAMES = 4
LARGEST = 1e300  # beyond, room at the margins would overflow
STUCK: dict[str, Any] = {"lw": 5.0, "capstyle": "round"}  # lines under curves of joints that stick
STUCK_ALPHA = 0.35


@dataclass(frozen=True, slots=True, repr=False)
class Theme:
    """The colours of a figure, by what they stand for; each as matplotlib takes it.

    Parameters
    ----------
    background : str, optional
        The background.
    foreground : str, optional
        Text, and curves that stand for a total.
    muted : str, optional
        Axes, and what is said in passing.
    grid : str, optional
        The grid.
    link, link_light : str, optional
        Links of an arm, in turn.
    ghost : str, optional
        Earlier postures.
    accent : str, optional
        What can be moved: the tip, and its trace.
    warning : str, optional
        What cannot be: limits that are exceeded, points that are not reached.
    reach : str, optional
        The workspace.
    data : tuple of str, optional
        Curves of one kind, up to five.
    sequence : tuple of str, optional
        A scale from light to dark, for more curves than that.

    Examples
    --------
    >>> Theme(background="#f7f3e8").link == PRINT.link
    True
    """

    background: str = "#ffffff"
    foreground: str = "#1f262f"
    muted: str = "#8a93a0"
    grid: str = "#e3e6ea"
    link: str = "#2b323c"
    link_light: str = "#4d5968"
    ghost: str = "#c3c9d1"
    accent: str = "#e06412"  # orange: what you can move
    warning: str = "#b0103f"  # crimson, darker than the orange for every eye: what cannot be
    reach: str = "#fbf0e7"
    data: tuple[str, ...] = ("#e06412", "#0072b2", "#6a3fb5", "#009e73", "#8a93a0")
    sequence: tuple[str, ...] = ("#e98e35", "#d4543d", "#912a67", "#2a1650")  # light to dark

    def __repr__(self) -> str:
        # What differs from the default: it stands in the signature of every function that draws.
        changed = (
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)
            if getattr(self, field.name) != field.default
        )
        return f"Theme({', '.join(changed)})"


PRINT = Theme()
DARK = Theme(
    background="#14181d",
    foreground="#e6e9ed",
    muted="#8f98a5",
    grid="#2a3038",
    link="#d5dae1",
    link_light="#aab2bd",
    ghost="#4a525d",
    warning="#ff6f91",
    reach="#241d17",
    data=("#ff8a3d", "#56b4e9", "#b79cf0", "#3ecf9b", "#8f98a5"),
    sequence=("#fde3b5", "#ff9a5c", "#d95f8c", "#8458c8"),
)


@contextmanager
def styled(theme: Theme = PRINT) -> Iterator[Theme]:
    """Draw in a theme inside the block; figures made elsewhere stay as they are.

    Parameters
    ----------
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Yields
    ------
    Theme
        The same theme, to take colours from.

    Examples
    --------
    >>> from matplotlib.colors import to_hex
    >>> from matplotlib.figure import Figure
    >>> with styled(DARK) as theme:
    ...     figure = Figure()
    >>> to_hex(figure.get_facecolor()) == theme.background
    True
    """
    import matplotlib as mpl

    settings = QUIET.copy()
    for name, keys in COLORED.items():
        settings |= dict.fromkeys(keys.split(), getattr(theme, name))
    with mpl.rc_context(settings):
        yield theme


def mixed(back: str, front: str, part: float) -> str:
    """Return the opaque colour of `front` laid over `back`, of which a part shows through."""
    from matplotlib.colors import to_hex, to_rgb

    pairs = zip(to_rgb(back), to_rgb(front), strict=True)
    red, green, blue = ((1.0 - part) * below + part * above for below, above in pairs)
    return to_hex((red, green, blue))


def series(count: int, theme: Theme) -> list[dict[str, Any]]:
    """Return colour and line style of curves of one kind: distinct for a few, a scale for many."""
    from matplotlib.colors import LinearSegmentedColormap, to_hex

    if count <= len(theme.data):
        return [{"color": theme.data[k], "ls": PATTERNS[k]} for k in range(count)]
    scale = LinearSegmentedColormap.from_list("scale", theme.sequence)
    return [{"color": to_hex(scale(k / (count - 1))), "ls": "-"} for k in range(count)]


def new_figure(wide: float, high: float, **options: Any) -> Figure:
    """Return an empty page [inches], which pyplot does not know: nothing global is kept.

    Notebooks show matplotlib's figures once pyplot is loaded, and this one by itself.
    """
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(wide, high), **{"dpi": 150, **options})
    figure._repr_png_ = partial(_notebook_picture, figure)
    return figure  # type: ignore[no-any-return]


def _notebook_picture(figure: Figure) -> tuple[bytes, dict[str, int]]:
    picture = BytesIO()
    figure.savefig(picture, format="png")
    return picture.getvalue(), {"width": round(PIXELS * figure.get_figwidth())}


class PageLayout(NamedTuple):
    """How a page is laid out, in inches; of the heights there is one for each row."""

    heights: Sequence[float]
    wide: float
    columns: int = 1
    right: float = RIGHT
    foot: float = FOOT

    @property
    def high(self) -> float:
        """The height of the page."""
        between = BETWEEN_ROWS * (len(self.heights) - 1)
        return HEAD + sum(self.heights) + between + self.foot


def page_of_panels(
    layout: PageLayout, title: str, *, shared: bool = True
) -> tuple[Figure, list[Axes]]:
    """Return a page with a title, and its panels row by row, which may share what is across."""
    figure = new_figure(layout.wide, layout.high)
    bold: dict[str, Any] = {"weight": "bold", "size": 11, "parse_math": False}
    figure.text(TITLE[0] / layout.wide, 1.0 - TITLE[1] / layout.high, title, va="center", **bold)
    rows, columns, high = len(layout.heights), layout.columns, layout.high
    inside = layout.wide - LEFT - layout.right - BETWEEN_COLUMNS * (columns - 1)
    spaces = {
        "left": LEFT / layout.wide,
        "right": 1.0 - layout.right / layout.wide,
        "top": 1.0 - HEAD / high,
        "bottom": layout.foot / high,
        "hspace": BETWEEN_ROWS * rows / sum(layout.heights),
        "wspace": BETWEEN_COLUMNS * columns / inside,
        "height_ratios": layout.heights,
    }
    panels = figure.subplots(rows, columns, sharex=shared, squeeze=False, gridspec_kw=spaces)
    across = float(panels[0, 0].get_position().width) * layout.wide
    for axes in panels.flat:
        axes.yaxis.set_label_coords(-NAME / across, 0.5)
    return figure, list(panels.flat)


def two_panels(title: str) -> tuple[Figure, tuple[Axes, Axes]]:
    """Return a page with a title and two panels, the upper one higher, and room for legends."""
    figure = new_figure(9.0, 6.2, layout="constrained")
    head(figure, title)
    above, below = figure.subplots(2, 1, height_ratios=(1.7, 1.0))
    return figure, (above, below)


def head(page: Any, title: str, **style: Any) -> None:
    """Write a title at the left above all panels of a figure or a part of one."""
    left = {"x": TITLE_X, "ha": "left", "size": 11, "weight": "bold", "parse_math": False}
    page.suptitle(title, **(left | style))


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


def cut(text: str, letters: int = LONGEST) -> str:
    """Return a text, or as much of it as there is room for: by default in the cell of a table."""
    return text if len(text) <= letters else text[: letters - 1] + "…"


def titled(arm: Arm, what: str) -> str:
    """Return what a figure shows, of which arm if it has a name."""
    return f"{arm.name}: {what}" if arm.name else what


def arm_title(arm: Arm) -> str:
    """Return the name of an arm, or how many links it has."""
    return arm.name or ("one link" if arm.n == 1 else f"{arm.n} links")


def plan_title(plan: Plan) -> str:
    """Return which arm follows which path."""
    return cut(titled(plan.arm, str(plan.path)), LETTERS)


def curve(
    axes: Axes,
    t: np.ndarray,
    values: np.ndarray,
    name: str,
    style: dict[str, Any],
    *,
    held: bool = False,
) -> None:
    """Plot values (S,) over time, no finer than a page can show."""
    shown = extremes(t, values[:, None], MOST_POINTS)
    axes.plot(
        np.asarray(t)[shown],
        np.clip(np.asarray(values)[shown], -LARGEST, LARGEST),
        **{"lw": 1.5, **style},
        label=name or "_",
        drawstyle="steps-post" if held else "default",
        marker="o" if len(values) == 1 else "",
    )


def joint_curves(
    axes: Axes,
    t: np.ndarray,
    values: np.ndarray,
    symbol: str,
    theme: Theme,
    *,
    ylabel: str,
    held: bool = False,
) -> Axes:
    """Plot values (S, n) over time, a curve a joint; of many joints a few are named."""
    count = values.shape[-1]
    shown = count if count <= MOST_NAMES else FEW_NAMES
    named = np.linspace(0, count - 1, shown).round().astype(int).tolist()
    for joint, style in enumerate(series(count, theme)):
        name = f"${symbol}_{{{joint + 1}}}$" if joint in named else ""
        curve(axes, t, values[:, joint], name, style, held=held)
    return finish(axes, theme, ylabel=ylabel)


def finish(axes: Axes, theme: Theme, *, ylabel: str) -> Axes:
    """Name the axes and the curves of a plot over time."""
    axes.set(xlabel="time [s]", ylabel=ylabel)
    axes.margins(x=0.0)
    # A power of ten above the axis goes to its left, where the legend is not.
    axes.yaxis.get_offset_text().set_horizontalalignment("right")
    return legend_above(axes, theme)


def legend_above(axes: Axes, theme: Theme, *, columns: int = MOST_NAMES) -> Axes:
    """Name what is drawn above the axes, where nothing can lie under the names."""
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=columns,
        labelcolor=theme.foreground,
        fontsize=9,
        frameon=False,
        borderaxespad=0.1,
        handlelength=1.4,
        handletextpad=0.4,
        columnspacing=1.0,
    )
    return axes


def write_beside(
    axes: Axes, place: np.ndarray, away: tuple[float, float], text: str, theme: Theme, **style: Any
) -> None:
    """Write a text so far [points] from a place, on a ground that lets it be read."""
    where: Any = {"xytext": away, "textcoords": "offset points", "zorder": 8}
    label = axes.annotate(text, (float(place[0]), float(place[1])), **where, **style)
    label.set_bbox({"fc": theme.background, "ec": "none", "alpha": 0.85, "pad": 1.5})


def fit_axes(axes: Axes, arm: Arm, also: ArrayLike | None = None) -> Axes:
    """Set the limits of axes to the whole reach, with x and y to the same scale.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    arm : Arm
        The arm to draw.
    also : array_like, shape (..., 2), optional
        Further points [m] that are to be seen.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> axes = fit_axes(Figure().add_subplot(), ulna.preset("unit"))
    >>> axes.get_xlabel(), axes.get_aspect(), axes.get_xlim() == axes.get_ylim()
    ('x [m]', 1.0, True)
    """
    return fit_axes_to_disc(axes, arm.base, arm.reach, also)


def fit_axes_to_disc(
    axes: Axes, center: ArrayLike, radius: float, also: ArrayLike | None = None
) -> Axes:
    """Show a whole disc [m], and any further points, with x and y to the same scale."""
    middle = np.asarray(center, dtype=float)
    corners = [middle - radius, middle + radius]
    if also is not None:
        corners.extend(np.asarray(also, dtype=float).reshape(-1, 2))
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    room = 0.06 * float(np.max(high - low))
    (left, bottom), (right, top) = low - room, high + room
    axes.set(xlim=(left, right), ylim=(bottom, top), aspect="equal", xlabel="x [m]", ylabel="y [m]")
    return axes


def even_ticks(axes: Axes) -> Axes:
    """Mark x and y in the same steps, so that the grid is of squares."""
    from matplotlib.ticker import MaxNLocator, MultipleLocator

    longer = max(axes.get_xlim(), axes.get_ylim(), key=lambda ends: float(ends[1] - ends[0]))
    marks = MaxNLocator(nbins=10, steps=[1, 2, 5, 10]).tick_values(*longer)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(marks[1] - marks[0]))
    return axes

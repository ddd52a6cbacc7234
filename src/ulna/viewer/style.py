"""One theme for all figures: colours that survive colour-blindness and print, quiet axes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any


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
# Beside the colours, since blue and purple are one to some eyes, and all are one in grey print.
PATTERNS: tuple[Any, ...] = ("-", "-", (0, (5, 2)), (0, (1, 1)), (0, (6, 2, 1, 2)))
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


def settings(theme: Theme) -> dict[Any, Any]:
    """Return matplotlib's settings for a theme."""
    return {
        "figure.facecolor": theme.background,
        "savefig.facecolor": theme.background,
        "axes.facecolor": theme.background,
        "axes.edgecolor": theme.muted,
        "axes.labelcolor": theme.foreground,
        "axes.titlecolor": theme.foreground,
        "axes.titlesize": 11,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": theme.grid,
        "grid.linewidth": 0.8,
        "text.color": theme.foreground,
        "xtick.color": theme.muted,
        "ytick.color": theme.muted,
        "legend.frameon": False,
        "font.size": 10,
        "svg.hashsalt": "ulna",  # the same picture gives the same file
    }


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

    with mpl.rc_context(settings(theme)):
        yield theme

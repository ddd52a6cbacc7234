"""Phase portraits: arrows, orbits, equilibria and separatrices in the plane of angle and speed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.analysis.portraits.report_text import drive_text, left_out
from ulna.viewer.figure_style import PRINT, Theme, cut, mixed, new_figure, series, styled
from ulna.viewer.phase_plane import (
    COLUMNS,
    ROWS,
    WARNING,
    BasinPicture,
    basin_picture,
    phase_curves,
    phase_marks,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ulna.analysis.portraits import Basins, Portrait

WIDE, HIGH = 9.0, 5.4  # [inches] without the legend
ENTRIES, LINE = 3, 0.19  # of the legend side by side; [inches] for a line of them
LONG = 44  # letters of an entry, with which fewer fit side by side
LETTERS = 100  # of a title
DARKER = " (darker: an odd turn)"
MOST_MARKS = 9  # numbers along the axis of angles


def portrait_figure(
    portrait: Portrait, *, basins: Basins | None = None, energy: bool = False, theme: Theme = PRINT
) -> Figure:
    """Draw a phase portrait on one page, with its legend.

    Parameters
    ----------
    portrait : Portrait
        What `ulna.analysis.portrait` returned.
    basins : Basins, optional
        Basins of attraction to colour the page by: `portrait.basins(count)`.
    energy : bool, optional
        Whether the energy is drawn, in colours or over basins as lines.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.figure.Figure
        The page; pyplot does not know it, so nothing has to be closed.

    Examples
    --------
    >>> import ulna
    >>> figure = portrait_figure(ulna.analysis.portrait(ulna.preset("bechard-1")))
    >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
    ('angle [rad]', 'speed [rad/s]')
    """
    with styled(theme):
        figure = new_figure(WIDE, HIGH)
        bar = energy and basins is None
        axes = figure.add_axes((0.08, 0.1, 0.86 if bar else 0.9, 0.8))
        plot_portrait(axes, portrait, basins=basins, energy=energy, theme=theme)
        name = portrait.arm.name or "one joint"
        title = cut(f"{name}, {drive_text(portrait)}", LETTERS)
        axes.set_title(title, parse_math=False, size=10.5)
        if left_out(portrait):
            told = f"without {' and '.join(left_out(portrait))}"
            axes.set_title(told, loc="right", size=8.5, weight="normal", color=theme.muted, y=0.985)
        _put_legend(figure, axes)
    return figure


def _put_legend(figure: Figure, axes: Axes) -> None:
    """Put the legend below, on as much more paper as it takes."""
    handles, labels = axes.get_legend_handles_labels()
    columns = ENTRIES if max(map(len, labels)) <= LONG else ENTRIES - 1
    more = LINE * math.ceil(len(labels) / columns) + 0.1
    high = HIGH + more
    figure.set_size_inches(WIDE, high)
    for part in figure.axes:
        x, y, wide, tall = part.get_position().bounds
        part.set_position((x, (y * HIGH + more) / high, wide, tall * HIGH / high))
    place: dict[str, Any] = {"ncols": columns, "fontsize": 8.5, "columnspacing": 1.6}
    place["bbox_to_anchor"] = (0.07, (more + 0.1) / high)
    figure.legend(handles, labels, loc="upper left", **place)


def plot_portrait(
    axes: Axes,
    portrait: Portrait,
    *,
    basins: Basins | None = None,
    energy: bool = False,
    theme: Theme = PRINT,
) -> Axes:
    """Draw a phase portrait: arrows, nullclines, separatrices, orbits and equilibria.

    With dry friction the sticking set is a thick line on the axis of angles, in colours of the
    basins that end on it.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    portrait : Portrait
        What `ulna.analysis.portrait` returned.
    basins : Basins, optional
        Basins of attraction to colour the page by: `portrait.basins(count)`.
    energy : bool, optional
        Whether the energy is drawn, in colours or over basins as lines.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> portrait = ulna.analysis.portrait(ulna.preset("bechard-1"))
    >>> axes = plot_portrait(Figure().add_subplot(), portrait)
    >>> axes.get_legend_handles_labels()[1][-2:]  # below and above, of a damped pendulum
    ['stable focus', 'saddle']
    """
    axes.set_xlim(*portrait.angles)
    axes.set_ylim(*portrait.speeds)
    axes.grid(visible=False)
    picture = None if basins is None else basin_picture(basins)
    if picture is not None:
        _draw_basins(axes, picture, theme)
    if energy:
        _draw_energy(axes, portrait, theme, lines=basins is not None)
    _draw_arrows(axes, portrait, theme)
    _draw_curves(axes, portrait, picture, theme)
    _draw_marks(axes, portrait, theme)
    axes.set_xlabel("angle [rad]")
    axes.set_ylabel("speed [rad/s]")
    mark_angles(axes, portrait.angles)
    return axes


def _draw_energy(axes: Axes, portrait: Portrait, theme: Theme, *, lines: bool) -> None:
    """Draw the energy in colours; over basins, which have theirs, as lines."""
    from matplotlib.colors import LinearSegmentedColormap

    angle, speed, values = portrait.energy()
    if lines:
        drawn = axes.contour(angle, speed, values, 12, colors=theme.muted, linewidths=0.6)
        axes.clabel(drawn, fontsize=7, fmt="%g J")
        return
    pale = [mixed(theme.background, colour, 0.55) for colour in theme.sequence]
    colours = LinearSegmentedColormap.from_list("energy", [theme.background, *pale])
    layer = axes.contourf(angle, speed, values, 24, cmap=colours, zorder=0)
    bar = axes.figure.colorbar(layer, ax=axes, pad=0.015, fraction=0.05)
    bar.set_label("energy, kinetic and potential [J]")
    bar.outline.set_visible(False)


def _draw_basins(axes: Axes, picture: BasinPicture, theme: Theme) -> None:
    from matplotlib.colors import to_rgb

    colours = [
        theme.ghost if one.colour is None else _tint(theme, one.colour, one.depth)
        for one in picture.tints
    ]
    pixels = np.array([to_rgb(colour) for colour in colours])[picture.cells]
    axes.imshow(pixels, extent=picture.extent, origin="lower", aspect="auto", zorder=0)
    darker = {one.label for one in picture.tints if one.odd}
    for colour, one in zip(colours, picture.tints, strict=True):
        if not one.odd:
            label = f"{one.label}{DARKER * (one.label in darker)}"
            axes.plot([], [], "s", ms=9, color=colour, label=label)


def _hue(theme: Theme, colour: int) -> str:
    return theme.warning if colour == WARNING else theme.data[colour]


def _tint(theme: Theme, colour: int, depth: float) -> str:
    return mixed(theme.background, _hue(theme, colour), depth)


def _draw_arrows(axes: Axes, portrait: Portrait, theme: Theme) -> None:
    """Draw arrows of one length: where a state goes, as it looks on the page."""
    angle, speed, acceleration = portrait.field(COLUMNS + 2, ROWS + 2)
    box = axes.get_window_extent()
    across = speed[:, None] / np.ptp(portrait.angles) * box.width + 0.0 * acceleration
    up = acceleration / np.ptp(portrait.speeds) * box.height
    size = np.hypot(across, up)
    size[size == 0.0] = 1.0
    inner = (slice(1, -1), slice(1, -1))
    axes.quiver(
        angle[1:-1], speed[1:-1], (across / size)[inner], (up / size)[inner],
        angles="uv", pivot="mid", scale_units="width", scale=1.5 * COLUMNS, width=0.0016,
        headwidth=4.0, headlength=4.5, headaxislength=4.0, color=theme.muted, alpha=0.7, zorder=1,
    )  # fmt: skip


def _draw_curves(
    axes: Axes, portrait: Portrait, picture: BasinPicture | None, theme: Theme
) -> None:
    muted, ink = theme.muted, theme.foreground
    styles: dict[str, dict[str, Any]] = {
        "nullcline": {"color": muted, "lw": 1.0, "ls": (0, (1, 1.5)), "zorder": 2},
        "incoming": {"color": ink, "lw": 1.5, "zorder": 3},
        "outgoing": {"color": theme.link_light, "lw": 0.9, "ls": (0, (4, 2)), "zorder": 3},
        "running": {"lw": 3.5, "zorder": 3.5},
        "sticking": {"lw": 5.5, "solid_capstyle": "butt", "zorder": 5},
        "orbit": {"lw": 1.8, "zorder": 4},
    }
    of_orbits, named = _orbit_styles(portrait, theme), set[str]()
    for one in phase_curves(portrait, picture):
        style = styles[one.role]
        if one.role == "orbit":
            style = style | of_orbits[one.number]
        if one.role == "running":
            style = style | {"color": _tint(theme, one.colour, 0.6)}
        if one.role == "sticking":
            axes.plot(one.angle, one.speed, **(style | {"color": ink, "lw": 8.0}))
            style = style | {"color": _hue(theme, one.colour)}
        axes.plot(one.angle, one.speed, label=_once(one.label, named), **style)


def _once(label: str, named: set[str]) -> str:
    """Return a label, or for a name that the legend already has one that it leaves out."""
    if label in named:
        return "_"
    named.add(label)
    return label


def _orbit_styles(portrait: Portrait, theme: Theme) -> list[dict[str, Any]]:
    """Return colours and line styles of orbits, without the colour of running solutions."""
    data = (*theme.data[:3], theme.warning, theme.link_light)
    return series(len(portrait.orbits), Theme(data=data, sequence=theme.sequence))


def _draw_marks(axes: Axes, portrait: Portrait, theme: Theme) -> None:
    of_orbits, named = _orbit_styles(portrait, theme), set[str]()
    signs = {"stable": "o", "saddle": "D", "unstable": "o", "start": "o", "stop": "s"}
    for one in phase_marks(portrait):
        place, sign = ([one.angle], [one.speed]), signs[one.role]
        if one.role in ("start", "stop"):
            colour = of_orbits[one.number]["color"]
            axes.plot(*place, sign, ms=6, color=colour, mec=theme.background, zorder=6)
        else:
            filled = theme.foreground if one.role == "stable" else theme.background
            axes.plot(
                *place, sign, ms=7, mfc=filled, mec=theme.foreground, mew=1.4,
                label=_once(one.label, named), zorder=7, clip_on=False, ls="none",
            )  # fmt: skip


def mark_angles(axes: Axes, angles: tuple[float, float]) -> None:
    """Put numbers at parts or multiples of π."""
    steps = (1, 2, 4, 8, 16, 32)  # in quarter turns of π/2
    wide = np.ptp(angles) / (0.5 * math.pi)
    step = next((one for one in steps if wide / one <= MOST_MARKS), None)
    if step is None or wide < 2.0:
        return
    first, last = (angle / (0.5 * math.pi * step) for angle in angles)
    marks = [step * k for k in range(math.ceil(first - 1e-9), math.floor(last + 1e-9) + 1)]
    axes.set_xticks([0.5 * math.pi * mark for mark in marks], [_in_pi(mark) for mark in marks])


def _in_pi(halves: int) -> str:
    """Write halves of π.

    >>> _in_pi(-1), _in_pi(0), _in_pi(2), _in_pi(3)
    ('−π/2', '0', 'π', '3π/2')
    """
    if not halves:
        return "0"
    sign, count = "−" if halves < 0 else "", abs(halves)
    whole, over = (count // 2, "") if count % 2 == 0 else (count, "/2")
    return f"{sign}{'' if whole == 1 else whole}π{over}"

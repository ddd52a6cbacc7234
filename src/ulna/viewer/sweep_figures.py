"""Sweeps as figures: lines, heat maps, families of curves and clouds, chosen by what is varied.

A scalar of a grid is a line over one parameter, a heat map with contours over two, and of more a
heat map for each of some values of the others. A curve is a family, coloured by a parameter. A
random design is a cloud of points over each of its parameters. What is missing is seen: a cross on
the axis, a hatched cell; and the foot of the page says how much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ulna.arrays import Array
from ulna.viewer.figure_style import (
    FOOT,
    LETTERS,
    PRINT,
    RIGHT,
    PageLayout,
    Theme,
    cut,
    legend_above,
    name_outer,
    page_of_panels,
    series,
    styled,
)
from ulna.viewer.sweep_content import SweepContent, VariedParameter, named

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ulna.sweep.results import Sweep

MOST_POINTS = 250_000  # that are read for a page
MOST_PANELS = 12
MOST_ACROSS, MOST_DOWN = 3, 4  # panels side by side, and one below the other
MOST_CURVES = 150  # of a family
MOST_NAMES = 12  # at the ticks of an axis
MOST_VALUES = 8  # at the ticks of a heat map
FEWEST = 3  # values along an axis that contours need
WIDE, PANEL = 9.0, 4.2  # [inches] of a page of one column, and of a column of several
HIGH, LOW = 3.6, 2.3  # [inches] of a panel alone, and of one of several
SAID = 0.3  # [inches] for the sentence below
BAR, BESIDE = 0.14, 0.1  # [inches] that a scale of colours is wide, and away from its panel
MAP_RIGHT, FAMILY_RIGHT = 0.75, 1.15  # [inches] for it and its numbers, and for its name
NAMES_RIGHT = 2.2  # [inches] for it and names in place of numbers


class Slice(NamedTuple):
    """Values of the parameters that a panel does not show: their places, and what they are."""

    places: tuple[int, ...]
    text: str


def sweep_figure(sweep: Sweep, what: str | None = None, *, theme: Theme = PRINT) -> Figure:
    """Draw an output of a sweep: a line, heat maps, a family of curves or clouds of points.

    Parameters
    ----------
    sweep : Sweep
        What `ulna.sweep` or `ulna.open_sweep` returned.
    what : str, optional
        The output, such as "torque.peak"; the first scalar that was kept unless given, or the
        first curve.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.figure.Figure
        The page; pyplot does not know it, so nothing has to be closed.

    Raises
    ------
    InputError
        If the sweep has no such output.

    Examples
    --------
    >>> import ulna
    >>> spec = {"arm": "kehl", "path": "loops()", "simulate": False}
    >>> spec |= {"vary": {"payload": [0.0, 1.0, 2.0]}, "keep": ["torque.peak"]}
    >>> sweep_figure(ulna.sweep(spec)).axes[0].get_xlabel()
    'payload [kg]'
    """
    content = SweepContent.of(sweep, MOST_POINTS)
    name = content.checked(what)
    with styled(theme):
        if name in content.curves:
            return _family_page(content, name, theme)
        if not content.is_grid:
            return _cloud_page(content, name, theme)
        if len(_varied(content)) < 2:
            return _line_page(content, name, theme)
        return _map_page(content, name, theme)


def _varied(content: SweepContent) -> list[int]:
    """Return the axes of a grid along which there is more than one value."""
    return [axis for axis, count in enumerate(content.shape) if count > 1]


def _title(content: SweepContent, name: str, more: str = "") -> str:
    held = [
        f"{one.name} = {one.texts[0]} {one.unit}".rstrip()
        for one in content.parameters
        if content.is_grid and len(one.values) == 1
    ]
    about = content.about(name) or name
    return cut(
        ", ".join([f"{about}, {content.points:,} points", *held, *([more] * bool(more))]), LETTERS
    )


def _page(
    rows: int,
    columns: int,
    title: str,
    said: str,
    *,
    right: float = RIGHT,
    shared: bool = True,
    theme: Theme,
) -> tuple[Figure, list[Axes]]:
    """Return a page of panels, with a sentence below them."""
    high = HIGH if rows == 1 else LOW
    wide = WIDE if columns == 1 else 0.6 + PANEL * columns
    foot = FOOT + SAID * bool(said)
    layout = PageLayout((high,) * rows, wide, columns, right, foot)
    figure, panels = page_of_panels(layout, title, shared=shared)
    if said:
        below: dict[str, Any] = {"size": 9, "color": theme.warning, "parse_math": False}
        figure.text(0.12 / wide, 0.12 / layout.high, said, va="bottom", **below)
    return figure, panels


def _line_page(content: SweepContent, name: str, theme: Theme) -> Figure:
    (axis,) = _varied(content) or [0]
    parameter = content.parameters[axis]
    values = content.values(name).reshape(len(parameter.values), -1)
    figure, (axes,) = _page(1, 1, _title(content, name), content.missing_text, theme=theme)
    order = np.argsort(parameter.positions, kind="stable")
    x = parameter.positions[order]
    names = content.components(name)
    for column, label, style in zip(values.T, names, series(len(names), theme), strict=True):
        axes.plot(x, column[order], marker="o", ms=4.0, lw=1.5, label=label or "_", **style)
    lost = ~np.isfinite(values).all(axis=1)[order]
    _mark_missing(axes, x[lost], theme)
    _scale(axes.xaxis, parameter)
    axes.set(xlabel=parameter.label, ylabel=named(name, content.unit(name)))
    if axes.get_legend_handles_labels()[0]:
        legend_above(axes, theme)
    return figure


def _mark_missing(axes: Axes, x: Array, theme: Theme) -> None:
    """Mark points without a value on the axis, where they would be."""
    if len(x):
        place: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "clip_on": False}
        mark: dict[str, Any] = {"ms": 6.0, "mew": 1.5, "color": theme.warning, "zorder": 5}
        axes.plot(x, np.zeros(len(x)), "x", label="no value", **place, **mark)


def _scale(axis: Any, parameter: VariedParameter) -> None:
    """Scale an axis for a parameter: logarithmic where its values are, names at its ticks."""
    names = parameter.names
    if not parameter.is_number:
        shown = picked(len(names), MOST_NAMES)
        axis.set_ticks(shown, [cut(names[k], 24) for k in shown])
        axis.set_view_interval(-0.5, len(names) - 0.5, ignore=True)
    elif parameter.is_logarithmic:
        axis.axes.set(**{f"{axis.axis_name}scale": "log"})


def picked(count: int, most: int) -> list[int]:
    """Return at most so many of the first whole numbers, the first and the last among them.

    >>> picked(4, 3), picked(2, 3)
    ([0, 2, 3], [0, 1])
    """
    places = np.linspace(0, count - 1, min(count, most)).round().astype(int)
    return [int(place) for place in np.unique(places)]


def _map_page(content: SweepContent, name: str, theme: Theme) -> Figure:
    first, second, *others = _varied(content)
    names = content.components(name)
    slices = _slices(content, others, MOST_PANELS if len(names) == 1 else MOST_DOWN)
    values = content.values(name)
    cells = [(one, k) for one in slices for k in range(len(names))]
    columns = min(len(cells), len(names) if len(names) > 1 else MOST_ACROSS, MOST_ACROSS)
    rows = math.ceil(len(cells) / columns)
    title = _title(content, name, _left(content, others, slices))
    said = f"{content.missing_text} (hatched)" if content.missing_text else ""
    figure, panels = _page(rows, columns, title, said, right=MAP_RIGHT, theme=theme)
    for axes in panels[len(cells) :]:
        axes.set_visible(False)
    for number, (axes, (one, k)) in enumerate(zip(panels, cells, strict=False)):
        table = _cut_out(values[..., k], (first, second), others, one)
        ends = _ends(values[..., k])
        _draw_map(axes, content.parameters[first], content.parameters[second], table, ends, theme)
        heading = named(names[k] or name, content.unit(name))
        axes.set_title("   ".join(text for text in (heading, one.text) if text), size=10)
        axes.set(xlabel=content.parameters[first].label, ylabel=content.parameters[second].label)
        axes.tick_params(labelleft=number % columns == 0)
        name_outer(axes, last=number + columns >= len(cells))
    return figure


def _ends(values: Array) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)


def _slices(content: SweepContent, axes: Sequence[int], most: int) -> list[Slice]:
    """Return values of the other parameters, evenly picked where there are too many."""
    counts = [content.shape[axis] for axis in axes]
    places = list(product(*(range(count) for count in counts)))
    some = [places[k] for k in picked(len(places), most)]
    return [Slice(place, _place_text(content, axes, place)) for place in some]


def _place_text(content: SweepContent, axes: Sequence[int], place: Sequence[int]) -> str:
    parts = []
    for axis, k in zip(axes, place, strict=True):
        one = content.parameters[axis]
        parts.append(f"{one.name} = {cut(one.texts[k], 20)} {one.unit}".rstrip())
    return ", ".join(parts)


def _left(content: SweepContent, axes: Sequence[int], slices: Sequence[Slice]) -> str:
    """Say how many values of the other parameters are shown, where not all are."""
    count = math.prod(content.shape[axis] for axis in axes)
    return f"{len(slices)} of {count:,} slices shown" if count > len(slices) else ""


def _cut_out(values: Array, kept: tuple[int, int], others: Sequence[int], one: Slice) -> Array:
    """Return the values (k, m) along two axes, the others at a slice."""
    at: list[Any] = [0] * values.ndim
    for axis in kept:
        at[axis] = slice(None)
    for axis, place in zip(others, one.places, strict=True):
        at[axis] = place
    return np.asarray(values[tuple(at)])


def _draw_map(
    axes: Axes,
    across: VariedParameter,
    up: VariedParameter,
    table: Array,
    ends: tuple[float, float],
    theme: Theme,
) -> None:
    rows, columns = np.argsort(across.positions), np.argsort(up.positions)
    x, y = across.positions[rows], up.positions[columns]
    z = np.ma.masked_invalid(table[np.ix_(rows, columns)].T)
    if z.mask.any():
        hatch = {"hatch": "////", "edgecolor": theme.muted, "facecolor": theme.background}
        axes.patch.set(**hatch)
    edges = _edges(x, across.is_logarithmic), _edges(y, up.is_logarithmic)
    mesh = axes.pcolormesh(
        *edges, z, cmap=_colors(theme), vmin=ends[0], vmax=ends[1], rasterized=True
    )
    for axis, parameter in ((axes.xaxis, across), (axes.yaxis, up)):
        _scale(axis, parameter)
        _set_cell_ticks(axis, parameter)
    axes.grid(visible=False)
    smooth = across.is_number and up.is_number and min(z.shape) >= FEWEST
    if smooth and ends[0] < ends[1] and z.count() > FEWEST:
        lines = axes.contour(x, y, z, levels=6, colors=theme.background, linewidths=0.8)
        axes.clabel(lines, fontsize=8)
    _add_scale(axes, axes, mesh)


def _set_cell_ticks(axis: Any, parameter: VariedParameter) -> None:
    """Put ticks at the values of cells; between them, where there are too many, but not beyond.

    The outer half of a cell at the edge stands for no value: a mass is not negative there.
    """
    if not parameter.is_number:
        return
    values = np.sort(parameter.positions)
    at = np.log(values) if parameter.is_logarithmic else values
    if len(values) <= MOST_VALUES and np.diff(at).min() >= np.ptp(at) / (2 * MOST_VALUES):
        axis.set_ticks(values, [f"{value:.3g}" for value in values])
        axis.set_ticks([], minor=True)
    elif not parameter.is_logarithmic:
        ticks = axis.get_majorticklocs()
        slack = 1e-9 * np.ptp(values)
        inside = (ticks >= values[0] - slack) & (ticks <= values[-1] + slack)
        axis.set_ticks(ticks[inside])


def _edges(values: Array, logarithmic: bool) -> Array:
    """Return where cells around values end: halfway between them."""
    at = np.log(values) if logarithmic else values
    between = 0.5 * (at[1:] + at[:-1])
    edges = np.concatenate([[2.0 * at[0] - between[0]], between, [2.0 * at[-1] - between[-1]]])
    return np.exp(edges) if logarithmic else edges


def _colors(theme: Theme) -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("scale", theme.sequence)


def _add_scale(first: Axes, last: Axes, colors: Any) -> Any:
    """Add a scale of colours at the right of panels, from the top of one to the foot of another."""
    figure: Any = first.figure
    wide, top, low = figure.get_figwidth(), first.get_position(), last.get_position()
    place = (low.x1 + BESIDE / wide, low.y0, BAR / wide, top.y1 - low.y0)
    bar = figure.colorbar(colors, cax=figure.add_axes(place))
    bar.ax.grid(visible=False)
    bar.ax.tick_params(labelsize=8)
    return bar


def _cloud_page(content: SweepContent, name: str, theme: Theme) -> Figure:
    drawn = content.parameters[:MOST_PANELS]
    left = len(content.parameters) - len(drawn)
    more = f"{len(drawn)} of {len(content.parameters)} parameters shown" if left else ""
    columns = min(len(drawn), MOST_ACROSS)
    rows = math.ceil(len(drawn) / columns)
    title = _title(content, name, more)
    figure, panels = _page(rows, columns, title, content.missing_text, shared=False, theme=theme)
    values, names = content.values(name), content.components(name)
    size = float(np.clip(4e3 / max(len(values), 1), 1.5, 18.0))
    for number, (axes, parameter) in enumerate(zip(panels, drawn, strict=False)):
        x = parameter.positions
        for column, label, style in zip(values.T, names, series(len(names), theme), strict=True):
            dots = {"s": size, "color": style["color"], "alpha": 0.7, "lw": 0.0}
            axes.scatter(x, column, label=label or "_", **dots, rasterized=len(x) > 5_000)
        _mark_missing(axes, x[~np.isfinite(values).all(axis=1)], theme)
        _scale(axes.xaxis, parameter)
        ylabel = named(name, content.unit(name)) if number % columns == 0 else ""
        axes.set(xlabel=parameter.label, ylabel=ylabel)
    if panels[0].get_legend_handles_labels()[0]:
        legend_above(panels[columns - 1] if rows == 1 else panels[0], theme)
    for axes in panels[len(drawn) :]:
        axes.set_visible(False)
    return figure


def _family_page(content: SweepContent, name: str, theme: Theme) -> Figure:
    varied = _varied(content)
    first, others = (varied[0] if varied else 0), varied[1:]
    names = content.components(name)
    slices = _slices(content, others, MOST_ACROSS)
    title = _title(content, name, _left(content, others, slices))
    rows, columns = len(names), len(slices)
    said = content.missing_text
    parameter = content.parameters[first]
    right = FAMILY_RIGHT if parameter.is_number else NAMES_RIGHT
    figure, panels = _page(rows, columns, title, said, right=right, theme=theme)
    values = content.values(name)
    t, clock = content.times(name)
    places = parameter.positions
    scale = _color_scale(places, parameter.is_logarithmic, theme)
    for number, axes in enumerate(panels):
        component, column = divmod(number, columns)
        family = _cut_out(values[..., component], (first, values.ndim - 2), others, slices[column])
        for k in reversed(picked(len(family), MOST_CURVES)):
            axes.plot(t, family[k], color=scale.to_rgba(places[k]), lw=1.1)
        text = "   ".join(part for part in (names[component], slices[column].text) if part)
        axes.set_title(text, size=10)
        axes.margins(x=0.0)
        axes.set(xlabel=clock, ylabel=named(name, content.unit(name)))
        name_outer(axes, last=component == rows - 1)
    if len(parameter.values) > 1:
        _name_scale(_add_scale(panels[columns - 1], panels[-1], scale), parameter)
    return figure


def _color_scale(places: Array, logarithmic: bool, theme: Theme) -> Any:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm, Normalize

    low, high = float(places.min()), float(places.max())
    norm = (LogNorm if logarithmic else Normalize)(low, high if high > low else low + 1.0)
    return ScalarMappable(norm, _colors(theme))


def _name_scale(bar: Any, parameter: VariedParameter) -> None:
    bar.set_label(parameter.label, size=9)
    if not parameter.is_number:
        names = parameter.names
        shown = picked(len(names), MOST_NAMES)
        bar.set_ticks([float(k) for k in shown], labels=[cut(names[k], 20) for k in shown])

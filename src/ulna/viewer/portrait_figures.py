"""Phase portraits: arrows, orbits, equilibria and separatrices in the plane of angle and speed.

The plane is a cylinder: angles a turn apart are one, whether it is rolled up or unrolled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.analysis.portraits.fates import sticking_name
from ulna.analysis.portraits.report_text import drive_text, fate_text, left_out
from ulna.arrays import Array
from ulna.viewer.figure_style import PRINT, Theme, cut, mixed, new_figure, series, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ulna.analysis.portraits import Basins, OrbitSegment, Portrait

COLUMNS, ROWS = 27, 19  # of arrows
WIDE, HIGH = 9.0, 5.4  # [inches] without the legend
ENTRIES, LINE = 3, 0.19  # of the legend side by side; [inches] for a line of them
LONG = 44  # letters of an entry, with which fewer fit side by side
LETTERS = 100  # of a title
DEEPER = 0.22  # of a colour, where hues are used again
DARKER = " (darker: an odd turn)"
PALE = 0.16, 0.28  # of a basin's colour, in turn where the cylinder is unrolled
TURN = 2.0 * math.pi
MOST_MARKS = 9  # numbers along the axis of angles
# What becomes of a joint that rests just outside of a sticking interval.
STICKING = {
    "stable": "stable",
    "unstable": "around a top",
    "half-stable": "left to one side",
    "everywhere": "every angle",
}


def portrait_figure(
    portrait: Portrait,
    *,
    basins: Basins | None = None,
    energy: bool = False,
    theme: Theme = PRINT,
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
    if basins is not None:
        _draw_basins(axes, basins, theme)
    if energy:
        _draw_energy(axes, portrait, theme, lines=basins is not None)
    _draw_arrows(axes, portrait, theme)
    _draw_nullclines(axes, portrait, theme)
    _draw_separatrices(axes, portrait, theme)
    _draw_running(axes, portrait, theme)
    _draw_sticking(axes, portrait, basins, theme)
    _draw_orbits(axes, portrait, theme)
    _draw_equilibria(axes, portrait, theme)
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


def _draw_basins(axes: Axes, basins: Basins, theme: Theme) -> None:
    from matplotlib.colors import to_rgb

    shades = _basin_shades(basins, theme)
    picture = np.ones((*basins.label.shape, 3)) * to_rgb(theme.ghost)
    for number, (hue, depth) in shades.items():
        for odd in (0, 1):
            here = (basins.label == number) & (basins.turns % 2 == odd)
            picture[here] = to_rgb(mixed(theme.background, hue, depth + PALE[odd]))
    x, y = (_edges(values) for values in (basins.angle, basins.speed))
    extent = (*x, *y)
    axes.imshow(picture, extent=extent, origin="lower", aspect="auto", zorder=0)
    for number, (hue, depth) in shades.items():
        colour, name = mixed(theme.background, hue, depth + PALE[0]), basins.names[number]
        both = (basins.turns[basins.label == number] % 2).any()
        axes.plot([], [], "s", ms=9, color=colour, label=f"basin: {name}{DARKER * bool(both)}")
    if basins.undecided:
        axes.plot([], [], "s", ms=9, color=theme.ghost, label="undecided")


def _basin_shades(basins: Basins, theme: Theme) -> dict[int, tuple[str, float]]:
    """Return hue and depth of the basins that are on the page, by their numbers."""
    present = [number for number in range(len(basins.names)) if basins.share(number)]
    return dict(zip(present, _shades(len(present), theme), strict=True))


def _shades(count: int, theme: Theme) -> list[tuple[str, float]]:
    """Return hue and depth for each of some basins: five hues, then the same deeper."""
    hues = (*theme.data[1:4], theme.data[0], theme.warning)
    return [(hues[k % len(hues)], DEEPER * (k // len(hues))) for k in range(count)]


def _edges(middles: Array) -> tuple[float, float]:
    half = 0.5 * (middles[1] - middles[0]) if len(middles) > 1 else 0.5
    return float(middles[0] - half), float(middles[-1] + half)


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


def _draw_nullclines(axes: Axes, portrait: Portrait, theme: Theme) -> None:
    style: dict[str, Any] = {"color": theme.muted, "lw": 1.0, "ls": (0, (1, 1.5)), "zorder": 2}
    axes.axhline(0.0, label="nullclines: no speed, no acceleration", **style)
    for line in portrait.nullclines:
        axes.plot(*line.T, **style)


def _draw_separatrices(axes: Axes, portrait: Portrait, theme: Theme) -> None:
    where = "an end of the sticking set" if portrait.flow.sticks else "a saddle"
    styles: dict[bool, dict[str, Any]] = {
        True: {"label": f"separatrices into {where}", "lw": 1.5, "color": theme.foreground},
        False: {"label": f"separatrices out of {where}", "lw": 0.9, "color": theme.link_light,
                "ls": (0, (4, 2))},
    }  # fmt: skip
    for one in portrait.separatrices:
        style = styles[one.incoming]
        _draw_segment(axes, portrait, one.segment, copies=True, zorder=3, **style)
        style.pop("label", None)


def _draw_running(axes: Axes, portrait: Portrait, theme: Theme) -> None:
    low, high = portrait.speeds
    style: dict[str, Any] = {"color": mixed(theme.background, theme.data[3], 0.6), "lw": 3.5}
    for running in portrait.running_solutions:
        speed = running.segment.speed
        if np.max(speed) >= low and np.min(speed) <= high:
            label = f"running solution, {running.slowest:.3g} to {running.fastest:.3g} rad/s"
            _draw_segment(
                axes, portrait, running.segment, copies=True, label=label, zorder=3.5, **style
            )


def _draw_sticking(axes: Axes, portrait: Portrait, basins: Basins | None, theme: Theme) -> None:
    """Draw the angles at which friction holds the joint as thick lines on the axis of angles."""
    shades = {} if basins is None else _basin_shades(basins, theme)
    hues = {} if basins is None else {basins.names[k]: hue for k, (hue, _) in shades.items()}
    ends: dict[str, Any] = {"solid_capstyle": "butt", "zorder": 5}
    named: set[str] = set()
    for one in portrait.sticking:
        label = "_" if one.kind in named else f"sticking set: {STICKING[one.kind]}"
        named.add(one.kind)
        colour = hues.get(sticking_name(one), theme.data[3] if one.stable else theme.warning)
        for shift in shifts(portrait, one.lower, one.upper):
            place = [one.lower + shift, one.upper + shift]
            axes.plot(place, [0.0, 0.0], color=theme.foreground, lw=8.0, **ends)
            axes.plot(place, [0.0, 0.0], color=colour, lw=5.5, label=label, **ends)
            label = "_"


def _draw_orbits(axes: Axes, portrait: Portrait, theme: Theme) -> None:
    from ulna.analysis.portraits import OrbitSegment

    colours = Theme(
        data=(*theme.data[:3], theme.warning, theme.link_light), sequence=theme.sequence
    )
    for orbit, style in zip(portrait.orbits, series(len(portrait.orbits), colours), strict=True):
        run = orbit.run
        segment = OrbitSegment(run.t, run.q[:, 0] + onto_page(portrait, orbit.angle), run.qd[:, 0])
        label = f"from {orbit.angle:.3g} rad, {orbit.speed:.3g} rad/s: {fate_text(orbit.fate)}"
        _draw_segment(axes, portrait, segment, copies=False, label=label, lw=1.8, zorder=4, **style)
        x = wrapped(portrait, segment.angle[:1])
        axes.plot(x, orbit.speed, "o", ms=6, color=style["color"], mec=theme.background, zorder=6)
        if portrait.flow.sticks and run.qd[-1, 0] == 0.0:
            x = wrapped(portrait, segment.angle[-1:])
            axes.plot(x, 0.0, "s", ms=6, color=style["color"], mec=theme.background, zorder=6)


def _draw_equilibria(axes: Axes, portrait: Portrait, theme: Theme) -> None:
    named: set[str] = set()
    for one in portrait.equilibria:
        filled = theme.foreground if one.stable else theme.background
        mark = "D" if one.saddle else "o"
        without = " without dry friction" if portrait.flow.sticks else ""
        label = "_" if one.kind in named else f"{one.kind}{without}"
        named.add(one.kind)
        places = [one.angle + shift for shift in shifts(portrait, one.angle, one.angle)]
        axes.plot(
            places, np.zeros(len(places)), mark, ms=7, mfc=filled, mec=theme.foreground, mew=1.4,
            label=label, zorder=7, clip_on=False, ls="none",
        )  # fmt: skip


def _draw_segment(
    axes: Axes,
    portrait: Portrait,
    segment: OrbitSegment,
    *,
    copies: bool,
    label: str = "_",
    **style: Any,
) -> None:
    """Draw a curve as it lies on the page: wrapped on the cylinder, or unrolled with its copies."""
    if rolled(portrait):
        # Where a sample is half a turn on nobody knows the way: the pen is lifted.
        fast = np.abs(np.diff(segment.angle, prepend=segment.angle[0])) > 0.5 * TURN
        known = np.where(fast, np.nan, segment.speed)
        angle, speed = broken(portrait, wrapped(portrait, segment.angle), known)
        axes.plot(angle, speed, label=label, **style)
        return
    low, high = float(np.min(segment.angle)), float(np.max(segment.angle))
    for shift in shifts(portrait, low, high) if copies else [0.0]:
        axes.plot(segment.angle + shift, segment.speed, label=label, **style)
        label = "_"


def rolled(portrait: Portrait) -> bool:
    """Whether the page shows one turn of a cylinder."""
    return portrait.cylinder and np.ptp(portrait.angles) <= TURN * (1.0 + 1e-9)


def wrapped(portrait: Portrait, angle: Array) -> Array:
    """Return angles as they lie on the page."""
    if not rolled(portrait):
        return angle
    low = portrait.angles[0]
    return np.asarray(low + np.mod(angle - low, TURN))


def onto_page(portrait: Portrait, angle: float) -> float:
    """Return the whole turns [rad] by which a start beside the page is moved onto it."""
    low, high = portrait.angles
    if not portrait.cylinder or low <= angle <= high:
        return 0.0
    return TURN * math.ceil((low - angle) / TURN)


def broken(portrait: Portrait, angle: Array, speed: Array) -> tuple[Array, Array]:
    """Break a curve with NaN where it leaves the page on one side, to return on the other."""
    low, high = portrait.angles[0], portrait.angles[0] + TURN
    (jumps,) = np.nonzero(np.abs(np.diff(angle)) > 0.5 * TURN)
    before, after = angle[jumps], angle[jumps + 1]
    out, back = np.where(after < before, high, low), np.where(after < before, low, high)
    part = (out - before) / (after - before + np.where(after < before, TURN, -TURN))
    edge = speed[jumps] + part * (speed[jumps + 1] - speed[jumps])
    at = np.repeat(jumps + 1, 3)
    breaks = np.stack([out, np.full(len(jumps), np.nan), back], axis=-1).ravel()
    return np.insert(angle, at, breaks), np.insert(speed, at, np.repeat(edge, 3))


def shifts(portrait: Portrait, low: float, high: float) -> Iterator[float]:
    """Return the whole turns by which something from low to high is moved onto the page."""
    if not portrait.cylinder:
        yield 0.0
        return
    left, right = portrait.angles
    first, last = math.ceil((left - high) / TURN - 1e-9), math.floor((right - low) / TURN + 1e-9)
    for turn in range(first, last + 1):
        yield turn * TURN


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
    over = "" if count % 2 == 0 else "/2"
    count = count // 2 if count % 2 == 0 else count
    return f"{sign}{'' if count == 1 else count}π{over}"

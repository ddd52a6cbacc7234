"""How well runs follow a plan: the error of the tip over time, with labels that cover nothing.

For labels a plot is a raster of points (1/72 inch) in which what is drawn is marked. With sums over
all rectangles that begin at its corner, the number of marked points under a box of any size is
found for all places at once, and the nearest place where it is zero is taken.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.analysis.tracking_errors import Tracking, tracking
from ulna.errors import InputError, Problem, shown
from ulna.simulation.batch.member import Member
from ulna.simulation.run import run_of, stuck_spans
from ulna.viewer.figure_style import (
    MOST_NAMES,
    PATTERNS,
    PRINT,
    STUCK,
    PageLayout,
    Theme,
    curve,
    cut,
    finish,
    legend_above,
    make_head_room,
    name_outer,
    page_of_panels,
    plan_title,
    series,
    shorten,
    styled,
)
from ulna.viewer.motor_figures import limited_spans

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ulna.motion.planning.plan_result import Plan
    from ulna.simulation.run import Run

LAYOUT = PageLayout((2.9, 1.7), 9.0, right=0.65)
LONGEST = 40  # letters of a label
BOUNDS = {"1 cm": 0.01, "10 cm": 0.1}  # [m]
LEAST = 1e-13  # of the reach: below, an error is rounding
MARKER = 8.0  # [points] that a mark on a curve takes
SPACE = 12.0  # [points] between a title and a legend
SETTLED = 0.02  # of a run, after which its errors say how far down to look
UNITS = {"m": 1.0, "mm": 1e-3, "µm": 1e-6, "nm": 1e-9}  # [m]
POINTS = 72.0  # in an inch
AROUND = 2.5  # [points] that a label keeps from what is drawn
FAR = 45.0  # [points] from its place, beyond which a label tells nobody what it belongs to
CLOSE = 14.0  # [points] up to which it needs no line that leads to it
FINEST = 2_000_000  # points that a curve is marked by
STUCK_HEIGHT = 0.04  # of a plot, at which it is marked where joints stick


def error_figure(plan: Plan, runs: Mapping[str, Run | Tracking], *, theme: Theme = PRINT) -> Figure:
    """Draw the tip errors of runs along a plan; of the last also along-track and cross-track.

    Parameters
    ----------
    plan : Plan
        What `ulna.plan` returned.
    runs : mapping of str to Run or Tracking
        Runs along the plan by their labels, such as {'open loop': run}. Those that have been
        judged, by `analysis.tracking`, are not judged again.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.figure.Figure
        The page; pyplot does not know it, so nothing has to be closed.

    Raises
    ------
    InputError
        If there are no runs, or one is of an arm with other links than the plan's.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.preset("kehl")
    >>> plan = ulna.plan(arm, ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)
    >>> run = ulna.simulate(arm, controller=ulna.control.ComputedTorque(), reference=plan)
    >>> len(error_figure(plan, {"computed torque": run}).axes)
    2
    """
    found = judged(plan, runs)
    label, last = list(found.items())[-1]
    with styled(theme):
        figure, (above, below) = page_of_panels(LAYOUT, plan_title(plan))
        # The deviation comes first: where labels have room depends on the time that is shown.
        plot_deviation(below, plan, last, theme=theme)
        name_outer(plot_error(above, plan, found, theme=theme), last=False)
        below.set_title(cut(label, LONGEST), parse_math=False)
        names: Any = below.get_legend()
        free = below.get_window_extent().width - names.get_window_extent().width
        shorten(below._left_title, free - SPACE * figure.dpi / POINTS)  # type: ignore[attr-defined]
        make_head_room(figure, LAYOUT, above.get_legend())
    return figure


def plot_error(
    axes: Axes, plan: Plan, runs: Mapping[str, Run | Tracking], *, theme: Theme = PRINT
) -> Axes:
    """Plot the tip error of runs along a plan over time, and mark where runs leave bounds.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    plan : Plan
        What `ulna.plan` returned.
    runs : mapping of str to Run or Tracking
        Runs along the plan by their labels, such as {'open loop': run}. Those that have been
        judged, by `analysis.tracking`, are not judged again.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Raises
    ------
    InputError
        If there are no runs, or one is of an arm with other links than the plan's.

    Notes
    -----
    The times of leaving are written beside the marks, or where there is no room, in the legend.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> arm = ulna.preset("kehl")
    >>> plan = ulna.plan(arm, ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)
    >>> run = ulna.simulate(arm, controller=ulna.control.ComputedTorque(), reference=plan)
    >>> axes = plot_error(Figure().add_subplot(), plan, {"computed torque": run})
    >>> axes.get_ylabel(), axes.get_yscale()
    ('tip error [m]', 'log')
    """
    everything = judged(plan, runs)
    axes.set_yscale("log")
    lowest, errors = [], []
    styles = series(len(runs), theme)
    for (label, found), style in zip(everything.items(), styles, strict=True):
        errors.append(np.maximum(found.size, LEAST * plan.arm.reach))
        curve(axes, found.t, errors[-1], cut(label, LONGEST), style)
        lowest.append(_lowest(errors[-1]))
    bounds = {name: size for name, size in BOUNDS.items() if size <= 2.0 * plan.arm.reach}
    _draw_bounds(axes, bounds, theme)
    axes.set_ylim(bottom=0.5 * min(lowest))
    finish(axes, theme, ylabel="tip error [m]")
    _mark_exits(axes, everything, errors, [style["color"] for style in styles], theme)
    return _legend(axes, theme)


def _legend(axes: Axes, theme: Theme) -> Axes:
    """Name the runs above the plot, as many beside one another as there is room for."""
    width = axes.get_window_extent().width
    for columns in range(min(MOST_NAMES, len(axes.get_legend_handles_labels()[1])), 0, -1):
        legend: Any = legend_above(axes, theme, columns=columns).get_legend()
        for text in legend.get_texts():
            text.set_parse_math(False)  # labels are people's own
        if legend.get_window_extent().width <= width:
            break
    return axes


def plot_deviation(axes: Axes, plan: Plan, run: Run | Tracking, *, theme: Theme = PRINT) -> Axes:
    """Plot the along-track and the cross-track error of the tip over time.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    plan : Plan
        What `ulna.plan` returned.
    run : Run or Tracking
        A run along the plan.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Raises
    ------
    InputError
        If the run is of an arm with other links than the plan's.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> arm = ulna.preset("kehl")
    >>> plan = ulna.plan(arm, ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)
    >>> run = ulna.simulate(arm, controller=ulna.control.ComputedTorque(), reference=plan)
    >>> axes = plot_deviation(Figure().add_subplot(), plan, run)
    >>> [line.get_label() for line in axes.lines]
    ['along-track', 'cross-track']
    """
    (found,) = judged(plan, {"run": run}).values()
    unit = _unit(0.0 if found.worst is None else found.max)
    # In other colours than the runs above it.
    curve(
        axes, found.t, found.along_track / UNITS[unit], "along-track", {"color": theme.foreground}
    )
    style = {"color": theme.data[2], "ls": PATTERNS[2]}
    curve(axes, found.t, found.cross_track / UNITS[unit], "cross-track", style)
    if found.run.arm.has_friction:
        _mark_stuck(axes, found.run, theme)
    if getattr(found.run, "motors", ()):
        _mark_limited(axes, found.run, theme)
    # Numbers of many letters would reach into the name of the axis.
    axes.ticklabel_format(axis="y", scilimits=(-2, 4))
    return finish(axes, theme, ylabel=f"tip error [{unit}]")


def _mark_stuck(axes: Axes, run: Run, theme: Theme) -> None:
    """Draw a line at the foot of a plot over time where a joint of the run was stuck."""
    spans = np.concatenate([stuck_spans(run, joint) for joint in range(run.arm.n)])
    if len(spans):
        line: Any = {**STUCK, "color": theme.data[3], "label": "a joint stuck"}
        foot = np.full(len(spans), STUCK_HEIGHT)
        axes.hlines(foot, *spans.T[:2], transform=axes.get_xaxis_transform(), **line)


def _mark_limited(axes: Axes, run: Run, theme: Theme) -> None:
    """Draw a line at the head of a plot over time where a motor of the run was at its limits."""
    spans = limited_spans(run)
    if len(spans):
        line: Any = {**STUCK, "color": theme.warning, "label": "a motor at its limits"}
        head = np.full(len(spans), 1.0 - STUCK_HEIGHT)
        axes.hlines(head, *spans.T, transform=axes.get_xaxis_transform(), **line)


def judged(plan: Plan, runs: Any) -> dict[str, Tracking]:
    """Return what there is to say about each of the labelled runs."""
    given = runs
    if isinstance(runs, Mapping):
        runs = {label: _with_run(one) for label, one in runs.items()}
        given = {k: one.run if isinstance(one, Tracking) else one for k, one in runs.items()}
    check_runs(plan, given)
    return {
        label: one if isinstance(one, Tracking) else tracking(one, plan)
        for label, one in runs.items()
    }


def _with_run(one: Any) -> Any:
    """Return a run or a Tracking of one in place of those of a member of a batch."""
    if isinstance(one, Tracking):
        return replace(one, run=run_of(one.run))
    return run_of(one)


def check_runs(plan: Plan, runs: Any) -> dict[str, Run]:
    """Return labelled runs; raise unless their arms reach as the plan's does."""
    if not isinstance(runs, Mapping) or not runs:
        need = "at least one run by its label, such as {'open loop': run}"
        raise InputError(Problem("runs", shown(runs), need))
    for label in runs:
        if not isinstance(label, str):
            raise InputError(Problem("runs", f"{shown(label)} for a label", "text"))
    return {label: check_run(plan, run, f"runs[{label!r}]") for label, run in runs.items()}


def check_run(plan: Plan, run: Run | Member, name: str = "run") -> Run:
    """Return a run; raise if it is of an arm with other links. Its masses may differ."""
    run = run_of(run)
    if not hasattr(run, "arm"):
        raise InputError(Problem(name, shown(run), "a Run, as ulna.simulate gives it"))
    length = np.asarray(run.arm.parameters.length)
    if np.array_equal(length, plan.arm.parameters.length) and run.arm.base == plan.arm.base:
        return run
    lengths = " + ".join(f"{one:.4g}" for one in length[:4]) + (" + …" if len(length) > 4 else "")
    need = f"the plan's {plan.arm.n} links, of its lengths and at its base"
    raise InputError(Problem(name, f"an arm of {lengths} m", need))


def _lowest(error: np.ndarray) -> float:
    settled = error[int(SETTLED * len(error)) :]
    return float(np.min(settled[np.isfinite(settled)], initial=min(BOUNDS.values())))


def _mark_exits(
    axes: Axes, runs: Mapping[str, Tracking], errors: list[Any], colors: list[str], theme: Theme
) -> None:
    """Mark when runs first leave a bound, with the time beside it, or in the legend."""
    room = LabelSpace(axes)
    for found, error in zip(runs.values(), errors, strict=True):
        room.take_curve(np.column_stack([found.t, error]))
    for bound in BOUNDS.values():
        room.take_curve([(axes.get_xlim()[0], bound), (axes.get_xlim()[1], bound)])
    exits = [
        (line, name, when, bound, color)
        for line, found, color in zip(axes.lines, runs.values(), colors, strict=False)
        for name, bound in BOUNDS.items()
        if (when := found.first_exit(bound)) is not None
    ]
    for _, _, when, bound, color in exits:
        axes.plot(when, bound, "o", ms=6, mfc=theme.background, mec=color, mew=1.6, zorder=4)
        room.take_mark((when, bound), MARKER)
    untold: dict[Any, list[str]] = {}
    for line, name, when, bound, color in exits:
        text = f"{when:.3g} s"
        if place_label(room, text, (when, bound), color=color, fontsize=9, zorder=5) is None:
            untold.setdefault(line, []).append(f"{name} off at {text}")
    for line, told in untold.items():
        line.set_label(f"{line.get_label()} ({', '.join(told)})")


def _draw_bounds(axes: Axes, bounds: Mapping[str, float], theme: Theme) -> None:
    for name, bound in bounds.items():
        axes.axhline(bound, color=theme.muted, lw=1.0, ls=(0, (4, 3)), zorder=1.5)
        axes.annotate(
            name,
            (1.0, bound),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            color=theme.muted,
            va="center",
        )


def _unit(largest: float) -> str:
    fitting = (unit for unit, size in UNITS.items() if largest >= size)
    return next(fitting, "m" if largest == 0.0 else "nm")


class LabelSpace:
    """What is taken of a plot, whose limits are set, in points from its lower left corner."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        _ = axes.get_xlim(), axes.get_ylim()  # which brings the limits up to date with the data
        figure: Any = axes.get_figure()
        self.scale = POINTS / figure.dpi
        box = axes.get_window_extent()
        self.corner = np.array([box.x0, box.y0])
        self.wide, self.high = (max(1, int(side * self.scale)) for side in (box.width, box.height))
        self.taken = np.zeros((self.high, self.wide), dtype=bool)
        self.texts: list[tuple[float, float, float, float]] = []

    def points(self, places: Any) -> np.ndarray:
        """Return places (k, 2) in the data's units as points."""
        shown: Any = self.axes.transData.transform(np.asarray(places, dtype=float))
        return np.asarray((shown - self.corner) * self.scale)

    def take_curve(self, places: Any) -> None:
        """Mark a curve through places (k, 2); where it is NaN it has a gap."""
        way = self.points(places)
        # What is far outside cannot be seen, and would take as many marks as it is far.
        low, high = -np.array([self.wide, self.high]), 2 * np.array([self.wide, self.high])
        way = np.clip(way, low, high)
        if len(way) == 1:
            way = np.repeat(way, 2, axis=0)
        steps = np.max(np.abs(np.diff(way, axis=0)), axis=-1)
        known = np.flatnonzero(np.isfinite(steps))
        counts = np.ceil(steps[known]).astype(int) + 1
        counts = np.minimum(counts, max(1, FINEST // max(len(known), 1)))
        piece = np.repeat(known, counts)
        within = np.arange(len(piece)) - np.repeat(np.cumsum(counts) - counts, counts)
        part = (within / np.repeat(counts, counts))[:, None]
        self._mark(way[piece] * (1.0 - part) + way[piece + 1] * part)

    def take_line(self, start: np.ndarray, end: np.ndarray) -> None:
        """Mark a line between two places in points."""
        self._mark(np.linspace(start, end, 2 + int(2.0 * np.max(np.abs(end - start)))))

    def _mark(self, dots: np.ndarray) -> None:
        column, row = np.floor(dots).astype(int).T
        inside = (column >= 0) & (column < self.wide) & (row >= 0) & (row < self.high)
        self.taken[row[inside], column[inside]] = True

    def take_box(self, left: float, low: float, wide: float, high: float) -> None:
        """Mark a box."""
        rows = slice(max(0, math.floor(low)), max(0, math.ceil(low + high)))
        columns = slice(max(0, math.floor(left)), max(0, math.ceil(left + wide)))
        self.taken[rows, columns] = True

    def take_mark(self, anchor: Any, size: float) -> None:
        """Mark what is drawn at a place, so many points wide."""
        x, y = self.points([anchor])[0]
        self.take_box(x - 0.5 * size, y - 0.5 * size, size, size)

    def take_text(self, text: Any) -> None:
        """Mark a text that is there."""
        left, low, wide, high = self._box(text)
        self.take_box(left, low, wide, high)
        self.texts.append((left, low, wide, high))

    def _box(self, text: Any) -> tuple[float, float, float, float]:
        from matplotlib.text import Text

        text.get_window_extent()  # which brings a label to its place
        # Of one that a line leads to, the line is no part.
        box = Text.get_window_extent(text)
        left, low = (np.array([box.x0, box.y0]) - self.corner) * self.scale
        return float(left), float(low), box.width * self.scale, box.height * self.scale

    def find(self, text: Any, anchor: Any) -> tuple[np.ndarray, bool] | None:
        """Return the free place for a text that is nearest to its anchor, in the data's units.

        It is the lower left corner [points] from the anchor, and whether a line leads there.
        """
        x, y = self.points([anchor])[0]
        _, _, wide, high = self._box(text)
        across, up = math.ceil(wide + 2 * AROUND), math.ceil(high + 2 * AROUND)
        if across > self.wide or up > self.high:
            return None
        sums = np.pad(np.cumsum(np.cumsum(self.taken, axis=0), axis=1), ((1, 0), (1, 0)))
        under = sums[up:, across:] - sums[:-up, across:] - sums[up:, :-across]
        rows, columns = np.nonzero(under + sums[:-up, :-across] == 0)
        # From the anchor to the nearest point of the box; of equals the one above is taken.
        aside = np.maximum(np.maximum(columns - x, x - columns - across), 0.0)
        off = np.maximum(np.maximum(rows - y, y - rows - up), 0.0)
        cost = np.hypot(aside, off) + np.where(rows < y, 0.5, 0.0)
        for k in np.argsort(cost, kind="stable")[:: max(1, len(cost) // 400)]:
            if cost[k] > FAR:
                return None
            corner = np.array([columns[k] - x, rows[k] - y]) + AROUND
            led = bool(np.hypot(aside[k], off[k]) > CLOSE)
            if not led or self._sees((x, y), (columns[k], rows[k], across, up)):
                return corner, led
        return None

    def _sees(self, anchor: tuple[float, float], box: tuple[float, float, float, float]) -> bool:
        """Whether a line from the anchor to the corner of a box crosses no other text."""
        way = np.linspace(anchor, np.array(box[:2]) + AROUND, 64)
        for left, low, wide, high in self.texts:
            inside = (way[:, 0] >= left) & (way[:, 0] <= left + wide)
            if np.any(inside & (way[:, 1] >= low) & (way[:, 1] <= low + high)):
                return False
        return True


def place_label(room: LabelSpace, text: str, anchor: tuple[float, float], **style: Any) -> Any:
    """Write a text beside a place where it covers nothing; None where there is no room for it."""
    axes = room.axes
    trial = axes.text(*anchor, text, **style)
    found = room.find(trial, anchor)
    trial.remove()
    if found is None:
        return None
    offset, led = found
    line: dict[str, Any] = {"arrowstyle": "-", "color": style.get("color"), "lw": 0.7}
    line |= {"shrinkA": 0.0, "shrinkB": 4.0, "relpos": (0.0, 0.0)}
    label = axes.annotate(
        text,
        anchor,
        xytext=tuple(offset.tolist()),
        textcoords="offset points",
        ha="left",
        va="bottom",
        arrowprops=line if led else None,
        **style,
    )
    room.take_text(label)
    if led:
        start = room.points([anchor])[0]
        room.take_line(start, start + offset)
    return label

"""How well runs follow a plan: the error of the tip over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.analysis.tracking_errors import Tracking, tracking
from ulna.errors import InputError, Problem, shown
from ulna.simulation.batch.member import Member
from ulna.simulation.run import Run, run_of, stuck_spans
from ulna.viewer.figure_style import (
    PATTERNS,
    PRINT,
    STUCK,
    Theme,
    curve,
    cut,
    finish,
    legend_above,
    plan_title,
    series,
    styled,
    two_panels,
)
from ulna.viewer.motor_figures import limited_spans

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ulna.motion.planning.plan_result import Plan

LONGEST, BESIDE = 40, 16  # letters of a label in a legend, and beside one
LINE = 80  # letters of a line of a legend
BOUNDS = {"1 cm": 0.01, "10 cm": 0.1}  # [m]
LEAST = 1e-13  # of the reach: below, an error is rounding
SETTLED = 0.02  # of a run, after which its errors say how far down to look
UNITS = {"m": 1.0, "mm": 1e-3, "µm": 1e-6, "nm": 1e-9}  # [m]
STUCK_HEIGHT = 0.04  # of a plot, at which it is marked where joints stick, and motors at the top


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
        figure, (above, below) = two_panels(plan_title(plan))
        plot_error(above, plan, found, theme=theme).set_xlabel("")
        plot_deviation(below, plan, last, theme=theme)
        below.set_title(cut(label, BESIDE), parse_math=False)
        above.sharex(below)
        above.tick_params(labelbottom=False)
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
    The times of leaving are written in the legend.

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
    lowest = []
    styles = series(len(runs), theme)
    for (label, found), style in zip(everything.items(), styles, strict=True):
        error = np.maximum(found.size, LEAST * plan.arm.reach)
        curve(axes, found.t, error, cut(label, LONGEST), style)
        lowest.append(_lowest(error))
    bounds = {name: size for name, size in BOUNDS.items() if size <= 2.0 * plan.arm.reach}
    _draw_bounds(axes, bounds, theme)
    axes.set_ylim(bottom=0.5 * min(lowest))
    finish(axes, theme, ylabel="tip error [m]")
    _mark_exits(axes, everything, [style["color"] for style in styles], theme)
    return _legend(axes, theme)


def _legend(axes: Axes, theme: Theme) -> Axes:
    """Name the runs above the plot, long names one below the other."""
    longest = max(map(len, axes.get_legend_handles_labels()[1]))
    legend: Any = legend_above(axes, theme, columns=max(1, LINE // longest)).get_legend()
    for text in legend.get_texts():
        text.set_parse_math(False)  # labels are people's own
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
        stuck = [stuck_spans(found.run, joint)[:, :2] for joint in range(found.run.arm.n)]
        _mark_spans(axes, np.concatenate(stuck), STUCK_HEIGHT, theme.data[3], "a joint stuck")
    if found.run.motors:
        limited = limited_spans(found.run)
        _mark_spans(axes, limited, 1.0 - STUCK_HEIGHT, theme.warning, "a motor at its limits")
    # Numbers of many letters would reach into the name of the axis.
    axes.ticklabel_format(axis="y", scilimits=(-2, 4))
    return finish(axes, theme, ylabel=f"tip error [{unit}]")


def _mark_spans(axes: Axes, spans: np.ndarray, height: float, color: str, label: str) -> None:
    """Draw a line over spans (k, 2) of time, at a height of the plot."""
    if len(spans):
        line: Any = {**STUCK, "color": color, "label": label}
        heights = np.full(len(spans), height)
        axes.hlines(heights, *spans.T, transform=axes.get_xaxis_transform(), **line)


def judged(plan: Plan, runs: Any) -> dict[str, Tracking]:
    """Return what there is to say about each of the labelled runs."""
    if isinstance(runs, Mapping):
        known = {label: one for label, one in runs.items() if isinstance(one, Tracking)}
        runs = dict(runs) | {label: one.run for label, one in known.items()}
    checked = check_runs(plan, runs)
    return {
        label: replace(known[label], run=run) if label in known else tracking(run, plan)
        for label, run in checked.items()
    }


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
    if not isinstance(run, Run | Member):
        raise InputError(Problem(name, shown(run), "a Run, as ulna.simulate gives it"))
    run = run_of(run)
    length = np.asarray(run.arm.parameters.length)
    if np.array_equal(length, plan.arm.parameters.length) and run.arm.base == plan.arm.base:
        return run
    lengths = " + ".join(f"{one:.4g}" for one in length[:4]) + (" + …" if len(length) > 4 else "")
    need = f"the plan's {plan.arm.n} links, of its lengths and at its base"
    raise InputError(Problem(name, f"an arm of {lengths} m", need))


def _lowest(error: np.ndarray) -> float:
    settled = error[int(SETTLED * len(error)) :]
    return float(np.min(settled[np.isfinite(settled)], initial=min(BOUNDS.values())))


def _mark_exits(axes: Axes, runs: Mapping[str, Tracking], colors: list[str], theme: Theme) -> None:
    """Mark when runs first leave a bound, with the times in the legend."""
    for line, found, color in zip(list(axes.lines), runs.values(), colors, strict=False):
        exits = {name: found.first_exit(bound) for name, bound in BOUNDS.items()}
        left = {name: when for name, when in exits.items() if when is not None}
        for name, when in left.items():
            mark: Any = {"ms": 6, "mfc": theme.background, "mec": color, "mew": 1.6, "zorder": 4}
            axes.plot(when, BOUNDS[name], "o", **mark)
        if left:
            told = ", ".join(f"{name} off at {when:.3g} s" for name, when in left.items())
            line.set_label(f"{line.get_label()} ({told})")


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

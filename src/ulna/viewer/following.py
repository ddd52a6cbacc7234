"""How well runs follow a plan: the error of the tip over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.analysis.tracking import Tracking, tracking
from ulna.errors import InputError, Problem, shown
from ulna.viewer.pages import Layout, cut, name_outer, page_of_panels, plan_title
from ulna.viewer.run import curve, finish, legend_above
from ulna.viewer.style import PATTERNS, PRINT, Look, series, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ulna.motion.plan import Plan
    from ulna.simulation.run import Run

LAYOUT = Layout((2.9, 1.7), 9.0, right=0.65)
LONGEST = 40  # letters of a label
LEGEND, LINE = 105, 6  # letters beside one another in a legend, and those that a line takes
BOUNDS = {"1 cm": 0.01, "10 cm": 0.1}  # [m]
LEAST = 1e-13  # of the reach: below, an error is rounding
EARLY = 0.075  # of a run, in which there is no room for a label before a place
SETTLED = 0.02  # of a run, after which its errors say how far down to look
UNITS = {"m": 1.0, "mm": 1e-3, "µm": 1e-6, "nm": 1e-9}  # [m]


def error_figure(plan: Plan, runs: Mapping[str, Run | Tracking], *, look: Look = PRINT) -> Figure:
    """Draw how far runs, by their labels, are from a plan; the last one along and across, too.

    Runs that have been judged, by `analysis.tracking`, are not judged again.
    """
    found = judged(plan, runs)
    label, last = list(found.items())[-1]
    with styled(look):
        figure, (above, below) = page_of_panels(LAYOUT, plan_title(plan))
        name_outer(plot_error(above, plan, found, look=look), last=False)
        plot_deviation(below, plan, last, look=look)
        below.set_title(cut(label, LONGEST), parse_math=False)
    return figure


def plot_error(
    axes: Axes, plan: Plan, runs: Mapping[str, Run | Tracking], *, look: Look = PRINT
) -> Axes:
    """Plot the distance of the tip from the plan over time, and mark where runs leave bounds."""
    everything = judged(plan, runs)
    axes.set_yscale("log")
    lowest = []
    for (label, found), style in zip(everything.items(), series(len(runs), look), strict=True):
        error = np.maximum(found.size, LEAST * plan.arm.reach)
        curve(axes, found.t, error, cut(label, LONGEST), style)
        lowest.append(_lowest(error))
        _mark_bounds(axes, found, style["color"], look)
    axes.set_ylim(bottom=0.5 * min(lowest))
    _draw_bounds(axes, look)
    finish(axes, look, ylabel="tip error [m]")
    lengths = [min(len(label), LONGEST) + LINE for label in runs]
    beside = len(runs) if sum(lengths) <= LEGEND else max(1, LEGEND // max(lengths))
    return legend_above(axes, look, columns=beside)


def plot_deviation(axes: Axes, plan: Plan, run: Run | Tracking, *, look: Look = PRINT) -> Axes:
    """Plot how far the tip is ahead of where it should be, and how far to the left of the path."""
    (found,) = judged(plan, {"run": run}).values()
    unit = _unit(0.0 if found.worst is None else found.max)
    # In other colours than the runs above it.
    curve(axes, found.t, found.along / UNITS[unit], "ahead", {"color": look.ink})
    style = {"color": look.data[2], "ls": PATTERNS[2]}
    curve(axes, found.t, found.across / UNITS[unit], "to the left", style)
    return finish(axes, look, ylabel=f"tip error [{unit}]")


def judged(plan: Plan, runs: Any) -> dict[str, Tracking]:
    """Give what there is to say about each of the labelled runs."""
    if isinstance(runs, Mapping):
        own = {k: one.run if isinstance(one, Tracking) else one for k, one in runs.items()}
        check_runs(plan, own)
    else:
        check_runs(plan, runs)
    return {
        label: one if isinstance(one, Tracking) else tracking(one, plan)
        for label, one in runs.items()
    }


def check_runs(plan: Plan, runs: Any) -> None:
    """Refuse anything but labelled runs of an arm that reaches as the plan's does."""
    if not isinstance(runs, Mapping) or not runs:
        need = "at least one run by its label, such as {'open loop': run}"
        raise InputError(Problem("runs", shown(runs), need))
    for label, run in runs.items():
        if not isinstance(label, str):
            raise InputError(Problem("runs", f"{shown(label)} for a label", "text"))
        check_run(plan, run, f"runs[{label!r}]")


def check_run(plan: Plan, run: Run, name: str = "run") -> None:
    """Refuse a run of an arm with other links; its masses may differ."""
    if not hasattr(run, "arm"):
        raise InputError(Problem(name, shown(run), "a Run, as ulna.simulate gives it"))
    length = np.asarray(run.arm.parameters.length)
    if np.array_equal(length, plan.arm.parameters.length) and run.arm.base == plan.arm.base:
        return
    lengths = " + ".join(f"{one:.4g}" for one in length[:4]) + (" + …" if len(length) > 4 else "")
    need = f"the plan's {plan.arm.n} links, of its lengths and at its base"
    raise InputError(Problem(name, f"an arm of {lengths} m", need))


def _lowest(error: np.ndarray) -> float:
    settled = error[int(SETTLED * len(error)) :]
    return float(np.min(settled[np.isfinite(settled)], initial=min(BOUNDS.values())))


def _mark_bounds(axes: Axes, found: Tracking, color: str, look: Look) -> None:
    """Mark when a run first leaves a bound."""
    t = found.t
    for bound in BOUNDS.values():
        when = found.left(bound)
        if when is None:
            continue
        axes.plot(when, bound, "o", ms=6, mfc=look.paper, mec=color, mew=1.6, zorder=4)
        # An error grows: to the upper left of the place is nothing, unless the axis is there.
        room = when - t[0] > EARLY * (t[-1] - t[0])
        label = axes.annotate(
            f"{when:.3g} s",
            (when, bound),
            xytext=(-7, 4) if room else (8, -4),
            textcoords="offset points",
            ha="right" if room else "left",
            va="bottom" if room else "top",
            color=color,
            fontsize=9,
            zorder=5,
        )
        label.set_bbox({"fc": look.paper, "ec": "none", "alpha": 0.8, "pad": 1.0})


def _draw_bounds(axes: Axes, look: Look) -> None:
    for name, bound in BOUNDS.items():
        axes.axhline(bound, color=look.quiet, lw=1.0, ls=(0, (4, 3)), zorder=1.5)
        axes.annotate(
            name,
            (1.0, bound),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            color=look.quiet,
            va="center",
        )


def _unit(largest: float) -> str:
    fitting = (unit for unit, size in UNITS.items() if largest >= size)
    return next(fitting, "m" if largest == 0.0 else "nm")

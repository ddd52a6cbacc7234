"""Robustness as a fan chart: percentiles of the tip error over time, and of the arms' largest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.units import length_text
from ulna.viewer.figure_style import (
    PRINT,
    Theme,
    curve,
    finish,
    legend_above,
    mixed,
    plan_title,
    styled,
    two_panels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ulna.sweep.robust_results import Robustness

BANDS = ((5.0, 95.0, 0.22), (25.0, 75.0, 0.5))  # [%] of the arms, and how dark
MILLIMETRES = 1e3  # in a metre


def robustness_figure(found: Robustness, *, theme: Theme = PRINT) -> Figure:
    """Draw a fan chart of the tip error, and below it how the largest errors are distributed.

    Parameters
    ----------
    found : Robustness
        What `ulna.robustness` returned.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.figure.Figure
        The page; pyplot does not know it, so nothing has to be closed.

    Examples
    --------
    >>> import ulna
    >>> plan = ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)
    >>> found = ulna.robustness(plan, ulna.control.ComputedTorque(), runs=20)
    >>> len(robustness_figure(found).axes)
    2
    """
    with styled(theme):
        figure, (above, below) = two_panels(plan_title(found.plan))
        plot_fan(above, found, theme=theme)
        plot_largest_errors(below, found, theme=theme)
    return figure


def plot_fan(axes: Axes, found: Robustness, *, theme: Theme = PRINT) -> Axes:
    """Plot percentiles of the tip error over time as bands, with the nominal and the worst arm.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    found : Robustness
        What `ulna.robustness` returned.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes. A run that fails has no error from then on.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> plan = ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)
    >>> found = ulna.robustness(plan, ulna.control.ComputedTorque(), runs=20)
    >>> plot_fan(Figure().add_subplot(), found).get_ylabel()
    'tip error [mm]'
    """
    colour = theme.data[1]
    for low, high, dark in BANDS:
        lower, upper = _shown(found.fan((low, high)))
        shade = mixed(theme.background, colour, dark)
        label = f"{low:g}–{high:g} % of the arms"
        axes.fill_between(found.t, lower, upper, color=shade, lw=0.0, label=label)
    middle: dict[str, Any] = {"color": colour, "lw": 1.6}
    curve(axes, found.t, _shown(found.fan((50.0,)))[0], "median", middle)
    worst = _shown(found.error[found.worst.number])
    curve(axes, found.t, worst, "worst", {"color": theme.warning, "lw": 1.0})
    nominal: dict[str, Any] = {"color": theme.foreground, "lw": 1.2, "ls": "--"}
    curve(axes, found.t, _shown(found.nominal), "nominal", nominal)
    _mark_tube(axes.axhline, found, theme)
    axes.set_ylim(bottom=0.0)
    return finish(axes, theme, ylabel="tip error [mm]")


def plot_largest_errors(axes: Axes, found: Robustness, *, theme: Theme = PRINT) -> Axes:
    """Plot which part of the arms has a largest tip error of at most so much.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    found : Robustness
        What `ulna.robustness` returned.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes. Runs that fail are missing at the top.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> plan = ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), duration=1.0)
    >>> found = ulna.robustness(plan, ulna.control.ComputedTorque(), runs=20)
    >>> plot_largest_errors(Figure().add_subplot(), found).get_ylabel()
    'arms [%]'
    """
    for values, label, colour in (
        (found.max, "largest error", theme.data[1]),
        (found.rms, "RMS error", theme.data[3]),
    ):
        errors = np.sort(values)
        share = 100.0 * np.arange(1, len(errors) + 1) / len(errors)
        axes.step(_shown(errors), share, where="post", color=colour, lw=1.5, label=label)
    _mark_tube(axes.axvline, found, theme)
    axes.set(xlabel="tip error [mm]", ylabel="arms [%]", ylim=(0.0, 102.0))
    axes.set_xlim(left=0.0)
    return legend_above(axes, theme)


def _mark_tube(draw: Any, found: Robustness, theme: Theme) -> None:
    label = f"tube, {length_text(found.tube)}"
    draw(MILLIMETRES * found.tube, color=theme.warning, lw=1.0, ls=":", label=label)


def _shown(errors: np.ndarray) -> np.ndarray:
    """Return errors in millimetres; failed runs have none."""
    return np.where(np.isfinite(errors), MILLIMETRES * np.asarray(errors), np.nan)

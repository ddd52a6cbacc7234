"""Loops as Bode plots: gain and phase of every joint's loop, and where they leave their margins."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ulna.viewer.figure_style import (
    PRINT,
    PageLayout,
    Theme,
    cut,
    joint_curves,
    name_outer,
    page_of_panels,
    styled,
    titled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ulna.analysis.loop_dynamics import LoopDynamics

LAYOUT = PageLayout((2.4, 2.0), 9.0)
LETTERS = 80  # of a title


def bode_figure(loop: LoopDynamics, *, theme: Theme = PRINT) -> Figure:
    """Draw the Bode plot of a loop: gain above, phase below, a curve a joint.

    Parameters
    ----------
    loop : LoopDynamics
        What `ulna.analysis.loop` returned.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.figure.Figure
        The page; pyplot does not know it, so nothing has to be closed.

    Examples
    --------
    >>> import ulna
    >>> found = ulna.analysis.loop(ulna.preset("kehl"), [0.5, 0.5], ulna.control.PID())
    >>> len(bode_figure(found).axes)
    2
    """
    with styled(theme):
        title = cut(titled(loop.arm, f"{loop.controller} at {loop.rate:g} Hz"), LETTERS)
        figure, (above, below) = page_of_panels(LAYOUT, title)
        name_outer(plot_gain(above, loop, theme=theme), last=False)
        plot_phase(below, loop, theme=theme).get_legend().remove()  # type: ignore[union-attr]
    return figure


def plot_gain(axes: Axes, loop: LoopDynamics, *, theme: Theme = PRINT) -> Axes:
    """Draw the gain of every joint's loop over the frequency, both logarithmic.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    loop : LoopDynamics
        What `ulna.analysis.loop` returned. A mark is a gain crossover.
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
    >>> found = ulna.analysis.loop(ulna.preset("kehl"), [0.5, 0.5], ulna.control.PID())
    >>> plot_gain(Figure().add_subplot(), found).get_yscale()
    'log'
    """
    found = loop.bode()
    gain = np.where(found.magnitude > 0.0, found.magnitude, np.nan)
    joint_curves(axes, found.frequency, gain, "L", theme, ylabel="gain")
    for curve, margins in zip(axes.lines[: loop.arm.n], loop.margins, strict=True):
        crossed = margins.gain_crossovers
        axes.plot(crossed, np.ones(len(crossed)), "o", ms=4.0, color=curve.get_color())
    axes.axhline(1.0, color=theme.foreground, lw=0.6)
    axes.set_yscale("log")
    return _over_frequency(axes)


def plot_phase(axes: Axes, loop: LoopDynamics, *, theme: Theme = PRINT) -> Axes:
    """Draw the phase of every joint's loop over the frequency.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    loop : LoopDynamics
        What `ulna.analysis.loop` returned. A line is at −180°, where the loop is real and negative.
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
    >>> found = ulna.analysis.loop(ulna.preset("kehl"), [0.5, 0.5], ulna.control.PID())
    >>> plot_phase(Figure().add_subplot(), found).get_ylabel()
    'phase [°]'
    """
    found = loop.bode()
    joint_curves(axes, found.frequency, np.degrees(found.phase), "L", theme, ylabel="phase [°]")
    low, high = axes.get_ylim()
    turns = range(math.ceil((low + 180.0) / 360.0), math.floor((high + 180.0) / 360.0) + 1)
    for turn in turns:
        axes.axhline(360.0 * turn - 180.0, color=theme.foreground, lw=0.6)
    return _over_frequency(axes)


def _over_frequency(axes: Axes) -> Axes:
    axes.set_xscale("log")
    axes.set_xlabel("frequency [Hz]")
    return axes

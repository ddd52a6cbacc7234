"""Arms with more joints: angle and speed of each joint, and the section through their motion."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.angles import wrap
from ulna.arrays import whole
from ulna.errors import InputError, Problem
from ulna.simulation import Run
from ulna.simulation.batch.member import Member
from ulna.simulation.run import run_of
from ulna.viewer.figure_style import PRINT, Theme, arm_title, head, new_figure, series, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ulna.analysis.poincare_sections import Section


MOST_JOINTS = 12
ACROSS = 3  # panels side by side
PANEL = 3.1  # [inches]


def section_figure(section: Section, *, show: int | None = None, theme: Theme = PRINT) -> Figure:
    """Draw the projections of all runs joint by joint, and the Poincaré section.

    Parameters
    ----------
    section : Section
        What `ulna.analysis.poincare` returned.
    show : int, optional
        The joint, counted from 1, in whose angle and speed the section is drawn: the next after the
        one it cuts unless given.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.figure.Figure
        The page; pyplot does not know it, so nothing has to be closed.

    Raises
    ------
    InputError
        For an arm of more than 12 joints, and a joint that it does not have.

    Examples
    --------
    >>> import ulna
    >>> starts = [([-1.5, 0.2], [0.0, 0.0])]
    >>> swing = ulna.Scenario(arm=ulna.preset("unit"), duration=10.0)
    >>> section = ulna.poincare(swing, starts=starts)
    >>> len(section_figure(section).axes)  # a projection for each joint, and the section
    3
    """
    n = section.arm.n
    if n > MOST_JOINTS:
        hint = "draw the joints that matter with plot_projection"
        raise InputError(Problem("arm", f"{n} joints", f"at most {MOST_JOINTS}", hint))
    other = section.joint % n + 1 if show is None else whole("show", show, 1, n)
    columns = min(n + 1, ACROSS)
    rows = math.ceil((n + 1) / columns)
    with styled(theme):
        figure = new_figure(columns * PANEL, rows * PANEL + 0.35, layout="constrained")
        head(figure, arm_title(section.arm))
        panels = np.ravel(figure.subplots(rows, columns))
        runs = [one.run for one in section.crossings]
        for joint, axes in enumerate(panels[:n], start=1):
            plot_projection(axes, runs, joint, theme=theme).set_title(f"joint {joint}", size=10)
        plot_section(panels[n], section, other, theme=theme)
        for axes in panels[n + 1 :]:
            axes.set_visible(False)
        handles, labels = panels[n].get_legend_handles_labels()
        if 1 < len(labels) <= len(PRINT.data):
            place: Any = {"loc": "outside upper right", "ncols": len(labels), "markerscale": 3.0}
            figure.legend(handles, labels, fontsize=8, **place)
    return figure


def plot_projection(
    axes: Axes, runs: Run | Member | Iterable[Run | Member], joint: int, *, theme: Theme = PRINT
) -> Axes:
    """Draw angle and speed of one joint over a run or several, the angle in −π … π.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    runs : Run, Member or iterable of them
        The runs, or members of batches, a colour each.
    joint : int
        The joint, counted from 1.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Raises
    ------
    InputError
        If there is no such joint.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], duration=0.1)
    >>> axes = plot_projection(Figure().add_subplot(), run, joint=2)
    >>> axes.get_xlabel()
    '$q_{2}$ [rad]'
    """
    listed = [run_of(one) for one in ([runs] if isinstance(runs, Run | Member) else runs)]
    whole("joint", joint, 1, listed[0].arm.n)
    for run, style in zip(listed, series(len(listed), theme), strict=True):
        angle, speed = np.asarray(wrap(run.q[:, joint - 1])), run.qd[:, joint - 1].copy()
        # The pen is lifted where the angle goes on at the other side.
        speed[1:][np.abs(np.diff(angle)) > math.pi] = np.nan
        axes.plot(angle, speed, lw=0.5, color=style["color"], rasterized=True)
    return _named(axes, joint)


def plot_section(axes: Axes, section: Section, joint: int, *, theme: Theme = PRINT) -> Axes:
    """Draw the crossings of a Poincaré section, in angle and speed of one joint.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    section : Section
        What `ulna.analysis.poincare` returned.
    joint : int
        The joint, counted from 1.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Raises
    ------
    InputError
        Without such a joint.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> starts = [([-1.5, 0.2], [0.0, 0.0])]
    >>> swing = ulna.Scenario(arm=ulna.preset("unit"), duration=10.0)
    >>> section = ulna.poincare(swing, starts=starts)
    >>> axes = plot_section(Figure().add_subplot(), section, joint=2)
    >>> len(axes.lines[0].get_xdata()) == len(section.crossings[0])
    True
    """
    whole("joint", joint, 1, section.arm.n)
    styles = series(len(section.crossings), theme)
    for number, (one, style) in enumerate(zip(section.crossings, styles, strict=True), start=1):
        label = f"start {number}: {len(one)} crossings"
        place: tuple[Any, Any] = (one.q[:, joint - 1], one.qd[:, joint - 1])
        axes.plot(*place, ".", ms=2.5, color=style["color"], label=label)
    axes.set_title(f"section: $q_{{{section.joint}}}$ = {section.angle:.3g} rad", size=10)
    return _named(axes, joint)


def _named(axes: Axes, joint: int) -> Axes:
    axes.set_xlabel(f"$q_{{{joint}}}$ [rad]")
    axes.set_ylabel(rf"$\dot{{q}}_{{{joint}}}$ [rad/s]")
    return axes

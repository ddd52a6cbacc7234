"""A run on a page: its motion, and curves of it over time."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.scenario.inputs import is_table
from ulna.simulation.run import run_of, stuck_spans
from ulna.viewer.arm_drawing import (
    GHOSTS,
    LONGEST_WAY,
    Playback,
    draw_arm,
    draw_ghosts,
    draw_reach,
    draw_trace,
)
from ulna.viewer.figure_style import (
    PATTERNS,
    PRINT,
    STUCK,
    STUCK_ALPHA,
    TITLE_X,
    Theme,
    curve,
    even_ticks,
    finish,
    fit_axes,
    head,
    joint_curves,
    new_figure,
    series,
    styled,
    titled,
)
from ulna.viewer.motor_figures import DASHES, comes_near, motor_plots, run_torque_limits

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ulna.simulation.batch.member import Member
    from ulna.simulation.run import Run


PAGE = (11.0, 6.6)  # [inches]
WIDER = 1.2  # the motion's part of a page, of the curves'
TALLER = 1.5  # [inches] of a page for each plot of motors
LETTERS = 72  # of a line under the title of a page


def run_figure(run: Run | Member, *, theme: Theme = PRINT) -> Figure:
    """Draw a run on one page: the motion, and angles, torques and energy over time.

    Parameters
    ----------
    run : Run or Member
        What `ulna.simulate` returned, or a member of a batch.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.figure.Figure
        The page; pyplot does not know it, so nothing has to be closed.

    Examples
    --------
    >>> import ulna
    >>> run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], duration=0.1)
    >>> len(run_figure(run).axes)  # the motion, angles, torques and energies
    4
    """
    run = run_of(run)
    motors = motor_plots(run.arm) if run.current is not None else []
    plots = (plot_angles, plot_torques, *motors, plot_energy)
    with styled(theme):
        figure = new_figure(PAGE[0], PAGE[1] + TALLER * len(motors))
        figure.set_layout_engine("constrained", w_pad=0.08, h_pad=0.08)
        halves: Any = figure.subfigures(1, 2, width_ratios=(WIDER, 1.0))
        motion, curves = halves
        how = f" with {method}" if (method := run.scenario.method) else ""
        title = titled(run.arm, f"{float(run.t[-1] - run.t[0]):.4g} s{how}")
        head(figure, title, x=TITLE_X * WIDER / (WIDER + 1.0))
        ending = textwrap.fill(str(run.status), LETTERS, break_on_hyphens=False)
        color = theme.muted if run.status.ok else theme.foreground
        head(motion, ending, weight="normal", color=color)
        plot_motion(motion.add_subplot(), run, theme=theme)
        right = curves.subplots(len(plots), 1, sharex=True)
        for plot, axes in zip(plots, right, strict=True):
            plot(axes, run, theme=theme).label_outer()
        curves.align_ylabels()
    return figure


def plot_angles(axes: Axes, run: Run | Member, *, theme: Theme = PRINT) -> Axes:
    """Plot the joint angles [rad] over time.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    run : Run or Member
        What `ulna.simulate` returned, or a member of a batch.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Notes
    -----
    A broad line lies under the curve of a joint where friction holds it: it is stuck.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], duration=0.1)
    >>> axes = plot_angles(Figure().add_subplot(), run)
    >>> axes.get_ylabel(), len(axes.lines)
    ('angle [rad]', 2)
    """
    run = run_of(run)
    if run.arm.has_friction:
        _mark_stuck(axes, run, theme)
    return joint_curves(axes, run.t, run.q, "q", theme, ylabel="angle [rad]")


def _mark_stuck(axes: Axes, run: Run, theme: Theme) -> None:
    name = "stuck"
    for joint, style in enumerate(series(run.arm.n, theme)):
        spans = stuck_spans(run, joint)
        if len(spans):
            start, end, angle = spans.T
            line: Any = {**STUCK, "color": style["color"], "alpha": STUCK_ALPHA, "label": name}
            axes.hlines(angle, start, end, **line)
            name = "_"


def plot_speeds(axes: Axes, run: Run | Member, *, theme: Theme = PRINT) -> Axes:
    """Plot the joint speeds [rad/s] over time.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    run : Run or Member
        What `ulna.simulate` returned, or a member of a batch.
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
    >>> run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], duration=0.1)
    >>> axes = plot_speeds(Figure().add_subplot(), run)
    >>> axes.get_ylabel(), len(axes.lines)
    ('speed [rad/s]', 2)
    """
    run = run_of(run)
    return joint_curves(axes, run.t, run.qd, r"\dot{q}", theme, ylabel="speed [rad/s]")


def plot_torques(axes: Axes, run: Run | Member, *, theme: Theme = PRINT) -> Axes:
    """Plot the torques of the motors [N·m] over time, as steps where they are held.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    run : Run or Member
        What `ulna.simulate` returned, or a member of a batch.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Notes
    -----
    Thin lines show what was commanded where a limit cut it: saturation. Dotted ones are what
    friction takes of the torque, or holds a stuck joint with. Dashed ones are what a motor has left
    at its speed, where torques come near.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], torque=[2.0, 1.0], duration=0.1)
    >>> axes = plot_torques(Figure().add_subplot(), run)
    >>> axes.get_ylabel(), [float(line.get_ydata()[0]) for line in axes.lines]
    ('torque [N·m]', [2.0, 1.0])
    """
    run = run_of(run)
    _plot_commanded(axes, run, theme)
    if run.arm.has_friction:
        for joint, style in enumerate(series(run.arm.n, theme)):
            dotted = {**style, "lw": 1.0, "ls": PATTERNS[3]}
            curve(axes, run.t, run.friction[:, joint], "" if joint else "friction", dotted)
    held = is_table(run.scenario.torque) and run.scenario.between == "hold"
    held = held or run.scenario.controller is not None
    joint_curves(axes, run.t, run.tau, r"\tau", theme, ylabel="torque [N·m]", held=held)
    if run.motors:
        _plot_limits(axes, run, theme)
    return axes


def _plot_commanded(axes: Axes, run: Run, theme: Theme) -> None:
    asked = run.tau_commanded
    if asked is None:
        return
    for joint, style in enumerate(series(run.arm.n, theme)):
        if np.any(asked[:, joint] != run.tau[:, joint]):
            thin = {**style, "lw": 0.6, "alpha": 0.7}
            curve(axes, run.t, asked[:, joint], "", thin, held=True)


def _plot_limits(axes: Axes, run: Run, theme: Theme) -> None:
    """Draw what motors have left where torques come near, without making room for more."""
    room, limits = axes.get_ylim(), run_torque_limits(run)
    for joint, style in enumerate(series(run.arm.n, theme)):
        for side, limit in ((1.0, limits.upper[:, joint]), (-1.0, limits.lower[:, joint])):
            if comes_near(side, run.tau[:, joint], limit):
                curve(axes, run.t, limit, "", {**style, "lw": 0.9, "ls": DASHES})
    axes.set_ylim(room)


def plot_energy(axes: Axes, run: Run | Member, *, theme: Theme = PRINT) -> Axes:
    """Plot the energies [J] over time, and what was injected less what was dissipated.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    run : Run or Member
        What `ulna.simulate` returned, or a member of a batch.
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
    >>> run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], duration=0.1)
    >>> axes = plot_energy(Figure().add_subplot(), run)
    >>> [line.get_label() for line in axes.lines]
    ['kinetic', 'potential', 'injected − dissipated', 'total']
    """
    run = run_of(run)
    energy = run.energy
    kinetic, potential = np.asarray(energy.kinetic), np.asarray(energy.potential)
    with np.errstate(over="ignore", invalid="ignore"):
        total = kinetic + potential
        exchanged = np.asarray(energy.injected) - np.asarray(energy.dissipated)
    curves = {"kinetic": kinetic, "potential": potential, "injected − dissipated": exchanged}
    for (name, values), style in zip(curves.items(), series(3, theme), strict=True):
        curve(axes, run.t, values, name, style)
    curve(axes, run.t, total, "total", {"color": theme.foreground, "ls": PATTERNS[3]})
    return finish(axes, theme, ylabel="energy [J]")


def plot_tip(axes: Axes, run: Run | Member, *, theme: Theme = PRINT) -> Axes:
    """Plot the position of the tip [m] over time.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    run : Run or Member
        What `ulna.simulate` returned, or a member of a batch.
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
    >>> run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], duration=0.1)
    >>> axes = plot_tip(Figure().add_subplot(), run)
    >>> axes.get_ylabel(), [float(line.get_ydata()[0]) for line in axes.lines]
    ('tip [m]', [2.0, 0.0])
    """
    run = run_of(run)
    for index, style in enumerate(series(2, theme)):
        curve(axes, run.t, run.tip[:, index], f"${'xy'[index]}$", style)
    return finish(axes, theme, ylabel="tip [m]")


def plot_motion(axes: Axes, run: Run | Member, *, theme: Theme = PRINT) -> Axes:
    """Draw the workspace, the path of the tip, earlier postures, and the last one.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    run : Run or Member
        What `ulna.simulate` returned, or a member of a batch.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Notes
    -----
    Of a long run only the end is shown; all of it would cover itself.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], duration=0.1)
    >>> axes = plot_motion(Figure().add_subplot(), run)
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('x [m]', 'y [m]')
    """
    run = run_of(run)
    arm, playback = run.arm, Playback(run)
    draw_reach(axes, arm, theme=theme)
    if playback.end > playback.start:
        start = _start_of_trace(playback)
        earlier = np.linspace(start, playback.end, GHOSTS + 1)[:-1]
        draw_ghosts(axes, arm, playback.postures(earlier), theme=theme)
        draw_trace(axes, playback.trace(start)[1], theme=theme)
    draw_arm(axes, arm, playback.postures(playback.end), theme=theme)
    return even_ticks(fit_axes(axes, arm))


def _start_of_trace(playback: Playback) -> float:
    """Return the time from which on the tip is traced, evenly, so that the fading tells the age."""
    times, tips = playback.trace(playback.start)
    lengths = np.hypot(*np.diff(tips, axis=0).T)
    still_to_go = np.cumsum(lengths[::-1])[::-1]
    return float(times[np.argmax(still_to_go <= LONGEST_WAY * playback.arm.reach)])

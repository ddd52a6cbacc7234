"""Curves of a run over time, and its motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna import kinematics
from ulna.arm import Arm
from ulna.viewer.arm import (
    FINEST,
    GHOSTS,
    draw_arm,
    draw_ghosts,
    draw_reach,
    draw_trace,
    even_ticks,
    fit_axes,
)
from ulna.viewer.frames import Playback
from ulna.viewer.style import PATTERNS, PRINT, Theme, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ulna.simulation.run import Run

MOST_POINTS = 20_000  # of a curve as it is; beyond, what a page cannot show is left out
PIECES = 2_500  # that a longer curve is cut into, each drawn by its ends and its extremes
MOST_NAMES = 8  # curves with a name each; of more, a few are named
FEW_NAMES = 4
LONGEST_WAY = 25.0  # of the reach: how far a tip is traced back
LARGEST = 1e300  # beyond, room at the margins would overflow


def plot_angles(axes: Axes, run: Run, *, theme: Theme = PRINT) -> Axes:
    """Plot the joint angles [rad] over time.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    run : Run
        What `ulna.simulate` returned.
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
    >>> axes = plot_angles(Figure().add_subplot(), run)
    >>> axes.get_ylabel(), len(axes.lines)
    ('angle [rad]', 2)
    """
    return joint_curves(axes, run.t, run.q, "q", theme, ylabel="angle [rad]")


def plot_speeds(axes: Axes, run: Run, *, theme: Theme = PRINT) -> Axes:
    """Plot the joint speeds [rad/s] over time.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    run : Run
        What `ulna.simulate` returned.
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
    return joint_curves(axes, run.t, run.qd, r"\dot{q}", theme, ylabel="speed [rad/s]")


def plot_torques(axes: Axes, run: Run, *, theme: Theme = PRINT) -> Axes:
    """Plot the torques of the motors [N·m] over time, as steps where they are held.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    run : Run
        What `ulna.simulate` returned.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Notes
    -----
    Thin lines show what was commanded where a limit cut it: saturation.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], torque=[2.0, 1.0], duration=0.1)
    >>> axes = plot_torques(Figure().add_subplot(), run)
    >>> axes.get_ylabel(), [float(line.get_ydata()[0]) for line in axes.lines]
    ('torque [N·m]', [2.0, 1.0])
    """
    _plot_commanded(axes, run, theme)
    return joint_curves(
        axes, run.t, run.tau, r"\tau", theme, ylabel="torque [N·m]", held=_is_held(run)
    )


def _plot_commanded(axes: Axes, run: Run, theme: Theme) -> None:
    asked = getattr(run, "tau_commanded", None)
    if asked is None:
        return
    tau = np.asarray(run.tau)
    for joint, style in enumerate(series(tau.shape[1], theme)):
        if np.any(asked[:, joint] != tau[:, joint]):
            thin = {**style, "lw": 0.6, "alpha": 0.7}
            curve(axes, run.t, asked[:, joint], "", thin, held=True)


def plot_energy(axes: Axes, run: Run, *, theme: Theme = PRINT) -> Axes:
    """Plot the energies [J] over time, and what was injected less what was dissipated.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    run : Run
        What `ulna.simulate` returned.
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


def plot_tip(axes: Axes, run: Run, *, theme: Theme = PRINT) -> Axes:
    """Plot the position of the tip [m] over time.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    run : Run
        What `ulna.simulate` returned.
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
    for index, style in enumerate(series(2, theme)):
        curve(axes, run.t, run.tip[:, index], f"${'xy'[index]}$", style)
    return finish(axes, theme, ylabel="tip [m]")


def plot_motion(axes: Axes, run: Run, *, theme: Theme = PRINT) -> Axes:
    """Draw the workspace, the path of the tip, earlier postures, and the last one.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    run : Run
        What `ulna.simulate` returned.
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
    arm, playback = run.arm, Playback(run)
    draw_reach(axes, arm, theme=theme)
    if playback.end > playback.start:
        start = _start_of_trace(arm, playback)
        earlier = np.linspace(start, playback.end, GHOSTS + 1)[:-1]
        draw_ghosts(axes, arm, playback.postures(earlier), theme=theme)
        draw_trace(axes, _way(arm, playback, start)[1], theme=theme)
    draw_arm(axes, arm, playback.postures(playback.end), theme=theme)
    return even_ticks(fit_axes(axes, arm))


def thinned(values: np.ndarray) -> np.ndarray:
    """Return the indices to draw a curve (S,) by: of a long one, its extremes are kept."""
    count = len(values)
    if count <= MOST_POINTS:
        return np.arange(count)
    length = -(-count // PIECES)
    spare = -count % length
    rows = np.pad(np.asarray(values, dtype=float), (0, spare), mode="edge").reshape(-1, length)
    starts = length * np.arange(len(rows))
    known = np.isfinite(rows)
    low = starts + np.argmin(np.where(known, rows, np.inf), axis=1)
    high = starts + np.argmax(np.where(known, rows, -np.inf), axis=1)
    chosen = np.concatenate([starts, low, high, starts + length - 1])
    return np.unique(np.minimum(chosen, count - 1))


def _start_of_trace(arm: Arm, playback: Playback) -> float:
    times, tips = _way(arm, playback, playback.start)
    lengths = np.hypot(*np.diff(tips, axis=0).T)
    still_to_go = np.cumsum(lengths[::-1])[::-1]
    return float(times[np.argmax(still_to_go <= LONGEST_WAY * arm.reach)])


def _way(arm: Arm, playback: Playback, start: float) -> tuple[np.ndarray, np.ndarray]:
    """Return times and places of the tip, evenly in time, so that the fading tells the age."""
    times = np.linspace(start, playback.end, FINEST)
    return times, kinematics.tip(arm, playback.postures(times))[:, :2]


def joint_curves(
    axes: Axes,
    t: np.ndarray,
    values: np.ndarray,
    symbol: str,
    theme: Theme,
    *,
    ylabel: str,
    held: bool = False,
) -> Axes:
    """Plot values (S, n) over time, a curve a joint; of many joints a few are named."""
    count = values.shape[-1]
    named = range(count)
    if count > MOST_NAMES:
        named = np.linspace(0, count - 1, FEW_NAMES).round().astype(int).tolist()
    for joint, style in enumerate(series(count, theme)):
        name = f"${symbol}_{{{joint + 1}}}$" if joint in named else ""
        curve(axes, t, values[:, joint], name, style, held=held)
    return finish(axes, theme, ylabel=ylabel)


def _is_held(run: Run) -> bool:
    torque = run.settings.get("torque")
    is_held_table = isinstance(torque, Mapping) and torque.get("between") == "hold"
    return is_held_table or bool(run.settings.get("controller"))


def curve(
    axes: Axes,
    t: np.ndarray,
    values: np.ndarray,
    name: str,
    style: dict[str, Any],
    *,
    held: bool = False,
) -> None:
    """Plot values (S,) over time, no finer than a page can show."""
    shown = thinned(values)
    axes.plot(
        np.asarray(t)[shown],
        np.clip(np.asarray(values)[shown], -LARGEST, LARGEST),
        **{"lw": 1.5, **style},
        label=name or "_",
        drawstyle="steps-post" if held else "default",
        marker="o" if len(values) == 1 else "",
    )


def finish(axes: Axes, theme: Theme, *, ylabel: str) -> Axes:
    """Name the axes and the curves of a plot over time."""
    axes.set(xlabel="time [s]", ylabel=ylabel)
    axes.margins(x=0.0)
    # A power of ten above the axis goes to its left, where the legend is not.
    axes.yaxis.get_offset_text().set_horizontalalignment("right")
    return legend_above(axes, theme)


def legend_above(axes: Axes, theme: Theme, *, columns: int = MOST_NAMES) -> Axes:
    """Name what is drawn above the axes, where nothing can lie under the names."""
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=columns,
        labelcolor=theme.foreground,
        fontsize=9,
        frameon=False,
        borderaxespad=0.1,
        handlelength=1.4,
        handletextpad=0.4,
        columnspacing=1.0,
    )
    return axes

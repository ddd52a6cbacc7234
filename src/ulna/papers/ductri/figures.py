"""The figures of paper 003's uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.papers.ductri import runs
from ulna.viewer.pages import PageLayout, name_outer, page_of_panels
from ulna.viewer.style import PATTERNS, PRINT, Theme, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDE = 8.0  # [inches]
TWO = PageLayout((1.9, 1.9), WIDE)
ONE = PageLayout((2.9,), WIDE)


def computed_torque(*, theme: Theme = PRINT) -> Figure:
    """Draw the joints on their way back to the swing, and their gaps beside the law."""
    run = runs.computed_torque()
    t = np.asarray(run.t)
    gap = runs.gap(run)
    # The law is that of time without ticks: e (1 + ω t) exp(−ω t).
    decay = (1.0 + runs.FREQUENCY * t) * np.exp(-runs.FREQUENCY * t)
    with styled(theme):
        figure, (angles, gaps) = page_of_panels(TWO, "computed torque, from beside the swing")
        for i in range(2):
            color, name = theme.data[i], rf"\chi_{i + 1}"
            angles.plot(t, np.asarray(run.q)[:, i], color=color, lw=1.8, label=f"${name}$")
            angles.plot(t, run.q[:, i] + gap[:, i], color=color, lw=1.2, ls=PATTERNS[3])
            gaps.plot(t, np.abs(gap[:, i]), color=color, lw=1.8, label=f"gap of ${name}$")
            law = np.abs(runs.ASIDE[i]) * decay
            gaps.plot(t, law, color=color, lw=1.2, ls=PATTERNS[3])
        angles.plot([], [], color=theme.muted, ls=PATTERNS[3], label="wanted")
        gaps.plot([], [], color=theme.muted, ls=PATTERNS[3], label="law")
        angles.set_ylabel("angle [rad]")
        gaps.set(yscale="log", ylim=(1e-5, 1.0), ylabel="gap [rad]", xlabel="t [s]")
        for axes, last in ((angles, False), (gaps, True)):
            name_outer(axes, last=last)
            axes.legend(loc="upper right", ncols=3)
        angles.set_ylim(-1.0, 1.6)
    return figure


def adaptive(*, theme: Theme = PRINT) -> Figure:
    """Draw how the error shrinks while the load becomes known."""
    found = runs.adaptive()
    with styled(theme):
        figure, (error, load) = page_of_panels(
            TWO, "adaptive control with a load that it is not told of"
        )
        error.semilogy(found.t, 1e3 * found.error, color=theme.data[0], lw=1.6)
        error.set_ylabel("tip error [mm]")
        load.plot(found.t, found.load, color=theme.data[1], lw=2.0, label="believed")
        load.axhline(found.true, color=theme.muted, lw=1.2, ls=PATTERNS[2], label="true")
        load.set(ylabel=r"$m_E$ [kg]", xlabel="t [s]")
        load.legend(loc="lower right")
        name_outer(error, last=False)
        name_outer(load, last=True)
    return figure


def feed_forward(*, theme: Theme = PRINT) -> Figure:
    """Draw the tip's error with the model's torques and without them."""
    with styled(theme):
        figure, (axes,) = page_of_panels(ONE, "PID with and without the torques of the model")
        cases = ("PID alone", runs.feedback_alone()), ("with feed-forward", runs.feed_forward())
        for (label, run), color in zip(cases, theme.data, strict=False):
            error = np.maximum(1e3 * runs.tip_error(run), 1e-4)
            axes.semilogy(np.asarray(run.t), error, color=color, lw=1.8, label=label)
        axes.set(xlabel="t [s]", ylabel="tip error [mm]", ylim=(1e-4, 1e4))
        axes.legend(loc="upper right", ncols=2)
    return figure


def simulation(*, theme: Theme = PRINT) -> Figure:
    """Draw the way of the free swing, and its angles and energies over time."""
    from matplotlib.figure import Figure

    from ulna.viewer import plot_angles, plot_energy, plot_motion

    run = runs.free_swing()
    with styled(theme):
        figure = Figure(figsize=(1.15 * WIDE, 0.6 * WIDE), dpi=150)
        figure.set_layout_engine("constrained", w_pad=0.08, h_pad=0.08)
        halves: Any = figure.subfigures(1, 2, width_ratios=(1.05, 1.0))
        motion, curves = halves
        plot_motion(motion.add_subplot(), run, theme=theme)
        above, below = curves.subplots(2, 1, sharex=True)
        plot_angles(above, run, theme=theme).label_outer()
        plot_energy(below, run, theme=theme)
        curves.align_ylabels()
    return figure

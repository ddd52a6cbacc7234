"""Whole figures: a pose, the postures for a target, what arms reach, a run."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ulna import kinematics
from ulna.arm import Arm
from ulna.kinematics import Solutions
from ulna.kinematics.limits import window_middle
from ulna.viewer.arm import draw_arm, draw_reach, frame
from ulna.viewer.run import plot_angles, plot_energy, plot_motion, plot_torques
from ulna.viewer.style import PRINT, Look, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ulna.simulation.run import Run

SIZE = (6.0, 6.0)  # [inches]
PAGE = (11.0, 6.6)  # [inches]
WIDER = 1.2  # the motion's part of a page, of the curves'
LEFT = 0.02  # of the motion's part, where the title begins
LETTERS = 72  # of a line under the title of a page


def pose_figure(arm: Arm, q: ArrayLike, *, look: Look = PRINT) -> Figure:
    """Draw an arm in a posture, inside its reach, with the tip's place written above."""
    q = np.asarray(q, dtype=float)
    x, y, angle = (float(value) for value in kinematics.tip(arm, q))
    with styled(look):
        figure, axes = _page()
        frame(draw_arm(draw_reach(axes, arm, look=look), arm, q, look=look), arm)
        axes.set_title(_title(arm, "pose"), parse_math=False)
        text = f"tip ({x:.4g}, {y:.4g}) m, {np.degrees(angle):.4g}°"
        _caption(axes, text, look)
    return figure


def reach_figure(arm: Arm, target: ArrayLike, found: Solutions, *, look: Look = PRINT) -> Figure:
    """Draw the postures that reach a target; out of reach, the nearest one and the gap."""
    target = np.asarray(target, dtype=float)
    with styled(look):
        figure, axes = _page()
        frame(draw_reach(axes, arm, look=look), arm, also=target[:2])
        postures = found.q[found.valid] if found.reachable else found.nearest_q[None, :]
        for k, q in reversed(list(enumerate(postures))):
            draw_arm(axes, arm, q, look=look, ghost=k > 0)
        if not found.reachable:
            gap = np.stack([found.nearest, target[:2]])
            axes.plot(*gap.T, color=look.movable, lw=1.5, ls=":", zorder=5)
            what = f"out of reach by {float(found.shortfall):.3g} m"
        else:
            count = "one posture" if len(postures) == 1 else f"{len(postures)} postures"
            what = f"{count} for one place"
        axes.set_title(_title(arm, what), parse_math=False)
        axes.plot(*target[:2], marker="o", ms=15, mew=1.8, mfc="none", mec=look.data[1], zorder=7)
        _caption(axes, f"({target[0]:.4g}, {target[1]:.4g}) m", look)
    return figure


def workspace_figure(arms: Sequence[Arm], *, look: Look = PRINT) -> Figure:
    """Draw what arms reach under their joint limits, each stretched out at half of its range."""
    from matplotlib.figure import Figure

    with styled(look):
        figure = Figure(figsize=(SIZE[0] * len(arms) * 0.8, SIZE[1] * 0.8), layout="constrained")
        for axes, arm in zip(np.ravel(figure.subplots(1, len(arms))), arms, strict=True):
            middle = window_middle(arm.parameters)
            frame(draw_arm(draw_reach(axes, arm, look=look), arm, middle, look=look), arm)
            axes.set_title(_title(arm, "what the tip reaches"), parse_math=False)
    return figure


def run_figure(run: Run, *, look: Look = PRINT) -> Figure:
    """Draw a run on one page: the motion, and angles, torques and energy over time."""
    from matplotlib.figure import Figure

    with styled(look):
        figure = Figure(figsize=PAGE, dpi=150)
        figure.set_layout_engine("constrained", w_pad=0.08, h_pad=0.08)
        halves: Any = figure.subfigures(1, 2, width_ratios=(WIDER, 1.0))
        motion, curves = halves
        left: dict[str, Any] = {"ha": "left", "size": 11, "parse_math": False}
        figure.suptitle(_run_title(run), x=LEFT * WIDER / (WIDER + 1.0), weight="bold", **left)
        ending = textwrap.fill(str(run.status), LETTERS, break_on_hyphens=False)
        motion.suptitle(ending, x=LEFT, color=look.quiet if run.status.ok else look.ink, **left)
        plot_motion(motion.add_subplot(), run, look=look)
        right = curves.subplots(3, 1, sharex=True)
        for plot, axes in zip((plot_angles, plot_torques, plot_energy), right, strict=True):
            plot(axes, run, look=look).label_outer()
        curves.align_ylabels()
    return figure


def _page() -> tuple[Figure, Axes]:
    # A figure of its own, without pyplot: nothing global is kept, and no screen is needed.
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, layout="constrained", dpi=150)
    return figure, figure.add_subplot()


def _title(arm: Arm, what: str) -> str:
    return f"{arm.name}: {what}" if arm.name else what


def _run_title(run: Run) -> str:
    method = run.settings.get("method")
    how = f" with {method}" if method else ""
    return _title(run.arm, f"{float(run.t[-1] - run.t[0]):.4g} s{how}")


def _caption(axes: Axes, text: str, look: Look) -> None:
    """Write what the figure shows, in numbers, where no arm can lie under it."""
    axes.set_title(text, loc="right", color=look.quiet, fontweight="normal")

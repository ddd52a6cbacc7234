"""Whole figures: a pose, and the postures for a target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ulna import kinematics
from ulna.arm import Arm
from ulna.kinematics import Solutions
from ulna.kinematics.limits import window_middle
from ulna.viewer.arm import draw_arm, draw_reach, frame
from ulna.viewer.style import PRINT, Look, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (6.0, 6.0)  # [inches]


def pose_figure(arm: Arm, q: ArrayLike, *, look: Look = PRINT) -> Figure:
    """Draw an arm in a posture, inside its reach, with the tip's place written above."""
    q = np.asarray(q, dtype=float)
    x, y, angle = (float(value) for value in kinematics.tip(arm, q))
    with styled(look):
        figure, axes = _page()
        frame(draw_arm(draw_reach(axes, arm, look=look), arm, q, look=look), arm)
        axes.set_title(_title(arm, "pose"))
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
            axes.set_title(_title(arm, f"out of reach by {float(found.shortfall):.3g} m"))
        else:
            count = "one posture" if len(postures) == 1 else f"{len(postures)} postures"
            axes.set_title(_title(arm, f"{count} for one place"))
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
            axes.set_title(_title(arm, "what the tip reaches"))
    return figure


def _page() -> tuple[Figure, Axes]:
    # A figure of its own, without pyplot: nothing global is kept, and no screen is needed.
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, layout="constrained", dpi=150)
    return figure, figure.add_subplot()


def _title(arm: Arm, what: str) -> str:
    return f"{arm.name}: {what}" if arm.name else what


def _caption(axes: Axes, text: str, look: Look) -> None:
    """Write what the figure shows, in numbers, where no arm can lie under it."""
    axes.set_title(text, loc="right", color=look.quiet, fontweight="normal")

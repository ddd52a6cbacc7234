"""Figures of arms, their postures and what they reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ulna import kinematics
from ulna.arm import Arm
from ulna.arm.parameters import window_middle
from ulna.kinematics import Solutions, Tracked, Workspace
from ulna.kinematics.path_tracking import TrackFlag
from ulna.viewer.arm_drawing import draw_arm, draw_ghosts, draw_reach, draw_region
from ulna.viewer.figure_style import (
    PRINT,
    Theme,
    fit_axes,
    fit_axes_to_disc,
    head,
    legend_above,
    new_figure,
    styled,
    titled,
    write_beside,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


SIZE = (6.0, 6.0)  # [inches]
BESIDE = 15.0  # [points] from an elbow to its name
REASONS = 3  # named side by side above the axes
MARKS = {  # of points that are not followed
    TrackFlag.OUT_OF_REACH: "x",
    TrackFlag.JOINT_LIMIT: "o",
    TrackFlag.BELOW_FLOOR: "v",
    TrackFlag.NOT_CONVERGED: "s",
}


def pose_figure(arm: Arm, q: ArrayLike, *, theme: Theme = PRINT) -> Figure:
    """Draw an arm in a posture, inside its reach, with the position of the tip.

    Parameters
    ----------
    arm : Arm
        The arm to draw.
    q : array_like, shape (n,)
        Joint angles [rad].
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.figure.Figure
        The page; pyplot does not know it, so nothing has to be closed.

    Raises
    ------
    InputError
        If q does not fit the arm.

    Examples
    --------
    >>> import ulna
    >>> figure = pose_figure(ulna.preset("unit"), [0.0, np.pi / 2])
    >>> figure.axes[0].get_title(loc="right")
    'tip (1, 1) m, 90°'
    """
    q = np.asarray(q, dtype=float)
    x, y, angle = (float(value) for value in kinematics.tip(arm, q))
    with styled(theme):
        figure, axes = _page()
        fit_axes(draw_arm(draw_reach(axes, arm, theme=theme), arm, q, theme=theme), arm)
        axes.set_title(titled(arm, "pose"), parse_math=False)
        text = f"tip ({x:.4g}, {y:.4g}) m, {np.degrees(angle):.4g}°"
        _caption(axes, text, theme)
    return figure


def reach_figure(arm: Arm, target: ArrayLike, found: Solutions, *, theme: Theme = PRINT) -> Figure:
    """Draw the postures that reach a target; out of reach, the nearest one and the gap.

    Parameters
    ----------
    arm : Arm
        The arm to draw.
    target : array_like, shape (2,) or (3,)
        The point [m], and the orientation [rad] if it was asked for.
    found : Solutions
        What `ulna.kinematics.inverse` returned.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.figure.Figure
        The page; pyplot does not know it, so nothing has to be closed.

    Raises
    ------
    InputError
        If the solutions are of an arm with another number of joints.

    Notes
    -----
    Of two links it is written at each elbow whether it is up or down.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.preset("unit")
    >>> figure = reach_figure(arm, [3.0, 0.0], kinematics.inverse(arm, [3.0, 0.0]))
    >>> figure.axes[0].get_title(loc="left")
    'unit: out of reach by 1 m'
    """
    target = np.asarray(target, dtype=float)
    with styled(theme):
        figure, axes = _page()
        fit_axes(draw_reach(axes, arm, theme=theme), arm, also=target[:2])
        postures = found.q[found.valid] if found.reachable else found.nearest_q[None, :]
        for k, q in reversed(list(enumerate(postures))):
            draw_arm(axes, arm, q, theme=theme, ghost=k > 0)
        if found.reachable and arm.n == 2:
            for q, side in zip(postures, found.elbow[found.valid], strict=True):
                _name_elbow(axes, arm, q, str(side), theme)
        if not found.reachable:
            gap = np.stack([found.nearest, target[:2]])
            axes.plot(*gap.T, color=theme.accent, lw=1.5, ls=":", zorder=5)
            what = f"out of reach by {float(found.shortfall):.3g} m"
        else:
            count = "one posture" if len(postures) == 1 else f"{len(postures)} postures"
            what = f"{count} for one point"
        axes.set_title(titled(arm, what), parse_math=False)
        axes.plot(*target[:2], marker="o", ms=15, mew=1.8, mfc="none", mec=theme.data[1], zorder=7)
        _caption(axes, f"({target[0]:.4g}, {target[1]:.4g}) m", theme)
    return figure


def _name_elbow(axes: Axes, arm: Arm, q: np.ndarray, side: str, theme: Theme) -> None:
    """Write beside an elbow on which side it is, away from the line from base to tip."""
    if not side:
        return
    base, elbow, tip = kinematics.joints(arm, q)
    away = elbow - 0.5 * (base + tip)
    away = away / max(float(np.hypot(*away)), 1e-12 * arm.reach)
    style = {
        "ha": "center" if abs(away[0]) < 0.5 else "left" if away[0] > 0.0 else "right",
        "va": "center" if abs(away[1]) < 0.5 else "bottom" if away[1] > 0.0 else "top",
        "fontsize": 9,
    }
    write_beside(axes, elbow, tuple(BESIDE * away), f"elbow {side}", theme, **style)


def targets_figure(
    arm: Arm, targets: ArrayLike, found: Solutions, *, theme: Theme = PRINT
) -> Figure:
    """Draw targets by whether they are reached, and some of the postures for them.

    Parameters
    ----------
    arm : Arm
        The arm to draw.
    targets : array_like, shape (..., 2) or (..., 3)
        Points [m], with orientations [rad] or without.
    found : Solutions
        What `ulna.kinematics.inverse` returned.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.figure.Figure
        The page; pyplot does not know it, so nothing has to be closed.

    Examples
    --------
    >>> import ulna
    >>> arm, targets = ulna.preset("unit"), [[1.0, 1.0], [3.0, 0.0]]
    >>> figure = targets_figure(arm, targets, kinematics.inverse(arm, targets))
    >>> figure.axes[0].get_legend_handles_labels()[1]
    ['reached: 1', 'not reached: 1']
    """
    targets = np.asarray(targets, dtype=float)
    places = targets.reshape(-1, targets.shape[-1])[:, :2]
    usable = found.within_limits.any(axis=-1).reshape(-1)
    valid = found.valid.any(axis=-1).reshape(-1)
    kinds = {
        "reached": (usable, {"mec": theme.data[1]}),
        "only outside the joint limits": (valid & ~usable, {"mec": theme.warning}),
        "not reached": (~valid, {"mec": theme.warning, "marker": "x"}),
    }
    with styled(theme):
        figure, axes = _page()
        fit_axes(draw_reach(axes, arm, theme=theme), arm, also=places)
        _draw_postures(axes, arm, found.best().reshape(-1, arm.n)[valid], theme)
        for name, (here, style) in kinds.items():
            if here.any():
                marks: Any = {"marker": "o", "mfc": "none", "ls": "", "mew": 1.6, "zorder": 7}
                marks |= {"label": f"{name}: {here.sum()}", **style}
                axes.plot(*places[here].T, **marks)
        head(figure, titled(arm, f"{len(places)} targets"))
        legend_above(axes, theme)
    return figure


def tracked_figure(arm: Arm, tracked: Tracked, *, theme: Theme = PRINT) -> Figure:
    """Draw a path of points, some postures along it, and which points are not followed.

    Parameters
    ----------
    arm : Arm
        The arm to draw.
    tracked : Tracked
        What `ulna.kinematics.track` returned.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.figure.Figure
        The page; pyplot does not know it, so nothing has to be closed.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.preset("unit")
    >>> line = np.linspace([1.55, 0.0], [2.45, 0.0], 10)  # the arm reaches 2 m
    >>> tracked_figure(arm, kinematics.track(arm, line)).get_suptitle()
    'unit: 5 of 10 points followed'
    """
    points, known = tracked.points[:, :2], np.isfinite(tracked.q).all(axis=-1)
    with styled(theme):
        figure, axes = _page()
        fit_axes(draw_reach(axes, arm, theme=theme), arm, also=points)
        _draw_postures(axes, arm, tracked.q[known], theme)
        axes.plot(*points.T, color=theme.data[1], lw=1.8, zorder=3.2, label="target points")
        for flag, mark in MARKS.items():
            here = tracked.has(flag)
            if here.any():
                style: Any = {"ms": 5, "mfc": "none", "color": theme.warning, "zorder": 6}
                axes.plot(*points[here].T, mark, label=f"{flag.text}: {here.sum()}", **style)
        head(figure, titled(arm, f"{tracked.ok.sum()} of {len(points)} points followed"))
        legend_above(axes, theme, columns=REASONS)
    return figure


def workspace_figure(arms: Sequence[Arm], *, theme: Theme = PRINT) -> Figure:
    """Draw what arms reach under their joint limits, each stretched out at half of its range.

    Parameters
    ----------
    arms : sequence of Arm
        The arms, side by side.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.figure.Figure
        The page; pyplot does not know it, so nothing has to be closed.

    Examples
    --------
    >>> import ulna
    >>> figure = workspace_figure([ulna.preset("unit"), ulna.preset("kehl")])
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['unit: workspace', 'kehl: workspace']
    """
    wide, high = SIZE[0] * len(arms) * 0.8, SIZE[1] * 0.8
    with styled(theme):
        figure = new_figure(wide, high, dpi=None, layout="constrained")
        for axes, arm in zip(np.ravel(figure.subplots(1, len(arms))), arms, strict=True):
            middle = window_middle(arm.parameters)
            fit_axes(draw_arm(draw_reach(axes, arm, theme=theme), arm, middle, theme=theme), arm)
            axes.set_title(titled(arm, "workspace"), parse_math=False)
    return figure


def region_figure(region: Workspace, *, theme: Theme = PRINT) -> Figure:
    """Draw a workspace, and the base of its arm.

    Parameters
    ----------
    region : Workspace
        What `ulna.kinematics.workspace` returned.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.figure.Figure
        The page; pyplot does not know it, so nothing has to be closed.

    Examples
    --------
    >>> import ulna
    >>> figure = region_figure(kinematics.workspace(ulna.preset("unit")))
    >>> figure.axes[0].get_title(loc="right")  # a disc of 2 m
    '12.57 m²'
    """
    with styled(theme):
        figure, axes = _page()
        draw_region(axes, region.polylines(), filled=region.area > 0.0, theme=theme)
        fit_axes_to_disc(axes, region.center, region.outer)
        x, y = region.center
        axes.plot(x, y, "o", ms=7, mfc=theme.background, mec=theme.link, mew=2.0, zorder=4)
        axes.set_title("workspace")
        about = f", to {region.tolerance:.2g} m" if region.tolerance else ""
        _caption(axes, f"{region.area:.4g} m²{about}", theme)
    return figure


def _draw_postures(axes: Axes, arm: Arm, rows: np.ndarray, theme: Theme) -> None:
    """Draw the last of some postures (k, n), and of those before it some as ghosts."""
    draw_ghosts(axes, arm, rows[:-1], theme=theme)
    for posture in rows[-1:]:
        draw_arm(axes, arm, posture, theme=theme)


def _page() -> tuple[Figure, Axes]:
    figure = new_figure(*SIZE, layout="constrained")
    return figure, figure.add_subplot()


def _caption(axes: Axes, text: str, theme: Theme) -> None:
    """Write what the figure shows, in numbers, where no arm can lie under it."""
    axes.set_title(text, loc="right", color=theme.muted, fontweight="normal")


# How each kind of thing is drawn, and which options it takes.

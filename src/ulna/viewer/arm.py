"""Drawing arms to scale: links as capsules, hollow joints, the reach, ghosts and traces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ulna import kinematics
from ulna.arm import Arm, Joint
from ulna.errors import InputError
from ulna.viewer.style import PRINT, Theme, mixed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

THICKNESS = 0.055  # of the reach: the width of the first link
SLENDER = 0.55  # the last link's width, of the first's
HOLE = 0.28  # a joint's radius, of its link's width
TIP = 0.62  # the tip's radius, of the last link's width
FAINTEST = 0.15  # of its colour is left to the oldest part of a trace
PALEST = 0.4  # and to the oldest ghost
GHOSTS = 6
FINEST = 4000  # pieces of a trace; more cannot be told apart


def draw_arm(
    axes: Axes, arm: Arm, q: ArrayLike, *, theme: Theme = PRINT, ghost: bool = False
) -> Axes:
    """Draw an arm in a posture, to scale.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    arm : Arm
        The arm to draw.
    q : array_like, shape (n,)
        Joint angles [rad].
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.
    ghost : bool, optional
        Whether it is pale and lies behind what else is drawn.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Raises
    ------
    InputError
        If q does not fit the arm.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> axes = draw_arm(Figure().add_subplot(), ulna.preset("unit"), [0.5, 1.0])
    >>> len(axes.patches)  # two links, two joints and the tip
    5
    """
    if ghost:
        return _draw_ghost(axes, arm, np.asarray(q, dtype=float), theme.ghost, theme)
    points = kinematics.joints(arm, np.asarray(q, dtype=float))
    return _draw(axes, arm, points, link_colors(arm, theme), theme.accent, theme, layer=4)


def draw_ghosts(
    axes: Axes, arm: Arm, q_rows: ArrayLike, *, theme: Theme = PRINT, count: int = GHOSTS
) -> Axes:
    """Draw some of the postures of a motion, older ones paler.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    arm : Arm
        The arm to draw.
    q_rows : array_like, shape (S, n)
        Joint angles [rad] of the postures, oldest first.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.
    count : int, optional
        How many, chosen evenly from first to last.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> rows = np.linspace([0.0, 0.0], [1.0, 2.0], 50)
    >>> axes = draw_ghosts(Figure().add_subplot(), ulna.preset("unit"), rows, count=3)
    >>> len(axes.patches)  # three arms of two links, two joints and a tip
    15
    """
    rows = np.asarray(q_rows, dtype=float).reshape(-1, arm.n)
    chosen = np.unique(np.linspace(0, max(len(rows) - 1, 0), min(count, len(rows))).round())
    for age, row in enumerate(chosen.astype(int), start=1):
        color = mixed(theme.background, theme.ghost, PALEST + (1.0 - PALEST) * age / len(chosen))
        _draw_ghost(axes, arm, rows[row], color, theme)
    return axes


def draw_trace(
    axes: Axes, points: ArrayLike, *, theme: Theme = PRINT, width: float = 1.6, layer: float = 3.0
) -> Axes:
    """Draw the trace of a point, paler the longer ago.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    points : array_like, shape (S, 2)
        Positions [m], oldest first; a gap where one is NaN.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.
    width : float, optional
        Width of the line [points of 1/72 inch].
    layer : float, optional
        Matplotlib's z-order: what has more lies above.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes = draw_trace(Figure().add_subplot(), [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    >>> len(axes.collections[0].get_segments())
    2
    """
    from matplotlib.collections import LineCollection

    way = np.asarray(points, dtype=float)[:, :2]
    way = way[np.all(np.isfinite(way), axis=-1)]
    way = way[:: 1 + (len(way) - 1) // FINEST]
    segments = np.stack([way[:-1], way[1:]], axis=1)
    lines = LineCollection(
        list(segments),
        colors=fading(len(segments), theme),
        linewidths=width,
        capstyle="round",
        zorder=layer,
    )
    axes.add_collection(lines, autolim=False)
    return axes


def fading(count: int, theme: Theme) -> np.ndarray:
    """Return colours (count, 3) for the parts of a trace, from the oldest to the newest.

    They are opaque: where parts overlap, see-through ones would leave dots.
    """
    from matplotlib.colors import to_rgb

    part = np.linspace(FAINTEST, 1.0, count)[:, None]
    paper, full = np.array(to_rgb(theme.background)), np.array(to_rgb(theme.accent))
    return np.asarray((1.0 - part) * paper + part * full)


def link_colors(arm: Arm, theme: Theme) -> list[str]:
    """Return the colour of each link: two in turn, so that stretched links can be told apart."""
    return [theme.link if i % 2 == 0 else theme.link_light for i in range(arm.n)]


def widths(arm: Arm) -> np.ndarray:
    """Return the widths [m] that links are drawn with, from the base to the tip."""
    slender = np.linspace(1.0, SLENDER if arm.n > 1 else 1.0, arm.n)
    return np.asarray(arm.reach * THICKNESS * slender)


def capsules(arm: Arm, points: np.ndarray) -> np.ndarray:
    """Return the outlines (n, 48, 2) of links between points (n+1, 2)."""
    along = np.diff(points, axis=0)
    heading = np.arctan2(along[:, 1], along[:, 0])
    turn = np.linspace(0.5 * np.pi, 1.5 * np.pi, 24) + heading[:, None]
    cap = 0.5 * widths(arm)[:, None, None] * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    return np.concatenate([points[:-1, None] + cap, points[1:, None] - cap], axis=1)


def _draw_ghost(axes: Axes, arm: Arm, q: np.ndarray, color: str, theme: Theme) -> Axes:
    points = kinematics.joints(arm, q)
    return _draw(axes, arm, points, [color] * arm.n, color, theme, layer=2)


def _draw(
    axes: Axes,
    arm: Arm,
    points: np.ndarray,
    colors: Sequence[str],
    tip_color: str,
    theme: Theme,
    *,
    layer: float,
) -> Axes:
    from matplotlib.patches import Circle, Polygon

    wide = widths(arm)
    for corners, color in zip(capsules(arm, points), colors, strict=True):
        axes.add_patch(Polygon(corners, closed=True, fc=color, ec="none", zorder=layer))
    for point, width in zip(points[:-1], wide, strict=True):
        axes.add_patch(
            Circle(point, HOLE * width, fc=theme.background, ec="none", zorder=layer + 0.5)
        )
    end = Circle(
        points[-1], TIP * wide[-1], fc=tip_color, ec=theme.background, lw=1.2, zorder=layer + 1
    )
    axes.add_patch(end)
    return axes


def draw_reach(axes: Axes, arm: Arm, *, theme: Theme = PRINT) -> Axes:
    """Shade the workspace of an arm: all that its tip can reach under the joint limits.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    arm : Arm
        The arm to draw.
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
    >>> axes = draw_reach(Figure().add_subplot(), ulna.preset("unit"))
    >>> axes.patches[0].get_path().get_extents().size.tolist()  # a disc 4 m across
    [4.0, 4.0]
    """
    return draw_region(axes, _outline(arm), filled=arm.n > 1, theme=theme)


def draw_region(
    axes: Axes, outline: Sequence[Any], *, filled: bool = True, theme: Theme = PRINT
) -> Axes:
    """Shade what lies inside of polylines (k, 2), as `Workspace.polylines` gives them."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    codes: list[Any] = []
    corners: list[Any] = []
    if not outline:
        return axes
    for line in outline:
        corners.extend(line)
        codes.extend([Path.MOVETO, *[Path.LINETO] * (len(line) - 1)])
    shape = Path(np.array(corners), codes)
    axes.add_patch(PathPatch(shape, fc=theme.reach if filled else "none", ec="none", zorder=0.5))
    axes.add_patch(PathPatch(shape, fc="none", ec=theme.muted, ls=(0, (4, 3)), lw=1.0, zorder=1.5))
    return axes


def _outline(arm: Arm) -> Sequence[Any]:
    """Return the outline of the workspace; of the plain ring where limits are too many for it."""
    try:
        return kinematics.workspace(arm).polylines()
    except InputError:
        return kinematics.workspace(arm.replace(joints=[Joint()] * arm.n)).polylines()


def fit_axes(axes: Axes, arm: Arm, also: ArrayLike | None = None) -> Axes:
    """Set the limits of axes to the whole reach, with x and y to the same scale.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    arm : Arm
        The arm to draw.
    also : array_like, shape (..., 2), optional
        Further points [m] that are to be seen.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> axes = fit_axes(Figure().add_subplot(), ulna.preset("unit"))
    >>> axes.get_xlabel(), axes.get_aspect(), axes.get_xlim() == axes.get_ylim()
    ('x [m]', 1.0, True)
    """
    return fit_axes_to_disc(axes, arm.base, arm.reach, also)


def fit_axes_to_disc(
    axes: Axes, center: ArrayLike, radius: float, also: ArrayLike | None = None
) -> Axes:
    """Show a whole disc [m], and any further points, with x and y to the same scale."""
    middle = np.asarray(center, dtype=float)
    corners = [middle - radius, middle + radius]
    if also is not None:
        corners.extend(np.asarray(also, dtype=float).reshape(-1, 2))
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    room = 0.06 * float(np.max(high - low))
    axes.set(
        xlim=(low[0] - room, high[0] + room),
        ylim=(low[1] - room, high[1] + room),
        aspect="equal",
        xlabel="x [m]",
        ylabel="y [m]",
    )
    return axes


def even_ticks(axes: Axes) -> Axes:
    """Mark x and y in the same steps, so that the grid is of squares."""
    from matplotlib.ticker import MaxNLocator, MultipleLocator

    longer = max(axes.get_xlim(), axes.get_ylim(), key=lambda ends: float(ends[1] - ends[0]))
    marks = MaxNLocator(nbins=10, steps=[1, 2, 5, 10]).tick_values(*longer)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(marks[1] - marks[0]))
    return axes

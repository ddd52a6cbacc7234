"""Drawing arms to scale: links as capsules, hollow joints, the reach, ghosts and traces of runs.

What is small beside its arm is enlarged in a corner of the picture.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ulna import kinematics
from ulna.arm import Arm, Joint
from ulna.errors import InputError, Problem
from ulna.viewer.figure_style import PRINT, Theme, mixed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ulna.simulation.run import Run


THICKNESS = 0.055  # of the reach: the width of the first link
SLENDER = 0.55  # the last link's width, of the first's
HOLE = 0.28  # a joint's radius, of its link's width
TIP = 0.62  # the tip's radius, of the last link's width
FAINTEST = 0.15  # of its colour is left to the oldest part of a trace
PALEST = 0.4  # and to the oldest ghost
GHOSTS = 6
FINEST = 4000  # pieces of a trace; more cannot be told apart
STRONGEST_BEND = 0.5  # [rad] that speeds may bend the way between two samples by
CHORD = 0.03  # [rad] that a link turns along a chord of a trace, a pixel from its arc
MOST_CHORDS = 1500  # of a trace in a film
HUGE = 1e150  # what a run gone wild is cut to, so that sums and products stay finite
SMALL = 0.2  # of the reach: a drawing of less extent is enlarged
POINT = 1e-6  # of the reach: one of less is a point, of which there is nothing to see
SIDE = 0.34  # of the picture: how wide the enlargement is
EDGE = 0.015  # of the picture, between the enlargement and its border
APART = 0.04  # of the picture, that arm and path should be from it
ROOM = 0.14  # of the extent, around the drawing
ALONG = 9  # points of a link that are looked at
CORNERS = [(x, y) for y in (EDGE, 1.0 - SIDE - EDGE) for x in (EDGE, 1.0 - SIDE - EDGE)]


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
    return _draw(axes, arm, np.asarray(q, dtype=float), theme, theme.ghost if ghost else "")


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
        _draw(axes, arm, rows[row], theme, color)
    return axes


def _draw(axes: Axes, arm: Arm, q: np.ndarray, theme: Theme, ghost: str) -> Axes:
    """Draw links, joints and the tip; a ghost is all of one colour, and behind."""
    from matplotlib.patches import Circle, Polygon

    layer, colors = (2, [ghost] * arm.n) if ghost else (4, link_colors(arm, theme))
    points, wide, paper = kinematics.joints(arm, q), widths(arm), theme.background
    for corners, color in zip(capsules(arm, points), colors, strict=True):
        axes.add_patch(Polygon(corners, closed=True, fc=color, ec="none", zorder=layer))
    for point, width in zip(points[:-1], wide, strict=True):
        axes.add_patch(Circle(point, HOLE * width, fc=paper, ec="none", zorder=layer + 0.5))
    tip: dict[str, Any] = {"fc": ghost or theme.accent, "ec": paper, "lw": 1.2, "zorder": layer + 1}
    axes.add_patch(Circle(points[-1], TIP * wide[-1], **tip))
    return axes


def capsules(arm: Arm, points: np.ndarray) -> np.ndarray:
    """Return the outlines (n, 48, 2) of links between points (n+1, 2)."""
    along = np.diff(points, axis=0)
    heading = np.arctan2(along[:, 1], along[:, 0])
    turn = np.linspace(0.5 * np.pi, 1.5 * np.pi, 24) + heading[:, None]
    cap = 0.5 * widths(arm)[:, None, None] * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    return np.concatenate([points[:-1, None] + cap, points[1:, None] - cap], axis=1)


def widths(arm: Arm) -> np.ndarray:
    """Return the widths [m] that links are drawn with, from the base to the tip."""
    slender = np.linspace(1.0, SLENDER if arm.n > 1 else 1.0, arm.n)
    return np.asarray(arm.reach * THICKNESS * slender)


def link_colors(arm: Arm, theme: Theme) -> list[str]:
    """Return the colour of each link: two in turn, so that stretched links can be told apart."""
    return [theme.link if i % 2 == 0 else theme.link_light for i in range(arm.n)]


def draw_trace(axes: Axes, points: ArrayLike, *, theme: Theme = PRINT) -> Axes:
    """Draw the trace of a point, paler the longer ago.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    points : array_like, shape (S, 2)
        Positions [m], oldest first; a gap where one is NaN.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

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
    style: dict[str, Any] = {"linewidths": 1.6, "capstyle": "round", "zorder": 3.0}
    lines = LineCollection(list(segments), colors=fading(len(segments), theme), **style)
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

    if not outline:
        return axes
    codes = [[Path.MOVETO, *[Path.LINETO] * (len(line) - 1)] for line in outline]
    shape = Path(np.concatenate(outline), np.concatenate(codes))
    axes.add_patch(PathPatch(shape, fc=theme.reach if filled else "none", ec="none", zorder=0.5))
    axes.add_patch(PathPatch(shape, fc="none", ec=theme.muted, ls=(0, (4, 3)), lw=1.0, zorder=1.5))
    return axes


def _outline(arm: Arm) -> Sequence[Any]:
    """Return the outline of the workspace; of the plain ring where limits are too many for it."""
    try:
        return kinematics.workspace(arm).polylines()
    except InputError:
        return kinematics.workspace(arm.replace(joints=[Joint()] * arm.n)).polylines()


class Playback:
    """A run between its samples: postures and the tip's speed at any time."""

    def __init__(self, run: Run) -> None:
        t, q = np.asarray(run.t, dtype=float), np.asarray(run.q, dtype=float)
        known = np.isfinite(t) & np.all(np.isfinite(q), axis=-1)
        if not np.any(known):
            raise InputError(Problem("run", "no sample with finite angles", "at least one"))
        rows = (q, np.nan_to_num(run.qd), np.nan_to_num(run.tip_velocity[:, :2]))
        self.q, self.qd, velocity = (np.clip(values[known], -HUGE, HUGE) for values in rows)
        self.t, self.tip_speed = t[known], np.hypot(*velocity.T)
        self.arm, self.start, self.end = run.arm, float(self.t[0]), float(self.t[-1])

    def postures(self, times: ArrayLike) -> np.ndarray:
        """Return joint angles (…, n) at times (…), along cubics with the speeds of the samples.

        Where samples are too far apart for their speeds to mean much, the way is nearly straight.
        """
        times = np.asarray(times, dtype=float)
        before = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, None)
        after = np.minimum(before + 1, len(self.t) - 1)
        lasting = np.maximum(self.t[after] - self.t[before], np.finfo(float).tiny)[..., None]
        part = np.clip((times - self.t[before])[..., None], 0.0, lasting) / lasting
        way = self.q[after] - self.q[before]
        leaving, arriving = (
            np.clip(self.qd[end] * lasting - way, -STRONGEST_BEND, STRONGEST_BEND)
            for end in (before, after)
        )
        bend = part * (1.0 - part) * ((1.0 - part) * leaving - part * arriving)
        return np.asarray(self.q[before] + part * way + bend)

    def arc_times(self, start: float, end: float) -> np.ndarray:
        """Return times from a start to an end between which the tip's way is as good as straight.

        They are as many as that takes, and at most `MOST_CHORDS`: then they start later.
        """
        way = np.cumsum(np.diff(self.postures([start, end]), axis=0), axis=-1)
        chords = max(1, math.ceil(np.abs(way).max() / CHORD))
        shown = min(chords, MOST_CHORDS)
        return end - np.linspace(shown / chords, 0.0, shown + 1) * (end - start)

    def trace(self, start: float) -> tuple[np.ndarray, np.ndarray]:
        """Return times (k,) evenly from a start to the end, and the places (k, 2) of the tip."""
        times = np.linspace(start, self.end, FINEST)
        return times, self.tips(times)

    def tips(self, times: np.ndarray) -> np.ndarray:
        """Return the places (k, 2) of the tip at times (k,)."""
        return np.asarray(kinematics.tip(self.arm, self.postures(times))[:, :2])


def needs_inset(arm: Arm, asked: np.ndarray) -> bool:
    """Whether a drawing (k, 2) is so small beside its arm that nothing of it could be seen."""
    known = asked[np.isfinite(asked).all(axis=-1)]
    extent = float(np.ptp(known, axis=0).max()) if len(known) else 0.0
    return POINT * arm.reach < extent < SMALL * arm.reach


def strokes_and_travel(points: np.ndarray, down: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a path (k, 2) with the pen down (k,), and the travel with it up: NaN elsewhere."""
    # A line goes on to the first sample behind it.
    drawn, travel = (
        np.where((part | np.append(False, part[:-1]))[:, None], points, np.nan)
        for part in (down, ~down)
    )
    return drawn, travel


def draw_strokes(
    axes: Axes,
    points: np.ndarray,
    down: np.ndarray,
    style: Mapping[str, Any],
    names: tuple[str, str] = ("reference path", "travel, pen up"),
    *,
    travel_color: Any = None,
) -> None:
    """Draw a path (k, 2): with the pen down (k,) as it is, with the pen up thin and dashed."""
    drawn, travel = strokes_and_travel(points, down)
    line: Any = {"zorder": 3.2, "solid_joinstyle": "round", **style}
    axes.plot(*drawn.T, **line, label=names[0])
    if not down.all():
        below = line["zorder"] - 0.1
        color = style["color"] if travel_color is None else travel_color
        dashed: Any = {"color": color, "lw": 0.7, "ls": (0, (4, 3)), "zorder": below}
        axes.plot(*travel.T, **dashed, label=names[1])


def add_inset(axes: Axes, asked: np.ndarray, others: np.ndarray, *, theme: Theme) -> Axes:
    """Return axes that enlarge a path (k, 2), in the corner that has the fewest points in it."""
    low, high = np.nanmin(asked, axis=0), np.nanmax(asked, axis=0)
    half = (0.5 + ROOM) * float(np.max(high - low))
    (left, bottom), (right, top) = 0.5 * (low + high) - half, 0.5 * (low + high) + half
    start, end = np.array([axes.get_xlim(), axes.get_ylim()]).T
    dots = (np.vstack([asked, others]) - start) / (end - start)

    def crowd(corner: tuple[float, float]) -> tuple[int, float]:
        away = np.abs(dots - np.array(corner) - 0.5 * SIDE)
        return int(np.sum(np.all(away < 0.5 * SIDE + APART, axis=-1))), float(away[0].sum())

    inset: Any = axes.inset_axes((*min(CORNERS, key=crowd), SIDE, SIDE), zorder=9)
    inset.set(xlim=(left, right), ylim=(bottom, top), xticks=[], yticks=[], aspect="equal")
    inset.set_facecolor(theme.background)
    for edge in inset.spines.values():
        edge.set(visible=True, color=theme.muted, linewidth=0.8)
    words: dict[str, Any] = {"size": 8, "color": theme.foreground, "transform": inset.transAxes}
    times = SIDE * float(end[0] - start[0]) / (2.0 * half)
    inset.text(0.95, 0.04, f"enlarged {times:.2g} ×", ha="right", **words)
    axes.indicate_inset_zoom(inset, edgecolor=theme.muted, alpha=0.9, lw=0.8, zorder=3.9)
    return inset  # type: ignore[no-any-return]


def points_on_links(arm: Arm, postures: np.ndarray) -> np.ndarray:
    """Return points (k, 2) on the links of all postures (m, n)."""
    ends = kinematics.joints(arm, postures.reshape(-1, arm.n))
    part = np.linspace(0.0, 1.0, ALONG)[:, None, None, None]
    return np.asarray(ends[:, :-1] * (1.0 - part) + ends[:, 1:] * part).reshape(-1, 2)


LONGEST_WAY = 25.0  # of the reach: how far a tip is traced back

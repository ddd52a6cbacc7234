"""Drawing arms to scale: links as capsules, hollow joints, the reach, ghosts and traces of runs.

What is small beside its arm is enlarged in a corner of the picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ulna import kinematics
from ulna.arm import Arm, Joint
from ulna.errors import InputError, Problem
from ulna.units import length_text
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
FLAT = 1e-4  # of the reach: how far chords of a trace may be from the arc, less than a pixel
MOST_CHORDS = 1500.0  # of a trace in a film; a link that turns needs some 220 for a turn
UNCOUNTED = 1e6  # of them between two samples: more are as good as endless
HUGE = 1e150  # what a run gone wild is cut to, so that sums and products stay finite
SMALL = 0.2  # of the reach: a drawing of less extent is enlarged
POINT = 1e-6  # of the reach: one of less is a point, of which there is nothing to see
SIDE = 0.34  # of the picture: how wide the enlargement is
EDGE = 0.015  # of the picture, between the enlargement and its border
APART = 0.04  # of the picture, that arm and path should be from it
ROOM = 0.14  # of the extent, around the drawing
FOOT = 0.22  # of the enlargement, below the drawing, for the scale
ALONG = 9  # points of a link that are looked at
DRAWN_AGAIN = [
    "color",
    "linewidth",
    "linestyle",
    "marker",
    "markerfacecolor",
    "markeredgecolor",
    "markeredgewidth",
    "zorder",
]
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
    style: dict[str, Any] = {"linewidths": width, "capstyle": "round", "zorder": layer}
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

    def _cubics(self, before: Any, after: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return way, and its bends by the speeds at both ends (…, n) [rad], between samples."""
        lasting = np.maximum(self.t[after] - self.t[before], np.finfo(float).tiny)[..., None]
        way = self.q[after] - self.q[before]
        leaving, arriving = (
            np.clip(self.qd[end] * lasting - way, -STRONGEST_BEND, STRONGEST_BEND)
            for end in (before, after)
        )
        return way, leaving, arriving

    def postures(self, times: ArrayLike) -> np.ndarray:
        """Return joint angles (…, n) at times (…), along cubics with the speeds of the samples.

        Where samples are too far apart for their speeds to mean much, the way is nearly straight.
        """
        times = np.asarray(times, dtype=float)
        before = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, None)
        after = np.minimum(before + 1, len(self.t) - 1)
        lasting = np.maximum(self.t[after] - self.t[before], np.finfo(float).tiny)[..., None]
        part = np.clip((times - self.t[before])[..., None], 0.0, lasting) / lasting
        way, leaving, arriving = self._cubics(before, after)
        bend = part * (1.0 - part) * ((1.0 - part) * leaving - part * arriving)
        return np.asarray(self.q[before] + part * way + bend)

    @cached_property
    def _chords(self) -> np.ndarray:
        """Number of chords (S,) from the first sample to each that a flat enough trace is made of.

        A chord over a time h is off its arc by h²/8 max|p̈| at most, and |p̈| is no more than
        Σ_i l_i (|φ̈_i| + φ̇_i²) over links with angles φ_i. Between samples those are cubics; a
        slope of one lies between its slopes at the ends and the middle number of its Bézier form.
        """
        rows = np.arange(len(self.t))
        cubics = self._cubics(rows[:-1], rows[1:])
        way, leaving, arriving = (np.cumsum(part, axis=-1) for part in cubics)
        first, middle, last = way + leaving, way - leaving - arriving, way + arriving
        slope = np.max(np.abs([first, middle, last]), axis=0)
        bend = 2.0 * np.maximum(np.abs(middle - first), np.abs(last - middle))
        lengths = np.array([link.length for link in self.arm.links])
        with np.errstate(over="ignore"):
            bends = (bend + slope**2) @ (lengths / self.arm.reach)
        count = np.minimum(np.sqrt(bends / (8.0 * FLAT)), UNCOUNTED)
        return np.concatenate([[0.0], np.cumsum(count)])

    def arc_times(self, start: float, end: float) -> np.ndarray:
        """Return times from a start to an end between which the tip's way is as good as straight.

        They are as many as that takes, and at most `MOST_CHORDS`: then they start later.
        """
        first, last = np.interp((start, end), self.t, self._chords)
        later = max(first, last - MOST_CHORDS)
        chords = np.linspace(later, last, max(1, int(np.ceil(last - later))) + 1)
        times = np.interp(chords, self._chords, self.t)
        # Of times at which nothing moves only the number of chords is known.
        times[-1] = end
        if later == first:
            times[0] = start
        return np.asarray(times)

    def trace(self, start: float) -> tuple[np.ndarray, np.ndarray]:
        """Return times (k,) evenly from a start to the end, and the places (k, 2) of the tip."""
        times = np.linspace(start, self.end, FINEST)
        return times, self.tips(times)

    def tips(self, times: np.ndarray) -> np.ndarray:
        """Return the places (k, 2) of the tip at times (k,)."""
        return np.asarray(kinematics.tip(self.arm, self.postures(times))[:, :2])

    def tip_speeds(self, times: np.ndarray) -> np.ndarray:
        """Return the speeds [m/s] of the tip at times (T,)."""
        return np.asarray(np.interp(times, self.t, self.tip_speed))

    def joint_rates(self, times: np.ndarray) -> np.ndarray:
        """Return the rates (T, n) [rad/s] of the joints at times (T,)."""
        return np.stack([np.interp(times, self.t, rate) for rate in self.qd.T], axis=-1)


def needs_inset(arm: Arm, asked: np.ndarray) -> bool:
    """Whether a drawing (k, 2) is so small beside its arm that nothing of it could be seen."""
    extent = _extent(asked)
    return POINT * arm.reach < extent < SMALL * arm.reach


def _extent(asked: np.ndarray) -> float:
    known = asked[np.isfinite(asked).all(axis=-1)]
    return float(np.ptp(known, axis=0).max()) if len(known) else 0.0


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


def draw_inset(
    axes: Axes,
    arm: Arm,
    asked: np.ndarray,
    postures: np.ndarray,
    gone: np.ndarray,
    *,
    labelled: bool,
    theme: Theme,
) -> Any:
    """Enlarge what is drawn around a path (k, 2), in the corner that it and the arm are least in.

    The arm is drawn in `postures` (m, n), and its tip went along `gone` (j, 2). Of empty corners
    it is the nearest or, where the path is `labelled`, the farthest. Lines of the picture are
    drawn again as they are; return the axes of the enlargement.
    """
    others = np.vstack([_covered(arm, postures), gone])
    corner = _emptiest(axes, others, asked, labelled=labelled)
    inset: Any = axes.inset_axes((*corner, SIDE, SIDE), zorder=9)
    low, high = np.nanmin(asked, axis=0), np.nanmax(asked, axis=0)
    side = _extent(asked) * (1.0 + 2.0 * ROOM)
    left = 0.5 * (low[0] + high[0]) - 0.5 * side
    # The scale goes below the drawing, which is moved up for it.
    whole = side / (1.0 - FOOT)
    left -= 0.5 * (whole - side)
    bottom = 0.5 * (low[1] + high[1]) - 0.5 * side - FOOT * whole
    inset.set(xlim=(left, left + whole), ylim=(bottom, bottom + whole), xticks=[], yticks=[])
    inset.set_facecolor(theme.background)
    inset.set_aspect("equal")
    for edge in inset.spines.values():
        edge.set(visible=True, color=theme.muted, linewidth=0.8)
    for line in axes.lines:
        _draw_again(inset, line)
    across = axes.get_xlim()[1] - axes.get_xlim()[0]
    _write_scale(inset, (left, bottom), whole, SIDE * across / whole, theme)
    axes.indicate_inset_zoom(inset, edgecolor=theme.muted, alpha=0.9, lw=0.8, zorder=3.9)
    return inset


def _emptiest(
    axes: Axes, others: np.ndarray, asked: np.ndarray, *, labelled: bool
) -> tuple[float, float]:
    """Choose the corner with the fewest points of the path in it, and then of all else."""
    low = np.array([axes.get_xlim()[0], axes.get_ylim()[0]])
    size = np.array([axes.get_xlim()[1], axes.get_ylim()[1]]) - low
    others, asked = (others - low) / size, (asked - low) / size
    middle = np.nanmean(asked, axis=0)

    def cost(corner: tuple[float, float]) -> tuple[int, int, float]:
        start = np.array(corner) - APART
        inside = [
            int(np.sum(np.all((dots >= start) & (dots <= start + SIDE + 2 * APART), axis=-1)))
            for dots in (asked, others)
        ]
        away = float(np.hypot(*(start + 0.5 * SIDE - middle)))
        return inside[0], inside[1], -away if labelled else away

    return min(CORNERS, key=cost)


def _covered(arm: Arm, postures: np.ndarray) -> np.ndarray:
    """Return points (k, 2) on the links of all postures (m, n)."""
    ends = kinematics.joints(arm, postures.reshape(-1, arm.n))
    part = np.linspace(0.0, 1.0, ALONG)[:, None, None, None]
    return np.asarray(ends[:, :-1] * (1.0 - part) + ends[:, 1:] * part).reshape(-1, 2)


def _draw_again(inset: Any, line: Any) -> None:
    style = {name: getattr(line, f"get_{name}")() for name in DRAWN_AGAIN}
    inset.plot(*line.get_data(), label="_", markersize=0.8 * line.get_markersize(), **style)


def _write_scale(
    inset: Any, corner: tuple[float, float], whole: float, times: float, theme: Theme
) -> None:
    """Draw a length to compare with, and say how much larger all of it is."""
    bar = _round(0.3 * whole)
    x, y = corner[0] + 0.07 * whole, corner[1] + 0.07 * whole
    inset.plot([x, x + bar], [y, y], color=theme.foreground, lw=2.0, label="_scale", zorder=9)
    small: dict[str, Any] = {"size": 8, "color": theme.foreground, "va": "bottom", "zorder": 9}
    small["bbox"] = {"fc": theme.background, "ec": "none", "alpha": 0.85, "pad": 1.0}
    inset.text(x, y + 0.03 * whole, length_text(bar), ha="left", **small)
    right = corner[0] + 0.95 * whole
    inset.text(right, y + 0.03 * whole, f"enlarged {times:.2g} ×", ha="right", **small)


def _round(length: float) -> float:
    """Return the longest of 1, 2 and 5 times a power of ten that is no longer."""
    power = float(10.0 ** np.floor(np.log10(length)))
    return power * max(step for step in (1.0, 2.0, 5.0) if step * power <= length * (1 + 1e-9))


LONGEST_WAY = 25.0  # of the reach: how far a tip is traced back

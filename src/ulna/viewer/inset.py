"""A small drawing, enlarged in a corner of the picture of a large arm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ulna import kinematics
from ulna.units import length_text
from ulna.viewer.style import Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ulna.arm import Arm

SMALL = 0.2  # of the reach: a drawing of less extent is enlarged
POINT = 1e-6  # of the reach: one of less is a point, of which there is nothing to see
SIDE = 0.34  # of the picture: how wide the enlargement is
EDGE = 0.015  # of the picture, between the enlargement and its border
APART = 0.04  # of the picture, that arm and path should be from it
ROOM = 0.14  # of the extent, around the drawing
FOOT = 0.22  # of the enlargement, below the drawing, for the scale
ALONG = 9  # points of a link that are looked at


class InsetCorner(NamedTuple):
    """A corner of a picture: its lower left and upper right, in parts of the picture."""

    left: float
    low: float

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Left, bottom, width and height."""
        return self.left, self.low, SIDE, SIDE


FAR_SIDE = 1.0 - SIDE - EDGE
CORNERS = [InsetCorner(x, y) for y in (EDGE, FAR_SIDE) for x in (EDGE, FAR_SIDE)]


def needs_inset(arm: Arm, asked: np.ndarray) -> bool:
    """Whether a drawing (k, 2) is so small beside its arm that nothing of it could be seen."""
    extent = _extent(asked)
    return POINT * arm.reach < extent < SMALL * arm.reach


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
    inset: Any = axes.inset_axes(corner.bounds, zorder=9)
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


def _draw_again(inset: Any, line: Any) -> None:
    x, y = line.get_data()
    style = {
        "color": line.get_color(),
        "lw": line.get_linewidth(),
        "ls": line.get_linestyle(),
        "marker": line.get_marker(),
        "ms": 0.8 * line.get_markersize(),
        "mfc": line.get_markerfacecolor(),
        "mec": line.get_markeredgecolor(),
        "mew": line.get_markeredgewidth(),
        "zorder": line.get_zorder(),
    }
    inset.plot(x, y, label="_", **style)


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
    power = 10.0 ** np.floor(np.log10(length))
    return float(
        max(step for step in (1.0, 2.0, 5.0) if step * power <= length * (1 + 1e-9)) * power
    )


def _extent(asked: np.ndarray) -> float:
    known = asked[np.isfinite(asked).all(axis=-1)]
    return float(np.ptp(known, axis=0).max()) if len(known) else 0.0


def _covered(arm: Arm, postures: np.ndarray) -> np.ndarray:
    """Return points (k, 2) on the links of all postures (m, n)."""
    ends = kinematics.joints(arm, postures.reshape(-1, arm.n))
    part = np.linspace(0.0, 1.0, ALONG)[:, None, None, None]
    return np.asarray(ends[:, :-1] * (1.0 - part) + ends[:, 1:] * part).reshape(-1, 2)


def _emptiest(axes: Axes, others: np.ndarray, asked: np.ndarray, *, labelled: bool) -> InsetCorner:
    """Choose the corner with the fewest points of the path in it, and then of all else."""
    low = np.array([axes.get_xlim()[0], axes.get_ylim()[0]])
    size = np.array([axes.get_xlim()[1], axes.get_ylim()[1]]) - low
    others, asked = (others - low) / size, (asked - low) / size
    middle = np.nanmean(asked, axis=0)

    def cost(corner: InsetCorner) -> tuple[int, int, float]:
        start = np.array([corner.left, corner.low]) - APART
        inside = [
            int(np.sum(np.all((dots >= start) & (dots <= start + SIDE + 2 * APART), axis=-1)))
            for dots in (asked, others)
        ]
        away = float(np.hypot(*(start + 0.5 * SIDE - middle)))
        return inside[0], inside[1], -away if labelled else away

    return min(CORNERS, key=cost)

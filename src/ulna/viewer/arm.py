"""Drawing arms to scale: links as capsules, hollow joints, the reach, ghosts of other postures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ulna import kinematics
from ulna.arm import Arm, Joint
from ulna.errors import InputError
from ulna.viewer.style import PRINT, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

THICKNESS = 0.055  # of the reach: the width of the first link
SLENDER = 0.55  # the last link's width, of the first's


def draw_arm(
    axes: Axes, arm: Arm, q: ArrayLike, *, look: Look = PRINT, ghost: bool = False
) -> Axes:
    """Draw the arm in a posture; a ghost is pale and lies behind."""
    from matplotlib.patches import Circle

    points = kinematics.joints(arm, np.asarray(q, dtype=float))
    widths = arm.reach * THICKNESS * np.linspace(1.0, SLENDER if arm.n > 1 else 1.0, arm.n)
    layer = 2 if ghost else 4
    for i in range(arm.n):
        color = look.ghost if ghost else (look.link if i % 2 == 0 else look.link_light)
        axes.add_patch(_capsule(points[i], points[i + 1], widths[i], color, layer))
    for i in range(arm.n):
        axes.add_patch(
            Circle(points[i], 0.28 * widths[i], fc=look.paper, ec="none", zorder=layer + 0.5)
        )
    tip_color = look.ghost if ghost else look.movable
    axes.add_patch(
        Circle(points[-1], 0.62 * widths[-1], fc=tip_color, ec=look.paper, lw=1.2, zorder=layer + 1)
    )
    return axes


def draw_reach(axes: Axes, arm: Arm, *, look: Look = PRINT) -> Axes:
    """Shade all that the tip can reach, joint limits respected."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    codes: list[Any] = []
    corners: list[Any] = []
    outline = _outline(arm)
    if not outline:
        return axes
    for line in outline:
        corners.extend(line)
        codes.extend([Path.MOVETO, *[Path.LINETO] * (len(line) - 1)])
    shape = Path(np.array(corners), codes)
    filled = arm.n > 1
    axes.add_patch(PathPatch(shape, fc=look.reach if filled else "none", ec="none", zorder=0.5))
    axes.add_patch(PathPatch(shape, fc="none", ec=look.quiet, ls=(0, (4, 3)), lw=1.0, zorder=1.5))
    return axes


def _outline(arm: Arm) -> Sequence[Any]:
    """Give the outline of the workspace; of the plain ring where the limits are too many for it."""
    try:
        return kinematics.workspace(arm).polylines()
    except InputError:
        return kinematics.workspace(arm.replace(joints=[Joint()] * arm.n)).polylines()


def frame(axes: Axes, arm: Arm, also: ArrayLike | None = None) -> Axes:
    """Show the whole reach, and any further points, with x and y to the same scale."""
    base = np.array(arm.base)
    corners = [base - arm.reach, base + arm.reach]
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


def _capsule(start: np.ndarray, end: np.ndarray, width: float, color: str, layer: float) -> Any:
    from matplotlib.patches import Polygon

    along = end - start
    heading = np.arctan2(along[1], along[0])
    turn = np.linspace(0.5 * np.pi, 1.5 * np.pi, 24)
    cap = 0.5 * width * np.stack([np.cos(turn + heading), np.sin(turn + heading)], axis=-1)
    return Polygon(
        np.concatenate([start + cap, end - cap]), closed=True, fc=color, ec="none", zorder=layer
    )

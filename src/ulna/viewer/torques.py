"""The torques of a plan, joint by joint, and what they are spent on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.viewer.plan import title
from ulna.viewer.run import curve, finish, joint_curves
from ulna.viewer.style import PATTERNS, PRINT, Look, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ulna.motion.plan import Plan

WIDE, HIGH, HEAD = 9.0, 2.3, 0.7  # [inches] of a page, a row, and what is above them
MOST_PANELS = 6  # joints with a panel each; of more, a panel shows a term of all
MOST_ROWS = 3  # below one another
NEAR = 0.5  # of a limit: torques that come closer are drawn with it
USUAL = 0.97  # of the samples are usual
SPIKE = 8.0  # times the usual torque is a spike
NAMES = {"coriolis": "Coriolis", "tip_force": "tip force"}  # where the field's will not do
UNIT = "torque [N·m]"


def torques_figure(plan: Plan, *, look: Look = PRINT) -> Figure:
    """Draw the torque of each joint with its terms; of many joints, each term of all of them."""
    from matplotlib.figure import Figure

    many = plan.arm.n > MOST_PANELS
    count = 1 + len(_shown_terms(plan)) if many else plan.arm.n
    columns = 1 if count <= MOST_ROWS else 2
    rows = math.ceil(count / columns)
    with styled(look):
        figure = Figure(figsize=(WIDE * (1.0 + 0.3 * (columns - 1)), HEAD + HIGH * rows), dpi=150)
        figure.set_layout_engine("constrained", w_pad=0.08, h_pad=0.08)
        panels = np.ravel(figure.subplots(rows, columns, sharex=True, squeeze=False))
        for spare in panels[count:]:
            spare.remove()
        draw = _draw_terms if many else _draw_joints
        draw(figure, panels[:count], plan, look)
        figure.suptitle(title(plan), x=0.015, ha="left", weight="bold", size=11, parse_math=False)
        figure.align_ylabels()
    return figure


def plot_joint_torque(axes: Axes, plan: Plan, joint: int, *, look: Look = PRINT) -> Axes:
    """Plot the torque of a joint, counted from 1, its terms, and its limit if that is near."""
    tau = plan.tau[:, joint - 1]
    # The terms lie on top: where one of them is nearly all, both are seen.
    curve(axes, plan.t, tau, "total", {"color": look.ink, "lw": 3.0})
    for name, style in _shown_terms(plan, look).items():
        values = getattr(plan.terms, name)[:, joint - 1]
        curve(axes, plan.t, values, NAMES.get(name, name), {**style, "lw": 1.2})
    _draw_limit(axes, plan, joint, look)
    finish(axes, look, ylabel=UNIT)
    cut = " (cut off)" if _cut_spikes(axes, tau) else ""
    axes.set_title(f"joint {joint}: {_told(tau, cut)}")
    return axes


def _draw_joints(figure: Figure, panels: Any, plan: Plan, look: Look) -> None:
    names: dict[Any, Any] = {}
    for joint, axes in enumerate(panels, start=1):
        _outer_names(plot_joint_torque(axes, plan, joint, look=look))
        handles, labels = axes.get_legend_handles_labels()
        names |= dict(zip(labels, handles, strict=True))
        axes.get_legend().remove()
    figure.legend(
        names.values(),
        names,
        loc="outside lower center",
        ncols=len(names),
        labelcolor=look.ink,
        fontsize=9,
    )


def _draw_terms(figure: Figure, panels: Any, plan: Plan, look: Look) -> None:
    parts = {"total": plan.tau}
    parts |= {NAMES.get(name, name): getattr(plan.terms, name) for name in _shown_terms(plan)}
    for (name, values), axes in zip(parts.items(), panels, strict=True):
        joint_curves(axes, plan.t, values, r"\tau", look, ylabel=UNIT)
        _outer_names(axes)
        axes.set_title(f"{name}: {_told(values)}" if name == "total" else name)


def _outer_names(axes: Axes) -> None:
    """Name axes at the edge of the page only; their numbers stay, since each has its own scale."""
    place = axes.get_subplotspec()
    if place is not None and not place.is_first_col():
        axes.set_ylabel("")
    if place is not None and not place.is_last_row():
        axes.set_xlabel("")


def _shown_terms(plan: Plan, look: Look = PRINT) -> dict[str, dict[str, Any]]:
    """Give colour and line style of every term that is not zero everywhere."""
    orange, blue, purple, green, grey = look.data
    colors = (blue, purple, orange, green, grey, look.link_light)  # weight is what is seen most
    patterns = ("-", PATTERNS[2], "-", *PATTERNS[3:], (0, (3, 1, 1, 1, 1, 1)))
    styles = ({"color": color, "ls": ls} for color, ls in zip(colors, patterns, strict=True))
    named = zip(plan.terms._fields, plan.terms, styles, strict=True)
    return {name: style for name, values, style in named if np.any(np.nan_to_num(values))}


def _draw_limit(axes: Axes, plan: Plan, joint: int, look: Look) -> None:
    limit = float(plan.arm.parameters.max_torque[joint - 1])
    tau = plan.tau[:, joint - 1]
    for side in (1.0, -1.0):
        if np.max(side * tau, where=np.isfinite(tau), initial=0.0) < NEAR * limit:
            continue
        axes.axhline(side * limit, color=look.alarm, lw=1.2, ls=(0, (5, 3)), label="limit")
        beyond = np.where(side * tau > limit, tau, side * limit)
        axes.fill_between(plan.t, side * limit, beyond, color=look.alarm, alpha=0.3, lw=0.0)


def _cut_spikes(axes: Axes, tau: np.ndarray) -> bool:
    """Show the usual torques where a few are far larger, as beside a singular posture."""
    known = np.abs(tau[np.isfinite(tau)])
    if not len(known):
        return False
    usual = float(np.quantile(known, USUAL))
    if not 0.0 < SPIKE * usual < np.max(known):
        return False
    low, high = axes.get_ylim()
    axes.set_ylim(max(low, -2.0 * usual), min(high, 2.0 * usual))
    return True


def _told(values: np.ndarray, cut: str = "") -> str:
    known = values[np.isfinite(values)]
    if not len(known):
        return "out of reach all the way"
    peak, rms = np.max(np.abs(known)), np.sqrt(np.mean(np.square(known)))
    return f"{peak:.4g} N·m at most{cut}, {rms:.4g} RMS"

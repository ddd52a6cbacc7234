"""The torques of a plan, joint by joint, and what they are spent on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.motion.values import whole
from ulna.viewer.pages import FOOT, PageLayout, name_outer, page_of_panels, plan_title
from ulna.viewer.run import curve, finish, joint_curves
from ulna.viewer.style import PATTERNS, PRINT, Theme, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ulna.motion.plan_result import Plan

HIGH = 1.75  # [inches] of a panel
WIDE = (9.0, 11.5)  # [inches] of a page of one column and of two
LEGEND = 0.35  # [inches] below the panels
MOST_PANELS = 6  # joints with a panel each; of more, a panel shows a term of all
MOST_ROWS = 3  # below one another
NEAR = 0.5  # of a limit: torques that come closer are drawn with it
USUAL = 0.97  # of the samples are usual
SPIKE = 8.0  # times the usual torque is a spike
NAMES = {"coriolis": "Coriolis", "tip_force": "tip force"}  # where the field's will not do
UNIT = "torque [N·m]"


def torques_figure(plan: Plan, *, theme: Theme = PRINT) -> Figure:
    """Draw the torque of each joint with its terms; of many joints, each term of all of them.

    Parameters
    ----------
    plan : Plan
        What `ulna.plan` returned.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.figure.Figure
        The page; pyplot does not know it, so nothing has to be closed.

    Examples
    --------
    >>> import ulna
    >>> circle = ulna.paths.circle((0.5, 0.2), 0.1)
    >>> figure = torques_figure(ulna.plan(ulna.preset("kehl"), circle, duration=2.0))
    >>> len(figure.axes)  # a panel a joint
    2
    """
    many = plan.arm.n > MOST_PANELS
    count = 1 + len(_shown_terms(plan)) if many else plan.arm.n
    columns = 1 if count <= MOST_ROWS else 2
    heights = [HIGH] * math.ceil(count / columns)
    layout = PageLayout(heights, WIDE[columns - 1], columns, foot=FOOT + LEGEND)
    with styled(theme):
        figure, panels = page_of_panels(layout, plan_title(plan))
        for spare in panels[count:]:
            spare.remove()
        (_draw_terms if many else _draw_joints)(panels[:count], plan, theme)
        _one_legend(figure, panels[:count], theme)
        for number, axes in enumerate(panels[:count]):
            name_outer(axes, last=number + columns >= count)
    return figure


def plot_joint_torque(axes: Axes, plan: Plan, joint: int, *, theme: Theme = PRINT) -> Axes:
    """Plot the torque of a joint, its terms, and its limit if that is near.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    plan : Plan
        What `ulna.plan` returned.
    joint : int
        The joint, counted from 1.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Raises
    ------
    InputError
        Without such a joint.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> circle = ulna.paths.circle((0.5, 0.2), 0.1)
    >>> plan = ulna.plan(ulna.preset("kehl"), circle, duration=2.0)
    >>> axes = plot_joint_torque(Figure().add_subplot(), plan, joint=1)
    >>> [line.get_label() for line in axes.lines]
    ['total', 'inertia', 'Coriolis', 'gravity']
    """
    whole("joint", joint, 1, plan.arm.n)
    tau = plan.tau[:, joint - 1]
    # The terms lie on top: where one of them is nearly all, both are seen.
    curve(axes, plan.t, tau, "total", {"color": theme.foreground, "lw": 3.0})
    for name, style in _shown_terms(plan, theme).items():
        values = getattr(plan.terms, name)[:, joint - 1]
        curve(axes, plan.t, values, NAMES.get(name, name), {**style, "lw": 1.2})
    _draw_limit(axes, plan, joint, theme)
    finish(axes, theme, ylabel=UNIT)
    axes.set_xlim(plan.t[0], plan.t[-1])
    cut = " (cut off)" if _cut_spikes(axes, tau) else ""
    axes.set_title(f"joint {joint}: {_told(tau, cut)}", loc="left")
    return axes


def _draw_joints(panels: Sequence[Axes], plan: Plan, theme: Theme) -> None:
    for joint, axes in enumerate(panels, start=1):
        plot_joint_torque(axes, plan, joint, theme=theme)


def _draw_terms(panels: Sequence[Axes], plan: Plan, theme: Theme) -> None:
    parts = {"total": plan.tau}
    parts |= {NAMES.get(name, name): getattr(plan.terms, name) for name in _shown_terms(plan)}
    for (name, values), axes in zip(parts.items(), panels, strict=True):
        joint_curves(axes, plan.t, values, r"\tau", theme, ylabel=UNIT)
        axes.set_title(f"{name}: {_told(values)}" if name == "total" else name)


def _one_legend(figure: Figure, panels: Sequence[Axes], theme: Theme) -> None:
    """Name what the panels show below all of them, once."""
    names: dict[Any, Any] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        names |= dict(zip(labels, handles, strict=True))
        legend = axes.get_legend()
        if legend is not None:
            legend.remove()
    place: dict[str, Any] = {"loc": "lower center", "ncols": len(names)}
    figure.legend(names.values(), names, **place, labelcolor=theme.foreground, fontsize=9)


def _shown_terms(plan: Plan, theme: Theme = PRINT) -> dict[str, dict[str, Any]]:
    """Return colour and line style of every term that is not zero everywhere."""
    orange, blue, purple, green, grey = theme.data
    colors = (blue, purple, orange, green, grey, theme.link_light)  # weight is what is seen most
    patterns = ("-", PATTERNS[2], "-", *PATTERNS[3:], (0, (3, 1, 1, 1, 1, 1)))
    styles = ({"color": color, "ls": ls} for color, ls in zip(colors, patterns, strict=True))
    named = zip(plan.terms._fields, plan.terms, styles, strict=True)
    return {name: style for name, values, style in named if np.any(np.nan_to_num(values))}


def _draw_limit(axes: Axes, plan: Plan, joint: int, theme: Theme) -> None:
    limit = float(plan.arm.parameters.max_torque[joint - 1])
    tau = plan.tau[:, joint - 1]
    for side in (1.0, -1.0):
        if np.max(side * tau, where=np.isfinite(tau), initial=0.0) < NEAR * limit:
            continue
        axes.axhline(side * limit, color=theme.warning, lw=1.2, ls=(0, (5, 3)), label="limit")
        beyond = np.where(side * tau > limit, tau, side * limit)
        axes.fill_between(plan.t, side * limit, beyond, color=theme.warning, alpha=0.3, lw=0.0)


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

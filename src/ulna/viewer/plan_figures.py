"""A plan on pages: the path with postures along it and where it cannot be, and its torques.

The torques are drawn joint by joint with what they are spent on.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ulna.actuation import TorqueRange
from ulna.arrays import whole
from ulna.motion.planning.findings import Finding
from ulna.motion.planning.motor_demands import MOST_USE
from ulna.motion.planning.plan_samples import sample_times
from ulna.motion.planning.stroke_timing import pen_down
from ulna.units import length_text
from ulna.viewer.arm_drawing import (
    FINEST,
    GHOSTS,
    LONGEST_WAY,
    Playback,
    add_inset,
    draw_arm,
    draw_ghosts,
    draw_reach,
    draw_strokes,
    needs_inset,
    points_on_links,
)
from ulna.viewer.figure_style import (
    FOOT,
    PATTERNS,
    PRINT,
    PageLayout,
    Theme,
    curve,
    even_ticks,
    finish,
    fit_axes,
    head,
    joint_curves,
    legend_above,
    mixed,
    name_outer,
    new_figure,
    page_of_panels,
    plan_title,
    styled,
    write_beside,
)
from ulna.viewer.motor_figures import draw_torque_limits, motor_plots
from ulna.viewer.tracking_figures import check_run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ulna.motion.planning.plan_result import Plan
    from ulna.simulation.run import Run


SIZE = (7.0, 7.6)  # [inches]
LETTERS = 84  # of a line under the title
PALE = 0.4  # of its colour is left to a path under that of the tip
LEAD = 0.1  # of the reach, from the start to the arrow
ASIDE = 0.35  # of the reach, from which on a label turns towards the middle
HIGH = 1.75  # [inches] of a panel
WIDE = (9.0, 11.5)  # [inches] of a page of one column and of two
LEGEND = 0.35  # [inches] below the panels
MOST_PANELS = 6  # joints with a panel each; of more, a panel shows a term of all
MOST_ROWS = 3  # below one another
USUAL = 0.97  # of the samples are usual
SPIKE = 8.0  # times the usual torque is a spike
NAMES = {"coriolis": "Coriolis", "tip_force": "tip force"}  # where the field's will not do
UNIT = "torque [N·m]"
FRICTION_GREEN = 0.55  # of the colour of dry friction is that of viscous damping


class Mark(NamedTuple):
    """A kind of problem: where it is on the path, where it is worst, and in words."""

    ways: np.ndarray  # (m, 2), stretches of the path with NaN between them
    instants: np.ndarray  # (k, 2), where it holds for a moment only
    place: np.ndarray  # (2,) where it is worst
    worst: Finding
    places: int


class TipPath(NamedTuple):
    """The path that a tip took, and where it ended; of a long one, its beginning."""

    times: np.ndarray  # (k,) [s]
    tips: np.ndarray  # (k, 2)
    posture: np.ndarray  # (n,)
    until: str  # when it breaks off, in words


def motion_figure(plan: Plan, run: Run | None = None, *, theme: Theme = PRINT) -> Figure:
    """Draw a plan on a page, with what there is to know about it in words.

    Parameters
    ----------
    plan : Plan
        What `ulna.plan` returned.
    run : Run, optional
        A run along the plan, whose tip is drawn as well.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.figure.Figure
        The page; pyplot does not know it, so nothing has to be closed.

    Raises
    ------
    InputError
        If the run is of an arm with other links than the plan's.

    Examples
    --------
    >>> import ulna
    >>> circle = ulna.paths.circle((0.5, 0.2), 0.1)
    >>> figure = motion_figure(ulna.plan(ulna.preset("kehl"), circle, duration=2.0))
    >>> figure.axes[0].get_xlabel()
    'x [m]'
    """
    with styled(theme):
        figure = new_figure(*SIZE)
        figure.set_layout_engine("constrained", w_pad=0.08, h_pad=0.08)
        head(figure, plan_title(plan))
        page: Any = figure.subfigures()
        told = "\n".join(
            textwrap.fill(line, LETTERS, break_on_hyphens=False) for line in _told(plan)
        )
        head(page, told, weight="normal", color=theme.muted if plan.ok else theme.warning)
        plot_path(page.add_subplot(), plan, run, theme=theme)
    return figure


def _told(plan: Plan) -> Iterator[str]:
    fine = ", in reach and within the limits" if plan.ok else ""
    yield f"{plan.duration:.4g} s, {plan.trajectory.timing.name}{fine}"
    for mark in marks(plan):
        others = f"; and {mark.places - 1} more like it" if mark.places > 1 else ""
        yield f"{mark.worst.text}{others}"


def plot_path(axes: Axes, plan: Plan, run: Run | None = None, *, theme: Theme = PRINT) -> Axes:
    """Draw a plan: what the arm reaches, the path, some postures, and where it cannot be.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What to draw on.
    plan : Plan
        What `ulna.plan` returned.
    run : Run, optional
        A run along the plan: the way of its tip is drawn over the path.
    theme : Theme, optional
        The colours: `viewer.PRINT` or `viewer.DARK`.

    Returns
    -------
    matplotlib.axes.Axes
        The same axes.

    Raises
    ------
    InputError
        If the run is of an arm with other links than the plan's.

    Notes
    -----
    A drawing that is small beside its arm is enlarged in a corner.

    Examples
    --------
    >>> import ulna
    >>> from matplotlib.figure import Figure
    >>> circle = ulna.paths.circle((0.5, 0.2), 0.1)
    >>> plan = ulna.plan(ulna.preset("kehl"), circle, duration=2.0)
    >>> axes = plot_path(Figure().add_subplot(), plan)
    >>> axes.get_legend_handles_labels()[1]
    ['reference path', 'start and end']
    """
    if run is not None:
        run = check_run(plan, run)
    arm, asked, blue = plan.arm, reference_points(plan), theme.data[1]
    times = shown_times(plan)
    way = None if run is None else tip_path(run, times, 2.0 * _length(asked))
    draw_reach(axes, arm, theme=theme)
    postures = _draw_postures(axes, plan, way, theme)
    color, wide = (blue, 1.8) if way is None else (mixed(theme.background, blue, PALE), 4.0)
    down = pen_down(plan.trajectory, times)

    def draw_paths(axes: Axes) -> None:
        draw_strokes(axes, asked, down, {"color": color, "lw": wide}, travel_color=blue)
        if way is not None:
            line = {"color": theme.accent, "lw": 1.4, "zorder": 3.6}
            names = f"tip path{way.until}", "_travel of the tip"
            draw_strokes(axes, way.tips, pen_down(plan.trajectory, way.times), line, names)
        _mark_ends(axes, plan, asked, theme)

    draw_paths(axes)
    even_ticks(fit_axes(axes, arm, also=asked))
    for number, mark in enumerate(marks(plan)):
        _draw_mark(axes, plan, mark, theme, above=number % 2 == 0)
    if needs_inset(arm, asked):
        gone = asked[:0] if way is None else way.tips
        others = np.vstack([points_on_links(arm, postures), gone])
        draw_paths(add_inset(axes, asked, others, theme=theme))
    return legend_above(axes, theme)


def reference_points(plan: Plan) -> np.ndarray:
    """Return the path (k, 2) at the samples of the plan, or as many as a figure can show."""
    return np.asarray(plan.trajectory.tip(shown_times(plan)).position)


def shown_times(plan: Plan) -> np.ndarray:
    """Return the times (k,) [s] of its reference points."""
    return np.asarray(plan.t if len(plan.t) <= FINEST else sample_times(plan.trajectory, FINEST))


def _length(points: np.ndarray) -> float:
    """Return the length [m] of the line through points (k, 2), without gaps."""
    return float(np.nansum(np.hypot(*np.diff(points, axis=0).T)))


def tip_path(run: Run, also: ArrayLike = (), length: float = 0.0) -> TipPath:
    """Return the path of the tip from the start, up to the length beyond which it covers itself.

    That is at least `length` [m]. The path has points at even times and at the others given.
    """
    playback = Playback(run)
    others = np.asarray(also, dtype=float)
    inside = others[(others >= playback.start) & (others <= playback.end)]
    times = np.union1d(np.linspace(playback.start, playback.end, FINEST), inside)
    tips = playback.tips(times)
    lengths = np.cumsum(np.hypot(*np.diff(tips, axis=0).T))
    longest = max(length, LONGEST_WAY * run.arm.reach)
    last = int(np.searchsorted(lengths, longest, side="right"))
    until = "" if last == len(tips) - 1 else f", until t = {times[last]:.3g} s"
    return TipPath(times[: last + 1], tips[: last + 1], playback.postures(times[last]), until)


def _draw_postures(axes: Axes, plan: Plan, way: TipPath | None, theme: Theme) -> np.ndarray:
    """Draw some postures and the last one; return (k, n) what is drawn, or some more."""
    rows = plan.q[np.all(np.isfinite(plan.q), axis=-1)]
    if len(rows):
        draw_ghosts(axes, plan.arm, rows, theme=theme)
    last = rows[-1:] if way is None else way.posture[None]
    for posture in last:
        draw_arm(axes, plan.arm, posture, theme=theme)
    return np.vstack([rows[:: 1 + len(rows) // GHOSTS**2], last])


def _mark_ends(axes: Axes, plan: Plan, asked: np.ndarray, theme: Theme) -> None:
    hollow: Any = {"mfc": "none", "mec": theme.data[1], "mew": 1.8, "ls": "", "zorder": 5.8}
    together = np.hypot(*(asked[-1] - asked[0])) < 0.01 * plan.arm.reach
    axes.plot(*asked[0], "o", ms=12, label="start and end" if together else "start", **hollow)
    if not together:
        axes.plot(*asked[-1], "s", ms=11, label="end", **hollow)
    gone = np.cumsum(np.hypot(*np.diff(asked, axis=0).T))
    here = int(np.argmax(gone >= min(LEAD * plan.arm.reach, 0.5 * gone[-1])))
    style = {"arrowstyle": "-|>", "color": theme.data[1], "mutation_scale": 16, "lw": 0.0}
    axes.annotate("", xy=asked[here + 1], xytext=asked[here], arrowprops=style, zorder=5.9)


def marks(plan: Plan) -> Iterator[Mark]:
    """Return a mark for every kind of problem that keeps the arm from following the path."""
    kinds: dict[str, list[Finding]] = {}
    for finding in plan.problems:
        if finding.blocks or finding.exceeds:
            kinds.setdefault(finding.kind, []).append(finding)
    for found in kinds.values():
        worst = max(found, key=lambda finding: finding.when.worst)
        place = plan.trajectory.tip(worst.when.worst_at).position
        at = [one.when.first for one in found if one.when.first == one.when.last]
        instants = plan.trajectory.tip(np.array(at)).position if at else np.empty((0, 2))
        yield Mark(_ways(plan, found), instants, place, worst, len(found))


def _ways(plan: Plan, found: list[Finding]) -> np.ndarray:
    points = max(2, FINEST // len(found))
    times = [np.linspace(one.when.first, one.when.last, points) for one in found]
    ways = plan.trajectory.tip(np.array(times)).position
    return np.pad(ways, ((0, 0), (0, 1), (0, 0)), constant_values=np.nan).reshape(-1, 2)[:-1]


def _draw_mark(axes: Axes, plan: Plan, mark: Mark, theme: Theme, *, above: bool) -> None:
    # Where there is no motion at all the line is solid; where a limit is passed, dashed.
    style: Any = {"lw": 3.2} if mark.worst.blocks else {"lw": 2.6, "ls": (0, (2, 1))}
    axes.plot(*mark.ways.T, color=theme.warning, zorder=6, label="_problem", **style)
    axes.plot(*mark.instants.T, "o", ms=5, color=theme.warning, zorder=6, label="_instants")
    axes.plot(*mark.place, "o", ms=8, mfc=theme.background, mec=theme.warning, mew=2.0, zorder=6.5)
    aside = (mark.place[0] - plan.arm.base[0]) / plan.arm.reach
    align = "center" if abs(aside) < ASIDE else "right" if aside > 0.0 else "left"
    away, va = ((0.0, 11.0), "bottom") if above else ((0.0, -11.0), "top")
    write_beside(axes, mark.place, away, _label(mark), theme, color=theme.warning, ha=align, va=va)


def _label(mark: Mark) -> str:
    kind, much = mark.worst.kind, mark.worst.when.worst
    where = "" if mark.places == 1 else f" in {mark.places} places"
    if kind == "joint limit":
        return f"{kind}{where}, by {np.degrees(much):.3g}°"
    return f"{kind}{where}, by {length_text(much)}" if mark.worst.blocks else f"{kind}{where}"


def torques_figure(plan: Plan, *, theme: Theme = PRINT) -> Figure:
    """Draw the torque of each joint with its terms; of many joints, each term of all of them.

    Of joints with motors it shows what those have left at their speed, and below currents, the
    power from the supply and temperatures.

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
    many, parts = plan.arm.n > MOST_PANELS, ["total", *_shown_terms(plan)]
    driven = plan.arm.has_motors and np.isfinite(plan.tau).any()
    motors = motor_plots(plan.arm) if driven else []
    of_torques = len(parts) if many else plan.arm.n
    count = of_torques + len(motors)
    columns = 1 if count <= MOST_ROWS else 2
    heights = [HIGH] * math.ceil(count / columns)
    layout = PageLayout(heights, WIDE[columns - 1], columns, foot=FOOT + LEGEND)
    with styled(theme):
        figure, panels = page_of_panels(layout, plan_title(plan))
        for spare in panels[count:]:
            spare.remove()
        shown = panels[:count]
        for number, axes in enumerate(shown[:of_torques]):
            if many:
                _draw_term(axes, plan, parts[number], theme)
            else:
                plot_joint_torque(axes, plan, number + 1, theme=theme)
        _one_legend(figure, shown[:of_torques], theme)
        for plot, axes in zip(motors, shown[of_torques:], strict=True):
            plot(axes, plan, theme=theme)
            axes.set_title(axes.get_ylabel(), loc="left")
            axes.set_ylabel("")
        for number, axes in enumerate(shown):
            name_outer(axes, last=number + columns >= count)
    return figure


def _draw_term(axes: Axes, plan: Plan, name: str, theme: Theme) -> None:
    """Plot the total torque of all joints, or a term of it."""
    values = plan.tau if name == "total" else getattr(plan.terms, name)
    joint_curves(axes, plan.t, values, r"\tau", theme, ylabel=UNIT)
    axes.set_title(f"total: {_peak_and_rms(values)}" if name == "total" else NAMES.get(name, name))


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
    most = np.full_like(tau, plan.arm.parameters.max_torque[joint - 1])
    draw_torque_limits(axes, plan.t, tau, TorqueRange(-most, most), theme, "limit")
    use = _draw_motor(axes, plan, joint, theme) if plan.arm.has_motors else ""
    finish(axes, theme, ylabel=UNIT)
    axes.set_xlim(plan.t[0], plan.t[-1])
    cut = " (cut off)" if _cut_spikes(axes, tau) else ""
    axes.set_title(f"joint {joint}: {_peak_and_rms(tau, cut)}{use}", loc="left")
    return axes


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
    dark_green = mixed(theme.foreground, green, FRICTION_GREEN)
    styles = {
        "inertia": (blue, "-"),
        "coriolis": (purple, PATTERNS[2]),
        "gravity": (orange, "-"),  # weight is what is seen most
        "damping": (green, PATTERNS[3]),
        "friction": (dark_green, "-"),
        "rotor": (grey, PATTERNS[4]),
        "tip_force": (theme.link_light, (0, (3, 1, 1, 1, 1, 1))),
    }
    return {
        name: {"color": styles[name][0], "ls": styles[name][1]}
        for name, values in plan.terms._asdict().items()
        if np.any(np.nan_to_num(values))
    }


def _draw_motor(axes: Axes, plan: Plan, joint: int, theme: Theme) -> str:
    """Draw what is asked of the motor of a joint and what it has left; return its use in words."""
    lower, upper = (part[:, joint - 1] for part in plan.torque_limits)
    tau, asked = plan.tau[:, joint - 1], plan.motor_torque[:, joint - 1]
    if np.isinf(upper).all() or not np.isfinite(tau).any():
        return ""
    if np.nanmax(np.abs(asked - tau)) > 0.0:
        curve(
            axes, plan.t, asked, "motor", {"color": theme.foreground, "lw": 1.0, "ls": PATTERNS[1]}
        )
    draw_torque_limits(axes, plan.t, asked, TorqueRange(lower, upper), theme, "motor's limit")
    return f"; {_percent(float(plan.motor_peaks.use[joint - 1]))} of its motor"


def _percent(part: float) -> str:
    return f"{part:.0%}" if part < MOST_USE else f"over {MOST_USE:.0%}"


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


def _peak_and_rms(values: np.ndarray, cut: str = "") -> str:
    known = values[np.isfinite(values)]
    if not len(known):
        return "out of reach all the way"
    peak, rms = np.max(np.abs(known)), np.sqrt(np.mean(np.square(known)))
    return f"{peak:.4g} N·m at most{cut}, {rms:.4g} RMS"

"""Figure 6 of paper 000, how errors grow, and the loops that hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arrays import Array
from ulna.papers.kehl import replay as replays
from ulna.papers.kehl.feedback import error
from ulna.papers.kehl.motions import AS_PRINTED, INERTIAS, arm, plan
from ulna.viewer import PRINT, Theme, draw_reach, fit_axes, styled
from ulna.viewer.arm import even_ticks
from ulna.viewer.pages import PageLayout, page_of_panels
from ulna.viewer.plan import reference_points, tip_path
from ulna.viewer.run import curve, finish, legend_above
from ulna.viewer.style import mixed, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAGE = (11.0, 5.4)  # [inches]
LEAST, LOWEST, HIGHEST = 1e-17, 1e-13, 10.0  # [m] of errors: zero is drawn as the first
ROUNDING = 1e-16
LAWS = {
    "PD": "PD alone",
    "gravity": "PD + gravity",
    "printed torques": "PD + printed torques",
    "feed-forward": "PD + feed-forward",
    "computed torque": "computed torque",
}


def replay_figure(theme: Theme = PRINT) -> Figure:
    """Draw the way of the tip under the printed torques, and the errors of all replays."""
    from matplotlib.figure import Figure

    with styled(theme):
        figure = Figure(figsize=PAGE, dpi=150)
        figure.set_layout_engine("constrained", w_pad=0.1, h_pad=0.08)
        ways, errors = figure.subplots(1, 2)
        _draw_ways(ways, theme)
        _draw_errors(errors, theme)
    return figure


def stability_figure(theme: Theme = PRINT) -> Figure:
    """Draw an error as it should grow, and as it does in replays."""
    from matplotlib.figure import Figure

    with styled(theme):
        figure = Figure(figsize=PAGE, dpi=150)
        figure.set_layout_engine("constrained", w_pad=0.1, h_pad=0.08)
        panels: Any = figure.subplots(1, 2, sharey=True)
        for axes, name in zip(panels, INERTIAS, strict=True):
            _draw_growth(axes, name, theme)
        panels[1].set_ylabel("")
    return figure


def feedback_figure(theme: Theme = PRINT) -> Figure:
    """Draw how far the tip is off under each law."""
    with styled(theme):
        figure, (axes,) = page_of_panels(PageLayout((4.0,), 9.0), "the path under feedback")
        axes.set_yscale("log")
        for (law, label), style in zip(LAWS.items(), series(len(LAWS), theme), strict=True):
            found = error(law)
            every = _envelope(found.size)
            shown = f"{label}: {_length(found.rms)}"
            curve(axes, found.t[:: len(found.t) // len(every)][: len(every)], every, shown, style)
        axes.set_ylim(1e-6, 1.0)
        finish(axes, theme, ylabel="tip error [m]")
        legend_above(axes, theme, columns=3)
    return figure


def _draw_ways(axes: Axes, theme: Theme) -> None:
    draw_reach(axes, arm(), theme=theme)
    pale = mixed(theme.background, theme.data[1], 0.4)
    axes.plot(*reference_points(plan()).T, color=pale, lw=2.4, label="reference path", zorder=2)
    for how, color, label in (
        ("start", theme.data[0], "exact start"),
        ("rest", theme.data[2], "from rest"),
    ):
        tips = tip_path(replays.held(how, AS_PRINTED).run).tips
        axes.plot(*tips.T, color=color, lw=1.8, label=label, zorder=4)
        axes.plot(*tips[-1], "o", color=color, ms=6, zorder=5)
    even_ticks(fit_axes(axes, arm()))
    legend_above(axes, theme)
    lasting = float(replays.held("start", AS_PRINTED).t[-1])
    axes.text(
        0.02, 0.98, f"printed\ntorques,\n{lasting:.1f} s", transform=axes.transAxes, va="top",
    )  # fmt: skip


def _draw_errors(axes: Axes, theme: Theme) -> None:
    lines: dict[str, Any] = {
        "held 30 ms, from rest": replays.held("rest"),
        "held 30 ms": replays.held("start"),
        "held 1 ms": replays.held("millisecond"),
        **{f"rtol {key}": replays.continuous(rtol) for key, rtol in replays.TOLERANCES.items()},
    }
    for (name, told), style in zip(lines.items(), series(len(lines), theme), strict=True):
        curve(axes, told.t, np.maximum(told.size, LEAST), name, style)
    _bounds(axes, theme)
    axes.set_ylim(LOWEST, HIGHEST)
    finish(axes, theme, ylabel="tip error [m]")
    legend_above(axes, theme, columns=3)


def _draw_growth(axes: Axes, name: str, theme: Theme) -> None:
    told = replays.growth(name)
    for digits in replays.LAST_DIGITS:
        one = replays.continuous(replays.TOLERANCES["1e-13"], name, digits)
        label = "nine replays, rtol 1e-13" if digits == 0 else ""
        style = {"color": theme.data[0], "lw": 0.9}
        curve(axes, one.t, np.maximum(one.size, LEAST), label, style)
    expected = replays.predicted(name)
    early = told.t <= 1.15 * expected.far
    line = ROUNDING * np.exp(np.minimum(told.tip_growth[early], 50.0))
    style = {"color": theme.data[1], "lw": 2.2}
    curve(axes, told.t[early], line, "1e-16, as Φ lets it grow", style)
    _bounds(axes, theme)
    found = np.median(replays.tightest(name), axis=0)
    for tube, when, measured in zip(replays.TUBES, expected, found, strict=True):
        axes.plot(when, tube, "o", color=theme.data[1], ms=7, zorder=5)
        axes.plot(measured, tube, "s", color=theme.data[0], ms=7, zorder=5)
    axes.set_ylim(LEAST, 1.0)
    finish(axes, theme, ylabel="tip error [m]")
    near, middle = expected.near, float(found[0])
    axes.text(
        0.97, 0.05, f"{INERTIAS[name]}\n1 cm off: predicted {near:.2f} s\nmeasured {middle:.2f} s",
        transform=axes.transAxes, ha="right", fontsize=11,
    )  # fmt: skip


def _bounds(axes: Axes, theme: Theme) -> None:
    axes.set_yscale("log")
    for tube in replays.TUBES:
        axes.axhline(tube, color=theme.muted, lw=1.0, ls=(0, (4, 3)), zorder=1.5)


def _envelope(size: Array, pieces: int = 600) -> Array:
    """Return the largest error of each of many short stretches: what lies between is of no use."""
    length = len(size) // pieces
    return np.asarray(size[: pieces * length].reshape(pieces, length).max(axis=1))


def _length(value: float) -> str:
    return f"{1e6 * value:.3g} µm" if value < 1e-3 else f"{1e3 * value:.3g} mm"

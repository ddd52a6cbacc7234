"""The path of paper 000, the rates and torques along it, and the errata of their listings."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import ulna
from papers.figures import PATTERNS, curve, finish, legend_above, page_of_panels, series
from papers.kehl import printed, rows
from papers.kehl.motions import (
    AS_PRINTED,
    DENSE,
    MASSES,
    RODS,
    arm,
    differences,
    exact,
    largest,
    peak,
    plan,
    rms,
    swept,
    torques,
)
from papers.kehl.printed import Array
from papers.rows_file import Values
from ulna.dynamics import inverse_dynamics
from ulna.viewer import PRINT, Theme, draw_arm, draw_reach, fit_axes, styled

INNER = slice(1, -1)  # the ends are beside the path
TIMES = printed.TIMES[INNER]
WAYS = {  # of Figure 5: preset and motion
    "as_printed": (AS_PRINTED, "differences"),
    "as_printed_exact": (AS_PRINTED, "exact"),
    "rods": (RODS, "differences"),
    "rods_exact": (RODS, "exact"),
}
UNIT = "torque [N·m]"
NAMES = "joint 1", "joint 2"


@rows.values("path")
def path() -> Values:
    motion = plan().trajectory.tip(DENSE)
    radius, speed = (np.linalg.norm(part, axis=-1) for part in motion[:2])
    bend = np.degrees(plan().trajectory(DENSE).q[:, 1])
    return {
        **{
            name: {"least": values.min(), "most": values.max()}
            for name, values in {"radius": radius, "speed": speed, "bend": bend}.items()
        },
        "switches": np.count_nonzero(np.diff(np.sign(bend))),
    }


@rows.picture("000-figure-4.svg")
def path_figure(theme: Theme = PRINT) -> Figure:
    """Draw the path inside the reach, and the arm at its start."""
    made = plan()
    way = made.trajectory.tip(printed.TIMES).position
    with styled(theme):
        figure = Figure(figsize=(6.6, 6.8), layout="constrained", dpi=150)
        axes = figure.add_subplot()
        draw_reach(axes, arm(), theme=theme)
        draw_arm(axes, arm(), made.q[0], theme=theme)
        axes.plot(*way.T, color=theme.data[1], lw=1.8, label="desired path", zorder=3.2)
        axes.plot(
            *way[0], "o", ms=12, mfc="none", mec=theme.data[3], mew=2.0, ls="", label=" start"
        )
        axes.plot([], [], color=theme.muted, ls=(0, (4, 3)), label="reach")
        fit_axes(axes, arm())
        legend_above(axes, theme)
        axes.set_title("the path")
    return figure


@rows.values("rates")
def rates_by_differences() -> Values:
    rough, right = differences(), exact()
    late, bend = rough.qd - right.qd, rough.qdd - right.qdd
    middle = late + 0.5 * printed.DT * rough.qdd
    return {
        "peak_rate": peak(right.qd),
        "peak_acceleration": peak(right.qdd),
        "rate": peak(late[INNER]),
        "rate_centred": peak(middle[INNER]),
        "acceleration": peak(bend[INNER]),
    }


@rows.values("torques")
def torques_along_the_path() -> Values:
    found = {name: torques(*way) for name, way in WAYS.items()}
    dense = {"as_printed": AS_PRINTED, "rods": RODS}
    return {
        "count": len(TIMES),
        **{name: {"peak": peak(tau), "rms": rms(tau)} for name, tau in found.items()},
        **{f"{name}_dense_peak": peak(torques(arm, "dense")) for name, arm in dense.items()},
    }


@rows.picture("000-figure-5.svg")
def torque_figure(theme: Theme = PRINT) -> Figure:
    """Draw both torques as printed, with the right inertias, and with exact derivatives."""
    ways: dict[str, tuple[Array, dict[str, Any]]] = {
        "as printed": (torques(AS_PRINTED, "differences"), {"color": theme.data[0]}),
        "I = m l²/12": (torques(RODS, "differences"), {"color": theme.data[1], "lw": 2.6}),
        "I = m l²/12, exact derivatives": (
            torques(RODS, "exact"),
            {"color": theme.foreground, "ls": PATTERNS[3], "lw": 1.3},
        ),
    }
    with styled(theme):
        figure, panels = page_of_panels("the torques along the path", (2.5, 2.5))
        for joint, axes in enumerate(panels):
            for name, (tau, style) in ways.items():
                curve(axes, TIMES, tau[:, joint], name, style)
            finish(axes, theme, ylabel=UNIT)
            axes.set_title(NAMES[joint])
            axes.set_xlim(0.0, printed.DURATION)
        panels[1].legend().remove()
    return figure


@rows.values("mass-sweep")
def masses_swept() -> Values:
    peaks = {link: np.asarray(swept(link).dataset["torque.peak"]) for link in (1, 2)}
    return {
        f"m{link}": {f"{mass:g}": row for mass, row in zip(MASSES, table, strict=True)}
        for link, table in peaks.items()
    }


@rows.picture("000-figure-8.svg")
def sweep_figure(theme: Theme = PRINT) -> Figure:
    """Draw both torques for six masses of link 1, and of link 2."""
    with styled(theme):
        title = "the torques for links of other masses"
        figure, panels = page_of_panels(title, (2.2, 2.2), wide=11.0, columns=2)
        for k, axes in enumerate(panels):
            joint, link = divmod(k, 2)
            torques = np.asarray(swept(link + 1).dataset["torque"])
            _draw_masses(axes, torques[..., joint], theme)
            held = "m₂ = 10 kg" if link == 0 else "m₁ = 1 kg"
            same = " (one curve)" if joint == 1 and link == 0 else ""
            axes.set_title(f"{NAMES[joint]}, m{'₁₂'[link]} varied, {held}{same}")
            finish(axes, theme, ylabel=UNIT)
            axes.set_xlim(0.0, printed.DURATION)
            axes.legend().remove()
        for joint in (0, 1):
            _share_scale(panels[2 * joint : 2 * joint + 2])
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize=9)
    return figure


def _draw_masses(axes: Axes, tau: Array, theme: Theme) -> None:
    """Draw a torque (6, k) for each mass; where all are one, the last one hides the others."""
    for mass, values, style in zip(MASSES, tau, series(len(MASSES), theme), strict=True):
        curve(axes, TIMES, values, f"{mass:g} kg", {**style, "lw": 1.2})


def _share_scale(panels: list[Axes]) -> None:
    low = min(axes.get_ylim()[0] for axes in panels)
    high = max(axes.get_ylim()[1] for axes in panels)
    for axes in panels:
        axes.set_ylim(np.floor(low), np.ceil(high))


@rows.values("erratum-12")
def tangents_at_both_ends() -> Values:
    points = plan().trajectory.tip(printed.TIMES).position
    off = 1e3 * np.hypot(*(printed.path() - points).T)
    ends = {
        name: np.abs(torques(name, "differences") - torques(name, "exact"))[[0, -1]].max(axis=0)
        for name in (RODS, AS_PRINTED)
    }
    return {
        "start": off[0],
        "end": off[-1],
        "between": off[INNER].max(),
        "torque": ends[RODS],
        **{f"torque_{k}_as_printed": value for k, value in enumerate(ends[AS_PRINTED], start=1)},
    }


@rows.values("erratum-14")
def velocities_wrapped() -> Values:
    fastest = float(peak(exact().qdd).max())
    return {"step": np.pi / fastest, "read": printed.wrap_delta(4.0, 0.0)}


@rows.values("erratum-16")
def velocities_half_a_step_behind() -> Values:
    q, lagging, qdd = differences()
    centred = lagging + 0.5 * printed.DT * qdd
    late, timely = (inverse_dynamics(arm(), q, qd, qdd) for qd in (lagging, centred))
    return {
        "lag": 500.0 * printed.DT,
        "rate": peak((lagging - exact().qd)[INNER]),
        "torque": peak((late - timely)[INNER]),
    }


@rows.values("erratum-17")
def inertias() -> Values:
    large, right = (
        np.array([link.inertia for link in arm(name).links]) for name in (AS_PRINTED, RODS)
    )
    return {
        "inertia": right,
        "as_printed": large,
        "ratio": large / right,
        "torque": peak(torques(AS_PRINTED, "exact") - torques(RODS, "exact")),
    }


@rows.values("erratum-18")
def order_of_the_listings() -> Values:
    early = [name for name, code in printed.NEEDED.items() if code < printed.DEFINED[name]]
    inner, outer = (link.mass for link in arm().links)
    return {
        "names": ", ".join(f"`{name}`" for name in early),
        "functions": len(early),
        "inner": inner,
        "outer": outer,
    }


@rows.values("erratum-19")
def plot_of_the_reach() -> Values:
    other = ulna.Arm.rods([0.7, 0.4], [1.0, 1.0]).reach
    return {"reach": arm().reach, "other": other, "beyond": other - 1.0}


@rows.values("erratum-25")
def times_of_the_torques() -> Values:
    between = (printed.TIMES[:-1] + printed.TIMES[1:]) / 2
    theirs = (between[:-1] + between[1:]) / 2
    return {
        "points": printed.COUNT,
        "off": largest(theirs - TIMES),
        "half": 500.0 * printed.DT,
        "count": len(theirs),
    }

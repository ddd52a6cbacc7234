"""Torques fed back into the arm, and when its tip is lost: Figure 6 of paper 000, and why.

The printed torques are at t[1:-1]: the first, held from t[1] to t[2], belongs to the state at t[1],
and the replay of them starts there.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import ulna
from papers.figures import curve, finish, legend_above, series
from papers.kehl import printed, rows
from papers.kehl.motions import (
    AS_PRINTED,
    INERTIAS,
    RODS,
    W,
    arm,
    plan,
    printed_plan,
    torque_at,
)
from papers.kehl.printed import Array
from papers.rows_file import Values
from ulna.analysis import Stability, Tracking, stability, tracking
from ulna.viewer import PRINT, Theme, draw_reach, fit_axes, styled

TUBES = (0.01, 0.1)  # [m]
BEYOND = 0.3  # [m] off the path, where a replay has nothing more to tell
LAST_DIGITS = range(-4, 5)  # of one angle, by which starts differ where rounding decides
FINE = 1e-14  # absolute tolerance of the replays
# What 113-bit arithmetic gave where these replays were first made; ulna computes in 53 bits.
QUOTED = {"kehl": (11.50, 11.85), "kehl-as-printed": (18.24, 18.97)}  # [s] to 1 cm and 10 cm
PAGE = (11.0, 5.4)  # [inches]
LEAST, LOWEST, HIGHEST = 1e-17, 1e-13, 10.0  # [m] of errors: zero is drawn as the first
ROUNDING = 1e-16
ENDINGS = {RODS: "", AS_PRINTED: "_as_printed"}  # of the names of values


class Exit(NamedTuple):
    """When [s] the tip of a replay is 1 cm and 10 cm off."""

    near: float
    far: float


class Held(NamedTuple):
    """Which torques are held, for how long, and with which rates the arm starts."""

    exact: bool = False  # else those of the listing
    short: bool = False  # for 1 ms, from the start of the path; else for 30 ms, from t[1]
    rates: str = "exact"  # "listing": its differences, which are half a step old; or "rest"


HELD = {
    "rest": Held(rates="rest"),
    "differences": Held(rates="listing"),
    "start": Held(),
    "step": Held(exact=True),
    "millisecond": Held(exact=True, short=True),
}
TOLERANCES = {"1e-6": 1e-6, "1e-9": 1e-9, "1e-13": 1e-13}


@cache
def held(how: str, name: str = RODS) -> Tracking:
    """Replay torques that are held, and return how far off the tip is."""
    replay, way, table = HELD[how], plan(name), printed_plan(name)
    first = 0.0 if replay.short else float(table.t[0])
    times = np.arange(2601) / 1000.0 if replay.short else printed.DT * np.arange(60)
    tau = way.torque_at(first + times) if replay.exact else table.tau[: len(times)]
    start = way.trajectory(first)
    rates = {"exact": start.qd, "listing": table.qd[0], "rest": None}
    run = ulna.simulate(
        way.arm,
        q0=start.q,
        qd0=rates[replay.rates],
        duration=float(times[-1]),
        torque=(times, tau),
        samples=times,
    )
    return tracking(run, way, start=first)


@cache
def continuous(rtol: float, name: str = RODS, digits: int = 0) -> Tracking:
    """Replay the exact torques at every instant, to a tolerance, until the tip is far off.

    The first angle at the start is so many units in its last digit off.
    """
    way = plan(name)
    start = way.trajectory(0.0)
    longest = 1.5 * predicted(name).far
    run = ulna.simulate(
        way.arm,
        q0=start.q + np.spacing(start.q) * np.array([digits, 0]),
        qd0=start.qd,
        duration=longest,
        torque=torque_at(way.arm),
        method="dop853",
        rtol=rtol,
        atol=FINE,
        samples=np.arange(0.0, longest, 0.02),
        events={f"{tube}": _off_by(tube) for tube in TUBES},
        until=_off_by(BEYOND),
    )
    return tracking(run, way)


def exits(told: Tracking) -> Exit:
    """Return when a replay is lost: as was watched for, or else by its samples.

    One that ends before it is lost is lost at its end.
    """
    return Exit(*(_left(told, tube) for tube in TUBES))


def _left(told: Tracking, tube: float) -> float:
    seen = [event.t for event in told.run.events if event.name == f"{tube}"]
    when = seen[0] if seen else told.first_exit(tube)
    return float(told.t[-1]) if when is None else when


@cache
def tightest(name: str = RODS) -> Array:
    """Return the exits (9, 2) of replays at rtol 1e-13 whose starts differ in the last digit."""
    found = [exits(continuous(TOLERANCES["1e-13"], name, digits)) for digits in LAST_DIGITS]
    return np.array(found)


@cache
def growth(name: str = RODS) -> Stability:
    """Describe how errors grow along the path without feedback."""
    return stability(plan(name))


def predicted(name: str = RODS) -> Exit:
    """Return when an error of 1e-16 at the start should take the tip off the path."""
    told = growth(name)
    return Exit(*(told.predicted_exit(tube) or math.inf for tube in TUBES))


def _off_by(far: float) -> str:
    """Write that the tip is so far off the path."""
    circle, loop, many = printed.CIRCLE, printed.LOOP, printed.LOOPS + 1
    x = f"x + {circle}*sin({W!r}*t) - {loop}*sin({many * W!r}*t)"
    y = f"y - {circle}*cos({W!r}*t) + {loop}*cos({many * W!r}*t)"
    return f"({x})**2 + ({y})**2 > {far**2!r}"


@rows.values("replay")
def replayed() -> Values:
    found: dict[str, float] = {}
    for name, ending in ENDINGS.items():
        tightest_exits = tightest(name)
        times = {
            **{how: exits(held(how, name)) for how in HELD},
            **{rtol: exits(continuous(TOLERANCES[rtol], name)) for rtol in ("1e-6", "1e-9")},
            "1e-13": np.median(tightest_exits, axis=0),
            "earliest": tightest_exits.min(axis=0),
            "latest": tightest_exits.max(axis=0),
        }
        for line, (near, far) in times.items():
            found |= {f"{line}_near{ending}": near, f"{line}_far{ending}": far}
    return found


@rows.values("replay-113-bit")
def replayed_in_113_bits() -> Values:
    return {
        f"quoted_{column}{ending}": when
        for name, ending in ENDINGS.items()
        for column, when in zip(("near", "far"), QUOTED[name], strict=True)
    }


@rows.values("stability")
def growth_of_errors() -> Values:
    found: dict[str, float] = {}
    for name, ending in ENDINGS.items():
        told, expected = growth(name), predicted(name)
        near, far = np.median(tightest(name), axis=0)
        values = {
            **{f"exponent_{k}": rate for k, rate in enumerate(told.exponents, start=1)},
            "digits": _digits_lost(name),
            "growth": told.growth_rate(0.0, 10.0),
            "predicted_near": expected.near,
            "measured_near": near,
            "predicted_far": expected.far,
            "measured_far": far,
        }
        found |= {f"{key}{ending}": value for key, value in values.items()}
    apart = [
        abs(found[f"measured_{tube}{ending}"] / found[f"predicted_{tube}{ending}"] - 1.0)
        for tube in Exit._fields
        for ending in ENDINGS.values()
    ]
    return {**found, "apart": 100.0 * max(apart)}


def _digits_lost(name: str) -> float:
    return growth(name).growth_at(10.0) / math.log(10.0)


@rows.values("erratum-22")
def why_the_replay_diverges() -> Values:
    near, far = np.median(tightest(RODS), axis=0)
    return {
        "digits": _digits_lost(RODS),
        "predicted": predicted(RODS).near,
        "near": near,
        "far": far,
        "quoted": QUOTED[RODS][0],
    }


@rows.picture("000-figure-6.svg")
def replay_figure(theme: Theme = PRINT) -> Figure:
    """Draw the way of the tip under the printed torques, and the errors of all"""
    with styled(theme):
        figure = Figure(figsize=PAGE, dpi=150)
        figure.set_layout_engine("constrained", w_pad=0.1, h_pad=0.08)
        ways, errors = figure.subplots(1, 2)
        _draw_ways(ways, theme)
        _draw_errors(errors, theme)
    return figure


def _draw_ways(axes: Axes, theme: Theme) -> None:
    draw_reach(axes, arm(), theme=theme)
    path = plan().trajectory.tip(printed.TIMES).position
    axes.plot(*path.T, color=theme.data[1], alpha=0.4, lw=2.4, label="reference path", zorder=2)
    for how, color, label in (
        ("start", theme.data[0], "exact start"),
        ("rest", theme.data[2], "from rest"),
    ):
        tips = held(how, AS_PRINTED).run.tip[:, :2]
        axes.plot(*tips.T, color=color, lw=1.8, label=label, zorder=4)
        axes.plot(*tips[-1], "o", color=color, ms=6, zorder=5)
    fit_axes(axes, arm())
    legend_above(axes, theme)
    lasting = float(held("start", AS_PRINTED).t[-1])
    axes.text(
        0.02, 0.98, f"printed\ntorques,\n{lasting:.1f} s", transform=axes.transAxes, va="top",
    )  # fmt: skip


def _draw_errors(axes: Axes, theme: Theme) -> None:
    lines: dict[str, Any] = {
        "held 30 ms, from rest": held("rest"),
        "held 30 ms": held("start"),
        "held 1 ms": held("millisecond"),
        **{f"rtol {key}": continuous(rtol) for key, rtol in TOLERANCES.items()},
    }
    for (name, told), style in zip(lines.items(), series(len(lines), theme), strict=True):
        curve(axes, told.t, np.maximum(told.size, LEAST), name, style)
    _bounds(axes, theme)
    axes.set_ylim(LOWEST, HIGHEST)
    finish(axes, theme, ylabel="tip error [m]", columns=3)


@rows.picture("000-stability.svg")
def stability_figure(theme: Theme = PRINT) -> Figure:
    """Draw an error as it should grow, and as it does in"""
    with styled(theme):
        figure = Figure(figsize=PAGE, dpi=150)
        figure.set_layout_engine("constrained", w_pad=0.1, h_pad=0.08)
        panels: Any = figure.subplots(1, 2, sharey=True)
        for axes, name in zip(panels, INERTIAS, strict=True):
            _draw_growth(axes, name, theme)
        panels[1].set_ylabel("")
    return figure


def _draw_growth(axes: Axes, name: str, theme: Theme) -> None:
    told = growth(name)
    for digits in LAST_DIGITS:
        one = continuous(TOLERANCES["1e-13"], name, digits)
        label = "nine replays, rtol 1e-13" if digits == 0 else ""
        style = {"color": theme.data[0], "lw": 0.9}
        curve(axes, one.t, np.maximum(one.size, LEAST), label, style)
    expected = predicted(name)
    early = told.t <= 1.15 * expected.far
    line = ROUNDING * np.exp(np.minimum(told.tip_growth[early], 50.0))
    style = {"color": theme.data[1], "lw": 2.2}
    curve(axes, told.t[early], line, "1e-16, as Φ lets it grow", style)
    _bounds(axes, theme)
    found = np.median(tightest(name), axis=0)
    for tube, when, measured in zip(TUBES, expected, found, strict=True):
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
    for tube in TUBES:
        axes.axhline(tube, color=theme.muted, lw=1.0, ls=(0, (4, 3)), zorder=1.5)

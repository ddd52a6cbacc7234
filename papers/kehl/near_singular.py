"""Paths that come close to postures from which the tip cannot be led everywhere.

Two links of the same length have two of these: folded, with the tip on the base, and straight,
with the tip at the rim of what they reach. The shape of the paper's
Figure 3 is not known; straight lines show the same.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import ulna
from papers.figures import PATTERNS, curve, finish, legend_above, series
from papers.kehl import printed, rows
from papers.kehl.motions import arm, broken, switches
from papers.kehl.printed import Array
from papers.rows_file import Values
from ulna.arm import Arm
from ulna.kinematics import condition_number, elbow_side
from ulna.motion import Plan
from ulna.viewer import PRINT, Theme, draw_arm, draw_ghosts, draw_reach, fit_axes, styled

SPEED = 0.25  # [m/s] of the tip
HALF = 0.6  # [m] of the line to both sides of the base
PAST_BASE = (0.1, 0.03, 0.01, 0.003, 0.001)  # [m] from the base, at least
FROM_RIM = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)  # [m] from the rim, at the end
SHOWN = 0.03  # [m] from the base, of the line that is shown
STEP = 0.01  # [s] between samples
MIDDLE = HALF / SPEED  # [s]
PAGE = (9.0, 7.4)  # [inches] of four panels


@rows.values("singular")
def close_to_singularity() -> Values:
    kept, lost, closest = nearest_branch(), upper_elbow(), min(PAST_BASE)
    return {
        "speed": SPEED,
        "closest": 1e3 * closest,
        "fastest": speed_past_base(closest),
        "sample": STEP,
        "switches": switches(kept),
        "step": largest_step(kept),
        "switches_up": switches(lost),
        "step_up": largest_step(lost),
        "past": {f"{d:g}": speed_past_base(d) for d in PAST_BASE},
        "rim": {f"{d:g}": speed_at_rim(d) for d in FROM_RIM},
        "condition": condition_past_base(closest),
    }


@rows.values("erratum-23")
def what_the_check_prevents() -> Values:
    closest = min(FROM_RIM)
    return {
        "speed": SPEED,
        "closest": 1e3 * closest,
        "fastest": speed_at_rim(closest),
        "rim": {f"{d:g}": speed_at_rim(d) for d in FROM_RIM},
        "switches": switches(to_rim(closest).q),
    }


@cache
def past_base(distance: float) -> Plan:
    """Lead the tip past the base along a straight line, this far above it."""
    line = ulna.paths.line((-HALF, distance), (HALF, distance))
    return ulna.plan(arm(), line, duration=2.0 * MIDDLE, elbow="positive")


@cache
def to_rim(gap: float) -> Plan:
    """Lead the tip straight outwards, up to this far from the rim."""
    line = ulna.paths.line((0.5, 0.0), (1.0 - gap, 0.0))
    return ulna.plan(arm(), line, duration=(0.5 - gap) / SPEED, elbow="positive")


def speed_past_base(distance: float) -> float:
    """Return the speed [rad/s] of the faster joint where the tip is above the base."""
    return float(np.abs(past_base(distance).trajectory(MIDDLE).qd).max())


def speed_at_rim(gap: float) -> float:
    """Return the speed [rad/s] of the faster joint at the end of the way outwards."""
    made = to_rim(gap)
    return float(np.abs(made.trajectory(made.duration).qd).max())


def condition_past_base(distance: float) -> float:
    """Return the condition number where the tip is above the base."""
    return float(condition_number(arm(), past_base(distance).trajectory(MIDDLE).q))


def times() -> Array:
    """Return the times [s] of the samples along a line past the base."""
    return np.asarray(STEP * np.arange(round(2.0 * MIDDLE / STEP) + 1))


def points() -> Array:
    """Return the samples (k, 2) of the line that is shown."""
    x = -HALF + SPEED * times()
    return np.stack([x, np.full_like(x, SHOWN)], axis=-1)


@cache
def nearest_branch() -> Array:
    """Return the angles (k, 2) by the paper's check: always the solution next to the last."""
    return printed.joint_trajectory(points(), 0.5, 0.5)


@cache
def upper_elbow() -> Array:
    """Return the angles (k, 2) of the solution whose elbow is above, without that check."""
    both = printed.inverse_kinematics_both(points()[:, 0], points()[:, 1], 0.5, 0.5)
    above = elbow_side(arm(), both)[:, 0] > 0.0
    return np.where(above[:, None], both[:, 0], both[:, 1])


def largest_step(angles: Array) -> float:
    """Return the largest change [rad] of an angle from one sample to the next."""
    return float(np.abs(printed.wrap_delta(angles[1:], angles[:-1])).max())


@rows.picture("000-figure-3.svg")
def singular_figure(theme: Theme = PRINT) -> Figure:
    """Draw a line past the base, its angles with the check and without, and the joints' speeds."""
    with styled(theme):
        figure = Figure(figsize=PAGE, dpi=150)
        figure.set_layout_engine("constrained", w_pad=0.12, h_pad=0.12)
        panels = figure.subplots(2, 2)
        _draw_line(panels[0, 0], arm(), theme)
        _draw_angles(panels[0, 1], theme)
        _draw_speeds(panels[1, 0], theme)
        _draw_growth(panels[1, 1], theme)
    return figure


def _draw_line(axes: Axes, two: Arm, theme: Theme) -> None:
    draw_reach(axes, two, theme=theme)
    postures = nearest_branch()
    draw_ghosts(axes, two, postures[::20], theme=theme, count=9)
    draw_arm(axes, two, postures[-1], theme=theme)
    axes.plot(*points().T, color=theme.data[1], lw=1.8, zorder=3.5)
    fit_axes(axes, two)
    axes.set_title(f"a line {100 * SHOWN:g} cm above the base")


def _draw_angles(axes: Axes, theme: Theme) -> None:
    t = times()
    angles_by = {"upper elbow": upper_elbow(), "nearest": nearest_branch()}
    for (name, angles), pattern in zip(angles_by.items(), (PATTERNS[3], "-"), strict=True):
        for joint, color in enumerate(theme.data[:2]):
            values = broken(np.degrees(angles[:, joint]))
            label = f"$\\theta_{joint + 1}$, {name}"
            curve(axes, t, values, label, {"color": color, "ls": pattern})
    finish(axes, theme, ylabel="angle [deg]", columns=2)


def _draw_speeds(axes: Axes, theme: Theme) -> None:
    shown = PAST_BASE[:3]
    for distance, style in zip(reversed(shown), series(len(shown), theme), strict=True):
        made = past_base(distance)
        t = MIDDLE + np.sinh(np.linspace(-8.0, 8.0, 1201)) / np.sinh(8.0) * MIDDLE
        speed = np.abs(made.trajectory(t).qd).max(axis=-1)
        curve(axes, t, speed, f"{100 * distance:g} cm from base", style)
    finish(axes, theme, ylabel="faster joint [rad/s]")


def _draw_growth(axes: Axes, theme: Theme) -> None:
    past = [speed_past_base(d) for d in PAST_BASE]
    rim = [speed_at_rim(d) for d in FROM_RIM]
    axes.loglog(PAST_BASE, past, "o-", color=theme.data[0], label="past the base: v/d")
    axes.loglog(FROM_RIM, rim, "s-", color=theme.data[1], label="to the rim: v √(2/d)")
    axes.set(xlabel="nearest distance d [m]", ylabel="fastest joint [rad/s]")
    legend_above(axes, theme, columns=1)

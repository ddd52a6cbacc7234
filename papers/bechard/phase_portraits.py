"""Figures 1 to 5: phase portraits of one joint in the regimes that the paper draws.

Where the paper does not say how fast its orbits start, the speeds are ours, chosen to show what it
describes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from matplotlib.figure import Figure

from papers.bechard import rows
from papers.bechard.arms import DOWN, DRIVEN, DRIVEN_TORQUE, ONE, UNDER_POWERED
from papers.rows_file import Values
from ulna.analysis import Portrait, portrait
from ulna.dynamics import holding_torque
from ulna.simulation import simulate
from ulna.viewer import PRINT, portrait_figure

PI = np.pi
NEARLY = 3.5  # [rad/s], where the driven arm is counted as running
PRINTED = (4.0, 5.0)  # [rad/s] between which it runs, as the paper says further on


@rows.values("figure-1")
def without_torque() -> Values:
    found = pendulum()
    well = next(rest for rest in found.equilibria if rest.stable)
    return {
        "well": well.angle,
        "real": well.eigenvalues[0].real,
        "imaginary": np.abs(well.eigenvalues.imag).max(),
        "full_turn": found.critical_speeds(0.0, within=(0.0, 5.0))[0].value,
        "turns": {f"{orbit.speed:g}": orbit.fate.turns for orbit in found.orbits},
    }


@rows.values("figure-2")
def damped_and_driven() -> Values:
    return {
        **running_speeds(driven()),
        "fates": fates(driven()),
        "nearly": NEARLY,
        "to_run": time_to_run(),
        "weight": holding_torque(DRIVEN, [0.0])[0],
    }


@rows.values("erratum-7")
def how_fast_it_runs() -> Values:
    speeds = running_speeds(driven())
    low, high = PRINTED
    off = {"low": low - speeds["slowest"], "high": high - speeds["fastest"]}
    return {**speeds, "off": off}


@rows.values("figure-3")
def from_rest() -> Values:
    well, saddle = raised().equilibria
    return {
        **running_speeds(raised()),
        "fates": fates(raised()),
        "well": well.angle,
        "saddle": saddle.angle,
        "ahead": np.degrees(well.angle - DOWN),
        "border": raised().critical_angles(0.0, within=(-np.pi, well.angle))[0].value,
    }


@rows.values("figure-4")
def forwards() -> Values:
    highest, back = lingering()
    return {
        "fates": fates(pushed()),
        "border": pushed().critical_speeds(0.0, within=(0.0, 5.0))[0].value,
        "saddle": next(rest for rest in pushed().equilibria if rest.saddle).angle,
        "highest": highest,
        "back": back,
    }


@rows.values("figure-5")
def backwards() -> Values:
    borders = thrown_back().critical_speeds(0.0, within=(-13.0, 0.0))[::-1]
    return {
        "fates": fates(thrown_back()),
        "border": [border.value for border in borders],
        "sides": [
            "captured above, rotates below"
            if border.above.name.startswith("settles")
            else "rotates above, captured below"
            for border in borders
        ],
    }


def fates(found: Portrait) -> str:
    """Describe what becomes of the starts of a portrait, in their order."""
    return ", ".join(
        "rotates" if orbit.fate.name == "runs on" else "captured" for orbit in found.orbits
    )


def running_speeds(found: Portrait) -> dict[str, float]:
    """Return how fast [rad/s] an arm runs that keeps turning."""
    running = found.running
    assert running is not None  # these motors keep an arm turning that turns
    names = ("slowest", "fastest", "mean", "mean_over_angle")
    return {name: getattr(running, name) for name in names}


@cache
def pendulum() -> Portrait:
    """Return figure 1: no torque."""
    starts = [(0.0, 2.0), (0.0, 5.0), (0.0, 8.0)]
    return portrait(ONE, starts=starts, angles=(-1.5 * PI, 6.5 * PI), speeds=(-9.0, 9.0))


@cache
def driven() -> Portrait:
    """Return figure 2: a torque that is more than the weight."""
    starts = [(0.0, 0.0), (0.0, -2.0), (0.0, 5.0)]
    return portrait(
        DRIVEN, torque=DRIVEN_TORQUE, starts=starts, angles=(-PI, 8.0 * PI), speeds=(-3.0, 6.0)
    )


@cache
def raised() -> Portrait:
    """Return figure 3: an under-powered motor, from rest at three angles."""
    starts = [(-0.5 * PI, 0.0), (-0.75 * PI, 0.0), (-PI, 0.0)]
    return portrait(
        ONE, torque=UNDER_POWERED, starts=starts, angles=(-1.25 * PI, 4.0 * PI), speeds=(-6.0, 12.0)
    )


@cache
def pushed() -> Portrait:
    """Return figure 4: the same motor, level, with three speeds forwards."""
    starts = [(0.0, 1.0), (0.0, 3.07), (0.0, 3.2)]
    return portrait(
        ONE, torque=UNDER_POWERED, starts=starts, angles=(-1.25 * PI, 3.0 * PI), speeds=(-6.0, 10.0)
    )


@cache
def thrown_back() -> Portrait:
    """Return figure 5: the same motor, level, with three speeds backwards."""
    starts = [(0.0, -6.0), (0.0, -9.0), (0.0, -11.0)]
    return portrait(
        ONE, torque=UNDER_POWERED, starts=starts, angles=(-5.0 * PI, PI), speeds=(-12.0, 12.0)
    )


@cache
def time_to_run() -> float:
    """Return the time [s] that the driven arm takes from rest until it is nearly running."""
    run = simulate(
        DRIVEN, q0=[0.0], torque=[DRIVEN_TORQUE], duration=60.0, until=f"qd1 - {NEARLY}",
        samples=2, progress=False,
    )  # fmt: skip
    return float(run.final.t)


@cache
def lingering() -> tuple[float, float]:
    """Return how high [rad] the arm comes from 3.07 rad/s, and when [s] it is back at level."""
    run = simulate(
        ONE, q0=[0.0], qd0=[3.07], torque=[UNDER_POWERED], duration=5.0,
        events={"highest": "qd1", "level": "q1"}, samples=2, progress=False,
    )  # fmt: skip
    highest = next(event for event in run.events if event.name == "highest")
    level = next(event for event in run.events if event.name == "level" and event.t > highest.t)
    return float(highest.q[0]), float(level.t)


def _drawn(made: Callable[[], Portrait]) -> Callable[..., Figure]:
    return lambda theme=PRINT: portrait_figure(made(), theme=theme)


for _number, _made in enumerate((pendulum, driven, raised, pushed, thrown_back), start=1):
    rows.picture(f"001-figure-{_number}.svg")(_drawn(_made))

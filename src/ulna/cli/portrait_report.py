"""What `ulna portrait` prints: equilibria, running solution, critical torques, speeds, starts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ulna.analysis import Portrait, Section
from ulna.analysis.portraits import BasinBoundary
from ulna.analysis.portraits.report_text import (
    EVERYWHERE,
    drive_text,
    eigenvalues_text,
    everywhere_in_equilibrium,
    fate_text,
    left_out,
    run_text,
)
from ulna.cli.terminal import number, say, say_about, show_table

MOST_BORDERS = 12


class CriticalSpeeds(NamedTuple):
    """The critical speeds that were found from an angle, and between which speeds [rad/s]."""

    borders: Sequence[BasinBoundary]
    low: float
    high: float


def show_portrait(portrait: Portrait, name: str, borders: Mapping[float, CriticalSpeeds]) -> None:
    """Print what a portrait shows, with the speeds at which the fate changes by angle."""
    _show_equilibria(portrait, f"{portrait.arm.name or name}, {drive_text(portrait)}")
    say_about("left out", [", ".join(left_out(portrait))] if left_out(portrait) else [])
    running = portrait.running
    say_about("running", ["none" if running is None else run_text(running)])
    torques = portrait.critical_torques
    if torques is not None:
        lifts = f"above {torques.lifting:.9g} N·m it runs from wherever it stands"
        say_about("torques", [lifts, f"above {torques.running:.9g} N·m it keeps running"])
    for angle, critical in borders.items():
        say_about("speeds", _border_lines(portrait, angle, critical))
    say_about(
        "starts",
        [
            f"{number(orbit.angle)} rad, {number(orbit.speed)} rad/s: {fate_text(orbit.fate)}"
            for orbit in portrait.orbits
        ],
    )


def _show_equilibria(portrait: Portrait, title: str) -> None:
    if not portrait.equilibria or everywhere_in_equilibrium(portrait):
        say(title)
        say_about("equilibria", [EVERYWHERE if portrait.equilibria else "none"])
        return
    rows = [
        (one.kind, f"{one.angle:.7g}", f"{math.degrees(one.angle):.5g}", eigenvalues_text(one))
        for one in portrait.equilibria
    ]
    show_table(title, ("equilibrium", "angle [rad]", "[deg]", "eigenvalues [1/s]"), rows)


def _border_lines(portrait: Portrait, angle: float, critical: CriticalSpeeds) -> list[str]:
    head = f"from {number(angle)} rad"
    lines = [
        f"{head} at {border.value:.9g} rad/s: {fate_text(border.below)} | {fate_text(border.above)}"
        for border in critical.borders[:MOST_BORDERS]
    ]
    if len(critical.borders) > MOST_BORDERS:
        lines.append(f"and {len(critical.borders) - MOST_BORDERS} more")
    if not lines and critical.low < critical.high:
        lines.append(f"{head} {_only_fate(portrait, angle, critical)}")
    if (critical.low, critical.high) != portrait.speeds:
        between = f"{number(critical.low, 3)} and {number(critical.high, 3)} rad/s"
        where = (
            f"those between {between} are listed" if critical.low < critical.high else "none listed"
        )
        lines.append(f"{where}; critical_speeds in Python has all")
    return lines


def _only_fate(portrait: Portrait, angle: float, critical: CriticalSpeeds) -> str:
    """Return what becomes of all starts at an angle, where nothing parts them."""
    speeds = np.linspace(critical.low, critical.high, 5)
    label, turns = portrait.fates.of(np.full(speeds.size, angle), speeds)
    found = {portrait.fates.fate(int(a), int(b)) for a, b in zip(label, turns, strict=True)}
    if len(found) > 1:
        return "the fate changes where nothing could be decided"
    return f"at all speeds: {fate_text(found.pop())}"


def show_section(section: Section, name: str) -> None:
    """Print how often the runs passed the section."""
    rows = [
        (str(index), f"{one.run.t[-1]:g}", str(len(one)), one.run.status.text)
        for index, one in enumerate(section.crossings, start=1)
    ]
    title = f"{name}: joint {section.joint} growing through {number(section.angle)} rad"
    show_table(title, ("start", "time [s]", "crossings", ""), rows)

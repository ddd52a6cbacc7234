"""What `ulna portrait` prints: rests, the running solution, critical torques and speeds, starts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ulna.analysis import Portrait, Section
from ulna.analysis.portrait import Border
from ulna.analysis.portrait.words import (
    drive_text,
    eigenvalues_text,
    fate_text,
    left_out,
    run_text,
)
from ulna.cli.terminal import number, say, say_about, show_table

MOST_BORDERS = 12


def show_portrait(portrait: Portrait, name: str, borders: Mapping[float, Sequence[Border]]) -> None:
    """Print what a portrait shows, with the speeds at which the fate changes by angle."""
    _show_rests(portrait, f"{name}, {drive_text(portrait)}")
    say_about("left out", [", ".join(left_out(portrait))] if left_out(portrait) else [])
    running = portrait.running
    say_about("running", ["none" if running is None else run_text(running)])
    torques = portrait.critical_torques
    if torques is not None:
        lifts = f"above {torques.lifting:.9g} N·m it runs from wherever it stands"
        say_about("torques", [lifts, f"above {torques.running:.9g} N·m it keeps running"])
    for angle, found in borders.items():
        say_about("fates", _border_lines(angle, found))
    say_about(
        "starts",
        [
            f"{number(orbit.angle)} rad, {number(orbit.speed)} rad/s: {fate_text(orbit.fate)}"
            for orbit in portrait.orbits
        ],
    )


def _show_rests(portrait: Portrait, title: str) -> None:
    if not portrait.equilibria:
        say(title)
        say_about("rests", ["none"])
        return
    rows = [
        (rest.kind, f"{rest.angle:.7g}", f"{math.degrees(rest.angle):.5g}", eigenvalues_text(rest))
        for rest in portrait.equilibria
    ]
    show_table(title, ("rest", "angle [rad]", "[deg]", "eigenvalues [1/s]"), rows)


def _border_lines(angle: float, borders: Sequence[Border]) -> list[str]:
    head = f"from {number(angle)} rad"
    if not borders:
        return [f"{head} all speeds that are shown have one"]
    lines = [
        f"{head} at {border.value:.9g} rad/s: {fate_text(border.below)} | {fate_text(border.above)}"
        for border in borders[:MOST_BORDERS]
    ]
    if len(borders) > MOST_BORDERS:
        lines.append(f"and {len(borders) - MOST_BORDERS} more")
    return lines


def show_section(section: Section, name: str) -> None:
    """Print how often the runs passed the section."""
    rows = [
        (str(index), f"{one.run.t[-1]:g}", str(len(one)), one.run.status.text)
        for index, one in enumerate(section.passages, start=1)
    ]
    title = f"{name}: joint {section.joint} growing through {number(section.angle)} rad"
    show_table(title, ("start", "time [s]", "passages", ""), rows)

"""Options of `ulna portrait`: states and ranges, and faults by the names that options have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ulna import units
from ulna.arm import Arm
from ulna.cli.angle_option import RELATIVE, Angles
from ulna.cli.arguments import number_reader
from ulna.errors import InputError, Problem, shown

# What Python's words for a setting are called at the command line.
NAMES = {
    "starts": "start",
    "q0": "start",
    "qd0": "start",
    "set_point": "set-point",
    "max_torque": "max-torque",
    "angles": "angle-range",
    "speeds": "speed-range",
    "joint": "section-joint",
    "angle": "section-angle",
}


def read_state(text: str, arm: Arm, angles: Angles = RELATIVE) -> tuple[list[float], list[float]]:
    """Read angles and then speeds, one of each a joint: "0 rad, 3.07 rad/s"."""
    items = units.separate(text)
    n = arm.n
    if len(items) != 2 * n:
        got = f"{len(items)} value{'s' * (len(items) != 1)}"
        need = "an angle and a speed" if n == 1 else f"{n} angles, then {n} speeds"
        such = ", ".join(["0 rad"] * n + ["3 rad/s"] * n)
        raise InputError(Problem("--start", got, need, f'such as "{such}"'))
    first, last = ", ".join(items[:n]), ", ".join(items[n:])
    return angles.read(first, arm, "--start"), angles.read_speeds(last, arm, "--start")


def read_range(text: str, kind: str, what: str, example: str) -> list[float]:
    """Read the least and the largest value of something."""
    values = units.parse_list(text, kind, what=what, number=number_reader(what))
    if len(values) != 2:
        got = f"{len(values)} value{'s' * (len(values) != 1)}"
        raise InputError(Problem(what, got, "two", f'such as "{example}"'))
    if not values[0] < values[1]:
        need = "the smaller value first"
        raise InputError(Problem(what, shown(text), need, f'such as "{example}"'))
    return values


class named_here:  # noqa: N801  # it reads as a function
    """Name what is wrong with an option as it is called at the command line."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        if isinstance(error, InputError):
            raise InputError([_renamed(problem) for problem in error.problems]) from None


def _renamed(problem: Problem) -> Problem:
    if problem.what.startswith("--"):
        return problem
    word = problem.what.partition(".")[0]
    return replace(problem, what=f"--{NAMES.get(word, word)}")

"""What a portrait can be asked: ranges, starts, and joints that are not too stiff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ulna.analysis.portraits.flow import TURN, Flow
from ulna.arrays import number
from ulna.errors import InputError, Problem, shown

MOST_AWAY = 100.0  # turns, from what is shown to a start or to what the controller holds
STIFFEST = 300.0  # b/(M ω) beyond which a joint only creeps


def check_damping(flow: Flow) -> None:
    """Raise InputError for a joint so damped that it only creeps."""
    most = STIFFEST * flow.inertia * flow.natural_frequency
    if flow.damping > most:
        need = f"at most {most:.3g} N·m·s/rad, {STIFFEST:g} times M √(weight/M)"
        raise InputError(Problem("joint damping", f"{flow.damping:g} N·m·s/rad", need))


def check_distances(
    flow: Flow, angles: tuple[float, float], starts: tuple[tuple[float, float], ...]
) -> None:
    """Raise InputError for angles so far away that the equilibria in between fill the memory."""
    if flow.law is None:
        return
    low, high = angles
    places = [("set_point", flow.law.set_point), *(("start", angle) for angle, _ in starts)]
    need = f"at most {MOST_AWAY:g} turns beside the angles that are shown"
    hint = "take off whole turns, or show other angles"
    far = [
        Problem(what, f"{angle:g} rad", need, hint)
        for what, angle in places
        if max(low - angle, angle - high) > MOST_AWAY * TURN
    ]
    # What repeats every turn has its equilibria in one; asked last, as it asks the law far away.
    if far and not flow.cylinder:
        raise InputError(far)


def read_starts(starts: Any) -> list[tuple[float, float]]:
    """Return starts as pairs of angle and speed."""
    try:
        given = list(starts)
    except TypeError:
        raise InputError(Problem("starts", shown(starts), "a list of (angle, speed)")) from None
    return [_read_pair("start", start, "an angle [rad] and a speed [rad/s]") for start in given]


def read_range(what: str, given: Any) -> tuple[float, float]:
    """Return the least and the largest value of a range."""
    low, high = _read_pair(what, given, "the least and the largest value")
    if not low < high:
        raise InputError(Problem(what, shown(given), "a least value below the largest"))
    return low, high


def _read_pair(what: str, given: Any, need: str) -> tuple[float, float]:
    values = list(given) if isinstance(given, Sequence | np.ndarray) else []
    if len(values) != 2 or isinstance(given, str):
        raise InputError(Problem(what, shown(given), need))
    return number(what, values[0]), number(what, values[1])

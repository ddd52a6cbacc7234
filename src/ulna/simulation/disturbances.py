"""What pushes an arm besides its torques: steps, pulses, seeded noise.

Each acts on joint torques [N·m], one a joint, or on the tip as a force x, y [N] (and a moment).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, shown
from ulna.simulation.options import is_number


@dataclass(frozen=True)
class Disturbance:
    """A push that begins, and ends; with `rate` it is noise, drawn anew so many times a second."""

    torque: tuple[float, ...] | None
    force: tuple[float, ...] | None
    start: float  # [s]
    stop: float  # [s]
    rate: float = 0.0  # [Hz]
    seed: int = 0


def step(
    torque: Sequence[float] | None = None, *, force: Sequence[float] | None = None, at: float = 0.0
) -> Disturbance:
    """Push from a time on."""
    return _made(torque, force, at, math.inf)


def pulse(
    torque: Sequence[float] | None = None,
    *,
    force: Sequence[float] | None = None,
    at: float,
    lasting: float,
) -> Disturbance:
    """Push for a while."""
    if not is_number(lasting) or not lasting > 0.0:
        raise InputError(Problem("pulse.lasting", shown(lasting), "a time of more than 0 s"))
    if not is_number(at):
        raise InputError(Problem("pulse.at", shown(at), "a time [s]"))
    return _made(torque, force, at, at + lasting)


def noise(
    torque: Sequence[float] | None = None,
    *,
    force: Sequence[float] | None = None,
    rate: float = 1000.0,
    seed: int = 0,
    at: float = 0.0,
    until: float = math.inf,
) -> Disturbance:
    """Push at random: normal deviates with these standard deviations, drawn `rate` times a second.

    The same seed gives the same pushes, whatever else the run does. Of several, each draws its own
    numbers by its place among them, even with the same seed.
    """
    if not is_number(rate) or not 0.0 < rate < math.inf:
        raise InputError(Problem("noise.rate", shown(rate), "a number of more than 0 Hz"))
    check_seed("noise.seed", seed)
    return _made(torque, force, at, until, rate, seed)


def check_seed(what: str, seed: Any) -> None:
    """Refuse what is no seed: a whole number that fits a machine's word."""
    is_whole = isinstance(seed, Integral) and not isinstance(seed, bool)
    if not is_whole or not 0 <= seed < 2**63:
        raise InputError(Problem(what, shown(seed), "a whole number of at least 0, below 2**63"))


def _made(
    torque: Any, force: Any, start: float, stop: float, rate: float = 0.0, seed: int = 0
) -> Disturbance:
    if (torque is None) == (force is None):
        got = "neither" if torque is None else "both"
        raise InputError(Problem("disturbance", got, "torque= or force="))
    if not is_number(start) or not is_number(stop) or not -math.inf < start <= stop:
        raise InputError(Problem("disturbance", f"{start} s to {stop} s", "times that increase"))
    return Disturbance(
        _values("torque", torque),
        _values("force", force),
        float(start),
        float(stop),
        float(rate),
        int(seed),
    )


def _values(what: str, given: Any) -> tuple[float, ...] | None:
    if given is None:
        return None
    values = np.atleast_1d(float_array(given, f"disturbance.{what}"))
    if values.ndim != 1 or not np.isfinite(values).all():
        raise InputError(Problem(f"disturbance.{what}", shown(given), "finite numbers"))
    return tuple(values.tolist())


def sizes(disturbances: Sequence[Disturbance], n: int) -> Array:
    """Lay disturbances out as rows (d, n+3) of torques, force and moment."""
    rows = np.zeros((len(disturbances), n + 3))
    for row, one in zip(rows, disturbances, strict=True):
        if one.torque is not None:
            if len(one.torque) != n:
                need = f"{n}, one a joint"
                raise InputError(Problem("disturbance.torque", _count(one.torque), need))
            row[:n] = one.torque
        elif one.force is not None:
            if len(one.force) not in (2, 3):
                need = "x, y [N], or x, y and a moment [N·m]"
                raise InputError(Problem("disturbance.force", _count(one.force), need))
            row[n : n + len(one.force)] = one.force
    return rows


def _count(values: Sequence[float]) -> str:
    return f"{len(values)} value{'s' * (len(values) != 1)}"

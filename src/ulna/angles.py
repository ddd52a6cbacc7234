"""Angles: wrapping, wrapped differences, absolute and relative, and other people's zeros.

Inside ulna an angle is in radians, counter-clockwise, and joint angles are relative: q_1 from
the x axis, every other from the link before it. The papers and other libraries measure from
elsewhere; the functions here convert at the edge, by name.
"""

from __future__ import annotations

import math

from ulna.arrays import Array, namespace, running_sum, to_float

__all__ = [
    "TURN",
    "absolute_to_relative",
    "difference",
    "distance",
    "from_zero_down",
    "from_zero_up",
    "relative_to_absolute",
    "to_zero_down",
    "to_zero_up",
    "unwrap",
    "wrap",
]

TURN = 2.0 * math.pi


def wrap(angle: Array, middle: Array = 0.0) -> Array:
    """Bring angles into the turn around `middle`: (middle − π, middle + π].

    An angle that lies there already comes back untouched, to the last bit.

    >>> float(wrap(3.5 * math.pi)) == -0.5 * math.pi
    True
    """
    xp = namespace(angle, middle)
    angle, middle = to_float(xp, angle), to_float(xp, middle)
    start, end = middle - math.pi, middle + math.pi
    # ceil(x - 1/2) rounds halves down, so that a half turn maps to +π and never to −π.
    wrapped = angle - TURN * xp.ceil((angle - middle) / TURN - 0.5)
    # Rounding can leave an angle an ulp past either end of the turn: both ends are the upper one.
    wrapped = xp.where((wrapped > end) | (wrapped <= start), end, wrapped)
    return xp.where((angle > start) & (angle <= end), angle, wrapped)


def difference(to: Array, from_: Array) -> Array:
    """Return the shortest signed turn that leads from `from_` to `to`, in (−π, π]."""
    xp = namespace(to, from_)
    return wrap(to_float(xp, to) - to_float(xp, from_))


def distance(to: Array, from_: Array) -> Array:
    """Return the Euclidean distance of two postures (…, n) with every joint's turn wrapped."""
    turn = difference(to, from_)
    xp = namespace(turn)
    return xp.sqrt(xp.sum(turn * turn, axis=-1))


def unwrap(angle: Array, axis: int = -2) -> Array:
    """Remove 2π jumps along `axis` (time, by default the last but one)."""
    xp = namespace(angle)
    angle = xp.moveaxis(to_float(xp, angle), axis, 0)
    steps = difference(angle[1:, ...], angle[:-1, ...]) - (angle[1:, ...] - angle[:-1, ...])
    turns = xp.cumulative_sum(xp.round(steps / TURN), axis=0)
    return xp.moveaxis(xp.concat([angle[:1, ...], angle[1:, ...] + TURN * turns]), 0, axis)


def relative_to_absolute(q: Array) -> Array:
    """Turn joint angles q (…, n) into link angles φ from the x axis: φ_i = q_1 + … + q_i.

    Rates and accelerations convert in the same way.
    """
    xp = namespace(q)
    return running_sum(xp, to_float(xp, q))


def absolute_to_relative(phi: Array) -> Array:
    """Turn link angles φ (…, n), as papers 001 and 002 use, into joint angles q."""
    xp = namespace(phi)
    phi = to_float(xp, phi)
    return xp.concat([phi[..., :1], phi[..., 1:] - phi[..., :-1]], axis=-1)


def from_zero_down(theta: Array) -> Array:
    """Read joint angles whose first is zero when the link hangs down (Acrobot)."""
    return _turn_first(theta, -0.5 * math.pi)


def to_zero_down(q: Array) -> Array:
    """Write joint angles with the first counted from straight down (Acrobot)."""
    return _turn_first(q, 0.5 * math.pi)


def from_zero_up(theta: Array) -> Array:
    """Read joint angles whose first is zero when the link stands up (Pendulum)."""
    return _turn_first(theta, 0.5 * math.pi)


def to_zero_up(q: Array) -> Array:
    """Write joint angles with the first counted from straight up (Pendulum)."""
    return _turn_first(q, -0.5 * math.pi)


def _turn_first(q: Array, by: float) -> Array:
    xp = namespace(q)
    q = to_float(xp, q)
    return xp.concat([q[..., :1] + by, q[..., 1:]], axis=-1)


def __getattr__(name: str) -> object:
    hint = "" if name.startswith("__") else _hint(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


_GUESSES = {
    "angles.wrap(angle) brings angles into (-pi, pi]": (
        "wrap_to_pi wrap_angle wrap_angles normalize normalise normalize_angle"
    ),
    "angles.difference(to, from_) is the shortest turn": "diff angle_difference shortest subtract",
    "angles are in radians: use numpy.radians and numpy.degrees at the edge": (
        "radians degrees deg2rad rad2deg to_radians to_degrees deg rad"
    ),
    "angles.relative_to_absolute(q) and angles.absolute_to_relative(phi) convert": (
        "to_absolute to_relative absolute relative"
    ),
}


def _hint(name: str) -> str:
    from ulna.errors import did_you_mean

    told = next((text for text, names in _GUESSES.items() if name in names.split()), "")
    told = told or did_you_mean(name, __all__)
    return f"; {told}" if told else ""

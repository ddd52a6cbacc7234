"""Can the arm move without moving any mass? Then its mass matrix is singular in some pose.

A hollow link, with neither mass nor inertia, turns for nothing unless what follows holds its end.
One walk from the base decides it for every pose at once: the worst pose is the one in which the
velocities line up.
"""

from __future__ import annotations

import math
from enum import Enum, auto

import numpy as np

from ulna.arm.arm_checks import Problems
from ulna.arm.parameters import Parameters

VANISHING = 1e-250  # [kg·m²] of an inertia about a joint that arithmetic loses


class _Next(Enum):
    HELD = auto()  # no rate so far can be other than zero
    LOOSE = auto()  # one link may turn, its end moving
    LOST = auto()  # rates found that move no mass


def check_mobility(checks: Problems, parameters: Parameters) -> None:
    """Note the links whose motion no mass, inertia or rotor feels."""
    _check_sizes(checks, parameters)
    state, hollow = _Next.HELD, 0
    for link in range(parameters.n):
        before = state
        state = _step(parameters, link, state)
        if before is _Next.HELD and state is _Next.LOOSE:
            hollow = link
        if state is _Next.LOST:
            _blame(checks, parameters, hollow)
            # What lies beyond is judged as if the hollow link were mended.
            state = _Next.HELD
    if state is _Next.LOOSE:
        _blame(checks, parameters, hollow)


def _step(p: Parameters, link: int, state: _Next) -> _Next:
    """Go past one link: from what may move at its near joint to what may at its far one."""
    masses = _points(p, link)
    if state is _Next.HELD:
        return _Next.HELD if _feels(p, link) else _Next.LOOSE
    geared = p.rotor_inertia[link] > 0 and p.gear_ratio[link] != 1.0
    if geared:
        # A geared rotor ties this link's rate to the loose one's, and some lengths then agree.
        return _Next.LOST
    if p.inertia[link] > 0 or p.rotor_inertia[link] > 0:
        return _Next.HELD if masses else _Next.LOOSE
    if len(masses) > 1:
        return _Next.HELD
    # One mass stays at rest if the link turns about it; at the far joint that ends the motion.
    far = complex(p.length[link], 0.0)
    return _Next.LOOSE if masses and far not in masses else _Next.LOST


def _feels(p: Parameters, link: int) -> bool:
    """Return whether turning the link alone about its near joint moves any mass."""
    swings = any(point != 0 for point in _points(p, link))
    return bool(swings or p.inertia[link] > 0 or p.rotor_inertia[link] > 0)


def _points(p: Parameters, link: int) -> set[complex]:
    """Return where the link has mass, as complex numbers from its near joint."""
    points = set()
    if p.mass[link] > 0:
        points.add(complex(p.com[link], p.com_offset[link]))
    if p.tip_mass[link] > 0:
        points.add(complex(p.length[link], 0.0))
    return points


def _blame(checks: Problems, p: Parameters, link: int) -> None:
    need = "mass, inertia or a tip mass, so that the mass matrix is positive definite"
    checks.add(f"link.{link + 1}.mass", f"{p.mass[link]:g} kg", need)


def _check_sizes(checks: Problems, p: Parameters) -> None:
    """Note sizes so large or so small that floating point loses the mass matrix."""
    with np.errstate(over="ignore", under="ignore"):
        hung = np.cumsum((p.mass + p.tip_mass)[::-1])[::-1] - p.mass
        gear = np.where(p.rotor_inertia > 0.0, p.gear_ratio, 0.0)
        own = p.inertia + p.mass * (p.com**2 + p.com_offset**2) + p.rotor_inertia * gear**2
        about_joint = own + hung * p.length**2
        extent = np.sum(p.length) ** 2 * np.sum(p.mass + p.tip_mass)
    for link in map(int, np.flatnonzero(~np.isfinite(about_joint) | (about_joint < VANISHING))):
        if not (_feels(p, link) or hung[link] > 0.0):
            continue  # a hollow link, judged by the walk
        got = f"{p.length[link]:g} m and {p.mass[link]:g} kg"
        checks.add(f"link.{link + 1}", got, "sizes that arithmetic can hold", "check the units")
    if not checks.found and not math.isfinite(extent):
        checks.add("links", f"a reach of {np.sum(p.length):g} m", "sizes that arithmetic can hold")

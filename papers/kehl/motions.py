"""What several rows and figures of paper 000 are computed from, each of it once."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from functools import cache

import numpy as np

import ulna
from papers.kehl import printed
from papers.kehl.printed import Array, KehlMotion
from ulna.arm import Arm
from ulna.dynamics import inverse_dynamics
from ulna.motion import Plan
from ulna.sweep import Sweep

W = 2.0 * math.pi / printed.DURATION  # [rad/s] once round the circle
RODS, AS_PRINTED = "kehl", "kehl-as-printed"  # presets with I = m l²/12 and with I = m²/12
INERTIAS = {RODS: "I = m l²/12", AS_PRINTED: "I = m²/12"}
TARGET = (1.71, 0.30)  # [m] of §2.4.1, for links of 1 m
DENSE = np.linspace(0.0, printed.DURATION, 60_001)  # [s]
JUMP = 20.0  # [deg] from one sample to the next, across which no line is drawn
MASSES = (1.0, 2.0, 5.0, 10.0, 15.0, 20.0)  # [kg] of a link, where they are varied
MASS_SWEEP = {  # the spec of Figure 8, but for which link is varied
    "arm": RODS,
    "path": "loops_as_printed()",
    "duration": printed.DURATION,
    "derivatives": "finite",
    "elbow": "positive",
    "simulate": False,
    "samples": printed.COUNT,
    "keep": {
        "scalars": ["torque.peak"],
        "curves": ["torque"],
        "curve_points": printed.COUNT - 2,  # differences have no ends
    },
}


@cache
def arm(name: str = RODS) -> Arm:
    """Return the arm of the paper with one of its inertias."""
    return ulna.preset(name)


@cache
def unit_arm() -> Arm:
    """Return the arm of its examples, with two links of 1 m."""
    return ulna.preset("unit")


@cache
def plan(name: str = RODS) -> Plan:
    """Return the motion along the path with exact derivatives."""
    return ulna.plan(arm(name), ulna.paths.loops(), elbow="positive")


@cache
def printed_plan(name: str = AS_PRINTED) -> Plan:
    """Return the motion as the listings compute it: sampled, and by differences."""
    path = ulna.paths.loops_as_printed()
    return ulna.plan(arm(name), path, derivatives="finite", elbow="positive")


@cache
def exact() -> KehlMotion:
    """Return the exact motion at the times of the printed torques."""
    return KehlMotion(*plan().trajectory(printed.TIMES[1:-1]))


@cache
def dense() -> KehlMotion:
    """Return the exact motion at every millisecond."""
    return KehlMotion(*plan().trajectory(DENSE))


@cache
def differences() -> KehlMotion:
    """Return the motion by the listings' own differences."""
    return printed.motion(printed.path())


@cache
def torques(name: str, how: str) -> Array:
    """Return the torques (k, 2) of "differences", "exact" or "dense" motion."""
    motion = {"differences": differences, "exact": exact, "dense": dense}[how]()
    return np.asarray(inverse_dynamics(arm(name), *motion))


@cache
def swept(link: int) -> Sweep:
    """Return the torques by differences for the masses of link 1 or 2, the other as it is."""
    return ulna.sweep({**MASS_SWEEP, "vary": {f"link.{link}.mass": MASSES}}, progress=False)


def torque_at(arm: Arm) -> Callable[[float], tuple[float, float]]:
    """Return the torques on the exact path as a function of t, in plain numbers.

    They are those of `Plan.torque_at`, by the paper's own M, C and G for two links of the same
    length: asked for one instant at a time, arrays take longer than all the rest of a replay.
    """
    l, _, m1, m2, i1, i2 = printed.constants(arm)
    h, outer, inner = m2 * l * l / 2, m2 * l / 2 * printed.G, (m1 / 2 + m2) * l * printed.G
    m22 = i2 + m2 * l**2 / 4
    m11 = i1 + m1 * l**2 / 4 + m2 * l**2 + m22

    def torque(t: float) -> tuple[float, float]:
        (a, b), (w1, w2), (u1, u2) = joints_at(t, l)
        cos, sin = h * math.cos(b), h * math.sin(b)
        weight = outer * math.cos(a + b)
        first = (m11 + 2 * cos) * u1 + (m22 + cos) * u2 - sin * w2 * (2 * w1 + w2)
        second = (m22 + cos) * u1 + m22 * u2 + sin * w1**2
        return first + inner * math.cos(a) + weight, second + weight

    return torque


def joints_at(t: float, l: float) -> tuple[tuple[float, float], ...]:
    """Return angles, rates and accelerations on the exact path, for two links of this length."""
    slow, fast = 1j * printed.CIRCLE * cmath.exp(1j * W * t), -1j * printed.LOOP
    fast *= cmath.exp(1j * (printed.LOOPS + 1) * W * t)
    rates = 1j * W, 1j * (printed.LOOPS + 1) * W
    z, v, a = (slow * rates[0] ** k + fast * rates[1] ** k for k in range(3))
    bend = math.acos((abs(z) ** 2 - 2.0 * l**2) / (2.0 * l**2))
    first = cmath.phase(z) - bend / 2.0
    one, two = l * cmath.exp(1j * first), l * cmath.exp(1j * (first + bend))
    area = (one.conjugate() * two).imag

    def links(asked: complex) -> tuple[float, float]:
        """Solve i (one φ̇₁ + two φ̇₂) = asked for the rates of the links."""
        turned = -1j * asked
        return (turned.conjugate() * two).imag / area, -(turned.conjugate() * one).imag / area

    w1, w2 = links(v)
    u1, u2 = links(a + one * w1**2 + two * w2**2)
    return (first, bend), (w1, w2 - w1), (u1, u2 - u1)


@cache
def states() -> KehlMotion:
    """Return states from all over, to compare formulas at."""
    return KehlMotion(*np.random.default_rng(0).uniform(-3.0, 3.0, (3, 500, 2)))


def peak(values: Array) -> Array:
    """Return the largest size along the first axis."""
    return np.asarray(np.abs(values).max(axis=0))


def rms(values: Array) -> Array:
    """Return the root of the mean square along the first axis."""
    return np.asarray(np.sqrt(np.mean(np.square(values), axis=0)))


def largest(difference: Array) -> float:
    """Return the largest size of all."""
    return float(np.abs(difference).max())


def switches(angles: Array) -> int:
    """Count how often the sign of sin θ2 changes."""
    return int(np.count_nonzero(np.diff(np.sign(np.sin(angles[:, 1])))))


def broken(degrees: Array) -> Array:
    """Return a curve in degrees that is not drawn across a jump."""
    found = np.array(degrees, dtype=float)
    found[1:][np.abs(np.diff(degrees)) > JUMP] = np.nan
    return found

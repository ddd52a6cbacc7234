"""Worked steps for one joint: a pendulum that swings, and a PD or PID loop that holds a link.

With a uniform rod of mass m and length l, a mass p at its end, and the angle q from the x axis,

    a q̈ + b q̇ + g s cos q = τ        a = m l²/3 + p l²,   s = m l/2 + p l

About q = −90° a small swing has ω₀² = g s / a and, damped, ω_d² = ω₀² − (b / 2a)². Under
τ = kp (q_ref − q) − kd q̇ the natural frequency is √(kp/a) and the damping ratio kd / (2 √(kp a));
at rest kp e = g s cos q. With an integral ki the loop has, about its set-point, the characteristic
polynomial a λ³ + kd λ² + (kp − g s sin q) λ + ki, which Routh's criterion finds stable for
0 < ki < kd (kp − g s sin q) / a.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ulna.arm import Arm
from ulna.units.number_text import as_factor, in_degrees, number


def pendulum_steps(arm: Arm) -> str:
    """Work out small swings, the energy between the equilibria, and the speed to go over the top.

    Parameters
    ----------
    arm : Arm
        One uniform rod, with damping and a mass at its end or without, under gravity that points
        down.

    Returns
    -------
    str
        The steps, a line each.
    """
    a, s, g, b = *_moments(arm), -arm.gravity[1], arm.joints[0].damping
    free, decay = math.sqrt(g * s / a), b / (2.0 * a)
    weight = f"{number(g)} · {number(s)}"
    lines = [
        "A pendulum: one link about its joint\n",
        *_explain_moments(arm),
        "Hanging down, at q = -90°, a small swing theta follows",
        "  a theta'' + b theta' + g s theta = 0",
        "with the undamped natural frequency and the decay rate",
        f"  omega_0 = √(g s / a) = √({weight} / {number(a)}) = {number(free)} rad/s",
        f"  delta = b / (2 a) = {number(b)} / (2 · {number(a)}) = {number(decay)} 1/s",
        "so that, as delta is less than omega_0, it swings at",
        f"  omega_d = √(omega_0² - delta²) = √({number(free)}² - {number(decay)}²)"
        f" = {number(math.sqrt(free**2 - decay**2))} rad/s",
        "",
        "The potential energy V = g s sin q is least hanging down, and greatest upright:",
        f"  V(90°) - V(-90°) = 2 g s = 2 · {weight} = {number(2.0 * g * s)} J",
        "",
        "Without damping energy is conserved. It just reaches the top if at the bottom",
        "  ½ a omega² = 2 g s",
        f"  omega = √(4 g s / a) = 2 omega_0 = {number(2.0 * free)} rad/s",
    ]
    return "\n".join(lines)


def pid_steps(arm: Arm, q: float, natural_frequency: float, damping_ratio: float) -> str:
    """Work out PD gains, the error that gravity leaves, and the bound of the integral gain.

    Parameters
    ----------
    arm : Arm
        One uniform rod without damping, with a mass at its end or without, under gravity that
        points down.
    q : float
        Angle at which the joint rests [rad].
    natural_frequency : float
        Of the loop without gravity [rad/s].
    damping_ratio : float
        Of the loop without gravity.

    Returns
    -------
    str
        The steps, a line each.
    """
    a, s, g = *_moments(arm), -arm.gravity[1]
    kp, kd = a * natural_frequency**2, 2.0 * damping_ratio * a * natural_frequency
    omega, zeta, angle = number(natural_frequency), number(damping_ratio), in_degrees(q)
    load, weight = g * s * math.cos(q), f"{number(g)} · {number(s)}"
    stiffness = kp - g * s * math.sin(q)
    lines = [
        "One joint under PD and PID control\n",
        *_explain_moments(arm),
        "Without gravity a q̈ = kp (q_ref - q) - kd q̇. Divided by a, and compared with",
        "q̈ + 2 zeta omega q̇ + omega² (q - q_ref) = 0, it asks for",
        f"  kp = a omega² = {number(a)} · {omega}² = {number(kp)} N·m/rad",
        f"  kd = 2 zeta omega a = 2 · {zeta} · {omega} · {number(a)} = {number(kd)} N·m·s/rad",
        "",
        "At rest the spring of the PD law carries the weight, kp e = G with G = g s cos q:",
        f"  G = {weight} · cos({angle}) = {number(load)} N·m",
        f"  e = G / kp = {number(load)} / {number(kp)} = {number(load / kp)} rad"
        f" = {in_degrees(load / kp)}",
        "",
        "An integral grows until the error is gone; then it alone carries the weight:",
        f"  ki ∫ e dt = G = {number(load)} N·m",
        "",
        "About that equilibrium gravity has the stiffness dG/dq = -g s sin q, and the loop the",
        "characteristic polynomial a λ³ + kd λ² + (kp - g s sin q) λ + ki. By Routh's criterion",
        "it is stable for 0 < ki < kd (kp - g s sin q) / a:",
        f"  kp - g s sin q = {number(kp)} - {weight} · sin({angle}) = {number(stiffness)} N·m/rad",
        f"  kd (kp - g s sin q) / a = {number(kd)} · {as_factor(number(stiffness))} / {number(a)}"
        f" = {number(kd * stiffness / a)} N·m/(rad·s)",
    ]
    return "\n".join(lines)


def _moments(arm: Arm) -> tuple[float, float]:
    """Return the moment of inertia about the joint [kg·m²], and the first moment [kg·m]."""
    m, l, p = arm.links[0].mass, arm.links[0].length, _end_mass(arm)
    return m * l**2 / 3.0 + p * l**2, m * l / 2.0 + p * l


def _end_mass(arm: Arm) -> float:
    return arm.links[0].tip_mass + arm.payload.mass


def _explain_moments(arm: Arm) -> Iterator[str]:
    m, l, p = number(arm.links[0].mass), number(arm.links[0].length), number(_end_mass(arm))
    a, s = _moments(arm)
    yield "A rod's moment of inertia about its end is m l²/3, its centre of mass is at l/2:"
    yield f"  a = m l²/3 + p l² = {m} · {l}²/3 + {p} · {l}² = {number(a)} kg·m²"
    yield f"  s = m l/2 + p l = {m} · {l}/2 + {p} · {l} = {number(s)} kg·m"
    yield ""

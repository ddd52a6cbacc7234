"""Statics as a textbook works it out, with the numbers put in."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ulna import dynamics
from ulna.arm import Arm
from ulna.arrays import sum_beyond
from ulna.cli.terminal import number
from ulna.dynamics.chain import Posture, link_posture


def explain_hold(arm: Arm, q: np.ndarray, force: np.ndarray) -> str:
    """Work out the holding torques: moments of the links, their weight, the force, the sums."""
    torque = dynamics.holding_torque(arm, q, tip_force=force)
    # Along the x axis the moments are those along each link and to its left.
    stretched = link_posture(np, arm.parameters, np.zeros(arm.n))
    parts = ["Holding torques, link by link\n", *_moments(arm, stretched)]
    parts += _asked(arm, stretched, np.cumsum(q), force, torque)
    return "\n".join([*parts, *_joints(torque)])


def _moments(arm: Arm, stretched: Posture) -> Iterator[str]:
    p = arm.parameters
    hung = p.tip_mass + sum_beyond(np, p.mass + p.tip_mass)
    aside = np.any(p.com_offset)
    yield "Each link carries its own mass and, at its end, mu_i of what follows:"
    yield "  s_i = m_i c_i + l_i mu_i" + "        e_i = m_i d_i" * bool(aside)
    for i, link in enumerate(arm.links):
        own = f"{number(link.mass)} · {number(link.com)}"
        rest = f"{number(link.length)} · {number(hung[i])}"
        line = f"  s_{i + 1} = {own} + {rest} = {number(stretched.moment_x[i])} kg·m"
        if aside:
            offset = f"{number(link.mass)} · {number(link.com_offset)}"
            line += f"        e_{i + 1} = {offset} = {number(stretched.moment_y[i])} kg·m"
        yield line
    yield ""


def _asked(
    arm: Arm, stretched: Posture, phi: np.ndarray, force: np.ndarray, torque: np.ndarray
) -> Iterator[str]:
    yield "The links stand at these angles from the x axis, phi_i = q_1 + ... + q_i:"
    yield "  " + "   ".join(f"phi_{i + 1} = {_degrees(angle)}" for i, angle in enumerate(phi))
    yield ""
    yield "In these angles every link asks for a torque of its own, from its weight"
    yield f"  Q_i = {_weight_formula(arm)}"
    if np.any(force[:2]):
        yield "less what the force on the tip, which acts on the arm, does for it"
        yield "  l_i (F_y cos phi_i - F_x sin phi_i)"
    if len(force) == 3:
        yield "and, for the last link, less the moment on the tip"
    weight = dynamics.absolute.gravity_torque(arm, phi)
    for i, total in enumerate(dynamics.absolute.ground_torques(torque)):
        moment = float(stretched.moment_x[i]), float(stretched.moment_y[i])
        work = _weight_numbers(arm, moment, phi[i])
        if np.any(force):
            less = _less(weight[i] - total)
            work += f"{less} = {number(weight[i])}{less}"
        yield f"  Q_{i + 1} = {work} = {number(total)} N·m"
    yield ""


def _weight_formula(arm: Arm) -> str:
    x, y = arm.gravity
    aside = np.any(arm.parameters.com_offset)
    down = "(s_i cos phi_i - e_i sin phi_i)" if aside else "s_i cos phi_i"
    if x == 0.0:
        return f"g {down}" if y <= 0.0 else f"-g_y {down}"
    right = "(s_i sin phi_i + e_i cos phi_i)" if aside else "s_i sin phi_i"
    return f"g_x {right} - g_y {down}"


def _weight_numbers(arm: Arm, moment: tuple[float, float], angle: float) -> str:
    """Put the numbers of a link into the formula of its weight."""
    (x, y), (s, e) = arm.gravity, moment
    cos, sin = f"cos({_degrees(angle)})", f"sin({_degrees(angle)})"
    down, right = f"{number(s)} {cos}", f"{number(s)} {sin}"
    if np.any(arm.parameters.com_offset):
        down, right = f"({down}{_less(e)} {sin})", f"({right}{_less(-e)} {cos})"
    if x == 0.0:
        return f"{number(-y)} · {down}"
    return f"{number(x)} · {right}{_less(y)} · {down}"


def _joints(torque: np.ndarray) -> Iterator[str]:
    n = len(torque)
    yield "A joint holds its own link and every one beyond it, tau_i = Q_i + ... + Q_n:"
    for i in range(n):
        few = n - i <= 4
        names = [f"Q_{k + 1}" for k in range(i, n)] if few else [f"Q_{i + 1}", "...", f"Q_{n}"]
        yield f"  tau_{i + 1} = {' + '.join(names)} = {number(torque[i])} N·m"


def _less(value: float) -> str:
    return f" - {number(value)}" if value >= 0.0 else f" + {number(-value)}"


def _degrees(angle: float) -> str:
    return f"{number(math.degrees(angle))}°"

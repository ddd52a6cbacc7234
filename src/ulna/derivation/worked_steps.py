"""Worked steps in numbers: what `--explain` prints, and what an exercise shows for its answer.

Each function puts an arm's numbers into the formulas of its subject, line by line, and says what
follows: forward kinematics by homogeneous transforms, inverse kinematics by the law of cosines,
holding torques link by link. Angles are joint angles, each from the link before.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ulna import dynamics, kinematics
from ulna.arm import Arm
from ulna.arrays import sum_beyond
from ulna.dynamics.chain import Posture, link_posture
from ulna.kinematics import Solutions
from ulna.kinematics.inverse_kinematics import ring
from ulna.units.number_text import ROUNDING, as_factor, degrees, fixed, in_degrees, number

DECIMALS = 4


def pose_steps(arm: Arm, q: np.ndarray) -> str:
    """Work out where the tip is: the transforms, their product, and the sums they stand for.

    Parameters
    ----------
    arm : Arm
        The arm.
    q : array, shape (n,)
        Joint angles [rad].

    Returns
    -------
    str
        The steps, a line each.
    """
    found = kinematics.transforms(arm, q)
    parts = [
        "Forward kinematics by homogeneous transforms\n",
        "Every joint turns, every link moves on along itself:\n"
        "        | cos q_i   -sin q_i   l_i cos q_i |\n"
        "  H_i = | sin q_i    cos q_i   l_i sin q_i |        H = " + _product(arm.n) + "\n"
        "        |    0          0           1      |\n" + _base(arm),
    ]
    for i, step in enumerate(found.steps):
        length = number(arm.links[i].length)
        parts.append(f"H_{i + 1}, with q_{i + 1} = {in_degrees(q[i])} and l_{i + 1} = {length} m:")
        parts.append(_matrix(step) + "\n")
    parts.append(f"H = {_product(arm.n)} =")
    parts.append(_matrix(found.product) + "\n")
    parts.append("The last column is the tip, the upper left block its rotation:")
    parts.extend(_sums(arm, q))
    return "\n".join(parts)


def _matrix(rows: np.ndarray) -> str:
    """Set a matrix between bars, its columns in line."""
    cells = [[fixed(value, DECIMALS) for value in row] for row in rows]
    width = max(len(cell) for row in cells for cell in row)
    return "\n".join("  | " + "  ".join(c.rjust(width) for c in row) + " |" for row in cells)


def _product(n: int) -> str:
    return " ".join(f"H_{i + 1}" for i in range(n)) if n <= 4 else f"H_1 H_2 ⋯ H_{n}"


def _base(arm: Arm) -> str:
    if arm.base == (0.0, 0.0):
        return ""
    return f"H_1 starts at the base, ({number(arm.base[0])}, {number(arm.base[1])}) m.\n"


def _sums(arm: Arm, q: np.ndarray) -> list[str]:
    phi = np.cumsum(q)
    x, y, angle = kinematics.tip(arm, q)
    lines = []
    for axis, value, name, base in (("x", x, "cos", arm.base[0]), ("y", y, "sin", arm.base[1])):
        function = np.cos if name == "cos" else np.sin
        start = [number(base)] if base else []
        terms = [
            f"{number(link.length)} {name}({in_degrees(p)})"
            for link, p in zip(arm.links, phi, strict=True)
        ]
        values = [
            fixed(link.length * function(p), DECIMALS)
            for link, p in zip(arm.links, phi, strict=True)
        ]
        lines.append(f"  {axis} = {' + '.join(start + terms)}")
        lines.append(f"    = {_added(start + values)} = {fixed(value, 6)} m")
    lines.append(f"  angle = {_added([in_degrees(turn) for turn in q])} = {in_degrees(angle)}")
    cos, sin = fixed(math.cos(angle), DECIMALS), fixed(math.sin(angle), DECIMALS)
    lines.append(f"        = atan2(sin, cos) = atan2({sin}, {cos}), up to whole turns")
    return lines


def _added(terms: list[str]) -> str:
    return " + ".join(terms).replace("+ -", "- ")


def reach_steps(arm: Arm, target: np.ndarray, found: Solutions) -> str:
    """Work out the postures for a target, or why there is none.

    Parameters
    ----------
    arm : Arm
        The arm.
    target : array, shape (2,) or (3,)
        Point [m], with an orientation [rad] or without.
    found : Solutions
        What `ulna.kinematics.inverse` found for it.

    Returns
    -------
    str
        The steps, a line each.
    """
    lines = ["Inverse kinematics: which joint angles put the tip there?", ""]
    x, y = target[0] - arm.base[0], target[1] - arm.base[1]
    if arm.base != (0.0, 0.0):
        lines.append(f"From the base the place is at x = {number(x)}, y = {number(y)} m.")
    lengths = [link.length for link in arm.links]
    if len(target) == 3:
        x, y = _wrist(lines, lengths, x, y, target[2])
        lengths = lengths[:-1]
    (inner, outer), radius = ring(np.array(lengths)), math.hypot(x, y)
    need = f"{number(float(inner))} ≤ r ≤ {number(float(outer))} m"
    lines.append(f"In reach?  {need} is needed; r = √(x² + y²) = {number(radius)} m.")
    if not found.reachable:
        where = "far out" if radius > sum(lengths) else "close in"
        off = number(float(found.shortfall))
        lines.append(f"It does not hold: the place is {off} m too {where}.")
        return "\n".join(lines)
    lines.append("")
    if len(lengths) == 1:
        lines.append("The link points at it:")
        lines.append(f"  q_1 = atan2(y, x) = atan2({_n(y)}, {_n(x)}) = {_deg(math.atan2(y, x))}")
    elif len(lengths) == 2:
        lines.extend(_two_links(lengths, x, y))
    elif lengths:
        lines.extend(_redundant(len(lengths)))
    if found.continuum and len(lengths) == 2:
        lines.append("The links fold onto the base, and q_1 is free: this is one of many.")
    if len(target) == 3:
        lines.extend(_last_joint(arm.n, target[2], found))
    return "\n".join([*lines, "", *_proof(arm, found)])


def _wrist(
    lines: list[str], lengths: list[float], x: float, y: float, angle: float
) -> tuple[float, float]:
    last, n = lengths[-1], len(lengths)
    wrist = (x - last * math.cos(angle), y - last * math.sin(angle))
    lines.append(f"The orientation fixes link {n}; its joint has to be at")
    for axis, name, value, part, result in (
        ("x", "cos", x, math.cos(angle), wrist[0]),
        ("y", "sin", y, math.sin(angle), wrist[1]),
    ):
        worked = f"{number(value)} - {number(last)}·{as_factor(_n(part))} = {_n(result)}"
        lines.append(f"  {axis}_w = {axis} - l_{n} {name}({_deg(angle)}) = {worked}")
    lines.append(f"and links 1 to {n - 1} have to reach it.")
    return wrist


def _two_links(lengths: list[float], x: float, y: float) -> list[str]:
    l1, l2 = lengths
    square = x * x + y * y
    cos2 = (square - l1 * l1 - l2 * l2) / (2 * l1 * l2)
    sin2 = math.sqrt(max(0.0, 1 - cos2 * cos2))
    q2 = math.atan2(sin2, cos2)
    lean = math.atan2(l2 * sin2, l1 + l2 * cos2)
    bearing = math.atan2(y, x)
    a, b = number(l1), number(l2)
    lines = [
        "The law of cosines in the triangle base, elbow, tip gives q_2 up to its sign:",
        f"  r² = x² + y² = {as_factor(number(x))}² + {as_factor(number(y))}² = {number(square, 8)}",
        "  cos q_2 = (r² - l_1² - l_2²) / (2 l_1 l_2)",
        f"          = ({number(square, 8)} - {a}² - {b}²) / (2·{a}·{b}) = {number(cos2, 8)}",
        f"  sin q_2 = ±√(1 - cos² q_2) = ±{number(sin2, 8)}",
        f"  q_2 = atan2(±{_n(sin2)}, {_n(cos2)}) = ±{number(q2, 8)} rad = ±{_deg(q2)}",
        "",
        "The first link leans away from the line to the tip, against q_2:",
        "  q_1 = atan2(y, x) - atan2(l_2 sin q_2, l_1 + l_2 cos q_2)",
    ]
    for sign, name, other in ((1, "+", "-"), (-1, "-", "+")):
        q1 = bearing - sign * lean
        worked = f"{_n(bearing)} {other} {_n(lean)} = {number(q1, 8)} rad = {_deg(q1)}"
        lines.append(f"  with q_2 = {name}{_deg(q2)}:  q_1 = {worked}")
    return lines


def _redundant(joints: int) -> list[str]:
    return [
        f"{joints} joints for 2 coordinates, a redundant arm: infinitely many postures. These",
        "keep it straight but for two bends, which reach all that the whole arm can; where joints",
        "have limits, damped least squares then move them inside.",
    ]


def _last_joint(n: int, angle: float, found: Solutions) -> list[str]:
    head = f"The last joint makes up the orientation, q_{n} = {_deg(angle)} - the angles before it:"
    last = [
        f"  {found.branch[k]}: q_{n} = {_deg(float(found.q[k, -1]))}"
        for k in np.flatnonzero(found.valid)
    ]
    return ["", head, *last]


def _proof(arm: Arm, found: Solutions) -> list[str]:
    lines = ["Check, by putting the angles back into forward kinematics:"]
    for k in np.flatnonzero(found.valid):
        angles = ", ".join(_deg(float(angle)) for angle in found.q[k])
        x, y, _ = kinematics.tip(arm, found.q[k])
        note = "" if found.within_limits[k] else "   (outside the joint limits)"
        elbow = f", elbow {found.elbow[k]}" if found.elbow[k] else ""
        lines.append(
            f"  {found.branch[k]}{elbow}: q = ({angles}) -> ({fixed(x, 6)}, {fixed(y, 6)}) m{note}"
        )
    return lines


def _deg(angle: float) -> str:
    return f"{degrees(angle)}°"


def _n(value: float) -> str:
    return fixed(value, 6)


def holding_steps(arm: Arm, q: np.ndarray, force: np.ndarray) -> str:
    """Work out the holding torques: moments of the links, their weight, the force, the sums.

    Parameters
    ----------
    arm : Arm
        The arm.
    q : array, shape (n,)
        Joint angles [rad].
    force : array, shape (2,) or (3,)
        Force on the tip [N], with a moment [N·m] or without; it acts on the arm.

    Returns
    -------
    str
        The steps, a line each.
    """
    torque = dynamics.holding_torque(arm, q, tip_force=force)
    # Along the x axis the moments are those along each link and to its left.
    stretched = link_posture(np, arm.parameters, np.zeros(arm.n))
    parts = ["Holding torques, link by link\n", *_moments(arm, stretched)]
    parts += _link_torques(arm, stretched, np.cumsum(q), force, torque)
    return "\n".join([*parts, *_joint_torques(torque), *_static_friction(arm, torque)])


def _moments(arm: Arm, stretched: Posture) -> Iterator[str]:
    p = arm.parameters
    hung = p.tip_mass + sum_beyond(np, p.mass + p.tip_mass)
    aside = np.any(p.com_offset)
    yield "Each link carries its own mass and, at its end, mu_i of what follows:"
    yield "  s_i = m_i c_i + l_i mu_i" + "        e_i = m_i d_i" * bool(aside)
    for i, link in enumerate(arm.links):
        own = f"{number(link.mass)} · {as_factor(number(link.com))}"
        rest = f"{number(link.length)} · {number(hung[i])}"
        line = f"  s_{i + 1} = {own} + {rest} = {number(stretched.moment_x[i])} kg·m"
        if aside:
            offset = f"{number(link.mass)} · {as_factor(number(link.com_offset))}"
            line += f"        e_{i + 1} = {offset} = {number(stretched.moment_y[i])} kg·m"
        yield line
    yield ""


def _link_torques(
    arm: Arm, stretched: Posture, phi: np.ndarray, force: np.ndarray, torque: np.ndarray
) -> Iterator[str]:
    yield "The links stand at these angles from the x axis, phi_i = q_1 + ... + q_i:"
    yield "  " + "   ".join(f"phi_{i + 1} = {in_degrees(angle)}" for i, angle in enumerate(phi))
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
    cos, sin = f"cos({in_degrees(angle)})", f"sin({in_degrees(angle)})"
    down, right = f"{number(s)} {cos}", f"{number(s)} {sin}"
    if np.any(arm.parameters.com_offset):
        down, right = f"({down}{_less(e)} {sin})", f"({right}{_less(-e)} {cos})"
    elif s < 0.0:
        down, right = f"({down})", f"({right})"
    if x == 0.0:
        return f"{number(-y)} · {down}"
    return f"{number(x)} · {right}{_less(y)} · {down}"


def _joint_torques(torque: np.ndarray) -> Iterator[str]:
    n = len(torque)
    yield "A joint holds its own link and every one beyond it, tau_i = Q_i + ... + Q_n:"
    for i in range(n):
        few = n - i <= 4
        names = [f"Q_{k + 1}" for k in range(i, n)] if few else [f"Q_{i + 1}", "...", f"Q_{n}"]
        yield f"  tau_{i + 1} = {' + '.join(names)} = {number(torque[i])} N·m"


def _static_friction(arm: Arm, torque: np.ndarray) -> Iterator[str]:
    static = arm.parameters.static
    if not static.any():
        return
    yield ""
    yield "Static friction holds a joint at rest too: every torque within f_i of tau_i will do,"
    for i, (needed, most) in enumerate(zip(torque, static, strict=True)):
        low, high = number(needed - most), number(needed + most)
        alone = ": no motor is needed" * bool(abs(needed) <= most * (1.0 + ROUNDING))
        yield f"  f_{i + 1} = {number(most)} N·m: from {low} to {high} N·m{alone}"


def _less(value: float) -> str:
    return f" - {number(value)}" if value >= 0.0 else f" + {number(-value)}"

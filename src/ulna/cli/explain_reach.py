"""Inverse kinematics as a textbook works it out, with the numbers put in."""

from __future__ import annotations

import math

import numpy as np

from ulna import kinematics
from ulna.arm import Arm
from ulna.cli.terminal import fixed, number
from ulna.kinematics import Solutions
from ulna.kinematics.inverse_kinematics import ring


def explain_reach(arm: Arm, target: np.ndarray, found: Solutions) -> str:
    """Work out the postures for a target, or why there is none."""
    lines = ["Inverse kinematics: which joint angles put the tip there?", ""]
    x, y = target[0] - arm.base[0], target[1] - arm.base[1]
    if arm.base != (0.0, 0.0):
        lines.append(f"From the base the place is at x = {number(x)}, y = {number(y)} m.")
    lengths = [link.length for link in arm.links]
    if len(target) == 3:
        x, y = _wrist(lines, lengths, x, y, target[2])
        lengths = lengths[:-1]
    lines.extend(_reach_condition(lengths, math.hypot(x, y)))
    if not found.reachable:
        lines.append(f"It does not hold: the place is {_how_far(lengths, x, y, found)}.")
        return "\n".join(lines)
    lines.append("")
    if len(lengths) == 1:
        lines.extend(_one_link(x, y))
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
        worked = f"{number(value)} - {number(last)}·{_n(part)} = {_n(result)}"
        lines.append(f"  {axis}_w = {axis} - l_{n} {name}({_deg(angle)}) = {worked}")
    lines.append(f"and links 1 to {n - 1} have to reach it.")
    return wrist


def _reach_condition(lengths: list[float], radius: float) -> list[str]:
    inner, outer = ring(np.array(lengths))
    need = f"{number(float(inner))} ≤ r ≤ {number(float(outer))} m"
    return [f"In reach?  {need} is needed; r = √(x² + y²) = {number(radius)} m."]


def _how_far(lengths: list[float], x: float, y: float, found: Solutions) -> str:
    too_far = math.hypot(x, y) > sum(lengths)
    return f"{number(float(found.shortfall))} m too {'far out' if too_far else 'close in'}"


def _one_link(x: float, y: float) -> list[str]:
    return [
        "The link points at it:",
        f"  q_1 = atan2(y, x) = atan2({_n(y)}, {_n(x)}) = {_deg(math.atan2(y, x))}",
    ]


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
        f"  r² = x² + y² = {number(x)}² + {number(y)}² = {number(square, 8)}",
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
    return f"{fixed(math.degrees(angle), 4)}°"


def _n(value: float) -> str:
    return fixed(value, 6)

"""Forward kinematics as a textbook works it out, with the numbers put in."""

from __future__ import annotations

import math

import numpy as np

from ulna import kinematics
from ulna.arm import Arm
from ulna.cli.terminal import fixed, number

DECIMALS = 4


def explain_pose(arm: Arm, q: np.ndarray) -> str:
    """Work out where the tip is: the transforms, their product, and the sums they stand for."""
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
        parts.append(f"H_{i + 1}, with q_{i + 1} = {_degrees(q[i])} and l_{i + 1} = {length} m:")
        parts.append(matrix(step) + "\n")
    parts.append(f"H = {_product(arm.n)} =")
    parts.append(matrix(found.product) + "\n")
    parts.append("The last column is the tip, the upper left block its rotation:")
    parts.extend(_sums(arm, q))
    return "\n".join(parts)


def matrix(rows: np.ndarray) -> str:
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
            f"{number(link.length)} {name}({_degrees(p)})"
            for link, p in zip(arm.links, phi, strict=True)
        ]
        values = [
            fixed(link.length * function(p), DECIMALS)
            for link, p in zip(arm.links, phi, strict=True)
        ]
        lines.append(f"  {axis} = {' + '.join(start + terms)}")
        lines.append(f"    = {_added(start + values)} = {fixed(value, 6)} m")
    lines.append(f"  angle = {_added([_degrees(turn) for turn in q])} = {_degrees(angle)}")
    cos, sin = fixed(math.cos(angle), DECIMALS), fixed(math.sin(angle), DECIMALS)
    lines.append(f"        = atan2(sin, cos) = atan2({sin}, {cos}), up to whole turns")
    return lines


def _added(terms: list[str]) -> str:
    return " + ".join(terms).replace("+ -", "- ")


def _degrees(angle: float) -> str:
    return f"{number(math.degrees(angle))}°"

"""`ulna pose`: forward kinematics, where everything is for given joint angles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ulna import kinematics
from ulna.arm import Arm
from ulna.arm.parameters import allowed
from ulna.cli import flags
from ulna.cli.arguments import Angles, find_arm, read_convention
from ulna.cli.outputs import save_figure
from ulna.cli.terminal import degrees, fixed, in_degrees, number, say, show_joints, show_json

DECIMALS = 4
ELBOW = {1: "elbow up", -1: "elbow down", 0: "no elbow to speak of"}


def pose(
    arm: flags.Arm,
    q: flags.Posture,
    angles: flags.Angles = "relative",
    explain: flags.Explain = False,
    plot: flags.Plot = None,
    json: flags.Json = False,
    overwrite: flags.Overwrite = False,
) -> None:
    """Show forward kinematics: where joints and tip are for given joint angles."""
    described = find_arm(arm)
    convention = read_convention(angles)
    posture = np.array(convention.read(q, described, "--q"))
    if plot is not None:
        from ulna.viewer import pose_figure

        save_figure(lambda: pose_figure(described, posture), plot, overwrite=overwrite)
    if json:
        show_json({**_facts(described, posture), **convention.facts(phi=posture)})
    elif explain:
        say(convention.explain(posture) + _explain(described, posture))
    else:
        _show(described, arm, posture, convention)
    if plot and not json:
        say(f"drawn in {plot}")


def _show(arm: Arm, name: str, q: np.ndarray, angles: Angles) -> None:
    ends = kinematics.joints(arm, q)[1:]
    own, of_link = list(map(degrees, q)), list(map(degrees, np.cumsum(q)))
    turned = {"q [°]": own, "link from x axis [°]": of_link}
    if angles.absolute:
        turned = {"φ [°], from x axis": of_link, "q [°], from link before": own}
    columns = {
        **turned,
        "link's end x [m]": [fixed(x, 6) for x in ends[:, 0]],
        "y [m]": [fixed(y, 6) for y in ends[:, 1]],
        "": ["" if inside else "outside its limits" for inside in allowed(arm.parameters, q)],
    }
    show_joints(f"{arm.name or name}: pose{angles.remark}", columns)
    x, y, angle = kinematics.tip(arm, q)
    say(f"tip ({fixed(x, 6)}, {fixed(y, 6)}) m, pointing at {degrees(angle)}°{_elbow(arm, q)}")
    condition = float(kinematics.condition_number(arm, q))
    if arm.n > 1:
        measure = float(kinematics.manipulability(arm, q))
        say(f"manipulability {number(measure, 4)} m², condition number {number(condition, 4)}")
    if condition > 1e9:
        say("singular: the links lie in one line, and the tip cannot move along it")
    elif condition >= kinematics.SINGULAR:
        say("close to singular: the tip can hardly move along the arm")


def _elbow(arm: Arm, q: np.ndarray) -> str:
    return f", {ELBOW[int(kinematics.elbow_side(arm, q))]}" if arm.n == 2 else ""


def _facts(arm: Arm, q: np.ndarray) -> dict[str, Any]:
    x, y, angle = kinematics.tip(arm, q).tolist()
    return {
        "arm": arm.name,
        "q": q,
        "joints": kinematics.joints(arm, q),
        "centres": kinematics.centres(arm, q),
        "tip": {"x": x, "y": y, "angle": angle},
        "within_limits": bool(allowed(arm.parameters, q).all()),
        "manipulability": float(kinematics.manipulability(arm, q)),
        "condition_number": float(kinematics.condition_number(arm, q)),
    }


def _explain(arm: Arm, q: np.ndarray) -> str:
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

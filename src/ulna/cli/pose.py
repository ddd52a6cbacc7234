"""`ulna pose`: forward kinematics, where everything is for given joint angles."""

from __future__ import annotations

from typing import Any

import numpy as np

import ulna
from ulna import kinematics
from ulna.arm import Arm
from ulna.arm.parameters import allowed
from ulna.cli import flags
from ulna.cli.arguments import Angles, find_arm, read_convention
from ulna.cli.outputs import save_figure
from ulna.cli.terminal import degrees, fixed, number, say, show_joints, show_json
from ulna.derivation.worked_steps import pose_steps

ELBOW = {1: "elbow up", -1: "elbow down", 0: "no elbow to speak of"}


def pose(
    arm: flags.Arm,
    q: flags.Posture,
    angles: flags.Angles = "relative",
    values: flags.Values = None,
    explain: flags.Explain = False,
    plot: flags.Plot = None,
    json: flags.Json = False,
    overwrite: flags.Overwrite = False,
) -> None:
    """Show forward kinematics: where joints and tip are for given joint angles."""
    described = find_arm(arm, values=values)
    convention = read_convention(angles)
    posture = np.array(convention.read(q, described, "--q"))
    if plot is not None:
        save_figure(lambda: ulna.viewer.pose_figure(described, posture), plot, overwrite=overwrite)
    if json:
        show_json({**_facts(described, posture), **convention.facts(phi=posture)})
    elif explain:
        say(convention.explain(posture) + pose_steps(described, posture))
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

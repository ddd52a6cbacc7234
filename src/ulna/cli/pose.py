"""`ulna pose`: forward kinematics, where everything is for given joint angles."""

from __future__ import annotations

from typing import Any

import numpy as np

from ulna import kinematics
from ulna.arm import Arm
from ulna.arm.parameters import allowed
from ulna.cli.angle_option import AngleOption, Angles, explain_angles, read_convention
from ulna.cli.arguments import (
    AnglesOption,
    ArmArgument,
    ExplainOption,
    JsonOption,
    OverwriteOption,
    PlotOption,
    find_arm,
)
from ulna.cli.explain_pose import explain_pose
from ulna.cli.plotting import save_figure
from ulna.cli.terminal import degrees, fixed, number, say, show_json, show_table

ELBOW = {1: "elbow up", -1: "elbow down", 0: "no elbow to speak of"}


def pose(
    arm: ArmArgument,
    q: AnglesOption,
    angles: AngleOption = "relative",
    explain: ExplainOption = False,
    plot: PlotOption = None,
    json: JsonOption = False,
    overwrite: OverwriteOption = False,
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
        say(explain_angles(posture, convention) + explain_pose(described, posture))
    else:
        _show(described, arm, posture, convention)
    if plot and not json:
        say(f"drawn in {plot}")


def _show(arm: Arm, name: str, q: np.ndarray, angles: Angles) -> None:
    places = kinematics.joints(arm, q)
    joint, link = ("q [°]", q), ("link from x axis [°]", np.cumsum(q))
    if angles.absolute:
        joint, link = ("φ [°], from x axis", link[1]), ("q [°], from link before", q)
    inside = allowed(arm.parameters, q)
    rows = [
        (
            str(i + 1),
            degrees(joint[1][i]),
            degrees(link[1][i]),
            fixed(places[i + 1, 0], 6),
            fixed(places[i + 1, 1], 6),
            "" if inside[i] else "outside its limits",
        )
        for i in range(arm.n)
    ]
    columns = ("joint", joint[0], link[0], "link's end x [m]", "y [m]", "")
    show_table(f"{arm.name or name}: pose{angles.remark}", columns, rows)
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

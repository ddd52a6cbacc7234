"""`ulna reach`: which postures put the tip at a place, if any."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer

from ulna import kinematics
from ulna.arm import Arm
from ulna.cli.arguments import (
    ArmArgument,
    ExplainOption,
    ForceOption,
    JsonOption,
    PlotOption,
    find_arm,
    read_target,
)
from ulna.cli.explain_reach import explain_reach
from ulna.cli.plotting import save_figure
from ulna.cli.terminal import degrees, number, say, show_json, show_table
from ulna.errors import InfeasibleError
from ulna.kinematics import Solutions

ELBOW = {1: "up", -1: "down", 0: "-"}


def reach(
    arm: ArmArgument,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="PLACE",
            help='A point "x, y", or "x, y, angle" with an orientation.',
            show_default=False,
        ),
    ],
    explain: ExplainOption = False,
    plot: PlotOption = None,
    json: JsonOption = False,
    force: ForceOption = False,
) -> None:
    """Find every posture that puts the tip at a place."""
    described = find_arm(arm)
    target = np.array(read_target(to, "--to"))
    found = kinematics.inverse(described, target)
    if plot:
        from ulna.viewer import reach_figure

        save_figure(lambda: reach_figure(described, target, found), plot, force=force)
    if json:
        show_json(_facts(described, target, found))
    elif explain:
        say(explain_reach(described, target, found))
    elif found.reachable:
        _show(described, arm, target, found)
    if plot and not json:
        say(f"drawn in {plot}")
    _insist(described, target, found)


def _insist(arm: Arm, target: np.ndarray, found: Solutions) -> None:
    """Make a target that cannot be had the command's failure, with a way out."""
    place = ", ".join(number(value) for value in target[:2])
    if not found.reachable:
        x, y = found.nearest
        q = ", ".join(f"{degrees(angle, 2)} deg" for angle in found.nearest_q)
        raise InfeasibleError(
            f"--to: ({place}) m is out of reach of {arm.name or 'the arm'} by "
            f"{number(float(found.shortfall))} m; the nearest point is "
            f"({number(float(x))}, {number(float(y))}) m, with joints at {q}"
        )
    if not found.within_limits.any():
        raise InfeasibleError(
            f"--to: ({place}) m is in reach of {arm.name or 'the arm'}, but no posture found keeps "
            "to the joint limits; widen them or move the target"
        )


def _show(arm: Arm, name: str, target: np.ndarray, found: Solutions) -> None:
    place = ", ".join(number(value) for value in target[:2])
    pointing = f", pointing at {degrees(target[2])}°" if len(target) == 3 else ""
    columns = ["posture", *(f"q_{i + 1} [°]" for i in range(arm.n)), "limits"]
    if arm.n == 2:
        columns.insert(-1, "elbow")
    rows = []
    for k, branch in enumerate(found.branch):
        if not found.valid[k]:
            continue
        cells = [branch, *(degrees(angle) for angle in found.q[k])]
        if arm.n == 2:
            cells.append(ELBOW[int(kinematics.elbow_side(arm, found.q[k]))])
        rows.append([*cells, "ok" if found.within_limits[k] else "outside"])
    show_table(f"{arm.name or name}: postures for ({place}) m{pointing}", columns, rows)
    if found.continuum:
        say("these stand for infinitely many: the arm has a joint to spare here")
    say(str(kinematics.workspace(arm)))


def _facts(arm: Arm, target: np.ndarray, found: Solutions) -> dict[str, Any]:
    return {
        "arm": arm.name,
        "target": target,
        "reachable": bool(found.reachable),
        "shortfall": float(found.shortfall),
        "nearest": found.nearest,
        "nearest_q": found.nearest_q,
        "continuum": bool(found.continuum),
        "solutions": [
            {
                "branch": branch,
                "q": found.q[k],
                "valid": bool(found.valid[k]),
                "within_limits": bool(found.within_limits[k]),
                "residual": float(found.residual[k]),
                "reason": str(found.reason[k]),
            }
            for k, branch in enumerate(found.branch)
        ],
    }

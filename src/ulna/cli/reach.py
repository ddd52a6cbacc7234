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
from ulna.cli.running import SOLVING, loading
from ulna.cli.terminal import degrees, number, say, show_json, show_table
from ulna.errors import InfeasibleError
from ulna.kinematics import Solutions
from ulna.kinematics.limits import allowed
from ulna.kinematics.workspace import MOST_EXACT

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
    """Find the postures that put the tip at a place."""
    described = find_arm(arm)
    target = np.array(read_target(to, "--to"))
    with loading(SOLVING):
        found = kinematics.inverse(described, target)
    if plot is not None:
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
    if found.within_limits.any():
        return
    place = f"--to: ({_point(target)}) m is"
    of_arm = f"of {arm.name or 'the arm'}"
    if not found.reachable:
        short = f"out of reach {of_arm} by {number(float(found.shortfall))} m"
        raise InfeasibleError(f"{place} {short}; {_nearest(arm, target, found)}")
    if _decides(arm, target) and not kinematics.workspace(arm).contains(target):
        limited = f"out of reach {of_arm} within its joint limits"
        raise InfeasibleError(f"{place} {limited}; {_nearest(arm, target, found)}")
    raise InfeasibleError(
        f"{place} in reach {of_arm}, but no posture found keeps to the joint limits; "
        "widen them or move the target"
    )


def _nearest(arm: Arm, target: np.ndarray, found: Solutions) -> str:
    """Offer the nearest point, and the joints for it where the links alone decide."""
    if _decides(arm, target) and not allowed(arm.parameters, found.nearest_q).all():
        point = kinematics.workspace(arm).nearest(target)
        return f"the nearest point within the joint limits is ({_point(point)}) m"
    q = ", ".join(f"{degrees(angle, 2)} deg" for angle in found.nearest_q)
    outside = "" if allowed(arm.parameters, found.nearest_q).all() else ", outside their limits"
    return f"the nearest point is ({_point(found.nearest)}) m, with joints at {q}{outside}"


def _decides(arm: Arm, target: np.ndarray) -> bool:
    """Whether the exact outline of the workspace answers for the target."""
    return len(target) == 2 and arm.n <= MOST_EXACT


def _point(point: np.ndarray) -> str:
    return f"{number(float(point[0]))}, {number(float(point[1]))}"


def _show(arm: Arm, name: str, target: np.ndarray, found: Solutions) -> None:
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
    show_table(f"{arm.name or name}: postures for ({_point(target)}) m{pointing}", columns, rows)
    if found.continuum:
        say("these stand for infinitely many: the arm can move with its tip at rest there")
    if arm.n <= MOST_EXACT:
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

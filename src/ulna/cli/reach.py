"""`ulna reach`: inverse kinematics, the postures that put the tip at a point."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import numpy as np

import ulna
from ulna import kinematics
from ulna.arm import Arm
from ulna.arm.parameters import allowed
from ulna.cli import flags
from ulna.cli.arguments import Angles, find_arm, read_choice, read_convention, read_target
from ulna.cli.flags import option
from ulna.cli.outputs import save_figure
from ulna.cli.terminal import degrees, number, say, show_json, show_table
from ulna.derivation.worked_steps import reach_steps
from ulna.errors import InfeasibleError, InputError, Problem, shown
from ulna.kinematics import Solutions
from ulna.kinematics.outline import MOST_EXACT

SIDES = ("up", "down", "positive", "negative")
EACH = ("q", "valid", "within_limits", "residual", "elbow")  # what there is one of a posture

TargetOption = Annotated[
    str, option("POINT", 'A point "30 cm, 20 cm", or with an orientation "30 cm, 20 cm, 45 deg".')
]
ElbowOption = Annotated[
    str | None,
    option(
        "SIDE",
        "Of two links only this posture: elbow up or down, above or below the line from base "
        "to tip; or positive or negative, the sign of sin q2.",
    ),
]


def reach(
    arm: flags.Arm,
    to: TargetOption,
    elbow: ElbowOption = None,
    angles: flags.Angles = "relative",
    values: flags.Values = None,
    explain: flags.Explain = False,
    plot: flags.Plot = None,
    json: flags.Json = False,
    overwrite: flags.Overwrite = False,
) -> None:
    """Solve inverse kinematics: the postures that put the tip at a point."""
    described = find_arm(arm, values=values)
    convention = read_convention(angles)
    _check_elbow(described, elbow)
    target = np.array(read_target(to, "--to"))
    every = kinematics.inverse(described, target)
    found = _chosen(every, elbow)
    if plot is not None:
        save_figure(
            lambda: ulna.viewer.reach_figure(described, target, found), plot, overwrite=overwrite
        )
    if json:
        show_json(_facts(described, target, found, convention))
    elif explain:
        say(reach_steps(described, target, found) + _link_angles(found, convention))
    elif found.reachable:
        _show(described, arm, target, found, convention)
    if plot and not json:
        say(f"drawn in {plot}")
    if elbow is not None and every.within_limits.any():
        _raise_if_other_elbow(target, every, found, elbow)
    _raise_if_unreachable(described, target, found, convention)


def _check_elbow(arm: Arm, elbow: str | None) -> None:
    """Raise if the elbow is on no side, or of an arm that has none or several."""
    if elbow is None:
        return
    read_choice(elbow, SIDES, "--elbow", "up, down, positive or negative")
    if arm.n != 2:
        got = f"{shown(elbow)} for an arm of {arm.n} link{'s' * (arm.n > 1)}"
        raise InputError(Problem("--elbow", got, "an arm of two links", "leave --elbow out"))


def _chosen(found: Solutions, elbow: str | None) -> Solutions:
    """Keep the postures whose elbow is on a side, or whose sin q2 has a sign.

    An arm that is straight or folded, or whose tip is right above or below its base, has its elbow
    on neither side: it is kept whichever is asked for.
    """
    if elbow is None or not found.reachable:
        return found
    names = np.array(found.branch) if elbow in found.branch else found.elbow
    keep = (names == elbow) | (names == "")
    return replace(
        found,
        **{name: getattr(found, name)[keep] for name in EACH},
        branch=tuple(np.array(found.branch)[keep].tolist()),
    )


def _raise_if_other_elbow(
    target: np.ndarray, every: Solutions, found: Solutions, elbow: str
) -> None:
    """Raise if only the other elbow will do."""
    if found.within_limits.any():
        return
    why = str(found.reason[0]) if len(found.branch) else "not a posture of this place"
    raise InfeasibleError(
        f"--elbow: {elbow} is {why} at ({_point(target)}) m; the other posture can be used, "
        "leave --elbow out to have it"
    )


def _raise_if_unreachable(arm: Arm, target: np.ndarray, found: Solutions, angles: Angles) -> None:
    """Raise if the target cannot be reached, with a way out."""
    if found.within_limits.any():
        return
    place = f"--to: ({_point(target)}) m is"
    of_arm = f"of {arm.name or 'the arm'}"
    if not found.reachable:
        short = f"out of reach {of_arm} by {number(float(found.shortfall))} m"
        raise InfeasibleError(f"{place} {short}; {_nearest(arm, target, found, angles)}")
    if _decides(arm, target) and not kinematics.workspace(arm).contains(target):
        limited = f"out of reach {of_arm} within its joint limits"
        raise InfeasibleError(f"{place} {limited}; {_nearest(arm, target, found, angles)}")
    raise InfeasibleError(
        f"{place} in reach {of_arm}, but no posture found keeps to the joint limits; "
        "widen them or move the target"
    )


def _nearest(arm: Arm, target: np.ndarray, found: Solutions, angles: Angles) -> str:
    """Offer the nearest point, and the joints for it where the links alone decide."""
    if _decides(arm, target) and not allowed(arm.parameters, found.nearest_q).all():
        point = kinematics.workspace(arm).nearest(target)
        return f"the nearest point within the joint limits is ({_point(point)}) m"
    there = ", ".join(f"{degrees(angle, 2)} deg" for angle in angles.of(found.nearest_q))
    outside = "" if allowed(arm.parameters, found.nearest_q).all() else ", outside their limits"
    parts = "links from the x axis" if angles.absolute else "joints"
    return f"the nearest point is ({_point(found.nearest)}) m, with {parts} at {there}{outside}"


def _decides(arm: Arm, target: np.ndarray) -> bool:
    """Whether the exact outline of the workspace answers for the target."""
    return len(target) == 2 and arm.n <= MOST_EXACT


def _point(point: np.ndarray) -> str:
    return f"{number(float(point[0]))}, {number(float(point[1]))}"


def _show(arm: Arm, name: str, target: np.ndarray, found: Solutions, angles: Angles) -> None:
    pointing = f", pointing at {degrees(target[2])}°" if len(target) == 3 else ""
    columns = ["posture", *(f"{angles.symbol}_{i + 1} [°]" for i in range(arm.n)), "limits"]
    if arm.n == 2:
        columns.insert(-1, "elbow")
    rows = []
    for k, branch in enumerate(found.branch):
        if not found.valid[k]:
            continue
        cells = [branch, *(degrees(angle) for angle in angles.of(found.q[k]))]
        if arm.n == 2:
            cells.append(str(found.elbow[k]) or "-")
        rows.append([*cells, "ok" if found.within_limits[k] else "outside"])
    title = f"{arm.name or name}: postures for ({_point(target)}) m{pointing}{angles.remark}"
    show_table(title, columns, rows)
    if arm.n == 2 and "" in found.elbow[found.valid]:
        say("-: no side; the arm is straight or folded, or its tip is straight above or below it")
    if found.continuum:
        say("these stand for infinitely many: the arm can move with its tip at rest there")
    if arm.n <= MOST_EXACT:
        say(str(kinematics.workspace(arm)))


def _link_angles(found: Solutions, angles: Angles) -> str:
    """Return the postures from the x axis too, if angles are to be so."""
    if not angles.absolute or not found.reachable:
        return ""
    lines = [
        f"  {found.branch[k]}: {angles.posture(found.q[k])}" for k in np.flatnonzero(found.valid)
    ]
    head = "The links' angles from the x axis, phi_i = q_1 + ... + q_i:"
    return "\n".join(["", "", head, *lines])


def _facts(arm: Arm, target: np.ndarray, found: Solutions, angles: Angles) -> dict[str, Any]:
    return {
        "arm": arm.name,
        "target": target,
        "reachable": bool(found.reachable),
        "shortfall": float(found.shortfall),
        "nearest": found.nearest,
        "nearest_q": found.nearest_q,
        "continuum": bool(found.continuum),
        **angles.facts(nearest_phi=found.nearest_q),
        "solutions": [
            {
                "branch": branch,
                "elbow": str(found.elbow[k]) or None,
                "q": found.q[k],
                **({"phi": angles.of(found.q[k])} if angles.absolute else {}),
                "valid": bool(found.valid[k]),
                "within_limits": bool(found.within_limits[k]),
                "residual": float(found.residual[k]),
                "reason": str(found.reason[k]),
            }
            for k, branch in enumerate(found.branch)
        ],
    }

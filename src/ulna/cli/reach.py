"""`ulna reach`: inverse kinematics, the postures that put the tip at a point."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from ulna import kinematics
from ulna.arm import Arm
from ulna.arm.parameters import allowed
from ulna.cli import flags
from ulna.cli.arguments import Angles, find_arm, read_choice, read_convention, read_target
from ulna.cli.flags import option
from ulna.cli.outputs import save_figure
from ulna.cli.terminal import degrees, fixed, number, say, show_json, show_table
from ulna.errors import InfeasibleError, InputError, Problem, shown
from ulna.kinematics import Solutions
from ulna.kinematics.inverse_kinematics import ring
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
    explain: flags.Explain = False,
    plot: flags.Plot = None,
    json: flags.Json = False,
    overwrite: flags.Overwrite = False,
) -> None:
    """Solve inverse kinematics: the postures that put the tip at a point."""
    described = find_arm(arm)
    convention = read_convention(angles)
    _check_elbow(described, elbow)
    target = np.array(read_target(to, "--to"))
    every = kinematics.inverse(described, target)
    found = _chosen(every, elbow)
    if plot is not None:
        from ulna.viewer import reach_figure

        save_figure(lambda: reach_figure(described, target, found), plot, overwrite=overwrite)
    if json:
        show_json(_facts(described, target, found, convention))
    elif explain:
        say(_explain(described, target, found) + _link_angles(found, convention))
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


def _explain(arm: Arm, target: np.ndarray, found: Solutions) -> str:
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
    return f"{degrees(angle)}°"


def _n(value: float) -> str:
    return fixed(value, 6)

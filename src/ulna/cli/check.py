"""`ulna check`: is a robot file right, and what does it say?"""

from __future__ import annotations

import math
from typing import Any

from ulna.arm import Arm, unmodelled, warn_unmodelled
from ulna.cli import options
from ulna.cli.arguments import Angles, find_arm, read_convention
from ulna.cli.terminal import counted, degrees, number, say, show_json, show_table
from ulna.errors import InputError
from ulna.kinematics import workspace
from ulna.kinematics.inverse_kinematics import ring
from ulna.units import from_si

LINK_COLUMNS = ("link", "length [m]", "mass [kg]", "com [m]", "inertia [kg·m²]", "tip mass [kg]")
JOINT_COLUMNS = ("torque [N·m]", "[kg·cm]", "speed [rpm]", "damping [N·m·s/rad]")


def check(
    arm: options.Arm, angles: options.Angles = "relative", json: options.Json = False
) -> None:
    """Check a robot file, and show what ulna makes of it.

    Limits belong to joints, and are always of the angle from the link before; with absolute
    angles what they leave to each link, from the x axis, is shown beside them.
    """
    convention = read_convention(angles)
    described = find_arm(arm)
    warn_unmodelled(described)
    if json:
        limits = described.parameters
        beside = convention.facts(phi_lower=limits.lower, phi_upper=limits.upper)
        show_json({**_facts(described), **beside})
        return
    title = f"{described.name or arm}: {counted(described.n, 'link')}"
    show_table(title, LINK_COLUMNS, _links(described))
    links = ("link φ from [°]", "to [°]") if convention.absolute else ("", "")
    columns = ("joint", "lower q [°]", "upper q [°]", *links, *JOINT_COLUMNS)
    show_table("joints", columns, _joints(described, convention))
    if convention.absolute:
        say("q is measured from the link before, φ from the x axis; limits are those of q")
    if _lacks_limits(described):
        say("-: no limit")
    gx, gy = described.gravity
    say(f"mass {number(described.mass)} kg, gravity ({number(gx)}, {number(gy)}) m/s²")
    say(_reach_text(described))
    say("ok")


def _reach_text(arm: Arm) -> str:
    """Return what the arm reaches, in words; the outline under limits only where it is known."""
    try:
        return str(workspace(arm))
    except InputError:
        inner, outer = ring(arm.parameters.length)
        return (
            f"Workspace: inside the ring from {number(float(inner))} m to "
            f"{number(float(outer))} m; {arm.n} limited links are too many for an outline"
        )


def _links(arm: Arm) -> list[tuple[str, ...]]:
    return [
        (
            str(index),
            number(link.length),
            number(link.mass),
            number(link.com) + (f", {number(link.com_offset)} left" if link.com_offset else ""),
            number(link.inertia),
            number(link.tip_mass),
        )
        for index, link in enumerate(arm.links, 1)
    ]


def _joints(arm: Arm, angles: Angles) -> list[tuple[str, ...]]:
    lower, upper = angles.of(arm.parameters.lower), angles.of(arm.parameters.upper)
    rows: list[tuple[str, ...]] = []
    for i, joint in enumerate(arm.joints):
        turned = (_angle(lower[i]), _angle(upper[i])) if angles.absolute else ("", "")
        limits = (
            _limit(joint.max_torque),
            _limit(from_si(joint.max_torque, "kg*cm", "torque")),
            _limit(from_si(joint.max_velocity, "rpm", "speed")),
        )
        own = (_angle(joint.lower), _angle(joint.upper))
        rows.append((str(i + 1), *own, *turned, *limits, number(joint.damping)))
    return rows


def _angle(limit: float) -> str:
    return degrees(limit, 2) if math.isfinite(limit) else "-"


def _limit(value: float) -> str:
    return number(value, 4) if math.isfinite(value) else "-"


def _lacks_limits(arm: Arm) -> bool:
    return not all(
        math.isfinite(limit)
        for joint in arm.joints
        for limit in (joint.lower, joint.upper, joint.max_torque, joint.max_velocity)
    )


def _facts(arm: Arm) -> dict[str, Any]:
    inner, outer = ring(arm.parameters.length)
    return {
        "name": arm.name,
        "links": arm.n,
        "reach": {"inner": float(inner), "outer": float(outer)},
        "mass": arm.mass,
        "parameters": arm.parameters._asdict(),
        "not_modelled": list(unmodelled(arm)),
    }

"""The tables of a report: the arm with its motors and limits, what it took, how it was made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arm import Arm
from ulna.kinematics.inverse_kinematics import ring
from ulna.simulation.made_with import made_with
from ulna.viewer.figure_style import arm_title, cut
from ulna.viewer.web_document import DocumentBuilder

if TYPE_CHECKING:
    from ulna.analysis.joint_effort import Effort
    from ulna.motion import Plan

MOST_ROWS = 40  # of a table that has one for every joint


def number_text(value: float, digits: int = 4, infinite: str = "–") -> str:
    """Return a number for a table.

    >>> number_text(0.25), number_text(math.inf)
    ('0.25', '–')
    """
    return f"{value:.{digits}g}" if math.isfinite(value) else infinite


def arm_header(arm: Arm) -> dict[str, Any]:
    """Return an arm as the viewer draws it."""
    inner, outer = ring(np.asarray(arm.parameters.length))
    return {
        "name": arm_title(arm),
        "n": arm.n,
        "lengths": [link.length for link in arm.links],
        "base": list(map(float, arm.base)),
        "gravity": list(map(float, arm.gravity)),
        "reach": [float(inner), float(outer)],
        "payload": float(arm.payload.mass),
        "joints": [
            {
                "name": f"joint {k}",
                "lower": _finite(joint.lower),
                "upper": _finite(joint.upper),
                "maxTorque": _finite(joint.max_torque),
                "motor": None if joint.motor is None else joint.motor.name or joint.motor.kind,
            }
            for k, joint in enumerate(arm.joints, 1)
        ],
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def add_arm_tables(builder: DocumentBuilder, arm: Arm) -> None:
    """Add the links, and the joints with their limits, friction and motors."""
    more = f"{MOST_ROWS} of {arm.n} joints" if arm.n > MOST_ROWS else ""
    links = [
        (
            str(k),
            number_text(link.length),
            number_text(link.mass),
            number_text(link.com),
            number_text(link.inertia),
            number_text(link.tip_mass),
        )
        for k, link in enumerate(arm.links[:MOST_ROWS], 1)
    ]
    gx, gy = arm.gravity
    told = [f"gravity ({gx:g}, {gy:g}) m/s²", more]
    if arm.payload.mass:
        told.insert(0, f"payload {arm.payload.mass:g} kg")
    headings = ("length [m]", "mass [kg]", "centre of mass [m]", "inertia [kg·m²]")
    builder.table(
        f"Arm: {arm_title(arm)}",
        ("link", *headings, "mass at its end [kg]"),
        links,
        ", ".join(filter(None, told)),
    )
    builder.table(
        "Joints, motors and limits",
        (
            "joint",
            "range [°]",
            "torque limit [N·m]",
            "speed limit [rad/s]",
            "damping [N·m·s/rad]",
            "dry friction [N·m]",
            "motor",
        ),
        [(str(k), *_joint_cells(one)) for k, one in enumerate(arm.joints[:MOST_ROWS], 1)],
        more,
    )


def _joint_cells(joint: Any) -> Iterator[str]:
    low, high = (number_text(math.degrees(one)) for one in (joint.lower, joint.upper))
    yield "no limit" if low == high == "–" else f"{low} … {high}"
    yield number_text(joint.max_torque, infinite="no limit")
    yield number_text(joint.max_velocity, infinite="no limit")
    yield number_text(joint.damping)
    yield "–" if joint.friction is None else number_text(joint.friction.coulomb)
    motor = joint.motor
    if motor is None:
        yield "ideal"
        return
    gear = abs(getattr(motor, "gear_ratio", 1.0))
    yield " ".join(filter(None, [motor.name or motor.kind, f"{gear:g} : 1" * (gear != 1.0)]))


def add_effort_table(builder: DocumentBuilder, effort: Effort, title: str) -> None:
    """Add what a run took of each joint."""
    use = [f"{part:.0%}" if math.isfinite(part) else "no limit" for part in effort.torque_use]
    columns = ("torque_peak", "torque_rms", "power_peak", "energy_spent", "energy")
    numbers = zip(*(getattr(effort, name) for name in columns), strict=True)
    rows = [
        (str(k), number_text(peak), number_text(rms), part, *map(number_text, rest))
        for k, ((peak, rms, *rest), part) in enumerate(zip(numbers, use, strict=True), 1)
    ]
    headings = ("joint", "peak torque [N·m]", "RMS [N·m]", "of its limit", "peak power [W]")
    energies = ("energy put in [J]", "less what came back [J]")
    builder.table(title, (*headings, *energies), rows[:MOST_ROWS])


def add_plan_table(builder: DocumentBuilder, plan: Plan) -> None:
    """Add the peaks of a plan, at any time."""
    peaks = plan.peaks
    if not np.isfinite(peaks.torque).any():
        return
    most = np.asarray(plan.arm.parameters.max_torque)
    rows = []
    for k in range(min(plan.arm.n, MOST_ROWS)):
        share = peaks.torque[k] / most[k]
        rows.append(
            (
                str(k + 1),
                number_text(peaks.torque[k]),
                number_text(peaks.torque_rms[k]),
                f"{share:.0%}" if math.isfinite(most[k]) else "no limit",
                number_text(peaks.speed[k]),
                number_text(peaks.power[k]),
            )
        )
    headings = ("joint", "peak torque [N·m]", "RMS [N·m]", "of its limit")
    builder.table("Planned", (*headings, "peak speed [rad/s]", "peak power [W]"), rows)


def plan_rows(plan: Plan) -> list[tuple[str, str]]:
    """Return how a plan was made, in words."""
    return [
        ("path", cut(str(plan.path))),
        ("timing", plan.trajectory.timing.name),
        ("duration", f"{plan.duration:.6g} s, {plan.duration_reason}"),
        ("samples", f"{len(plan.t):,}"),
    ]


def setting_rows(settings: Mapping[str, Any], arm: Arm | None = None) -> list[tuple[str, str]]:
    """Return how a run or a batch was made, in words that fit a table."""
    return [(what, cut(which)) for what, which in made_with(settings, arm)]

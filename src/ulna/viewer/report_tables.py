"""The tables of a report: the arm with its motors and limits, what it took, how it was made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.kinematics.inverse_kinematics import ring
from ulna.scenario import Scenario
from ulna.simulation.made_with import made_with
from ulna.viewer.figure_style import arm_title, cut
from ulna.viewer.web_document import DocumentBuilder

if TYPE_CHECKING:
    from ulna.analysis.joint_effort import Effort
    from ulna.motion import Plan

MOST_ROWS = 40  # of a table that has one for every joint
USE = "of its limit"


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
    columns = ("length", "mass", "com", "inertia", "tip_mass")
    links = [
        (str(k), *(number_text(getattr(link, name)) for name in columns))
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
    columns = {
        "peak torque [N·m]": effort.torque_peak,
        "RMS [N·m]": effort.torque_rms,
        USE: effort.torque_use,
        "peak power [W]": effort.power_peak,
        "energy put in [J]": effort.energy_spent,
        "less what came back [J]": effort.energy,
    }
    _add_joint_table(builder, title, columns)


def add_plan_table(builder: DocumentBuilder, plan: Plan) -> None:
    """Add the peaks of a plan, at any time."""
    peaks, most = plan.peaks, plan.arm.parameters.max_torque
    if not np.isfinite(peaks.torque).any():
        return
    columns = {
        "peak torque [N·m]": peaks.torque,
        "RMS [N·m]": peaks.torque_rms,
        USE: np.where(np.isfinite(most), peaks.torque / most, np.nan),
        "peak speed [rad/s]": peaks.speed,
        "peak power [W]": peaks.power,
    }
    _add_joint_table(builder, "Planned", columns)


def _add_joint_table(builder: DocumentBuilder, title: str, columns: Mapping[str, Array]) -> None:
    texts = [
        [f"{one:.0%}" if math.isfinite(one) else "no limit" for one in values]
        if name == USE
        else map(number_text, values)
        for name, values in columns.items()
    ]
    rows = [(str(k), *row) for k, row in enumerate(zip(*texts, strict=True), 1)]
    builder.table(title, ("joint", *columns), rows[:MOST_ROWS])


def plan_rows(plan: Plan) -> list[tuple[str, str]]:
    """Return how a plan was made, in words."""
    return [
        ("path", cut(str(plan.path))),
        ("timing", plan.trajectory.timing.name),
        ("duration", f"{plan.duration:.6g} s, {plan.duration_reason}"),
        ("samples", f"{len(plan.t):,}"),
    ]


def setting_rows(scenario: Scenario) -> list[tuple[str, str]]:
    """Return how a run or a batch was made, in words that fit a table."""
    return [(what, cut(which)) for what, which in made_with(scenario)]

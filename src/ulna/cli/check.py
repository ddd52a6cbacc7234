"""`ulna check`: is a robot file right, and what does it say?"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ulna.arm import Arm
from ulna.arm.components import FRICTION
from ulna.cli import flags
from ulna.cli.arguments import Angles, find_arm, read_convention, with_typed_motors
from ulna.cli.motor_report import Held, bound_text, held_in, level_text, motor_columns, motor_facts
from ulna.cli.terminal import (
    counted,
    degrees,
    no_more_than,
    number,
    say,
    show_joints,
    show_json,
)
from ulna.errors import InputError
from ulna.kinematics import workspace
from ulna.kinematics.inverse_kinematics import ring
from ulna.units import from_si


def check(
    arm: flags.Arm,
    motor: flags.Motor = None,
    values: flags.Values = None,
    angles: flags.Angles = "relative",
    json: flags.Json = False,
) -> None:
    """Check a robot file, and show what ulna makes of it.

    Limits belong to joints, and are always of the angle from the link before; with absolute
    angles what they leave to each link, from the x axis, is shown beside them.
    """
    convention = read_convention(angles)
    described = with_typed_motors(find_arm(arm, values=values), motor)
    if json:
        limits = described.parameters
        beside = convention.facts(phi_lower=limits.lower, phi_upper=limits.upper)
        show_json({**_facts(described), **beside})
        return
    title = f"{described.name or arm}: {counted(described.n, 'link')}"
    show_joints(title, _links(described), of="link")
    show_joints("joints", _joints(described, convention))
    dry = described.has_friction
    if dry:
        show_joints("friction", _friction(described))
    if described.has_motors:
        show_joints("motors, at the joints", motor_columns(described))
    if convention.absolute:
        say("q is measured from the link before, φ from the x axis; limits are those of q")
    if _lacks_limits(described):
        say("-: no limit")
    gx, gy = described.gravity
    say(f"mass {number(described.mass)} kg, gravity ({number(gx)}, {number(gy)}) m/s²")
    say(_reach_text(described))
    if dry and any(described.gravity):
        say(_held_text(_level(described)))
    if described.has_motors and any(described.gravity):
        say(level_text(_level(described)))
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


def _links(arm: Arm) -> dict[str, list[str]]:
    return {
        "length [m]": [number(link.length) for link in arm.links],
        "mass [kg]": [number(link.mass) for link in arm.links],
        "com [m]": [
            number(link.com) + (f", {number(link.com_offset)} left" if link.com_offset else "")
            for link in arm.links
        ],
        "inertia [kg·m²]": [number(link.inertia) for link in arm.links],
        "tip mass [kg]": [number(link.tip_mass) for link in arm.links],
    }


def _joints(arm: Arm, angles: Angles) -> dict[str, Iterable[str]]:
    p = arm.parameters
    turned = {}
    if angles.absolute:
        turned["link φ from [°]"] = map(_angle, angles.of(p.lower))
        turned["to [°]"] = map(_angle, angles.of(p.upper))
    return {
        "lower q [°]": map(_angle, p.lower),
        "upper q [°]": map(_angle, p.upper),
        **turned,
        "torque [N·m]": map(bound_text, p.max_torque),
        "[kg·cm]": [bound_text(from_si(most, "kg*cm", "torque")) for most in p.max_torque],
        "speed [rpm]": [bound_text(from_si(most, "rpm", "speed")) for most in p.max_velocity],
        "damping [N·m·s/rad]": [number(joint.damping) for joint in arm.joints],
    }


def _friction(arm: Arm) -> dict[str, list[str]]:
    p = arm.parameters
    columns = {
        "Coulomb [N·m]": [number(value) for value in p.coulomb],
        "static [N·m]": [number(value) for value in p.static],
    }
    if np.any(p.static > p.coulomb):
        columns["Stribeck velocity [rad/s]"] = [
            number(speed) if high > low else "-"
            for speed, low, high in zip(p.stribeck_velocity, p.coulomb, p.static, strict=True)
        ]
    if p.drag.any():
        columns["drag [N·m·s²/rad²]"] = [number(value) for value in p.drag]
    return columns


def _level(arm: Arm) -> Held:
    """Return what holds the arm stretched out level."""
    gx, gy = arm.gravity
    level = np.zeros(arm.n)
    level[0] = math.atan2(gx, -gy)
    return held_in(arm, level, np.zeros(2))


def _held_text(held: Held) -> str:
    mass = held.friction_payload
    load = held.arm.payload.mass + mass
    if mass >= 0.0:
        with_load = f" with up to {no_more_than(mass)} kg more at the tip"
        return f"without motors friction holds the arm stretched out level{with_load}"
    with_less = f"; it would with a payload of {no_more_than(load)} kg" if load >= 0.0 else ""
    return f"without motors friction does not hold the arm stretched out level{with_less}"


def _angle(limit: float) -> str:
    return degrees(limit, 2) if math.isfinite(limit) else "-"


def _lacks_limits(arm: Arm) -> bool:
    p = arm.parameters
    return not np.isfinite([p.lower, p.upper, p.max_torque, p.max_velocity]).all()


def _facts(arm: Arm) -> dict[str, Any]:
    inner, outer = ring(arm.parameters.length)
    dry = arm.has_friction
    return {
        "name": arm.name,
        "links": arm.n,
        "reach": {"inner": float(inner), "outer": float(outer)},
        "mass": arm.mass,
        "parameters": {
            name: values
            for name, values in arm.parameters._asdict().items()
            if dry or name not in FRICTION
        },
        **motor_facts(arm),
        **({"friction_payload_level": _level(arm).friction_payload} if dry else {}),
    }

"""An arm as other programs' files hold it: one rigid body a link, and what such a file loses.

Each body is the link with the point mass at its end. The rotors of joints are put into the
inertias of links and, where the format has one, into an armature (`ulna.arm.spatial_chain` has the
formula); what a file cannot hold is told, with the torque that it makes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ulna.arm.motors import IdealMotor
from ulna.arm.planar_arm import Arm

NO_LIMIT = 1e9  # what stands for no limit in files that cannot leave one out


class ExportedLink(NamedTuple):
    """A body: mass, centre of mass and inertia about it, in the frame of its joint."""

    length: float
    mass: float
    com: float
    com_offset: float
    inertia: float
    armature: float


def exported_links(arm: Arm, *, armature: bool) -> tuple[list[ExportedLink], list[str]]:
    """Return the bodies of a file that has armatures or not, and what is lost with the rotors."""
    p = arm.parameters
    mass = p.mass + p.tip_mass
    safe = np.where(mass > 0.0, mass, 1.0)
    com = (p.mass * p.com + p.tip_mass * p.length) / safe
    offset = p.mass * p.com_offset / safe
    apart = (p.com - p.length) ** 2 + p.com_offset**2
    inertia = p.inertia + p.mass * p.tip_mass / safe * apart
    armatures, lost = _spread_rotors(arm, inertia, armature=armature)
    rows = zip(p.length, mass, com, offset, inertia, armatures, strict=True)
    return [ExportedLink(*(float(value) for value in row)) for row in rows], lost


def _spread_rotors(
    arm: Arm, inertia: np.ndarray, *, armature: bool
) -> tuple[list[float], list[str]]:
    """Add to inertias what rotors add to links; return the armatures, and what is lost."""
    p, lost = arm.parameters, []
    armatures = [0.0] * arm.n
    for i, (rotor, ratio) in enumerate(zip(p.rotor_inertia, p.gear_ratio, strict=True)):
        if rotor == 0.0:
            continue
        own, before = float(rotor * ratio), float(rotor * (ratio - 1.0))
        coupled = own * (ratio - 1.0)
        if i == 0:
            armatures[0], own, before = (
                (own * ratio, 0.0, 0.0) if armature else (0.0, own * ratio, 0.0)
            )
        elif inertia[i] + own < 0.0 or inertia[i - 1] < before or coupled < 0.0:
            most = abs(own) * (abs(ratio) + i)
            lost.append(_lost_rotor(i, most))
            continue
        elif armature:
            armatures[i] = float(coupled)
        elif coupled > 0.0:
            lost.append(_lost_rotor(i, float(coupled)))
        inertia[i] += own
        inertia[i - 1] -= before if i else 0.0
    return armatures, lost


def _lost_rotor(i: int, torque: float) -> str:
    return (
        f"the rotor of joint {i + 1}: torques differ by up to {torque:.3g} N·m for every rad/s² of "
        "the joints"
    )


def lost_parts(arm: Arm, *, soft_friction: bool) -> list[str]:
    """List what no such file holds, beside rotors, with the torques that it makes."""
    p, lost = arm.parameters, []
    for i in range(arm.n):
        static, coulomb, drag = float(p.static[i]), float(p.coulomb[i]), float(p.drag[i])
        if static > coulomb:
            lost.append(f"static friction of joint {i + 1}: {static - coulomb:.3g} N·m at rest")
        if drag > 0.0:
            lost.append(f"drag of joint {i + 1}: {drag:.3g} N·m at 1 rad/s, with its square")
        if coulomb > 0.0 and soft_friction:
            text = f"friction of joint {i + 1}: up to {coulomb:.3g} N·m"
            lost.append(f"{text}, as frictionloss is soft and creeps where friction here sticks")
    driven = [
        str(i)
        for i, joint in enumerate(arm.joints, 1)
        if not isinstance(joint.motor, IdealMotor | None)
    ]
    if driven:
        lost.append(f"limits of the motors of joints {', '.join(driven)}")
    if arm.loop is not None:
        lost.append("the control loop: its rate, sensors and actuators")
    return lost


def bounded(value: float) -> float:
    """Return a limit as a number that every reader takes."""
    return math.copysign(NO_LIMIT, value) if math.isinf(value) else value


def unbounded(value: float) -> float:
    """Return a limit of a file, infinite where its number stands for none."""
    return math.copysign(math.inf, value) if abs(value) >= NO_LIMIT else value

"""The text of a URDF file that describes an arm.

A URDF says nothing of gravity: its readers take 9.81 m/s² down the z axis. An arm is written in
the plane on which that leaves the arm's own gravity: upright for 9.81 m/s², flat for none, and on
an incline for less. Links lie along x of their frames, joints turn about z, and their angles are
those of the arm.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ulna.arm.components import Joint
from ulna.arm.planar_arm import Arm
from ulna.interop.compiled_robot import URDF_ATTRIBUTES
from ulna.interop.exported_arm import (
    EARTHS,
    ExportedArm,
    ExportedLink,
    bounded,
    exported_links,
    lost_parts,
    torque_differences,
    usual_rates,
)

Matrix = NDArray[np.float64]
ENTRIES = URDF_ATTRIBUTES["inertia"]


def format_urdf(arm: Arm) -> ExportedArm:
    """Return the text of a URDF file that describes an arm, with what is lost in it."""
    from xml.sax.saxutils import quoteattr

    links, lost = exported_links(arm, armature=False)
    turn, missing = _gravity_turn(arm.gravity)
    lines = ['<?xml version="1.0"?>', f"<robot name={quoteattr(arm.name or 'arm')}>"]
    lines.append('  <link name="base_link"/>')
    before, shift = "base_link", turn @ [*arm.base, 0.0]
    angles = _roll_pitch_yaw(turn)
    for number, (link, joint) in enumerate(zip(links, arm.joints, strict=True), 1):
        name = f"link_{number}"
        lines += _joint_lines(arm, number, joint, before, (shift, angles))
        lines += _link_lines(name, link)
        before, shift, angles = name, np.array([link.length, 0.0, 0.0]), (0.0, 0.0, 0.0)
    lines += ['  <joint name="tip_joint" type="fixed">', f"    {_origin_text(shift, angles)}"]
    lines += [f'    <parent link="{before}"/>', '    <child link="tip"/>', "  </joint>"]
    lines += ['  <link name="tip"/>', "</robot>", ""]
    return ExportedArm(
        "\n".join(lines),
        (*missing, *lost, *lost_parts(arm, soft_friction=False)),
        _unread_by_pinocchio(arm),
        torque_differences(
            arm,
            links,
            soft_friction=False,
            gravity_lost=max(0.0, math.hypot(*arm.gravity) - EARTHS),
        ),
        tuple(usual_rates(arm).tolist()),
    )


def _unread_by_pinocchio(arm: Arm) -> tuple[str, ...]:
    p = arm.parameters
    torques = p.damping * usual_rates(arm) + p.coulomb
    joints = [str(joint) for joint in np.flatnonzero(torques) + 1]
    if not joints:
        return ()
    parts = [name for name in ("damping", "coulomb") if np.any(getattr(p, name))]
    what = " and ".join(parts).replace("coulomb", "friction")
    return (
        f"{what} of joints {', '.join(joints)}, which Pinocchio's rnea leaves out: up to "
        f"{np.max(torques):.3g} N·m",
    )


def _link_lines(name: str, link: ExportedLink) -> list[str]:
    # In the plane only the inertia about z counts; a ball's is one that bodies have.
    entries = dict.fromkeys(ENTRIES[:3], link.inertia) | dict.fromkeys(ENTRIES[3:], 0.0)
    inertia = " ".join(f'{entry}="{value!r}"' for entry, value in entries.items())
    return [
        f'  <link name="{name}">',
        "    <inertial>",
        f"      {_origin_text((link.com, link.com_offset, 0.0), (0.0, 0.0, 0.0))}",
        f'      <mass value="{link.mass!r}"/>',
        f"      <inertia {inertia}/>",
        "    </inertial>",
        "  </link>",
    ]


def _joint_lines(
    arm: Arm, number: int, joint: Joint, before: str, place: tuple[object, object]
) -> list[str]:
    free = math.isinf(joint.lower) and math.isinf(joint.upper)
    limit = f'effort="{bounded(joint.max_torque)!r}" velocity="{bounded(joint.max_velocity)!r}"'
    if not free:
        limit = f'lower="{bounded(joint.lower)!r}" upper="{bounded(joint.upper)!r}" {limit}'
    damping, friction = (
        float(values[number - 1]) for values in (arm.parameters.damping, arm.parameters.coulomb)
    )
    return [
        f'  <joint name="joint_{number}" type="{"continuous" if free else "revolute"}">',
        f"    {_origin_text(*place)}",
        f'    <parent link="{before}"/>',
        f'    <child link="link_{number}"/>',
        '    <axis xyz="0 0 1"/>',
        f"    <limit {limit}/>",
        f'    <dynamics damping="{damping!r}" friction="{friction!r}"/>',
        "  </joint>",
    ]


def _origin_text(shift: object, angles: object) -> str:
    xyz, rpy = (" ".join(repr(float(x)) for x in np.asarray(part)) for part in (shift, angles))
    return f'<origin xyz="{xyz}" rpy="{rpy}"/>'


def _gravity_turn(gravity: tuple[float, float]) -> tuple[Matrix, list[str]]:
    """Return the turn of the plane that leaves the arm its gravity, of 9.81 m/s² down z."""
    size = math.hypot(*gravity)
    earth = max(EARTHS, size)
    missing = []
    if size > EARTHS:
        missing.append(f"gravity of {size:g} m/s²: set it in the program that reads the file")
    lifted = math.sqrt(max(0.0, 1.0 - (size / earth) ** 2))
    up = np.array([-gravity[0] / earth, -gravity[1] / earth, lifted])
    nearest = np.eye(3)[0] if abs(up[0]) < 0.9 else np.eye(3)[1]
    x = nearest - (nearest @ up) * up
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(up, x), up]), missing


def _roll_pitch_yaw(turn: Matrix) -> tuple[float, float, float]:
    level = math.hypot(turn[0, 0], turn[1, 0])
    pitch = math.atan2(-turn[2, 0], level)
    if level < 1e-12:
        return math.atan2(-turn[1, 2], turn[1, 1]), pitch, 0.0
    return math.atan2(turn[2, 1], turn[2, 2]), pitch, math.atan2(turn[1, 0], turn[0, 0])

"""The text of a URDF file that describes an arm.

A URDF says nothing of gravity: its readers take 9.81 m/s² down the z axis. An arm is written in
the plane on which that leaves the arm's own gravity: upright for 9.81 m/s², flat for none, and on
an incline for less. Links lie along x of their frames, joints turn about z, and their angles are
those of the arm.
"""

from __future__ import annotations

import math
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from ulna.arm.planar_arm import Arm
from ulna.interop.exported_arm import (
    EARTHS,
    ExportedArm,
    ExportedLink,
    add_element,
    bounded,
    exported_arm,
    exported_links,
    usual_rates,
)

Matrix = NDArray[np.float64]


def format_urdf(arm: Arm) -> ExportedArm:
    """Return the text of a URDF file that describes an arm, with what is lost in it."""
    links, lost = exported_links(arm, armature=False)
    turn, missing = _gravity_turn(arm.gravity)
    root = Element("robot", name=arm.name or "arm")
    add_element(root, "link", {"name": "base_link"})
    before, place = "base_link", {"xyz": turn @ [*arm.base, 0.0], "rpy": _roll_pitch_yaw(turn)}
    for index, link in enumerate(links):
        name = f"link_{index + 1}"
        _add_joint(root, arm, index, (before, name), place)
        _add_link(root, name, link)
        before, place = name, {"xyz": np.array([link.length, 0.0, 0.0]), "rpy": (0.0, 0.0, 0.0)}
    _connect(
        add_element(root, "joint", {"name": "tip_joint", "type": "fixed"}), before, "tip", place
    )
    add_element(root, "link", {"name": "tip"})
    return exported_arm(
        arm,
        links,
        root,
        [*missing, *lost],
        gravity_lost=max(0.0, math.hypot(*arm.gravity) - EARTHS),
        unread=_unread_by_pinocchio(arm),
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


def _add_link(root: Element, name: str, link: ExportedLink) -> None:
    inertial = add_element(add_element(root, "link", {"name": name}), "inertial")
    add_element(inertial, "origin", {"xyz": (link.com, link.com_offset, 0.0), "rpy": "0 0 0"})
    add_element(inertial, "mass", {"value": link.mass})
    # In the plane only the inertia about z counts; a ball's is one that bodies have.
    moments = dict.fromkeys(("ixx", "iyy", "izz"), link.inertia)
    moments |= dict.fromkeys(("ixy", "ixz", "iyz"), 0.0)
    add_element(inertial, "inertia", moments)


def _add_joint(
    root: Element, arm: Arm, index: int, links: tuple[str, str], place: dict[str, Any]
) -> None:
    joint, p = arm.joints[index], arm.parameters
    limit = {"effort": bounded(joint.max_torque), "velocity": bounded(joint.max_velocity)}
    kind = "continuous"
    if math.isfinite(joint.lower) or math.isfinite(joint.upper):
        kind = "revolute"
        limit |= {"lower": bounded(joint.lower), "upper": bounded(joint.upper)}
    made = add_element(root, "joint", {"name": f"joint_{index + 1}", "type": kind})
    _connect(made, *links, place)
    add_element(made, "axis", {"xyz": "0 0 1"})
    add_element(made, "limit", limit)
    add_element(made, "dynamics", {"damping": p.damping[index], "friction": p.coulomb[index]})


def _connect(joint: Element, before: str, beyond: str, place: dict[str, Any]) -> None:
    add_element(joint, "origin", place)
    add_element(joint, "parent", {"link": before})
    add_element(joint, "child", {"link": beyond})


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

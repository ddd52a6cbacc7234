"""The text of an MJCF file, MuJoCo's own, that describes an arm.

An arm is written upright in the plane of MuJoCo's x and z axes, under its own gravity. Links lie
along x of their bodies, hinges turn about z, and their angles are those of the arm. Rotors become
armatures, and what they couple goes into the inertias of the links, exactly.
"""

from __future__ import annotations

import math
from typing import Any
from xml.etree.ElementTree import Element

from ulna.arm.planar_arm import Arm
from ulna.errors import InputError, Problem
from ulna.interop.exported_arm import (
    ExportedArm,
    ExportedLink,
    add_element,
    bounded,
    exported_arm,
    exported_links,
)

LIGHTEST = 1e-14  # [kg], [kg·m²]: MuJoCo takes nothing below 1e-15
WIDTH = 0.03  # of a link as it is drawn, of its length


def format_mjcf(arm: Arm) -> ExportedArm:
    """Return the text of an MJCF file that describes an arm, with what is lost in it."""
    links, lost = exported_links(arm, armature=True)
    for number, link in enumerate(links, 1):
        if link.mass < LIGHTEST:
            problem = Problem(f"link.{number}.mass", f"{link.mass:g}", "a mass, which MuJoCo needs")
            raise InputError(problem)
    root = Element("mujoco", model=arm.name or "arm")
    add_element(root, "compiler", {"angle": "radian", "autolimits": "true"})
    add_element(root, "option", {"gravity": (arm.gravity[0], 0.0, arm.gravity[1])})
    body = add_element(root, "worldbody")
    place: dict[str, Any] = {"pos": (arm.base[0], 0.0, arm.base[1]), "xyaxes": "1 0 0 0 0 1"}
    for index, link in enumerate(links):
        body = add_element(body, "body", {"name": f"link_{index + 1}", **place})
        _add_link(body, link)
        add_element(body, "joint", _hinge(arm, index, link.armature))
        place = {"pos": (link.length, 0.0, 0.0)}
    add_element(body, "site", {"name": "tip", **place})
    motors = add_element(root, "actuator")
    for number in range(1, arm.n + 1):
        add_element(motors, "motor", {"name": f"motor_{number}", "joint": f"joint_{number}"})
    fast = [str(i) for i, joint in enumerate(arm.joints, 1) if math.isfinite(joint.max_velocity)]
    if fast:
        lost.append(f"limits of the rates of joints {', '.join(fast)}")
    return exported_arm(arm, links, root, lost, soft_friction=True)


def _add_link(body: Element, link: ExportedLink) -> None:
    # In the plane only the inertia about z counts; a ball's is one that bodies have.
    moments = [max(link.inertia, LIGHTEST)] * 3
    centre = (link.com, link.com_offset, 0.0)
    add_element(body, "inertial", {"pos": centre, "mass": link.mass, "diaginertia": moments})
    ends = (0.0, 0.0, 0.0, link.length, 0.0, 0.0)
    capsule: dict[str, Any] = {"type": "capsule", "fromto": ends, "size": WIDTH * link.length}
    add_element(body, "geom", capsule | {"mass": "0", "contype": "0", "conaffinity": "0"})


def _hinge(arm: Arm, index: int, armature: float) -> dict[str, Any]:
    joint, p = arm.joints[index], arm.parameters
    hinge: dict[str, Any] = {"name": f"joint_{index + 1}", "type": "hinge", "axis": "0 0 1"}
    resisting = {
        "damping": p.damping[index],
        "frictionloss": p.coulomb[index],
        "armature": armature,
    }
    hinge |= {name: value for name, value in resisting.items() if value}
    if math.isfinite(joint.lower) or math.isfinite(joint.upper):
        hinge["range"] = (bounded(joint.lower), bounded(joint.upper))
    if math.isfinite(joint.max_torque):
        hinge["actuatorfrcrange"] = (-joint.max_torque, joint.max_torque)
    return hinge

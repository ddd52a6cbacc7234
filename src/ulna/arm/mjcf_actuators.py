"""The actuators of an MJCF file: what torques they leave to joints, and what is left out of them.

A motor's torque is its control signal times its gear; both the signal and the force may have
limits. Other actuators are laws of control of their own, of which only the limits are read.
"""

from __future__ import annotations

import math
from dataclasses import replace

from ulna.arm.mjcf_elements import ACTUATOR, MAIN, MjcfSettings
from ulna.arm.robot_tree import TreeJoint
from ulna.arm.xml_elements import XmlElement
from ulna.errors import warn

MOST_NAMED = 8
PLAIN = {"dyntype": "none", "gaintype": "fixed", "biastype": "none"}  # force = gain × signal


def limit_torques(
    settings: MjcfSettings, root: XmlElement, joints: list[TreeJoint]
) -> list[TreeJoint]:
    """Return joints with the limits of the actuators that turn them; warn of what is left out."""
    limits: dict[str, float] = {}
    laws, uneven = [], []
    names = {joint.name for joint in joints}
    for element in (part for group in root.all("actuator") for part in group.children):
        whole = settings.whole(element, MAIN, ACTUATOR)
        name = element.attributes.get("name") or f"<{element.tag}> in line {element.line}"
        joint = whole.attributes.get("joint", whole.attributes.get("jointinparent", ""))
        lower, upper = _torque_range(settings, whole, f"actuator.{name}")
        _refuse_inertia(settings, whole, f"actuator.{name}")
        if joint not in names or not _is_plain(whole):
            laws.append(name)
        if joint in names:
            if lower != -upper:
                uneven.append(name)
            limits[joint] = limits.get(joint, 0.0) + min(-lower, upper)
    _tell("left out but for the limits of their torques", laws)
    _tell("that push further one way than the other, taken by the smaller", uneven)
    return [_limited(one, limits.get(one.name, math.inf)) for one in joints]


def _tell(what: str, names: list[str]) -> None:
    if names:
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        warn(f"actuators {what}: {', '.join(names[:MOST_NAMED])}{more}")


def _limited(one: TreeJoint, torque: float) -> TreeJoint:
    if not 0.0 < torque < one.joint.max_torque:
        return one
    return replace(one, joint=replace(one.joint, max_torque=torque))


def _is_plain(whole: XmlElement) -> bool:
    """Return whether the force is the signal, or that times a constant."""
    if whole.tag == "general":
        return all(whole.attributes.get(key, usual) == usual for key, usual in PLAIN.items())
    return whole.tag == "motor"


def _torque_range(settings: MjcfSettings, whole: XmlElement, owner: str) -> tuple[float, float]:
    """Return the least and the largest torque [N·m] that an actuator brings to its joint."""
    lower, upper = _limits(settings, whole, "force", owner)
    if _is_plain(whole):
        gain = _first(settings, whole, "gainprm", owner) if whole.tag == "general" else 1.0
        ends = sorted(gain * end for end in _limits(settings, whole, "ctrl", owner))
        lower, upper = max(lower, ends[0]), min(upper, ends[1])
    gear = _first(settings, whole, "gear", owner)
    if gear == 0.0:
        return -math.inf, math.inf
    low, high = sorted((gear * lower, gear * upper))
    return low, high


def _limits(
    settings: MjcfSettings, whole: XmlElement, what: str, owner: str
) -> tuple[float, float]:
    key = f"{what}range"
    low, high = settings.reader.numbers(whole, key, (0.0, 0.0), owner)
    limited = whole.attributes.get(f"{what}limited", "auto")
    if limited == "false" or (limited == "auto" and not (settings.auto_limits and (low or high))):
        return -math.inf, math.inf
    if not low < high:
        got = f"{low:g} to {high:g}"
        settings.reader.add(whole.line, f"{owner}.{key}", got, "the lower limit below the upper")
        return -math.inf, math.inf
    return low, high


def _first(settings: MjcfSettings, whole: XmlElement, key: str, owner: str) -> float:
    """Read the first of several numbers, 1 where there are none."""
    words = whole.attributes.get(key, "1").split()
    element = XmlElement(whole.tag, {key: " ".join(words[:1])}, whole.line)
    return settings.reader.number(element, key, owner, 1.0)


def _refuse_inertia(settings: MjcfSettings, whole: XmlElement, owner: str) -> None:
    for key in ("armature", "damping"):
        if key in whole.attributes and whole.attributes[key].strip("0. "):
            got = f"{key} of an actuator"
            need = f"the {key} of a joint"
            settings.reader.add(whole.line, f"{owner}.{key}", got, need)

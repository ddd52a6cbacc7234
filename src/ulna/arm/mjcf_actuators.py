"""The actuators of an MJCF file: what torques they leave to joints, and what is left out of them.

A motor's torque is its control signal times its gear; both the signal and the force may have
limits. Other actuators are laws of control of their own, of which only the limits are read.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from ulna.arm.mjcf_elements import ACTUATOR, MAIN, MjcfSettings
from ulna.arm.robot_tree import JOINT, TreeJoint
from ulna.arm.xml_elements import XmlElement, XmlReader
from ulna.errors import warn

MOST_NAMED = 8
MOST_NUMBERS = {"gear": 6, "gainprm": 10, "armature": 1, "damping": 3}
PLAIN = {"dyntype": "none", "gaintype": "fixed", "biastype": "none"}  # force = gain × signal


class _Drive(NamedTuple):
    """The least and the largest torque [N·m] of all actuators of a joint together."""

    lower: float
    upper: float
    names: tuple[str, ...]
    line: int


def limit_torques(
    settings: MjcfSettings, root: XmlElement, joints: list[TreeJoint]
) -> list[TreeJoint]:
    """Return joints with the limits of the actuators that turn them; warn of what is left out."""
    drives: dict[str, _Drive] = {}
    laws = []
    names = {joint.name for joint in joints}
    for element in (part for group in root.all("actuator") for part in group.children):
        name = element.attributes.get("name") or f"<{element.tag}> in line {element.line}"
        joint = element.attributes.get("joint", element.attributes.get("jointinparent", ""))
        with settings.reader.part(JOINT, joint):
            whole = settings.whole(element, MAIN, ACTUATOR)
            torques = _torque_range(settings, whole, f"actuator.{name}")
            _refuse_inertia(settings, whole, f"actuator.{name}")
        if joint not in names or not _is_plain(whole):
            laws.append(name)
        if joint in names and torques is not None:
            before = drives.get(joint, _Drive(0.0, 0.0, (), 0))
            lower, upper = before.lower + torques[0], before.upper + torques[1]
            drives[joint] = _Drive(lower, upper, (*before.names, name)[:MOST_NAMED], element.line)
    _tell("left out but for the limits of their torques", laws)
    for joint, drive in drives.items():
        with settings.reader.part(JOINT, joint):
            _check_sides(settings.reader, drive)
    return [_limited(one, drives.get(one.name)) for one in joints]


def _check_sides(reader: XmlReader, drive: _Drive) -> None:
    """Note actuators that turn a joint one way only; warn of those that are stronger one way."""
    names = ", ".join(drive.names)
    if min(-drive.lower, drive.upper) <= 0.0:
        got = f"torques of {drive.lower:g} to {drive.upper:g} N·m: one side only"
        reader.add(drive.line, f"actuator.{names}", got, "torques to both sides")
    elif not math.isclose(-drive.lower, drive.upper):
        text = f"torques of {drive.lower:g} to {drive.upper:g} N·m are taken by the smaller side"
        reader.tell(drive.line, f"actuator.{names}", text)


def _tell(what: str, names: list[str]) -> None:
    if names:
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        warn(f"actuators {what}: {', '.join(names[:MOST_NAMED])}{more}")


def _limited(one: TreeJoint, drive: _Drive | None) -> TreeJoint:
    torque = math.inf if drive is None else min(-drive.lower, drive.upper)
    if not 0.0 < torque < one.joint.max_torque:
        return one
    return replace(one, joint=replace(one.joint, max_torque=torque))


def _is_plain(whole: XmlElement) -> bool:
    """Return whether the force is the signal, or that times a constant."""
    if whole.tag == "general":
        return all(whole.attributes.get(key, usual) == usual for key, usual in PLAIN.items())
    return whole.tag == "motor"


def _torque_range(
    settings: MjcfSettings, whole: XmlElement, owner: str
) -> tuple[float, float] | None:
    """Return the least and the largest torque [N·m] of an actuator, None without a gear."""
    lower, upper = _limits(settings, whole, "force", owner)
    if _is_plain(whole):
        gain = _first(settings, whole, "gainprm", owner) if whole.tag == "general" else 1.0
        ends = sorted(gain * end for end in _limits(settings, whole, "ctrl", owner))
        lower, upper = max(lower, ends[0]), min(upper, ends[1])
    gear = _first(settings, whole, "gear", owner)
    if gear == 0.0:
        return None
    low, high = sorted((gear * lower, gear * upper))
    return low, high


def _limits(
    settings: MjcfSettings, whole: XmlElement, what: str, owner: str
) -> tuple[float, float]:
    key = f"{what}range"
    low, high = settings.reader.numbers(whole, key, (0.0, 0.0), owner)
    limited = whole.attributes.get(f"{what}limited", "auto")
    if what == "ctrl" and "clampctrl" in settings.off:
        return -math.inf, math.inf
    if limited == "false" or (limited == "auto" and not (settings.auto_limits and (low or high))):
        return -math.inf, math.inf
    if not low < high:
        got = f"{low:g} to {high:g}"
        settings.reader.add(whole.line, f"{owner}.{key}", got, "the lower limit below the upper")
        return -math.inf, math.inf
    return low, high


def _first(settings: MjcfSettings, whole: XmlElement, key: str, owner: str) -> float:
    """Read the first of several numbers, 1 where there are none."""
    return (*settings.reader.some_numbers(whole, key, MOST_NUMBERS[key], owner), 1.0)[0]


def _refuse_inertia(settings: MjcfSettings, whole: XmlElement, owner: str) -> None:
    for key in ("armature", "damping"):
        if any(settings.reader.some_numbers(whole, key, MOST_NUMBERS[key], owner)):
            got = f"{key} of an actuator"
            need = f"the {key} of a joint"
            settings.reader.add(whole.line, f"{owner}.{key}", got, need)

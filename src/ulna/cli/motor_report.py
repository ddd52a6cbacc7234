"""What the motors of an arm hold at rest, for the commands that ask."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

import numpy as np

from ulna import dynamics
from ulna.actuation import continuous_torque, torque_range
from ulna.arm import Arm, Joint
from ulna.cli.terminal import ROUNDING, no_more_than, number
from ulna.motion.planning.motor_demands import CAUTION, UNRATED, stall_share
from ulna.units import from_si


def motor_name(joint: Joint) -> str:
    """Return what a joint's motor is called: its name, else its kind."""
    return "-" if joint.motor is None else joint.motor.name or joint.motor.kind


def motor_list(arm: Arm) -> str:
    """Return the motors of an arm, joint by joint; nothing of one that has none."""
    names = [motor_name(joint) for joint in arm.joints]
    if not arm.has_motors:
        return ""
    return f"{names[0]} in every joint" if len(set(names)) == 1 else ", ".join(names)


def torque_at_rest(arm: Arm) -> np.ndarray:
    """Return what each joint gives at rest [N·m]: its limit, and what its motor moves it with."""
    given = [float(torque_range(one, 0.0).upper) * _efficiency(one) for one in arm.joints]
    return np.asarray(np.minimum(arm.parameters.max_torque, given))


def torque_for_ever(arm: Arm) -> np.ndarray:
    """Return what each joint holds at rest [N·m] without its winding getting too hot.

    A gear loses nothing while it rests: its losses only help to hold.
    """
    given = [continuous_torque(one) if _warms(one) else inf for one in arm.joints]
    return np.asarray(np.minimum(torque_at_rest(arm), given))


def _efficiency(joint: Joint) -> float:
    return float(getattr(joint.motor, "efficiency", 1.0))


def _warms(joint: Joint) -> bool:
    return getattr(joint.motor, "heat", None) is not None


def motor_columns(arm: Arm) -> dict[str, list[str]]:
    """Return what there is to know of each joint's motor, at the joint."""
    rest, ever = torque_at_rest(arm), torque_for_ever(arm)
    columns = {
        "motor": [motor_name(joint) for joint in arm.joints],
        "command": ["-" if one.motor is None else one.motor.command for one in arm.joints],
        "gear": [number(abs(ratio), 4) for ratio in arm.parameters.gear_ratio],
        "at rest [N·m]": [_bound(most) for most in rest],
        "no load [rpm]": [
            _bound(from_si(_no_load_speed(joint), "rpm", "speed")) for joint in arm.joints
        ],
    }
    if any(map(_warms, arm.joints)):
        columns["for ever [N·m]"] = [_bound(most) for most in ever]
    return columns


def _no_load_speed(joint: Joint) -> float:
    return getattr(joint.motor, "no_load_speed", inf) / abs(joint.gear_ratio)


def _bound(value: float) -> str:
    return number(value, 4) if isfinite(value) else "-"


def level_text(arm: Arm, level: np.ndarray) -> str:
    """Return whether the motors hold the arm in its heaviest pose, and with which load."""
    torque = np.abs(dynamics.holding_torque(arm, level))
    p, rest, ever = arm.parameters, torque_at_rest(arm), torque_for_ever(arm)
    weak = np.flatnonzero(torque > (rest + p.static) * (1.0 + ROUNDING))
    if len(weak):
        asked = "; ".join(
            f"joint {i + 1} needs {number(torque[i])} N·m and {motor_name(arm.joints[i])} gives "
            f"{number(rest[i])} N·m"
            for i in weak
        )
        return f"the motors do not hold the arm stretched out level: {asked}"
    held_by = p._replace(max_torque=rest + p.static)
    mass = float(dynamics.largest_payload(held_by, level))
    with_load = f" with up to {no_more_than(mass)} kg more at the tip" if isfinite(mass) else ""
    hot = np.flatnonzero(torque > (ever + p.static) * (1.0 + ROUNDING))
    told = f"the motors hold the arm stretched out level{with_load}{too_hot_text(arm, torque, hot)}"
    return "; ".join([told, *unrated_texts(arm, torque)])


def too_hot_text(arm: Arm, torque: np.ndarray, hot: np.ndarray) -> str:
    """Return which motors get too hot in a pose that they hold, beginning with a comma."""
    if not len(hot):
        return ""
    ever = torque_for_ever(arm)
    told = "; ".join(
        f"joint {i + 1} takes {number(abs(torque[i]))} N·m, and {motor_name(arm.joints[i])} gives "
        f"{number(ever[i])} N·m without getting too hot"
        for i in hot
    )
    return f", but not for ever: {told}"


def unrated_texts(arm: Arm, torque: np.ndarray) -> list[str]:
    """Return the motors that torques (n,) [N·m] may be too much for, if they last."""
    taken = np.maximum(np.abs(torque) - arm.parameters.static, 0.0)
    shares = [stall_share(joint, one) for joint, one in zip(arm.joints, taken, strict=True)]
    return [
        f"joint {k} takes {part:.0%} of the stall torque of {motor_name(joint)}: {UNRATED}"
        for k, (joint, part) in enumerate(zip(arm.joints, shares, strict=True), 1)
        if part > CAUTION
    ]


def motor_facts(arm: Arm) -> dict[str, Any]:
    """Return the motors of an arm in SI numbers; nothing of one that has none."""
    if not arm.has_motors:
        return {}
    return {
        "motors": {
            "name": [motor_name(joint) for joint in arm.joints],
            "kind": [None if one.motor is None else one.motor.kind for one in arm.joints],
            "torque_at_rest": torque_at_rest(arm),
            "torque_for_ever": torque_for_ever(arm),
        }
    }

"""What the motors of an arm hold at rest, for the commands that ask."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from ulna import dynamics
from ulna.actuation import continuous_torque, torque_range
from ulna.arm import Arm, Joint
from ulna.cli.terminal import ROUNDING, no_more_than, number
from ulna.errors import InputError, Problem
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
        "at rest [N·m]": [bound_text(most) for most in rest],
        "no load [rpm]": [
            bound_text(from_si(_no_load_speed(joint), "rpm", "speed")) for joint in arm.joints
        ],
    }
    if any(map(_warms, arm.joints)):
        columns["for ever [N·m]"] = [bound_text(most) for most in ever]
    return columns


def _no_load_speed(joint: Joint) -> float:
    return getattr(joint.motor, "no_load_speed", inf) / abs(joint.gear_ratio)


def bound_text(value: float) -> str:
    """Write a limit in four digits; "-" for none."""
    return number(value, 4) if isfinite(value) else "-"


class Held(NamedTuple):
    """A pose, a force on the tip, and what holds an arm in it."""

    arm: Arm
    q: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    gravity: np.ndarray
    payload_margin: float  # [kg] more at the tip
    friction_payload: float  # [kg] more at the tip that friction holds without motors
    limit: np.ndarray  # [N·m] of each joint at rest, its motor's included

    @property
    def too_weak(self) -> np.ndarray:
        """Of each joint, whether the pose asks more of it than it gives."""
        most = self.limit + self.static
        return np.asarray(np.abs(self.torque) > most * (1.0 + ROUNDING))

    @property
    def too_hot(self) -> np.ndarray:
        """Of each joint, whether its motor holds the pose only until its winding is too hot."""
        most = torque_for_ever(self.arm) + self.static
        return np.asarray(np.abs(self.torque) > most * (1.0 + ROUNDING))

    @property
    def static(self) -> np.ndarray:
        """The static friction of each joint, which holds it too."""
        return np.asarray(self.arm.parameters.static)

    @property
    def slipping(self) -> np.ndarray:
        """Of each joint, whether the pose asks more of its friction alone than that gives."""
        return np.asarray(np.abs(self.torque) > self.static * (1.0 + ROUNDING))


def held_in(arm: Arm, q: np.ndarray, force: np.ndarray) -> Held:
    """Return what holds an arm in a pose under a force on its tip."""
    with np.errstate(over="ignore", invalid="ignore"):
        torque = dynamics.holding_torque(arm, q, tip_force=force)
    if not np.isfinite(torque).all():
        got = "angles, a force or a load for which no torque is a number"
        raise InputError(Problem("hold", got, "sizes that arithmetic can hold", "check the units"))
    p = arm.parameters
    limit = torque_at_rest(arm)
    held_by = p._replace(max_torque=limit + p.static)
    margin = float(dynamics.largest_payload(held_by, q, tip_force=force))
    alone = float(dynamics.friction_payload(arm, q, tip_force=force))
    return Held(arm, q, force, torque, dynamics.gravity_torque(arm, q), margin, alone, limit)


def level_text(held: Held) -> str:
    """Return whether the motors hold the arm in its heaviest pose, and with which load."""
    if held.too_weak.any():
        asked = "; ".join(
            f"joint {i + 1} needs {number(abs(held.torque[i]))} N·m and "
            f"{motor_name(held.arm.joints[i])} gives {number(held.limit[i])} N·m"
            for i in np.flatnonzero(held.too_weak)
        )
        return f"the motors do not hold the arm stretched out level: {asked}"
    mass = held.payload_margin
    with_load = f" with up to {no_more_than(mass)} kg more at the tip" if isfinite(mass) else ""
    told = f"the motors hold the arm stretched out level{with_load}{too_hot_text(held)}"
    return "; ".join([told, *unrated_texts(held)])


def too_hot_text(held: Held) -> str:
    """Return which motors get too hot in a pose that they hold, beginning with a comma."""
    if not held.too_hot.any():
        return ""
    ever = torque_for_ever(held.arm)
    told = "; ".join(
        f"joint {i + 1} takes {number(abs(held.torque[i]))} N·m, and "
        f"{motor_name(held.arm.joints[i])} gives {number(ever[i])} N·m without getting too hot"
        for i in np.flatnonzero(held.too_hot)
    )
    return f", but not for ever: {told}"


def unrated_texts(held: Held) -> list[str]:
    """Return the motors that a pose may take too much of, if it lasts."""
    taken = np.maximum(np.abs(held.torque) - held.static, 0.0)
    shares = [stall_share(joint, one) for joint, one in zip(held.arm.joints, taken, strict=True)]
    return [
        f"joint {k} takes {part:.0%} of the stall torque of {motor_name(joint)}: {UNRATED}"
        for k, (joint, part) in enumerate(zip(held.arm.joints, shares, strict=True), 1)
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

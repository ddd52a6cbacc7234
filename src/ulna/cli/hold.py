"""`ulna hold`: the torques that hold a pose, and what the joints could carry besides."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Annotated, Any

import numpy as np

from ulna import kinematics
from ulna.cli import flags
from ulna.cli.arguments import Angles, changed_arm, read_convention, read_force
from ulna.cli.flags import option
from ulna.cli.motor_report import (
    Held,
    held_in,
    motor_facts,
    motor_name,
    too_hot_text,
    unrated_texts,
)
from ulna.cli.terminal import (
    degrees,
    fixed,
    no_more_than,
    number,
    say,
    show_joints,
    show_json,
)
from ulna.derivation.worked_steps import holding_steps
from ulna.errors import InfeasibleError

TipForceOption = Annotated[
    str | None,
    option(
        "FORCE",
        'A force that acts on the tip, "10, 0 N", or with a moment "10 N, 0 N, 2 N*m".',
    ),
]


def hold(
    arm: flags.Arm,
    q: flags.Posture,
    tip_force: TipForceOption = None,
    payload: flags.Payload = None,
    motor: flags.Motor = None,
    values: flags.Values = None,
    no_gravity: flags.NoGravity = False,
    angles: flags.Angles = "relative",
    explain: flags.Explain = False,
    json: flags.Json = False,
) -> None:
    """Compute holding torques (statics): what keeps the arm still in a pose."""
    described = changed_arm(arm, payload, no_gravity=no_gravity, motor=motor, values=values)
    convention = read_convention(angles)
    posture = np.array(convention.read(q, described, "--q"))
    pull = np.zeros(2)
    if tip_force is not None:
        pull = np.array(read_force(tip_force, "--tip-force"))
    held = held_in(described, posture, pull)
    if json:
        show_json({**_facts(held), **convention.facts(phi=posture)})
    elif explain:
        say(convention.explain(posture) + holding_steps(described, posture, pull))
    else:
        _show(held, arm, convention)
    _raise_if_too_weak(held)


def _show(held: Held, name: str, angles: Angles) -> None:
    arm, torque, gravity, limit = held.arm, held.torque, held.gravity, held.limit
    columns: dict[str, Iterable[str]] = {
        f"{angles.symbol} [°]": map(degrees, angles.of(held.q)),
        "torque [N·m]": map(number, torque),
    }
    if np.any(held.force):
        columns["gravity [N·m]"] = map(number, gravity)
        columns["tip force [N·m]"] = map(number, torque - gravity)
    if held.static.any():
        columns["holds from [N·m]"] = map(number, torque - held.static)
        columns["to [N·m]"] = map(number, torque + held.static)
    if arm.has_motors:
        columns["motor"] = map(motor_name, arm.joints)
    if np.isfinite(limit).any():
        columns["limit [N·m]"] = (number(most) if np.isfinite(most) else "" for most in limit)
        columns["used [%]"] = (
            number(100.0 * abs(one) / most, 3) if np.isfinite(most) else ""
            for one, most in zip(torque, limit, strict=True)
        )
    show_joints(f"{arm.name or name}: torques that hold the pose{angles.remark}", columns)
    x, y, _ = kinematics.tip(arm, held.q)
    say(f"tip ({fixed(x, 6)}, {fixed(y, 6)}) m{_force_in_words(held.force)}")
    if np.isfinite(held.payload_margin) and not held.too_weak.any():
        helped = ", friction included" * bool(held.static.any())
        most = no_more_than(held.payload_margin)
        say(f"the joints hold up to {most} kg more at the tip{helped}")
    if not held.too_weak.any():
        if held.too_hot.any():
            say(f"the motors hold the pose{too_hot_text(held)}")
        for told in unrated_texts(held):
            say(told)
    if held.static.any():
        say(_without_motors(held))


def _without_motors(held: Held) -> str:
    """Return whether friction alone holds the pose, and with which load."""
    if not held.slipping.any():
        mass = held.friction_payload
        more = f", with up to {no_more_than(mass)} kg more at the tip" if isfinite(mass) else ""
        return f"without motors the arm stays where it is: friction holds it{more}"
    asked = "; ".join(
        f"joint {i + 1} needs {number(abs(held.torque[i]))} N·m and its static friction is "
        f"{number(held.static[i])} N·m"
        for i in np.flatnonzero(held.slipping)
    )
    load = held.arm.payload.mass + held.friction_payload
    less = ""
    if load >= 0.0:
        less = f"; friction would hold it with a payload of {no_more_than(load)} kg"
    return f"without motors the arm does not stay: {asked}{less}"


def _force_in_words(force: np.ndarray) -> str:
    if not np.any(force):
        return ""
    moment = f" and a moment of {number(force[2])} N·m" if len(force) == 3 else ""
    return f", with ({number(force[0])}, {number(force[1])}) N{moment} acting on it"


def _raise_if_too_weak(held: Held) -> None:
    """Raise if the joints cannot hold the pose, with a way out."""
    weak = np.flatnonzero(held.too_weak)
    if not len(weak):
        return
    asked = "; ".join(
        f"joint {i + 1} needs {number(abs(held.torque[i]))} N·m "
        f"and {_giver(held, int(i))} {number(held.limit[i])} N·m"
        + f" beside {number(held.static[i])} N·m of friction"
        * bool(held.static[i])
        for i in weak
    )
    lessen = "lessen the force, " if np.any(held.force) else ""
    way_out = f"{lessen}move the tip closer to the base, or choose stronger motors"
    load = held.arm.payload.mass + held.payload_margin
    if load >= 0.0:
        way_out = f"it could be held with a payload of {no_more_than(load)} kg"
    raise InfeasibleError(f"the pose cannot be held: {asked}; {way_out}")


def _giver(held: Held, joint: int) -> str:
    """Return what bounds the torque of a joint: its motor, or itself."""
    if held.limit[joint] < held.arm.parameters.max_torque[joint]:
        return f"its motor {motor_name(held.arm.joints[joint])} gives"
    return "gives"


def _facts(held: Held) -> dict[str, Any]:
    return {
        "arm": held.arm.name,
        "q": held.q,
        "tip_force": held.force,
        "torque": held.torque,
        "gravity": held.gravity,
        "max_torque": held.limit,
        "holds": not held.too_weak.any(),
        **motor_facts(held.arm),
        "payload": held.arm.payload.mass,
        "payload_margin": held.payload_margin,
        **(_friction_facts(held) if held.static.any() else {}),
    }


def _friction_facts(held: Held) -> dict[str, Any]:
    return {
        "friction": {
            "static": held.static,
            "torque_from": held.torque - held.static,
            "torque_to": held.torque + held.static,
            "holds": not held.slipping.any(),
            "payload_margin": held.friction_payload,
        }
    }

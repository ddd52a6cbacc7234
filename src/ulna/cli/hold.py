"""`ulna hold`: the torques that hold a pose, and what the joints could carry besides."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from ulna import dynamics, kinematics
from ulna.arm import Arm, warn_unmodelled
from ulna.cli.arguments import (
    AnglesOption,
    ArmArgument,
    ExplainOption,
    FlatOption,
    JsonOption,
    PayloadOption,
    changed_arm,
    find_arm,
    read_angles,
    read_force,
)
from ulna.cli.explain_hold import explain_hold
from ulna.cli.terminal import degrees, fixed, number, say, show_json, show_table
from ulna.errors import InfeasibleError, InputError, Problem

ROUNDING = 1e-12  # of a limit, which a torque may pass unnoticed


def hold(
    arm: ArmArgument,
    q: AnglesOption,
    force: Annotated[
        str | None,
        typer.Option(
            "--force",
            metavar="FORCE",
            help='A force on the tip, "10, 0 N", or with a moment "10 N, 0 N, 2 N*m".',
            show_default=False,
        ),
    ] = None,
    payload: PayloadOption = None,
    flat: FlatOption = False,
    explain: ExplainOption = False,
    json: JsonOption = False,
) -> None:
    """Find the torques that hold the arm still in a pose."""
    described = changed_arm(find_arm(arm), payload, flat=flat)
    warn_unmodelled(described)
    angles = np.array(read_angles(q, described, "--q"))
    pull = np.array(read_force(force, "--force")) if force is not None else np.zeros(2)
    held = _held(described, angles, pull)
    if json:
        show_json(_facts(held))
    elif explain:
        say(explain_hold(described, angles, pull))
    else:
        _show(held, arm)
    _insist(held)


class _Held(NamedTuple):
    arm: Arm
    q: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    weight: np.ndarray
    spare: float  # [kg] more at the tip

    @property
    def limit(self) -> np.ndarray:
        return np.asarray(self.arm.parameters.max_torque)

    @property
    def too_weak(self) -> np.ndarray:
        """Of each joint, whether the pose asks more of it than it gives."""
        return np.asarray(np.abs(self.torque) > self.limit * (1.0 + ROUNDING))


def _held(arm: Arm, q: np.ndarray, force: np.ndarray) -> _Held:
    with np.errstate(over="ignore", invalid="ignore"):
        torque = dynamics.holding_torque(arm, q, tip_force=force)
    if not np.isfinite(torque).all():
        got = "angles, a force or a load for which no torque is a number"
        raise InputError(Problem("hold", got, "sizes that arithmetic can hold", "check the units"))
    spare = float(dynamics.largest_payload(arm, q, tip_force=force))
    return _Held(arm, q, force, torque, dynamics.gravity_torque(arm, q), spare)


def _show(held: _Held, name: str) -> None:
    arm, q, torque, weight, limit = held.arm, held.q, held.torque, held.weight, held.limit
    pulled = bool(np.any(held.force))
    rows = [
        (
            str(i + 1),
            degrees(q[i]),
            number(torque[i]),
            number(weight[i]) if pulled else "",
            number(torque[i] - weight[i]) if pulled else "",
            *_share(torque[i], limit[i]),
        )
        for i in range(arm.n)
    ]
    parts = ("weight [N·m]", "tip force [N·m]") if pulled else ("", "")
    limits = ("limit [N·m]", "used [%]") if np.isfinite(limit).any() else ("", "")
    columns = ("joint", "q [°]", "torque [N·m]", *parts, *limits)
    show_table(f"{arm.name or name}: torques that hold the pose", columns, rows)
    x, y, _ = kinematics.tip(arm, q)
    say(f"tip ({fixed(x, 6)}, {fixed(y, 6)}) m{_force_in_words(held.force)}")
    if np.isfinite(held.spare) and not held.too_weak.any():
        say(f"the joints hold up to {_no_more_than(held.spare)} kg more at the tip")


def _share(torque: float, limit: float) -> tuple[str, str]:
    if not np.isfinite(limit):
        return "", ""
    return number(limit), number(100.0 * abs(torque) / limit, 3)


def _force_in_words(force: np.ndarray) -> str:
    if not np.any(force):
        return ""
    moment = f" and a moment of {number(force[2])} N·m" if len(force) == 3 else ""
    return f", with ({number(force[0])}, {number(force[1])}) N{moment} acting on it"


def _insist(held: _Held) -> None:
    """Make a pose that the joints cannot hold the command's failure, with a way out."""
    weak = np.flatnonzero(held.too_weak)
    if not len(weak):
        return
    asked = "; ".join(
        f"joint {i + 1} needs {number(abs(held.torque[i]))} N·m "
        f"and gives {number(held.limit[i])} N·m"
        for i in weak
    )
    lessen = "lessen the force, " if np.any(held.force) else ""
    way_out = f"{lessen}move the tip closer to the base, or choose stronger motors"
    load = held.arm.payload.mass + held.spare
    if load >= 0.0:
        way_out = f"it could be held with a payload of {_no_more_than(load)} kg"
    raise InfeasibleError(f"the pose cannot be held: {asked}; {way_out}")


def _no_more_than(mass: float) -> str:
    """Write a mass in four digits, rounded down: the joints have to hold what is printed."""
    text = number(mass, 4)
    if mass <= 0.0 or float(text) <= mass * (1.0 + ROUNDING):
        return text
    return number(float(text) - 10.0 ** (math.floor(math.log10(mass)) - 3), 4)


def _facts(held: _Held) -> dict[str, Any]:
    return {
        "arm": held.arm.name,
        "q": held.q,
        "tip_force": held.force,
        "torque": held.torque,
        "weight": held.weight,
        "max_torque": held.limit,
        "holds": not held.too_weak.any(),
        "payload": held.arm.payload.mass,
        "spare_payload": held.spare,
    }

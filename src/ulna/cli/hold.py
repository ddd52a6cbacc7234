"""`ulna hold`: the torques that hold a pose, and what the joints could carry besides."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from ulna import dynamics, kinematics
from ulna.arm import Arm, warn_unmodelled
from ulna.cli.angle_option import AngleOption, Angles, explain_angles, read_convention
from ulna.cli.arguments import (
    AnglesOption,
    ArmArgument,
    ExplainOption,
    JsonOption,
    NoGravityOption,
    PayloadOption,
    changed_arm,
    find_arm,
    read_force,
)
from ulna.cli.explain_hold import explain_hold
from ulna.cli.terminal import degrees, fixed, number, say, show_json, show_table
from ulna.errors import InfeasibleError, InputError, Problem, shown

ROUNDING = 1e-12  # of a limit, which a torque may pass unnoticed


def hold(
    arm: ArmArgument,
    q: AnglesOption,
    tip_force: Annotated[
        str | None,
        typer.Option(
            "--tip-force",
            metavar="FORCE",
            help='A force that acts on the tip, "10, 0 N", or with a moment "10 N, 0 N, 2 N*m".',
            show_default=False,
        ),
    ] = None,
    payload: PayloadOption = None,
    no_gravity: NoGravityOption = False,
    angles: AngleOption = "relative",
    explain: ExplainOption = False,
    json: JsonOption = False,
    force: Annotated[str | None, typer.Option("--force", hidden=True)] = None,
) -> None:
    """Compute holding torques (statics): what keeps the arm still in a pose."""
    if force is not None:
        need = "--tip-force, which is what a force on the tip is called in every command"
        raise InputError(Problem("--force", shown(force), need, f'write --tip-force "{force}"'))
    described = changed_arm(find_arm(arm), payload, no_gravity=no_gravity)
    warn_unmodelled(described)
    convention = read_convention(angles)
    posture = np.array(convention.read(q, described, "--q"))
    pull = np.zeros(2)
    if tip_force is not None:
        pull = np.array(read_force(tip_force, "--tip-force"))
    held = _held(described, posture, pull)
    if json:
        show_json({**_facts(held), **convention.facts(phi=posture)})
    elif explain:
        say(explain_angles(posture, convention) + explain_hold(described, posture, pull))
    else:
        _show(held, arm, convention)
    _raise_if_too_weak(held)


class _Held(NamedTuple):
    arm: Arm
    q: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    gravity: np.ndarray
    payload_margin: float  # [kg] more at the tip

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
    margin = float(dynamics.largest_payload(arm, q, tip_force=force))
    return _Held(arm, q, force, torque, dynamics.gravity_torque(arm, q), margin)


def _show(held: _Held, name: str, angles: Angles) -> None:
    arm, torque, gravity, limit = held.arm, held.torque, held.gravity, held.limit
    measured = angles.of(held.q)
    pulled = bool(np.any(held.force))
    rows = [
        (
            str(i + 1),
            degrees(measured[i]),
            number(torque[i]),
            number(gravity[i]) if pulled else "",
            number(torque[i] - gravity[i]) if pulled else "",
            *_share(torque[i], limit[i]),
        )
        for i in range(arm.n)
    ]
    parts = ("gravity [N·m]", "tip force [N·m]") if pulled else ("", "")
    limits = ("limit [N·m]", "used [%]") if np.isfinite(limit).any() else ("", "")
    columns = ("joint", f"{angles.symbol} [°]", "torque [N·m]", *parts, *limits)
    show_table(f"{arm.name or name}: torques that hold the pose{angles.remark}", columns, rows)
    x, y, _ = kinematics.tip(arm, held.q)
    say(f"tip ({fixed(x, 6)}, {fixed(y, 6)}) m{_force_in_words(held.force)}")
    if np.isfinite(held.payload_margin) and not held.too_weak.any():
        say(f"the joints hold up to {_no_more_than(held.payload_margin)} kg more at the tip")


def _share(torque: float, limit: float) -> tuple[str, str]:
    if not np.isfinite(limit):
        return "", ""
    return number(limit), number(100.0 * abs(torque) / limit, 3)


def _force_in_words(force: np.ndarray) -> str:
    if not np.any(force):
        return ""
    moment = f" and a moment of {number(force[2])} N·m" if len(force) == 3 else ""
    return f", with ({number(force[0])}, {number(force[1])}) N{moment} acting on it"


def _raise_if_too_weak(held: _Held) -> None:
    """Raise if the joints cannot hold the pose, with a way out."""
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
    load = held.arm.payload.mass + held.payload_margin
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
        "gravity": held.gravity,
        "max_torque": held.limit,
        "holds": not held.too_weak.any(),
        "payload": held.arm.payload.mass,
        "payload_margin": held.payload_margin,
    }

"""What is uncertain about an arm and its loop, unless something else is said.

A plan and a controller are made for the nominal arm. The arm that is built has other masses and
lengths, another load, more friction and weaker motors; its sensors are later and noisier, and
something knocks at its tip. `default_uncertainty` says by how much, as the table [vary] of a sweep.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ulna.arm import Arm
from ulna.arm.control_loop import MEASURED
from ulna.arm.robot_files import parse_toml, placed
from ulna.errors import InputError, Problem, Problems, shown
from ulna.motion import Plan
from ulna.scenario.disturbances import Disturbance, pulse
from ulna.scenario.loops import loop_of
from ulna.storage import read_text

MASS, LENGTH, PAYLOAD, FRICTION = 0.05, 0.002, 0.1, 0.3  # either way, as parts of the nominal
MOTOR_LOSS = 0.1  # of a motor's torque constant, or of its torque
UNKNOWN_PAYLOAD = 0.02  # of the arm's mass, at most, where there is no payload
UNKNOWN_FRICTION = 0.01  # of the largest planned torque of a joint without friction, at most
DELAYS = 5  # from none to one control period
ANGLE_NOISE, RATE_NOISE = 1e-4, 2e-3  # [rad], [rad/s], standard deviations at most
PULSE_FORCE = 0.02  # of the arm's weight, along x and along y, either way
PULSE_TIMES = 8
PULSE_SECONDS, PULSE_SHARE = 0.1, 0.05  # how long, and at most this part of the motion
STANDARD_GRAVITY = 9.81  # [m/s²] by which an arm is weighed, lying flat as well
MOST_JOINTS = 24  # that have a default: further ones would be more parameters than one can read
LARGEST = 200_000  # [bytes] of a file
FORMAT = 1
KEYS = ("format", "disturbances", "vary")
# What motors lose, each kind one of these.
WEAKER = {"torque_constant", "stall_torque", "holding_torque"}


def default_uncertainty(
    plan: Plan, *, rate: float | None = None, positions: bool = False
) -> dict[str, Any]:
    """Return what is uncertain about an arm unless something else is said.

    Parameters
    ----------
    plan : Plan
        What the nominal arm is to follow.
    rate : float, optional
        The control rate [Hz]; unless given that of the arm's `loop`, else 1000 Hz.
    positions : bool, optional
        Whether motors that take positions follow without a controller, and so without sensors.

    Returns
    -------
    dict of str to dict or list
        The table [vary] of a sweep: { from, to } between which every value is as likely, or a list
        of values; in SI units.

    Raises
    ------
    InputError
        For an arm of more than 24 joints.

    Examples
    --------
    >>> import ulna
    >>> plan = ulna.plan(ulna.preset("kehl"), ulna.paths.circle((0.5, 0.2), 0.1), duration=2.0)
    >>> default_uncertainty(plan)["link.2.mass"]
    {'from': 9.5, 'to': 10.5}
    """
    arm = plan.arm
    if arm.n > MOST_JOINTS:
        need = f"at most {MOST_JOINTS} joints for what is uncertain by default"
        hint = 'say what is, such as vary={"payload": {"from": 0.0, "to": 0.1}}'
        raise InputError(Problem("vary", f"an arm of {arm.n} joints", need, hint))
    ticks = _rate_of(arm, rate)
    table: dict[str, Any] = {}
    for k, link in enumerate(arm.links, 1):
        table[f"link.{k}.mass"] = _around(link.mass, MASS)
        table[f"link.{k}.length"] = _around(link.length, LENGTH)
    load = arm.payload.mass
    table["payload"] = _around(load, PAYLOAD) if load else _up_to(UNKNOWN_PAYLOAD * _mass(arm))
    for k in range(arm.n):
        table |= _of_joint(plan, k)
    sensors = {} if positions else _of_sensors(arm, ticks)
    return table | sensors | _of_pulse(plan, ticks)


def _around(value: float, part: float) -> dict[str, float]:
    return {"from": value * (1.0 - part), "to": value * (1.0 + part)}


def _up_to(value: float) -> dict[str, float]:
    return {"from": 0.0, "to": value}


def _mass(arm: Arm) -> float:
    return sum(link.mass + link.tip_mass for link in arm.links)


def _rate_of(arm: Arm, rate: float | None) -> float:
    return loop_of(arm, rate, None, None).rate


def _of_joint(plan: Plan, k: int) -> dict[str, Any]:
    joint, name, p = plan.arm.joints[k], f"joint.{k + 1}", plan.arm.parameters
    table: dict[str, Any] = {}
    if joint.damping:
        table[f"{name}.damping"] = _around(joint.damping, FRICTION)
    friction = joint.friction
    if friction is not None and friction.coulomb:
        dry = _around(friction.coulomb, FRICTION)
        if friction.static != friction.coulomb:
            dry["to"] = min(dry["to"], float(friction.static or 0.0))  # which is never below
        table[f"{name}.friction.coulomb"] = dry
    elif not (p.damping[k] or p.coulomb[k] or (friction is not None and friction.drag)):
        peak = float(plan.peaks.torque[k])
        table[f"{name}.friction.coulomb"] = _up_to(UNKNOWN_FRICTION * peak)
    own = () if joint.motor is None else dataclasses.fields(joint.motor)
    for field in WEAKER & {one.name for one in own}:
        rated = float(getattr(joint.motor, field))
        table[f"{name}.motor.{field}"] = {"from": rated * (1.0 - MOTOR_LOSS), "to": rated}
    return table


def _of_sensors(arm: Arm, rate: float) -> dict[str, Any]:
    own = loop_of(arm, rate, None, None).sensors
    table: dict[str, Any] = {
        "sensors.delay": [
            own.delay + part / rate for part in np.linspace(0.0, 1.0, DELAYS).tolist()
        ]
    }
    kinds = {"angle_noise": ANGLE_NOISE}
    if own.rate_from == MEASURED:
        kinds["rate_noise"] = RATE_NOISE
    for name, most in kinds.items():
        value = getattr(own, name)
        joints = value if isinstance(value, Sequence) else None
        if joints is None:
            table[f"sensors.{name}"] = {"from": value, "to": value + most}
        else:
            table |= {
                f"sensors.{name}.{k}": {"from": one, "to": one + most}
                for k, one in enumerate(joints, 1)
            }
    return table


def _of_pulse(plan: Plan, rate: float) -> dict[str, Any]:
    arm, duration = plan.arm, plan.duration
    most = PULSE_FORCE * STANDARD_GRAVITY * (_mass(arm) + arm.payload.mass)
    side = {"from": -most, "to": most}
    # At ticks, and few of them: arms whose pulses begin together are simulated together.
    parts = (np.arange(PULSE_TIMES) + 0.5) / PULSE_TIMES
    times = sorted({round(part * duration * rate) / rate for part in parts.tolist()})
    return {
        "disturbance.1.force.x": side,
        "disturbance.1.force.y": dict(side),
        "disturbance.1.at": times,
    }


def usual_disturbance(plan: Plan, rate: float) -> Disturbance:
    """Return the pulse on the tip that is there to be varied, of no force by itself.

    Parameters
    ----------
    plan : Plan
        What is to be followed.
    rate : float
        The control rate [Hz].

    Returns
    -------
    Disturbance
        A pulse without force.
    """
    seconds = min(PULSE_SECONDS, PULSE_SHARE * plan.duration)
    lasting = max(round(seconds * rate), 1) / rate
    return pulse(force=(0.0, 0.0), at=0.5 * plan.duration, lasting=lasting)


def read_uncertainty(file: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what is uncertain from a TOML file with the table [vary] of a sweep.

    Parameters
    ----------
    file : path-like
        With `format = 1`, the table [vary], and `disturbances` if any of them is varied.

    Returns
    -------
    dict
        Keywords `vary` and `disturbances` of `ulna.robustness`.

    Raises
    ------
    InputError
        With everything that is wrong with the file, each with its line.
    FileError
        If the file cannot be read.
    """
    text, name = read_text(file, LARGEST), os.fspath(file)
    document = dict(parse_toml(text, name))
    checks = Problems()
    checks.unknown_keys(document, KEYS)
    if document.get("format", FORMAT) != FORMAT:
        checks.add("format", shown(document["format"]), f"format = {FORMAT}")
    vary = document.get("vary")
    if not isinstance(vary, Mapping) or not vary:
        checks.add("vary", "nothing" if vary is None else shown(vary), "a table [vary]")
    else:
        for key in ("count", "seed"):
            if key in vary and not isinstance(vary[key], Mapping | list):
                checks.add(f"vary.{key}", shown(vary[key]), "nothing: --robust and --seed say it")
    if checks.found:
        raise InputError(placed(checks.found, text, name))
    return {"vary": vary, "disturbances": document.get("disturbances")}


@contextmanager
def placed_in(file: str | os.PathLike[str]) -> Iterator[None]:
    """Name the lines of a file on which problems with what is uncertain stand."""
    try:
        yield
    except InputError as error:
        text, name = read_text(file, LARGEST), os.fspath(file)
        own = [one for one in error.problems if one.what.split(".")[0] in KEYS]
        others = [one for one in error.problems if one not in own]
        raise InputError([*placed(own, text, name), *others]) from None

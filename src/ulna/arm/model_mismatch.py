"""Differences between the arm that a controller believes in and the arm that it moves."""

from __future__ import annotations

import math

from ulna.arm.components import FRICTION, JOINT, LINK
from ulna.arm.motors import IdealMotor
from ulna.arm.planar_arm import Arm

SAME = 1e-9  # relative difference up to which two numbers count as equal
UNITS = {name: one.unit for name, one in (LINK | JOINT | FRICTION).items()}
# The quantities of `Parameters` that a model has, and what they are called.
QUANTITIES = {
    "length": "length of link",
    "mass": "mass of link",
    "com": "centre of mass of link",
    "com_offset": "offset of the centre of mass of link",
    "inertia": "inertia of link",
    "tip_mass": "mass at the end of link",
    "damping": "damping of joint",
    "coulomb": "Coulomb friction of joint",
    "static": "static friction of joint",
    "drag": "drag of joint",
    "rotor_inertia": "rotor inertia of joint",
    "gear_ratio": "gear ratio of joint",
}


def model_mismatch(model: Arm, arm: Arm) -> tuple[str, ...]:
    """Return the differences between a controller's model and the arm, one sentence each.

    Parameters
    ----------
    model : Arm
        The arm that the controller believes in.
    arm : Arm
        The arm that it moves, with as many joints.

    Returns
    -------
    tuple of str
        Such as "payload: 0 kg in the controller's model, 2 kg on the arm", the payload first.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.preset("kehl")
    >>> print(*model_mismatch(arm, arm.with_payload(2.0)))
    payload: 0 kg in the controller's model, 2 kg on the arm
    """
    loads = model.payload, arm.payload
    bare = [one.with_payload(0.0).parameters for one in (model, arm)]
    pairs = [
        ("payload", "kg", loads[0].mass, loads[1].mass),
        ("inertia of the payload", "kg·m²", loads[0].inertia, loads[1].inertia),
        *(
            (f"gravity along {axis}", "m/s²", *(one.gravity[i] for one in bare))
            for i, axis in enumerate("xy")
        ),
        *(
            (f"{called} {k + 1}", UNITS[name], *(getattr(one, name)[k] for one in bare))
            for name, called in QUANTITIES.items()
            for k in range(arm.n)
        ),
    ]
    numbers = [
        _difference(what, *(f"{value:.6g} {unit}".strip() for value in values))
        for what, unit, *values in pairs
        if not math.isclose(*values, rel_tol=SAME)
    ]
    motors = [
        _difference(f"motor of joint {k}", *both)
        for k, both in enumerate(zip(*(_motors(one) for one in (model, arm)), strict=True), 1)
        if both[0] != both[1]
    ]
    return (*numbers, *motors)


def _motors(arm: Arm) -> list[str]:
    motors = (joint.motor or IdealMotor() for joint in arm.joints)
    return [motor.name or f"{motor.kind} motor" for motor in motors]


def _difference(what: str, believed: str, real: str) -> str:
    return f"{what}: {believed} in the controller's model, {real} on the arm"

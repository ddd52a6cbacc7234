"""The same arm, a chain of uniform rods of 1 m and 1 kg, in other people's engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

GRAVITY = 9.81


def mujoco_chain(n: int, dt: float) -> Any:
    """Give MuJoCo's model of n rods of 1 m and 1 kg."""
    return mujoco_rods([1.0] * n, [1.0] * n, dt)


def mujoco_rods(lengths: Sequence[float], masses: Sequence[float], dt: float) -> Any:
    """Give MuJoCo's model of uniform rods, with RK4 and without contacts and constraints."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.gravity = [0.0, -GRAVITY, 0.0]
    spec.option.timestep = dt
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    off = mujoco.mjtDisableBit
    spec.option.disableflags = int(off.mjDSBL_CONTACT | off.mjDSBL_CONSTRAINT)
    body, start = spec.worldbody, 0.0
    for length, mass in zip(lengths, masses, strict=True):
        body = body.add_body(pos=[start, 0.0, 0.0])
        body.mass, body.ipos, body.explicitinertial = mass, [0.5 * length, 0.0, 0.0], True
        body.inertia = [mass * length**2 / 12.0] * 3
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 0.0, 1.0])
        start = length
    return spec.compile()


def pinocchio_chain(n: int) -> Any:
    """Give Pinocchio's model of n rods."""
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear = np.array([0.0, -GRAVITY, 0.0])
    parent = 0
    for i in range(n):
        place = pin.SE3(np.eye(3), np.array([1.0 if i else 0.0, 0.0, 0.0]))
        parent = model.addJoint(parent, pin.JointModelRZ(), place, f"joint {i}")
        rod = pin.Inertia(1.0, np.array([0.5, 0.0, 0.0]), np.eye(3) / 12.0)
        model.appendBodyToJoint(parent, rod, pin.SE3.Identity())
    return model


def two_rods(_t: float, y: np.ndarray) -> np.ndarray:
    """Two rods as people write them for SciPy: a right-hand side of NumPy scalars."""
    first, second = y[0], y[0] + y[1]
    rate, other = y[2], y[2] + y[3]
    cross = 0.5 * np.cos(first - second)
    whirl = 0.5 * np.sin(first - second)
    mass = np.array([[4.0 / 3.0, cross], [cross, 1.0 / 3.0]])
    force = np.array(
        [
            -whirl * other**2 - 1.5 * GRAVITY * np.cos(first),
            whirl * rate**2 - 0.5 * GRAVITY * np.cos(second),
        ]
    )
    turning = np.linalg.solve(mass, force)
    return np.array([y[2], y[3], turning[0], turning[1] - turning[0]])

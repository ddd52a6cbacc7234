"""The same arms, chains of uniform rods, in other people's engines."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from typing import Any

import numpy as np

GRAVITY = 9.81
NOT_THERE = ("CONTACT", "CONSTRAINT", "SPRING", "DAMPER", "ACTUATION", "SENSOR")


def mujoco_chain(n: int, dt: float) -> Any:
    """Return MuJoCo's model of n rods of 1 m and 1 kg."""
    return mujoco_rods([1.0] * n, [1.0] * n, dt)


def mujoco_rods(lengths: Sequence[float], masses: Sequence[float], dt: float) -> Any:
    """Return MuJoCo's model of uniform rods, with RK4 and without what these arms do not have."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.gravity = [0.0, -GRAVITY, 0.0]
    spec.option.timestep = dt
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.disableflags = sum(
        int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{part}")) for part in NOT_THERE
    )
    body, start = spec.worldbody, 0.0
    for length, mass in zip(lengths, masses, strict=True):
        body = body.add_body(pos=[start, 0.0, 0.0])
        body.mass, body.ipos, body.explicitinertial = mass, [0.5 * length, 0.0, 0.0], True
        body.inertia = [mass * length**2 / 12.0] * 3
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 0.0, 1.0])
        start = length
    return spec.compile()


def mujoco_rollout(
    lengths: np.ndarray, masses: np.ndarray, q0: np.ndarray, dt: float, steps: int, threads: int
) -> Callable[[], np.ndarray]:
    """Return the work of rolling out arms (b, n), a model for each; it gives the last q (b, n).

    As MuJoCo would have it: models, threads, room for the results and checks of the arguments
    are all taken care of beforehand. It keeps every step, which cannot be turned off.
    """
    import mujoco
    from mujoco.rollout import Rollout

    models = [mujoco_rods(*arm, dt) for arm in zip(lengths, masses, strict=True)]
    data = [mujoco.MjData(models[0]) for _ in range(threads)]
    pool = Rollout(nthread=threads)
    count, n = q0.shape
    start = np.zeros((count, 1 + 2 * n))  # time, angles, rates
    start[:, 1 : 1 + n] = q0
    state, sensed = np.empty((count, steps, 1 + 2 * n)), np.empty((count, steps, 0))

    def work() -> np.ndarray:
        pool.rollout(
            models, data, start, nstep=steps, state=state, sensordata=sensed, skip_checks=True
        )
        return state[:, -1, 1 : 1 + n]

    return work


def pinocchio_chain(n: int) -> Any:
    """Return Pinocchio's model of n rods of 1 m and 1 kg."""
    return pinocchio_rods([1.0] * n, [1.0] * n)


def pinocchio_rods(lengths: Sequence[float], masses: Sequence[float]) -> Any:
    """Return Pinocchio's model of uniform rods."""
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear = np.array([0.0, -GRAVITY, 0.0])
    parent, start = 0, 0.0
    for i, (length, mass) in enumerate(zip(lengths, masses, strict=True)):
        place = pin.SE3(np.eye(3), np.array([start, 0.0, 0.0]))
        parent = model.addJoint(parent, pin.JointModelRZ(), place, f"joint {i}")
        inertia = np.eye(3) * mass * length**2 / 12.0
        rod = pin.Inertia(mass, np.array([0.5 * length, 0.0, 0.0]), inertia)
        model.appendBodyToJoint(parent, rod, pin.SE3.Identity())
        start = length
    return model


class PinocchioLoop:
    """A loop over states (b, n), in which the models take turns."""

    def __init__(self, models: Sequence[Any], *rows: np.ndarray) -> None:
        count = len(rows[0])
        self.columns = [
            list(islice(cycle(models), count)),
            list(islice(cycle([model.createData() for model in models]), count)),
            *map(list, rows),
        ]

    def call(self, function: Callable[..., Any]) -> None:
        """Call `pin.aba` or `pin.rnea` for every state, as fast as Python can: by `map`."""
        deque(map(function, *self.columns), maxlen=0)

    def results(self, function: Callable[..., Any], count: int) -> np.ndarray:
        """Return what the first states come to (count, n)."""
        return np.array([np.array(row) for row in islice(map(function, *self.columns), count)])


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

"""Forward and inverse dynamics by the way that suits the arrays.

Batches of NumPy's double precision go through the compiled recursion (`recursive.py`), which
takes a fraction of a microsecond a link; single states, for which it is not worth loading a
compiler, and arrays of other kinds and libraries through the closed form (`chain.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Arm, Parameters
from ulna.arrays import Array
from ulna.dynamics import chain
from ulna.dynamics.packed import CARRIER, COLUMNS, STUCK, TURNS, pack
from ulna.kinematics.forward import joint_array, prepared


class Batch(NamedTuple):
    """What the compiled recursion reads, and where it works."""

    size: Any
    arms: Array  # (1 or b, n+1, 12)
    links: Array
    turns: Array
    y: Array
    states: Array  # (2, b, n) angles and rates
    given: Array  # (b, n) torques or accelerations
    forces: Array  # (1 or b, 3)


def forward_dynamics(
    arm: Arm | Parameters, q: Array, qd: Array, tau: Array, *, tip_force: Array | None = None
) -> Array:
    """Give the joint accelerations q̈ (…, n) [rad/s²] under joint torques tau.

    The tip force F, (…, 2) or with a moment (…, 3), acts on the arm.
    """
    found = _laid_out(arm, q, qd, tau, tip_force, "tau")
    if found is None:
        return chain.forward_dynamics(arm, q, qd, tau, tip_force=tip_force)
    from ulna.dynamics.batches import forward_batch

    batch, result = found
    coupled = int(batch.arms[:, :-1, CARRIER:STUCK].any())
    with np.errstate(all="ignore"):
        forward_batch(*batch, coupled, result.reshape(batch.given.shape))
    return result


def inverse_dynamics(
    arm: Arm | Parameters, q: Array, qd: Array, qdd: Array, *, tip_force: Array | None = None
) -> Array:
    """Give the joint torques τ (…, n) [N·m] that accelerate the arm by qdd.

    τ = M q̈ + C q̇ + G + b q̇ − Jᵀ F. The tip force F, (…, 2) or with a moment (…, 3), acts on
    the arm.
    """
    found = _laid_out(arm, q, qd, qdd, tip_force, "qdd")
    if found is None:
        return chain.inverse_dynamics(arm, q, qd, qdd, tip_force=tip_force)
    from ulna.dynamics.batches import inverse_batch

    batch, result = found
    with np.errstate(all="ignore"):
        inverse_batch(*batch, result.reshape(batch.given.shape))
    return result


def _laid_out(
    arm: Arm | Parameters, q: Array, qd: Array, given: Array, force: Array | None, what: str
) -> tuple[Batch, Array] | None:
    """Give a batch with room for its result, or None if the closed form suits better."""
    xp, parameters = prepared(arm, q, qd, given, *([] if force is None else [force]))
    arrays = [
        joint_array(xp, parameters, value, name)
        for value, name in ((q, "q"), (qd, "qd"), (given, what))
    ]
    pull = np.zeros(2) if force is None else chain.force_array(xp, force)
    everything = (*parameters, *arrays, pull)
    if not all(type(value) is np.ndarray and value.dtype == np.float64 for value in everything):
        return None
    n = parameters.n
    of_arms = np.broadcast_shapes(*(value.shape[:-1] for value in parameters))
    shape = np.broadcast_shapes(of_arms, *(value.shape[:-1] for value in (*arrays, pull)))
    rows = int(np.prod(shape))
    if rows < 2:
        return None
    from ulna.kernels import size_of

    flat = [np.broadcast_to(value, (*shape, n)).reshape(rows, n) for value in arrays]
    batch = Batch(
        size=size_of(n),
        arms=_arms(pack(parameters), of_arms, shape, rows),
        links=np.zeros((n + 1, COLUMNS)),
        turns=np.zeros((TURNS, n + 1)),
        y=np.zeros((2, n + 1)),
        states=np.stack(flat[:2]),
        given=np.ascontiguousarray(flat[2]),
        forces=_forces(pull, shape, rows),
    )
    return batch, np.empty((*shape, n))


def _arms(constants: Array, of_arms: tuple[int, ...], batch: tuple[int, ...], rows: int) -> Array:
    shape = constants.shape[-2:]
    if np.prod(of_arms) == 1:
        return constants.reshape(1, *shape)
    return np.ascontiguousarray(np.broadcast_to(constants, (*batch, *shape)).reshape(rows, *shape))


def _forces(pull: Array, batch: tuple[int, ...], rows: int) -> Array:
    width = pull.shape[-1]
    if pull.size == width:
        forces = np.zeros((1, 3))
        forces[0, :width] = pull.reshape(-1)
        return forces
    forces = np.zeros((rows, 3))
    forces[:, :width] = np.broadcast_to(pull, (*batch, width)).reshape(rows, width)
    return forces

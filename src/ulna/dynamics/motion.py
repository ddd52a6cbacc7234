"""Forward and inverse dynamics by the way that suits the arrays.

Batches of NumPy's double precision go through the compiled recursion (`recursive.py`), many side
by side and on all cores; single states, for which it is not worth loading a compiler, and arrays
of other kinds and libraries through the closed form (`chain.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.arm import Arm, Parameters, warn_unmodelled
from ulna.arrays import Array
from ulna.dynamics import chain
from ulna.kinematics.forward import joint_array, prepared

if TYPE_CHECKING:
    from ulna.dynamics.batches import Batch

# What a thread should have to do at least, in links of blocks: some tens of microseconds.
LEAST = 128


def forward_dynamics(
    arm: Arm | Parameters, q: Array, qd: Array, tau: Array, *, tip_force: Array | None = None
) -> Array:
    """Give the joint accelerations q̈ (…, n) [rad/s²] under joint torques tau.

    The tip force F, (…, 2) or with a moment (…, 3), acts on the arm.
    """
    warn_unmodelled(arm)
    rows = _rows(arm, q, qd, tau, tip_force, "tau")
    if rows is None:
        return chain.forward_dynamics(arm, q, qd, tau, tip_force=tip_force)
    from ulna.dynamics.batches import forward_batch

    return _computed(forward_batch, *rows)


def inverse_dynamics(
    arm: Arm | Parameters, q: Array, qd: Array, qdd: Array, *, tip_force: Array | None = None
) -> Array:
    """Give the joint torques τ (…, n) [N·m] that accelerate the arm by qdd.

    τ = M q̈ + C q̇ + G + b q̇ − Jᵀ F. The tip force F, (…, 2) or with a moment (…, 3), acts on
    the arm.
    """
    warn_unmodelled(arm)
    rows = _rows(arm, q, qd, qdd, tip_force, "qdd")
    if rows is None:
        return chain.inverse_dynamics(arm, q, qd, qdd, tip_force=tip_force)
    from ulna.dynamics.batches import inverse_batch

    return _computed(inverse_batch, *rows)


def _rows(
    arm: Arm | Parameters, q: Array, qd: Array, given: Array, force: Array | None, what: str
) -> tuple[Batch, tuple[int, ...]] | None:
    """Give a batch as rows, with its shape, or None if the closed form suits better."""
    xp, p = prepared(arm, q, qd, given, *([] if force is None else [force]))
    named = ((q, "q"), (qd, "qd"), (given, what))
    states = [joint_array(xp, p, value, name) for value, name in named]
    pull = np.zeros(2) if force is None else chain.force_array(xp, force)
    arrays = (
        p.length, p.mass, p.com, p.com_offset, p.inertia, p.tip_mass, p.damping,
        p.rotor_inertia, p.gear_ratio, p.gravity, *states, pull,
    )  # fmt: skip
    if not all(type(value) is np.ndarray and value.dtype == np.float64 for value in arrays):
        return None
    shape = np.broadcast_shapes(*{value.shape[:-1] for value in arrays})
    if not shape or 0 in shape:
        return None
    from ulna.dynamics.batches import Batch

    return Batch(*(_flat(value, shape) for value in arrays)), (*shape, p.n)


def _flat(values: Array, batch: tuple[int, ...]) -> Array:
    """Give values (…, k) as rows (b, k), or as one where all are the same, without copying.

    Compiled code takes only one kind of array, which can be written to and has no gaps; others
    are copied.
    """
    width = values.shape[-1]
    if values.ndim == 1 or not any(values.strides[:-1]) or values.size == width:
        return np.array(values[(0,) * (values.ndim - 1)], ndmin=2)
    rows = np.broadcast_to(values, (*batch, width)) if values.shape[:-1] != batch else values
    rows = rows.reshape(-1, width)
    return rows if rows.flags.carray else rows.copy()


def _computed(kernel: Callable[..., None], batch: Batch, shape: tuple[int, ...]) -> Array:
    """Run a kernel over a batch, in blocks and on all cores."""
    from ulna.dynamics.batches import room_size
    from ulna.kernels import size_of
    from ulna.lanes import WIDTHS
    from ulna.workers import share

    n, width = shape[-1], WIDTHS[np.dtype(np.float64)]
    found = np.empty(shape)
    rows = found.reshape(-1, n)
    size: Any = size_of(n)

    def work(first: int, last: int) -> None:
        memory = np.zeros((room_size(n), width))
        with np.errstate(all="ignore"):
            kernel(size, batch, memory, first, last, rows)

    share(work, -(-len(rows) // width), max(LEAST // n, 1))
    return found

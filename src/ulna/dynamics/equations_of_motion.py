"""Forward and inverse dynamics, mass matrix and gravity torque by the way that suits the arrays.

Batches of NumPy's double precision go through the compiled recursion (`recursive.py`), many side
by side and on all cores, where forward or inverse dynamics is asked for. One state of an Arm goes
through the same recursion (`single.py`) where compiled code has been loaded, by a simulation, a
batch or `ulna.compiled`: by itself it is not worth loading a compiler. Everything else, arrays of
other kinds and libraries included, goes through the closed form (`chain.py`). The ways differ by
rounding at most.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ulna.arm import Arm, Parameters, warn_unmodelled
from ulna.arrays import Array
from ulna.dynamics import chain
from ulna.dynamics.packed import pack
from ulna.kinematics.evaluator import Evaluator, KernelCall, kept_evaluator
from ulna.kinematics.forward_kinematics import joint_array, prepared

if TYPE_CHECKING:
    from ulna.dynamics.batches import Batch

# What a thread should have to do at least, in links of blocks: some tens of microseconds.
LEAST = 128


def forward_dynamics(
    arm: Arm | Parameters, q: Array, qd: Array, tau: Array, *, tip_force: Array | None = None
) -> Array:
    """Return the joint accelerations under joint torques: M q̈ = τ − C q̇ − G − b q̇ + Jᵀ F.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    q : array_like, shape (..., n)
        Joint angles [rad].
    qd : array_like, shape (..., n)
        Joint rates [rad/s].
    tau : array_like, shape (..., n)
        Joint torques [N·m].
    tip_force : array_like, shape (..., 2) or (..., 3), optional
        Force on the tip [N], or with a moment [N·m]; it acts on the arm.

    Returns
    -------
    array, shape (..., n)
        Joint accelerations q̈ [rad/s²].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.Arm.point_masses([1.0], [1.0], gravity=(0.0, -10.0))
    >>> forward_dynamics(arm, [0.0], [0.0], [12.0]).tolist()
    [2.0]
    """
    warn_unmodelled(arm)
    if tip_force is None:
        quick = kept_evaluator(arm, "_states", state_evaluator)
        found = None if quick is None else quick.found("forward_dynamics", q, qd, tau)
        if found is not None:
            return found
    rows = _rows(arm, q, qd, tau, tip_force, "tau")
    if rows is None:
        return chain.forward_dynamics(arm, q, qd, tau, tip_force=tip_force)
    from ulna.dynamics.batches import forward_batch

    return _computed(forward_batch, *rows)


def inverse_dynamics(
    arm: Arm | Parameters, q: Array, qd: Array, qdd: Array, *, tip_force: Array | None = None
) -> Array:
    """Return the joint torques of a motion: τ = M q̈ + C q̇ + G + b q̇ − Jᵀ F.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    q : array_like, shape (..., n)
        Joint angles [rad].
    qd : array_like, shape (..., n)
        Joint rates [rad/s].
    qdd : array_like, shape (..., n)
        Joint accelerations [rad/s²].
    tip_force : array_like, shape (..., 2) or (..., 3), optional
        Force on the tip [N], or with a moment [N·m]; it acts on the arm.

    Returns
    -------
    array, shape (..., n)
        Joint torques τ [N·m].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.Arm.point_masses([1.0], [1.0], gravity=(0.0, -10.0))
    >>> inverse_dynamics(arm, [0.0], [0.0], [2.0]).tolist()
    [12.0]
    """
    warn_unmodelled(arm)
    if tip_force is None:
        quick = kept_evaluator(arm, "_states", state_evaluator)
        found = None if quick is None else quick.found("inverse_dynamics", q, qd, qdd)
        if found is not None:
            return found
    rows = _rows(arm, q, qd, qdd, tip_force, "qdd")
    if rows is None:
        return chain.inverse_dynamics(arm, q, qd, qdd, tip_force=tip_force)
    from ulna.dynamics.batches import inverse_batch

    return _computed(inverse_batch, *rows)


def mass_matrix(arm: Arm | Parameters, q: Array) -> Array:
    """Return the mass matrix M(q), symmetric and positive definite, rotors included.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    q : array_like, shape (..., n)
        Joint angles [rad].

    Returns
    -------
    array, shape (..., n, n)
        M(q) [kg·m²].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.Arm.point_masses([1.0, 1.0], [1.0, 1.0])
    >>> mass_matrix(arm, [0.0, np.pi / 2]).round(12).tolist()
    [[3.0, 1.0], [1.0, 1.0]]
    """
    quick = kept_evaluator(arm, "_states", state_evaluator)
    found = None if quick is None else quick.found("mass_matrix", q)
    return chain.mass_matrix(arm, q) if found is None else found


def gravity_torque(arm: Arm | Parameters, q: Array) -> Array:
    """Return the torques G(q) that carry the arm's own weight.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    q : array_like, shape (..., n)
        Joint angles [rad].

    Returns
    -------
    array, shape (..., n)
        G(q) [N·m].

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.Arm.point_masses([1.0], [1.0], gravity=(0.0, -10.0))
    >>> gravity_torque(arm, [0.0]).tolist()
    [10.0]
    """
    quick = kept_evaluator(arm, "_states", state_evaluator)
    found = None if quick is None else quick.found("gravity_torque", q)
    return chain.gravity_torque(arm, q) if found is None else found


def state_evaluator(arm: Arm) -> Evaluator:
    """Return what evaluates the dynamics of one state of an arm."""
    from ulna.dynamics import single

    n = arm.n
    row, square = (n,), (n, n)
    calls = {
        "forward_dynamics": KernelCall(single.forward_one, (row, row, row, row)),
        "inverse_dynamics": KernelCall(single.inverse_one, (row, row, row, row)),
        "gravity_torque": KernelCall(single.gravity_one, (row, row)),
        "mass_matrix": KernelCall(single.mass_matrix_one, (row, square)),
        "linearise": KernelCall(single.linearise_one, (row, row, row, (2 * n, 2 * n), (2 * n, n))),
    }
    return Evaluator(n, single.memory_of(pack(arm.parameters)).copy, calls)


def _rows(
    arm: Arm | Parameters, q: Array, qd: Array, given: Array, force: Array | None, what: str
) -> tuple[Batch, tuple[int, ...]] | None:
    """Return a batch as rows, with its shape, or None if the closed form suits better."""
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
    """Return values (…, k) as rows (b, k), or as one where all are the same, without copying.

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
    from ulna.concurrency import parallel_for
    from ulna.dynamics.batches import scratch_size
    from ulna.lanes import WIDTHS

    n, width = shape[-1], WIDTHS[np.dtype(np.float64)]
    found = np.empty(shape)
    rows = found.reshape(-1, n)

    def work(first: int, last: int) -> None:
        memory = np.zeros((scratch_size(n), width))
        with np.errstate(all="ignore"):
            kernel(n, batch, memory, first, last, rows)

    parallel_for(work, -(-len(rows) // width), max(LEAST // n, 1))
    return found

"""Forward and inverse dynamics, mass matrix and gravity torque by the way that suits the arrays.

Rows of states in NumPy's double precision go through the compiled recursion (`recursive.py`), many
side by side and on all cores, where forward or inverse dynamics is asked for; one state of an Arm
goes through the same recursion where compiled code has been loaded (`ulna.arrays`). Everything
else, arrays of other kinds and libraries included, goes through the closed form (`chain.py`).

The derivatives of the motion near a state are exact, in continuous time. In link angles, with
f = M φ̈ + C φ̇ + G − pull of the tip force, differentiating the closed form gives another of the
same kind:

    K_ij = W_ij φ̈_j − M_ij φ̇_j²   (i ≠ j, rotors left out)        ∂f_i/∂φ_j = K_ij
    ∂f_i/∂φ_i = −Σ_j K_ij + ∂(G − pull)_i/∂φ_i                     ∂f_i/∂φ̇_j = 2 W_ij φ̇_j

and M ∂φ̈ = −∂f for every column. Damping adds b to ∂f/∂q̇_i, and friction that slides its slope.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.actuation.friction import friction_slope, known, may_have_friction
from ulna.angles import relative_to_absolute
from ulna.arm import Arm, Parameters, parameters_of
from ulna.arrays import (
    Array,
    Evaluator,
    KernelCall,
    float_array,
    one_state,
    run_in_blocks,
    tail_sum,
    to_float,
)
from ulna.dynamics import chain
from ulna.dynamics.chain import Posture
from ulna.dynamics.dry_friction import friction_torque
from ulna.dynamics.packed import CARRIER, COLUMNS, CONSTANTS, STUCK, pack
from ulna.errors import InputError, Problem
from ulna.kinematics.forward_kinematics import joint_array, prepared

if TYPE_CHECKING:
    from ulna.dynamics.state_kernels import Batch

# What a thread should have to do at least, in links of blocks: some tens of microseconds.
LEAST = 128


def forward_dynamics(
    arm: Arm | Parameters, q: Array, qd: Array, tau: Array, *, tip_force: Array | None = None
) -> Array:
    """Return the joint accelerations under joint torques: M q̈ = τ − C q̇ − G − b q̇ − f + Jᵀ F.

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

    Notes
    -----
    Joints at rest that static friction holds have an acceleration of exactly 0. Which they are is
    the unique minimum of ½ q̈ᵀ M q̈ − q̈ᵀ (τ − h) + Σ f_s |q̈| over the joints at rest.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.Arm.point_masses([1.0], [1.0], gravity=(0.0, -10.0))
    >>> forward_dynamics(arm, [0.0], [0.0], [12.0]).tolist()
    [2.0]
    """
    if tip_force is None:
        found = one_state(arm, state_evaluator, "forward_dynamics", q, qd, tau)
        if found is not None:
            return found
    rows = _rows(arm, q, qd, tau, tip_force, "tau")
    if rows is None:
        return chain.forward_dynamics(arm, q, qd, tau, tip_force=tip_force)
    from ulna.dynamics.state_kernels import forward_batch

    if may_have_friction(np, arm, parameters_of(arm)):
        return _resisted(arm, q, qd, tau, tip_force)
    return _computed(forward_batch, *rows)


def inverse_dynamics(
    arm: Arm | Parameters, q: Array, qd: Array, qdd: Array, *, tip_force: Array | None = None
) -> Array:
    """Return the joint torques of a motion: τ = M q̈ + C q̇ + G + b q̇ + f − Jᵀ F.

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

    Notes
    -----
    Friction f is that of `friction_torque`: for a joint at rest static friction against its
    acceleration, 0 without one. Torques that hold it there may differ by `friction_band`.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.Arm.point_masses([1.0], [1.0], gravity=(0.0, -10.0))
    >>> inverse_dynamics(arm, [0.0], [0.0], [2.0]).tolist()
    [12.0]
    """
    if tip_force is None:
        found = one_state(arm, state_evaluator, "inverse_dynamics", q, qd, qdd)
        if found is not None:
            return found
    rows = _rows(arm, q, qd, qdd, tip_force, "qdd")
    if rows is None:
        return chain.inverse_dynamics(arm, q, qd, qdd, tip_force=tip_force)
    from ulna.dynamics.state_kernels import inverse_batch

    found = _computed(inverse_batch, *rows)
    if may_have_friction(np, arm, parameters_of(arm)):
        found += friction_torque(arm, qd, qdd)
    return found


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
    found = one_state(arm, state_evaluator, "mass_matrix", q)
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
    found = one_state(arm, state_evaluator, "gravity_torque", q)
    return chain.gravity_torque(arm, q) if found is None else found


def state_evaluator(arm: Arm) -> Evaluator:
    """Return what evaluates the dynamics of one state of an arm."""
    from ulna.dynamics import state_kernels as kernels

    n = arm.n
    row, square = (n,), (n, n)
    forward, inverse, linear = kernels.forward_one, kernels.inverse_one, kernels.linearise_one
    if arm.has_friction:
        forward, inverse = kernels.resisted_forward_one, kernels.resisted_inverse_one
        linear = kernels.resisted_linearise_one
    calls = {
        "forward_dynamics": KernelCall(forward, (row, row, row, row)),
        "inverse_dynamics": KernelCall(inverse, (row, row, row, row)),
        "gravity_torque": KernelCall(kernels.gravity_one, (row, row)),
        "mass_matrix": KernelCall(kernels.mass_matrix_one, (row, square)),
        "linearise": KernelCall(linear, (row, row, row, (2 * n, 2 * n), (2 * n, n))),
    }
    return Evaluator(n, state_memory(pack(arm.parameters)).copy, calls)


def state_memory(constants: Array) -> Array:
    """Return the memory of kernels for one state of an arm whose constants (n+1, 16) are packed."""
    from ulna.dynamics.state_kernels import PER_LINK

    rows = len(constants)
    memory = np.zeros(rows * PER_LINK + 1)
    memory[: rows * COLUMNS].reshape(rows, COLUMNS)[:, :CONSTANTS] = constants
    memory[-1] = constants[:-1, CARRIER:STUCK].any()
    return memory


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
    from ulna.dynamics.state_kernels import Batch

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
    from ulna.dynamics.state_kernels import PER_LINK

    n, found = shape[-1], np.empty(shape)
    rows = found.reshape(-1, n)

    def work(memory: Array, first: int, last: int) -> None:
        kernel(n, batch, memory, first, last, rows)

    run_in_blocks(work, len(rows), PER_LINK * (n + 1), max(LEAST // n, 1))
    return found


def _resisted(
    arm: Arm | Parameters, q: Array, qd: Array, tau: Array, tip_force: Array | None
) -> Array:
    """Return accelerations of rows of states: where joints are at rest by the closed form."""
    p, qd = parameters_of(arm), float_array(qd)
    net = float_array(tau) - friction_torque(p, qd)
    found = forward_dynamics(p.without_friction(), q, qd, net, tip_force=tip_force)
    at_rest = np.any((qd == 0.0) & (p.static > 0.0), axis=-1)
    rows = np.broadcast_to(at_rest, found.shape[:-1])
    if rows.any():

        def chosen(values: Array) -> Array:
            values = float_array(values)
            if values.ndim == 1:
                return values
            return np.broadcast_to(values, (*rows.shape, values.shape[-1]))[rows]

        force = None if tip_force is None else chosen(tip_force)
        arms = Parameters(*map(chosen, p))
        found[rows] = chain.forward_dynamics(arms, *map(chosen, (q, qd, tau)), tip_force=force)
    return found


def linearise(
    arm: Arm | Parameters, q: Array, qd: Array, tau: Array, *, tip_force: Array | None = None
) -> tuple[Array, Array]:
    """Return A and B of the linearised arm: δẋ = A δx + B δτ for the state x = (q, q̇).

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
        Force on the tip [N], or with a moment [N·m]; it acts on the arm and keeps its
        direction.

    Returns
    -------
    A : array, shape (..., 2n, 2n)
        ∂ẋ/∂x.
    B : array, shape (..., 2n, n)
        ∂ẋ/∂τ.

    Raises
    ------
    InputError
        If a shape does not fit, a value is not a number, or a joint with dry friction is at rest.

    Notes
    -----
    They are the exact derivatives of `forward_dynamics` at any state, at rest or not, friction that
    slides included. At rest dry friction has none: a joint that it holds stays where it is whatever
    small torques do, and of one that breaks away friction jumps with the sign of its rate. Such
    states are refused; under JAX's tracing, where nothing can be, A and B are NaN there. The arm
    without friction can be linearised at rest, `linearise(arm.without_friction(), ...)`.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = ulna.Arm.point_masses([1.0], [1.0], gravity=(0.0, -10.0))
    >>> A, B = linearise(arm, [-np.pi / 2], [0.0], [0.0])  # hanging
    >>> A.round(12).tolist(), B.tolist()
    ([[0.0, 1.0], [-10.0, -0.0]], [[0.0], [1.0]])
    """
    qdd = chain.forward_dynamics(arm, q, qd, tau, tip_force=tip_force)
    rows = acceleration_rows(arm, q, qd, qdd, tip_force=tip_force)
    xp, p = prepared(arm, q, qd, tau, tip_force)
    n = p.n
    if may_have_friction(xp, arm, p):
        at_rest = (to_float(xp, qd) == 0.0) & (p.static > 0.0)
        if known(xp.any(at_rest)):
            torques = chain.inverse_dynamics(p.without_friction(), q, qd, qdd, tip_force=tip_force)
            raise _refusal(xp, p, at_rest, torques - to_float(xp, tau), qdd)
        # Where nothing can be raised, under JAX's tracing, they are NaN.
        rows = xp.where(xp.any(at_rest, axis=-1)[..., None, None], xp.nan, rows)
    unit = xp.broadcast_to(xp.eye(n, dtype=rows.dtype), (*rows.shape[:-1], n))
    zero = xp.zeros_like(unit)
    both = xp.concat([xp.concat([zero, unit, zero], axis=-1), rows], axis=-2)
    return both[..., : 2 * n], both[..., 2 * n :]


def _refusal(xp: Any, p: Parameters, at_rest: Array, friction: Array, qdd: Array) -> InputError:
    """Return the error for the first joint at rest, where friction (…, n) has no derivative."""
    arrays = xp.broadcast_arrays(xp.astype(at_rest, qdd.dtype), p.static, friction, qdd)
    n = p.n
    flags, static, friction, qdd = (xp.reshape(values, (-1, n)) for values in arrays)
    place = next(k for k in range(n * flags.shape[0]) if flags[k // n, k % n])
    row, joint = divmod(place, n)
    most = float(static[row, joint])
    held = f"held by {abs(float(friction[row, joint])):.4g} of at most {most:.4g} N·m of friction"
    away = f"about to break away from {most:.4g} N·m of static friction"
    state = f"state {row + 1}: " if flags.shape[0] > 1 else ""
    got = f"{state}joint {joint + 1} at rest, {away if qdd[row, joint] != 0.0 else held}"
    need = "joints that move, where they have dry friction: at rest it has no derivative"
    hint = "let it move, or take the arm without friction: linearise(arm.without_friction(), ...)"
    return InputError(Problem("linearise", got, need, hint))


def acceleration_rows(
    arm: Arm | Parameters,
    q: Array,
    qd: Array,
    qdd: Array,
    *,
    tip_force: Array | None = None,
    by_torque: bool = True,
) -> Array:
    """Return ∂q̈/∂(q, q̇, τ) (…, n, 3n) of an arm that accelerates by qdd: the lower rows of A and B.

    Without `by_torque` those of A alone, (…, n, 2n).
    """
    at, rate = chain.moving(arm, q, qd, qdd, tip_force)
    xp, n = at.xp, at.parameters.n
    phidd = relative_to_absolute(joint_array(xp, at.parameters, qdd, "qdd"))
    unit, coupling_rate = xp.eye(n, dtype=rate.dtype), chain.coriolis_coupling(at)
    by_angle = tail_sum(xp, _angle_derivative(at, coupling_rate, rate, phidd, tip_force))
    damping = at.parameters.damping
    if may_have_friction(xp, arm, at.parameters):
        damping = damping + friction_slope(
            xp, at.parameters, joint_array(xp, at.parameters, qd, "qd")
        )
    damping = _to_link_rows(xp, damping[..., None] * unit)
    by_rate = tail_sum(xp, coupling_rate * (2.0 * rate)[..., None, :]) + damping
    parts = [chain.inertia(at), -by_angle, -by_rate]
    inertia, *sides = xp.broadcast_arrays(*parts, *([_to_link_rows(xp, unit)] * by_torque))
    links = xp.linalg.solve(inertia, xp.concat(sides, axis=-1))
    return xp.concat([links[..., :1, :], links[..., 1:, :] - links[..., :-1, :]], axis=-2)


def _angle_derivative(
    at: Posture, coupling_rate: Array, rate: Array, phidd: Array, tip_force: Array | None
) -> Array:
    """Return ∂f/∂φ (…, n, n), accelerations held."""
    xp = at.xp
    upper = chain.coupling(at)
    coupling = upper + xp.matrix_transpose(upper)
    cross = coupling_rate * phidd[..., None, :] - coupling * (rate**2)[..., None, :]
    own = static_stiffness(at, tip_force) - xp.sum(cross, axis=-1)
    return cross + own[..., None] * xp.eye(at.parameters.n, dtype=cross.dtype)


def static_stiffness(at: Posture, tip_force: Array | None = None) -> Array:
    """Return ∂(G − pull)_i/∂φ_i (…, n): at rest each link has a stiffness of its own, to ground."""
    p = at.parameters
    stiffness = p.gravity[..., 0:1] * at.moment_x + p.gravity[..., 1:2] * at.moment_y
    if tip_force is None:
        return stiffness
    force = to_float(at.xp, tip_force)
    return stiffness + p.length * (at.cos * force[..., 0:1] + at.sin * force[..., 1:2])


def _to_link_rows(xp: Any, matrix: Array) -> Array:
    """Return T⁻ᵀ X (…, n, n) of a symmetric matrix X: differences of its rows."""
    return xp.matrix_transpose(chain.to_links(xp, matrix))

"""Friction in the closed form: its torques, and which joints at rest it holds.

A joint that moves is resisted by the torque f(ω) of `ulna.actuation.friction`. One at rest is held
by any torque up to its static friction, and which of them stay at rest is one question of all: the
accelerations of the joints at rest are the unique minimum of

    ½ q̈ᵀ M q̈ − q̈ᵀ (τ − h) + Σ f_s,i |q̈_i|

over them, h all other torques and joints that move eliminated. A joint that stays has q̈_i = 0 and
a holding torque |λ_i| ≤ f_s,i; one that breaks away has λ_i = −f_s,i sign(q̈_i), in

    M q̈ = τ − h + λ

Here the unknown of each joint is its λ while it is held and its q̈ otherwise, one dense solution a
round (principal pivoting). A round changes the state of every joint that is wrong: held by too
much, or turning against its release. Where that brings no fewer of them, it changes that of the
first one alone, which ends for every positive definite M (Murty's least-index rule). Whole batches
are searched at once, by masks. `sticking.py` does the same by the recursion, compiled.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from ulna.actuation.friction import known, motion_direction, sliding_friction
from ulna.arm import Arm, Parameters
from ulna.arrays import Array, running_sum, tail_sum
from ulna.kinematics.forward_kinematics import joint_array, prepared

# By how much of it a torque has to exceed static friction: a joint that is let go then accelerates
# by more than rounding errors.
EXCESS = 1e-12
EPSILONS = 16.0  # of the machine, which single precision needs instead
PATIENCE = 3  # rounds that bring nothing, before one joint at a time is changed
MOST_ROUNDS = 10_000


class FrictionBand(NamedTuple):
    """The torques that friction can hold joints at rest with.

    Attributes
    ----------
    lower : array, shape (..., n)
        The least torque [N·m]: minus static friction at rest, 0 where a joint moves.
    upper : array, shape (..., n)
        The largest torque [N·m]: static friction at rest, 0 where a joint moves.
    """

    lower: Array
    upper: Array


def friction_torque(arm: Arm | Parameters, qd: Array, qdd: Array | None = None) -> Array:
    """Return the torques that a motion needs against friction: f in τ = M q̈ + C q̇ + G + b q̇ + f.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    qd : array_like, shape (..., n)
        Joint rates [rad/s].
    qdd : array_like, shape (..., n), optional
        Joint accelerations [rad/s²], which tell the direction in which joints at rest start.

    Returns
    -------
    array, shape (..., n)
        Torques of dry friction and drag [N·m], positive along the motion. For a joint at rest it is
        static friction, with the sign of its acceleration, and 0 without one. Viscous damping is
        not a part of it.

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Examples
    --------
    >>> import ulna
    >>> joint = ulna.Joint(friction=ulna.Friction(coulomb=0.2, static=0.3, drag=0.01))
    >>> arm = ulna.Arm.rods([1.0], [1.0], joints=[joint])
    >>> friction_torque(arm, [-2.0]).round(12).tolist()  # 0.2 + 0.01 · 2², backwards
    [-0.24]
    >>> friction_torque(arm, [0.0], [1.5]).tolist()
    [0.3]
    """
    xp, p = prepared(arm, qd, qdd)
    rate = joint_array(xp, p, qd, "qd")
    return motion_friction(xp, p, rate, None if qdd is None else joint_array(xp, p, qdd, "qdd"))


def motion_friction(xp: Any, p: Parameters, rate: Array, acceleration: Array | None) -> Array:
    """Return the friction torques (…, n) of a motion, whose numbers are arrays of `xp`."""
    return sliding_friction(xp, p, rate, motion_direction(xp, rate, acceleration))


def friction_band(arm: Arm | Parameters, qd: Array | None = None) -> FrictionBand:
    """Return the torques between which static friction holds joints at rest.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm, or a batch of arms with shapes (..., n).
    qd : array_like, shape (..., n), optional
        Joint rates [rad/s]; all joints are at rest unless given.

    Returns
    -------
    FrictionBand
        `lower` and `upper`, each (..., n) [N·m]: ± static friction of joints at rest, and 0 of
        joints that move.

    Raises
    ------
    InputError
        If a shape does not fit, or a value is not a number.

    Notes
    -----
    An arm at rest stays there, all of it, if τ − `holding_torque` is within the band at every
    joint.

    Examples
    --------
    >>> import ulna
    >>> joint = ulna.Joint(friction=ulna.Friction(coulomb=0.2, static=0.3))
    >>> arm = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0], joints=[joint, joint])
    >>> friction_band(arm, [0.0, 0.5]).upper.tolist()
    [0.3, 0.0]
    """
    xp, p = prepared(arm, qd)
    static = p.static
    if qd is not None:
        rate = joint_array(xp, p, qd, "qd")
        static = xp.where(rate == 0.0, static, xp.zeros_like(static))
    return FrictionBand(0.0 - static, 0.0 + static)


class _System(NamedTuple):
    turned: Array  # (…, n, n) what q̈ of each joint takes, to the links
    to_links: Array  # (n, n) what the torque of each joint does to the links
    forces: Array  # (…, n)
    static: Array  # (…, n)


class _Search(NamedTuple):
    held: Array  # (…, n) whether a joint is taken to be held
    direction: Array  # (…, n) ±1 where one at rest is let go
    fewest: Array  # (…, 1) joints that were wrong so far
    patience: Array  # (…, 1)
    unknowns: Array  # (…, n) λ where held, else q̈
    wrong: Array  # (…, n)


def accelerations_from_rest(
    xp: Any, p: Parameters, inertia: Array, forces: Array, rate: Array
) -> Array:
    """Return the accelerations (…, n) of joints, of which friction may hold those at rest.

    `inertia` (…, n, n) and `forces` (…, n) are those of link angles, with the friction of joints
    that move among the forces; `rate` (…, n) are the joints'.
    """
    n, dtype = p.n, forces.dtype
    # A torque of joint i acts on link i, and back on the one before; q̈_i turns all from i on.
    to_links = xp.eye(n, dtype=dtype) - xp.eye(n, k=1, dtype=dtype)
    turned = tail_sum(xp, inertia)
    none = xp.zeros_like(forces + rate + turned[..., 0, :] + p.static)
    system = _System(turned, to_links, forces, p.static + none)
    held = (rate == 0.0) & (system.static > 0.0)
    count = none[..., :1]
    start = _Search(held, none, count + (n + 1.0), count + PATIENCE, none, held & ~held)
    last = _decided(xp, system, start)
    return xp.where(last.held & ~xp.isnan(last.unknowns), none, last.unknowns)


def _decided(xp: Any, system: _System, start: _Search) -> _Search:
    """Go on until no joint is wrong."""
    state = _solved(xp, system, start)
    for _ in range(MOST_ROUNDS):
        undecided = known(xp.any(state.wrong))
        if undecided is None:
            break
        if not undecided:
            return state
        state = _solved(xp, system, _changed(xp, state))
    else:
        return state
    # What is held has no derivative: only the last solution is differentiated.
    lax = sys.modules["jax"].lax
    fixed = _System(*map(lax.stop_gradient, system))
    found = lax.while_loop(
        lambda state: xp.any(state.wrong),
        lambda state: _solved(xp, fixed, _changed(xp, state)),
        _Search(*map(lax.stop_gradient, state)),
    )
    return _solved(xp, system, found)


def _solved(xp: Any, system: _System, state: _Search) -> _Search:
    """Solve for λ of joints that are held and q̈ of others, and see which are wrong."""
    turned, to_links, forces, static = system
    friction = xp.matmul(to_links, (static * state.direction)[..., None])
    matrix = xp.where(state.held[..., None, :], -to_links, turned)
    found = xp.linalg.solve(matrix, forces[..., None] - friction)[..., 0]
    excess = max(EXCESS, EPSILONS * float(xp.finfo(found.dtype).eps))
    too_much = xp.abs(found) > (1.0 + excess) * static
    wrong = xp.where(state.held, too_much, found * state.direction < 0.0)
    return state._replace(unknowns=found, wrong=wrong)


def _changed(xp: Any, before: _Search) -> _Search:
    """Let joints go that are held by too much, the way they are driven; hold those that turn back.

    All that are wrong at once, or the first of them where that has not helped.
    """
    each = xp.astype(before.wrong, before.direction.dtype)
    wrong = xp.sum(each, axis=-1, keepdims=True)
    fewer = wrong < before.fewest
    patience = xp.where(fewer | (wrong == 0.0), 0.0 * wrong + PATIENCE, before.patience - 1.0)
    first = running_sum(xp, each) == 1.0
    change = before.wrong & (first | (patience >= 0.0))
    driven = xp.where(before.held, -xp.sign(before.unknowns), xp.zeros_like(before.unknowns))
    return before._replace(
        held=before.held ^ change,
        direction=xp.where(change, driven, before.direction),
        fewest=xp.where(fewer, wrong, before.fewest),
        patience=patience,
    )

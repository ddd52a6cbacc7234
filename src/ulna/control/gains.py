"""Gains with a meaning: given as they are, by a frequency, or chosen for the arm and its rate.

A joint that sees the inertia M behind a spring K (kp) and a damper D (kd) closes a gap e by

    M ë + D ė + K e = 0

With K = W ω² and D = 2 W ω that is two equal decays at the rate ω: as fast as it goes without
overshoot. W is what the joint sees when the arm is stretched out and the others hold still,
the most that it can be. That is what a `natural_frequency` ω means.

Without a frequency the gains are chosen so that the arm settles at every pose of its range. With T
the period, L = (d + ½) T the latency of a tick whose measurements are d ticks old, b the joints'
own damping and H(q) = ∂G/∂q the stiffness of gravity, the sampled loop

    w² (4 M/T² − 2 D/T) + w (2 D/T − K) + K + H = 0,        w = (z − 1) / (z + 1),  d = 0

is stable if all three matrices are positive definite, for then every eigenvector turns it into a
quadratic with positive coefficients. So at every pose

    dampers    D < r M               r = (2/T) sin(π / (4 d + 2)), the fastest decay of delayed,
                                     held feedback; r = 2/T without delay
    springs    h < K < c (D + b) / L h_i = Σ_j H⁺_ij,  H⁺ = 𝟙ᵀ diag(g S) 𝟙 with 𝟙 lower triangular:
                                     the arm upright, where gravity is the most against it

D < r M holds at every pose for D_i < r λ V_i, with V_i = min 1 / (M⁻¹)_ii the least inertia that
joint i can see, the others being free, and λ the smallest eigenvalue of V^−½ M V^−½ at any pose,
which is never below 1/n. Of that, half is chosen, and ω = 20 rad/s if it allows that; K is
at least 2 h. Where that is more than the rate allows, D takes two thirds, and K the middle
between its bounds. c is 1 without delay; with one it is y cot y, where y sin y = D L / M, from
m s² + (D s + K) exp(−s L) = 0: 0.68 for half of the dampers, which is then kept. An integral I is
stable if some β has β M < D + b − K L and I < β (K + H): Routh's criterion for any eigenvector. A
quarter of that is chosen, K ω / 5 at most. Friction is left out: gains are those of the smooth part
of the arm, and joints may rest beside their set-points by f_s / K.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ulna.arm import Arm, Parameters, parameters_of
from ulna.arrays import Array
from ulna.control.controller import (
    ControlTiming,
    FrozenController,
    Gain,
    joint_gains,
    one_number,
)
from ulna.dynamics import chain, mass_matrix

DEFAULT_FREQUENCY = 20.0  # [rad/s] for springs, unless the rate is too low for it
# Of the dampers that make the sampled loop unstable: as a rule, and where it must be.
KD_SHARE, LARGEST_KD_SHARE = 0.5, 2.0 / 3.0
# Of dampers over latency: what springs may be, at KD_SHARE and with a delay.
DELAYED_KP_SHARE = 0.68
GRAVITY_MARGIN = 2.0  # times the stiffness that gravity takes away, where the rate allows it
LEAST_KP_RATIO = 1.25  # from the least stiffness to the largest: with less there is no choice
INTEGRAL_SHARE = 0.2  # of the natural frequency: slow enough to leave spring and damper alone
INTEGRAL_MARGIN = 0.25  # of what Routh's criterion allows
POSES, CORNERS = 24, 64  # at which an arm is looked at: spread over its range, and at its ends
FEW, LONG = 4, 32  # poses of each kind for an arm of more links than that
MEMBERS = 1024  # of a batch that are looked at together


@dataclass(frozen=True, repr=False)
class SpringGains(FrozenController):
    """The gains of a spring and a damper at every joint."""

    kp: Gain | None = None
    kd: Gain | None = None
    _: KW_ONLY
    natural_frequency: float | None = None


@dataclass(frozen=True, repr=False)
class IntegralGains(FrozenController):
    """Those of a spring, a damper with a filter, and an integral with a dead band."""

    kp: Gain | None = None
    kd: Gain | None = None
    ki: Gain | None = None
    _: KW_ONLY
    natural_frequency: float | None = None
    filter: float = math.inf
    dead_band: Gain = 0.0


class Bounds(NamedTuple):
    """What an arm asks of springs and dampers, over all of its poses; (…, n) each."""

    inertia: Array  # [kg·m²] W, the most that a joint sees
    lightest: Array  # [kg·m²] λ V: dampers below r times this do not shake the arm
    gravity: Array  # [N·m/rad] h: springs above this carry it anywhere
    damping: Array  # [N·m·s/rad] b, the joints' own


class JointGains(NamedTuple):
    """Gains of springs and dampers (…, n), and between what bounds kp has to be."""

    kp: Array  # [N·m/rad]
    kd: Array  # [N·m·s/rad]
    kp_min: Array  # [N·m/rad] against gravity
    kp_max: Array  # [N·m/rad] at this rate and delay

    @property
    def possible(self) -> Array:
        """Whether there is room between the bounds at every joint, (…)."""
        return np.asarray(np.all(self.kp_max >= LEAST_KP_RATIO * self.kp_min, axis=-1))


def seen_inertia(arm: Arm | Parameters) -> Array:
    """Return the inertia (…, n) [kg·m²] that every joint sees when the arm is stretched out."""
    return np.diagonal(mass_matrix(arm, np.zeros(arm.n)), axis1=-2, axis2=-1).copy()


def bounds_of(arm: Arm | Parameters) -> Bounds:
    """Return what an arm asks of springs and dampers, or what each arm of a batch does."""
    return _arm_bounds(arm) if isinstance(arm, Arm) else _bounds(arm)


def joint_gains_of(
    controller: SpringGains | IntegralGains,
    arm: Arm | Parameters,
    timing: ControlTiming,
    *,
    compensated: bool = False,
) -> JointGains:
    """Return springs and dampers of a controller: those given, by its natural frequency, or chosen.

    `compensated` says that the torques for the weight follow what is measured: then springs need
    not hold the arm upright, but the latency acts on gravity as well.
    """
    name, n = type(controller).__name__, arm.n
    kp = kd = omega = None
    if controller.kp is not None:
        kp = joint_gains(f"{name}.kp", controller.kp, n)
    if controller.kd is not None:
        kd = joint_gains(f"{name}.kd", controller.kd, n)
    if controller.natural_frequency is not None:
        omega = one_number(f"{name}.natural_frequency", controller.natural_frequency, "rad/s")
    if omega is not None and (kp is None or kd is None):
        inertia = seen_inertia(arm)
        kp = inertia * omega**2 if kp is None else kp
        kd = 2.0 * inertia * omega if kd is None else kd
    if kp is not None and kd is not None:
        kp, kd = np.broadcast_arrays(kp, kd)
        nothing = np.zeros_like(kp)
        return JointGains(kp, kd, nothing, nothing + math.inf)
    return choose_joint_gains(bounds_of(arm), timing, kp, kd, compensated=compensated)


def choose_joint_gains(
    bounds: Bounds,
    timing: ControlTiming,
    kp: Array | None = None,
    kd: Array | None = None,
    *,
    compensated: bool = False,
) -> JointGains:
    """Choose springs and dampers (…, n) for a rate and a delay; one of them may be given."""
    inertia, own = bounds.inertia, bounds.damping
    nothing = np.zeros_like(bounds.gravity)
    least, taken = (nothing, bounds.gravity) if compensated else (bounds.gravity, nothing)
    kd_limit = timing.fastest_decay * bounds.lightest
    omega = np.minimum(DEFAULT_FREQUENCY, KD_SHARE * kd_limit / (2.0 * inertia))
    wanted = np.maximum(inertia * omega**2, GRAVITY_MARGIN * least) if kp is None else kp
    critical = np.maximum(2.0 * np.sqrt(inertia * wanted) - own, 0.0)

    def most(dampers: Array) -> Array:
        return largest_kp(dampers + own, timing) - taken

    hardest = KD_SHARE if timing.ticks_late else LARGEST_KD_SHARE
    attainable = hardest * kd_limit if kd is None else kd
    firm = np.minimum(critical, attainable) if kd is None else kd
    middle = 0.5 * (most(firm) + least)
    if kd is None:
        kd = np.minimum(critical, KD_SHARE * kd_limit)
        kd = np.where(wanted > 0.5 * (most(kd) + least), firm, kd)
    if kp is None:
        # Without room springs follow the dampers: an arm that sags is better than one that shakes.
        kp = np.minimum(wanted, middle)
        kp = np.minimum(kp, np.maximum(most(kd), 0.0) / LEAST_KP_RATIO)
    return JointGains(*np.broadcast_arrays(kp, kd, least, most(attainable)))


def largest_kp(kd: Array, timing: ControlTiming) -> Array:
    """Return the stiffness (…, n) [N·m/rad] that dampers still damp at a rate, with a delay."""
    with np.errstate(over="ignore"):  # at rates that no run can take
        return (DELAYED_KP_SHARE if timing.ticks_late else 1.0) * kd / timing.latency


def choose_ki(arm: Arm | Parameters, timing: ControlTiming, springs: JointGains) -> Array:
    """Choose integral gains (…, n) [N·m/(rad·s)] that leave springs and dampers stable."""
    bounds = bounds_of(arm)
    kp, kd = springs.kp, springs.kd
    left = kd + bounds.damping - kp * timing.latency
    decay = slowest_decay(arm, np.maximum(left, 0.0))
    room = np.maximum(kp - bounds.gravity, 0.0)
    share = INTEGRAL_SHARE * kp * kd / (2.0 * bounds.inertia)
    return np.minimum(INTEGRAL_MARGIN * decay * room, share)


def slowest_decay(arm: Arm | Parameters, kd: Array) -> Array:
    """Return the largest β (…, 1) [1/s] with β M ≤ diag(kd) at all poses considered."""
    if not isinstance(arm, Arm) and np.ndim(arm.length) > 1:
        kd = np.broadcast_to(kd, arm.length.shape)
        return _in_parts(lambda p, d: _slowest_decay(_masses(p), d), arm, kd)
    return _slowest_decay(masses_over_range(arm) if isinstance(arm, Arm) else _masses(arm), kd)


def _slowest_decay(masses: Array, kd: Array) -> Array:
    if not (kd > 0.0).all(axis=-1).any():
        return np.zeros((*kd.shape[:-1], 1))
    safe = np.where(kd > 0.0, kd, np.inf)
    size = np.sqrt(safe)[..., None, :]
    largest = np.linalg.eigvalsh(masses / (size[..., :, None] * size[..., None, :]))[..., -1]
    positive = (kd > 0.0).all(axis=-1, keepdims=True)
    return np.where(positive, 1.0 / largest.max(axis=-1, keepdims=True), 0.0)


def at_all_poses(arm: Arm | Parameters, law: Callable[[Parameters, Array], Array]) -> Array:
    """Return the largest value (…, n) of a law (…, k, n) of poses (…, k, n) over an arm's range."""

    def largest(p: Parameters) -> Array:
        return np.asarray(law(p.per_sample(), _poses(p)).max(axis=-2))

    return _in_parts(largest, parameters_of(arm))


@lru_cache(maxsize=64)
def _arm_bounds(arm: Arm) -> Bounds:
    return _bounds(arm.parameters)


@lru_cache(maxsize=64)
def masses_over_range(arm: Arm) -> Array:
    """Return the mass matrices (k, n, n) of an arm at k poses all over the joints' ranges."""
    return _masses(arm.parameters)


def _bounds(p: Parameters) -> Bounds:
    lightest = _in_parts(lambda part: _lightest(_masses(part)), p)
    return Bounds(seen_inertia(p), lightest, gravity_stiffness(p), np.asarray(p.damping))


def gravity_stiffness(arm: Arm | Parameters) -> Array:
    """Return the stiffness h (…, n) [N·m/rad] above which springs hold the arm at any pose.

    H(q) = 𝟙ᵀ diag(∂G_i/∂φ_i) 𝟙 with |∂G_i/∂φ_i| ≤ g S_i: for h the sums of the rows of
    𝟙ᵀ diag(g S) 𝟙 the matrix diag(h) + H has a dominant diagonal.
    """
    p = parameters_of(arm)
    at = chain.posture(p, np.zeros(p.n))
    own = np.hypot(p.gravity[..., :1], p.gravity[..., 1:]) * np.hypot(at.moment_x, at.moment_y)
    beyond = np.cumsum(own[..., ::-1], axis=-1)[..., ::-1]  # H⁺_ij is that of the later joint
    later = np.cumsum(beyond[..., ::-1], axis=-1)[..., ::-1] - beyond
    return np.asarray((np.arange(p.n) + 1) * beyond + later)


def _lightest(masses: Array) -> Array:
    """Return λ V (…, n) of mass matrices (…, k, n, n) at k poses."""
    free = 1.0 / np.diagonal(np.linalg.inv(masses), axis1=-2, axis2=-1)
    least = free.min(axis=-2)
    size = np.sqrt(least)[..., None, :]
    smallest = np.linalg.eigvalsh(masses / (size[..., :, None] * size[..., None, :]))[..., 0]
    return least * smallest.min(axis=-1, keepdims=True)


def _masses(p: Parameters) -> Array:
    """Return the mass matrices (…, k, n, n) at k poses all over the joints' ranges."""
    return np.asarray(mass_matrix(p.per_sample(), _poses(p)))


def _poses(p: Parameters) -> Array:
    """Return poses (…, k, n): stretched out, spread evenly, and with joints at their ends."""
    turn = 2.0 * math.pi  # all that there is to see of a joint without a limit
    first = np.where(np.isfinite(p.upper), p.upper, 0.5 * turn) - turn
    lower = np.asarray(np.where(np.isfinite(p.lower), p.lower, first))
    span = np.asarray(np.minimum(p.upper - lower, turn))
    poses = lower[..., None, :] + _shares(p.n) * span[..., None, :]
    stretched = np.clip(np.zeros_like(lower), lower, lower + span)[..., None, :]
    return np.concatenate([poses, stretched], axis=-2)


@lru_cache(maxsize=64)
def _shares(n: int) -> Array:
    """Return places (k, n) in the unit cube; the first joint turns the arm as a whole."""
    root = 1.5
    for _ in range(60):  # of x^(m+1) = x + 1, whose powers spread most evenly
        root = (1.0 + root) ** (1.0 / max(n, 2))
    poses, corners = (POSES, CORNERS) if n <= LONG else (FEW, FEW)
    spread = np.arange(1, poses + 1)[:, None] * root ** -np.arange(1.0, max(n, 2)) % 1.0
    ends = list(itertools.islice(itertools.product((0.0, 0.5, 1.0), repeat=n - 1), corners))
    folded = np.array(ends).reshape(len(ends), n - 1)
    places = np.concatenate([spread[:, : n - 1], folded])
    return np.concatenate([np.zeros((len(places), 1)), places], axis=-1)


def _in_parts(work: Callable[..., Array], p: Parameters, *more: Array) -> Array:
    """Do the work for a batch of arms part by part, so that it needs little memory."""
    if np.ndim(p.length) != 2 or len(p.length) <= MEMBERS:
        return work(p, *more)
    parts = [slice(k, k + MEMBERS) for k in range(0, len(p.length), MEMBERS)]
    return np.concatenate([work(p.rows(part), *(one[part] for one in more)) for part in parts])

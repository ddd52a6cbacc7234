"""Adaptive: learns the masses of the arm while it follows, after Slotine and Li.

    e = q_ref − q,  q̇_r = q̇_ref + ω e,  q̈_r = q̈_ref + ω ė,  s = q̇_r − q̇
    τ = Y(q, q̇, q̇_r, q̈_r) π̂ + f(q̇_ref) + K s,        dπ̂/dt = Γ Yᵀ s
    ω = bandwidth,  K = diag(kd)

Y π = M q̈_r + C q̇_r + G + b q̇_r is linear in the masses and moments π, so that the arm obeys
M ṡ + C s + K s = Y (π − π̂), and V = ½ sᵀ M s + ½ π̃ᵀ Γ⁻¹ π̃ falls by sᵀ K s whatever π is: s goes to
zero, and with it e, as ė = −ω e. ω [rad/s] is how fast a gap closes, K [N·m·s/rad] how hard the
rates are held, Γ how fast is learnt. π̂ becomes what explains the torques that were seen, and the
true π only if the motion shows it all. Friction f is not learnt: the model's is added as it is, at
the reference's rates. It fails when torques stand at their limits for long: what is missing then is
learnt as mass, and so is friction that is not compensated; and noise makes the estimate wander.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np

from ulna.actuation.friction import efficiencies
from ulna.arm import Arm, Parameters, parameters_of
from ulna.arrays import Array
from ulna.control.controller import (
    DEFAULT_TIMING,
    CompiledLaw,
    ControlTiming,
    FrozenController,
    Gain,
    Reference,
    columns,
    joint_gains,
    one_number,
)
from ulna.control.gains import KD_SHARE, at_all_poses, bounds_of, largest_kp
from ulna.control.laws import (
    ANGLE,
    QD_REF,
    RATE,
    REF_Q,
    REF_QD,
    REF_QDD,
    SLIDING,
    add_friction,
    law,
    motor_torques,
    scratch_rows,
    scratch_tables,
    smooth_and_friction,
)
from ulna.control.loop_stability import Feedback, diagonal, gravity_gradient
from ulna.dynamics import friction_torque, mass_matrix
from ulna.dynamics.inertial_parameters import parameter_vector, regressor
from ulna.dynamics.packed import (
    ALONG,
    ASIDE,
    CARRIER,
    CONSTANTS,
    COULOMB,
    DAMPING,
    DRAG,
    LENGTH,
    MASS,
    OMEGA_SQUARED,
    OWN,
    QDD,
    SECOND,
    TORQUE,
    pack,
)
from ulna.dynamics.recursive import gather_torques, link_directions, spread_accelerations
from ulna.kernels import inner
from ulna.lanes import all_lanes, select

DEFAULT_BANDWIDTH = 10.0  # [rad/s] unless the control rate is too low for it
DECAY_SHARE = 0.15  # of the fastest decay that the rate allows
GAP = 0.25  # [rad] from which it has to get to its reference, learning all the while
DEFAULT_ADAPTATION = 0.3  # [1/J] of adaptation, unless the control rate is too low for it

# Rows of params: how fast every entry is learnt, and the table of an arm of ones. Rows of state:
# the estimate, then the last tick's time.
QUANTITIES = 6
# The columns that a quantity stands in, first and last; a rotor stands in three.
FIRST = (MASS, ALONG, ASIDE, SECOND, DAMPING, CARRIER)
LAST = (MASS, ALONG, ASIDE, SECOND, DAMPING, OWN)


class AdaptiveGains(NamedTuple):
    """The numbers that do not change from tick to tick."""

    bandwidth: Array  # (n,) [1/s]
    kd: Array  # (n,) [N·m·s/rad]
    speed: Array  # (6n,) the diagonal of Γ


class AdaptiveState(NamedTuple):
    """The arm as far as it is known, the gains, and what has been learnt."""

    model: Arm | Parameters
    gains: AdaptiveGains
    estimate: Array  # (6n,) as parameter_vector has it
    t: float  # [s] of the last tick
    friction: Arm | Parameters | None = None  # the model whose friction is compensated


@law
def _adaptive(
    t: float,
    q: Array,
    qd: Array,
    reference: Array,
    state: Array,
    tau: Array,
    bandwidth: Array,
    kd: Array,
    params: Array,
) -> None:
    _learn(t, q, qd, reference, state, tau, bandwidth, kd, params)


@law
def _adaptive_and_friction(
    t: float,
    q: Array,
    qd: Array,
    reference: Array,
    state: Array,
    tau: Array,
    bandwidth: Array,
    kd: Array,
    out: Array,
    back: Array,
    params: Array,
) -> None:
    _learn(t, q, qd, reference, state, tau, bandwidth, kd, params)
    n = len(q)
    links, _, _ = scratch_tables(n, state, QUANTITIES * n + 1)
    for i in range(n):
        for column in range(COULOMB, DRAG + 1):
            links[i, column] = params[QUANTITIES * n + i * CONSTANTS + column]
    add_friction(n, reference, state, QUANTITIES * n + 1, tau, out, back)


@inner
def _learn(
    t: float,
    q: Array,
    qd: Array,
    reference: Array,
    state: Array,
    tau: Array,
    bandwidth: Array,
    kd: Array,
    params: Array,
) -> None:
    """Write the torques by the estimate as it is, and change the estimate."""
    n = len(q)
    last = QUANTITIES * n
    links, turns, y = scratch_tables(n, state, last + 1)
    step = t - state[last]
    state[last] = t
    _reference_motion(q, qd, reference, bandwidth, kd, links, y, tau)
    _load_lengths(n, params, links, turns, y)
    # At the first tick nothing has been seen that could be learnt from.
    _adapt(n, select(step < math.inf, step, 0.0), params, state, links, turns, y, tau)


@inner
def _reference_motion(
    q: Array,
    qd: Array,
    reference: Array,
    bandwidth: Array,
    kd: Array,
    links: Array,
    y: Array,
    tau: Array,
) -> None:
    """Write the reference rates, the sliding variable, and its torque."""
    n = len(q)
    for i in range(n):
        error, error_rate = reference[REF_Q, i] - q[i], reference[REF_QD, i] - qd[i]
        y[ANGLE, i], y[RATE, i] = q[i], qd[i]
        y[QD_REF, i] = reference[REF_QD, i] + bandwidth[i] * error
        y[SLIDING, i] = y[QD_REF, i] - qd[i]
        links[i, QDD] = reference[REF_QDD, i] + bandwidth[i] * error_rate
        tau[i] = kd[i] * y[SLIDING, i]


@inner
def _load_lengths(n: int, params: Array, links: Array, turns: Array, y: Array) -> None:
    """Load an arm of lengths and gravity alone, and how it moves."""
    ones = QUANTITIES * n
    for i in range(n + 1):
        for column in range(CONSTANTS):
            links[i, column] = 0.0
            if column == LENGTH or i == n:
                links[i, column] = params[ones + i * CONSTANTS + column]
    link_directions(n, turns, y, ANGLE)
    rate = wanted = 0.0
    for i in range(n):
        rate += y[RATE, i]
        wanted += y[QD_REF, i]
        turns[OMEGA_SQUARED, i] = rate * wanted
    spread_accelerations(n, links, turns)


@inner
def _adapt(
    n: int,
    step: Any,
    params: Array,
    state: Array,
    links: Array,
    turns: Array,
    y: Array,
    tau: Array,
) -> None:
    """Add up the torques of all columns, and move every entry by Γ Yᵀ s."""
    ones = QUANTITIES * n
    for entry in range(QUANTITIES * n):
        quantity, link = entry // n, entry % n
        value, speed = state[entry], params[entry]
        if all_lanes(value == 0.0) and all_lanes(speed == 0.0):
            continue
        for column in range(FIRST[quantity], LAST[quantity] + 1):
            links[link, column] = params[ones + link * CONSTANTS + column]
        gather_torques(n, links, turns, y, QD_REF)
        for column in range(FIRST[quantity], LAST[quantity] + 1):
            links[link, column] = 0.0
        correlation = 0.0
        for i in range(n):
            tau[i] += links[i, TORQUE] * value
            correlation += links[i, TORQUE] * y[SLIDING, i]
        state[entry] = value + step * speed * correlation


@dataclass(frozen=True, repr=False)
class Adaptive(FrozenController):
    """Adaptive control: follows with a model, and learns what that is wrong about.

    Parameters
    ----------
    bandwidth : float or sequence of float, optional
        How fast a gap closes [rad/s]: one for all joints, or one a joint. Unless given it is 10,
        or less where rate and delay ask for it.
    kd : float or sequence of float, optional
        Gain on the rates [N·m·s/rad]. Unless given it is inertia times bandwidth, or half of
        what shakes the arm at the control rate if that is less.
    adaptation : float, optional
        How fast it learns [1/J]: Γ = adaptation · scale², with the largest value of each quantity
        in the model as its scale. Unless given it is 0.3, or less where rate and delay ask for
        it.
    model : Arm, optional
        The arm that it starts from. A quantity that the model has none of, such as damping, is
        not learnt. None is the simulated arm, of which there is nothing to learn.
    friction_compensation : bool, optional
        Whether the model's friction and losses of gears, which are not learnt, are added, in the
        direction of the reference.
    """

    bandwidth: Gain | None = None
    kd: Gain | None = None
    adaptation: float | None = None
    _: KW_ONLY
    model: Arm | None = None
    friction_compensation: bool = True

    def start(self, arm: Arm | Parameters, timing: ControlTiming = DEFAULT_TIMING) -> AdaptiveState:
        """Return the gains, and the model's masses as the first estimate.

        Parameters
        ----------
        arm : Arm or Parameters
            The arm that is simulated, or a batch of them.
        timing : ControlTiming, optional
            Control rate, and delay of what is measured.

        Returns
        -------
        AdaptiveState
            The model, the gains and the estimate.

        Raises
        ------
        InputError
            If a gain is negative, not finite, or not one number or one a joint, or the model has
            another number of joints.
        """
        model, friction = smooth_and_friction(self, arm)
        gains = self._gains(model, timing)
        return AdaptiveState(model, gains, parameter_vector(model), -math.inf, friction)

    def feedback(self, arm: Arm, q: Array, timing: ControlTiming = DEFAULT_TIMING) -> Feedback:
        """Return how the torques answer small deviations from rest at set-points.

        Parameters
        ----------
        arm : Arm
            The arm that is simulated.
        q : ndarray, shape (..., n)
            Set-points [rad].
        timing : ControlTiming, optional
            Control rate, and delay of what is measured.

        Returns
        -------
        Feedback
            Matrices of the linear feedback, (..., n, n) each.

        Notes
        -----
        What is learnt, Γ ∫ Yᵀ s dt, is a spring and an integral: s = −δq̇ − ω δq.
        """
        model, (omega, kd, speed), *_ = self.start(arm, timing)
        still = np.zeros_like(q)
        Y = regressor(model, q, still, still)
        learnt = (Y * speed) @ np.swapaxes(Y, -1, -2)
        M, own = mass_matrix(model, q), parameters_of(model).damping
        spring = diagonal((kd + own) * omega) - gravity_gradient(model, q) + learnt
        return Feedback(spring, M * omega + diagonal(kd), learnt * omega)

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: AdaptiveState
    ) -> tuple[Array, AdaptiveState]:
        """Return the torques by the estimate as it is, and the estimate after the tick.

        Parameters
        ----------
        t : float
            Time of the tick [s].
        q : ndarray, shape (n,)
            Measured joint angles [rad].
        qd : ndarray, shape (n,)
            Measured joint rates [rad/s].
        reference : Reference
            What the arm is to follow now.
        state : AdaptiveState
            The estimate before the tick.

        Returns
        -------
        tau : ndarray, shape (n,)
            Torques until the next tick [N·m].
        state : AdaptiveState
            The estimate after it.
        """
        model, gains, estimate, last, friction = state
        wanted = reference.qd + gains.bandwidth * (reference.q - q)
        qdd = reference.qdd + gains.bandwidth * (reference.qd - qd)
        sliding = wanted - qd
        Y = regressor(model, q, qd, qdd, qd_ref=wanted)
        step = 0.0 if math.isinf(last) else t - last
        learnt = estimate + step * gains.speed * (sliding @ Y)
        tau = Y @ estimate + gains.kd * sliding
        if friction is not None:
            tau = tau + friction_torque(friction, reference.qd, reference.qdd)
            tau = motor_torques(friction, tau, reference)
        return tau, AdaptiveState(model, gains, learnt, t, friction)

    def compiled(
        self, arm: Arm | Parameters, timing: ControlTiming = DEFAULT_TIMING
    ) -> CompiledLaw:
        """Return the same law for the compiled engine, of one arm or many.

        Parameters
        ----------
        arm : Arm or Parameters
            The arm that is simulated, or a batch of them.
        timing : ControlTiming, optional
            Control rate, and delay of what is measured.

        Returns
        -------
        CompiledLaw
            A kernel with its parameters and its state before the first tick.
        """
        model, gains, estimate, t, friction = self.start(arm, timing)
        law, losses = _adaptive, np.zeros((0, arm.n))
        if friction is not None:
            law, losses = _adaptive_and_friction, efficiencies(friction)
        table = _ones(model if friction is None else friction)
        params = columns(gains.bandwidth, gains.kd, *losses, gains.speed, table)
        state = columns(estimate, np.array([t]))
        return CompiledLaw(law.kernel, params, state, scratch_rows(arm.n))

    @staticmethod
    def estimate(state: Any) -> Array:
        """Return the estimate π̂ of a state.

        Parameters
        ----------
        state : Any
            What `torque` returns, or `Simulation.controller_state`.

        Returns
        -------
        ndarray, shape (6n,)
            Inertial parameters, as `ulna.dynamics.parameter_vector` has them.
        """
        return state.estimate if isinstance(state, AdaptiveState) else np.asarray(state)[:-1]

    def _gains(self, model: Arm | Parameters, timing: ControlTiming) -> AdaptiveGains:
        omega = np.full(model.n, min(DEFAULT_BANDWIDTH, DECAY_SHARE * timing.fastest_decay))
        if self.bandwidth is not None:
            omega = joint_gains("Adaptive.bandwidth", self.bandwidth, model.n, above_zero=True)
        if self.kd is not None:
            kd = joint_gains("Adaptive.kd", self.kd, model.n)
        else:
            bounds = bounds_of(model)
            kd_limit = KD_SHARE * timing.fastest_decay * bounds.lightest
            kd = np.minimum(bounds.inertia * omega, kd_limit)
        speed = _scale(model) ** 2
        if self.adaptation is not None:
            rate = one_number("Adaptive.adaptation", self.adaptation, "1/J", zero=True)
            return AdaptiveGains(omega, kd, rate * speed)
        return AdaptiveGains(omega, kd, speed * _stable_adaptation(model, timing, omega, kd))


def _stable_adaptation(
    model: Arm | Parameters, timing: ControlTiming, omega: Array, kd: Array
) -> Array:
    """Return an adaptation (…, 1) [1/J] whose spring Y Γ Yᵀ the dampers still damp at every pose.

    What is learnt answers s by Y Γ Yᵀ ∫ s dt, a spring, and as s = −δq̇ − ω δq an integral as well.
    Y is the larger the faster the arm moves: what counts is the motion that closes `GAP`.
    """
    spare = largest_kp(kd, timing) - kd * omega - bounds_of(model).gravity

    def stiffness(p: Parameters, q: Array) -> Array:
        speed, qdd = np.broadcast_arrays(GAP * omega, GAP * omega**2, q)[:2]
        Y = np.abs(regressor(p, q, speed, qdd, qd_ref=speed)) * _scale(p)[..., None, :]
        return np.asarray((Y @ np.swapaxes(Y, -1, -2)).sum(axis=-1))

    with np.errstate(divide="ignore"):
        most = 0.5 * spare / at_all_poses(model, stiffness)
    return np.clip(most.min(axis=-1, keepdims=True), 0.0, DEFAULT_ADAPTATION)


def _scale(model: Arm | Parameters) -> Array:
    """Return the largest value of each quantity of a model, as in `parameter_vector` (…, 6n)."""
    sizes = np.abs(parameter_vector(model))
    return np.repeat(sizes.reshape(*sizes.shape[:-1], -1, model.n).max(axis=-1), model.n, axis=-1)


def _ones(model: Arm | Parameters) -> Array:
    """Return the table of an arm with the model's lengths, gears and gravity, ones elsewhere."""
    table = pack(parameters_of(model)._replace(rotor_inertia=np.ones(model.n)))
    table[..., :-1, MASS : DAMPING + 1] = 1.0
    return table.reshape(*table.shape[:-2], -1)

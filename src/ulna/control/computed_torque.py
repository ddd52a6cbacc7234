"""ComputedTorque: inverse dynamics of what is measured, for the acceleration that is wanted.

    τ = M(q) a + C(q, q̇) q̇ + G(q) + b q̇ + f(q̇_ref)
    a = q̈_ref + 2 ζ ω (q̇_ref − q̇) + ω² (q_ref − q),        ω = natural_frequency,  ζ = damping_ratio

Put into the arm's own equation, M (q̈ − a) = 0: all that is not linear cancels, and every joint
closes its gap by itself, ë + 2 ζ ω ė + ω² e = 0. So ω [rad/s] and the damping ratio ζ are the same
in every posture, for every arm and every load that the model knows. With a wrong model the rest
shows as a disturbance of M⁻¹ Δτ against ω². It fails when torques meet their limits, or ω comes
near the control rate. Friction f is that of the reference, whose rate has no noise and changes its
sign once where the arm is to turn back: at a set-point nothing is added, and the arm may come to
rest wherever M ω² e is less than static friction.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

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
)
from ulna.control.laws import (
    ANGLE,
    RATE,
    REF_Q,
    REF_QD,
    REF_QDD,
    add_friction,
    constants,
    law,
    load_model,
    motor_torques,
    scratch_rows,
    scratch_tables,
    smooth_and_friction,
)
from ulna.control.loop_stability import Feedback, diagonal, gravity_gradient
from ulna.dynamics import friction_torque, inverse_dynamics, mass_matrix
from ulna.dynamics.packed import QDD, TORQUE
from ulna.dynamics.recursive import inverse
from ulna.kernels import inner

DEFAULT_FREQUENCY = 20.0  # [rad/s] unless the control rate is too low for it
DECAY_SHARE = 0.15  # of the fastest decay that the rate allows


class ComputedTorqueState(NamedTuple):
    """What it needs of the arm; nothing changes from tick to tick."""

    model: Arm | Parameters  # without friction
    gains: Array  # (2, n) ω² [1/s²] and 2 ζ ω [1/s]
    friction: Arm | Parameters | None = None  # the model whose friction is compensated


@law
def _computed_torque(
    t: float,
    q: Array,
    qd: Array,
    reference: Array,
    state: Array,
    tau: Array,
    by_angle: Array,
    by_rate: Array,
    params: Array,
) -> None:
    _accelerating_torque(q, qd, reference, state, tau, by_angle, by_rate, params)


@law
def _computed_torque_and_friction(
    t: float,
    q: Array,
    qd: Array,
    reference: Array,
    state: Array,
    tau: Array,
    by_angle: Array,
    by_rate: Array,
    out: Array,
    back: Array,
    params: Array,
) -> None:
    _accelerating_torque(q, qd, reference, state, tau, by_angle, by_rate, params)
    add_friction(len(q), reference, state, 0, tau, out, back)


@inner
def _accelerating_torque(
    q: Array,
    qd: Array,
    reference: Array,
    state: Array,
    tau: Array,
    by_angle: Array,
    by_rate: Array,
    params: Array,
) -> None:
    """Write the torques for the acceleration that closes the gap."""
    n = len(q)
    links, turns, y = scratch_tables(n, state, 0)
    load_model(n, params, links)
    for i in range(n):
        y[ANGLE, i], y[RATE, i] = q[i], qd[i]
        error, error_rate = reference[REF_Q, i] - q[i], reference[REF_QD, i] - qd[i]
        links[i, QDD] = reference[REF_QDD, i] + by_angle[i] * error + by_rate[i] * error_rate
    inverse(n, links, turns, y, ANGLE)
    for i in range(n):
        tau[i] = links[i, TORQUE]


@dataclass(frozen=True, repr=False)
class ComputedTorque(FrozenController):
    """Computed-torque control: every joint closes its gap as a second-order system.

    Parameters
    ----------
    natural_frequency : float or sequence of float, optional
        Of every joint's error [rad/s]: one for all joints, or one a joint. Unless given it is
        20 rad/s, or 0.3 times the control rate if that is less, and lower with a delay.
    damping_ratio : float or sequence of float, optional
        Of every joint's error: 1, without overshoot, unless given.
    model : Arm, optional
        The arm that the controller believes in; None for the simulated one.
    friction_compensation : bool, optional
        Whether the model's friction and losses of gears are added, in the direction of the
        reference.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.preset("kehl")
    >>> run = ulna.simulate(
    ...     arm, q0=[0, 0], duration=2.0, controller=ComputedTorque(), reference=[1, 1]
    ... )
    >>> run.q[-1].round(6).tolist()
    [1.0, 1.0]
    """

    natural_frequency: Gain | None = None
    damping_ratio: Gain = 1.0
    _: KW_ONLY
    model: Arm | None = None
    friction_compensation: bool = True

    def start(
        self, arm: Arm | Parameters, timing: ControlTiming = DEFAULT_TIMING
    ) -> ComputedTorqueState:
        """Return the model and the gains.

        Parameters
        ----------
        arm : Arm or Parameters
            The arm that is simulated, or a batch of them.
        timing : ControlTiming, optional
            Control rate, and delay of what is measured.

        Returns
        -------
        ComputedTorqueState
            What does not change from tick to tick.

        Raises
        ------
        InputError
            If a gain is negative, not finite, or not one number or one a joint, or the model has
            another number of joints.
        """
        model, friction = smooth_and_friction(self, arm)
        chosen = min(DEFAULT_FREQUENCY, DECAY_SHARE * timing.fastest_decay)
        omega = chosen if self.natural_frequency is None else self.natural_frequency
        omega = joint_gains("ComputedTorque.natural_frequency", omega, arm.n, above_zero=True)
        ratio = joint_gains("ComputedTorque.damping_ratio", self.damping_ratio, arm.n)
        return ComputedTorqueState(model, np.stack([omega**2, 2.0 * ratio * omega]), friction)

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
        """
        model, (by_angle, by_rate), _ = self.start(arm, timing)
        M, own = mass_matrix(model, q), diagonal(parameters_of(model).damping)
        return Feedback(M * by_angle - gravity_gradient(model, q), M * by_rate - own)

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: ComputedTorqueState
    ) -> tuple[Array, ComputedTorqueState]:
        """Return the torques for the acceleration that closes the gap.

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
        state : ComputedTorqueState
            What `start` returns.

        Returns
        -------
        tau : ndarray, shape (n,)
            Torques until the next tick [N·m].
        state : ComputedTorqueState
            The same.
        """
        by_angle, by_rate = state.gains
        wanted = reference.qdd + by_rate * (reference.qd - qd) + by_angle * (reference.q - q)
        tau = inverse_dynamics(state.model, q, qd, wanted)
        if state.friction is not None:
            tau = tau + friction_torque(state.friction, reference.qd, reference.qdd)
            tau = motor_torques(state.friction, tau, reference)
        return tau, state

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
        model, gains, friction = self.start(arm, timing)
        law, losses = _computed_torque, np.zeros((0, arm.n))
        if friction is not None:
            law, losses = _computed_torque_and_friction, efficiencies(friction)
        params = columns(*gains, *losses, constants(model if friction is None else friction))
        return CompiledLaw(law.kernel, params, np.zeros((0, 1)), scratch_rows(arm.n))

"""FeedforwardPID: the torques that the reference takes, and PID for the rest.

    τ = M(q_ref) q̈_ref + C(q_ref, q̇_ref) q̇_ref + G(q_ref) + b q̇_ref + f(q̇_ref)
        + K e + D ė_f + I ∫ e dt
    K = diag(kp),  D = diag(kd),  I = diag(ki)

The model does the work, and can do it ahead of time; PID sees only what the model does not know,
and so may be soft. Near the reference it is as good as inverse dynamics of what is measured, and
noise reaches the torques through PID alone. The gains and the filter mean what they mean in PID.
Friction f is that of the reference; at a set-point nothing is added, and PID is left alone with it.
Far from the reference the torques are those of another posture, and the springs pay.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import numpy as np

from ulna.actuation.friction import depends_on_direction, efficiencies
from ulna.arm import Arm, Parameters
from ulna.arrays import Array
from ulna.control.controller import (
    DEFAULT_TIMING,
    CompiledLaw,
    ControlTiming,
    Reference,
    columns,
)
from ulna.control.gains import IntegralGains, JointGains, joint_gains_of
from ulna.control.laws import (
    add_friction,
    constants,
    law,
    motor_torques,
    reference_model,
    scratch_rows,
    torque_of_reference,
)
from ulna.control.loop_stability import Feedback
from ulna.control.pid import (
    MEMORIES,
    SCRATCH,
    PIDState,
    add_pid,
    empty_rows,
    empty_state,
    pid_feedback,
    pid_gains,
    pid_torque,
)
from ulna.dynamics import inverse_dynamics


class FeedforwardPIDState(NamedTuple):
    """The model, and what PID remembers."""

    model: Arm | Parameters  # without friction where that is not compensated
    pid: PIDState


@law
def _feedforward_pid(
    t: float,
    q: Array,
    qd: Array,
    reference: Array,
    state: Array,
    tau: Array,
    kp: Array,
    kd: Array,
    ki: Array,
    limit: Array,
    dead_band: Array,
    params: Array,
) -> None:
    n = len(q)
    torque_of_reference(n, reference, params[1:], state, MEMORIES * n + 1 + SCRATCH, tau)
    add_pid(t, q, qd, reference, state, tau, kp, kd, ki, limit, dead_band, params)


@law
def _feedforward_pid_and_friction(
    t: float,
    q: Array,
    qd: Array,
    reference: Array,
    state: Array,
    tau: Array,
    kp: Array,
    kd: Array,
    ki: Array,
    limit: Array,
    dead_band: Array,
    out: Array,
    back: Array,
    params: Array,
) -> None:
    n = len(q)
    scratch = MEMORIES * n + 1 + SCRATCH
    torque_of_reference(n, reference, params[1:], state, scratch, tau)
    add_friction(n, reference, state, scratch, tau, out, back)
    add_pid(t, q, qd, reference, state, tau, kp, kd, ki, limit, dead_band, params)


@dataclass(frozen=True, repr=False)
class FeedforwardPID(IntegralGains):
    """Inverse dynamics of the reference as feedforward, and PID on top.

    Parameters
    ----------
    kp : float or sequence of float, optional
        Proportional gain, the stiffness of a spring [N·m/rad]: one for all joints, or one a joint.
    kd : float or sequence of float, optional
        Derivative gain, a damper [N·m·s/rad]: one for all joints, or one a joint.
    ki : float or sequence of float, optional
        Integral gain [N·m/(rad·s)]: one for all joints, or one a joint.
    natural_frequency : float, optional
        From which gains follow that are not given [rad/s]: at it the stretched-out arm closes a
        gap without overshoot. Without it they are chosen for the arm, its weight, the control
        rate and the delay.
    filter : float, optional
        Corner frequency of a low-pass filter on the rates [rad/s]; inf for none.
    dead_band : float or sequence of float, optional
        Errors up to which the integral stands still [rad]: one for all joints, or one a joint.
    model : Arm, optional
        The arm that the controller believes in; None for the simulated one.
    friction_compensation : bool, optional
        Whether the model's friction and losses of gears are added, in the direction of the
        reference.

    Examples
    --------
    >>> import numpy as np
    >>> import ulna
    >>> arm = ulna.preset("kehl")
    >>> def swing(t):
    ...     return [np.sin(t), 0.0], [np.cos(t), 0.0], [-np.sin(t), 0.0]
    >>> controller = FeedforwardPID(natural_frequency=5.0)
    >>> start = dict(q0=[0, 0], qd0=[1, 0])
    >>> run = ulna.simulate(arm, **start, duration=2.0, controller=controller, reference=swing)
    >>> bool(abs(run.q[-1, 0] - np.sin(2.0)) < 1e-3)
    True
    """

    _: KW_ONLY
    model: Arm | None = None
    friction_compensation: bool = True

    def start(
        self, arm: Arm | Parameters, timing: ControlTiming = DEFAULT_TIMING
    ) -> FeedforwardPIDState:
        """Return the model and the gains, with nothing integrated yet.

        Parameters
        ----------
        arm : Arm or Parameters
            The arm that is simulated, or a batch of them.
        timing : ControlTiming, optional
            Control rate, and delay of what is measured.

        Returns
        -------
        FeedforwardPIDState
            The model, and what PID remembers.

        Raises
        ------
        InputError
            If a gain is negative, not finite, or not one number or one a joint, or the model has
            another number of joints.
        """
        model = reference_model(self, arm)
        return FeedforwardPIDState(model, empty_state(pid_gains(self, model, arm, timing)))

    def gains(self, arm: Arm | Parameters, timing: ControlTiming = DEFAULT_TIMING) -> JointGains:
        """Return the gains for a control rate and a delay, and their bounds.

        Parameters
        ----------
        arm : Arm or Parameters
            The arm that is simulated, or a batch of them.
        timing : ControlTiming, optional
            Control rate, and delay of what is measured.

        Returns
        -------
        JointGains
            Gains kp and kd of every joint, and between what bounds kp has to be.

        Raises
        ------
        InputError
            If a gain is negative, not finite, or not one number or one a joint, or the model has
            another number of joints.
        """
        return joint_gains_of(self, reference_model(self, arm), timing)

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
        return pid_feedback(self.start(arm, timing).pid.gains)

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: FeedforwardPIDState
    ) -> tuple[Array, FeedforwardPIDState]:
        """Return the torques that the reference takes, and those for the deviation from it.

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
        state : FeedforwardPIDState
            What it remembers.

        Returns
        -------
        tau : ndarray, shape (n,)
            Torques until the next tick [N·m].
        state : FeedforwardPIDState
            What it remembers next.
        """
        model, pid = state
        other = inverse_dynamics(model, reference.q, reference.qd, reference.qdd)
        other = motor_torques(model, other, reference)
        tau, pid = pid_torque(t, reference.q - q, reference.qd - qd, other, pid)
        return tau, FeedforwardPIDState(model, pid)

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
        model, pid = self.start(arm, timing)
        law, losses = _feedforward_pid, np.zeros((0, arm.n))
        if depends_on_direction(model):
            law, losses = _feedforward_pid_and_friction, efficiencies(model)
        gains = pid.gains.flat.T
        params = columns(gains[..., :-1], *losses, gains[..., -1:], constants(model))
        return CompiledLaw(law.kernel, params, empty_rows(arm.n), SCRATCH + scratch_rows(arm.n))

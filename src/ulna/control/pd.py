"""PD: a spring and a damper at every joint, towards where it should be.

    τ = K (q_ref − q) + D (q̇_ref − q̇)        K = diag(kp),  D = diag(kd)

Springs store energy and dampers take it away, so that the arm settles whatever its masses. Against
a steady load, such as gravity, it settles beside its set-point by load / K, and static friction f_s
holds a joint within f_s / K of that. A joint that sees the
inertia M swings with ω = √(K/M) and the damping ratio D / (2 M ω). Dampers that answer once a tick
fail when they are too strong for the lightest way in which joints move against one another, and
springs when they are softer than gravity or stiffer than dampers over latency: `control.gains` has
the bounds, and chooses within them what is not given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ulna.arm import Arm, Parameters
from ulna.arrays import Array
from ulna.control.controller import (
    DEFAULT_TIMING,
    CompiledLaw,
    ControlTiming,
    Reference,
    columns,
)
from ulna.control.gains import JointGains, SpringGains, joint_gains_of
from ulna.control.laws import REF_Q, REF_QD, law
from ulna.control.loop_stability import Feedback, diagonal
from ulna.kernels import inner


@law
def _pd(
    t: float, q: Array, qd: Array, reference: Array, state: Array, tau: Array, kp: Array, kd: Array
) -> None:
    for i in range(len(q)):
        tau[i] = 0.0
    add_pd(q, qd, reference, tau, kp, kd)


@inner
def add_pd(q: Array, qd: Array, reference: Array, tau: Array, kp: Array, kd: Array) -> None:
    """Add the torques of springs and dampers."""
    for i in range(len(q)):
        error, error_rate = reference[REF_Q, i] - q[i], reference[REF_QD, i] - qd[i]
        tau[i] += kp[i] * error + kd[i] * error_rate


@dataclass(frozen=True, repr=False)
class PD(SpringGains):
    """A spring and a damper at every joint: PD control.

    Parameters
    ----------
    kp : float or sequence of float, optional
        Proportional gain, the stiffness of a spring [N·m/rad]: one for all joints, or one a joint.
    kd : float or sequence of float, optional
        Derivative gain, a damper [N·m·s/rad]: one for all joints, or one a joint.
    natural_frequency : float, optional
        From which gains follow that are not given [rad/s]: at it the stretched-out arm closes a
        gap without overshoot. Without it they are chosen for the arm, its weight, the control
        rate and the delay.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.Arm.rods([1.0], [1.0], gravity=(0.0, 0.0))
    >>> run = ulna.simulate(arm, q0=[0.0], duration=2.0, controller=PD(40.0, 8.0), reference=[1.0])
    >>> round(float(run.q[-1, 0]), 3)
    1.0
    """

    def start(self, arm: Arm | Parameters, timing: ControlTiming = DEFAULT_TIMING) -> Array:
        """Return the gains, which are all that there is to remember.

        Parameters
        ----------
        arm : Arm or Parameters
            The arm that is simulated, or a batch of them.
        timing : ControlTiming, optional
            Control rate, and delay of what is measured.

        Returns
        -------
        ndarray, shape (2, n)
            Gains kp [N·m/rad] and kd [N·m·s/rad].

        Raises
        ------
        InputError
            If a gain is negative, not finite, or not one number or one a joint.
        """
        return np.stack(self.gains(arm, timing)[:2])

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
            If a gain is negative, not finite, or not one number or one a joint.
        """
        return joint_gains_of(self, arm, timing)

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
        return Feedback(*map(diagonal, self.start(arm, timing)))

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: Array | None
    ) -> tuple[Array, Array | None]:
        """Return the torques for a deviation from the reference.

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
        state : ndarray, shape (2, n), or None
            What `start` returns; without it the gains are those that were given, both of them.

        Returns
        -------
        tau : ndarray, shape (n,)
            Torques until the next tick [N·m].
        state : ndarray, shape (2, n), or None
            The same.
        """
        kp, kd = (self.kp, self.kd) if state is None else state
        pull = np.asarray(kp) * (reference.q - q)
        return pull + np.asarray(kd) * (reference.qd - qd), state

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
        return CompiledLaw(_pd.kernel, columns(*self.start(arm, timing)), np.zeros((0, 1)))

"""GravityPD: a spring and a damper at every joint, on top of what carries the weight.

    τ = G(q_ref) + K (q_ref − q) + D (q̇_ref − q̇)        K = diag(kp),  D = diag(kd)

At the set-point the torques hold the arm and the springs are slack: it rests exactly there. It
comes there from anywhere if K is more than ∂G/∂q, the weight's own stiffness, and noise never gets
into G. With `measured=True` it is G(q) instead, which takes gravity out of the world: what is left
is PD on an arm that floats, ½ q̇ᵀ M q̇ + ½ eᵀ K e only falls, by q̇ᵀ D q̇, and any K > 0 will do.
With a wrong model the weight that is left over stretches the springs, by (G − Ĝ) / K; and a moving
reference is followed late, since nothing pays for accelerations. Nor for friction: a joint rests
anywhere within f_s / K of its set-point.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

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
from ulna.control.laws import (
    ANGLE,
    RATE,
    REF_Q,
    believed,
    constants,
    law,
    load_model,
    scratch_rows,
    scratch_tables,
)
from ulna.control.loop_stability import Feedback, diagonal, gravity_gradient
from ulna.control.pd import add_pd
from ulna.dynamics import gravity_torque
from ulna.dynamics.packed import QDD, TORQUE
from ulna.dynamics.recursive import inverse
from ulna.lanes import select


class GravityPDState(NamedTuple):
    """What it needs of the arm; nothing changes from tick to tick."""

    model: Arm | Parameters
    gains: Array  # (2, n) kp and kd


@law
def _gravity_pd(
    t: float,
    q: Array,
    qd: Array,
    reference: Array,
    state: Array,
    tau: Array,
    kp: Array,
    kd: Array,
    params: Array,
) -> None:
    n = len(q)
    links, turns, y = scratch_tables(n, state, 0)
    load_model(n, params[1:], links)
    measured = params[0] != 0.0
    for i in range(n):
        y[ANGLE, i] = select(measured, q[i], reference[REF_Q, i])
        y[RATE, i], links[i, QDD] = 0.0, 0.0
    inverse(n, links, turns, y, ANGLE)
    for i in range(n):
        tau[i] = links[i, TORQUE]
    add_pd(q, qd, reference, tau, kp, kd)


@dataclass(frozen=True, repr=False)
class GravityPD(SpringGains):
    """PD control with gravity compensation.

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
    measured : bool, optional
        Whether the weight is that of the measured posture in place of the reference's.
    model : Arm, optional
        The arm that the controller believes in; None for the simulated one.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.preset("kehl")
    >>> run = ulna.simulate(arm, q0=[0, 0], duration=2.0, controller=GravityPD(), reference=[1, 1])
    >>> run.q[-1].round(6).tolist()
    [1.0, 1.0]
    """

    _: KW_ONLY
    measured: bool = False
    model: Arm | None = None

    def start(
        self, arm: Arm | Parameters, timing: ControlTiming = DEFAULT_TIMING
    ) -> GravityPDState:
        """Return the model and the gains.

        Parameters
        ----------
        arm : Arm or Parameters
            The arm that is simulated, or a batch of them.
        timing : ControlTiming, optional
            Control rate, and delay of what is measured.

        Returns
        -------
        GravityPDState
            What does not change from tick to tick.

        Raises
        ------
        InputError
            If a gain is negative, not finite, or not one number or one a joint, or the model has
            another number of joints.
        """
        gains = np.stack(self.gains(arm, timing)[:2])
        return GravityPDState(believed(self, self.model, arm), gains)

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
        model = believed(self, self.model, arm)
        return joint_gains_of(self, model, timing, compensated=bool(self.measured))

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
        model, gains = self.start(arm, timing)
        kp, kd = map(diagonal, gains)
        if self.measured:
            kp = kp - gravity_gradient(model, q)
        return Feedback(kp, kd)

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: GravityPDState
    ) -> tuple[Array, GravityPDState]:
        """Return the torques for a deviation from the reference, and those for the weight.

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
        state : GravityPDState
            What `start` returns.

        Returns
        -------
        tau : ndarray, shape (n,)
            Torques until the next tick [N·m].
        state : GravityPDState
            The same.
        """
        kp, kd = state.gains
        pull = kp * (reference.q - q) + kd * (reference.qd - qd)
        posture = q if self.measured else reference.q
        return gravity_torque(state.model, posture) + pull, state

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
        model, gains = self.start(arm, timing)
        params = columns(*gains, np.array([float(self.measured)]), constants(model))
        return CompiledLaw(_gravity_pd.kernel, params, np.zeros((0, 1)), scratch_rows(arm.n))

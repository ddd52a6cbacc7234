"""GravityPD: a spring and a damper at every joint, on top of what carries the weight.

    τ = G(q_ref) + K (q_ref − q) + D (q̇_ref − q̇)

At the aim the torques hold the arm and the springs are slack: it rests exactly there. It comes
there from anywhere if K is more than ∂G/∂q, the weight's own stiffness, and noise never gets into
G. With `measured=True` it is G(q) instead, which takes gravity out of the world: what is left
is PD on an arm that floats, ½ q̇ᵀ M q̇ + ½ eᵀ K e only falls, by q̇ᵀ D q̇, and any K > 0 will do.
With a wrong model the weight that is left over stretches the springs, by (G − Ĝ) / K; and a moving
aim is followed late, since nothing pays for accelerations.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import numpy as np

from ulna.arm import Arm, Parameters
from ulna.arrays import Array
from ulna.control.believed import believed, constants
from ulna.control.control_timing import DEFAULT_TIMING, ControlTiming
from ulna.control.controller import CompiledLaw, Reference, columns
from ulna.control.controller_repr import call_text, freeze_fields
from ulna.control.gains import Gain, JointGains, joint_gains_of
from ulna.control.sampled import Feedback, diagonal, gravity_gradient
from ulna.dynamics import gravity_torque


class GravityPDState(NamedTuple):
    """What it needs of the arm; nothing changes from tick to tick."""

    model: Arm | Parameters
    gains: Array  # (2, n) kp and kd


@dataclass(frozen=True)
class GravityPD:
    """PD that carries the weight of the arm it believes in, `model`: None is the simulated one.

    `kp` [N·m/rad] and `kd` [N·m·s/rad] are one number for all joints, or one a joint;
    what is not given follows from `natural_frequency` [rad/s] and the model's inertia. The
    weight is that of the aim, or with `measured` that of where the arm is.

    >>> import ulna
    >>> arm = ulna.preset("kehl")
    >>> run = ulna.simulate(arm, q0=[0, 0], duration=2.0, controller=GravityPD(), reference=[1, 1])
    >>> run.q[-1].round(6).tolist()
    [1.0, 1.0]
    """

    kp: Gain | None = None
    kd: Gain | None = None
    _: KW_ONLY
    natural_frequency: float | None = None
    measured: bool = False
    model: Arm | None = None

    __repr__ = call_text

    def __post_init__(self) -> None:
        freeze_fields(self, "kp", "kd", "natural_frequency")

    def start(
        self, arm: Arm | Parameters, timing: ControlTiming = DEFAULT_TIMING
    ) -> GravityPDState:
        """Return the model and the gains."""
        gains = np.stack(self.gains(arm, timing)[:2])
        return GravityPDState(believed(self, self.model, arm), gains)

    def gains(self, arm: Arm | Parameters, timing: ControlTiming = DEFAULT_TIMING) -> JointGains:
        """Return the gains for a rate and a delay, and between what bounds they are."""
        model = believed(self, self.model, arm)
        return joint_gains_of(self, model, timing, carried=bool(self.measured))

    def feedback(self, arm: Arm, q: Array, timing: ControlTiming = DEFAULT_TIMING) -> Feedback:
        """Return how the torques answer small deviations from rest at set-points q (…, n)."""
        model, gains = self.start(arm, timing)
        kp, kd = map(diagonal, gains)
        if self.measured:
            kp = kp - gravity_gradient(model, q)
        return Feedback(kp, kd)

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: GravityPDState
    ) -> tuple[Array, GravityPDState]:
        """Return the torques for a deviation from the reference, and those for the weight."""
        kp, kd = state.gains
        pull = kp * (reference.q - q) + kd * (reference.qd - qd)
        posture = q if self.measured else reference.q
        return gravity_torque(state.model, posture) + pull, state

    def compiled(
        self, arm: Arm | Parameters, timing: ControlTiming = DEFAULT_TIMING
    ) -> CompiledLaw:
        """Return the same law for the compiled engine, of one arm or many."""
        from ulna.control.laws.model import room
        from ulna.control.laws.pd import gravity_pd_law

        model, gains = self.start(arm, timing)
        params = columns(*gains, np.array([float(self.measured)]), constants(model))
        return CompiledLaw(gravity_pd_law, params, np.zeros((0, 1)), room(arm.n))

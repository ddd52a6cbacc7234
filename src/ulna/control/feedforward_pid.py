"""FeedforwardPID: the torques that the reference takes, and PID for the rest.

    τ = M(q_ref) q̈_ref + C(q_ref, q̇_ref) q̇_ref + G(q_ref) + b q̇_ref + K e + D ė_f + I ∫ e dt

The model does the work, and can do it ahead of time; PID sees only what the model does not know,
and so may be soft. Near the reference it is as good as inverse dynamics of what is measured, and
noise reaches the torques through PID alone. The gains and the filter mean what they mean in PID.
Far from the reference the torques are those of another posture, and the springs pay.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

from ulna.arm import Arm, Parameters
from ulna.arrays import Array
from ulna.control.believed import believed, constants
from ulna.control.control_timing import DEFAULT_TIMING, ControlTiming
from ulna.control.controller import CompiledLaw, Reference, columns
from ulna.control.controller_repr import call_text, freeze_fields
from ulna.control.gains import Gain, JointGains, joint_gains_of
from ulna.control.pid import (
    PIDState,
    empty_rows,
    empty_state,
    pid_feedback,
    pid_gains,
    push,
)
from ulna.control.sampled import Feedback
from ulna.dynamics import inverse_dynamics


class FeedforwardPIDState(NamedTuple):
    """The model, and what PID remembers."""

    model: Arm | Parameters
    pid: PIDState


@dataclass(frozen=True)
class FeedforwardPID:
    """Inverse dynamics of the reference for the arm it believes in, and PID on top.

    `kp` [N·m/rad], `kd` [N·m·s/rad] and `ki` [N·m/(rad·s)] are one number for all joints, or
    one a joint; what is not given follows from `natural_frequency` [rad/s] and the model's
    inertia, and without that from the model, the control rate and the delay. `filter` [rad/s]
    is a low-pass on the rates; `model` None is the simulated arm.

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

    kp: Gain | None = None
    kd: Gain | None = None
    ki: Gain | None = None
    _: KW_ONLY
    natural_frequency: float | None = None
    filter: float = math.inf
    model: Arm | None = None

    __repr__ = call_text

    def __post_init__(self) -> None:
        freeze_fields(self, "kp", "kd", "ki", "natural_frequency", "filter")

    def start(
        self, arm: Arm | Parameters, timing: ControlTiming = DEFAULT_TIMING
    ) -> FeedforwardPIDState:
        """Return the model and the gains, with nothing gathered up."""
        model = believed(self, self.model, arm)
        return FeedforwardPIDState(model, empty_state(pid_gains(self, model, arm, timing)))

    def gains(self, arm: Arm | Parameters, timing: ControlTiming = DEFAULT_TIMING) -> JointGains:
        """Return the gains for a rate and a delay, and between what bounds they are."""
        return joint_gains_of(self, believed(self, self.model, arm), timing)

    def feedback(self, arm: Arm, q: Array, timing: ControlTiming = DEFAULT_TIMING) -> Feedback:
        """Return how the torques answer small deviations from rest at set-points q (…, n)."""
        return pid_feedback(self.start(arm, timing).pid.gains)

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: FeedforwardPIDState
    ) -> tuple[Array, FeedforwardPIDState]:
        """Return the torques that the reference takes, and those for the deviation from it."""
        model, pid = state
        other = inverse_dynamics(model, reference.q, reference.qd, reference.qdd)
        tau, pid = push(t, reference.q - q, reference.qd - qd, other, pid)
        return tau, FeedforwardPIDState(model, pid)

    def compiled(
        self, arm: Arm | Parameters, timing: ControlTiming = DEFAULT_TIMING
    ) -> CompiledLaw:
        """Return the same law for the compiled engine, of one arm or many."""
        from ulna.control.laws.model import room
        from ulna.control.laws.pid import ROOM, feedforward_pid_law

        model, pid = self.start(arm, timing)
        params = columns(pid.gains.flat.T, constants(model))
        return CompiledLaw(feedforward_pid_law, params, empty_rows(arm.n), ROOM + room(arm.n))

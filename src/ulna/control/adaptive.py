"""Adaptive: learns the masses of the arm while it follows, after Slotine and Li.

    e = q_ref − q,  q̇_r = q̇_ref + ω e,  q̈_r = q̈_ref + ω ė,  s = q̇_r − q̇
    τ = Y(q, q̇, q̇_r, q̈_r) π̂ + K s,        dπ̂/dt = Γ Yᵀ s

Y π = M q̈_r + C q̇_r + G + b q̇_r is linear in the masses and moments π, so that the arm obeys
M ṡ + C s + K s = Y (π − π̂), and V = ½ sᵀ M s + ½ π̃ᵀ Γ⁻¹ π̃ falls by sᵀ K s whatever π is: s goes to
zero, and with it e, as ė = −ω e. ω [rad/s] is how fast a gap closes, K [N·m·s/rad] how hard the
rates are held, Γ how fast is learnt. π̂ becomes what explains the torques that were seen, and the
true π only if the motion shows it all. It fails when torques stand at their limits for long:
what is missing then is learnt as mass; and noise makes the estimate wander.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Arm, Parameters, parameters_of
from ulna.arrays import Array
from ulna.control.believed import believed
from ulna.control.controller import CompiledLaw, Reference, columns
from ulna.control.gains import Gain, calm_frequency, joint_gains, one_number, seen_inertia
from ulna.control.plain import keep_plain, written
from ulna.dynamics import parameter_vector, regressor
from ulna.dynamics.packed import DAMPING, MASS, pack

BRISK = 10.0  # [rad/s] unless the arm is too limp for it


class AdaptiveGains(NamedTuple):
    """The numbers that do not change from tick to tick."""

    frequency: Array  # (n,) [1/s]
    damping: Array  # (n,) [N·m·s/rad]
    speed: Array  # (6n,) the diagonal of Γ


class AdaptiveState(NamedTuple):
    """The arm as far as it is known, the gains, and what has been learnt."""

    model: Arm | Parameters
    gains: AdaptiveGains
    estimate: Array  # (6n,) as parameter_vector has it
    t: float  # [s] of the last tick


@dataclass(frozen=True)
class Adaptive:
    """Follows with the arm it believes in, `model`, and learns what that is wrong about.

    `frequency` [rad/s] and `damping` [N·m·s/rad] are one number for all joints, or one a joint;
    frequency is 10, or less if that would shake the arm, and damping inertia times frequency
    unless given. `adaptation` [1/J] is how fast it learns:
    Γ = adaptation · scale², with the largest value of each quantity in the model as its scale.
    A quantity that the model has none of, such as damping, is not learnt. `model` None is the
    simulated arm, of which there is nothing to learn.
    """

    frequency: Gain | None = None
    damping: Gain | None = None
    adaptation: float = 0.3
    _: KW_ONLY
    model: Arm | None = None

    __repr__ = written

    def __post_init__(self) -> None:
        keep_plain(self, "frequency", "damping", "adaptation")

    def start(self, arm: Arm | Parameters) -> AdaptiveState:
        """Give the gains, and the model's masses as the first estimate."""
        model = believed(self, self.model, arm)
        return AdaptiveState(model, self._gains(model), parameter_vector(model), -math.inf)

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: AdaptiveState
    ) -> tuple[Array, AdaptiveState]:
        """Give the torques by the estimate as it is, and the estimate after the tick."""
        model, gains, estimate, last = state
        wanted = reference.qd + gains.frequency * (reference.q - q)
        turning = reference.qdd + gains.frequency * (reference.qd - qd)
        missing = wanted - qd
        Y = regressor(model, q, qd, turning, qd_ref=wanted)
        step = 0.0 if math.isinf(last) else t - last
        learnt = estimate + step * gains.speed * (missing @ Y)
        return Y @ estimate + gains.damping * missing, AdaptiveState(model, gains, learnt, t)

    def compiled(self, arm: Arm | Parameters) -> CompiledLaw:
        """Give the same law for the compiled engine, of one arm or many."""
        from ulna.control.laws.adaptive import adaptive_law
        from ulna.control.laws.model import room

        model, gains, estimate, t = self.start(arm)
        params = columns(*gains, _ones(model))
        state = columns(estimate, np.array([t]))
        return CompiledLaw(adaptive_law, params, state, room(arm.n))

    @staticmethod
    def estimate(state: Any) -> Array:
        """Give π̂ (6n,), as `parameter_vector` has it, from `Simulation.controller_state`."""
        return state.estimate if isinstance(state, AdaptiveState) else np.asarray(state)[:-1]

    def _gains(self, model: Arm | Parameters) -> AdaptiveGains:
        omega = calm_frequency(model, BRISK) + np.zeros(model.n)
        if self.frequency is not None:
            omega = joint_gains("Adaptive.frequency", self.frequency, model.n, above_zero=True)
        damping = seen_inertia(model) * omega
        if self.damping is not None:
            damping = joint_gains("Adaptive.damping", self.damping, model.n)
        rate = one_number("Adaptive.adaptation", self.adaptation, "1/J", zero=True)
        sizes = np.abs(parameter_vector(model))
        scale = sizes.reshape(*sizes.shape[:-1], -1, model.n).max(axis=-1)
        return AdaptiveGains(omega, damping, rate * np.repeat(scale**2, model.n, axis=-1))


def _ones(model: Arm | Parameters) -> Array:
    """Give the table of an arm with the model's lengths, gears and gravity, and ones otherwise."""
    table = pack(parameters_of(model)._replace(rotor_inertia=np.ones(model.n)))
    table[..., :-1, MASS : DAMPING + 1] = 1.0
    return table.reshape(*table.shape[:-2], -1)

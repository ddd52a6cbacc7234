"""PD: a spring and a damper at every joint, towards where it should be.

    τ = K (q_ref − q) + D (q̇_ref − q̇)

Against a steady load, such as gravity, it settles beside its aim by load / K. For a joint that
sees the inertia M, K = M ω² and D = 2 ζ M ω give the natural frequency ω and the damping ζ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array, float_array
from ulna.control.controller import CompiledLaw, Reference
from ulna.errors import InputError, Problem, shown


@dataclass(frozen=True)
class PD:
    """A spring of `stiffness` [N·m/rad] and a damper of `damping` [N·m·s/rad] at every joint.

    Each is one number for all joints, or one a joint.

    >>> import ulna
    >>> arm = ulna.Arm.rods([1.0], [1.0], gravity=(0.0, 0.0))
    >>> run = ulna.simulate(arm, q0=[0.0], duration=2.0, controller=PD(40.0, 8.0), reference=[1.0])
    >>> round(float(run.q[-1, 0]), 3)
    1.0
    """

    stiffness: float | Sequence[float]
    damping: float | Sequence[float]

    def start(self, arm: Arm) -> None:
        """Check the gains against the arm; there is no state."""
        self._gains(arm)

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: None
    ) -> tuple[Array, None]:
        """Give the torques for a deviation from the reference."""
        stiffness, damping = np.asarray(self.stiffness), np.asarray(self.damping)
        return stiffness * (reference.q - q) + damping * (reference.qd - qd), None

    def compiled(self, arm: Arm) -> CompiledLaw:
        """Give the same law for the compiled engine."""
        from ulna.control.laws import pd_law

        return CompiledLaw(pd_law, self._gains(arm).reshape(-1, 1), np.zeros((0, 1)))

    def _gains(self, arm: Arm) -> Array:
        """Give stiffness and damping of every joint, (2, n)."""
        rows = []
        for name, value in (("stiffness", self.stiffness), ("damping", self.damping)):
            gains = float_array(value, f"PD.{name}")
            if gains.shape not in ((), (1,), (arm.n,)) or not np.isfinite(gains).all():
                need = f"one finite number, or {arm.n}, one a joint"
                raise InputError(Problem(f"PD.{name}", shown(value), need))
            rows.append(np.broadcast_to(gains, (arm.n,)))
        return np.array(rows)

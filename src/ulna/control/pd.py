"""PD: a spring and a damper at every joint, towards where it should be.

    τ = K (q_ref − q) + D (q̇_ref − q̇)

Springs store energy and dampers take it away, so that the arm settles whatever its masses. Against
a steady load, such as gravity, it settles beside its aim by load / K. A joint that sees the inertia
M swings with ω = √(K/M) and the damping ratio D / (2 M ω). Dampers that answer once a tick fail
when they are too strong for the lightest way in which joints move against one another: gains
by frequency need ω below the rate of ticks over the largest eigenvalue of M⁻¹ diag(M); without a
frequency it is 20 rad/s, or 0.3 of that bound at 1 kHz if that is less.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from ulna.arm import Arm, Parameters
from ulna.arrays import Array
from ulna.control.controller import CompiledLaw, Reference, columns
from ulna.control.gains import Gain, spring_and_damper
from ulna.control.plain import keep_plain, written


@dataclass(frozen=True)
class PD:
    """A spring of `stiffness` [N·m/rad] and a damper of `damping` [N·m·s/rad] at every joint.

    Each is one number for all joints, or one a joint; what is not given follows from `frequency`
    [rad/s], at which the stretched-out arm closes a gap without swinging over.

    >>> import ulna
    >>> arm = ulna.Arm.rods([1.0], [1.0], gravity=(0.0, 0.0))
    >>> run = ulna.simulate(arm, q0=[0.0], duration=2.0, controller=PD(40.0, 8.0), reference=[1.0])
    >>> round(float(run.q[-1, 0]), 3)
    1.0
    """

    stiffness: Gain | None = None
    damping: Gain | None = None
    _: KW_ONLY
    frequency: float | None = None

    __repr__ = written

    def __post_init__(self) -> None:
        keep_plain(self, "stiffness", "damping", "frequency")

    def start(self, arm: Arm | Parameters) -> Array:
        """Give the gains (2, n), which are all that there is to remember."""
        return spring_and_damper(self, arm)

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: Array | None
    ) -> tuple[Array, Array | None]:
        """Give the torques for a deviation from the reference.

        Without a state the gains are those that were given, and both have to be.
        """
        stiffness, damping = (self.stiffness, self.damping) if state is None else state
        pull = np.asarray(stiffness) * (reference.q - q)
        return pull + np.asarray(damping) * (reference.qd - qd), state

    def compiled(self, arm: Arm | Parameters) -> CompiledLaw:
        """Give the same law for the compiled engine, of one arm or many."""
        from ulna.control.laws.pd import pd_law

        return CompiledLaw(pd_law, columns(*spring_and_damper(self, arm)), np.zeros((0, 1)))

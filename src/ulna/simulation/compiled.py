"""The engine's functions bound to one arm, for people who write their own loops."""

from __future__ import annotations

import numpy as np

from ulna.arm import Arm, warn_unmodelled
from ulna.arrays import Array
from ulna.dynamics.packed import CARRIER, STUCK
from ulna.errors import InputError, Problem, shown
from ulna.simulation.build import build_memory
from ulna.simulation.options import read_options
from ulna.simulation.sensors import Sensors
from ulna.simulation.sources import FORCE, read_source, torque_kind


class CompiledArm:
    """Dynamics and steps of one arm without any checks: arrays are (n,), of double precision.

    Each has memory of its own to work in: make one a thread. Joint limits do not act here.
    """

    def __init__(self, arm: Arm) -> None:
        from ulna.kernels import size_of
        from ulna.simulation.engine import single

        if not isinstance(arm, Arm):
            raise InputError(Problem("compiled", shown(arm), "an Arm"))
        warn_unmodelled(arm)
        self.arm = arm
        self._size, self._n = size_of(arm.n), arm.n
        options = read_options(
            arm.n, method="rk4", controlled=False, dt=1e-3, atol=1.0, max_step=1.0, rate=1.0,
            restitution=0.0, stops=False,
        )  # fmt: skip
        nothing = read_source(torque_kind(arm.n), None, arm.n), read_source(FORCE, None, arm.n)
        self._memory = build_memory(arm, options, nothing, (), (), Sensors())
        self._links, self._turns = self._memory.links, self._memory.turns
        self._y = np.zeros((2, arm.n + 1))
        self._coupled = int(self._links[:-1, CARRIER:STUCK].any())
        self._forward, self._inverse = single.forward_one, single.inverse_one
        self._step = single.step_one

    def forward_dynamics(self, q: Array, qd: Array, tau: Array) -> Array:
        """Give the joint accelerations (n,) [rad/s²] under joint torques tau."""
        found = np.empty(self._n)
        self._forward(
            self._size, self._links, self._turns, self._y, q, qd, tau, self._coupled, found
        )
        return found

    def inverse_dynamics(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Give the joint torques (n,) [N·m] that accelerate the arm by qdd."""
        found = np.empty(self._n)
        self._inverse(self._size, self._links, self._turns, self._y, q, qd, qdd, found)
        return found

    def step(self, q: Array, qd: Array, tau: Array, dt: float) -> tuple[Array, Array]:
        """Give angles and rates after a step of RK4, in which the torques are held."""
        found = np.empty((2, self._n))
        self._step(self._size, self._memory, q, qd, tau, dt, found)
        return found[0], found[1]


def compiled(arm: Arm) -> CompiledArm:
    """Give an arm's dynamics and steps as quick calls, without per-call checks.

    >>> import numpy as np, ulna
    >>> arm = compiled(ulna.Arm.rods([1.0, 1.0], [1.0, 1.0]))
    >>> q, qd, tau = np.zeros(2), np.zeros(2), np.zeros(2)
    >>> for _ in range(100):
    ...     q, qd = arm.step(q, qd, tau, 1e-3)
    >>> q.round(6).tolist()
    [-0.062964, 0.083748]
    """
    return CompiledArm(arm)

"""Compiled kinematics, dynamics and steps of one arm, for loops of one's own."""

from __future__ import annotations

from functools import partial

import numpy as np

from ulna.actuation.friction import has_friction
from ulna.arm import Arm
from ulna.arm.parameters import warn_motors_left_out
from ulna.arrays import Array, Evaluator, KernelCall
from ulna.dynamics.equations_of_motion import linearise, state_evaluator
from ulna.errors import InputError, Problem, shown
from ulna.kinematics.forward_kinematics import posture_evaluator
from ulna.scenario.inputs import held
from ulna.scenario.loops import PERFECT
from ulna.scenario.options import read_options
from ulna.simulation.build import build_inputs, build_memory
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Memory, new_control, new_record


class CompiledArm:
    """Compute kinematics, dynamics and steps of one arm, for arrays (n,) of double precision.

    Nothing is checked but their length; where a value is not finite, results are NaN. Several
    threads may share one. Joint limits do not act here.

    Parameters
    ----------
    arm : Arm
        The arm.

    Attributes
    ----------
    arm : Arm
        The arm.

    Raises
    ------
    InputError
        What is given is no Arm; of a method, an array that is not (n,).
    """

    def __init__(self, arm: Arm) -> None:
        from ulna.simulation.engine.loop import step_one
        from ulna.simulation.engine.parts import connect
        from ulna.simulation.engine.scalar_fallback import step_with_friction

        if not isinstance(arm, Arm):
            raise InputError(Problem("compiled", shown(arm), "an Arm"))
        warn_motors_left_out(
            [arm], "compiled(arm) steps with the torques it is given; see simulate"
        )
        self.arm = arm
        self._n = arm.n
        options = read_options(
            arm.n, method="rk4", controlled=False, dt=1e-3, atol=1.0, max_step=1.0, rate=1.0,
            restitution=0.0, stops=False,
        )  # fmt: skip
        nothing = held(arm.n), held(at.AXES)
        memory = build_memory(arm, options, build_inputs(arm.n, options, nothing, (), (), PERFECT))
        row, rubs = (arm.n,), has_friction(arm.parameters)
        if rubs:
            connect(arm.n, memory, new_control(arm.n, None), new_record(np.zeros(0), arm.n, rows=0))
        step = KernelCall(
            step_with_friction if rubs else step_one, (row, row, row, 1e-3, (2, arm.n))
        )
        steps = Evaluator(arm.n, partial(_copied, memory), {"step": step})
        self._run = state_evaluator(arm).run | posture_evaluator(arm).run | steps.run

    def forward_dynamics(self, q: Array, qd: Array, tau: Array) -> Array:
        """Return the joint accelerations under joint torques.

        Parameters
        ----------
        q : ndarray, shape (n,)
            Joint angles [rad].
        qd : ndarray, shape (n,)
            Joint rates [rad/s].
        tau : ndarray, shape (n,)
            Joint torques [N·m].

        Returns
        -------
        ndarray, shape (n,)
            Joint accelerations [rad/s²].
        """
        found = np.empty(self._n)
        code = self._run["forward_dynamics"](q, qd, tau, found)
        if code:
            self._explain(code, (q, qd, tau), found)
        return found

    def inverse_dynamics(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the joint torques of a motion.

        Parameters
        ----------
        q : ndarray, shape (n,)
            Joint angles [rad].
        qd : ndarray, shape (n,)
            Joint rates [rad/s].
        qdd : ndarray, shape (n,)
            Joint accelerations [rad/s²].

        Returns
        -------
        ndarray, shape (n,)
            Joint torques [N·m].
        """
        found = np.empty(self._n)
        code = self._run["inverse_dynamics"](q, qd, qdd, found)
        if code:
            self._explain(code, (q, qd, qdd), found)
        return found

    def gravity_torque(self, q: Array) -> Array:
        """Return G(q), the torques that carry the arm's own weight.

        Parameters
        ----------
        q : ndarray, shape (n,)
            Joint angles [rad].

        Returns
        -------
        ndarray, shape (n,)
            Joint torques [N·m].
        """
        found = np.empty(self._n)
        code = self._run["gravity_torque"](q, found)
        if code:
            self._explain(code, (q,), found)
        return found

    def mass_matrix(self, q: Array) -> Array:
        """Return the mass matrix M(q), rotors included.

        Parameters
        ----------
        q : ndarray, shape (n,)
            Joint angles [rad].

        Returns
        -------
        ndarray, shape (n, n)
            The mass matrix [kg·m²], symmetric to the last bit.
        """
        found = np.empty((self._n, self._n))
        code = self._run["mass_matrix"](q, found)
        if code:
            self._explain(code, (q,), found)
        return found

    def linearise(self, q: Array, qd: Array, tau: Array) -> tuple[Array, Array]:
        """Return the linearisation δẋ = A δx + B δτ for the state x = (q, q̇).

        They are the exact derivatives of `forward_dynamics` at any state, at rest or not; a joint
        with dry friction has to move.

        Parameters
        ----------
        q : ndarray, shape (n,)
            Joint angles [rad].
        qd : ndarray, shape (n,)
            Joint rates [rad/s].
        tau : ndarray, shape (n,)
            Joint torques [N·m].

        Returns
        -------
        A : ndarray, shape (2n, 2n)
            Derivatives of the state's rate with respect to the state.
        B : ndarray, shape (2n, n)
            Derivatives of the state's rate with respect to the torques.
        """
        A, B = np.empty((2 * self._n, 2 * self._n)), np.empty((2 * self._n, self._n))
        code = self._run["linearise"](q, qd, tau, A, B)
        if code:
            from ulna.dynamics.state_kernels import AT_REST

            self._explain(code, (q, qd, tau), A, B)
            if code == AT_REST:
                return linearise(self.arm, q, qd, tau)  # which refuses such a state, and says why
        return A, B

    def tip(self, q: Array) -> Array:
        """Return position and orientation of the tip.

        Parameters
        ----------
        q : ndarray, shape (n,)
            Joint angles [rad].

        Returns
        -------
        ndarray, shape (3,)
            Coordinates x, y [m] and angle [rad], unwrapped.
        """
        found = np.empty(3)
        code = self._run["tip"](q, found)
        if code:
            self._explain(code, (q,), found)
        return found

    def jacobian(self, q: Array) -> Array:
        """Return the Jacobian of (x, y, orientation) with respect to q.

        Parameters
        ----------
        q : ndarray, shape (n,)
            Joint angles [rad].

        Returns
        -------
        ndarray, shape (3, n)
            The Jacobian [m/rad, m/rad, 1].
        """
        found = np.empty((3, self._n))
        code = self._run["jacobian"](q, found)
        if code:
            self._explain(code, (q,), found)
        return found

    def step(self, q: Array, qd: Array, tau: Array, dt: float) -> tuple[Array, Array]:
        """Return angles and rates after a step of RK4, in which the torques are held.

        With friction it is cut where a joint comes to rest or breaks away.

        Parameters
        ----------
        q : ndarray, shape (n,)
            Joint angles [rad].
        qd : ndarray, shape (n,)
            Joint rates [rad/s].
        tau : ndarray, shape (n,)
            Joint torques [N·m].
        dt : float
            The step [s].

        Returns
        -------
        q : ndarray, shape (n,)
            Joint angles [rad] after the step.
        qd : ndarray, shape (n,)
            Joint rates [rad/s] after the step.
        """
        found = np.empty((2, self._n))
        code = self._run["step"](q, qd, tau, dt, found)
        if code:
            self._explain(code, (q, qd, tau), found)
        return found[0], found[1]

    def _explain(self, code: int, given: tuple[Array, ...], *found: Array) -> None:
        """Raise InputError for arrays of another length; return NaN where one is not finite."""
        from ulna.kinematics.posture_kernels import MISSHAPEN, NOT_FINITE

        if code == MISSHAPEN:
            shapes = " and ".join(str(np.shape(value)) for value in given)
            need = f"({self._n},), one value a joint"
            raise InputError(Problem("compiled", f"shape {shapes}", need))
        if code == NOT_FINITE:
            for array in found:
                array.fill(np.nan)


def _copied(memory: Memory) -> Memory:
    return Memory(*(part.copy() for part in memory))


def compiled(arm: Arm) -> CompiledArm:
    """Return an arm's kinematics, dynamics and steps as quick calls.

    Parameters
    ----------
    arm : Arm
        The arm. Limits of its motors are left out, which is warned of here, once.

    Returns
    -------
    CompiledArm
        With `forward_dynamics`, `inverse_dynamics`, `gravity_torque`, `mass_matrix`, `linearise`,
        `tip`, `jacobian` and `step`, for arrays (n,) of double precision. Threads may share it.

    Raises
    ------
    InputError
        What is given is no Arm.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arm = compiled(ulna.Arm.rods([1.0, 1.0], [1.0, 1.0]))
    >>> q, qd, tau = np.zeros(2), np.zeros(2), np.zeros(2)
    >>> for _ in range(100):
    ...     q, qd = arm.step(q, qd, tau, 1e-3)
    >>> q.round(6).tolist()
    [-0.062964, 0.083748]
    >>> A, B = arm.linearise(q, qd, tau)
    >>> A.shape, B.shape
    ((4, 4), (4, 2))
    """
    return CompiledArm(arm)

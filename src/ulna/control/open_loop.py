"""OpenLoop: the torques that the reference takes, come what may.

    τ = M(q_ref) q̈_ref + C(q_ref, q̇_ref) q̇_ref + G(q_ref) + b q̇_ref + f(q̇_ref)

and what the gears of motors take: inverse dynamics of the reference, and nothing that is measured.
An arm that is exactly the model, starts on the reference and is never disturbed stays on it. There
are no gains. Every deviation stays, and where gravity is against it, as above the shoulder, it
grows: good for seeing what feedback is for, for tables of torques, and in hanging postures.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from ulna.actuation.friction import depends_on_direction, efficiencies
from ulna.arm import Arm, Parameters
from ulna.arrays import Array
from ulna.control.controller import (
    CompiledLaw,
    FrozenController,
    Reference,
    columns,
)
from ulna.control.laws import (
    add_friction,
    constants,
    law,
    motor_torques,
    reference_model,
    scratch_rows,
    torque_of_reference,
)
from ulna.dynamics import inverse_dynamics


@law
def _open_loop(
    t: float, q: Array, qd: Array, reference: Array, state: Array, tau: Array, params: Array
) -> None:
    torque_of_reference(len(q), reference, params, state, 0, tau)


@law
def _open_loop_and_friction(
    t: float,
    q: Array,
    qd: Array,
    reference: Array,
    state: Array,
    tau: Array,
    out: Array,
    back: Array,
    params: Array,
) -> None:
    torque_of_reference(len(q), reference, params, state, 0, tau)
    add_friction(len(q), reference, state, 0, tau, out, back)


@dataclass(frozen=True, repr=False)
class OpenLoop(FrozenController):
    """Inverse dynamics of the reference; nothing is measured.

    Parameters
    ----------
    model : Arm, optional
        The arm that the controller believes in; None for the simulated one.
    friction_compensation : bool, optional
        Whether the model's friction and losses of gears are added, in the direction of the
        reference.
    """

    model: Arm | None = None
    _: KW_ONLY
    friction_compensation: bool = True

    def start(self, arm: Arm | Parameters) -> Arm | Parameters:
        """Return the model.

        Parameters
        ----------
        arm : Arm or Parameters
            The arm that is simulated, or a batch of them.

        Returns
        -------
        Arm or Parameters
            The arm that it believes in, without friction where that is not compensated.

        Raises
        ------
        InputError
            If the model has another number of joints.
        """
        return reference_model(self, arm)

    def torque(
        self, t: float, q: Array, qd: Array, reference: Reference, state: Arm | Parameters
    ) -> tuple[Array, Arm | Parameters]:
        """Return the torques that the reference takes.

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
        state : Arm or Parameters
            What `start` returns.

        Returns
        -------
        tau : ndarray, shape (n,)
            Torques until the next tick [N·m].
        state : Arm or Parameters
            The same.
        """
        tau = inverse_dynamics(state, reference.q, reference.qd, reference.qdd)
        return motor_torques(state, tau, reference), state

    def compiled(self, arm: Arm | Parameters) -> CompiledLaw:
        """Return the same law for the compiled engine, of one arm or many.

        Parameters
        ----------
        arm : Arm or Parameters
            The arm that is simulated, or a batch of them.

        Returns
        -------
        CompiledLaw
            A kernel with its parameters.
        """
        model = self.start(arm)
        law, losses = _open_loop, np.zeros((0, arm.n))
        if depends_on_direction(model):
            law, losses = _open_loop_and_friction, efficiencies(model)
        params = columns(*losses, constants(model))
        return CompiledLaw(law.kernel, params, np.zeros((0, 1)), scratch_rows(arm.n))

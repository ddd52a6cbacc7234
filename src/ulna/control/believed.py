"""The arm that a controller believes in: the simulated one, unless it is told another."""

from __future__ import annotations

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.dynamics.packed import pack
from ulna.errors import InputError, Problem, shown


def believed(controller: object, model: Arm | None, arm: Arm) -> Arm:
    """Give the model of a controller of an arm; refuses one with another number of joints."""
    if model is None:
        return arm
    what = f"{type(controller).__name__}.model"
    if not isinstance(model, Arm):
        raise InputError(Problem(what, shown(model), "an Arm, or None for the simulated one"))
    if model.n != arm.n:
        need = f"{arm.n}, as many as the simulated arm has"
        raise InputError(Problem(what, f"an arm with {_joints(model.n)}", need))
    return model


def constants(model: Arm) -> Array:
    """Give the numbers of an arm in a row, as laws read them."""
    return pack(model.parameters).reshape(-1)


def _joints(n: int) -> str:
    return f"{n} joint{'s' * (n != 1)}"

"""The arm that a controller believes in: the simulated one, unless it is told another."""

from __future__ import annotations

from typing import TypeAlias

from ulna.arm import Arm, Parameters, parameters_of
from ulna.arrays import Array
from ulna.dynamics.packed import pack
from ulna.errors import InputError, Problem, shown

AnyArm: TypeAlias = Arm | Parameters


def believed(controller: object, model: Arm | None, arm: AnyArm) -> AnyArm:
    """Return the model of a controller of an arm; refuses one with another number of joints."""
    if model is None:
        return arm
    what = f"{type(controller).__name__}.model"
    if not isinstance(model, Arm):
        raise InputError(Problem(what, shown(model), "an Arm, or None for the simulated one"))
    if model.n != arm.n:
        need = f"{arm.n}, as many as the simulated arm has"
        raise InputError(Problem(what, f"an arm with {_joints(model.n)}", need))
    return model


def constants(model: Arm | Parameters) -> Array:
    """Return the numbers of an arm in a row (…, p), as laws read them."""
    table = pack(parameters_of(model))
    return table.reshape(*table.shape[:-2], -1)


def _joints(n: int) -> str:
    return f"{n} joint{'s' * (n != 1)}"

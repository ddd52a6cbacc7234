"""Every function of an arm and its state, so that what all of them promise is tested once."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ulna import dynamics, kinematics
from ulna.dynamics import absolute, sequential

# Which part of a state (q, q̇, and what q̈, τ and their like are) an argument takes.
PARTS = {
    **dict.fromkeys(("q", "phi", "theta"), 0),
    **dict.fromkeys(("qd", "phid", "thetad", "sequential_damping"), 1),
    **dict.fromkeys(("qdd", "phidd", "tau", "forces", "qd_ref"), 2),
}


class ArmFunction(NamedTuple):
    """A function, its arguments with one value per joint, and its results for two links."""

    function: Callable[..., Any]
    given: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    forced: bool = False  # whether it takes a force at the tip
    keywords: tuple[str, ...] = ()

    def __call__(self, arm: Any, state: Any, *, tip_force: Any = None, **changed: Any) -> Any:
        """Call it with the parts of a state that it takes."""
        values = {name: state[PARTS[name]] for name in self.given} | changed
        options = {name: values.pop(name) for name in self.keywords}
        if self.forced and tip_force is not None:
            options["tip_force"] = tip_force
        return self.function(arm, *values.values(), **options)


def leaves(result: Any) -> tuple[Any, ...]:
    """Give the arrays of a result: most functions return one, some several."""
    return result if isinstance(result, tuple) else (result,)


V, M = (2,), (2, 2)
KINEMATICS = {
    "tip": ArmFunction(kinematics.tip, ("q",), ((3,),)),
    "joints": ArmFunction(kinematics.joints, ("q",), ((3, 2),)),
    "centres": ArmFunction(kinematics.centres, ("q",), (M,)),
    "transforms": ArmFunction(kinematics.transforms, ("q",), ((2, 3, 3), (3, 3))),
    "jacobian": ArmFunction(kinematics.jacobian, ("q",), ((3, 2),)),
    "jacobian_rate": ArmFunction(kinematics.jacobian_rate, ("q", "qd"), ((3, 2),)),
    "tip_velocity": ArmFunction(kinematics.tip_velocity, ("q", "qd"), ((3,),)),
    "tip_acceleration": ArmFunction(kinematics.tip_acceleration, ("q", "qd", "qdd"), ((3,),)),
}
# These compute by NumPy alone, whatever arrays they are given.
DEXTERITY = {
    "singular_values": ArmFunction(kinematics.singular_values, ("q",), (V,)),
    "manipulability": ArmFunction(kinematics.manipulability, ("q",), ((),)),
    "condition_number": ArmFunction(kinematics.condition_number, ("q",), ((),)),
    "manipulability_ellipse": ArmFunction(kinematics.manipulability_ellipse, ("q",), (V, V, ())),
    "elbow_side": ArmFunction(kinematics.elbow_side, ("q",), ((),)),
}
along = ArmFunction(
    dynamics.regressor, ("q", "qd", "qdd", "qd_ref"), ((2, 12),), keywords=("qd_ref",)
)
rubbed = ArmFunction(
    sequential.forward_dynamics,
    ("theta", "thetad", "tau", "sequential_damping"),
    (V,),
    keywords=("sequential_damping",),
)
load_alone = partial(dynamics.holding_torque, link_weights=False)
DYNAMICS = {
    "mass_matrix": ArmFunction(dynamics.mass_matrix, ("q",), (M,)),
    "coriolis_matrix": ArmFunction(dynamics.coriolis_matrix, ("q", "qd"), (M,)),
    "gravity_torque": ArmFunction(dynamics.gravity_torque, ("q",), (V,)),
    "kinetic_energy": ArmFunction(dynamics.kinetic_energy, ("q", "qd"), ((),)),
    "potential_energy": ArmFunction(dynamics.potential_energy, ("q",), ((),)),
    "inverse_dynamics": ArmFunction(dynamics.inverse_dynamics, ("q", "qd", "qdd"), (V,), True),
    "forward_dynamics": ArmFunction(dynamics.forward_dynamics, ("q", "qd", "tau"), (V,), True),
    "operational_mass": ArmFunction(dynamics.operational_mass, ("q",), (M,)),
    "holding_torque": ArmFunction(dynamics.holding_torque, ("q",), (V,), True),
    "load_alone": ArmFunction(load_alone, ("q",), (V,), True),
    "tip_force": ArmFunction(dynamics.tip_force, ("q", "tau"), (V,)),
    "largest_payload": ArmFunction(dynamics.largest_payload, ("q",), ((),), True),
    "friction_payload": ArmFunction(dynamics.friction_payload, ("q",), ((),), True),
    "friction_torque": ArmFunction(dynamics.friction_torque, ("qd", "qdd"), (V,)),
    "friction_band": ArmFunction(dynamics.friction_band, ("qd",), (V, V)),
    "linearise": ArmFunction(dynamics.linearise, ("q", "qd", "tau"), ((4, 4), (4, 2)), True),
    "regressor": ArmFunction(dynamics.regressor, ("q", "qd", "qdd"), ((2, 12),)),
    "regressor_along": along,
    "absolute.mass_matrix": ArmFunction(absolute.mass_matrix, ("phi",), (M,)),
    "absolute.coriolis_matrix": ArmFunction(absolute.coriolis_matrix, ("phi", "phid"), (M,)),
    "absolute.gravity_torque": ArmFunction(absolute.gravity_torque, ("phi",), (V,)),
    "absolute.inverse_dynamics": ArmFunction(
        absolute.inverse_dynamics, ("phi", "phid", "phidd"), (V,), True
    ),
    "absolute.forward_dynamics": ArmFunction(
        absolute.forward_dynamics, ("phi", "phid", "forces"), (V,), True
    ),
    "sequential.forward_dynamics": ArmFunction(
        sequential.forward_dynamics, ("theta", "thetad", "tau"), (V,)
    ),
    "sequential.with_friction": rubbed,
    "sequential.frozen": ArmFunction(sequential.frozen, ("theta",), (V, V)),
}
FUNCTIONS = {**KINEMATICS, **DEXTERITY, **DYNAMICS}


def close(found: Any, expected: Any, rel: float = 1e-12) -> bool:
    """Compare results of one function, to rounding in the largest of their finite numbers."""
    pairs = zip(leaves(found), leaves(expected), strict=True)
    return all(_close(np.asarray(one), np.asarray(other), rel) for one, other in pairs)


def _close(one: Any, other: Any, rel: float) -> bool:
    finite, zero = np.isfinite(other), np.zeros_like(other)
    one_finite, other_finite = np.where(finite, one, zero), np.where(finite, other, zero)
    allowed = rel * np.max(np.abs(other_finite), initial=1.0)
    return (
        one.shape == other.shape
        and np.array_equal(one[~finite], other[~finite], equal_nan=True)
        and bool((np.abs(one_finite - other_finite) <= allowed).all())
    )

"""WHY it moves: masses, weights, torques, energies, and what follows from them.

`chain` is the closed form, for any array library; `recursive` the same in O(n), compiled;
`absolute` the closed form in link angles; `sequential` a decoupled approximation.
"""

from typing import TYPE_CHECKING

from ulna.dynamics import absolute, chain, sequential
from ulna.dynamics.chain import (
    coriolis_matrix,
    kinetic_energy,
    operational_mass,
    potential_energy,
)
from ulna.dynamics.dry_friction import FrictionBand, friction_band, friction_torque
from ulna.dynamics.equations_of_motion import (
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    linearise,
    mass_matrix,
)
from ulna.dynamics.inertial_parameters import parameter_names, parameter_vector, regressor
from ulna.dynamics.statics import (
    Equilibria,
    Equilibrium,
    equilibria,
    friction_payload,
    holding_torque,
    largest_payload,
    tip_force,
)
from ulna.namespaces import namespace

__all__ = [
    "Equilibria",
    "Equilibrium",
    "FrictionBand",
    "absolute",
    "chain",
    "coriolis_matrix",
    "equilibria",
    "forward_dynamics",
    "friction_band",
    "friction_payload",
    "friction_torque",
    "gravity_torque",
    "holding_torque",
    "inverse_dynamics",
    "kinetic_energy",
    "largest_payload",
    "linearise",
    "mass_matrix",
    "operational_mass",
    "parameter_names",
    "parameter_vector",
    "potential_energy",
    "regressor",
    "sequential",
    "tip_force",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)

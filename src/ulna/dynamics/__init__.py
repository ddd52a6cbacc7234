"""WHY it moves: masses, weights, torques, energies, and what follows from them.

`chain` is the closed form, for any array library; `recursive` the same in O(n), compiled;
`absolute` the closed form in link angles; `sequential` the approximation of paper 001.
"""

from ulna.dynamics import absolute, chain, sequential
from ulna.dynamics.chain import (
    coriolis_matrix,
    gravity_torque,
    kinetic_energy,
    mass_matrix,
    operational_mass,
    potential_energy,
)
from ulna.dynamics.equilibria import Equilibria, Equilibrium, equilibria
from ulna.dynamics.linearise import linearise
from ulna.dynamics.motion import forward_dynamics, inverse_dynamics
from ulna.dynamics.regressor import parameter_names, parameter_vector, regressor
from ulna.dynamics.statics import holding_torque, largest_payload, tip_force

__all__ = [
    "Equilibria",
    "Equilibrium",
    "absolute",
    "chain",
    "coriolis_matrix",
    "equilibria",
    "forward_dynamics",
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

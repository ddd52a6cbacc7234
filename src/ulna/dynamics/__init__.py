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
    holding_torque,
    largest_payload,
    tip_force,
)
from ulna.namespaces import namespace

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

if not TYPE_CHECKING:
    _guesses = {
        "dynamics.inverse_dynamics(arm, q, qd, qdd) gives the torques that a motion takes": (
            "rnea rne inverse id idyn itorque inv_dyn torque torques"
        ),
        "dynamics.forward_dynamics(arm, q, qd, tau) gives the accelerations that torques make": (
            "aba accel forward fd fdyn fwd_dyn acceleration accelerations"
        ),
        "dynamics.mass_matrix(arm, q) is the inertia in joint coordinates": (
            "crba inertia inertia_matrix mass M B massmatrix"
        ),
        "dynamics.coriolis_matrix(arm, q, qd) is the matrix, its product with qd the torques": (
            "coriolis centrifugal christoffel C coriolis_torque coriolis_vector"
        ),
        "dynamics.gravity_torque(arm, q) gives the torques against gravity": (
            "gravload gravity gravity_vector gravity_torques gravity_compensation G g"
        ),
        "dynamics.kinetic_energy(arm, q, qd) and dynamics.potential_energy(arm, q)": (
            "energy total_energy mechanical_energy kinetic potential"
        ),
        "dynamics.inverse_dynamics(arm, q, qd, np.zeros(arm.n)) has all torques but inertia's": (
            "nonlinear_effects bias bias_forces nle qfrc_bias"
        ),
        "friction and damping belong to joints, Joint(damping=..., friction=Friction(...)), and "
        "are a part of inverse_dynamics and forward_dynamics": "friction damping friction_torque",
        "dynamics.linearise(arm, q, qd, tau) gives A and B": (
            "linearize linearization linearized state_space ss jacobians"
        ),
        "dynamics.regressor(arm, q, qd, qdd) times dynamics.parameter_vector(arm) is the torque": (
            "Y inertial_regressor parameters"
        ),
        "dynamics.largest_payload(arm, q) is what its motors can hold": (
            "payload_capacity max_payload payload lifting_capacity"
        ),
        "dynamics.equilibria(arm, tau) gives all equilibria": "equilibrium fixed_points",
        "dynamics.holding_torque(arm, q) gives the torques that hold a posture": (
            "static static_torque statics hold"
        ),
        "ulna.derive(links) derives the equations of motion, from the Lagrangian on": (
            "lagrangian Lagrangian hamiltonian L eom ode equations_of_motion derive"
        ),
        "analysis.effort(run), in ulna.analysis, has power and energy of a run": (
            "power work effort"
        ),
        "ulna.simulate(arm, q0=..., duration=...) integrates them": "simulate integrate step",
        "kinematics.jacobian(arm, q), in ulna.kinematics": "jacobian",
        "kinematics.centres(arm, q) gives the links' centres of mass": (
            "center_of_mass centre_of_mass com"
        ),
        "kinematics.manipulability(arm, q), in ulna.kinematics": "manipulability",
        "dynamics.operational_mass(arm, q) is the mass that the tip seems to have": (
            "cartesian_inertia cartesian_mass task_space_inertia operational_space_inertia Lambda"
        ),
        "dynamics.mass_matrix(arm, q) @ qd are the generalised momenta": "momentum momenta",
        "the transpose of kinematics.jacobian(arm, q) turns a force at the tip into torques, "
        "dynamics.tip_force(arm, q, tau) torques into a force": (
            "torque_from_force force_to_torque jacobian_transpose static_force end_effector_force"
        ),
    }
    __getattr__, __dir__ = namespace(__name__, _guesses, also=("absolute", "chain", "sequential"))

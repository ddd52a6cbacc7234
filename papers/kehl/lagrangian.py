"""The equations of paper 000, from its energies to its listings, and the errata on the way."""

from __future__ import annotations

import numpy as np

from papers.kehl import printed, rows
from papers.kehl.motions import arm, dense, differences, largest, peak, states
from papers.kehl.printed import Array
from papers.rows_file import Values
from ulna import dynamics
from ulna.dynamics import coriolis_matrix, inverse_dynamics, kinetic_energy, mass_matrix
from ulna.kinematics import jacobian, joints

STEP = 1e-6  # of differences that check a derivative


@rows.values("lagrangian")
def equations_of_motion() -> Values:
    rods, (q, qd, qdd) = arm(), states()
    pairs = {
        "K": (printed.kinetic_energy(rods, q, qd), kinetic_energy(rods, q, qd)),
        "P": (printed.potential_energy(rods, q), dynamics.potential_energy(rods, q)),
        "M": (printed.mass_matrix(rods, q), mass_matrix(rods, q)),
        "C": (printed.coriolis_matrix(rods, q, qd), coriolis_matrix(rods, q, qd)),
        "G": (printed.gravity(rods, q), dynamics.gravity_torque(rods, q)),
        "tau": (printed.torques(rods, q, qd, qdd), inverse_dynamics(rods, q, qd, qdd)),
    }
    off = {f"{name}_off": largest(theirs - ours) for name, (theirs, ours) in pairs.items()}
    return {"states": len(q), **off}


@rows.values("erratum-4")
def velocities_of_centres() -> Values:
    q, qd, _ = states()
    centre = np.linalg.norm(printed.centre_velocities(arm(), q, qd)[:, 0], axis=-1)
    ahead, behind = (joints(arm(), q + way * qd)[:, 1] for way in (STEP, -STEP))
    elbow = np.linalg.norm(ahead - behind, axis=-1) / (2.0 * STEP)
    return {"ratio": np.median(elbow / centre)}


@rows.values("erratum-5")
def momenta() -> Values:
    q, qd, _ = dense()
    right = printed.times(mass_matrix(arm(), q), qd)
    return {"off": peak(printed.momenta(arm(), q, qd) - right), "peak": peak(right)}


@rows.values("erratum-6")
def inertia_of_rates() -> Values:
    q, qd, _ = dense()
    right = mass_matrix(arm(), q)
    wrong = peak(mass_matrix(arm(), qd) - right)
    return {"M11": wrong[0, 0], "M12": wrong[0, 1], "most": right[:, 0, 0].max()}


@rows.values("erratum-7")
def rate_of_the_momenta() -> Values:
    q, qd, _ = dense()
    coriolis = printed.times(coriolis_matrix(arm(), q, qd), qd)
    growth = coriolis.copy()
    growth[:, 1] += printed.energy_by_second_angle(arm(), q, qd)
    return {
        "off": peak(coriolis - growth),
        "peak": peak(growth),
        "check": largest(growth - _growth()),
    }


def _growth() -> Array:
    q, qd, _ = dense()
    ahead, behind = (mass_matrix(arm(), q + way * qd) for way in (STEP, -STEP))
    return printed.times((ahead - behind) / (2.0 * STEP), qd)


@rows.values("erratum-8")
def first_row_of_coriolis() -> Values:
    q, qd, _ = dense()
    rates = {"single": qd.sum(axis=-1), "double": 2.0 * qd[:, 0] + qd[:, 1]}
    right = printed.times(coriolis_matrix(arm(), q, qd), qd)[:, 0]

    def off(angle: int, rate: str) -> float:
        return largest(printed.coriolis_row(arm(), q[:, angle], rates[rate], qd) - right)

    return {
        "off": off(0, "single"),
        "off_angle": off(1, "single"),
        "off_rate": off(0, "double"),
        "off_both": off(1, "double"),
        "peak": largest(right),
    }


@rows.values("erratum-9")
def energy_by_the_angles() -> Values:
    by_first, by_second = peak(_energy_slopes())
    return {"by_first": by_first, "by_second": by_second}


def _energy_slopes() -> Array:
    q, qd, _ = dense()
    steps = STEP * np.eye(2)
    ahead, behind = (
        kinetic_energy(arm(), q[:, None] + way, qd[:, None]) for way in (steps, -steps)
    )
    return np.asarray((ahead - behind) / (2.0 * STEP))


@rows.values("erratum-10")
def weight_in_the_energy() -> Values:
    q, qd, _ = dense()
    right = printed.energy_by_second_angle(arm(), q, qd)
    return {
        "off": largest(dynamics.gravity_torque(arm(), q)[:, 1]),
        "check": largest(_energy_slopes()[:, 1] - right),
    }


@rows.values("erratum-11")
def what_code_6_is() -> Values:
    q, qd, _ = states()
    code = printed.coriolis_matrix(arm(), q, qd)
    slope = _mass_slopes(q)
    christoffel = (slope + slope.transpose(0, 1, 3, 2) - slope.transpose(0, 3, 2, 1)) / 2.0
    skew = np.einsum("...ijk,...k", slope, qd) - 2.0 * code
    return {
        "states": len(q),
        "off": largest(np.einsum("...ijk,...k", christoffel, qd) - code),
        "ours": largest(coriolis_matrix(arm(), q, qd) - code),
        "skew": largest(skew + skew.transpose(0, 2, 1)),
    }


def _mass_slopes(q: Array) -> Array:
    """Return ∂M_ij/∂θ_k (k, 2, 2, 2), by differences."""
    steps = 1e-5 * np.eye(2)
    ahead, behind = (mass_matrix(arm(), q[:, None] + way) for way in (steps, -steps))
    return np.moveaxis((ahead - behind) / 2e-5, 1, -1)


@rows.values("erratum-20")
def parenthesis_in_the_mass_matrix() -> Values:
    q, _, qdd = differences()
    wrong = printed.mass_matrix_of_code_5(arm(), q) - printed.mass_matrix(arm(), q)
    return {"torque": peak(printed.times(wrong, qdd))}


@rows.values("erratum-21")
def line_outside_its_sum() -> Values:
    q = differences().q
    return {"off": largest(printed.gravity_of_code_7(arm(), q) - printed.gravity(arm(), q))}


@rows.values("erratum-24")
def force_at_the_tip() -> Values:
    q, qd, qdd = dense()
    tau = inverse_dynamics(arm(), q, qd, qdd)
    J = jacobian(arm(), q)[:, :2]
    force = np.linalg.solve(J.transpose(0, 2, 1), tau[..., None])[..., 0]
    return {
        "force": np.hypot(*force.T).max(),
        "torque": peak(tau)[0],
        "left": largest(inverse_dynamics(arm(), q, qd, qdd, tip_force=force)),
    }

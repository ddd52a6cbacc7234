"""Paper 003's energies, joint equations and matrix form, and its errata about masses and C."""

from __future__ import annotations

import numpy as np

import ulna
from papers import schematics
from papers.ductri import examples, printed, rows
from papers.ductri.examples import apart
from papers.ductri.printed import Floats
from papers.rows_file import Values
from ulna import dynamics

FLAT = (0.0, 0.0)  # gravity of an arm that lies on a table
EXAMPLE = examples.Q, examples.RATE, examples.TURNING
LEVEL = np.zeros(2)
HEAVY = 100.0  # [kg] at joint 1

rows.picture("003-figure-1.svg")(schematics.ductri)


@rows.values("schematic")
def number_of_joints() -> Values:
    return {"joints": examples.arm().n}


@rows.values("energies")
def energies() -> Values:
    arm, p, (q, qd, _) = examples.arm(), examples.constants(), examples.states()
    kinetic = apart(dynamics.kinetic_energy(arm, q, qd), printed.kinetic(p, q, qd))
    potential = apart(dynamics.potential_energy(arm, q), printed.potential(p, q))
    return {
        "states": examples.STATES,
        "worst": max(kinetic, potential),
        "kinetic": dynamics.kinetic_energy(arm, examples.Q, examples.RATE),
        "potential": dynamics.potential_energy(arm, examples.Q),
        "kinetic_apart": kinetic,
        "potential_apart": potential,
    }


@rows.values("joint-equations")
def joint_equations() -> Values:
    arm, states = examples.arm(), examples.states()
    as_printed = printed.torques(examples.constants(), *states)
    return {
        "states": examples.STATES,
        "torque": dynamics.inverse_dynamics(arm, *EXAMPLE),
        "apart": apart(dynamics.inverse_dynamics(arm, *states), as_printed),
    }


@rows.values("mcg")
def matrix_form() -> Values:
    arm, p, (q, qd, qdd) = examples.arm(), examples.constants(), examples.states()
    M, vector = printed.mass_matrix(p, q), printed.coriolis_vector(p, q, qd)
    whole = (M @ qdd[..., None])[..., 0] + vector + printed.gravity(p, q)
    example = dynamics.mass_matrix(arm, examples.Q)
    return {
        "m11": example[0, 0],
        "m12": example[0, 1],
        "m22": example[1, 1],
        "mass_apart": apart(dynamics.mass_matrix(arm, q), M),
        "coriolis_apart": _missed(dynamics.coriolis_matrix(arm, q, qd), qd, vector),
        "whole_apart": apart(whole, printed.torques(p, q, qd, qdd)),
    }


@rows.values("gravity")
def with_and_without_gravity() -> Values:
    arm, p, states = examples.arm(), examples.constants(), examples.states()
    flat = arm.replace(gravity=FLAT)
    upright, lying = (np.asarray(dynamics.inverse_dynamics(one, *EXAMPLE)) for one in (arm, flat))
    off = apart(dynamics.inverse_dynamics(flat, *states), printed.torques(p, *states, g=0.0))
    return {"upright": upright, "flat": lying, "weight": upright - lying, "apart": off}


@rows.values("erratum-1")
def masses_of_the_links() -> Values:
    p, arm, heavy = examples.constants(), examples.with_rods(), examples.heavy()
    m11_printed = printed.mass_matrix(p, LEVEL)[0, 0]
    m11 = dynamics.mass_matrix(arm, LEVEL)[0, 0]
    (g1_printed, g2_printed), (g1, g2) = weights = (
        printed.gravity(p, LEVEL),
        dynamics.gravity_torque(arm, LEVEL),
    )
    falling = dynamics.forward_dynamics(arm, LEVEL, LEVEL, weights[0])
    whole = printed.torques(heavy.constants, *heavy.state)
    whole = whole + printed.missing_terms(heavy.constants, heavy.links, *heavy.state)
    return {
        "m11": m11,
        "m11_printed": m11_printed,
        "g1": g1,
        "g1_printed": g1_printed,
        "g2": g2,
        "g2_printed": g2_printed,
        "short_inertia": 100.0 * (1.0 - m11_printed / m11),
        "short_weight": 100.0 * (1.0 - g1_printed / g1),
        "rods": examples.RODS,
        "falls": -falling[0],
        "falling": falling,
        "arms": examples.ARMS,
        "apart": apart(dynamics.inverse_dynamics(heavy.arms, *heavy.state), whole),
    }


@rows.values("erratum-2")
def point_masses_for_links() -> Values:
    heavy = examples.heavy()
    equations = printed.torques(printed.effective(heavy.constants, heavy.links), *heavy.state)
    return {
        "arms": examples.ARMS,
        "rods": examples.RODS,
        **printed.effective(examples.constants(), examples.RODS)._asdict(),
        "apart": apart(dynamics.inverse_dynamics(heavy.arms, *heavy.state), equations),
    }


@rows.values("erratum-3")
def mass_at_joint_1() -> Values:
    arm, states = examples.arm(), examples.states()
    first = arm.links[0]
    at_the_base = ulna.Link(first.length, HEAVY, 0.0, first.inertia, first.tip_mass)
    heavy = ulna.Arm((at_the_base, arm.links[1]), arm.joints)
    torques = (dynamics.inverse_dynamics(one, *states) for one in (heavy, arm))
    column = dynamics.parameter_names(arm).index("mass.1")
    return {
        "heavy": HEAVY,
        "states": examples.STATES,
        "felt": apart(*torques),
        "seen": np.abs(dynamics.regressor(arm, *states)[..., column]).max(),
    }


@rows.values("erratum-4")
def matrices_of_one_vector() -> Values:
    arm, p, (q, qd, _) = examples.arm(), examples.constants(), examples.states()
    b, (w1, w2) = p.m_tip * p.l1 * p.l2 * np.sin(q[:, 1]), qd.T
    none = np.zeros_like(b)
    rate = _stacked([[-2 * b * w2, -b * w2], [-b * w2, none]])  # Ṁ
    matrices = {
        "ours": np.asarray(dynamics.coriolis_matrix(arm, q, qd)),
        "other": _stacked([[none, -b * (2 * w1 + w2)], [b * w1, none]]),
    }
    vector = printed.coriolis_vector(p, q, qd)
    return {
        "states": examples.STATES,
        "product": {name: _missed(C, qd, vector) for name, C in matrices.items()},
        "unskew": {name: _unskew(rate, C) for name, C in matrices.items()},
    }


def _stacked(rows: list[list[Floats]]) -> Floats:
    return np.moveaxis(np.array(rows), -1, 0)


def _missed(C: Floats, qd: Floats, vector: Floats) -> float:
    return apart((C @ qd[..., None])[..., 0], vector)


def _unskew(rate: Floats, C: Floats) -> float:
    left = rate - 2.0 * C
    return float(np.abs(left + np.swapaxes(left, -1, -2)).max())

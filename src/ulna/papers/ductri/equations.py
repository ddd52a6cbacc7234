"""Paper 003's drawing, energies, joint equations and their matrix form."""

from __future__ import annotations

import numpy as np

from ulna import dynamics
from ulna.papers import schematics
from ulna.papers.ductri import printed, samples
from ulna.papers.row import Number, Picture, Row, Verdict

FLAT = (0.0, 0.0)  # gravity of an arm that lies on a table

START = """\
import numpy as np
import ulna

arm = ulna.preset("ductri")
q, qd, qdd = np.radians([30.0, 40.0]), [1.0, 2.0], [3.0, -1.0]
"""
ENERGIES = (
    START
    + """\
print(ulna.dynamics.kinetic_energy(arm, q, qd), ulna.dynamics.potential_energy(arm, q), "J")
"""
)
TORQUES = (
    START
    + """\
print(ulna.dynamics.inverse_dynamics(arm, q, qd, qdd), "N·m")
"""
)
MATRICES = (
    START
    + """\
print(ulna.dynamics.mass_matrix(arm, q))
print(ulna.dynamics.coriolis_matrix(arm, q, qd))
print(ulna.dynamics.gravity_torque(arm, q))
"""
)
GRAVITY = (
    START
    + """\
flat = arm.replace(gravity=(0.0, 0.0))
print(ulna.dynamics.inverse_dynamics(arm, q, qd, qdd), "N·m upright")
print(ulna.dynamics.inverse_dynamics(flat, q, qd, qdd), "N·m lying on a table")
"""
)


def rows() -> tuple[Row, ...]:
    """Judge what the paper derives."""
    return _schematic(), _energies(), _joint_equations(), _mcg(), _gravity()


def _schematic() -> Row:
    return Row(
        key="schematic",
        title="The arm",
        where="the figure of the Lagrangian formulation",
        printed="Two links with inertias, point masses at both joints and at the tip.",
        ours="Links with `inertia` and `tip_mass`; the mass at joint 1 is at rest.",
        verdict=Verdict.SAME,
        why="The arm can be said in our terms as it is drawn.",
        call='import ulna\n\nprint(ulna.preset("ductri"))\n',
        numbers=(Number("joints", samples.arm().n, printed=2, label="joints"),),
        pictures=(
            Picture(
                "003-figure-1.svg",
                "The arm redrawn: relative angles, inertias, masses at the joints and at the tip.",
                schematics.ductri,
            ),
        ),
    )


def _energies() -> Row:
    arm, p, (q, qd, _) = samples.arm(), samples.constants(), samples.states()
    kinetic = samples.apart(dynamics.kinetic_energy(arm, q, qd), printed.kinetic(p, q, qd))
    potential = samples.apart(dynamics.potential_energy(arm, q), printed.potential(p, q))
    ours = dynamics.kinetic_energy(arm, samples.Q, samples.RATE)
    return Row(
        key="energies",
        title="Kinetic and potential energy",
        where="1. Kinetic Energy, 2. Potential Energy",
        printed="K of both inertias, m₂ and m_E; U of m₂ and m_E.",
        ours="`dynamics.kinetic_energy` and `dynamics.potential_energy`.",
        verdict=Verdict.SAME,
        why=(
            f"For links without mass (erratum 1) both are ours on {samples.STATES} random states, "
            f"to {max(kinetic, potential):.0e} J."
        ),
        call=ENERGIES,
        numbers=(
            Number("kinetic", float(ours), "J", label="K"),
            Number("potential", float(dynamics.potential_energy(arm, samples.Q)), "J", label="U"),
            Number("kinetic_apart", kinetic, "J", label="K apart, at most", digits=2),
            Number("potential_apart", potential, "J", label="U apart, at most", digits=2),
        ),
    )


def _joint_equations() -> Row:
    arm, states = samples.arm(), samples.states()
    as_printed = printed.torques(samples.constants(), *states)
    apart = samples.apart(dynamics.inverse_dynamics(arm, *states), as_printed)
    example = dynamics.inverse_dynamics(arm, samples.Q, samples.RATE, samples.TURNING)
    return Row(
        key="joint-equations",
        title="The equations of both joints",
        where="3. Euler–Lagrange Equations",
        printed="τ₁ and τ₂ from angles, rates and accelerations.",
        ours="`dynamics.inverse_dynamics`, and `derive(links=2)` for the way there.",
        verdict=Verdict.SAME,
        why=f"Both are ours on {samples.STATES} random states, to {apart:.0e} N·m.",
        call=TORQUES,
        numbers=(
            Number("torque_1", float(example[0]), "N·m", label="τ₁"),
            Number("torque_2", float(example[1]), "N·m", label="τ₂"),
            Number("apart", apart, "N·m", label="apart, at most", digits=2),
        ),
    )


def _mcg() -> Row:
    arm, p, (q, qd, qdd) = samples.arm(), samples.constants(), samples.states()
    M, vector = printed.mass_matrix(p, q), printed.coriolis_vector(p, q, qd)
    C = dynamics.coriolis_matrix(arm, q, qd)
    whole = (M @ qdd[..., None])[..., 0] + vector + printed.gravity(p, q)
    example = dynamics.mass_matrix(arm, samples.Q)
    differences = {
        "mass_apart": (samples.apart(dynamics.mass_matrix(arm, q), M), "kg·m²", "M apart"),
        "coriolis_apart": (
            samples.apart((C @ qd[..., None])[..., 0], vector),
            "N·m",
            "C χ̇ apart",
        ),
        "whole_apart": (
            samples.apart(whole, printed.torques(p, q, qd, qdd)),
            "N·m",
            "the sum and the joint equations apart",
        ),
    }
    return Row(
        key="mcg",
        title="The MCG form",
        where="Summary; 4. Compact Form, commented out",
        printed="M(χ) χ̈ + C(χ, χ̇) χ̇ + g(χ) = τ, with M, the vector C χ̇ and g.",
        ours="`dynamics.mass_matrix`, `coriolis_matrix` and `gravity_torque`.",
        verdict=Verdict.SAME,
        why="All three are right where they are written, and add up to the joint equations.",
        call=MATRICES,
        numbers=(
            Number("m11", float(example[0, 0]), "kg·m²", label="M₁₁"),
            Number("m12", float(example[0, 1]), "kg·m²", label="M₁₂"),
            Number("m22", float(example[1, 1]), "kg·m²", label="M₂₂"),
            *(
                Number(name, size, unit, label=f"{words}, at most", digits=2)
                for name, (size, unit, words) in differences.items()
            ),
        ),
    )


def _gravity() -> Row:
    arm, p, states = samples.arm(), samples.constants(), samples.states()
    flat = arm.replace(gravity=FLAT)
    apart = samples.apart(
        dynamics.inverse_dynamics(flat, *states), printed.torques(p, *states, g=0.0)
    )
    example = samples.Q, samples.RATE, samples.TURNING
    upright, lying = (dynamics.inverse_dynamics(one, *example) for one in (arm, flat))
    return Row(
        key="gravity",
        title="With and without gravity",
        where="General Form of Robot Dynamics",
        printed="g(χ) is often left out where gravity is at right angles to the plane.",
        ours="`arm.replace(gravity=(0, 0))`; everything else follows.",
        verdict=Verdict.SAME,
        why=f"With g = 0 its equations are ours for an arm that lies flat, to {apart:.0e} N·m.",
        call=GRAVITY,
        numbers=(
            *(
                Number(f"{name}_{i + 1}", float(torque[i]), "N·m", label=f"τ{'₁₂'[i]}", of=of)
                for name, of, torque in (
                    ("upright", "upright", upright),
                    ("flat", "lying flat", lying),
                    ("weight", "the gravity vector", np.asarray(upright) - np.asarray(lying)),
                )
                for i in range(2)
            ),
            Number("apart", apart, "N·m", label="flat, apart, at most", digits=2),
        ),
    )

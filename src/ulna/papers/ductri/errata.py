"""The errata of paper 003: masses left out, a mass that never matters, a matrix not given."""

from __future__ import annotations

import numpy as np

import ulna
from ulna import dynamics
from ulna.papers.ductri import printed, samples
from ulna.papers.ductri.printed import DuctriConstants, Floats
from ulna.papers.row import Number, Row, Verdict

HEAVY = 100.0  # [kg] at joint 1
LEVEL = np.zeros(2)

RODS = """\
import ulna

arm = ulna.Arm.of(
    [
        ulna.Link(0.5, 0.6, inertia=0.04, tip_mass=1.0),
        ulna.Link(0.4, 0.4, inertia=0.02, tip_mass=0.5),
    ]
)
print(ulna.dynamics.mass_matrix(arm, [0.0, 0.0])[0, 0], ulna.dynamics.gravity_torque(arm, [0, 0]))
"""
MATRIX = """\
import ulna

arm = ulna.preset("ductri")
print(ulna.dynamics.coriolis_matrix(arm, [0.5, 0.7], [1.0, 2.0]))
"""


def rows() -> tuple[Row, ...]:
    """Judge the four in their order."""
    return _link_masses(), _effective(), _first_mass(), _matrix()


def _link_masses() -> Row:
    p, arm = samples.constants(), samples.with_rods()
    inertia = printed.mass_matrix(p, LEVEL)[0, 0], dynamics.mass_matrix(arm, LEVEL)[0, 0]
    weight = printed.gravity(p, LEVEL), np.asarray(dynamics.gravity_torque(arm, LEVEL))
    falling = dynamics.forward_dynamics(arm, LEVEL, LEVEL, weight[0])
    heavy = samples.heavy()
    whole = printed.torques(heavy.constants, *heavy.state)
    whole = whole + printed.missing_terms(heavy.constants, heavy.links, *heavy.state)
    apart = samples.apart(dynamics.inverse_dynamics(heavy.arms, *heavy.state), whole)
    short_inertia, short_weight = 1.0 - inertia[0] / inertia[1], 1.0 - weight[0][0] / weight[1][0]
    return Row(
        key="erratum-1",
        title="The masses of the links",
        where="Lagrangian Formulation, against K and U",
        printed="m₁ᴸ and m₂ᴸ announced, in neither K nor U",
        ours="m₁ᴸ and m₂ᴸ in M, in the Coriolis terms and in G",
        verdict=Verdict.INCOMPLETE,
        why="What is announced as a part of the energy is not in it, nor in the equations.",
        how=(
            "M₁₁ gains m₁ᴸ c₁² + m₂ᴸ (l₁² + c₂² + 2 l₁ c₂ cos χ₂), M₁₂ m₂ᴸ (c₂² + l₁ c₂ cos χ₂), "
            "M₂₂ m₂ᴸ c₂²; the Coriolis terms have l₁ (m_E l₂ + m₂ᴸ c₂) for l₁ l₂ m_E; G₁ gains "
            "g [(m₁ᴸ c₁ + m₂ᴸ l₁) cos χ₁ + m₂ᴸ c₂ cos(χ₁ + χ₂)], G₂ m₂ᴸ g c₂ cos(χ₁ + χ₂), with c "
            "from a joint to the centre of its link. With these it "
            f"is ours to {apart:.0e} N·m for {samples.ARMS} arms."
        ),
        size=(
            f"M₁₁ {short_inertia:.0%} and G₁ {short_weight:.0%} short, with rods of "
            f"{samples.RODS.m1_link:g} and {samples.RODS.m2_link:g} kg, level; held by the printed "
            f"torques link 1 falls with {-falling[0]:.2f} rad/s²."
        ),
        call=RODS,
        numbers=(
            Number("m11_printed", float(inertia[0]), "kg·m²", label="M₁₁", of="as printed"),
            Number("g1_printed", float(weight[0][0]), "N·m", label="G₁", of="as printed"),
            Number("g2_printed", float(weight[0][1]), "N·m", label="G₂", of="as printed"),
            Number("m11", float(inertia[1]), "kg·m²", label="M₁₁", of="with the links"),
            Number("g1", float(weight[1][0]), "N·m", label="G₁", of="with the links"),
            Number("g2", float(weight[1][1]), "N·m", label="G₂", of="with the links"),
            Number("short_inertia", 100.0 * float(short_inertia), "%", label="M₁₁ short by"),
            Number("short_weight", 100.0 * float(short_weight), "%", label="G₁ short by"),
            Number("falling_1", float(falling[0]), "rad/s²", label="joint 1 falls with"),
            Number("falling_2", float(falling[1]), "rad/s²", label="joint 2 turns with"),
            Number("apart", apart, "N·m", label="apart with the terms, at most", digits=2),
        ),
    )


def _effective() -> Row:
    stand_in = printed.effective(samples.constants(), samples.RODS)
    heavy = samples.heavy()
    equations = printed.torques(printed.effective(heavy.constants, heavy.links), *heavy.state)
    apart = samples.apart(dynamics.inverse_dynamics(heavy.arms, *heavy.state), equations)
    return Row(
        key="erratum-2",
        title="Point masses can stand for the links",
        where="the equations of both joints",
        printed="m₂, m_E, I₁, I₂",
        ours=(
            "m₂′ = m₂ + m₁ᴸ c₁/l₁ + m₂ᴸ (1 − c₂/l₂), m_E′ = m_E + m₂ᴸ c₂/l₂, "
            "Iᵢ′ = Iᵢ + mᵢᴸ (cᵢ² − cᵢ lᵢ)"
        ),
        verdict=Verdict.REMARK,
        why="With these constants the printed equations are exact for links with mass as well.",
        how=f"{samples.ARMS} random arms with masses everywhere, each in a random state.",
        size=(
            f"Apart by {apart:.0e} N·m at most. An inertia may come out below zero, which no body "
            "has; the equations do not mind."
        ),
        numbers=(
            *_constants(stand_in),
            Number("apart", apart, "N·m", label="apart, at most", digits=2),
        ),
    )


def _constants(p: DuctriConstants) -> tuple[Number, ...]:
    of = f"rods of {samples.RODS.m1_link:g} and {samples.RODS.m2_link:g} kg"
    return (
        Number("m2", float(p.m2), "kg", label="m₂′", of=of),
        Number("m_tip", float(p.m_tip), "kg", label="m_E′", of=of),
        Number("i1", float(p.i1), "kg·m²", label="I₁′", of=of),
        Number("i2", float(p.i2), "kg·m²", label="I₂′", of=of),
    )


def _first_mass() -> Row:
    arm, states = samples.arm(), samples.states()
    first = arm.links[0]
    at_the_base = ulna.Link(first.length, HEAVY, 0.0, first.inertia, first.tip_mass)
    heavy = ulna.Arm((at_the_base, arm.links[1]), arm.joints)
    felt = samples.apart(
        dynamics.inverse_dynamics(heavy, *states), dynamics.inverse_dynamics(arm, *states)
    )
    column = dynamics.parameter_names(arm).index("mass.1")
    seen = np.abs(dynamics.regressor(arm, *states)[..., column])
    return Row(
        key="erratum-3",
        title="The mass at joint 1",
        where="Lagrangian Formulation",
        printed="m₁ at joint 1, among the masses of the energy",
        ours="m₁ is in no equation: joint 1 stands still",
        verdict=Verdict.REMARK,
        why="A mass that cannot move has no kinetic energy, and its potential energy is constant.",
        how=f"{HEAVY:g} kg put there, and its column of the regressor, on {samples.STATES} states.",
        size="None, and it may be left out; no motion would show it.",
        numbers=(
            Number("felt", felt, "N·m", label=f"torque changed by {HEAVY:g} kg"),
            Number("seen", float(seen.max()), "m²/s²", label="largest entry of its column"),
        ),
    )


def _matrix() -> Row:
    arm, p, (q, qd, _) = samples.arm(), samples.constants(), samples.states()
    b = p.m_tip * p.l1 * p.l2 * np.sin(q[:, 1])
    w1, w2 = qd.T
    none = np.zeros_like(b)
    rate = _stacked([[-2 * b * w2, -b * w2], [-b * w2, none]])  # Ṁ
    other = _stacked([[none, -b * (2 * w1 + w2)], [b * w1, none]])
    vector = printed.coriolis_vector(p, q, qd)
    C = np.asarray(dynamics.coriolis_matrix(arm, q, qd))
    return Row(
        key="erratum-4",
        title="The matrix C",
        where="Summary; 4. Compact Form, commented out",
        printed="C(χ, χ̇) χ̇ as a vector, in a part that the summary cites but that is commented out",
        ours="C = b [[−χ̇₂, −(χ̇₁ + χ̇₂)], [χ̇₁, 0]] with b = m_E l₁ l₂ sin χ₂",
        verdict=Verdict.INCOMPLETE,
        why="Many matrices give that vector; laws of control built on energy need Ṁ − 2C skew.",
        how=f"Christoffel's matrix and another one with the same product, {samples.STATES} states.",
        size=f"The other one's Ṁ − 2C is up to {_unskew(rate, other):.2f} N·m·s away from skew.",
        call=MATRIX,
        numbers=(
            Number("product_ours", _missed(C, qd, vector), "N·m", label="C χ̇ apart", of="ours"),
            Number("unskew_ours", _unskew(rate, C), "N·m·s", label="away from skew", of="ours"),
            Number(
                "product_other", _missed(other, qd, vector), "N·m", label="C χ̇ apart", of="another"
            ),
            Number(
                "unskew_other", _unskew(rate, other), "N·m·s", label="away from skew", of="another"
            ),
        ),
    )


def _stacked(rows: list[list[Floats]]) -> Floats:
    return np.moveaxis(np.array(rows), -1, 0)


def _missed(C: Floats, qd: Floats, vector: Floats) -> float:
    return samples.apart((C @ qd[..., None])[..., 0], vector)


def _unskew(rate: Floats, C: Floats) -> float:
    left = rate - 2.0 * C
    return float(np.abs(left + np.swapaxes(left, -1, -2)).max())

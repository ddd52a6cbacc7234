"""Errata of paper 000 in its derivation, and in how it reads the result."""

from __future__ import annotations

import numpy as np

from ulna.arrays import Array
from ulna.dynamics import (
    coriolis_matrix,
    gravity_torque,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
)
from ulna.kinematics import jacobian, joints
from ulna.papers.kehl import printed
from ulna.papers.kehl.motions import arm, dense, largest, peak, states
from ulna.papers.row import Number, Row, Verdict

STEP = 1e-6  # of differences that check a derivative


def erratum_4() -> Row:
    q, qd, _ = states()
    centre = np.linalg.norm(printed.centre_velocities(arm(), q, qd)[:, 0], axis=-1)
    ahead, behind = (joints(arm(), q + way * qd)[:, 1] for way in (STEP, -STEP))
    elbow = np.linalg.norm(ahead - behind, axis=-1) / (2.0 * STEP)
    ratio = float(np.median(elbow / centre))
    return Row(
        "erratum-4", "Of what the velocities are", "§2.5.3",
        "d/dt f(θ, θ₂); velocities of each joint", "d/dt f(θ₁, θ₂); of each centre of mass",
        Verdict.CORRECTED,
        "The formulas that follow are those of the centres of mass, and right; only the words "
        "and an index are not.",
        how="The printed velocities against those of the elbow.",
        size=f"the elbow moves {ratio:.3g} times as fast as the middle of its link",
        transcription="the index that is missing",
        numbers=(Number("ratio", ratio, label="elbow by centre of link 1"),),
    )  # fmt: skip


def erratum_5() -> Row:
    q, qd, _ = dense()
    right = printed.times(mass_matrix(arm(), q), qd)
    wrong, most = peak(printed.momenta(arm(), q, qd) - right), peak(right)
    return Row(
        "erratum-5", "The momenta ∂K/∂θ̇", "§2.7",
        "M₁₁ θ̇₁ + M₁₂ (θ̇₁ + θ̇₂) and M₁₂ θ̇₁ + M₂₂ (θ̇₁ + θ̇₂)",
        "M₁₁ θ̇₁ + M₁₂ θ̇₂ and M₁₂ θ̇₁ + M₂₂ θ̇₂",
        Verdict.CORRECTED,
        "The second column of M goes with the rate of the second joint alone, as the matrix "
        "form on the next line has it.",
        how="Along the path, against M θ̇.",
        size=f"up to {wrong[0]:.2f} and {wrong[1]:.2f} kg·m²/s, where the momenta peak at "
        f"{most[0]:.2f} and {most[1]:.2f}",
        numbers=(
            *_both("off", wrong, "kg·m²/s", "printed − right"),
            *_both("peak", most, "kg·m²/s", "right, peak"),
        ),
    )  # fmt: skip


def erratum_6() -> Row:
    q, qd, _ = dense()
    right = mass_matrix(arm(), q)
    wrong = peak(mass_matrix(arm(), qd) - right)
    most = float(right[:, 0, 0].max())
    return Row(
        "erratum-6", "What M and K depend on", "§2.7",
        "M(θ̇), K(θ̇)", "M(θ), K(θ, θ̇)",
        Verdict.CORRECTED,
        "The inertia is that of a posture; read with rates in place of angles it is another.",
        how="M at the rates against M at the angles, along the path.",
        size=f"M₁₁ by up to {wrong[0, 0]:.2f} kg·m², of {most:.2f} at most",
        numbers=(
            Number("M11", float(wrong[0, 0]), "kg·m²", label="M₁₁(θ̇) − M₁₁(θ)", digits=3),
            Number("M12", float(wrong[0, 1]), "kg·m²", label="M₁₂(θ̇) − M₁₂(θ)", digits=3),
            Number("most", most, "kg·m²", label="M₁₁, largest", digits=3),
        ),
    )  # fmt: skip


def erratum_7() -> Row:
    q, qd, _ = dense()
    coriolis = printed.times(coriolis_matrix(arm(), q, qd), qd)
    growth = coriolis.copy()
    growth[:, 1] += printed.energy_by_second_angle(arm(), q, qd)
    wrong = peak(coriolis - growth)
    return Row(
        "erratum-7", "The rate of the momenta", "§2.7",
        "d/dt ∂L/∂θ̇ = M θ̈ + C θ̇", "M θ̈ + Ṁ θ̇, and C θ̇ = Ṁ θ̇ − ∂K/∂θ",
        Verdict.CORRECTED,
        "C θ̇ already contains −∂K/∂θ, which enters the equation only with ∂L/∂θ; the final "
        "equation is right again.",
        how="Ṁ θ̇ by differences of M along the path.",
        size=f"nothing in row 1; up to {wrong[1]:.3f} N·m in row 2, where Ṁ θ̇ peaks at "
        f"{peak(growth)[1]:.3f}",
        numbers=(
            *_both("off", wrong, "N·m", "C θ̇ − Ṁ θ̇"),
            Number("peak_2", float(peak(growth)[1]), "N·m", None, "row 2", "Ṁ θ̇, peak", 3),
            Number("check", largest(growth - _growth()), "N·m",
                   label="Ṁ θ̇ against differences", digits=1),
        ),
    )  # fmt: skip


def _growth() -> Array:
    q, qd, _ = dense()
    ahead, behind = (mass_matrix(arm(), q + way * qd) for way in (STEP, -STEP))
    return printed.times((ahead - behind) / (2.0 * STEP), qd)


def erratum_8() -> Row:
    q, qd, _ = dense()
    single, double = qd.sum(axis=-1), 2.0 * qd[:, 0] + qd[:, 1]
    right = printed.times(coriolis_matrix(arm(), q, qd), qd)[:, 0]

    def off(angle: int, rate: Array) -> float:
        return largest(printed.coriolis_row(arm(), q[:, angle], rate, qd) - right)

    both, rest = off(0, single), off(1, double)
    return Row(
        "erratum-8", "The first row of the Coriolis vector", "§2.7",
        "−m₂ l₁ l₂/2 sin θ₁ θ̇₂ (θ̇₁ + θ̇₂)", "−m₂ l₁ l₂/2 sin θ₂ θ̇₂ (2θ̇₁ + θ̇₂)",
        Verdict.CORRECTED,
        "The angle between the links is θ₂, and the product θ̇₁ θ̇₂ counts twice; either repair "
        "alone is not enough.",
        how="Along the path, against C θ̇ with the Christoffel matrix.",
        size=f"up to {both:.2f} N·m, where the true term peaks at {largest(right):.2f}",
        numbers=(
            Number("off", both, "N·m", None, "off by", "as printed", 3),
            Number("off_angle", off(1, single), "N·m", None, "off by", "with sin θ₂ only", 3),
            Number("off_rate", off(0, double), "N·m", None, "off by", "with 2θ̇₁ + θ̇₂ only", 3),
            Number("off_both", rest, "N·m", None, "off by", "with both", 1),
            Number("peak", largest(right), "N·m", label="the true term, peak", digits=3),
        ),
    )  # fmt: skip


def erratum_9() -> Row:
    slopes = peak(_energy_slopes())
    return Row(
        "erratum-9", "The kinetic energy by the angles", "§2.7",
        "∂K/∂θᵢ = 0", "for i = 1 only",
        Verdict.CORRECTED,
        "Turning the whole arm changes nothing, bending its elbow does, as the words beside the "
        "line say.",
        how="Differences of K along the path.",
        size=f"∂K/∂θ₂ up to {slopes[1]:.3f} N·m",
        numbers=(
            Number("by_first", float(slopes[0]), "N·m", label="∂K/∂θ₁, peak", digits=1),
            Number("by_second", float(slopes[1]), "N·m", label="∂K/∂θ₂, peak", digits=3),
        ),
    )  # fmt: skip


def _energy_slopes() -> Array:
    q, qd, _ = dense()
    steps = STEP * np.eye(2)
    ahead, behind = (
        kinetic_energy(arm(), q[:, None] + way, qd[:, None]) for way in (steps, -steps)
    )
    return np.asarray((ahead - behind) / (2.0 * STEP))


def erratum_10() -> Row:
    q, qd, _ = dense()
    weight = gravity_torque(arm(), q)[:, 1]
    right = printed.energy_by_second_angle(arm(), q, qd)
    return Row(
        "erratum-10", "Weight in the kinetic energy", "§2.7",
        "∂K/∂θ₂ = … − m₂ l₂/2 g cos(θ₁ + θ₂)", "without the last term",
        Verdict.CORRECTED,
        "The weight belongs to ∂P/∂θ₂, where the next lines have it once, rightly; carried along "
        "from here it would count twice.",
        how="Differences of K along the path have no such term.",
        size=f"up to {largest(weight):.1f} N·m",
        numbers=(
            Number("off", largest(weight), "N·m", label="the surplus term, peak", digits=4),
            Number("check", largest(_energy_slopes()[:, 1] - right), "N·m",
                   label="the rest against differences", digits=1),
        ),
    )  # fmt: skip


def erratum_11() -> Row:
    q, qd, _ = states()
    code = printed.coriolis_matrix(arm(), q, qd)
    slope = _mass_slopes(q)
    christoffel = (slope + slope.transpose(0, 1, 3, 2) - slope.transpose(0, 3, 2, 1)) / 2.0
    off = largest(np.einsum("...ijk,...k", christoffel, qd) - code)
    skew = np.einsum("...ijk,...k", slope, qd) - 2.0 * code
    return Row(
        "erratum-11", "What Code 6 is", "Code 6",
        "called a variation of the C that was derived", "the Christoffel matrix, exactly",
        Verdict.REMARK,
        "The listing is right, and more than a variation: it is the C whose Ṁ − 2C is skew, and "
        "C θ̇ is the vector of §2.7 once that is put right (erratum 8).",
        how="Christoffel symbols from differences of M, at 500 random states.",
        size="none: the listing is right",
        numbers=(
            Number("off", off, "N·m·s", label="Code 6 − Christoffel", digits=1),
            Number("ours", largest(coriolis_matrix(arm(), q, qd) - code), "N·m·s",
                   label="Code 6 − `coriolis_matrix`", digits=1),
            Number("skew", largest(skew + skew.transpose(0, 2, 1)), "N·m·s",
                   label="symmetric part of Ṁ − 2C", digits=1),
        ),
    )  # fmt: skip


def _mass_slopes(q: Array) -> Array:
    """Return ∂M_ij/∂θ_k (k, 2, 2, 2), by differences."""
    steps = 1e-5 * np.eye(2)
    ahead, behind = (mass_matrix(arm(), q[:, None] + way) for way in (steps, -steps))
    return np.moveaxis((ahead - behind) / 2e-5, 1, -1)


def erratum_24() -> Row:
    q, qd, qdd = dense()
    tau = inverse_dynamics(arm(), q, qd, qdd)
    J = jacobian(arm(), q)[:, :2]
    force = np.linalg.solve(J.transpose(0, 2, 1), tau[..., None])[..., 0]
    left = largest(inverse_dynamics(arm(), q, qd, qdd, tip_force=force))
    most = float(np.hypot(*force.T).max())
    return Row(
        "erratum-24", "What stands on the right-hand side", "§1, §2.2",
        "a force at the end of the arm", "torques at the joints",
        Verdict.WRONG,
        "τ is the torque of the motors, as §2.7 says; a force F at the tip that does the same "
        "obeys Jᵀ F = τ, and has other numbers and another unit.",
        how="F from τ along the path; led by it, the arm needs no motors.",
        size=f"F up to {most:.1f} N, where τ₁ peaks at {peak(tau)[0]:.1f} N·m",
        numbers=(
            Number("force", most, "N", label="force at the tip, peak", digits=4),
            Number("torque", float(peak(tau)[0]), "N·m", label="τ₁, peak", digits=4),
            Number("left", left, "N·m", label="left to the motors", digits=1),
        ),
    )  # fmt: skip


def _both(name: str, values: Array, unit: str, of: str) -> tuple[Number, Number]:
    """Return a number for each row of a vector."""
    first, second = (
        Number(f"{name}_{k}", float(value), unit, None, f"row {k}", of, 3)
        for k, value in enumerate(values, start=1)
    )
    return first, second

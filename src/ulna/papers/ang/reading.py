"""The errata of paper 004 in how it is to be read: symbols, definitions, conditions."""

from __future__ import annotations

import numpy as np

from ulna import dynamics, kinematics
from ulna.papers.ang import printed, samples
from ulna.papers.row import Number, Row, Verdict

FAR = (3.0, 0.0)  # [m] nothing of the printed solution says that it is too far
STATES = 100


def rows() -> tuple[Row, ...]:
    """Judge errata 6 to 10."""
    return _two_arguments(), _letters(), _which_angle(), _forward_dynamics(), _reach()


def _two_arguments() -> Row:
    targets, bend = samples.targets(), samples.right_bend()
    quotient = np.arctan(targets.y / targets.x) - printed.lean(targets.l1, targets.l2, bend)
    missed = samples.tip_error(quotient, bend) > samples.HIT
    return Row(
        key="erratum-6",
        title="atan2 of a quotient",
        where="θ₁, and the solution",
        printed="atan2 (y/x)",
        ours="atan2(y, x)",
        verdict=Verdict.CORRECTED,
        why="atan2 takes two arguments; their quotient has forgotten the quadrant.",
        how="Everything else put right, tan⁻¹(y/x) taken by the letter.",
        size=f"{missed.mean():.0%} of the targets are missed: all those with x < 0.",
        numbers=(
            Number("missed", float(missed.mean()), label="part of targets missed", digits=3),
            Number(
                "missed_left",
                float(missed[targets.x < 0.0].mean()),
                label="of those with x < 0",
            ),
            Number(
                "missed_right",
                float(missed[targets.x > 0.0].mean()),
                label="of those with x > 0",
            ),
        ),
    )


def _letters() -> Row:
    targets = samples.targets()
    bend = printed.bend_by_table(printed.repaired_radicand(*targets), *targets)
    angle = printed.repaired_first_angle(*targets, bend)
    missed = samples.tip_error(angle, bend) > samples.HIT
    return Row(
        key="erratum-7",
        title="Two meanings of x and y",
        where="the table of cases",
        printed="atan2(y, x) with cases by x > 0, x < 0, y ≥ 0 …",
        ours="cases by the sign of the denominator, x² + y² − (L₁² + L₂²), and of the root",
        verdict=Verdict.CORRECTED,
        why="The x and y of the table are the arguments of atan2, and not those of the point P.",
        how="The radicand put right, the table taken by its letters, θ₁ put right as well.",
        size=f"{missed.mean():.0%} of the targets are missed if they are taken for P's.",
        numbers=(Number("missed", float(missed.mean()), label="part of targets missed", digits=3),),
    )


def _which_angle() -> Row:
    example = samples.example()
    bend = printed.bend(printed.repaired_radicand(*example), *example)
    first = printed.repaired_first_angle(*example, bend)
    right, other = (float(np.sqrt(1.0 - np.cos(angle) ** 2)) for angle in (bend, first))
    return Row(
        key="erratum-8",
        title="An index left out",
        where="sin θ₂",
        printed="√(1 − cos² θ)",
        ours="√(1 − cos² θ₂)",
        verdict=Verdict.CORRECTED,
        why="There is no θ without an index; what follows has θ₂.",
        how="By the next step, which puts in the cosine of θ₂.",
        size=f"Read as θ₁ it would be {other:.3f} in place of {right:.3f} for the same target.",
        transcription="the index that is missing",
        numbers=(
            Number("of_theta2", right, label="with θ₂"),
            Number("of_theta1", other, label="with θ₁"),
        ),
    )


def _forward_dynamics() -> Row:
    arm = samples.arm()
    q, qd, qdd = np.random.default_rng(5).uniform(-2.0, 2.0, (3, STATES, 2))
    tau = dynamics.inverse_dynamics(arm, q, qd, qdd)
    apart = float(np.abs(dynamics.forward_dynamics(arm, q, qd, tau) - qdd).max())
    return Row(
        key="erratum-9",
        title="What forward dynamics are",
        where="Robotics problems",
        printed="from the parameters of joints and links to a force or an energy of the tip",
        ours="from torques to accelerations; inverse dynamics lead back",
        verdict=Verdict.CORRECTED,
        why="Without torques and rates the motion, and the energy, are not given.",
        how=f"Inverse dynamics and back, on {STATES} random states of the preset `ang`.",
        size=f"A matter of words; the way there and back closes to {apart:.0e} rad/s².",
        numbers=(Number("round_trip", apart, "rad/s²", label="there and back", digits=2),),
    )


def _reach() -> Row:
    arm, (l1, l2, *_) = samples.arm(), samples.example()
    x, y = FAR
    bend = printed.bend(printed.solution_radicand(l1, l2, x, y), l1, l2, x, y)
    reached = printed.forward(l1, l2, printed.first_angle(x, y, bend), bend)
    miss = float(np.hypot(reached[0] - x, reached[1] - y))
    short = float(kinematics.inverse(arm, FAR).shortfall)
    ring = kinematics.workspace(arm)
    return Row(
        key="erratum-10",
        title="The condition of reach",
        where="The Inverse Kinematics Problem",
        printed="no condition, though the problem asks whether it is possible",
        ours="|L₁ − L₂| ≤ r ≤ L₁ + L₂: where the radicand is not negative",
        verdict=Verdict.INCOMPLETE,
        why="Both factors of the radicand are positive just where the three lengths close.",
        how="The factors of the radicand against `kinematics.inverse(...).reachable`.",
        size=(
            f"For P({x:g}, {y:g}) the printed solution answers θ₂ = {np.degrees(bend):.1f}° "
            f"without a word; ours says that it is {short:.1f} m out of reach."
        ),
        numbers=(
            Number("inner", float(ring.inner), "m", label="|L₁ − L₂|"),
            Number("outer", float(ring.outer), "m", label="L₁ + L₂"),
            Number("answer", float(np.degrees(bend)), "°", label="θ₂ as printed for (3, 0)"),
            Number("miss", miss, "m", label="tip error of that"),
            Number("shortfall", short, "m", label="out of reach by"),
        ),
    )

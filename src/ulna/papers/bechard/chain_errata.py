"""Errata about joints in a row: what they do to one another, their weights, and the skater."""

from __future__ import annotations

import numpy as np

from ulna.angles import absolute_to_relative, relative_to_absolute
from ulna.dynamics import coriolis_matrix, forward_dynamics, mass_matrix, sequential
from ulna.papers.bechard import printed, runs, swings
from ulna.papers.bechard.parameters import FOUR, SKATER, link_rates, lying_flat, numbered, said
from ulna.papers.row import Number, Row, Verdict

FLAT = lying_flat(SKATER)
STRAIGHT, BENT = np.zeros(2), np.array([0.0, 0.5 * np.pi])
AT_REST, TURNING = np.zeros(2), np.array([3.0, 3.0])  # [rad/s]
MOTOR = 45.0  # [N·m]


def rows() -> tuple[Row, ...]:
    """Return errata 8, 9, 10 and 13."""
    return _coupling(), _weight(), _skater(), _where_it_ends()


def model_and_truth(
    theta: np.ndarray, rate: np.ndarray, tau: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the accelerations of the skater's links, without weight and friction, by both."""
    torque = np.array(tau)
    model = sequential.forward_dynamics(FLAT, theta, rate, torque, sequential_damping=AT_REST)
    q, qd = absolute_to_relative(theta), absolute_to_relative(rate)
    return np.asarray(model), np.asarray(
        relative_to_absolute(forward_dynamics(FLAT, q, qd, torque))
    )


def _coupling() -> Row:
    cases = {
        "coupling": (
            model_and_truth(STRAIGHT, AT_REST, (MOTOR, 0.0)),
            "45 N·m at joint 1, straight",
        ),
        "centrifugal": (model_and_truth(BENT, TURNING, (0.0, 0.0)), "bent, links at 3 rad/s"),
        "reaction": (model_and_truth(BENT, AT_REST, (0.0, MOTOR)), "45 N·m at joint 2, bent"),
    }
    q, qd = absolute_to_relative(BENT), absolute_to_relative(TURNING)
    whirl = float((coriolis_matrix(SKATER, q, qd) @ qd)[1])
    reaction = float(cases["reaction"][0][1][0])
    model, true = swings.sequential_frequencies(), swings.true_frequencies()
    numbers = [
        number
        for name, ((by_model, truly), of) in cases.items()
        for number in (
            *numbered(f"{name}-model", by_model, "rad/s²", of=f"θ̈, {of}: model", digits=4),
            *numbered(f"{name}-true", truly, "rad/s²", of=f"θ̈, {of}: true", digits=4),
        )
    ]
    return Row(
        key="erratum-8",
        title="What joints do to one another",
        where="§4.1",
        printed="θ̈ₐ from τₐ, Iₐ and the weight alone",
        ours="M(θ) θ̈ + C(θ, θ̇) θ̇ + G(θ) = Q, with Qᵢ = τᵢ − τᵢ₊₁",
        verdict=Verdict.WRONG,
        why=(
            "The accelerations of other links, centrifugal terms and the reaction of each motor "
            "on the link that carries it are missing."
        ),
        how="the skater's arm without weight and friction in three states that show one term each",
        size=(
            f"a motor of 45 N·m at the elbow pushes the first link back by {-reaction:.2f} rad/s², "
            f"which the model lets rest; links at 3 rad/s pull with {whirl:.1f} N·m; small swings "
            f"at {model[0]:.2f} and {model[1]:.2f} in place of {true[0]:.2f} and "
            f"{true[1]:.2f} rad/s"
        ),
        call=(
            "import ulna\n"
            'arm = ulna.preset("bechard-skater")\n'
            "turning = ulna.dynamics.forward_dynamics(arm, [0.0, 1.5], [3.0, 0.0], [0.0, 45.0])\n"
        ),
        numbers=(
            *numbers,
            Number("whirl", whirl, "N·m", of="centrifugal torque", label="link 2", digits=4),
        ),
    )


def _weight() -> Row:
    left = np.array([np.pi, np.pi])
    right = float(sequential.frozen(SKATER, left).weight[0])
    lengths, masses = (
        [getattr(link, part) for link in SKATER.links] for part in ("length", "mass")
    )
    as_printed = printed.weight_of_two(lengths, masses, left)
    return Row(
        key="erratum-9",
        title="The weight about a joint, and its directions",
        where="§4.1",
        printed="… + mₙ Lₐ,ₙ cos θₐ,ₙ cos θₐ,ₙ g + …, broken off; a unit vector û = θ; m_A L_A²",
        ours="mₙ Lₐ,ₙ cos θₐ,ₙ g; û = (cos θ, sin θ); mₐ Lₐ²",
        verdict=Verdict.CORRECTED,
        why=(
            "The last term has its cosine twice and the sum runs on after it, a unit vector is not "
            "an angle, and A is the joint a; the listing has it right."
        ),
        how="the skater's arm stretched out to the left, its weight about the first joint",
        size=f"{as_printed:.2f} in place of {said(right, '.2f')} N·m",
        transcription="the cosine that is there twice, and the end that is missing",
        numbers=(
            Number("weight", right, "N·m", label="weight about joint 1"),
            Number("as-printed", as_printed, "N·m", label="by the formula as printed"),
            Number("difference", as_printed - right, "N·m", label="difference", digits=5),
        ),
    )


def _skater() -> Row:
    spread, folded = mass_matrix(SKATER, np.array([[0.0, 0.0], [0.0, np.pi]]))[:, 0, 0]
    spun = swings.angular_momentum(runs.folding("sequential"))
    rates = link_rates(runs.folding("sequential"))
    change = float(np.abs(rates - rates[0]).max())
    times = float(spread / folded)
    return Row(
        key="erratum-10",
        title="The skater who spins faster",
        where="§4.3",
        printed="the model shows how a skater who tucks in her arms turns faster",
        ours="without torque θ̈₁ = 0 in that model, whatever the inertia does",
        verdict=Verdict.WRONG,
        why=(
            "A skater speeds up because angular momentum is kept while the inertia changes; the "
            "model has no term in which a change of inertia appears."
        ),
        how=(
            "the arm without weight, torque and friction, its links at 1 and 3 rad/s: straight at "
            "first, folded after π/2 s"
        ),
        size=(
            f"the model's speeds change by {change:.1g} rad/s, its angular momentum falls from "
            f"{spun[0]:.2f} to {spun[-1]:.2f} kg·m²/s; a true skater who folds is {times:.2f} "
            "times as fast"
        ),
        numbers=(
            Number("change", change, "rad/s", label="change of speeds in the model", digits=1),
            Number(
                "straight", float(spun[0]), "kg·m²/s", label="angular momentum, straight", digits=4
            ),
            Number(
                "folded", float(spun[-1]), "kg·m²/s", label="angular momentum, folded", digits=2
            ),
            Number("times", times, "", label="times as fast, truly, when folded", digits=3),
        ),
    )


def _where_it_ends() -> Row:
    lengths, masses = (
        np.array([getattr(link, part) for link in FOUR.links]) for part in ("length", "mass")
    )
    right = float(sequential.frozen(FOUR, np.zeros(4)).inertia[0])
    by_letter = printed.inertia_to_joints(lengths.tolist(), masses.tolist())
    return Row(
        key="erratum-13",
        title="Where the vectors between joints end",
        where="§4.1",
        printed="u_{a,b} = Jₐ + … + J_b leads from joint a to joint b, u_{a,a+1} to joint a + 1",
        ours="it leads to mass b, at the end of link b, which is joint b + 1",
        verdict=Verdict.CORRECTED,
        why=(
            "The first link alone ends at joint a + 1; the sums over the links and the listing "
            "have the distances to the masses, which is what the inertia needs."
        ),
        how="the inertia about joint 1 of its four joints, straight, with distances to the joints",
        size=f"{by_letter:.2f} in place of {right:.2f} kg·m²",
        numbers=(
            Number("inertia", right, "kg·m²", label="I₁, distances to the masses"),
            Number("by-letter", by_letter, "kg·m²", label="I₁, distances to the joints"),
        ),
    )

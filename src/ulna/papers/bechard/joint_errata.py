"""Errata about one joint: its torques, its friction and its speed."""

from __future__ import annotations

import math

import numpy as np

from ulna.dynamics import forward_dynamics, holding_torque, sequential
from ulna.papers.bechard import printed, regimes
from ulna.papers.bechard.parameters import DRIVEN, DRIVEN_B, DRIVEN_TORQUE, FOUR, FOUR_B, ONE, said
from ulna.papers.row import Number, Row, Verdict

LENGTH, MASS = 5.0, 1.0  # of the driven arm


def rows() -> tuple[Row, ...]:
    """Return the errata of §3 that change a number, and the one of §5."""
    return _surplus_length(), _applied_angle(), _friction(), _speed(), _sine()


def _surplus_length() -> Row:
    right = float(holding_torque(DRIVEN, [0.0])[0])
    as_printed = -printed.net_torque(LENGTH, MASS, 0.0, 0.0)
    return Row(
        key="erratum-1",
        title="A length too many in the net torque",
        where="§3.1",
        printed="τ − m g L cos(θ) L",
        ours="τ − m g L cos θ",
        verdict=Verdict.CORRECTED,
        why="A torque has one lever arm; the equations further down have it once.",
        how="the torque that holds the driven arm (5 m, 1 kg) level",
        size=(
            f"{as_printed:.2f} in place of {right:.2f} N·m: a motor of {DRIVEN_TORQUE:g} N·m "
            "would not turn it"
        ),
        numbers=(
            Number("weight", right, "N·m", label="weight of the level arm"),
            Number("as-printed", as_printed, "N·m", label="by the formula as printed"),
        ),
    )


def _applied_angle() -> Row:
    ours = float(forward_dynamics(DRIVEN, [0.0], [0.0], [DRIVEN_TORQUE])[0])
    as_printed = printed.turning_by_an_angle(LENGTH, MASS, 0.0, 0.0)
    return Row(
        key="erratum-2",
        title="The motor gives a torque, not an angle",
        where="§3.1",
        printed="θ_app(t), in both equations",
        ours="τ_app(t)",
        verdict=Verdict.CORRECTED,
        why="The system of first order that follows has τ_app again, and is right.",
        how="the driven arm, level and at rest; with its angle 0 put where its 50 N·m belong",
        size=f"an acceleration of {said(as_printed, '.3f')} in place of {ours:.3f} rad/s²",
        numbers=(
            Number("turning", ours, "rad/s²", label="θ̈ under 50 N·m", digits=4),
            Number(
                "as-printed", as_printed, "rad/s²", label="θ̈ by the formula as printed", digits=4
            ),
        ),
    )


def _friction() -> Row:
    b = float(DRIVEN.joints[0].damping)
    straight, folded = (
        FOUR_B[0] * float(sequential.frozen(FOUR, np.array(theta)).inertia[0])
        for theta in ([0.0] * 4, [0.0, math.pi, math.pi, 0.0])
    )
    return Row(
        key="erratum-3",
        title="What its friction B is",
        where="§3.1, §3.3, §4.1",
        printed="B, a friction that is given without a unit",
        ours="B in 1/s: a damper of b = B m L², and for n joints of bₐ = Bₐ Iₐ(θ)",
        verdict=Verdict.INCOMPLETE,
        why=(
            "B θ̇ stands beside an acceleration, which gives its unit; the damper behind it grows "
            "with the inertia, which no damper does. The presets of more joints have the constant "
            "dampers of the straight arm."
        ),
        how="accelerations with −b θ̇/I and with −B θ̇ are the same at random states",
        size=(
            f"read as N·m·s/rad it is {b / DRIVEN_B:.0f} times too little for the driven arm; for "
            f"its four joints b₁ is {folded:.1f} with the middle links folded back and "
            f"{straight:.1f} straight"
        ),
        call=(
            "import ulna\n"
            "B, m, L = 0.5, 1.0, 5.0\n"
            "arm = ulna.Arm.point_masses([L], [m], joints=[ulna.Joint(damping=B * m * L**2)])\n"
        ),
        numbers=(
            Number("damping", b, "N·m·s/rad", label="b of the driven arm"),
            Number("times", b / DRIVEN_B, "", label="times B"),
            Number(
                "straight", straight, "N·m·s/rad", label="b₁ of four joints, straight", digits=3
            ),
            Number("folded", folded, "N·m·s/rad", label="b₁ of four joints, folded", digits=3),
            Number("difference", as_damper(), "rad/s²", label="largest difference", digits=1),
        ),
    )


def as_damper() -> float:
    """Return how far [rad/s²] its friction is from dampers of B_a I_a, at random states."""
    theta, rate = np.random.default_rng(1).uniform(-np.pi, np.pi, (2, 200, 4))
    none, per_second = np.zeros(4), np.array(FOUR_B)
    inertia = sequential.frozen(FOUR, theta).inertia
    damped = FOUR.parameters._replace(damping=per_second * inertia)
    with_damper = sequential.forward_dynamics(damped, theta, rate, none)
    with_b = sequential.forward_dynamics(FOUR, theta, rate, none, sequential_damping=per_second)
    return float(np.abs(with_damper - with_b).max())


def _speed() -> Row:
    running = regimes.driven().running
    assert running is not None  # 50 N·m are more than the weight: it turns for ever
    low, high, mean = running.slowest, running.fastest, running.mean
    return Row(
        key="erratum-7",
        title="How fast the driven arm runs",
        where="§3.3",
        printed="between 4 and 5 rad/s",
        ours=f"between {low:.4f} and {high:.4f} rad/s",
        verdict=Verdict.WRONG,
        why="Its other statement, 4 ± 0.5 rad/s, a few lines before, is right.",
        how="the periodic orbit of the driven arm, by the phase portrait",
        size=(
            f"{4.0 - low:.2f} and {5.0 - high:.2f} rad/s at the two ends; the mean over time is "
            f"{mean:.5f} rad/s"
        ),
        numbers=(
            Number("slowest", low, "rad/s", printed=4.0, of="running speed", label="slowest"),
            Number("fastest", high, "rad/s", printed=5.0, of="running speed", label="fastest"),
            Number("mean", mean, "rad/s", of="running speed", label="mean over time"),
        ),
    )


def _sine() -> Row:
    angles = np.linspace(-np.pi, np.pi, 1441)
    right = holding_torque(ONE, angles[:, None])[:, 0]
    as_printed = np.array([printed.weight_by_sine(1.0, 1.0, angle) for angle in angles])
    off = float(np.abs(as_printed - right).max())
    weight = float(np.abs(right).max())
    return Row(
        key="erratum-12",
        title="The torque of a weight, with angles from the horizontal",
        where="§5",
        printed="m g r sin θ",
        ours="m g r cos θ",
        verdict=Verdict.CORRECTED,
        why="Angles count from the horizontal everywhere else in the paper, with the cosine.",
        how="the torque that holds one joint (1 m, 1 kg) at angles all round",
        size=f"up to {off / weight:.3f} m g r, {off:.2f} N·m for 1 kg at 1 m",
        numbers=(
            Number("largest", off, "N·m", label="largest difference", digits=4),
            Number("of-weight", off / weight, "m g r", label="of the weight", digits=4),
        ),
    )

"""The errata of paper 002, and what each would cost a reader who takes it by the letter."""

from __future__ import annotations

import numpy as np

from ulna.angles import absolute_to_relative
from ulna.dynamics import absolute, forward_dynamics, holding_torque
from ulna.kinematics import tip
from ulna.papers.garai import elbow, printed, samples
from ulna.papers.row import Number, Row, Verdict

DOWN_AND_UP = np.array([-np.pi / 2, np.pi / 2])  # link 1 straight down, link 2 straight up
SIDEWAYS = np.array([10.0, 0.0])  # [N]
ELBOW = np.array([0.0, 5.0])  # [N·m] a motor at the elbow alone
BELOW = np.array([-0.9, -0.7])  # [m] a target to the left of the base and below it

HOLD = """\
import ulna

arm = ulna.preset("garai")
motors = ulna.dynamics.holding_torque(arm, [0.0, 0.0])
print("of motors", motors, "to the ground", ulna.dynamics.absolute.ground_torques(motors))
"""


def rows() -> tuple[Row, ...]:
    """Judge the five in their order."""
    return _index(), _motors(), _jump(), _quadrant(), _sign()


def _index() -> Row:
    p = samples.rods()
    as_1 = printed.pull(p, DOWN_AND_UP, SIDEWAYS, q_i=1)[0]
    as_2 = printed.pull(p, DOWN_AND_UP, SIDEWAYS, q_i=2)[0]
    return Row(
        key="erratum-1",
        title="An index",
        where="(31), (33)",
        printed="−F_x l₁ sin qᵢ",
        ours="−F_x l₁ sin q₁",
        verdict=Verdict.CORRECTED,
        why="The work of the force in (16) has ∂x/∂q₁, which is −l₁ sin q₁.",
        how="∂r/∂q₁ by differences, and our dynamics in absolute angles with a force at the tip.",
        size=(
            "F_x l₁ (sin q₂ − sin q₁) if i is read as 2: "
            f"{abs(as_2 - as_1):.3g} N·m for {SIDEWAYS[0]:g} N along x, with link 1 straight down "
            "and link 2 straight up."
        ),
        transcription="an i that was a 1",
        numbers=(
            Number("index_1", float(as_1), "N·m", label="i = 1"),
            Number("index_2", float(as_2), "N·m", label="i = 2"),
            Number("apart", float(abs(as_2 - as_1)), "N·m", label="apart"),
        ),
    )


def _motors() -> Row:
    arm, still = samples.arm(), np.zeros(2)
    level = printed.statics(samples.rods(), still, still)
    shoulder = float(holding_torque(arm, still)[0])
    falling = np.cumsum(forward_dynamics(arm, still, still, level))
    flat = arm.replace(gravity=(0.0, 0.0))
    read = absolute.forward_dynamics(flat, still, still, ELBOW)
    right = np.cumsum(forward_dynamics(flat, still, still, ELBOW))
    return Row(
        key="erratum-2",
        title="Whose torques they are",
        where="(17), (21)–(39)",
        printed="δWᵢ = τᵢ dqᵢ, τᵢ of motors at the joints",
        ours="τ₁ − τ₂ in row 1: motors have τ₁ = (38) + (39) and τ₂ = (39)",
        verdict=Verdict.CORRECTED,
        why=(
            "A motor at the elbow pushes link 1 back as hard as it pushes link 2 on, so that in "
            "absolute angles the printed τ are torques to the ground."
        ),
        how="`dynamics.holding_torque` against `dynamics.absolute`, and by the arm's motion.",
        size=(
            f"{level[0]:.1f} in place of {shoulder:.1f} N·m at the shoulder, level. Held by (38) "
            f"and (39) link 1 falls with {-falling[0]:.2f} and link 2 rises with "
            f"{falling[1]:.2f} rad/s²."
        ),
        call=HOLD,
        numbers=(
            Number("equation_38", float(level[0]), "N·m", label="(38), level"),
            Number("equation_39", float(level[1]), "N·m", label="(39), level"),
            Number("shoulder", shoulder, "N·m", label="motor at the shoulder, level"),
            *_turning("falling", falling, "held by (38), (39), level"),
            *_turning("as_read", read, f"{ELBOW[1]:g} N·m at the elbow, lying flat, as printed"),
            *_turning("true", right, f"{ELBOW[1]:g} N·m at the elbow, lying flat, truly"),
        ),
    )


def _turning(name: str, rates: printed.Floats, of: str) -> tuple[Number, ...]:
    return tuple(
        Number(f"{name}_{i}", float(rates[i - 1]), "rad/s²", label=f"link {i}", of=of)
        for i in (1, 2)
    )


def _jump() -> Row:
    right, left = elbow.at_the_jump()
    p = samples.rods()
    return Row(
        key="erratum-3",
        title="The rule of the upper elbow jumps",
        where="(11)",
        printed="θ ≥ 0 for x ≥ 0 and θ ≤ 0 for x < 0",
        ours="the same for one posture; along a path the sign of θ is kept",
        verdict=Verdict.INCOMPLETE,
        why="It does keep the elbow up, but no arm can follow it through x = 0 without a leap.",
        how="(11) to (15) just before and just behind x = 0; `kinematics.track` keeps its branch.",
        size=(
            f"q₁ {right[0]:.1f}° → {left[0]:.1f}° for l = {p.l1:g}, {p.l2:g} and "
            f"y = {elbow.HEIGHT:g}."
        ),
        numbers=(
            Number("q1_right", float(right[0]), "°", label="q₁ at x = 0⁺"),
            Number("q1_left", float(left[0]), "°", label="q₁ at x = 0⁻"),
        ),
    )


def _quadrant() -> Row:
    p, targets = samples.rods(), samples.targets()
    bearing = float(np.degrees(np.arctan2(BELOW[1], BELOW[0])))
    # A bearing between π/2 and π can at best be the mirror image.
    forced = np.asarray(np.pi - np.arctan(BELOW[1] / BELOW[0]))
    reached = printed.position(p, printed.elbow_up_from(p, BELOW, forced))
    miss = float(np.hypot(*(reached - BELOW)))
    left = targets[targets[:, 0] < 0.0]
    outside = float((np.arctan2(left[:, 1], left[:, 0]) < np.pi / 2).mean())
    return Row(
        key="erratum-4",
        title="The quadrant of ϕ",
        where="after (13)",
        printed="ϕ in [π/2, π] when x < 0",
        ours="ϕ in [π/2, π] when x < 0 and y ≥ 0, in (−π, −π/2) when y < 0",
        verdict=Verdict.CORRECTED,
        why="To the left of the base and below it the tip's bearing is in the third quadrant.",
        how="atan2, which the paper uses in the end, has the right quadrant by itself.",
        size=(
            f"For E({BELOW[0]:g}, {BELOW[1]:g}) ϕ is {bearing:.1f}°; forced between 90° and 180° "
            f"it puts the tip {miss:.2f} m away from the target."
        ).replace("-", "−"),
        numbers=(
            Number("bearing", bearing, "°", label="ϕ"),
            Number("miss", miss, "m", label="tip error, ϕ forced"),
            Number("outside", outside, label="part of targets with x < 0 outside", digits=3),
        ),
    )


def _sign() -> Row:
    p, targets, arm = samples.rods(), samples.targets(), samples.arm()
    phi, theta = printed.elbow_up(p, targets)
    q = np.asarray(absolute_to_relative(phi))
    total = samples.apart(theta, -q[:, 1])
    misread = tip(arm, np.stack([phi[:, 0], theta], axis=-1))[:, :2]
    error = float(np.median(np.hypot(*(misread - targets).T)))
    return Row(
        key="erratum-5",
        title="The sign of θ",
        where="(9)–(15)",
        printed="θ = q₁ − q₂",
        ours="the joint angle of the other papers is q₂ − q₁ = −θ",
        verdict=Verdict.REMARK,
        why="It is right, but θ turns the other way round than the joint angle does elsewhere.",
        how="`angles.absolute_to_relative` of the postures for 1,000 targets.",
        size=f"Taken for the joint angle it puts the tip {error:.2f} m off, in the median.",
        numbers=(
            Number("total", total, "rad", label="θ plus the joint angle, at most", digits=2),
            Number("median_error", error, "m", label="median tip error, misread", digits=3),
        ),
    )

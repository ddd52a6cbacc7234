"""Errata of paper 000 about where the arm is: its example, its solver, and singular postures."""

from __future__ import annotations

import math

import numpy as np

from ulna.kinematics import inverse, joints, tip
from ulna.papers.kehl import near_singular as near
from ulna.papers.kehl import printed
from ulna.papers.kehl.motions import TARGET, exact, largest, peak, plan, unit_arm
from ulna.papers.row import Number, Row, Verdict

OUTSIDE = (2.1, 2.8)  # [m] out of reach of links of 1 m


def erratum_1() -> Row:
    bend = float(inverse(unit_arm(), TARGET).q[0, 1])
    degrees = float(np.degrees(bend))
    return Row(
        "erratum-1", "The bend of the example", "§2.4.1",
        "θ₂ = 59.533°, 1.03904686", f"{degrees:.3f}° ({degrees:.5f}°), {bend:.8f}",
        Verdict.CORRECTED,
        "The radians were made from degrees that had been rounded up in place of down.",
        how="arccos(0.50705) in double precision.",
        size=f"{abs(59.533 - degrees):.4f}° and {abs(1.03904686 - bend):.7f} rad",
        numbers=(
            Number("degrees", degrees, "°", 59.533, "θ₂", digits=6),
            Number("radians", bend, "rad", 1.03904686, "θ₂", digits=9),
        ),
    )  # fmt: skip


def erratum_2() -> Row:
    first = float(inverse(unit_arm(), TARGET).q[1, 0])
    reached = tip(unit_arm(), np.array([0.69352343, -1.03904686]))[:2]
    missed = float(np.hypot(*(reached - np.array(TARGET))))
    return Row(
        "erratum-2", "The first angle of the second posture", "§2.4.1",
        "θ₁ = 0.69352343 = 39.74°", f"{first:.8f} = {np.degrees(first):.2f}°",
        Verdict.CORRECTED,
        "atan2(0.3, 1.71) was rounded to 0.174 before it was used.",
        how="`inverse`; and `tip` of the printed angles.",
        size=f"the printed angles miss the point by {1e3 * missed:.2f} mm, with links of 1 m",
        numbers=(
            Number("radians", first, "rad", 0.69352343, "θ₁", digits=8),
            Number("degrees", float(np.degrees(first)), "°", 39.74, "θ₁", digits=6),
            Number("missed", 1e3 * missed, "mm", label="from the point to the tip", digits=3),
        ),
    )  # fmt: skip


def erratum_3() -> Row:
    sides = {x: _elbow_above(x) for x in (TARGET[0], -TARGET[0])}
    return Row(
        "erratum-3", "Which elbow is up", "Code 2",
        "`th2_up` = +arccos", "+arccos is the lower elbow for x > 0, the upper one for x < 0",
        Verdict.WRONG,
        "A positive bend puts the elbow to the right of the line from base to tip, which is below "
        "it as long as the tip is to the right of the base.",
        how="Where `joints` puts the elbow, for the point and for its mirror image.",
        size=f"{-sides[TARGET[0]]:.3f} m below the line at x = 1.71, as much above at x = −1.71",
        numbers=(
            Number("right", sides[TARGET[0]], "m", label="elbow above the line, x = 1.71"),
            Number("left", sides[-TARGET[0]], "m", label="elbow above the line, x = −1.71"),
        ),
    )  # fmt: skip


def _elbow_above(x: float) -> float:
    """Return how far [m] the elbow of `th2_up` is above the line from base to tip."""
    both = printed.inverse_kinematics_both(np.array(x), np.array(TARGET[1]), 1.0, 1.0)
    _, elbow, end = joints(unit_arm(), both[0])
    left = (end[0] * elbow[1] - end[1] * elbow[0]) / np.hypot(*end)
    return float(np.sign(x) * left)


def erratum_13() -> Row:
    found = inverse(unit_arm(), OUTSIDE)
    x, y = (np.array(value) for value in OUTSIDE)
    accepted = printed.inverse_kinematics_both(x, y, 1.0, 1.0)
    missed = float(np.hypot(*(tip(unit_arm(), accepted[0])[:2] - np.array(OUTSIDE))))
    return Row(
        "erratum-13", "Points out of reach", "Code 2",
        "the cosine is clipped to ±1", "say that the point cannot be reached",
        Verdict.INCOMPLETE,
        "`clip` answers with the stretched arm for any point outside, and does not say so.",
        how=f"Both solvers at {OUTSIDE} m with links of 1 m; `inverse` says by how much it is out "
        "of reach, and gives the nearest point.",
        size=f"the tip is {missed:.3g} m from the point",
        numbers=(
            Number("missed", missed, "m", label="printed solver: tip off by"),
            Number("shortfall", float(found.shortfall), "m", label="ours: out of reach by"),
        ),
    )  # fmt: skip


def erratum_14() -> Row:
    right = exact()
    bite = math.pi / float(peak(right.qdd).max())
    read = float(printed.wrap_delta(4.0, 0.0))
    return Row(
        "erratum-14", "Velocities wrapped like angles", "Code 2",
        "differences of velocities modulo 2π", "differences of velocities as they are",
        Verdict.CORRECTED,
        "Only angles repeat after a turn. At 30 ms it does no harm: no velocity changes by π "
        "within a step.",
        how="The largest acceleration on the path, against π in a step.",
        size=f"it matters from steps of {bite:.2f} s on; a change of 4 rad/s is read as "
        f"{read:.3f} rad/s".replace("-", "−"),
        numbers=(
            Number("step", bite, "s", label="step from which it matters", digits=2),
            Number("read", read, "rad/s", label="4 rad/s is read as", digits=4),
        ),
    )  # fmt: skip


def erratum_15() -> Row:
    theta = printed.joint_trajectory(printed.path(), 0.5, 0.5)[:, 0]
    steps = np.abs(np.diff(theta))
    jumps = np.flatnonzero(steps > math.pi)
    when = printed.TIMES[jumps]
    ours = largest(np.diff(plan().q, axis=0))
    return Row(
        "erratum-15", "θ₁ is not unwrapped", "Code 2",
        "θ₁ from atan2 − atan2", "the angle that goes on continuously",
        Verdict.CORRECTED,
        "Where the bearing of the tip passes 180° the angle jumps by a turn, which no joint does; "
        "the wrapped differences hide it from the torques.",
        how="Steps of the printed angles, and of those that `plan` gives.",
        size=f"{len(jumps)} jumps of 2π, at {', '.join(f'{t:.2f}' for t in when)} s",
        numbers=(
            *(Number(f"jump_{k}", float(t), "s", None, f"jump {k}", "", 4)
              for k, t in enumerate(when, start=1)),
            Number("size", float(steps[jumps].max()), "rad", label="largest jump", digits=3),
            Number("ours", ours, "rad", label="ours: largest step", digits=2),
        ),
    )  # fmt: skip


def erratum_23() -> Row:
    closest = min(near.FROM_RIM)
    numbers = tuple(
        Number(f"rim_{gap:g}", near.speed_at_rim(gap), "rad/s", None, "joint speed",
               f"{1e3 * gap:g} mm from the rim", 4)
        for gap in near.FROM_RIM
    )  # fmt: skip
    return Row(
        "erratum-23", "What the nearest branch prevents", "§2.4.2",
        "the distance check avoids singularities", "it prevents switching; singularities remain",
        Verdict.WRONG,
        "However a solution is chosen, the speed of the joints grows without bound as the arm "
        "becomes straight or folds.",
        how=f"Straight outwards at {near.SPEED:g} m/s: a hundredth of the distance, ten times "
        "the speed.",
        size=f"{near.speed_at_rim(closest):.0f} rad/s at {1e3 * closest:g} mm from the rim; "
        f"switches of branch on the way: {near.switches(near.to_rim(closest).q)}",
        numbers=(
            *numbers,
            Number("switches", near.switches(near.to_rim(closest).q), label="branch switches"),
        ),
    )  # fmt: skip

"""Where the arm is: Figures 1 to 3 of paper 000."""

from __future__ import annotations

from functools import partial

import numpy as np

from ulna.kinematics import inverse, tip, track, transforms
from ulna.papers.kehl import figures_kinematics as figures
from ulna.papers.kehl import near_singular as near
from ulna.papers.kehl import printed
from ulna.papers.kehl.motions import TARGET, arm, largest, unit_arm
from ulna.papers.row import Number, Picture, Row, Verdict

FORWARD = """\
import numpy as np
import ulna

arm = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])
x, y, angle = ulna.kinematics.tip(arm, np.radians([40.0, -60.0]))
print(x, y, np.degrees(angle))
print(ulna.kinematics.transforms(arm, np.radians([40.0, -60.0])).product)
"""
INVERSE = """\
import numpy as np
import ulna

arm = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])
found = ulna.kinematics.inverse(arm, (1.71, 0.30))
print(np.degrees(found.q), found.branch)
"""
BRANCH = """\
import ulna

made = ulna.plan(ulna.preset("kehl"), ulna.paths.loops(), elbow="positive")
print(set(made.branch.tolist()), made.problems)
"""
SINGULAR = """\
import ulna

line = ulna.paths.line((-0.6, 0.001), (0.6, 0.001))
made = ulna.plan(ulna.preset("kehl"), line, duration=4.8, elbow="positive")
print(abs(made.qd).max(), *made.problems)
"""


def kinematic_items() -> tuple[Row, ...]:
    """Return the rows on kinematics, in the paper's order."""
    return forward(), inverse_row(), branch(), singular()


def forward() -> Row:
    """Where the tip is at 40° and −60°."""
    q = np.radians([40.0, -60.0])
    x, y, angle = (float(value) for value in tip(unit_arm(), q))
    product = transforms(unit_arm(), q).product
    factors = printed.transform(40, 0), printed.transform(-60, 1), printed.transform(0, 1)
    off = largest(product - printed.MATRIX)
    off_factors = max(largest(a - b) for a, b in zip(factors, printed.FACTORS, strict=True))
    composed = largest(factors[0] @ factors[1] @ factors[2] - product)
    return Row(
        key="forward",
        title="Forward kinematics of two links of 1 m",
        where="§2.3.2, Figure 1",
        printed="(1.71, 0.30, −20°) from three homogeneous transforms",
        ours=f"({x:.6f}, {y:.6f}, {np.degrees(angle):.4g}°)".replace("-", "−"),
        verdict=Verdict.SAME,
        why="All printed matrices and the pose are right to their last figure.",
        how="`transforms` multiplied out, against each of the printed matrices.",
        call=FORWARD,
        numbers=(
            Number("x", x, "m", printed=1.71),
            Number("y", y, "m", printed=0.30),
            Number("angle", float(np.degrees(angle)), "°", printed=-20.0),
            Number("x_matrix", float(product[0, 2]), "m", printed=1.7057, label="x in H"),
            Number("y_matrix", float(product[1, 2]), "m", printed=0.3008, label="y in H"),
            Number("cosine", float(product[0, 0]), printed=0.9397, label="cos θ in H"),
            Number("sine", float(product[1, 0]), printed=-0.342, label="sin θ in H"),
            Number("matrix_off", off, label="H: largest difference", digits=2),
            Number("factors_off", off_factors, label="H₁, H₂, H₃: the same", digits=2),
            Number("composed_off", composed, label="H₁ H₂ H₃ − ours", digits=2),
        ),
        pictures=(
            Picture(
                "000-figure-1.svg",
                "Figure 1: two links of 1 m at θ₁ = 40° and θ₂ = −60°, and where the tip is.",
                figures.forward_figure,
            ),
        ),
    )


def inverse_row() -> Row:
    """Both postures for (1.71, 0.30)."""
    found = inverse(unit_arm(), TARGET)
    degrees = np.degrees(found.q)
    missed = largest(tip(unit_arm(), found.q)[:, :2] - np.array(TARGET))
    return Row(
        key="inverse",
        title="Both postures that reach (1.71, 0.30)",
        where="§2.4.1, Figure 2",
        printed="θ₂ = ±59.533°, θ₁ = −19.82° and 39.74°",
        ours=f"θ₂ = ±{degrees[0, 1]:.4f}°, θ₁ = {degrees[0, 0]:.4f}° and "
        f"{degrees[1, 0]:.4f}°".replace("-", "−"),
        verdict=Verdict.CORRECTED,
        why="The formulas are right; two angles were rounded on the way (errata 1 and 2).",
        how="`inverse` gives both postures, and `tip` leads them back to the point.",
        call=INVERSE,
        numbers=(
            Number(
                "cosine", float(np.cos(found.q[0, 1])), printed=0.50705, label="cos θ₂", digits=5
            ),
            Number("bend", float(degrees[0, 1]), "°", 59.533, "θ₂", "positive bend"),
            Number("first", float(degrees[0, 0]), "°", -19.82, "θ₁", "positive bend"),
            Number("bend_other", float(degrees[1, 1]), "°", -59.533, "θ₂", "negative bend"),
            Number("first_other", float(degrees[1, 0]), "°", 39.74, "θ₁", "negative bend"),
            Number(
                "half_bend_off",
                largest(found.q[:, 0] - (np.arctan2(TARGET[1], TARGET[0]) - found.q[:, 1] / 2)),
                "rad",
                label="θ₁ − (atan2(y, x) − θ₂/2)",
                digits=2,
            ),
            Number("missed", missed, "m", label="from the point to the tip", digits=2),
        ),
        pictures=(
            Picture(
                "000-figure-2.svg",
                "Figure 2: the two postures for (1.71, 0.30). For a point to the right of the "
                "base the positive bend has its elbow below.",
                figures.inverse_figure,
            ),
        ),
    )


def branch() -> Row:
    """Keeping a branch along the path by wrapped distance."""
    points = printed.path()
    theirs = printed.joint_trajectory(points, 0.5, 0.5)
    unwrapped = printed.joint_trajectory(points, 0.5, 0.5, wrapped=False)
    ours = track(arm(), points, start="positive").q
    off = largest(printed.wrap_delta(ours, theirs))
    kept, lost = near.switches(theirs), near.switches(unwrapped)
    return Row(
        key="branch",
        title="A branch kept along the path by wrapped distance",
        where="§2.4.2, Code 2",
        printed="the solution nearer to the last one, angles compared modulo a turn",
        ours=f"the same postures: {kept} switches on 2,000 points",
        verdict=Verdict.SAME,
        why="Comparing modulo a turn is what keeps the elbow on its side: with plain differences "
        f"it would change sides {lost} times, where the tip's bearing passes 180°.",
        how="The printed solver and `track` at the same points; then the solver without wrapping.",
        call=BRANCH,
        numbers=(
            Number("off", off, "rad", label="printed solver − ours, at most", digits=2),
            Number("switches", kept, label="switches, wrapped distance"),
            Number("switches_unwrapped", lost, label="switches, plain distance"),
        ),
        pictures=(
            Picture(
                "000-branch.svg",
                "The bend of the elbow along the path, the nearer solution taken by wrapped and "
                "by plain distance.",
                partial(figures.branch_figure, theirs, unwrapped),
            ),
        ),
    )


def singular() -> Row:
    """What the check of §2.4.2 does near a singularity, and what it cannot do."""
    kept, lost = near.nearest_branch(), near.upper_elbow()
    past = {d: near.speed_past_base(d) for d in near.PAST_BASE}
    rim = {gap: near.speed_at_rim(gap) for gap in near.FROM_RIM}
    closest = min(near.PAST_BASE)
    return Row(
        key="singular",
        title="A path close to a singularity",
        where="§2.4.2, Figure 3",
        printed="a distance check on the angles avoids singularities and switching",
        ours=f"switching yes; but {near.SPEED:g} m/s at {1e3 * closest:g} mm from the base asks "
        f"for {past[closest]:.0f} rad/s",
        verdict=Verdict.CORRECTED,
        why="The check keeps the elbow on its side; near a singular posture the joints must still "
        "turn without bound, whatever the solver (erratum 23).",
        how="Straight lines past the base and up to the rim at constant speed, by `plan`: the "
        "speeds grow as v/d past the base and as v √(2/d) at the rim.",
        size=f"a step of at most {near.largest_step(kept):.2f} rad in {near.STEP:g} s with the "
        f"check, of {near.largest_step(lost):.2f} rad with the upper elbow throughout",
        call=SINGULAR,
        numbers=(
            Number("switches", near.switches(kept), label="switches", of="nearest branch"),
            Number("step", near.largest_step(kept), "rad", None, "largest step", "nearest branch"),
            Number("switches_up", near.switches(lost), label="switches", of="upper elbow"),
            Number("step_up", near.largest_step(lost), "rad", None, "largest step", "upper elbow"),
            *(
                Number(f"past_{d:g}", v, "rad/s", None, "joint speed", f"{1e3 * d:g} mm past base")
                for d, v in past.items()
            ),
            *(
                Number(f"rim_{d:g}", v, "rad/s", None, "joint speed", f"{1e3 * d:g} mm from rim")
                for d, v in rim.items()
            ),
            Number(
                "condition",
                near.condition_past_base(closest),
                label=f"condition number, {1e3 * closest:g} mm past the base",
            ),
        ),
        pictures=(
            Picture(
                "000-figure-3.svg",
                "Figure 3: a line past the base. The check keeps the angles from jumping; the "
                "nearer the line, the faster the joints all the same.",
                figures.singular_figure,
            ),
        ),
    )

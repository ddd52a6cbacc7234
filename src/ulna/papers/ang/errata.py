"""The errata of paper 004 in its inverse: the root, the branch and the first angle."""

from __future__ import annotations

import numpy as np

from ulna.kinematics import inverse
from ulna.papers.ang import inverse as printed_inverse
from ulna.papers.ang import printed, samples
from ulna.papers.row import Number, Row, Verdict

CENTIMETRES = 100.0


def rows() -> tuple[Row, ...]:
    """Judge errata 1 to 5."""
    return _sine(), _tangent(), _power(), _branch(), _first_angle()


def _sine() -> Row:
    example, targets = samples.example(), samples.targets()
    twice = 2 * example.l1 * example.l2
    as_printed = float(np.sqrt(printed.sine_radicand(*example)) / twice)
    right = float(np.sqrt(printed.repaired_radicand(*example)) / twice)
    sines = np.sqrt(np.maximum(printed.sine_radicand(*targets), 0.0))
    above = float((sines > 2 * targets.l1 * targets.l2).mean())
    return Row(
        key="erratum-1",
        title="The sign of r⁴ in the sine",
        where="sin θ₂",
        printed="√(r⁴ + 2 r² (L₁² + L₂²) − (L₁² − L₂²)²) / (2 L₁ L₂)",
        ours="−r⁴: the radicand is [(L₁ + L₂)² − r²] [r² − (L₁ − L₂)²]",
        verdict=Verdict.CORRECTED,
        why="The line before it has −r⁴, and only so is the root a sine.",
        how="The radicand expanded from 4 L₁² L₂² (1 − cos² θ₂), and in factors.",
        size=(
            f"For P({example.x:g}, {example.y:g}) a sine of {as_printed:.2f} in place of "
            f"{right:.3f}; above one for {above:.0%} of {samples.TARGETS:,} targets."
        ),
        numbers=(
            Number("sine_printed", as_printed, label="sin θ₂ as printed"),
            Number("sine", right, label="sin θ₂"),
            Number("above_one", above, label="part of targets with a sine above one", digits=3),
        ),
    )


def _tangent() -> Row:
    example = samples.example()
    as_printed = float(np.degrees(printed.bend(printed.sine_radicand(*example), *example)))
    right = float(np.degrees(printed.bend(printed.repaired_radicand(*example), *example)))
    return Row(
        key="erratum-2",
        title="The same sign in the tangent",
        where="tan θ₂",
        printed="√((x² + y²)² + 2 (x² + y²) (L₁² + L₂²) − (L₁² − L₂²)²)",
        ours="−(x² + y²)²",
        verdict=Verdict.CORRECTED,
        why="It is carried over from the sine.",
        how="Against `kinematics.inverse`, for the same target.",
        size=(
            f"θ₂ of {as_printed:.1f}° in place of {right:.1f}° for P({example.x:g}, {example.y:g})."
        ),
        numbers=(
            Number("theta2_printed", as_printed, "°", label="θ₂ as printed"),
            Number("theta2", right, "°", label="θ₂"),
        ),
    )


def _power() -> Row:
    metres = samples.example()
    centimetres = samples.Example(*(CENTIMETRES * value for value in metres))
    as_printed, right = (
        [float(np.degrees(printed.bend(root(*unit), *unit))) for unit in (metres, centimetres)]
        for root in (printed.solution_radicand, printed.repaired_radicand)
    )
    return Row(
        key="erratum-3",
        title="A power too many",
        where="the table of cases, and the solution",
        printed="2 (x² + y²)² (L₁² + L₂²)",
        ours="2 (x² + y²) (L₁² + L₂²)",
        verdict=Verdict.CORRECTED,
        why="The term would be a sixth power of a length among fourth powers.",
        how="The same arm and target in metres and in centimetres must give the same angle.",
        size=f"θ₂ of {as_printed[0]:.1f}° in metres and {as_printed[1]:.1f}° in centimetres.",
        numbers=(
            Number("metres_printed", as_printed[0], "°", label="in metres", of="θ₂ as printed"),
            Number("centimetres_printed", as_printed[1], "°", label="in cm", of="θ₂ as printed"),
            Number("metres", right[0], "°", label="in metres", of="θ₂"),
            Number("centimetres", right[1], "°", label="in cm", of="θ₂"),
        ),
    )


def _branch() -> Row:
    targets = samples.targets()
    found = inverse(samples.arms(), np.stack([targets.x, targets.y], axis=-1))
    bends = found.q[..., 1]
    opposite = float(np.abs(bends[:, 0] + bends[:, 1]).max())
    return Row(
        key="erratum-4",
        title="The other posture",
        where="sin θ₂ and the solution",
        printed="sin θ₂ = +√…",
        ours="sin θ₂ = ±√…: two postures",
        verdict=Verdict.INCOMPLETE,
        why="A cosine leaves the sign of its angle open, and the problem asks for all postures.",
        how=f"`kinematics.inverse` on {samples.TARGETS:,} targets: both reach, with opposite θ₂.",
        size=f"One of {int(found.valid.sum(axis=-1).min())} postures is never found.",
        numbers=(
            Number("postures", float(found.valid.sum(axis=-1).mean()), label="postures a target"),
            Number(
                "positive",
                float((samples.right_bend() >= 0.0).mean()),
                label="part of bends that the formula makes positive",
            ),
            Number("opposite", opposite, "rad", label="sum of both bends, at most", digits=2),
        ),
    )


def _first_angle() -> Row:
    example, errors = samples.example(), printed_inverse.errors()
    bend = printed.bend(printed.repaired_radicand(*example), *example)
    as_printed = float(np.degrees(printed.first_angle(example.x, example.y, bend)))
    right = float(np.degrees(printed.repaired_first_angle(*example, bend)))
    median = float(np.median(errors["root"]))
    return Row(
        key="erratum-5",
        title="The first angle",
        where="θ₁",
        printed="θ₁ = atan2(y/x) − θ₂",
        ours="θ₁ = atan2(y, x) − atan2(L₂ sin θ₂, L₁ + L₂ cos θ₂)",
        verdict=Verdict.CORRECTED,
        why="Link 1 leans away from the line to P by an angle of the triangle, which is not θ₂.",
        how="Its own forward kinematics, with everything else put right.",
        size=(
            f"{median:.2f} m at the tip in the median; θ₁ of {as_printed:.1f}° in place of "
            f"{right:.1f}° for P({example.x:g}, {example.y:g})."
        ).replace("-", "−"),
        numbers=(
            Number("theta1_printed", as_printed, "°", label="θ₁ as printed"),
            Number("theta1", right, "°", label="θ₁"),
            Number("median_error", median, "m", label="median tip error", digits=3),
        ),
    )

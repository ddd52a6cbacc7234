"""Paper 004's printed inverse on many targets, and what every repair is worth."""

from __future__ import annotations

from functools import cache

import numpy as np

from ulna.kinematics import inverse
from ulna.papers.ang import printed, samples
from ulna.papers.ang.printed import Floats
from ulna.papers.row import Number, Picture, Row, Verdict

CALL = """\
import ulna

arm = ulna.preset("ang")
found = ulna.kinematics.inverse(arm, [[1.2, 0.6], [-0.4, 0.9], [0.1, -1.5]])
print(found.q, found.residual.max(), "m off at most")
"""


@cache
def errors() -> dict[str, Floats]:
    """Return the tip errors [m] of all targets, as printed and repair by repair, and ours."""
    targets = samples.targets()
    x, y = targets.x, targets.y
    as_printed = printed.bend(printed.solution_radicand(*targets), *targets)
    bend = samples.right_bend()
    ours = inverse(samples.arms(), np.stack([x, y], axis=-1)).q
    return {
        "printed": samples.tip_error(printed.first_angle(x, y, as_printed), as_printed),
        "root": samples.tip_error(printed.first_angle(x, y, bend), bend),
        "repaired": samples.tip_error(printed.repaired_first_angle(*targets, bend), bend),
        "ours": np.maximum(*(samples.tip_error(*ours[:, k].T) for k in range(2))),
    }


def row() -> Row:
    """Judge the printed solution as a whole."""
    from ulna.papers.ang import figures

    found = errors()
    medians = {case: float(np.median(error)) for case, error in found.items()}
    labels = {
        "printed": "as printed",
        "root": "with errata 1 to 3 put right",
        "repaired": "with erratum 5 as well",
        "ours": "ours, the worse of both postures",
    }
    return Row(
        key="printed-inverse",
        title="The printed inverse",
        where="The solution",
        printed="θ₂ by atan2 of a root and a difference, θ₁ = atan2(y/x) − θ₂.",
        ours="`kinematics.inverse`: both postures, each to the last digit.",
        verdict=Verdict.WRONG,
        why=(
            f"On {samples.TARGETS:,} targets in reach its median tip error is "
            f"{medians['printed']:.2f} m; with the root put right {medians['root']:.2f} m, with "
            f"θ₁ as well {medians['repaired']:.0e} m."
        ),
        how=(
            f"Links of {samples.SHORTEST:g} to {samples.LONGEST:g} m, postures over the whole "
            "circle, its own forward kinematics to see where the tip comes to be."
        ),
        call=CALL,
        numbers=tuple(
            Number(case, medians[case], "m", label="median tip error", of=label, digits=3)
            for case, label in labels.items()
        ),
        pictures=(
            Picture(
                "004-printed-inverse.svg",
                f"How far {samples.TARGETS:,} targets are missed, repair by repair.",
                figures.tip_errors,
            ),
        ),
    )

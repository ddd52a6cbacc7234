"""Arc cosine or atan2: how many digits each keeps of θ₂ where the arm is nearly straight.

A cosine near one hardly changes with its angle: an error ε in cos θ₂ is one of ε/θ₂ in θ₂, that is
ε/θ₂² of it. Under a root, taken out, the same difference of nearly equal numbers does the same
harm. In factors it is gone, if lengths and distance are exact, as they are made here; where they
are rounded already, nothing brings the digits back.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import atan, sqrt

import numpy as np

from ulna.arm import Arm
from ulna.kinematics import inverse
from ulna.papers.ang import printed, samples
from ulna.papers.ang.printed import Floats
from ulna.papers.row import Number, Picture, Row, Verdict

L1, L2 = 1.0, 0.75  # [m] exact in binary, and so is their sum
BENDS = np.logspace(-7, 0, 15)  # [rad]
POWERS = {1e-2: "10⁻²", 1e-4: "10⁻⁴", 1e-6: "10⁻⁶"}  # [rad] the bends in the table
SHOWN = tuple(POWERS)
TRIES = 60  # distances around each bend
STRAIGHT = 2000  # arms stretched out
WAYS = {
    "arccos": "arc cosine, as printed",
    "expanded": "atan2, the radicand as printed but for its errata",
    "factored": "atan2, the radicand in factors",
    "ours": "`kinematics.inverse`",
}


@cache
def errors() -> dict[str, Floats]:
    """Return the median relative error of θ₂ for every bend, way by way."""
    tries = [_tried(bend, k) for k, bend in enumerate(BENDS)]
    return {way: np.array([one[way] for one in tries]) for way in (*WAYS, "rounded")}


def kept(way: str, bend: float) -> float:
    """Return how many decimal digits of θ₂ are right around a bend."""
    place = int(np.argmin(np.abs(np.log(BENDS / bend))))
    return float(-np.log10(errors()[way][place]))


@cache
def beyond_one() -> float:
    """Return the part of stretched arms for which the cosine is rounded beyond one."""
    random = np.random.default_rng(7)
    l1, l2 = random.uniform(samples.SHORTEST, samples.LONGEST, (2, STRAIGHT))
    targets = printed.forward(l1, l2, random.uniform(-np.pi, np.pi, STRAIGHT), 0.0)
    return float(np.isnan(printed.by_arccos(l1, l2, *targets)).mean())


def row() -> Row:
    """Judge the advice to prefer atan2."""
    from ulna.papers.ang import figures

    finest = SHOWN[-1]
    lost = kept("ours", finest) - kept("arccos", finest)
    return Row(
        key="arccos-or-atan2",
        title="Why atan2",
        where="before sin θ₂",
        printed="cos⁻¹ performs poorly in numbers; atan2 is better.",
        ours="It is, with the radicand in factors; expanded it loses as many digits as cos⁻¹.",
        verdict=Verdict.INCOMPLETE,
        why=(
            f"At θ₂ = {POWERS[finest]} the arc cosine keeps {kept('arccos', finest):.0f} digits "
            f"and loses {lost:.0f}; atan2 of the expanded root keeps "
            f"{kept('expanded', finest):.0f}, in factors {kept('factored', finest):.0f}."
        ),
        how=(
            f"Distances around each bend for links of {L1:g} and {L2:g} m, against exact "
            "fractions. Where x and y are rounded, no way keeps more than the arc cosine does "
            f"here; but for {beyond_one():.0%} of arms stretched out it has no value at all."
        ),
        call=CALL,
        numbers=(
            *(
                Number(
                    f"{way}_{-round(np.log10(bend))}",
                    kept(way, bend),
                    label=f"θ₂ = {POWERS[bend]}",
                    of=f"digits kept by {words}",
                    digits=3,
                )
                for way, words in (*WAYS.items(), ("rounded", "any, with x and y rounded"))
                for bend in SHOWN
            ),
            Number("beyond_one", beyond_one(), label="part of straight arms without a value"),
        ),
        pictures=(
            Picture(
                "004-arccos-or-atan2.svg",
                "How much of θ₂ is lost near the straight arm, by the way it is computed.",
                figures.lost_digits,
            ),
        ),
    )


CALL = """\
import ulna

arm = ulna.Arm.rods([1.0, 0.75], [1.0, 1.0])
for gap in (1e-4, 1e-8, 1e-12):
    print(ulna.kinematics.inverse(arm, [1.75 - gap, 0.0]).q[0, 1])
"""


def _tried(bend: float, seed: int) -> dict[str, float]:
    """Return the median relative error of each way around one bend."""
    random = np.random.default_rng(seed)
    th1, th2 = random.uniform(-np.pi, np.pi, TRIES), bend * random.uniform(0.7, 1.4, TRIES)
    x, y = printed.forward(L1, L2, th1, th2)
    r = np.hypot(x, y)
    right = np.array([_exactly(distance) for distance in r])
    on_the_axis = L1, L2, r, 0.0
    answers = {
        "arccos": printed.by_arccos(*on_the_axis),
        "expanded": printed.bend(printed.repaired_radicand(*on_the_axis), *on_the_axis),
        "factored": printed.bend(printed.factored_radicand(L1, L2, r), *on_the_axis),
        "ours": inverse(_arm(), np.stack([r, np.zeros(TRIES)], axis=-1)).q[:, 0, 1],
        "rounded": th2,  # what the exact answer for the rounded point is away from
    }
    tiniest = np.finfo(float).eps / 4.0  # of a right answer, for the logarithm
    return {
        way: max(float(np.nanmedian(np.abs(answer - right) / right)), tiniest)
        for way, answer in answers.items()
    }


def _exactly(r: float) -> float:
    """Return θ₂ for a distance: half of it has the tangent √(A/B), with A and B in fractions."""
    l1, l2, distance = Fraction(L1), Fraction(L2), Fraction(float(r))
    a, b = (l1 + l2) ** 2 - distance**2, distance**2 - (l1 - l2) ** 2
    return 2.0 * atan(sqrt(a / b)) if a > 0 else float("nan")


@cache
def _arm() -> Arm:
    return Arm.rods([L1, L2], [1.0, 1.0])

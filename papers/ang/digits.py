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
from matplotlib.figure import Figure

from papers.ang import printed, rows, samples
from papers.ang.printed import Floats
from papers.figures import series
from papers.rows_file import Values
from ulna.arm import Arm
from ulna.kinematics import inverse
from ulna.viewer import PRINT, Theme, styled

L1, L2 = 1.0, 0.75  # [m] exact in binary, and so is their sum
BENDS = np.logspace(-7, 0, 15)  # [rad]
SHOWN = {2: 1e-2, 4: 1e-4, 6: 1e-6}  # [rad] the bends in the table, by their powers of ten
TRIES = 60  # distances around each bend
STRAIGHT = 2000  # arms stretched out
WAYS = ("arccos", "expanded", "factored", "ours", "rounded")


@rows.values("arccos-or-atan2")
def arccos_or_atan2() -> Values:
    digits = {way: {power: kept(way, SHOWN[power]) for power in SHOWN} for way in WAYS}
    return {
        **digits,
        "lost": digits["ours"][6] - digits["arccos"][6],
        "l1": L1,
        "l2": L2,
        "beyond_one": beyond_one(),
    }


@cache
def errors() -> dict[str, Floats]:
    """Return the median relative error of θ₂ for every bend, way by way."""
    tries = [_tried(bend, k) for k, bend in enumerate(BENDS)]
    return {way: np.array([one[way] for one in tries]) for way in WAYS}


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


@rows.picture("004-arccos-or-atan2.svg")
def lost_digits(*, theme: Theme = PRINT) -> Figure:
    """Draw the relative error of θ₂ against θ₂ itself, way by way."""
    found = errors()
    names = {
        "arccos": "arc cosine",
        "expanded": "atan2, expanded root",
        "factored": "atan2, root in factors",
    }
    with styled(theme):
        figure = Figure(figsize=(8.0, 4.6), dpi=150, layout="constrained")
        axes = figure.add_subplot()
        for style, (way, words) in zip(series(3, theme), names.items(), strict=True):
            axes.loglog(BENDS, found[way], lw=2.0, label=words, **style)
        axes.loglog(
            BENDS,
            found["rounded"],
            color=theme.muted,
            lw=1.2,
            ls=":",
            label="what rounding of x and y costs anyway",
        )
        axes.set(xlabel="θ₂ [rad], 0 is the straight arm", ylabel="relative error of θ₂")
        axes.set_title("What is left of θ₂ near the straight arm")
        axes.legend(loc="upper right")
    return figure

"""Paper 004's printed inverse on many targets, what every repair is worth, and its errata."""

from __future__ import annotations

from functools import cache

import numpy as np
from matplotlib.figure import Figure

from papers.ang import printed, rows, samples
from papers.ang.printed import Floats
from papers.rows_file import Values
from ulna import dynamics, kinematics
from ulna.viewer import PRINT, Theme, styled

SMALLEST = 1e-18  # [m] of the errors that are shown; those that are zero are put there
CENTIMETRES = 100.0
FAR = (3.0, 0.0)  # [m] nothing of the printed solution says that it is too far
STATES = 100


@rows.values("printed-inverse")
def median_errors() -> Values:
    return {
        "targets": samples.TARGETS,
        "shortest": samples.SHORTEST,
        "longest": samples.LONGEST,
        **{case: np.median(error) for case, error in errors().items()},
    }


@cache
def errors() -> dict[str, Floats]:
    """Return the tip errors [m] of all targets, as printed and repair by repair, and ours."""
    targets = samples.targets()
    x, y = targets.x, targets.y
    as_printed = printed.bend(printed.solution_radicand(*targets), *targets)
    bend = samples.right_bend()
    ours = kinematics.inverse(samples.arms(), np.stack([x, y], axis=-1)).q
    return {
        "printed": samples.tip_error(printed.first_angle(x, y, as_printed), as_printed),
        "root": samples.tip_error(printed.first_angle(x, y, bend), bend),
        "repaired": samples.tip_error(printed.repaired_first_angle(*targets, bend), bend),
        "ours": np.maximum(*(samples.tip_error(*ours[:, k].T) for k in range(2))),
    }


@rows.picture("004-printed-inverse.svg")
def tip_errors(*, theme: Theme = PRINT) -> Figure:
    """Draw how far targets are missed as printed, and after each repair."""
    found = errors()
    cases = {
        "printed": "as printed",
        "root": "errata 1–3 put right",
        "repaired": "erratum 5 as well",
    }
    edges = list(np.logspace(np.log10(SMALLEST), 1.0, 115))
    with styled(theme):
        figure = Figure(figsize=(8.0, 4.6), dpi=150, layout="constrained")
        axes = figure.add_subplot()
        for k, (case, words) in enumerate(cases.items()):
            error = np.maximum(found[case], SMALLEST)
            median = np.median(found[case])
            label = f"{words}: median {median:.3g} m"
            axes.hist(error, edges, color=theme.data[k], alpha=0.55, label=label)
        axes.set(
            xscale="log",
            xlim=(0.7 * SMALLEST, 10.0),
            xlabel="distance from tip to target [m]",
            ylabel=f"of {samples.TARGETS:,} targets",
        )
        axes.set_title("What each repair of the printed inverse is worth")
        axes.legend(loc="upper center")
        exact = int((found["repaired"] < SMALLEST).sum())
        place = (1.6 * SMALLEST, 0.9 * exact)
        axes.text(*place, f"{exact:,}\nexact", color=theme.data[2], va="top")
    return figure


@rows.values("erratum-1")
def sign_in_the_sine() -> Values:
    example, targets = samples.example(), samples.targets()
    twice = 2 * example.l1 * example.l2
    sines = np.sqrt(np.maximum(printed.sine_radicand(*targets), 0.0))
    return {
        "example": example,
        "sine_printed": np.sqrt(printed.sine_radicand(*example)) / twice,
        "sine": np.sqrt(printed.repaired_radicand(*example)) / twice,
        "above_one": (sines > 2 * targets.l1 * targets.l2).mean(),
        "targets": samples.TARGETS,
    }


@rows.values("erratum-2")
def sign_in_the_tangent() -> Values:
    example = samples.example()
    return {
        "example": example,
        "theta2_printed": np.degrees(printed.bend(printed.sine_radicand(*example), *example)),
        "theta2": np.degrees(printed.bend(printed.repaired_radicand(*example), *example)),
    }


@rows.values("erratum-3")
def power_too_many() -> Values:
    metres = samples.example()
    units = {"metres": metres, "centimetres": [CENTIMETRES * value for value in metres]}
    roots = {"_printed": printed.solution_radicand, "": printed.repaired_radicand}
    return {
        unit + ending: np.degrees(printed.bend(root(*lengths), *lengths))
        for unit, lengths in units.items()
        for ending, root in roots.items()
    }


@rows.values("erratum-4")
def other_posture() -> Values:
    targets = samples.targets()
    found = kinematics.inverse(samples.arms(), np.stack([targets.x, targets.y], axis=-1))
    bends, postures = found.q[..., 1], found.valid.sum(axis=-1)
    return {
        "targets": samples.TARGETS,
        "fewest": postures.min(),
        "postures": postures.mean(),
        "positive": (samples.right_bend() >= 0.0).mean(),
        "opposite": np.abs(bends[:, 0] + bends[:, 1]).max(),
    }


@rows.values("erratum-5")
def first_angle() -> Values:
    example = samples.example()
    bend = printed.bend(printed.repaired_radicand(*example), *example)
    return {
        "example": example,
        "theta1_printed": np.degrees(printed.first_angle(example.x, example.y, bend)),
        "theta1": np.degrees(printed.repaired_first_angle(*example, bend)),
        "median_error": np.median(errors()["root"]),
    }


@rows.values("erratum-6")
def atan2_of_a_quotient() -> Values:
    targets, bend = samples.targets(), samples.right_bend()
    quotient = np.arctan(targets.y / targets.x) - printed.lean(targets.l1, targets.l2, bend)
    missed = samples.tip_error(quotient, bend) > samples.HIT
    return {
        "missed": missed.mean(),
        "missed_left": missed[targets.x < 0.0].mean(),
        "missed_right": missed[targets.x > 0.0].mean(),
    }


@rows.values("erratum-7")
def letters_of_the_table() -> Values:
    targets = samples.targets()
    bend = printed.bend_by_table(printed.repaired_radicand(*targets), *targets)
    angle = printed.repaired_first_angle(*targets, bend)
    return {"missed": (samples.tip_error(angle, bend) > samples.HIT).mean()}


@rows.values("erratum-8")
def which_angle() -> Values:
    example = samples.example()
    bend = printed.bend(printed.repaired_radicand(*example), *example)
    angles = {"theta2": bend, "theta1": printed.repaired_first_angle(*example, bend)}
    return {"of": {name: np.sqrt(1.0 - np.cos(angle) ** 2) for name, angle in angles.items()}}


@rows.values("erratum-9")
def forward_dynamics() -> Values:
    arm = samples.arm()
    q, qd, qdd = np.random.default_rng(5).uniform(-2.0, 2.0, (3, STATES, 2))
    tau = dynamics.inverse_dynamics(arm, q, qd, qdd)
    apart = np.abs(dynamics.forward_dynamics(arm, q, qd, tau) - qdd).max()
    return {"states": STATES, "round_trip": apart}


@rows.values("erratum-10")
def condition_of_reach() -> Values:
    arm, (l1, l2, *_), (x, y) = samples.arm(), samples.example(), FAR
    bend = printed.bend(printed.solution_radicand(l1, l2, x, y), l1, l2, x, y)
    reached = printed.forward(l1, l2, printed.first_angle(x, y, bend), bend)
    ring = kinematics.workspace(arm)
    return {
        "far": FAR,
        "inner": ring.inner,
        "outer": ring.outer,
        "answer": np.degrees(bend),
        "miss": np.hypot(reached[0] - x, reached[1] - y),
        "shortfall": kinematics.inverse(arm, FAR).shortfall,
    }

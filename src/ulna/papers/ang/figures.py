"""The figures for paper 004."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ulna.papers.ang import samples
from ulna.viewer.style import PRINT, Theme, series, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE = (8.0, 4.6)  # [inches]
SMALLEST = 1e-18  # [m] of the errors that are shown; those that are zero are put there


def both_postures(*, theme: Theme = PRINT) -> Figure:
    """Draw the two postures that put the tip at one place."""
    from ulna import kinematics
    from ulna.viewer import reach_figure

    example, arm = samples.example(), samples.arm()
    target = np.array([example.x, example.y])
    return reach_figure(arm, target, kinematics.inverse(arm, target), theme=theme)


def tip_errors(*, theme: Theme = PRINT) -> Figure:
    """Draw how far targets are missed as printed, and after each repair."""
    from matplotlib.figure import Figure

    from ulna.papers.ang.inverse import errors

    found = errors()
    cases = {
        "printed": "as printed",
        "root": "errata 1–3 put right",
        "repaired": "erratum 5 as well",
    }
    edges = list(np.logspace(np.log10(SMALLEST), 1.0, 115))
    with styled(theme):
        figure = Figure(figsize=SIZE, dpi=150, layout="constrained")
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


def lost_digits(*, theme: Theme = PRINT) -> Figure:
    """Draw the relative error of θ₂ against θ₂ itself, way by way."""
    from matplotlib.figure import Figure

    from ulna.papers.ang.digits import BENDS, errors

    found = errors()
    names = {
        "arccos": "arc cosine",
        "expanded": "atan2, expanded root",
        "factored": "atan2, root in factors",
    }
    with styled(theme):
        figure = Figure(figsize=SIZE, dpi=150, layout="constrained")
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

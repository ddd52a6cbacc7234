"""What a report tells of robustness: percentiles, causes, and a chart of percentiles over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ulna.sweep.robust_results import error_text
from ulna.units import length_text
from ulna.viewer.figure_style import arm_title, cut
from ulna.viewer.report_content import plan_document
from ulna.viewer.web_document import ChartSpec, Curve, DocumentBuilder

if TYPE_CHECKING:
    from ulna.sweep.robust_results import Robustness

MOST_CAUSES = 12  # rows of the table
CURVES = {95.0: (0, True), 75.0: (1, True), 50.0: (1, False), 5.0: (4, True)}  # colour, dashes


def robustness_document(found: Robustness) -> DocumentBuilder:
    """Return what there is to know of arms that are not quite the nominal one, and of the plan."""
    plan = found.plan
    builder = plan_document(plan)
    arm, path = arm_title(plan.arm), cut(str(plan.path))
    builder.header["title"] = f"{arm} along {path}: {len(found):,} arms that are not quite this one"
    builder.header["verdict"] = {"ok": found.ok, "text": found.text}
    add_robustness(builder, found, "Robustness.replay() simulates it again")
    call = f"ulna.robustness(plan, controller, runs={len(found)}, seed={found.seed})"
    builder.notes.append(
        f"The script makes the plan; {call}, with the same controller and the same uncertainty, "
        "draws the same arms."
    )
    return builder


def add_robustness(
    builder: DocumentBuilder, found: Robustness, worst: str = "its run is in worst.nc"
) -> None:
    """Add what became of arms that are not quite the nominal one; say where the worst one is."""
    of_runs = [chart.id == "tip-error" for chart in builder.charts[:1]]
    builder.charts.insert(sum(of_runs), _fan_chart(found))
    level = {True: "good", None: "warning", False: "problem"}[found.ok]
    builder.finding(level, f"robustness: {found.text}")
    for line in found.causes():
        builder.finding("info", f"robustness: {line}")
    if found.failed:
        builder.finding("problem", f"robustness: {found.failed:,} of {len(found):,} runs failed")
    _add_percentiles(builder, found)
    _add_causes(builder, found)
    _add_worst(builder, found, worst)


def _fan_chart(found: Robustness) -> ChartSpec:
    rows = found.fan(tuple(CURVES))
    curves = [
        Curve(f"{level:g} %" if level != 50.0 else "median", found.t, row, colour, dash=dash)
        for (level, (colour, dash)), row in zip(CURVES.items(), rows, strict=True)
    ]
    curves.append(Curve("worst", found.t, np.asarray(found.error[found.worst.number]), 2))
    curves.append(Curve("nominal", found.t, found.nominal, 3))
    limits = [{"label": "tube", "value": found.tube}]
    title, note = "Tip error, percentiles of the arms", f"{len(found):,} arms, seed {found.seed}"
    return ChartSpec("tip-error-fan", title, "mm", curves, 1e3, 3, limits, note=note)


def _add_percentiles(builder: DocumentBuilder, found: Robustness) -> None:
    levels = (50.0, 90.0, 95.0, 99.0)
    shares = found.percentiles(levels)
    rows = [
        (head, length_text(nominal), *(error_text(one) for one in shares[name]))
        for name, head, nominal in (
            ("rms", "RMS", found.nominal_rms),
            ("max", "largest", found.nominal_max),
        )
    ]
    heads = ("tip error", "nominal", *(f"{level:g} % of arms" for level in levels))
    note = f"{found.text}; in brackets the 95 % confidence interval"
    builder.table("Robustness", heads, rows, note)


def _add_causes(builder: DocumentBuilder, found: Robustness) -> None:
    total = {} if found.sobol is None else found.sobol.total
    heads = ["parameter", "rank correlation", "of its distance from the median"]
    rows = []
    for name, one in list(found.rank_correlations.items())[:MOST_CAUSES]:
        cells = [name, _signed(one.value), _signed(one.deviation)]
        rows.append([*cells, _signed(total[name])] if total else cells)
    if total:
        heads.append("total Sobol index")
    more = len(found.parameters) - len(rows)
    note = f"the {len(rows)} strongest of {len(found.parameters)}" if more > 0 else ""
    builder.table("What the largest tip error goes with", heads, rows, note)


def _add_worst(builder: DocumentBuilder, found: Robustness, where: str) -> None:
    worst, units = found.worst, {one.name: one.unit for one in found.parameters}
    rows = [
        (name, f"{value:.6g}" if isinstance(value, float) else str(value), units[name])
        for name, value in worst.values.items()
    ]
    note = f"arm {worst.number}, off by {error_text(worst.error)}; {where}"
    builder.table("The worst arm", ("parameter", "value", "unit"), rows, note)


def _signed(value: float) -> str:
    return f"{value:+.2f}" if math.isfinite(value) else "–"

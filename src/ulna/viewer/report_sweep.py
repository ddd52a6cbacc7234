"""What a report tells of a sweep: sliders for its parameters, its outputs, and what has failed.

Scalars are whole in the page, as 64-bit floats; curves are 32-bit floats. Of a sweep too large for
a page points are evenly picked along its axes, and curves have fewer times; the notes say so.
"""

from __future__ import annotations

import pprint
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.simulation.batch.statuses import WELL
from ulna.simulation.run import versions_here
from ulna.sweep.spec_content import is_complete
from ulna.viewer.figure_style import arm_title, cut
from ulna.viewer.report_content import new_document
from ulna.viewer.report_tables import add_arm_tables
from ulna.viewer.sweep_content import TIME, SweepContent, VariedParameter
from ulna.viewer.web_document import DocumentBuilder, evenly

if TYPE_CHECKING:
    from ulna.sweep.results import Sweep
    from ulna.sweep.sweep_spec import SweepSpec

SCALAR_NUMBERS, CURVE_NUMBERS = 60_000, 150_000  # of a page
FEWEST_TIMES, MOST_TIMES = 40, 400  # of a curve
MOST_FAILED = 24  # points that are told one by one
LINE = 88  # letters of a script's lines
NOT_COMPUTED = "not computed"


def sweep_document(sweep: Sweep) -> DocumentBuilder:
    """Return what there is to know of a sweep."""
    spec, arm = sweep.spec, sweep.spec.base.arm
    content = SweepContent.of(sweep, _most_points(SweepContent.of(sweep)))
    names = " and ".join(one.name for one in content.parameters) or "nothing"
    title = spec.name or f"{arm_title(arm)}: {len(sweep):,} points over {cut(names)}"
    failed = sweep.failed
    told = (
        False if failed or not sweep.is_complete else None,
        f"{len(sweep):,} points: {sweep.status}",
    )
    builder = new_document("sweep", arm, title, _how(spec), told, versions_here())
    builder.header["sweep"] = _sweep_header(builder, content)
    _add_findings(builder, sweep)
    columns = ("parameter", "values", "range")
    rows = [
        (one.name, f"{len(np.unique(one.values)):,}", one.range_text) for one in content.parameters
    ]
    builder.table("Parameters", columns, rows)
    _add_failed(builder, sweep, failed)
    add_arm_tables(builder, arm)
    builder.table("Made with", ("what", "which"), _setting_rows(spec))
    _add_script(builder, spec)
    return builder


def _most_points(content: SweepContent) -> int:
    """Return how many points a page can hold, with their curves."""
    scalars = sum(len(content.components(name)) for name in content.scalars)
    curves = sum(len(content.components(name)) for name in content.curves)
    most = SCALAR_NUMBERS // max(scalars, 1)
    return min(most, CURVE_NUMBERS // (curves * FEWEST_TIMES)) if curves else most


def _how(spec: SweepSpec) -> str:
    base = spec.base
    parts = [cut(str(base.path))] if base.path is not None else []
    if base.controller is not None:
        parts.append(cut(repr(base.controller)))
    if not base.is_simulated:
        parts.append("planned only")
    return ", ".join(parts)


def _sweep_header(builder: DocumentBuilder, content: SweepContent) -> dict[str, Any]:
    words = list(dict.fromkeys(content.status))
    codes = np.array([words.index(word) for word in content.status], dtype=float)
    times = _kept_times(content)
    shown = len(content.status)
    if shown < content.points:
        builder.notes.append(f"{shown:,} of {content.points:,} points are shown, evenly picked.")
    return {
        "grid": content.is_grid,
        "shape": list(content.shape),
        "parameters": [_parameter(builder, one) for one in content.parameters],
        "scalars": [_output(builder, content, name) for name in content.scalars],
        "curves": [_curve(builder, content, name, times) for name in content.curves],
        "status": {
            "words": words,
            "well": [word in WELL for word in words],
            "codes": builder.column(codes),
        },
        "numbers": builder.column(content.numbers, "f64"),
    }


def _parameter(builder: DocumentBuilder, one: VariedParameter) -> dict[str, Any]:
    made: dict[str, Any] = {"name": one.name, "unit": one.unit, "log": one.is_logarithmic}
    made["values"] = builder.column(one.positions, "f64")
    return made if one.is_number else made | {"texts": one.names}


def _output(builder: DocumentBuilder, content: SweepContent, name: str) -> dict[str, Any]:
    columns = content.values(name).reshape(-1, len(content.components(name))).T
    return _head(content, name) | {"values": [builder.column(one, "f64") for one in columns]}


def _head(content: SweepContent, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "about": content.about(name),
        "unit": content.unit(name),
        "components": list(content.components(name)),
    }


def _kept_times(content: SweepContent) -> Any:
    """Return which times of curves are kept, so that a page can hold them."""
    if not content.curves:
        return []
    curves = sum(len(content.components(name)) for name in content.curves)
    room = CURVE_NUMBERS // (curves * len(content.status))
    return evenly(content.dataset.sizes[TIME], min(max(room, FEWEST_TIMES), MOST_TIMES))


def _curve(builder: DocumentBuilder, content: SweepContent, name: str, kept: Any) -> dict[str, Any]:
    components = content.components(name)
    t, clock = content.times(name)
    if len(kept) < len(t):
        text = f"{name}: {len(kept):,} of {len(t):,} times are drawn, evenly picked."
        builder.notes.append(text)
    values = content.values(name).reshape(-1, len(t), len(components))[:, kept]
    return _head(content, name) | {
        "clock": clock,
        "t": builder.times(t[kept]),
        "values": [builder.column(values[..., k].ravel()) for k in range(len(components))],
    }


def _add_findings(builder: DocumentBuilder, sweep: Sweep) -> None:
    left = len(sweep) - sweep.finished
    if left:
        builder.finding("warning", f"{left:,} of {len(sweep):,} points are not computed")
    failed = sweep.failed
    if failed:
        builder.finding(
            "problem", f"{len(failed):,} of {len(sweep):,} points did not run to their end"
        )
    elif not left:
        builder.finding("good", f"all {len(sweep):,} points ran to their end")


def _add_failed(builder: DocumentBuilder, sweep: Sweep, failed: tuple[int, ...]) -> None:
    rows = []
    for number in failed[:MOST_FAILED]:
        where = ", ".join(
            f"{name} = {_value_text(one)}" for name, one in sweep.point(number).items()
        )
        rows.append((f"{number:,}", where, sweep.why(number)))
    note = f"{MOST_FAILED} of {len(failed):,} are listed." if len(failed) > MOST_FAILED else ""
    builder.table("Points that failed", ("point", "where", "why"), rows, note)


def _value_text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _setting_rows(spec: SweepSpec) -> list[tuple[str, str]]:
    """Return what decides the numbers besides the arm and what is varied, in words."""
    left_out = ("format", "arm", "vary", "files")
    rows = [
        (key, cut(_value_text(value)))
        for key, value in spec.content.items()
        if key not in left_out and not isinstance(value, dict)
    ]
    kept = spec.content["keep"]
    rows.append(("kept", ", ".join([*kept["scalars"], *kept["curves"]])))
    rows.append(("design", spec.design.kind))
    return [*rows, ("hash of the spec", spec.hash)]


def _add_script(builder: DocumentBuilder, spec: SweepSpec) -> None:
    if not is_complete(spec.content):
        builder.notes.append("No script repeats this result: a part of it was made in Python.")
        return
    content = pprint.pformat(spec.content, sort_dicts=False, width=LINE)
    builder.header["repeat"]["script"] = (
        f"import ulna\n\nspec = {content}\nsweep = ulna.sweep(spec)\n"
    )

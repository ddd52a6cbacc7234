"""What a report tells of many runs at once: a batch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.simulation.made_with import batch_scenario
from ulna.viewer import repeat
from ulna.viewer.report_charts import MOST_JOINTS
from ulna.viewer.report_content import add_script, new_document, widen_span
from ulna.viewer.report_tables import setting_rows
from ulna.viewer.web_document import ChartSpec, Curve, DocumentBuilder, MotionSpec, evenly

if TYPE_CHECKING:
    from ulna.simulation import BatchRun

MOST_MEMBERS = 24  # that are drawn
MOST_TIPS = 2_000  # points of a cloud


def batch_document(batch: BatchRun) -> DocumentBuilder:
    """Return what there is to know of a batch."""
    arm, count = batch[0].run.arm.replace(name="first arm of the batch"), len(batch)
    done = int(np.sum(batch.status.ok))
    how = "" if done == count else f": {batch.status}"
    ok = None if done == count else False  # nothing was asked of them that they could pass
    told = (ok, f"{done:,} of {count:,} arms ran to the end{how}")
    title = f"{count:,} arms of {batch.n} link{'s' * (batch.n > 1)}"
    subtitle = f"{batch.t[-1]:.4g} s, {batch.settings.get('method')}"
    builder = new_document("batch", arm, title, subtitle, told, batch.versions)
    members = evenly(count, MOST_MEMBERS)
    widen_span(builder, batch.t)
    for k in members:
        one = batch[int(k)]
        tau = None if one.tau is None else np.asarray(one.tau)
        motion = MotionSpec(f"arm {k}", "member", one.t, np.asarray(one.q), tau, one.status.text)
        builder.motions.append(motion)
    if len(members) < count:
        builder.notes.append(f"{len(members)} of {count:,} arms are drawn, evenly picked.")
    if len(batch.t) > 1:
        builder.charts.extend(_spread(batch, joint) for joint in range(min(batch.n, MOST_JOINTS)))
    _add_tips(builder, batch)
    for ending in batch.status.endings():
        level = "good" if ending.reason in ("done", "stopped") else "problem"
        builder.finding(level, str(ending), None if level == "good" else ending.t)
    rows = [(one.reason, f"{one.number:,}", str(one.first)) for one in batch.status.endings()]
    builder.table("How they ended", ("ended", "arms", "first"), rows)
    builder.table("Made with", ("what", "which"), setting_rows(batch_scenario(batch.settings)))
    return add_script(builder, lambda: repeat.batch_script(batch))


def _spread(batch: BatchRun, joint: int) -> ChartSpec:
    """Return least, median and largest angle of a joint over all arms."""
    values = np.asarray(batch.q[:, :, joint])
    known = np.isfinite(values).any(axis=0)
    rows = np.full((3, len(batch.t)), np.nan)
    if known.any():
        rows[:, known] = np.nanquantile(values[:, known], (0.5, 0.0, 1.0), axis=0)
    curves = [
        Curve(name, batch.t, row, joint, dash=name != "median")
        for name, row in zip(("median", "least", "largest"), rows, strict=True)
    ]
    title, degrees = f"Angle of joint {joint + 1}, all arms", math.degrees(1.0)
    return ChartSpec(f"angle-{joint + 1}", title, "°", curves, degrees, 2)


def _add_tips(builder: DocumentBuilder, batch: BatchRun) -> None:
    """Add where the tips are in the end."""
    picked = evenly(len(batch), MOST_TIPS)
    some: BatchRun = batch[picked]  # type: ignore[assignment]  # an array selects a batch
    tips = some.tip[:, -1, :2]
    points = [{"x": x, "y": y, "role": "tip"} for x, y in tips.tolist() if math.isfinite(x + y)]
    axes = {name: {"label": name, "unit": "m", "factor": 1.0} for name in "xy"}
    plane: dict[str, Any] = {"id": "tips", "title": "Tips in the end", **axes}
    builder.planes.append(plane | {"curves": [], "points": points})

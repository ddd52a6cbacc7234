"""What a report tells of a result: its verdict, motions, charts, findings and tables.

There is a function for every kind of result: a run, a plan, runs along a plan, a batch, a portrait.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ulna.analysis import FollowingVerdict, tracking, verdict
from ulna.analysis.following_verdict import EXIT_RADII, POSITIONS, follows_by_positions
from ulna.analysis.joint_effort import effort
from ulna.arm import Arm
from ulna.arm.parameters import are_limited
from ulna.arrays import Array, runs
from ulna.kinematics import tip
from ulna.motion import Plan
from ulna.simulation import Run
from ulna.simulation.made_with import controller_text
from ulna.simulation.motor_use import motor_troubles
from ulna.units import length_text
from ulna.viewer import repeat
from ulna.viewer.arm_drawing import strokes_and_travel
from ulna.viewer.figure_style import arm_title, cut
from ulna.viewer.report_charts import (
    energy_chart,
    plan_charts,
    run_charts,
    term_charts,
    tip_error_chart,
)
from ulna.viewer.report_tables import (
    add_arm_tables,
    add_effort_table,
    add_plan_table,
    arm_header,
    plan_rows,
    setting_rows,
)
from ulna.viewer.web_document import ChartSpec, Curve, DocumentBuilder, MotionSpec

if TYPE_CHECKING:
    from ulna.analysis import Tracking

MOST_CONTACTS = 12  # that are told one by one
PLANNED = "plan"  # the label of a plan's motion
OPEN, CLOSED = "open", "closed"  # roles of runs along a plan
LABELS = ("closed loop", POSITIONS, "open loop")  # the first of them is judged


def new_document(
    kind: str,
    arm: Arm,
    title: str,
    subtitle: str,
    told: tuple[bool | None, str],
    versions: Mapping[str, str],
) -> DocumentBuilder:
    """Return a document with its heading and its arm."""
    ok, text = told
    return DocumentBuilder(
        {
            "kind": kind,
            "title": title,
            "subtitle": subtitle,
            "verdict": {"ok": ok, "text": text},
            "arm": arm_header(arm),
            "span": [0.0, 0.0],
            "repeat": {"command": None, "script": None},
            "versions": dict(versions),
        }
    )


def run_document(run: Run) -> DocumentBuilder:
    """Return what there is to know of a run by itself."""
    label = "run"
    title = f"{arm_title(run.arm)}: {run.t[-1] - run.t[0]:.4g} s simulated"
    status = run.status
    judged = None if status.ok else False  # nothing was asked of it that it could pass
    builder = new_document("run", run.arm, title, _how(run), (judged, status.text), run.versions)
    _add_run(builder, run, label, "run")
    if run.q_ref is not None:
        with np.errstate(all="ignore"):
            asked = tip(run.arm, run.q_ref)[:, :2]
            error = np.hypot(*(run.tip[:, :2] - asked).T)
        error[-1] = np.nan  # no tick reads the reference at the end: it is still that of the last
        builder.path = asked
        curves = [Curve("tip", run.t, error, 0, label)]
        builder.charts.append(ChartSpec("tip-error", "Tip error", "mm", curves, 1e3))
    builder.charts.extend(run_charts(run, label))
    if run.scenario.controller is None:
        builder.charts.append(energy_chart(run, label))
    if not status.ok:
        builder.finding("problem", status.text, float(run.t[-1]), label)
    add_run_findings(builder, run, label)
    add_arm_tables(builder, run.arm)
    add_effort_table(builder, effort(run), "What it took")
    builder.table("Made with", ("what", "which"), setting_rows(run.scenario))
    return add_script(builder, lambda: repeat.run_script(run))


def following_document(
    plan: Plan,
    runs: Mapping[str, Run],
    *,
    judged: FollowingVerdict | None = None,
    growth: Mapping[str, str] | None = None,
) -> DocumentBuilder:
    """Return what became of runs along a plan.

    Parameters
    ----------
    plan : Plan
        What they were to follow.
    runs : mapping of str to Run
        By their labels; none for a plan that leaves nothing to simulate.
    judged : FollowingVerdict, optional
        Whether the closed loop follows; found out unless given.
    growth : mapping of str to str, optional
        How errors grow, in sentences, by the labels of the runs.
    """
    if not runs:
        return plan_document(plan, judged=judged)
    first = min(runs, key=lambda label: LABELS.index(label_of(runs[label])))
    if judged is None:
        judged = verdict(runs[first], plan)
    title = f"{arm_title(plan.arm)} follows {cut(str(plan.path))}"
    told = (judged.follows, judged.text)
    run = runs[first]
    builder = new_document("following", plan.arm, title, _how(run), told, run.versions)
    # The judged run comes first.
    ordered = {first: run} | {label: one for label, one in runs.items() if label != first}
    found = {label: tracking(one, plan) for label, one in ordered.items()}
    for label, one in ordered.items():
        _add_run(builder, one, label, role_of(one))
    _add_path(builder, plan)
    builder.charts.append(tip_error_chart(found, judged.tolerance))
    torques, *others = run_charts(run, first)
    builder.charts += [torques, *term_charts(plan, first), *others]
    builder.finding("good" if judged.follows else "problem", judged.text, None, first)
    for text in judged.mismatch:
        builder.finding("info" if judged.follows else "warning", text, None, first)
    add_plan_findings(builder, plan)
    for label, errors in found.items():
        _add_tracking_findings(builder, errors, label)
        if growth and label in growth:
            builder.finding("info", growth[label], None, label)
        add_run_findings(builder, errors.run, label)
    add_arm_tables(builder, plan.arm)
    add_effort_table(builder, found[first].effort, f"What it took: {first}")
    add_plan_table(builder, plan)
    rows = [*plan_rows(plan), *setting_rows(run.scenario)]
    builder.table("Made with", ("what", "which"), rows)
    return add_script(builder, lambda: repeat.following_script(plan, runs))


def plan_document(plan: Plan, *, judged: FollowingVerdict | None = None) -> DocumentBuilder:
    """Return what there is to know of a plan."""
    from ulna.simulation.run import versions_here

    title = f"{arm_title(plan.arm)} along {cut(str(plan.path))}"
    told = _plan_verdict(plan) if judged is None else (judged.follows, judged.text)
    subtitle = f"{plan.duration:.4g} s, {plan.trajectory.timing.name} timing"
    builder = new_document("plan", plan.arm, title, subtitle, told, versions_here())
    _add_path(builder, plan)
    if np.isfinite(plan.q).any():
        label, status = PLANNED, told[1]
        widen_span(builder, plan.t)
        builder.motions.append(MotionSpec(label, "plan", plan.t, plan.q, plan.tau, status))
        builder.charts.extend(plan_charts(plan, label))
    add_plan_findings(builder, plan)
    add_arm_tables(builder, plan.arm)
    add_plan_table(builder, plan)
    builder.table("Made with", ("what", "which"), plan_rows(plan))
    return add_script(builder, lambda: repeat.plan_script(plan))


def add_script(builder: DocumentBuilder, write: Callable[[], str]) -> DocumentBuilder:
    """Add the script that repeats a result, or say why there is none."""
    try:
        builder.header["repeat"]["script"] = write()
    except repeat.NotRepeatableError as error:
        builder.notes.append(f"No script repeats this result: {error}.")
    return builder


def _plan_verdict(plan: Plan) -> tuple[bool, str]:
    """Return whether the arm can do it, and if not what keeps it."""
    if plan.ok:
        p = plan.arm.parameters
        limited = are_limited(p) or np.isfinite([p.max_velocity, p.max_torque]).any()
        within = "within its limits" if limited or plan.arm.has_motors else "no joint has a limit"
        return True, f"the path is in reach, and {within}"
    told = [one.text for one in plan.problems if one.blocks or one.exceeds]
    head = "the arm cannot do it" if plan.feasible else "the path cannot be followed"
    more = f"; and {len(told) - 1} more" if len(told) > 1 else ""
    return False, f"{head}: {told[0]}{more}"


def role_of(run: Run) -> str:
    """Return whether a run is one without feedback or one with."""
    return OPEN if label_of(run) == LABELS[-1] else CLOSED


def label_of(run: Run) -> str:
    """Return what a run along a plan is called."""
    if follows_by_positions(run):
        return POSITIONS
    told = controller_text(run.scenario)
    return LABELS[-1] if not told or told.startswith("OpenLoop") else LABELS[0]


def _how(run: Run) -> str:
    """Return how a run was made, in a line."""
    parts = [f"{run.t[-1] - run.t[0]:.4g} s"]
    if follows_by_positions(run):
        parts.append("motors commanded positions")
    elif told := controller_text(run.scenario):
        parts.append(cut(told))
    if run.scenario.method is not None:
        parts.append(str(run.scenario.method))
    return ", ".join(parts)


def _add_path(builder: DocumentBuilder, plan: Plan) -> None:
    """Add the path of the tip; where a pen is lifted, its strokes and the travel between them."""
    with np.errstate(all="ignore"):
        points = plan.trajectory.tip(plan.t).position
    builder.path, travel = strokes_and_travel(points, plan.pen)
    # From when to when the pen is up, each time until it is down again.
    ends = np.append(plan.t, plan.t[-1])[1:]
    lifted = [(float(plan.t[first]), float(ends[last])) for first, last in runs(~plan.pen)]
    if lifted := [(start, end) for start, end in lifted if end > start]:
        builder.travel = travel, lifted


def _add_run(builder: DocumentBuilder, run: Run, label: str, role: str) -> None:
    widen_span(builder, run.t)
    builder.motions.append(MotionSpec(label, role, run.t, run.q, run.tau, run.status.text))


def widen_span(builder: DocumentBuilder, t: Array) -> None:
    """Let the clock cover these times too."""
    low, high = builder.header["span"]
    if not builder.motions:
        low, high = math.inf, -math.inf
    builder.header["span"] = [min(low, float(t[0])), max(high, float(t[-1]))]


def add_plan_findings(builder: DocumentBuilder, plan: Plan) -> None:
    """Add what is wrong with a plan, and what to know of it, with its worst times."""
    for one in plan.problems:
        level = "problem" if one.blocks or one.exceeds else "info"
        builder.finding(level, f"plan: {one.text}", one.when.worst_at)
    for note in (*map(str, plan.limiting), *plan.path.notes):
        builder.finding("info", note)


def _add_tracking_findings(builder: DocumentBuilder, found: Tracking, label: str) -> None:
    worst = found.worst
    if worst is not None:
        text = f"{label}: the largest tip error is {length_text(worst.size)}"
        builder.finding("info", f"{text}, {length_text(found.rms)} RMS", worst.t, label)
    if role_of(found.run) == OPEN:
        for name, radius in EXIT_RADII.items():
            left = found.first_exit(radius)
            if left is not None:
                text = f"{label}: the tip is {name} off after {left:.3g} s"
                builder.finding("warning", text, left, label)
    if not found.run.status.ok:
        text = f"{label}: {found.run.status.text}"
        builder.finding("problem", text, float(found.run.t[-1]), label)


def add_run_findings(builder: DocumentBuilder, run: Run, label: str) -> None:
    """Add limits that were met, joints that stuck, blows at stops, motors and events."""
    for one in run.saturation:
        text = f"joint {one.joint} met its torque limit {_often(one.episodes, one.seconds)}"
        builder.finding("warning", f"{label}: {text}", one.first, label)
    for held in run.sticking:
        text = f"joint {held.joint} stuck {_often(held.episodes, held.seconds)}"
        builder.finding("info", f"{label}: {text}", held.first, label)
    for use in run.motors:
        times = (use.first_limited, use.stalled, use.overheated)
        bad = use.stalled is not None or use.overheated is not None or use.lost_steps
        for text in motor_troubles(run.arm, [use]):
            when = min((one for one in times if one is not None), default=None)
            builder.finding("problem" if bad else "warning", f"{label}: {text}", when, label)
    hits = [
        (f"joint {one.joint} hits its {one.side} stop at {abs(one.speed):.3g} rad/s", one.t)
        for one in run.contacts
        if one.what == "hit"
    ]
    events = [(event.name, event.t) for event in run.events]
    for level, told, many in (("warning", hits, "blows at stops"), ("info", events, "events")):
        for text, t in told[:MOST_CONTACTS]:
            builder.finding(level, f"{label}: {text}", t, label)
        if more := told[MOST_CONTACTS:]:
            builder.finding(level, f"{label}: {len(more):,} more {many}", more[0][1], label)


def _often(episodes: int, seconds: float) -> str:
    often = "once" if episodes == 1 else f"{episodes:,} times"
    return f"{often}, for {seconds:.3g} s{' in all' * (episodes != 1)}"

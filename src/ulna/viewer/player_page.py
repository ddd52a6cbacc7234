"""`viewer.player`: runs to play on a page of one's own, without charts and tables."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

from ulna.arrays import whole
from ulna.errors import InputError, Problem, shown
from ulna.kinematics import tip
from ulna.motion import Plan
from ulna.simulation.batch.member import Member
from ulna.simulation.run import Run, run_of
from ulna.viewer.figure_style import arm_title
from ulna.viewer.html_page import built_files, html_page
from ulna.viewer.report_content import CLOSED, OPEN, new_document, widen_span
from ulna.viewer.report_page import Shown
from ulna.viewer.web_document import MotionSpec, WebDocument

PATH_POINTS = 400


def player(
    runs: Run | Member | Mapping[str, Run | Member],
    *,
    plan: Plan | None = None,
    title: str | None = None,
    height: int = 480,
) -> Shown:
    """Play runs of one arm on a page, side by side on one clock, to embed in another page.

    Parameters
    ----------
    runs : Run, Member, or mapping of str to Run
        A run, or several by their labels. The first is the main one.
    plan : Plan, optional
        The plan that they follow; its path is drawn.
    title : str, optional
        The title of the page; the name of the arm by default.
    height : int, optional
        Height in a notebook [pixels].

    Returns
    -------
    Shown
        The page. A notebook shows it; `html` is its source, for a file or an iframe.

    Raises
    ------
    InputError
        For anything but runs of one arm, and a height that is not one.

    Examples
    --------
    >>> import ulna
    >>> run = ulna.simulate(ulna.preset("unit"), q0=[0.0, 0.0], duration=0.1)
    >>> ulna.viewer.player(run).html.startswith("<!doctype html>")
    True
    """
    labelled = runs if isinstance(runs, Mapping) else {"run": runs}
    found = _checked(labelled, plan)
    tall = whole("height", height, 100, 10_000)
    text = title or arm_title(next(iter(found.values())).arm)
    made = player_document(found, plan, text)
    plain = f"<h1>{escape(text)}</h1>"
    built = built_files("viewer")
    return Shown(html_page("player", text, made.json, built, plain, data=made.base64), tall)


def player_document(runs: Mapping[str, Run], plan: Plan | None, title: str) -> WebDocument:
    """Return the motions of runs, and the path that they follow."""
    first = next(iter(runs.values()))
    builder = new_document("run", first.arm, title, "", (None, ""), first.versions)
    for label, run in runs.items():
        role = "run" if len(runs) == 1 else CLOSED if run is first else OPEN
        widen_span(builder, run.t)
        builder.motions.append(MotionSpec(label, role, run.t, run.q, run.tau, run.status.text))
    if plan is not None:
        times = np.linspace(0.0, plan.duration, PATH_POINTS)
        builder.path = plan.trajectory.tip(times).position
    elif first.q_ref is not None:
        builder.path = tip(first.arm, first.q_ref)[:, :2]
    return builder.finished()


def _checked(runs: Mapping[Any, Any], plan: Any) -> dict[str, Run]:
    labels = all(isinstance(label, str) and label.strip() for label in runs)
    if not runs or not labels or not all(isinstance(run, Run | Member) for run in runs.values()):
        raise InputError(Problem("runs", shown(runs), "a Run, or runs by their labels"))
    if not isinstance(plan, Plan | None):
        raise InputError(Problem("plan", shown(plan), "a Plan, made with ulna.plan"))
    found = {label: run_of(run) for label, run in runs.items()}
    if len({tuple(link.length for link in run.arm.links) for run in found.values()}) > 1:
        raise InputError(Problem("runs", "arms of different lengths", "runs of one arm"))
    return found

"""The files that `ulna plan` and `ulna follow` fill a folder with, the numbers first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ulna.cli.folder import Writer, figure_writer, json_writer
from ulna.cli.follow_report import FollowResult, follow_facts, refused_facts
from ulna.cli.outputs import FPS
from ulna.cli.planning import PlanningTask, plan_facts
from ulna.errors import UlnaError
from ulna.storage import read_text

# What is there before anything is simulated.
PLANNED = ("plan.csv", "motion.png", "torques.png")
# What is of use even where there is no motion.
SHOWN_ANYWAY = ("motion.png", "summary.json")
# What only a plan that was followed has.
FOLLOWED = ("run.nc", "error.png", "follow.mp4")


def plan_writers() -> dict[str, Writer]:
    """Return what writes each file of a plan."""
    return {
        "plan.csv": lambda done, file: done.plan.save(file),
        "motion.png": figure_writer(_motion),
        "torques.png": figure_writer(_torques),
        "summary.json": json_writer(plan_facts),
    }


def follow_writers(film_speed: float | None) -> dict[str, Writer]:
    """Return what writes each file of a plan that was followed; a film if it has a speed."""
    of_plan = plan_writers()
    writers: dict[str, Writer] = {"plan.csv": of_plan.pop("plan.csv")}
    writers["run.nc"] = lambda done, file: done.closed.save(file)
    writers |= {"error.png": figure_writer(_error), **of_plan}
    writers["summary.json"] = json_writer(_follow_facts)
    if film_speed is not None:
        writers["follow.mp4"] = lambda done, file: _film(done, file, film_speed)
    return writers


def files_of_before(folder: Path) -> tuple[str, ...]:
    """Return the files in a folder that an earlier `ulna plan` or `ulna follow` has written.

    Only its summary shows that, and that a run or a film in there is not somebody else's.
    """
    try:
        facts = json.loads(read_text(folder / "summary.json"))
    except (UlnaError, ValueError, RecursionError):
        return ()
    if not isinstance(facts, dict) or not {"path", "timing", "feasible"} <= facts.keys():
        return ()
    return (*plan_writers(), *(FOLLOWED if "controller" in facts else ()))


def _follow_facts(done: FollowResult | PlanningTask) -> Mapping[str, Any]:
    return follow_facts(done) if isinstance(done, FollowResult) else refused_facts(done)


def _motion(done: FollowResult | PlanningTask) -> Any:
    from ulna.viewer import motion_figure

    return motion_figure(done.plan, done.closed if isinstance(done, FollowResult) else None)


def _torques(done: FollowResult | PlanningTask) -> Any:
    from ulna.viewer import torques_figure

    return torques_figure(done.plan)


def _error(done: FollowResult) -> Any:
    from ulna.viewer import error_figure

    return error_figure(done.plan, done.trackings)


def _film(done: FollowResult, file: str, speed: float) -> None:
    from ulna.viewer import animate_following

    animate_following(done.plan, done.runs, file, fps=FPS, speed=speed)

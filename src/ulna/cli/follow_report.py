"""What became of following a path: one screen for people, SI numbers for programs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ulna.analysis import Stability, Tracking, stability, tracking
from ulna.arm.writing import dumps
from ulna.cli.planning import (
    PLAN_COLUMNS,
    Task,
    limits_lines,
    plan_facts,
    plan_rows,
    reach_line,
)
from ulna.cli.terminal import number, say_about, show_table
from ulna.control import Controller
from ulna.errors import UlnaError
from ulna.motion import Plan
from ulna.motion.findings import length_text
from ulna.simulation import Run
from ulna.simulation.run import versions_here
from ulna.simulation.status import Status

TUBES = {"1 cm": 0.01, "10 cm": 0.1}


@dataclass(frozen=True, eq=False)
class Followed:
    """A plan, and the runs that were to follow it."""

    task: Task
    controller: Controller
    called: str  # the controller as it was asked for
    rate: float  # [Hz]
    runs: dict[str, Run]

    @property
    def plan(self) -> Plan:
        """What was asked for."""
        return self.task.plan

    @property
    def closed(self) -> Run:
        """The run under the controller."""
        return self.runs["closed loop"]

    @property
    def outcome(self) -> Status:
        """How the closed loop ended, with advice that can be followed at the command line."""
        status = self.closed.status
        text = status.text.replace("try a smaller dt", "try a higher --rate, or softer gains")
        return replace(status, text=text)

    @cached_property
    def trackings(self) -> dict[str, Tracking]:
        """How well each run did it."""
        return {label: tracking(run, self.plan) for label, run in self.runs.items()}

    @cached_property
    def stabilities(self) -> dict[str, Stability | UlnaError]:
        """How errors grow, without and with the controller; or why that cannot be said."""
        return {"open loop": self._judged(None), "closed loop": self._judged(self.controller)}

    def _judged(self, controller: Controller | None) -> Stability | UlnaError:
        try:
            return stability(self.plan, controller, rate=self.rate)
        except UlnaError as error:
            return error


def show_followed(done: Followed) -> None:
    """Print what there is to know, on one screen."""
    made = done.plan
    title = f"{made.arm.name or done.task.name} follows {made.path} in {number(made.duration)} s"
    effort = done.trackings["closed loop"].effort
    rows = zip(plan_rows(made), effort.energy_spent, strict=True)
    table = [(*row, number(float(energy), 4)) for row, energy in rows]
    show_table(title, (*PLAN_COLUMNS, "energy [J]"), table)
    lines = {
        "reachable": [reach_line(made)],
        "power": [_power(done)],
        "open loop": [_open_loop(done), _growth(done, "open loop")],
        "closed loop": [_closed_loop(done), _growth(done, "closed loop")],
        "limits": limits_lines(made),
    }
    for label, told in lines.items():
        say_about(label, told)


def _growth(done: Followed, label: str) -> str:
    found = done.stabilities[label]
    if isinstance(found, UlnaError):
        return f"How errors grow cannot be said: {found}"
    return found.sentence


def _growth_facts(done: Followed, label: str) -> dict[str, Any]:
    found = done.stabilities[label]
    return {"error": str(found)} if isinstance(found, UlnaError) else found.facts()


def _power(done: Followed) -> str:
    effort = done.trackings["closed loop"].effort
    spent, net = float(effort.energy_spent.sum()), float(effort.energy.sum())
    most = float(effort.power_peak.max())
    return (
        f"under the controller {number(most, 4)} W at most in a joint; {number(spent, 4)} J put "
        f"in, {number(spent - net, 4)} J taken back"
    )


def _open_loop(done: Followed) -> str:
    found = done.trackings["open loop"]
    left = {name: found.left(tube) for name, tube in TUBES.items()}
    if left["1 cm"] is None:
        return f"stays within {length_text(found.max)}"
    gone = [f"{name} off after {number(t, 3)} s" for name, t in left.items() if t is not None]
    return ", ".join(gone)


def _closed_loop(done: Followed) -> str:
    found = done.trackings["closed loop"]
    worst = found.worst
    if worst is None or not done.closed.status:
        return f"{done.called} at {number(done.rate)} Hz: {done.outcome.text}"
    remark = done.closed.status.text.partition(";")[2]
    return (
        f"{done.called} at {number(done.rate)} Hz: tip error {length_text(found.rms)} RMS, "
        f"{length_text(worst.size)} at most, at t = {number(worst.t, 4)} s"
        f"{';' if remark else ''}{remark}"
    )


def follow_facts(done: Followed) -> dict[str, Any]:
    """Give all that was found in SI numbers, and what it takes to do it again."""
    loops = {
        label.replace(" ", "_"): {
            **done.trackings[label].facts(),
            "left": {name: done.trackings[label].left(tube) for name, tube in TUBES.items()},
            "stability": _growth_facts(done, label),
        }
        for label in done.runs
    }
    return {
        **plan_facts(done.task),
        "controller": done.called,
        "rate": done.rate,
        **loops,
        "robot_file": dumps(done.plan.arm),
        "versions": versions_here(),
    }

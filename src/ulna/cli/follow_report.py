"""What became of following a path: one screen for people, SI numbers for programs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ulna.analysis import (
    FollowingVerdict,
    Stability,
    Tracking,
    stability,
    tracking,
    verdict,
)
from ulna.arm.robot_files import dumps
from ulna.cli.angle_option import RELATIVE, Angles
from ulna.cli.outputs import Written
from ulna.cli.planning import (
    NO_LIMITS,
    PLAN_COLUMNS,
    PlanningTask,
    limits_lines,
    plan_facts,
    plan_heading,
    plan_rows,
    posture_line,
    reach_line,
)
from ulna.cli.running import FAILED, UnfinishedError, kept, spoken
from ulna.cli.terminal import number, say, say_about, show_table
from ulna.control import Controller, OpenLoop
from ulna.errors import UlnaError
from ulna.motion import Plan
from ulna.simulation import Run
from ulna.simulation.run import versions_here
from ulna.units import length_text

EXIT_RADII = {"1 cm": 0.01, "10 cm": 0.1}
PLANNED_PEAK, RUN_PEAK = "planned peak [N·m]", "run's peak [N·m]"
# What to try at the command line.
HINTS = {
    "diverged": "try a higher --rate, or softer gains",
    "unstable": "try a higher --rate, or other gains",
    "saturated": "give it more time with --duration, or the joints more torque",
    "off": "try other gains, a longer --duration, or a larger --tolerance",
}


@dataclass(frozen=True, eq=False)
class FollowResult:
    """A plan, and the runs that were to follow it."""

    task: PlanningTask
    controller: Controller
    called: str  # the controller as it was asked for
    rate: float  # [Hz]
    runs: dict[str, Run]
    tolerance: float | None = None  # [m] that was asked for

    @property
    def plan(self) -> Plan:
        """What was asked for."""
        return self.task.plan

    @property
    def closed(self) -> Run:
        """The run under the controller."""
        return self.runs["closed loop"]

    @cached_property
    def trackings(self) -> dict[str, Tracking]:
        """How well each run did it."""
        return {label: tracking(run, self.plan) for label, run in self.runs.items()}

    @cached_property
    def verdict(self) -> FollowingVerdict:
        """Whether the closed loop follows, and if not why."""
        grows = self.stabilities["closed loop"]
        known = None if isinstance(grows, UlnaError) else grows
        return verdict(self.closed, self.plan, tolerance=self.tolerance, stability=known)

    @cached_property
    def stabilities(self) -> dict[str, Stability | UlnaError]:
        """How errors grow, without and with the controller; or why that cannot be said."""
        return {"open loop": self._judged(None), "closed loop": self._judged(self.controller)}

    def _judged(self, controller: Controller | None) -> Stability | UlnaError:
        try:
            return stability(self.plan, controller, rate=self.rate)
        except UlnaError as error:
            return error


def show_followed(done: FollowResult, angles: Angles = RELATIVE) -> None:
    """Print what there is to know, on one screen."""
    made = done.plan
    say(done.verdict.text)
    title = plan_heading(done.task, angles)
    show_table(title, *_table(done), spaced=False)
    lines = {
        "reachable": [reach_line(made)],
        "postures": [posture_line(made, angles, explained=angles is not RELATIVE)],
        "power": [_power(done)],
        "open loop": [_open_loop(done), _growth(done, "open loop")],
        "closed loop": [_closed_loop(done), _growth(done, "closed loop")],
        "limits": _limits(done),
    }
    for label, told in lines.items():
        say_about(label, told)


def _table(done: FollowResult) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return columns and rows: the plan's, with the run's peak torque and energy."""
    effort = done.trackings["closed loop"].effort
    joint, _, *others = PLAN_COLUMNS
    rows = [
        (name, planned, number(float(peak), 5), *rest, number(float(energy), 4))
        for (name, planned, *rest), peak, energy in zip(
            plan_rows(done.plan), effort.torque_peak, effort.energy_spent, strict=True
        )
    ]
    return (joint, PLANNED_PEAK, RUN_PEAK, *others, "energy [J]"), rows


def _limits(done: FollowResult) -> list[str]:
    first, *others = limits_lines(done.plan)
    if first == NO_LIMITS:
        return [first, *others]
    return [f"the plan: {first}", *others, _run_limits(done)]


def _run_limits(done: FollowResult) -> str:
    """Return how close the closed loop came to the torque limits, and which saturated."""
    use = done.trackings["closed loop"].effort.torque_use
    if not np.isfinite(use).any():
        return "the run: no joint has a torque limit"
    if not done.closed.saturation:
        joint = int(np.nanargmax(use))
        return f"the run: at most {use[joint]:.0%} of a torque limit was used, in joint {joint + 1}"
    told = [
        f"joint {one.joint} met its torque limit {_times(one.episodes)}, for "
        f"{number(one.seconds, 3)} s, first at t = {number(one.first, 4)} s"
        for one in done.closed.saturation
    ]
    return f"the run: {'; '.join(told)}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def raise_if_not_followed(done: FollowResult, written: Written) -> None:
    """Raise if the closed loop does not follow, with what to try."""
    if done.verdict:
        return
    ended = done.verdict.reason == "unfinished"
    where = kept(written) if ended else f"; all of it is in {', '.join(written.files)}"
    told = "; ".join(filter(None, [done.verdict.text, _hint(done)]))
    raise UnfinishedError([f"{told}{where}"], FAILED) from done.closed.error


def _hint(done: FollowResult) -> str:
    """Return what to try: for runs that failed otherwise than by diverging, in their own words."""
    reason, status = done.verdict.reason, done.closed.status
    if reason == "unfinished" and status.reason != "diverged":
        return spoken(status.text.partition("; ")[2])
    if isinstance(done.controller, OpenLoop):
        return "take a --controller with feedback"
    return HINTS["diverged" if reason == "unfinished" else reason]


def _growth(done: FollowResult, label: str) -> str:
    found = done.stabilities[label]
    if isinstance(found, UlnaError):
        return f"How errors grow cannot be said: {found}"
    return found.sentence


def _growth_facts(done: FollowResult, label: str) -> dict[str, Any]:
    found = done.stabilities[label]
    return {"error": str(found)} if isinstance(found, UlnaError) else found.facts()


def _power(done: FollowResult) -> str:
    effort = done.trackings["closed loop"].effort
    spent, net = float(effort.energy_spent.sum()), float(effort.energy.sum())
    most = float(effort.power_peak.max())
    return (
        f"{number(most, 4)} W at most in a joint; {number(spent, 4)} J put in, "
        f"{number(spent - net, 4)} J taken back"
    )


def _open_loop(done: FollowResult) -> str:
    """Return where the tip went without feedback, and why: not of rounding alone."""
    found = done.trackings["open loop"]
    left = {name: found.first_exit(radius) for name, radius in EXIT_RADII.items()}
    if left["1 cm"] is None:
        return f"in this run the tip stayed within {length_text(found.max)} of where it should be"
    gone = [f"{name} off after {number(t, 3)} s" for name, t in left.items() if t is not None]
    held = f"torques held for {number(1e3 / done.rate, 3)} ms each"
    return f"in this run the tip was {', '.join(gone)}; {held} are off by far more than rounding"


def _closed_loop(done: FollowResult) -> str:
    found, status = done.trackings["closed loop"], done.closed.status
    worst, head = found.worst, f"{done.called} at {number(done.rate)} Hz"
    if worst is None or not status:
        return f"{head}: {status.text.partition(';')[0]}"
    # Torque limits that were met have a line of their own.
    remark = status.text.partition("; joint ")[0].partition(";")[2]
    return (
        f"{head}: tip error {length_text(found.rms)} RMS, {length_text(worst.size)} at most, at "
        f"t = {number(worst.t, 4)} s{';' if remark else ''}{remark}"
    )


def refused_facts(task: PlanningTask) -> dict[str, Any]:
    """Return a plan without a motion in SI numbers, the verdict first."""
    return {"verdict": verdict(None, task.plan).facts(), **plan_facts(task)}


def follow_facts(done: FollowResult) -> dict[str, Any]:
    """Return all that was found in SI numbers, and what it takes to do it again."""
    loops = {
        label.replace(" ", "_"): {
            **done.trackings[label].facts(),
            "first_exit": {
                name: done.trackings[label].first_exit(radius)
                for name, radius in EXIT_RADII.items()
            },
            "stability": _growth_facts(done, label),
        }
        for label in done.runs
    }
    facts, effort = plan_facts(done.task), done.trackings["closed loop"].effort
    of_run = {"run_peak": effort.torque_peak, "run_rms": effort.torque_rms}
    return {
        "verdict": done.verdict.facts(),
        **facts,
        "torque": {**facts["torque"], **of_run},
        "controller": done.called,
        "rate": done.rate,
        **loops,
        "robot_file": dumps(done.plan.arm),
        "versions": versions_here(),
    }

"""What `ulna follow` tells of a plan that was followed: on a screen, and in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ulna.analysis import FollowingVerdict, Stability, Tracking, stability, tracking, verdict
from ulna.analysis.following_verdict import EXIT_RADII, POSITIONS
from ulna.analysis.sampled_loops import without_rounding
from ulna.arm import Arm
from ulna.arm.control_loop import NO_LOOP
from ulna.arm.robot_files import dumps
from ulna.cli import planning
from ulna.cli.arguments import Angles
from ulna.cli.planning import Planned
from ulna.cli.run_report import friction_facts, motor_facts, motor_lines, sticking_text
from ulna.cli.terminal import number, say, say_about, show_joints, times
from ulna.control import Controller
from ulna.errors import UlnaError
from ulna.motion import Plan
from ulna.motion.planning.motor_demands import planned_motor_lines
from ulna.scenario.inputs import command_rates
from ulna.simulation import Run
from ulna.simulation.run import versions_here
from ulna.units import length_text

if TYPE_CHECKING:
    from ulna.sweep.robust_results import Robustness

# Labels of the runs, besides POSITIONS.
OPEN, CLOSED = "open loop", "closed loop"


@dataclass(frozen=True, eq=False)
class Following:
    """A plan, and the runs that were to follow it."""

    task: Planned
    controller: Controller | None  # of the judged run
    called: str  # the controller as it was asked for
    rate: float  # [Hz]
    runs: dict[str, Run]
    tolerance: float | None = None  # [m] that was asked for
    robust: Robustness | None = None  # what became of arms that are not quite this one

    @property
    def plan(self) -> Plan:
        """What was asked for."""
        return self.task.plan

    @property
    def label(self) -> str:
        """The label of the judged run: the last one."""
        return list(self.runs)[-1]

    @property
    def run(self) -> Run:
        """The run that is judged."""
        return self.runs[self.label]

    @cached_property
    def trackings(self) -> dict[str, Tracking]:
        """How well each run did it."""
        return {label: tracking(run, self.plan) for label, run in self.runs.items()}

    @cached_property
    def verdict(self) -> FollowingVerdict:
        """Whether the arm follows, and if not why."""
        grows = self.stabilities.get(self.label)
        known = grows if isinstance(grows, Stability) else None
        return verdict(self.run, self.plan, tolerance=self.tolerance, stability=known)

    @cached_property
    def smooth(self) -> Arm:
        """The arm without the resolutions of its loop: what rounds has no derivative."""
        return without_rounding(self.plan.arm)

    @property
    def rounding(self) -> str:
        """What rounds in the closed loop, sensors, actuators or both; empty where nothing does."""
        own, smooth = self.plan.arm.loop or NO_LOOP, self.smooth.loop or NO_LOOP
        parts = ("sensors", "actuators")
        return " and ".join(one for one in parts if getattr(own, one) != getattr(smooth, one))

    @cached_property
    def stabilities(self) -> dict[str, Stability | UlnaError]:
        """How errors grow, without and with the controller; or why that cannot be said."""
        loops = {OPEN: None, CLOSED: self.controller}
        return {label: self._judged(one) for label, one in loops.items() if label in self.runs}

    def _judged(self, controller: Controller | None) -> Stability | UlnaError:
        try:
            return stability(self.plan, controller, rate=self.rate, arm=self.smooth)
        except UlnaError as error:
            return error


def is_fastest(made: Plan) -> bool:
    """Return whether a plan takes the least time that its limits allow."""
    return made.trajectory.timing.name == "fastest"


def show(done: Following, angles: Angles) -> None:
    """Print what there is to know, on one screen."""
    made = done.plan
    say(done.verdict.text if done.robust is None else done.robust.headline(done.verdict)[1])
    show_joints(planning.plan_heading(done.task, angles), _columns(done), spaced=False)
    say_about("reachable", [planning.reach_line(made)])
    say_about("postures", [planning.posture_line(made, angles, explained=angles.absolute)])
    say_about("power", [_power(done)])
    for label in done.runs:
        told = _open_loop(done) if label == OPEN else _run_line(done, label)
        growth = [growth_text(done, label)] if label in done.stabilities else []
        say_about("positions" if label == POSITIONS else label, [told, *growth])
    if done.verdict.mismatch:
        say_about("model", done.verdict.mismatch)
    if made.arm.has_friction:
        say_about("friction", _friction(done))
    if made.arm.has_motors:
        say_about("motors", _motors(done))
    planning.show_limiting(made)
    say_about("limits", _limits(done))
    if done.robust is not None:
        say_about("robust", done.robust.lines)


def _columns(done: Following) -> dict[str, list[str]]:
    """Return the plan's columns, with the run's peak torque and energy."""
    effort, columns = done.trackings[done.label].effort, planning.plan_columns(done.plan)
    return {
        "planned peak [N·m]": columns.pop(planning.PEAK_TORQUE),
        "run's peak [N·m]": [number(torque, 5) for torque in effort.torque_peak],
        **{name: cells for name, cells in columns.items() if name != planning.PEAK_FRICTION},
        "energy [J]": [number(energy, 4) for energy in effort.energy_spent],
    }


def _friction(done: Following) -> list[str]:
    """Return what friction takes of the planned torques, and where joints stuck."""
    peaks = done.plan.term_peaks["friction"]
    most = [f"{number(one, 4)} N·m of joint {joint}" for joint, one in enumerate(peaks, 1) if one]
    stuck = sticking_text(done.run) or "no joint stuck"
    how = "by" if done.label == POSITIONS else "in"
    return [f"takes up to {', '.join(most)}", f"{how} {done.label}: {stuck}"]


def _motors(done: Following) -> list[str]:
    """Return what the plan asks of motors, and what they did in the judged run."""
    return [
        *(f"the plan: {line}" for line in planned_motor_lines(done.plan)),
        *(f"{done.label}: {line}" for line in motor_lines(done.run)),
    ]


def _power(done: Following) -> str:
    effort = done.trackings[done.label].effort
    spent, net = float(effort.energy_spent.sum()), float(effort.energy.sum())
    most = float(effort.power_peak.max())
    return (
        f"{number(most, 4)} W at most in a joint; {number(spent, 4)} J put in, "
        f"{number(spent - net, 4)} J taken back"
    )


def _open_loop(done: Following) -> str:
    """Return where the tip went without feedback, and why: not of rounding alone."""
    found = done.trackings[OPEN]
    left = {name: found.first_exit(radius) for name, radius in EXIT_RADII.items()}
    if left["1 cm"] is None:
        return f"in this run the tip stayed within {length_text(found.max)} of where it should be"
    gone = [f"{name} off after {number(t, 3)} s" for name, t in left.items() if t is not None]
    held = f"torques held for {number(1e3 / done.rate, 3)} ms each"
    return f"in this run the tip was {', '.join(gone)}; {held} are off by far more than rounding"


def _run_line(done: Following, label: str) -> str:
    """Return how far off the tip was under a controller, or by position commands."""
    found, status = done.trackings[label], done.runs[label].status
    worst, head = found.worst, f"{done.called} at {number(done.rate)} Hz"
    if label == POSITIONS:
        rates = sorted(set(command_rates(done.plan.arm, done.rate)))
        head = f"the planned angles at {' and '.join(f'{one:g}' for one in rates)} Hz"
    if worst is None or not status:
        return f"{head}: {status.text.partition(';')[0]}"
    # Torque limits that were met have a line of their own.
    remark = status.text.partition("; joint ")[0].partition(";")[2]
    return (
        f"{head}: tip error {length_text(found.rms)} RMS, {length_text(worst.size)} at most, at "
        f"t = {number(worst.t, 4)} s{';' if remark else ''}{remark}"
    )


def growth_text(done: Following, label: str) -> str:
    """Return how errors grow along the plan, in a sentence."""
    found = done.stabilities[label]
    if isinstance(found, UlnaError):
        return f"How errors grow cannot be said: {found}"
    if label == OPEN or not done.rounding:
        return found.sentence
    told = found.sentence
    return f"Without the rounding of {done.rounding}, {told[:1].lower()}{told[1:]}"


def _limits(done: Following) -> list[str]:
    first, *others = planning.limits_lines(done.plan)
    if first == planning.NO_LIMITS:
        return [first, *others]
    return [f"the plan: {first}", *others, f"the run: {_run_limits(done)}"]


def _run_limits(done: Following) -> str:
    """Return how close the judged run came to the torque limits, and which saturated."""
    use = done.trackings[done.label].effort.torque_use
    if not np.isfinite(use).any():
        return "no joint has a torque limit"
    if not done.run.saturation:
        joint = int(np.nanargmax(use))
        return f"at most {use[joint]:.0%} of a torque limit was used, in joint {joint + 1}"
    met = [
        f"joint {one.joint} met its torque limit {times(one.episodes)}, for "
        f"{number(one.seconds, 3)} s, first at t = {number(one.first, 4)} s"
        for one in done.run.saturation
    ]
    return "; ".join([*met, *["--reserve leaves torque to feedback"] * is_fastest(done.plan)])


def refused_facts(task: Planned) -> dict[str, Any]:
    """Return a plan without a motion in SI numbers, the verdict first."""
    return {"verdict": verdict(None, task.plan).facts(), **planning.plan_facts(task)}


def facts_of(done: Following) -> dict[str, Any]:
    """Return all that was found in SI numbers, and what it takes to do it again."""
    facts, effort = planning.plan_facts(done.task), done.trackings[done.label].effort
    of_run = {"run_peak": effort.torque_peak, "run_rms": effort.torque_rms}
    return {
        "verdict": done.verdict.facts(),
        **facts,
        "torque": {**facts["torque"], **of_run},
        "judged": done.label,
        "controller": None if done.controller is None else done.called,
        "rate": done.rate,
        **{label.replace(" ", "_"): _loop_facts(done, label) for label in done.runs},
        **({} if done.robust is None else {"robustness": done.robust.facts()}),
        "robot_file": dumps(done.plan.arm),
        "versions": versions_here(),
    }


def _loop_facts(done: Following, label: str) -> dict[str, Any]:
    found, grows = done.trackings[label], done.stabilities.get(label)
    growth: dict[str, Any] = {"error": str(grows)}
    if isinstance(grows, Stability):
        growth = grows.facts() | {"sentence": growth_text(done, label)}
    return {
        **found.facts(),
        **(friction_facts(found.run) if found.run.arm.has_friction else {}),
        **(motor_facts(found.run) if found.run.motors else {}),
        "first_exit": {name: found.first_exit(radius) for name, radius in EXIT_RADII.items()},
        **({} if grows is None else {"stability": growth}),
    }

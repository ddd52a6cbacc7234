"""`ulna follow`: which torques make the tip follow a path, and does the arm really do it?"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from ulna.analysis import (
    FollowingVerdict,
    Stability,
    Tracking,
    stability,
    tracking,
    verdict,
)
from ulna.analysis.sampled_loops import without_rounding
from ulna.arm import Arm
from ulna.arm.control_loop import NO_LOOP
from ulna.arm.robot_files import dumps
from ulna.cli import flags, planning
from ulna.cli.arguments import (
    Angles,
    as_option,
    find_arm,
    loop_rate,
    of_controller,
    read_choice,
    read_convention,
    read_positive,
    read_rate,
    say_loop,
    spoken,
)
from ulna.cli.flags import option, switch, with_default
from ulna.cli.outputs import (
    FAILED,
    FPS,
    INTERRUPTED,
    ResultFolder,
    UnfinishedError,
    Writer,
    Written,
    check_film,
    figure_writer,
    json_writer,
)
from ulna.cli.planning import Planned
from ulna.cli.run_report import friction_facts, motor_facts, motor_lines, sticking_text
from ulna.cli.terminal import note, number, say, say_about, show_joints, show_json, times
from ulna.control import Controller, OpenLoop, read_controller, with_model
from ulna.errors import InputError, Problem, UlnaError, UlnaWarning, rewording
from ulna.motion import Plan
from ulna.motion.planning.motor_demands import planned_motor_lines
from ulna.simulation import Run, simulate
from ulna.simulation.motor_rows import takes_positions
from ulna.simulation.run import versions_here
from ulna.units import length_text

STARTS = ("exact", "rest")  # moving with the path, or standing still at its first point
MOST_TICKS = 100_000_000  # some minutes of work
EXIT_RADII = {"1 cm": 0.01, "10 cm": 0.1}
# What is there before anything is simulated.
PLANNED = ("plan.csv", "motion.png", "torques.png")
# What to try at the command line.
HINTS = {
    "diverged": "try a higher --rate, or softer gains",
    "unstable": "try a higher --rate, or other gains",
    "saturated": "give it more time with --duration, or the joints more torque",
    "motor": "give it more time with --duration, or the joint a stronger motor",
    "overheated": "give it more time with --duration, or the joint a stronger motor",
    "friction": "try stiffer gains, an integral, or a larger --tolerance",
    "off": "try other gains, a longer --duration, or a larger --tolerance",
}

StartOption = Annotated[
    str, with_default("NAME", "exact: moving with the path; rest: still at its start.")
]
ControllerModelOption = Annotated[
    str | None, option("ARM", "The arm that the controller believes in, if it is another.")
]
ToleranceOption = Annotated[
    str | None,
    option(
        "LENGTH",
        "How far off the tip may be, such as 5 mm: 1 % of the reach or 2 % of the path's "
        "extent, whichever is less, unless given.",
    ),
]


def follow(
    arm: flags.UsualArm = None,
    path: flags.Path = None,
    controller: Annotated[str, flags.CONTROLLER] = "ComputedTorque()",
    duration: flags.Duration = None,
    timing: flags.Timing = None,
    max_speed: flags.MaxSpeed = None,
    max_acceleration: flags.MaxAcceleration = None,
    rate: Annotated[str | None, flags.RATE] = None,
    payload: flags.Payload = None,
    motor: flags.Motor = None,
    no_gravity: flags.NoGravity = False,
    elbow: flags.Elbow = None,
    angles: flags.Angles = "relative",
    start: StartOption = "exact",
    controller_model: ControllerModelOption = None,
    tolerance: ToleranceOption = None,
    film: Annotated[bool, switch("--film", "Film it, into follow.mp4.")] = False,
    film_speed: flags.FilmSpeed = 1.0,
    out: flags.Folder = "follow",
    json: flags.Json = False,
    overwrite: flags.Overwrite = False,
) -> None:
    """Plan a path, simulate the arm along it, and say whether it follows, open loop and closed.

    Ends with 3 where the closed loop does not follow, with 5 where the plan is infeasible.
    """
    given = locals()
    writers = _writers(film_speed if film else None)
    folder = ResultFolder(out, writers, planning.files_of_before, overwrite=overwrite)
    chosen, open_loop = _read_controllers(controller, controller_model)
    ticks = None if rate is None else read_rate(rate)
    allowed = None
    if tolerance is not None:
        allowed = read_positive(tolerance, "length", "--tolerance", "5 mm")
    read_choice(start, STARTS, "--start", "exact or rest")
    convention = read_convention(angles)
    name, described, way = planning.read_request(
        arm, path, payload, no_gravity=no_gravity, angles=convention, motor=motor
    )
    ticks = loop_rate(described) if ticks is None else ticks
    say_loop(described, ticks)
    with rewording(of_controller):
        chosen.start(described)
        open_loop.start(described)
    settings = {key: given[key] for key in planning.SETTINGS}
    made = planning.make_plan(name, described, way, **settings)
    task = Planned(name, made)
    if film:
        check_film(film_speed, made.duration)
    elif film_speed != 1.0:
        note("--film-speed says nothing without --film")
    _check_work(made.duration, ticks)
    if not made.feasible:
        if not json:
            say(verdict(None, made).text)
        planning.finish_plan(task, folder, convention, json=json, facts=_refused_facts)
    note(f"simulating {number(made.duration)} s open loop, then with {controller}")
    runs = _simulate(made, {"open loop": open_loop, "closed loop": chosen}, ticks, start)
    if "closed loop" not in runs:
        kept = folder.write(task, PLANNED, whole=False).files
        raise UnfinishedError([f"stopped; the plan is in {', '.join(kept)}"], INTERRUPTED)
    note(f"judging both, and writing into {out}")
    _finish(Following(task, chosen, controller, ticks, runs, allowed), folder, convention, json)


def _read_controllers(text: str, model: str | None) -> tuple[Controller, Controller]:
    """Return the controller that is asked for, and open loop; both believe in the model."""
    chosen = read_controller(text, "--controller")
    if model is None:
        return chosen, OpenLoop()
    believed = find_arm(model, "--controller-model")
    with rewording(of_controller):
        return with_model(chosen, believed), OpenLoop(believed)


def _check_work(duration: float, rate: float) -> None:
    """Raise if it would take hours, or end before the first tick of the controller."""
    ticks = duration * max(rate, 1000.0)
    if ticks > MOST_TICKS:
        got = f"{number(duration)} s at {number(rate)} Hz, {ticks:.3g} steps"
        need = f"at most {MOST_TICKS:,}, some minutes of work"
        hint = "make --duration shorter, or --rate lower"
        raise InputError(Problem("--duration", got, need, hint))
    if duration * rate < 1.0:
        need = f"at least {number(1.0 / duration, 3)} Hz: one tick in {number(duration, 3)} s"
        raise InputError(Problem("--rate", f"{number(rate)} Hz", need))


def _simulate(
    made: Plan, controllers: Mapping[str, Controller], rate: float, start: str
) -> dict[str, Run]:
    """Simulate the arm along the plan under one controller after the other, until Ctrl-C."""
    settings: dict[str, Any] = {"reference": made, "rate": rate, "dt": min(1e-3, 1.0 / rate)}
    if start == "rest":
        settings["q0"] = made.trajectory(0.0).q
    runs = {}
    for label, controller in controllers.items():
        with warnings.catch_warnings(), rewording(as_option):
            if label == "open loop":
                # Off its path it whirls, too fast for its steps; what is told is when it left.
                warnings.simplefilter("ignore", UlnaWarning)
            if label == "open loop" and _takes_positions(made):
                runs[label] = _command_positions(made, settings)
            else:
                runs[label] = simulate(
                    made.arm, controller=controller, **settings, on_interrupt="return"
                )
        if runs[label].status.reason == "interrupted":
            break
    return runs


def _takes_positions(made: Plan) -> bool:
    return made.arm.has_motors and takes_positions(made.arm)


def _command_positions(made: Plan, settings: Mapping[str, Any]) -> Run:
    """Simulate motors that are commanded the planned angles, as their own loops follow them."""
    start = made.trajectory(0.0)
    times = np.linspace(0.0, made.duration, 1 + math.ceil(made.duration / settings["dt"]))
    return simulate(
        made.arm,
        q0=start.q,
        qd0=None if "q0" in settings else start.qd,
        position=(times, made.trajectory(times).q),
        between="linear",
        duration=made.duration,
        dt=settings["dt"],
        on_interrupt="return",
    )


@dataclass(frozen=True, eq=False)
class Following:
    """A plan, and the runs that were to follow it."""

    task: Planned
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
        return {"open loop": self._judged(None), "closed loop": self._judged(self.controller)}

    def _judged(self, controller: Controller | None) -> Stability | UlnaError:
        try:
            return stability(self.plan, controller, rate=self.rate, arm=self.smooth)
        except UlnaError as error:
            return error


def _finish(done: Following, folder: ResultFolder, angles: Angles, json: bool) -> None:
    """Write and show what became of it; end with the exit code of what went wrong, if it did."""
    status = done.closed.status
    written = folder.write(done, whole=status.reason != "interrupted")
    if json and not written.stopped:
        told = {**_facts(done), **planning.posture_facts(done.plan, angles)}
        show_json({**told, "files": written.files})
    else:
        if not written.stopped:
            _show(done, angles)
        say_about("files", [written.line])
    written.raise_if_failed(status if status.reason == "interrupted" else None)
    planning.refuse_infeasible(done.plan)
    _raise_if_not_followed(done, written)


def _raise_if_not_followed(done: Following, written: Written) -> None:
    """Raise if the closed loop does not follow, with what to try."""
    if done.verdict:
        return
    ended = done.verdict.reason == "unfinished"
    where = written.kept if ended else f"; all of it is in {', '.join(written.files)}"
    told = "; ".join(filter(None, [done.verdict.text, _hint(done)]))
    raise UnfinishedError([f"{told}{where}"], FAILED) from done.closed.error


def _hint(done: Following) -> str:
    """Return what to try: for runs that failed otherwise than by diverging, in their own words."""
    reason, status = done.verdict.reason, done.closed.status
    if reason == "unfinished" and status.reason != "diverged":
        return spoken(status.text.partition("; ")[2])
    if isinstance(done.controller, OpenLoop):
        return "take a --controller with feedback"
    return HINTS["diverged" if reason == "unfinished" else reason]


def _show(done: Following, angles: Angles) -> None:
    """Print what there is to know, on one screen."""
    made = done.plan
    say(done.verdict.text)
    show_joints(planning.plan_heading(done.task, angles), _columns(done), spaced=False)
    say_about("reachable", [planning.reach_line(made)])
    say_about("postures", [planning.posture_line(made, angles, explained=angles.absolute)])
    say_about("power", [_power(done)])
    say_about("open loop", [_open_loop(done), _growth(done, "open loop")])
    say_about("closed loop", [_closed_loop(done), _growth(done, "closed loop")])
    if made.arm.has_friction:
        say_about("friction", _friction(done))
    if made.arm.has_motors:
        say_about("motors", _motors(done))
    say_about("limits", _limits(done))


def _columns(done: Following) -> dict[str, list[str]]:
    """Return the plan's columns, with the run's peak torque and energy."""
    effort, columns = done.trackings["closed loop"].effort, planning.plan_columns(done.plan)
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
    stuck = sticking_text(done.closed) or "no joint stuck"
    return [f"takes up to {', '.join(most)}", f"in closed loop: {stuck}"]


def _motors(done: Following) -> list[str]:
    """Return what the plan asks of motors, and what they did in closed loop."""
    return [
        *(f"the plan: {line}" for line in planned_motor_lines(done.plan)),
        *(f"closed loop: {line}" for line in motor_lines(done.closed)),
    ]


def _power(done: Following) -> str:
    effort = done.trackings["closed loop"].effort
    spent, net = float(effort.energy_spent.sum()), float(effort.energy.sum())
    most = float(effort.power_peak.max())
    return (
        f"{number(most, 4)} W at most in a joint; {number(spent, 4)} J put in, "
        f"{number(spent - net, 4)} J taken back"
    )


def _open_loop(done: Following) -> str:
    """Return where the tip went without feedback, and why: not of rounding alone."""
    found = done.trackings["open loop"]
    left = {name: found.first_exit(radius) for name, radius in EXIT_RADII.items()}
    if left["1 cm"] is None:
        return f"in this run the tip stayed within {length_text(found.max)} of where it should be"
    gone = [f"{name} off after {number(t, 3)} s" for name, t in left.items() if t is not None]
    if _takes_positions(done.plan):
        return f"in this run the tip was {', '.join(gone)}, its motors commanded the planned angles"
    held = f"torques held for {number(1e3 / done.rate, 3)} ms each"
    return f"in this run the tip was {', '.join(gone)}; {held} are off by far more than rounding"


def _closed_loop(done: Following) -> str:
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


def _growth(done: Following, label: str) -> str:
    found = done.stabilities[label]
    if isinstance(found, UlnaError):
        return f"How errors grow cannot be said: {found}"
    if label == "open loop" or not done.rounding:
        return found.sentence
    told = found.sentence
    return f"Without the rounding of {done.rounding}, {told[:1].lower()}{told[1:]}"


def _limits(done: Following) -> list[str]:
    first, *others = planning.limits_lines(done.plan)
    if first == planning.NO_LIMITS:
        return [first, *others]
    return [f"the plan: {first}", *others, f"the run: {_run_limits(done)}"]


def _run_limits(done: Following) -> str:
    """Return how close the closed loop came to the torque limits, and which saturated."""
    use = done.trackings["closed loop"].effort.torque_use
    if not np.isfinite(use).any():
        return "no joint has a torque limit"
    if not done.closed.saturation:
        joint = int(np.nanargmax(use))
        return f"at most {use[joint]:.0%} of a torque limit was used, in joint {joint + 1}"
    return "; ".join(
        f"joint {one.joint} met its torque limit {times(one.episodes)}, for "
        f"{number(one.seconds, 3)} s, first at t = {number(one.first, 4)} s"
        for one in done.closed.saturation
    )


def _refused_facts(task: Planned) -> dict[str, Any]:
    """Return a plan without a motion in SI numbers, the verdict first."""
    return {"verdict": verdict(None, task.plan).facts(), **planning.plan_facts(task)}


def _facts(done: Following) -> dict[str, Any]:
    """Return all that was found in SI numbers, and what it takes to do it again."""
    facts, effort = planning.plan_facts(done.task), done.trackings["closed loop"].effort
    of_run = {"run_peak": effort.torque_peak, "run_rms": effort.torque_rms}
    return {
        "verdict": done.verdict.facts(),
        **facts,
        "torque": {**facts["torque"], **of_run},
        "controller": done.called,
        "rate": done.rate,
        **{label.replace(" ", "_"): _loop_facts(done, label) for label in done.runs},
        "robot_file": dumps(done.plan.arm),
        "versions": versions_here(),
    }


def _loop_facts(done: Following, label: str) -> dict[str, Any]:
    found, grows = done.trackings[label], done.stabilities[label]
    growth = {"sentence": _growth(done, label)}
    return {
        **found.facts(),
        **(friction_facts(found.run) if found.run.arm.has_friction else {}),
        **(motor_facts(found.run) if found.run.motors else {}),
        "first_exit": {name: found.first_exit(radius) for name, radius in EXIT_RADII.items()},
        "stability": (
            {"error": str(grows)} if isinstance(grows, UlnaError) else grows.facts() | growth
        ),
    }


def _writers(film_speed: float | None) -> dict[str, Writer]:
    """Return what writes each file of a plan that was followed; a film if it has a speed."""
    of_plan = planning.plan_writers()
    writers: dict[str, Writer] = {"plan.csv": of_plan.pop("plan.csv")}
    writers["run.nc"] = lambda done, file: done.closed.save(file)
    writers |= {"error.png": figure_writer(_error), **of_plan}
    writers["summary.json"] = json_writer(
        lambda done: _facts(done) if isinstance(done, Following) else _refused_facts(done)
    )
    writers["report.html"] = _report
    if film_speed is not None:
        writers["follow.mp4"] = lambda done, file: _film(done, file, film_speed)
    return writers


def _error(done: Following) -> Any:
    from ulna.viewer import error_figure

    return error_figure(done.plan, done.trackings)


def _report(done: Any, file: str) -> None:
    runs = done.runs if isinstance(done, Following) else {}
    judged = done.verdict if runs else verdict(None, done.plan)
    planning.write_report(done.plan, runs, judged, {one: _growth(done, one) for one in runs}, file)


def _film(done: Following, file: str, speed: float) -> None:
    from ulna.viewer import animate_following

    animate_following(done.plan, done.runs, file, fps=FPS, speed=speed)

"""`ulna follow`: which torques make the tip follow a path, and does the arm really do it?"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import ulna
from ulna.analysis import verdict
from ulna.analysis.following_verdict import POSITIONS
from ulna.analysis.position_commands import settled_posture
from ulna.arm import Arm
from ulna.cli import flags, planning, robust_report
from ulna.cli.arguments import (
    Angles,
    as_option,
    find_arm,
    loop_rate,
    of_controller,
    read_choice,
    read_convention,
    read_rate,
    say_loop,
    spoken,
)
from ulna.cli.flags import option, switch
from ulna.cli.follow_report import (
    CLOSED,
    OPEN,
    Following,
    facts_of,
    growth_text,
    is_fastest,
    refused_facts,
    show,
)
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
from ulna.cli.terminal import note, number, say, say_about, show_json
from ulna.control import Controller, OpenLoop, read_controller, with_model
from ulna.errors import InputError, Problem, UlnaWarning, rewording, shown
from ulna.motion import Plan
from ulna.scenario.inputs import command_rates, takes_position, takes_positions
from ulna.simulation import Run, simulate
from ulna.units import length_text

STARTS = ("exact", "rest")  # moving with the path, or standing still at its first point
MOST_TICKS = 100_000_000  # some minutes of work
# What is there before anything is simulated.
PLANNED = ("plan.csv", "motion.png", "torques.png")
# What to try at the command line.
MORE_TIME = "give it more time with --duration"
HINTS = {
    "diverged": "try a higher --rate, or softer gains",
    "unstable": "try a higher --rate, or other gains",
    "saturated": f"{MORE_TIME}, or the joints more torque",
    "motor": f"{MORE_TIME}, or the joint a stronger motor",
    "overheated": f"{MORE_TIME}, or the joint a stronger motor",
    "friction": "try stiffer gains, an integral, or a larger --tolerance",
    "off": f"{MORE_TIME}, or try other gains or a larger --tolerance",
    "servos": f"{MORE_TIME}, or the arm stiffer servos, or try a larger --tolerance",
}
CONTROLLER = "ComputedTorque()"  # of arms whose motors do not all take positions

StartOption = Annotated[
    str | None,
    option("NAME", "exact: moving with the path; rest: still at its start, for position commands."),
]
ControllerOption = Annotated[
    str | None,
    option(
        "CONTROLLER",
        'Such as "PID(kp=400, kd=40)"; see `ulna list controllers`. Else ComputedTorque(), or '
        "position commands where all motors take them.",
    ),
]
ControllerModelOption = Annotated[
    str | None, option("ARM", "The arm that the controller believes in, if it is another.")
]
ToleranceOption = Annotated[
    str | None,
    option(
        "LENGTH",
        "How far off the tip may be, such as 5 mm: 1 % of the reach or 2 % of the path's "
        "extent, whichever is less, unless given; 10 % of both by position commands.",
    ),
]


def follow(
    arm: flags.UsualArm = None,
    path: flags.Path = None,
    controller: ControllerOption = None,
    duration: flags.Duration = None,
    timing: flags.Timing = None,
    max_speed: flags.MaxSpeed = None,
    max_acceleration: flags.MaxAcceleration = None,
    fastest: flags.Fastest = False,
    reserve: flags.Reserve = None,
    end_speeds: flags.EndSpeeds = None,
    max_joint_acceleration: flags.MaxJointAcceleration = None,
    smoothing: flags.Smoothing = None,
    rate: Annotated[str | None, flags.RATE] = None,
    payload: flags.Payload = None,
    motor: flags.Motor = None,
    values: flags.Values = None,
    no_gravity: flags.NoGravity = False,
    keep_order: flags.KeepOrder = False,
    elbow: flags.Elbow = None,
    angles: flags.Angles = "relative",
    start: StartOption = None,
    controller_model: ControllerModelOption = None,
    tolerance: ToleranceOption = None,
    robust: robust_report.RobustOption = None,
    robust_spec: robust_report.RobustSpecOption = None,
    tube: robust_report.TubeOption = None,
    seed: robust_report.SeedOption = 0,
    sobol: robust_report.SobolOption = False,
    film: Annotated[bool, switch("--film", "Film it, into follow.mp4.")] = False,
    film_speed: flags.FilmSpeed = 1.0,
    out: flags.Folder = "follow",
    json: flags.Json = False,
    overwrite: flags.Overwrite = False,
) -> None:
    """Plan a path, simulate the arm along it, and say whether it follows.

    Motors that take positions are commanded the planned angles, others run open loop and closed.
    Ends with 3 where the arm does not follow, with 5 where the plan is infeasible.
    """
    given = locals()
    writers = _writers(film_speed if film else None, robust=robust is not None)
    folder = ResultFolder(out, writers, planning.files_of_before, overwrite=overwrite)
    ticks = None if rate is None else read_rate(rate)
    allowed = robust_report.read_radius(tolerance, "--tolerance")
    many = robust_report.read_request(robust, robust_spec, tube, allowed, seed, sobol=sobol)
    if start is not None:
        read_choice(start, STARTS, "--start", "exact or rest")
    convention = read_convention(angles)
    name, described, way = planning.read_request(given, convention)
    ticks = loop_rate(described) if ticks is None else ticks
    loops = _read_controllers(described, controller, controller_model)
    _check_loops(described, ticks, loops)
    if rate is not None and CLOSED not in loops and ticks not in command_rates(described, ticks):
        note("--rate says nothing without --controller: servos read commands at their own rate")
    settings = {key: given[key] for key in planning.SETTINGS}
    made = planning.make_plan(name, described, way, fastest=fastest, **settings)
    task = Planned(name, made)
    _check_work(made.duration, ticks, film_speed, film=film)
    if not made.feasible:
        if not json:
            say(verdict(None, made).text)
        planning.finish_plan(task, folder, convention, json=json, facts=refused_facts)
    called = CONTROLLER if controller is None else controller
    asked = _Request(loops, called, ticks, start, allowed, many)
    _finish(_followed(task, asked, folder), folder, convention, json, wanted=robust or 0)


class _Request(NamedTuple):
    """How a plan is to be followed."""

    controllers: Mapping[str, Controller | None]  # by label, the judged one last
    called: str  # the controller as it was asked for
    rate: float  # [Hz]
    start: str | None
    tolerance: float | None  # [m]
    many: robust_report.RobustRequest | None


def _followed(task: Planned, asked: _Request, folder: ResultFolder) -> Following:
    """Simulate the arm along a plan, and arms that are not quite it where they are asked for."""
    made, many, label = task.plan, asked.many, list(asked.controllers)[-1]
    chosen = asked.controllers[label]
    if many is not None:
        many.check(made, chosen, asked.rate)
    note(f"simulating {number(made.duration)} s: {', then '.join(asked.controllers)}")
    runs = _simulate(made, asked)
    if label not in runs:
        kept = folder.write(task, PLANNED, whole=False).files
        raise UnfinishedError([f"stopped; the plan is in {', '.join(kept)}"], INTERRUPTED)
    found, at_rest = None, _begins_at_rest(chosen, asked.start)
    if many is not None and runs[label].status.reason != "interrupted":
        found = many.judge(made, chosen, asked.rate, at_rest=at_rest)
    note(f"judging {label}, and writing into {folder.place}")
    return Following(task, chosen, asked.called, asked.rate, runs, asked.tolerance, found)


def _read_controllers(
    arm: Arm, text: str | None, model: str | None
) -> dict[str, Controller | None]:
    """Return what the arm follows with, the judged one last; None commands the planned angles."""
    positions: dict[str, Controller | None] = {POSITIONS: None} if takes_positions(arm) else {}
    if positions and text is None:
        if model is None:
            return positions
        need = "--controller as well: these motors are commanded positions"
        raise InputError(Problem("--controller-model", shown(model), need))
    text = CONTROLLER if text is None else text
    chosen, alone = read_controller(text, "--controller"), OpenLoop()
    if model is not None:
        believed = find_arm(model, "--controller-model")
        with rewording(of_controller):
            chosen, alone = with_model(chosen, believed), OpenLoop(believed)
    return {**(positions or {OPEN: alone}), CLOSED: chosen}


def _check_loops(arm: Arm, rate: float, controllers: Mapping[str, Controller | None]) -> None:
    """Say how the loop is closed, and raise if a controller is not for this arm."""
    if CLOSED in controllers:
        say_loop(arm, rate)
        servos = [str(k) for k, one in enumerate(arm.joints, 1) if takes_position(one.motor)]
        if servos:
            told = f"motors that take positions, of joint {', '.join(servos)}"
            note(f"the controller drives {told}: its torques become angles, read at their rates")
    with rewording(of_controller):
        for one in controllers.values():
            if one is not None:
                one.start(arm)


def _check_work(duration: float, rate: float, film_speed: float, *, film: bool) -> None:
    """Raise if it would take hours, end before the first tick, or make too long a film."""
    if film:
        check_film(film_speed, duration)
    elif film_speed != 1.0:
        note("--film-speed says nothing without --film")
    ticks = duration * max(rate, 1000.0)
    if ticks > MOST_TICKS:
        got = f"{number(duration)} s at {number(rate)} Hz, {ticks:.3g} steps"
        need = f"at most {MOST_TICKS:,}, some minutes of work"
        hint = "make --duration shorter, or --rate lower"
        raise InputError(Problem("--duration", got, need, hint))
    if duration * rate < 1.0:
        need = f"at least {number(1.0 / duration, 3)} Hz: one tick in {number(duration, 3)} s"
        raise InputError(Problem("--rate", f"{number(rate)} Hz", need))


def _simulate(made: Plan, asked: _Request) -> dict[str, Run]:
    """Simulate the arm along the plan in one way after the other, until Ctrl-C."""
    rate, runs = asked.rate, {}
    for label, controller in asked.controllers.items():
        with warnings.catch_warnings(), rewording(as_option):
            if label == OPEN:
                # Off its path it whirls, too fast for its steps; what is told is when it left.
                warnings.simplefilter("ignore", UlnaWarning)
            q0 = None
            if _begins_at_rest(controller, asked.start):
                q0 = settled_posture(made) if controller is None else made.trajectory(0.0).q
            runs[label] = simulate(
                made.arm, q0=q0, controller=controller, reference=made, rate=rate,
                dt=min(1e-3, 1.0 / rate), on_interrupt="return",
            )  # fmt: skip
        if runs[label].status.reason == "interrupted":
            break
    return runs


def _begins_at_rest(controller: Controller | None, start: str | None) -> bool:
    """Return whether a run starts at rest: position commands do unless told otherwise."""
    return start == "rest" or (start is None and controller is None)


def _finish(
    done: Following, folder: ResultFolder, angles: Angles, json: bool, *, wanted: int
) -> None:
    """Write and show what became of it; end with the exit code of what went wrong, if it did."""
    status = done.run.status
    missing = wanted - (0 if done.robust is None else len(done.robust))
    names = [one for one in folder.writers if done.robust or one not in robust_report.FILES]
    whole = status.reason != "interrupted" and not missing
    written = folder.write(done, names, whole=whole)
    if json:
        told = {**facts_of(done), **planning.posture_facts(done.plan, angles)}
        show_json({**told, "files": written.files})
    else:
        show(done, angles)
        say_about("files", [written.line])
    written.raise_if_failed(status if status.reason == "interrupted" else None)
    if missing:
        arms = f"stopped; {wanted - missing:,} of {wanted:,} arms of --robust are done"
        raise UnfinishedError([f"{arms}{written.kept}"], INTERRUPTED)
    planning.refuse_infeasible(done.plan)
    _raise_if_not_followed(done, written)


def _raise_if_not_followed(done: Following, written: Written) -> None:
    """Raise if the arm does not follow, with what to try."""
    if done.verdict:
        return
    ended = done.verdict.reason == "unfinished"
    where = written.kept if ended else f"; all of it is in {', '.join(written.files)}"
    told = "; ".join(filter(None, [done.verdict.text, _hint(done)]))
    raise UnfinishedError([f"{told}{where}"], FAILED) from done.run.error


def _hint(done: Following) -> str:
    """Return what to try: for runs that failed otherwise than by diverging, in their own words."""
    reason, status = str(done.verdict.reason), done.run.status
    if reason == "unfinished" and status.reason != "diverged":
        return spoken(status.text.partition("; ")[2])
    if isinstance(done.controller, OpenLoop):
        return "take a --controller with feedback"
    error = {label: found.max for label, found in done.trackings.items()}
    if CLOSED in error and error.get(POSITIONS, math.inf) < error[CLOSED]:
        alone = (
            f"commanded the planned angles, its motors keep within {length_text(error[POSITIONS])}"
        )
        return f"leave out --controller: {alone}"
    if done.verdict.mismatch and reason == "off":
        return "tell the controller of the arm as it is, with --controller-model"
    if done.label == POSITIONS and reason == "off":
        reason = "servos"
    hint = HINTS["diverged" if reason == "unfinished" else reason]
    # A motion in minimum time has no duration to give.
    slower = "give feedback more of the torques with --reserve"
    return hint.replace(MORE_TIME, slower) if is_fastest(done.plan) else hint


def _writers(film_speed: float | None, *, robust: bool) -> dict[str, Writer]:
    """Return what writes each file of a plan that was followed; a film if it has a speed."""
    of_plan = planning.plan_writers()
    writers: dict[str, Writer] = {"plan.csv": of_plan.pop("plan.csv")}
    writers["run.nc"] = lambda done, file: done.run.save(file)
    writers["error.png"] = figure_writer(
        lambda done: ulna.viewer.error_figure(done.plan, done.trackings)
    )
    writers |= of_plan
    writers["summary.json"] = json_writer(
        lambda done: facts_of(done) if isinstance(done, Following) else refused_facts(done)
    )
    writers["report.html"] = _report
    writers |= robust_report.robust_writers() if robust else {}
    if film_speed is not None:
        writers["follow.mp4"] = lambda done, file: ulna.viewer.animate_following(
            done.plan, done.runs, file, fps=FPS, speed=film_speed
        )
    return writers


def _report(done: Any, file: str) -> None:
    runs = done.runs if isinstance(done, Following) else {}
    judged = done.verdict if runs else verdict(None, done.plan)
    growth = {one: growth_text(done, one) for one in done.stabilities} if runs else {}
    robust = done.robust if isinstance(done, Following) else None
    planning.write_report(done.plan, runs, judged, growth, file, robust=robust)

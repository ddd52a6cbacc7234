"""`ulna plan`: inverse kinematics and inverse dynamics along a path.

`ulna follow` begins with the same words and the same plan, and adds to the same report and files.
"""

from __future__ import annotations

import json as json_format
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Annotated, Any, NamedTuple

import numpy as np

import ulna
from ulna.arm import Arm
from ulna.arm.parameters import are_limited
from ulna.cli import flags
from ulna.cli.arguments import (
    Angles,
    as_option,
    changed_arm,
    check_count,
    read_all,
    read_convention,
    read_part,
    read_quantity,
    read_values,
)
from ulna.cli.flags import option
from ulna.cli.outputs import (
    Output,
    ResultFolder,
    UnfinishedError,
    Writer,
    check_outputs,
    figure_writer,
    html_outputs,
    json_writer,
    typed_command,
    write_outputs,
)
from ulna.cli.robust_report import FILES as ROBUST_FILES
from ulna.cli.servo_files import FILES, PlannedTable, read_servos
from ulna.cli.terminal import note, number, say, say_about, show_joints, show_json
from ulna.errors import InfeasibleError, InputError, Problem, UlnaError, rewording, shown
from ulna.motion import Path, Plan, paths, read_path
from ulna.motion import plan as planned
from ulna.motion.paths.path_text import SHAPES
from ulna.motion.planning.motor_demands import MOST_USE, planned_motor_lines
from ulna.motion.planning.plan_result import terms_of
from ulna.storage import read_text
from ulna.units import length_text

DEFAULT_ARM = "kehl"
NO_LIMITS = "no joint has a limit of angle, speed or torque"
MAX_PROBLEMS = 6  # in one list
PEAK_TORQUE = "peak torque [N·m]"
MOTOR_USE = "of its motor"  # a column where a joint has one
PEAK_FRICTION = "peak friction [N·m]"  # a column where a joint has any
# What Python's words are called at the command line.
NAMES = {"path": "PATH", "arm": "ARM", "speed": "film-speed"}
# What is of use even where there is no motion.
SHOWN_ANYWAY = ("motion.png", "summary.json", "report.html")
# What only a plan that was followed has.
FOLLOWED = ("run.nc", "error.png", "follow.mp4", *ROBUST_FILES)


def plan(
    arm: flags.UsualArm = None,
    path: flags.Path = None,
    duration: flags.Duration = None,
    rate: flags.PlanRate = None,
    timing: flags.Timing = None,
    max_speed: flags.MaxSpeed = None,
    max_acceleration: flags.MaxAcceleration = None,
    fastest: flags.Fastest = False,
    reserve: flags.Reserve = None,
    end_speeds: flags.EndSpeeds = None,
    max_joint_acceleration: flags.MaxJointAcceleration = None,
    smoothing: flags.Smoothing = None,
    elbow: flags.Elbow = None,
    angles: flags.Angles = "relative",
    derivatives: Annotated[
        str | None, option("NAME", "exact, or finite: differences of sampled angles.")
    ] = None,
    payload: flags.Payload = None,
    motor: flags.Motor = None,
    values: flags.Values = None,
    no_gravity: flags.NoGravity = False,
    keep_order: flags.KeepOrder = False,
    servo: flags.Servo = None,
    servo_rate: flags.ServoRate = None,
    out: flags.Folder = "plan",
    html: flags.Html = None,
    json: flags.Json = False,
    overwrite: flags.Overwrite = False,
) -> None:
    """Compute torques along a path (inverse dynamics), and check that the arm can do it."""
    given = locals()
    asked = read_servos(servo, servo_rate)
    writers = plan_writers() | ({} if asked is None else asked.writers)
    folder = ResultFolder(out, writers, files_of_before, overwrite=overwrite)
    pages = html_outputs(html, overwrite=overwrite)
    check_outputs(pages, overwrite=overwrite)
    convention = read_convention(angles)
    name, described, way = read_request(given, convention)
    settings = {key: given[key] for key in ("derivatives", "rate", *SETTINGS)}
    made = make_plan(name, described, way, fastest=fastest, **settings)
    table = asked.table(made) if asked is not None and made.feasible else None
    finish_plan(Planned(name, made, table), folder, convention, json=json, pages=pages)


class Planned(NamedTuple):
    """A plan, the name that its arm was asked for by, and a table for servos if one was asked."""

    name: str
    plan: Plan
    sent: PlannedTable | None = None


def read_request(given: Mapping[str, Any], angles: Angles) -> tuple[str, Arm, Path]:
    """Return an arm, by its name and as it is, and a path for it; a path may come alone.

    `given` has what a command was given, by the names of its parameters.
    """
    arm, path = given["arm"], given["path"]
    if path is None and arm is not None and _is_path(arm):
        arm, path = None, arm
    name = DEFAULT_ARM if arm is None else arm
    if path is not None and not name.lower().endswith(".toml") and _is_path(name):
        hint = "the arm comes first, then the path"
        raise InputError(Problem("ARM", shown(name), "a preset or a robot file", hint))
    changes = {key: given[key] for key in ("no_gravity", "motor", "values")}
    described = changed_arm(name, given["payload"], **changes)
    if path is None:
        return name, described, default_path(described)
    with rewording(lambda one: as_option(one) if one.what == "keep_order" else one):
        order = given["keep_order"]
        way = read_path(path, "PATH", absolute=angles.absolute, keep_order=order)
    return name, described, way


def _is_path(text: str) -> bool:
    return "(" in text or text.lower().endswith((".csv", ".svg")) or text in SHAPES


def default_path(arm: Arm) -> Path:
    """Return loops on a circle, to the arm's size, or what its joint limits leave room for."""
    limits = arm.parameters
    if arm.n == 1:
        # All that one link can do is swing.
        middle = np.clip(-0.5 * np.pi, limits.lower, limits.upper)
        ends = [np.clip(middle + way, limits.lower, limits.upper).round(6) for way in (-1, 1)]
        return paths.joints([*ends, ends[0]], closed=True)
    if are_limited(limits):
        return replace(paths.lemniscate(radius=1.0), fit=True, text="lemniscate(radius=1)")
    radius, loop_radius = (float(f"{part * arm.reach:.6g}") for part in (0.79, 0.2))
    loops = paths.loops(radius, loop_radius)
    return loops if arm.base == (0.0, 0.0) else loops.placed(arm.base)


def make_plan(
    name: str,
    arm: Arm,
    path: Path,
    *,
    names: Mapping[str, str] = NAMES,
    fastest: bool = False,
    **texts: str | None,
) -> Plan:
    """Plan; raise what is wrong with an option by the name that it has here."""
    if fastest:
        names, texts = {**names, "timing": "fastest"}, _as_fastest(texts)
    readers = _readers(arm, path)
    settings = read_all(texts, {key: readers.get(key, str) for key in texts})

    def reworded(problem: Problem) -> Problem:
        typed, value = texts.get(problem.what), settings.get(problem.what)
        if typed is not None and problem.got == shown(value):
            problem = replace(problem, got=repr(typed))
        return as_option(problem, names)

    with rewording(reworded):
        made = planned(arm, path, **settings)
    seconds, samples = number(made.duration), f"{len(made.t):,}"
    told = f"{seconds} s ({made.duration_reason}), {samples} samples"
    note(f"planned {made.path} for {name}: {told}")
    for remark in made.path.notes:
        note(remark)
    if settings.get("reserve") and not _has_torque_limits(arm):
        note("--reserve leaves nothing: no joint has a limit of torque")
    return made


def _has_torque_limits(arm: Arm) -> bool:
    return arm.has_motors or bool(np.isfinite(arm.parameters.max_torque).any())


def _as_fastest(texts: Mapping[str, str | None]) -> dict[str, str | None]:
    if texts["timing"] not in (None, "fastest"):
        got = f"--timing {texts['timing']} as well"
        raise InputError(Problem("--fastest", got, "one of the two"))
    return {**texts, "timing": "fastest"}


# The settings of a motion, as `ulna.plan` calls them.
SETTINGS = (
    "duration",
    "timing",
    "max_speed",
    "max_acceleration",
    "reserve",
    "end_speeds",
    "max_joint_acceleration",
    "smoothing",
    "elbow",
)


def _readers(arm: Arm, path: Path) -> dict[str, Callable[[str], Any]]:
    """Return how settings with units are read: speeds along a path of joints are angular."""
    along = "speed" if path.in_joints else "velocity"
    return {
        "duration": lambda text: read_quantity(text, "time", "--duration"),
        "rate": lambda text: read_quantity(text, "frequency", "--rate"),
        "max_speed": lambda text: read_quantity(text, "velocity", "--max-speed"),
        "max_acceleration": lambda text: read_quantity(text, "acceleration", "--max-acceleration"),
        "reserve": lambda text: read_part(text, "--reserve"),
        "end_speeds": lambda text: read_values(text, along, "--end-speeds"),
        "max_joint_acceleration": lambda text: _read_joint_accelerations(text, arm),
        "smoothing": lambda text: read_quantity(text, "time", "--smoothing"),
    }


def _read_joint_accelerations(text: str, arm: Arm) -> list[float]:
    """Read one acceleration for all joints, or one each [rad/s²]."""
    kind, what = "angular_acceleration", "--max-joint-acceleration"
    values = read_values(text, kind, what)
    if len(values) == 1:
        return values * arm.n
    check_count(len(values), "acceleration", arm, what, "20 rad/s^2")
    return values


def finish_plan(
    task: Planned,
    folder: ResultFolder,
    angles: Angles,
    *,
    json: bool,
    facts: Callable[[Planned], dict[str, Any]] | None = None,
    pages: Sequence[Output] = (),
) -> None:
    """Write and show a plan; end with the exit code of what is infeasible, if that is so."""
    anyway = [name for name in SHOWN_ANYWAY if name in folder.writers]
    written = folder.write(task, None if task.plan.feasible else anyway)
    page = write_outputs(task.plan, pages)
    if json:
        told = (facts or plan_facts)(task) | posture_facts(task.plan, angles)
        show_json({**told, "files": [*written.files, *page.files]})
    else:
        _show_plan(task, angles)
        say_about("files", [written.line, *page.files])
    written.raise_if_failed()
    page.raise_if_failed()
    refuse_infeasible(task.plan)


def write_report(
    made: Plan, runs: Any, judged: Any, growth: Any, file: str, *, robust: Any = None
) -> None:
    """Write what became of runs along a plan as a page, or that there is nothing to run."""
    from ulna.viewer.report_content import following_document
    from ulna.viewer.report_page import complete, write_page

    content = following_document(made, runs, judged=judged, growth=growth)
    if robust is not None:
        from ulna.viewer.report_robustness import add_robustness

        add_robustness(content, robust)
        ok, text = robust.headline(judged)
        content.header["verdict"] = {"ok": ok, "text": text}
    write_page(complete(content, command=typed_command()), file)


def refuse_infeasible(made: Plan) -> None:
    """End with the exit code of what cannot be done, if that is so."""
    made.raise_if_infeasible()
    if not made.ok:
        told = [found.text for found in made.problems if found.exceeds]
        more = f"; and {len(told) - 3} more" * (len(told) > 3)
        message = f"the arm cannot do it: {'; '.join(told[:3])}{more}"
        raise UnfinishedError([message], InfeasibleError.exit_code)


def _show_plan(task: Planned, angles: Angles) -> None:
    made, title = task.plan, plan_heading(task, angles)
    if not made.feasible:
        say(title)
        return
    show_joints(title, plan_columns(made))
    say_about("reachable", [reach_line(made)])
    say_about("postures", [posture_line(made, angles)])
    if made.arm.has_motors:
        say_about("motors", planned_motor_lines(made))
    show_limiting(made)
    say_about("limits", limits_lines(made))


def plan_heading(task: Planned, angles: Angles) -> str:
    """Return which arm follows which path, and for how long."""
    made = task.plan
    # The text of a path is what makes it again, whatever angles it was made from.
    own = ", its angles from the link before" * (angles.absolute and made.path.in_joints)
    return f"{made.arm.name or task.name} along {made.path}{own}, {number(made.duration)} s"


def plan_columns(made: Plan) -> dict[str, list[str]]:
    """Return torques, speed and power of every joint, by their headings."""
    limits, peaks = made.arm.parameters.max_torque, made.peaks
    against = {}
    if made.arm.has_friction:
        against[PEAK_FRICTION] = [number(most, 4) for most in made.term_peaks["friction"]]
    if made.arm.has_motors:
        use = made.motor_peaks.use
        against[MOTOR_USE] = [
            f"{one:.0%}" if one < MOST_USE else f"> {MOST_USE:.0%}" for one in use
        ]
    return {
        PEAK_TORQUE: [number(torque, 5) for torque in peaks.torque],
        **against,
        "RMS [N·m]": [number(torque, 5) for torque in peaks.torque_rms],
        "limit [N·m]": [number(most, 5) if np.isfinite(most) else "none" for most in limits],
        "peak speed [rad/s]": [number(speed, 4) for speed in peaks.speed],
        "peak power [W]": [number(power, 4) for power in peaks.power],
    }


def reach_line(made: Plan) -> str:
    """Return whether all of it is in reach, and by what margin."""
    margin, singular = made.peaks.reach_margin, made.peaks.singularity_margin
    worst = number(1.0 / singular if singular else np.inf, 3)
    side = {1: "; elbow positive (sin q2 > 0)", -1: "; elbow negative (sin q2 < 0)"}
    branches = set(made.branch.tolist())
    elbow = side.get(branches.pop(), "") if made.arm.n == 2 and len(branches) == 1 else ""
    inside = "up to the edge of the reach"
    if margin > 1e-9 * made.arm.reach:
        inside = f"at least {length_text(margin)} inside the edge of the reach"
    return f"yes, {inside}{elbow}; condition number of the Jacobian up to {worst}"


def posture_line(made: Plan, angles: Angles, *, explained: bool = True) -> str:
    """Return in which postures it starts and ends."""
    known = made.q[np.isfinite(made.q).all(axis=-1)]
    measured = f"; {angles.symbol} is measured {angles.measured}" if explained else ""
    return f"from {angles.posture(known[0])} to {angles.posture(known[-1])}{measured}"


def posture_facts(made: Plan, angles: Angles) -> dict[str, Any]:
    """Return the first and the last posture from the x axis, if angles are to be so."""
    known = made.q[np.isfinite(made.q).all(axis=-1)]
    return angles.facts(phi_start=known[0], phi_end=known[-1]) if len(known) else {}


def limits_lines(made: Plan) -> list[str]:
    """Return which limits are exceeded, and what else there is to know."""
    told = [problem.text for problem in made.problems]
    if len(told) > MAX_PROBLEMS:
        told = [*told[:MAX_PROBLEMS], f"and {len(told) - MAX_PROBLEMS} more"]
    return told if not made.ok else [_kept_limits(made), *told]


def _kept_limits(made: Plan) -> str:
    """Return which limits a plan keeps that can be followed."""
    own = made.arm.parameters
    if made.arm.has_motors:
        return "all angles, speeds and torques are within the limits of joints and motors"
    if are_limited(own) or np.isfinite([own.max_velocity, own.max_torque]).any():
        return "all angles, speeds and torques are within the joints' limits"
    return NO_LIMITS


def show_limiting(made: Plan) -> None:
    """Print what holds up a motion in minimum time, where, and what more of it would gain."""
    if made.limiting:
        say_about("limited by", map(str, made.limiting))


def plan_facts(task: Planned) -> dict[str, Any]:
    """Return a plan in SI numbers."""
    made, peaks = task.plan, task.plan.peaks
    return {
        "arm": made.arm.name or task.name,
        "path": str(made.path),
        "notes": list(made.path.notes),
        "timing": made.trajectory.timing.name,
        "duration": made.duration,
        "samples": len(made.t),
        "feasible": made.feasible,
        "ok": made.ok,
        "problems": [
            {"kind": found.kind, "text": found.text, "joint": found.joint, **found.when._asdict()}
            for found in made.problems
        ],
        "reach_margin": peaks.reach_margin,
        "singularity_margin": peaks.singularity_margin,
        "limiting": [one._asdict() for one in made.limiting],
        "torque": {"peak": peaks.torque, "rms": peaks.torque_rms},
        "speed": {"peak": peaks.speed},
        "power": {"peak": peaks.power},
        "terms": {name: {"peak": made.term_peaks[name]} for name in terms_of(made.arm)},
        **_motor_facts(made),
        **({} if task.sent is None else {"servo": task.sent.facts}),
    }


def _motor_facts(made: Plan) -> dict[str, Any]:
    if not made.feasible or not made.arm.has_motors:
        return {}
    peaks = made.motor_peaks
    return {"motors": {**peaks._asdict(), "supplies": [one._asdict() for one in peaks.supplies]}}


def plan_writers() -> dict[str, Writer]:
    """Return what writes each file of a plan, the numbers first."""
    return {
        "plan.csv": lambda done, file: done.plan.save(file),
        "motion.png": figure_writer(
            lambda done: ulna.viewer.motion_figure(done.plan, getattr(done, "run", None))
        ),
        "torques.png": figure_writer(lambda done: ulna.viewer.torques_figure(done.plan)),
        "summary.json": json_writer(plan_facts),
        "report.html": _report,
    }


def _report(done: Any, file: str) -> None:
    ulna.viewer.report(done.plan, file, command=typed_command(), progress=False)


def files_of_before(folder: FilePath) -> tuple[str, ...]:
    """Return the files in a folder that an earlier `ulna plan` or `ulna follow` has written.

    Only its summary shows that, and that a run or a film in there is not somebody else's.
    """
    try:
        facts = json_format.loads(read_text(folder / "summary.json"))
    except (UlnaError, ValueError, RecursionError):
        return ()
    if not isinstance(facts, dict) or not {"path", "timing", "feasible"} <= facts.keys():
        return ()
    others = (*(FOLLOWED if "controller" in facts else ()), *(FILES if "servo" in facts else ()))
    return (*plan_writers(), *others)

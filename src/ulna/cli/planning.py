"""What `ulna plan` and `ulna follow` share: the words they take, and the plan they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from ulna.arm import Arm
from ulna.arm.parameters import are_limited
from ulna.cli.angle_option import RELATIVE, Angles
from ulna.cli.arguments import changed_arm, find_arm, read_quantity
from ulna.cli.reading import Reader, read_all
from ulna.cli.running import renamed
from ulna.cli.terminal import note, number
from ulna.errors import InputError, Problem, shown
from ulna.motion import Path, Plan, paths, plan, read_path
from ulna.motion.paths.path_text import SHAPES
from ulna.units import length_text

DEFAULT_ARM = "kehl"
NO_LIMITS = "no joint has a limit of angle, speed or torque"
# What Python's words are called at the command line.
NAMES = {"path": "PATH", "arm": "ARM", "speed": "film-speed"}

PlanArmArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[ARM]", help="A preset or a robot file; kehl unless given.", show_default=False
    ),
]
PathArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[PATH]",
        help="A shape such as \"circle(center=(0.2, 0.1), radius='5 cm')\", or a .csv or .svg "
        "file; see `ulna list paths`. Loops on a circle unless given.",
        show_default=False,
    ),
]


def _option(name: str, metavar: str, text: str) -> Any:
    return typer.Option(name, metavar=metavar, help=text, show_default=False)


DurationOption = Annotated[str | None, _option("--duration", "TIME", 'How long it takes: "4 s".')]
TimingOption = Annotated[
    str | None,
    _option(
        "--timing",
        "NAME",
        "How it is timed: uniform unless given; see `ulna list timings`.",
    ),
]
MaxSpeedOption = Annotated[str | None, _option("--max-speed", "SPEED", 'Of the tip: "50 cm/s".')]
MaxAccelerationOption = Annotated[
    str | None, _option("--max-acceleration", "ACCELERATION", 'Of the tip: "2 m/s^2".')
]
ElbowOption = Annotated[
    str | None,
    _option("--elbow", "SIDE", "up or down at the start, or positive or negative: sin q2."),
]


class PlanningTask(NamedTuple):
    """An arm, with the name that it was asked for by, and the plan for it."""

    name: str
    arm: Arm
    plan: Plan


class PlanRequest(NamedTuple):
    """What was asked for: an arm, by its name and as it is, and a path for it."""

    name: str
    arm: Arm
    path: Path


def read_request(
    arm: str | None,
    path: str | None,
    payload: str | None,
    *,
    no_gravity: bool,
    angles: Angles = RELATIVE,
) -> PlanRequest:
    """Read arm and path as they were typed; a path may come alone."""
    if path is None and arm is not None and _is_path(arm):
        arm, path = None, arm
    name = DEFAULT_ARM if arm is None else arm
    if path is not None and not _is_file(name) and _is_path(name):
        hint = "the arm comes first, then the path"
        raise InputError(Problem("ARM", shown(name), "a preset or a robot file", hint))
    described = changed_arm(find_arm(name), payload, no_gravity=no_gravity)
    if path is None:
        return PlanRequest(name, described, default_path(described))
    asked = read_path(path, "PATH", absolute=angles.absolute)
    return PlanRequest(name, described, asked)


def make_task(
    asked: PlanRequest, *, names: Mapping[str, str] = NAMES, **texts: str | None
) -> PlanningTask:
    """Plan; raise what is wrong with an option by the name that it has here."""
    readers: Mapping[str, Reader] = {
        "duration": lambda text: read_quantity(text, "time", "--duration"),
        "max_speed": lambda text: read_quantity(text, "velocity", "--max-speed"),
        "max_acceleration": lambda text: read_quantity(text, "acceleration", "--max-acceleration"),
    }
    options = read_all({key: (text, readers.get(key, str)) for key, text in texts.items()})
    try:
        made = plan(asked.arm, asked.path, **options)
    except InputError as error:
        raise InputError([renamed(problem, names) for problem in error.problems]) from None
    seconds, samples = number(made.duration), f"{len(made.t):,}"
    told = f"{seconds} s ({made.duration_reason}), {samples} samples"
    note(f"planned {made.path} for {asked.name}: {told}")
    for remark in made.path.notes:
        note(remark)
    return PlanningTask(asked.name, asked.arm, made)


def _is_path(text: str) -> bool:
    return "(" in text or text.lower().endswith((".csv", ".svg")) or text in SHAPES


def _is_file(text: str) -> bool:
    return text.lower().endswith(".toml")


def default_path(arm: Arm) -> Path:
    """Return loops on a circle, to the arm's size, or what its joint limits leave room for."""
    limits = arm.parameters
    if arm.n == 1:
        # All that one link can do is swing.
        middle = np.clip(-0.5 * np.pi, limits.lower, limits.upper)
        ends = [np.clip(middle + way, limits.lower, limits.upper).round(6) for way in (-1, 1)]
        return paths.joints([*ends, ends[0]], closed=True)
    if are_limited(limits):
        return replace(paths.lemniscate(radius=1.0), fit=True, text="lemniscate()")
    size = arm.reach
    radius, loop_radius = (float(f"{part * size:.6g}") for part in (0.79, 0.2))
    loops = paths.loops(radius, loop_radius)
    return loops if arm.base == (0.0, 0.0) else loops.placed(arm.base)


def plan_rows(made: Plan) -> list[tuple[str, ...]]:
    """Return a row for every joint: torques, speed, power."""
    limits, peaks = made.arm.parameters, made.peaks
    return [
        (
            str(i + 1),
            number(peaks.torque[i], 5),
            number(peaks.torque_rms[i], 5),
            number(limits.max_torque[i], 5) if np.isfinite(limits.max_torque[i]) else "none",
            number(peaks.speed[i], 4),
            number(peaks.power[i], 4),
        )
        for i in range(made.arm.n)
    ]


PLAN_COLUMNS = (
    "joint",
    "peak torque [N·m]",
    "RMS [N·m]",
    "limit [N·m]",
    "peak speed [rad/s]",
    "peak power [W]",
)


def reach_line(made: Plan) -> str:
    """Return whether all of it is in reach, and by what margin."""
    margin, singular = made.peaks.reach_margin, made.peaks.singularity_margin
    worst = number(1.0 / singular if singular else np.inf, 3)
    closest = f"condition number of the Jacobian up to {worst}"
    side = {1: "; elbow positive (sin q2 > 0)", -1: "; elbow negative (sin q2 < 0)"}
    branches = set(made.branch.tolist())
    elbow = side.get(branches.pop(), "") if made.arm.n == 2 and len(branches) == 1 else ""
    edge = margin <= 1e-9 * made.arm.reach
    inside = "up to the edge of the reach"
    if not edge:
        inside = f"at least {length_text(margin)} inside the edge of the reach"
    return f"yes, {inside}{elbow}; {closest}"


def plan_heading(task: PlanningTask, angles: Angles) -> str:
    """Return which arm follows which path, and for how long."""
    made = task.plan
    # The text of a path is what makes it again, whatever angles it was made from.
    own = ", its angles from the link before" * (angles.absolute and made.path.in_joints)
    return f"{made.arm.name or task.name} along {made.path}{own}, {number(made.duration)} s"


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
    if told:
        return told[:6] + [f"and {len(told) - 6} more"] * (len(told) > 6)
    own = made.arm.parameters
    limited = are_limited(own) or np.isfinite([own.max_velocity, own.max_torque]).any()
    if limited:
        return ["all angles, speeds and torques are within the joints' limits"]
    return [NO_LIMITS]


def plan_facts(task: PlanningTask) -> dict[str, Any]:
    """Return a plan in SI numbers."""
    made = task.plan
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
        "reach_margin": made.peaks.reach_margin,
        "singularity_margin": _known(made.peaks.singularity_margin),
        "torque": {"peak": _known(made.peaks.torque), "rms": _known(made.peaks.torque_rms)},
        "speed": {"peak": _known(made.peaks.speed)},
        "power": {"peak": _known(made.peaks.power)},
        "terms": {name: {"peak": _known(part)} for name, part in made.term_peaks.items()},
    }


def _known(values: Any) -> Any:
    """Return what is known, None in the place of NaN."""
    if np.ndim(values):
        return [_known(value) for value in values]
    return None if np.isnan(values) else float(values)

"""`ulna simulate`: an arm in time under what drives it, and what it did.

Torques and forces are numbers with units, formulas, or a table in a file. A controller comes with
its rate, its sensors, and a reference: a posture, a plan file, or a path to be planned.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from ulna import motion, units
from ulna.arm import Arm
from ulna.cli import flags
from ulna.cli.arguments import (
    Angles,
    as_option,
    changed_arm,
    check_count,
    loop_rate,
    number_reader,
    of_controller,
    one_a_joint,
    read_all,
    read_convention,
    read_force,
    read_joints,
    read_quantity,
    read_rate,
    say_loop,
    split_values,
    spoken,
    with_values,
)
from ulna.cli.flags import option, switch
from ulna.cli.outputs import (
    Output,
    check_film,
    check_outputs,
    data_output,
    html_outputs,
    interrupted_outputs,
    picture_outputs,
    write_outputs,
)
from ulna.cli.planning import make_plan
from ulna.cli.run_report import run_facts, show_run, status_line
from ulna.cli.terminal import counted, note, say, show_json
from ulna.columns import Cells, is_number, read_cells
from ulna.control import read_controller
from ulna.errors import InputError, Problem, Problems, did_you_mean, rewording, shown
from ulna.expressions import FUNCTIONS, Expression
from ulna.motion import SHAPES, Plan, read_path
from ulna.motion.paths.points import interpolated
from ulna.scenario import Scenario
from ulna.scenario.disturbances import sizes, wave_programs
from ulna.scenario.inputs import names_for, takes_positions
from ulna.scenario.reading import read_disturbance, read_sensors
from ulna.scenario.references import trajectory_of
from ulna.simulation import Run
from ulna.simulation import simulate as simulated
from ulna.simulation.files import ENDINGS

LEAST = 0.1  # [s] of a run whose pace says something
SI = {"torque": "N·m", "force": "N"}
FORCE_KINDS = ("force", "force", "torque")
LARGEST = 1_000_000_000  # [bytes] of a file of torques or of a plan
CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\(")
WORD = re.compile(r"\s*[A-Za-z_]\w*\s*")
REFERENCES = (
    'a posture such as "30 deg, -20 deg", a plan file such as plan/plan.csv, '
    "or a path such as \"circle(center=(0.5, 0.1), radius='5 cm')\""
)
# What `ulna.simulate` takes as it is typed.
AS_TYPED = ("until", "method", "rtol", "samples", "restitution", "dynamics", "between")

StartOption = Annotated[
    str | None,
    option("ANGLES", 'Where it starts: "40 deg, -60 deg"; else where a plan to follow does.'),
]
StartSpeedOption = Annotated[
    str | None, option("SPEEDS", 'How fast --q0 starts: "30 deg/s, 0", "15 rpm, 0"; else at rest.')
]
DurationOption = Annotated[
    str | None, option("TIME", 'How long: "20 s"; else as a plan to follow.')
]
TorqueOption = Annotated[
    str | None,
    option(
        "TORQUES", 'One a joint: "3 N*m, 5*sin(2*pi*t)", over t, x, y, q1, qd1 ...; or a .csv file.'
    ),
]
TipForceOption = Annotated[
    str | None, option("FORCE", 'On the tip: "0 N, -5 N", or with a moment [N*m].')
]
ReferenceOption = Annotated[
    str | None,
    option(
        "REFERENCE",
        'What a controller, or motors that take positions, follow: a posture "30 deg, -20 deg"; a '
        "plan.csv of `ulna plan`; "
        "or a path as `ulna plan` takes it, timed as there.",
    ),
]
SensorsOption = Annotated[
    str | None,
    option(
        "SENSORS",
        "What the controller measures with: \"Sensors(angle_noise='0.1 deg', delay='2 ms')\"; "
        "see `ulna list sensors`.",
    ),
]
DisturbanceOption = Annotated[
    list[str] | None,
    option(
        "DISTURBANCE",
        "What acts besides, in N*m or on the tip in N: \"step(torque=('1 N*m', 0), at='1 s')\""
        "; can be repeated; see `ulna list disturbances`.",
    ),
]
UntilOption = Annotated[str | None, option("FORMULA", 'Stop when it becomes true: "y < 0".')]
MethodOption = Annotated[
    str | None,
    option("NAME", "dop853, or rk4 with a controller, unless given; see `ulna list methods`."),
]
StepOption = Annotated[
    str | None, option("TIME", "Step of the other methods, and of samples: 1 ms.")
]
RtolOption = Annotated[float | None, option("NUMBER", "Relative error of dop853: 1e-9.")]
SamplesOption = Annotated[int | None, option("COUNT", "How many to keep; one every dt.")]
NoStopsOption = Annotated[bool, switch("--no-stops", "Let joints pass limits.")]
RestitutionOption = Annotated[
    float | None, option("NUMBER", "Part of its speed a stop gives back: 0.")
]
DynamicsOption = Annotated[
    str | None, option("NAME", "full, or sequential: joint by joint, without their coupling.")
]
SequentialDampingOption = Annotated[
    str | None, option("NUMBERS", 'Of the sequential dynamics, one a joint [1/s]: "0.5, 0.5".')
]
BetweenOption = Annotated[
    str | None, option("NAME", "hold or linear: torques between rows of a file.")
]
OutOption = Annotated[
    str | None, option("FILE", "Write the run: .nc (all of it), .csv or .parquet.")
]


def simulate(
    arm: flags.Arm,
    q0: StartOption = None,
    duration: DurationOption = None,
    qd0: StartSpeedOption = None,
    angles: flags.Angles = "relative",
    torque: TorqueOption = None,
    tip_force: TipForceOption = None,
    controller: Annotated[str | None, flags.CONTROLLER] = None,
    reference: ReferenceOption = None,
    sensors: SensorsOption = None,
    disturbance: DisturbanceOption = None,
    rate: Annotated[str | None, flags.RATE] = None,
    until: UntilOption = None,
    payload: flags.Payload = None,
    motor: flags.Motor = None,
    values: flags.Values = None,
    no_gravity: flags.NoGravity = False,
    method: MethodOption = None,
    dt: StepOption = None,
    rtol: RtolOption = None,
    samples: SamplesOption = None,
    no_stops: NoStopsOption = False,
    restitution: RestitutionOption = None,
    dynamics: DynamicsOption = None,
    sequential_damping: SequentialDampingOption = None,
    between: BetweenOption = None,
    out: OutOption = None,
    csv: Annotated[bool, switch("--csv", "Also write a .csv, beside --out.")] = False,
    plot: flags.Plot = None,
    html: flags.Html = None,
    film: flags.Film = None,
    film_speed: flags.FilmSpeed = 1.0,
    json: flags.Json = False,
    overwrite: flags.Overwrite = False,
) -> None:
    """Simulate an arm (forward dynamics) under torques or a controller, and show what it did."""
    given = locals()
    of_arm, of_run = split_values(values)
    described = changed_arm(arm, payload, no_gravity=no_gravity, motor=motor, values=of_arm)
    convention = read_convention(angles)
    settings = _read_options(given, described, convention)
    outputs = _data_outputs(out, csv=csv, overwrite=overwrite) + _shown_outputs(given)
    check_outputs(outputs, overwrite=overwrite)
    settings |= _read_control(given, described, arm, convention)
    seconds = _check_start(settings, described)
    if film is not None:
        check_film(film_speed, None if until else seconds)
    with rewording(lambda problem: _of_start(problem, convention)):
        asked = {**settings, "stops": not no_stops}
        run, elapsed = _run(described, asked, of_run)
    if run.status.reason == "interrupted" and outputs:
        outputs = interrupted_outputs(outputs)
        note("interrupted; writing what there is, Ctrl-C again to stop at once")
    written = write_outputs(run, outputs)
    if json:
        show_json({**run_facts(run, convention), "files": written.files})
    else:
        show_run(run, arm, convention)
        if run.status:
            say(f"{spoken(status_line(run))}{_pace(run, elapsed)}")
        if written.files:
            say(f"written: {', '.join(written.files)}")
    written.raise_if_failed(run.status, run.error)


def _shown_outputs(given: Mapping[str, Any]) -> list[Output]:
    overwrite = given["overwrite"]
    pictures = (given[name] for name in ("plot", "film", "film_speed"))
    page = html_outputs(given["html"], overwrite=overwrite)
    return [*picture_outputs(*pictures, overwrite=overwrite), *page]


def _read_options(given: Mapping[str, Any], arm: Arm, angles: Angles) -> dict[str, Any]:
    """Return the settings of `ulna.simulate` that were given, but those of a controller."""
    settings = read_all(
        given,
        {
            "q0": lambda text: angles.read(text, arm, "--q0"),
            "duration": lambda text: read_quantity(text, "time", "--duration"),
            "qd0": lambda text: angles.read_speeds(text, arm, "--qd0"),
            "torque": lambda text: _read_torques(text, arm, "--torque"),
            "tip_force": lambda text: _read_tip_force(text, arm, "--tip-force"),
            "sequential_damping": lambda text: read_joints(
                text, "number", arm, "--sequential-damping", "0.5"
            ),
            "dt": lambda text: read_quantity(text, "time", "--dt"),
        },
    )
    return settings | {name: given[name] for name in AS_TYPED if given[name] is not None}


def _check_start(settings: Mapping[str, Any], arm: Arm) -> float:
    """Return the duration [s]; raise unless it and a start are given, or a plan is."""
    trajectory = trajectory_of(settings.get("reference"))
    problems = Problems()
    if "q0" not in settings and trajectory is None:
        need = f"the angles at the start, {arm.n} of them"
        hint = f'such as --q0 "{one_a_joint("30 deg", arm)}"'
        problems.add("--q0", "nothing", need, hint)
    elif "qd0" in settings and "q0" not in settings:
        hint = "leave --qd0 out to start as the plan does, or add --q0"
        problems.add("--qd0", "speeds without angles", "--q0 as well", hint)
    if "duration" not in settings and trajectory is None:
        problems.add("--duration", "nothing", "how long it takes", 'such as --duration "20 s"')
    problems.raise_if_any()
    if trajectory is None or "duration" in settings:
        return float(settings["duration"])
    return trajectory.duration


def _data_outputs(out: str | None, *, csv: bool, overwrite: bool) -> list[Output]:
    """List the files for the numbers of a run."""
    files = {"--out": out, "--csv": str(Path(out or "run.nc").with_suffix(".csv")) if csv else None}
    if files["--csv"] == out:
        del files["--csv"]
    return [
        data_output(option, file, ENDINGS, overwrite=overwrite)
        for option, file in files.items()
        if file is not None
    ]


def _run(arm: Arm, settings: Mapping[str, Any], values: list[str]) -> tuple[Run, float]:
    """Simulate; return the time [s] that it took as well, the engine's loading apart."""
    with rewording(as_option):
        # A run of no length has the engine loaded or compiled.
        scenario = with_values(Scenario(arm=arm, **settings), values)
        simulated(scenario.replace(duration=0.0, samples=None))
        start = time.perf_counter()
        run = simulated(scenario, on_interrupt="return")
    return run, time.perf_counter() - start


def _of_start(problem: Problem, angles: Angles) -> Problem:
    """Return a problem with a start beyond limits, which are of the joint's own angle."""
    if not angles.absolute or not problem.what.startswith("--q0, joint"):
        return problem
    return replace(problem, got=f"{problem.got} from the link before")


def _pace(run: Run, elapsed: float) -> str:
    """Return how fast it was computed, where there was time to speak of."""
    t = float(run.t[-1])
    if t < LEAST or elapsed <= 0.0:
        return ""
    factor = float(f"{t / elapsed:.2g}")
    return f"; computed at {factor:,.15g} times real time"


def _read_torques(text: str, arm: Arm, what: str) -> Any:
    """Read one torque a joint, "300, 5*sin(t), 20 kg*cm", or the name of a .csv file."""
    if text.strip().lower().endswith(".csv"):
        return _read_table(text.strip(), arm.n)
    items = units.separate(text)
    check_count(len(items), "torque", arm, what, "3 N*m")
    if not _any_formula(items, arm):
        return read_joints(text, "torque", arm, what, "3 N*m")
    return _read_each(items, ("torque",) * arm.n, arm, what)


def _read_tip_force(text: str, arm: Arm, what: str) -> Any:
    """Read a force "x, y", or "x, y, moment", on the tip, in numbers or formulas."""
    items = units.separate(text)
    if len(items) not in (2, 3) or not _any_formula(items, arm):
        return read_force(text, what)
    return _read_each(items, FORCE_KINDS, arm, what)


def _any_formula(items: Sequence[str], arm: Arm) -> bool:
    return any(_is_formula(item, names_for(arm.n)) for item in items)


def _is_formula(item: str, names: Sequence[str]) -> bool:
    """Whether the text is no number; one with a fault in it is, and shows where the fault is."""
    amount = units.split_unit(item)[0] if _has_unit(item, names) else item
    try:
        return bool(amount) and not Expression.parse(amount, names).is_constant
    except InputError:
        return True


def _has_unit(item: str, names: Sequence[str]) -> bool:
    amount, unit = units.split_unit(item)
    # A number before a condition, "5 if t < 1 else 0", is no number of ifs.
    if not unit or unit in names or unit.split()[0] == "if":
        return False
    return units.known_unit(unit) is not None or is_number(amount)


def _read_each(
    items: Sequence[str], kinds: Sequence[str], arm: Arm, what: str
) -> list[str | float]:
    """Read every item by itself, and tell all that is wrong with any."""
    values, problems = [], Problems()
    for index, (item, kind) in enumerate(zip(items, kinds, strict=False), 1):
        with problems.gather():
            values.append(_read_item(item, kind, names_for(arm.n), f"{what}.{index}"))
    problems.raise_if_any()
    return values


def _read_item(item: str, kind: str, names: Sequence[str], what: str) -> str | float:
    if not _has_unit(item, names):
        formula = Expression.parse(item, names, what)
        return float(number_reader(what)(item)) if formula.is_constant else item
    amount, _ = units.split_unit(item)
    if _is_formula(item, names):
        need = f"a number with a unit, or a formula in {SI[kind]} without one"
        raise InputError(Problem(what, shown(item), need, f'write "{amount}"'))
    return units.to_si(item, kind, what=what, number=number_reader(what))


def _read_table(file: str, n: int) -> tuple[list[float], list[list[float]]]:
    """Return times [s] and rows of n torques [N·m].

    A line of names may come first. With the names that runs are saved under, t and tau1 … taun,
    only those columns count; otherwise time and torques have to be all there is.
    """
    cells = read_cells(file, LARGEST, "time and torques")
    wanted = ["t", *(f"tau{joint}" for joint in range(1, n + 1))]
    names, columns = _names(cells), list(range(n + 1))
    if set(wanted) <= set(names):
        columns = [names.index(name) for name in wanted]
    elif cells.width != n + 1:
        need = f"{n + 1}: time [s], and the torque [N·m] of every joint"
        alone = cells.width == 1
        hint = "separate them by commas" if alone else f"or name them {', '.join(wanted)}"
        raise InputError(Problem("columns", counted(cells.width, "column"), need, hint, place=file))
    rows = cells.numbers(columns)
    cells.check_times([row[0] for row in rows])
    return [row[0] for row in rows], [row[1:] for row in rows]


def _names(cells: Cells) -> list[str]:
    """Return what columns are called, without their units."""
    return [name.partition("[")[0].strip().lower() for name in cells.names]


def _read_control(given: Mapping[str, Any], arm: Arm, name: str, angles: Angles) -> dict[str, Any]:
    """Return the options of `ulna.simulate` that those of a controller stand for."""
    _check_control(given, arm)
    settings: dict[str, Any] = {}
    if given["disturbance"]:
        settings["disturbances"] = [_read_disturbance(text, arm) for text in given["disturbance"]]
    if given["controller"] is None:
        if given["reference"] is not None:
            settings["reference"] = _read_reference(given["reference"], arm, name, angles)
        return settings | ({} if given["rate"] is None else {"rate": read_rate(given["rate"])})
    settings["controller"] = read_controller(given["controller"], "--controller")
    with rewording(of_controller):
        settings["controller"].start(arm)
    rate = settings["rate"] = loop_rate(arm) if given["rate"] is None else read_rate(given["rate"])
    if given["sensors"] is not None:
        made = settings["sensors"] = read_sensors(given["sensors"], "--sensors")
        with rewording(lambda problem: _of_call("--sensors", given["sensors"], problem)):
            made.layout(arm.n)
            made.ticks_late(1.0 / rate)
    say_loop(arm, rate, settings.get("sensors"))
    settings["reference"] = _read_reference(given["reference"], arm, name, angles)
    return settings


def _check_control(given: Mapping[str, Any], arm: Arm) -> None:
    """Raise if there are options of a controller without one, or one without a reference.

    Motors that take positions follow a reference without a controller.
    """
    if given["controller"] is None:
        hint = 'add one, such as --controller "ComputedTorque()"'
        positioned = given["reference"] is not None and takes_positions(arm)
        problems = [
            Problem(f"--{name}", f"{shown(given[name])} and no --controller", "a controller", hint)
            for name in ("sensors",) + ("reference", "rate") * (not positioned)
            if given[name] is not None
        ]
        if problems:
            raise InputError(problems)
    elif given["reference"] is None:
        got = f"{shown(given['controller'])} and no --reference"
        need = f"what it is to follow: {REFERENCES}"
        hint = "to hold the arm where it starts, repeat what --q0 says"
        raise InputError(Problem("--controller", got, need, hint))


def _read_disturbance(text: str, arm: Arm) -> Any:
    made = read_disturbance(text, "--disturbance")
    with rewording(lambda problem: _of_call("--disturbance", text, problem)):
        sizes([made], arm.n)
        wave_programs([made], arm.n)
    return made


def _of_call(option: str, text: str, problem: Problem) -> Problem:
    what = f"{option} {text}: {problem.what.rpartition('.')[2]}"
    return replace(problem, what=what, hint=spoken(problem.hint))


def _read_reference(text: str, arm: Arm, name: str, angles: Angles) -> list[float] | Plan:
    """Read what a controller is to follow: a posture to hold, a plan file, or a path to plan."""
    plain = text.strip()
    called = CALL.match(plain)
    if plain.lower().endswith(".csv"):
        return _plan_file(plain, arm) or _planned(plain, arm, name, angles)
    is_file = plain.lower().endswith((".svg", ".toml", ".nc", ".json", ".parquet"))
    if is_file or plain in SHAPES or (called and called[1] not in FUNCTIONS):
        return _planned(plain, arm, name, angles)
    if not plain or (WORD.fullmatch(plain) and plain not in ("pi", "e")):
        hint = did_you_mean(plain, SHAPES)
        raise InputError(Problem("--reference", shown(text), REFERENCES, hint))
    return angles.read(plain, arm, "--reference")


def _planned(text: str, arm: Arm, name: str, angles: Angles) -> Plan:
    path = read_path(text, "--reference", absolute=angles.absolute)
    made = make_plan(name, arm, path, names={"path": "reference"})
    made.raise_if_infeasible()
    if not made.ok:
        told = next(found.text for found in made.problems if found.exceeds)
        note(f"the reference asks for more than the arm can do: {told}")
    return made


def _plan_file(file: str, arm: Arm) -> Plan | None:
    """Read the joint angles of a plan or a run; None of a file that holds none."""
    cells = read_cells(file, LARGEST, "the columns t, q1, q2, ... of a plan, or x, y of a path")
    names = _names(cells)
    if not {"t", "q1"} <= set(names):
        return None
    wanted = ["t", *(f"q{joint}" for joint in range(1, arm.n + 1))]
    joints = sum(bool(re.fullmatch(r"q\d+", name)) for name in names)
    if joints != arm.n or not set(wanted) <= set(names):
        need, hint = f"{arm.n}, as many as the arm has", "plan it for this arm"
        got = f"angles of {counted(joints, 'joint')}"
        raise InputError(Problem("--reference", got, need, hint, file))
    rates = [f"qd{joint}" for joint in range(1, arm.n + 1)]
    wanted += rates if set(rates) <= set(names) else []
    rows = np.array(cells.numbers([names.index(name) for name in wanted], wanted))
    cells.check_times(rows[:, 0].tolist())
    if len(rows) < 2:
        raise InputError(Problem("--reference", "one row", "at least two", place=file))
    times, q, qd = np.split(rows, [1, arm.n + 1], axis=1)
    # Between rows a plan is the cubic through the angles and rates of both.
    with rewording(lambda problem: problem.at(file)):
        path = interpolated(q, file, times=times[:, 0], rates=qd if qd.size else None)
    return motion.plan(arm, replace(path, in_joints=True))

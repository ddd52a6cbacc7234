"""What people type: arms, angles, quantities. Text with units in, SI numbers out.

Inside, and in every file, joint angles are relative: each from the link before. Many texts are
written in absolute angles, each link's from the x axis. `Angles` converts them here, at the edge,
by the functions of `ulna.angles`; `q` is never the name of anything but relative angles.

What Python finds wrong is told in the words of the command line: `as_option` and `of_controller`
give its problems the names of options, `spoken` its sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ulna import units
from ulna.angles import absolute_to_relative, relative_to_absolute
from ulna.arm import Arm, IdealMotor, preset, presets
from ulna.arm.motor_catalogue import catalogued
from ulna.arm.robot_files import check_format
from ulna.cli.terminal import counted, degrees, note
from ulna.errors import InputError, Problem, Problems, did_you_mean, nearest_name, rewording, shown
from ulna.expressions import constant
from ulna.interop.description_files import is_description, load
from ulna.storage import exists

if TYPE_CHECKING:
    from ulna.scenario import Scenario

DEFAULT_RATE = 1000.0  # [Hz] of controllers
HEAVIEST = 1e6  # [kg]
IDEAL = "ideal"  # a motor without limits
MOST_SHOWN = 8  # angles of a posture in a sentence
# What Python's words for a setting are called at the command line.
NAMES = {"speed": "film-speed"}
SETTING = re.compile(r"\b(method|dynamics|samples|speed|dt)='?([\w.,-]*\w)'?")
OF_MOTION = re.compile(r"\b(max_speed|max_acceleration|max_joint_acceleration|end_speeds)\b")


def find_arm(name: str, what: str = "ARM", values: Sequence[str] | None = None) -> Arm:
    """Return the arm of that name, a preset or else a robot file, with the values of --set."""
    arm = _found_arm(name, what)
    if not values:
        return arm
    from ulna.scenario import Scenario
    from ulna.scenario.names import ARM_HEADS

    _, others = split_values(values)
    if others:
        need = f"a part of the arm: a name that begins with {', '.join(ARM_HEADS)}"
        raise InputError([Problem("--set", shown(one), need) for one in others])
    return with_values(Scenario(arm=arm), values).arm


def split_values(texts: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """Split the values of --set into those of the arm and all others."""
    if not texts:
        return [], []
    from ulna.scenario.names import ARM_HEADS

    own = [one for one in texts if one.partition("=")[0].partition(".")[0].strip() in ARM_HEADS]
    return own, [one for one in texts if one not in own]


def with_values(scenario: Scenario, texts: Sequence[str]) -> Scenario:
    """Return a scenario with the values of --set."""
    if not texts:
        return scenario
    from ulna.scenario.names import read_value

    found: dict[str, str] = {}
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        if not name or not value:
            need = "NAME=VALUE, such as 'link.2.mass=500 g'"
            raise InputError(Problem("--set", shown(text), need))
        if name in found:
            raise InputError(Problem("--set", f"{name} twice", "every name once"))
        found[name] = value
    with rewording(lambda problem: replace(problem, what=f"--set {problem.what}")):
        return scenario.replace(
            {name: read_value(scenario, name, text) for name, text in found.items()}
        )


def _found_arm(name: str, what: str) -> Arm:
    if name in presets():
        return preset(name)
    check_format(name)
    looks_like_file = (
        name.lower().endswith(".toml") or is_description(name) or Path(name).name != name
    )
    if not looks_like_file and not exists(name):
        hint = nearest_name(name, presets())
        raise InputError(Problem(what, shown(name), "a preset or a robot file", hint))
    return load(name)


def changed_arm(
    name: str,
    payload: str | None,
    *,
    no_gravity: bool,
    motor: Sequence[str] | None = None,
    values: Sequence[str] | None = None,
) -> Arm:
    """Return an arm with other values, load or motors, and without gravity if it lies flat."""
    arm = with_typed_motors(find_arm(name, values=values), motor)
    if payload is not None:
        mass = units.to_si(payload, "mass", what="--payload")
        if not 0.0 <= mass <= HEAVIEST:
            bound = "at least 0" if mass < 0.0 else f"at most {HEAVIEST:g}"
            raise InputError(Problem("--payload", shown(payload), f"a mass of {bound} kg"))
        arm = arm.with_payload(mass)
    return arm.replace(gravity=(0.0, 0.0)) if no_gravity else arm


def with_typed_motors(arm: Arm, names: Sequence[str] | None) -> Arm:
    """Return an arm with the motors of some names, one for all joints or one each."""
    if not names:
        return arm
    words = [word.strip() for text in names for word in text.split(",")]
    checks = Problems()
    if len(words) not in (1, arm.n):
        need = f"one for all joints, or one each: {counted(arm.n, 'name')}"
        checks.add("--motor", counted(len(words), "name"), need)
    motors = []
    for word in words:
        with checks.gather():
            motors.append(IdealMotor() if word == IDEAL else catalogued(word, "--motor").motor)
    checks.raise_if_any()
    return arm.with_motors(motors if len(motors) > 1 else motors[0])


def read_quantity(text: str, kind: str, what: str) -> float:
    """Read one value with its unit: "20 s", "1 ms"."""
    return units.to_si(text, kind, what=what, number=number_reader(what))


def read_positive(text: str, kind: str, what: str, example: str) -> float:
    """Read one value above zero."""
    value = read_quantity(text, kind, what)
    if not value > 0.0:
        raise InputError(Problem(what, shown(text), f"a {kind} above 0, such as '{example}'"))
    return value


def read_part(text: str, what: str) -> float:
    """Read a part of a whole, from 0 to below 1: "20 %" or "0.2"."""
    shown_text, percents = text.strip(), text.strip().endswith("%")
    part = read_quantity(shown_text.removesuffix("%"), "number", what) / (
        100.0 if percents else 1.0
    )
    if not 0.0 <= part < 1.0:
        hint = f"did you mean '{shown_text} %'?" if not percents and 1.0 < part < 100.0 else ""
        need = "a part from 0 to below 100 %, such as '20 %'"
        raise InputError(Problem(what, shown(text), need, hint))
    return part


def read_rate(text: str) -> float:
    """Read a control rate [Hz]."""
    return read_positive(text, "frequency", "--rate", "1000 Hz")


def loop_rate(arm: Arm) -> float:
    """Return the control rate [Hz] of the arm's own loop, or the usual one."""
    own = None if arm.loop is None else arm.loop.rate
    return DEFAULT_RATE if own is None else own


def say_loop(arm: Arm, rate: float, sensors: Any = None) -> None:
    """Say at which rate, with which sensors and actuators of the robot file the loop is closed."""
    if arm.loop is None:
        return
    from ulna.simulation.made_with import part_text

    parts = {"sensors": sensors or arm.loop.sensors, "actuators": arm.loop.actuators}
    told = [
        f"{name} with {text}"
        for name, part in parts.items()
        if part is not None and (text := part_text(part))
    ]
    note("; ".join([f"the loop: {rate:g} Hz", *told]))


def read_values(text: str, kind: str, what: str) -> list[float]:
    """Read values of one kind, separated by commas."""
    return units.parse_list(text, kind, what=what, number=number_reader(what))


def read_choice(text: str, choices: Collection[str], what: str, need: str) -> str:
    """Return one of some words; raise for any other."""
    if text not in choices:
        raise InputError(Problem(what, shown(text), need, did_you_mean(text, choices)))
    return text


def read_joints(text: str, kind: str, arm: Arm, what: str, example: str) -> list[float]:
    """Read one value of a kind a joint: speeds "30 deg/s, 0", plain numbers "0.5, 0.5"."""
    values = read_values(text, kind, what)
    check_count(len(values), kind, arm, what, example)
    return values


def check_count(count: int, noun: str, arm: Arm, what: str, example: str) -> None:
    """Raise unless there is one value a joint."""
    if count != arm.n:
        need, hint = f"{arm.n}, one a joint", f'such as "{one_a_joint(example, arm)}"'
        raise InputError(Problem(what, counted(count, noun), need, hint))


def one_a_joint(example: str, arm: Arm) -> str:
    """Return an example of one value a joint, cut short if there are many."""
    return ", ".join([example] * min(arm.n, 3) + ["..."] * (arm.n > 3))


def read_angles(text: str, arm: Arm, what: str) -> list[float]:
    """Read one angle a joint: "40 deg, -60 deg"; bare numbers are radians."""
    angles = read_joints(text, "angle", arm, what, "30 deg")
    bare = zip(angles, units.bare_items(text), strict=True)
    _note_large_angles([angle for angle, is_bare in bare if is_bare], what)
    return angles


def read_target(text: str, what: str) -> list[float]:
    """Read a point "x, y" with lengths, or "x, y, angle" with an orientation."""
    need = 'a point "x, y", or "x, y, angle" with an orientation'
    point, angle = _two_or_three(text, what, ("length", "angle"), need, "30 cm, 20 cm")
    if angle and not units.split_unit(units.separate(text)[2])[1]:
        _note_large_angles(angle, what)
    return point + angle


def read_force(text: str, what: str) -> list[float]:
    """Read a force "x, y", or "x, y, moment", that acts on the tip."""
    need = 'a force "x, y", or "x, y, moment" with a moment'
    force, moment = _two_or_three(text, what, ("force", "torque"), need, "0 N, -5 N")
    return force + moment


def _two_or_three(
    text: str, what: str, kinds: tuple[str, str], need: str, example: str
) -> tuple[list[float], list[float]]:
    """Read two values of one kind, and a third of another if it is there."""
    items = units.separate(text)
    if len(items) not in (2, 3):
        got = counted(len(items), "value")
        raise InputError(Problem(what, got, need, f'such as "{example}"'))
    pair = read_values(", ".join(items[:2]), kinds[0], what)
    return pair, [read_quantity(item, kinds[1], what) for item in items[2:]]


def number_reader(what: str) -> Callable[[str], float]:
    """Return the reader of numbers that are written as arithmetic: "pi/4", "2*pi/3"."""
    return lambda text: constant(text, what)


def _note_large_angles(angles: list[float], what: str) -> None:
    for angle in angles:
        hint = units.suspicious_angle(angle)
        if hint:
            note(f"{what}: {angle:g} {hint}")
            return


def read_all(
    given: Mapping[str, Any], readers: Mapping[str, Callable[[str], Any]]
) -> dict[str, Any]:
    """Read all texts that were given, and tell all that is wrong with any of them."""
    values, problems = {}, Problems()
    for name, read in readers.items():
        if given[name] is not None:
            with problems.gather():
                values[name] = read(given[name])
    problems.raise_if_any()
    return values


class Angles(NamedTuple):
    """How angles are measured at the command line."""

    absolute: bool

    @property
    def symbol(self) -> str:
        """The letter for one: q for a joint's, φ for a link's from the x axis."""
        return "φ" if self.absolute else "q"

    @property
    def measured(self) -> str:
        """Where they are measured from, in words."""
        return "from the x axis" if self.absolute else "from the link before"

    @property
    def remark(self) -> str:
        """What a heading adds where angles are not what they are everywhere else."""
        return ", angles from the x axis" if self.absolute else ""

    def read(self, text: str, arm: Arm, what: str) -> list[float]:
        """Read one angle a joint, as joint angles [rad]."""
        return self._relative(read_angles(text, arm, what))

    def read_speeds(self, text: str, arm: Arm, what: str) -> list[float]:
        """Read one speed a joint, as those of the joints [rad/s]."""
        return self._relative(read_joints(text, "speed", arm, what, "1 rad/s"))

    def _relative(self, values: list[float]) -> list[float]:
        if not self.absolute:
            return values
        return np.asarray(absolute_to_relative(np.array(values))).tolist()  # type: ignore[no-any-return]

    def of(self, q: Any) -> np.ndarray:
        """Return joint angles or speeds (…, n) as they are to be shown."""
        values = np.asarray(q, dtype=float)
        return np.asarray(relative_to_absolute(values)) if self.absolute else values

    def posture(self, q: Any) -> str:
        """Write a posture in degrees: "q = (40, -60)°"."""
        shown_angles = [degrees(angle, 2) for angle in self.of(q)[:MOST_SHOWN]]
        more = ", ..." * (len(q) > MOST_SHOWN)
        return f"{self.symbol} = ({', '.join(shown_angles)}{more})°"

    def facts(self, **relative: Any) -> dict[str, Any]:
        """Return joint angles and speeds by other names, from the x axis, if that was asked for."""
        if not self.absolute:
            return {}
        return {"angles": "absolute", **{name: self.of(value) for name, value in relative.items()}}

    def explain(self, q: np.ndarray) -> str:
        """Return how joint angles follow from those of the links, where these were given."""
        if not self.absolute:
            return ""
        phi = [degrees(angle) for angle in self.of(q)]
        head = "Joint angles from link angles, which are measured from the x axis: "
        lines = [f"{head}q_i = phi_i - phi_(i-1)", f"  q_1 = phi_1 = {phi[0]}°"]
        lines += [
            f"  q_{i + 1} = phi_{i + 1} - phi_{i} = {phi[i]}° - {phi[i - 1]}° = {degrees(q[i])}°"
            for i in range(1, len(q))
        ]
        return "\n".join([*lines, "", ""]).replace("- -", "+ ")


RELATIVE = Angles(absolute=False)
CONVENTIONS = {"relative": RELATIVE, "absolute": Angles(absolute=True)}


def read_convention(text: str) -> Angles:
    """Read how angles are measured: relative or absolute."""
    need = "relative, each from the link before, or absolute, each from the x axis"
    return CONVENTIONS[read_choice(text, CONVENTIONS, "--angles", need)]


def as_option(problem: Problem, names: Mapping[str, str] = NAMES) -> Problem:
    """Return a problem with a setting under the name that it has at the command line."""
    name, comma, rest = problem.what.partition(",")
    name = names.get(name, name)
    option = name if name.isupper() or name.startswith("-") else f"--{name.replace('_', '-')}"
    what = f"{option}{comma}{rest}"
    return replace(problem, what=what, need=spoken(problem.need), hint=spoken(problem.hint))


def of_controller(problem: Problem) -> Problem:
    """Return a problem with a controller under the name of the option that it came from."""
    if problem.what.endswith(".model"):
        return replace(problem, what="--controller-model")
    within = "" if problem.what == "controller" else f": {problem.what}"
    return replace(problem, what=f"--controller{within}")


def spoken(text: str) -> str:
    """Return a message for Python in the words of the command line.

    >>> spoken("try stops=False, or method='semi-implicit'")
    'try --no-stops, or --method semi-implicit'
    """
    text = text.replace("pass stops=False", "add --no-stops").replace("stops=False", "--no-stops")
    text = text.replace("timing='fastest'", "--fastest")
    text = OF_MOTION.sub(lambda match: f"--{match[0].replace('_', '-')}", text)
    text = text.replace("rate=", "--rate").replace("pass controller=", "add --controller")

    def option(match: re.Match[str]) -> str:
        return f"--{NAMES.get(match[1], match[1])} {match[2].replace(',', '')}"

    return SETTING.sub(option, text)

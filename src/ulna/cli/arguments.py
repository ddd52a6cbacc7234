"""What people type: an arm, angles, a point. Text with units in, SI numbers out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from ulna import units
from ulna.arm import Arm, load, preset, presets
from ulna.arm.robot_files import check_format
from ulna.cli.terminal import note
from ulna.errors import InputError, Problem, nearest_name, shown
from ulna.expressions import constant
from ulna.storage import exists


def _complete_arm(incomplete: str) -> Iterator[str]:
    files = sorted(str(path) for path in Path().glob("*.toml"))
    yield from (name for name in [*presets(), *files] if name.startswith(incomplete))


ArmArgument = Annotated[
    str,
    typer.Argument(
        metavar="ARM",
        help="A preset (see `ulna list arms`) or a robot file.",
        autocompletion=_complete_arm,
        show_default=False,
    ),
]
AnglesOption = Annotated[
    str,
    typer.Option(
        "--q",
        metavar="ANGLES",
        help='One angle a joint: "40 deg, -60 deg".',
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, in SI units and radians.")]
ExplainOption = Annotated[
    bool, typer.Option("--explain", help="Show the worked steps, with the numbers put in.")
]
PlotOption = Annotated[
    str | None,
    typer.Option("--plot", metavar="FILE", help="Draw it: .png, .svg or .pdf.", show_default=False),
]
OverwriteOption = Annotated[bool, typer.Option("--overwrite", help="Replace a file that exists.")]
PayloadOption = Annotated[
    str | None,
    typer.Option(
        "--payload",
        metavar="MASS",
        help='A load at the tip in place of the arm\'s own: "200 g".',
        show_default=False,
    ),
]
NoGravityOption = Annotated[
    bool, typer.Option("--no-gravity", help="The arm lies flat: no gravity.")
]
FilmOption = Annotated[
    str | None,
    typer.Option("--film", metavar="FILE", help="Film it: .mp4 or .gif.", show_default=False),
]
FilmSpeedOption = Annotated[
    float,
    typer.Option("--film-speed", metavar="NUMBER", help="How many times as fast it plays."),
]


HEAVIEST = 1e6  # [kg]


def find_arm(name: str, what: str = "ARM") -> Arm:
    """Return the arm of that name: a preset, else a robot file."""
    if name in presets():
        return preset(name)
    check_format(name)
    looks_like_file = name.lower().endswith(".toml") or Path(name).name != name
    if not looks_like_file and not exists(name):
        hint = nearest_name(name, presets())
        raise InputError(Problem(what, shown(name), "a preset or a robot file", hint))
    return load(name)


def changed_arm(arm: Arm, payload: str | None, *, no_gravity: bool) -> Arm:
    """Return the arm with another load at its tip, and without gravity if it lies flat."""
    if payload is not None:
        mass = units.to_si(payload, "mass", what="--payload")
        if not 0.0 <= mass <= HEAVIEST:
            bound = "at least 0" if mass < 0.0 else f"at most {HEAVIEST:g}"
            raise InputError(Problem("--payload", shown(payload), f"a mass of {bound} kg"))
        arm = arm.with_payload(mass)
    return arm.replace(gravity=(0.0, 0.0)) if no_gravity else arm


def read_angles(text: str, arm: Arm, what: str) -> list[float]:
    """Read one angle a joint: "40 deg, -60 deg"; bare numbers are radians."""
    angles = units.parse_list(text, "angle", what=what, number=number_reader(what))
    check_count(len(angles), "angle", arm, what, "30 deg")
    bare = zip(angles, units.bare_items(text), strict=True)
    _note_large_angles([angle for angle, is_bare in bare if is_bare], what)
    return angles


def read_joints(text: str, kind: str, arm: Arm, what: str, example: str) -> list[float]:
    """Read one value of a kind a joint: speeds "30 deg/s, 0", plain numbers "0.5, 0.5"."""
    values = units.parse_list(text, kind, what=what, number=number_reader(what))
    check_count(len(values), kind, arm, what, example)
    return values


def check_count(count: int, noun: str, arm: Arm, what: str, example: str) -> None:
    """Raise unless there is one value a joint."""
    if count != arm.n:
        got = f"{count} {noun}{'s' * (count != 1)}"
        such = ", ".join([example] * min(arm.n, 3) + ["..."] * (arm.n > 3))
        raise InputError(Problem(what, got, f"{arm.n}, one a joint", f'such as "{such}"'))


def read_quantity(text: str, kind: str, what: str) -> float:
    """Read one value with its unit: "20 s", "1 ms"."""
    return units.to_si(text, kind, what=what, number=number_reader(what))


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
        got = f"{len(items)} value{'s' * (len(items) != 1)}"
        raise InputError(Problem(what, got, need, f'such as "{example}"'))
    number = number_reader(what)
    pair = units.parse_list(", ".join(items[:2]), kinds[0], what=what, number=number)
    return pair, [units.to_si(item, kinds[1], what=what, number=number) for item in items[2:]]


def number_reader(what: str) -> Callable[[str], float]:
    """Return the reader of numbers that are written as arithmetic: "pi/4", "2*pi/3"."""
    return lambda text: constant(text, what)


def _note_large_angles(angles: list[float], what: str) -> None:
    for angle in angles:
        hint = units.suspicious_angle(angle)
        if hint:
            note(f"{what}: {angle:g} {hint}")
            return

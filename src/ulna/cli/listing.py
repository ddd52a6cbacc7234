"""`ulna list`: what can be asked for by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated, Any, NamedTuple

from ulna.arm import preset, presets
from ulna.arm.motor_catalogue import catalogue
from ulna.arm.preset_arms import about_preset
from ulna.cli import flags
from ulna.cli.flags import argument
from ulna.cli.terminal import number, say, show_json, show_table
from ulna.control import CONTROLLERS
from ulna.motion.trajectory import DESCRIPTIONS
from ulna.namespaces import load_extensions
from ulna.units import from_si

UNITS = (
    "in SI unless a unit is given, as in '0.5 deg', '2 ms', '10 N': rad, rad/s, s, Hz, N·m and N; "
    "several in parentheses are one a joint"
)


class Listable(StrEnum):
    """The things that have names."""

    ARMS = "arms"
    PATHS = "paths"
    CONTROLLERS = "controllers"
    TIMINGS = "timings"
    METHODS = "methods"
    MOTORS = "motors"
    SENSORS = "sensors"
    DISTURBANCES = "disturbances"


def list_(
    what: Annotated[Listable, argument(None, "What to list.")],
    json: flags.Json = False,
) -> None:
    """List what can be asked for by name."""
    load_extensions()
    found = LISTS[what]()
    if json:
        show_json({what.value: list(found.facts)})
        return
    show_table(found.title, found.columns, found.rows)
    if found.remark:
        say(found.remark)


class Listing(NamedTuple):
    """What there is: a table for people, and the same for programs."""

    title: str
    columns: Sequence[str]
    rows: Iterable[Sequence[str]]
    facts: Iterable[Mapping[str, Any]]
    remark: str = ""


def _arms() -> Listing:
    arms = [(name, about_preset(name), preset(name)) for name in presets()]
    return Listing(
        "arms",
        ("name", "links", "reach [m]", "mass [kg]", "what it is"),
        [
            (name, str(arm.n), number(arm.reach, 4), number(arm.mass, 4), about)
            for name, about, arm in arms
        ],
        [
            {"name": name, "links": arm.n, "reach": arm.reach, "mass": arm.mass, "about": about}
            for name, about, arm in arms
        ],
    )


def _called(
    title: str,
    known: Mapping[str, tuple[Iterable[str], str]],
    last: str = "what it is",
    remark: str = "",
) -> Listing:
    """List what is written as a call: names, their parameters, and what they are."""
    return Listing(
        title,
        ("name", "parameters", last),
        [(name, ", ".join(call), about) for name, (call, about) in known.items()],
        [
            {"name": name, "parameters": list(call), "about": about}
            for name, (call, about) in known.items()
        ],
        remark,
    )


def _paths() -> Listing:
    from ulna.motion import SHAPES

    known = {name: (shape.call, shape.about) for name, shape in SHAPES.items()}
    return _called("paths, by text or as `ulna.paths`", known)


def _controllers() -> Listing:
    known = {name: (entry.parameters, entry.about) for name, entry in CONTROLLERS.items()}
    return _called("controllers of `ulna.control`", known, "what it does")


def _sensors() -> Listing:
    from ulna.scenario.reading import ABOUT_SENSORS, SENSORS

    known = {SENSORS: (ABOUT_SENSORS.call, ABOUT_SENSORS.about)}
    return _called("sensors, for --sensors", known, remark=UNITS)


def _disturbances() -> Listing:
    from ulna.scenario.reading import DISTURBANCES

    known = {name: (one.call, one.about) for name, one in DISTURBANCES.items()}
    return _called("disturbances, for --disturbance", known, remark=UNITS)


def _methods() -> Listing:
    columns = ("name", "order", "steps", "when")
    from ulna.scenario.methods import METHODS

    # What chooses its steps comes first.
    rows = [
        (one.name, str(one.order), "chosen" if one.adaptive else "dt", one.about)
        for one in sorted(METHODS.values(), key=lambda one: not one.adaptive)
    ]
    facts = (dict(zip(columns, row, strict=True)) for row in rows)
    return Listing("methods of `ulna simulate`", columns, rows, facts)


def _timings() -> Listing:
    facts = ({"name": name, "about": about} for name, about in DESCRIPTIONS.items())
    columns = ("name", "what it does")
    return Listing("timing laws, for --timing", columns, list(DESCRIPTIONS.items()), facts)


def _motors() -> Listing:
    known = catalogue()
    rows = [
        (
            name,
            one.motor.command,
            number(one.voltage),
            number(one.stall_torque, 4),
            number(from_si(one.stall_torque, "kg*cm", "torque"), 4),
            number(from_si(one.no_load_speed, "rpm", "speed"), 4),
            _known(one.stall_current),
            _known(one.gear_ratio),
            _known(one.mass, 1000.0),
        )
        for name, one in known.items()
    ]
    columns = (
        "name", "command", "[V]", "stall [N·m]", "[kg·cm]", "no load [rpm]", "[A]", "gear",
        "mass [g]",
    )  # fmt: skip
    facts = (
        {
            "name": name,
            "kind": one.motor.kind,
            "command": one.motor.command,
            **{key: value for key, value in one._asdict().items() if key != "motor"},
            "motor": asdict(one.motor),
        }
        for name, one in known.items()
    )
    remark = (
        "for --motor and for `motor = ...` in a robot file; -: its maker does not say; what is "
        "estimated, and where the rest is from, is in --json"
    )
    return Listing("motors, at the output shaft", columns, rows, facts, remark)


def _known(value: float | None, scale: float = 1.0) -> str:
    return "-" if value is None else number(scale * value, 4)


LISTS: Mapping[Listable, Callable[[], Listing]] = {
    Listable.ARMS: _arms,
    Listable.PATHS: _paths,
    Listable.CONTROLLERS: _controllers,
    Listable.TIMINGS: _timings,
    Listable.METHODS: _methods,
    Listable.MOTORS: _motors,
    Listable.SENSORS: _sensors,
    Listable.DISTURBANCES: _disturbances,
}

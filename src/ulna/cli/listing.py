"""`ulna list`: what can be asked for by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ulna.actuation import actuators
from ulna.arm.preset_arms import PRESETS
from ulna.cli.arguments import JsonOption
from ulna.cli.terminal import number, say, show_json, show_table
from ulna.control import CONTROLLERS
from ulna.motion.trajectory import DESCRIPTIONS
from ulna.namespaces import load_extensions
from ulna.units import from_si

if TYPE_CHECKING:
    from ulna.simulation.reading import Readable


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
    what: Annotated[Listable, typer.Argument(help="What to list.", show_default=False)],
    json: JsonOption = False,
) -> None:
    """List what can be asked for by name."""
    load_extensions()
    LISTS[what](json)


def _arms(as_json: bool) -> None:
    arms = {name: (preset.about, preset.build()) for name, preset in PRESETS.items()}
    if as_json:
        show_json({"arms": [_arm_facts(name, *found) for name, found in arms.items()]})
        return
    rows = [
        (name, str(arm.n), number(arm.reach, 4), number(arm.mass, 4), about)
        for name, (about, arm) in arms.items()
    ]
    show_table("arms", ("name", "links", "reach [m]", "mass [kg]", "what it is"), rows)


def _arm_facts(name: str, about: str, arm: Any) -> dict[str, Any]:
    return {"name": name, "links": arm.n, "reach": arm.reach, "mass": arm.mass, "about": about}


def _paths(as_json: bool) -> None:
    from ulna.motion import SHAPES

    if as_json:
        facts = [
            {"name": name, "parameters": shape.call, "about": shape.about}
            for name, shape in SHAPES.items()
        ]
        show_json({"paths": facts})
        return
    rows = [(name, ", ".join(shape.call), shape.about) for name, shape in SHAPES.items()]
    show_table("paths, by text or as `ulna.paths`", ("name", "parameters", "what it is"), rows)


METHODS = {
    "dop853": ("8", "chosen", "unless there is a controller: as exact as --rtol asks"),
    "rk4": ("4", "dt", "with a controller, and where every step should take the same time"),
    "semi-implicit": ("1", "dt", "stiff damping, which it takes with large steps"),
    "gauss4": ("4", "dt", "long runs without losses: the energy does not drift"),
}


def _methods(as_json: bool) -> None:
    rows = [(name, *METHODS[name]) for name in METHODS]
    columns = ("name", "order", "steps", "when")
    if as_json:
        show_json({"methods": [dict(zip(columns, row, strict=True)) for row in rows]})
    else:
        show_table("methods of `ulna simulate`", columns, rows)


def _controllers(as_json: bool) -> None:
    rows = [(name, ", ".join(entry.parameters), entry.about) for name, entry in CONTROLLERS.items()]
    if as_json:
        facts = [
            {"name": name, "parameters": list(entry.parameters), "about": entry.about}
            for name, entry in CONTROLLERS.items()
        ]
        show_json({"controllers": facts})
    else:
        show_table("controllers of `ulna.control`", ("name", "parameters", "what it does"), rows)


def _sensors(as_json: bool) -> None:
    from ulna.simulation.reading import ABOUT_SENSORS, SENSORS

    _readable("sensors", "sensors, for --sensors", {SENSORS: ABOUT_SENSORS}, as_json)


def _disturbances(as_json: bool) -> None:
    from ulna.simulation.reading import DISTURBANCES

    _readable("disturbances", "disturbances, for --disturbance", DISTURBANCES, as_json)


def _readable(key: str, title: str, known: Mapping[str, Readable], as_json: bool) -> None:
    if as_json:
        facts = [
            {"name": name, "parameters": one.call, "about": one.about}
            for name, one in known.items()
        ]
        show_json({key: facts})
        return
    rows = [(name, ", ".join(one.call), one.about) for name, one in known.items()]
    show_table(title, ("name", "parameters", "what it is"), rows)
    say(UNITS)


def _timings(as_json: bool) -> None:
    if as_json:
        show_json({"timings": [{"name": k, "about": v} for k, v in DESCRIPTIONS.items()]})
    else:
        show_table("timing laws, for --timing", ("name", "what it does"), DESCRIPTIONS.items())


def _motors(as_json: bool) -> None:
    catalogue = actuators()
    if as_json:
        show_json({"motors": [motor._asdict() for motor in catalogue]})
        return
    rows = [
        (
            motor.name,
            number(motor.voltage),
            number(motor.stall_torque, 4),
            number(from_si(motor.stall_torque, "kg*cm", "torque"), 4),
            number(from_si(motor.no_load_speed, "rpm", "speed"), 4),
            number(motor.gear_ratio),
            number(1000 * motor.mass, 4),
        )
        for motor in catalogue
    ]
    columns = ("name", "[V]", "stall [N·m]", "[kg·cm]", "no load [rpm]", "gear", "mass [g]")
    show_table("motors, at the output shaft", columns, rows)


UNITS = (
    "in SI unless a unit is given, as in '0.5 deg', '2 ms', '10 N': rad, rad/s, s, Hz, N·m and N; "
    "several in parentheses are one a joint"
)
LISTS: Mapping[Listable, Callable[[bool], None]] = {
    Listable.ARMS: _arms,
    Listable.PATHS: _paths,
    Listable.CONTROLLERS: _controllers,
    Listable.TIMINGS: _timings,
    Listable.METHODS: _methods,
    Listable.MOTORS: _motors,
    Listable.SENSORS: _sensors,
    Listable.DISTURBANCES: _disturbances,
}

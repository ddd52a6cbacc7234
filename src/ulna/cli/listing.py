"""`ulna list`: what can be asked for by name."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from ulna.actuation import actuators
from ulna.arm.presets import PRESETS
from ulna.cli.arguments import JsonOption
from ulna.cli.terminal import number, show_json, show_table
from ulna.control import CONTROLLERS
from ulna.motion.timing import DESCRIPTIONS
from ulna.units import from_si


class What(StrEnum):
    """The things that have names."""

    ARMS = "arms"
    PATHS = "paths"
    CONTROLLERS = "controllers"
    TIMINGS = "timings"
    METHODS = "methods"
    MOTORS = "motors"


def list_(
    what: Annotated[What, typer.Argument(help="What to list.", show_default=False)],
    json: JsonOption = False,
) -> None:
    """List what can be asked for by name."""
    if what is What.ARMS:
        _arms(json)
    elif what is What.MOTORS:
        _motors(json)
    elif what is What.METHODS:
        _methods(json)
    elif what is What.CONTROLLERS:
        _controllers(json)
    elif what is What.TIMINGS:
        _timings(json)
    else:
        _paths(json)


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

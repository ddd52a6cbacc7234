"""What a sweep can vary, by name, and how a value is put into a case.

Names are those of robot files, of the arguments in the texts of paths, controllers and
disturbances, and of the keywords of `ulna.plan` and `ulna.simulate_batch`:

    link.2.mass   joint.all.friction.coulomb   joint.1.motor   payload   gravity.y   arm
    path   path.radius   path.center.x   duration   timing   max_speed   elbow
    controller   controller.natural_frequency   controller_model.payload
    sensors.delay   actuators.bandwidth   disturbance.1.size   q0.1   torque.2   dt   rate   seed

Those of arms are in `arm_parameters.py`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, get_args

from ulna import units
from ulna.arm.control_loop import (
    ACTUATOR_TIMES,
    ACTUATORS,
    DIFFERENCE,
    FILTERED,
    MEASURED,
    SENSOR_TIMES,
    SENSORS,
)
from ulna.arm.motor_catalogue import catalogued
from ulna.errors import InputError, Problem, did_you_mean, nearest_name, shown
from ulna.expressions import Call, parse_call
from ulna.motion.paths.path_text import SHAPES
from ulna.scenario.arm_names import ARM_FIELDS, GEOMETRY, check_name, moves_arrays, template
from ulna.scenario.disturbances import Disturbance
from ulna.scenario.methods import METHODS
from ulna.scenario.names import by_name, gains_of
from ulna.scenario.reading import DISTURBANCES
from ulna.sweep.cases import EXACT, FASTEST, REST, Case
from ulna.typing import Elbow, Precision, TimingName

# What a parameter decides: the dynamics alone, also the planned motion, the loop around the arm,
# or which random numbers are drawn.
DYNAMICS, MOTION, LOOP, SEED = "dynamics", "motion", "loop", "seed"
WORD, WHOLE, FLAG, CHOICE = "word", "whole number", "flag", "choice"  # kinds without units
OF_MOTION = {
    "duration": "time",
    "max_speed": "velocity",
    "max_acceleration": "acceleration",
    "floor": "length",
    "timing": WORD,
    "elbow": WORD,
    "reserve": "number",
    "smoothing": "time",
    "max_joint_acceleration": "angular_acceleration",
}
OF_SIMULATION = {
    "dt": "time",
    "rate": "frequency",
    "restitution": "number",
    "method": WORD,
    "stops": FLAG,
}
_WORDS: Mapping[str, tuple[str, ...]] = {
    "timing": get_args(TimingName),
    "elbow": get_args(Elbow),
    "method": tuple(METHODS),
    "precision": get_args(Precision),
    "start": (EXACT, REST),
    "sensors.rate_from": (MEASURED, DIFFERENCE, FILTERED),
}
_GAIN_KINDS = {  # of the arguments of controllers, whose table has functions in place of kinds
    "kp": "stiffness",
    "kd": "damping",
    "natural_frequency": "speed",
    "bandwidth": "speed",
    "filter": "speed",
    "dead_band": "angle",
}


@dataclasses.dataclass(frozen=True)
class Choice:
    """One of several arms, paths or controllers that a sweep goes through.

    Attributes
    ----------
    label : str
        How results call it.
    value : object
        The thing itself.
    """

    label: str
    value: Any = dataclasses.field(compare=False)

    def __str__(self) -> str:
        return self.label


class Parameter(NamedTuple):
    """What can be varied.

    Attributes
    ----------
    name : str
        As it was written.
    kind : str
        A kind of `ulna.units`, or one of "word", "whole number", "flag", "choice".
    unit : str
        Of the values in results: SI, "1" for bare numbers, empty for text.
    role : {"dynamics", "motion", "loop", "seed"}
        What it decides.
    """

    name: str
    kind: str
    unit: str
    role: str

    @property
    def is_number(self) -> bool:
        """Whether values are numbers."""
        return self.kind not in (WORD, CHOICE)

    def read(self, value: Any, what: str) -> Any:
        """Return a value in SI units; text of what is named by text.

        Parameters
        ----------
        value : float, str or bool
            As a file or a caller has it.
        what : str
            How messages call it.

        Returns
        -------
        float, str or bool
            The value.

        Raises
        ------
        InputError
            If it is not one of the parameter's kind.
        """
        if self.kind == WORD:
            return _read_word(self.name, value, what)
        if self.kind == FLAG:
            if not isinstance(value, bool):
                raise InputError(Problem(what, shown(value), "true or false"))
            return value
        number = units.to_si(value, "number" if self.kind == WHOLE else self.kind, what=what)
        if self.kind == WHOLE and not (number.is_integer() and 0 <= number < 2**53):
            raise InputError(Problem(what, shown(value), "a whole number of at least 0"))
        return number


def _read_word(name: str, value: Any, what: str) -> str:
    """Return a word that a parameter can be."""
    if not isinstance(value, str):
        raise InputError(Problem(what, shown(value), "text"))
    if name.endswith(".motor"):
        return catalogued(value, what).motor.name
    known = _WORDS.get(name.removeprefix("simulation."), (value,))
    if value not in known:
        hint = nearest_name(value[:80], known)
        raise InputError(Problem(what, shown(value), "one of its names", hint))
    return value


def si_unit(kind: str) -> str:
    """Return the SI unit of a kind, as results write it; empty for text.

    >>> si_unit("damping"), si_unit("number")
    ('N·m·s/rad', '1')
    """
    if kind in (WORD, CHOICE):
        return ""
    known = units.UNITS.get(kind, {})
    unit = next((name for name, factor in known.items() if factor == 1.0), "1")
    return unit.replace("*", "·").replace("^2", "²").replace("rtHz", "√Hz")


def parameter(name: str, base: Case, others: Iterable[str] = ()) -> Parameter:
    """Return what a name stands for.

    Parameters
    ----------
    name : str
        Such as "link.2.mass".
    base : Case
        The case of which it is a parameter.
    others : iterable of str, optional
        Names of what is varied besides: where motors or arms are, theirs are not checked here.

    Returns
    -------
    Parameter
        Its kind, its unit, and what it decides.

    Raises
    ------
    InputError
        If there is no such parameter, with the nearest ones.
    """
    short = name.removeprefix("simulation.")
    known = known_parameters(base)
    found = known.get(template(short)) or known.get(_open_joint(short))
    model = short.removeprefix("controller_model.")
    if found is None and model != short and template(model) in ARM_FIELDS:
        field = ARM_FIELDS[template(model)]
        found = (field.kind, LOOP)
    if found is None:
        hint = _nearest(name, known)
        raise InputError(Problem(name, "an unknown parameter", "a known one", hint))
    others = tuple(others)
    if template(model) in ARM_FIELDS:
        arm = base.arm if model == short else base.controller_model or base.arm
        vary = any(other == "arm" or other.endswith(".motor") for other in others)
        check_name(model, arm, motors_vary=vary)
    kind, role = found
    if model == short and template(short) in ARM_FIELDS and _is_timed_by_arm(base, others):
        role = MOTION
    if kind == "motor":
        kind = WORD
    unit = ARM_FIELDS[template(model)].unit if template(model) in ARM_FIELDS else si_unit(kind)
    return Parameter(name, kind, unit if kind != WORD else "", role)


def _is_timed_by_arm(base: Case, others: Iterable[str]) -> bool:
    """Return whether masses, limits and motors may decide how fast the arm is to move."""
    timings = ["timing" in others, base.motion.get("timing") == FASTEST]
    return base.path is not None and any(timings)


def _open_joint(name: str) -> str:
    """Return a name whose last part, a joint's number, is left open."""
    owner, _, last = name.rpartition(".")
    return f"{owner}.K" if last.isdecimal() else name


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    if name.startswith("controller_model."):
        return "controller_model. goes before a parameter of an arm, such as payload"
    suggestion = did_you_mean(template(name), known)
    number = next((part for part in name.split(".") if part.isdecimal()), "1")
    if suggestion:
        return suggestion.replace(".K", f".{number[:9]}")
    heads = sorted({one.partition(".")[0] for one in known})
    return f"names begin with {', '.join(heads)}; K in link.K.mass is a number, or all"


def known_parameters(base: Case) -> dict[str, tuple[str, str]]:
    """Return what can be varied of a case.

    Parameters
    ----------
    base : Case
        The case.

    Returns
    -------
    dict of str to (str, str)
        Kinds and roles by name; K stands for the number of a link or a joint, or "all".
    """
    found: dict[str, tuple[str, str]] = {"arm": (CHOICE, MOTION), "seed": (WHOLE, SEED)}
    for name, field in ARM_FIELDS.items():
        role = DYNAMICS if moves_arrays(name) else MOTION if name in GEOMETRY else LOOP
        found[name] = (field.kind, role)
    if base.path is not None:
        found |= {name: (kind, MOTION) for name, kind in OF_MOTION.items()}
        found |= {"path": (CHOICE, MOTION), "start": (WORD, LOOP)}
        if isinstance(base.path, Call):
            found |= {name: (kind, MOTION) for name, kind in _path_kinds(base.path, "path")}
    else:
        found["duration"] = ("time", LOOP)
    found |= {name: (kind, LOOP) for name, kind in _loop_kinds(base)}
    return found


def _loop_kinds(base: Case) -> Iterable[tuple[str, str]]:
    if not base.is_simulated:
        return
    yield from OF_SIMULATION.items()
    yield from (("q0.K", "angle"), ("qd0.K", "speed"))
    if base.torque is not None:
        yield "torque.K", "torque"
    if base.tip_force is not None:
        yield from (("tip_force.x", "force"), ("tip_force.y", "force"))
    if base.set_point is not None:
        yield "set_point.K", "angle"
    for number, one in enumerate(base.disturbances, 1):
        yield from _disturbance_kinds(one, f"disturbance.{number}")
    if base.controller is None:
        return
    yield "controller", CHOICE
    for name in gains_of(base.controller):
        kind = _GAIN_KINDS.get(name, "number")
        yield from ((f"controller.{name}", kind), (f"controller.{name}.K", kind))
    tables: tuple[tuple[str, Mapping[str, Any], Mapping[str, Any]], ...] = (
        ("sensors", SENSORS, SENSOR_TIMES),
        ("actuators", ACTUATORS, ACTUATOR_TIMES),
    )
    for owner, joints, times in tables:
        yield from ((f"{owner}.{name}", one.kind) for name, one in {**joints, **times}.items())
        yield from ((f"{owner}.{name}.K", one.kind) for name, one in joints.items())
    yield from (("sensors.seed", WHOLE), ("sensors.rate_from", WORD))


def _path_kinds(call: Call, owner: str) -> Iterable[tuple[str, str]]:
    """Return the names of a path's arguments with their kinds, those of paths inside it too."""
    for name, value, kind in _arguments(call):
        place = f"{owner}.{name}"
        if kind == "call" and isinstance(value, Call):
            yield from _path_kinds(value, place)
        elif kind == "point":
            yield from ((f"{place}.x", "length"), (f"{place}.y", "length"))
        elif kind == "flag":
            yield place, FLAG
        elif kind in units.UNITS:
            yield place, kind


def _arguments(call: Call) -> Iterable[tuple[str, Any, str]]:
    """Return name, value and kind of every argument that a path has, given or not."""
    if call.name == "then":
        for number, value in enumerate(call.arguments, 1):
            yield f"path{number}", value, "call"
    elif call.name in SHAPES:
        shape, own = SHAPES[call.name], by_name(call, SHAPES[call.name].kinds)
        for name, default in shape.parameters.items():
            yield name, own.get(name, default), shape.kinds[name]


def _disturbance_kinds(one: Disturbance, owner: str) -> Iterable[tuple[str, str]]:
    yield f"{owner}.size", "number"
    parts = (("force.x", "force"), ("force.y", "force"), ("force.moment", "torque"))
    yield from ((f"{owner}.{name}", "time") for name in ("start", "stop"))
    if not one.text:
        return
    call = parse_call(one.text)
    kinds = DISTURBANCES[call.name].kinds
    yield from ((f"{owner}.{name}", kind) for name, kind in kinds.items() if isinstance(kind, str))
    if "seed" in kinds:
        yield f"{owner}.seed", WHOLE
    if isinstance(call.keywords.get("force"), tuple):
        yield from ((f"{owner}.{name}", kind) for name, kind in parts)
    yield f"{owner}.torque.K", "torque"

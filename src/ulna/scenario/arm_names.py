"""Parameters of arms by name, such as "link.2.mass": put into one arm, or into many at once.

A name says where a number stands in a robot file: `link.2.length`, `joint.1.friction.coulomb`,
`joint.1.motor.torque_constant`, `payload`, `gravity.y`; `all` in place of a number is every link or
joint. What an arm has by default follows what it is the default of: a uniform rod of another mass
or length stays one, and static friction that is Coulomb friction stays that.

`changed_arm` makes an `Arm`, which checks everything; `stacked_arms` writes the same numbers into
the arrays of many arms, to the last bit.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ulna.arm import Arm, Friction, Joint, Link, Parameters, Payload
from ulna.arm.bounded_numbers import BoundedNumber, NumberTable
from ulna.arm.components import FRICTION, JOINT, LINK, PAYLOAD, rod_com, rod_inertia
from ulna.arm.motors import MOTOR_TABLES
from ulna.arm.robot_files import MOTOR_PARTS, NUMBERS
from ulna.arrays import Array
from ulna.errors import InputError, Problem, Problems, rewording

ALL = "all"  # in place of a link's or a joint's number
ANY = "K"  # what stands for such a number in the table of names
FRICTIONLESS = Friction()
LARGEST = 1e100  # what is beyond, or is below its inverse, is left to an `Arm` to judge
# What decides where the joints go along a path; masses and friction do not.
GEOMETRY = ("link.K.length", "joint.K.lower", "joint.K.upper", "base.x", "base.y")
_AXES = {"x": 0, "y": 1}


class ArmField(NamedTuple):
    """A number, or a text, of an arm by its name."""

    kind: str  # of `ulna.units`, or "motor" and "word" for text
    unit: str
    bounds: BoundedNumber | None = None


def _fields() -> dict[str, ArmField]:
    tables: dict[str, NumberTable] = {
        "link.K": LINK,
        "joint.K": JOINT,
        "joint.K.friction": FRICTION,
        "payload": PAYLOAD,
    }
    motors: dict[str, BoundedNumber] = {}
    for table in MOTOR_TABLES.values():
        motors |= table
    tables |= {"joint.K.motor": motors}
    tables |= {f"joint.K.motor.{part}": NUMBERS[kind] for part, kind in MOTOR_PARTS.items()}
    found = {
        f"{owner}.{name}": ArmField(number.kind, number.unit or "1", number)
        for owner, table in tables.items()
        for name, number in table.items()
    }
    vectors = {"gravity": ("acceleration", "m/s²"), "base": ("length", "m")}
    for name, (kind, unit) in vectors.items():
        found |= {
            f"{name}.{axis}": ArmField(kind, unit, BoundedNumber(kind, unit)) for axis in "xy"
        }
    found["payload"] = found["payload.mass"]
    found["joint.K.motor"] = ArmField("motor", "")
    found["joint.K.motor.command"] = ArmField("word", "")
    return found


ARM_FIELDS: Mapping[str, ArmField] = _fields()


def template(name: str) -> str:
    """Return a name with the number of its link or joint left open.

    >>> template("joint.1.friction.coulomb"), template("payload")
    ('joint.K.friction.coulomb', 'payload')
    """
    owner, dot, rest = name.partition(".")
    number, other_dot, field = rest.partition(".")
    if owner in ("link", "joint") and (number == ALL or (number.isascii() and number.isdigit())):
        return f"{owner}{dot}{ANY}{other_dot}{field}"
    return name


def moves_arrays(name: str) -> bool:
    """Return whether a parameter is a plain entry of `Parameters` that no motion depends on."""
    known = template(name)
    return known in ARM_FIELDS and known not in GEOMETRY and ".motor" not in known


def check_name(name: str, arm: Arm, *, motors_vary: bool = False) -> None:
    """Raise InputError if an arm has no such link, joint or motor."""
    owner, _, rest = name.partition(".")
    if owner not in ("link", "joint"):
        return
    number, _, field = rest.partition(".")
    if number != ALL and not 1 <= int(number[:9]) <= arm.n:
        raise InputError(Problem(name, f"{owner} {number[:9]}", f"one from 1 to {arm.n}, or all"))
    if field.startswith("motor.") and not motors_vary:
        for place in _places(number, arm.n):
            _check_motor(name, arm.joints[place].motor, field.removeprefix("motor."))


def _check_motor(name: str, motor: Any, field: str) -> None:
    part, _, inner = field.partition(".")
    if motor is None:
        hint = "give the robot file a motor, or vary joint.K.motor by name as well"
        raise InputError(Problem(name, "a joint without a motor", "one with a motor", hint))
    known = [one.name for one in dataclasses.fields(motor)]
    if part not in known or (inner and getattr(motor, part) is None):
        got = f"a {motor.kind} motor without {part}"
        raise InputError(Problem(name, got, f"one of {', '.join(known)}"))


def _places(number: str, n: int) -> range:
    return range(n) if number == ALL else range(int(number) - 1, int(number))


def changed_arm(arm: Arm, values: Mapping[str, Any]) -> Arm:
    """Return an arm with other parameters.

    Parameters
    ----------
    arm : Arm
        The arm to begin with.
    values : mapping of str to float or str
        What is to be otherwise, by name, in SI units.

    Returns
    -------
    Arm
        With these numbers, checked as every arm is.

    Raises
    ------
    InputError
        If no arm has such numbers.

    Examples
    --------
    >>> from ulna import Arm
    >>> changed_arm(Arm.rods([0.5, 0.5], [1.0, 1.0]), {"link.2.mass": 12.0}).links[1].inertia
    0.25
    """
    links: list[dict[str, Any]] = [{} for _ in range(arm.n)]
    joints: list[dict[str, Any]] = [{} for _ in range(arm.n)]
    others: dict[str, Any] = {}
    for name, value in values.items():
        owner, _, rest = name.partition(".")
        if owner in ("link", "joint"):
            number, _, field = rest.partition(".")
            for place in _places(number, arm.n):
                (links if owner == "link" else joints)[place][field] = value
        else:
            others[name] = value
    checks, changes = Problems(), dict[str, Any]()
    with checks.gather("payload"):
        changes |= _plane_and_payload(arm, others)
    if any(links):
        changes["links"] = _changed_each(checks, "link", arm.links, links, _changed_link)
    if any(joints):
        changes["joints"] = _changed_each(checks, "joint", arm.joints, joints, _changed_joint)
    checks.raise_if_any()
    return arm.replace(**changes) if changes else arm


def _changed_each(
    checks: Problems,
    owner: str,
    parts: Sequence[Any],
    values: Sequence[Mapping[str, Any]],
    change: Callable[[Any, Mapping[str, Any]], Any],
) -> list[Any]:
    """Return links or joints with other numbers; what is wrong with them is noted by name."""
    found = []
    for number, (part, own) in enumerate(zip(parts, values, strict=True), 1):
        with checks.gather(f"{owner}.{number}"):
            found.append(change(part, own))
    return found


def _plane_and_payload(arm: Arm, values: Mapping[str, Any]) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for owner in ("gravity", "base"):
        vector = list(getattr(arm, owner))
        for axis, place in _AXES.items():
            vector[place] = values.get(f"{owner}.{axis}", vector[place])
        if tuple(vector) != getattr(arm, owner):
            changes[owner] = tuple(vector)
    mass = values.get("payload.mass", values.get("payload", arm.payload.mass))
    load = Payload(mass, values.get("payload.inertia", arm.payload.inertia))
    if load != arm.payload:
        changes["payload"] = load
    return changes


def _changed_link(link: Link, values: Mapping[str, Any]) -> Link:
    if not values:
        return link
    kept = {name: getattr(link, name) for name in LINK} | dict(values)
    if link.is_rod:
        # None makes them those of a rod of this length and mass.
        kept |= {name: values.get(name) for name in ("com", "inertia")}
    return Link(**kept)


def _changed_joint(joint: Joint, values: Mapping[str, Any]) -> Joint:
    if not values:
        return joint
    own = {name: value for name, value in values.items() if name in JOINT}
    friction, motor = _within("friction", values), _within("motor", values)
    if friction:
        with rewording(lambda problem: problem.within("friction")):
            own["friction"] = _changed_friction(joint.friction or FRICTIONLESS, friction)
    if "motor" in values:
        own["motor"] = values["motor"]
    changed = dataclasses.replace(joint, **own)
    if motor:
        with rewording(lambda problem: problem.within("motor")):
            turned = _changed_motor(changed.motor, motor)
        changed = dataclasses.replace(changed, motor=turned)
    return changed


def _within(owner: str, values: Mapping[str, Any]) -> dict[str, Any]:
    head = f"{owner}."
    return {
        name.removeprefix(head): value for name, value in values.items() if name.startswith(head)
    }


def _changed_friction(friction: Friction, values: Mapping[str, Any]) -> Friction:
    kept = {name: getattr(friction, name) for name in FRICTION} | dict(values)
    if friction.static == friction.coulomb:
        kept["static"] = values.get("static")
    return Friction(**kept)


def _changed_motor(motor: Any, values: Mapping[str, Any]) -> Any:
    own: dict[str, Any] = {}
    for name, value in values.items():
        _check_motor(name, motor, name)
        part, _, field = name.partition(".")
        if field:
            own[part] = dataclasses.replace(own.get(part, getattr(motor, part)), **{field: value})
        else:
            own[part] = value
    return dataclasses.replace(motor, **own)


def stacked_arms(arm: Arm, columns: Mapping[str, Array], count: int) -> tuple[Parameters, Array]:
    """Return the arrays of many arms that differ in some numbers.

    Parameters
    ----------
    arm : Arm
        What they have in common; without motors that have limits.
    columns : mapping of str to ndarray, shape (count,)
        The numbers of every arm, by names of which `moves_arrays` is true, in SI units.
    count : int
        How many arms.

    Returns
    -------
    parameters : Parameters
        Their arrays, (count, n) each, the same as those of `changed_arm`.
    certain : ndarray of bool, shape (count,)
        Which of them are arms for certain; whether others are is for `changed_arm` to say.
    """
    rows = _Rows(arm, count)
    certain = np.ones(count, dtype=bool)
    for name, column in columns.items():
        certain &= _within_bounds(ARM_FIELDS[template(name)].bounds, column)
        rows.put(name, column)
    rows.follow()
    return rows.parameters(), certain & rows.are_arms()


def _within_bounds(bounds: BoundedNumber | None, column: Array) -> Array:
    assert bounds is not None
    good = np.isfinite(column) & (np.abs(column) <= LARGEST)
    if bounds.infinite:
        good |= np.isposinf(column)
    if bounds.above is not None:
        good &= column > bounds.above
    if bounds.least is not None:
        good &= column >= bounds.least
    return np.asarray(good)


class _Rows:
    """The numbers of many arms, each field (count, n), before a payload is added to them."""

    def __init__(self, arm: Arm, count: int) -> None:
        self.arm, self.given = arm, set[str]()  # names that have values of their own
        frictions = [joint.friction or FRICTIONLESS for joint in arm.joints]
        parts = ((arm.links, LINK), (arm.joints, JOINT), (frictions, FRICTION))
        # Gears, rotors and friction of motors without limits are nothing: their own are taken.
        self.fields = {
            name: np.tile(np.array([getattr(one, name) for one in owners]), (count, 1))
            for owners, table in parts
            for name in table
        }
        self.plane = {
            name: np.tile(np.array(getattr(arm, name)), (count, 1)) for name in ("gravity", "base")
        }
        self.payload = {name: np.full(count, getattr(arm.payload, name)) for name in PAYLOAD}

    def put(self, name: str, column: Array) -> None:
        owner, _, rest = name.partition(".")
        if owner in self.plane:
            self.plane[owner][:, _AXES[rest]] = column
        elif owner == "payload":
            self.payload[rest or "mass"] = column
        else:
            number, _, field = rest.partition(".")
            for place in _places(number, self.arm.n):
                self.fields[field.removeprefix("friction.")][:, place] = column
                self.given.add(f"{owner}.{place + 1}.{field}")

    def follow(self) -> None:
        """Let what is a default follow what it is the default of."""
        given, fields = self.given, self.fields
        for k, link in enumerate(self.arm.links):
            if not link.is_rod:
                continue
            length, mass = fields["length"][:, k], fields["mass"][:, k]
            if f"link.{k + 1}.com" not in given:
                fields["com"][:, k] = rod_com(length)  # type: ignore[arg-type]
            if f"link.{k + 1}.inertia" not in given:
                fields["inertia"][:, k] = rod_inertia(length, mass)  # type: ignore[arg-type]
        for k, joint in enumerate(self.arm.joints):
            friction = joint.friction or FRICTIONLESS
            name = f"joint.{k + 1}.friction.static"
            if friction.static == friction.coulomb and name not in given:
                fields["static"][:, k] = fields["coulomb"][:, k]

    def are_arms(self) -> Array:
        """Return which are arms for certain: every link has mass that its joint feels."""
        own, tiny = self.fields, 1.0 / LARGEST
        sized = (own["mass"] > tiny) & (own["length"] > tiny) & (own["length"] < LARGEST)
        turned = (own["inertia"] > tiny) | (np.abs(own["com"]) > tiny)
        fine = sized & turned & (own["gear_ratio"] != 0.0) & (own["static"] >= own["coulomb"])
        return np.asarray(fine.all(axis=1))

    def parameters(self) -> Parameters:
        fields = dict(self.fields)
        for name, load in (("inertia", "inertia"), ("tip_mass", "mass")):
            fields[name] = fields[name].copy()
            fields[name][:, -1] += self.payload[load]
        return Parameters(**fields, **self.plane)

"""Robot files: an arm as TOML, format 1, read and written, and one to start from.

A file holds the numbers of links and joints by their names in `ulna.arm.components`, in SI units or
as text with a unit. What is written is only what differs from the defaults, and exact.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from ulna import units
from ulna.arm.bounded_numbers import NumberTable
from ulna.arm.components import (
    FRICTION,
    JOINT,
    LINK,
    PAYLOAD,
    Friction,
    Joint,
    Link,
    Payload,
    doubts,
)
from ulna.arm.loop_tables import LOOP_TABLES, read_loop, write_loop
from ulna.arm.motor_catalogue import catalogued
from ulna.arm.motor_parts import BACKLASH, HEAT, Backlash, WindingHeat
from ulna.arm.motors import MOTOR_KINDS, MOTOR_TABLES, SAME_UNLESS_GIVEN, AnyMotor, Motor
from ulna.arm.planar_arm import EARTH, Arm
from ulna.arm.toml_lines import Lines
from ulna.errors import InputError, Problem, Problems, nearest_name, shown, warn
from ulna.storage import read_text

Part = TypeVar("Part")
Table = Mapping[str, Any]

FORMAT = 1
TOP = ("format", "name", "gravity", "base", "payload", "link", *LOOP_TABLES)
TEXT = "text"
LARGEST = 1_000_000  # [bytes] of a robot file: ten thousand links and their comments
FOREIGN = {".xacro": "a macro file of URDF", ".sdf": "an SDF file"}  # which are not read
# What simulations and plans are saved as.
RESULTS = (".nc", ".h5", ".hdf5", ".zarr", ".csv", ".parquet")
NUMBERS: dict[type, NumberTable] = {
    Link: LINK,
    Joint: JOINT,
    Friction: FRICTION,
    Payload: PAYLOAD,
    WindingHeat: HEAT,
    Backlash: BACKLASH,
    **MOTOR_TABLES,
}
# The keys of a table with the kinds of what they hold, and those that it has to have.
KEYS = {
    part: {key: number.kind for key, number in numbers.items()} for part, numbers in NUMBERS.items()
}
for _motor in MOTOR_TABLES:
    KEYS[_motor]["name"] = TEXT
KEYS[Motor]["command"] = TEXT
# The parts of a DC motor that are tables of their own.
MOTOR_PARTS: dict[str, type] = {"heat": WindingHeat, "backlash": Backlash}
NEEDED = {
    part: tuple(key for key, number in numbers.items() if number.needed)
    for part, numbers in NUMBERS.items()
}
MOST_LINKS = 100  # of a file to start from: more than a person edits by hand
TEMPLATE = Path(__file__).with_name("robot_template.toml")

HEAD = '# SI units: metres, kilograms, radians, newton metres. Text such as "25 cm" is read too.\n'


def read_robot_file(file: str | os.PathLike[str]) -> Arm:
    """Return the arm of a robot file; warn of what is allowed but strange."""
    check_format(file)
    arm, found = parse(read_text(file, LARGEST), os.fspath(file))
    warn(*map(str, found))
    return arm


def check_format(file: str | os.PathLike[str]) -> None:
    """Raise InputError for a file of another format, by its name."""
    place, ending = os.fspath(file), Path(file).suffix.lower()
    need = "a robot file of ulna, in TOML"
    if ending in RESULTS:
        hint = (
            "ulna.open_run('run.nc') reads a run that was saved, ulna.open_batch('batch.zarr') a "
            "batch; a table such as .csv is for other programs"
        )
        raise InputError(Problem("format", f"a {ending} file", need, hint, place=place))
    if (kind := FOREIGN.get(ending)) is None:
        return
    hint = (
        "URDF and MJCF files are read: convert it, or begin with `ulna new arm.toml --links 2`, "
        "a link for every moving joint, and copy length, mass, com and inertia into it"
    )
    raise InputError(Problem("format", kind, need, hint, place=place))


def parse(text: str, name: str = "robot file") -> tuple[Arm, list[Problem]]:
    """Read an arm from the text of a robot file; return the arm and what is strange about it."""
    document = parse_toml(text, name)
    reader = _RobotFileReader()
    try:
        arm = reader.arm(document)
    except InputError as error:
        raise InputError(placed(error.problems, text, name)) from None
    return arm, placed(reader.doubts, text, name)


def read_arm(table: Table) -> Arm:
    """Return the arm of a table that holds what a robot file does below its format."""
    return _RobotFileReader().arm({"format": FORMAT, **table})


def arm_table(arm: Arm) -> Table:
    """Return the table of an arm, which `read_arm` reads."""
    table = parse_toml(dumps(arm), arm.name)
    return {key: value for key, value in table.items() if key != "format"}


def read_motor(table: Table) -> AnyMotor:
    """Return the motor of a table as a joint of a robot file has it."""
    reader = _RobotFileReader()
    made: AnyMotor = reader.motor("motor", table)
    reader.checks.raise_if_any()
    return made


def placed(problems: Sequence[Problem], text: str, name: str) -> list[Problem]:
    """Return problems with the lines on which they stand, in the order of the file."""
    if not problems:
        return []
    lines = Lines(text)
    in_order = sorted(problems, key=lambda problem: lines.of(problem.what))
    return [problem.at(f"{name}:{lines.of(problem.what)}") for problem in in_order]


def parse_toml(text: str, name: str) -> Table:
    """Return what a TOML text holds; raise InputError, with the line, if it is none."""
    import tomllib  # which an arm that is made in Python does without

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # of nesting, and of thousands of digits
        found = re.search(r"at line (\d+)", str(error))
        place = f"{name}:{found[1]}" if found else name
        raise InputError(Problem("TOML", str(error), "key = value lines", place=place)) from None


class _RobotFileReader:
    """Reads a document part by part, gathering problems and doubts under the keys' names."""

    def __init__(self) -> None:
        self.checks = Problems()
        self.doubts: list[Problem] = []

    def arm(self, document: Table) -> Arm:
        self.checks.unknown_keys(document, TOP)
        self._format(document)
        parts = [self._link(number, table) for number, table in self._link_tables(document)]
        options: dict[str, Any] = {
            "gravity": self._pair("gravity", document.get("gravity", EARTH), "acceleration"),
            "base": self._pair("base", document.get("base", (0.0, 0.0)), "length"),
            "payload": self._payload(document.get("payload", 0.0)),
            "name": self._text("name", document.get("name", "")),
            "loop": read_loop(self.checks, document),
        }
        self.checks.raise_if_any()
        links = tuple(link for link, _ in parts if link)
        joints = tuple(joint for _, joint in parts if joint)
        return Arm(links, joints, **options)

    def _format(self, document: Table) -> None:
        version = document.get("format")
        if version != FORMAT or isinstance(version, bool):
            got = "nothing" if version is None else shown(version)
            need = f"format = {FORMAT}"
            self.checks.add("format", got, need, "put it on the first line")

    def _link_tables(self, document: Table) -> list[tuple[int, Table]]:
        tables = document.get("link")
        if not isinstance(tables, list) or not tables:
            got = "none" if tables is None else shown(tables)
            self.checks.add("link", got, "a [[link]] table for every link")
            return []
        for number, table in enumerate(tables, 1):
            if not isinstance(table, dict):
                self.checks.add(f"link.{number}", shown(table), "a [[link]] table")
        return [(i, table) for i, table in enumerate(tables, 1) if isinstance(table, dict)]

    def _link(self, number: int, table: Table) -> tuple[Link | None, Joint | None]:
        owner = f"link.{number}"
        self.checks.unknown_keys(table, (*LINK, "joint"), owner)
        self._all_needed(owner, table, NEEDED[Link])
        values = self._values(owner, table, KEYS[Link])
        joint = self._joint(f"{owner}.joint", table.get("joint", {}))
        # A stand-in for what could not be read, so that the rest of the link is checked too.
        whole = {**dict.fromkeys(NEEDED[Link], 1.0), **values}
        link = self._built(owner, Link, whole)
        if link:
            self.doubts.extend(doubt.within(owner) for doubt in doubts(link))
        return link, joint

    def _joint(self, owner: str, table: Any) -> Joint | None:
        if not self._is_table(owner, table, "{ lower = ..., upper = ... }"):
            return None
        self.checks.unknown_keys(table, (*JOINT, "friction", "motor"), owner)
        values = self._values(owner, table, KEYS[Joint])
        if "friction" in table:
            values["friction"] = self._part(f"{owner}.friction", table["friction"], Friction)
        if "motor" in table:
            values["motor"] = self.motor(f"{owner}.motor", table["motor"])
        for key in ("lower", "upper"):
            self._doubt_angle(f"{owner}.{key}", table.get(key))
        return self._built(owner, Joint, values)

    def _payload(self, value: Any) -> Payload:
        if isinstance(value, dict):
            made = self._part("payload", value, Payload)
        else:
            mass = self._values("", {"payload": value}, {"payload": "mass"}).get("payload", 0.0)
            made = self._built("payload", Payload, {"mass": mass})
        return made or Payload()

    def motor(self, owner: str, table: Any) -> Any:
        """Read a motor: its name, or a table of its kind, a DC motor unless it names another."""
        if isinstance(table, str):
            with self.checks.gather():
                return catalogued(table, owner).motor
            return None
        kind = table.get("kind", Motor.kind) if isinstance(table, dict) else Motor.kind
        made = MOTOR_KINDS.get(kind) if isinstance(kind, str) else None
        if made is None:
            hint = nearest_name(str(kind), tuple(MOTOR_KINDS))
            self.checks.add(f"{owner}.kind", shown(kind), "a kind of motor", hint)
            return None
        parts = MOTOR_PARTS if made is Motor else {}
        return self._part(owner, table, made, {"kind": None, **parts})

    def _part(
        self, owner: str, table: Any, kind: type, parts: Mapping[str, type | None] | None = None
    ) -> Any:
        """Read a part from its table; `parts` are the keys that hold something else than values."""
        parts = parts or {}
        example = (
            "{ " + ", ".join(f"{key} = ..." for key in NEEDED[kind] or list(KEYS[kind])[:1]) + " }"
        )
        if not self._is_table(owner, table, example):
            return None
        before = len(self.checks.found)
        self.checks.unknown_keys(table, (*KEYS[kind], *parts), owner)
        self._all_needed(owner, table, NEEDED[kind])
        values = self._values(owner, table, KEYS[kind])
        for key, inner in parts.items():
            if key in table and inner is not None:
                values[key] = self._part(f"{owner}.{key}", table[key], inner)
        if len(self.checks.found) > before:
            return None
        return self._built(owner, kind, values)

    def _built(self, owner: str, kind: type[Part], values: dict[str, Any]) -> Part | None:
        """Make a part; what is wrong with it is noted under `owner`."""
        with self.checks.gather(owner):
            return kind(**values)
        return None

    def _values(self, owner: str, table: Table, keys: Mapping[str, str]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, kind in keys.items():
            what = f"{owner}.{key}" if owner else key
            if key in table and kind == TEXT:
                values[key] = self._text(what, table[key])
            elif key in table:
                with self.checks.gather(""):
                    values[key] = units.to_si(table[key], kind, what=what)
        return values

    def _text(self, what: str, value: Any) -> str:
        self.checks.one_line(what, value)
        return str(value) if isinstance(value, str) else ""

    def _pair(self, what: str, value: Any, kind: str) -> tuple[float, float]:
        if not isinstance(value, (list, tuple)) or len(value) != 2:
            self.checks.add(what, shown(value), "two values, [x, y]")
            return (0.0, 0.0)
        keys = (f"{what}.x", f"{what}.y")
        pair = self._values("", dict(zip(keys, value, strict=True)), dict.fromkeys(keys, kind))
        return pair.get(keys[0], 0.0), pair.get(keys[1], 0.0)

    def _is_table(self, owner: str, table: Any, example: str) -> bool:
        if isinstance(table, dict):
            return True
        self.checks.add(owner, shown(table), f"a table such as {example}")
        return False

    def _all_needed(self, owner: str, table: Table, needed: tuple[str, ...]) -> None:
        for key in needed:
            if key not in table:
                self.checks.add(f"{owner}.{key}", "nothing", f"a {key.replace('_', ' ')}")

    def _doubt_angle(self, what: str, value: Any) -> None:
        if value is None or (isinstance(value, str) and units.split_unit(value)[1]):
            return
        with suppress(InputError):
            hint = units.suspicious_angle(units.to_si(value, "angle"))
            if hint:
                need = "radians, or text with a unit"
                self.doubts.append(Problem(what, shown(value), need, hint))


def dumps(arm: Arm) -> str:
    """Return the text of a robot file that describes the arm exactly."""
    top = [f"format = {FORMAT}"]
    if arm.name:
        top.append(f"name = {_text(arm.name)}")
    if arm.gravity != EARTH:
        top.append(f"gravity = {[*arm.gravity]}")
    if arm.base != (0.0, 0.0):
        top.append(f"base = {[*arm.base]}")
    if arm.payload != Payload():
        top.append(f"payload = {_inline(_changed(arm.payload, Payload()))}")
    links = [_link(link, joint) for link, joint in zip(arm.links, arm.joints, strict=True)]
    return HEAD + "\n".join(top) + "\n" + "".join(links) + write_loop(arm.loop)


def _link(link: Link, joint: Joint) -> str:
    values = _changed(link, Link(link.length, link.mass))
    lines = ["", "[[link]]", *(f"{key} = {_value(value)}" for key, value in values.items())]
    joint_values = _changed(joint, Joint())
    if joint_values:
        lines.append(f"joint = {_inline(joint_values)}")
    return "\n".join(lines) + "\n"


def _changed(part: Any, default: Any) -> dict[str, Any]:
    """Return the fields of `part` that a reader would not fill in the same way."""
    names, needed = [field.name for field in dataclasses.fields(part)], NEEDED[type(default)]
    return {
        name: getattr(part, name)
        for name in names
        if name in needed or getattr(part, name) != getattr(default, name)
    }


def _value(value: Any) -> str:
    if type(value) in MOTOR_TABLES or type(value) in MOTOR_PARTS.values():
        return _inline(_motor_values(value))
    if dataclasses.is_dataclass(value):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        # Infinity stands for "no limit", which a file says by leaving the key out.
        return _inline({k: v for k, v in fields.items() if v not in (float("inf"), "")})
    return _text(value) if isinstance(value, str) else repr(value)


def _motor_values(part: Any) -> dict[str, Any]:
    """Return what a file has to say of a motor, or of a part of one."""
    values = {"kind": part.kind} if getattr(part, "kind", Motor.kind) != Motor.kind else {}
    for field in dataclasses.fields(part):
        same, value = SAME_UNLESS_GIVEN.get(field.name), getattr(part, field.name)
        usual = field.default if same is None else getattr(part, same)
        if value != usual:
            values[field.name] = value
    return values


def _inline(values: Mapping[str, Any]) -> str:
    return "{ " + ", ".join(f"{key} = {_value(value)}" for key, value in values.items()) + " }"


def _text(value: str) -> str:
    # A JSON string is a TOML string, but for the one control character that JSON lets through.
    import json

    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def template(links: int) -> str:
    """Return a robot file for an arm of so many links, each a little smaller than the last.

    The first link shows what may be given, in comments.
    """
    if not 1 <= links <= MOST_LINKS:
        raise InputError(Problem("links", str(links), f"a number from 1 to {MOST_LINKS}"))
    head, table, first = TEMPLATE.read_text("utf-8").partition("\n[[link]]\n")
    given = (line.partition("#")[0].rstrip() for line in first.splitlines())
    other = "\n".join(filter(None, given)) + "\n"
    texts = [first, *[other] * (links - 1)]
    return head + "".join(_filled(table + text, i, links) for i, text in enumerate(texts))


def _filled(text: str, number: int, links: int) -> str:
    from string import Template

    length = round(25 - 10 * number / links)
    mass = 10 * round(40 - 20 * number / links)
    inertia = f"{mass / 1000 * (length / 100) ** 2 / 12:.3g}"
    return Template(text).substitute(length=length, mass=mass, half=length / 2, inertia=inertia)

"""Writing an arm as a robot file: only what differs from the defaults, and exactly."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

from ulna.arm import schema
from ulna.arm.joint import Joint
from ulna.arm.link import Link, Payload
from ulna.arm.planar_arm import EARTH, Arm
from ulna.storage import write_whole

HEAD = '# SI units: metres, kilograms, radians, newton metres. Text such as "25 cm" is read too.\n'


def save(arm: Arm, file: str | os.PathLike[str]) -> None:
    """Write an arm to a robot file, which `ulna.load` reads back as an equal arm.

    Parameters
    ----------
    arm : Arm
        What to write.
    file : path-like
        Where to. The file appears whole or not at all, and replaces one that was there.

    Raises
    ------
    FileError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile, ulna
    >>> arm = ulna.Arm.rods([1.0, 0.5], [2.0, 1.0], name="two rods")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(arm, f"{folder}/arm.toml")
    ...     ulna.load(f"{folder}/arm.toml") == arm
    True
    """
    write_whole(file, dumps(arm))


def dumps(arm: Arm) -> str:
    """Return the text of a robot file that describes the arm exactly."""
    top = [f"format = {schema.FORMAT}"]
    if arm.name:
        top.append(f"name = {_text(arm.name)}")
    if arm.gravity != EARTH:
        top.append(f"gravity = {_list(arm.gravity)}")
    if arm.base != (0.0, 0.0):
        top.append(f"base = {_list(arm.base)}")
    if arm.payload != Payload():
        top.append(f"payload = {_inline(_changed(arm.payload, Payload(), ('mass',)))}")
    links = [_link(link, joint) for link, joint in zip(arm.links, arm.joints, strict=True)]
    return HEAD + "\n".join(top) + "\n" + "".join(links)


def _link(link: Link, joint: Joint) -> str:
    values = _changed(link, Link(link.length, link.mass), schema.NEEDED_IN_LINK)
    lines = ["", "[[link]]", *(f"{key} = {_value(value)}" for key, value in values.items())]
    joint_values = _changed(joint, Joint(), ())
    if joint_values:
        lines.append(f"joint = {_inline(joint_values)}")
    return "\n".join(lines) + "\n"


def _changed(part: Any, default: Any, needed: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of `part` that a reader would not fill in the same way."""
    names = [field.name for field in dataclasses.fields(part)]
    return {
        name: getattr(part, name)
        for name in names
        if name in needed or getattr(part, name) != getattr(default, name)
    }


def _value(value: Any) -> str:
    if dataclasses.is_dataclass(value):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        # Infinity stands for "no limit", which a file says by leaving the key out.
        return _inline({k: v for k, v in fields.items() if v not in (float("inf"), "")})
    return _text(value) if isinstance(value, str) else repr(value)


def _inline(values: Mapping[str, Any]) -> str:
    return "{ " + ", ".join(f"{key} = {_value(value)}" for key, value in values.items()) + " }"


def _list(pair: tuple[float, float]) -> str:
    return f"[{pair[0]!r}, {pair[1]!r}]"


def _text(value: str) -> str:
    # A JSON string is a TOML string, but for the one control character that JSON lets through.
    import json

    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

"""What an MJCF file says once for all of its elements: compiler settings, classes of defaults.

An element has the attributes of its class, and of the classes around that one, where it gives none
of its own. Frames stand in others by a shift and one of five ways to write a rotation.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

import numpy as np

from ulna.arm.robot_tree import Matrix, about, placement
from ulna.arm.xml_elements import XmlElement, XmlReader
from ulna.errors import nearest_name, shown

MAIN = "main"
ORIENTATIONS = ("quat", "euler", "axisangle", "xyaxes", "zaxis")
ACTUATOR = "actuator"  # all kinds of actuators share their defaults
DEFAULTED = ("joint", "geom", "site")
Attributes = Mapping[str, str]


class MjcfSettings:
    """The settings of a file: what its numbers mean, and what elements leave out."""

    def __init__(self, reader: XmlReader, root: XmlElement) -> None:
        self.reader = reader
        compilers = list(root.all("compiler"))
        attributes = {key: text for one in compilers for key, text in one.attributes.items()}
        line = compilers[-1].line if compilers else root.line
        compiler = XmlElement("compiler", attributes, line)
        self.unit = 1.0 if self._choice(compiler, "angle", "degree radian") else math.pi / 180.0
        self.auto_limits = self._choice(compiler, "autolimits", "true false") == 0
        self._choice(compiler, "coordinate", "local")
        self.from_geoms = ("auto", "false", "true")[
            self._choice(compiler, "inertiafromgeom", "auto false true")
        ]
        self.groups = reader.numbers(compiler, "inertiagrouprange", (0.0, 5.0), "compiler")
        self.least_mass = reader.number(compiler, "boundmass", "compiler", least=0.0)
        self.least_inertia = reader.number(compiler, "boundinertia", "compiler", least=0.0)
        self.balanced = self._choice(compiler, "balanceinertia", "false true") == 1
        self.sequence = attributes.get("eulerseq", "xyz")
        if not re.fullmatch("[xyzXYZ]{3}", self.sequence):
            got = shown(self.sequence)
            reader.add(line, "compiler.eulerseq", got, "three letters of xyz and XYZ")
            self.sequence = "xyz"
        if reader.number(compiler, "settotalmass", "compiler", -1.0) > 0.0:
            reader.add(line, "compiler.settotalmass", "a total mass", "the masses of the bodies")
        self.classes: dict[str, dict[str, Attributes]] = {MAIN: {}}
        for default in root.all("default"):
            self._read_defaults(default)

    def _choice(self, compiler: XmlElement, key: str, words: str) -> int:
        """Return which of some words an attribute is, the first where it is not given."""
        known = words.split()
        given = compiler.attributes.get(key, known[0])
        if given in known:
            return known.index(given)
        need = " or ".join(known)
        self.reader.add(compiler.line, f"compiler.{key}", shown(given), need)
        return 0

    def _read_defaults(self, outer: XmlElement) -> None:
        waiting: list[tuple[XmlElement, str]] = [(outer, MAIN)]
        while waiting:
            element, around = waiting.pop()
            name = element.attributes.get("class", MAIN)
            own = dict(self.classes.get(name) or self.classes[around])
            for part in element.children:
                kind = part.tag if part.tag in DEFAULTED else ACTUATOR
                if part.tag != "default":
                    own[kind] = _merged(own.get(kind, {}), part.attributes)
            self.classes[name] = own
            waiting += [(inner, name) for inner in element.all("default")]

    def whole(self, element: XmlElement, inherited: str, kind: str) -> XmlElement:
        """Return an element with what its class gives to its kind."""
        name = element.attributes.get("class", inherited)
        known = self.classes.get(name)
        if known is None:
            hint = nearest_name(name, tuple(self.classes)[:20])
            need = "a class of <default>"
            self.reader.add(element.line, f"{kind}.class", shown(name), need, hint)
            known = {}
        attributes = _merged(known.get(kind, {}), element.attributes)
        return XmlElement(element.tag, attributes, element.line)

    def placement(self, element: XmlElement, owner: str) -> Matrix:
        """Return where an element stands in the frame around it."""
        given = [key for key in ORIENTATIONS if key in element.attributes]
        if len(given) > 1:
            self.reader.add(element.line, owner, " and ".join(given), "one orientation")
        if "fromto" in element.attributes:
            return self._between(element, owner)
        shift = self.reader.numbers(element, "pos", (0.0, 0.0, 0.0), owner)
        turn = getattr(self, f"_{given[0]}")(element, owner) if given else np.eye(3)
        if not np.all(np.isfinite(turn)):
            self.reader.add(element.line, f"{owner}.{given[0]}", "no direction", "a rotation")
            turn = np.eye(3)
        return placement(turn, shift)

    def span(self, element: XmlElement, owner: str) -> float:
        """Return the distance [m] of the ends of an element that is given by them."""
        ends = np.array(self.reader.numbers(element, "fromto", (0.0,) * 6, owner))
        return float(np.linalg.norm(ends[:3] - ends[3:]))

    def _between(self, element: XmlElement, owner: str) -> Matrix:
        ends = np.array(
            self.reader.numbers(element, "fromto", (0.0, 0.0, 1.0, 0.0, 0.0, 0.0), owner)
        )
        along = ends[:3] - ends[3:]
        if not np.any(along):
            self.reader.add(element.line, f"{owner}.fromto", "no length", "two points")
            along = np.array([0.0, 0.0, 1.0])
        return placement(_turn_of_z(along), (ends[:3] + ends[3:]) / 2.0)

    def _quat(self, element: XmlElement, owner: str) -> Matrix:
        values = self.reader.numbers(element, "quat", (1.0, 0.0, 0.0, 0.0), owner)
        return _turn_of_quaternion(_unit(values))

    def _euler(self, element: XmlElement, owner: str) -> Matrix:
        """Return turns one after the other: small letters are turned axes, large ones fixed."""
        turn = np.eye(3)
        angles = self.reader.numbers(element, "euler", (0.0, 0.0, 0.0), owner)
        for letter, angle in zip(self.sequence, angles, strict=True):
            step = about("xyz".index(letter.lower()), self.unit * angle)
            turn = turn @ step if letter.islower() else step @ turn
        return turn

    def _axisangle(self, element: XmlElement, owner: str) -> Matrix:
        x, y, z, angle = self.reader.numbers(element, "axisangle", (1.0, 0.0, 0.0, 0.0), owner)
        return _turn_about(_unit((x, y, z)), self.unit * angle)

    def _xyaxes(self, element: XmlElement, owner: str) -> Matrix:
        axes = self.reader.numbers(element, "xyaxes", (1.0, 0.0, 0.0, 0.0, 1.0, 0.0), owner)
        x, y = _unit(axes[:3]), np.array(axes[3:])
        y = _unit(y - (y @ x) * x)
        return np.column_stack([x, y, np.cross(x, y)])

    def _zaxis(self, element: XmlElement, owner: str) -> Matrix:
        return _turn_of_z(self.reader.numbers(element, "zaxis", (0.0, 0.0, 1.0), owner))


def _merged(above: Attributes, own: Attributes) -> dict[str, str]:
    """Return attributes with those of a class where there are none; a rotation is one of them."""
    kept = dict(above)
    if any(key in own for key in ORIENTATIONS):
        kept = {key: text for key, text in kept.items() if key not in ORIENTATIONS}
    sizes = [attributes.get("size", "").split() for attributes in (own, above)]
    kept.update(own)
    if "size" in own:
        # Fewer numbers than the class has leave its others as they are.
        kept["size"] = " ".join(sizes[0] + sizes[1][len(sizes[0]) :])
    return kept


def _turn_of_z(axis: Iterable[float]) -> Matrix:
    """Return the smallest turn that brings z to an axis."""
    z = _unit(axis)
    normal = np.cross([0.0, 0.0, 1.0], z)
    size = float(np.linalg.norm(normal))
    normal = normal / size if size > 1e-12 else np.array([1.0, 0.0, 0.0])
    return _turn_about(normal, math.atan2(size, z[2]))


def _turn_about(axis: np.ndarray, angle: float) -> Matrix:
    half = angle / 2.0
    return _turn_of_quaternion([math.cos(half), *(math.sin(half) * axis).tolist()])


def _turn_of_quaternion(quaternion: Iterable[float]) -> Matrix:
    w, x, y, z = quaternion
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross)


def _unit(values: Iterable[float]) -> np.ndarray:
    vector = np.array(list(values), dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(vector / np.linalg.norm(vector))

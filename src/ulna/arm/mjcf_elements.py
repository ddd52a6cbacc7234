"""The elements of MJCF files: settings and classes of defaults, placements, joints and masses.

An element has the attributes of its class, and of the classes around that one, where it gives none
of its own. Frames stand in others by a shift and one of five ways to write a rotation.

A body without a mass of its own has that of its geoms. Their sizes are radii and half lengths; of
a mass of 1, about its centre, the moments are

    sphere     2/5 r²
    ellipsoid  (b² + c²)/5                    about x
    box        (b² + c²)/3                    about x
    cylinder   (3 r² + 4 h²)/12, r²/2         across and along
    capsule    a cylinder, and two halves of a sphere at its ends: each 2/5 r², and its centre of
               mass 3/8 r beyond the end
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

import numpy as np

from ulna.arm.components import Joint
from ulna.arm.exported_chain import unbounded
from ulna.arm.robot_tree import (
    NO_BODY,
    Matrix,
    RigidBody,
    about,
    checked_inertia,
    coulomb_friction,
    placement,
    steiner,
    turn_about,
)
from ulna.arm.xml_elements import LONGEST_NUMBERS, XmlElement, XmlReader
from ulna.errors import shown

MAIN = "main"
ORIENTATIONS = ("quat", "euler", "axisangle", "xyaxes", "zaxis")
ACTUATOR = "actuator"  # all kinds of actuators share their defaults
ACTUATORS = (
    *("general", "motor", "position", "velocity", "intvelocity", "orientation", "pid", "damper"),
    *("cylinder", "muscle", "adhesion", "dcmotor", "plugin"),
)
_PLACED = ("name", "class", "pos", *ORIENTATIONS)
KNOWN = {  # the attributes of elements, of MuJoCo 4.0 and those before it
    "body": (*_PLACED, "childclass", "fuse", "gravcomp", "mocap", "simple", "sleep", "user"),
    "frame": (*_PLACED, "childclass"),
    "inertial": ("pos", "mass", "diaginertia", "fullinertia", *ORIENTATIONS),
    "joint": (
        *("name", "class", "type", "group", "user", "pos", "axis", "ref", "range", "limited"),
        *("springdamper", "springref", "springyield", "stiffness", "damping", "frictionloss"),
        *("armature", "actuatorfrcrange", "actuatorfrclimited", "actuatorgravcomp", "margin"),
        *("solreflimit", "solimplimit", "solreffriction", "solimpfriction"),
    ),
    "geom": (
        *(*_PLACED, "fromto", "type", "size", "mesh", "fitscale", "hfield", "mass", "density"),
        *("shellinertia", "group", "rgba", "material", "user", "castshadow", "contype", "condim"),
        *("conaffinity", "friction", "priority", "margin", "gap", "solref", "solimp", "solmix"),
        *("fluidshape", "fluidcoef", "adhesion", "surfacevel"),
    ),
    "site": (*_PLACED, "fromto", "type", "size", "mesh", "group", "rgba", "material", "user"),
}
FLAGS = (
    *("actuation", "autoreset", "clampctrl", "constraint", "contact", "damper", "diagexact"),
    *("energy", "equality", "eulerdamp", "filterparent", "frictionloss", "fwdinv", "gravity"),
    *("invdiscrete", "ipc", "island", "limit", "midphase", "multiccd", "nativeccd", "override"),
    *("passive", "refsafe", "sensor", "sensornoise", "sleep", "speculative", "spring", "warmstart"),
)
PASSIVE = ("spring", "damper", "fluid", "gravcomp")
CONSTRAINED = ("frictionloss", "limit", "equality")
WATER = 1000.0  # [kg/m³] unless a geom says otherwise
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
MOST_SIZES = 3
MOST_COEFFICIENTS = 3  # of the polynomials that springs and dampers may be
UNWEIGHED = ("mesh", "sdf")
MASSLESS = ("plane", "hfield")
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
        self.fuses = self._choice(compiler, "fusestatic", "false true") == 1
        self.off = self._switched_off(root)
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

    def _switched_off(self, root: XmlElement) -> set[str]:
        """Return the flags of a file that are disabled, with those that they stand for."""
        off: set[str] = set()
        for flag in (one for option in root.all("option") for one in option.all("flag")):
            for key, hint in self.reader.unknown(flag, FLAGS):
                got = "a flag that MuJoCo does not have"
                self.reader.add(flag.line, f"option.flag.{key}", got, "one that it has", hint)
            for key, word in flag.attributes.items():
                (off.add if word == "disable" else off.discard)(key)
                if word not in ("enable", "disable"):
                    need = "enable or disable"
                    self.reader.add(flag.line, f"option.flag.{key[:40]}", shown(word), need)
        # With neither springs nor dampers MuJoCo leaves out all passive forces.
        off |= set(PASSIVE) if "passive" in off or off >= {"spring", "damper"} else set()
        return off | (set(CONSTRAINED) if "constraint" in off else set())

    def _read_defaults(self, outer: XmlElement) -> None:
        if outer.attributes.get("class", MAIN) != MAIN:
            got, need = shown(outer.attributes["class"]), "main, or none, as the outermost class"
            self.reader.add(outer.line, "default.class", got, need)
        waiting: list[tuple[XmlElement, str]] = [(outer, MAIN)]
        while waiting:
            element, around = waiting.pop()
            if element is not outer and not element.attributes.get("class"):
                self.reader.add(element.line, "default.class", "nothing", "the name of the class")
            name = element.attributes.get("class", MAIN)
            own = dict(self.classes.get(name) or self.classes[around])
            for part in element.children:
                kind = ACTUATOR if part.tag in ACTUATORS else part.tag
                if part.tag != "default":
                    self.check_known(part, f"default.{part.tag}")
                    if part.tag in ("geom", "site"):
                        self.reader.some_numbers(part, "size", MOST_SIZES, f"default.{part.tag}")
                    own[kind] = _merged(own.get(kind, {}), part.attributes)
            self.classes[name] = own
            waiting += [(inner, name) for inner in element.all("default")]

    def check_known(self, element: XmlElement, owner: str) -> None:
        """Note attributes that MuJoCo does not know; of frames, which it lets pass, warn."""
        known = KNOWN.get(element.tag, element.attributes)
        for key, hint in self.reader.unknown(element, known):
            what, got = f"{owner}.{key}", f"an attribute that <{element.tag}> does not have"
            if element.tag == "frame":
                self.reader.tell(element.line, what, f"{got} is left out; {hint}".rstrip("; "))
            else:
                self.reader.add(element.line, what, got, "one that it has", hint)

    def whole(self, element: XmlElement, inherited: str, kind: str) -> XmlElement:
        """Return an element with what its class gives to its kind."""
        name = element.attributes.get("class", inherited)
        known = self.classes.get(name)
        if known is None:
            hint = self.reader.nearest(name, tuple(self.classes)[:20])
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
        return turn_about(_unit((x, y, z)), self.unit * angle)

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
    kept.update(own)
    if "size" in own and len(own["size"]) + len(above.get("size", "")) <= LONGEST_NUMBERS:
        # Fewer numbers than the class has leave its others as they are.
        sizes = [attributes.get("size", "").split() for attributes in (own, above)]
        kept["size"] = " ".join(sizes[0] + sizes[1][len(sizes[0]) :])
    return kept


def _turn_of_z(axis: Iterable[float]) -> Matrix:
    """Return the smallest turn that brings z to an axis."""
    z = _unit(axis)
    normal = np.cross([0.0, 0.0, 1.0], z)
    size = float(np.linalg.norm(normal))
    normal = normal / size if size > 1e-12 else np.array([1.0, 0.0, 0.0])
    return turn_about(normal, math.atan2(size, z[2]))


def _turn_of_quaternion(quaternion: Iterable[float]) -> Matrix:
    w, x, y, z = quaternion
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross)


def _unit(values: Iterable[float]) -> np.ndarray:
    vector = np.array(list(values), dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(vector / np.linalg.norm(vector))


def joint_resistance(settings: MjcfSettings, joint: XmlElement, owner: str, unit: float) -> Joint:
    """Return a joint with its limits, damping and friction; a spring is refused."""
    reader = settings.reader
    _refuse_springs(settings, joint, owner)
    lower, upper = _joint_range(settings, joint, owner, unit)
    torques = reader.numbers(joint, "actuatorfrcrange", (0.0, 0.0), owner)
    free = joint.attributes.get("actuatorfrclimited") == "false" or not any(torques)
    most = math.inf if free else min(-torques[0], torques[1])
    if most <= 0.0:
        reader.add(joint.line, f"{owner}.actuatorfrcrange", "one side only", "both sides")
        most = math.inf
    friction = reader.number(joint, "frictionloss", owner, least=0.0)
    if "frictionloss" in settings.off:
        friction = 0.0
    damping = _damping(settings, joint, owner)
    return Joint(
        lower, upper, max_torque=most, damping=damping, friction=coulomb_friction(friction)
    )


def _refuse_springs(settings: MjcfSettings, joint: XmlElement, owner: str) -> None:
    reader = settings.reader
    stiffness = reader.some_numbers(joint, "stiffness", MOST_COEFFICIENTS, owner)
    springs = any(stiffness) and "spring" not in settings.off
    both = any(reader.numbers(joint, "springdamper", (0.0, 0.0), owner))
    if springs or (both and not settings.off >= {"spring", "damper"}):
        reader.add(joint.line, f"{owner}.stiffness", "a spring", "a joint without one")


def _damping(settings: MjcfSettings, joint: XmlElement, owner: str) -> float:
    reader = settings.reader
    given = reader.some_numbers(joint, "damping", MOST_COEFFICIENTS, owner) or (0.0,)
    if "damper" in settings.off:
        return 0.0
    if given[0] < 0.0:
        got = shown(joint.attributes["damping"])
        reader.add(joint.line, f"{owner}.damping", got, "a number of at least 0")
    if any(given[1:]):
        got = f"{shown(joint.attributes['damping'])}, a polynomial of the rate"
        reader.add(joint.line, f"{owner}.damping", got, "one number: linear damping")
    return max(given[0], 0.0)


def _joint_range(
    settings: MjcfSettings, joint: XmlElement, owner: str, unit: float
) -> tuple[float, float]:
    """Return the limits of a hinge [rad] or of a slide [m]."""
    bounds = settings.reader.numbers(joint, "range", (0.0, 0.0), owner)
    limited = joint.attributes.get("limited", "auto")
    if limited == "auto" and settings.auto_limits and any(bounds):
        limited = "true"
    if "limit" in settings.off or limited != "true":
        return -math.inf, math.inf
    lower, upper = (unbounded(bound) * unit for bound in bounds)
    if lower < upper:
        return lower, upper
    got = f"range {shown(joint.attributes.get('range', ''))}"
    settings.reader.add(joint.line, f"{owner}.range", got, "the lower limit below the upper")
    return -math.inf, math.inf


def inertial_body(settings: MjcfSettings, inertial: XmlElement, name: str) -> RigidBody:
    """Return the body that an <inertial> gives, in the frame around it."""
    reader, owner = settings.reader, f"body.{name}.inertial"
    kinds = [key for key in ("diaginertia", "fullinertia") if key in inertial.attributes]
    if len(kinds) != 1:
        got, need = " and ".join(kinds) or "no moments", "diaginertia or fullinertia"
        reader.add(inertial.line, owner, got, need)
    if not reader.check_given(inertial, ("pos", "mass"), owner) or len(kinds) != 1:
        return NO_BODY
    turned = [key for key in ORIENTATIONS if key in inertial.attributes]
    if kinds == ["fullinertia"] and turned:
        got = f"fullinertia and {turned[0]}"
        reader.add(inertial.line, owner, got, "fullinertia in the frame of the body")
    mass = reader.number(inertial, "mass", owner, least=0.0)
    if kinds == ["fullinertia"]:
        xx, yy, zz, xy, xz, yz = reader.numbers(inertial, "fullinertia", (0.0,) * 6, owner)
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        inertia = np.diag(reader.numbers(inertial, "diaginertia", (0.0,) * 3, owner))
    checked_inertia(reader, inertial.line, f"body.{name}", inertia)
    place = settings.placement(inertial, owner)
    turn = place[:3, :3]
    return RigidBody.of(mass, place[:3, 3], turn @ inertia @ turn.T)


class UnweighedGeom(Exception):  # noqa: N818
    """A geom whose mass and inertia are not in the file; the text says what it is."""


def geom_body(settings: MjcfSettings, geom: XmlElement, owner: str) -> RigidBody:
    """Return the body of a geom in the frame around it; raise UnweighedGeom for a mesh."""
    reader, kind = settings.reader, geom.attributes.get("type", "sphere")
    if kind not in (*SIZES, *UNWEIGHED, *MASSLESS):
        need = "one of " + ", ".join((*SIZES, *UNWEIGHED, *MASSLESS))
        reader.add(geom.line, f"{owner}.type", shown(kind), need)
        return NO_BODY
    first, last = settings.groups
    if kind in MASSLESS or not first <= reader.number(geom, "group", owner) <= last:
        return NO_BODY
    density = reader.number(geom, "density", owner, WATER, least=0.0)
    mass = reader.number(geom, "mass", owner, math.nan, least=0.0)
    if mass == 0.0 or (math.isnan(mass) and density == 0.0):
        return NO_BODY
    if kind in UNWEIGHED or "mesh" in geom.attributes:
        raise UnweighedGeom("a mesh")
    if geom.attributes.get("shellinertia", "false") != "false":
        raise UnweighedGeom("a shell")
    size = _sizes(settings, geom, kind, owner)
    if math.isnan(mass):
        mass = density * volume(kind, size)
    place = settings.placement(geom, owner)
    turn = place[:3, :3]
    return RigidBody.of(mass, place[:3, 3], turn @ np.diag(mass * moments(kind, size)) @ turn.T)


def _sizes(settings: MjcfSettings, geom: XmlElement, kind: str, owner: str) -> tuple[float, ...]:
    """Read radii and half lengths; one where they are wrong."""
    count, spanned = SIZES[kind], "fromto" in geom.attributes
    if spanned and kind == "sphere":
        settings.reader.add(geom.line, f"{owner}.fromto", "the ends of a sphere", "its centre")
    needed = 1 if spanned else count
    given = settings.reader.some_numbers(geom, "size", MOST_SIZES, owner)
    size = given[:needed]
    if len(size) < needed or min(size) <= 0.0:
        if given or "size" not in geom.attributes:
            got = shown(geom.attributes.get("size", "no sizes"))
            need = "a positive number" if needed == 1 else f"{needed} positive numbers"
            settings.reader.add(geom.line, f"{owner}.size", got, need)
        size = (1.0,) * needed
    if spanned:
        size = (size[0],) * (count - 1) + (settings.span(geom, owner) / 2.0,)
    return size


def volume(kind: str, size: tuple[float, ...]) -> float:
    """Return the volume of a geom [m³]."""
    if kind == "box":
        return 8.0 * math.prod(size)
    if kind == "ellipsoid":
        return 4.0 / 3.0 * math.pi * math.prod(size)
    ball = 4.0 / 3.0 * math.pi * size[0] ** 3
    if kind == "sphere":
        return ball
    tube = 2.0 * math.pi * size[0] ** 2 * size[1]
    return tube if kind == "cylinder" else tube + ball


def moments(kind: str, size: tuple[float, ...]) -> np.ndarray:
    """Return the principal moments of a geom of mass 1 [m²]."""
    if kind in ("box", "ellipsoid"):
        squares = np.array(size) ** 2
        return np.asarray((np.sum(squares) - squares) / (3.0 if kind == "box" else 5.0))
    radius = size[0]
    ball = np.full(3, 0.4 * radius**2)
    if kind == "sphere":
        return ball
    half = size[1]
    across = (3.0 * radius**2 + 4.0 * half**2) / 12.0
    tube = np.array([across, across, radius**2 / 2.0])
    if kind == "cylinder":
        return tube
    share = volume("sphere", size) / volume("capsule", size)
    apart = (half**2 + 0.75 * half * radius) * np.array([1.0, 1.0, 0.0])
    return np.asarray((1.0 - share) * tube + share * (ball + apart))


def bounded_body(settings: MjcfSettings, body: RigidBody) -> RigidBody:
    """Return a body with the least mass and moments that a file asks for, and balanced ones."""
    if not (settings.least_mass or settings.least_inertia or settings.balanced):
        return body
    centre = body.moment / body.mass if body.mass else np.zeros(3)
    about_centre: Matrix = body.inertia - body.mass * steiner(centre)
    values, axes = np.linalg.eigh(about_centre)
    values = np.maximum(values, settings.least_inertia)
    if settings.balanced and np.sum(values) < 2.0 * np.max(values):
        values = np.full(3, np.mean(values))
    return RigidBody.of(max(body.mass, settings.least_mass), centre, (axes * values) @ axes.T)

"""MJCF files, MuJoCo's own: the planar arm that one describes.

Bodies nest, and stand in the frames of those around them; a body has as many joints as it may turn
by, none if it is fixed. Sites are frames without mass, so that one can be the tip. Angles are in
degrees unless the file says otherwise, and defaults come from classes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import numpy as np

from ulna.arm.components import Joint
from ulna.arm.exported_chain import unbounded
from ulna.arm.robot_tree import (
    FIXED,
    NO_BODY,
    REVOLUTE,
    Matrix,
    RigidBody,
    RobotTree,
    TreeJoint,
    about,
    checked_inertia,
    coulomb_friction,
    placement,
)
from ulna.arm.spatial_chain import ImportedArm, planar_chain
from ulna.arm.xml_elements import XmlElement, XmlReader, parse_xml
from ulna.errors import shown, warn

WORLD, MAIN = "world", "main"
ORIENTATIONS = ("quat", "euler", "axisangle", "xyaxes", "zaxis")
UNREAD = ("include", "frame", "replicate", "attach", "composite", "flexcomp")
Attributes = Mapping[str, str]


def parse_mjcf(
    text: str, file: str = "MJCF file", base_link: str | None = None, tip_link: str | None = None
) -> ImportedArm:
    """Return the planar arm that the text of an MJCF file describes."""
    reader = XmlReader(file)
    robot = _MjcfReader(reader, parse_xml(text, file, "mujoco")).robot()
    return planar_chain(robot, reader, base_link, tip_link)


class _MjcfReader:
    """Reads bodies and joints, and notes what is wrong with them."""

    def __init__(self, reader: XmlReader, root: XmlElement) -> None:
        self.reader, self.root = reader, root
        settings: dict[str, str] = {}
        for compiler in root.all("compiler"):
            settings.update(compiler.attributes)
        self.unit = 1.0 if settings.get("angle") == "radian" else math.pi / 180.0
        self.sequence = settings.get("eulerseq", "xyz")
        if not re.fullmatch("[xyzXYZ]{3}", self.sequence):
            got = shown(self.sequence)
            reader.add(root.line, "compiler.eulerseq", got, "three letters of xyz and XYZ")
            self.sequence = "xyz"
        self.auto_limits = settings.get("autolimits", "true") == "true"
        if settings.get("inertiafromgeom") == "true":
            reader.add(root.line, "compiler.inertiafromgeom", "true", "masses as <inertial>")
        self.classes: dict[str, Attributes] = {MAIN: {}}
        self.tree = RobotTree(root.attributes.get("model", ""), {WORLD: NO_BODY}, {WORLD: 1})
        self.joint_names: set[str] = set()

    def robot(self) -> RobotTree:
        for default in self.root.all("default"):
            self._defaults(default)
        gravity = self.reader.numbers(
            self.root.first("option"), "gravity", (0.0, 0.0, -9.81), "option"
        )
        self.tree.gravity = (gravity[0], gravity[1], gravity[2])
        self._refuse_others()
        waiting = [(world, WORLD, MAIN) for world in self.root.all("worldbody")]
        while waiting:
            element, name, inherited = waiting.pop()
            inherited = element.attributes.get("childclass", inherited)
            self._sites(element, name)
            for part in (child for child in element.children if child.tag in UNREAD):
                got = f"<{part.tag}>"
                self.reader.add(
                    part.line, f"body.{name}", got, "bodies written out, as MuJoCo saves"
                )
            waiting += [
                (body, self._body(body, name, inherited), inherited) for body in element.all("body")
            ]
        return self.tree

    def _defaults(self, outer: XmlElement) -> None:
        """Read the settings of joints by their classes, each with those of the class around it."""
        waiting: list[tuple[XmlElement, Attributes]] = [(outer, self.classes[MAIN])]
        while waiting:
            element, above = waiting.pop()
            joint = element.first("joint")
            own = {**above, **(joint.attributes if joint else {})}
            name = element.attributes.get("class", MAIN)
            self.classes[name] = own
            waiting += [(inner, own) for inner in element.all("default")]

    def _refuse_others(self) -> None:
        for tag in ("equality", "tendon"):
            for group in self.root.all(tag):
                for part in group.children:
                    name = part.attributes.get("name", part.tag)
                    got = f"<{part.tag}>, which ties joints together"
                    self.reader.add(
                        part.line, f"{tag}.{name}", got, "joints that turn by themselves"
                    )
        for part in self.root.all("include"):
            self.reader.add(
                part.line, "include", "another file", "all in one file, as MuJoCo saves"
            )
        others = [
            part.attributes.get("name", part.tag)
            for group in self.root.all("actuator")
            for part in group.children
            if part.tag != "motor"
        ]
        if others:
            warn(f"actuators are left out, only joints are read: {', '.join(others[:8])}")

    def _sites(self, element: XmlElement, body: str) -> None:
        for site in element.all("site"):
            name = site.attributes.get("name", "")
            if name and name not in self.tree.bodies:
                self.tree.bodies[name], self.tree.lines[name] = NO_BODY, site.line
                place = self._placement(site, f"site.{name}")
                self.tree.joints.append(
                    TreeJoint(f"{name} (site)", FIXED, body, name, place, site.line)
                )

    def _body(self, element: XmlElement, parent: str, inherited: str) -> str:
        """Add a body with its joints; return its name."""
        tree = self.tree
        name = element.attributes.get("name") or f"body_{len(tree.bodies)}"
        owner = f"body.{name}"
        if name in tree.bodies:
            self.reader.add(element.line, owner, "a second of that name", "one of each")
        if self.reader.number(element, "gravcomp", owner) != 0.0:
            self.reader.add(element.line, f"{owner}.gravcomp", "a compensation", "gravity as it is")
        inherited = element.attributes.get("childclass", inherited)
        place = self._placement(element, owner)
        joints = [child for child in element.children if child.tag in ("joint", "freejoint")]
        for number, joint in enumerate(joints, 1):
            last = number == len(joints)
            child = name if last else f"{name} (joint {number})"
            tree.joints.append(self._joint(joint, (parent, child, name), place, inherited))
            tree.bodies[child], tree.lines[child] = NO_BODY, element.line
            parent, place = child, np.eye(4)
        if not joints:
            tree.joints.append(TreeJoint(name, FIXED, parent, name, place, element.line))
        tree.bodies[name], tree.lines[name] = self._inertial(element, name), element.line
        return name

    def _inertial(self, element: XmlElement, name: str) -> RigidBody:
        inertial, owner = element.first("inertial"), f"body.{name}.inertial"
        if inertial is None:
            if element.first("geom") is not None:
                self.tree.unweighed.add(name)
            return NO_BODY
        mass = self.reader.number(inertial, "mass", owner, least=0.0)
        if "fullinertia" in inertial.attributes:
            full = self.reader.numbers(inertial, "fullinertia", (0.0,) * 6, owner)
            xx, yy, zz, xy, xz, yz = full
            inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            inertia = np.diag(self.reader.numbers(inertial, "diaginertia", (0.0,) * 3, owner))
        checked_inertia(self.reader, inertial.line, f"body.{name}", inertia)
        place = self._placement(inertial, owner)
        turn = place[:3, :3]
        return RigidBody.of(mass, place[:3, 3], turn @ inertia @ turn.T)

    def _joint(
        self, element: XmlElement, ends: tuple[str, str, str], place: Matrix, inherited: str
    ) -> TreeJoint:
        parent, child, body = ends
        own = element.attributes
        kept = self.classes.get(own.get("class", inherited))
        if kept is None:
            kept = {}
            self.reader.add(
                element.line, f"body.{body}", "a class without defaults", "a known class"
            )
        whole = XmlElement(element.tag, {**kept, **own}, element.line)
        name = own.get("name") or f"joint of {body}"
        if name in self.joint_names:
            self.reader.add(element.line, f"joint.{name}", "a second of that name", "one of each")
        self.joint_names.add(name)
        kind = "free" if element.tag == "freejoint" else whole.attributes.get("type", "hinge")
        if kind != "hinge":
            return TreeJoint(name, kind, parent, child, place, element.line)
        owner, numbers = f"joint.{name}", self.reader.numbers
        axis = np.array(numbers(whole, "axis", (0.0, 0.0, 1.0), owner))
        if not np.any(axis):
            self.reader.add(element.line, f"{owner}.axis", "no direction", "a vector")
            axis = np.array([0.0, 0.0, 1.0])
        if self.reader.number(whole, "stiffness", owner) != 0.0:
            self.reader.add(element.line, f"{owner}.stiffness", "a spring", "a joint without one")
        return TreeJoint(
            name,
            REVOLUTE,
            parent,
            child,
            place,
            element.line,
            axis,
            np.array(numbers(whole, "pos", (0.0, 0.0, 0.0), owner)),
            self.unit * self.reader.number(whole, "ref", owner),
            joint=self._resistance(whole, owner),
            armature=self.reader.number(whole, "armature", owner, least=0.0),
        )

    def _resistance(self, joint: XmlElement, owner: str) -> Joint:
        """Read limits, damping and friction of a hinge."""
        bounds = self.reader.numbers(joint, "range", (0.0, 0.0), owner)
        limited = joint.attributes.get("limited", "auto")
        lower, upper = -math.inf, math.inf
        if limited == "true" or (limited == "auto" and self.auto_limits and any(bounds)):
            lower, upper = (unbounded(bound) * self.unit for bound in bounds)
        if not lower < upper:
            got = f"range {shown(joint.attributes.get('range', ''))}"
            self.reader.add(joint.line, f"{owner}.range", got, "the lower limit below the upper")
            lower, upper = -math.inf, math.inf
        torques = self.reader.numbers(joint, "actuatorfrcrange", (0.0, 0.0), owner)
        most = min(-torques[0], torques[1]) if any(torques) else math.inf
        if most <= 0.0:
            self.reader.add(joint.line, f"{owner}.actuatorfrcrange", "one side only", "both sides")
            most = math.inf
        friction = self.reader.number(joint, "frictionloss", owner, least=0.0)
        damping = self.reader.number(joint, "damping", owner, least=0.0)
        return Joint(
            lower, upper, max_torque=most, damping=damping, friction=coulomb_friction(friction)
        )

    def _placement(self, element: XmlElement, owner: str) -> Matrix:
        given = [key for key in ORIENTATIONS if key in element.attributes]
        if len(given) > 1:
            self.reader.add(element.line, owner, " and ".join(given), "one orientation")
        shift = self.reader.numbers(element, "pos", (0.0, 0.0, 0.0), owner)
        turn = getattr(self, f"_{given[0]}")(element, owner) if given else np.eye(3)
        if not np.all(np.isfinite(turn)):
            self.reader.add(element.line, f"{owner}.{given[0]}", "no direction", "a rotation")
            turn = np.eye(3)
        return placement(turn, shift)

    def _quat(self, element: XmlElement, owner: str) -> Matrix:
        w, x, y, z = _unit(self.reader.numbers(element, "quat", (1.0, 0.0, 0.0, 0.0), owner))
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return np.asarray(np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross)

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
        half, axis = self.unit * angle / 2.0, _unit((x, y, z))
        turned = XmlElement(
            "", {"quat": " ".join(map(repr, _quaternion(half, axis)))}, element.line
        )
        return self._quat(turned, owner)

    def _xyaxes(self, element: XmlElement, owner: str) -> Matrix:
        axes = self.reader.numbers(element, "xyaxes", (1.0, 0.0, 0.0, 0.0, 1.0, 0.0), owner)
        x, y = _unit(axes[:3]), np.array(axes[3:])
        y = _unit(y - (y @ x) * x)
        return np.column_stack([x, y, np.cross(x, y)])

    def _zaxis(self, element: XmlElement, owner: str) -> Matrix:
        """Return the smallest turn that brings z to an axis."""
        z = _unit(self.reader.numbers(element, "zaxis", (0.0, 0.0, 1.0), owner))
        axis = np.cross([0.0, 0.0, 1.0], z)
        size = float(np.linalg.norm(axis))
        axis = axis / size if size > 1e-12 else np.array([1.0, 0.0, 0.0])
        half = math.atan2(size, z[2]) / 2.0
        turned = XmlElement(
            "", {"quat": " ".join(map(repr, _quaternion(half, axis)))}, element.line
        )
        return self._quat(turned, owner)


def _unit(values: object) -> np.ndarray:
    vector = np.asarray(values, dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(vector / np.linalg.norm(vector))


def _quaternion(half: float, axis: np.ndarray) -> list[float]:
    return [math.cos(half), *(math.sin(half) * axis).tolist()]

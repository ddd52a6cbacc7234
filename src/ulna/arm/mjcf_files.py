"""MJCF files, MuJoCo's own: the planar arm that one describes, and one that describes an arm.

Bodies nest, and stand in the frames of those around them; a body has as many joints as it may turn
by, none if it is fixed. Sites are frames without mass, so that one can be the tip. Angles are in
degrees unless the file says otherwise.

An arm is written upright in the plane of MuJoCo's x and z axes, under its own gravity. Links lie
along x of their bodies, hinges turn about z, and their angles are those of the arm. Rotors become
armatures, and what they couple goes into the inertias of the links, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ulna.arm.components import Joint
from ulna.arm.exported_chain import (
    ExportedArm,
    ExportedLink,
    bounded,
    exported_links,
    lost_parts,
    torque_differences,
    unbounded,
    usual_rates,
)
from ulna.arm.mjcf_actuators import limit_torques
from ulna.arm.mjcf_elements import MAIN, MjcfSettings, UnweighedGeom, bounded_body, geom_body
from ulna.arm.planar_arm import Arm
from ulna.arm.robot_tree import (
    FIXED,
    NO_BODY,
    REVOLUTE,
    Coupling,
    Matrix,
    RigidBody,
    RobotTree,
    TreeJoint,
    checked_inertia,
    coulomb_friction,
)
from ulna.arm.spatial_chain import ImportedArm, planar_chain
from ulna.arm.xml_elements import XmlElement, XmlReader, parse_xml, tell_left_out
from ulna.errors import InputError, Problem, shown, warn

WORLD = "world"
UNREAD = ("include", "replicate", "attach", "composite", "flexcomp")
BODY_PARTS = ("body", "frame", "inertial", "joint", "freejoint", "geom", "site", "camera", "light")
SILENT = (  # what moves nothing, or is read elsewhere
    *("compiler", "option", "size", "visual", "statistic", "default", "asset", "worldbody"),
    *("custom", "actuator", "equality", "tendon", "include", "contact"),
)
FLUID = ("density", "viscosity")
WRITTEN_OUT = "everything written out in one file"
SAVED = "MuJoCo writes it out: mj_saveLastXML"
LIGHTEST = 1e-14  # [kg], [kg·m²]: MuJoCo takes nothing below 1e-15
WIDTH = 0.03  # of a link as it is drawn, of its length


class BodyPart(NamedTuple):
    """A part of a body: where the frames around it stand in the body, and its class."""

    element: XmlElement
    frame: Matrix
    inherited: str


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
        self.settings = MjcfSettings(reader, root)
        self.tree = RobotTree(root.attributes.get("model", ""), {WORLD: NO_BODY}, {WORLD: 1})
        self.joint_names: set[str] = set()
        self.left_out: list[str] = []

    def robot(self) -> RobotTree:
        self._option()
        self._couplings()
        waiting = [(BodyPart(world, np.eye(4), MAIN), "") for world in self.root.all("worldbody")]
        while waiting:
            body, parent = waiting.pop()
            parts = list(self._parts(body))
            name = self._body(body, parent, parts) if body.element.tag == "body" else WORLD
            for part in (one for one in parts if one.element.tag == "site"):
                self._site(part, name)
            waiting += [(part, name) for part in parts if part.element.tag == "body"]
        self.tree.joints = limit_torques(self.settings, self.root, self.tree.joints)
        self._tell()
        return self.tree

    def _parts(self, body: BodyPart) -> Iterator[BodyPart]:
        """Yield the parts of a body in their order, those in frames with where these stand."""
        waiting = [BodyPart(body.element, np.eye(4), body.inherited)]
        while waiting:
            element, frame, inherited = part = waiting.pop()
            if element is not body.element and element.tag != "frame":
                yield part
                continue
            inherited = element.attributes.get("childclass", inherited)
            if element.tag == "frame":
                frame = frame @ self.settings.placement(element, "frame")
            waiting += [
                BodyPart(child, frame, inherited)
                for child in reversed(element.children)
                if self._is_read(child)
            ]

    def _is_read(self, element: XmlElement) -> bool:
        if element.tag in UNREAD:
            self.reader.add(element.line, "worldbody", f"<{element.tag}>", WRITTEN_OUT, SAVED)
        elif element.tag not in BODY_PARTS:
            self.left_out.append(element.tag)
        return element.tag in BODY_PARTS

    def _option(self) -> None:
        """Read gravity; warn of what a fluid would do."""
        fluid: set[str] = set()
        gravity: tuple[float, ...] = self.tree.gravity
        for option in self.root.all("option"):
            gravity = self.reader.numbers(option, "gravity", gravity, "option")
            fluid |= {key for key in FLUID if self.reader.number(option, key, "option") != 0.0}
        flags = {
            key: word
            for option in self.root.all("option")
            for flag in option.all("flag")
            for key, word in flag.attributes.items()
        }
        if flags.get("gravity") == "disable":
            gravity = (0.0, 0.0, 0.0)
        self.tree.gravity = (gravity[0], gravity[1], gravity[2])
        if fluid:
            warn(f"{self.reader.file}: {' and '.join(sorted(fluid))} of a fluid are left out")
        self.left_out += [
            f"flag {key}" for key in ("passive", "frictionloss", "limit") if key in flags
        ]

    def _couplings(self) -> None:
        """Read what ties joints and bodies together; files within files are refused."""
        for tag in ("equality", "tendon"):
            for part in (one for group in self.root.all(tag) for one in group.children):
                name, said = part.attributes.get("name", part.tag), part.attributes
                inside = [inner.attributes for inner in part.children]
                joints = [said.get("joint1", ""), said.get("joint2", "")]
                joints += [inner["joint"] for inner in inside if "joint" in inner]
                ends = [said.get(key, "") for key in ("body1", "body2", "site1", "site2")]
                ends += [inner["site"] for inner in inside if "site" in inner]
                if part.tag in ("connect", "weld") and "body1" in said and "body2" not in said:
                    ends.append(WORLD)
                self.tree.couplings.append(
                    Coupling(
                        f"{tag}.{name}",
                        f"<{part.tag}>, which ties joints together",
                        part.line,
                        tuple(filter(None, joints)),
                        tuple(filter(None, ends)),
                    )
                )
        for part in self.root.all("include"):
            self.reader.add(part.line, "include", "another file", WRITTEN_OUT, SAVED)

    def _tell(self) -> None:
        """Warn of what the file says beyond bodies and joints."""
        self.left_out += [part.tag for part in self.root.children if part.tag not in SILENT]
        contacts = [part for group in self.root.all("contact") for part in group.children]
        self.left_out += ["contact pair" for part in contacts if part.tag == "pair"]
        tell_left_out(self.reader.file, self.left_out)

    def _site(self, part: BodyPart, body: str) -> None:
        site = self.settings.whole(part.element, part.inherited, "site")
        name = site.attributes.get("name", "")
        if name and name not in self.tree.bodies:
            self.tree.bodies[name], self.tree.lines[name] = NO_BODY, site.line
            place = part.frame @ self.settings.placement(site, f"site.{name}")
            self.tree.joints.append(
                TreeJoint(f"{name} (site)", FIXED, body, name, place, site.line)
            )

    def _body(self, body: BodyPart, parent: str, parts: list[BodyPart]) -> str:
        """Add a body with its joints; return its name."""
        tree, element = self.tree, body.element
        name = element.attributes.get("name") or f"body_{len(tree.bodies)}"
        owner = f"body.{name}"
        if name in tree.bodies:
            self.reader.add(element.line, owner, "a second of that name", "one of each")
        if self.reader.number(element, "gravcomp", owner) != 0.0:
            self.reader.add(element.line, f"{owner}.gravcomp", "a compensation", "gravity as it is")
        place = body.frame @ self.settings.placement(element, owner)
        joints = [part for part in parts if part.element.tag in ("joint", "freejoint")]
        for number, joint in enumerate(joints, 1):
            child = name if number == len(joints) else f"{name} (joint {number})"
            tree.joints.append(self._joint(joint, (parent, child, name), place))
            tree.bodies[child], tree.lines[child] = NO_BODY, element.line
            parent, place = child, np.eye(4)
        if not joints:
            tree.joints.append(TreeJoint(name, FIXED, parent, name, place, element.line))
        tree.bodies[name], tree.lines[name] = self._weighed(name, parts), element.line
        return name

    def _weighed(self, name: str, parts: list[BodyPart]) -> RigidBody:
        """Return the mass of a body: its own, or that of its geoms."""
        given = [part for part in parts if part.element.tag == "inertial"]
        explicit = self._inertial(given[0], name) if given else None
        found = NO_BODY
        if self.settings.from_geoms == "true" or (self.settings.from_geoms == "auto" and not given):
            found = self._of_geoms(name, parts)
        if found.mass == 0.0 and explicit is not None:
            found = explicit
        if found.mass == 0.0 and self.settings.least_mass > 0.0:
            self.tree.unweighed[name] = "no mass but that of compiler.boundmass"
        return bounded_body(self.settings, found)

    def _of_geoms(self, name: str, parts: list[BodyPart]) -> RigidBody:
        total = NO_BODY
        for part in (one for one in parts if one.element.tag == "geom"):
            geom = self.settings.whole(part.element, part.inherited, "geom")
            try:
                own = geom_body(self.settings, geom, f"body.{name}.geom")
            except UnweighedGeom as error:
                self.tree.unweighed[name] = f"no <inertial>, and {error}"
                continue
            total = total + own.seen_from(part.frame)
        return total

    def _inertial(self, part: BodyPart, name: str) -> RigidBody:
        inertial, owner = part.element, f"body.{name}.inertial"
        mass = self.reader.number(inertial, "mass", owner, least=0.0)
        if "fullinertia" in inertial.attributes:
            full = self.reader.numbers(inertial, "fullinertia", (0.0,) * 6, owner)
            xx, yy, zz, xy, xz, yz = full
            inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            inertia = np.diag(self.reader.numbers(inertial, "diaginertia", (0.0,) * 3, owner))
        checked_inertia(self.reader, inertial.line, f"body.{name}", inertia)
        place = part.frame @ self.settings.placement(inertial, owner)
        turn = place[:3, :3]
        return RigidBody.of(mass, place[:3, 3], turn @ inertia @ turn.T)

    def _joint(self, part: BodyPart, ends: tuple[str, str, str], place: Matrix) -> TreeJoint:
        parent, child, body = ends
        element, kind = part.element, "free"
        if element.tag == "joint":
            element = self.settings.whole(element, part.inherited, "joint")
            kind = element.attributes.get("type", "hinge")
        name = part.element.attributes.get("name") or f"joint of {body}"
        owner, numbers, line = f"joint.{name}", self.reader.numbers, element.line
        if name in self.joint_names:
            self.reader.add(line, owner, "a second of that name", "one of each")
        self.joint_names.add(name)
        if kind != "hinge":
            return TreeJoint(name, kind, parent, child, place, line)
        axis = np.array(numbers(element, "axis", (0.0, 0.0, 1.0), owner))
        if not np.any(axis):
            self.reader.add(line, f"{owner}.axis", "no direction", "a vector")
            axis = np.array([0.0, 0.0, 1.0])
        turn, shift = part.frame[:3, :3], part.frame[:3, 3]
        return TreeJoint(
            name,
            REVOLUTE,
            parent,
            child,
            place,
            line,
            turn @ axis,
            turn @ numbers(element, "pos", (0.0, 0.0, 0.0), owner) + shift,
            self.settings.unit * self.reader.number(element, "ref", owner),
            joint=self._resistance(element, owner),
            armature=self.reader.number(element, "armature", owner, least=0.0),
        )

    def _resistance(self, joint: XmlElement, owner: str) -> Joint:
        """Read limits, damping and friction of a hinge; a spring is refused."""
        springs = self.reader.number(joint, "stiffness", owner) != 0.0
        if springs or any(self.reader.numbers(joint, "springdamper", (0.0, 0.0), owner)):
            self.reader.add(joint.line, f"{owner}.stiffness", "a spring", "a joint without one")
        bounds = self.reader.numbers(joint, "range", (0.0, 0.0), owner)
        limited = joint.attributes.get("limited", "auto")
        lower, upper = -math.inf, math.inf
        if limited == "true" or (limited == "auto" and self.settings.auto_limits and any(bounds)):
            lower, upper = (unbounded(bound) * self.settings.unit for bound in bounds)
        if not lower < upper:
            got = f"range {shown(joint.attributes.get('range', ''))}"
            self.reader.add(joint.line, f"{owner}.range", got, "the lower limit below the upper")
            lower, upper = -math.inf, math.inf
        torques = self.reader.numbers(joint, "actuatorfrcrange", (0.0, 0.0), owner)
        free = joint.attributes.get("actuatorfrclimited") == "false" or not any(torques)
        most = math.inf if free else min(-torques[0], torques[1])
        if most <= 0.0:
            self.reader.add(joint.line, f"{owner}.actuatorfrcrange", "one side only", "both sides")
            most = math.inf
        friction = self.reader.number(joint, "frictionloss", owner, least=0.0)
        damping = self.reader.number(joint, "damping", owner, least=0.0)
        return Joint(
            lower, upper, max_torque=most, damping=damping, friction=coulomb_friction(friction)
        )


def format_mjcf(arm: Arm) -> ExportedArm:
    """Return the text of an MJCF file that describes an arm, with what is lost in it."""
    from xml.sax.saxutils import quoteattr

    links, lost = exported_links(arm, armature=True)
    for number, link in enumerate(links, 1):
        if link.mass < LIGHTEST:
            problem = Problem(f"link.{number}.mass", f"{link.mass:g}", "a mass, which MuJoCo needs")
            raise InputError(problem)
    x, y = arm.gravity
    lines = [
        f"<mujoco model={quoteattr(arm.name or 'arm')}>",
        '  <compiler angle="radian" autolimits="true"/>',
        f'  <option gravity="{x!r} 0 {y!r}"/>',
        "  <worldbody>",
    ]
    for number, (link, joint) in enumerate(zip(links, arm.joints, strict=True), 1):
        place = f'pos="{links[number - 2].length!r} 0 0"'
        if number == 1:
            place = f'pos="{arm.base[0]!r} 0 {arm.base[1]!r}" xyaxes="1 0 0 0 0 1"'
        inner = _body_lines(arm, number, link, joint)
        lines += _indented(number, [f'<body name="link_{number}" {place}>'])
        lines += _indented(number + 1, inner)
    lines += _indented(arm.n + 1, [f'<site name="tip" pos="{links[-1].length!r} 0 0"/>'])
    lines += [line for depth in range(arm.n, 0, -1) for line in _indented(depth, ["</body>"])]
    motors = [f'    <motor name="motor_{i}" joint="joint_{i}"/>' for i in range(1, arm.n + 1)]
    lines += ["  </worldbody>", "  <actuator>", *motors, "  </actuator>", "</mujoco>", ""]
    fast = [str(i) for i, joint in enumerate(arm.joints, 1) if math.isfinite(joint.max_velocity)]
    if fast:
        lost.append(f"limits of the rates of joints {', '.join(fast)}")
    return ExportedArm(
        "\n".join(lines),
        (*lost, *lost_parts(arm, soft_friction=True)),
        (),
        torque_differences(arm, links, soft_friction=True),
        tuple(usual_rates(arm).tolist()),
    )


def _indented(depth: int, lines: list[str]) -> list[str]:
    return ["  " * (depth + 1) + line for line in lines]


def _body_lines(arm: Arm, number: int, link: ExportedLink, joint: Joint) -> list[str]:
    # In the plane only the inertia about z counts; a ball's is one that bodies have.
    inertia = " ".join([repr(max(link.inertia, LIGHTEST))] * 3)
    centre = f"{link.com!r} {link.com_offset!r} 0"
    radius = WIDTH * link.length
    hinge = f'<joint name="joint_{number}" type="hinge" axis="0 0 1"{_settings(arm, number)}'
    if math.isfinite(joint.lower) or math.isfinite(joint.upper):
        hinge += f' range="{bounded(joint.lower)!r} {bounded(joint.upper)!r}"'
    if math.isfinite(joint.max_torque):
        hinge += f' actuatorfrcrange="{-joint.max_torque!r} {joint.max_torque!r}"'
    if link.armature:
        hinge += f' armature="{link.armature!r}"'
    return [
        f'<inertial pos="{centre}" mass="{link.mass!r}" diaginertia="{inertia}"/>',
        f"{hinge}/>",
        f'<geom type="capsule" fromto="0 0 0 {link.length!r} 0 0" size="{radius!r}" mass="0" '
        'contype="0" conaffinity="0"/>',
    ]


def _settings(arm: Arm, number: int) -> str:
    damping, friction = (
        float(values[number - 1]) for values in (arm.parameters.damping, arm.parameters.coulomb)
    )
    text = f' damping="{damping!r}"' if damping else ""
    return text + (f' frictionloss="{friction!r}"' if friction else "")

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
from collections import Counter
from collections.abc import Iterable, Iterator
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
    usual_rates,
)
from ulna.arm.mjcf_actuators import limit_torques
from ulna.arm.mjcf_elements import (
    MAIN,
    MjcfSettings,
    UnweighedGeom,
    bounded_body,
    geom_body,
    inertial_body,
    joint_resistance,
)
from ulna.arm.planar_arm import Arm
from ulna.arm.robot_tree import (
    FIXED,
    JOINT,
    NO_BODY,
    PLACE,
    REVOLUTE,
    WEIGHT,
    Coupling,
    Matrix,
    RigidBody,
    RobotTree,
    TreeJoint,
)
from ulna.arm.spatial_chain import ImportedArm, planar_chain
from ulna.arm.xml_elements import XmlElement, XmlReader, parse_xml, tell_left_out
from ulna.errors import InputError, Problem, warn

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
    text: str,
    file: str = "MJCF file",
    base_link: str | None = None,
    tip_link: str | None = None,
    hold: Iterable[str] = (),
) -> ImportedArm:
    """Return the planar arm that the text of an MJCF file describes."""
    reader = XmlReader(file)
    robot = _MjcfReader(reader, parse_xml(text, file, "mujoco")).robot()
    return planar_chain(robot, reader, base_link, tip_link, hold)


class _Names:
    """The names of elements of one kind: those that a file gives, and others for the rest."""

    def __init__(self, given: Iterable[str]) -> None:
        self.taken = set(given)
        self.read: set[str] = set()
        self.made: Counter[str] = Counter()

    def is_second(self, name: str) -> bool:
        """Return whether an element of that name was there before."""
        second = name in self.read
        self.read.add(name)
        return second

    def free(self, wish: str) -> str:
        """Return a name that no other element has."""
        name = wish
        while name in self.taken:
            self.made[wish] += 1
            name = f"{wish} ({self.made[wish] + 1})"
        self.taken.add(name)
        return name


class _MjcfReader:
    """Reads bodies and joints, and notes what is wrong with them."""

    def __init__(self, reader: XmlReader, root: XmlElement) -> None:
        self.reader, self.root = reader, root
        self.settings = MjcfSettings(reader, root)
        self.tree = RobotTree(root.attributes.get("model", ""), {WORLD: NO_BODY}, {WORLD: 1})
        elements = list(self._elements())
        self.frames = _Names([WORLD, *_given(elements, "body")])  # bodies, and sites beside them
        self.frames.is_second(WORLD)
        self.joints = _Names(_given(elements, "joint", "freejoint"))
        self.sites: dict[str, str] = {}  # what sites are called among the frames
        self.has_inertials = any(element.tag == "inertial" for element in elements)
        self.left_out: list[str] = []

    def _elements(self) -> Iterator[XmlElement]:
        """Yield all elements of the world."""
        waiting = list(self.root.all("worldbody"))
        while waiting:
            element = waiting.pop()
            yield element
            waiting += element.children

    def robot(self) -> RobotTree:
        self._option()
        waiting = [(BodyPart(world, np.eye(4), MAIN), "") for world in self.root.all("worldbody")]
        while waiting:
            body, parent = waiting.pop()
            name = self._name(body.element) if body.element.tag == "body" else WORLD
            with self.reader.part(PLACE, name):
                parts = list(self._parts(body))
            if body.element.tag == "body":
                self._body(body, (parent, name), parts)
            for part in (one for one in parts if one.element.tag == "site"):
                self._site(part, name)
            waiting += [(part, name) for part in parts if part.element.tag == "body"]
        self._couplings()
        self.tree.joints = limit_torques(self.settings, self.root, self.tree.joints)
        self._tell()
        return self.tree

    def _name(self, body: XmlElement) -> str:
        given = body.attributes.get("name")
        if not given:
            return self.frames.free(f"body_{len(self.tree.bodies)}")
        if self.frames.is_second(given):
            self.reader.add(body.line, f"body.{given}", "a second of that name", "one of each")
            return self.frames.free(given)
        return given

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
                self.settings.check_known(element, "frame")
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
        if "gravity" in self.settings.off:
            gravity = (0.0, 0.0, 0.0)
        self.tree.gravity = (gravity[0], gravity[1], gravity[2])
        if fluid and "fluid" not in self.settings.off:
            warn(f"{self.reader.file}: {' and '.join(sorted(fluid))} of a fluid are left out")
        if "actuation" in self.settings.off:
            self.left_out.append("flag actuation")

    def _couplings(self) -> None:
        """Read what ties joints and bodies together; files within files are refused."""
        for tag in ("equality", "tendon"):
            for part in (one for group in self.root.all(tag) for one in group.children):
                if tag == "tendon" or self._is_active(part):
                    self.tree.couplings.append(self._coupling(tag, part))
        for part in self.root.all("include"):
            self.reader.add(part.line, "include", "another file", WRITTEN_OUT, SAVED)

    def _is_active(self, equality: XmlElement) -> bool:
        whole = self.settings.whole(equality, MAIN, "equality")
        return whole.attributes.get("active") != "false" and "equality" not in self.settings.off

    def _coupling(self, tag: str, part: XmlElement) -> Coupling:
        """Return which joints and bodies an equality or a tendon acts on."""
        said, inside = part.attributes, [inner.attributes for inner in part.children]
        joints = [said.get("joint1", ""), said.get("joint2", "")]
        joints += [inner["joint"] for inner in inside if "joint" in inner]
        ends = [said.get("body1", ""), said.get("body2", "")]
        sites = [said.get("site1", ""), said.get("site2", "")]
        sites += [inner["site"] for inner in inside if "site" in inner]
        ends += [self.sites.get(site, site) for site in sites]
        if part.tag in ("connect", "weld") and "body1" in said and "body2" not in said:
            ends.append(WORLD)
        known = tuple(dict.fromkeys(filter(None, joints)))
        does = "which ties joints together"
        if len(known) == 1 and not any(ends):
            does = f"which acts on the joint {known[0]!r}"
        return Coupling(
            f"{tag}.{said.get('name', part.tag)}",
            f"<{part.tag}>, {does}",
            part.line,
            known,
            tuple(filter(None, ends)),
        )

    def _tell(self) -> None:
        """Warn of what the file says beyond bodies and joints."""
        self.left_out += [part.tag for part in self.root.children if part.tag not in SILENT]
        contacts = [part for group in self.root.all("contact") for part in group.children]
        self.left_out += ["contact pair" for part in contacts if part.tag == "pair"]
        tell_left_out(self.reader.file, self.left_out)

    def _site(self, part: BodyPart, body: str) -> None:
        name = part.element.attributes.get("name", "")
        if not name:
            return
        if name in self.sites:
            self.reader.add(part.element.line, f"site.{name}", "a second of that name", "one")
            return
        # Sites and bodies have names of their own, of which a tip is one or the other.
        frame = self.frames.free(f"{name} (site)" if name in self.frames.taken else name)
        self.sites[name] = frame
        with self.reader.part(PLACE, frame):
            site = self.settings.whole(part.element, part.inherited, "site")
            self.settings.check_known(part.element, f"site.{name}")
            place = part.frame @ self.settings.placement(site, f"site.{name}")
        self.tree.bodies[frame], self.tree.lines[frame] = NO_BODY, site.line
        self.tree.joints.append(TreeJoint(f"{name} (site)", FIXED, body, frame, place, site.line))

    def _body(self, body: BodyPart, ends: tuple[str, str], parts: list[BodyPart]) -> None:
        """Add a body, with its joints, to its parent."""
        tree, element, (parent, name) = self.tree, body.element, ends
        with self.reader.part(PLACE, name):
            self.settings.check_known(element, f"body.{name}")
            place = body.frame @ self.settings.placement(element, f"body.{name}")
        joints = [part for part in parts if part.element.tag in ("joint", "freejoint")]
        for number, joint in enumerate(joints, 1):
            child = name
            if number < len(joints):
                child = self.frames.free(f"{name} (joint {number})")
            called = self._joint_name(joint.element, name, number if len(joints) > 1 else 0)
            tree.joints.append(self._joint(joint, called, (parent, child, name), place))
            tree.bodies[child], tree.lines[child] = NO_BODY, element.line
            parent, place = child, np.eye(4)
        if not joints:
            tree.joints.append(TreeJoint(name, FIXED, parent, name, place, element.line))
        with self.reader.part(WEIGHT, name):
            self._check_weighing(element, name, parts, is_fixed=not joints)
            tree.bodies[name], tree.lines[name] = self._weighed(name, parts), element.line

    def _joint_name(self, joint: XmlElement, body: str, number: int) -> str:
        given = joint.attributes.get("name")
        if not given:
            return self.joints.free(f"joint {number} of {body}" if number else f"joint of {body}")
        if self.joints.is_second(given):
            self.reader.add(joint.line, f"joint.{given}", "a second of that name", "one of each")
            return self.joints.free(given)
        return given

    def _check_weighing(
        self, body: XmlElement, name: str, parts: list[BodyPart], *, is_fixed: bool
    ) -> None:
        """Note what makes a body weigh otherwise than its parts say."""
        settings, owner = self.settings, f"body.{name}"
        lifted = self.reader.number(body, "gravcomp", owner) != 0.0
        if lifted and "gravcomp" not in settings.off:
            self.reader.add(body.line, f"{owner}.gravcomp", "a compensation", "gravity as it is")
        for part in parts:
            if part.element.tag in ("inertial", "geom"):
                settings.check_known(part.element, f"{owner}.{part.element.tag}")
        for second in [part for part in parts if part.element.tag == "inertial"][1:]:
            self.reader.add(second.element.line, f"{owner}.inertial", "a second one", "one")
        # MuJoCo makes one body of those that are fixed, before it bounds or takes their masses.
        bounds = settings.least_mass or settings.least_inertia or settings.balanced
        drops = settings.from_geoms == "true" and self.has_inertials
        is_fused = settings.fuses and is_fixed and body.attributes.get("fuse") != "false"
        if is_fused and (bounds or drops):
            got = "fusestatic, by which MuJoCo " + (
                "drops masses of <inertial>" if drops else "bounds bodies as one"
            )
            self.reader.add(body.line, owner, got, "fusestatic='false'")

    def _weighed(self, name: str, parts: list[BodyPart]) -> RigidBody:
        """Return the mass of a body: its own, or that of its geoms."""
        given = [part for part in parts if part.element.tag == "inertial"]
        explicit = inertial_body(self.settings, given[0].element, name) if given else None
        found = NO_BODY
        if self.settings.from_geoms == "true" or (self.settings.from_geoms == "auto" and not given):
            found = self._of_geoms(name, parts)
        if found.mass == 0.0 and explicit is not None:
            found = explicit.seen_from(given[0].frame)
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

    def _joint(
        self, part: BodyPart, name: str, ends: tuple[str, str, str], place: Matrix
    ) -> TreeJoint:
        parent, child, body = ends
        element, kind, owner = part.element, "free", f"joint.{name}"
        with self.reader.part(JOINT, name):
            if element.tag == "joint":
                self.settings.check_known(element, owner)
                element = self.settings.whole(element, part.inherited, "joint")
                kind = element.attributes.get("type", "hinge")
        if kind not in ("hinge", "slide"):
            return TreeJoint(name, kind, parent, child, place, element.line)
        unit = self.settings.unit if kind == "hinge" else 1.0
        with self.reader.part(PLACE, body):
            reference = unit * self.reader.number(element, "ref", owner)
        # At the zero of the file a joint that counts from elsewhere moves what it carries.
        with self.reader.part(*((PLACE, body) if reference else (JOINT, name))):
            axis = self.reader.direction(element, "axis", (0.0, 0.0, 1.0), owner)
            anchor = self.reader.numbers(element, "pos", (0.0, 0.0, 0.0), owner)
        turn, shift = part.frame[:3, :3], part.frame[:3, 3]
        with self.reader.part(JOINT, name):
            return TreeJoint(
                name,
                REVOLUTE if kind == "hinge" else kind,
                parent,
                child,
                place,
                element.line,
                turn @ axis,
                turn @ anchor + shift,
                reference,
                joint=joint_resistance(self.settings, element, owner, unit),
                armature=self.reader.number(element, "armature", owner, least=0.0),
            )


def _given(elements: list[XmlElement], *tags: str) -> list[str]:
    """Return the names that elements of some tags are given."""
    return [one.attributes.get("name", "") for one in elements if one.tag in tags]


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

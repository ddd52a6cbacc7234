"""URDF files: the planar arm that one describes, and one that describes an arm.

A URDF says nothing of gravity: its readers take 9.81 m/s² down the z axis. An arm is written in
the plane on which that leaves the arm's own gravity: upright for 9.81 m/s², flat for none, and on
an incline for less. Links lie along x of their frames, joints turn about z, and their angles are
those of the arm.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

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
from ulna.arm.planar_arm import Arm
from ulna.arm.robot_tree import (
    EARTHS,
    FIXED,
    JOINT,
    NO_BODY,
    PLACE,
    REVOLUTE,
    SLIDES,
    WEIGHT,
    Matrix,
    RigidBody,
    RobotTree,
    TreeJoint,
    checked_inertia,
    coulomb_friction,
    placement,
    rotation,
)
from ulna.arm.spatial_chain import ImportedArm, planar_chain
from ulna.arm.xml_elements import XmlElement, XmlReader, parse_xml, tell_left_out
from ulna.errors import shown

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
READ = ("link", "joint", "material")
READ_OF_JOINTS = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")
ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
KNOWN: dict[str, tuple[str, ...]] = {  # the attributes of elements
    "joint": ("name", "type"),
    "inertial": (),
    "origin": ("xyz", "rpy"),
    "mass": ("value",),
    "inertia": ENTRIES,
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity"),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
}


def parse_urdf(
    text: str,
    file: str = "URDF file",
    base_link: str | None = None,
    tip_link: str | None = None,
    hold: Iterable[str] = (),
) -> ImportedArm:
    """Return the planar arm that the text of a URDF file describes."""
    reader = XmlReader(file)
    robot = _UrdfReader(reader).robot(parse_xml(text, file, "robot"))
    return planar_chain(robot, reader, base_link, tip_link, hold)


class _UrdfReader:
    """Reads links and joints, and notes what is wrong with them."""

    def __init__(self, reader: XmlReader) -> None:
        self.reader = reader

    def robot(self, root: XmlElement) -> RobotTree:
        robot = RobotTree(root.attributes.get("name", ""), {}, {})
        for element in root.all("link"):
            name = self._name(element, "link", robot.bodies)
            with self.reader.part(WEIGHT, name):
                robot.bodies[name] = self._body(element, name)
            robot.lines[name] = element.line
        names: dict[str, int] = {}
        for element in root.all("joint"):
            name = self._name(element, "joint", names)
            names[name] = element.line
            robot.joints.append(self._joint(element, name))
        if not robot.bodies:
            self.reader.add(root.line, "robot", "no links", "a <link> for every body")
        joints = [part for joint in root.all("joint") for part in joint.children]
        said = [part.tag for part in root.children if part.tag not in READ]
        if any("xacro" in tag for tag in said):
            hint = "run it first: xacro robot.urdf.xacro > robot.urdf"
            self.reader.add(root.line, "robot", "macros of xacro", "a plain URDF", hint)
        said += [part.tag for part in joints if part.tag not in READ_OF_JOINTS]
        tell_left_out(self.reader.file, said)
        return robot

    def _name(self, element: XmlElement, kind: str, known: Collection[str]) -> str:
        name = element.attributes.get("name", "")
        if not name:
            self.reader.add(element.line, kind, "no name", "a name")
        elif name in known:
            self.reader.add(element.line, f"{kind}.{name}", "a second of that name", "one of each")
        return name

    def _tell_unknown(self, element: XmlElement | None, owner: str) -> None:
        """Warn of attributes that say nothing in a URDF."""
        if element is None:
            return
        for key, hint in self.reader.unknown(element, KNOWN[element.tag]):
            text = f"an attribute that <{element.tag}> does not have is left out; {hint}"
            self.reader.tell(element.line, f"{owner}.{key}", text.rstrip("; "))

    def _body(self, element: XmlElement, name: str) -> RigidBody:
        inertial = element.first("inertial")
        if inertial is None:
            return NO_BODY
        owner = f"link.{name}"
        self._tell_unknown(inertial, f"{owner}.inertial")
        weighed, written = inertial.first("mass"), inertial.first("inertia")
        for tag, found in (("mass", weighed), ("inertia", written)):
            self._tell_unknown(found, f"{owner}.{tag}")
            if found is None:
                self.reader.add(inertial.line, owner, f"no <{tag}>", "a mass and an inertia")
        if weighed is None or written is None:
            return NO_BODY
        whole = self.reader.check_given(weighed, ("value",), f"{owner}.mass")
        whole &= self.reader.check_given(written, ENTRIES[:3], f"{owner}.inertia")
        mass = self.reader.number(weighed, "value", f"{owner}.mass", least=0.0)
        xx, yy, zz, xy, xz, yz = (
            self.reader.number(written, entry, f"{owner}.inertia") for entry in ENTRIES
        )
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        place = self._origin(inertial, owner)
        if not whole:
            return NO_BODY
        checked_inertia(self.reader, inertial.line, owner, inertia)
        turn = place[:3, :3]
        return RigidBody.of(mass, place[:3, 3], turn @ inertia @ turn.T)

    def _origin(self, element: XmlElement, owner: str) -> Matrix:
        origin = element.first("origin")
        self._tell_unknown(origin, f"{owner}.origin")
        shift = self.reader.numbers(origin, "xyz", (0.0, 0.0, 0.0), f"{owner}.origin")
        angles = self.reader.numbers(origin, "rpy", (0.0, 0.0, 0.0), f"{owner}.origin")
        return placement(rotation(angles[0], angles[1], angles[2]), shift)

    def _joint(self, element: XmlElement, name: str) -> TreeJoint:
        owner, kind = f"joint.{name}", element.attributes.get("type", "")
        if kind not in KINDS:
            self.reader.add(
                element.line, f"{owner}.type", shown(kind), f"one of {', '.join(KINDS)}"
            )
        parent, child = (self._end(element, tag, owner) for tag in ("parent", "child"))
        with self.reader.part(PLACE, child):
            place = self._origin(element, owner)
        with self.reader.part(JOINT, name):
            axis, mimic = element.first("axis"), element.first("mimic")
            for part, what in (
                (element, owner),
                (axis, f"{owner}.axis"),
                (mimic, f"{owner}.mimic"),
            ):
                self._tell_unknown(part, what)
            return TreeJoint(
                name,
                REVOLUTE if kind == "continuous" else kind,
                parent,
                child,
                place,
                element.line,
                np.array(self.reader.direction(axis, "xyz", (1.0, 0.0, 0.0), f"{owner}.axis")),
                mimic="" if mimic is None else mimic.attributes.get("joint", "another"),
                joint=self._resistance(element, owner, kind) if kind != FIXED else Joint(),
            )

    def _end(self, element: XmlElement, tag: str, owner: str) -> str:
        found = element.first(tag)
        name = "" if found is None else found.attributes.get("link", "")
        if not name:
            self.reader.add(element.line, f"{owner}.{tag}", "no link", f'<{tag} link="..."/>')
        return name

    def _resistance(self, element: XmlElement, owner: str, kind: str) -> Joint:
        """Read limits, damping and friction of a joint that moves."""
        limit, dynamics = element.first("limit"), element.first("dynamics")
        self._tell_unknown(limit, f"{owner}.limit")
        self._tell_unknown(dynamics, f"{owner}.dynamics")
        number = self.reader.number
        lower, upper = -math.inf, math.inf
        if kind in (REVOLUTE, *SLIDES):
            lower, upper = self._range(element, limit, owner)
        bounds = [
            unbounded(number(limit, key, f"{owner}.limit", math.inf, least=0.0))
            for key in ("velocity", "effort")
        ]
        for key, bound in zip(("velocity", "effort"), bounds, strict=True):
            if bound == 0.0:
                self.reader.tell(element.line, f"{owner}.limit.{key}", "0 is taken for no limit")
        return Joint(
            lower,
            upper,
            bounds[0] or math.inf,
            bounds[1] or math.inf,
            damping=number(dynamics, "damping", f"{owner}.dynamics", least=0.0),
            friction=coulomb_friction(number(dynamics, "friction", f"{owner}.dynamics", least=0.0)),
        )

    def _range(
        self, element: XmlElement, limit: XmlElement | None, owner: str
    ) -> tuple[float, float]:
        """Return the limits of a revolute joint [rad], of a prismatic one [m]."""
        if limit is None:
            text = "a joint without <limit> is taken for one without limits"
            self.reader.tell(element.line, owner, text)
            return -math.inf, math.inf
        lower, upper = (
            unbounded(self.reader.number(limit, key, f"{owner}.limit"))
            for key in ("lower", "upper")
        )
        if lower < upper:
            return lower, upper
        if lower == upper == 0.0:
            text = "lower and upper of 0 are taken for no limit"
            self.reader.tell(limit.line, f"{owner}.limit", text)
        else:
            got, need = f"lower {lower:g}, upper {upper:g}", "lower below upper"
            self.reader.add(limit.line, f"{owner}.limit", got, need, "a continuous joint has none")
        return -math.inf, math.inf


def format_urdf(arm: Arm) -> ExportedArm:
    """Return the text of a URDF file that describes an arm, with what is lost in it."""
    from xml.sax.saxutils import quoteattr

    links, lost = exported_links(arm, armature=False)
    turn, missing = _gravity_turn(arm.gravity)
    lines = ['<?xml version="1.0"?>', f"<robot name={quoteattr(arm.name or 'arm')}>"]
    lines.append('  <link name="base_link"/>')
    before, shift = "base_link", turn @ [*arm.base, 0.0]
    angles = _roll_pitch_yaw(turn)
    for number, (link, joint) in enumerate(zip(links, arm.joints, strict=True), 1):
        name = f"link_{number}"
        lines += _joint_lines(arm, number, joint, before, (shift, angles))
        lines += _link_lines(name, link)
        before, shift, angles = name, np.array([link.length, 0.0, 0.0]), (0.0, 0.0, 0.0)
    lines += ['  <joint name="tip_joint" type="fixed">', f"    {_origin_text(shift, angles)}"]
    lines += [f'    <parent link="{before}"/>', '    <child link="tip"/>', "  </joint>"]
    lines += ['  <link name="tip"/>', "</robot>", ""]
    return ExportedArm(
        "\n".join(lines),
        (*missing, *lost, *lost_parts(arm, soft_friction=False)),
        _unread_by_pinocchio(arm),
        torque_differences(
            arm,
            links,
            soft_friction=False,
            gravity_lost=max(0.0, math.hypot(*arm.gravity) - EARTHS),
        ),
        tuple(usual_rates(arm).tolist()),
    )


def _unread_by_pinocchio(arm: Arm) -> tuple[str, ...]:
    p = arm.parameters
    torques = p.damping * usual_rates(arm) + p.coulomb
    joints = [str(joint) for joint in np.flatnonzero(torques) + 1]
    if not joints:
        return ()
    parts = [name for name in ("damping", "coulomb") if np.any(getattr(p, name))]
    what = " and ".join(parts).replace("coulomb", "friction")
    return (
        f"{what} of joints {', '.join(joints)}, which Pinocchio's rnea leaves out: up to "
        f"{np.max(torques):.3g} N·m",
    )


def _link_lines(name: str, link: ExportedLink) -> list[str]:
    # In the plane only the inertia about z counts; a ball's is one that bodies have.
    entries = dict.fromkeys(ENTRIES[:3], link.inertia) | dict.fromkeys(ENTRIES[3:], 0.0)
    inertia = " ".join(f'{entry}="{value!r}"' for entry, value in entries.items())
    return [
        f'  <link name="{name}">',
        "    <inertial>",
        f"      {_origin_text((link.com, link.com_offset, 0.0), (0.0, 0.0, 0.0))}",
        f'      <mass value="{link.mass!r}"/>',
        f"      <inertia {inertia}/>",
        "    </inertial>",
        "  </link>",
    ]


def _joint_lines(
    arm: Arm, number: int, joint: Joint, before: str, place: tuple[object, object]
) -> list[str]:
    free = math.isinf(joint.lower) and math.isinf(joint.upper)
    limit = f'effort="{bounded(joint.max_torque)!r}" velocity="{bounded(joint.max_velocity)!r}"'
    if not free:
        limit = f'lower="{bounded(joint.lower)!r}" upper="{bounded(joint.upper)!r}" {limit}'
    damping, friction = (
        float(values[number - 1]) for values in (arm.parameters.damping, arm.parameters.coulomb)
    )
    return [
        f'  <joint name="joint_{number}" type="{"continuous" if free else "revolute"}">',
        f"    {_origin_text(*place)}",
        f'    <parent link="{before}"/>',
        f'    <child link="link_{number}"/>',
        '    <axis xyz="0 0 1"/>',
        f"    <limit {limit}/>",
        f'    <dynamics damping="{damping!r}" friction="{friction!r}"/>',
        "  </joint>",
    ]


def _origin_text(shift: object, angles: object) -> str:
    xyz, rpy = (" ".join(repr(float(x)) for x in np.asarray(part)) for part in (shift, angles))
    return f'<origin xyz="{xyz}" rpy="{rpy}"/>'


def _gravity_turn(gravity: tuple[float, float]) -> tuple[Matrix, list[str]]:
    """Return the turn of the plane that leaves the arm its gravity, of 9.81 m/s² down z."""
    size = math.hypot(*gravity)
    earth = max(EARTHS, size)
    missing = []
    if size > EARTHS:
        missing.append(f"gravity of {size:g} m/s²: set it in the program that reads the file")
    lifted = math.sqrt(max(0.0, 1.0 - (size / earth) ** 2))
    up = np.array([-gravity[0] / earth, -gravity[1] / earth, lifted])
    nearest = np.eye(3)[0] if abs(up[0]) < 0.9 else np.eye(3)[1]
    x = nearest - (nearest @ up) * up
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(up, x), up]), missing


def _roll_pitch_yaw(turn: Matrix) -> tuple[float, float, float]:
    level = math.hypot(turn[0, 0], turn[1, 0])
    pitch = math.atan2(-turn[2, 0], level)
    if level < 1e-12:
        return math.atan2(-turn[1, 2], turn[1, 1]), pitch, 0.0
    return math.atan2(turn[2, 1], turn[2, 2]), pitch, math.atan2(turn[1, 0], turn[0, 0])

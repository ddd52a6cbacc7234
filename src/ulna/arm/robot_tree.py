"""A robot of three dimensions as a tree of rigid bodies and joints, whatever file it came from.

An arm in it is the chain of joints from a base to a tip. All other joints are held at the zero of
their file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ulna.arm.components import Friction, Joint
from ulna.arm.xml_elements import Part, XmlReader
from ulna.errors import nearest_name, warn

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

EARTHS = 9.81  # [m/s²] where a file says nothing of gravity
REVOLUTE, FIXED = "revolute", "fixed"
SLIDES = ("prismatic", "slide")
# Parts of a robot that are judged by themselves: where a body stands, what it weighs, what else
# is known of a joint.
PLACE, WEIGHT, JOINT = "place", "weight", "joint"
PLANAR_PART = "name the planar part: base_link and tip_link, or joints to hold"


class RigidBody(NamedTuple):
    """Mass [kg], mass times centre [kg·m], and inertia about the origin of a frame [kg·m²]."""

    mass: float
    moment: Vector
    inertia: Matrix

    @staticmethod
    def of(mass: float, centre: Vector, inertia: Matrix) -> RigidBody:
        """Return a body with its inertia about its centre of mass."""
        return RigidBody(mass, mass * centre, inertia + mass * steiner(centre))

    def seen_from(self, placement: Matrix) -> RigidBody:
        """Return the body in the frame in which its own has that placement."""
        turn, shift = placement[:3, :3], placement[:3, 3]
        if self.mass == 0.0:
            return RigidBody(0.0, np.zeros(3), turn @ self.inertia @ turn.T)
        centre = self.moment / self.mass
        about_centre = self.inertia - self.mass * steiner(centre)
        return RigidBody.of(self.mass, turn @ centre + shift, turn @ about_centre @ turn.T)

    def __add__(self, other: RigidBody) -> RigidBody:  # type: ignore[override]
        moment, inertia = self.moment + other.moment, self.inertia + other.inertia
        return RigidBody(self.mass + other.mass, moment, inertia)


NO_BODY = RigidBody(0.0, np.zeros(3), np.zeros((3, 3)))


def steiner(centre: Vector) -> Matrix:
    """Return the inertia of a unit mass at a point about the origin."""
    return np.asarray(centre @ centre * np.eye(3) - np.outer(centre, centre))


@dataclass(frozen=True, eq=False)
class TreeJoint:
    """A joint of a robot: what it connects, where, and what is known of it.

    Axis and anchor are in the frame of the child; the child stands as placed at the angle
    `reference`. An axis that could not be read is NaN.
    """

    name: str
    kind: str
    parent: str
    child: str
    placement: Matrix
    line: int
    axis: Vector = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    anchor: Vector = field(default_factory=lambda: np.zeros(3))
    reference: float = 0.0
    mimic: str = ""
    joint: Joint = field(default_factory=Joint)
    armature: float = 0.0

    @property
    def turns(self) -> bool:
        """Whether it is a hinge of its own."""
        return self.kind == REVOLUTE and not self.mimic

    @property
    def kind_text(self) -> str:
        """What it is, in words."""
        return f"a joint that mimics {self.mimic!r}" if self.mimic else f"a {self.kind} joint"

    @property
    def placement_at_zero(self) -> Matrix:
        """Where the child stands at the zero of the file, in the frame of the parent."""
        if self.reference == 0.0:
            return self.placement
        axis = self.axis / np.linalg.norm(self.axis)
        if self.kind in SLIDES:
            return self.placement @ placement(np.eye(3), -self.reference * axis)
        turn = turn_about(axis, -self.reference)
        return self.placement @ placement(turn, self.anchor - turn @ self.anchor)

    @property
    def held_text(self) -> str:
        """Its name, and its limits where zero is not within them."""
        lower, upper = self.joint.lower, self.joint.upper
        if lower <= 0.0 <= upper:
            return self.name
        unit = "m" if self.kind in SLIDES else "rad"
        return f"{self.name} (though its limits are {lower:.4g} to {upper:.4g} {unit})"


class Coupling(NamedTuple):
    """What ties joints, or bodies, of a robot to one another."""

    what: str
    got: str
    line: int
    joints: tuple[str, ...]
    bodies: tuple[str, ...]


@dataclass
class RobotTree:
    """The bodies and joints of a robot, as a file describes them."""

    name: str
    bodies: dict[str, RigidBody]
    lines: dict[str, int]
    joints: list[TreeJoint] = field(default_factory=list)
    gravity: tuple[float, float, float] = (0.0, 0.0, -EARTHS)
    unweighed: dict[str, str] = field(default_factory=dict)  # bodies without a mass, and why
    couplings: list[Coupling] = field(default_factory=list)


def coulomb_friction(torque: float) -> Friction | None:
    """Return dry friction of a torque, none of none."""
    return Friction(coulomb=torque) if torque > 0.0 else None


def checked_inertia(reader: XmlReader, line: int, owner: str, inertia: Matrix) -> Matrix:
    """Return the inertia of a body; note one that no body has."""
    if np.min(np.linalg.eigvalsh(inertia)) < -1e-9 * max(1e-300, float(np.trace(inertia))):
        got = "negative principal moments"
        reader.add(line, f"{owner}.inertia", got, "an inertia that a body has")
    return inertia


def rotation(roll: float, pitch: float, yaw: float) -> Matrix:
    """Return the rotation of roll, pitch and yaw about the fixed axes x, y and z."""
    turns = [about(axis, angle) for axis, angle in enumerate((roll, pitch, yaw))]
    return np.asarray(turns[2] @ turns[1] @ turns[0])


def about(axis: int, angle: float) -> Matrix:
    """Return the rotation about the axis x, y or z: 0, 1 or 2."""
    one, two = (axis + 1) % 3, (axis + 2) % 3
    turn = np.eye(3)
    turn[one, one] = turn[two, two] = math.cos(angle)
    turn[two, one] = math.sin(angle)
    turn[one, two] = -turn[two, one]
    return turn


def turn_about(axis: Vector, angle: float) -> Matrix:
    """Return the rotation about a unit vector."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(
        np.eye(3) + math.sin(angle) * cross + 2.0 * math.sin(angle / 2.0) ** 2 * cross @ cross
    )


def placement(turn: Matrix, shift: Sequence[float] | Vector) -> Matrix:
    """Return a rotation and a translation as one matrix (4, 4)."""
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = turn, shift
    return made


class ArmChain:
    """The joints from the base to the tip of an arm, and what else there is in the robot."""

    def __init__(
        self,
        robot: RobotTree,
        reader: XmlReader,
        base: str | None,
        tip: str | None,
        hold: Iterable[str] = (),
    ) -> None:
        self.robot, self.reader = robot, reader
        self.above = {joint.child: joint for joint in robot.joints}
        self.below: dict[str, list[TreeJoint]] = {name: [] for name in robot.bodies}
        self.path: list[TreeJoint] = []
        self.base = self.tip = ""
        self.is_named = base is not None or tip is not None
        self.has_tip = tip is not None
        self.hold = frozenset(hold)
        self.root = self._check_tree()
        if not self.root:
            return
        self._check_hold()
        self.base = self.root if base is None else self._known("base_link", base)
        if tip is not None:
            self.tip = self._known("tip_link", tip)
        elif self.base:
            self.tip = self._only_tip()
        if self.base and self.tip:
            self._follow()

    def _check_tree(self) -> str:
        """Note what keeps the joints from making a tree; return its root, none if they do not."""
        seen: dict[str, str] = {}
        whole = True
        for joint in self.robot.joints:
            whole &= self._check_ends(joint)
            if joint.child in seen:
                got = f"a second joint of link {joint.child!r}, beside {seen[joint.child]!r}"
                self._problem(joint, got, "one joint before every link: no closed loop")
                whole = False
            seen[joint.child] = joint.name
            self.below.setdefault(joint.parent, []).append(joint)
        roots = [name for name in self.robot.bodies if name not in seen]
        if not whole:
            return ""
        if len(roots) > 1:
            got = f"{len(roots)} links without a joint before them: {', '.join(roots[:5])}"
            self.reader.add(1, "robot", got, "one, the base")
            return ""
        reached = {id(joint) for joint in self._beyond(roots[0])} if roots else set()
        loop = [joint for joint in self.robot.joints if id(joint) not in reached]
        if loop:
            self._problem(loop[0], "a closed loop", "joints that make a tree")
        return roots[0] if roots and not loop else ""

    def _check_ends(self, joint: TreeJoint) -> bool:
        """Return whether a joint has links at both ends; a link without a name is noted already."""
        missing = [end for end in (joint.parent, joint.child) if end not in self.robot.bodies]
        for end in filter(None, missing):
            hint = self.reader.nearest(end, tuple(self.robot.bodies)[:20])
            self._problem(joint, f"the link {end!r}", "a link of the file", hint)
        return not missing

    def _check_hold(self) -> None:
        known = [joint.name for joint in self.robot.joints if joint.kind != FIXED]
        for name in sorted(self.hold.difference(known)):
            hint = nearest_name(name, known[:20])
            self.reader.add(1, "hold", repr(name), "a joint of the file that moves", hint)

    def _known(self, what: str, link: str) -> str:
        """Return the name of a link, none if there is no such link."""
        if link in self.robot.bodies:
            return link
        hint = nearest_name(link, tuple(self.robot.bodies)[:20])
        self.reader.add(1, what, repr(link), "a link of the file", hint)
        return ""

    def _problem(self, joint: TreeJoint, got: str, need: str, hint: str = "") -> None:
        self.reader.add(joint.line, f"joint.{joint.name}", got, need, hint)

    def _moves(self, joint: TreeJoint) -> bool:
        """Return whether a joint moves if it is on the way to the tip."""
        return joint.kind != FIXED and joint.name not in self.hold

    def _turns(self, joint: TreeJoint) -> bool:
        return joint.turns and self._moves(joint)

    def _beyond(self, link: str) -> list[TreeJoint]:
        """Return the joints beyond a link, those nearer to it first."""
        found: list[TreeJoint] = []
        waiting = [link]
        while waiting:
            here = self.below[waiting.pop()]
            found.extend(here)
            waiting.extend(joint.child for joint in here)
        return found

    def links_beyond(self, link: str) -> list[str]:
        """Return the links and sites beyond a link."""
        return [joint.child for joint in self._beyond(link)]

    def _only_tip(self) -> str:
        """Return the end of the only chain there is; note what makes the choice impossible."""
        moving = [joint for joint in self._beyond(self.base) if self._moves(joint)]
        if not moving:
            self.reader.add(1, "robot", "no joint that turns", "at least one revolute joint")
            return ""
        odd = [joint for joint in moving if not joint.turns]
        for joint in odd:
            self._problem(joint, joint.kind_text, "a revolute joint", PLANAR_PART)
        last = self._last_moving()
        branches = [one for one in last[1:] if one.turns and last[0].turns]
        for joint in branches:
            got = f"a branch, beside link {last[0].child!r}"
            self._problem(joint, got, "one chain of joints", PLANAR_PART)
        return "" if odd or branches else self._only_end(last[0].child)

    def _last_moving(self) -> list[TreeJoint]:
        """Return the joints beyond which nothing moves."""
        followed: set[str] = set()  # links beyond which something moves
        last = []
        for joint in reversed(self._beyond(self.base)):
            beyond = joint.child in followed
            if self._moves(joint) and not beyond:
                last.append(joint)
            if self._moves(joint) or beyond:
                followed.add(joint.parent)
        return last[::-1]

    def _only_end(self, last: str) -> str:
        """Return the one end of what does not move beyond the last moving link."""
        fixed = self._beyond(last)
        ends = [joint.child for joint in fixed if not self.below[joint.child]]
        if len(ends) > 1:
            got = "several ends of the last link: " + ", ".join(ends[:8])
            self.reader.add(fixed[0].line, "tip", got, "one of them as tip_link")
            return ""
        return ends[0] if ends else last

    def _follow(self) -> None:
        """Find the joints from the base to the tip; note those that are no hinges."""
        link = self.tip
        while link != self.base and link in self.above:
            self.path.append(self.above[link])
            link = self.path[-1].parent
        self.path = self.path[::-1] if link == self.base else []
        if not any(self._turns(joint) for joint in self.path):
            got = f"no joint that turns between {self.base!r} and {self.tip!r}"
            self.reader.add(1, "tip_link", got, "a tip beyond the base, with joints between them")
        for joint in self.path:
            if self._moves(joint) and not joint.turns:
                self._problem(joint, joint.kind_text, "a revolute joint", PLANAR_PART)

    @property
    def hinges(self) -> list[TreeJoint]:
        """The hinges of the arm; all beyond the base, to be judged, where no tip was found."""
        if self.path or self.has_tip or not self.base:
            return [joint for joint in self.path if self._turns(joint)]
        return [joint for joint in self._beyond(self.base) if self._turns(joint)]

    @property
    def held(self) -> list[TreeJoint]:
        """The joints that are no part of the arm."""
        own = {id(joint) for joint in self.path if self._moves(joint)}
        return [one for one in self.robot.joints if one.kind != FIXED and id(one) not in own]

    def judged(self, hinges: list[TreeJoint]) -> list[Part] | None:
        """List the parts of the robot that the arm needs; None is all, of what is no tree."""
        if not self.root:
            return [] if self.is_named else None
        moved = [body for body, hinge in self._moved_by(hinges).items() if hinge]
        placed = dict.fromkeys([self.root, *moved])
        for joint in hinges:
            link = joint.parent
            while link not in placed:
                placed[link] = None
                link = self.above[link].parent
        parts = [(PLACE, link) for link in placed] + [(WEIGHT, body) for body in moved]
        return parts + [(JOINT, joint.name) for joint in hinges]

    def tell_held(self) -> None:
        """Warn of the joints that are held."""
        if self.held:
            told = ", ".join(joint.held_text for joint in self.held)
            warn(f"held at zero, as no part of the arm: {told}")

    def _no_inertial(self, link: str) -> None:
        got, need = self.robot.unweighed[link], "the mass and inertia of a body that moves"
        hint = "MuJoCo writes them out: <compiler saveinertial='true'/>, mj_saveLastXML"
        self.reader.add(self.robot.lines[link], f"body.{link}", got, need, hint)

    def check_couplings(self, hinges: list[TreeJoint]) -> None:
        """Note what ties the arm's joints together; warn of what ties only others."""
        own, moved = {joint.name for joint in hinges}, self._moved_by(hinges)
        spared = []
        for one in self.robot.couplings:
            bodies = {moved.get(body, "") for body in one.bodies}
            if own.intersection(one.joints) or len(bodies) > 1 or not (one.joints or bodies):
                need = "joints that turn by themselves"
                self.reader.add(one.line, one.what, one.got, need)
            else:
                spared.append(one.what)
        if spared and not self.reader.problems:
            warn(f"left out, as it ties no joints of the arm: {', '.join(spared[:8])}")

    def _moved_by(self, hinges: list[TreeJoint]) -> dict[str, str]:
        """Return the hinge of the arm that each body moves with, and none of those at rest."""
        own = {id(joint) for joint in hinges}
        moved = {self.root: ""}
        for joint in self._beyond(self.root):
            moved[joint.child] = joint.name if id(joint) in own else moved[joint.parent]
        return moved

    def placements(self, hinges: list[TreeJoint]) -> dict[str, Matrix]:
        """Return where all bodies stand, hinges of the arm at their references, others at zero."""
        places, own = {self.root: np.eye(4)}, {id(joint) for joint in hinges}
        for joint in self._beyond(self.root):
            stands = joint.placement if id(joint) in own else joint.placement_at_zero
            places[joint.child] = places[joint.parent] @ stands
        return places

    def carried(self, hinges: list[TreeJoint], places: dict[str, Matrix]) -> list[RigidBody]:
        """Return what each hinge carries up to the next one, in the frame of the root."""
        totals, own = [], {id(joint) for joint in hinges}
        for joint in hinges:
            total, waiting = NO_BODY, [joint.child]
            while waiting:
                link = waiting.pop()
                if link in self.robot.unweighed:
                    self._no_inertial(link)
                total = total + self.robot.bodies[link].seen_from(places[link])
                waiting += [one.child for one in self.below[link] if id(one) not in own]
            totals.append(total)
        return totals

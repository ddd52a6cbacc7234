"""A robot of three dimensions as a tree of rigid bodies and joints, whatever file it came from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ulna.arm.components import Friction, Joint
from ulna.arm.xml_elements import XmlReader

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

EARTHS = 9.81  # [m/s²] where a file says nothing of gravity
REVOLUTE, FIXED = "revolute", "fixed"


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
    `reference`.
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


def placement(turn: Matrix, shift: Sequence[float] | Vector) -> Matrix:
    """Return a rotation and a translation as one matrix (4, 4)."""
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = turn, shift
    return made

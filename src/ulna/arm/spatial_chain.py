"""The planar arm in a robot of three dimensions: a chain of hinges whose axes are parallel.

With the robot at the zero of its file and n the axis of its first hinge, everything that moves is
projected along n: joints and tip become points of the plane, and the bodies that a hinge carries,
with all that is fixed to them, one mass with its centre and its inertia nᵀ I n about it. What lies
along n turns no joint, so that nothing is lost. In the plane y is up, or x that of the file where
the arm lies flat. With α_i the direction of link i at the zero of the file, and s_i = ±1 as the
axis of joint i points along n or against it,

    q_i = s_i θ_i + α_i − α_{i−1}

are the angles here of the angles θ there.

An armature a is inertia of the relative rate alone, ½ a (φ̇_i − φ̇_{i−1})². That of a rotor geared
N : 1 on the link before is ½ J (φ̇_{i−1} + N q̇_i)². With a = J N (N − 1) they differ by

    ½ J N φ̇_i² − ½ J (N − 1) φ̇_{i−1}²,

inertias of the two links: each is the other exactly, and what a rotor couples is kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ulna.arm.components import Joint, Link
from ulna.arm.planar_arm import Arm
from ulna.arm.robot_tree import (
    PLANAR_PART,
    ArmChain,
    Matrix,
    RigidBody,
    RobotTree,
    TreeJoint,
    Vector,
    steiner,
)
from ulna.arm.xml_elements import XmlReader
from ulna.errors import rewording, warn

PARALLEL = 1e-4  # [rad] by which axes may differ: files print π/2 as 1.5708
EXACTLY = 1e-9  # [rad], and of a length: what rounding leaves
ARMATURE_RATIO = 1000.0  # of the gear that an armature is read as, or more


@dataclass(frozen=True)
class ImportedArm:
    """The planar arm that a file of another program describes, and how its angles are there.

    Parameters
    ----------
    arm : Arm
        The arm.
    joint_names : tuple of str
        The joints' names in the file, n of them.
    signs : tuple of float
        +1 where an angle of the file counts as here, −1 where it counts the other way.
    offsets : tuple of float
        The angles here [rad] where those of the file are zero.
    held : tuple of str
        Joints of the file that are no part of the arm, and that are held at zero.
    """

    arm: Arm
    joint_names: tuple[str, ...]
    signs: tuple[float, ...]
    offsets: tuple[float, ...]
    held: tuple[str, ...] = ()

    def from_file_angles(self, theta: Sequence[float] | Vector) -> Vector:
        """Return the joint angles of the arm for those of the file.

        Parameters
        ----------
        theta : array_like, shape (..., n)
            Angles as the file counts them [rad].

        Returns
        -------
        q : ndarray, shape (..., n)
            Joint angles [rad]. Rates and torques take the signs alone.
        """
        return np.asarray(theta, dtype=float) * self.signs + self.offsets

    def to_file_angles(self, q: Sequence[float] | Vector) -> Vector:
        """Return the angles of the file for joint angles of the arm.

        Parameters
        ----------
        q : array_like, shape (..., n)
            Joint angles [rad].

        Returns
        -------
        theta : ndarray, shape (..., n)
            Angles as the file counts them [rad].
        """
        return (np.asarray(q, dtype=float) - self.offsets) * self.signs

    @property
    def same_angles(self) -> bool:
        """Whether angles are the same in the file and here."""
        return all(sign > 0.0 for sign in self.signs) and not any(self.offsets)


def planar_chain(
    robot: RobotTree,
    reader: XmlReader,
    base_link: str | None,
    tip_link: str | None,
    hold: Iterable[str] = (),
) -> ImportedArm:
    """Return the planar arm of a robot; raise InputError with all that keeps it from being one."""
    chain = ArmChain(robot, reader, base_link, tip_link, hold)
    hinges = chain.hinges
    reader.judge(chain.judged(hinges))
    if not hinges:
        reader.raise_if_any()
    chain.check_couplings(hinges)
    places = chain.placements(hinges)
    axes = [_world_axis(joint, places) for joint in hinges]
    signs = _parallel_signs(hinges, axes, reader)
    reader.raise_if_any()
    chain.tell_held()
    plane = _plane(axes[0], np.array(robot.gravity))
    points = [_flat(plane, _world_anchor(joint, places)) for joint in hinges]
    bodies = chain.carried(hinges, places)
    _check_masses(hinges, bodies, reader)
    reader.raise_if_any()
    tip = _tip_point(chain, plane, points[-1], places, bodies[-1])
    ends = [*points[1:], tip]
    _check_lengths(hinges, points, ends, reader)
    reader.raise_if_any()
    held = tuple(joint.name for joint in chain.held)
    return _built(robot, reader, plane, (hinges, signs, points, ends, bodies), held)


def _world_axis(joint: TreeJoint, places: dict[str, Matrix]) -> Vector:
    axis = places[joint.child][:3, :3] @ joint.axis
    return np.asarray(axis / np.linalg.norm(axis))


def _world_anchor(joint: TreeJoint, places: dict[str, Matrix]) -> Vector:
    place = places[joint.child]
    return np.asarray(place[:3, :3] @ joint.anchor + place[:3, 3])


def _parallel_signs(
    hinges: list[TreeJoint], axes: list[Vector], reader: XmlReader
) -> tuple[float, ...]:
    """Return whether axes point along the first one or against it; note those that do neither."""
    signs, bent = [], []
    # Axes that could not be read are noted already.
    pairs = [pair for pair in zip(hinges, axes, strict=True) if np.all(np.isfinite(pair[1]))]
    for joint, axis in pairs:
        first, normal = pairs[0]
        along = float(axis @ normal)
        tilt = math.atan2(float(np.linalg.norm(np.cross(axis, normal))), abs(along))
        if tilt > PARALLEL:
            got = f"an axis at {math.degrees(tilt):.4g}° to that of {first.name!r}"
            reader.add(joint.line, f"joint.{joint.name}.axis", got, "parallel axes", PLANAR_PART)
        elif tilt > EXACTLY:
            bent.append(f"{joint.name} by {tilt:.1e} rad")
        signs.append(math.copysign(1.0, along))
    if bent and not reader.problems:
        warn(f"axes that are not quite parallel are taken as such: {', '.join(bent)}")
    return tuple(signs)


def _plane(normal: Vector, gravity: Vector) -> Matrix:
    """Return the axes x, y and n of the plane, as rows: y up, or x that of the file if flat."""
    size = float(np.linalg.norm(gravity))
    up = -gravity + (gravity @ normal) * normal
    if np.linalg.norm(up) <= EXACTLY * max(size, 1.0):
        nearest = np.eye(3)[0] if abs(normal[0]) < 0.9 else np.eye(3)[1]
        x = nearest - (nearest @ normal) * normal
        y = np.cross(normal, x)
    else:
        y = up
    y = y / np.linalg.norm(y)
    return np.array([np.cross(y, normal), y, normal])


def _flat(plane: Matrix, point: Vector) -> Vector:
    return np.asarray((plane @ point)[:2])


def _check_masses(hinges: list[TreeJoint], bodies: list[RigidBody], reader: XmlReader) -> None:
    for joint, body in zip(hinges, bodies, strict=True):
        if body.mass == 0.0 and not reader.problems:
            got = f"no mass of link {joint.child!r}"
            need = "a mass and an inertia of what it moves"
            reader.add(joint.line, f"joint.{joint.name}", got, need)


def _check_lengths(
    hinges: list[TreeJoint], points: list[Vector], ends: list[Vector], reader: XmlReader
) -> None:
    for joint, start, end in zip(hinges, points, ends, strict=True):
        if np.linalg.norm(end - start) < EXACTLY:
            got = "the next joint, or the tip, on its own axis"
            need, hint = "a link of some length between them", "name a link at the tip: tip_link"
            reader.add(joint.line, f"joint.{joint.name}", got, need, hint)


def _tip_point(
    chain: ArmChain, plane: Matrix, last: Vector, places: dict[str, Matrix], body: RigidBody
) -> Vector:
    """Return the tip; that of a uniform rod where the file has no frame beyond the last joint."""
    tip = _flat(plane, places[chain.tip][:3, 3])
    if np.linalg.norm(tip - last) >= EXACTLY:
        return tip
    centre = _flat(plane, body.moment / body.mass)
    if np.linalg.norm(centre - last) >= EXACTLY:
        beyond = ", ".join(chain.links_beyond(chain.tip)[:8])
        why = f"the file has no link beyond {chain.tip!r}"
        if beyond:
            why = f"the frame of {chain.tip!r} is on its own joint (beyond it are {beyond})"
        warn(
            f"{why}: the tip is taken to be as far from its centre of mass as the joint is, as "
            "that of a uniform rod"
        )
    return np.asarray(2.0 * centre - last)


def _built(
    robot: RobotTree,
    reader: XmlReader,
    plane: Matrix,
    parts: tuple[list[TreeJoint], tuple[float, ...], list[Vector], list[Vector], list[RigidBody]],
    held: tuple[str, ...],
) -> ImportedArm:
    hinges, signs, points, ends, bodies = parts
    rows, directions = [], [0.0]
    for start, end, body in zip(points, ends, bodies, strict=True):
        along = end - start
        directions.append(math.atan2(along[1], along[0]))
        rows.append(_planar_link(plane, body, start, along))
    offsets = tuple(_wrapped(turn) for turn in np.diff(directions).tolist())
    joints = [
        _turned(hinge, sign, offset)
        for hinge, sign, offset in zip(hinges, signs, offsets, strict=True)
    ]
    _add_rotors(hinges, rows, joints)
    gravity = (plane @ robot.gravity)[:2]
    with rewording(lambda problem: problem.at(reader.file)):
        arm = Arm.of(
            [Link(*row) for row in rows],
            joints,
            gravity=tuple(0.0 if abs(g) < EXACTLY else float(g) for g in gravity),
            base=tuple(float(x) + 0.0 for x in points[0]),
            name=robot.name,
        )
    zeros = tuple(
        offset - sign * hinge.reference
        for hinge, sign, offset in zip(hinges, signs, offsets, strict=True)
    )
    return ImportedArm(arm, tuple(hinge.name for hinge in hinges), signs, zeros, held)


def _wrapped(angle: float) -> float:
    turned = math.remainder(angle, 2.0 * math.pi)
    return 0.0 if abs(turned) < 1e-15 else turned


def _planar_link(plane: Matrix, body: RigidBody, start: Vector, along: Vector) -> list[float]:
    """Return length, mass, com, inertia, tip mass and com offset of what a hinge carries."""
    length = float(np.hypot(*along))
    centre = body.moment / body.mass
    inertia = float(plane[2] @ (body.inertia - body.mass * steiner(centre)) @ plane[2])
    to_centre = _flat(plane, centre) - start
    com = float(to_centre @ along) / length
    offset = float(along[0] * to_centre[1] - along[1] * to_centre[0]) / length
    return [length, body.mass, com, max(inertia, 0.0), 0.0, offset]


def _turned(hinge: TreeJoint, sign: float, offset: float) -> Joint:
    """Return a joint with its limits as angles of the arm."""
    limits = [sign * (hinge.joint.lower - hinge.reference) + offset]
    limits.append(sign * (hinge.joint.upper - hinge.reference) + offset)
    return replace(hinge.joint, lower=min(limits), upper=max(limits))


def _add_rotors(hinges: list[TreeJoint], rows: list[list[float]], joints: list[Joint]) -> None:
    """Put armatures into joints and links, as rotors whose coupling leaves nothing over."""
    for i, hinge in enumerate(hinges):
        if hinge.armature == 0.0:
            continue
        if i == 0:
            joints[0] = replace(joints[0], rotor_inertia=hinge.armature)
            continue
        # So fast a gear that what the link beyond has to hand over is a part of its inertia.
        own = rows[i][3]
        ratio = max(ARMATURE_RATIO, 1.0 + 1000.0 * hinge.armature / own) if own else math.inf
        if not math.isfinite(ratio):
            ratio = 1e9
        rows[i][3] = max(own - hinge.armature / (ratio - 1.0), 0.0)
        rows[i - 1][3] += hinge.armature / ratio
        rotor = hinge.armature / (ratio * (ratio - 1.0))
        joints[i] = replace(joints[i], rotor_inertia=rotor, gear_ratio=ratio)

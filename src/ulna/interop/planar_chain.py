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
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ulna.arm.components import Joint, Link
from ulna.arm.imported_arm import ImportedArm
from ulna.arm.planar_arm import Arm
from ulna.errors import Problems, warn
from ulna.interop.compiled_robot import CompiledRobot
from ulna.interop.joint_chain import (
    PLANAR_PART,
    PRISMATIC,
    REVOLUTE,
    ChainSearch,
    JointChain,
    describe_held,
)
from ulna.interop.joint_limits import describe_laws, read_joint

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

MAX_TILT = 1e-4  # [rad] by which axes may differ: files print π/2 as 1.5708
ROUNDING = 1e-9  # [rad], and of a length
MIN_GEAR_RATIO = 1000.0  # of the rotor that an armature becomes


class CarriedBody(NamedTuple):
    """What a hinge carries: mass, its centre in the plane, and its inertia about it."""

    mass: float
    centre: Vector
    inertia: float


def planar_arm(
    robot: CompiledRobot, base_link: str | None, tip_link: str | None, hold: Iterable[str]
) -> ImportedArm:
    """Return the planar arm in a robot; raise InputError with all that keeps it from being one."""
    problems = Problems()
    chain = ChainSearch(robot, hold, problems).find(base_link, tip_link)
    problems.raise_if_any()
    # Numbers beyond what squares can hold become infinite, which no arm accepts.
    with np.errstate(over="ignore", invalid="ignore"):
        return _Projection(robot, chain, problems).arm()


class _Projection:
    """The chain at the zero of the file, seen along the axis of its first hinge."""

    def __init__(self, robot: CompiledRobot, chain: JointChain, problems: Problems) -> None:
        import mujoco

        self.robot, self.model, self.chain, self.problems = robot, robot.model, chain, problems
        self.hinges = list(chain.hinges)
        self.names = tuple(robot.joints[joint] for joint in self.hinges)
        self.data = mujoco.MjData(self.model)
        for joint, kind in enumerate(self.model.jnt_type):
            if kind in (REVOLUTE, PRISMATIC):
                self.data.qpos[self.model.jnt_qposadr[joint]] = 0.0
        mujoco.mj_kinematics(self.model, self.data)
        self.gravity = np.array(self.model.opt.gravity)
        if self.model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY:
            self.gravity[:] = 0.0
        self.axes = self.data.xaxis[self.hinges]
        self.plane = _plane(self.axes[0], self.gravity)

    def arm(self) -> ImportedArm:
        """Return the arm, and how angles of the file become its own."""
        signs = self._signs()
        joints = [read_joint(self.robot, joint, self.problems) for joint in self.hinges]
        points = [self._flat(point) for point in self.data.xanchor[self.hinges]]
        bodies = self._bodies()
        self.problems.raise_if_any()
        ends = [*points[1:], self._tip(points[-1], bodies[-1])]
        names = [self.robot.bodies[body] for body in self.model.jnt_bodyid[self.hinges]]
        rows = zip(self.names, names, points, ends, bodies, strict=True)
        links = [_link(*row, self.problems) for row in rows]
        self.problems.raise_if_any()
        describe_held(self.robot, self.chain)
        describe_laws(self.model, self.hinges)
        if self.model.opt.density or self.model.opt.viscosity:
            warn("density and viscosity of a fluid are ignored")
        directions = [math.atan2(*along[::-1]) for along in np.subtract(ends, points)]
        offsets = [_wrapped(turn) for turn in np.diff(directions, prepend=0.0).tolist()]
        turned = [_turned(*row) for row in zip(joints, signs, offsets, strict=True)]
        self._add_rotors(links, turned)
        gravity = (self.plane @ self.gravity)[:2]
        arm = Arm.of(
            links,
            turned,
            gravity=tuple(0.0 if abs(g) < ROUNDING else float(g) for g in gravity),
            base=tuple(float(x) + 0.0 for x in points[0]),
            name=self.robot.name,
        )
        held = tuple(self.robot.joints[joint] for joint in self.chain.held)
        x, y = (tuple((axis + 0.0).tolist()) for axis in self.plane[:2])
        return ImportedArm(arm, self.names, tuple(signs), tuple(offsets), held, x, y)

    def _flat(self, point: Vector) -> Vector:
        return np.asarray((self.plane @ point)[:2])

    def _signs(self) -> list[float]:
        """Return ±1 for axes along the first one or against it; note those that do neither."""
        signs = []
        for name, axis in zip(self.names, self.axes, strict=True):
            along = float(axis @ self.axes[0])
            tilt = math.atan2(float(np.linalg.norm(np.cross(axis, self.axes[0]))), abs(along))
            if tilt > MAX_TILT:
                got = f"an axis at {math.degrees(tilt):.4g}° to that of {self.names[0]!r}"
                self.problems.add(f"joint.{name}.axis", got, "parallel axes", PLANAR_PART)
            signs.append(math.copysign(1.0, along))
        return signs

    def _bodies(self) -> list[CarriedBody]:
        """Return what each hinge carries up to the next one."""
        found = []
        for i, name in enumerate(self.names):
            own = np.flatnonzero(self.chain.mover == i)
            masses = self.model.body_mass[own]
            mass = float(masses.sum())
            if mass == 0.0:
                need = "a mass and an inertia of what it moves"
                self.problems.add(f"joint.{name}", "no mass beyond it", need)
            if np.any(self.model.body_gravcomp[own]) and np.any(self.gravity):
                self.problems.add(f"joint.{name}", "a compensation of gravity", "plain gravity")
            centres = self.data.xipos[own] @ self.plane[:2].T
            centre = masses @ centres / (mass or 1.0)
            frames = self.data.ximat[own].reshape(-1, 3, 3)
            normal = np.einsum("i,kij->kj", self.plane[2], frames)
            inertia = np.sum(self.model.body_inertia[own] * normal**2)
            inertia += masses @ np.sum((centres - centre) ** 2, axis=1)
            found.append(CarriedBody(mass, centre, float(inertia)))
        return found

    def _tip(self, last: Vector, body: CarriedBody) -> Vector:
        """Return the tip; that of a uniform rod if no frame is beyond the last joint."""
        place, site = self.chain.tip_body, self.chain.tip_site
        tip = self._flat(self.data.site_xpos[site] if site >= 0 else self.data.xpos[place])
        if np.linalg.norm(tip - last) >= ROUNDING:
            return tip
        name = self.robot.bodies[place]
        if np.linalg.norm(body.centre - last) >= ROUNDING:
            warn(
                f"the frame of {name!r} is on the axis of the last joint: the tip is placed twice "
                "as far from it as the centre of mass, as that of a uniform rod"
            )
        return np.asarray(2.0 * body.centre - last)

    def _add_rotors(self, links: list[Link], joints: list[Joint]) -> None:
        """Put armatures into joints and links, as rotors whose coupling leaves nothing over."""
        for i, joint in enumerate(self.hinges):
            armature = float(self.model.dof_armature[self.model.jnt_dofadr[joint]])
            if armature == 0.0:
                continue
            if i == 0:
                joints[0] = replace(joints[0], rotor_inertia=armature)
                continue
            # So fast a gear that what the link beyond has to hand over is a part of its inertia.
            own = float(links[i].inertia or 0.0)
            ratio = 1.0 + 1000.0 * armature / own if own else math.inf
            ratio = max(MIN_GEAR_RATIO, ratio if math.isfinite(ratio) else 1e9)
            before = float(links[i - 1].inertia or 0.0)
            links[i] = replace(links[i], inertia=max(own - armature / (ratio - 1.0), 0.0))
            links[i - 1] = replace(links[i - 1], inertia=before + armature / ratio)
            rotor = armature / (ratio * (ratio - 1.0))
            joints[i] = replace(joints[i], rotor_inertia=rotor, gear_ratio=ratio)


def _plane(normal: Vector, gravity: Vector) -> Matrix:
    """Return the axes x, y and n of the plane, as rows: y up, or x that of the file if flat."""
    size = float(np.linalg.norm(gravity))
    up = -gravity + (gravity @ normal) * normal
    if np.linalg.norm(up) <= ROUNDING * max(size, 1.0):
        nearest = np.eye(3)[0] if abs(normal[0]) < 0.9 else np.eye(3)[1]
        up = np.cross(normal, nearest - (nearest @ normal) * normal)
    y = up / np.linalg.norm(up)
    return np.array([np.cross(y, normal), y, normal])


def _wrapped(angle: float) -> float:
    turned = math.remainder(angle, 2.0 * math.pi)
    return 0.0 if abs(turned) < 1e-15 else turned


def _link(
    joint: str, name: str, start: Vector, end: Vector, body: CarriedBody, problems: Problems
) -> Link:
    """Return a link from its joint to the next one, or the tip."""
    along = end - start
    length, to_centre = float(np.hypot(*along)), body.centre - start
    if length < ROUNDING:
        got, need = "the next joint, or the tip, on its own axis", "a link of some length between"
        problems.add(f"joint.{joint}", got, need, "name a link at the tip: tip_link")
        length = 1.0
    com = float(to_centre @ along) / length
    offset = float(along[0] * to_centre[1] - along[1] * to_centre[0]) / length
    with problems.gather(f"link.{name}"):
        return Link(length, body.mass, com, body.inertia, com_offset=offset)
    return Link(1.0, 1.0)


def _turned(joint: Joint, sign: float, offset: float) -> Joint:
    """Return a joint with its limits as angles of the arm."""
    limits = sorted(sign * limit + offset for limit in (joint.lower, joint.upper))
    return replace(joint, lower=limits[0], upper=limits[1])

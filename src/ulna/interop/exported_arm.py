"""An arm as other programs' files hold it: one rigid body a link, and what such a file loses.

Each body is the link with the point mass at its end. The rotors of joints are put into the
inertias of links and, where the format has one, into an armature (`ulna.interop.planar_chain` has
the formula). What a file cannot hold is listed, with the torque that it makes.

Of the torques of an arm and of its file the largest difference is exact, as its parts depend on
different things: what is lost of rotors is a constant matrix D of the accelerations, of friction a
function of each joint's own rate, and of gravity one of the pose. With |q̈| ≤ a and |q̇_i| ≤ v_i

    max |Δτ_i| = a Σ_j |D_ij| + max_ω |Δf_i(ω)| + |Δg| Σ_{k ≥ i} S_k,

S_k the first moment of link k with what hangs on it. Δf is convex in ω², so that its maximum is at
one end of the rates.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np
from numpy.typing import ArrayLike

from ulna.arm.motors import IdealMotor
from ulna.arm.planar_arm import Arm
from ulna.interop.compiled_robot import NO_LIMIT

EARTHS = 9.81  # [m/s²] where a file says nothing of gravity
USUAL_RATE = 5.0  # [rad/s] of joints without a limit, in the largest difference of torques
ACCELERATION = 10.0  # [rad/s²] of all joints there
SOFT = 0.95 * 0.02 / 2.0  # [s]: MuJoCo's friction follows q̈ where |q̇| is less than this times it
ROUNDED = 1e-12  # of rotors' inertias: what arithmetic leaves of terms that cancel


class ExportedLink(NamedTuple):
    """A body: mass, centre of mass and inertia about it, in the frame of its joint."""

    length: float
    mass: float
    com: float
    com_offset: float
    inertia: float
    armature: float


@dataclass(frozen=True)
class ExportedArm:
    """The text of a file that describes an arm, and what it says otherwise than the arm does.

    Parameters
    ----------
    text : str
        What the file holds.
    lost : tuple of str
        What it cannot hold.
    unread : tuple of str
        What it holds, and some of its readers leave out.
    differences : tuple of float
        The largest difference [N·m] of the torque of each joint from the arm's, for rates up to
        `rates` and accelerations up to `ACCELERATION`.
    rates : tuple of float
        Rates of the joints [rad/s]: their limits, or `USUAL_RATE` where they have none.
    """

    text: str
    lost: tuple[str, ...]
    unread: tuple[str, ...]
    differences: tuple[float, ...]
    rates: tuple[float, ...]

    @property
    def largest(self) -> float:
        """The largest difference of a torque [N·m]."""
        return max(self.differences)

    @property
    def largest_text(self) -> str:
        """A sentence with the largest difference, its joint, and what it is taken over."""
        if self.largest == 0.0:
            return "torques are those of the arm"
        joint = self.differences.index(self.largest) + 1
        return (
            f"torques differ from the arm's by up to {self.largest:.3g} N·m (joint {joint}), at "
            f"rates up to the limits of the joints or {USUAL_RATE:g} rad/s, and accelerations up "
            f"to {ACCELERATION:g} rad/s²"
        )


def usual_rates(arm: Arm) -> np.ndarray:
    """Return the rates [rad/s] that torques are compared at: limits, or a usual one."""
    limits = arm.parameters.max_velocity
    return np.where(np.isfinite(limits), limits, USUAL_RATE)


def exported_arm(
    arm: Arm,
    links: list[ExportedLink],
    root: Element,
    lost: Iterable[str],
    *,
    soft_friction: bool = False,
    gravity_lost: float = 0.0,
    unread: tuple[str, ...] = (),
) -> ExportedArm:
    """Return the text of a file, and what it says otherwise than the arm does.

    `lost` is what it cannot hold beside friction and motors, `soft_friction` whether its readers
    let joints creep, and `gravity_lost` what gravity here is more than there [m/s²].
    """
    rotors = ACCELERATION * np.sum(np.abs(_lost_inertia(arm, links)), axis=1)
    friction = _lost_friction(arm, soft=soft_friction)
    mass, com, offset, length = (
        np.array([getattr(link, name) for link in links])
        for name in ("mass", "com", "com_offset", "length")
    )
    hung = np.cumsum(mass[::-1])[::-1] - mass
    moments = np.hypot(mass * com + length * hung, mass * offset)
    weight = gravity_lost * np.cumsum(moments[::-1])[::-1]
    indent(root)
    return ExportedArm(
        tostring(root, encoding="unicode") + "\n",
        (*lost, *_lost_parts(arm, soft_friction=soft_friction)),
        unread,
        tuple((rotors + friction + weight).tolist()),
        tuple(usual_rates(arm).tolist()),
    )


def _lost_inertia(arm: Arm, links: list[ExportedLink]) -> np.ndarray:
    """Return the inertia (n, n) of the joints' rates that rotors have here and not in a file."""
    p, n = arm.parameters, arm.n
    relative = np.eye(n) - np.eye(n, k=-1)  # of absolute rates
    turning = p.gear_ratio[:, None] * relative + np.eye(n, k=-1)
    armatures = np.array([link.armature for link in links])
    gained = np.array([link.inertia for link in links]) - _rigid_inertia(arm)
    of_rotors = (turning.T * p.rotor_inertia) @ turning
    lost = of_rotors - (relative.T * armatures) @ relative - np.diag(gained)
    total = np.tril(np.ones((n, n)))
    lost = total.T @ lost @ total
    size = np.max(np.abs(total.T @ of_rotors @ total), initial=0.0) + np.max(np.abs(gained))
    # What a link gains is the difference of two inertias, each of them rounded.
    rounding = ROUNDED * n * size + 4.0 * n * np.spacing(np.max(_rigid_inertia(arm)))
    return np.asarray(np.where(np.abs(lost) > rounding, lost, 0.0))


def _lost_friction(arm: Arm, *, soft: bool) -> np.ndarray:
    """Return the largest friction [N·m] of each joint that is no Coulomb friction."""
    p = arm.parameters

    def beyond(rate: np.ndarray) -> np.ndarray:
        ratio = np.minimum(rate / np.maximum(p.stribeck_velocity, 1e-300), 1e3)
        return np.asarray((p.static - p.coulomb) * np.exp(-(ratio**2)) + p.drag * rate**2)

    still = 0.0 * p.static
    largest = np.maximum(beyond(still), beyond(usual_rates(arm)))
    if soft:
        # Slow joints that are slowed down are pushed on by it, where friction here holds them.
        slow = np.maximum(beyond(still), beyond(still + SOFT * ACCELERATION))
        largest = np.maximum(largest, np.where(p.coulomb > 0.0, 2.0 * p.coulomb + slow, 0.0))
    return np.asarray(largest)


def exported_links(arm: Arm, *, armature: bool) -> tuple[list[ExportedLink], list[str]]:
    """Return the bodies of a file that has armatures or not, and what is lost with the rotors."""
    p = arm.parameters
    mass = p.mass + p.tip_mass
    safe = np.where(mass > 0.0, mass, 1.0)
    com = (p.mass * p.com + p.tip_mass * p.length) / safe
    offset = p.mass * p.com_offset / safe
    inertia = _rigid_inertia(arm)
    armatures, lost = _spread_rotors(arm, inertia, armature=armature)
    rows = zip(p.length, mass, com, offset, inertia, armatures, strict=True)
    return [ExportedLink(*(float(value) for value in row)) for row in rows], lost


def _rigid_inertia(arm: Arm) -> np.ndarray:
    """Return the inertias of the links with their point masses, about their centres of mass."""
    p = arm.parameters
    mass = p.mass + p.tip_mass
    apart = (p.com - p.length) ** 2 + p.com_offset**2
    return np.asarray(p.inertia + p.mass * p.tip_mass / np.where(mass > 0.0, mass, 1.0) * apart)


def _spread_rotors(
    arm: Arm, inertia: np.ndarray, *, armature: bool
) -> tuple[list[float], list[str]]:
    """Add to inertias what rotors add to links; return the armatures, and what is lost."""
    p, lost = arm.parameters, []
    armatures = [0.0] * arm.n
    for i, (rotor, ratio) in enumerate(zip(p.rotor_inertia, p.gear_ratio, strict=True)):
        if rotor == 0.0:
            continue
        own, before = float(rotor * ratio), float(rotor * (ratio - 1.0))
        coupled = own * (ratio - 1.0)
        if i == 0:
            armatures[0], own, before = (
                (own * ratio, 0.0, 0.0) if armature else (0.0, own * ratio, 0.0)
            )
        elif inertia[i] + own < 0.0 or inertia[i - 1] < before or coupled < 0.0:
            most = abs(own) * (abs(ratio) + i)
            lost.append(_lost_rotor(i, most))
            continue
        elif armature:
            armatures[i] = float(coupled)
        elif coupled > 0.0:
            lost.append(_lost_rotor(i, float(coupled)))
        inertia[i] += own
        inertia[i - 1] -= before if i else 0.0
    return armatures, lost


def _lost_rotor(i: int, torque: float) -> str:
    return (
        f"the rotor of joint {i + 1}: torques differ by up to {torque:.3g} N·m for every rad/s² of "
        "the joints"
    )


def _lost_parts(arm: Arm, *, soft_friction: bool) -> list[str]:
    """List what no such file holds, beside rotors, with the torques that it makes."""
    p, lost = arm.parameters, []
    for i in range(arm.n):
        static, coulomb, drag = float(p.static[i]), float(p.coulomb[i]), float(p.drag[i])
        if static > coulomb:
            lost.append(f"static friction of joint {i + 1}: {static - coulomb:.3g} N·m at rest")
        if drag > 0.0:
            lost.append(f"drag of joint {i + 1}: {drag:.3g} N·m at 1 rad/s, with its square")
        if coulomb > 0.0 and soft_friction:
            text = f"friction of joint {i + 1}: up to {2.0 * coulomb:.3g} N·m"
            lost.append(f"{text}, as frictionloss is soft and creeps where friction here sticks")
    driven = [
        str(i)
        for i, joint in enumerate(arm.joints, 1)
        if not isinstance(joint.motor, IdealMotor | None)
    ]
    if driven:
        lost.append(f"limits of the motors of joints {', '.join(driven)}")
    if arm.loop is not None:
        lost.append("the control loop: its rate, sensors and actuators")
    return lost


def bounded(value: float) -> float:
    """Return a limit as a number that every reader takes."""
    return math.copysign(NO_LIMIT, value) if math.isinf(value) else value


def add_element(
    parent: Element, tag: str, attributes: Mapping[str, str | ArrayLike] | None = None
) -> Element:
    """Add an element below another one; its numbers are written to the last bit."""
    texts = {
        key: value if isinstance(value, str) else " ".join(map(repr, np.ravel(value).tolist()))
        for key, value in (attributes or {}).items()
    }
    return SubElement(parent, tag, texts)

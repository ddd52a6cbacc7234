"""What limits the speed along a path: torques, motors, joint and tip speeds and accelerations.

With q' and q'' the derivatives of the joints by the part s of the way, v = ds/dt and u = d²s/dt²,

    q̇ = q' v        q̈ = q' u + q'' v²        τ = a u + b v² + g + f(v)
    a = M q'        b = M q'' + C(q, q') q'        f(v) = damping q' v + dry friction and drag

Dry friction has the sign of q', which is known along a path, and so has the speed in the curve of
a motor. What is not affine in v (Stribeck's curve, drag, the corners of a motor's curve) enters by
its tangent at a profile v(s), whose solution is the next profile: Newton's method. A profile that
is its own solution keeps the true limits. A motor's curve is concave, so that its tangents lie
above it; the one at rest stays among them, and no profile runs away.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ulna.actuation import torque_range
from ulna.actuation.friction import rates_along
from ulna.arm import Arm, Motor
from ulna.arrays import Array
from ulna.dynamics import friction_torque, inverse_dynamics
from ulna.motion.trajectory import Trajectory

LEAST_SHARE = 0.02  # of a motor's torque at rest: uses are told as parts of no less
STEP = 1e-5  # of v, for slopes
KINDS = ("torque", "motor", "joint speed", "joint acceleration", "tip speed", "tip acceleration")
TORQUE, MOTOR, SPEED, ACCELERATION, TIP_SPEED, TIP_ACCELERATION = range(6)


class PathGeometry(NamedTuple):
    """An arm at places (k,) of a path, with derivatives by the part of the way."""

    first: Array  # (k, n) q'
    second: Array  # (k, n) q''
    direction: Array  # (k, n) the sign of q' on the interval
    inertia: Array  # (k, n) a
    coriolis: Array  # (k, n) b
    gravity: Array  # (k, n) g
    tip_first: Array  # (k, 2) p'
    tip_second: Array  # (k, 2) p''


@dataclass(frozen=True, eq=False)
class PathLimits:
    """An arm along a path in the time 1, and all that limits its speed."""

    arm: Arm
    base: Trajectory  # with the part of the length as its time
    force: Array | None  # (3,) on the tip
    speed: float  # of the tip [m/s], and
    acceleration: float  # its acceleration [m/s²]; infinite without a limit
    joint_acceleration: Array  # (n,) [rad/s²]
    reserve: float  # the part of all torques that is left to feedback
    factor: Array  # (4 n + 2,) by which the limits of all columns are multiplied

    @property
    def columns(self) -> list[tuple[str, int | None]]:
        """The kind and the joint, from 1, of every limit."""
        n = self.arm.n
        each = [(kind, joint) for kind in KINDS[:TIP_SPEED] for joint in range(1, n + 1)]
        return [*each, (KINDS[TIP_SPEED], None), (KINDS[TIP_ACCELERATION], None)]

    def _factor(self, kind: int) -> Array:
        n = self.arm.n
        return self.factor[kind * n : (kind + 1) * n] if kind < TIP_SPEED else self.factor[4 * n :]

    @cached_property
    def is_affine(self) -> bool:
        """Whether all is affine in the speed: no Stribeck curve, no drag, no motor."""
        p = self.arm.parameters
        dry = np.any(p.static != p.coulomb) or np.any(p.drag)
        return not dry and not self._driven

    @cached_property
    def _driven(self) -> list[int]:
        rest = [torque_range(joint, np.zeros(1)).upper[0] for joint in self.arm.joints]
        return [k for k, most in enumerate(rest) if np.isfinite(most)]

    @cached_property
    def are_any(self) -> bool:
        """Whether anything limits the speed at all."""
        p = self.arm.parameters
        most = [p.max_torque, p.max_velocity, self.joint_acceleration]
        tip = np.isfinite([self.speed, self.acceleration])
        return bool(np.isfinite(most).any() or tip.any() or self._driven)

    def geometry(self, s: Array, within: Array) -> PathGeometry:
        """Return the arm at places (k,), from the sides that others (k,) lie on."""
        q, first, second = self.base.rows(s, within)
        middle = self.base.rows(within)[1]
        p = self.arm.parameters
        none = np.zeros(self.arm.n)
        free = p._replace(damping=none, coulomb=none, static=none, drag=none)
        still = np.zeros_like(q)
        force = None if self.force is None else np.broadcast_to(self.force, (len(s), 3))
        gravity = np.asarray(inverse_dynamics(free, q, still, still, tip_force=force))
        weightless = free._replace(gravity=np.zeros(2))
        inertia = np.asarray(inverse_dynamics(weightless, q, still, first))
        coriolis = np.asarray(inverse_dynamics(weightless, q, first, second))
        _, tip_first, tip_second = self.base.tip_rows(s, within)
        return PathGeometry(
            first, second, np.sign(middle), inertia, coriolis, gravity, tip_first, tip_second
        )

    def friction(self, at: PathGeometry, v: Array) -> Array:
        """Return the torques (k, n) against damping, dry friction and drag at speeds (k,)."""
        rate = at.first * v[:, None]
        viscous = self.arm.parameters.damping * rate
        if not self.arm.has_friction:
            return np.asarray(viscous)
        return np.asarray(viscous + friction_torque(self.arm, rates_along(at.direction, rate)))

    def motor_bounds(self, at: PathGeometry, v: Array) -> tuple[Array, Array]:
        """Return least and most torques (k, n) at the joints that motors give at speeds (k,)."""
        lower = np.full_like(at.first, -np.inf)
        upper = np.full_like(at.first, np.inf)
        most = self._factor(MOTOR) * (1.0 - self.reserve)
        for k in self._driven:
            joint, way = self.arm.joints[k], at.direction[:, k]
            low, high = torque_range(joint, at.first[:, k] * v)
            lower[:, k] = -most[k] * _through_gear(joint.motor, -low, -way)
            upper[:, k] = most[k] * _through_gear(joint.motor, high, way)
        return lower, upper

    def use(self, at: PathGeometry, v: Array, u: Array) -> Array:
        """Return how much (k, 4 n + 2) of every limit is used at speeds and accelerations (k,)."""
        p = self.arm.parameters
        x, u = (v * v)[:, None], u[:, None]
        torque = at.inertia * u + at.coriolis * x + at.gravity + self.friction(at, v)
        allowed = p.max_torque * (1.0 - self.reserve) * self._factor(TORQUE)
        rates = at.first * v[:, None]
        turning = at.first * u + at.second * x
        tip = np.linalg.norm(at.tip_first, axis=-1) * v
        tip_acceleration = np.linalg.norm(at.tip_first * u + at.tip_second * x, axis=-1)
        most = np.array([self.speed, self.acceleration]) * self._factor(TIP_SPEED)
        return np.concatenate(
            [
                np.abs(torque) / allowed,
                self._motor_use(at, v, torque),
                np.abs(rates) / (p.max_velocity * self._factor(SPEED)),
                np.abs(turning) / (self.joint_acceleration * self._factor(ACCELERATION)),
                np.stack([tip, tip_acceleration], axis=-1) / most,
            ],
            axis=-1,
        )

    def _motor_use(self, at: PathGeometry, v: Array, torque: Array) -> Array:
        use = np.zeros_like(torque)
        if self._driven:
            lower, upper = self.motor_bounds(at, v)
            _, still = self.motor_bounds(at, np.zeros_like(v))
            k = self._driven
            left = np.where(torque[:, k] < 0.0, -lower[:, k], upper[:, k])
            size = np.maximum(left, LEAST_SHARE * still[:, k])
            passed = np.maximum(torque[:, k] - upper[:, k], lower[:, k] - torque[:, k])
            use[:, k] = 1.0 + passed / size
        return use

    def rows(self, at: PathGeometry, v: Array) -> Array:
        """Return the limits (k, r, 4): a u + b x + d √x + c ≤ 0, by tangents at speeds (k,)."""
        n, found = self.arm.n, list[Array]()
        slope, constant = self._tangent(lambda speed: self.friction(at, speed), v)
        most = self.arm.parameters.max_torque * (1.0 - self.reserve) * self._factor(TORQUE)
        for k in range(n):
            parts = at.inertia[:, k], at.coriolis[:, k]
            d, c = slope[:, k], constant[:, k] + at.gravity[:, k]
            if np.isfinite(most[k]):
                found += [_row(*parts, d, c, most[k]), _row(*parts, d, c, most[k], -1.0)]
        found += self._motor_rows(at, v, slope, constant + at.gravity)
        allowed = self.joint_acceleration * self._factor(ACCELERATION)
        none = np.zeros(len(v))
        for k in np.flatnonzero(np.isfinite(allowed)).tolist():
            turning = at.first[:, k], at.second[:, k], none, none, allowed[k]
            found += [_row(*turning), _row(*turning, -1.0)]
        return np.stack(found, axis=1) if found else np.zeros((len(v), 0, 4))

    def _motor_rows(self, at: PathGeometry, v: Array, slope: Array, constant: Array) -> list[Array]:
        found = list[Array]()
        if not self._driven:
            return found
        for speed in (np.zeros_like(v), v):
            lower = self._tangent(lambda other: self.motor_bounds(at, other)[0], speed)
            upper = self._tangent(lambda other: self.motor_bounds(at, other)[1], speed)
            for k in self._driven:
                parts = at.inertia[:, k], at.coriolis[:, k]
                for way, (steep, level) in ((1.0, upper), (-1.0, lower)):
                    d, c = slope[:, k] - steep[:, k], constant[:, k] - level[:, k]
                    size = float(np.abs(level[:, k]).max())
                    found.append(way * np.stack([*parts, d, c], axis=-1) / size)
        return found

    def _tangent(self, function: Any, v: Array) -> tuple[Array, Array]:
        """Return slope and constant (k, n) of what is nearly affine in the speed."""
        with np.errstate(invalid="ignore"):
            step = STEP * np.maximum(v, STEP)
            value, above = function(v), function(v + step)
            slope = np.nan_to_num((above - value) / step[:, None])
        return slope, value - slope * v[:, None]

    def squares(self, at: PathGeometry) -> Array:
        """Return the limit (k, 4) of the tip's acceleration: A u² + 2 B u x + C x² ≤ D."""
        one, two = at.tip_first, at.tip_second
        most = self.acceleration * self._factor(TIP_SPEED)[1]
        size = most**2 if np.isfinite(most) else 1.0
        parts = [np.sum(a * b, axis=-1) / size for a, b in ((one, one), (one, two), (two, two))]
        allowed = np.full(len(one), 1.0 if np.isfinite(most) else np.inf)
        return np.stack([*parts, allowed], axis=-1)

    def fastest(self, at: PathGeometry) -> Array:
        """Return the largest x (k,) that the speeds of joints and tip leave."""
        with np.errstate(divide="ignore"):
            joints = self.arm.parameters.max_velocity * self._factor(SPEED) / np.abs(at.first)
            tip = self.speed * self._factor(TIP_SPEED)[0] / np.linalg.norm(at.tip_first, axis=-1)
        return np.asarray(np.minimum(joints.min(axis=-1), tip) ** 2)


def _row(a: Array, b: Array, d: Array, c: Array, most: float, way: float = 1.0) -> Array:
    """Return ±(a u + b x + d √x + c) ≤ most as rows (k, 4), by parts of the limit."""
    parts = way * np.stack([a, b, d, c], axis=-1) / most
    parts[:, 3] -= 1.0
    return parts


def _through_gear(motor: object, torque: Array, way: Array) -> Array:
    """Return the most torques (k,) at joints that move this way (±1), of those of a motor."""
    if not isinstance(motor, Motor):
        return torque
    back = float(motor.backdriving_efficiency or motor.efficiency)
    driven = np.sign(torque) * way >= 0.0
    if back == 0.0:
        return np.where(driven, torque * motor.efficiency, np.sign(torque) * np.inf)
    return np.where(driven, torque * motor.efficiency, torque / back)

"""What limits the speed along a path: torques, motors, joint and tip speeds and accelerations.

With q' and q'' the derivatives of the joints by the part s of the way, v = ds/dt and u = d²s/dt²,

    q̇ = q' v        q̈ = q' u + q'' v²        τ = a u + b v² + g + f(v)
    a = M q'        b = M q'' + C(q, q') q'        f(v) = damping q' v + dry friction and drag

Dry friction has the sign of q', which is known along a path, and so has the speed in the curve of
a motor. That curve is concave and of two lines, at rest and at the no-load speed, each a limit by
itself; what falls to static friction over Stribeck's velocity is taken at a profile v(s), whose
solution is the next profile. A profile that is its own solution keeps the true limits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, NoReturn, Protocol, Self

import numpy as np

from ulna.actuation import torque_range
from ulna.actuation.friction import rates_along
from ulna.arm import Arm, Joint, Motor
from ulna.arrays import Array
from ulna.dynamics import friction_torque, inverse_dynamics
from ulna.errors import InfeasibleError
from ulna.kinematics import tip_acceleration, tip_velocity
from ulna.motion.paths.curves import Cubics
from ulna.motion.paths.path import Path
from ulna.motion.trajectory import HALVINGS, LAWS, SIDE, Trajectory

LEAST_SHARE = 0.1  # of a motor's torque at rest: uses are told as parts of no less
STEP = 1e-5  # of a motor's no-load speed, for slopes
SAME_LINE = 1e-9  # of a motor's torque at rest, by which two lines may differ
NO_LOAD = 1e-3  # of a motor's torque at rest: with less it counts as none
FASTEST_RATE = 1e6  # [rad/s] of a joint: a motor that still drives there has no largest speed
KINDS = ("torque", "motor", "joint speed", "joint acceleration", "tip speed", "tip acceleration")
CUTS = np.linspace(0.0, 1.0, 65)  # of an interval, in which a turn is looked for, and
ROUNDS = 10  # in how many rounds
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


class SpeedLimits(Protocol):
    """What limits the speed along a path that is followed in the time 1."""

    @property
    def factor(self) -> Array:
        """By what (m,) the limits of all columns are multiplied."""

    @property
    def columns(self) -> list[tuple[str, int | None]]:
        """The kind and the joint, from 1, of every limit."""

    @property
    def are_any(self) -> bool:
        """Whether anything limits the speed at all."""

    def scaled(self, factor: Array) -> Self:
        """Return the same with all columns multiplied by other factors (m,)."""

    @property
    def kinks(self) -> Array:
        """The parts (k,) of the way at which accelerations of joints have kinks, in order."""

    def turns(self, s: Array) -> Array:
        """Return the places (k,) between nodes at which joints turn back, if that matters."""

    def geometry(self, s: Array, within: Array) -> PathGeometry:
        """Return the arm at places (k,), from the sides that others (k,) lie on."""

    def use(self, at: PathGeometry, v: Array, u: Array) -> Array:
        """Return how much (k, m) of every limit is used at speeds and accelerations (k,)."""

    def rows(self, at: PathGeometry, v: Array) -> Array:
        """Return the limits (k, r, 4): a u + b x + d √x + c ≤ 0, near speeds (k,)."""

    def squares(self, at: PathGeometry) -> Array:
        """Return the limit (k, 4) of the tip's acceleration: A u² + 2 B u x + C x² ≤ D."""

    def fastest(self, at: PathGeometry) -> Array:
        """Return the largest x (k,) that the speeds of joints and tip leave."""

    def refuse(self, at: PathGeometry, s: Array, interval: int) -> NoReturn:
        """Raise InfeasibleError: nothing keeps the limits on an interval between nodes s."""


@dataclass(frozen=True, eq=False)
class TipLimits:
    """The limits of the tip alone: what a look-ahead without regard to the joints keeps."""

    arm: Arm
    path: Path
    speed: float  # of the tip [m/s], and
    acceleration: float  # its acceleration [m/s²]; infinite without a limit
    factor: Array  # (2,) by which both are multiplied

    @property
    def columns(self) -> list[tuple[str, int | None]]:
        """The kind of either limit."""
        return [(kind, None) for kind in KINDS[TIP_SPEED:]]

    @property
    def are_any(self) -> bool:
        """Whether anything limits the speed at all."""
        return bool(np.isfinite([self.speed, self.acceleration]).any())

    def scaled(self, factor: Array) -> TipLimits:
        """Return the same with both multiplied by other factors (2,)."""
        return replace(self, factor=factor)

    @property
    def kinks(self) -> Array:
        """No places: the path's own breaks are all."""
        return np.zeros(0)

    def turns(self, _s: Array) -> Array:
        """Return no places: the tip does not mind."""
        return np.zeros(0)

    def geometry(self, s: Array, within: Array) -> PathGeometry:
        """Return the tip at places (k,), from the sides that others (k,) lie on."""
        rows = LAWS["constant-speed"].points(self.path, s, within)
        tip = tip_rates(self.arm, rows) if self.path.in_joints else rows[1:]
        return PathGeometry(*np.zeros((6, len(s), 0)), *tip)

    def use(self, at: PathGeometry, v: Array, u: Array) -> Array:
        """Return how much (k, 2) of both is used at speeds and accelerations (k,)."""
        speed = np.linalg.norm(at.tip_first, axis=-1) * v
        x = (v * v)[:, None]
        acceleration = np.linalg.norm(at.tip_first * u[:, None] + at.tip_second * x, axis=-1)
        return np.stack([speed, acceleration], axis=-1) / self._most

    @property
    def _most(self) -> Array:
        return np.array([self.speed, self.acceleration]) * self.factor

    def rows(self, _at: PathGeometry, v: Array) -> Array:
        """Return no rows (k, 0, 4)."""
        return np.zeros((len(v), 0, 4))

    def squares(self, at: PathGeometry) -> Array:
        """Return the limit (k, 4) of the tip's acceleration: A u² + 2 B u x + C x² ≤ D."""
        one, two, most = at.tip_first, at.tip_second, self._most[1]
        size = most**2 if np.isfinite(most) else 1.0
        parts = [np.sum(a * b, axis=-1) / size for a, b in ((one, one), (one, two), (two, two))]
        allowed = np.full(len(one), 1.0 if np.isfinite(most) else np.inf)
        return np.stack([*parts, allowed], axis=-1)

    def fastest(self, at: PathGeometry) -> Array:
        """Return the largest x (k,) that the speed of the tip leaves."""
        with np.errstate(divide="ignore"):
            return np.asarray((self._most[0] / np.linalg.norm(at.tip_first, axis=-1)) ** 2)

    def refuse(self, _at: PathGeometry, s: Array, interval: int) -> NoReturn:
        """Raise InfeasibleError: nothing keeps the limits on an interval between nodes s."""
        told = f"no speed keeps all limits at {s[interval]:.1%} of the way"
        ways = "lower the end speeds or raise a limit"
        raise InfeasibleError(f"the path cannot be followed: {told}; {ways}")


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
    def tip(self) -> TipLimits:
        """Those of the tip."""
        n = self.arm.n
        return TipLimits(
            self.arm, self.base.path, self.speed, self.acceleration, self.factor[4 * n :]
        )

    def scaled(self, factor: Array) -> PathLimits:
        """Return the same with all columns multiplied by other factors (4 n + 2,)."""
        return replace(self, factor=factor)

    @property
    def columns(self) -> list[tuple[str, int | None]]:
        """The kind and the joint, from 1, of every limit."""
        n = self.arm.n
        each = [(kind, joint) for kind in KINDS[:TIP_SPEED] for joint in range(1, n + 1)]
        return [*each, (KINDS[TIP_SPEED], None), (KINDS[TIP_ACCELERATION], None)]

    def _factor(self, kind: int) -> Array:
        n = self.arm.n
        return self.factor[kind * n : (kind + 1) * n]

    @cached_property
    def _driven(self) -> list[int]:
        rest = [torque_range(joint, np.zeros(1)).upper[0] for joint in self.arm.joints]
        return [k for k, most in enumerate(rest) if np.isfinite(most)]

    @cached_property
    def _most_driven(self) -> Array:
        """The rates (n,) [rad/s] beyond which motors give no torque."""
        most = np.full(self.arm.n, np.inf)
        for k in self._driven:
            most[k] = motor_lines(self.arm.joints[k]).max_rate
        return most

    @property
    def _turns_matter(self) -> bool:
        """Whether what a joint can do depends on the direction in which it moves."""
        return self.arm.has_friction or bool(self._driven)

    @cached_property
    def are_any(self) -> bool:
        """Whether anything limits the speed at all."""
        p = self.arm.parameters
        most = [p.max_torque, p.max_velocity, self.joint_acceleration]
        return bool(np.isfinite(most).any() or self.tip.are_any or self._driven)

    @property
    def kinks(self) -> Array:
        """The parts (k,) of the way of the postures that a redundant arm is led through."""
        led = getattr(self.base.solver, "nearby", None)
        return led.knots if isinstance(led, Cubics) else np.zeros(0)

    def geometry(self, s: Array, within: Array) -> PathGeometry:
        """Return the arm at places (k,), from the sides that others (k,) lie on."""
        points, _ = self.base.path_rows(s, within)
        q, first, second = joint_rows(self.base, s, within, points)
        direction = np.zeros_like(first)
        if self._turns_matter:
            direction = np.sign(joint_rows(self.base, within)[1])
        p = self.arm.parameters
        none = np.zeros(self.arm.n)
        free = p._replace(damping=none, coulomb=none, static=none, drag=none)
        still = np.zeros_like(q)
        force = None if self.force is None else np.broadcast_to(self.force, (len(s), 3))
        gravity = np.asarray(inverse_dynamics(free, q, still, still, tip_force=force))
        weightless = free._replace(gravity=np.zeros(2))
        inertia = np.asarray(inverse_dynamics(weightless, q, still, first))
        coriolis = np.asarray(inverse_dynamics(weightless, q, first, second))
        tip_first, tip_second = points[1:] if self.base.solver else tip_rates(self.arm, points)
        return PathGeometry(
            first, second, direction, inertia, coriolis, gravity, tip_first, tip_second
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
        x, along = (v * v)[:, None], u[:, None]
        torque = at.inertia * along + at.coriolis * x + at.gravity + self.friction(at, v)
        allowed = p.max_torque * (1.0 - self.reserve) * self._factor(TORQUE)
        rates = at.first * v[:, None]
        turning = at.first * along + at.second * x
        return np.concatenate(
            [
                np.abs(torque) / allowed,
                self._motor_use(at, v, torque),
                np.abs(rates) / (p.max_velocity * self._factor(SPEED)),
                np.abs(turning) / (self.joint_acceleration * self._factor(ACCELERATION)),
                self.tip.use(at, v, u),
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
            use[:, k] = np.maximum(1.0 + passed / size, self._rate_use(at, v)[:, k])
        return use

    def _rate_use(self, at: PathGeometry, v: Array) -> Array:
        """Return how much (k, n) of the rates is used beyond which motors give no torque."""
        return np.abs(at.first * v[:, None]) / self._most_driven

    def rows(self, at: PathGeometry, v: Array) -> Array:
        """Return the limits (k, r, 4): a u + b x + d √x + c ≤ 0, near speeds (k,)."""
        found, needed = list[Array](), self._torque_rows(at, v)
        most = self.arm.parameters.max_torque * (1.0 - self.reserve) * self._factor(TORQUE)
        for k in np.flatnonzero(np.isfinite(most)).tolist():
            found += [_row(way * needed[:, k], most[k]) for way in (1.0, -1.0)]
        for k in self._driven:
            found += self._motor_rows(at, k, needed[:, k])
        allowed = self.joint_acceleration * self._factor(ACCELERATION)
        none = np.zeros(len(v))
        for k in np.flatnonzero(np.isfinite(allowed)).tolist():
            turning = np.stack([at.first[:, k], at.second[:, k], none, none], axis=-1)
            found += [_row(way * turning, allowed[k]) for way in (1.0, -1.0)]
        return np.stack(found, axis=1) if found else np.zeros((len(v), 0, 4))

    def _torque_rows(self, at: PathGeometry, v: Array) -> Array:
        """Return the torques (k, n, 4) that joints need, as a u + b x + d √x + c."""
        p, rate = self.arm.parameters, at.first * v[:, None]
        drag = at.direction * p.drag * at.first**2
        dry = 0.0
        if self.arm.has_friction:
            dry = friction_torque(self.arm, rates_along(at.direction, rate))
            dry = dry - drag * (v * v)[:, None]
        viscous = p.damping * at.first
        return np.stack([at.inertia, at.coriolis + drag, viscous, at.gravity + dry], axis=-1)

    def _motor_rows(self, at: PathGeometry, k: int, needed: Array) -> list[Array]:
        """Return rows (k, 4) of the motor of a joint: torques with its motion and against it."""
        lines, found = motor_lines(self.arm.joints[k]), list[Array]()
        most = float(self._factor(MOTOR)[k]) * (1.0 - self.reserve)
        way, speed = at.direction[:, k], np.abs(at.first[:, k])
        ahead = np.where(way < 0.0, -1.0, 1.0)[:, None]
        for side, curve in ((ahead, lines.driving), (-ahead, lines.braking)):
            for torque, slope in curve:
                row = side * needed
                row[:, 2] -= most * slope * speed
                row[:, 3] -= most * np.where(way == 0.0, lines.stall, torque)
                found.append(row / (most * lines.stall))
        return found

    def squares(self, at: PathGeometry) -> Array:
        """Return the limit (k, 4) of the tip's acceleration: A u² + 2 B u x + C x² ≤ D."""
        return self.tip.squares(at)

    def fastest(self, at: PathGeometry) -> Array:
        """Return the largest x (k,) that the speeds of joints and tip leave."""
        rates = self.arm.parameters.max_velocity * self._factor(SPEED)
        with np.errstate(divide="ignore"):
            joints = np.minimum(rates, self._most_driven) / np.abs(at.first)
        return np.asarray(np.minimum(joints.min(axis=-1) ** 2, self.tip.fastest(at)))

    def turns(self, s: Array) -> Array:
        """Return the places (k,) between nodes at which joints turn back, where friction jumps."""
        if not self._turns_matter:
            return np.zeros(0)
        left, right, middles = s[:-1], s[1:], 0.5 * (s[:-1] + s[1:])
        before, after = (joint_rows(self.base, at, middles)[1] for at in (left, right))
        found = []
        for joint in range(self.arm.n):
            k = np.flatnonzero(before[:, joint] * after[:, joint] < 0.0)
            low, high, within = left[k], right[k], np.repeat(middles[k], len(CUTS))
            for _ in range(ROUNDS * bool(len(k))):
                places = low[:, None] + (high - low)[:, None] * CUTS
                rate = joint_rows(self.base, places.ravel(), within)[1][:, joint]
                same = rate.reshape(places.shape) * before[k, joint, None] > 0.0
                last = np.argmin(same, axis=1)  # the first that is beyond the turn
                rows = np.arange(len(k))
                low, high = places[rows, last - 1], places[rows, last]
            found.append(high)
        return np.unique(np.concatenate(found))

    def refuse(self, at: PathGeometry, s: Array, interval: int) -> NoReturn:
        """Raise InfeasibleError: what the arm would need to hold itself there."""
        still = np.zeros(len(at.first))
        use = self.use(at, still, still)[:, : 2 * self.arm.n]
        row, column = np.unravel_index(np.argmax(use), use.shape)
        kind, joint = self.columns[int(column)]
        if use[row, column] <= 1.0:
            self.tip.refuse(at, s, interval)
        needed = f"{use[row, column]:.4g} times the {kind} that it may have"
        if kind == "torque":
            allowed = self.arm.parameters.max_torque[column] * (1.0 - self.reserve)
            needed = f"{use[row, column] * allowed:.4g} N·m, {allowed:.4g} N·m allowed"
        raise InfeasibleError(
            f"the arm cannot hold itself: {s[(row + 1) // 2]:.1%} of the way along, joint "
            f"{joint} needs {needed}; try a stronger joint, less payload or less reserve"
        )


def joint_rows(
    base: Trajectory, s: Array, within: Array | None = None, points: Array | None = None
) -> Array:
    """Return joints (3, k, n) with derivatives by the part of the way, at points (3, k, d)."""
    if points is None:
        points, _ = base.path_rows(s, within)
    if base.solver is None:
        return points
    near = s if within is None else s + SIDE * (within - s)
    return base.solver(near, points)


def tip_rates(arm: Arm, rows: Array) -> tuple[Array, Array]:
    """Return first and second derivatives (k, 2) of the tip, for joints (3, k, n)."""
    first, second = tip_velocity(arm, *rows[:2]), tip_acceleration(arm, *rows)
    return np.asarray(first)[..., :2], np.asarray(second)[..., :2]


def _row(needed: Array, most: float) -> Array:
    """Return a u + b x + d √x + c ≤ most as rows (k, 4), by parts of the limit."""
    parts = needed / most
    parts[:, 3] -= 1.0
    return np.asarray(parts)


class MotorLines(NamedTuple):
    """The torques of a motor behind its gear over the rate of its joint: the least of lines."""

    driving: tuple[tuple[float, float], ...]  # at rest [N·m] and slopes, with the motion,
    braking: tuple[tuple[float, float], ...]  # and against it
    stall: float  # [N·m] at rest, either way
    max_rate: float  # [rad/s] at which nothing is left to drive with


@lru_cache(maxsize=256)
def motor_lines(joint: Joint) -> MotorLines:
    """Return the lines of the motor of a joint: its curves are concave and have one kink each."""
    fast = _no_load_speed(joint)
    driving = _two_tangents(lambda rate: torque_range(joint, rate).upper, fast)
    braking = _two_tangents(lambda rate: -torque_range(joint, rate).lower, fast)
    out = back = 1.0
    if isinstance(joint.motor, Motor):
        out = joint.motor.efficiency
        back = float(joint.motor.backdriving_efficiency or out)
    return MotorLines(
        tuple((out * torque, out * slope) for torque, slope in driving),
        tuple((torque / back, slope / back) for torque, slope in braking) if back else (),
        out * driving[0][0],
        min((-torque / slope for torque, slope in driving if slope < 0.0), default=np.inf),
    )


def _two_tangents(curve: Any, fast: float) -> tuple[tuple[float, float], ...]:
    """Return values at rest and slopes of the tangents at rest and at a rate."""
    step = STEP * fast
    at = curve(np.array([0.0, step, fast - step, fast]))
    rise = np.array([at[1] - at[0], at[3] - at[2]]) / step
    first, last = (at[0], rise[0]), (at[3] - rise[1] * fast, rise[1])
    same = abs(rise[1] - rise[0]) * fast <= SAME_LINE * abs(at[0])
    return (first,) if same else (first, last)


@lru_cache(maxsize=256)
def _no_load_speed(joint: Joint) -> float:
    """Return the rate [rad/s] at which next to nothing is left of a motor's torque."""
    least = NO_LOAD * float(torque_range(joint, np.zeros(1)).upper[0])
    slow, fast = 0.0, FASTEST_RATE
    for _ in range(HALVINGS):
        middle = 0.5 * (slow + fast)
        driven = torque_range(joint, np.array([middle])).upper[0] > least
        slow, fast = (middle, fast) if driven else (slow, middle)
    return slow


def _through_gear(motor: object, torque: Array, way: Array) -> Array:
    """Return the most torques (k,) at joints that move this way (±1), of those of a motor."""
    if not isinstance(motor, Motor):
        return torque
    back = float(motor.backdriving_efficiency or motor.efficiency)
    driven = np.sign(torque) * way >= 0.0
    if back == 0.0:
        return np.where(driven, torque * motor.efficiency, np.sign(torque) * np.inf)
    return np.where(driven, torque * motor.efficiency, torque / back)

"""What limits the speed along a path: torques, motors, joint and tip speeds and accelerations.

With q' and q'' the derivatives of the joints by the part s of the way, v = ds/dt and u = d²s/dt²,

    q̇ = q' v        q̈ = q' u + q'' v²        τ = a u + b v² + g + f(v)
    a = M q'        b = M q'' + C(q, q') q'        f(v) = damping q' v + dry friction and drag

Dry friction has the sign of q', which is known along a path, and so has the speed in the curve of
a motor, whose lines (`motor_limits.py`) are limits each by itself. What falls to static friction
over Stribeck's velocity is taken at a profile v(s), whose solution is the next profile. A profile
that is its own solution keeps the true limits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from ulna.actuation.friction import (
    before_gears,
    depends_on_direction,
    efficiencies,
    gear_efficiencies,
    rates_along,
    to_rest,
)
from ulna.arm import Arm
from ulna.arrays import Array
from ulna.dynamics import friction_torque, inverse_dynamics
from ulna.errors import InfeasibleError, InputError, Problem
from ulna.kinematics import tip_acceleration, tip_velocity
from ulna.motion.paths.curves import Cubics
from ulna.motion.paths.path import Path
from ulna.motion.planning.motor_limits import (
    ambient_temperatures,
    driven_joints,
    is_loose,
    left_torques,
    max_rates,
    motor_lines,
    rotor_torque,
)
from ulna.motion.trajectory import LAWS, SIDE, Trajectory

LEAST_SHARE = 0.1  # of a motor's torque at rest: uses are told as parts of no less
KINDS = ("torque", "motor", "joint speed", "joint acceleration", "tip speed", "tip acceleration")
STRAIGHT = 1e-9  # of its length, by which a straight way may be longer than its chord
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
    temperature: Array  # (k, n) [°C] of windings
    tip_first: Array  # (k, 2) p'
    tip_second: Array  # (k, 2) p''

    def taken(self, which: Any) -> PathGeometry:
        """Return the arm at some of the places."""
        return PathGeometry(*(part[which] for part in self))


class WindingTemperatures(NamedTuple):
    """How warm windings are along a path."""

    s: Array  # (k,) parts of the way
    celsius: Array  # (k, n)

    def at(self, s: Array) -> Array:
        """Return temperatures (k, n) [°C] at parts (k,) of the way."""
        return np.stack([np.interp(s, self.s, column) for column in self.celsius.T], axis=-1)


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
    def ramp_time(self) -> float:
        """How long [s] the tip takes to its largest speed with its largest acceleration."""
        speed, acceleration = self._most
        return float(speed / acceleration)

    def scaled(self, factor: Array) -> TipLimits:
        """Return the same with both multiplied by other factors (2,)."""
        return replace(self, factor=factor)

    @property
    def kinks(self) -> Array:
        """No places: the path's own breaks are all."""
        return np.zeros(0)

    def ramp_ends(self, first: Array, last: Array) -> Array:
        """Return where (k, 2) ramps end and begin on straight ways from rest to rest; else NaN."""
        if self.path.in_joints or not np.isfinite(self._most).all():
            return np.full((len(first), 2), np.nan)
        chord = np.linalg.norm(self.path.along(last)[0] - self.path.along(first)[0], axis=-1)
        way = (last - first) * self.path.length
        speed, acceleration = self._most
        ramp = (last - first) * np.minimum(0.5, 0.5 * speed**2 / (acceleration * way))
        ramp[chord < (1.0 - STRAIGHT) * way] = np.nan
        return np.stack([first + ramp, last - ramp], axis=-1)

    def turns(self, _s: Array) -> Array:
        """Return no places: the tip does not mind."""
        return np.zeros(0)

    def geometry(self, s: Array, within: Array) -> PathGeometry:
        """Return the tip at places (k,), from the sides that others (k,) lie on."""
        rows = LAWS["constant-speed"].points(self.path, s, within)
        tip = tip_rates(self.arm, rows) if self.path.in_joints else rows[1:]
        return PathGeometry(*np.zeros((7, len(s), 0)), *tip)

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
    temperatures: WindingTemperatures | None = None  # those of the surroundings without

    @property
    def tip(self) -> TipLimits:
        """Those of the tip."""
        n = self.arm.n
        return TipLimits(
            self.arm, self.base.path, self.speed, self.acceleration, self.factor[4 * n :]
        )

    @property
    def ramp_time(self) -> float:
        """How long [s] the tip takes to its largest speed with its largest acceleration."""
        return self.tip.ramp_time

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
        return driven_joints(self.arm)

    @cached_property
    def _max_rates(self) -> Array:
        return max_rates(self.arm)

    @property
    def _turns_matter(self) -> bool:
        """Whether what a joint can do depends on the direction in which it moves."""
        return self.arm.has_friction or bool(self._driven)

    def check_accelerations(self) -> None:
        """Raise InputError if nothing limits accelerations: there is no least time then."""
        most = [self.arm.parameters.max_torque, self.joint_acceleration]
        if np.isfinite(most).any() or np.isfinite(self.acceleration) or self._driven:
            return
        speeds = np.isfinite(self._max_rates).any() or np.isfinite(self.speed)
        got = f"'fastest' {'with limits of speed only' if speeds else 'without any limit'}"
        need = "one of acceleration: torques or motors of the joints, max_acceleration or "
        raise InputError(Problem("timing", got, f"{need}max_joint_acceleration"))

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
        tip = points[1:] if self.base.solver else tip_rates(self.arm, points)
        return PathGeometry(
            first, second, direction, inertia, coriolis, gravity, self.temperature(s), *tip
        )

    def temperature(self, s: Array) -> Array:
        """Return how warm (k, n) [°C] windings are at parts (k,) of the way."""
        if self.temperatures is not None:
            return self.temperatures.at(s)
        return np.broadcast_to(ambient_temperatures(self.arm), (len(s), self.arm.n))

    def friction(self, at: PathGeometry, v: Array) -> Array:
        """Return the torques (k, n) against damping, dry friction and drag at speeds (k,)."""
        rate = at.first * v[:, None]
        viscous = self.arm.parameters.damping * rate
        if not self.arm.has_friction:
            return np.asarray(viscous)
        return np.asarray(viscous + friction_torque(self.arm, rates_along(at.direction, rate)))

    def torque(self, at: PathGeometry, v: Array, u: Array) -> Array:
        """Return the torques (k, n) before gears that speeds and accelerations (k,) take."""
        moving = at.inertia * u[:, None] + at.coriolis * (v * v)[:, None]
        needed = moving + at.gravity + self.friction(at, v)
        return before_gears(needed, at.direction, efficiencies(self.arm))

    def use(self, at: PathGeometry, v: Array, u: Array) -> Array:
        """Return how much (k, 4 n + 2) of every limit is used at speeds and accelerations (k,)."""
        p = self.arm.parameters
        x, along = (v * v)[:, None], u[:, None]
        torque = self.torque(at, v, u)
        allowed = p.max_torque * (1.0 - self.reserve) * self._factor(TORQUE)
        rates = at.first * v[:, None]
        turning = at.first * along + at.second * x
        return np.concatenate(
            [
                np.abs(torque) / allowed,
                self._motor_use(at, v, torque, turning),
                np.abs(rates) / (self._max_rates * self._factor(SPEED)),
                np.abs(turning) / (self.joint_acceleration * self._factor(ACCELERATION)),
                self.tip.use(at, v, u),
            ],
            axis=-1,
        )

    def _motor_use(self, at: PathGeometry, v: Array, torque: Array, turning: Array) -> Array:
        """Return how much (k, n) of motors torques and accelerations (k, n) of joints use."""
        use = np.zeros_like(torque)
        for k in self._driven:
            joint, rate, warmth = self.arm.joints[k], at.first[:, k] * v, at.temperature[:, k]
            most = float(self._factor(MOTOR)[k]) * (1.0 - self.reserve)
            asked = torque[:, k] + rotor_torque(joint, k, turning)
            lower, upper = (most * part for part in left_torques(joint, rate, warmth))
            still = most * left_torques(joint, np.zeros_like(rate), warmth).upper
            left = np.where(asked < 0.0, -lower, upper)
            passed = np.maximum(asked - upper, lower - asked)
            part = 1.0 + passed / np.maximum(left, LEAST_SHARE * still)
            use[:, k] = np.maximum(part, np.abs(rate) / motor_lines(joint, warmth).max_rate)
        return use

    def rows(self, at: PathGeometry, v: Array) -> Array:
        """Return the limits (k, r, 4): a u + b x + d √x + c ≤ 0, near speeds (k,)."""
        found, needed = list[Array](), self._torque_rows(at, v)
        most = self.arm.parameters.max_torque * (1.0 - self.reserve) * self._factor(TORQUE)
        for k in np.flatnonzero(np.isfinite(most)).tolist():
            out, back = gear_efficiencies(self.arm.joints[k])
            for way in (1.0, -1.0):
                driven, braked = (part * at.direction[:, k] > 0.0 for part in (way, -way))
                reaching = most[k] * np.where(driven, out, np.where(braked, 1.0 / back, 1.0))
                found.append(_row(way * needed[:, k], reaching))
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
        joint, found = self.arm.joints[k], list[Array]()
        lines, size = motor_lines(joint, at.temperature[:, k]), motor_lines(joint).stall
        most = float(self._factor(MOTOR)[k]) * (1.0 - self.reserve)
        way, speed = at.direction[:, k], np.abs(at.first[:, k])
        ahead = np.where(way < 0.0, -1.0, 1.0)[:, None]
        rotor = np.zeros_like(needed)
        rotor[:, 0], rotor[:, 1] = (rotor_torque(joint, k, part) for part in (at.first, at.second))
        out, back = gear_efficiencies(joint)
        sides = [(ahead, out, 1.0, lines.driving), (-ahead, 1.0 / back, 1.0, lines.braking)]
        if is_loose(joint):  # its motor may drive the rotor while the joint is held back
            sides.append((ahead, 1.0 / back, 1.0 / (out * back), lines.driving))
        for side, through, part, curve in sides:
            for line in curve:
                row = side * (needed + through * rotor)
                row[:, 2] -= most * part * line.slope * speed
                rest = np.asarray(np.where(way == 0.0, lines.stall, line.rest))
                row[:, 3] -= most * part * rest
                found.append(row / (most * size))
        return found

    def squares(self, at: PathGeometry) -> Array:
        """Return the limit (k, 4) of the tip's acceleration: A u² + 2 B u x + C x² ≤ D."""
        return self.tip.squares(at)

    def fastest(self, at: PathGeometry) -> Array:
        """Return the largest x (k,) that the speeds of joints and tip leave."""
        rates = np.broadcast_to(self._max_rates * self._factor(SPEED), at.first.shape).copy()
        for k in self._driven:
            lines = motor_lines(self.arm.joints[k], at.temperature[:, k])
            rates[:, k] = np.minimum(rates[:, k], lines.max_rate)
        with np.errstate(divide="ignore"):
            joints = rates / np.abs(at.first)
        return np.asarray(np.minimum(joints.min(axis=-1) ** 2, self.tip.fastest(at)))

    def ramp_ends(self, first: Array, _last: Array) -> Array:
        """Return NaN (k, 2): joints do not move evenly on straight ways."""
        return np.full((len(first), 2), np.nan)

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
        """Raise InfeasibleError: what the arm would need to stand or begin to move there."""
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
        what = "begin to move against its friction" if self.arm.has_friction else "hold itself"
        raise InfeasibleError(
            f"the arm cannot {what}: {s[(row + 1) // 2]:.1%} of the way along, joint "
            f"{joint} needs {needed}; try a stronger joint, less payload or less reserve"
        )


SpeedLimits: TypeAlias = TipLimits | PathLimits


def joint_rows(
    base: Trajectory, s: Array, within: Array | None = None, points: Array | None = None
) -> Array:
    """Return joints (3, k, n) with derivatives by the part of the way, at points (3, k, d)."""
    if points is None:
        points, _ = base.path_rows(s, within)
    rows = points
    if base.solver is not None:
        near = s if within is None else s + SIDE * (within - s)
        rows = base.solver(near, points)
    return to_rest(rows, base.usual_rate) if depends_on_direction(base.arm) else rows


def tip_rates(arm: Arm, rows: Array) -> tuple[Array, Array]:
    """Return first and second derivatives (k, 2) of the tip, for joints (3, k, n)."""
    first, second = tip_velocity(arm, *rows[:2]), tip_acceleration(arm, *rows)
    return np.asarray(first)[..., :2], np.asarray(second)[..., :2]


def _row(needed: Array, most: float | Array) -> Array:
    """Return a u + b x + d √x + c ≤ most as rows (k, 4), by parts of the limit, or limits (k,)."""
    parts = needed / np.reshape(most, (-1, 1))
    parts[:, 3] -= 1.0
    return np.asarray(parts)

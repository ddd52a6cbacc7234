"""What a motion demands of an arm at any time, not only at samples: its extremes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ulna.actuation.friction import (
    before_gears,
    depends_on_direction,
    efficiencies,
    motion_direction,
    rates_along,
)
from ulna.arm import Arm, Parameters
from ulna.arm.parameters import are_limited
from ulna.arrays import Array
from ulna.dynamics import inverse_dynamics
from ulna.kinematics import condition_number, joints
from ulna.kinematics.inverse_kinematics import EXACT, ring
from ulna.motion.planning.adaptive_sampling import (
    BOTH,
    INTERVALS,
    NEITHER,
    SIZE,
    AdaptiveSamples,
    Function,
    TimeSpan,
    sample_adaptively,
    sign_changes,
)
from ulna.motion.planning.motor_demands import MotorDemands
from ulna.motion.trajectory import Trajectory

STEP = 0.25  # of the reach, that the tip moves between two first samples at most
MOST_INTERVALS = 50_000
# Of its largest value, to which the distance from the base is known before extremes are refined.
FINE_REACH = 1e-4
CLOSEST = 1e-9  # of the duration, between two breaks
# The columns of sampled values: n each of q, q̇, q̈, τ, power and heights.
ANGLE, RATE, ACCELERATION, TORQUE, POWER, HEIGHT = range(6)


class Peaks(NamedTuple):
    """The extremes of a motion: the largest sizes, one a joint, and the smallest margins.

    All are extremes over time, found to 1e-3 and better, and do not depend on the samples that a
    plan was asked for; only with derivatives="finite" they are those of the samples. Where a joint
    with dry friction turns back or starts, torques are those of either side.

    Attributes
    ----------
    torque : ndarray, shape (n,)
        Largest torque [N·m], before losses of gears.
    torque_rms : ndarray, shape (n,)
        Root mean square torque [N·m] over the whole motion.
    speed : ndarray, shape (n,)
        Largest joint rate [rad/s].
    acceleration : ndarray, shape (n,)
        Largest joint acceleration [rad/s²].
    power : ndarray, shape (n,)
        Largest mechanical power [W].
    reach_margin : float
        How far [m] the tip stays inside its reach; negative outside.
    singularity_margin : float
        The smallest reciprocal condition number of the Jacobian, 0 to 1.
    """

    torque: Array
    torque_rms: Array
    speed: Array
    acceleration: Array
    power: Array
    reach_margin: float
    singularity_margin: float


def columns_of(kind: int, n: int) -> slice:
    """Return the columns of one kind."""
    return slice(kind * n, (kind + 1) * n)


def motion_torques(
    arm: Arm | Parameters, rows: Any, tip_force: Array | None, efficiency: Array
) -> Array:
    """Return the torques (…, n) [N·m] of motors, before their gears, that q, q̇ and q̈ take.

    `efficiency` (2, …, n) are the efficiencies of gears that drive and that brake.
    """
    q, qd, qdd = rows
    reaching = inverse_dynamics(arm, q, qd, qdd, tip_force=tip_force)
    return before_gears(reaching, motion_direction(np, qd, qdd), efficiency)


@dataclass(frozen=True, eq=False)
class Demands:
    """A motion with the force on its tip, and its extremes."""

    arm: Arm
    trajectory: Trajectory
    force: Callable[[Array], Array] | None
    floor: float | None  # [m] below which no joint may be

    @cached_property
    def edges(self) -> Array:
        """The parts of the duration between which all is smooth."""
        edges = self.trajectory.timing.edges(self.trajectory.path)
        kept = edges[np.diff(edges, prepend=-1.0) > np.finfo(float).eps]
        kept[-1] = 1.0
        return np.asarray(kept)

    @cached_property
    def intervals(self) -> int:
        """How many intervals to begin with: more for a path that goes to and fro for long."""
        middles = 0.5 * (self.edges[:-1] + self.edges[1:])
        u = np.union1d(np.linspace(0.0, 1.0, 8 * INTERVALS + 1), middles)
        points = self.trajectory.tip_rows(u * self.trajectory.duration)[0]
        way = float(np.linalg.norm(np.diff(points, axis=0), axis=-1).sum())
        return min(max(INTERVALS, int(way / (STEP * self.arm.reach))), MOST_INTERVALS)

    def sampled(self, function: Function, pieces: Array, **options: Any) -> AdaptiveSamples:
        """Sample a function on pieces (k, 2) of the motion."""
        return sample_adaptively(
            function, pieces, self.trajectory.duration, intervals=self.intervals, **options
        )

    @cached_property
    def reach(self) -> AdaptiveSamples:
        """The square of the tip's distance from the base [m²], one column."""
        return self.sampled(self._distance, self.edges, close=FINE_REACH)

    @cached_property
    def tip(self) -> AdaptiveSamples:
        """The tip's speed [m/s] and acceleration [m/s²], squared, two columns."""
        return sample_adaptively(self._tip_rates, self.edges, self.trajectory.duration)

    @cached_property
    def joints(self) -> AdaptiveSamples:
        """Angles, rates, accelerations, torques, powers and heights of all joints, in reach."""
        limits, n = self.arm.parameters, self.arm.n
        most = np.full(6 * n, np.inf)
        most[columns_of(RATE, n)], most[columns_of(TORQUE, n)] = (
            limits.max_velocity,
            limits.max_torque,
        )
        # Angles and heights have extremes of their own, where somebody asks for them.
        ranges = BOTH if are_limited(limits) else NEITHER
        heights = NEITHER if self.floor is None else BOTH
        wanted = np.repeat([ranges, SIZE, SIZE, SIZE, SIZE, heights], n)
        most = np.where(most > 0.0, most, np.inf)
        return self.sampled(self._joint_values, self.pieces, limits=most, wanted=wanted)

    @cached_property
    def pieces(self) -> Array:
        """First and last parts of the duration (k, 2) of all smooth pieces that are in reach.

        Where a joint with dry friction or a lossy gear turns back its torque jumps: that is a break
        too.
        """
        lost = [span[:2] for span in self.out_of_reach]
        cuts = np.unique(np.concatenate([self.edges, np.ravel(lost) / self.trajectory.duration]))
        pieces = np.stack([cuts[:-1], cuts[1:]], axis=-1)
        middles = pieces.mean(axis=1) * self.trajectory.duration
        inside = ~np.any([(middles >= a) & (middles <= b) for a, b in lost] or [False], axis=0)
        kept = np.asarray(pieces[np.broadcast_to(inside, len(pieces))])
        if not len(kept) or not self._turns_matter:
            return kept
        turns = sign_changes(self.sampled(self._rates, kept))
        turns = turns[np.abs(turns[:, None] - cuts).min(axis=1) > CLOSEST]
        turns = turns[np.diff(turns, prepend=-1.0) > CLOSEST]
        after = np.searchsorted(kept[:, 0], turns)
        first, last = np.insert(kept[:, 0], after, turns), np.insert(kept[:, 1], after - 1, turns)
        return np.stack([first, last], axis=-1)

    @cached_property
    def _turns_matter(self) -> bool:
        return depends_on_direction(self.arm)

    @cached_property
    def _directions(self) -> Array:
        """The direction (k, n) in which joints move on each of the pieces; 0 of one at rest."""
        middles = self.pieces.mean(axis=1)
        return np.sign(self._rates(middles, middles)[:, : self.arm.n])

    @cached_property
    def out_of_reach(self) -> list[TimeSpan]:
        """All spans out of reach, and the shortfall [m] in them."""
        if self.trajectory.solver is None:
            return []  # wherever its joints are, there is an arm
        return list(self.reach.passed(self._shortfall, EXACT * self.arm.reach))

    @cached_property
    def motors(self) -> MotorDemands:
        """What it asks of the motors at any time."""
        at = self.joints
        rows = self._rates_and_torques(at.values)
        return MotorDemands(self.arm, self.trajectory.duration, at.u, *rows, demands=self)

    def joint_rows(self, u: Array, within: Array) -> tuple[Array, Array, Array]:
        """Return rates, accelerations and torques (k, n)."""
        return self._rates_and_torques(self._joint_values(u, within))

    def _rates_and_torques(self, values: Array) -> tuple[Array, Array, Array]:
        rate, acceleration, torque = (
            values[:, columns_of(kind, self.arm.n)] for kind in (RATE, ACCELERATION, TORQUE)
        )
        return rate, acceleration, torque

    def peaks(self) -> Peaks:
        """Return the worst of the motion; NaN where none of it is in reach."""
        n, reach_margin = self.arm.n, 0.0 - float(np.max(self._shortfall(self.reach.values)))
        if not len(self.pieces):
            none = np.full(n, np.nan)
            return Peaks(none, none, none, none, none, reach_margin, float("nan"))
        peak, rms = self.joints.peak, self.joints.rms
        regularity = self.sampled(self._regularity, self.pieces, close=0.1)
        return Peaks(
            torque=peak[columns_of(TORQUE, n)],
            torque_rms=rms[columns_of(TORQUE, n)],
            speed=peak[columns_of(RATE, n)],
            acceleration=peak[columns_of(ACCELERATION, n)],
            power=peak[columns_of(POWER, n)],
            reach_margin=reach_margin,
            singularity_margin=max(0.0, float(regularity.smallest[0])),
        )

    def largest(self, function: Callable[[Array, Array | None], Array]) -> Array:
        """Return the largest sizes of what a function makes of q, q̇, q̈ and the tip force.

        It returns values (k, m) for (3, k, n) and (k, 3); NaN (m,) where nothing is in reach.
        """
        if not len(self.pieces):
            rows, force = self._rows(np.zeros(1), np.zeros(1))
            return np.full(function(rows, force).shape[-1], np.nan)
        return self.sampled(
            lambda u, within: np.nan_to_num(function(*self._rows(u, within))), self.pieces
        ).peak

    def _rows(self, u: Array, within: Array) -> tuple[Array, Array | None]:
        """Return q, q̇ and q̈ (3, k, n), and the force on the tip (k, 3)."""
        T = self.trajectory.duration
        rows = self.trajectory.rows(u * T, within * T)
        if self._turns_matter and len(self.pieces):
            piece = np.searchsorted(self.pieces[:, 0], within) - 1
            rows[1] = rates_along(self._directions[piece], rows[1])
        return rows, None if self.force is None else self.force(u * T)

    def _rates(self, u: Array, within: Array) -> Array:
        """Return rates and accelerations side by side (k, 2 n)."""
        T = self.trajectory.duration
        _, qd, qdd = np.nan_to_num(self.trajectory.rows(u * T, within * T))
        return np.concatenate([qd, qdd], axis=-1)

    def _tip_rows(self, u: Array, within: Array) -> Array:
        T = self.trajectory.duration
        return self.trajectory.tip_rows(u * T, within * T)

    def _distance(self, u: Array, within: Array) -> Array:
        place = self._tip_rows(u, within)[0] - np.array(self.arm.base)
        return np.sum(place**2, axis=-1)[:, None]

    def _shortfall(self, squares: Array) -> Array:
        """Return how far (k,) [m] the tip is outside what its links reach; negative inside."""
        inner, outer = ring(np.asarray(self.arm.parameters.length))
        radius = np.sqrt(squares[:, 0])
        if inner <= 0.0:
            return np.asarray(radius - outer)
        return np.asarray(np.maximum(radius - outer, inner - radius))

    def _tip_rates(self, u: Array, within: Array) -> Array:
        return np.sum(self._tip_rows(u, within)[1:] ** 2, axis=-1).T

    def _joint_values(self, u: Array, within: Array) -> Array:
        (q, qd, qdd), force = self._rows(u, within)
        tau = motion_torques(self.arm, (q, qd, qdd), force, efficiencies(self.arm))
        heights = joints(self.arm, q)[:, 1:, 1]
        return np.nan_to_num(np.concatenate([q, qd, qdd, tau, tau * qd, heights], axis=-1))

    def _regularity(self, u: Array, within: Array) -> Array:
        T = self.trajectory.duration
        q = np.nan_to_num(self.trajectory.rows(u * T, within * T)[0])
        return (1.0 / condition_number(self.arm, q))[:, None]

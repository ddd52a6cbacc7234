"""The largest demands of a motion on an arm, at any time and not only at samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array
from ulna.dynamics import inverse_dynamics
from ulna.kinematics import condition_number, joints
from ulna.kinematics.inverse_kinematics import EXACT
from ulna.kinematics.limits import are_limited
from ulna.kinematics.ring import ring
from ulna.motion.adaptive_sampling import (
    BOTH,
    INTERVALS,
    NEITHER,
    SIZE,
    AdaptiveSamples,
    sample_adaptively,
)
from ulna.motion.terms import Terms, torque_terms
from ulna.motion.trajectory import Trajectory

STEP = 0.25  # of the reach, that the tip moves between two first samples at most
MOST_INTERVALS = 50_000
# Of its largest value, to which the distance from the base is known before extremes are refined.
CLOSE = 1e-4


class Peaks(NamedTuple):
    """The extremes of a motion: the largest sizes, one a joint, and the smallest margins.

    All are extremes over time, found to 1e-3 and better, and do not depend on the samples that a
    plan was asked for; only with derivatives="finite" they are those of the samples.

    Attributes
    ----------
    torque : ndarray, shape (n,)
        Largest torque [N·m].
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


class Columns(NamedTuple):
    """The columns of the sampled values of the joints."""

    n: int

    def of(self, place: int) -> slice:
        """Return the columns of q, q̇, q̈, τ, power and heights, which are counted from 0."""
        return slice(place * self.n, (place + 1) * self.n)


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

    @cached_property
    def reach(self) -> AdaptiveSamples:
        """The square of the tip's distance from the base [m²], one column."""
        return sample_adaptively(
            self._distance, self.edges, self.trajectory.duration,
            close=CLOSE, intervals=self.intervals,
        )  # fmt: skip

    @cached_property
    def tip(self) -> AdaptiveSamples:
        """The tip's speed [m/s] and acceleration [m/s²], squared, two columns."""
        return sample_adaptively(self._tip_rates, self.edges, self.trajectory.duration)

    @cached_property
    def joints(self) -> AdaptiveSamples:
        """Angles, rates, accelerations, torques, powers and heights of all joints, in reach."""
        limits = self.arm.parameters
        n = self.arm.n
        most = np.full(6 * n, np.inf)
        most[Columns(n).of(1)], most[Columns(n).of(3)] = limits.max_velocity, limits.max_torque
        # Angles and heights have extremes of their own, where somebody asks for them.
        ranges = BOTH if are_limited(limits) else NEITHER
        heights = NEITHER if self.floor is None else BOTH
        wanted = np.repeat([ranges, SIZE, SIZE, SIZE, SIZE, heights], n)
        return sample_adaptively(
            self._joint_values, self.pieces, self.trajectory.duration,
            limits=np.where(most > 0.0, most, np.inf), wanted=wanted, intervals=self.intervals,
        )  # fmt: skip

    @cached_property
    def pieces(self) -> Array:
        """First and last parts of the duration (k, 2) of all smooth pieces that are in reach."""
        lost = [span[:2] for span in self.out_of_reach]
        cuts = np.unique(np.concatenate([self.edges, np.ravel(lost) / self.trajectory.duration]))
        pieces = np.stack([cuts[:-1], cuts[1:]], axis=-1)
        middles = pieces.mean(axis=1) * self.trajectory.duration
        inside = ~np.any([(middles >= a) & (middles <= b) for a, b in lost] or [False], axis=0)
        return np.asarray(pieces[np.broadcast_to(inside, len(pieces))])

    @cached_property
    def out_of_reach(self) -> list[tuple[float, float, float, float]]:
        """First and last time [s], shortfall [m] and its time [s] of all spans out of reach."""
        if self.trajectory.solver is None:
            return []  # wherever its joints are, there is an arm
        return list(self.reach.passed(self._shortfall, EXACT * self.arm.reach))

    def peaks(self) -> Peaks:
        """Return the worst of the motion; NaN where none of it is in reach."""
        n, place = self.arm.n, Columns(self.arm.n)
        if not len(self.pieces):
            none = np.full(n, np.nan)
            return Peaks(none, none, none, none, none, self.reach_margin, float("nan"))
        peak, rms = self.joints.peak, self.joints.rms
        speed, acceleration, torque, power = (peak[place.of(k)] for k in (1, 2, 3, 4))
        return Peaks(
            torque, rms[place.of(3)], speed, acceleration, power,
            self.reach_margin, self.singularity_margin,
        )  # fmt: skip

    @property
    def reach_margin(self) -> float:
        """How far [m] the tip stays inside what its links reach, at its closest to the edge."""
        return float(np.min(self._margin(self.reach.values)))

    @property
    def singularity_margin(self) -> float:
        """The smallest reciprocal condition number of the Jacobian."""
        found = sample_adaptively(
            self._regularity, self.pieces, self.trajectory.duration,
            close=0.1, intervals=self.intervals,
        )  # fmt: skip
        return max(0.0, float(found.smallest[0]))

    def term_peaks(self) -> dict[str, Array]:
        """Return the largest size (n,) [N·m] of every term of the torques, by its name."""
        n = self.arm.n
        if not len(self.pieces):
            return {name: np.full(n, np.nan) for name in Terms._fields}
        found = sample_adaptively(
            self._terms, self.pieces, self.trajectory.duration, intervals=self.intervals
        ).peak
        return {name: found[Columns(n).of(k)] for k, name in enumerate(Terms._fields)}

    def _distance(self, u: Array, within: Array) -> Array:
        T = self.trajectory.duration
        place = self.trajectory.tip_rows(u * T, within * T)[0] - np.array(self.arm.base)
        return np.sum(place**2, axis=-1)[:, None]

    def _margin(self, squares: Array) -> Array:
        inner, outer = ring(np.asarray(self.arm.parameters.length))
        radius = np.sqrt(squares[:, 0])
        if inner <= 0.0:
            return np.asarray(outer - radius)
        return np.asarray(np.minimum(outer - radius, radius - inner))

    def _shortfall(self, squares: Array) -> Array:
        return -self._margin(squares)

    def _tip_rates(self, u: Array, within: Array) -> Array:
        T = self.trajectory.duration
        return np.sum(self.trajectory.tip_rows(u * T, within * T)[1:] ** 2, axis=-1).T

    def _joint_values(self, u: Array, within: Array) -> Array:
        T = self.trajectory.duration
        times = u * T
        q, qd, qdd = self.trajectory.rows(times, within * T)
        force = None if self.force is None else self.force(times)
        tau = np.asarray(inverse_dynamics(self.arm, q, qd, qdd, tip_force=force))
        heights = joints(self.arm, q)[:, 1:, 1]
        return np.nan_to_num(np.concatenate([q, qd, qdd, tau, tau * qd, heights], axis=-1))

    def _terms(self, u: Array, within: Array) -> Array:
        T = self.trajectory.duration
        q, qd, qdd = self.trajectory.rows(u * T, within * T)
        force = None if self.force is None else self.force(u * T)
        return np.nan_to_num(np.concatenate(torque_terms(self.arm, q, qd, qdd, force), axis=-1))

    def _regularity(self, u: Array, within: Array) -> Array:
        T = self.trajectory.duration
        q = np.nan_to_num(self.trajectory.rows(u * T, within * T)[0])
        return (1.0 / condition_number(self.arm, q))[:, None]

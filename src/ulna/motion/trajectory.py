"""A motion: joint angles, rates and accelerations at any time, exact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array, float_array
from ulna.kinematics import tip, tip_acceleration, tip_velocity
from ulna.kinematics.inverse_kinematics import EXACT
from ulna.kinematics.ring import ring
from ulna.motion.jets import as_complex
from ulna.motion.path import Path
from ulna.motion.solving import Solver
from ulna.motion.timing import Timing
from ulna.typing import TimesLike


class JointMotion(NamedTuple):
    """Angles, rates and accelerations of the joints.

    Attributes
    ----------
    q : ndarray, shape (..., n)
        Joint angles [rad].
    qd : ndarray, shape (..., n)
        Joint rates [rad/s].
    qdd : ndarray, shape (..., n)
        Joint accelerations [rad/s²].
    """

    q: Array
    qd: Array
    qdd: Array


class TipMotion(NamedTuple):
    """Position, velocity and acceleration of the tip.

    Attributes
    ----------
    position : ndarray, shape (..., 2)
        Position x, y [m].
    velocity : ndarray, shape (..., 2)
        Velocity [m/s].
    acceleration : ndarray, shape (..., 2)
        Acceleration [m/s²].
    """

    position: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """A path in time, as an arm follows it: `trajectory(t)` returns q, q̇ and q̈.

    Before its start and after its end the arm stands still. Where the path is out of reach the
    values are NaN.

    Attributes
    ----------
    arm : Arm
        The arm that follows.
    path : Path
        The path.
    timing : Timing
        The timing law.
    duration : float
        How long it takes [s].
    solver : callable or None
        Computes the joints for points of the tip; None where the path is one of joints.

    Examples
    --------
    >>> import ulna
    >>> trajectory = ulna.plan(ulna.preset("kehl"), ulna.paths.loops()).trajectory
    >>> trajectory(0.0).q.round(4).tolist()
    [0.6311, 1.8795]
    """

    arm: Arm
    path: Path
    timing: Timing
    duration: float
    solver: Solver | None

    def __call__(self, t: TimesLike) -> JointMotion:
        """Return q, q̇ and q̈ (…, n) at times (…) [s]."""
        times = np.asarray(float_array(t, "t"), dtype=np.float64)
        return JointMotion(*self.rows(times.ravel()).reshape(3, *times.shape, self.arm.n))

    def rows(self, times: Array, within: Array | None = None) -> Array:
        """Return q, q̇ and q̈ at times in a row.

        Parameters
        ----------
        times : ndarray, shape (k,)
            Times [s].
        within : ndarray, shape (k,), optional
            Times [s]: where something jumps, the limit from their side is returned.

        Returns
        -------
        ndarray, shape (3, k, n)
            Angles [rad], rates [rad/s] and accelerations [rad/s²].
        """
        asked, moving = self.path_rows(times, within)
        if self.solver is None:
            return asked
        rows = self.solver(np.clip(times, 0.0, self.duration), asked)
        reached = self._reachable(asked[0])
        if not moving.all():
            rows[1:, ~moving] = 0.0
        if not reached.all():
            rows[:, ~reached] = np.nan
        return rows

    def tip(self, t: TimesLike) -> TipMotion:
        """Return where the tip should be, its velocity and its acceleration.

        Parameters
        ----------
        t : array_like, shape (...)
            Times [s].

        Returns
        -------
        TipMotion
            Position [m], velocity [m/s] and acceleration [m/s²], shape (..., 2) each.
        """
        times = np.asarray(float_array(t, "t"), dtype=np.float64)
        return TipMotion(*self.tip_rows(times.ravel()).reshape(3, *times.shape, 2))

    def tip_rows(self, times: Array, within: Array | None = None) -> Array:
        """Return the motion of the tip at times in a row.

        Parameters
        ----------
        times : ndarray, shape (k,)
            Times [s].
        within : ndarray, shape (k,), optional
            Times [s]: where something jumps, the limit from their side is returned.

        Returns
        -------
        ndarray, shape (3, k, 2)
            Position [m], velocity [m/s] and acceleration [m/s²].
        """
        rows, _ = self.path_rows(times, within)
        if self.solver is None:
            found = tip_velocity(self.arm, *rows[:2]), tip_acceleration(self.arm, *rows)
            rows = np.stack([tip(self.arm, rows[0]), *found])[..., :2]
        return rows

    def path_rows(self, times: Array, within: Array | None = None) -> tuple[Array, Array]:
        """Return the path with two derivatives by time, and whether it moves.

        Parameters
        ----------
        times : ndarray, shape (k,)
            Times [s].
        within : ndarray, shape (k,), optional
            Times [s]: where something jumps, the limit from their side is returned.

        Returns
        -------
        rows : ndarray, shape (3, k, d)
            Points of the tip [m] or of the joints [rad], with derivatives by time.
        moving : ndarray of bool, shape (k,)
            Whether a time lies between start and end.
        """
        u = np.clip(times / self.duration, 0.0, 1.0)
        beside = None if within is None else np.clip(within / self.duration, 0.0, 1.0)
        rows = self.timing.points(self.path, u, beside)
        rows[1] /= self.duration
        rows[2] /= self.duration**2
        slack = 1e-9 * self.duration
        moving = (times >= -slack) & (times <= self.duration + slack)
        if not moving.all():
            rows[1:, ~moving] = 0.0
        return rows, moving

    def _reachable(self, points: Array) -> Array:
        inner, outer = ring(np.asarray(self.arm.parameters.length))
        distance = np.abs(as_complex(points) - complex(*self.arm.base))
        slack = EXACT * self.arm.reach
        return (distance <= outer + slack) & (distance >= inner - slack)

    def __repr__(self) -> str:
        return f"Trajectory: {self.path}, {self.timing.name}, {self.duration:g} s"

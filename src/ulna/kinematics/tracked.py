"""The answer of tracking a path: joint angles, and at every sample why anything went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import IntFlag
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ulna.arm import Arm
from ulna.kinematics.ring import Floats


class TrackFlag(IntFlag):
    """What was found at a sample of a path; several flags may be set at once.

    OUT_OF_REACH, JOINT_LIMIT, BELOW_FLOOR and NOT_CONVERGED are failures; SINGULAR and
    BRANCH_SWITCH are things to know about a sample that is followed.
    """

    NONE = 0
    OUT_OF_REACH = 1
    JOINT_LIMIT = 2
    SINGULAR = 4
    BRANCH_SWITCH = 8
    BELOW_FLOOR = 16
    NOT_CONVERGED = 32

    @property
    def text(self) -> str:
        """The flags as text, such as "joint limit, singular"."""
        return (self.name or "").lower().replace("_", " ").replace("|", ", ")


# A sample with one of these is not followed; the others are things to know.
FAILURES = (
    TrackFlag.OUT_OF_REACH | TrackFlag.JOINT_LIMIT | TrackFlag.BELOW_FLOOR | TrackFlag.NOT_CONVERGED
)


class JointPaths(NamedTuple):
    """A flat batch of paths as joint angles, before anything is judged."""

    q: Floats  # (B, T, n), at the nearest reachable posture where out of reach
    reachable: NDArray[np.bool_]  # (B, T)
    shortfall: Floats  # (B, T) [m]
    switched: NDArray[np.bool_]  # (B, T) the branch changed here


@dataclass(frozen=True)
class Interval:
    """A run of neighbouring samples with the same flag.

    Attributes
    ----------
    flag : TrackFlag
        What was found there.
    path : tuple of int
        Which path of a batch; () for a single one.
    first : int
        The first sample.
    last : int
        The last sample.
    worst : float
        The largest shortfall or residual [m], excess [rad], condition number or depth [m].
    worst_at : int
        The sample that has it.
    """

    flag: TrackFlag
    path: tuple[int, ...]
    first: int
    last: int
    worst: float
    worst_at: int

    def __str__(self) -> str:
        where = f"path {self.path}, " if self.path else ""
        span = (
            f"samples {self.first} to {self.last}"
            if self.last > self.first
            else f"sample {self.first}"
        )
        return f"{where}{span}: {self.flag.text}{self._measure()}"

    def _measure(self) -> str:
        at = f" at sample {self.worst_at}" if self.last > self.first else ""
        return {
            TrackFlag.OUT_OF_REACH: f" by up to {self.worst:.4g} m{at}",
            TrackFlag.JOINT_LIMIT: f" exceeded by up to {np.degrees(self.worst):.4g} deg{at}"
            if self.worst > 0.0
            else " keeps the joints from following",
            TrackFlag.SINGULAR: f", condition number {_up_to(self.worst)}{at}",
            TrackFlag.BELOW_FLOOR: f" by up to {self.worst:.4g} m{at}",
            TrackFlag.NOT_CONVERGED: f", up to {self.worst:.4g} m off{at}",
        }.get(self.flag, "")


@dataclass(frozen=True, eq=False, repr=False)
class Tracked:
    """Joint angles along a path, unwrapped, with flags where they fail.

    `track` returns it.

    Attributes
    ----------
    points : ndarray, shape (..., T, 2) or (..., T, 3)
        The points as given [m], with orientations [rad] if they have any.
    q : ndarray, shape (..., T, n)
        Joint angles [rad]; NaN where out of reach, unless clamping was asked for.
    flags : ndarray of uint8, shape (..., T)
        A sum of `TrackFlag` for every sample.
    branch : ndarray of int8, shape (..., T)
        The sign of sin q_2; 0 where the arm is straight or folded, or there is no posture.
    shortfall : ndarray, shape (..., T)
        Distance [m] by which a point is out of reach.
    residual : ndarray, shape (..., T)
        Distance [m] from the tip to the point.
    excess : ndarray, shape (..., T)
        Angle [rad] by which the worst joint is past its limit.
    condition : ndarray, shape (..., T)
        Condition number of the position Jacobian.
    depth : ndarray, shape (..., T)
        How far [m] the lowest joint is below the floor.
    arm : Arm or None
        The arm that follows; None where it was given as Parameters.
    """

    points: Floats
    q: Floats
    flags: NDArray[np.uint8]
    branch: NDArray[np.int8]
    shortfall: Floats
    residual: Floats
    excess: Floats
    condition: Floats
    depth: Floats
    arm: Arm | None = None

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Whether each sample (…, T) is followed: reached, within limits, above the floor."""
        return np.asarray((self.flags & FAILURES) == 0)

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """All runs of samples with a flag, each with its worst value."""
        return tuple(self._intervals())

    def path(self, index: int) -> Tracked:
        """Return one path of a batch.

        Parameters
        ----------
        index : int
            Its place along the first axis.

        Returns
        -------
        Tracked
            That path alone.
        """
        names = [part.name for part in fields(self) if part.name != "arm"]
        return Tracked(**{name: getattr(self, name)[index] for name in names}, arm=self.arm)

    def has(self, flag: TrackFlag) -> NDArray[np.bool_]:
        """Return where a flag is set.

        Parameters
        ----------
        flag : TrackFlag
            One flag, or several joined by ``|``, of which any counts.

        Returns
        -------
        ndarray of bool, shape (..., T)
            True for the samples at which it is set.

        Examples
        --------
        >>> import ulna
        >>> tracked = ulna.kinematics.track(ulna.preset("unit"), [[1.0, 0.0], [3.0, 0.0]])
        >>> tracked.has(TrackFlag.OUT_OF_REACH).tolist()
        [False, True]
        """
        return np.asarray((self.flags & flag) != 0)

    def _intervals(self) -> Iterator[Interval]:
        measures = {
            TrackFlag.OUT_OF_REACH: self.shortfall,
            TrackFlag.JOINT_LIMIT: self.excess,
            TrackFlag.SINGULAR: self.condition,
            TrackFlag.BRANCH_SWITCH: np.zeros_like(self.shortfall),
            TrackFlag.BELOW_FLOOR: self.depth,
            TrackFlag.NOT_CONVERGED: self.residual,
        }
        for path in np.ndindex(self.flags.shape[:-1]):
            for flag, measure in measures.items():
                for first, last in runs(self.has(flag)[path]):
                    worst_at = first + int(np.argmax(measure[path][first : last + 1]))
                    worst = float(measure[path][worst_at])
                    yield Interval(flag, path, first, last, worst, worst_at)

    def __repr__(self) -> str:
        good, total = int(self.ok.sum()), self.ok.size
        head = f"Tracked: {good} of {total} samples followed"
        found = self.intervals
        lines = [f"  {interval}" for interval in found[:12]]
        if len(found) > len(lines):
            lines.append(f"  and {len(found) - len(lines)} more intervals")
        return "\n".join([head, *lines])


def _up_to(condition: float) -> str:
    # Beyond this a condition number only measures rounding.
    return f"up to {condition:.4g}" if condition < 1e12 else "beyond 1e12"


def runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first and last place of every run of true flags."""
    edges = np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    return [(int(first), int(last)) for first, last in zip(starts, ends, strict=True)]

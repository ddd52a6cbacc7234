"""Inverse kinematics of a whole path: continuous joint angles, and why they fail where they do.

Where a target has two postures (two links, or three with an orientation) the path stays on its
branch, in closed form. Redundant arms are tracked by prediction and correction (`redundant.py`).
Arrays are flat batches inside: goals (B, T, 2 or 3), both postures of every sample (B, T, 2, n).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntFlag
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ulna.angles import TURN, distance
from ulna.arm import Arm, Parameters, parameters_of
from ulna.arm.parameters import SLACK
from ulna.arrays import Floats, runs
from ulna.errors import InputError, Problem
from ulna.kinematics.differential_kinematics import SINGULAR, condition_number
from ulna.kinematics.forward_kinematics import joints
from ulna.kinematics.inverse_kinematics import (
    SIGN_OF_ELBOW,
    SOLVED,
    distance_to_goal,
    inverse,
    inverse_problem,
    posture_array,
    posture_near,
    target_array,
)
from ulna.kinematics.redundant import PostureProblem, track_postures
from ulna.kinematics.solutions import Solutions
from ulna.typing import AngleLike, Branch, PointLike
from ulna.units import length_text

Flags: TypeAlias = NDArray[np.bool_]
# Joint angles (B, T, n), at the nearest reachable posture where out of reach; (B, T) whether a
# sample is in reach, how far it is out of it [m], and whether the branch changed there.
JointPaths: TypeAlias = tuple[Floats, Flags, Floats, Flags]

# The other branch is taken only where staying would be a jump: at least this many times as far.
CLEARLY_CLOSER = 2.0
STRAIGHT = 1e-12  # sine of an elbow that is as good as straight


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
        span, at = f"sample {self.first}", ""
        if self.last > self.first:
            span, at = f"samples {self.first} to {self.last}", f" at sample {self.worst_at}"
        return f"{where}{span}: {self.flag.text}{self.describe_worst(at)}"

    def describe_worst(self, at: str) -> str:
        """Describe the worst value and where it occurs.

        Parameters
        ----------
        at : str
            Where it occurs, such as " at sample 12".

        Returns
        -------
        str
            A clause such as " by up to 3 mm at sample 12", empty for flags without a value.
        """
        if self.flag == TrackFlag.JOINT_LIMIT and not self.worst > 0.0:
            return " keeps the joints from following"
        # Beyond this a condition number only measures rounding.
        condition = f"up to {self.worst:.4g}" if self.worst < 1e12 else "beyond 1e12"
        return {
            TrackFlag.OUT_OF_REACH: f" by up to {length_text(self.worst)}{at}",
            TrackFlag.JOINT_LIMIT: f" exceeded by up to {np.degrees(self.worst):.4g} deg{at}",
            TrackFlag.SINGULAR: f", condition number {condition}{at}",
            TrackFlag.BELOW_FLOOR: f" by up to {length_text(self.worst)}{at}",
            TrackFlag.NOT_CONVERGED: f", up to {length_text(self.worst)} off{at}",
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
    def ok(self) -> Flags:
        """Whether each sample (…, T) is followed: reached, within limits, above the floor."""
        return np.asarray((self.flags & FAILURES) == 0)

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """All runs of samples with a flag, each with its worst value."""
        measures = {
            TrackFlag.OUT_OF_REACH: self.shortfall,
            TrackFlag.JOINT_LIMIT: self.excess,
            TrackFlag.SINGULAR: self.condition,
            TrackFlag.BRANCH_SWITCH: np.zeros_like(self.shortfall),
            TrackFlag.BELOW_FLOOR: self.depth,
            TrackFlag.NOT_CONVERGED: self.residual,
        }
        found = []
        for path in np.ndindex(self.flags.shape[:-1]):
            for flag, measure in measures.items():
                for first, last in runs(self.has(flag)[path]):
                    worst_at = first + int(np.argmax(measure[path][first : last + 1]))
                    worst = float(measure[path][worst_at])
                    found.append(Interval(flag, path, first, last, worst, worst_at))
        return tuple(found)

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

    def has(self, flag: TrackFlag) -> Flags:
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

    def __repr__(self) -> str:
        head = f"Tracked: {int(self.ok.sum())} of {self.ok.size} samples followed"
        found = self.intervals
        lines = [f"  {interval}" for interval in found[:12]]
        if len(found) > len(lines):
            lines.append(f"  and {len(found) - len(lines)} more intervals")
        return "\n".join([head, *lines])


def track(
    arm: Arm | Parameters,
    points: PointLike,
    start: AngleLike | Branch | None = None,
    *,
    posture: AngleLike | None = None,
    floor: float | None = None,
    clamp: bool = False,
) -> Tracked:
    """Follow the points of a path with continuous joint angles.

    Parameters
    ----------
    arm : Arm or Parameters
        The arm; stacked Parameters have leading axes, which broadcast against those of the paths.
    points : array_like, shape (..., T, 2) or (..., T, 3)
        Points x, y [m] along the path, or with the orientation of the last link [rad].
    start : array_like, shape (..., n), or {"positive", "negative"}, optional
        The posture at the first point: joint angles [rad] to begin close to, or for arms with two
        postures the sign of sin q_2.
    posture : array_like, shape (..., n), optional
        Joint angles [rad] that a redundant arm should stay close to, in its null space.
    floor : float, optional
        Height [m]: samples with a joint or the tip below it are reported.
    clamp : bool, optional
        Whether points out of reach get the nearest reachable posture in place of NaN; they are
        reported either way.

    Returns
    -------
    Tracked
        Joint angles `q`, shape (..., T, n) [rad], unwrapped, and the flags of every sample.

    Raises
    ------
    InputError
        If an argument has another shape, or holds numbers that are not finite.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> line = np.linspace([-1.5, 0.0], [1.5, 0.0], 61)  # straight through the base
    >>> tracked = track(ulna.preset("unit"), line, start="positive")
    >>> tracked.q.shape, bool(tracked.ok.all())
    ((61, 2), True)
    """
    path, parameters = _path(points), parameters_of(arm)
    batch = np.broadcast_shapes(parameters.length.shape[:-1], path.shape[:-2])
    goals = _flat(path, batch, 2)
    arms = Parameters(*(_flat(np.asarray(v, dtype=float), batch, 1) for v in parameters))
    chain_links = arms.n - (path.shape[-1] == 3)
    sign = _sign(start, chain_links)
    begin = None if sign is not None else _angles(arms, start, batch, "start")
    if chain_links <= 2:
        found = _on_branch(arms, goals, begin, sign, clamp)
    else:
        found = _predicted(arms, goals, begin, _angles(arms, posture, batch, "posture"))
    shaped = {
        name: values.reshape(*batch, *values.shape[1:])
        for name, values in _tracked_fields(arms, goals, found, floor, clamp).items()
    }
    return Tracked(**shaped, arm=arm if isinstance(arm, Arm) else None)


def _path(points: PointLike) -> Floats:
    path = target_array(points, "points")
    if path.ndim < 2 or not path.size:
        need = "(..., T, 2) or (..., T, 3), T points along the path"
        raise InputError(Problem("points", f"shape {path.shape}", need))
    return path


def _flat(values: Floats, batch: tuple[int, ...], own_axes: int) -> Floats:
    """Return values with a row for every path of the batch."""
    own = values.shape[values.ndim - own_axes :]
    return np.broadcast_to(values, (*batch, *own)).reshape(-1, *own)


def _sign(start: AngleLike | str | None, chain_links: int) -> int | None:
    if not isinstance(start, str):
        return None
    if chain_links != 2 or start not in SIGN_OF_ELBOW:
        need = "joint angles, or for two links 'positive' or 'negative', the sign of sin q_2"
        raise InputError(Problem("start", repr(start), need))
    return SIGN_OF_ELBOW.index(start)


def _angles(
    arms: Parameters, value: AngleLike | str | None, batch: tuple[int, ...], what: str
) -> Floats | None:
    return None if value is None else _flat(posture_array(arms, value, what), batch, 1)


def _on_branch(
    parameters: Parameters, goals: Floats, begin: Floats | None, sign: int | None, clamp: bool
) -> JointPaths:
    found = inverse(parameters.per_sample(), goals)
    candidates = _two_candidates(found)
    usable = (found.reachable | clamp) & ~found.continuum
    first = np.arange(len(goals)), np.argmax(usable, axis=-1)  # samples, one of each path
    branch = _first_branch(found, candidates, first, begin, sign)
    chosen = _keep_branch(candidates, usable, branch)
    q = np.take_along_axis(candidates, chosen[..., None, None], axis=2)[:, :, 0]
    q = _unwrap_usable(q, usable)
    if begin is not None:
        q = q + TURN * np.round((begin - q[first]) / TURN)[:, None]
    q = _through_centre(q, goals, usable, found.continuum & ~usable, begin)
    switched = _switches(q, found.reachable | clamp)
    return q, found.reachable, found.shortfall, switched


def _two_candidates(found: Solutions) -> Floats:
    """Return two postures (B, T, 2, n) everywhere, the same twice where there is but one."""
    q = np.where(np.isnan(found.q), found.q[..., ::-1, :], found.q)
    q = np.where(np.isnan(q), found.nearest_q[..., None, :], q)
    return np.broadcast_to(q, (*q.shape[:2], 2, q.shape[-1]))


def _first_branch(
    found: Solutions, candidates: Floats, at: Any, begin: Floats | None, sign: int | None
) -> NDArray[np.intp]:
    if sign is not None:
        return np.full(len(candidates), sign)
    if begin is not None:
        return np.asarray(np.argmin(distance(candidates[at], begin[:, None, :]), axis=-1))
    return np.asarray(np.argmax(found.within_limits[at], axis=-1))


def _keep_branch(candidates: Floats, usable: Flags, first: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return for each sample (B, T) the posture that continues the path, by wrapped distance.

    Through the straight arm both branches are continuous, and the one begun on is kept. Through
    the centre of equal links only the posture with the other sign of sin q_2 follows smoothly.
    Samples that are not usable (out of reach, or at the centre itself) are bridged.
    """
    if candidates.shape[-1] < 2:
        return np.zeros(usable.shape, dtype=np.intp)
    before = _previous_usable(usable)
    rows = np.arange(len(candidates))[:, None]
    came_from = candidates[rows, np.maximum(before, 0)]
    stay = distance(candidates, came_from)
    swap = distance(candidates[:, :, ::-1], came_from)
    folded = (np.cos(candidates[..., 1]) < 0.0) & (np.cos(came_from[..., 1]) < 0.0)
    wants = (stay > CLEARLY_CLOSER * swap + 1e-9) & folded & (usable & (before >= 0))[..., None]
    swapped = np.zeros(usable.shape, dtype=bool)
    for row in np.flatnonzero(wants.any(axis=(1, 2))):
        branch = first[row]
        for sample in np.flatnonzero(wants[row].any(axis=-1)):
            swapped[row, sample] = wants[row, sample, branch]
            branch ^= int(swapped[row, sample])
    return np.asarray(first[:, None] ^ (np.cumsum(swapped, axis=-1) & 1))


def _unwrap_usable(q: Floats, usable: Flags) -> Floats:
    """Remove 2π jumps along a path (B, T, n), looking only at usable samples."""
    before = _previous_usable(usable)
    rows = np.arange(len(q))[:, None]
    last = q[rows, np.maximum(before, 0)]
    jump = np.where(((before >= 0) & usable)[..., None], q - last, 0.0)
    turns = np.cumsum(np.ceil(jump / TURN - 0.5), axis=1)
    return q - TURN * turns


def _switches(q: Floats, usable: Flags) -> Flags:
    """Return at which samples (B, T) the sign of sin q_2 is not what it last was."""
    sign = np.where(usable, _sign_of_elbow(q), 0)
    before = _previous_usable(sign != 0)
    last = np.take_along_axis(sign, np.maximum(before, 0), axis=-1)
    return np.asarray((sign != 0) & (before >= 0) & (sign != last))


def _sign_of_elbow(q: Floats) -> NDArray[np.int8]:
    """Return the sign of sin q_2 for postures (…, n), 0 where straight, folded or without elbow."""
    if q.shape[-1] < 2:
        return np.zeros(q.shape[:-1], dtype=np.int8)
    bend = np.sin(q[..., 1])
    return np.where(np.abs(bend) < STRAIGHT, 0, np.sign(bend)).astype(np.int8)


def _previous_usable(usable: Flags) -> NDArray[np.intp]:
    """Return for each sample (B, T) the index of the last usable one before it, or −1."""
    index = np.where(usable, np.arange(usable.shape[-1]), -1)
    latest = np.maximum.accumulate(index, axis=-1)
    return np.concatenate([np.full((len(usable), 1), -1), latest[:, :-1]], axis=-1)


def _through_centre(
    q: Floats, goals: Floats, usable: Flags, centre: Flags, begin: Floats | None
) -> Floats:
    """Fill the samples at which the base angle is free: folded exactly, turned smoothly."""
    if not centre.any():
        return q
    q, samples = q.copy(), np.arange(q.shape[1])
    for row in np.flatnonzero(centre.any(axis=-1) & usable.any(axis=-1)):
        known, gap = samples[usable[row]], samples[centre[row]]
        for joint in range(q.shape[-1]):
            q[row, gap, joint] = np.interp(gap, known, q[row, known, joint])
    if begin is not None:
        nowhere_else = centre & ~usable.any(axis=-1, keepdims=True)
        q = np.where(nowhere_else[..., None], begin[:, None, :], q)
    folded = np.pi * (2.0 * np.round((q[..., 1] / np.pi - 1.0) / 2.0) + 1.0)
    q[..., 1] = np.where(centre, folded, q[..., 1])
    if q.shape[-1] == 3:
        left = goals[..., 2] - q[..., 0] - q[..., 1]
        left = left + TURN * np.round((q[..., 2] - left) / TURN)
        q[..., 2] = np.where(centre, left, q[..., 2])
    return q


def _predicted(
    parameters: Parameters, goals: Floats, begin: Floats | None, posture: Floats | None
) -> JointPaths:
    """Follow goals with redundant arms, from a first posture on."""
    targets = inverse_problem(parameters.per_sample(), goals)
    tolerance = SOLVED * np.sum(parameters.length, axis=-1)
    start = posture_near(parameters, targets.nearest[:, 0], begin, posture, tolerance)
    problem = PostureProblem(parameters, targets.nearest, posture)
    q, jumped = track_postures(problem, start, tolerance=tolerance)
    return q, targets.reachable, targets.near.shortfall, jumped


def _tracked_fields(
    parameters: Parameters, goals: Floats, found: JointPaths, floor: float | None, clamp: bool
) -> dict[str, Any]:
    """Compute the fields of `Tracked` for every sample, as flat batches."""
    arms = parameters.per_sample()
    q, reachable, shortfall, switched = found
    residual = distance_to_goal(arms, q, goals)
    excess = np.max(np.maximum(arms.lower - q, q - arms.upper), axis=-1).clip(min=0.0)
    condition = condition_number(arms, q)
    depth = _depth(arms, q, floor)
    unsolved = reachable & (residual > 10.0 * SOLVED * np.sum(parameters.length, -1)[:, None])
    at_limit = ((q <= arms.lower) | (q >= arms.upper)).any(axis=-1)
    shown = reachable | clamp
    flags = (
        np.where(reachable, 0, TrackFlag.OUT_OF_REACH)
        | np.where(shown & ((excess > SLACK) | (unsolved & at_limit)), TrackFlag.JOINT_LIMIT, 0)
        | np.where(reachable & (condition >= SINGULAR), TrackFlag.SINGULAR, 0)
        | np.where(switched, TrackFlag.BRANCH_SWITCH, 0)
        | np.where(shown & (depth > 0.0), TrackFlag.BELOW_FLOOR, 0)
        | np.where(unsolved & ~at_limit, TrackFlag.NOT_CONVERGED, 0)
    ).astype(np.uint8)
    return {
        "points": goals.copy(),
        "q": np.where(shown[..., None], q, np.nan),
        "flags": flags,
        "branch": np.where(shown, _sign_of_elbow(q), 0).astype(np.int8),
        "shortfall": np.where(reachable, 0.0, shortfall),
        "residual": residual,
        "excess": excess,
        "condition": condition,
        "depth": depth,
    }


def _depth(arms: Parameters, q: Floats, floor: float | None) -> Floats:
    """Return how far (…) the lowest joint of postures, or the tip, is below the floor [m]."""
    if floor is None:
        return np.zeros(q.shape[:-1])
    if not np.isfinite(floor):
        raise InputError(Problem("floor", f"{floor}", "a height in m, or None for no floor"))
    heights = joints(arms, q)[..., 1:, 1]
    return np.asarray(np.maximum(floor - np.min(heights, axis=-1), 0.0))

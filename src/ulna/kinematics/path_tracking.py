"""Inverse kinematics of a whole path: continuous joint angles, and why they fail where they do.

Where a target has two postures (two links, or three with an orientation) the path stays on its
branch, in closed form. Redundant arms are tracked by prediction and correction.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ulna.angles import TURN, distance
from ulna.arm import Arm, Parameters, parameters_of
from ulna.errors import InputError, Problem
from ulna.kinematics import branches
from ulna.kinematics.dexterity import SINGULAR, condition_number
from ulna.kinematics.forward_kinematics import joints
from ulna.kinematics.inverse_kinematics import (
    SIGN_OF_ELBOW,
    SOLVED,
    distance_to_goal,
    inverse,
    posture_array,
    target_array,
)
from ulna.kinematics.limits import SLACK
from ulna.kinematics.redundant_tracking import track_redundant
from ulna.kinematics.ring import Floats
from ulna.kinematics.solutions import Solutions
from ulna.kinematics.tracked import JointPaths, Tracked, TrackFlag
from ulna.namespaces import suggest_keywords
from ulna.typing import AngleLike, Branch, PointLike


@suggest_keywords(path="points", targets="points", q0="start", branch="start")
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
        joint_paths = _on_branch(arms, goals, begin, sign, clamp)
    else:
        joint_paths = track_redundant(arms, goals, begin, _angles(arms, posture, batch, "posture"))
    fields = _tracked_fields(arms, goals, joint_paths, floor, clamp)
    shaped = {key: v.reshape(*batch, *v.shape[1:]) for key, v in fields.items()}
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
    if value is None:
        return None
    return _flat(posture_array(arms, value, what), batch, 1)


def _on_branch(
    parameters: Parameters, goals: Floats, begin: Floats | None, sign: int | None, clamp: bool
) -> JointPaths:
    found = inverse(parameters.per_sample(), goals)
    candidates = _two_candidates(found)
    usable = (found.reachable | clamp) & ~found.continuum
    rows, first_sample = np.arange(len(goals)), np.argmax(usable, axis=-1)
    first = _first_branch(found, candidates, rows, first_sample, begin, sign)
    chosen = branches.keep_branch(candidates, usable, first)
    q = np.take_along_axis(candidates, chosen[..., None, None], axis=2)[:, :, 0]
    q = branches.unwrap_usable(q, usable)
    if begin is not None:
        q = q + TURN * np.round((begin - q[rows, first_sample]) / TURN)[:, None]
    q = _through_centre(q, goals, usable, found.continuum & ~usable, begin)
    switched = branches.switches(q, found.reachable | clamp)
    return JointPaths(q, found.reachable, found.shortfall, switched)


def _two_candidates(found: Solutions) -> Floats:
    """Return two postures (B, T, 2, n) everywhere, the same twice where there is but one."""
    q = np.where(np.isnan(found.q), found.q[..., ::-1, :], found.q)
    q = np.where(np.isnan(q), found.nearest_q[..., None, :], q)
    return np.broadcast_to(q, (*q.shape[:2], 2, q.shape[-1]))


def _first_branch(
    found: Solutions,
    candidates: Floats,
    rows: NDArray[np.intp],
    sample: NDArray[np.intp],
    begin: Floats | None,
    sign: int | None,
) -> NDArray[np.intp]:
    if sign is not None:
        return np.full(len(rows), sign)
    if begin is not None:
        turn = distance(candidates[rows, sample], begin[:, None, :])
        return np.asarray(np.argmin(turn, axis=-1))
    return np.asarray(np.argmax(found.within_limits[rows, sample], axis=-1))


def _through_centre(
    q: Floats,
    goals: Floats,
    usable: NDArray[np.bool_],
    centre: NDArray[np.bool_],
    begin: Floats | None,
) -> Floats:
    """Fill the samples at which the base angle is free: folded exactly, turned smoothly."""
    if not centre.any():
        return q
    q = branches.bridge(q, usable, centre)
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


def _tracked_fields(
    parameters: Parameters, goals: Floats, joint_paths: JointPaths, floor: float | None, clamp: bool
) -> dict[str, Any]:
    """Compute the fields of `Tracked` for every sample, as flat batches."""
    arms = parameters.per_sample()
    q, reachable = joint_paths.q, joint_paths.reachable
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
        | np.where(joint_paths.switched, TrackFlag.BRANCH_SWITCH, 0)
        | np.where(shown & (depth > 0.0), TrackFlag.BELOW_FLOOR, 0)
        | np.where(unsolved & ~at_limit, TrackFlag.NOT_CONVERGED, 0)
    ).astype(np.uint8)
    return {
        "points": goals.copy(),
        "q": np.where(shown[..., None], q, np.nan),
        "flags": flags,
        "branch": np.where(shown, branches.sign_of_elbow(q), 0).astype(np.int8),
        "shortfall": np.where(reachable, 0.0, joint_paths.shortfall),
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

"""Leading an arm with joints to spare along a path, by prediction and correction.

Each sample starts from the one before: the step of the path gives a first-order prediction,
damped least squares correct it inside the joint limits, and what the tip leaves free goes to
the wanted posture. All paths of a batch are led side by side.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ulna.angles import TURN, difference
from ulna.arm import Parameters
from ulna.kinematics.inverse import SOLVED, inverse, read
from ulna.kinematics.jacobian import jacobian
from ulna.kinematics.least_squares import Request, damped_solve, settle
from ulna.kinematics.ring import Floats
from ulna.kinematics.tracked import Followed

JUMP = 1.0  # [rad] by which a joint leaves its path for another posture
CLOSE = 0.3  # [rad] around a predicted posture in which the corrected one is looked for first


def lead(
    parameters: Parameters, goals: Floats, begin: Floats | None, posture: Floats | None
) -> Followed:
    """Follow goals (B, T, 2 or 3) with flat batches of arms (B, n)."""
    task = read(parameters.per_sample(), goals)
    reach = np.sum(parameters.length, axis=-1)
    q = np.empty((*goals.shape[:2], parameters.n))
    jumped = np.zeros(goals.shape[:2], dtype=bool)
    now = _first_posture(parameters, task.nearest[:, 0], begin, posture, SOLVED * reach)
    for sample in range(goals.shape[1]):
        request = Request(parameters, task.nearest[:, sample], posture)
        if sample:
            way = _way(task.nearest[:, sample], task.nearest[:, sample - 1])
            step = _prediction(parameters, now, way)
            now, jumped[:, sample] = _follow(request, now, step, SOLVED * reach)
        else:
            now = _freely(request, now, SOLVED * reach)
        q[:, sample] = now
    return Followed(q, task.reachable, task.near.shortfall, jumped)


def _follow(
    request: Request, now: Floats, step: Floats, tolerance: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """Go on by a predicted step: close to it where that is possible, freely where it is not.

    Also says which rows had to leave for a posture that does not continue the one before.
    """
    room = np.maximum(CLOSE, 3.0 * np.max(np.abs(step), axis=-1, keepdims=True))
    p = request.parameters
    fenced = p._replace(
        lower=np.maximum(p.lower, now - room), upper=np.minimum(p.upper, now + room)
    )
    near = request._replace(parameters=fenced)
    moved, residual = settle(near, now + step, tolerance=tolerance, iterations=60)
    lost = residual > tolerance
    if lost.any():
        moved[lost] = _freely(request.rows(lost), moved[lost], tolerance[lost])
    far = np.max(np.abs(moved - now), axis=-1) > JUMP
    return moved, lost & far


def _freely(request: Request, q: Floats, tolerance: Floats) -> Floats:
    """Go wherever the tip comes to its goal.

    Straight links have no first-order way to draw the tip in; those that are stuck get a small
    bend, which gives them one.
    """
    moved, residual = settle(request, q, tolerance=tolerance, iterations=60)
    stuck = np.flatnonzero(residual > tolerance)
    if stuck.size:
        bent = moved[stuck]
        bent[:, 1:] += 0.02
        tried, better = settle(request.rows(stuck), bent, tolerance=tolerance[stuck])
        closer = better < residual[stuck]
        moved[stuck[closer]] = tried[closer]
    return moved


def _first_posture(
    parameters: Parameters,
    goal: Floats,
    begin: Floats | None,
    posture: Floats | None,
    tolerance: Floats,
) -> Floats:
    """Take the posture nearest to `begin`, or a good one if there is no wish."""
    if begin is None:
        return inverse(parameters, goal, posture=posture).best()
    moved, residual = settle(Request(parameters, goal, None), begin, tolerance=tolerance)
    lost = residual > tolerance
    if lost.any():
        found = inverse(parameters.rows(lost), goal[lost])
        q = found.best(near=begin[lost])
        moved[lost] = q + TURN * np.round((begin[lost] - q) / TURN)
    return moved


def _way(to: Floats, from_: Floats) -> Floats:
    """Give the step of the path; an orientation goes the shorter way round."""
    return np.concatenate([to[:, :2] - from_[:, :2], difference(to[:, 2:], from_[:, 2:])], axis=-1)


def _prediction(parameters: Parameters, q: Floats, way: Floats) -> Floats:
    slopes = jacobian(parameters, q)[:, : way.shape[-1], :]
    return damped_solve(slopes, way, way)

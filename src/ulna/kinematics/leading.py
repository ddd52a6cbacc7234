"""Leading an arm with joints to spare along a path, by prediction and correction.

Each sample starts from the one before: the step of the path gives a first-order prediction,
damped least squares correct it inside the joint limits, and what the tip leaves free goes to
the wanted posture. All paths of a batch are led side by side.
"""

from __future__ import annotations

import numpy as np

from ulna.angles import TURN, difference
from ulna.arm import Parameters
from ulna.kinematics.inverse import SOLVED, inverse, read
from ulna.kinematics.jacobian import jacobian
from ulna.kinematics.least_squares import Problem, damped_solve, settle
from ulna.kinematics.ring import Floats
from ulna.kinematics.tracked import Followed


def lead(
    parameters: Parameters, goals: Floats, begin: Floats | None, posture: Floats | None
) -> Followed:
    """Follow goals (B, T, 2 or 3) with flat batches of arms (B, n)."""
    task = read(parameters.per_sample(), goals)
    reach = np.sum(parameters.length, axis=-1)
    q = np.empty((*goals.shape[:2], parameters.n))
    now = _first_posture(parameters, task.nearest[:, 0], begin, posture, SOLVED * reach)
    for sample in range(goals.shape[1]):
        problem = Problem(parameters, task.nearest[:, sample], posture)
        if sample:
            way = _way(task.nearest[:, sample], task.nearest[:, sample - 1])
            now = now + _prediction(parameters, now, way)
        now, residual = settle(problem, now, tolerance=SOLVED * reach, iterations=60)
        now = _second_try(problem, now, residual, SOLVED * reach)
        q[:, sample] = now
    return Followed(q, task.reachable, task.near.shortfall, np.zeros(goals.shape[:2], dtype=bool))


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
    moved, residual = settle(Problem(parameters, goal, None), begin, tolerance=tolerance)
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


def _second_try(problem: Problem, q: Floats, residual: Floats, tolerance: Floats) -> Floats:
    """Help rows that are stuck, such as an arm lying straight that has to bend again.

    Straight links have no first-order way to draw the tip in; a small bend gives them one.
    """
    stuck = residual > tolerance
    if not stuck.any():
        return q
    bent = q.copy()
    bent[stuck, 1:] += 0.02
    tried, better = settle(problem.rows(stuck), bent[stuck], tolerance=tolerance[stuck])
    q = q.copy()
    q[stuck] = np.where((better < residual[stuck])[:, None], tried, q[stuck])
    return q

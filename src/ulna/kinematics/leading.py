"""Leading an arm with joints to spare along a path, from a first posture on.

All paths of a batch are led side by side by the compiled solver (`following.py`).
"""

from __future__ import annotations

import numpy as np

from ulna.angles import TURN
from ulna.arm import Parameters
from ulna.kinematics.inverse_kinematics import SOLVED, inverse, read
from ulna.kinematics.ring import Floats
from ulna.kinematics.settling import Request, in_blocks, settle
from ulna.kinematics.tracked import Followed


def lead(
    parameters: Parameters, goals: Floats, begin: Floats | None, posture: Floats | None
) -> Followed:
    """Follow goals (B, T, 2 or 3) with flat batches of arms (B, n)."""
    from ulna.kinematics.following import lead_rows

    task = read(parameters.per_sample(), goals)
    tolerance = SOLVED * np.sum(parameters.length, axis=-1)
    request = Request(parameters, task.nearest, posture)
    start = np.array(_first_posture(parameters, task.nearest[:, 0], begin, posture, tolerance))
    arms, rows, pull = request.arms(tolerance), request.goals(), request.pull
    paths, samples = goals.shape[:2]
    q, jumped = np.empty((paths, samples * parameters.n)), np.zeros((paths, samples))
    turns = float(request.oriented)

    def solve(size: int, memory: Floats, first: int, last: int) -> None:
        lead_rows(size, arms, rows, pull, turns, start, memory, first, last, q, jumped)

    in_blocks(solve, paths, parameters.n)
    angles = q.reshape(paths, samples, parameters.n)
    return Followed(angles, task.reachable, task.near.shortfall, jumped != 0.0)


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

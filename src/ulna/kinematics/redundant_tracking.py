"""Tracking a path with a redundant arm, from a first posture on.

All paths of a batch are followed side by side by the compiled solver (`redundant_kernels.py`).
"""

from __future__ import annotations

import numpy as np

from ulna.angles import TURN
from ulna.arm import Parameters
from ulna.kinematics.batched_solver import PostureProblem, run_in_blocks, solve_postures
from ulna.kinematics.inverse_kinematics import SOLVED, inverse, inverse_problem
from ulna.kinematics.ring import Floats
from ulna.kinematics.tracked import JointPaths


def track_redundant(
    parameters: Parameters, goals: Floats, begin: Floats | None, posture: Floats | None
) -> JointPaths:
    """Follow goals (B, T, 2 or 3) with flat batches of arms (B, n)."""
    from ulna.kinematics.redundant_kernels import track_rows

    targets = inverse_problem(parameters.per_sample(), goals)
    tolerance = SOLVED * np.sum(parameters.length, axis=-1)
    problem = PostureProblem(parameters, targets.nearest, posture)
    start = np.array(_first_posture(parameters, targets.nearest[:, 0], begin, posture, tolerance))
    arms, rows, null_gain = problem.arms(tolerance), problem.goals(), problem.null_gain
    paths, samples = goals.shape[:2]
    q, jumped = np.empty((paths, samples * parameters.n)), np.zeros((paths, samples))
    turns = float(problem.oriented)

    def solve(size: int, memory: Floats, first: int, last: int) -> None:
        track_rows(size, arms, rows, null_gain, turns, start, memory, first, last, q, jumped)

    run_in_blocks(solve, paths, parameters.n)
    angles = q.reshape(paths, samples, parameters.n)
    return JointPaths(angles, targets.reachable, targets.near.shortfall, jumped != 0.0)


def _first_posture(
    parameters: Parameters,
    goal: Floats,
    begin: Floats | None,
    posture: Floats | None,
    tolerance: Floats,
) -> Floats:
    """Return the posture nearest to `begin`, or the best one if that is None."""
    if begin is None:
        return inverse(parameters, goal, posture=posture).best()
    moved, residual = solve_postures(
        PostureProblem(parameters, goal, None), begin, tolerance=tolerance
    )
    lost = residual > tolerance
    if lost.any():
        found = inverse(parameters.rows(lost), goal[lost])
        q = found.best(near=begin[lost])
        moved[lost] = q + TURN * np.round((begin[lost] - q) / TURN)
    return moved

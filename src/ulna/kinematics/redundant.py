"""Postures of redundant arms: moved into the limits and towards a preferred posture."""

from __future__ import annotations

import numpy as np

from ulna.arm import Parameters
from ulna.kinematics.batched_solver import PostureProblem, solve_postures
from ulna.kinematics.limits import allowed, into_window, window_middle
from ulna.kinematics.ring import Floats

SEED = 20  # of the random starts: the same call returns the same postures


def refine(
    parameters: Parameters,
    q: Floats,
    goal: Floats,
    posture: Floats | None,
    tolerance: Floats,
    restarts: int,
) -> Floats:
    """Improve postures q (…, k, n) that reach their goals (…, 2 or 3) whatever the limits.

    `posture` (…, n) is what each target's postures should stay close to.

    A posture that cannot be brought inside the limits stays as it is. Where none of the k can,
    random starts are tried, and one that succeeds takes the first place.
    """
    shape = q.shape
    flat = _flat_batch(parameters, shape)
    goals = _flat(goal[..., None, :], (*shape[:-1], goal.shape[-1]))
    preferred = None if posture is None else _flat(posture[..., None, :], shape)
    allowance = _flat(np.asarray(tolerance)[..., None, None], (*shape[:-1], 1))[:, 0]
    problem = PostureProblem(flat, goals, preferred)

    rows = q.reshape(-1, shape[-1])
    better, residual = solve_postures(problem, rows, tolerance=allowance)
    solved = residual <= allowance
    rows = np.where(solved[:, None], into_window(flat, better), rows)
    fits = (solved & allowed(flat, rows).all(axis=-1)).reshape(-1, shape[-2])
    rows = rows.reshape(-1, *shape[-2:])
    _restart(problem, rows, np.flatnonzero(~fits.any(axis=-1)), allowance, restarts)
    return rows.reshape(shape)


def _restart(
    problem: PostureProblem, rows: Floats, lost: np.ndarray, allowance: Floats, restarts: int
) -> None:
    """Try random postures inside the limits for the targets that have none."""
    random = np.random.default_rng(SEED)
    per_target = rows.shape[1]
    for _ in range(restarts):
        if not lost.size:
            return
        part = problem.rows(lost * per_target)
        start = _random_postures(random, part.parameters)
        found, residual = solve_postures(part, start, tolerance=allowance[lost * per_target])
        solved = residual <= allowance[lost * per_target]
        rows[lost[solved], 0] = into_window(part.parameters.rows(solved), found[solved])
        lost = lost[~solved]


def _random_postures(random: np.random.Generator, parameters: Parameters) -> Floats:
    middle = window_middle(parameters)
    low = np.maximum(parameters.lower, middle - np.pi)
    high = np.minimum(parameters.upper, middle + np.pi)
    # The same part of its range for every arm, so that no answer depends on its neighbours.
    return low + (high - low) * random.random(low.shape[-1])


def _flat_batch(parameters: Parameters, shape: tuple[int, ...]) -> Parameters:
    batch = shape[:-1]
    return Parameters(*(_flat(v, (*batch, v.shape[-1])) for v in parameters.per_sample()))


def _flat(values: Floats, shape: tuple[int, ...]) -> Floats:
    return np.broadcast_to(values, shape).reshape(-1, shape[-1])

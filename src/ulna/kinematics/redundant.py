"""Postures of redundant arms: brought to their goals inside the joint limits, on all cores.

A redundant arm has infinitely many postures for a goal. Damped least squares (`redundant_kernels`)
move some of them into the limits and, in the null space, towards a preferred posture; along a path
each sample starts from the one before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ulna.arm import Parameters
from ulna.arm.parameters import allowed, into_window, window_middle
from ulna.arrays import Floats, run_in_blocks

if TYPE_CHECKING:
    from ulna.kinematics.redundant_kernels import Arms

SEED = 20  # of the random starts: the same call returns the same postures
MAX_ITERATIONS = 200  # of one posture


class PostureProblem(NamedTuple):
    """Rows of postures to solve: arms (B, n), goals (B, …, 2 or 3), a preferred posture or None."""

    parameters: Parameters
    goal: Floats
    posture: Floats | None

    def rows(self, chosen: np.ndarray) -> PostureProblem:
        """Return only the chosen rows."""
        posture = None if self.posture is None else self.posture[chosen]
        return PostureProblem(self.parameters.rows(chosen), self.goal[chosen], posture)

    @property
    def oriented(self) -> bool:
        """Whether the goals have orientations."""
        return bool(self.goal.shape[-1] == 3)

    def read(self, tolerance: Floats) -> tuple[Arms, Floats, float]:
        """Return what the solver reads; residuals up to `tolerance` (B,) are none.

        The arms; the goals from the base as rows (B, 3 T), those without orientation at zero; and
        the null-space gain, the fraction of the way to the preferred posture taken in a step.
        """
        from ulna.kinematics.redundant_kernels import POSTURE_STEP, Arms

        p = self.parameters
        preferred = np.zeros(p.length.shape) if self.posture is None else self.posture
        rows = (p.length, p.lower, p.upper, preferred, p.length[:, -1:] * self.oriented)
        goal = self.goal.reshape(len(self.goal), -1, self.goal.shape[-1])
        whole = np.zeros((*goal.shape[:2], 3))
        whole[..., : goal.shape[-1]] = goal
        whole[..., :2] -= p.base[:, None]
        gain = 0.0 if self.posture is None else POSTURE_STEP
        arms = Arms(*map(_writable, (*rows, tolerance[:, None])))
        return arms, whole.reshape(len(goal), -1), gain


def solve_postures(
    problem: PostureProblem, q: Floats, *, tolerance: Floats
) -> tuple[Floats, Floats]:
    """Move the tips of postures q (B, n) to their goals; return postures and residuals [m].

    Joints never leave their limits. Rows that cannot be solved come back at the best posture
    found on their way.
    """
    from ulna.kinematics.redundant_kernels import scratch_size, solve_rows

    found, residual = _writable(q), np.empty((len(q), 1))
    arms, goals, gain = problem.read(tolerance)
    n = problem.parameters.n

    def solve(memory: Floats, first: int, last: int) -> None:
        solve_rows(n, arms, goals, gain, MAX_ITERATIONS, memory, first, last, found, residual)

    run_in_blocks(solve, len(found), scratch_size(n))
    return found, residual[:, 0]


def track_postures(
    problem: PostureProblem, start: Floats, *, tolerance: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """Follow goals (B, T, …) from postures (B, n) on, all paths of a batch side by side.

    Returns the postures (B, T, n), and where (B, T) one does not continue the one before.
    """
    from ulna.kinematics.redundant_kernels import scratch_size, track_rows

    (paths, samples), n = problem.goal.shape[:2], problem.parameters.n
    q, jumped = np.empty((paths, samples * n)), np.zeros((paths, samples))
    begin, turns = _writable(start), float(problem.oriented)
    arms, goals, gain = problem.read(tolerance)

    def solve(memory: Floats, first: int, last: int) -> None:
        track_rows(n, arms, goals, gain, turns, begin, memory, first, last, q, jumped)

    run_in_blocks(solve, paths, scratch_size(n))
    return q.reshape(paths, samples, n), jumped != 0.0


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
    flat = Parameters(*(_flat(v, (*shape[:-1], v.shape[-1])) for v in parameters.per_sample()))
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


def _flat(values: Floats, shape: tuple[int, ...]) -> Floats:
    return np.broadcast_to(values, shape).reshape(-1, shape[-1])


def _writable(values: Floats) -> Floats:
    """Return a copy as compiled code takes it."""
    return np.array(values, dtype=float, order="C")

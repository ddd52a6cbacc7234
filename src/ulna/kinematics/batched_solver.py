"""Rows of postures, moved to their goals by the compiled solver on all cores."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ulna.arm import Parameters
from ulna.kinematics.ring import Floats

if TYPE_CHECKING:
    from ulna.kinematics.redundant_kernels import Arms


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

    @property
    def null_gain(self) -> float:
        """The null-space gain: the fraction of the way to the preferred posture taken in a step."""
        from ulna.kinematics.least_squares import POSTURE_STEP

        return 0.0 if self.posture is None else POSTURE_STEP

    def arms(self, tolerance: Floats) -> Arms:
        """Return the arms as the solver reads them; residuals up to `tolerance` (B,) are none."""
        from ulna.kinematics.redundant_kernels import Arms

        p = self.parameters
        preferred = np.zeros(p.length.shape) if self.posture is None else self.posture
        rows = (p.length, p.lower, p.upper, preferred, p.length[:, -1:] * self.oriented)
        return Arms(*map(_writable, (*rows, tolerance[:, None])))

    def goals(self) -> Floats:
        """Return the goals from the base as rows (B, 3 T), those without orientation at zero."""
        goal = self.goal.reshape(len(self.goal), -1, self.goal.shape[-1])
        whole = np.zeros((*goal.shape[:2], 3))
        whole[..., : goal.shape[-1]] = goal
        whole[..., :2] -= self.parameters.base[:, None]
        return whole.reshape(len(goal), -1)


def solve_postures(
    problem: PostureProblem, q: Floats, *, tolerance: Floats, iterations: int = 200
) -> tuple[Floats, Floats]:
    """Move the tips of postures q (B, n) to their goals; return postures and residuals [m].

    Joints never leave their limits. Rows that cannot be solved come back at the best posture
    found on their way.
    """
    from ulna.kinematics.redundant_kernels import solve_rows

    found, residual = _writable(q), np.empty((len(q), 1))
    arms, goals, null_gain = problem.arms(tolerance), problem.goals(), problem.null_gain

    def solve(size: int, memory: Floats, first: int, last: int) -> None:
        solve_rows(size, arms, goals, null_gain, iterations, memory, first, last, found, residual)

    run_in_blocks(solve, *found.shape)
    return found, residual[:, 0]


def run_in_blocks(solve: Callable[[int, Floats, int, int], None], rows: int, n: int) -> None:
    """Call solve(size, memory, first, last) for all blocks of rows of arms with n links."""
    from ulna.concurrency import parallel_for
    from ulna.kinematics.solver_scratch import scratch_size
    from ulna.lanes import WIDTHS

    width = WIDTHS[np.dtype(np.float64)]

    def work(first: int, last: int) -> None:
        with np.errstate(all="ignore"):
            solve(n, np.zeros((scratch_size(n), width)), first, last)

    parallel_for(work, -(-rows // width), 1)


def _writable(values: Floats) -> Floats:
    """Return a copy as compiled code takes it."""
    return np.array(values, dtype=float, order="C")

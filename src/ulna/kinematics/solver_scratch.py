"""Scratch memory of the solver for redundant arms: lanes of arms, and its layout."""

from __future__ import annotations

from typing import Any, NamedTuple

from ulna.arrays import Array
from ulna.kernels import inlined
from ulna.lanes import lanes, matrix_view

# Per arm: the goal of its tip and the error to it, the weight of an orientation [m], the residual
# that counts as none, the best residual found, and 1 where the arm is to be moved at all, else 0.
GOAL_X, GOAL_Y, GOAL_ANGLE, ERROR_X, ERROR_Y, ERROR_ARC = range(6)
WEIGHT, TOLERANCE, RESIDUAL, ACTIVE, KEPT_RESIDUAL = range(6, 11)
PER_ARM = 11
# Per joint, after the rows COS and SIN: link length and limits, those of a trust region, the
# preferred posture, the posture now and the best one; the column of the Jacobian, the next step,
# the part of it in the null space, and 1 where a limit holds the joint.
LENGTH, LOWER, UPPER, TRUST_LOWER, TRUST_UPPER, PREFERRED, Q, BEST, BEFORE, KEPT = range(2, 12)
JACOBIAN_X, JACOBIAN_Y, STEP, NULL_STEP, HELD = range(12, 17)
PER_JOINT = 17


class SolverScratch(NamedTuple):
    """Scratch memory of the solver, all of it lanes."""

    per_arm: Any  # (PER_ARM,)
    per_joint: Any  # (PER_JOINT, n+1): sines and cosines are computed in one column more


def scratch_size(n: int) -> int:
    """Return how many lanes of scratch memory the solver needs."""
    return PER_ARM + PER_JOINT * (n + 1)


@inlined
def view_scratch(size: int, memory: Array) -> SolverScratch:
    """View memory (scratch_size(n), W) as the solver's scratch."""
    per_arm = lanes(memory)
    return SolverScratch(per_arm, matrix_view(per_arm, PER_ARM, PER_JOINT, size + 1))

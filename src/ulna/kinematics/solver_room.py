"""Where the solver for joints to spare works: lanes of arms, and what is kept where."""

from __future__ import annotations

from typing import Any, NamedTuple

from ulna.arrays import Array
from ulna.kernels import inlined
from ulna.lanes import lanes, matrix_view

# What an arm has one of: where its tip should be and how far that is, how heavy an orientation
# weighs [m], the distance that counts as none, the best distance found, and 1 where the arm is to
# be moved at all, else 0.
GOAL_X, GOAL_Y, GOAL_ANGLE, MISS_X, MISS_Y, MISS_ARC = range(6)
WEIGHT, TOLERANCE, RESIDUAL, ACTIVE, KEPT_RESIDUAL = range(6, 11)
OWN = 11
# What it has one of for every joint, after the rows COS and SIN: links and limits, those that hold
# for a while, the wanted posture, the posture now and the best one; how the tip moves with the
# joint, its next step, how much of that is for the posture's sake, and 1 where a limit holds it.
LENGTH, LOWER, UPPER, FENCE_LOWER, FENCE_UPPER, WANTED, Q, BEST, BEFORE, KEPT = range(2, 12)
SLOPE_X, SLOPE_Y, STEP, SIDEWAYS, HELD = range(12, 17)
ROWS = 17


class Room(NamedTuple):
    """Where the solver works, all of it lanes."""

    own: Any  # (OWN,)
    joints: Any  # (ROWS, n+1): sines and cosines are worked out in one column more


def room_size(n: int) -> int:
    """Return how many lanes the solver needs to work in."""
    return OWN + ROWS * (n + 1)


@inlined
def make_room(size: int, memory: Array) -> Room:
    """See memory (room_size(n), W) as the solver does."""
    own = lanes(memory)
    return Room(own, matrix_view(own, OWN, ROWS, size + 1))

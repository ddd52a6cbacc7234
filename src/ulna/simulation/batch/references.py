"""The references of a batch: one trajectory or set-point for all arms, or one for each."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from ulna.arrays import Array
from ulna.errors import InputError, Problem, shown
from ulna.motion import Trajectory
from ulna.simulation.batch.members import joint_rows
from ulna.simulation.reference import (
    Follow,
    TickRange,
    block,
    follow_function,
    follow_motion,
    trajectory_of,
)

MOST_WRITTEN = 8  # numbers of an array that a description holds


class References:
    """Set-points to hold, or functions that return the references of a block of ticks.

    Of each kind there is one for any number of arms, or one for each of `count`.
    """

    def __init__(
        self,
        postures: Array | None,
        follows: Sequence[Follow] = (),
        motions: Sequence[Trajectory | None] = (),
    ) -> None:
        self.postures, self.follows, self.motions = postures, follows, motions
        self.count = len(follows)
        self._lock = threading.Lock()
        if postures is not None:
            self.count = len(postures) if postures.ndim > 1 else 1

    @property
    def duration(self) -> float | None:
        """How long [s] the longest of the motions takes; None if there is other than motions."""
        lengths = [motion.duration for motion in self.motions if motion is not None]
        return max(lengths) if lengths and len(lengths) == len(self.motions) else None

    @property
    def start(self) -> tuple[Array, Array]:
        """The angles and rates that the motions start with."""
        firsts = [motion(0.0) for motion in self.motions if motion is not None]
        if not firsts or len(firsts) < len(self.motions):
            need = "the joint angles [rad] at the start"
            raise InputError(Problem("q0", "nothing", need))
        q, qd = np.stack([one.q for one in firsts]), np.stack([one.qd for one in firsts])
        return (q, qd) if len(firsts) > 1 else (q[0], qd[0])

    def rows(self, members: Array, width: int, asked: TickRange) -> Array:
        """Return references of the next ticks, (ticks, 3, n, 1) for all or (…, width) for each."""
        if self.count == 1:
            return block(self.follows[0], *asked)
        # One at a time: functions of users need not bear more.
        with self._lock:
            parts = [block(self.follows[arm], *asked) for arm in members.tolist()]
        parts += parts[:1] * (width - len(parts))
        return np.ascontiguousarray(np.concatenate(parts, axis=-1))


def read_references(given: Any, n: int) -> References | None:
    """Read a reference; None is each arm's own start."""
    if given is None:
        return None
    if _moves(given):
        follow, motion = _follow(given, n, "reference")
        return References(None, [follow], [motion])
    if isinstance(given, Sequence) and any(_moves(one) for one in given):
        found = [_follow(one, n, f"reference[{arm}]") for arm, one in enumerate(given)]
        return References(None, [follow for follow, _ in found], [motion for _, motion in found])
    return References(joint_rows("reference", given, n, "rad"))


def describe_references(given: Any) -> Any:
    """Describe a reference as plain values."""
    motion = trajectory_of(given)
    if motion is not None:
        return {"path": str(motion.path), "duration": motion.duration}
    if isinstance(given, Sequence) and any(_moves(one) for one in given):
        return {"references": len(given)}
    return described(given)


def described(given: Any) -> str:
    """Describe an argument: short text, or the shape of an array."""
    if type(given) is np.ndarray:  # whose own text takes longer than many a run
        return str(given.tolist()) if given.size <= MOST_WRITTEN else f"array of {given.shape}"
    return "None" if given is None else shown(given)


def _moves(given: Any) -> bool:
    return trajectory_of(given) is not None or callable(given)


def _follow(given: Any, n: int, what: str) -> tuple[Follow, Trajectory | None]:
    motion = trajectory_of(given)
    if motion is not None:
        return follow_motion(n, motion, what), motion
    if callable(given):
        return follow_function(n, given, what), None
    row = np.zeros((1, 3, n))
    row[0, 0] = joint_rows(what, given, n, "rad")
    return (lambda times: np.broadcast_to(row, (len(times), 3, n))), None

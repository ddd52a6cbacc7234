"""Plans of several arms or paths, found side by side: a sequence with stacked arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ulna.arrays import Array, freeze
from ulna.motion.plan_result import Plan

MOST_SHOWN = 8  # of those that are not ok


@dataclass(frozen=True, eq=False, repr=False)
class Plans(Sequence[Plan]):
    """Plans of several arms or paths: a sequence, with their arrays stacked.

    They are in the order in which arms or paths were passed. Where one ends before others, because
    it is shorter at the same rate, its rows after that are NaN.

    Attributes
    ----------
    members : tuple of Plan
        The plans.
    t : ndarray, shape (S,) or (B, S)
        Times [s] of the samples; (B, S) where they differ.
    q : ndarray, shape (B, S, n)
        Joint angles [rad]; NaN where a path is out of reach.
    qd : ndarray, shape (B, S, n)
        Joint rates [rad/s].
    qdd : ndarray, shape (B, S, n)
        Joint accelerations [rad/s²].
    tau : ndarray, shape (B, S, n)
        Joint torques [N·m].
    """

    members: tuple[Plan, ...]
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array

    def __len__(self) -> int:
        return len(self.members)

    @overload
    def __getitem__(self, place: int) -> Plan: ...
    @overload
    def __getitem__(self, place: slice) -> Plans: ...
    def __getitem__(self, place: int | slice) -> Plan | Plans:
        if not isinstance(place, slice):
            return self.members[place]
        t = self.t if self.t.ndim == 1 else self.t[place]
        stacked = (values[place] for values in (self.q, self.qd, self.qdd, self.tau))
        return Plans(self.members[place], t, *stacked)

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Whether each arm can do its path (B,): all in reach, and no limit passed."""
        return np.array([plan.ok for plan in self.members], dtype=bool)

    @property
    def feasible(self) -> NDArray[np.bool_]:
        """Whether there is a motion for each (B,)."""
        return np.array([plan.feasible for plan in self.members], dtype=bool)

    @property
    def duration(self) -> Array:
        """How long each takes (B,) [s]."""
        return np.array([plan.duration for plan in self.members])

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        freeze(self.t, self.q, self.qd, self.qdd, self.tau)

    def __repr__(self) -> str:
        good = int(self.ok.sum())
        lines = [f"Plans: {good} of {len(self)} can be done, {self.q.shape[1]} samples each"]
        bad = np.flatnonzero(~self.ok)
        for place in bad[:MOST_SHOWN]:
            plan = self.members[place]
            texts = [one.text for one in plan.problems if one.blocks or one.exceeds]
            lines.append(f"  [{place}] {plan.path}: {texts[0]}")
        if len(bad) > MOST_SHOWN:
            lines.append(f"  and {len(bad) - MOST_SHOWN} more that cannot")
        return "\n".join(lines)

"""How well a run did what a plan asks: errors along and across the path, in time and at most.

At every sample, with p the tip and p* where it should be, moving with v*:

    e = p − p*        along = e · v*/|v*|        across = the part of e to the left of v*

Along says late or early, across says off the path.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ulna.analysis.facts import plain
from ulna.analysis.joint_effort import Effort, effort
from ulna.angles import TURN
from ulna.arrays import Array
from ulna.errors import InputError, Problem, shown
from ulna.motion import Plan, TipMotion
from ulna.motion.findings import length_text
from ulna.motion.values import number, positive
from ulna.notebooks import card
from ulna.simulation import Run

STILL = 1e-12  # of the largest speed, below which the tip has no direction of its own
COLUMNS = (
    "joint",
    "error RMS [rad]",
    "torque RMS [N·m]",
    "peak [N·m]",
    "of its limit",
    "energy [J]",
)


class Worst(NamedTuple):
    """The largest error of the tip: how far off, when, and where the tip should have been."""

    size: float  # [m]
    t: float  # [s]
    point: tuple[float, float]  # [m]


@dataclass(frozen=True, eq=False, repr=False)
class Tracking:
    """The errors of a run against a plan, a row for every sample of the run.

    A run that ended early is judged up to there. Rows that are not finite, of the run or of the
    plan, are NaN and do not count. Means are over time, by trapezoids.
    """

    run: Run
    plan: Plan
    t: Array  # (S,) [s]
    error: Array  # (S, 2) [m] from where the tip should be to where it is
    size: Array  # (S,) [m]
    along: Array  # (S,) [m] ahead of where it should be; negative behind
    across: Array  # (S,) [m] to the left of its way; negative to the right
    joint_error: Array  # (S, n) [rad], with the turn that the run starts with left out
    asked: Array  # (S, 2) [m] where the tip should be

    @property
    def rms(self) -> float:
        """The root of the mean square [m] of the tip's error."""
        return self._rms(self.size)

    @property
    def along_rms(self) -> float:
        """The same of the error along the path [m]."""
        return self._rms(self.along)

    @property
    def across_rms(self) -> float:
        """The same of the error across the path [m]."""
        return self._rms(self.across)

    @property
    def joint_rms(self) -> Array:
        """The same of every joint's error (n,) [rad]."""
        return np.array([self._rms(column) for column in self.joint_error.T])

    @cached_property
    def worst(self) -> Worst | None:
        """The largest error of the tip; None for a run without a finite sample."""
        if not np.isfinite(self.size).any():
            return None
        k = int(np.nanargmax(np.where(np.isfinite(self.size), self.size, np.nan)))
        x, y = map(float, self.asked[k])
        return Worst(float(self.size[k]), float(self.t[k]), (x, y))

    @property
    def max(self) -> float:
        """The largest error of the tip [m]."""
        return math.nan if self.worst is None else self.worst.size

    @cached_property
    def effort(self) -> Effort:
        """Torque, power and energy of each joint."""
        return effort(self.run)

    def settling(self, tolerance: float = 1e-3) -> float | None:
        """Return the first time [s] after which the tip is within `tolerance` [m]; None if never.

        One sample at the end is not enough to say so.
        """
        near = self._finite(self.size) & (self.size <= positive("tolerance", tolerance))
        outside = np.flatnonzero(~near)
        first = int(outside[-1]) + 1 if len(outside) else 0
        return float(self.t[first]) if first < max(len(self.t) - 1, 1) else None

    def left(self, tube: float) -> float | None:
        """Return the first time [s] at which the tip is more than `tube` [m] off; None if never."""
        outside = np.flatnonzero(self.size > positive("tube", tube))
        return float(self.t[outside[0]]) if len(outside) else None

    def _finite(self, values: Array) -> Array:
        return np.isfinite(values) & np.isfinite(self.t)

    def _rms(self, values: Array) -> float:
        good = self._finite(values)
        if not good.any():
            return math.nan
        t, square = self.t[good], np.abs(values[good])
        largest = float(square.max()) or 1.0
        square = (square / largest) ** 2  # of a run that diverged it might be too large
        mean = np.trapezoid(square, t) / (t[-1] - t[0]) if len(t) > 1 else square[0]
        return largest * math.sqrt(float(mean))

    def facts(self) -> dict[str, Any]:
        """Return what was found as plain values in SI units, as JSON takes them."""
        worst = self.worst
        return plain(
            samples=len(self.t),
            since=self.t[0],
            until=self.t[-1],
            status=self.run.status.text,
            rms=self.rms,
            along_rms=self.along_rms,
            across_rms=self.across_rms,
            max=self.max,
            max_t=None if worst is None else worst.t,
            max_point=None if worst is None else worst.point,
            settling_1mm=self.settling(),
            left_1cm=self.left(0.01),
            joint_rms=self.joint_rms,
            **vars(self.effort),
        )

    def _lines(self) -> list[str]:
        worst = self.worst
        if worst is None:
            return ["no sample can be judged", str(self.run.status)]
        x, y = worst.point
        settled = self.settling()
        after = "never" if settled is None else f"from t = {settled:.4g} s on"
        return [
            f"tip error: {length_text(self.rms)} RMS ({length_text(self.along_rms)} along, "
            f"{length_text(self.across_rms)} across the path)",
            f"at most {length_text(worst.size)}, at t = {worst.t:.4g} s near ({x:.4g}, {y:.4g}) m",
            f"within 1 mm {after}; {self.run.status}",
        ]

    def _rows(self) -> list[tuple[str, ...]]:
        e = self.effort
        use = [f"{part:.0%}" if np.isfinite(part) else "no limit" for part in e.torque_use]
        numbers = zip(self.joint_rms, e.torque_rms, e.torque_peak, use, e.energy, strict=True)
        return [
            (str(joint), f"{error:.3g}", f"{rms:.4g}", f"{peak:.4g}", part, f"{energy:.4g}")
            for joint, (error, rms, peak, part, energy) in enumerate(numbers, 1)
        ]

    def __repr__(self) -> str:
        head = f"Tracking of {self.plan.path}, {len(self.t)} samples"
        return "\n".join([head, *(f"  {line}" for line in self._lines())])

    def _repr_html_(self) -> str:
        return card(f"Tracking of {self.plan.path}", self._lines(), COLUMNS, self._rows())


def tracking(run: Run, plan: Plan, *, start: float = 0.0) -> Tracking:
    """Compare a run with the plan that it was to follow.

    `start` [s] is where in the plan the run begins to count, at its own t = 0; before its start
    and after its end the plan stands still. Where the asked tip stands still, along and across
    are by its last direction.

    >>> import ulna
    >>> arm = ulna.preset("kehl")
    >>> made = ulna.plan(arm, ulna.paths.circle((0.5, 0.2), 0.1), duration=2.0)
    >>> start = made.trajectory(0.0)
    >>> run = ulna.simulate(arm, q0=start.q, qd0=start.qd, duration=2.0, torque=made.torque)
    >>> tracking(run, made).max < 1e-6
    True
    """
    if not isinstance(run, Run):
        raise InputError(Problem("run", shown(run), "a Run, made with ulna.simulate"))
    if not isinstance(plan, Plan):
        raise InputError(Problem("plan", shown(plan), "a Plan, made with ulna.plan"))
    if run.arm.n != plan.arm.n:
        need = f"{plan.arm.n}, as many as the plan has"
        raise InputError(Problem("run", f"a run of {run.arm.n} joints", need))
    times = run.t + number("start", start)
    asked = plan.trajectory.tip(times)
    with np.errstate(all="ignore"):
        error = run.tip[:, :2] - asked.position
        lost = ~np.isfinite(error).all(axis=-1)
        error[lost] = np.nan
        way = _directions(asked)
        along = np.sum(error * way, axis=-1)
        across = way[:, 0] * error[:, 1] - way[:, 1] * error[:, 0]
        joint_error = _joint_errors(run.q, plan.trajectory(times).q)
        size = np.hypot(error[:, 0], error[:, 1])
    parts = (error, size, along, across, joint_error, asked.position)
    for values in parts:
        values.flags.writeable = False
    return Tracking(run, plan, run.t, *parts)


def _directions(asked: TipMotion) -> Array:
    """Return unit vectors (S, 2) along the asked velocity, where there is none as before."""
    speed = np.hypot(asked.velocity[:, 0], asked.velocity[:, 1])
    moving = np.flatnonzero(speed > STILL * np.nanmax(speed, initial=0.0))
    if not len(moving):
        return np.broadcast_to([1.0, 0.0], asked.velocity.shape)
    last = np.searchsorted(moving, np.arange(len(speed)), "right") - 1
    rows = moving[np.maximum(last, 0)]  # before it first moves: as it will
    return np.asarray(asked.velocity[rows] / speed[rows, None])


def _joint_errors(q: Array, asked: Array) -> Array:
    """Return q − q* (S, n), less whole turns by which the first of them differ."""
    difference = q - asked
    good = np.flatnonzero(np.isfinite(difference).all(axis=-1))
    if len(good):
        difference = difference - TURN * np.round(difference[good[0]] / TURN)
    difference[~np.isfinite(difference).all(axis=-1)] = np.nan
    return np.asarray(difference)

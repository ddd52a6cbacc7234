"""How well every run of a batch did what a plan asks, with the members along the first axis.

What `Tracking` has of one run: it is computed by the same formulas, all members at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ulna.analysis.joint_effort import Effort, effort
from ulna.analysis.time_averages import by_joint, rms
from ulna.analysis.tracking_measures import (
    Errors,
    PlannedMotion,
    errors,
    exit_times,
    reference_at,
    settling_times,
    worst_samples,
)
from ulna.arrays import Array, freeze, plain, positive
from ulna.errors import InputError, Problem, shown
from ulna.motion import Plan
from ulna.progress import Described
from ulna.simulation import BatchRun
from ulna.simulation.batch.batch_run import BLOCK
from ulna.simulation.capacity import check_memory
from ulna.units import length_text


class BatchWorst(NamedTuple):
    """The largest errors of the tips; NaN for a run without a finite sample.

    Attributes
    ----------
    size : ndarray, shape (B,)
        How far off each tip is [m].
    t : ndarray, shape (B,)
        When [s].
    point : ndarray, shape (B, 2)
        Where it should have been, x and y [m].
    """

    size: Array
    t: Array
    point: Array


@dataclass(frozen=True, eq=False, repr=False)
class BatchTracking(Described):
    """Tracking errors of the B runs of a batch against their plans, for each of S samples.

    Attributes
    ----------
    run : BatchRun
        What was simulated.
    plan : Plan or tuple of B plans
        What they were to follow.
    t : ndarray, shape (S,)
        Times of the samples [s].
    error : ndarray, shape (B, S, 2)
        From where the tip should be to where it is [m].
    size : ndarray, shape (B, S)
        Length of that error [m].
    along_track : ndarray, shape (B, S)
        Along-track error [m]: positive where the tip is early, negative where it is late.
    cross_track : ndarray, shape (B, S)
        Cross-track error [m]: positive on the left-hand side of the motion.
    joint_error : ndarray, shape (B, S, n)
        Joint errors [rad], less whole turns by which the run starts off.
    reference : ndarray, shape (B, S, 2)
        Where the tip should be [m].

    Notes
    -----
    A member that failed is judged up to there. Rows that are not finite, of the run or of the plan,
    are NaN and do not count. Means are over time, by trapezoids. NaN stands for what there is not.
    """

    run: BatchRun
    plan: Plan | tuple[Plan, ...]
    t: Array
    error: Array
    size: Array
    along_track: Array
    cross_track: Array
    joint_error: Array
    reference: Array

    def __len__(self) -> int:
        return len(self.size)

    @cached_property
    def rms(self) -> Array:
        """The roots of the mean squares (B,) [m] of the tips' errors."""
        return rms(self.t, self.size)

    @cached_property
    def along_track_rms(self) -> Array:
        """The same of the along-track errors (B,) [m]."""
        return rms(self.t, self.along_track)

    @cached_property
    def cross_track_rms(self) -> Array:
        """The same of the cross-track errors (B,) [m]."""
        return rms(self.t, self.cross_track)

    @cached_property
    def joint_rms(self) -> Array:
        """The same of every joint's error (B, n) [rad]."""
        return rms(self.t, by_joint(self.joint_error))

    @cached_property
    def worst(self) -> BatchWorst:
        """The largest errors of the tips, (B,) each, when they are and where the tips should be."""
        members, k = np.arange(len(self)), worst_samples(self.size)
        size = self.size[members, k]
        none = np.where(np.isfinite(size), 0.0, np.nan)
        return BatchWorst(size, self.t[k] + none, self.reference[members, k] + none[:, None])

    @property
    def max(self) -> Array:
        """The largest errors (B,) of the tips [m]."""
        return self.worst.size

    @cached_property
    def effort(self) -> Effort:
        """Torque, power and energy of each joint, (B, n); of a batch that kept its torques."""
        return effort(self.run)

    def settling_time(self, tolerance: float = 1e-3) -> Array:
        """Return the times after which the tips stay within a tolerance.

        Parameters
        ----------
        tolerance : float, optional
            How far off a tip may be [m], 1 mm unless given.

        Returns
        -------
        ndarray, shape (B,)
            The times [s]; NaN for those that never do. One sample at the end is not enough to say
            so.

        Raises
        ------
        InputError
            If the tolerance is not a finite number above 0.
        """
        return settling_times(self.t, self.size, positive("tolerance", tolerance), self._samples)

    def first_exit(self, radius: float) -> Array:
        """Return the first times at which the tips are further off than a radius.

        Parameters
        ----------
        radius : float
            Of the tube around the path that the tips are to stay in [m].

        Returns
        -------
        ndarray, shape (B,)
            The times [s]; NaN for those that never are.

        Raises
        ------
        InputError
            If the radius is not a finite number above 0.
        """
        return exit_times(self.t, self.size, positive("radius", radius))

    @cached_property
    def _samples(self) -> Array:
        """How many samples (B,) each run has: those of one that failed end before others do."""
        samples, ok = len(self.t), self.run.status.ok
        found = np.full(len(self), samples)
        finite = np.isfinite(self.run.tip[~ok][..., 2])
        last = samples - np.argmax(finite[:, ::-1], axis=-1)
        found[~ok] = np.where(finite.any(axis=-1), last, 0)
        return found

    def facts(self) -> dict[str, Any]:
        """Return what was found as plain values that JSON takes.

        Returns
        -------
        dict
            By names, in SI units, lists with an entry for every member; None for what is not
            finite.
        """
        worst = self.worst
        torques = {} if self.run.tau is None else vars(self.effort)
        found = error_facts(self, self.run.status.reason, worst.t, worst.point)
        return plain({"members": len(self), **found, **torques})

    def _lines(self) -> list[str]:
        judged = self.rms[np.isfinite(self.rms)]
        if not len(judged):
            return ["no sample can be judged", str(self.run.status)]
        k = int(np.nanargmax(self.max))
        return [
            f"tip error: {length_text(float(np.median(judged)))} RMS for the median arm, "
            f"{length_text(float(judged.max()))} at most",
            f"largest {length_text(float(self.max[k]))}, of arm {k} at t = {self.worst.t[k]:.4g} s",
            str(self.run.status),
        ]

    def _title(self) -> str:
        path = str(self.plan.path) if isinstance(self.plan, Plan) else f"{len(self.plan):,} plans"
        return f"Tracking of {path} by {len(self):,} arms, {len(self.t)} samples"


def error_facts(found: Any, status: Any, max_t: Any, max_point: Any) -> dict[str, Any]:
    """Return the errors of a `Tracking` or a `BatchTracking` by names."""
    return {
        "samples": len(found.t),
        "since": found.t[0],
        "until": found.t[-1],
        "status": status,
        "rms": found.rms,
        "along_track_rms": found.along_track_rms,
        "cross_track_rms": found.cross_track_rms,
        "max": found.max,
        "max_t": max_t,
        "max_point": max_point,
        "settling_time_1mm": found.settling_time(),
        "first_exit_1cm": found.first_exit(0.01),
        "joint_rms": found.joint_rms,
    }


def batch_tracking(run: BatchRun, plan: Plan | Sequence[Plan], start: float) -> BatchTracking:
    """Compare every run of a batch with the plan that it was to follow; see `tracking`."""
    plans = _plans(run, plan)
    reference, places = _references(plans, run.t + start)
    members, samples, n = len(run), len(run.t), run.n
    counted = f"{members:,} arms × {samples:,} samples"
    needed = 8.0 * members * samples * (10 + n)
    check_memory("tracking", counted, needed, "take fewer, such as tracking(run[:1000], plan)")
    found = Errors(
        np.empty((members, samples, 2)),
        np.empty((members, samples)),
        np.empty((members, samples)),
        np.empty((members, samples)),
        np.empty((members, samples, n)),
    )
    tips, size = run.tip, max(1, BLOCK // (samples * n))
    for first in range(0, members, size):
        some = slice(first, first + size)
        part = errors(tips[some], run.q[some], _chosen(reference, places[some]))
        for whole, values in zip(found, part, strict=True):
            whole[some] = values
    wanted = _chosen(reference, places).position
    points = np.broadcast_to(wanted, (members, samples, 2))
    freeze(*found, points)
    asked = plan if isinstance(plan, Plan) else plans
    return BatchTracking(run, asked, run.t, *found, points)


def _plans(run: BatchRun, given: Any) -> tuple[Plan, ...]:
    """Return one plan for all, or one for each."""
    plans = tuple(given) if isinstance(given, Iterable) else (given,)
    for one in plans:
        if not isinstance(one, Plan):
            raise InputError(Problem("plan", shown(one), "a Plan, made with ulna.plan"))
        if one.arm.n != run.n:
            need = f"{one.arm.n}, as many as the plan has"
            raise InputError(Problem("run", f"a batch of arms of {run.n} joints", need))
    if not isinstance(given, Plan) and (len(plans) != len(run) or not plans):
        need = f"one plan, or {len(run):,}, one for each arm"
        raise InputError(Problem("plan", f"{len(plans):,} plans", need))
    return plans


def _references(plans: tuple[Plan, ...], times: Array) -> tuple[PlannedMotion, Array]:
    """Return what distinct plans ask for, (P, S, ...) each, and whose is whose (B,)."""
    distinct = {id(plan.trajectory): plan for plan in plans}
    numbers = {key: k for k, key in enumerate(distinct)}
    places = np.array([numbers[id(plan.trajectory)] for plan in plans], dtype=np.intp)
    found = [reference_at(plan, times) for plan in distinct.values()]
    return PlannedMotion(*(np.stack(parts) for parts in zip(*found, strict=True))), places


def _chosen(reference: PlannedMotion, places: Array) -> PlannedMotion:
    if len(reference.q) == 1:
        return reference  # which all of them share
    return PlannedMotion(*(values[places] for values in reference))

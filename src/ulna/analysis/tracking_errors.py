"""How well a run did what a plan asks: along-track and cross-track errors, RMS and at most.

At every sample, with p the tip and p* its reference, moving with v*:

    e = p − p*        along-track = e · v*/|v*|        cross-track = (v*/|v*|) × e

The along-track error is positive where the tip is early and negative where it is late. The
cross-track error is how far it is off the path, positive on the left-hand side of v*.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, overload

import numpy as np

from ulna.analysis.batch_tracking import BatchTracking, batch_tracking, error_facts
from ulna.analysis.joint_effort import Effort, effort
from ulna.analysis.time_averages import by_joint, rms
from ulna.analysis.tracking_measures import (
    errors,
    exit_times,
    reference_at,
    settling_times,
    worst_samples,
)
from ulna.arrays import Array, freeze, number, plain, positive
from ulna.errors import InputError, Problem, shown
from ulna.motion import Plan
from ulna.progress import card
from ulna.simulation import BatchRun, Run
from ulna.simulation.batch.member import Member
from ulna.units import length_text

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    # What was judged: a run of its own, unless it is said to be a member of a batch.
    Judged = TypeVar("Judged", bound=Run | Member, default=Run)
else:
    from typing import TypeVar

    Judged = TypeVar("Judged")

COLUMNS = (
    "joint",
    "error RMS [rad]",
    "torque RMS [N·m]",
    "peak [N·m]",
    "of its limit",
    "energy [J]",
)


class Worst(NamedTuple):
    """The largest error of the tip.

    Attributes
    ----------
    size : float
        How far off the tip is [m].
    t : float
        When [s].
    point : tuple of float
        Where the tip should have been, x and y [m].
    """

    size: float
    t: float
    point: tuple[float, float]


@dataclass(frozen=True, eq=False, repr=False)
class Tracking(Generic[Judged]):
    """Tracking errors of a run against a plan, a row for every sample of the run.

    Attributes
    ----------
    run : Run, or a member of a BatchRun
        What was simulated.
    plan : Plan
        What it was to follow.
    t : ndarray, shape (S,)
        Times of the samples [s].
    error : ndarray, shape (S, 2)
        From where the tip should be to where it is [m].
    size : ndarray, shape (S,)
        Length of that error [m].
    along_track : ndarray, shape (S,)
        Along-track error [m]: positive where the tip is early, negative where it is late.
    cross_track : ndarray, shape (S,)
        Cross-track error [m]: positive on the left-hand side of the motion.
    joint_error : ndarray, shape (S, n)
        Joint errors [rad], less whole turns by which the run starts off.
    reference : ndarray, shape (S, 2)
        Where the tip should be [m].

    Notes
    -----
    A run that ended early is judged up to there. Rows that are not finite, of the run or of the
    plan, are NaN and do not count. Means are over time, by trapezoids.
    """

    run: Judged
    plan: Plan
    t: Array
    error: Array
    size: Array
    along_track: Array
    cross_track: Array
    joint_error: Array
    reference: Array

    @property
    def rms(self) -> float:
        """The root of the mean square [m] of the tip's error."""
        return float(rms(self.t, self.size))

    @property
    def along_track_rms(self) -> float:
        """The same of the along-track error [m]."""
        return float(rms(self.t, self.along_track))

    @property
    def cross_track_rms(self) -> float:
        """The same of the cross-track error [m]."""
        return float(rms(self.t, self.cross_track))

    @property
    def joint_rms(self) -> Array:
        """The same of every joint's error (n,) [rad]."""
        return rms(self.t, by_joint(self.joint_error))

    @cached_property
    def worst(self) -> Worst | None:
        """The largest error of the tip; None for a run without a finite sample."""
        k = int(worst_samples(self.size))
        if not np.isfinite(self.size[k]):
            return None
        x, y = map(float, self.reference[k])
        return Worst(float(self.size[k]), float(self.t[k]), (x, y))

    @property
    def max(self) -> float:
        """The largest error of the tip [m]."""
        return math.nan if self.worst is None else self.worst.size

    @cached_property
    def effort(self) -> Effort:
        """Torque, power and energy of each joint."""
        return effort(self.run)

    def settling_time(self, tolerance: float = 1e-3) -> float | None:
        """Return the time after which the tip stays within a tolerance.

        Parameters
        ----------
        tolerance : float, optional
            How far off the tip may be [m], 1 mm unless given.

        Returns
        -------
        float or None
            The time [s]; None if it never does. One sample at the end is not enough to say so.

        Raises
        ------
        InputError
            If the tolerance is not a finite number above 0.
        """
        within = positive("tolerance", tolerance)
        return _known(settling_times(self.t, self.size, within, _samples(self.run)))

    def first_exit(self, radius: float) -> float | None:
        """Return the first time at which the tip is further off than a radius.

        Parameters
        ----------
        radius : float
            Of the tube around the path that the tip is to stay in [m].

        Returns
        -------
        float or None
            The time [s]; None if it never is.

        Raises
        ------
        InputError
            If the radius is not a finite number above 0.
        """
        return _known(exit_times(self.t, self.size, positive("radius", radius)))

    def facts(self) -> dict[str, Any]:
        """Return what was found as plain values that JSON takes.

        Returns
        -------
        dict
            By names, in SI units; None for what is not finite.
        """
        t, point = (None, None) if self.worst is None else self.worst[1:]
        found = error_facts(self, self.run.status.text, t, point)
        return plain({**found, **vars(self.effort)})

    def _lines(self) -> list[str]:
        worst = self.worst
        if worst is None:
            return ["no sample can be judged", str(self.run.status)]
        x, y = worst.point
        settled = self.settling_time()
        after = "never" if settled is None else f"from t = {settled:.4g} s on"
        return [
            f"tip error: {length_text(self.rms)} RMS "
            f"({length_text(self.along_track_rms)} along-track, "
            f"{length_text(self.cross_track_rms)} cross-track)",
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


def _known(found: Array) -> float | None:
    return None if np.isnan(found) else float(found)


def _samples(run: Run | Member) -> Array:
    """Return how many samples a run has: those of a member that failed end before others do."""
    if isinstance(run, Run) or run.status.ok:
        return np.asarray(len(run.t))
    return np.asarray(np.flatnonzero(np.isfinite(run.q).all(axis=-1)).max(initial=-1) + 1)


@overload
def tracking(run: Run, plan: Plan, *, start: float = 0.0) -> Tracking: ...


@overload
def tracking(run: Member, plan: Plan, *, start: float = 0.0) -> Tracking[Member]: ...


@overload
def tracking(
    run: BatchRun, plan: Plan | Sequence[Plan], *, start: float = 0.0
) -> BatchTracking: ...


def tracking(
    run: Run | Member | BatchRun, plan: Plan | Sequence[Plan], *, start: float = 0.0
) -> Tracking[Any] | BatchTracking:
    """Compare a run, or every run of a batch, with the plan that it was to follow.

    Parameters
    ----------
    run : Run, BatchRun, or a member of one
        What was simulated.
    plan : Plan, or a sequence of B plans
        What it was to follow: one plan for all of a batch, or for each of its arms its own. What
        is the same plan is computed once.
    start : float, optional
        Where in the plan the run begins [s], at its own t = 0. Before its start and after its end
        the plan stands still.

    Returns
    -------
    Tracking or BatchTracking
        Errors of the tip and of the joints, sample by sample, and what they come to; of a batch
        the same with an axis of its members in front.

    Raises
    ------
    InputError
        If the run is none, the plan is none, or they are of arms with unlike numbers of joints.

    Notes
    -----
    Where the reference of the tip stands still, along-track and cross-track errors are by its
    last direction.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.preset("kehl")
    >>> made = ulna.plan(arm, ulna.paths.circle((0.5, 0.2), 0.1), duration=2.0)
    >>> start = made.trajectory(0.0)
    >>> run = ulna.simulate(arm, q0=start.q, qd0=start.qd, duration=2.0, torque=made.torque_at)
    >>> tracking(run, made).max < 1e-6
    True

    Two arms that follow it by a controller, of which one carries 1 kg more than it knows:

    >>> two = ulna.simulate_batch(
    ...     [arm, arm.with_payload(1.0)], reference=made, samples=201,
    ...     controller=ulna.control.ComputedTorque(model=arm),
    ... )  # fmt: skip
    >>> tracking(two, made).rms < 1e-4
    array([ True, False])
    """
    begin = number("start", start)
    if isinstance(run, BatchRun):
        return batch_tracking(run, plan, begin)
    if not isinstance(run, Run | Member):
        need = "a Run, made with ulna.simulate, a BatchRun, or a member of one"
        raise InputError(Problem("run", shown(run), need))
    if not isinstance(plan, Plan):
        raise InputError(Problem("plan", shown(plan), "a Plan, made with ulna.plan"))
    joints = run.q.shape[-1]
    if joints != plan.arm.n:
        need = f"{plan.arm.n}, as many as the plan has"
        raise InputError(Problem("run", f"a run of {joints} joints", need))
    reference = reference_at(plan, run.t + begin)
    parts = (*errors(run.tip, run.q, reference), reference.position)
    freeze(*parts)
    return Tracking(run, plan, run.t, *parts)

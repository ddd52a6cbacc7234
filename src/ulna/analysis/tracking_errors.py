"""How well a run did what a plan asks: along-track and cross-track errors, RMS and at most.

At every sample, with p the tip and p* its reference, moving with v*:

    e = p − p*        along-track = e · v*/|v*|        cross-track = (v*/|v*|) × e

The along-track error is positive where the tip is early and negative where it is late. The
cross-track error is how far it is off the path, positive on the left-hand side of v*.

What a run took of each joint's motor: torque, power, energy. Disturbances are not its doing.

The torque tau[k] acts from t[k] until t[k+1], so that the work in between is

    W_k = τ_k (q̇_k + q̇_k+1) / 2 · (t_k+1 − t_k)

and means of the torque are over these stretches of time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ulna.angles import TURN
from ulna.arrays import Array, freeze, number, plain, positive
from ulna.errors import InputError, Problem, shown
from ulna.motion import Plan, TipMotion
from ulna.namespaces import first_guesses, suggest_attributes, suggest_keywords
from ulna.progress import card
from ulna.simulation import Run
from ulna.units import length_text


@dataclass(frozen=True, eq=False)
class Effort:
    """Torque, power and energy of each joint; NaN for a run without a finite sample.

    Attributes
    ----------
    torque_peak : ndarray, shape (n,)
        The largest torque, by size [N·m].
    torque_rms : ndarray, shape (n,)
        Root of the mean square of the torque [N·m].
    torque_use : ndarray, shape (n,)
        The peak by the joint's `max_torque`; NaN where that is infinite.
    power_peak : ndarray, shape (n,)
        The largest mechanical power, by size [W].
    power_mean : ndarray, shape (n,)
        The mean power [W].
    power_rms : ndarray, shape (n,)
        Root of the mean square of the power [W].
    energy : ndarray, shape (n,)
        Energy put in, less what came back [J].
    energy_spent : ndarray, shape (n,)
        Energy put in; what came back does not count [J].
    """

    torque_peak: Array
    torque_rms: Array
    torque_use: Array
    power_peak: Array
    power_mean: Array
    power_rms: Array
    energy: Array
    energy_spent: Array


def effort(run: Run) -> Effort:
    """Return torque, power and energy of each joint over a run.

    Parameters
    ----------
    run : Run
        What was simulated; samples that are not finite do not count.

    Returns
    -------
    Effort
        What the joints' motors gave.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.Arm.rods([1.0], [1.0], gravity=(0.0, 0.0))
    >>> run = ulna.simulate(arm, q0=[0.0], torque=[2.0], duration=1.0)
    >>> effort(run).torque_peak.tolist()
    [2.0]
    """
    good = np.isfinite(run.t) & np.isfinite(np.hstack([run.qd, run.tau])).all(axis=1)
    if not good.any():
        return Effort(*np.full((8, run.arm.n), np.nan))
    t, qd, tau = run.t[good], run.qd[good], run.tau[good]
    most = np.asarray(run.arm.parameters.max_torque)
    with np.errstate(over="ignore", invalid="ignore"):
        lasts = np.diff(t)[:, None]
        work = tau[:-1] * 0.5 * (qd[:-1] + qd[1:]) * lasts
        power, peak = tau * qd, np.abs(tau).max(axis=0)
        return Effort(
            torque_peak=peak,
            torque_rms=np.sqrt(_held_mean(lasts, tau**2)),
            torque_use=np.where(np.isfinite(most), peak / most, np.nan),
            power_peak=np.abs(power).max(axis=0),
            power_mean=work.sum(axis=0) / lasts.sum() if len(t) > 1 else power[0],
            power_rms=np.sqrt(_held_mean(lasts, power**2)),
            energy=work.sum(axis=0),
            energy_spent=np.maximum(work, 0.0).sum(axis=0),
        )


def _held_mean(lasts: Array, values: Array) -> Array:
    """Return the mean (n,) by time of values (k, n), each lasting until the next."""
    if not len(lasts):
        return np.asarray(values[0])
    return np.asarray((values[:-1] * lasts).sum(axis=0) / lasts.sum())


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


# What people ask for first, and where it is.
_GUESSES = first_guesses("Tracking")


@suggest_attributes(_GUESSES)
@dataclass(frozen=True, eq=False, repr=False)
class Tracking:
    """Tracking errors of a run against a plan, a row for every sample of the run.

    Attributes
    ----------
    run : Run
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

    run: Run
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
        return self._rms(self.size)

    @property
    def along_track_rms(self) -> float:
        """The same of the along-track error [m]."""
        return self._rms(self.along_track)

    @property
    def cross_track_rms(self) -> float:
        """The same of the cross-track error [m]."""
        return self._rms(self.cross_track)

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
        near = self._finite(self.size) & (self.size <= positive("tolerance", tolerance))
        outside = np.flatnonzero(~near)
        first = int(outside[-1]) + 1 if len(outside) else 0
        return float(self.t[first]) if first < max(len(self.t) - 1, 1) else None

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
        outside = np.flatnonzero(self.size > positive("radius", radius))
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
        """Return what was found as plain values that JSON takes.

        Returns
        -------
        dict
            By names, in SI units; None for what is not finite.
        """
        worst = self.worst
        return plain(
            {
                "samples": len(self.t),
                "since": self.t[0],
                "until": self.t[-1],
                "status": self.run.status.text,
                "rms": self.rms,
                "along_track_rms": self.along_track_rms,
                "cross_track_rms": self.cross_track_rms,
                "max": self.max,
                "max_t": None if worst is None else worst.t,
                "max_point": None if worst is None else worst.point,
                "settling_time_1mm": self.settling_time(),
                "first_exit_1cm": self.first_exit(0.01),
                "joint_rms": self.joint_rms,
                **vars(self.effort),
            }
        )

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


@suggest_keywords(reference="plan")
def tracking(run: Run, plan: Plan, *, start: float = 0.0) -> Tracking:
    """Compare a run with the plan that it was to follow.

    Parameters
    ----------
    run : Run
        What was simulated.
    plan : Plan
        What it was to follow.
    start : float, optional
        Where in the plan the run begins [s], at its own t = 0. Before its start and after its end
        the plan stands still.

    Returns
    -------
    Tracking
        Errors of the tip and of the joints, sample by sample, and what they come to.

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
    """
    if not isinstance(run, Run):
        raise InputError(Problem("run", shown(run), "a Run, made with ulna.simulate"))
    if not isinstance(plan, Plan):
        raise InputError(Problem("plan", shown(plan), "a Plan, made with ulna.plan"))
    if run.arm.n != plan.arm.n:
        need = f"{plan.arm.n}, as many as the plan has"
        raise InputError(Problem("run", f"a run of {run.arm.n} joints", need))
    times = run.t + number("start", start)
    reference = plan.trajectory.tip(times)
    with np.errstate(all="ignore"):
        error = run.tip[:, :2] - reference.position
        lost = ~np.isfinite(error).all(axis=-1)
        error[lost] = np.nan
        direction = _directions(reference)
        along = np.sum(error * direction, axis=-1)
        cross = direction[:, 0] * error[:, 1] - direction[:, 1] * error[:, 0]
        joint_error = _joint_errors(run.q, plan.trajectory(times).q)
        size = np.hypot(error[:, 0], error[:, 1])
    parts = (error, size, along, cross, joint_error, reference.position)
    freeze(*parts)
    return Tracking(run, plan, run.t, *parts)


def _directions(reference: TipMotion) -> Array:
    """Return unit vectors (S, 2) along the reference velocity, where there is none as before."""
    speed = np.hypot(reference.velocity[:, 0], reference.velocity[:, 1])
    moving = np.flatnonzero(speed > STILL * np.nanmax(speed, initial=0.0))
    if not len(moving):
        return np.broadcast_to([1.0, 0.0], reference.velocity.shape)
    last = np.searchsorted(moving, np.arange(len(speed)), "right") - 1
    rows = moving[np.maximum(last, 0)]  # before it first moves: as it will
    return np.asarray(reference.velocity[rows] / speed[rows, None])


def _joint_errors(q: Array, reference: Array) -> Array:
    """Return q − q* (S, n), less whole turns by which the first of them differ."""
    difference = q - reference
    good = np.flatnonzero(np.isfinite(difference).all(axis=-1))
    if len(good):
        difference = difference - TURN * np.round(difference[good[0]] / TURN)
    difference[~np.isfinite(difference).all(axis=-1)] = np.nan
    return np.asarray(difference)

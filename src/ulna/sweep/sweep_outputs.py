"""What a sweep keeps of every point: scalars, curves, and whole runs, by name.

Outputs are computed for many members at once, from what `ulna.analysis` says of a batch; what an
output of a member is does not depend on the others. Peaks and means are over the samples of a run,
some thousand unless `samples` says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ulna.analysis import BatchStepResponse, Effort, effort, step_response, tracking
from ulna.arm import Arm
from ulna.arrays import Array
from ulna.errors import InputError, Problem, nearest_name, shown
from ulna.motion import Plan
from ulna.motion.planning.motor_demands import MotorDemands
from ulna.motion.planning.motor_limits import driven_joints
from ulna.simulation import BatchRun
from ulna.simulation.batch.statuses import REASONS, WELL
from ulna.sweep.cases import Grid

JOINT, AXIS, SAMPLE = "joint", "axis", "sample"
INFEASIBLE, INVALID, NOT_COMPUTED = "infeasible", "invalid", "not computed"
# How a point ended; the place of a word is its code.
STATUSES: tuple[str, ...] = (*REASONS, INFEASIBLE, INVALID, NOT_COMPUTED)
STATUS_CODES: Mapping[str, int] = {status: code for code, status in enumerate(STATUSES)}
OK_STATUSES: tuple[str, ...] = WELL
LONGEST_MESSAGE = 240  # letters
OVER = 1.0 + 1e-6  # times a limit, up to which it counts as kept
MESSAGE_TYPE = f"<U{LONGEST_MESSAGE}"
PATH, STEP = "a path", "a set-point"  # what an output may need


@dataclass(frozen=True, eq=False)
class Results:
    """What became of some members, of which outputs are computed.

    Attributes
    ----------
    run : BatchRun
        Their motions and torques; of a sweep of plans, what is planned.
    plans : Plan or tuple of Plan or None
        What they were to follow: one for all, or one for each.
    grid : Grid
        Which samples curves have.
    set_points : ndarray, shape (B, n), or None
        Where joints were to go [rad].
    arms : list of Arm or None
        The arms, where they have motors.
    """

    run: BatchRun
    plans: Plan | tuple[Plan, ...] | None
    grid: Grid
    set_points: Array | None = None
    arms: Sequence[Arm] | None = None

    @cached_property
    def motors(self) -> list[MotorDemands]:
        """What the motion of each member takes of its motors; nothing of arms without."""
        run, still = self.run, np.zeros((len(self.run.t), self.run.n))
        T = float(run.t[-1]) or 1.0
        return [
            MotorDemands(arm, T, run.t / T, np.asarray(qd), still, tau)
            for arm, qd, tau in zip(self.arms or (), run.qd, np.asarray(run.tau), strict=False)
        ]

    @cached_property
    def torque_use(self) -> Array:
        """The largest torques (B, n) as parts of what joints, and motors at their speed, have."""
        found = self.effort.torque_use.copy()
        for own, demands in zip(found, self.motors, strict=False):
            if np.isfinite(demands.torque).all() and np.isfinite(demands.rate).all():
                limited = driven_joints(demands.arm)
                own[limited] = np.fmax(own, demands.peaks.use)[limited]
        return found

    @cached_property
    def effort(self) -> Effort:
        """Torque, power and energy of each joint."""
        return effort(self.run)

    @cached_property
    def tracking(self) -> Any:
        """Errors against the plans."""
        assert self.plans is not None
        return tracking(self.run, self.plans)

    @cached_property
    def response(self) -> BatchStepResponse:
        """How the joints answered the step to their set-points."""
        return step_response(self.run, reference=self.set_points)

    @cached_property
    def tip(self) -> Array:
        """Positions and orientations of the tips (B, S, 3)."""
        return self.run.tip

    def curve(self, values: Array) -> Array:
        """Return the samples (B, P, ...) of a curve, of all samples (B, S, ...).

        Parameters
        ----------
        values : ndarray, shape (B, S, ...)
            A history.

        Returns
        -------
        ndarray, shape (B, P, ...)
            Every so many of them.
        """
        return np.asarray(values)[:, :: self.grid.every]


class SweepOutput(NamedTuple):
    """What can be kept of a point.

    Attributes
    ----------
    unit : str
        SI.
    dims : tuple of str
        The axes that it has besides those of the sweep, without the time of a curve.
    about : str
        What it is.
    of : callable
        Computes it, (B, ...), of `Results`.
    needs : str
        What a case has to have: "a path", "a set-point", or empty.
    missing : str
        Why there may be no number.
    """

    unit: str
    dims: tuple[str, ...]
    about: str
    of: Callable[[Results], Array]
    needs: str = ""
    missing: str = "no point has a number"


def overloads(results: Results) -> Iterator[tuple[int, str]]:
    """Return which members pass a limit of a joint or its motor, and which limit."""
    use, speed = results.torque_use, _largest(results.run.qd)
    allowed = np.broadcast_to(results.run.parameters.max_velocity, speed.shape)
    for member in range(len(use)):
        told = []
        for k in range(use.shape[1]):
            part, rate, most = use[member, k], speed[member, k], allowed[member, k]
            if part > OVER:
                told.append(f"joint {k + 1} takes {part:.0%} of the torque that it has")
            if rate > OVER * most:
                told.append(f"joint {k + 1} turns at {rate:.4g} rad/s, {most:.4g} allowed")
            for demands in results.motors[member : member + 1]:
                told += [f"joint {k + 1}: winding {text}" for _, text in demands.overheated(k)]
        if told:
            yield member, "; ".join(told)


def _largest(values: Array) -> Array:
    """Return the largest sizes (B, ...) of histories (B, S, ...); NaN where there are none."""
    sizes = np.abs(values)
    known = np.where(np.isnan(sizes), -np.inf, sizes).max(axis=1)
    return np.where(np.isneginf(known), np.nan, known)


def _settling_time(results: Results) -> Array:
    if results.set_points is not None:
        answer = results.response
        slowest = np.where(answer.size == 0.0, 0.0, answer.settling_time).max(axis=-1)
        return np.asarray(slowest)
    return np.asarray(results.tracking.settling_time())


def _last(values: Array) -> Array:
    return np.asarray(values)[:, -1]


SCALARS: Mapping[str, SweepOutput] = {
    "torque.peak": SweepOutput(
        "N·m", (JOINT,), "largest torque of each joint", lambda r: r.effort.torque_peak
    ),
    "torque.rms": SweepOutput(
        "N·m", (JOINT,), "root of the mean square of the torque", lambda r: r.effort.torque_rms
    ),
    "torque.use": SweepOutput(
        "1",
        (JOINT,),
        "largest torque as a part of its limit, of a motor at its speed",
        lambda r: r.torque_use,
        missing="no joint or motor limits the torque",
    ),
    "power.peak": SweepOutput("W", (JOINT,), "largest power", lambda r: r.effort.power_peak),
    "power.mean": SweepOutput("W", (JOINT,), "mean power", lambda r: r.effort.power_mean),
    "power.rms": SweepOutput(
        "W", (JOINT,), "root of the mean square of the power", lambda r: r.effort.power_rms
    ),
    "energy.net": SweepOutput(
        "J", (JOINT,), "energy put in, less what came back", lambda r: r.effort.energy
    ),
    "energy.spent": SweepOutput("J", (JOINT,), "energy put in", lambda r: r.effort.energy_spent),
    "speed.peak": SweepOutput("rad/s", (JOINT,), "largest rate", lambda r: _largest(r.run.qd)),
    "q.final": SweepOutput("rad", (JOINT,), "angles at the end", lambda r: _last(r.run.q)),
    "qd.final": SweepOutput("rad/s", (JOINT,), "rates at the end", lambda r: _last(r.run.qd)),
    "tip.final": SweepOutput("m", (AXIS,), "tip at the end", lambda r: _last(r.tip)[:, :2]),
    "tip_error.rms": SweepOutput(
        "m", (), "root of the mean square of the tip's error", lambda r: r.tracking.rms, PATH
    ),
    "tip_error.max": SweepOutput(
        "m", (), "largest error of the tip", lambda r: r.tracking.max, PATH
    ),
    "along_track.rms": SweepOutput(
        "m", (), "the same along the path", lambda r: r.tracking.along_track_rms, PATH
    ),
    "cross_track.rms": SweepOutput(
        "m", (), "the same across the path", lambda r: r.tracking.cross_track_rms, PATH
    ),
    "joint_error.rms": SweepOutput(
        "rad", (JOINT,), "the same of each joint", lambda r: r.tracking.joint_rms, PATH
    ),
    "joint_error.max": SweepOutput(
        "rad",
        (JOINT,),
        "largest error of each joint",
        lambda r: _largest(r.tracking.joint_error),
        PATH,
    ),
    "first_exit": SweepOutput(
        "s",
        (),
        "when the tip is first 1 cm off",
        lambda r: r.tracking.first_exit(0.01),
        PATH,
    ),
    "settling_time": SweepOutput(
        "s",
        (),
        "after which the tip stays within 1 mm, or joints within 2 % of a set-point",
        _settling_time,
        f"{PATH} or {STEP}",
    ),
    "overshoot": SweepOutput(
        "1",
        (JOINT,),
        "beyond the final value, as a part of the step",
        lambda r: r.response.overshoot,
        STEP,
    ),
    "rise_time": SweepOutput(
        "s", (JOINT,), "from 10 % to 90 % of the step", lambda r: r.response.rise_time, STEP
    ),
    "steady_error": SweepOutput(
        "rad", (JOINT,), "what is missing at the end", lambda r: r.response.steady_error, STEP
    ),
    "duration": SweepOutput(
        "s", (), "how long the run was to take", lambda r: np.full(len(r.run), r.run.t[-1])
    ),
}
CURVES: Mapping[str, SweepOutput] = {
    "torque": SweepOutput("N·m", (JOINT,), "torques of the joints", lambda r: r.curve(r.run.tau)),
    "q": SweepOutput("rad", (JOINT,), "joint angles", lambda r: r.curve(r.run.q)),
    "qd": SweepOutput("rad/s", (JOINT,), "joint rates", lambda r: r.curve(r.run.qd)),
    "power": SweepOutput(
        "W",
        (JOINT,),
        "mechanical power of the joints",
        lambda r: r.curve(np.asarray(r.run.tau) * np.asarray(r.run.qd)),
    ),
    "tip": SweepOutput("m", (AXIS,), "place of the tip", lambda r: r.curve(r.tip)[..., :2]),
    "tip_error": SweepOutput(
        "m", (), "how far off the tip is", lambda r: r.curve(r.tracking.size), PATH
    ),
    "along_track": SweepOutput(
        "m", (), "the error along the path", lambda r: r.curve(r.tracking.along_track), PATH
    ),
    "cross_track": SweepOutput(
        "m", (), "the error across the path", lambda r: r.curve(r.tracking.cross_track), PATH
    ),
    "joint_error": SweepOutput(
        "rad", (JOINT,), "errors of the joints", lambda r: r.curve(r.tracking.joint_error), PATH
    ),
}
# Of a whole run: every sample.
RUNS: Mapping[str, SweepOutput] = {
    "run.q": SweepOutput("rad", (JOINT,), "joint angles", lambda r: np.asarray(r.run.q)),
    "run.qd": SweepOutput("rad/s", (JOINT,), "joint rates", lambda r: np.asarray(r.run.qd)),
    "run.tau": SweepOutput(
        "N·m", (JOINT,), "torques of the joints", lambda r: np.asarray(r.run.tau)
    ),
}


class KeptOutputs(NamedTuple):
    """What a sweep keeps of every point.

    Attributes
    ----------
    scalars : tuple of str
        Names of `SCALARS`.
    curves : tuple of str
        Names of `CURVES`.
    run : bool
        Whether every sample is kept, as `RUNS`.
    """

    scalars: tuple[str, ...]
    curves: tuple[str, ...]
    run: bool = False

    @property
    def outputs(self) -> dict[str, SweepOutput]:
        """The outputs by name."""
        return {
            **{name: SCALARS[name] for name in self.scalars},
            **{name: CURVES[name] for name in self.curves},
            **(RUNS if self.run else {}),
        }

    def shape(self, name: str, n: int, grid: Grid) -> tuple[int, ...]:
        """Return the shape of an output of one point.

        Parameters
        ----------
        name : str
            Of the output.
        n : int
            Joints of the arm.
        grid : Grid
            When samples are.

        Returns
        -------
        tuple of int
            Its size along each of `dims`.
        """
        sizes = {JOINT: n, AXIS: 2, SAMPLE: grid.count, "time": grid.curve_points}
        return tuple(sizes[dim] for dim in self.dims(name))

    def dims(self, name: str) -> tuple[str, ...]:
        """Return the axes that an output has besides those of the sweep.

        Parameters
        ----------
        name : str
            Of the output.

        Returns
        -------
        tuple of str
            "time" for a curve, "sample" for a run, and "joint" or "axis".
        """
        own = self.outputs[name].dims
        if name in self.scalars:
            return own
        return ("time", *own) if name in self.curves else (SAMPLE, *own)


def read_kept(given: Any) -> KeptOutputs:
    """Read what is to be kept.

    Parameters
    ----------
    given : mapping or sequence of str
        A table with scalars, curves and run, or names of any of them.

    Returns
    -------
    KeptOutputs
        The names.

    Raises
    ------
    InputError
        If there is no output of a name, with the nearest one.

    Examples
    --------
    >>> read_kept(["torque.peak", "torque"]).curves
    ('torque',)
    """
    if isinstance(given, Mapping):
        return _read_table(given)
    listed = _names(given, "keep")
    known = (*SCALARS, *CURVES, "run")
    _check_known(listed, known, "keep")
    scalars = tuple(name for name in listed if name in SCALARS)
    return KeptOutputs(scalars, tuple(name for name in listed if name in CURVES), "run" in listed)


def _read_table(given: Mapping[str, Any]) -> KeptOutputs:
    found = {}
    for name, known in (("scalars", SCALARS), ("curves", CURVES)):
        found[name] = _names(given.get(name, ()), f"keep.{name}")
        _check_known(found[name], tuple(known), f"keep.{name}")
    run = given.get("run", False)
    if not isinstance(run, bool):
        raise InputError(Problem("keep.run", shown(run), "true or false"))
    return KeptOutputs(found["scalars"], found["curves"], run)


def _names(given: Any, what: str) -> tuple[str, ...]:
    is_list = isinstance(given, Iterable) and not isinstance(given, str | Mapping)
    listed: list[Any] = list(given) if is_list else [None]
    if not all(isinstance(one, str) for one in listed):
        raise InputError(Problem(what, shown(given), "a list of names of outputs"))
    return tuple(dict.fromkeys(listed))


def _check_known(listed: Iterable[str], known: tuple[str, ...], what: str) -> None:
    unknown = [name for name in listed if name not in known][:20]
    if unknown:
        need = "the name of an output"
        raise InputError(
            Problem(what, shown(name), need, nearest_name(name, known)) for name in unknown
        )

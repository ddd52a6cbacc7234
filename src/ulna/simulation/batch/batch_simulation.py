"""Many arms that move on together when asked to: what `simulate_batch` does, step by step."""

from __future__ import annotations

import math
import time
from functools import partial
from typing import Any

import numpy as np

from ulna.arrays import Array, float_array
from ulna.concurrency import interruptible, parallel_for, return_partial
from ulna.errors import InputError, Problem, shown, warn
from ulna.scenario.options import read_time
from ulna.simulation.batch.blocks import LEAST_SHARED, ResidentBucket
from ulna.simulation.batch.buckets import Prepared, buckets_of
from ulna.simulation.batch.inputs import joint_rows
from ulna.simulation.batch.spec import (
    bad_starts,
    kind_of,
    read_arms,
    read_count,
    read_spec,
    read_threads,
)
from ulna.simulation.batch.statuses import CODES, RESULTS, TO_RUN, Statuses, coarse_arms
from ulna.simulation.capacity import check_memory
from ulna.simulation.core import CHUNK
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Outcome
from ulna.simulation.run import read_only
from ulna.simulation.steps import check_steps, most_error
from ulna.typing import (
    ArmsLike,
    ArrayLike,
    BatchActuatorsLike,
    BatchControllerLike,
    BatchDisturbancesLike,
    BatchReferenceLike,
    BatchSensorsLike,
    BatchTipForceLike,
    Interpolation,
    MembersLike,
    Method,
    Precision,
    SeedsLike,
    StateLike,
)

AROUND = 50  # numbers of a link besides those of its table, about


class BatchSimulation:
    """Simulate B arms step by step, and keep them in memory in between.

    For loops that decide on torques after every step, such as learning: `apply` torques,
    `advance`, look at `q` and `qd`, `reset` the members that have come to their end. The states
    are those of `simulate_batch` with a row of torques a step, to the last bit, and do not depend
    on how many steps one call takes. Time is k·dt after k steps; it is common to all members.

    What goes wrong with a member is in its status, and its state is NaN until it is reset; the
    others go on. A copy, also by pickle, goes on by itself from where this one is.

    Parameters
    ----------
    arms : Arm, Parameters or list of Arm
        One arm for all, stacked parameters (`ulna.stack`), or a list.
    q0, qd0 : array_like, (n,) or (B, n)
        Joint angles [rad] and rates [rad/s] at the start; rates are zero unless given. Where plans
        are followed, their own start unless given.
    torque : array_like, (n,) or (B, n), optional
        Torques [N·m] that act until others are applied; none unless given.
    controller : Controller or list of B, optional
        Compiled controllers such as those of `ulna.control`; their torques add to those applied.
    reference : optional
        What controllers follow: a plan, a posture (n,) or (B, n), a function of t, or a list of B.
        Without, each holds the posture that it started from or was last reset to.
    tip_force : optional
        Force x, y [N] at the tip and a moment [N·m], as `simulate_batch` takes them; it acts on
        the arm.
    method : {"rk4", "semi-implicit", "gauss4", "dop853"}, optional
        How steps are taken; "rk4" unless given.
    dt : float
        The length of a step [s].
    between : {"hold", "linear"}
        What applies between the rows of a table of tip forces.
    rate : float, optional
        The control rate [Hz]; unless given that of the arms' `loop`, else 1000 Hz.
    sensors, actuators, disturbances, seeds : optional
        As `simulate_batch` takes them.
    stops : bool
        Whether joints stop at their limits.
    restitution : float
        Of a joint at its stop, from 0 to 1.
    precision : {"double", "single"}
        Single is faster, to six or seven digits.
    threads : int, optional
        The most threads to use: as many as there are cores unless given. Steps of little work are
        taken in one, since to wake others would take longer.

    Attributes
    ----------
    q, qd : ndarray, (B, n)
        Angles [rad] and rates [rad/s] now. Both are live: read-only views of the state, which every
        advance and every reset changes in place. Copy what is to stay.
    torque : ndarray, (B, n)
        The torques [N·m] that were applied; a live, read-only view as well.
    n : int
        The number of joints.
    parameters : Parameters
        The arms.

    Raises
    ------
    InputError
        What was given makes no sense for any arm.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> batch = BatchSimulation(ulna.preset("unit"), q0=np.zeros((3, 2)), dt=0.01)
    >>> batch.apply([[0.0, 0.0], [10.0, 0.0], [20.0, 5.0]])
    >>> print(batch.advance(0.5))
    3 done
    >>> batch.q.round(3).tolist()
    [[-1.123, 0.594], [-0.095, -1.566], [0.031, -0.041]]
    >>> batch.reset([0.0, 0.5], members=[0, 2])
    >>> batch.t, batch.q.round(3).tolist()
    (0.5, [[0.0, 0.5], [-0.095, -1.566], [0.0, 0.5]])
    """

    def __init__(
        self,
        arms: ArmsLike,
        *,
        q0: StateLike | None = None,
        qd0: StateLike | None = None,
        torque: ArrayLike | None = None,
        controller: BatchControllerLike | None = None,
        reference: BatchReferenceLike | None = None,
        tip_force: BatchTipForceLike | None = None,
        method: Method | None = None,
        dt: float = 1e-3,
        between: Interpolation = "hold",
        rate: float | None = None,
        sensors: BatchSensorsLike | None = None,
        actuators: BatchActuatorsLike | None = None,
        disturbances: BatchDisturbancesLike = (),
        seeds: SeedsLike | None = None,
        stops: bool = True,
        restitution: float = 0.0,
        precision: Precision = "double",
        threads: int | None = None,
    ) -> None:
        self._threads = read_threads(threads)
        n = read_arms(arms).n
        applied = np.zeros(n) if torque is None else joint_rows("torque", torque, n, "N·m")
        # Of a duration of zero: a motion is worked out as it is needed, whoever knows how far.
        spec = read_spec(
            arms, q0=q0, qd0=qd0, duration=0.0, dt=dt, torque=applied, controller=controller,
            reference=reference, tip_force=tip_force, method=method, between=between, rate=rate,
            sensors=sensors, actuators=actuators, disturbances=disturbances, seeds=seeds,
            stops=stops, restitution=restitution,
        )  # fmt: skip
        self.parameters, self.options, self.n = spec.parameters, spec.options, spec.n
        self._kind = kind_of(precision, self.options)
        self._controlled, self._disturbances = controller is not None, spec.disturbances
        self._holds_start = controller is not None and reference is None
        size = spec.count * (spec.n + 1) * (at.COLUMNS + AROUND) * self._kind.number.itemsize
        counted = f"{spec.count:,} arms of {spec.n} joint{'s' * (spec.n > 1)}"
        check_memory("arms", counted, size, "simulate fewer of them at a time")
        self._allocate(spec.count, applied)
        self._cost = spec.step_cost(spec.count)  # [s] a step, that it may take one thread
        self._make_buckets(buckets_of(spec, 0, spec.count))
        self._bad_arms, self._start = spec.is_bad_arm(), spec.start.copy()
        self._load(np.arange(spec.count), spec.start.copy())
        self._run(0, self._blocks, 0)  # compiles what is needed, so that no step waits for it
        self._arguments = {
            "arms": self.parameters, "q0": spec.start[0].copy(), "controller": controller,
            "reference": reference, "tip_force": tip_force, "method": method, "dt": dt,
            "between": between, "rate": rate, "sensors": sensors, "disturbances": disturbances,
            "actuators": actuators,
            "seeds": seeds, "stops": stops, "restitution": restitution, "precision": precision,
            "threads": threads,
        }  # fmt: skip

    def _allocate(self, count: int, torque: Array) -> None:
        self._q, self._qd, self._torque = np.full((3, count, self.n), np.nan)
        self._torque[...] = torque
        self.q, self.qd, self.torque = map(_live, (self._q, self._qd, self._torque))
        self._codes = np.full(count, TO_RUN, dtype=np.int8)
        nothing = np.zeros((0, 0, self.n))
        ends, codes = np.full(count, np.nan), np.full(count, at.STOPPED, dtype=np.int8)
        self._outcome = Outcome(np.zeros(0), nothing, nothing, nothing, ends, codes)
        self._step, self._is_coarse = 0, False

    def _make_buckets(self, prepared: list[Prepared]) -> None:
        """Allocate the buckets, and note the bucket and the row in it of every member."""
        count = len(self)
        known = (self._q, self._qd, self._torque, self._codes, RESULTS)
        self._buckets = [ResidentBucket(self._kind, one, self._outcome, known) for one in prepared]
        self._bucket_of, self._row_of = np.zeros((2, count), dtype=np.int64)
        for k, bucket in enumerate(self._buckets):
            self._bucket_of[bucket.members] = k
            self._row_of[bucket.members] = np.arange(len(bucket.members))
        self._blocks = sum(bucket.blocks for bucket in self._buckets)
        self._pace = 4.0 * self._cost  # [s] a step, that it took last

    def __len__(self) -> int:
        return len(self.q)

    def __repr__(self) -> str:
        return f"<BatchSimulation of {len(self):,} arms at t = {self.t:g} s: {self.status}>"

    @property
    def t(self) -> float:
        """The time [s] since the start: dt times the number of steps, and no sum of them."""
        return self._step * self.options.dt

    @property
    def status(self) -> Statuses:
        """How every member stands; one that goes on is "done" up to now."""
        return Statuses(self._codes.copy(), self._outcome.t_end.copy())

    def apply(self, torque: ArrayLike) -> None:
        """Apply torques from now on, until others are applied.

        As the torques of a controller do, they stay within the `max_torque` of their joints.

        Parameters
        ----------
        torque : array_like, (B, n) or (n,)
            Torques [N·m] of each member, or of all; they are copied. A member whose torques have no
            value fails when it is next advanced, and the others go on.

        Raises
        ------
        InputError
            These are no such numbers.
        """
        values = float_array(torque, "torque")
        if values.shape != self.torque.shape and values.shape != (self.n,):
            need = f"({len(self)}, {self.n}), or ({self.n},) for all arms [N·m]"
            raise InputError(Problem("torque", f"shape {values.shape}", need))
        np.clip(values, -self.parameters.max_torque, self.parameters.max_torque, self._torque)

    @interruptible
    def advance(self, seconds: float | None = None, *, steps: int | None = None) -> Statuses:
        """Advance all members, under the torques that were last applied.

        After Ctrl-C, which raises `ulna.Interrupted` between two steps, it can be asked to go on.

        Parameters
        ----------
        seconds : float, optional
            For how long [s]: a whole number of steps of dt. One step unless given.
        steps : int, optional
            The number of steps, in place of seconds.

        Returns
        -------
        Statuses
            How every member stands.

        Raises
        ------
        InputError
            The time is not a whole number of steps, or there are too many of them.
        Interrupted
            Ctrl-C was pressed; its `result` is how every member stands.
        """
        left = 1 if seconds is None and steps is None else self._steps_in(seconds, steps)
        told = self._is_coarse
        try:
            while left:
                some = max(min(left, int(CHUNK / self._pace)), 1)
                self._take(some)
                left -= some
        except KeyboardInterrupt:
            status = self.status
            return return_partial(status, "raise", f"interrupted at t = {self.t:g} s: {status}")
        status = self.status
        if self._is_coarse and not told:
            warn(*coarse_arms(status, self.options.dt, most_error(self.options)))
        return status

    def reset(
        self,
        q0: StateLike | None = None,
        qd0: StateLike | None = None,
        *,
        members: MembersLike = None,
    ) -> None:
        """Return all members to a state, at time 0, or restart some of them now.

        Controllers start afresh. What acts goes on acting, such as the torques that were given
        last, and so do controllers and references; without a reference an arm is to stay where it
        now starts. Whether a member had failed makes no difference. With all members the noise of
        sensors and disturbances repeats itself, so that the same start gives the same states to
        the last bit, as after `Simulation.reset`. Time is common to all: members that are chosen
        restart at the present time.

        Parameters
        ----------
        q0 : array_like, (n,) or (k, n), optional
            Joint angles [rad], for all of them or for each; default: those that they started with
            before.
        qd0 : array_like, (n,) or (k, n), optional
            Joint rates [rad/s]; default: zero, or as they started before where q0 is not given
            either.
        members : array_like, optional
            Which: numbers, a mask (B,), or a slice; default: all of them, at time 0.

        Raises
        ------
        InputError
            There are no such members, or these are no such numbers.
        """
        chosen = self._chosen(members)
        start = self._start[:, chosen].copy()
        if q0 is not None:
            start[1] = 0.0
        for part, (what, given, unit) in enumerate((("q0", q0, "rad"), ("qd0", qd0, "rad/s"))):
            if given is None:
                continue
            rows = joint_rows(what, given, self.n, unit)
            if rows.ndim == 2 and len(rows) != len(chosen):
                need = f"{len(chosen):,}, as many as there are members to reset, or one for all"
                raise InputError(Problem(what, f"{len(rows):,} of them", need))
            start[part] = rows
        if members is None:
            self._rewind()
        self._load(chosen, start)

    def _rewind(self) -> None:
        """Return to time 0, with clocks and noise as they were made."""
        made = BatchSimulation(**self._arguments)
        for bucket, other in zip(self._buckets, made._buckets, strict=True):
            bucket.restore(other.state())
        self._step, self._is_coarse = 0, False

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = [one.copy() for one in self._arrays()]
        buckets = [bucket.state() for bucket in self._buckets]
        state = self._step, self._is_coarse, arrays, buckets
        return partial(BatchSimulation, **self._arguments), (), state

    def _arrays(self) -> tuple[Array, ...]:
        ends, codes = self._outcome.t_end, self._outcome.codes
        return self._q, self._qd, self._torque, self._start, self._codes, ends, codes

    def __setstate__(self, state: tuple[int, bool, list[Array], list[list[Array]]]) -> None:
        self._step, self._is_coarse, arrays, buckets = state
        for own, kept in zip(self._arrays(), arrays, strict=True):
            own[...] = kept
        for bucket, own_state in zip(self._buckets, buckets, strict=True):
            bucket.restore(own_state)

    def _steps_in(self, seconds: Any, steps: Any) -> int:
        """Return the number of steps; raise InputError for more than anybody waits for."""
        if seconds is not None and steps is not None:
            need = "one of the two: a time, or a number of steps"
            raise InputError(Problem("advance", "seconds and steps", need))
        dt = self.options.dt
        count = _whole_steps(seconds, dt) if steps is None else read_count("steps", steps, 0)
        check_steps(
            self.options, self.t, self.t + count * dt, self.n, controlled=self._controlled,
            disturbances=self._disturbances,
        )  # fmt: skip
        return count

    def _take(self, steps: int) -> None:
        """Advance all members by some steps."""
        step = self._step + steps
        for bucket in self._buckets:
            bucket.follow(step)
        self._step, start = step, time.perf_counter()
        least = math.ceil(LEAST_SHARED * self._blocks / (self._cost * steps))
        try:
            parallel_for(partial(self._run, step=step), self._blocks, least, self._threads)
        except KeyboardInterrupt:
            self._run(0, self._blocks, step)  # members that are behind catch up
            raise
        self._pace = (time.perf_counter() - start) / steps

    def _run(self, first: int, last: int, step: int) -> None:
        """Advance blocks, counted through all buckets, to the end of a step."""
        for bucket in self._buckets:
            if first < bucket.blocks and last > 0:
                code = bucket.run(max(first, 0), min(last, bucket.blocks), step)
                self._is_coarse = self._is_coarse or code == at.COARSE
            first, last = first - bucket.blocks, last - bucket.blocks

    def _chosen(self, members: Any) -> Array:
        """Return the indices of the chosen members."""
        key = members
        if members is None:
            key = slice(None)
        elif isinstance(members, list | tuple | range):
            key = np.asarray(members if len(members) else np.zeros(0, dtype=int))
        try:
            return np.atleast_1d(np.arange(len(self))[key])
        except (IndexError, TypeError):
            need = f"numbers from 0 to {len(self) - 1}, a mask ({len(self)},), a slice, or None"
            raise InputError(Problem("members", shown(members), need)) from None

    def _load(self, chosen: Array, start: Array) -> None:
        """Load members into their lanes with angles and rates (2, k, n)."""
        lower, upper = self.parameters.lower, self.parameters.upper
        if lower.ndim > 1:
            lower, upper = lower[chosen], upper[chosen]
        bad = bad_starts(start, lower, upper, stops=self.options.stops)
        never = self._bad_arms[chosen]
        fit = ~(bad | never)
        self._codes[chosen] = np.where(
            fit, CODES["done"], np.where(never, CODES["bad arm"], CODES["bad start"])
        )
        self._start[:, chosen] = start
        self._outcome.codes[chosen] = np.where(fit, at.REACHED, at.STOPPED)
        self._outcome.t_end[chosen] = np.where(fit, self.t, np.nan)
        self._q[chosen], self._qd[chosen] = np.where(fit[:, None], start, np.nan)
        for k, resident in enumerate(self._buckets):
            own = slice(None) if len(self._buckets) == 1 else self._bucket_of[chosen] == k
            rows = self._row_of[chosen[own]]
            resident.bucket.start[:, chosen[own]] = start[:, own]
            if self._holds_start:
                resident.bucket.postures[rows] = start[0, own]
            resident.load(rows, fit[own].astype(np.int8))


def _whole_steps(seconds: Any, dt: float) -> int:
    count = min(read_time("advance", seconds) / dt, 2.0**53)
    if abs(count - round(count)) > 1e-6 * max(1.0, 1e-6 * count):
        need, low = f"a whole number of steps of dt = {dt:g} s", math.floor(count)
        hint = f"try {low * dt:g} or {(low + 1) * dt:g}"
        raise InputError(Problem("advance", f"{shown(seconds)} s", need, hint))
    return round(count)


def _live(array: Array) -> Array:
    """Return a view of an array that shows its changes and makes none."""
    return read_only(array.view())

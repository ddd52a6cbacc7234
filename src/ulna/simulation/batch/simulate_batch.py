"""The front door for many arms at once, which runs them slab by slab, into memory or a store."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ulna.arrays import Array, flag
from ulna.concurrency import check_on_interrupt, interruptible, return_partial
from ulna.errors import InputError, Problem, shown, warn
from ulna.progress import progress as progress_line
from ulna.scenario.inputs import chosen_command, short_tables
from ulna.scenario.loops import IDEAL, PERFECT
from ulna.scenario.plain_parts import plain_part
from ulna.simulation.batch.batch_call import BatchCall, keep_call
from ulna.simulation.batch.batch_files import BatchStore, checked_path, layout_of, open_batch
from ulna.simulation.batch.batch_run import BatchRun
from ulna.simulation.batch.blocks import ThreadPool
from ulna.simulation.batch.buckets import buckets_of, planned
from ulna.simulation.batch.inputs import describe_references, described
from ulna.simulation.batch.spec import BatchSpec, kind_of, read_spec, read_threads
from ulna.simulation.batch.statuses import RESULTS, TO_RUN, Statuses, coarse_arms
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import Outcome, sample_width
from ulna.simulation.simulate_arm import sample_times
from ulna.simulation.steps import most_error
from ulna.storage import empty_folder, exists
from ulna.typing import (
    ArmsLike,
    BatchActuatorsLike,
    BatchControllerLike,
    BatchDisturbancesLike,
    BatchReferenceLike,
    BatchSensorsLike,
    BatchTipForceLike,
    BatchTorqueLike,
    Interpolation,
    Method,
    OnInterrupt,
    PathLike,
    Precision,
    SamplesLike,
    SeedsLike,
    StateLike,
)

MOST_PREPARED = 2**16  # arms that are made ready at a time


@interruptible
def simulate_batch(
    arms: ArmsLike,
    *,
    q0: StateLike | None = None,
    qd0: StateLike | None = None,
    duration: float | None = None,
    dt: float = 1e-3,
    torque: BatchTorqueLike | None = None,
    voltage: BatchTorqueLike | None = None,
    current: BatchTorqueLike | None = None,
    position: BatchTorqueLike | None = None,
    controller: BatchControllerLike | None = None,
    reference: BatchReferenceLike | None = None,
    tip_force: BatchTipForceLike | None = None,
    method: Method | None = None,
    samples: SamplesLike | None = None,
    between: Interpolation = "hold",
    rate: float | None = None,
    sensors: BatchSensorsLike | None = None,
    actuators: BatchActuatorsLike | None = None,
    disturbances: BatchDisturbancesLike = (),
    seeds: SeedsLike | None = None,
    stops: bool = True,
    restitution: float = 0.0,
    keep_torques: bool = False,
    precision: Precision = "double",
    threads: int | None = None,
    store: PathLike | None = None,
    overwrite: bool = False,
    progress: bool | None = None,
    on_interrupt: OnInterrupt = "raise",
) -> BatchRun:
    """Simulate B arms at once, and return their motions.

    Whatever is given is for all arms, or for each its own. The result of an arm does not depend on
    its place, on the number of arms, or on `threads`.

    Parameters
    ----------
    arms : Arm, Parameters or sequence of Arm
        One arm for all, stacked parameters (`ulna.stack`), or a list; of n joints each.
    q0 : array_like, shape (n,) or (B, n), optional
        Joint angles [rad] at the start. Unless given, those that followed motions start with.
    qd0 : array_like, shape (n,) or (B, n), optional
        Joint rates [rad/s] at the start; at rest unless given.
    duration : float, optional
        How long [s] to simulate. Unless given, as long as the motions that are followed take.
    dt : float
        The step [s].
    torque : array_like, str, sequence or tuple, optional
        Joint torques [N·m]: numbers (n,) or (B, n); rows dt apart (B, K, n), or a pair (times,
        rows) with rows (K, n) or (B, K, n); text, one formula a joint; or a list of B such.
    voltage, current, position : as torque, optional
        In place of torques, what motors at all joints are commanded, as in `ulna.simulate`.
    controller : Controller or sequence of B, optional
        Compiled controllers, such as those of `ulna.control`.
    reference : Plan, Trajectory, array_like, callable, or sequence of B, optional
        What controllers follow: a motion, a posture (n,) or (B, n) [rad], a function of t, or a
        list of them. Unless given, the posture at the start.
    tip_force : array_like, str, sequence or tuple, optional
        Force x, y [N] at the tip, and a moment [N·m] if there are three; in the same forms as
        `torque`. It acts on the arm.
    method : {"rk4", "semi-implicit", "gauss4", "dop853"}, optional
        The integrator, with steps of `dt`; "rk4" unless given.
    samples : int or array_like, shape (S,), optional
        How many samples to keep, or their times [s]; the final states unless given.
    between : {"hold", "linear"}
        What applies between the rows of a table of torques or tip forces.
    rate : float, optional
        The control rate [Hz]; unless given that of the arms' `loop`, else 1000 Hz.
    sensors : Sensors or sequence of B, optional
        What controllers measure with; unless given those of the arms' `loop`, else perfect ones.
    actuators : Actuators or sequence of B, optional
        What becomes of commands; unless given those of the arms' `loop`, else the torque is the
        command. Where a largest rate gives way to the lag, the torque bends inside of a step.
    disturbances : sequence of Disturbance, or sequence of B such
        What acts besides, made with `ulna.scenario.disturbances`.
    seeds : int or array_like, shape (B,), optional
        The stream that an arm draws its noise from; b for arm b unless given. Stream 0 is what
        `ulna.simulate` draws.
    stops : bool
        Whether joints stop at their limits.
    restitution : float
        The part of its speed, 0 to 1, that a joint keeps when it hits a stop.
    keep_torques : bool
        Whether samples hold the torques of the motors as well, `BatchRun.tau`.
    precision : {"double", "single"}
        Single is faster, to six or seven digits.
    threads : int, optional
        The most threads to use: as many as there are cores unless given.
    store : str or path, optional
        A folder such as "runs.zarr". Samples go there as they come, and may be more than memory
        holds; arms that have not run yet are "not run" there.
    overwrite : bool
        Whether a store that exists is replaced, once the new one is finished. Until then that grows
        beside it, as "runs.interrupted.zarr".
    progress : bool, optional
        Whether to show how far it is; unless given, where it takes long and somebody looks.
    on_interrupt : {"raise", "return"}
        Whether Ctrl-C raises `ulna.Interrupted`, or the arms that are done are returned.

    Returns
    -------
    BatchRun
        States of all arms at the samples. What went wrong with an arm is in its status, and its
        numbers are NaN from there on; the others go on.

    Raises
    ------
    InputError
        With every value that makes no sense for any arm.
    Interrupted
        On Ctrl-C; its `result` holds the arms that are done, or is None.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> arms = ulna.stack([ulna.Arm.rods([1.0, 1.0], [m, 1.0]) for m in (0.5, 1.0, 2.0)])
    >>> run = simulate_batch(arms, q0=[0.0, 0.5], duration=1.0)
    >>> print(run.status)
    3 done
    >>> run.q[:, -1].round(4).tolist()
    [[-2.7544, 0.6293], [-2.8315, 0.5991], [-2.8119, -0.0152]]
    """
    flag("keep_torques", keep_torques)
    flag("overwrite", overwrite)
    check_on_interrupt(on_interrupt)
    _check_store(store, overwrite=overwrite)
    spec = read_spec(
        arms, q0=q0, qd0=qd0, duration=duration, dt=dt, torque=torque, voltage=voltage,
        current=current, position=position, controller=controller, reference=reference,
        tip_force=tip_force, method=method, between=between, rate=rate, sensors=sensors,
        actuators=actuators, disturbances=disturbances, seeds=seeds, stops=stops,
        restitution=restitution,
    )  # fmt: skip
    what, command = chosen_command(
        controller, torque=torque, voltage=voltage, current=current, position=position
    )
    times = _times(samples, spec)
    slab = planned(spec.count, len(times), spec.n, keep_torques, store)
    given = {"controller": controller, "tip_force": tip_force, what: command}
    settings = _settings(spec, precision, between, reference)
    acting = {"seeds": seeds, "disturbances": disturbances, **given}
    settings |= {name: described(one) for name, one in acting.items()}
    settings |= {} if controller is None else _loop_settings(spec, sensors, actuators)
    pool = ThreadPool(kind_of(precision, spec.options), read_threads(threads))
    call = keep_call(
        spec, arms, reference=reference, sensors=sensors, actuators=actuators,
        disturbances=disturbances or None, seeds=spec.seeds, **given,
    )  # fmt: skip
    job = _BatchJob(spec, times, keep_torques, settings, pool, min(slab, MOST_PREPARED), call)
    with progress_line("simulating", shown=progress) as report:

        def told(done: float) -> None:
            report(done / spec.count)

        if store is None:
            run = job.run(told, on_interrupt)
        else:
            run = job.store(store, overwrite, told, on_interrupt)
    named = zip((what, "tip_force"), spec.inputs[:2], strict=True)
    tables = ((name, form.example) for name, one in named for form in one.forms)
    coarse = coarse_arms(run.status, spec.options.dt, most_error(spec.options))
    warn(*coarse, *short_tables(tables, spec.duration))
    return run


def _times(samples: Any, spec: BatchSpec) -> Array:
    """Return when samples are kept."""
    if samples is None:
        return np.array([spec.duration])
    # A copy, which nobody else holds, and of the type that kernels read.
    width = sample_width(spec.n, 0)
    return np.array(sample_times(samples, spec.duration, spec.options.dt, width), dtype=float)


def _settings(spec: BatchSpec, precision: str, between: str, reference: Any) -> dict[str, Any]:
    """Return how a batch is made, for its record, but for what acts on its arms."""
    return {
        "members": spec.count, "duration": spec.duration, **vars(spec.options), "max_step": None,
        "precision": precision, "between": between, "reference": describe_references(reference),
    }  # fmt: skip


def _loop_settings(spec: BatchSpec, sensors: Any, actuators: Any) -> dict[str, Any]:
    """Return sensors and actuators as a single run keeps them, in short where arms differ."""
    loops = spec.inputs[3]
    if len(loops.labels) == 1:
        one = loops.forms[0].example
        chosen = {"sensors": one.sensors or PERFECT, "actuators": one.actuators or IDEAL}
        return {name: plain_part(part) for name, part in chosen.items()}
    given = {"sensors": sensors, "actuators": actuators}
    return {
        name: "of the arms' loops" if part is None else described(part)
        for name, part in given.items()
    }


class _BatchJob(NamedTuple):
    """A batch that is simulated slab by slab."""

    spec: BatchSpec
    times: Array  # (S,) of the samples
    torques: bool  # whether they are kept
    settings: dict[str, Any]
    pool: ThreadPool
    size: int  # of a slab: how many arms to work on at a time
    call: BatchCall | None

    def run(self, told: Callable[[float], None], on_interrupt: OnInterrupt) -> BatchRun:
        """Simulate all arms, and return the result."""
        count, size = self.spec.count, self.size
        outcome = self._room(count)
        try:
            for first in range(0, count, size):
                part = outcome if size >= count else _part(outcome, first, first + size)
                self._run_slab(part, first, told)
        except KeyboardInterrupt:
            # What is finished is given back, and its status says what is not.
            run = self._result(outcome)
            return return_partial(run, on_interrupt, f"interrupted: {run.status}")
        return self._result(outcome)

    def store(
        self, file: Any, overwrite: bool, told: Callable[[float], None], on_interrupt: OnInterrupt
    ) -> BatchRun:
        """Simulate slab after slab, and write each to the store before the next."""
        spec = self.spec
        layout = layout_of(
            spec.parameters, self.times, members=spec.count, settings=self.settings,
            keep_tau=self.torques, call=self.call,
        )  # fmt: skip
        store = BatchStore(Path(file), layout, overwrite=overwrite)
        try:
            store.create()
            for first in range(0, spec.count, self.size):
                self._store_slab(store, first, min(first + self.size, spec.count), told)
        except KeyboardInterrupt:
            if empty_folder(store.place) or not exists(store.place):
                raise
            run = open_batch(store.place)
            text = f"interrupted: {run.status}; they are in {store.place}"
            return return_partial(run, on_interrupt, text)
        return store.finish()

    def _store_slab(
        self, store: BatchStore, first: int, last: int, told: Callable[[float], None]
    ) -> None:
        """Simulate some arms and write them, after Ctrl-C as far as they have come."""
        outcome = self._room(last - first)
        try:
            self._run_slab(outcome, first, told)
        finally:
            tau = outcome.tau if self.torques else None
            codes = self._codes(outcome, first)
            store.write(first, outcome.q, outcome.qd, tau, outcome.t_end, codes)

    def _room(self, count: int) -> Outcome:
        """Allocate the outcome of so many arms."""
        shape = (count, len(self.times), self.spec.n)
        q, qd = np.full((2, *shape), np.nan)
        tau = np.full(shape if self.torques else (0, *shape[1:]), np.nan)
        codes = np.full(count, TO_RUN, dtype=np.int8)
        return Outcome(self.times, q, qd, tau, np.full(count, np.nan), codes)

    def _run_slab(self, outcome: Outcome, first: int, told: Callable[[float], None]) -> None:
        spec, last = self.spec, first + len(outcome.codes)
        if spec.codes is not None:  # arms that cannot run are passed over
            outcome.codes[spec.codes[first:last] != TO_RUN] = at.STOPPED
        buckets = buckets_of(spec, first, last)
        steps = max(spec.duration / spec.options.dt, 1.0)
        self.pool.work(buckets, outcome, told, steps * spec.step_cost(last - first))

    def _codes(self, outcome: Outcome, first: int) -> Array:
        """Return the status codes of the arms."""
        codes: Array = RESULTS.take(outcome.codes, mode="wrap")
        if self.spec.codes is None:
            return codes
        own = self.spec.codes[first : first + len(codes)]
        return np.where(own == TO_RUN, codes, own)

    def _result(self, outcome: Outcome) -> BatchRun:
        return BatchRun(
            self.spec.parameters, self.times, outcome.q, outcome.qd,
            outcome.tau if self.torques else None, outcome.t_end,
            Statuses(self._codes(outcome, 0), outcome.t_end), self.settings, call=self.call,
        )  # fmt: skip


def _part(outcome: Outcome, first: int, last: int) -> Outcome:
    times, *arrays = outcome
    return Outcome(times, *(array[first:last] for array in arrays))


def _check_store(store: Any, *, overwrite: bool) -> None:
    """Raise InputError for what is no file name, or for a file that exists, before any work."""
    if store is None:
        return
    if not isinstance(store, str | os.PathLike):
        raise InputError(Problem("store", shown(store), "the name of a .zarr folder"))
    if exists(checked_path(store)) and not overwrite:
        got = f"'{store}', which exists"
        raise InputError(Problem("store", got, "a new name", "add overwrite=True to replace it"))

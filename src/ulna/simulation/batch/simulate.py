"""The front door for many arms at once."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from ulna.arm import Arm
from ulna.errors import InputError, Problem, shown, warn
from ulna.interrupts import check_on_interrupt, interruptible
from ulna.namespaces import suggest_keywords
from ulna.simulation.batch.execute import BatchJob, execute
from ulna.simulation.batch.inputs import check_between
from ulna.simulation.batch.members import read_arms
from ulna.simulation.batch.memory import planned
from ulna.simulation.batch.references import describe_references, described
from ulna.simulation.batch.run import BatchRun
from ulna.simulation.batch.spec import read_spec
from ulna.simulation.batch.status import coarse_arms
from ulna.simulation.checks import check_controlled
from ulna.simulation.engine.memory import sample_width
from ulna.simulation.options import read_options
from ulna.simulation.simulate_arm import read_duration, sample_times
from ulna.simulation.sources import short_tables
from ulna.simulation.steps import check_steps, most_error
from ulna.storage import exists
from ulna.typing import (
    ArmsLike,
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


@interruptible
@suggest_keywords(torques="keep_torques", force="overwrite", seed="seeds", path="reference")
def simulate_batch(
    arms: ArmsLike,
    *,
    q0: StateLike | None = None,
    qd0: StateLike | None = None,
    duration: float | None = None,
    dt: float = 1e-3,
    torque: BatchTorqueLike | None = None,
    controller: BatchControllerLike | None = None,
    reference: BatchReferenceLike | None = None,
    tip_force: BatchTipForceLike | None = None,
    method: Method | None = None,
    samples: SamplesLike | None = None,
    between: Interpolation = "hold",
    rate: float = 1000.0,
    sensors: BatchSensorsLike | None = None,
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
    rate : float
        The control rate [Hz].
    sensors : Sensors or sequence of B, optional
        Noise, resolution and delay of what controllers measure; perfect unless given.
    disturbances : sequence of Disturbance, or sequence of B such
        What acts besides, made with `ulna.simulation.disturbances`.
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
        A file such as "runs.zarr" or "runs.nc". Samples go there as they come, and may be more than
        memory holds.
    overwrite : bool
        Whether a store that exists is replaced, by one that is finished. What an interrupted batch
        has goes to a file beside it, "runs.interrupted.nc"; where no arm had begun, there is none.
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
    parameters = read_arms(arms)
    n = parameters.n
    _check_switches(keep_torques=keep_torques, overwrite=overwrite)
    check_on_interrupt(on_interrupt)
    _check_store(store, overwrite=overwrite)
    check_between(between)
    check_controlled(controller, reference=reference, sensors=sensors)
    options = read_options(
        n, method=method, controlled=True, rtol=None, stops=stops, dt=dt, rate=rate,
        restitution=restitution, atol=1.0, max_step=math.inf,
    )  # fmt: skip
    spec = read_spec(
        parameters, options, between=between, q0=q0, qd0=qd0, torque=torque, tip_force=tip_force,
        disturbances=disturbances, sensors=sensors, controller=controller, reference=reference,
        seeds=seeds, arm=arms if isinstance(arms, Arm) else None,
    )  # fmt: skip
    length = read_duration(spec.duration if duration is None else duration)
    check_steps(
        options, 0.0, length, n, controlled=controller is not None,
        disturbances=spec.disturbances,
    )  # fmt: skip
    times = np.array([length])
    if samples is not None:
        # A copy: kernels would be compiled again for one that is read-only, or of another type.
        times = np.array(sample_times(samples, length, options.dt, sample_width(n, 0)), dtype=float)
    slab = planned(spec.count, len(times), n, keep_torques, store)
    members = spec.members(stops=options.stops)
    settings = {
        "members": spec.count, "duration": length, **vars(options), "max_step": None,
        "precision": precision, "controller": described(controller), "between": between,
        "reference": describe_references(reference), "torque": described(torque),
        "tip_force": described(tip_force), "disturbances": described(disturbances),
        "seeds": described(seeds),
    }  # fmt: skip
    acting = spec.acting(members, options.rate, length)
    run = execute(
        BatchJob(members, acting, options, length, times, slab, keep_torques, settings),
        precision=precision, threads=threads, store=store, overwrite=overwrite, progress=progress,
        on_interrupt=on_interrupt,
    )  # fmt: skip
    named = zip(("torque", "tip_force"), spec.inputs[:2], strict=True)
    tables = ((name, form.example) for name, given in named for form in given.forms)
    warn(*coarse_arms(run.status, options.dt, most_error(options)), *short_tables(tables, length))
    return run


def _check_switches(**given: Any) -> None:
    for what, value in given.items():
        if not isinstance(value, bool | np.bool_):
            raise InputError(Problem(what, shown(value), "True or False"))


def _check_store(store: Any, *, overwrite: bool) -> None:
    """Raise InputError for what is no file name, or for a file that exists, before any work."""
    if store is None:
        return
    if not isinstance(store, str | os.PathLike):
        raise InputError(Problem("store", shown(store), "the name of a .zarr or .nc file"))
    if exists(store) and not overwrite:
        got = f"'{store}', which exists"
        raise InputError(Problem("store", got, "a new name", "add overwrite=True to replace it"))

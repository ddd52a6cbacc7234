"""The front door for many arms at once."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from ulna.arm import Arm, Parameters
from ulna.errors import InputError, Problem, shown, warn
from ulna.interrupts import OnInterrupt, check_on_interrupt, interruptible
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
from ulna.simulation.simulate import read_duration, sample_times
from ulna.simulation.steps import check_steps, most_error
from ulna.storage import exists


@interruptible
def simulate_batch(
    arms: Arm | Parameters | list[Arm],
    *,
    q0: Any = None,
    qd0: Any = None,
    duration: float | None = None,
    dt: float = 1e-3,
    torque: Any = None,
    controller: Any = None,
    reference: Any = None,
    tip_force: Any = None,
    method: str | None = None,
    samples: Any = None,
    between: str = "hold",
    rate: float = 1000.0,
    sensors: Any = None,
    disturbances: Any = (),
    seeds: Any = None,
    stops: bool = True,
    restitution: float = 0.0,
    torques: bool = False,
    precision: str = "double",
    threads: int | None = None,
    store: Any = None,
    force: bool = False,
    progress: bool | None = None,
    on_interrupt: OnInterrupt = "raise",
) -> BatchRun:
    """Let B arms move at once, and return what they did.

    `arms` is one arm for all, stacked parameters (`ulna.stack`), or a list. Whatever else is given
    is for all of them, or for each its own:

    - `q0`, `qd0` (n,) or (B, n); where plans are followed, their own start and duration;
    - `torque` [N·m] and `tip_force` (x, y [N], moment [N·m]; it acts on the arm): numbers (n,) or
      (B, n); rows dt apart (B, K, n), or a pair (times, rows) with rows (K, n) or (B, K, n),
      `between` which "hold" or "linear" applies; text, one a joint, or a list of B such;
    - `controller`, compiled, at `rate` [Hz], through `sensors`; following `reference`, a plan, a
      posture (n,) or (B, n), a function of t, or a list of them;
    - `disturbances`, a list or a list of lists. Arm b draws its noise from the stream seeds[b],
      by default b; stream 0 is what `ulna.simulate` draws.

    Steps are of `dt`, by `method` "rk4", "semi-implicit", "gauss4" or "dop853". `samples` is how
    many to keep, or their times; without it the final states. `torques=True` keeps those as well.
    `precision="single"` is faster, to six or seven digits. With `store`, a file such as
    "runs.zarr" or "runs.nc", samples go there as they come and may be more than memory holds.

    What goes wrong with an arm is in its `status`, and its numbers are NaN from there on; the
    others go on. The result of an arm does not depend on its place, on the number of arms, or on
    `threads`. Only bad input raises, and Ctrl-C: `ulna.Interrupted`, whose `result` holds the arms
    that are done, or None. With on_interrupt="return" they are returned. A store that exists is
    replaced only by one that is finished, and what an interrupted one has goes to a file beside
    it, "runs.interrupted.nc"; where no arm had begun, there is none.

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
    _check_switches(torques=torques, force=force)
    check_on_interrupt(on_interrupt)
    _check_store(store, force=force)
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
    slab = planned(spec.count, len(times), n, torques, store)
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
        BatchJob(members, acting, options, length, times, slab, torques, settings),
        precision=precision, threads=threads, store=store, force=force, progress=progress,
        on_interrupt=on_interrupt,
    )  # fmt: skip
    warn(*coarse_arms(run.status, options.dt, most_error(options)))
    return run


def _check_switches(**given: Any) -> None:
    for what, value in given.items():
        if not isinstance(value, bool | np.bool_):
            raise InputError(Problem(what, shown(value), "True or False"))


def _check_store(store: Any, *, force: bool) -> None:
    """Refuse what is no name of a file, and a file that exists, before any work is done."""
    if store is None:
        return
    if not isinstance(store, str | os.PathLike):
        raise InputError(Problem("store", shown(store), "the name of a .zarr or .nc file"))
    if exists(store) and not force:
        got = f"'{store}', which exists"
        raise InputError(Problem("store", got, "a new name", "add force=True to replace it"))

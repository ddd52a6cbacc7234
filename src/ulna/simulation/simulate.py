"""The one front door: an arm, a start, what acts on it, and for how long."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, shown, warn
from ulna.interrupts import (
    OnInterrupt,
    check_on_interrupt,
    interruptible,
    listening,
    return_partial,
)
from ulna.motion import Trajectory
from ulna.progress import progress as progress_line
from ulna.simulation.capacity import allowance, check_memory
from ulna.simulation.engine import places as at
from ulna.simulation.engine.memory import sample_columns, sample_width
from ulna.simulation.failures import Failed
from ulna.simulation.fixed import read_only
from ulna.simulation.options import is_number
from ulna.simulation.outcome import interrupted, log_of, saturation_of
from ulna.simulation.reference import check_motion, trajectory_of
from ulna.simulation.run import Run
from ulna.simulation.settings import settings_of
from ulna.simulation.simulation import Simulation
from ulna.simulation.steps import MOST_STEPS, check_stiffness

MOST_DEFAULT = 100_001  # samples that are kept if nobody says how many
DEFAULT_MEMORY = 500e6  # [bytes] that they may take
_ZERO = read_only(np.zeros(1))


@interruptible
def simulate(
    arm: Arm,
    *,
    duration: float | None = None,
    samples: Any = None,
    progress: bool | None = None,
    signals: bool = True,
    on_error: str = "return",
    on_interrupt: OnInterrupt = "raise",
    **options: Any,
) -> Run:
    """Let an arm move, and return what it did.

    The start is `q0` (n,) [rad], with `qd0` [rad/s] if it moves; where a plan is followed, its own
    start and duration unless others are given. What acts on the arm:

    - `torque` [N·m] and `tip_force` (x, y [N], moment [N·m]; it acts on the arm): numbers; text
      such as "100*t", one a joint, over t, x, y, q1 …, qd1 …; a pair (times, rows), or rows dt
      apart, `between` which "hold" or "linear" applies; or a function of t, or of (t, q, qd);
    - `controller` at `rate` [Hz], following `reference` through `sensors`;
    - `disturbances`, a list made with `ulna.simulation.disturbances`.

    How it is done: `method` "dop853" (adaptive, to `rtol` and `atol`; steps of dt with
    rtol=None), "rk4", "semi-implicit" (for stiff damping) or "gauss4" (keeps the energy for ever),
    the last three with steps of `dt`; `max_step`; `model` "true", or paper 001's "sequential" with
    its `friction` [1/s]. Joints stop at their limits with `restitution`, unless stops=False or the
    model is sequential, which knows neither stops nor a force on the tip.
    `events` maps names to formulas or functions that are watched for a change of sign; `until`
    ends the run.

    `samples` is how many to keep, or their times; without it one every dt, thinned to 100,000.
    With `signals` they hold what a controller read, was to follow and asked for, and what
    disturbed; without, `Run` has None there, and takes less memory.

    What went wrong is in `Run.status`; only bad input raises, and Ctrl-C: `ulna.Interrupted`, whose
    `result` is the run up to then, or None. With on_interrupt="return" that run is returned. A
    controller or a Python function that raises an exception or gives an answer of no use ends the
    run with a status as well, and all until then is kept, unless `on_error` is "raise".

    >>> import ulna
    >>> run = simulate(ulna.preset("bechard-1"), q0=[0.0], torque=[10.0], duration=20.0)
    >>> round(float(run.q[-1, 0]), 4), round(float(run.qd[-1, 0]), 4)
    (644.3452, 48.6266)
    """
    check_on_interrupt(on_interrupt)
    motion = trajectory_of(options.get("reference"))
    length = read_duration(motion.duration if duration is None and motion else duration)
    if "q0" not in options:
        options |= _start(arm, motion)
    if not isinstance(signals, bool | np.bool_):
        raise InputError(Problem("signals", shown(signals), "True or False"))
    simulation = Simulation(arm, on_error=on_error, **options)
    simulation.stiffness.told = check_stiffness(arm, simulation.options, length)
    width = sample_width(arm.n, simulation.kept_signals if signals else 0)
    times = sample_times(samples, length, simulation.options.dt, width)
    simulation.keep_samples(times, signals=bool(signals))
    run = _recorded(simulation, length, shown=progress)
    warn(*simulation.doubts)
    if run.status.reason == "interrupted":
        return return_partial(run, on_interrupt, run.status.text)
    return run


def _start(arm: Any, motion: Trajectory | None) -> dict[str, Any]:
    """Return the state that a motion starts with."""
    if motion is None:
        raise InputError(Problem("q0", "nothing", "the joint angles [rad] at the start"))
    if isinstance(arm, Arm):
        check_motion(arm.n, motion)
    first = motion(0.0)
    return {"q0": first.q, "qd0": first.qd}


def read_duration(given: Any) -> float:
    """Take how long a run is to be [s]."""
    if not is_number(given) or not 0.0 <= given < 1e300:
        raise InputError(Problem("duration", shown(given), "a time of at least 0 s"))
    return float(given)


def _recorded(simulation: Simulation, length: float, *, shown: bool | None) -> Run:
    """Advance to the end, or to where it goes on no further, and gather the samples."""
    with progress_line("simulating", shown=shown) as report:
        try:
            simulation.advance_to(length, lambda: report(simulation.t / length if length else 1.0))
        except KeyboardInterrupt:
            if not simulation.memory.whole[at.SAMPLE]:
                raise  # there is nothing yet: what takes part in it was being compiled
            listening().clear()
            simulation.status = interrupted(simulation)
    _close(simulation)
    return _run(simulation)


def _close(simulation: Simulation) -> None:
    """Record the last state, under what acted until then."""
    samples, t = simulation.record.samples, simulation.t
    row = int(simulation.memory.whole[at.SAMPLE])
    if simulation.status.reason != "done" and row < len(samples):
        if row and samples[row - 1, 0] >= t:
            return
        samples[row, 0] = t
    try:
        _finish_samples(simulation)
    except BaseException:
        if simulation.status.reason != "interrupted":
            raise
        # A function that was interrupted may not answer for the last state, which is left out.
        simulation.memory.whole[at.SAMPLE] = max(row, 1)


def _finish_samples(simulation: Simulation) -> None:
    """Record what is due at the very end of a run, and at least where the arm is."""
    memory, control = simulation.memory, simulation.control
    try:
        with np.errstate(all="ignore"):
            simulation.engine(simulation.size, memory, control, simulation.record, at.FINISH)
        error = simulation.loads.take_error()
        if error is not None and simulation.failure is None:
            simulation.fail(Failed("function failed", *simulation.loads.calling, error))
            if simulation.failure is not None:
                simulation.status = simulation.failure.status
    finally:
        if memory.whole[at.SAMPLE] == 0:
            _keep_state(simulation)


def _keep_state(simulation: Simulation) -> None:
    """Record the state alone, where nothing can be said of what acts on it."""
    memory, columns = simulation.memory, sample_columns(simulation.arm.n, 0)
    row, state = simulation.record.samples[0], memory.vectors[at.STATE : at.STATE + 2]
    row[1:] = np.nan
    row[columns["q"]], row[columns["qd"]] = state[:, :-1]
    row[columns["injected"]], row[columns["dissipated"]] = state[:, -1]
    memory.whole[at.SAMPLE] = 1


def _run(simulation: Simulation) -> Run:
    # Nobody writes to them any more: parts of them need not be copied to be safe.
    simulation.record.samples.flags.writeable = False
    kept = simulation.record.samples[: int(simulation.memory.whole[at.SAMPLE])]
    columns = sample_columns(simulation.arm.n, int(simulation.memory.whole[at.KEPT]))
    arrays = {name: kept[:, part] for name, part in columns.items()}
    arrays |= {name: arrays[name][:, 0] for name in ("t", "injected", "dissipated")}
    if simulation.keeps_signals:
        # Of what is not there, nothing is kept: no limits, no disturbances.
        arrays.setdefault("tau_commanded", arrays["tau"])
        arrays.setdefault("tau_disturbance", _zeros(arrays["tau"]))
        arrays.setdefault("tip_force_disturbance", _zeros(arrays["tip_force"]))
    events, contacts = log_of(simulation)
    return Run(
        arm=simulation.arm,
        status=simulation.status,
        settings=settings_of(simulation),
        events=events,
        contacts=contacts,
        saturation=saturation_of(simulation),
        error=simulation.error,
        **arrays,
    )


def _zeros(like: Array) -> Array:
    """Return zeros of the shape of an array, which take no memory."""
    # As np.broadcast_to does, which takes longer than all that is done with them.
    return np.ndarray(like.shape, np.float64, _ZERO, strides=(0,) * like.ndim)


def sample_times(samples: Any, duration: float, dt: float, width: int) -> Array:
    """Return the times at which samples of so many numbers are kept."""
    row = 8 * width  # [bytes] of a sample
    if samples is None:
        steps = max(math.ceil(min(duration / dt, MOST_STEPS) * (1.0 - 1e-9)), 1)
        most = min(MOST_DEFAULT, max(int(DEFAULT_MEMORY / row), 2)) - 1
        steps = math.ceil(steps / math.ceil(steps / most))
        return np.linspace(0.0, duration, steps + 1) if duration else np.zeros(1)
    if isinstance(samples, int | np.integer) and not isinstance(samples, bool):
        if samples < 1:
            raise InputError(Problem("samples", shown(samples), "at least 1"))
        _check_samples(int(samples), row)
        if not duration:
            return np.zeros(1)
        return np.linspace(0.0, duration, samples) if samples > 1 else np.array([duration])
    times = float_array(samples, "samples")
    _check_samples(times.size, row)
    inside = times.ndim == 1 and times.size and np.isfinite(times).all()
    if not inside or times[0] < 0.0 or times[-1] > duration or np.any(np.diff(times) <= 0.0):
        need = f"a number of samples, or times that increase from 0 to {duration:g} s at most"
        raise InputError(Problem("samples", shown(samples), need))
    return times


def _check_samples(count: int, row: int) -> None:
    hint = f"such as samples={int(allowance() / row):,}"
    check_memory("samples", f"{count:,} of {row:,} bytes", count * row, hint)

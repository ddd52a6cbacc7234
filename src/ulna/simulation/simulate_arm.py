"""`ulna.simulate`: one arm from its start to the end of its run, recorded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from ulna.arm import Arm
from ulna.arrays import Array, float_array
from ulna.concurrency import check_on_interrupt, interruptible, return_partial
from ulna.errors import InputError, Problem, shown, warn
from ulna.progress import progress as progress_line
from ulna.scenario.options import read_time
from ulna.scenario.scenario import Scenario, is_default
from ulna.simulation.capacity import allowance, check_memory
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.engine.memory import ENERGY_FLOWS, sample_columns, sample_width
from ulna.simulation.motor_use import motors_of
from ulna.simulation.outcome import Failed, interrupted, log_of, saturation_of, sticking_of
from ulna.simulation.run import Run
from ulna.simulation.simulation import Simulation
from ulna.simulation.steps import MOST_STEPS, check_stiffness
from ulna.typing import (
    ActuatorsLike,
    ArrayLike,
    ControllerLike,
    DisturbancesLike,
    Dynamics,
    EventLike,
    EventsLike,
    Interpolation,
    Method,
    OnError,
    OnInterrupt,
    Precision,
    ReferenceLike,
    SamplesLike,
    SensorsLike,
    StateLike,
    TipForceLike,
    TorqueLike,
)

MOST_DEFAULT = 100_001  # samples that are kept unless a number is given
DEFAULT_MEMORY = 500e6  # [bytes] that they may take


@interruptible
def simulate(
    arm: Arm | Scenario,
    *,
    q0: StateLike | None = None,
    qd0: StateLike | None = None,
    duration: float | None = None,
    torque: TorqueLike | None = None,
    voltage: TorqueLike | None = None,
    current: TorqueLike | None = None,
    position: TorqueLike | None = None,
    tip_force: TipForceLike | None = None,
    between: Interpolation = "hold",
    controller: ControllerLike | None = None,
    reference: ReferenceLike | None = None,
    rate: float | None = None,
    sensors: SensorsLike | None = None,
    actuators: ActuatorsLike | None = None,
    disturbances: DisturbancesLike = (),
    stops: bool = True,
    restitution: float = 0.0,
    dynamics: Dynamics = "full",
    sequential_damping: ArrayLike | None = None,
    method: Method | None = None,
    dt: float = 1e-3,
    rtol: float | None = 1e-9,
    atol: float = 1e-12,
    max_step: float = math.inf,
    samples: SamplesLike | None = None,
    signals: bool = True,
    events: EventsLike | None = None,
    until: EventLike | None = None,
    precision: Precision = "double",
    seed: int = 0,
    progress: bool | None = None,
    on_error: OnError = "return",
    on_interrupt: OnInterrupt = "raise",
) -> Run:
    """Simulate an arm, and return its motion.

    Parameters
    ----------
    arm : Arm or Scenario
        A scenario; or an arm with what else a scenario holds, by the names of its fields.
    q0, qd0 : array_like, shape (n,), optional
        Joint angles [rad] and rates [rad/s] at the start, as in `ulna.Scenario`.
    duration : float, optional
        How long [s] to simulate, as in `ulna.Scenario`.
    torque, voltage, current, position, tip_force, between : optional
        What acts on the arm, as in `ulna.Scenario`.
    controller, reference, rate, sensors, actuators : optional
        The loop, as in `ulna.Scenario`.
    disturbances : sequence of Disturbance
        What acts besides, as in `ulna.Scenario`.
    stops, restitution, dynamics, sequential_damping : optional
        The equations of motion, as in `ulna.Scenario`.
    method, dt, rtol, atol, max_step : optional
        The integrator and its steps, as in `ulna.Scenario`.
    samples, signals, events, until : optional
        What is recorded, and when it ends, as in `ulna.Scenario`.
    precision, seed : optional
        The numbers, and the stream that noise is drawn from, as in `ulna.Scenario`.
    progress : bool, optional
        Whether to show how far it is. Default: where it takes long and somebody looks.
    on_error : {"return", "raise"}
        Whether a controller or a function that fails ends the run with a status, or raises.
    on_interrupt : {"raise", "return"}
        Whether Ctrl-C raises `ulna.Interrupted`, or the run up to then is returned.

    Returns
    -------
    Run
        States, torques, energies and events at the samples. What went wrong is in `Run.status`,
        and all until then is kept. `Run.scenario` repeats it.

    Raises
    ------
    InputError
        With every value that makes no sense.
    Interrupted
        On Ctrl-C; its `result` is the run up to then, or None.

    Examples
    --------
    >>> import ulna
    >>> run = simulate(ulna.preset("bechard-1"), q0=[0.0], torque=[10.0], duration=20.0)
    >>> round(float(run.q[-1, 0]), 4), round(float(run.qd[-1, 0]), 4)
    (644.3452, 48.6266)
    >>> again = simulate(run.scenario)
    >>> bool((again.q == run.q).all())
    True
    """
    check_on_interrupt(on_interrupt)
    asked = {
        "q0": q0, "qd0": qd0, "duration": duration, "torque": torque, "voltage": voltage,
        "current": current, "position": position, "tip_force": tip_force, "between": between,
        "controller": controller, "reference": reference, "rate": rate, "sensors": sensors,
        "actuators": actuators, "disturbances": disturbances, "stops": stops,
        "restitution": restitution, "dynamics": dynamics,
        "sequential_damping": sequential_damping, "method": method, "dt": dt, "rtol": rtol,
        "atol": atol, "max_step": max_step, "samples": samples, "signals": signals,
        "events": events, "until": until, "precision": precision, "seed": seed,
    }  # fmt: skip
    scenario = arm if isinstance(arm, Scenario) else Scenario(arm=arm, **asked)  # type: ignore[arg-type]
    if scenario is arm:
        _check_alone(asked)
    simulation = Simulation(scenario, on_error=on_error)
    motion, length = scenario.motion, scenario.duration
    length = read_time("duration", motion.duration if motion and length is None else length)
    simulation.stiffness.warned = check_stiffness(simulation.arm, simulation.options, length)
    width = sample_width(simulation.arm.n, simulation.kept_signals if scenario.signals else 0)
    times = sample_times(scenario.samples, length, simulation.options.dt, width)
    simulation.keep_samples(times, signals=scenario.signals)
    run = _recorded(simulation, length, shown=progress)
    warn(*simulation.accuracy_warnings, *simulation.loads.short_tables(simulation.t))
    if run.status.reason == "interrupted":
        return return_partial(run, on_interrupt, run.status.text)
    return run


def _check_alone(asked: Mapping[str, Any]) -> None:
    """Raise InputError for values beside a scenario, which holds them all."""
    beside = [name for name, value in asked.items() if not is_default(name, value)]
    if beside:
        got = f"a scenario and {', '.join(beside)}"
        hint = f"pass scenario.replace({beside[0]}=...)"
        raise InputError(Problem("scenario", got, "nothing beside a scenario", hint))


def _recorded(simulation: Simulation, length: float, *, shown: bool | None) -> Run:
    """Advance to the end, or as far as possible, and return the run."""
    with progress_line("simulating", shown=shown) as report:
        try:
            simulation.advance_to(length, lambda: report(simulation.t / length if length else 1.0))
        except KeyboardInterrupt:
            if not simulation.memory.ints[at.SAMPLE]:
                raise  # there is nothing yet: what takes part in it was being compiled
            simulation.status = interrupted(simulation)
    _close(simulation)
    return _run(simulation, length)


def _close(simulation: Simulation) -> None:
    """Record the last state, under what acted until then."""
    samples, t = simulation.record.samples, simulation.t
    row = int(simulation.memory.ints[at.SAMPLE])
    if simulation.status.reason != "done" and row < len(samples):
        if row and samples[row - 1, 0] >= t:
            return
        samples[row, 0] = t
    memory, control = simulation.memory, simulation.control
    with np.errstate(all="ignore"):
        simulation.engine(simulation.size, memory, control, simulation.record, at.FINISH)
    error = simulation.loads.take_error()
    if error is not None and simulation.failure is None:
        simulation.fail(Failed("function failed", *simulation.loads.calling, error))
        if simulation.failure is not None:
            simulation.status = simulation.failure.status
    if memory.ints[at.SAMPLE] == 0:
        # What acts on the state cannot be computed: it is recorded alone.
        columns = sample_columns(simulation.arm.n, 0)
        state = memory.vectors[at.STATE : at.STATE + 2]
        samples[0, 1:] = np.nan
        samples[0, columns["q"]], samples[0, columns["qd"]] = state[:, :-1]
        samples[0, columns["injected"]], samples[0, columns["dissipated"]] = state[:, -1]
        memory.ints[at.SAMPLE] = 1


def _run(simulation: Simulation, length: float) -> Run:
    # Nothing writes to them any more: parts of them need not be copied.
    simulation.record.samples.flags.writeable = False
    samples = len(simulation.record.samples)  # that were asked for, however it ended
    kept = simulation.record.samples[: int(simulation.memory.ints[at.SAMPLE])]
    columns = sample_columns(simulation.arm.n, int(simulation.memory.ints[at.KEPT]))
    arrays = {name: kept[:, part] for name, part in columns.items()}
    arrays |= {name: arrays[name][:, 0] for name in ("t", "injected", "dissipated")}
    if "current" in arrays:
        first, last = columns[ENERGY_FLOWS[0]], columns[ENERGY_FLOWS[-1]]
        arrays = {name: one for name, one in arrays.items() if name not in ENERGY_FLOWS}
        arrays["energy_flows"] = kept[:, first.start : last.stop]
    if simulation.keeps_signals and simulation.controller is None and simulation.ticks.blocks:
        arrays |= _followed(simulation, arrays["t"])
    if simulation.keeps_signals:
        # Of what is not there, nothing is kept: no limits, no disturbances.
        arrays.setdefault("tau_commanded", arrays["tau"])
        arrays.setdefault("tau_disturbance", np.zeros(arrays["tau"].shape))
        arrays.setdefault("tip_force_disturbance", np.zeros(arrays["tip_force"].shape))
    events, contacts = log_of(simulation)
    return Run(
        arm=simulation.arm,
        status=simulation.status,
        scenario=resolved(simulation, length, samples),
        events=events,
        contacts=contacts,
        saturation=saturation_of(simulation),
        sticking=sticking_of(simulation),
        motors=motors_of(simulation),
        error=simulation.error,
        **arrays,
    )


def _followed(simulation: Simulation, t: Array) -> dict[str, Array]:
    """Return what servos and steppers were to follow, at the samples."""
    assert simulation.ticks.blocks is not None
    rows = np.full((len(t), 3, simulation.arm.n), np.nan)
    with suppress(Exception):  # of a function that has ended the run
        found = simulation.ticks.blocks.at_times(t)
        rows[: len(found)] = found
    return dict(zip(("q_ref", "qd_ref", "qdd_ref"), rows.transpose(1, 0, 2), strict=True))


def sample_times(samples: Any, duration: float, dt: float, width: int) -> Array:
    """Return the times at which samples of so many numbers are kept."""
    row = 8 * width  # [bytes] of a sample
    if samples is None:
        steps = max(math.ceil(min(duration / dt, MOST_STEPS) * (1.0 - 1e-9)), 1)
        most = min(MOST_DEFAULT, max(int(DEFAULT_MEMORY / row), 2)) - 1
        steps = math.ceil(steps / math.ceil(steps / most))
        return _even_times(duration, steps + 1) if duration else np.zeros(1)
    if isinstance(samples, int | np.integer) and not isinstance(samples, bool):
        if samples < 1:
            raise InputError(Problem("samples", shown(samples), "at least 1"))
        _check_samples(int(samples), row)
        if not duration:
            return np.zeros(1)
        return _even_times(duration, int(samples)) if samples > 1 else np.array([duration])
    times = float_array(samples, "samples")
    _check_samples(times.size, row)
    inside = times.ndim == 1 and times.size and np.isfinite(times).all()
    if not inside or times[0] < 0.0 or times[-1] > duration or np.any(np.diff(times) <= 0.0):
        need = f"a number of samples, or times that increase from 0 to {duration:g} s at most"
        raise InputError(Problem("samples", shown(samples), need))
    return times


def _even_times(duration: float, count: int) -> Array:
    """Return even times from 0 to the duration, both included, two at least."""
    # The numbers of np.linspace, which takes as long as twenty steps of the engine.
    times = np.arange(count) * (duration / (count - 1))
    times[-1] = duration
    return times


def _check_samples(count: int, row: int) -> None:
    hint = f"such as samples={int(allowance() / row):,}"
    check_memory("samples", f"{count:,} of {row:,} bytes", count * row, hint)


def resolved(simulation: Simulation, length: float, count: int) -> Scenario:
    """Return the scenario of a run with all that was left open: it gives the same bits again."""
    asked, options, (q, qd) = simulation.scenario, simulation.options, simulation.start
    found: dict[str, Any] = {
        "q0": asked.q0 or tuple(q.tolist()), "qd0": asked.qd0 or tuple(qd.tolist()),
        "duration": length, "method": options.method, "rate": options.rate,
    }  # fmt: skip
    if not isinstance(asked.samples, np.ndarray):
        found["samples"] = count
    if asked.controller is not None:
        found |= {"sensors": simulation.sensors, "actuators": simulation.actuators}
        if asked.reference is None:
            found["reference"] = found["q0"]
    return asked.completed(**found)

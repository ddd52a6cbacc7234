"""`ulna.simulate`: one arm from its start to the end of its run, recorded.

How a simulation was set up, as plain values: what a run keeps of it.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import numpy as np

from ulna.arm import Actuators, Arm, Sensors
from ulna.arm.robot_files import dumps
from ulna.arrays import Array, flag, float_array
from ulna.concurrency import check_on_interrupt, interruptible, return_partial
from ulna.errors import InputError, Problem, shown, warn
from ulna.motion import Trajectory
from ulna.progress import progress as progress_line
from ulna.scenario.checks import IDEAL
from ulna.scenario.disturbances import Disturbance
from ulna.scenario.options import per_arm, read_time
from ulna.scenario.references import check_motion, trajectory_of
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
    arm: Arm,
    *,
    q0: StateLike | None = None,
    qd0: StateLike | None = None,
    duration: float | None = None,
    torque: TorqueLike | None = None,
    voltage: TorqueLike | None = None,
    current: TorqueLike | None = None,
    position: TorqueLike | None = None,
    controller: ControllerLike | None = None,
    reference: ReferenceLike | None = None,
    tip_force: TipForceLike | None = None,
    method: Method | None = None,
    dt: float = 1e-3,
    rtol: float | None = 1e-9,
    atol: float = 1e-12,
    max_step: float = math.inf,
    samples: SamplesLike | None = None,
    signals: bool = True,
    between: Interpolation = "hold",
    rate: float | None = None,
    sensors: SensorsLike | None = None,
    actuators: ActuatorsLike | None = None,
    disturbances: DisturbancesLike = (),
    events: EventsLike | None = None,
    until: EventLike | None = None,
    stops: bool = True,
    restitution: float = 0.0,
    dynamics: Dynamics = "full",
    sequential_damping: ArrayLike | None = None,
    progress: bool | None = None,
    on_error: OnError = "return",
    on_interrupt: OnInterrupt = "raise",
) -> Run:
    """Simulate an arm, and return its motion.

    Parameters
    ----------
    arm : Arm
        The arm, of n joints.
    q0 : array_like, shape (n,), optional
        Joint angles [rad] at the start. Unless given, those that a followed motion starts with.
    qd0 : array_like, shape (n,), optional
        Joint rates [rad/s] at the start. Unless given, those of the motion where q0 is its start,
        else none.
    duration : float, optional
        How long [s] to simulate. Unless given, as long as a motion that is followed takes.
    torque : array_like, str, sequence of str, tuple or callable, optional
        Joint torques [N·m]: numbers (n,); text such as "100*t", one formula a joint, over t, x, y,
        q1 …, qd1 …; a pair (times, rows), or rows (k, n) dt apart; or a function of t, or of
        (t, q, qd), that returns (n,).
    voltage, current : as torque, optional
        In place of torques, voltages [V] or currents [A] of DC motors at all joints.
    position : as torque, optional
        In place of torques, angles [rad] that servos or steppers at all joints are commanded.
    controller : Controller, optional
        What computes torques from measurements, at `rate`; its torques add to `torque`. See
        `ulna.control`. Motors whose command is no torque have it converted by their drivers.
    reference : Plan, Trajectory, array_like or callable, optional
        What the controller follows: a motion, a posture (n,) [rad], or a function of t that
        returns q, (q, qd) or (q, qd, qdd). Unless given, the posture at the start. Without a
        controller its angles are what servos and steppers at all joints are commanded.
    tip_force : array_like, str, sequence of str, tuple or callable, optional
        Force x, y [N] at the tip, and a moment [N·m] if there are three; in the same forms as
        `torque`. It acts on the arm.
    method : {"dop853", "rk4", "semi-implicit", "gauss4"}, optional
        The integrator. "dop853" is adaptive, to `rtol` and `atol`; the others take steps of `dt`:
        "semi-implicit" for stiff damping, "gauss4" to keep the energy for ever. Unless given, "rk4"
        with a controller and "dop853" without.
    dt : float
        The step [s] of methods with fixed steps, and the distance of samples and of table rows.
    rtol : float or None
        Relative tolerance of "dop853", from 1e-14 to 0.1; None makes it take steps of `dt`.
    atol : float
        Absolute tolerance of "dop853" [rad, rad/s].
    max_step : float
        The longest step [s] of "dop853".
    samples : int or array_like, shape (S,), optional
        How many samples to keep, or their times [s]. Unless given, one every dt, at most 100,001.
    signals : bool
        Whether samples hold what a controller measured, followed and commanded, and disturbances;
        without, `Run` has None there and takes less memory.
    between : {"hold", "linear"}
        What applies between the rows of a table of torques or tip forces.
    rate : float, optional
        The control rate [Hz]; unless given that of the arm's `loop`, else 1000 Hz.
    sensors : Sensors, optional
        What the controller measures with: sample rate, delay, bias, noise, resolution; unless
        given those of the arm's `loop`, else perfect ones.
    actuators : Actuators, optional
        What becomes of its commands: delay, lag, largest rate, resolution; unless given those of
        the arm's `loop`, else the torque is the command.
    disturbances : sequence of Disturbance
        What acts besides, made with `ulna.scenario.disturbances`.
    events : mapping of str to str or callable, optional
        Formulas or functions by name, whose changes of sign are located; see `Run.events`.
    until : str or callable, optional
        An event that ends the run.
    stops : bool
        Whether joints stop at their limits. Sequential dynamics have no stops.
    restitution : float
        The part of its speed, 0 to 1, that a joint keeps when it hits a stop.
    dynamics : {"full", "sequential"}
        The equations of motion, or an approximation joint by joint, see
        `ulna.dynamics.sequential`, which takes no tip force.
    sequential_damping : array_like, shape (n,), optional
        Damping [1/s] of the sequential dynamics, in place of that of the joints.
    progress : bool, optional
        Whether to show how far it is; unless given, where it takes long and somebody looks.
    on_error : {"return", "raise"}
        Whether a controller or a function that fails ends the run with a status, or raises.
    on_interrupt : {"raise", "return"}
        Whether Ctrl-C raises `ulna.Interrupted`, or the run up to then is returned.

    Returns
    -------
    Run
        States, torques, energies and events at the samples. What went wrong is in `Run.status`,
        and all until then is kept.

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
    """
    check_on_interrupt(on_interrupt)
    motion = trajectory_of(reference)
    length = read_time("duration", motion.duration if motion and duration is None else duration)
    if q0 is None:
        q0, qd_start = _start(arm, motion)
        qd0 = qd_start if qd0 is None else qd0
    simulation = Simulation(
        arm, q0=q0, qd0=qd0, torque=torque, voltage=voltage, current=current, position=position,
        controller=controller, reference=reference, tip_force=tip_force, method=method, dt=dt,
        rtol=rtol, atol=atol, max_step=max_step, between=between, rate=rate, sensors=sensors,
        actuators=actuators, disturbances=disturbances, events=events, until=until, stops=stops,
        restitution=restitution, dynamics=dynamics, sequential_damping=sequential_damping,
        on_error=on_error,
    )  # fmt: skip
    simulation.stiffness.warned = check_stiffness(arm, simulation.options, length)
    width = sample_width(arm.n, simulation.kept_signals if flag("signals", signals) else 0)
    times = sample_times(samples, length, simulation.options.dt, width)
    simulation.keep_samples(times, signals=bool(signals))
    run = _recorded(simulation, length, shown=progress)
    warn(*simulation.accuracy_warnings, *simulation.loads.short_tables(simulation.t))
    if run.status.reason == "interrupted":
        return return_partial(run, on_interrupt, run.status.text)
    return run


def _start(arm: Any, motion: Trajectory | None) -> tuple[Array, Array]:
    """Return the state that a motion starts with."""
    if motion is None:
        raise InputError(Problem("q0", "nothing", "the joint angles [rad] at the start"))
    if isinstance(arm, Arm):
        check_motion(arm.n, motion)
    first = motion(0.0)
    return first.q, first.qd


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
    if simulation.keeps_signals and simulation.controller is None and simulation.reference:
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
        settings=settings_of(simulation) | {"duration": length, "samples": samples},
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


def settings_of(simulation: Simulation) -> dict[str, Any]:
    """Return all that it takes to set a simulation up again; functions by their names only."""
    q, qd = simulation.start
    torque, force = simulation.sources
    options = simulation.options
    plain: dict[str, Any] = {"q0": q.tolist(), "qd0": qd.tolist(), **vars(options)}
    plain["max_step"] = None if math.isinf(options.max_step) else options.max_step
    plain |= {simulation.loads.what: torque.described, "tip_force": force.described}
    if simulation.ticks.blocks is not None:
        plain["reference"] = simulation.reference
    if simulation.controller is not None:
        plain["controller"] = repr(simulation.controller)
        model = getattr(simulation.controller, "model", None)
        if isinstance(model, Arm):
            plain["controller_model"] = _robot_text(model)
        plain |= loop_settings(simulation.sensors, simulation.actuators)
    if simulation.disturbances:
        plain["disturbances"] = [plain_disturbance(one) for one in simulation.disturbances]
    for signal in simulation.signals:
        if signal.ends:
            plain["until"] = signal.described
        else:
            plain.setdefault("events", {})[signal.name] = signal.described
    return plain


_robot_text = per_arm(dumps)


def loop_settings(sensors: Sensors, actuators: Actuators) -> dict[str, Any]:
    """Return sensors, and actuators unless they are ideal, as plain values."""
    plain = {"sensors": asdict(sensors)}
    if actuators != IDEAL:
        plain["actuators"] = finite_values(asdict(actuators))
    return plain


def finite_values(values: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is infinite, which a file cannot hold: no limit."""
    return {name: value for name, value in values.items() if not np.isinf(value).any()}


def plain_disturbance(disturbance: Disturbance) -> dict[str, Any]:
    """Return a disturbance as plain values; one that never stops has no such time."""
    values = asdict(disturbance)
    return values | {"stop": None if math.isinf(disturbance.stop) else disturbance.stop}

"""A simulation that advances when it is called: what `simulate` and everything live stand on."""

from __future__ import annotations

import numpy as np

from ulna.arrays import Array
from ulna.concurrency import interruptible, return_partial
from ulna.control.controller import check_controller
from ulna.errors import InputError, Problem, shown, units_hint, warn
from ulna.scenario.checks import check_controlled, check_sequential, check_tip_is_free
from ulna.scenario.events import tried
from ulna.scenario.inputs import TORQUE, chosen_command
from ulna.scenario.options import check_start, is_number, joint_values, read_time
from ulna.scenario.scenario import Scenario
from ulna.simulation.core import Report, SimulationCore
from ulna.simulation.engine import memory_layout as at
from ulna.simulation.loads import Loads
from ulna.simulation.motor_rows import check_motors
from ulna.simulation.outcome import (
    Status,
    check_on_error,
    close_saturation,
    interrupted,
    status_of,
)
from ulna.simulation.steps import (
    accuracy_warnings,
    check_steps,
    prepare_steps,
)
from ulna.typing import (
    ControllerLike,
    OnError,
    ReferenceLike,
    StateLike,
    TipForceLike,
    TorqueLike,
)

LOST = ("diverged", "stalled", "bad torque")  # there is no state to continue from


def starting_state(scenario: Scenario) -> tuple[Array, Array]:
    """Return the angles and rates at the start: those given, else those of the motion."""
    read = scenario.reading
    if read.start is not None:
        return read.start
    motion = scenario.motion
    if motion is None:
        raise InputError(Problem("q0", "nothing", "the joint angles [rad] at the start"))
    first = motion(0.0)
    qd = first.qd if scenario.qd0 is None else np.array(scenario.qd0)
    check_start(scenario.arm, first.q, qd, read.options)
    return first.q, qd


class Simulation(SimulationCore):
    """Simulate an arm step by step, as an object that advances when it is called.

    Parameters
    ----------
    scenario : Scenario
        The arm, where it starts, and what acts on it; `apply`, `set_controller` and
        `set_reference` change that. `duration`, `samples` and `signals` are for `ulna.simulate`.
    on_error : {"return", "raise"}
        Whether a controller or a function that fails ends the simulation with a status, `error`
        being the exception, or raises.

    Attributes
    ----------
    scenario : Scenario
        What was asked.
    arm : Arm
        The arm.
    status : Status
        How the simulation stands: whether it can go on, and if not, why.

    Raises
    ------
    InputError
        With every value that makes no sense.

    Examples
    --------
    >>> import ulna
    >>> swing = Simulation(ulna.Scenario(arm=ulna.Arm.rods([1.0], [1.0]), q0=[0.0]))
    >>> print(swing.advance(0.5))
    ran to t = 0.5 s
    >>> round(float(swing.q[0]), 6)
    -1.661148
    """

    def __init__(self, scenario: Scenario, *, on_error: OnError = "return") -> None:
        self.on_error = check_on_error(on_error)
        if not isinstance(scenario, Scenario):
            hint = "pass ulna.Scenario(arm=..., q0=...)"
            raise InputError(Problem("scenario", shown(scenario), "a Scenario", hint))
        if scenario.precision != "double":
            hint = "simulate_batch computes in single precision"
            need = "'double' for a single arm"
            raise InputError(Problem("precision", shown(scenario.precision), need, hint))
        self.scenario, self.arm, read = scenario, scenario.arm, scenario.reading
        self.options, self.timing = read.options, read.timing
        q, qd = starting_state(scenario)
        self.sensors, self.actuators = read.loop.sensors, read.loop.actuators
        self.disturbances = tuple(scenario.disturbances)
        self.signals = tried(read.signals, q, qd)
        self.loads = Loads(
            self.arm.n, between=scenario.between, dt=self.options.dt, signals=self.signals
        )
        if self.options.dynamics == "sequential":
            check_sequential(self.arm)
        self._read_inputs(scenario, q)
        self._times, self.keeps_signals, self._kept = np.zeros(0), False, 0
        self._begin(scenario.controller, q, qd)
        self._warn()

    def apply(
        self,
        *,
        torque: TorqueLike | None = None,
        voltage: TorqueLike | None = None,
        current: TorqueLike | None = None,
        position: TorqueLike | None = None,
        tip_force: TipForceLike | None = None,
    ) -> None:
        """Set the torques and the tip force that act from now on.

        As the torques of a controller do, these torques stay within the `max_torque` of their
        joints. Times in formulas and tables count from the start of the simulation.

        Parameters
        ----------
        torque : array_like, str, sequence of str, tuple or callable, optional
            Joint torques [N·m], as in `ulna.simulate`; default: none.
        voltage, current, position : as torque, optional
            What motors are commanded in place of torques, as in `ulna.simulate`.
        tip_force : array_like, str, sequence of str, tuple or callable, optional
            Force on the tip, as in `ulna.simulate`; none unless given.

        Raises
        ------
        InputError
            Values that make no sense; then what acted before goes on.

        Examples
        --------
        >>> import ulna
        >>> swing = Simulation(ulna.Scenario(arm=ulna.Arm.rods([1.0], [1.0]), q0=[0.0]))
        >>> swing.apply(torque=[4.905])  # what holds it
        >>> print(swing.advance(0.5), swing.q.tolist())
        ran to t = 0.5 s [0.0]
        """
        if self.options.dynamics == "sequential":
            check_tip_is_free(tip_force, ())
        what, command = chosen_command(
            self.controller, torque=torque, voltage=voltage, current=current, position=position
        )
        limits = self.arm.parameters.max_torque
        limits = limits if np.isfinite(limits).any() else None
        if self.loads.apply_in_place(command, tip_force, what, limits):
            return
        check_motors(self.arm, self.options, what)
        self.loads.set(command, tip_force, what, limits)
        if self.controller is None:
            self.ticks.unfollow()
        self._rebuild()

    def advance(self, seconds: float) -> Status:
        """Advance by so many seconds, or until something ends the run.

        After Ctrl-C, which raises `ulna.Interrupted`, it can be called again.

        Parameters
        ----------
        seconds : float
            How long [s], at least 0.

        Returns
        -------
        Status
            How the simulation stands.

        Raises
        ------
        InputError
            A time below 0, or one that would take more steps than anybody waits for.
        Interrupted
            On Ctrl-C; its `result` is how the simulation stands.
        """
        later = self.t + read_time("advance", seconds)
        warned = bool(self.accuracy_warnings)
        status = self.advance_to(later)
        warn(*self.loads.short_tables(self.t))
        if self.accuracy_warnings and not warned:
            warn(*self.accuracy_warnings)
        return status

    @interruptible
    def advance_to(self, t: float, report: Report | None = None) -> Status:
        """Advance to a time, or until something ends the run.

        Parameters
        ----------
        t : float
            The time [s], not before the present one.
        report : callable, optional
            A function without arguments that is called now and then on the way.

        Returns
        -------
        Status
            How the simulation stands.

        Raises
        ------
        InputError
            A time before the present one.
        Interrupted
            On Ctrl-C; its `result` is how the simulation stands.
        """
        now = self.t
        if not is_number(t) or not now <= t < 1e300:
            need = f"a time from {now:g} s on"
            raise InputError(Problem("advance_to", shown(t), need, units_hint(t, "s")))
        if self.status.reason in LOST:
            return self.status
        end = float(t)
        check_steps(
            self.options, now, end, self.arm.n, controlled=self.controller is not None,
            disturbances=self.disturbances,
        )  # fmt: skip
        prepare_steps(self, end - now)
        self.memory.floats[at.TARGET] = end
        self.memory.ints[at.OPEN] = 0  # what an interruption may have left
        try:
            code = at.FAULTY if self.failure else self._drive(report)
        except KeyboardInterrupt:
            # Of a function that Ctrl-C ended, and that may be called again.
            self.loads.clear_error()
            self.status = interrupted(self)
            return return_partial(self.status, "raise", self.status.text)
        finished = code in (at.REACHED, at.STOPPED)
        self.accuracy_warnings = accuracy_warnings(self) if finished else []
        self.status = self.failure.status if self.failure else status_of(self, code)
        return self.status

    def set_controller(
        self, controller: ControllerLike | None, *, reference: ReferenceLike | None = None
    ) -> None:
        """Set the controller that computes torques from the next tick on.

        It starts afresh, without what the one before it learned; the torques of that one are held
        until the tick. Rate and sensors stay as they are.

        Parameters
        ----------
        controller : Controller or None
            None removes the controller; what `torque` and `apply` set goes on acting. Motors that
            were commanded voltages, currents or positions are commanded by the controller instead.
        reference : Plan, Trajectory, array_like or callable, optional
            What it is to follow, as `set_reference` takes it. Unless given, what was followed
            before; of an arm that had no controller, to stay where it is.

        Raises
        ------
        InputError
            What is no controller, or does not fit the arm; then the one before stays.

        Examples
        --------
        >>> import ulna
        >>> swing = Simulation(ulna.Scenario(arm=ulna.Arm.rods([1.0], [1.0]), q0=[0.0]))
        >>> print(swing.advance(0.3))  # it falls
        ran to t = 0.3 s
        >>> swing.set_controller(ulna.control.GravityPD(), reference=[1.0])
        >>> print(swing.advance(5.0))
        ran to t = 5.3 s
        >>> round(float(swing.q[0]), 3)
        1.0
        """
        if controller is not None:
            check_controller(controller)
        check_controlled(controller, reference=reference)
        afresh = reference is None and self.ticks.blocks is None
        followed = self.q if afresh else reference
        if self.failure is not None and self.failure.status.reason == "controller failed":
            self.failure = None
        started = self._started(controller)
        if controller is not None and followed is not None:
            self.ticks.follow(followed, self.q)
        if self.controller is None:
            now = self.memory.vectors[at.STATE : at.STATE + 2, :-1]
            self.ticks.begin_at(self.memory, self.sensors.rounded(now))
        elif controller is None:
            close_saturation(self)
        self.ticks.install(controller, started)
        if controller is not None and self.loads.what != TORQUE:
            self.loads.drop_command()
            self._rebuild()
        self._go_on()
        self._warn()

    def set_reference(self, reference: ReferenceLike, *, start: float = 0.0) -> None:
        """Set the reference that the controller follows from its next tick on.

        Parameters
        ----------
        reference : Plan, Trajectory, array_like or callable
            A motion to follow, a posture (n,) [rad] to hold, or a function of t that returns q,
            (q, qd) or (q, qd, qdd). `simulation.q` is the posture to stay where it is.
        start : float
            The time [s] of the simulation at which a motion or a function begins; their own time
            is 0 there, and until then. `simulation.t` is now.

        Raises
        ------
        InputError
            What cannot be followed; or there is no controller, and a joint whose motor is not
            commanded positions.

        Examples
        --------
        >>> import ulna
        >>> arm = ulna.Arm.rods([1.0], [1.0])
        >>> held = ulna.Scenario(arm=arm, q0=[0.0], controller=ulna.control.GravityPD())
        >>> swing = Simulation(held)
        >>> swing.set_reference([0.5])
        >>> print(swing.advance(5.0))
        ran to t = 5 s
        >>> round(float(swing.q[0]), 3)
        0.5
        """
        positioned = self._takes_positions(self.controller, reference)
        if not positioned:
            check_controlled(self.controller, reference=reference)
        if reference is None:
            need = "a plan, a trajectory, a posture (n,) [rad] or a function of t"
            hint = "to stay where it is, pass simulation.q"
            raise InputError(Problem("reference", "None", need, hint))
        self.ticks.follow(reference, self.q, start=read_time("start", start))
        if positioned:
            self._command_positions()
            self._rebuild()
        if self.failure is not None and self.failure.who.startswith("reference function"):
            self.failure = None
        self._go_on()
        self._warn()

    def reset(self, q0: StateLike | None = None, qd0: StateLike | None = None) -> None:
        """Return to a state, at time 0, as if made anew with it.

        The controller starts afresh, and the noise of sensors and disturbances repeats itself:
        the same start gives the same run, to the last bit. What acts goes on acting, such as the
        torques that were given last, and so do controller and reference; without a reference the
        arm is to stay where it now starts. Room for samples is empty again. `BatchSimulation.reset`
        does the same for all members.

        Parameters
        ----------
        q0 : array_like, shape (n,), optional
            Joint angles [rad]; unless given, those that it started with before.
        qd0 : array_like, shape (n,), optional
            Joint rates [rad/s]; unless given, at rest, or as it started before where q0 is not
            given either.

        Raises
        ------
        InputError
            A state that no arm has, or beyond the joint limits.

        Examples
        --------
        >>> import ulna
        >>> swing = Simulation(ulna.Scenario(arm=ulna.Arm.rods([1.0], [1.0]), q0=[0.0]))
        >>> print(swing.advance(0.5))
        ran to t = 0.5 s
        >>> swing.reset([-1.5])
        >>> swing.t, swing.q.tolist()
        (0.0, [-1.5])
        """
        old_q, old_qd = self.start
        q = old_q if q0 is None else joint_values(self.arm.n, "q0", q0, "rad")
        qd = old_qd if q0 is None else np.zeros(self.arm.n)
        if qd0 is not None:
            qd = joint_values(self.arm.n, "qd0", qd0, "rad/s")
        check_start(self.arm, q, qd, self.options)
        self.ticks.restart(q)
        self._begin(self.controller, q, qd)
        self._warn()

    def copy(self) -> Simulation:
        """Return another simulation that stands where this one does, and leaves it untouched.

        Both go on alike, to the last bit, noise included. What the controller remembers is copied,
        and whatever else of it can change. `copy.copy` and `copy.deepcopy` do the same; `pickle`
        does it for another process.

        Returns
        -------
        Simulation
            The copy.

        Examples
        --------
        >>> import ulna
        >>> swing = Simulation(ulna.Scenario(arm=ulna.Arm.rods([1.0], [1.0]), q0=[0.0]))
        >>> other = swing.copy()
        >>> print(other.advance(0.5), "|", swing.t)
        ran to t = 0.5 s | 0.0
        """
        return self.__deepcopy__({})

    __copy__ = copy

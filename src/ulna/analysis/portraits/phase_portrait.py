"""A portrait: one joint, what drives it, and everything that it can do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ulna.analysis.portraits import basins, invariant_sets, phase_equilibria
from ulna.analysis.portraits.basins import BasinBoundary, Basins, CriticalTorques
from ulna.analysis.portraits.fates import Fate, Fates, find_fates
from ulna.analysis.portraits.flow import TURN, Flow, check_damping, check_distances
from ulna.analysis.portraits.invariant_sets import RunningSolution, Separatrix
from ulna.analysis.portraits.phase_equilibria import PhaseEquilibrium, StickingInterval
from ulna.analysis.portraits.report_text import portrait_facts, portrait_lines
from ulna.analysis.portraits.state_feedback import StateFeedback
from ulna.arm import Arm
from ulna.arm.parameters import warn_motors_left_out
from ulna.arrays import Array, number, positive, whole
from ulna.concurrency import OnInterrupt, check_on_interrupt, interruptible
from ulna.control import Controller
from ulna.errors import InputError, Problem, shown
from ulna.progress import Described
from ulna.scenario.checks import check_kinds
from ulna.simulation import Run, simulate

WIDE = 3.0  # of the frequency of small swings: how fast the portrait goes if nobody says
MARGIN = 1.15  # beyond the fastest start
MOST_TURNS = 20.0  # on a page
LONGEST = 1e5  # [rad] of small swings that an orbit is followed for at most
SAMPLES = 4001  # of an orbit
AROUND = 3.0  # turns beyond what is shown, in which equilibria are looked for
MOST_BASINS = 4_000  # starts along a side


def portrait(
    arm: Arm,
    *,
    torque: float = 0.0,
    controller: Controller | None = None,
    set_point: float | None = None,
    max_torque: float | None = None,
    starts: Iterable[Sequence[float]] = (),
    angles: Sequence[float] = (-math.pi, math.pi),
    speeds: Sequence[float] | None = None,
    duration: float = 20.0,
    rate: float = 1000.0,
) -> Portrait:
    """Compute the phase portrait of an arm with one joint.

    Parameters
    ----------
    arm : Arm
        An arm with one joint. Its stops are left out.
    torque : float, optional
        A constant torque that drives the joint [N·m].
    controller : Controller, optional
        Drives the joint instead of a torque: one without memory.
    set_point : float, optional
        The angle that the controller is to hold [rad], 0 if it is not given.
    max_torque : float, optional
        What the motor gives at most [N·m]; the joint's `max_torque` if it is not given.
    starts : iterable of (float, float), optional
        Initial states whose orbits are followed: an angle [rad] and a speed [rad/s] each.
    angles : (float, float), optional
        The range of angles that is shown [rad]; wider than a turn, the cylinder is unrolled.
    speeds : (float, float), optional
        The range of speeds that is shown [rad/s]; chosen for the joint if it is not given.
    duration : float, optional
        How long the orbits are followed [s].
    rate : float, optional
        The control rate [Hz].

    Returns
    -------
    Portrait
        Equilibria, orbits, separatrices and basins; what takes time is computed when it is asked
        for.

    Raises
    ------
    InputError
        If the arm has several joints, the controller has memory, or a range is not one.

    Examples
    --------
    >>> import ulna
    >>> pendulum = portrait(ulna.preset("bechard-1"), torque=4.0, starts=[(0.0, 3.07), (0.0, 3.2)])
    >>> [(equilibrium.kind, round(equilibrium.angle, 6)) for equilibrium in pendulum.equilibria]
    [('stable focus', -1.150811), ('saddle', 1.150811)]
    >>> [orbit.fate.name for orbit in pendulum.orbits]
    ['settles at -1.151 rad', 'runs on']
    >>> [round(boundary.value, 7) for boundary in pendulum.critical_speeds(0.0, within=(0, 5))]
    [3.0758581]
    """
    check_kinds(arm, controller, None, ())
    warn_motors_left_out([arm], "a portrait knows ideal motors, bounded by max_torque")
    if arm.n != 1:
        hint = "for more joints there are ulna.poincare and projections of a run"
        raise InputError(Problem("arm", f"{arm.n} joints", "one joint", hint))
    if controller is not None and torque:
        hint = "leave one of them out"
        raise InputError(Problem("torque", f"{shown(torque)} beside a controller", "one", hint))
    if controller is None and set_point is not None:
        need, hint = "nothing without a controller", "pass controller= as well"
        raise InputError(Problem("set_point", shown(set_point), need, hint))
    if max_torque is not None:
        limit = positive("max_torque", max_torque, "N·m")
        arm = arm.replace(joints=[replace(arm.joints[0], max_torque=limit)])
    law = None
    if controller is not None:
        aim = number("set_point", 0.0 if set_point is None else set_point)
        law = StateFeedback(arm, controller, aim)
    flow = Flow(arm, number("torque", torque), law)
    check_damping(flow)
    begun = tuple(_read_starts(starts))
    wide = _speeds(flow, begun) if speeds is None else _read_range("speeds", speeds)
    length, ticks = positive("duration", duration, "s"), positive("rate", rate, "Hz")
    if length * flow.natural_frequency > LONGEST:
        need = f"at most {LONGEST / flow.natural_frequency:.3g} s, {LONGEST:g} rad of small swings"
        raise InputError(Problem("duration", f"{length:g} s", need))
    seen = _read_range("angles", angles)
    turns = (seen[1] - seen[0]) / TURN
    if turns > MOST_TURNS:
        raise InputError(Problem("angles", f"{turns:.4g} turns", f"at most {MOST_TURNS:g}"))
    check_distances(flow, seen, begun)
    return Portrait(flow, seen, wide, begun, length, ticks)


def _speeds(flow: Flow, starts: tuple[tuple[float, float], ...]) -> tuple[float, float]:
    """Choose what speeds to show: the swings of the joint, and every start."""
    fastest = max([WIDE * flow.natural_frequency, *(MARGIN * abs(speed) for _, speed in starts)])
    equilibria = phase_equilibria.find_phase_equilibria(flow, (-TURN, TURN))
    for running in invariant_sets.find_running_solutions(flow, equilibria):
        if running.fastest < 2.0 * fastest:
            fastest = max(fastest, MARGIN * running.fastest)
    return -fastest, fastest


def _read_starts(starts: Any) -> list[tuple[float, float]]:
    """Return starts as pairs of angle and speed."""
    try:
        given = list(starts)
    except TypeError:
        raise InputError(Problem("starts", shown(starts), "a list of (angle, speed)")) from None
    return [_read_pair("start", start, "an angle [rad] and a speed [rad/s]") for start in given]


def _read_range(what: str, given: Any) -> tuple[float, float]:
    """Return the least and the largest value of a range."""
    low, high = _read_pair(what, given, "the least and the largest value")
    if not low < high:
        raise InputError(Problem(what, shown(given), "a least value below the largest"))
    return low, high


def _read_pair(what: str, given: Any, need: str) -> tuple[float, float]:
    values = list(given) if isinstance(given, Sequence | np.ndarray) else []
    if len(values) != 2 or isinstance(given, str):
        raise InputError(Problem(what, shown(given), need))
    return number(what, values[0]), number(what, values[1])


@dataclass(frozen=True, eq=False, slots=True)
class Orbit:
    """A start, what the joint did from there, and what becomes of it.

    Attributes
    ----------
    angle : float
        Where it starts [rad].
    speed : float
        With which speed [rad/s].
    run : Run
        What was simulated.
    fate : Fate
        What becomes of it.
    """

    angle: float
    speed: float
    run: Run
    fate: Fate


@dataclass(frozen=True, eq=False, repr=False)
class Portrait(Described):
    """All that one joint can do; what takes time is computed when it is asked for.

    Attributes
    ----------
    flow : Flow
        The joint and what drives it.
    angles : (float, float)
        The range of angles that is shown [rad].
    speeds : (float, float)
        The range of speeds that is shown [rad/s].
    starts : tuple of (float, float)
        Initial states whose orbits are followed [rad, rad/s].
    duration : float
        Of an orbit [s].
    rate : float
        The control rate [Hz].

    Notes
    -----
    Under a controller, equilibria, separatrices and the field are those of its law at every
    instant; orbits, basins and their boundaries those of the loop at `rate`.
    """

    flow: Flow
    angles: tuple[float, float]
    speeds: tuple[float, float]
    starts: tuple[tuple[float, float], ...]
    duration: float
    rate: float

    @property
    def arm(self) -> Arm:
        """The arm, with the limit of torque that it is asked about."""
        return self.flow.arm

    @property
    def torque(self) -> float | None:
        """The torque [N·m] that the motor gives; None under a controller."""
        return self.flow.constant

    @property
    def controller(self) -> Controller | None:
        """The controller, if there is one."""
        return self.flow.law.controller if self.flow.law else None

    @property
    def set_point(self) -> float | None:
        """The angle [rad] that the controller is to hold."""
        return self.flow.law.set_point if self.flow.law else None

    @property
    def cylinder(self) -> bool:
        """Whether a turn more makes no difference: the portrait is on a cylinder."""
        return self.flow.cylinder

    def field(self, columns: int = 25, rows: int = 21) -> tuple[Array, Array, Array]:
        """Return the vector field on a grid.

        Parameters
        ----------
        columns : int, optional
            How many angles.
        rows : int, optional
            How many speeds.

        Returns
        -------
        angle : ndarray, shape (columns,)
            Angles [rad].
        speed : ndarray, shape (rows,)
            Speeds [rad/s], which are θ̇ as well.
        acceleration : ndarray, shape (rows, columns)
            θ̈ [rad/s²].
        """
        angle, speed = np.linspace(*self.angles, columns), np.linspace(*self.speeds, rows)
        return angle, speed, self.flow.acceleration(angle, speed[:, None])

    def energy(self, columns: int = 200, rows: int = 200) -> tuple[Array, Array, Array]:
        """Return kinetic and potential energy together on a grid.

        Parameters
        ----------
        columns : int, optional
            How many angles.
        rows : int, optional
            How many speeds.

        Returns
        -------
        angle : ndarray, shape (columns,)
            Angles [rad].
        speed : ndarray, shape (rows,)
            Speeds [rad/s].
        energy : ndarray, shape (rows, columns)
            Energy [J].
        """
        angle, speed = np.linspace(*self.angles, columns), np.linspace(*self.speeds, rows)
        return angle, speed, self.flow.energy(*np.broadcast_arrays(angle, speed[:, None]))

    @cached_property
    def equilibria(self) -> tuple[PhaseEquilibrium, ...]:
        """Equilibria of one turn, in −π … π; under a law that counts turns, all that are shown.

        They are those without dry friction. With it they are in `sticking` intervals, of which
        every angle is an equilibrium, and eigenvalues say nothing.
        """
        return phase_equilibria.find_phase_equilibria(self.flow, self.angles)

    @cached_property
    def sticking(self) -> tuple[StickingInterval, ...]:
        """The angles of one turn, or of all that are shown, at which friction holds the joint."""
        return phase_equilibria.find_sticking_set(self.flow, self.angles)

    @cached_property
    def nullclines(self) -> tuple[Array, ...]:
        """The curves (k, 2) of angle and speed on which the speed does not change."""
        return invariant_sets.nullclines(self.flow, self.angles, self.speeds)

    @cached_property
    def separatrices(self) -> tuple[Separatrix, ...]:
        """The orbits into and out of the saddles, four of each.

        With dry friction saddles have none: they are those of the ends of `sticking` intervals at
        which a joint leaves, two into each, one from either side, and one out of it.
        """
        fastest = 2.0 * max(map(abs, self.speeds))
        return invariant_sets.find_separatrices(self.flow, self.equilibria, fastest)

    @cached_property
    def running_solutions(self) -> tuple[RunningSolution, ...]:
        """The solutions that run for ever, limit cycles of the cylinder: one a direction."""
        return invariant_sets.find_running_solutions(self.flow, self.equilibria)

    @property
    def running(self) -> RunningSolution | None:
        """The solution that runs for ever; None without one."""
        return self.running_solutions[0] if self.running_solutions else None

    @cached_property
    def fates(self) -> Fates:
        """All that can become of a start."""
        equilibria, sticking = self.equilibria, self.sticking
        if not self.cylinder:
            # An orbit may come to rest where nothing is shown.
            places = [*self.angles, self.set_point or 0.0, *(angle for angle, _ in self.starts)]
            wide = min(places) - AROUND * TURN, max(places) + AROUND * TURN
            equilibria = phase_equilibria.find_phase_equilibria(self.flow, wide)
            sticking = phase_equilibria.find_sticking_set(self.flow, wide)
        return find_fates(self.flow, equilibria, self.rate, sticking)

    @cached_property
    def orbits(self) -> tuple[Orbit, ...]:
        """What the joint does from each start."""
        if not self.starts:
            return ()
        angles, speeds = np.array(self.starts).T
        ends = zip(*self.fates.of(angles, speeds), strict=True)
        fates = [self.fates.fate(int(label), int(turns)) for label, turns in ends]
        return tuple(
            Orbit(*start, self._run(*start), fate)
            for start, fate in zip(self.starts, fates, strict=True)
        )

    def _run(self, angle: float, speed: float) -> Run:
        law = self.flow.law
        how: dict[str, Any] = {"torque": [self.torque]}
        if law is not None and self.torque is None:
            how = {"controller": law.controller, "reference": [law.set_point], "rate": self.rate}
            how["dt"] = min(1e-3, 1.0 / self.rate)
        how |= {"duration": self.duration, "samples": SAMPLES, "stops": False, "on_error": "raise"}
        return simulate(self.flow.free, q0=[angle], qd0=[speed], progress=False, **how)

    @interruptible
    def basins(
        self,
        count: int | tuple[int, int] = 300,
        *,
        progress: bool | None = None,
        on_interrupt: OnInterrupt = "raise",
    ) -> Basins:
        """Compute the basins of attraction on a grid of starts, on all cores.

        Parameters
        ----------
        count : int or (int, int), optional
            How many starts along each side, or along the angles and along the speeds.
        progress : bool, optional
            Whether a progress bar is shown; unless given, on a terminal if it takes a while.
        on_interrupt : {"raise", "return"}, optional
            On Ctrl-C `ulna.Interrupted` is raised, whose `result` are the basins as far as they
            are known; with "return" they are returned.

        Returns
        -------
        Basins
            What becomes of every start.

        Raises
        ------
        InputError
            If the count is not one.
        """
        check_on_interrupt(on_interrupt)
        pair = count if isinstance(count, tuple | list) else (count, count)
        if len(pair) != 2:
            raise InputError(Problem("count", shown(count), "a number, or one for each side"))
        size = (whole("count", pair[0], 1, MOST_BASINS), whole("count", pair[1], 1, MOST_BASINS))
        how: Any = {"progress": progress, "on_interrupt": on_interrupt}
        return basins.find_basins(self.fates, self.angles, self.speeds, size, **how)

    def critical_speeds(
        self, angle: float = 0.0, within: Sequence[float] | None = None
    ) -> tuple[BasinBoundary, ...]:
        """Return the speeds at which the fate of starts at an angle changes.

        Parameters
        ----------
        angle : float, optional
            Where they start [rad].
        within : (float, float), optional
            The range of speeds [rad/s]; what is shown unless given.

        Returns
        -------
        tuple of BasinBoundary
            To 1e-9 rad/s, with the fates on both sides.

        Raises
        ------
        InputError
            If a value is not one, or there are too many.
        """
        low, high = self.speeds if within is None else _read_range("within", within)
        return basins.find_basin_boundaries(self.fates, low, high, angle=number("angle", angle))

    def critical_angles(
        self, speed: float = 0.0, within: Sequence[float] | None = None
    ) -> tuple[BasinBoundary, ...]:
        """Return the angles at which the fate of starts with a speed changes.

        Parameters
        ----------
        speed : float, optional
            With which they start [rad/s].
        within : (float, float), optional
            The range of angles [rad]; what is shown unless given.

        Returns
        -------
        tuple of BasinBoundary
            To 1e-9 rad, with the fates on both sides.

        Raises
        ------
        InputError
            If a value is not one, or there are too many.
        """
        low, high = self.angles if within is None else _read_range("within", within)
        return basins.find_basin_boundaries(self.fates, low, high, speed=number("speed", speed))

    @cached_property
    def critical_torques(self) -> CriticalTorques | None:
        """The torques that lift the arm over and that keep it running; None under a controller."""
        return basins.find_critical_torques(self.flow)

    def facts(self) -> dict[str, Any]:
        """Return what was found as plain values that JSON takes.

        Returns
        -------
        dict
            By names, in SI units; None for what is not finite.
        """
        return portrait_facts(self)

    def _lines(self) -> list[str]:
        return portrait_lines(self)

    def _title(self) -> str:
        return f"Portrait of {self.arm.name or 'one joint'}"

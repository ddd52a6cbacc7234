"""A portrait: one joint, what drives it, and everything that it can do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ulna.analysis.facts import plain
from ulna.analysis.portraits.basin_boundaries import (
    BasinBoundary,
    CriticalTorques,
    find_basin_boundaries,
    find_critical_torques,
)
from ulna.analysis.portraits.basins import Basins, Size, find_basins
from ulna.analysis.portraits.fates import Fate, Fates, find_fates
from ulna.analysis.portraits.flow import TURN, Flow
from ulna.analysis.portraits.nullclines import nullclines
from ulna.analysis.portraits.phase_equilibria import PhaseEquilibrium, find_phase_equilibria
from ulna.analysis.portraits.report_text import left_out, portrait_lines
from ulna.analysis.portraits.running_solutions import RunningSolution, find_running_solutions
from ulna.analysis.portraits.separatrices import Separatrix, find_separatrices
from ulna.arm import Arm
from ulna.arrays import Array
from ulna.concurrency import OnInterrupt, check_on_interrupt, interruptible
from ulna.control import Controller
from ulna.errors import InputError, Problem, shown
from ulna.motion.values import number, whole
from ulna.progress import card
from ulna.simulation import Run, simulate

SAMPLES = 4001  # of an orbit
AROUND = 3.0  # turns beyond what is shown, in which equilibria are looked for
MOST_BASINS = 4_000  # starts along a side


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
class Portrait:
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
        """Equilibria of one turn, in −π … π; under a law that counts turns, all that are shown."""
        return find_phase_equilibria(self.flow, self.angles)

    @cached_property
    def nullclines(self) -> tuple[Array, ...]:
        """The curves (k, 2) of angle and speed on which the speed does not change."""
        return nullclines(self.flow, self.angles, self.speeds)

    @cached_property
    @interruptible
    def separatrices(self) -> tuple[Separatrix, ...]:
        """The orbits into and out of the saddles, four of each."""
        fastest = 2.0 * max(map(abs, self.speeds))
        return find_separatrices(self.flow, self.equilibria, fastest)

    @cached_property
    @interruptible
    def running_solutions(self) -> tuple[RunningSolution, ...]:
        """The solutions that run for ever, limit cycles of the cylinder: one a direction."""
        return find_running_solutions(self.flow, self.equilibria)

    @property
    def running(self) -> RunningSolution | None:
        """The solution that runs for ever; None without one."""
        return self.running_solutions[0] if self.running_solutions else None

    @cached_property
    @interruptible
    def fates(self) -> Fates:
        """All that can become of a start."""
        equilibria = self.equilibria
        if not self.cylinder:
            # An orbit may come to rest where nothing is shown.
            places = [*self.angles, self.set_point or 0.0, *(angle for angle, _ in self.starts)]
            wide = min(places) - AROUND * TURN, max(places) + AROUND * TURN
            equilibria = find_phase_equilibria(self.flow, wide)
        return find_fates(self.flow, equilibria, self.rate)

    @cached_property
    @interruptible
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
        size = Size(*(whole("count", side, 1, MOST_BASINS) for side in pair))
        return find_basins(
            self.fates, self.angles, self.speeds, size, progress=progress, on_interrupt=on_interrupt
        )

    @interruptible
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
        low, high = self.speeds if within is None else read_range("within", within)
        return find_basin_boundaries(self.fates, low, high, angle=number("angle", angle))

    @interruptible
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
        low, high = self.angles if within is None else read_range("within", within)
        return find_basin_boundaries(self.fates, low, high, speed=number("speed", speed))

    @cached_property
    @interruptible
    def critical_torques(self) -> CriticalTorques | None:
        """The torques that lift the arm over and that keep it running; None under a controller."""
        return find_critical_torques(self.flow)

    def facts(self) -> dict[str, Any]:
        """Return what was found as plain values that JSON takes.

        Returns
        -------
        dict
            By names, in SI units; None for what is not finite.
        """
        running, torques = self.running, self.critical_torques
        measures = ("direction", "period", "mean", "mean_over_angle", "slowest", "fastest")
        return plain(
            arm=self.arm.name,
            angles=self.angles,
            speeds=self.speeds,
            max_torque=self.flow.max_torque,
            torque=self.torque,
            controller=None if self.controller is None else shown(self.controller),
            set_point=self.set_point,
            rate_hz=None if self.controller is None else self.rate,
            cylinder=self.cylinder,
            left_out=left_out(self),
            equilibria=[
                {"angle": one.angle, "kind": one.kind,
                 "eigenvalues": [[value.real, value.imag] for value in one.eigenvalues.tolist()]}
                for one in self.equilibria
            ],
            running=None if running is None else {
                **{name: getattr(running, name) for name in measures},
                "multiplier": running.multiplier,
            },
            critical_torques=None if torques is None else torques._asdict(),
            orbits=[
                {"angle": orbit.angle, "speed": orbit.speed, "fate": orbit.fate.name,
                 "turns": orbit.fate.turns}
                for orbit in self.orbits
            ],
        )  # fmt: skip

    def __repr__(self) -> str:
        return "\n".join([self._title, *(f"  {line}" for line in portrait_lines(self))])

    def _repr_html_(self) -> str:
        return card(self._title, portrait_lines(self))

    @property
    def _title(self) -> str:
        return f"Portrait of {self.arm.name or 'one joint'}"


def read_range(what: str, given: Any) -> tuple[float, float]:
    """Return the least and the largest value of a range."""
    values = list(given) if isinstance(given, Sequence | np.ndarray) else []
    if len(values) != 2 or isinstance(given, str):
        raise InputError(Problem(what, shown(given), "the least and the largest value"))
    low, high = (number(what, value) for value in values)
    if not low < high:
        raise InputError(Problem(what, shown(given), "a least value below the largest"))
    return low, high

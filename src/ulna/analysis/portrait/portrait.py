"""The front door: one joint, what drives it, and everything that it can do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ulna.analysis.facts import plain
from ulna.analysis.portrait.basins import Basins, Size, find_basins
from ulna.analysis.portrait.critical import (
    Border,
    CriticalTorques,
    find_borders,
    find_critical_torques,
)
from ulna.analysis.portrait.fates import Fate, Fates, find_fates
from ulna.analysis.portrait.flow import TURN, Flow
from ulna.analysis.portrait.law import Law
from ulna.analysis.portrait.lines import nullclines
from ulna.analysis.portrait.rests import Rest, find_rests
from ulna.analysis.portrait.running import Running, find_running
from ulna.analysis.portrait.separatrices import Separatrix, find_separatrices
from ulna.analysis.portrait.words import portrait_lines
from ulna.arm import Arm
from ulna.arrays import Array
from ulna.control import Controller
from ulna.errors import InputError, Problem, shown
from ulna.motion.values import number, positive, whole
from ulna.notebooks import card
from ulna.simulation import Run, simulate
from ulna.simulation.checks import check_kinds

WIDE = 3.0  # of the frequency of small swings: how fast the portrait goes if nobody says
MARGIN = 1.15  # beyond the fastest start
SAMPLES = 4001  # of an orbit
AROUND = 3.0  # turns beyond what is shown, in which rests are looked for
MOST_BASINS = 20_000  # starts along a side


@dataclass(frozen=True, eq=False, slots=True)
class Orbit:
    """A start, what the joint did from there, and what becomes of it."""

    angle: float  # [rad]
    speed: float  # [rad/s]
    run: Run
    fate: Fate


@dataclass(frozen=True, eq=False, repr=False)
class Portrait:
    """All that one joint can do; what takes time is worked out when it is asked for.

    Angles [rad] and speeds [rad/s]. Under a controller, equilibria, separatrices and the field are
    those of its law at every instant; orbits, basins and borders those of the loop at `rate` [Hz].
    """

    flow: Flow
    angles: tuple[float, float]  # what is shown
    speeds: tuple[float, float]
    starts: tuple[tuple[float, float], ...]
    duration: float  # [s] of an orbit
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
    def aim(self) -> float | None:
        """The angle [rad] that the controller is to hold."""
        return self.flow.law.aim if self.flow.law else None

    @property
    def round(self) -> bool:
        """Whether a turn more makes no difference: the portrait is on a cylinder."""
        return self.flow.round

    def field(self, columns: int = 25, rows: int = 21) -> tuple[Array, Array, Array]:
        """Give angles (columns,), speeds (rows,) and θ̈ (rows, columns); θ̇ is the speed itself."""
        angle, speed = np.linspace(*self.angles, columns), np.linspace(*self.speeds, rows)
        return angle, speed, self.flow.acceleration(angle, speed[:, None])

    def energy(self, columns: int = 200, rows: int = 200) -> tuple[Array, Array, Array]:
        """Give angles, speeds and the energy [J] (rows, columns), kinetic and potential."""
        angle, speed = np.linspace(*self.angles, columns), np.linspace(*self.speeds, rows)
        return angle, speed, self.flow.energy(*np.broadcast_arrays(angle, speed[:, None]))

    @cached_property
    def equilibria(self) -> tuple[Rest, ...]:
        """The rests of one turn, in −π … π; under a law that counts turns, all that are shown."""
        return find_rests(self.flow, self.angles)

    @cached_property
    def nullclines(self) -> tuple[Array, ...]:
        """The curves (k, 2) of angle and speed on which the speed does not change."""
        return nullclines(self.flow, self.angles, self.speeds)

    @cached_property
    def separatrices(self) -> tuple[Separatrix, ...]:
        """The orbits into and out of the saddles, four of each."""
        fastest = 2.0 * max(map(abs, self.speeds))
        return find_separatrices(self.flow, self.equilibria, fastest)

    @cached_property
    def running(self) -> Running | None:
        """The solution that runs for ever, on the cylinder a limit cycle; None without one."""
        return find_running(self.flow, self.equilibria)

    @cached_property
    def fates(self) -> Fates:
        """All that can become of a start."""
        rests = self.equilibria
        if not self.round:
            # An orbit may come to rest where nothing is shown.
            low, high = self.angles
            rests = find_rests(self.flow, (low - AROUND * TURN, high + AROUND * TURN))
        return find_fates(self.flow, rests, self.rate)

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
        if law is not None:
            how = {"controller": law.controller, "reference": [law.aim], "rate": self.rate}
            how["dt"] = min(1e-3, 1.0 / self.rate)
        options = {"duration": self.duration, "samples": SAMPLES, "stops": False}
        return simulate(self.flow.free, q0=[angle], qd0=[speed], progress=False, **options, **how)

    def basins(self, count: int | tuple[int, int] = 300, *, progress: bool | None = None) -> Basins:
        """Say of a grid of starts what becomes of each, on all cores; `count` along each side.

        A pair is the count along the angles and along the speeds.
        """
        pair = count if isinstance(count, tuple | list) else (count, count)
        if len(pair) != 2:
            raise InputError(Problem("count", shown(count), "a number, or one for each side"))
        size = Size(*(whole("count", side, 1, MOST_BASINS) for side in pair))
        return find_basins(self.fates, self.angles, self.speeds, size, progress=progress)

    def critical_speeds(
        self, angle: float = 0.0, within: Sequence[float] | None = None
    ) -> tuple[Border, ...]:
        """Give the speeds at which the fate of a start at an angle changes, to 1e-9 rad/s."""
        low, high = self.speeds if within is None else _range("within", within)
        return find_borders(self.fates, low, high, angle=number("angle", angle))

    def critical_angles(
        self, speed: float = 0.0, within: Sequence[float] | None = None
    ) -> tuple[Border, ...]:
        """Give the angles at which the fate of a start with a speed changes, to 1e-9 rad."""
        low, high = self.angles if within is None else _range("within", within)
        return find_borders(self.fates, low, high, speed=number("speed", speed))

    @cached_property
    def critical_torques(self) -> CriticalTorques | None:
        """The torques that lift the arm over and that keep it running; None under a controller."""
        return find_critical_torques(self.flow)

    def facts(self) -> dict[str, Any]:
        """Give what was found as plain values in SI units, as JSON takes them."""
        running, torques = self.running, self.critical_torques
        measures = ("direction", "period", "mean", "mean_over_angle", "slowest", "fastest")
        return plain(
            torque=self.torque,
            controller=None if self.controller is None else shown(self.controller),
            aim=self.aim,
            cylinder=self.round,
            equilibria=[
                {"angle": rest.angle, "kind": rest.kind,
                 "eigenvalues": [[value.real, value.imag] for value in rest.eigenvalues.tolist()]}
                for rest in self.equilibria
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


def portrait(
    arm: Arm,
    *,
    torque: float = 0.0,
    controller: Controller | None = None,
    aim: float = 0.0,
    limit: float | None = None,
    starts: Iterable[Sequence[float]] = (),
    angles: Sequence[float] = (-math.pi, math.pi),
    speeds: Sequence[float] | None = None,
    duration: float = 20.0,
    rate: float = 1000.0,
) -> Portrait:
    """Draw up the phase portrait of an arm with one joint.

    It is driven by a constant `torque` [N·m], or by a `controller` that holds the angle `aim` [rad]
    and remembers nothing; `limit` [N·m] is what the motor gives at most, the joint's `max_torque`
    if it is not given. Each of `starts` is an angle [rad] and a speed [rad/s], followed for
    `duration` [s]. `angles` and `speeds` are what is shown: wider than a turn, the cylinder is
    unrolled. Stops of the joint are left out.

    >>> import ulna
    >>> pendulum = portrait(ulna.preset("bechard-1"), torque=4.0, starts=[(0.0, 3.07), (0.0, 3.2)])
    >>> [(rest.kind, round(rest.angle, 6)) for rest in pendulum.equilibria]
    [('stable focus', -1.150811), ('saddle', 1.150811)]
    >>> [orbit.fate.name for orbit in pendulum.orbits]
    ['rests at -1.151 rad', 'runs on']
    >>> [round(border.value, 7) for border in pendulum.critical_speeds(0.0, within=(0, 5))]
    [3.0758581]
    """
    check_kinds(arm, controller, None, ())
    if arm.n != 1:
        hint = "for more joints there are ulna.poincare and projections of a run"
        raise InputError(Problem("arm", f"{arm.n} joints", "one joint", hint))
    if controller is not None and torque:
        hint = "leave one of them out"
        raise InputError(Problem("torque", f"{shown(torque)} beside a controller", "one", hint))
    arm = arm if limit is None else _limited(arm, positive("limit", limit, "N·m"))
    law = None if controller is None else Law(arm, controller, number("aim", aim))
    flow = Flow(arm, number("torque", torque), law)
    begun = tuple(_start(start) for start in _listed(starts))
    wide = _speeds(flow, begun) if speeds is None else _range("speeds", speeds)
    return Portrait(
        flow, _range("angles", angles), wide, begun, positive("duration", duration, "s"),
        positive("rate", rate, "Hz"),
    )  # fmt: skip


def _limited(arm: Arm, limit: float) -> Arm:
    return arm.replace(joints=[replace(arm.joints[0], max_torque=limit)])


def _listed(starts: Any) -> list[Any]:
    try:
        return list(starts)
    except TypeError:
        raise InputError(Problem("starts", shown(starts), "a list of (angle, speed)")) from None


def _start(given: Any) -> tuple[float, float]:
    values = list(given) if isinstance(given, Sequence | np.ndarray) else []
    if len(values) != 2 or isinstance(given, str):
        raise InputError(Problem("start", shown(given), "an angle [rad] and a speed [rad/s]"))
    return number("start", values[0]), number("start", values[1])


def _range(what: str, given: Any) -> tuple[float, float]:
    values = list(given) if isinstance(given, Sequence | np.ndarray) else []
    if len(values) != 2 or isinstance(given, str):
        raise InputError(Problem(what, shown(given), "the least and the largest value"))
    low, high = (number(what, value) for value in values)
    if not low < high:
        raise InputError(Problem(what, shown(given), "a least value below the largest"))
    return low, high


def _speeds(flow: Flow, starts: tuple[tuple[float, float], ...]) -> tuple[float, float]:
    """Choose what speeds to show: the swings of the joint, and every start."""
    fastest = max([WIDE * flow.frequency, *(MARGIN * abs(speed) for _, speed in starts)])
    running = find_running(flow, find_rests(flow, (-TURN, TURN)))
    if running is not None and running.fastest < 2.0 * fastest:
        fastest = max(fastest, MARGIN * running.fastest)
    return -fastest, fastest

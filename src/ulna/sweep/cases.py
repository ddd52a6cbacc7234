"""One point of a sweep: an arm, what it is to do, and how that is planned and simulated.

A `Case` is data. `Case.plan` finds the motion along its path, `Case.prepared` what a simulation of
it is called with, and `Case.simulate` repeats one point of a sweep to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from ulna.arm import Actuators, Arm, Sensors
from ulna.arrays import Array
from ulna.control import Controller, with_model
from ulna.errors import InputError, Problem, Problems
from ulna.expressions import Call
from ulna.motion import Path, Plan, plan
from ulna.motion.paths.path_text import read_path
from ulna.scenario.disturbances import Disturbance
from ulna.scenario.inputs import takes_positions
from ulna.scenario.methods import METHODS
from ulna.simulation import BatchRun, simulate_batch

EXACT, REST = "exact", "rest"  # moving with the path from the start, or standing still at it
FASTEST = "fastest"  # the timing that depends on what an arm can do
FINITE: Literal["finite"] = "finite"  # how the papers differentiate
DEFAULT_DT = 1e-3  # [s]
MAX_STEPS = 10**7  # of dt, or of a controller, in one point: some seconds of work


@dataclass(frozen=True)
class Grid:
    """When a run is sampled, from its start to its end, and which samples curves have.

    Attributes
    ----------
    samples : int
        How many, the start and the end included.
    every : int
        Samples from one point of a curve to the next.
    finite : bool
        Whether the two ends are left out, where finite differences have no values.
    """

    samples: int
    every: int
    finite: bool = False

    @property
    def count(self) -> int:
        """How many samples there are."""
        return self.samples - 2 * self.finite

    @property
    def curve_points(self) -> int:
        """How many points a curve has."""
        return -(-self.count // self.every)

    def times(self, duration: float) -> Array:
        """Return the times of the samples.

        Parameters
        ----------
        duration : float
            How long the run takes [s].

        Returns
        -------
        ndarray, shape (count,)
            Times [s].
        """
        whole = np.linspace(0.0, duration, self.samples)
        return whole[1:-1] if self.finite else whole


def sample_grid(samples: int | None, curve_points: int, *, curves: bool, finite: bool) -> Grid:
    """Return when outputs are sampled, so that points of curves are among the samples.

    Parameters
    ----------
    samples : int or None
        How many at least; some thousand unless given.
    curve_points : int
        How many points a curve has.
    curves : bool
        Whether there are curves.
    finite : bool
        Whether a plan by finite differences is asked for, whose curves have all of its samples.

    Returns
    -------
    Grid
        The samples.
    """
    least = 1001 if samples is None else samples
    if finite or not curves:
        return Grid(least, 1, finite)
    every = max(1, math.ceil((least - 1) / (curve_points - 1))) if curve_points > 1 else least
    return Grid(every * (curve_points - 1) + 1 if curve_points > 1 else least, every)


class PreparedCase(NamedTuple):
    """What a simulation of a case is called with, besides its arm."""

    plan: Plan | None
    reference: Any  # a Plan, a posture (n,) [rad], or None
    q0: Array  # (n,) [rad]
    qd0: Array  # (n,) [rad/s]
    duration: float  # [s]
    command: tuple[str, Any] | None  # "torque" or "position", and its values


@dataclass(frozen=True, eq=False)
class Case:
    """An arm, what it is to do, and how that is simulated.

    Attributes
    ----------
    arm : Arm
        The arm.
    path : Call, Path or None
        The path that it is to follow, as text or made.
    duration : float or None
        How long [s]; unless given, as long as the plan takes.
    motion : mapping
        Keywords of `ulna.plan`, but for the duration.
    start : {"exact", "rest"}
        Whether it starts moving with the path, or at rest at its first point.
    controller : Controller or None
        What closes the loop.
    controller_model : Arm or None
        The arm that the controller believes in; None for the arm itself.
    set_point : tuple of float or None
        In place of a path, joint angles [rad] to go to.
    torque : tuple of float or str, or None
        In place of a controller, joint torques [N·m], or formulas.
    tip_force : tuple of float or str, or None
        Force x, y [N] and a moment [N·m] on the tip.
    q0, qd0 : tuple of float or None
        Angles [rad] and rates [rad/s] at the start.
    sensors : Sensors or None
        What the controller measures with.
    actuators : Actuators or None
        What becomes of its commands.
    disturbances : tuple of Disturbance
        What acts besides.
    simulation : mapping
        Options of `ulna.simulate_batch`: dt, rate, method, stops, restitution, precision.
    seed : int or None
        The stream of random numbers; None for the number of the point.
    is_simulated : bool
        Whether it is simulated; otherwise it is planned only.
    """

    arm: Arm
    path: Call | Path | None = None
    duration: float | None = None
    motion: Mapping[str, Any] = field(default_factory=dict)
    start: str = EXACT
    controller: Controller | None = None
    controller_model: Arm | None = None
    set_point: tuple[float, ...] | None = None
    torque: tuple[float | str, ...] | None = None
    tip_force: tuple[float | str, ...] | None = None
    q0: tuple[float, ...] | None = None
    qd0: tuple[float, ...] | None = None
    sensors: Sensors | None = None
    actuators: Actuators | None = None
    disturbances: tuple[Disturbance, ...] = ()
    simulation: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    is_simulated: bool = True

    @cached_property
    def made_path(self) -> Path | None:
        """The path itself."""
        return read_path(str(self.path)) if isinstance(self.path, Call) else self.path

    @cached_property
    def made_controller(self) -> Controller | None:
        """The controller with the arm that it believes in."""
        if self.controller is None or self.controller_model is None:
            return self.controller
        return with_model(self.controller, self.controller_model)

    def plan(self, grid: Grid) -> Plan | None:
        """Return the motion along the path; None where there is no path.

        Parameters
        ----------
        grid : Grid
            When it is sampled.

        Returns
        -------
        Plan or None
            The plan.

        Raises
        ------
        InputError, InfeasibleError
            If there is no such motion.
        """
        if self.made_path is None:
            return None
        options: dict[str, Any] = dict(self.motion)
        made: Plan = plan(self.arm, self.made_path, duration=self.duration, **options)
        if not grid.finite:
            return made
        # By differences of so many samples, whatever the duration turned out to be.
        options |= {"duration": made.duration, "rate": (grid.samples - 1) / made.duration}
        found: Plan = plan(self.arm, self.made_path, derivatives=FINITE, **options)
        return found

    def prepared(self, motion: Plan | None) -> PreparedCase:
        """Return what a simulation of the case is called with.

        Parameters
        ----------
        motion : Plan or None
            The motion along its path, as `plan` returns it.

        Returns
        -------
        PreparedCase
            Reference, start, duration and command.

        Raises
        ------
        InfeasibleError
            If the path cannot be followed.
        """
        n = self.arm.n
        if motion is None:
            q0 = np.array(self.q0 if self.q0 is not None else np.zeros(n), dtype=float)
            qd0 = np.array(self.qd0 if self.qd0 is not None else np.zeros(n), dtype=float)
            goal = None if self.set_point is None else np.array(self.set_point)
            command = None if self.torque is None else ("torque", self.torque)
            assert self.duration is not None  # as the spec requires
            return PreparedCase(None, goal, q0, qd0, self.duration, command)
        motion.raise_if_infeasible()
        first = motion.trajectory(0.0)
        qd0 = np.zeros(n) if self.start == REST else np.asarray(first.qd)
        q0 = np.asarray(first.q) if self.q0 is None else np.array(self.q0)
        qd0 = qd0 if self.qd0 is None else np.array(self.qd0)
        command = self._command(motion)
        return PreparedCase(motion, None if command else motion, q0, qd0, motion.duration, command)

    def _command(self, motion: Plan) -> tuple[str, Any] | None:
        """Return what is commanded where no controller is asked: torques, or planned angles."""
        if self.torque is not None:
            return "torque", self.torque
        if self.controller is not None or not takes_positions(self.arm):
            return None
        return self.position_command(motion)

    def position_command(self, motion: Plan) -> tuple[str, Any]:
        """Return the command that has motors follow a plan by themselves: a table of its angles.

        Parameters
        ----------
        motion : Plan
            The plan.

        Returns
        -------
        tuple
            "position", with times (k,) [s] and angles (k, n) [rad].
        """
        steps = math.ceil(motion.duration / self.simulation.get("dt", DEFAULT_DT))
        times = np.linspace(0.0, motion.duration, 1 + steps)
        return "position", (times, np.asarray(motion.trajectory(times).q))

    def check_steps(self, duration: float) -> None:
        """Raise InputError where so long a run takes more steps than a point may."""
        options, checks = self.simulation, Problems()
        dt, rate = options.get("dt", DEFAULT_DT), options.get("rate", 0.0)
        if METHODS[options.get("method", "rk4")].adaptive:
            dt = math.inf
        for name, got, steps, hint in (
            ("dt", f"{dt:g} s", duration / dt, "larger dt"),
            ("rate", f"{rate:g} Hz", duration * rate * (self.controller is not None), "lower rate"),
        ):
            if steps > MAX_STEPS:
                told = f"{got}, or {steps:.2g} steps in the {duration:g} s of a point"
                need = f"at most {MAX_STEPS:,} steps"
                checks.add(name, told, need, f"take a {hint}, or less time")
        checks.raise_if_any()

    def simulate(self, grid: Grid, seed: int = 0) -> BatchRun:
        """Simulate the case as a batch of one, which is what a sweep of many computes of it.

        Parameters
        ----------
        grid : Grid
            When it is sampled.
        seed : int, optional
            The stream of random numbers, where the case has none of its own.

        Returns
        -------
        BatchRun
            A batch of one arm.

        Raises
        ------
        InputError, InfeasibleError
            If the case cannot be simulated.
        """
        if not self.is_simulated:
            hint = "take simulate = true, or ulna.plan"
            raise InputError(Problem("simulate", "false", "a case that is simulated", hint))
        made = self.prepared(self.plan(grid))
        keywords = batch_keywords([self], [made])
        seed = seed if self.seed is None else self.seed
        return simulate_batch(
            [self.arm], samples=grid.times(made.duration), seeds=[seed], keep_torques=True,
            progress=False, **keywords,
        )  # fmt: skip


def batch_keywords(cases: list[Case], made: list[PreparedCase]) -> dict[str, Any]:
    """Return keywords of one `simulate_batch` for cases of one duration and one set of options.

    Parameters
    ----------
    cases : list of Case
        One a member.
    made : list of PreparedCase
        The same of each.

    Returns
    -------
    dict
        What is the same for all is given once.
    """
    first, goal = cases[0], made[0]
    found: dict[str, Any] = {
        "q0": np.stack([one.q0 for one in made]),
        "qd0": np.stack([one.qd0 for one in made]),
        "duration": goal.duration,
        **first.simulation,
    }
    if first.tip_force is not None:
        found["tip_force"] = _inputs([case.tip_force or () for case in cases])
    if any(case.disturbances for case in cases):
        found["disturbances"] = shared_value([list(case.disturbances) for case in cases])
    if goal.command is not None:
        found |= _commands(made)
    elif first.controller is not None:
        found["controller"] = shared_value([case.made_controller for case in cases])
        goals = [one.reference for one in made]
        found["reference"] = np.stack(goals) if goal.plan is None else shared_value(goals)
        for name in ("sensors", "actuators"):
            parts = [getattr(case, name) for case in cases]
            if parts[0] is not None:
                found[name] = shared_value(parts)
    return found


def _commands(made: list[PreparedCase]) -> dict[str, Any]:
    what = made[0].command[0] if made[0].command else ""
    values = [one.command[1] for one in made if one.command]
    if what == "torque":
        return {what: _inputs(values)}
    times, _ = values[0]
    same = all(one is values[0] for one in values)
    rows = values[0][1] if same else np.stack([rows for _, rows in values])
    return {what: (times, rows), "between": "linear"}


def _inputs(values: list[tuple[float | str, ...]]) -> Any:
    """Return torques or forces: numbers as rows, formulas as text, one for all or one for each."""
    if not any(isinstance(part, str) for row in values for part in row):
        return np.array(values, dtype=float)
    return shared_value([", ".join(map(str, row)) for row in values])


def shared_value(values: list[Any]) -> Any:
    """Return a value once if all members have it, else one for each."""
    first = values[0]
    return first if all(one is first or one == first for one in values[1:]) else values

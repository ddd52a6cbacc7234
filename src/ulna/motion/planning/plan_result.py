"""The result of planning: joint angles that follow a path, and the torques that they need.

The torques are taken apart by where they come from. A plan shows itself as a table, and as a few
lines to read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ulna.actuation import TorqueRange, torque_range
from ulna.actuation.friction import before_gears, efficiencies, motion_direction
from ulna.angles import relative_to_absolute
from ulna.arm import Arm
from ulna.arrays import Array, float_array, freeze
from ulna.columns import save_columns
from ulna.dynamics import chain, friction_torque
from ulna.dynamics.chain import times, to_joints
from ulna.errors import InfeasibleError
from ulna.kinematics import Tracked, condition_number, tip
from ulna.kinematics.inverse_kinematics import ring
from ulna.motion.paths.path import Path
from ulna.motion.planning.demands import Demands, Peaks, motion_torques
from ulna.motion.planning.findings import Finding
from ulna.motion.planning.limiting import Limiting
from ulna.motion.planning.look_ahead import what_limits
from ulna.motion.planning.motor_demands import (
    MotorDemands,
    MotorPeaks,
    MotorValues,
    motor_columns,
    motor_values,
    planned_motor_lines,
    sampled_motors,
)
from ulna.motion.planning.plan_request import PlanRequest
from ulna.motion.planning.postures import sliding_to_rest
from ulna.motion.planning.stroke_timing import has_pen, pen_down
from ulna.motion.trajectory import Trajectory
from ulna.progress import card
from ulna.typing import PathLike, TimesLike
from ulna.units import length_text

if TYPE_CHECKING:
    import pandas as pd

MOST_SHOWN = 8  # problems, and joints in a line
SIZES = ("torque", "speed", "acceleration", "power")  # of `Peaks`
AT_EDGE = 1e-12  # of all lengths, by which rounding takes the tip of one joint off the edge
MOST_AT_ONCE = 4_000_000  # numbers of a stack of matrices
HEADINGS = ("joint", "peak [N·m]", "RMS [N·m]", "peak speed [rad/s]", "peak power [W]")
FRICTION = "friction [N·m]"  # the heading where a joint has any


class Terms(NamedTuple):
    """The joint torques of a motion, taken apart by where they come from.

    Attributes
    ----------
    inertia : ndarray, shape (k, n)
        Torques [N·m] that accelerate links, point masses and payload.
    coriolis : ndarray, shape (k, n)
        Torques [N·m] against centrifugal and Coriolis forces.
    gravity : ndarray, shape (k, n)
        Torques [N·m] that carry the weight.
    damping : ndarray, shape (k, n)
        Torques [N·m] against the viscous damping of the joints.
    friction : ndarray, shape (k, n)
        Torques [N·m] against their dry friction and drag.
    rotor : ndarray, shape (k, n)
        Torques [N·m] that accelerate the motors' rotors.
    tip_force : ndarray, shape (k, n)
        Torques [N·m] against the force on the tip.
    gear : ndarray, shape (k, n)
        Torques [N·m] that gears of motors take; negative where they help a motor to brake.
    """

    inertia: Array
    coriolis: Array
    gravity: Array
    damping: Array
    friction: Array
    rotor: Array
    tip_force: Array
    gear: Array

    @property
    def total(self) -> Array:
        """The joint torques (k, n) [N·m], the sum of all terms."""
        return np.sum(np.stack(self), axis=0)


def terms_of(arm: Arm) -> tuple[str, ...]:
    """Return the names of the terms that tables show: friction and gear where a joint has any."""
    shown = {"friction": arm.has_friction, "gear": bool((efficiencies(arm) != 1.0).any())}
    return tuple(name for name in Terms._fields if shown.get(name, True))


def torque_terms(arm: Arm, rows: Sequence[Array], tip_force: Array | None) -> Terms:
    """Return the terms (k, n) of q, q̇ and q̈ (3, k, n), with a force on the tip (k, 3) or none."""
    size = max(1, MOST_AT_ONCE // arm.n**2)
    pieces = []
    for first in range(0, len(rows[0]), size):
        part = slice(first, first + size)
        q, qd, qdd = (row[part] for row in rows)
        pieces.append(_terms(arm, q, qd, qdd, None if tip_force is None else tip_force[part]))
    found = Terms(*(np.concatenate(parts) for parts in zip(*pieces, strict=True)))
    freeze(*found)
    return found


def _terms(arm: Arm, q: Array, qd: Array, qdd: Array, force: Any) -> Terms:
    at, rate = chain.moving(arm, q, qd)
    turning = relative_to_absolute(qdd)
    rotors = np.broadcast_to(chain.rotors(at), (len(q), arm.n, arm.n))
    spun = times(np, rotors, turning)
    parts = {
        "inertia": times(np, chain.inertia(at), turning) - spun,
        "coriolis": times(np, chain.coriolis_coupling(at), rate**2),
        "gravity": chain.weight(at),
        "rotor": spun,
        "tip_force": np.zeros_like(q) if force is None else -chain.tip_pull(at, force),
    }
    links = {name: to_joints(np, part) for name, part in parts.items()}
    friction = friction_torque(arm, qd, qdd) if arm.has_friction else np.zeros_like(qd)
    found = Terms(**links, damping=arm.parameters.damping * qd, friction=friction, gear=0.0 * qd)
    reaching = found.total
    given = before_gears(reaching, motion_direction(np, qd, qdd), efficiencies(arm))
    return found._replace(gear=given - reaching)


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """A motion along a path: the joints at every sample, and the torques that it takes.

    `plan` returns it. Arrays have a row for every sample; `peaks` are the extremes at any time.
    What there is to know is in `problems`, as sentences; `ok` says that the arm can do it: all is
    in reach, and no limit is passed at any time, whatever the samples are.

    Attributes
    ----------
    arm : Arm
        The arm.
    path : Path
        The path; a drawing as it was fitted into the reach.
    trajectory : Trajectory
        The motion at any time.
    t : ndarray, shape (k,)
        Times of the samples [s].
    q : ndarray, shape (k, n)
        Joint angles [rad]; NaN where the path is out of reach.
    qd : ndarray, shape (k, n)
        Joint rates [rad/s].
    qdd : ndarray, shape (k, n)
        Joint accelerations [rad/s²].
    tau : ndarray, shape (k, n)
        Torques [N·m] of the motors at the joints, before losses of their gears, as `Run.tau`.
    tracked : Tracked or None
        The tracked path of the tip; None for a path of the joints.
    problems : tuple of Finding
        What is wrong, and what to know.
    duration_reason : str
        Why it takes as long as it does.
    demands : Demands
        What it demands of the arm at any time.
    request : PlanRequest
        What was asked: ``ulna.plan(plan.request)`` makes the same plan again.
    """

    arm: Arm
    path: Path
    trajectory: Trajectory
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    tracked: Tracked | None
    problems: tuple[Finding, ...]
    duration_reason: str
    demands: Demands
    request: PlanRequest

    @property
    def derivatives(self) -> str:
        """How rates and accelerations were found: "exact" or "finite"."""
        return self.request.derivatives

    @property
    def tip_force(self) -> Callable[[Array], Array] | None:
        """The force on the tip (k, 3) [N, N·m] of times (k,) [s]; None if there is none."""
        return self.request.force

    @cached_property
    def terms(self) -> Terms:
        """What the torques are spent on, (k, n) [N·m] each: their sum is the torque."""
        return self.compute_terms()

    def compute_terms(self) -> Terms:
        """Return what the torques are spent on; `terms` keeps it.

        Returns
        -------
        Terms
            Their terms (k, n) [N·m].
        """
        force = None if self.tip_force is None else self.tip_force(self.t)
        rows = sliding_to_rest(self.trajectory, self.t, (self.q, self.qd, self.qdd))
        return torque_terms(self.arm, rows, force)

    @cached_property
    def peaks(self) -> Peaks:
        """The largest torques, speeds and powers and the smallest margins, at any time."""
        found = self.demands.peaks()
        if self.derivatives == "exact" or not np.isfinite(self.tau).any():
            return found
        sizes = zip(SIZES, (self.tau, self.qd, self.qdd, self.power), strict=True)
        return found._replace(
            **{name: np.nanmax(np.abs(values), axis=0) for name, values in sizes},
            torque_rms=np.sqrt(np.nanmean(self.tau**2, axis=0)),
        )

    @cached_property
    def term_peaks(self) -> dict[str, Array]:
        """The largest size (n,) [N·m] of every term of the torques, by its name, at any time."""
        if self.derivatives == "exact" or not np.isfinite(self.tau).any():
            peaks = self.demands.largest(self._terms_side_by_side).reshape(-1, self.arm.n)
            found = dict(zip(terms_of(self.arm), peaks, strict=True))
            return {name: found.get(name, np.zeros(self.arm.n)) for name in Terms._fields}
        parts = zip(Terms._fields, self.terms, strict=True)
        return {name: np.nanmax(np.abs(part), axis=0) for name, part in parts}

    def _terms_side_by_side(self, rows: Array, force: Array | None) -> Array:
        terms = torque_terms(self.arm, rows, force)
        return np.concatenate([getattr(terms, name) for name in terms_of(self.arm)], axis=-1)

    @cached_property
    def motors(self) -> MotorDemands:
        """What it asks of the motors at any time, or at its samples with finite differences."""
        if self.derivatives == "exact":
            return self.demands.motors
        return sampled_motors(self.trajectory, self.t, self.qd, self.qdd, self.tau)

    @cached_property
    def limiting(self) -> tuple[Limiting, ...]:
        """What holds up a motion that is as fast as limits allow, the most of the time first."""
        return what_limits(self.trajectory, self.request)

    @property
    def motor_peaks(self) -> MotorPeaks:
        """The extremes of torque, current, voltage, heat and supply of the motors, at any time."""
        return self.motors.peaks

    @cached_property
    def _motor_values(self) -> MotorValues:
        return motor_values(self.arm, self.qd, self.qdd, self.tau, self._warmth)

    @property
    def motor_torque(self) -> Array:
        """The torques (k, n) [N·m] of the motors: `tau`, and what accelerates loose rotors."""
        return self._motor_values.torque

    @property
    def current(self) -> Array:
        """The currents (k, n) [A] of the motors; NaN of other than DC motors."""
        return self._motor_values.current

    @property
    def voltage(self) -> Array:
        """The voltages (k, n) [V] of the motors, without inductance; NaN of other motors."""
        return self._motor_values.voltage

    @cached_property
    def temperature(self) -> Array:
        """The temperatures (k, n) [°C] of the windings; NaN of those without heat."""
        return np.where(self.motors.warms, self._warmth, np.nan)

    @cached_property
    def _warmth(self) -> Array:
        return self.motors.warmth_at(self.t / self.duration)

    @property
    def supply_power(self) -> Array:
        """The power (k,) [W] from the supply of all DC motors; negative where it flows back."""
        return self._motor_values.supply_power

    @property
    def supply_current(self) -> Array:
        """The current (k,) [A] from the supply of all DC motors; NaN of several voltages."""
        return self._motor_values.common_current

    @cached_property
    def torque_limits(self) -> TorqueRange:
        """Least and most torques (k, n) [N·m] of the motors at their speeds and temperatures."""
        ranges = [
            torque_range(joint, self.qd[:, k], self._warmth[:, k])
            for k, joint in enumerate(self.arm.joints)
        ]
        lower, upper = (np.stack(part, axis=-1) for part in zip(*ranges, strict=True))
        return TorqueRange(lower, upper)

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.trajectory.duration

    @cached_property
    def tip(self) -> Array:
        """Place and orientation of the tip (k, 3)."""
        return np.asarray(tip(self.arm, self.q))

    @cached_property
    def pen(self) -> NDArray[np.bool_]:
        """Whether the pen is down (k,): on the strokes of the path, and not on travel."""
        return pen_down(self.trajectory, self.t)

    @property
    def feasible(self) -> bool:
        """Whether there is a motion: all in reach, and within the joints' ranges."""
        return not any(problem.blocks for problem in self.problems)

    @property
    def ok(self) -> bool:
        """Whether the arm can do it: feasible, and no limit passed."""
        return not any(problem.blocks or problem.exceeds for problem in self.problems)

    def raise_if_infeasible(self) -> None:
        """Raise `InfeasibleError` if there is no motion, saying where and by how much.

        Raises
        ------
        InfeasibleError
            If the path is out of reach or beyond the joints' ranges somewhere.
        """
        if not self.feasible:
            blocking = [problem.text for problem in self.problems if problem.blocks]
            raise InfeasibleError(f"the path cannot be followed: {'; '.join(blocking)}")

    @property
    def branch(self) -> NDArray[np.int8]:
        """The sign of sin q_2 (k,): on which side the elbow is; 0 for a single link."""
        if self.arm.n < 2:
            return np.zeros(len(self.t), dtype=np.int8)
        bend = np.sin(self.q[:, 1])
        return np.where(np.isnan(bend), 0, np.sign(bend)).astype(np.int8)

    @cached_property
    def reach_margin(self) -> Array:
        """How far (k,) [m] the tip stays inside what its links reach; negative outside."""
        inner, outer = ring(np.asarray(self.arm.parameters.length))
        asked = self.trajectory.tip(self.t).position - np.array(self.arm.base)
        radius = np.hypot(asked[:, 0], asked[:, 1])
        inside = radius - inner if inner > 0.0 else np.inf
        return np.minimum(outer - radius, inside)

    @cached_property
    def singularity_margin(self) -> Array:
        """How well (k,) the joints move the tip: the reciprocal condition number, 0 to 1."""
        return 1.0 / condition_number(self.arm, self.q)

    def torque_at(self, t: TimesLike) -> Array:
        """Return the torques at any times, exact and not interpolated.

        `ulna.simulate(arm, torque=plan.torque_at, ...)` plays them, without feedback.

        Parameters
        ----------
        t : array_like, shape (...)
            Times [s].

        Returns
        -------
        ndarray, shape (..., n)
            Torques [N·m] of the motors, as `tau`.
        """
        times, force = np.asarray(float_array(t, "t")), None
        rows = sliding_to_rest(self.trajectory, times, self.trajectory(times))
        if self.tip_force is not None:
            force = self.tip_force(np.ravel(times)).reshape(*times.shape, 3)
        return motion_torques(self.arm, rows, force, efficiencies(self.arm))

    @property
    def power(self) -> Array:
        """The mechanical power (k, n) [W] of each joint; negative where it brakes."""
        return np.asarray(self.tau * self.qd)

    def to_dataframe(self) -> pd.DataFrame:
        """Return the samples as a table.

        Returns
        -------
        pandas.DataFrame
            A row for every time, with the time as index.
        """
        import pandas as pd

        table = {heading.partition(" [")[0]: values for heading, values in _columns(self).items()}
        return pd.DataFrame(table).set_index("t")

    def save(self, file: PathLike, *, overwrite: bool = True) -> None:
        """Write the samples to a .csv file, which appears whole or not at all.

        Parameters
        ----------
        file : str or os.PathLike
            The file.
        overwrite : bool, optional
            Whether an existing file is replaced.

        Raises
        ------
        InputError
            If its name has another ending.
        FileError
            If it cannot be written, or exists and is not to be replaced.
        """
        hint = "a run can be saved as .nc" * (PurePath(file).suffix.lower() == ".nc")
        save_columns(file, lambda: _columns(self), overwrite=overwrite, hint=hint)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        freeze(self.t, self.q, self.qd, self.qdd, self.tau)

    def __repr__(self) -> str:
        lines = [
            f"joint {joint}: {peak} N·m at most, {rms} RMS, {speed} rad/s, {power} W"
            + "".join(f", friction {most} N·m" for most in friction)
            for joint, peak, rms, speed, power, *friction in _rows(self)[:MOST_SHOWN]
        ]
        return "\n  ".join([_title(self), *lines, *_told(self)])

    def _repr_html_(self) -> str:
        headings = (*HEADINGS, FRICTION) if self.arm.has_friction else HEADINGS
        return card(_title(self), _told(self), headings, _rows(self))


def _columns(plan: Plan) -> dict[str, Array]:
    """Return all samples as columns, by headings with units."""
    table: dict[str, Array] = {"t [s]": plan.t}
    joints = [("q", "rad", plan.q), ("qd", "rad/s", plan.qd), ("qdd", "rad/s²", plan.qdd)]
    joints += [("tau", "N·m", plan.tau)]
    joints += [(f"{name}_", "N·m", getattr(plan.terms, name)) for name in terms_of(plan.arm)]
    joints += motor_columns(plan) if plan.arm.has_motors else []
    for name, unit, values in joints:
        for joint in range(plan.arm.n):
            table[f"{name}{joint + 1} [{unit}]"] = values[:, joint]
    table |= {"x [m]": plan.tip[:, 0], "y [m]": plan.tip[:, 1], "angle [rad]": plan.tip[:, 2]}
    table |= {"pen [1]": plan.pen.astype(int)} if has_pen(plan.path) else {}
    table |= {"reach_margin [m]": plan.reach_margin}
    return table | {"singularity_margin [1]": plan.singularity_margin}


def _title(plan: Plan) -> str:
    timing = plan.trajectory.timing.name
    return f"Plan: {plan.path}, {timing}, {plan.duration:.4g} s, {len(plan.t)} samples"


def _told(plan: Plan) -> Iterator[str]:
    """Describe how close it comes to its limits, and what is wrong."""
    reach, singular = plan.peaks.reach_margin, plan.peaks.singularity_margin
    if np.isfinite(singular):
        edge, most = _reach_told(plan.arm, float(reach)), 1.0 / max(singular, 1e-12)
        yield f"{edge}; condition number of the Jacobian up to {most:.3g}"
    if plan.arm.has_motors and np.isfinite(singular):
        yield from planned_motor_lines(plan)
    yield from (*map(str, plan.limiting), *plan.path.notes)
    if plan.ok:
        yield "the arm can do it: in reach and within its limits; collisions are not checked"
    yield from (problem.text for problem in plan.problems[:MOST_SHOWN])
    if len(plan.problems) > MOST_SHOWN:
        yield f"and {len(plan.problems) - MOST_SHOWN} more problems"


def _reach_told(arm: Arm, margin: float) -> str:
    if abs(margin) <= AT_EDGE * arm.reach:
        return "goes to the edge of the reach"
    side = "stays {} inside" if margin >= 0.0 else "goes {} beyond"
    return f"{side.format(length_text(abs(margin)))} the reach"


def _rows(plan: Plan) -> list[tuple[str, ...]]:
    peaks = plan.peaks
    if not np.isfinite(peaks.torque).any():
        return []
    parts = [peaks.torque, peaks.torque_rms, peaks.speed, peaks.power]
    if plan.arm.has_friction:
        parts.append(plan.term_peaks["friction"])
    rows = enumerate(zip(*parts, strict=True), 1)
    return [(str(i), *(f"{value:.4g}" for value in row)) for i, row in rows]

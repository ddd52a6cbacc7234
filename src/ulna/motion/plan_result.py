"""The result of planning: joint angles that follow a path, and the torques that they need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ulna.arm import Arm
from ulna.arrays import Array, float_array, freeze
from ulna.dynamics import inverse_dynamics
from ulna.errors import InfeasibleError
from ulna.kinematics import Tracked, condition_number, tip
from ulna.kinematics.ring import ring
from ulna.motion.demands import Demands, Peaks
from ulna.motion.findings import Finding
from ulna.motion.path import Path
from ulna.motion.terms import Terms
from ulna.motion.trajectory import Trajectory
from ulna.namespaces import SuggestsAttributes, suggest_attributes, suggest_keywords
from ulna.typing import PathLike, TimesLike

if TYPE_CHECKING:
    import pandas as pd


# What people ask for first, and where it is.
_GUESSES = {
    "plan.t are the times [s]": "time times ts",
    "plan.q are the joint angles [rad]": "angle angles position positions theta joint_angles",
    "plan.qd are the joint rates [rad/s]": "velocity velocities dq qdot q_dot speed speeds rates",
    "plan.qdd are the joint accelerations [rad/s²]": "acceleration accelerations ddq qddot",
    "plan.tau are the torques [N·m], shape (samples, n); plan.torque_at(t) is a function of time": (
        "torque torques effort u"
    ),
    "plan.peaks.torque, .torque_rms, .speed and .power are the largest of each joint": (
        "peak_torque peak_torques max_torque max_torques tau_max peak rms_torque torque_rms "
        "max_velocity max_speed peak_power"
    ),
    "plan.tip is the tip's position x, y and angle": (
        "tip_position end_effector ee xy pose tip_pose"
    ),
    "plan.problems say what keeps the arm from it, plan.feasible whether anything does": (
        "errors problem findings infeasible valid reachable failures warnings success"
    ),
    "ulna.simulate(arm, controller=..., reference=plan) lets the arm follow it": (
        "simulate follow execute run"
    ),
    "ulna.plot(plan) draws it": "plot show draw figure",
    "plan.save('plan.csv') writes it, plan.to_dataframe() is a table": (
        "to_csv write export csv df dataframe to_pandas to_dict data"
    ),
}


_CLASS_GUESSES = {
    "a saved plan is a CSV table for other programs; ulna.plan(arm, path) makes it anew": (
        "load open read from_file from_csv open_plan load_plan"
    ),
}


@suggest_attributes({**_GUESSES, **_CLASS_GUESSES})
@dataclass(frozen=True, eq=False, repr=False)
class Plan(metaclass=SuggestsAttributes):
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
        Joint torques [N·m].
    compute_terms : callable
        Returns the terms of the torques; `terms` keeps them.
    tracked : Tracked or None
        The tracked path of the tip; None for a path of the joints.
    problems : tuple of Finding
        What is wrong, and what to know.
    derivatives : {"exact", "finite"}
        How rates and accelerations were found.
    duration_reason : str
        Why it takes as long as it does.
    tip_force : callable or None
        The force on the tip (k, 3) [N, N·m] of times (k,) [s].
    demands : Demands
        What it demands of the arm at any time.
    """

    _class_guesses = _CLASS_GUESSES

    arm: Arm
    path: Path
    trajectory: Trajectory
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    compute_terms: Callable[[], Terms]
    tracked: Tracked | None
    problems: tuple[Finding, ...]
    derivatives: str
    duration_reason: str
    tip_force: Callable[[Array], Array] | None
    demands: Demands

    @cached_property
    def terms(self) -> Terms:
        """What the torques are compute_terms on, (k, n) [N·m] each: their sum is the torque."""
        return self.compute_terms()

    @cached_property
    def peaks(self) -> Peaks:
        """The largest torques, speeds and powers and the smallest margins, at any time."""
        found = self.demands.peaks()
        if self.derivatives == "exact" or not np.isfinite(self.tau).any():
            return found
        sizes = {"torque": self.tau, "speed": self.qd, "acceleration": self.qdd}
        return found._replace(
            **{name: _peak(values) for name, values in sizes.items()},
            power=_peak(self.power),
            torque_rms=np.sqrt(np.nanmean(self.tau**2, axis=0)),
        )

    @cached_property
    def term_peaks(self) -> dict[str, Array]:
        """The largest size (n,) [N·m] of every term of the torques, by its name, at any time."""
        if self.derivatives == "exact" or not np.isfinite(self.tau).any():
            return self.demands.term_peaks()
        return {name: _peak(part) for name, part in self.terms._asdict().items()}

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.trajectory.duration

    @cached_property
    def tip(self) -> Array:
        """Place and orientation of the tip (k, 3)."""
        return np.asarray(tip(self.arm, self.q))

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
        margin = np.minimum(outer - radius, radius - inner) if inner > 0.0 else outer - radius
        return np.asarray(margin)

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
            Joint torques [N·m].
        """
        motion = self.trajectory(t)
        force = None
        if self.tip_force is not None:
            force = self.tip_force(np.ravel(float_array(t, "t"))).reshape(*motion.q.shape[:-1], 3)
        return np.asarray(inverse_dynamics(self.arm, *motion, tip_force=force))

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
        from ulna.motion.tables import dataframe

        return dataframe(self)

    @suggest_keywords(force="overwrite", replace="overwrite")
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
        from ulna.motion.tables import save_plan

        save_plan(self, file, overwrite=overwrite)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Copies and what comes from another process are as little to be written to.
        self.__dict__.update(state)
        freeze(self.t, self.q, self.qd, self.qdd, self.tau)

    def __repr__(self) -> str:
        from ulna.motion.tables import summary

        return summary(self)

    def _repr_html_(self) -> str:
        from ulna.motion.tables import html

        return html(self)


def _peak(values: Array) -> Array:
    return np.asarray(np.nanmax(np.abs(values), axis=0))

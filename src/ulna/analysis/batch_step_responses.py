"""How the joints of a batch answered steps of their set-points, and where those are found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ulna.analysis.step_measures import measured
from ulna.analysis.time_averages import by_joint
from ulna.arrays import Array, float_array, freeze, plain
from ulna.errors import InputError, Problem, shown
from ulna.progress import Described
from ulna.simulation import BatchRun, Run
from ulna.simulation.batch.member import Member
from ulna.simulation.capacity import check_memory


@dataclass(frozen=True, eq=False, repr=False)
class BatchStepResponse(Described):
    """How all joints of B arms answered steps of their set-points, which they started off.

    NaN stands for what there is not: of a joint that never settles, of one whose set-point is
    where it started, and of an arm that failed.

    Attributes
    ----------
    run : BatchRun
        What was simulated.
    size : ndarray, shape (B, n)
        Of the steps [rad].
    tolerance : float
        Within which part of the final value a joint has settled.
    response : ndarray, shape (B, S, n)
        The part of the step that is done, sample by sample.
    final : ndarray, shape (B, n)
        The part of the step where the joint comes to rest.
    rise_time : ndarray, shape (B, n)
        From 10 % to 90 % of the final value [s].
    overshoot : ndarray, shape (B, n)
        Beyond the final value, as a fraction of it.
    peak_time : ndarray, shape (B, n)
        When that is [s]; NaN without overshoot.
    settling_time : ndarray, shape (B, n)
        After which the joint stays within the tolerance [s].
    steady_error : ndarray, shape (B, n)
        What is missing at the end [rad]; negative beyond.
    """

    run: BatchRun
    size: Array
    tolerance: float
    response: Array
    final: Array
    rise_time: Array
    overshoot: Array
    peak_time: Array
    settling_time: Array
    steady_error: Array

    def __len__(self) -> int:
        return len(self.size)

    @property
    def settles(self) -> Array:
        """Whether each joint (B, n) comes to rest within the run."""
        return np.isfinite(self.settling_time)

    def facts(self) -> dict[str, Any]:
        """Return what was found as plain values that JSON takes.

        Returns
        -------
        dict
            By names, in SI units, lists with a row for every member; None for what is not finite.
        """
        left_out = ("run", "response")
        found = {name: value for name, value in vars(self).items() if name not in left_out}
        return plain({"status": self.run.status.reason, "settles": self.settles, **found})

    def _lines(self) -> list[str]:
        steps, settles = self.size != 0.0, self.settles
        told = f"{settles.sum():,} of {steps.sum():,} joints with a step settle to ±"
        lines = [f"{told}{self.tolerance:g}"]
        if settles.any():
            lines.append(
                f"at most: rise {np.nanmax(self.rise_time):.3g} s, overshoot "
                f"{np.nanmax(self.overshoot):.3g}, settling {np.nanmax(self.settling_time):.3g} s"
            )
        return [*lines, str(self.run.status)]

    def _title(self) -> str:
        return f"BatchStepResponse of {len(self):,} arms"


def batch_step_response(run: BatchRun, goals: Array, tolerance: float) -> BatchStepResponse:
    """Measure the responses of all joints of a batch to set-points (n,) or (B, n) [rad]."""
    counted = f"{len(run):,} arms × {len(run.t):,} samples"
    needed = 40.0 * len(run) * len(run.t) * run.n
    check_memory("step_response", counted, needed, "take fewer, such as run[:1000]")
    q = by_joint(np.asarray(run.q[:]))
    size = goals - q[..., 0]
    with np.errstate(all="ignore"):
        y = (q - q[..., :1]) / np.where(size == 0.0, np.nan, size)[..., None]
    found = measured(run.t, y, run.status.ok[:, None], tolerance)
    steady = size * (1.0 - found.final)
    response = np.swapaxes(y, -1, -2)
    freeze(size, y, response, *found, steady)
    return BatchStepResponse(run, size, tolerance, response, *found, steady)


def set_points(run: Run | Member | BatchRun, given: Any) -> Array:
    """Return the set-points [rad] of a run (n,), of a batch (n,) or (B, n): given, or recorded."""
    wanted = _recorded(run) if given is None else given
    if wanted is None or isinstance(wanted, Mapping | str) or callable(wanted):
        got = "no set-point that is recorded" if given is None else shown(given)
        need = "where the joints were to go [rad]: reference=(q1, ..., qn), or a row for every arm"
        raise InputError(Problem("reference", got, need))
    found = float_array(wanted, "reference")
    joints = run.q.shape[-1]
    shapes = [(joints,), (len(run), joints)] if isinstance(run, BatchRun) else [(joints,)]
    if found.shape not in shapes or not np.isfinite(found).all():
        need = " or ".join(f"finite numbers of shape {shape}" for shape in shapes)
        raise InputError(Problem("reference", shown(wanted), need))
    return np.asarray(found, dtype=np.float64)


def _recorded(run: Run | Member | BatchRun) -> Any:
    if isinstance(run, Run):
        posture = run.scenario.reference
        return posture if isinstance(posture, tuple) else None
    call = run.call if isinstance(run, BatchRun) else None
    found = None if call is None else call.arguments.get("reference")
    if call is None or call.members is None or not isinstance(found, np.ndarray | list | tuple):
        return found
    rows = float_array(found, "reference")
    return rows[call.members] if rows.ndim > 1 else rows

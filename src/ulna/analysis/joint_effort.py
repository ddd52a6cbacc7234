"""What a run took of each joint's motor: torque, power, energy. Disturbances are not its doing.

The torque tau[k] acts from t[k] until t[k+1], so that the work in between is

    W_k = τ_k (q̇_k + q̇_k+1) / 2 · (t_k+1 − t_k)

and means of the torque are over these stretches of time.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ulna.analysis.time_averages import by_joint, counted
from ulna.arrays import Array
from ulna.errors import InputError, Problem, shown
from ulna.simulation import BatchRun, Run
from ulna.simulation.batch.batch_run import BLOCK
from ulna.simulation.batch.member import Member


@dataclass(frozen=True, eq=False)
class Effort:
    """Torque, power and energy of each joint; NaN for a run without a finite sample.

    Arrays are (n,) of a run or of one member of a batch, and (B, n) of a batch.

    Attributes
    ----------
    torque_peak : ndarray, shape (n,) or (B, n)
        The largest torque, by size [N·m].
    torque_rms : ndarray, shape (n,) or (B, n)
        Root of the mean square of the torque [N·m].
    torque_use : ndarray, shape (n,) or (B, n)
        The peak by the joint's `max_torque`; NaN where that is infinite.
    power_peak : ndarray, shape (n,) or (B, n)
        The largest mechanical power, by size [W].
    power_mean : ndarray, shape (n,) or (B, n)
        The mean power [W].
    power_rms : ndarray, shape (n,) or (B, n)
        Root of the mean square of the power [W].
    energy : ndarray, shape (n,) or (B, n)
        Energy put in, less what came back [J].
    energy_spent : ndarray, shape (n,) or (B, n)
        Energy put in; what came back does not count [J].
    """

    torque_peak: Array
    torque_rms: Array
    torque_use: Array
    power_peak: Array
    power_mean: Array
    power_rms: Array
    energy: Array
    energy_spent: Array


def effort(run: Run | Member | BatchRun) -> Effort:
    """Return torque, power and energy of each joint over a run, or over every run of a batch.

    Parameters
    ----------
    run : Run, BatchRun, or a member of one
        What was simulated; samples that are not finite do not count. A batch has to be made with
        `keep_torques=True`.

    Returns
    -------
    Effort
        What the joints' motors gave: (n,) each of one run, (B, n) of a batch. What it is of a
        member does not depend on the others.

    Raises
    ------
    InputError
        If the run is none, or a batch did not keep its torques.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.Arm.rods([1.0], [1.0], gravity=(0.0, 0.0))
    >>> run = ulna.simulate(arm, q0=[0.0], torque=[2.0], duration=1.0)
    >>> effort(run).torque_peak.tolist()
    [2.0]
    """
    if not isinstance(run, Run | Member | BatchRun):
        need = "a Run of ulna.simulate, a BatchRun of ulna.simulate_batch, or a member of one"
        raise InputError(Problem("run", shown(run), need))
    tau = run.tau
    if tau is None:
        need = "torques: simulate_batch(..., keep_torques=True)"
        raise InputError(Problem("run", "a batch without its torques", need))
    parameters = run.arm.parameters if isinstance(run, Run) else run.parameters
    most = np.asarray(parameters.max_torque)
    if not isinstance(run, BatchRun):
        return _effort(run.t, run.qd, tau, most)
    most = np.broadcast_to(most, (len(run), run.n))
    found = [np.empty((len(run), run.n)) for _ in fields(Effort)]
    size = max(1, BLOCK // (len(run.t) * run.n))
    for start in range(0, len(run), size):
        some = slice(start, start + size)
        part = _effort(run.t, run.qd[some], tau[some], most[some])
        for whole, name in zip(found, fields(Effort), strict=True):
            whole[some] = getattr(part, name.name)
    return Effort(*found)


def _effort(t: Array, rates: Array, torques: Array, most: Array) -> Effort:
    """Return what joints did at times (S,) with rates and torques (..., S, n)."""
    qd, tau = by_joint(rates), by_joint(torques)
    good = np.isfinite(t) & np.isfinite(qd).all(axis=-2) & np.isfinite(tau).all(axis=-2)
    kept = counted(t, np.broadcast_to(good[..., None, :], qd.shape), qd, tau)
    qd, tau = kept.rows
    none = np.where(kept.number > 0, 0.0, np.nan)
    with np.errstate(over="ignore", invalid="ignore"):
        power = tau * qd
        work = tau[..., :-1] * 0.5 * (qd[..., :-1] + qd[..., 1:]) * kept.lasts
        energy, lasts = work.sum(axis=-1), kept.lasts.sum(axis=-1)
        peak = np.abs(tau).max(axis=-1) + none
        mean = energy / np.where(lasts > 0.0, lasts, 1.0)
        return Effort(
            torque_peak=peak,
            torque_rms=np.sqrt(kept.held_mean(tau**2)),
            torque_use=np.where(np.isfinite(most), peak / most, np.nan),
            power_peak=np.abs(power).max(axis=-1) + none,
            power_mean=np.where(kept.number > 1, mean, power[..., 0]) + none,
            power_rms=np.sqrt(kept.held_mean(power**2)),
            energy=energy + none,
            energy_spent=np.maximum(work, 0.0).sum(axis=-1) + none,
        )

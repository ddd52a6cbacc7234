"""What a run took of each joint's motor: torque, power, energy. Disturbances are not its doing.

The torque tau[k] acts from t[k] until t[k+1], so that the work in between is

    W_k = τ_k (q̇_k + q̇_k+1) / 2 · (t_k+1 − t_k)

and means of the torque are over these stretches of time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ulna.arrays import Array
from ulna.simulation import Run


@dataclass(frozen=True, eq=False)
class Effort:
    """Torque, power and energy of each joint; NaN for a run without a finite sample.

    Attributes
    ----------
    torque_peak : ndarray, shape (n,)
        The largest torque, by size [N·m].
    torque_rms : ndarray, shape (n,)
        Root of the mean square of the torque [N·m].
    torque_use : ndarray, shape (n,)
        The peak by the joint's `max_torque`; NaN where that is infinite.
    power_peak : ndarray, shape (n,)
        The largest mechanical power, by size [W].
    power_mean : ndarray, shape (n,)
        The mean power [W].
    power_rms : ndarray, shape (n,)
        Root of the mean square of the power [W].
    energy : ndarray, shape (n,)
        Energy put in, less what came back [J].
    energy_spent : ndarray, shape (n,)
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


def effort(run: Run) -> Effort:
    """Return torque, power and energy of each joint over a run.

    Parameters
    ----------
    run : Run
        What was simulated; samples that are not finite do not count.

    Returns
    -------
    Effort
        What the joints' motors gave.

    Examples
    --------
    >>> import ulna
    >>> arm = ulna.Arm.rods([1.0], [1.0], gravity=(0.0, 0.0))
    >>> run = ulna.simulate(arm, q0=[0.0], torque=[2.0], duration=1.0)
    >>> effort(run).torque_peak.tolist()
    [2.0]
    """
    good = np.isfinite(run.t) & np.isfinite(np.hstack([run.qd, run.tau])).all(axis=1)
    if not good.any():
        return Effort(*np.full((8, run.arm.n), np.nan))
    t, qd, tau = run.t[good], run.qd[good], run.tau[good]
    most = np.asarray(run.arm.parameters.max_torque)
    with np.errstate(over="ignore", invalid="ignore"):
        lasts = np.diff(t)[:, None]
        work = tau[:-1] * 0.5 * (qd[:-1] + qd[1:]) * lasts
        power, peak = tau * qd, np.abs(tau).max(axis=0)
        return Effort(
            torque_peak=peak,
            torque_rms=np.sqrt(_held_mean(lasts, tau**2)),
            torque_use=np.where(np.isfinite(most), peak / most, np.nan),
            power_peak=np.abs(power).max(axis=0),
            power_mean=work.sum(axis=0) / lasts.sum() if len(t) > 1 else power[0],
            power_rms=np.sqrt(_held_mean(lasts, power**2)),
            energy=work.sum(axis=0),
            energy_spent=np.maximum(work, 0.0).sum(axis=0),
        )


def _held_mean(lasts: Array, values: Array) -> Array:
    """Return the mean (n,) by time of values (k, n), each lasting until the next."""
    if not len(lasts):
        return np.asarray(values[0])
    return np.asarray((values[:-1] * lasts).sum(axis=0) / lasts.sum())

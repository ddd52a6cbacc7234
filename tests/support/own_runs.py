"""Members of batches against their own runs by the single engine."""

from typing import Any

import numpy as np


def assert_moves_as_alone(batch: Any, b: int, own: Any, tolerance: float) -> None:
    """Compare a member's states, torques, status and end with its own run.

    The tolerance is relative to the largest angle, rate or torque of the run, and at least 1.
    """
    # The two engines estimate at different steps whether steps are too long.
    assert batch.status[b].reason.replace("coarse", "done") == own.status.reason
    late = own.t[-1] - batch.t_end[b]
    # A member that stalls within a step ends where that step begins.
    assert late == 0.0 or (own.status.reason == "stalled" and 0.0 < late < own.scenario.dt)
    both = np.isfinite(batch.q[b, :, 0]) & np.isin(batch.t, own.t)
    there = np.isin(own.t, batch.t[both])
    size = max(1.0, np.abs(own.q).max(), np.abs(own.qd).max())
    for name in ("q", "qd", "tau"):
        ours, theirs = getattr(batch, name)[b, both], getattr(own, name)[there]
        if name == "tau":
            size = np.abs(theirs[np.isfinite(theirs)]).max(initial=size)
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=tolerance * size, err_msg=name)

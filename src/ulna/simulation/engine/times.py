"""When two times count as one."""

from __future__ import annotations

from ulna.kernels import inlined

SAME = 1e-12  # of a time


@inlined
def slack(t: float) -> float:
    """Return the difference at which times near t count as one."""
    return SAME * max(1.0, abs(t))

"""Joint limits: in which turn an angle is written, and whether it is allowed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ulna.angles import wrap
from ulna.arm import Parameters
from ulna.kinematics.ring import Floats

SLACK = 1e-10  # [rad] by which rounding, of a nearly straight elbow say, may miss a limit


def window_middle(parameters: Parameters) -> Floats:
    """Return the middle (…, n) of the turn in which each joint's angles are written.

    A joint with two limits is written around their middle, one with a single limit inside it,
    and a free one around zero.
    """
    lower, upper = parameters.lower, parameters.upper
    has_lower, has_upper = np.isfinite(lower), np.isfinite(upper)
    low, high = np.where(has_lower, lower, 0.0), np.where(has_upper, upper, 0.0)
    one_sided = np.where(has_lower, low + np.pi, np.where(has_upper, high - np.pi, 0.0))
    return np.where(has_lower & has_upper, 0.5 * (low + high), one_sided)


def into_window(parameters: Parameters, q: Floats) -> Floats:
    """Wrap angles (…, n) into the turn around the middle of each joint's range."""
    return np.asarray(wrap(q, window_middle(parameters)))


def allowed(parameters: Parameters, q: Floats) -> NDArray[np.bool_]:
    """Return for each joint (…, n) whether its angle lies within its limits."""
    return np.asarray((q >= parameters.lower - SLACK) & (q <= parameters.upper + SLACK))


def are_limited(parameters: Parameters) -> bool:
    """Whether any joint of any arm has a limit."""
    return bool(np.isfinite(parameters.lower).any() or np.isfinite(parameters.upper).any())

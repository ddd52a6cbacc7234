"""Damped least squares: move a posture until the tip is where it should be.

Where an arm has joints to spare, closed forms give some postures; this gives postures that
keep to the joint limits and stay close to a wanted posture. It works on many postures at
once, each a row, and each row ends on its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ulna.angles import difference
from ulna.arm import Parameters
from ulna.kinematics.forward import tip
from ulna.kinematics.jacobian import jacobian
from ulna.kinematics.ring import Floats

LONGEST_STEP = 0.4  # [rad] a joint may turn in one iteration: the tip's circle is not a line
POSTURE_STEP = 0.3  # fraction of the way to the wanted posture taken in one iteration
PATIENCE = 20  # iterations in which a row has to get a tenth closer, or is given up
SETTLED = 1e-9  # [rad] of posture motion that counts as none


class Request(NamedTuple):
    """Rows of postures to solve: arms (B, n), goals (B, 2 or 3), a wanted posture or None."""

    parameters: Parameters
    goal: Floats
    posture: Floats | None

    def rows(self, chosen: np.ndarray) -> Request:
        """Give only the chosen rows."""
        posture = None if self.posture is None else self.posture[chosen]
        return Request(self.parameters.rows(chosen), self.goal[chosen], posture)


def settle(
    request: Request, q: Floats, *, tolerance: Floats, iterations: int = 200
) -> tuple[Floats, Floats]:
    """Bring the tips of postures q (B, n) to their goals; gives postures and residuals [m].

    Joints never leave their limits. Rows that cannot be solved come back at the best posture
    found on their way.
    """
    q = np.clip(q, request.parameters.lower, request.parameters.upper)
    best, best_residual = q.copy(), np.full(len(q), np.inf)
    before = best_residual.copy()
    going = np.arange(len(q))
    for iteration in range(iterations):
        part = request.rows(going)
        miss, slopes = _miss(part, q[going]), _slopes(part, q[going])
        residual = np.linalg.norm(miss, axis=-1)
        better = residual <= np.maximum(best_residual[going], tolerance[going])
        best[going[better]] = q[going[better]]
        best_residual[going[better]] = residual[better]
        wish = _wish(part, q[going], iteration, iterations)
        step, drift = _step(part, q[going], miss, slopes, wish)
        moving = (residual > 0.01 * tolerance[going]) | (drift > SETTLED)
        if iteration % PATIENCE == PATIENCE - 1:
            closest = best_residual[going]
            moving &= (closest < 0.9 * before[going]) | (closest <= tolerance[going])
            before = best_residual.copy()
        q[going] = np.clip(q[going] + step, part.parameters.lower, part.parameters.upper)
        going = going[moving]
        if not going.size:
            break
    return best, best_residual


def _miss(request: Request, q: Floats) -> Floats:
    """Give the way left (B, 2 or 3); an orientation counts by the arc the last link sweeps."""
    now = tip(request.parameters, q)
    way = request.goal[:, :2] - now[:, :2]
    if request.goal.shape[-1] == 2:
        return np.asarray(way)
    arc = difference(request.goal[:, 2], now[:, 2]) * request.parameters.length[:, -1]
    return np.concatenate([way, arc[:, None]], axis=-1)


def _slopes(request: Request, q: Floats) -> Floats:
    """Give the derivative (B, 2 or 3, n) of the tip in the same measures as the miss."""
    full = np.array(jacobian(request.parameters, q))
    full[:, 2, :] *= request.parameters.length[:, -1:]
    return full[:, : request.goal.shape[-1], :]


def _wish(request: Request, q: Floats, iteration: int, iterations: int) -> Floats:
    """Give the motion towards the wanted posture; the last iterations only sharpen the tip."""
    if request.posture is None or iteration > 0.8 * iterations:
        return np.zeros_like(q)
    return POSTURE_STEP * (request.posture - q)


def _step(
    request: Request, q: Floats, miss: Floats, slopes: Floats, wish: Floats
) -> tuple[Floats, Floats]:
    """Give the joints' step (B, n), and how far each row still moves for its posture's sake.

    A joint that stands at its limit and would go on is held, and the others take its share.
    """
    lower, upper = request.parameters.lower, request.parameters.upper
    held = np.zeros(q.shape, dtype=bool)
    for _ in range(min(3, q.shape[-1])):
        free_slopes = np.where(held[:, None, :], 0.0, slopes)
        free_wish = np.where(held, 0.0, wish)
        sideways = free_wish - damped_solve(free_slopes, _times(free_slopes, free_wish), miss)
        step = damped_solve(free_slopes, miss, miss) + np.where(held, 0.0, sideways)
        blocked = ((q <= lower) & (step < 0.0)) | ((q >= upper) & (step > 0.0))
        if not (blocked & ~held).any():
            break
        held |= blocked
    largest = np.max(np.abs(step), axis=-1, keepdims=True)
    drift = np.max(np.abs(np.where(held, 0.0, sideways)), axis=-1)
    return step * np.minimum(1.0, LONGEST_STEP / np.maximum(largest, LONGEST_STEP)), drift


def damped_solve(slopes: Floats, way: Floats, miss: Floats) -> Floats:
    """Solve J dq = way in the damped least-squares sense: dq = Jᵀ(JJᵀ + λ²)⁻¹ way.

    λ shrinks with the miss, so that singular postures are survived far away and convergence
    is quadratic close by.
    """
    squared = slopes @ np.swapaxes(slopes, -1, -2)
    scale = np.trace(squared, axis1=-2, axis2=-1)
    damping = 0.01 * np.sum(miss * miss, axis=-1) + 1e-14 * scale + 1e-300
    squared = squared + damping[:, None, None] * np.eye(slopes.shape[-2])
    solved = np.linalg.solve(squared, way[..., None])
    return np.asarray((np.swapaxes(slopes, -1, -2) @ solved)[..., 0])


def _times(slopes: Floats, motion: Floats) -> Floats:
    return np.asarray((slopes @ motion[..., None])[..., 0])

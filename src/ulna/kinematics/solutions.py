"""The answer of inverse kinematics: every posture, and for each whether it may be used."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ulna.angles import distance
from ulna.arm import Arm
from ulna.kinematics.ring import Floats
from ulna.notebooks import card

OK = "ok"
OUT_OF_REACH = "out of reach"
OUTSIDE_LIMITS = "outside joint limits"
NOT_CONVERGED = "not converged"
OTHER_BRANCH = "not on this branch"
ELBOW_UP, ELBOW_DOWN = "up", "down"


@dataclass(frozen=True, eq=False, repr=False)
class Solutions:
    """Postures that put the tip at the target, k for each target, in the order of `branch`.

    Nothing is dropped: a posture outside the joint limits is marked, and where the target is out
    of reach `q` is NaN, `shortfall` says by how much, and `nearest` with `nearest_q` offers the
    closest point that the links can reach, whatever the limits (`Workspace.nearest` heeds them).
    """

    q: Floats  # (…, k, n) [rad], NaN where not valid for want of reach
    valid: NDArray[np.bool_]  # (…, k) the tip is at the target
    within_limits: NDArray[np.bool_]  # (…, k) valid, and inside every joint's limits
    residual: Floats  # (…, k) [m] from tip to target; the shortfall where out of reach
    branch: tuple[str, ...]  # (k,) names
    reachable: NDArray[np.bool_]  # (…) by the links' lengths, whatever the limits
    shortfall: Floats  # (…) [m], 0 where reachable
    nearest: Floats  # (…, 2) [m] the nearest reachable point; the target itself where reachable
    nearest_q: Floats  # (…, n) a posture that puts the tip there
    continuum: NDArray[np.bool_]  # (…) the postures listed stand for infinitely many
    target: Floats | None = None  # (…, 2 or 3) as asked
    arm: Arm | None = None  # that was asked; None where it was given as Parameters
    # (…, k) of two links "up" or "down": the elbow's side of the line from base to tip; "" where
    # it is on neither, and for other arms
    elbow: NDArray[np.str_] = field(default_factory=lambda: np.array(""))

    @property
    def reason(self) -> NDArray[np.str_]:
        """For each posture (…, k), in words, why it may not be used, or "ok"."""
        reachable = self.reachable[..., None] & np.ones_like(self.valid)
        missing = np.isnan(self.q[..., 0])
        return np.select(
            [~reachable, missing, ~self.valid, ~self.within_limits],
            [OUT_OF_REACH, OTHER_BRANCH, NOT_CONVERGED, OUTSIDE_LIMITS],
            default=OK,
        )

    def best(self, near: Floats | None = None) -> Floats:
        """Return one posture (…, n) a target: allowed if any is, then the one closest to `near`.

        Without `near` the first allowed one is taken; NaN where the target is out of reach.
        """
        cost = np.where(self.within_limits, 0.0, 1e3)
        if near is not None:
            cost = cost + np.nan_to_num(distance(self.q, np.asarray(near)[..., None, :]))
        cost = np.where(self.valid, cost, np.inf)
        chosen = np.argmin(cost, axis=-1)[..., None, None]
        return np.take_along_axis(self.q, chosen, axis=-2)[..., 0, :]

    def __repr__(self) -> str:
        count = int(self.reachable.size)
        if count != 1:
            reached, k = int(self.reachable.sum()), len(self.branch)
            usable = int(self.within_limits.any(axis=-1).sum())
            return (
                f"Solutions: {count} targets, {k} postures each; {reached} in reach, "
                f"{usable} within the joint limits"
            )
        return "\n".join([self._headline(), *self._lines()])

    def _repr_html_(self) -> str:
        if self.reachable.size != 1:
            return card(repr(self))
        degrees = np.degrees(self.q.reshape(len(self.branch), -1))
        rows = [
            (name, *(f"{angle:.6g}" for angle in posture), reason)
            for name, posture, reason in zip(
                self._names(), degrees, self.reason.reshape(-1), strict=True
            )
        ]
        joints = [f"q{i + 1} [deg]" for i in range(degrees.shape[-1])]
        return card(self._headline(), columns=("branch", *joints, "may it be used"), rows=rows)

    def _names(self) -> list[str]:
        """Name the postures of one target: the branch, and of two links the elbow."""
        elbows = np.broadcast_to(self.elbow, self.valid.shape).reshape(-1)
        return [
            f"{name}, elbow {side}" if side else name
            for name, side in zip(self.branch, elbows, strict=True)
        ]

    def _headline(self) -> str:
        if not self.reachable.all():
            x, y = self.nearest.reshape(2)
            short = f"{self.shortfall.item():.6g} m"
            return f"Solutions: out of reach by {short}, nearest ({x:.6g}, {y:.6g})"
        free = f", {len(self.branch)} of infinitely many" if self.continuum.all() else ""
        return f"Solutions: in reach{free}"

    def _lines(self) -> list[str]:
        postures = np.degrees(self.q.reshape(len(self.branch), -1))
        reasons = self.reason.reshape(-1)
        return [
            f"  {name}: " + ", ".join(f"{angle:.6g}" for angle in posture) + f" deg ({reason})"
            for name, posture, reason in zip(self._names(), postures, reasons, strict=True)
            if not np.isnan(posture).any()
        ]

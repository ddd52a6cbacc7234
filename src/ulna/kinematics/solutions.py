"""The result of inverse kinematics: every posture, and for each whether it may be used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ulna.angles import distance
from ulna.arm import Arm
from ulna.arrays import Floats
from ulna.errors import InputError, Problem
from ulna.progress import card
from ulna.typing import AngleLike

OK = "ok"
OUT_OF_REACH = "out of reach"
OUTSIDE_LIMITS = "outside joint limits"
NOT_CONVERGED = "not converged"
OTHER_BRANCH = "not on this branch"
ELBOW_UP, ELBOW_DOWN = "up", "down"


@dataclass(frozen=True, eq=False, repr=False)
class Solutions:
    """Postures that put the tip at a target, k for each target, in the order of `branch`.

    `inverse` returns it. Nothing is dropped: a posture outside the joint limits is marked, and
    where the target is out of reach `q` is NaN, `shortfall` says by how much, and `nearest` with
    `nearest_q` offers the closest point that the links can reach, whatever the limits
    (`Workspace.nearest` heeds them).

    For one target it is a sequence of its postures: ``solutions[0]`` is the first, shape (n,),
    ``len(solutions)`` is k, and a loop runs over all of them. For many targets it is a sequence
    of targets: ``solutions[i]`` holds the postures of target i, so that ``solutions[i][0]`` is
    the first of them, and ``solutions[i:j]`` those of several.

    Attributes
    ----------
    q : ndarray, shape (..., k, n)
        Joint angles [rad]; NaN where the target is out of reach, or a branch has no posture.
    valid : ndarray of bool, shape (..., k)
        Whether the tip is at the target.
    within_limits : ndarray of bool, shape (..., k)
        Whether the posture is valid and inside every joint's limits.
    residual : ndarray, shape (..., k)
        Distance from tip to target [m]; the shortfall where it is out of reach.
    branch : tuple of str, length k
        Names of the branches.
    reachable : ndarray of bool, shape (...)
        Whether the links are long enough, whatever the limits.
    shortfall : ndarray, shape (...)
        Distance by which the target is out of reach [m], 0 where it is not.
    nearest : ndarray, shape (..., 2)
        The nearest reachable point [m]; the target itself where it is reachable.
    nearest_q : ndarray, shape (..., n)
        A posture that puts the tip there [rad].
    continuum : ndarray of bool, shape (...)
        Whether the postures listed stand for infinitely many.
    target : ndarray, shape (..., 2) or (..., 3), or None
        The targets as given.
    arm : Arm or None
        The arm; None where it was given as Parameters.
    elbow : ndarray of str, shape (..., k)
        For two links "up" or "down": the elbow's side of the line from base to tip; "" where it
        is on neither side, and for other arms.

    Examples
    --------
    >>> import numpy as np, ulna
    >>> solutions = ulna.kinematics.inverse(ulna.preset("unit"), [1.71, 0.30])
    >>> len(solutions), np.degrees(solutions[0]).round(2).tolist()
    (2, [-19.82, 59.53])
    >>> np.degrees(solutions.elbow_up).round(2).tolist()
    [39.72, -59.53]
    >>> many = ulna.kinematics.inverse(ulna.preset("unit"), [[1.71, 0.30], [0.0, 1.0]])
    >>> len(many), np.degrees(many[0][0]).round(2).tolist()
    (2, [-19.82, 59.53])
    """

    q: Floats
    valid: NDArray[np.bool_]
    within_limits: NDArray[np.bool_]
    residual: Floats
    branch: tuple[str, ...]
    reachable: NDArray[np.bool_]
    shortfall: Floats
    nearest: Floats
    nearest_q: Floats
    continuum: NDArray[np.bool_]
    target: Floats | None = None
    arm: Arm | None = None
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

    @property
    def elbow_up(self) -> Floats:
        """The posture (…, n) [rad] of two links with the elbow above the line from base to tip.

        NaN where there is none: out of reach, with the arm straight or folded, and for a target
        straight above or below the base, where no side is the upper one. Raises `InputError` for
        an arm that does not have two links.
        """
        return self._with_elbow(ELBOW_UP)

    @property
    def elbow_down(self) -> Floats:
        """The posture (…, n) [rad] of two links with the elbow below the line from base to tip.

        NaN where there is none, and `InputError`, as for `elbow_up`.
        """
        return self._with_elbow(ELBOW_DOWN)

    def best(self, near: AngleLike | None = None) -> Floats:
        """Return one posture a target: allowed if any is, then the one closest to `near`.

        Parameters
        ----------
        near : array_like, shape (..., n), optional
            Joint angles [rad] to stay close to, by wrapped distance. Without it the first
            allowed posture is taken.

        Returns
        -------
        ndarray, shape (..., n)
            Joint angles [rad]; NaN where the target is out of reach.

        Examples
        --------
        >>> import numpy as np, ulna
        >>> solutions = ulna.kinematics.inverse(ulna.preset("unit"), [1.71, 0.30])
        >>> np.degrees(solutions.best(near=[0.7, -1.0])).round(2).tolist()
        [39.72, -59.53]
        """
        cost = np.where(self.within_limits, 0.0, 1e3)
        if near is not None:
            cost = cost + np.nan_to_num(distance(self.q, np.asarray(near)[..., None, :]))
        cost = np.where(self.valid, cost, np.inf)
        chosen = np.argmin(cost, axis=-1)[..., None, None]
        return np.take_along_axis(self.q, chosen, axis=-2)[..., 0, :]

    def __len__(self) -> int:
        return len(self.reachable) if self._targets else len(self.branch)

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: int | slice) -> Any:
        """Return a posture (n,) of one target, or of many targets the `Solutions` of one."""
        return self._at(index) if self._targets else self.q[index]

    @property
    def _targets(self) -> tuple[int, ...]:
        """The shape of the targets: () for a single one."""
        return np.shape(self.reachable)

    def _at(self, index: int | slice) -> Solutions:
        """Return the solutions of some targets, by the first axis."""
        apart = ("branch", "target", "arm", "elbow")
        names = [part.name for part in fields(self) if part.name not in apart]
        parts: dict[str, Any] = {name: np.asarray(getattr(self, name)[index]) for name in names}
        if self.target is not None:
            whole = np.broadcast_to(self.target, (*self._targets, self.target.shape[-1]))
            parts["target"] = whole[index]
        parts["elbow"] = np.asarray(np.broadcast_to(self.elbow, self.valid.shape)[index])
        return replace(self, **parts)

    def _with_elbow(self, side: str) -> Floats:
        if self.q.shape[-1] != 2:
            got = f"an arm of {self.q.shape[-1]} link{'s' * (self.q.shape[-1] != 1)}"
            need = "one of two links, which has one elbow"
            hint = f"index the postures instead: solutions[0], in the order {self.branch}"
            raise InputError(Problem(f"elbow_{side}", got, need, hint))
        there = np.broadcast_to(self.elbow, self.valid.shape) == side
        chosen = np.argmax(there, axis=-1)[..., None, None]
        found = np.take_along_axis(self.q, chosen, axis=-2)[..., 0, :]
        return np.where(there.any(axis=-1)[..., None], found, np.nan)

    def __repr__(self) -> str:
        count = int(self.reachable.size)
        if count != 1:
            reached, k = int(self.reachable.sum()), len(self.branch)
            usable = int(self.within_limits.any(axis=-1).sum())
            return (
                f"Solutions: {count} targets, {k} postures each; {reached} in reach, "
                f"{usable} within the joint limits"
            )
        lines = [
            f"  {name}: {', '.join(angles)} deg ({reason})"
            for name, angles, reason in self._rows()
            if "nan" not in angles
        ]
        return "\n".join([self._headline(), *lines])

    def _repr_html_(self) -> str:
        if self.reachable.size != 1:
            return card(repr(self))
        rows = [(name, *angles, reason) for name, angles, reason in self._rows()]
        joints = [f"q{i + 1} [deg]" for i in range(self.q.shape[-1])]
        return card(self._headline(), columns=("branch", *joints, "may it be used"), rows=rows)

    def _rows(self) -> Iterator[tuple[str, list[str], str]]:
        """Yield of the postures of one target the name, the angles [deg] and the reason."""
        elbows = np.broadcast_to(self.elbow, self.valid.shape).reshape(-1)
        degrees = np.degrees(self.q.reshape(len(self.branch), -1))
        rows = zip(self.branch, elbows, degrees, self.reason.reshape(-1), strict=True)
        for name, side, posture, reason in rows:
            angles = [f"{angle:.6g}" for angle in posture]
            yield f"{name}, elbow {side}" if side else name, angles, reason

    def _headline(self) -> str:
        if not self.reachable.all():
            x, y = self.nearest.reshape(2)
            short = f"{self.shortfall.item():.6g} m"
            return f"Solutions: out of reach by {short}, nearest ({x:.6g}, {y:.6g})"
        free = f", {len(self.branch)} of infinitely many" if self.continuum.all() else ""
        return f"Solutions: in reach{free}"

"""Equilibria of an arm under constant torques, and whether they are stable.

At rest the links feel one another only through the torques of their motors: in link angles
G_i − pull_i = R_i cos(φ_i − ψ_i) has to equal Q_i = τ_i − τ_{i+1}, an equation of φ_i alone. It
has two solutions, ψ_i ± arccos(Q_i / R_i), or none, so an arm of n links has 2ⁿ equilibria in
closed form, or none. Constant torques and a constant force have a potential: an equilibrium is
stable where it has a minimum, that is with the lower sign at every link.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ulna.angles import absolute_to_relative
from ulna.arm import Arm, Parameters, parameters_of
from ulna.arm.parameters import allowed, into_window
from ulna.arrays import Array, float_array
from ulna.dynamics import chain
from ulna.dynamics.equations_of_motion import linearise
from ulna.errors import InputError, Problem, shown
from ulna.kinematics.forward_kinematics import joint_array

MOST_LINKS = 10  # 1,024 equilibria
ROUNDING = 1e-12  # of the largest of its kind: less is as good as nothing
SWINGS = 1e-7  # of an eigenvalue, to the side: two that are equal part so far by rounding


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """One equilibrium of an arm.

    Attributes
    ----------
    q : ndarray, shape (n,)
        Joint angles [rad], each in the turn around the middle of its joint's range.
    eigenvalues : ndarray, shape (2n,)
        Of the linearised arm [1/s].
    kind : str
        "focus" or "node" where the arm returns after a small disturbance, swinging or not,
        "centre" where it swings on for want of damping, "saddle" where it falls away, and
        "degenerate" where a link rests in no particular place or a stable and an unstable
        equilibrium meet.
    within_limits : bool
        Whether all joints are within their limits.
    """

    q: Array
    eigenvalues: Array
    kind: str
    within_limits: bool

    @property
    def stable(self) -> bool:
        """Whether the arm stays near after a small disturbance."""
        return self.kind in ("focus", "node", "centre")


@dataclass(frozen=True, slots=True)
class Equilibria:
    """All equilibria of an arm under constant torques, the stable ones first: a sequence.

    Attributes
    ----------
    found : tuple of Equilibrium
        The equilibria.
    reason : str
        Why there are none, if there are none.
    """

    found: tuple[Equilibrium, ...]
    reason: str = ""

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Equilibrium]:
        return iter(self.found)

    def __getitem__(self, index: int) -> Equilibrium:
        return self.found[index]


class _LinkEquilibrium(NamedTuple):
    """One angle at which a link angles: +1 stable, −1 unstable, 0 neither."""

    phi: float
    sign: int


def equilibria(arm: Arm | Parameters, tau: Array, *, tip_force: Array | None = None) -> Equilibria:
    """Return every equilibrium of one arm under constant torques.

    Parameters
    ----------
    arm : Arm or Parameters
        One arm, of at most ten links.
    tau : array_like, shape (n,)
        Joint torques [N·m].
    tip_force : array_like, shape (2,) or (3,), optional
        Force on the tip [N], or with a moment [N·m]; it acts on the arm and keeps its direction.

    Returns
    -------
    Equilibria
        2ⁿ of them in closed form, or none.

    Raises
    ------
    InputError
        If the arm is a batch or has too many links, or a value is not a finite number.

    Examples
    --------
    >>> import ulna
    >>> [one.kind for one in equilibria(ulna.preset("bechard-1"), [4.0])]
    ['focus', 'saddle']
    """
    p = Parameters(*map(float_array, parameters_of(arm)))
    tau = joint_array(np, p, float_array(tau), "tau")
    pull = np.zeros(2) if tip_force is None else chain.force_array(np, float_array(tip_force))
    _check(p, tau, pull)
    angles = _link_equilibria(p, tau, pull)
    stuck = [str(link + 1) for link, options in enumerate(angles) if not options]
    if stuck:
        links = f"link{'s' * (len(stuck) > 1)} {', '.join(stuck)}"
        return Equilibria((), f"the torques on {links} are more than the weight can balance")
    choices = itertools.product(*angles)
    found = [_equilibrium(p, tau, pull, choice) for choice in choices]
    return Equilibria(tuple(sorted(found, key=lambda one: not one.stable)))


def _check(p: Parameters, tau: Array, pull: Array) -> None:
    for what, values in (("arm", p.length), ("tau", tau), ("tip_force", pull)):
        if values.ndim > 1:
            got, need = f"shape {tuple(values.shape)}", "one arm, one set of torques, one force"
            raise InputError(Problem(what, got, need, "go through a batch one by one"))
    for what, values in (("tau", tau), ("tip_force", pull)):
        if not np.isfinite(values).all():
            raise InputError(Problem(what, shown(values.tolist()), "finite numbers"))
    if p.n > MOST_LINKS:
        got, need = f"{p.n} links, that is 2^{p.n} postures", f"at most {MOST_LINKS} links"
        hint = "combine the angles of the single links yourself"
        raise InputError(Problem("equilibria", got, need, hint))


def _link_equilibria(p: Parameters, tau: Array, pull: Array) -> list[list[_LinkEquilibrium]]:
    """Return for each link the angles at which it is in equilibrium."""
    force, moment = pull[:2], pull[2:]
    flat, upright = (chain.link_posture(np, p, np.full(p.n, phi)) for phi in (0.0, 0.5 * math.pi))
    # With gravity and force, f(φ) = f(0) cos φ + f(π/2) sin φ; a moment adds the same at every φ.
    cosine, sine = (chain.weight(at) - chain.tip_pull(at, force) for at in (flat, upright))
    wanted = chain.to_links(np, tau)
    wanted[-1] += np.sum(moment)
    weight = np.hypot(*p.gravity) * np.hypot(flat.moment_x, flat.moment_y)
    scale = weight + p.length * np.hypot(*force)
    rows = zip(wanted, np.hypot(cosine, sine), np.arctan2(sine, cosine), scale, strict=True)
    return [_solved(*map(float, row)) for row in rows]


def _solved(wanted: float, size: float, middle: float, scale: float) -> list[_LinkEquilibrium]:
    """Solve size cos(φ − middle) = wanted, where size is what terms as large as scale leave."""
    if size <= ROUNDING * scale:
        return [_LinkEquilibrium(0.0, 0)] if abs(wanted) <= ROUNDING * scale else []
    if abs(wanted) > size * (1.0 + ROUNDING):
        return []
    if abs(wanted) >= size * (1.0 - ROUNDING):
        return [_LinkEquilibrium(middle if wanted > 0.0 else middle + math.pi, 0)]
    aside = math.acos(wanted / size)
    return [_LinkEquilibrium(middle - aside, 1), _LinkEquilibrium(middle + aside, -1)]


def _equilibrium(
    p: Parameters, tau: Array, pull: Array, angles: tuple[_LinkEquilibrium, ...]
) -> Equilibrium:
    q = into_window(p, absolute_to_relative(np.array([one.phi for one in angles])))
    state, _ = linearise(p, q, np.zeros(p.n), tau, tip_force=pull)
    eigenvalues = np.linalg.eigvals(state)
    kind = _kind([one.sign for one in angles], eigenvalues, damped=bool(np.any(p.damping)))
    return Equilibrium(q, eigenvalues, kind, bool(allowed(p, q).all()))


def _kind(signs: list[int], eigenvalues: Array, *, damped: bool) -> str:
    if -1 in signs:
        return "saddle"
    if 0 in signs:
        return "degenerate"
    sizes = np.abs(eigenvalues)
    swinging = np.abs(eigenvalues.imag) > SWINGS * sizes
    if not damped or np.any(swinging & (eigenvalues.real > -ROUNDING * sizes)):
        return "centre"
    return "focus" if swinging.any() else "node"

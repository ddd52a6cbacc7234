"""Where an arm comes to rest under constant torques, and whether it stays there.

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
from ulna.arrays import Array, float_array
from ulna.dynamics import algebra, chain
from ulna.dynamics.linearisation import linearise
from ulna.errors import InputError, Problem, shown
from ulna.kinematics.forward_kinematics import joint_array
from ulna.kinematics.limits import allowed, into_window

MOST_LINKS = 10  # 1,024 equilibria
ROUNDING = 1e-12  # of the largest of its kind: less is as good as nothing
SWINGS = 1e-7  # of an eigenvalue, to the side: two that are equal part so far by rounding


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """One posture of rest.

    `kind` is "focus" or "node" where the arm returns after a small push, swinging or not,
    "centre" where it swings on for want of damping, "saddle" where it falls away, and
    "degenerate" where a link rests in no particular place or a stable and an unstable posture
    meet.
    """

    q: Array  # (n,) [rad], each in the turn around the middle of its joint's range
    eigenvalues: Array  # (2n,) [1/s] of the linearised arm
    kind: str
    within_limits: bool

    @property
    def stable(self) -> bool:
        """Whether the arm stays near after a small push."""
        return self.kind in ("focus", "node", "centre")


@dataclass(frozen=True, slots=True)
class Equilibria:
    """All postures of rest, the stable ones first; `reason` says why there are none."""

    found: tuple[Equilibrium, ...]
    reason: str = ""

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Equilibrium]:
        return iter(self.found)

    def __getitem__(self, index: int) -> Equilibrium:
        return self.found[index]


class _Rest(NamedTuple):
    """One angle at which a link rests: +1 stable, −1 unstable, 0 neither."""

    phi: float
    sign: int


def equilibria(arm: Arm | Parameters, tau: Array, *, tip_force: Array | None = None) -> Equilibria:
    """Find every posture in which constant torques tau (n,) hold one arm still.

    The tip force, (2,) or with a moment (3,), acts on the arm and keeps its direction.

    >>> import ulna
    >>> [rest.kind for rest in equilibria(ulna.preset("bechard-1"), [4.0])]
    ['focus', 'saddle']
    """
    p = Parameters(*map(float_array, parameters_of(arm)))
    tau = joint_array(np, p, float_array(tau), "tau")
    pull = np.zeros(2) if tip_force is None else chain.force_array(np, float_array(tip_force))
    _check(p, tau, pull)
    rests = _link_rests(p, tau, pull)
    stuck = [str(link + 1) for link, options in enumerate(rests) if not options]
    if stuck:
        links = f"link{'s' * (len(stuck) > 1)} {', '.join(stuck)}"
        return Equilibria((), f"the torques on {links} are more than the weight can balance")
    choices = itertools.product(*rests)
    found = [_equilibrium(p, tau, pull, choice) for choice in choices]
    return Equilibria(tuple(sorted(found, key=lambda rest: not rest.stable)))


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


def _link_rests(p: Parameters, tau: Array, pull: Array) -> list[list[_Rest]]:
    """Return for each link the angles at which it rests."""
    force, moment = pull[:2], pull[2:]
    flat, upright = (chain.link_posture(np, p, np.full(p.n, phi)) for phi in (0.0, 0.5 * math.pi))
    # With gravity and force, f(φ) = f(0) cos φ + f(π/2) sin φ; a moment adds the same at every φ.
    cosine, sine = (chain.weight(at) - chain.tip_pull(at, force) for at in (flat, upright))
    wanted = algebra.to_links(np, tau)
    wanted[-1] += np.sum(moment)
    weight = np.hypot(*p.gravity) * np.hypot(flat.moment_x, flat.moment_y)
    scale = weight + p.length * np.hypot(*force)
    rows = zip(wanted, np.hypot(cosine, sine), np.arctan2(sine, cosine), scale, strict=True)
    return [_rests(*map(float, row)) for row in rows]


def _rests(wanted: float, size: float, middle: float, scale: float) -> list[_Rest]:
    """Solve size cos(φ − middle) = wanted, where size is what terms as large as scale leave."""
    if size <= ROUNDING * scale:
        return [_Rest(0.0, 0)] if abs(wanted) <= ROUNDING * scale else []
    if abs(wanted) > size * (1.0 + ROUNDING):
        return []
    if abs(wanted) >= size * (1.0 - ROUNDING):
        return [_Rest(middle if wanted > 0.0 else middle + math.pi, 0)]
    aside = math.acos(wanted / size)
    return [_Rest(middle - aside, 1), _Rest(middle + aside, -1)]


def _equilibrium(p: Parameters, tau: Array, pull: Array, rests: tuple[_Rest, ...]) -> Equilibrium:
    q = into_window(p, absolute_to_relative(np.array([rest.phi for rest in rests])))
    state, _ = linearise(p, q, np.zeros(p.n), tau, tip_force=pull)
    eigenvalues = np.linalg.eigvals(state)
    kind = _kind([rest.sign for rest in rests], eigenvalues, damped=bool(np.any(p.damping)))
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

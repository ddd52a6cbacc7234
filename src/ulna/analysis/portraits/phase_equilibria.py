"""Where a joint rests: equilibria, and with dry friction the sticking set.

Near an equilibrium (θ − θ₀, θ̇) obeys a matrix with trace T and determinant D. Its eigenvalues λ
solve λ² − Tλ + D = 0: a saddle if D < 0, else a focus if they are complex and a node if not,
stable where T < 0; with T = 0 a centre. The eigenvectors are (1, λ): orbits leave a saddle along
the positive λ and come to it along the negative one.

Static friction f_s holds the joint wherever |τ − G(θ)| ≤ f_s: every angle of such an interval is an
equilibrium, and a joint whose speed becomes zero there stays. At an end of it the torque is just
balanced by f_s in full. Where it drives the joint away, the end is a saddle of the flow on that
side of θ̇ = 0 (the slope of friction is zero there), with one orbit into it and one out of it. They
are the separatrices, with the orbit that comes to rest there from the other side. Equilibria of the
joint without dry friction lie inside of the intervals, and have none: an upright joint is held.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ulna.analysis.portraits.flow import TURN, Flow
from ulna.arrays import Array, freeze
from ulna.dynamics import gravity_torque
from ulna.dynamics.statics import equilibria

POINTS = 1000  # of a turn, at which the sign of the acceleration is looked at
NOTHING = 1e-12  # [rad] that an angle is known to
SEAM = -math.pi + 0.1234  # [rad] where a turn is begun
STILL = 1e-12  # of the largest acceleration: less is none
ROUNDING = 1e-9  # of a frequency squared: less is as good as nothing
EDGE = 1e-9  # [rad] beside an end that is still the end


@dataclass(frozen=True, slots=True)
class PhaseEquilibrium:
    """One equilibrium of a joint in the phase plane.

    Attributes
    ----------
    angle : float
        Where it is [rad].
    kind : str
        "stable focus", "unstable node", "saddle", "centre", "degenerate" and so on.
    eigenvalues : ndarray, shape (2,)
        Of the linearised joint [1/s].
    """

    angle: float
    kind: str
    eigenvalues: Array

    @property
    def stable(self) -> bool:
        """Whether the joint stays near after a small disturbance."""
        return self.kind.startswith("stable") or self.kind == "centre"

    @property
    def saddle(self) -> bool:
        """Whether orbits come to it from two sides and leave it to two others."""
        return self.kind == "saddle"

    def rate(self, *, leaving: bool) -> float:
        """Return the eigenvalue with which orbits leave a saddle, or come to it.

        Parameters
        ----------
        leaving : bool
            Whether they leave it.

        Returns
        -------
        float
            λ [1/s], positive for orbits that leave.
        """
        return float((max if leaving else min)(self.eigenvalues.real))


def find_phase_equilibria(flow: Flow, angles: tuple[float, float]) -> tuple[PhaseEquilibrium, ...]:
    """Return the equilibria of one turn, or on a law that counts turns those between two angles.

    They are those without dry friction, where torque and weight balance.
    """
    if flow.constant is not None:
        found = equilibria(flow.smooth, np.array([flow.constant]))
        places = [math.remainder(float(equilibrium.q[0]), TURN) for equilibrium in found]
    else:
        # Where a turn begins and ends there should be no equilibrium, which could be missed.
        low, high = (SEAM, SEAM + TURN) if flow.cylinder else angles
        places = [math.remainder(x, TURN) if flow.cylinder else x for x in _zeros(flow, low, high)]
    # What rounding leaves of a zero is a zero.
    whole = [0.0 if abs(place) < NOTHING else place for place in places]
    return tuple(equilibrium_at(flow, place) for place in sorted(whole))


def _zeros(flow: Flow, low: float, high: float, torque: float = 0.0) -> list[float]:
    """Return the angles at which the joint does not start to move, were there a torque more."""
    from scipy.optimize import brentq

    grid = np.linspace(low, high, math.ceil(POINTS * (high - low) / TURN) + 1)
    more = torque / flow.inertia
    values = flow.smooth_acceleration(grid) + more
    flat = np.abs(values) <= STILL * (
        flow.peak_gravity_torque / flow.inertia + np.max(np.abs(values))
    )
    found = [float(np.mean(grid[first:last])) for first, last in _stretches(flat)]
    for k in np.flatnonzero((values[1:] * values[:-1] < 0.0) & ~flat[1:] & ~flat[:-1]):
        ends = grid[k], grid[k + 1]
        place = brentq(lambda angle: float(flow.smooth_acceleration(angle)) + more, *ends)
        found.append(float(place))
    return found


def _stretches(flat: Array) -> list[tuple[int, int]]:
    """Return where a law holds the joint wherever it is: ends of each stretch.

    >>> _stretches(np.array([False, True, True, False, True]))
    [(1, 3), (4, 5)]
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flat.astype(int), [0]])))
    return [(int(first), int(last)) for first, last in edges.reshape(-1, 2)]


def equilibrium_at(flow: Flow, angle: float) -> PhaseEquilibrium:
    """Return what an angle is to a joint whose torques balance there: its matrix says."""
    matrix = flow.jacobian(angle)
    trace, determinant = float(np.trace(matrix)), float(np.linalg.det(matrix))
    if abs(determinant) <= ROUNDING * flow.natural_frequency**2:
        determinant = 0.0
    bend = trace**2 - 4.0 * determinant
    if abs(bend) <= ROUNDING * trace**2:
        bend = 0.0  # two that are equal would part by the root of the rounding
    aside = np.emath.sqrt(bend)
    eigenvalues = 0.5 * np.array([trace + aside, trace - aside], dtype=complex)
    freeze(eigenvalues)
    return PhaseEquilibrium(angle, kind_of(trace, determinant, flow.natural_frequency), eigenvalues)


def kind_of(trace: float, determinant: float, frequency: float) -> str:
    """Name an equilibrium by trace and determinant of its matrix.

    >>> kind_of(-0.2, 9.81, 3.1), kind_of(-0.2, -9.81, 3.1), kind_of(-9.0, 1.0, 3.1)
    ('stable focus', 'saddle', 'stable node')
    """
    if abs(determinant) <= ROUNDING * frequency**2:
        return "degenerate"
    if determinant < 0.0:
        return "saddle"
    if abs(trace) <= ROUNDING * frequency:
        return "centre"
    shape = "focus" if trace**2 * (1.0 + ROUNDING) < 4.0 * determinant else "node"
    return f"{'stable' if trace < 0.0 else 'unstable'} {shape}"


@dataclass(frozen=True, slots=True)
class StickingInterval:
    """Angles at which friction holds the joint at rest: an attractor of its own.

    Attributes
    ----------
    lower : float
        The least angle [rad].
    upper : float
        The largest angle [rad]; on the cylinder at most a turn more.
    kind : str
        What becomes of a joint at rest just outside. "stable": it comes back to the interval from
        both sides. "unstable": it leaves to both sides, as from around an upright. "half-stable":
        it comes from one side and leaves to the other. "everywhere": friction holds at every angle.
    holds : tuple of PhaseEquilibrium
        The equilibria of the joint without dry friction that are in it.
    """

    lower: float
    upper: float
    kind: str
    holds: tuple[PhaseEquilibrium, ...]

    @property
    def stable(self) -> bool:
        """Whether a joint at rest anywhere near sticks within the interval."""
        return self.kind in ("stable", "everywhere")

    def contains(self, angle: Array, *, cylinder: bool = True) -> Array:
        """Return whether angles are within the interval.

        Parameters
        ----------
        angle : ndarray, shape (...)
            Angles [rad].
        cylinder : bool, optional
            Whether a turn more makes no difference.

        Returns
        -------
        ndarray of bool, shape (...)
            Ends are within, to rounding errors.
        """
        away = np.asarray(angle) - self.lower + EDGE
        away = np.mod(away, TURN) if cylinder else away
        return np.asarray((away >= 0.0) & (away <= self.upper - self.lower + 2.0 * EDGE))


def find_sticking_set(flow: Flow, angles: tuple[float, float]) -> tuple[StickingInterval, ...]:
    """Return the intervals in which static friction holds the joint, of one turn or all that show.

    Their ends are where τ − G(θ) = ± f_s, in closed form under a constant torque.
    """
    if not flow.sticks:
        return ()
    if not flow.cylinder:
        low, high = angles[0] - TURN, angles[1] + TURN
    else:
        low, high = SEAM, SEAM + TURN
    balanced = find_phase_equilibria(flow, (low, high))
    ends = sorted(_interval_ends(flow, low, high))
    if flow.cylinder:
        edges = [*ends, ends[0] + TURN] if ends else [low, high]
    else:
        edges = [low, *ends, high]
    pieces = list(pairwise(edges))
    held = [flow.release(0.5 * (first + last)) == 0 for first, last in pieces]
    found = [
        _interval(flow, first, last, balanced)
        for first, last in _merged(pieces, held, cylinder=flow.cylinder)
    ]
    left, right = (-math.inf, math.inf) if flow.cylinder else angles
    return tuple(sorted((one for one in found if one.upper >= left and one.lower <= right),
                        key=lambda one: one.lower))  # fmt: skip


def _interval_ends(flow: Flow, low: float, high: float) -> list[float]:
    """Return the angles from low to high at which static friction just holds the joint."""
    static = flow.static_friction
    if flow.constant is None:
        return [x for more in (-static, static) for x in _zeros(flow, low, high, more)]
    level, upright = gravity_torque(flow.smooth, np.array([[0.0], [0.5 * math.pi]]))[:, 0]
    peak, at = flow.peak_gravity_torque, math.atan2(upright, level)
    needed = [flow.constant - static, flow.constant + static]
    asides = [math.acos(torque / peak) for torque in needed if abs(torque) < peak]
    angles = [at + side * aside for aside in asides for side in (1.0, -1.0)]
    return [low + math.fmod(angle - low + TURN, TURN) % TURN for angle in angles]


def _merged(
    pieces: list[tuple[float, float]], held: list[bool], *, cylinder: bool
) -> list[tuple[float, float]]:
    """Join the pieces in which the joint is held and that touch.

    >>> _merged([(0, 1), (1, 2), (2, 3), (3, 4)], [True, True, False, True], cylinder=False)
    [(0, 2), (3, 4)]
    """
    found: list[tuple[float, float]] = []
    for (first, last), holds in zip(pieces, held, strict=True):
        if not holds:
            continue
        if found and found[-1][1] == first:
            first = found.pop()[0]
        found.append((first, last))
    if cylinder and len(found) > 1 and found[-1][1] == found[0][0] + TURN:
        first, _ = found.pop()
        found[0] = (first - TURN, found[0][1])
    return found


def _interval(
    flow: Flow, lower: float, upper: float, balanced: tuple[PhaseEquilibrium, ...]
) -> StickingInterval:
    if flow.cylinder:
        turn = TURN * math.ceil((0.5 * (lower + upper) - math.pi) / TURN - EDGE)
        lower, upper = lower - turn, upper - turn
        if upper - lower > TURN - EDGE:
            return StickingInterval(-math.pi, math.pi, "everywhere", balanced)
    # Just outside it the joint starts upwards or downwards.
    leaves = [float(flow.net_torque(lower)) < 0.0, float(flow.net_torque(upper)) > 0.0]
    kind = "half-stable" if leaves[0] != leaves[1] else "unstable" if leaves[0] else "stable"
    found = StickingInterval(lower, upper, kind, ())
    inside = [one for one in balanced if found.contains(one.angle, cylinder=flow.cylinder)]
    return replace(found, holds=tuple(inside))


def leaving_ends(
    flow: Flow, intervals: tuple[StickingInterval, ...]
) -> list[tuple[PhaseEquilibrium, int]]:
    """Return the ends at which a joint leaves its sticking interval, and in which direction.

    Each is a saddle of the flow on its side of zero speed.
    """
    ends = [
        (angle, side)
        for one in intervals
        if one.kind != "everywhere"
        for angle, side in ((one.upper, 1), (one.lower, -1))
        if side * float(flow.net_torque(angle)) > 0.0
    ]
    found = [(equilibrium_at(flow, angle), side) for angle, side in ends]
    return [(end, side) for end, side in found if end.saddle]

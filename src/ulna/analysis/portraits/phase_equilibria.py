"""Where the joint stays: equilibria, of which kind they are, and how motion leaves them.

Near an equilibrium (θ − θ₀, θ̇) obeys a matrix with trace T and determinant D. Its eigenvalues λ
solve λ² − Tλ + D = 0: a saddle if D < 0, else a focus if they are complex and a node if not,
stable where T < 0; with T = 0 a centre. The eigenvectors are (1, λ): orbits leave a saddle along
the positive λ and come to it along the negative one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ulna.analysis.portraits.flow import TURN, Flow
from ulna.arrays import Array
from ulna.dynamics import equilibria

POINTS = 1000  # of a turn, at which the sign of the acceleration is looked at
NOTHING = 1e-12  # [rad] that an angle is known to
SEAM = -math.pi + 0.1234  # [rad] where a turn is begun
STILL = 1e-12  # of the largest acceleration: less is none
ROUNDING = 1e-9  # of a frequency squared: less is as good as nothing


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
    """Return the equilibria of one turn, or on a law that counts turns those between two angles."""
    if flow.constant is not None:
        found = equilibria(flow.free, np.array([flow.constant]))
        places = [math.remainder(float(equilibrium.q[0]), TURN) for equilibrium in found]
    else:
        # Where a turn begins and ends there should be no equilibrium, which could be missed.
        low, high = (SEAM, SEAM + TURN) if flow.cylinder else angles
        places = [math.remainder(x, TURN) if flow.cylinder else x for x in _zeros(flow, low, high)]
    # What rounding leaves of a zero is a zero.
    whole = [0.0 if abs(place) < NOTHING else place for place in places]
    return tuple(_equilibrium(flow, place) for place in sorted(whole))


def _zeros(flow: Flow, low: float, high: float) -> list[float]:
    """Return the angles at which the joint does not start to move."""
    from scipy.optimize import brentq

    grid = np.linspace(low, high, math.ceil(POINTS * (high - low) / TURN) + 1)
    values = flow.acceleration(grid, 0.0)
    flat = np.abs(values) <= STILL * (
        flow.peak_gravity_torque / flow.inertia + np.max(np.abs(values))
    )
    found = [float(np.mean(grid[first:last])) for first, last in _stretches(flat)]
    for k in np.flatnonzero((values[1:] * values[:-1] < 0.0) & ~flat[1:] & ~flat[:-1]):
        place = brentq(lambda angle: float(flow.acceleration(angle, 0.0)), grid[k], grid[k + 1])
        found.append(float(place))
    return found


def _stretches(flat: Array) -> list[tuple[int, int]]:
    """Return where a law holds the joint wherever it is: ends of each stretch.

    >>> _stretches(np.array([False, True, True, False, True]))
    [(1, 3), (4, 5)]
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flat.astype(int), [0]])))
    return [(int(first), int(last)) for first, last in edges.reshape(-1, 2)]


def _equilibrium(flow: Flow, angle: float) -> PhaseEquilibrium:
    matrix = flow.jacobian(angle)
    trace, determinant = float(np.trace(matrix)), float(np.linalg.det(matrix))
    if abs(determinant) <= ROUNDING * flow.natural_frequency**2:
        determinant = 0.0
    bend = trace**2 - 4.0 * determinant
    if abs(bend) <= ROUNDING * trace**2:
        bend = 0.0  # two that are equal would part by the root of the rounding
    aside = np.emath.sqrt(bend)
    eigenvalues = 0.5 * np.array([trace + aside, trace - aside], dtype=complex)
    eigenvalues.flags.writeable = False
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

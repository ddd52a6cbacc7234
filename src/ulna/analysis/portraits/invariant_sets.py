"""What a portrait is built around: equilibria, separatrices, nullclines, running solutions.

Near an equilibrium (θ − θ₀, θ̇) obeys a matrix with trace T and determinant D. Its eigenvalues λ
solve λ² − Tλ + D = 0: a saddle if D < 0, else a focus if they are complex and a node if not,
stable where T < 0; with T = 0 a centre. The eigenvectors are (1, λ): orbits leave a saddle along
the positive λ and come to it along the negative one. These orbits, the separatrices, part what
comes to rest from what goes on.

The running solution turns for ever, and every turn is like the one before: on the cylinder it is
a closed orbit, a limit cycle. With P(ω) the speed after a turn that begins with ω at some angle, it
is where P(ω) = ω. A turn takes T = ∮ dθ/ω; over time the mean speed is 2π/T, over the angle
∮ ω dθ / 2π. A small error of ω is multiplied by P′ = exp(∫ ∂θ̈/∂ω dt) each turn, which is
exp(−b T/M) where only friction depends on the speed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ulna.analysis.portraits.flow import TURN, Flow, OrbitSegment
from ulna.arrays import Array, freeze
from ulna.dynamics.statics import equilibria

POINTS = 1000  # of a turn, at which the sign of the acceleration is looked at
NOTHING = 1e-12  # [rad] that an angle is known to
SEAM = -math.pi + 0.1234  # [rad] where a turn is begun
STILL = 1e-12  # of the largest acceleration: less is none
ROUNDING = 1e-9  # of a frequency squared: less is as good as nothing
ASIDE = 1e-6  # [rad] from the saddle, where an orbit is still straight
BESIDE = 1e-3  # [rad] from a degenerate equilibrium
CREEPING = 1.2  # b/(M ω) above which nothing runs that could also rest; the limit is 1.19
SAMPLES = 3001
SHORTEST, LONGEST = 5.0, 20.0  # [rad] of small swings that an orbit is followed for
GRID = 401  # along each side of the grid
RUNNING_SAMPLES = 4097
DOUBLINGS = 40
NUDGE = 1e-5  # of a speed


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


def nullclines(
    flow: Flow, angles: tuple[float, float], speeds: tuple[float, float]
) -> tuple[Array, ...]:
    """Return the curves (k, 2) of angle and speed on which θ̈ = 0.

    The other nullcline, on which θ̇ = 0, is the axis of angles.
    """
    from contourpy import contour_generator

    x, y = np.linspace(*angles, GRID), np.linspace(*speeds, GRID)
    values = flow.acceleration(x, y[:, None])
    found = contour_generator(x, y, values).lines(0.0)
    lines = [np.asarray(line, dtype=float) for line in found]
    freeze(*lines)
    return tuple(lines)


@dataclass(frozen=True, eq=False, slots=True)
class Separatrix:
    """One of the four orbits that begin or end in a saddle.

    Attributes
    ----------
    saddle : PhaseEquilibrium
        Where it ends or begins.
    incoming : bool
        Whether it ends there.
    side : int
        1 where it leaves or comes at larger angles, −1 at smaller ones.
    segment : OrbitSegment
        The orbit as far as it is followed.
    """

    saddle: PhaseEquilibrium
    incoming: bool
    side: int
    segment: OrbitSegment


def find_separatrices(
    flow: Flow, equilibria: tuple[PhaseEquilibrium, ...], fastest: float
) -> tuple[Separatrix, ...]:
    """Return the separatrices of all saddles, as far as they are slower than `fastest` [rad/s]."""
    return tuple(
        _separatrix(flow, equilibrium, side, fastest, incoming=incoming)
        for equilibrium in equilibria
        if equilibrium.saddle
        for incoming in (True, False)
        for side in (1, -1)
    )


def _separatrix(
    flow: Flow, saddle: PhaseEquilibrium, side: int, fastest: float, *, incoming: bool
) -> Separatrix:
    rate = saddle.rate(leaving=not incoming)
    decay = max(flow.damping / flow.inertia, 1e-3 * flow.natural_frequency)
    longest = min(
        max(8.0 / decay, SHORTEST / flow.natural_frequency), LONGEST / flow.natural_frequency
    )
    segment = flow.segment(
        saddle.angle + side * ASIDE,
        side * ASIDE * rate,
        math.log(1.0 / ASIDE) / abs(rate) + longest,
        SAMPLES,
        until=f"abs(qd1) > {fastest!r}",
        backwards=incoming,
    )
    return Separatrix(saddle, incoming, side, segment)


def launch(equilibrium: PhaseEquilibrium, side: int) -> tuple[float, float]:
    """Return the state in which an orbit has just left a saddle, or a degenerate equilibrium."""
    if equilibrium.saddle:
        return equilibrium.angle + side * ASIDE, side * ASIDE * equilibrium.rate(leaving=True)
    return equilibrium.angle + side * BESIDE, 0.0


def tops(flow: Flow, equilibria: tuple[PhaseEquilibrium, ...]) -> list[PhaseEquilibrium]:
    """Return the equilibria that a running joint has to pass: saddles, or degenerate ones."""
    if any(equilibrium.saddle for equilibrium in equilibria):
        return [equilibrium for equilibrium in equilibria if equilibrium.saddle]
    return [
        equilibrium
        for equilibrium in equilibria
        if equilibrium.kind == "degenerate" and flow.peak_gravity_torque
    ]


def landing(flow: Flow, equilibrium: PhaseEquilibrium, side: int) -> float | None:
    """Return the speed [rad/s] with which an orbit from a saddle passes the next, a turn on.

    None if it does not get so far.
    """
    if (
        flow.constant is not None
        and flow.damping > CREEPING * flow.inertia * flow.natural_frequency
    ):
        # So much friction has forgotten the energy of the last turn before the next top.
        return None
    _, angle, speed = flow.end(*launch(equilibrium, side), passing(flow, equilibrium.angle, side))
    far = side * (angle - equilibrium.angle) > TURN * (1.0 - 1e-9)
    return speed if far and side * speed > 0.0 else None


def passing(flow: Flow, angle: float, side: int) -> str:
    """Return the condition that a joint has made a turn from an angle, or will not make it."""
    end = angle + side * TURN
    ways = [f"{side} * (q1 - {end!r})", f"-{side} * qd1"]
    if flow.constant is not None:
        # Less energy than at the end of the turn, which friction does not give back.
        top = float(flow.energy(angle, 0.0)) - flow.constant * end
        ways.append(f"{top!r} - ({0.5 * flow.inertia!r} * qd1**2 + {flow.potential})")
    return f"max({', '.join(ways)}) > 0"


@dataclass(frozen=True, eq=False, slots=True)
class RunningSolution:
    """The running solution: a limit cycle of the cylinder, turn after turn the same.

    Attributes
    ----------
    direction : int
        1 counter-clockwise, −1 clockwise.
    period : float
        Of a turn [s].
    mean : float
        Mean speed over time [rad/s].
    mean_over_angle : float
        Mean speed over the angle [rad/s].
    slowest : float
        The least speed [rad/s].
    fastest : float
        The largest speed [rad/s].
    multiplier : float
        Floquet multiplier of a small error in a turn; it dies out if that is less than one.
    segment : OrbitSegment
        One turn.
    """

    direction: int
    period: float
    mean: float
    mean_over_angle: float
    slowest: float
    fastest: float
    multiplier: float
    segment: OrbitSegment


def find_running_solutions(
    flow: Flow, equilibria: tuple[PhaseEquilibrium, ...]
) -> tuple[RunningSolution, ...]:
    """Return the running solutions that attract, one for each direction at most."""
    if not flow.cylinder or (flow.constant is not None and not flow.damping):
        return ()
    found = []
    for direction in (1, -1):
        start = _lowest(flow, equilibria, direction)
        if start is not None:
            speed = _fixed_point(flow, start[0], direction, start[1])
            if speed is not None:
                found.append(_measured(flow, start[0], direction, speed))
    return tuple(found)


def _lowest(
    flow: Flow, equilibria: tuple[PhaseEquilibrium, ...], direction: int
) -> tuple[float, float] | None:
    """Return an angle and a speed there that is below the running solution, if there is one."""
    for equilibrium in tops(flow, equilibria):
        speed = landing(flow, equilibrium, direction)
        if speed is not None:
            return equilibrium.angle, abs(speed)
    angles = np.linspace(-math.pi, math.pi, 361)
    accelerations = direction * flow.acceleration(angles, 0.0)
    if equilibria or not (accelerations > 0.0).all():
        return None
    return float(angles[np.argmax(accelerations)]), 0.0


def _after_turn(flow: Flow, angle: float, direction: int, speed: float) -> float:
    return abs(flow.end(angle, direction * speed, passing(flow, angle, direction))[2])


def _fixed_point(flow: Flow, angle: float, direction: int, low: float) -> float | None:
    """Solve P(ω) = ω above a speed that grows."""
    from scipy.optimize import brentq

    def gain(speed: float) -> float:
        return _after_turn(flow, angle, direction, speed) - speed

    low = max(low, 1e-9 * flow.natural_frequency)
    high = 2.0 * max(low, flow.natural_frequency)
    for _ in range(DOUBLINGS):
        if gain(high) < 0.0:
            return float(brentq(gain, low, high, xtol=1e-13 * high, rtol=1e-14))
        low, high = high, 2.0 * high
    return None


def _measured(flow: Flow, angle: float, direction: int, speed: float) -> RunningSolution:
    period, *_ = flow.end(angle, direction * speed, passing(flow, angle, direction))
    segment = flow.segment(angle, direction * speed, period, RUNNING_SAMPLES)
    speeds = np.abs(segment.speed)
    low, high = _extremes(segment.t, speeds, direction * flow.acceleration(*segment[1:]))
    aside = NUDGE * speed
    ends = [_after_turn(flow, angle, direction, speed + side * aside) for side in (1.0, -1.0)]
    freeze(*segment)
    return RunningSolution(
        direction=direction,
        period=period,
        mean=direction * TURN / period,
        # The mean of a function over its period is that of its samples, to all digits.
        mean_over_angle=direction * float(np.mean(speeds[:-1] ** 2)) * period / TURN,
        slowest=low,
        fastest=high,
        multiplier=(ends[0] - ends[1]) / (2.0 * aside),
        segment=segment,
    )


def _extremes(t: Array, values: Array, slopes: Array) -> tuple[float, float]:
    """Return the least and the largest value of a curve (k,) with known slopes, between samples."""
    found = [float(np.min(values)), float(np.max(values))]
    for k in np.flatnonzero(slopes[1:] * slopes[:-1] < 0.0):
        step, part = t[k + 1] - t[k], slopes[k] / (slopes[k] - slopes[k + 1])
        # The slope is as good as straight over so short a piece.
        found.append(float(values[k] + 0.5 * slopes[k] * part * step))
    return min(found), max(found)

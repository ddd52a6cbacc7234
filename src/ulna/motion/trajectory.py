"""A motion: joint angles, rates and accelerations at any time, exact.

A timing law is σ(u), the part of the way at the part u of the duration, both from 0 to 1, with
exact derivatives. "uniform" counts the way in the path's own parameter, all others in length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ulna.actuation.friction import depends_on_direction, to_rest
from ulna.arm import Arm
from ulna.arrays import Array, float_array
from ulna.errors import InputError, Problem, did_you_mean, shown
from ulna.kinematics import tip, tip_acceleration, tip_velocity
from ulna.kinematics.inverse_kinematics import EXACT, ring
from ulna.motion.paths.curves import Cubics, Jet
from ulna.motion.paths.path import SAMPLE_PARAMETERS, Path
from ulna.motion.paths.points import check_times
from ulna.typing import ArrayLike, TimesLike

# A law of pieces also has `on(u, within)`, on the pieces of other parts (k,), or `reached(parts)`.
Law: TypeAlias = Callable[[Jet], Jet]
# Returns q, q̇ and q̈ (3, k, n) at times (k,) for points with two derivatives (3, k, 2).
Solver: TypeAlias = Callable[[Array, Array], Array]
# A ramp's way, at its jet, on the half that other parameters (k,) lie on.
Rise: TypeAlias = Callable[[Jet, Array], Jet]

RAMP = 0.25  # of the duration, in which a ramp gets to its speed
HALVINGS = 60
SIDE = 1e-8  # of the way to the middle of a piece, at which the joints are on its side
EVEN = ("uniform", "constant-speed")  # laws that are the time itself


@dataclass(frozen=True, eq=False)
class Timing:
    """A timing law: the part σ(u) of the way at the part u of the duration, both from 0 to 1.

    `plan` takes the built-in ones by name; `times` makes one from a table.

    Parameters
    ----------
    name : str
        Its name.
    law : callable
        Returns σ with two derivatives, of u as a jet.
    by_length : bool, optional
        Whether the way is counted in length, else in the path's own parameter.
    sharpness : float, optional
        Peak acceleration of a ramp over its mean; 0 without ramps.
    knots : tuple of float, optional
        Parts of the duration at which acceleration or jerk jumps.
    duration : float, optional
        The duration [s], if the law has one of its own.
    """

    name: str
    law: Law
    by_length: bool = True
    sharpness: float = 0.0
    knots: tuple[float, ...] = ()
    duration: float | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        if LAWS.get(self.name) is self:  # the built-in laws are known by what they are
            return read_timing, (self.name,)
        return Timing, tuple(getattr(self, one.name) for one in fields(self))

    def reached(self, parts: Array) -> Array:
        """Return when parts of the way are reached.

        Parameters
        ----------
        parts : ndarray, shape (k,)
            Parts of the way, from 0 to 1.

        Returns
        -------
        ndarray, shape (k,)
            Parts u of the duration.
        """
        if self.name in EVEN:
            return parts
        if hasattr(self.law, "reached"):
            return np.asarray(self.law.reached(parts))
        low, high = np.zeros_like(parts), np.ones_like(parts)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            early = self.law(Jet.variable(middle)).value < parts
            low, high = np.where(early, middle, low), np.where(early, high, middle)
        return high

    def edges(self, path: Path) -> Array:
        """Return the parts of the duration at which something may jump, the ends included.

        Parameters
        ----------
        path : Path
            The path that is timed.

        Returns
        -------
        ndarray, shape (k,)
            Parts u of the duration, from 0 to 1.
        """
        breaks = np.array(path.breaks)
        places = path.lengths.parts(breaks) if self.by_length else breaks
        return np.unique(np.concatenate([[0.0], self.reached(places), self.knots, [1.0]]))

    def points(self, path: Path, u: Array, within: Array | None = None) -> Array:
        """Return points of a path with derivatives by u.

        Parameters
        ----------
        path : Path
            The path that is timed.
        u : ndarray, shape (k,)
            Parts of the duration, from 0 to 1.
        within : ndarray, shape (k,), optional
            Parts of the duration: where something jumps, the limit from their side is returned.

        Returns
        -------
        ndarray, shape (3, k, d)
            Point, first and second derivative.
        """
        if self.name in EVEN:
            return self._rows(path, u, within)
        way = self._way(u, within)
        beside = None if within is None else np.clip(self._way(within, None).value, 0.0, 1.0)
        rows = self._rows(path, np.clip(way.value, 0.0, 1.0), beside)
        first, second = way.first[:, None], way.second[:, None]
        return np.stack([rows[0], rows[1] * first, rows[2] * first**2 + rows[1] * second])

    def _way(self, u: Array, within: Array | None) -> Jet:
        on = None if within is None else getattr(self.law, "on", None)
        return self.law(Jet.variable(u)) if on is None else on(Jet.variable(u), within)

    def _rows(self, path: Path, part: Array, within: Array | None) -> Array:
        if self.by_length:
            return path.along(part, within)
        return path.curve(part) if within is None else path.on(part, within)


def _uniform(u: Jet) -> Jet:
    return u


def _cubic(u: Jet) -> Jet:
    return u * u * (3.0 - 2.0 * u)


def _quintic(u: Jet) -> Jet:
    return u * u * u * (10.0 - 15.0 * u + 6.0 * u * u)


def _constant_acceleration(x: Jet, _within: Array) -> Jet:
    """Return the way of a ramp with even acceleration, from rest to speed 1 in the time 1."""
    return 0.5 * (x * x)


def _linear_acceleration(x: Jet, within: Array) -> Jet:
    """Return the same with an acceleration that rises and falls evenly."""
    back = 1.0 - x
    early, late = (2.0 / 3.0) * (x * x * x), x - 0.5 + (2.0 / 3.0) * (back * back * back)
    return _where(within < 0.5, early, late)


@dataclass(frozen=True, eq=False)
class Ramped:
    """The law that ramps up, runs on, and ramps down, `ramp` of the duration each."""

    ramp: float | Array  # one for all parts, or one each
    rise: Rise

    def __call__(self, u: Jet) -> Jet:
        """Return the part of the way."""
        return self.on(u, u.value)

    def on(self, u: Jet, within: Array) -> Jet:
        """Return the same on the pieces that other parts of the duration lie on."""
        ramp, speed = self.ramp, 1.0 / (1.0 - self.ramp)
        up = self.rise(u / ramp, within / ramp) * (speed * ramp)
        on = (u - 0.5 * ramp) * speed
        down = 1.0 - self.rise((1.0 - u) / ramp, (1.0 - within) / ramp) * (speed * ramp)
        return _where(within < ramp, up, _where(within <= 1.0 - ramp, on, down))


def _where(chosen: Array, one: Jet, other: Jet) -> Jet:
    return Jet(
        np.where(chosen, one.value, other.value),
        np.where(chosen, one.first, other.first),
        np.where(chosen, one.second, other.second),
    )


def ramps(name: str, ramp: float = RAMP) -> Timing:
    """Return a "trapezoid" of speed, or an "s-curve", with ramps of a part of the duration."""
    if name == "trapezoid":
        return Timing(
            name, Ramped(ramp, _constant_acceleration), sharpness=1.0, knots=(ramp, 1.0 - ramp)
        )
    knots = (0.5 * ramp, ramp, 1.0 - ramp, 1.0 - 0.5 * ramp)
    return Timing(name, Ramped(ramp, _linear_acceleration), sharpness=2.0, knots=knots)


_BUILT_IN = (
    (Timing("uniform", _uniform, by_length=False), "the path's parameter in proportion to time"),
    (Timing("constant-speed", _uniform), "the same speed all along"),
    (Timing("cubic", _cubic), "from rest to rest, the acceleration jumps at both ends"),
    (Timing("quintic", _quintic), "from rest to rest without any jump"),
    (ramps("trapezoid"), "even acceleration, even speed, even braking"),
    (ramps("s-curve"), "the same with an acceleration that rises and falls evenly"),
    (Timing("fastest", _uniform), "the shortest time that all limits of arm and tip allow"),
)
LAWS = {law.name: law for law, _ in _BUILT_IN}
DESCRIPTIONS = {law.name: text for law, text in _BUILT_IN}


def times(at: TimesLike, parts: ArrayLike | None = None) -> Timing:
    """Return the timing that passes parts of the length at given times.

    Parameters
    ----------
    at : array_like, shape (k,)
        Times [s] that increase.
    parts : array_like, shape (k,), optional
        Parts of the length, from 0 to 1, none smaller than the one before; even ones by default.

    Returns
    -------
    Timing
        To be passed to `plan` as `timing`.

    Raises
    ------
    InputError
        If there are fewer than two times, they do not increase, or the parts do not fit them.

    Examples
    --------
    >>> times([0.0, 1.0, 3.0], [0.0, 0.8, 1.0]).duration
    3.0
    """
    when = check_times(at, float_array(at, "timing times").size, "timing times")
    if len(when) < 2:
        raise InputError(Problem("timing times", shown(at), "at least two times [s]"))
    given = np.linspace(0.0, 1.0, len(when)) if parts is None else float_array(parts, "parts")
    fits = given.shape == when.shape and np.isfinite(given).all() and (np.diff(given) >= 0.0).all()
    if not fits or given[0] != 0.0 or given[-1] != 1.0:
        need = f"{len(when)} parts of the length, from 0 to 1, none smaller than the one before"
        raise InputError(Problem("timing parts", shown(parts), need))
    u = (when - when[0]) / (when[-1] - when[0])
    law = TabulatedLaw(_through(u, given), (when.tolist(), given.tolist()))
    return Timing("times", law, knots=tuple(u[1:-1].tolist()), duration=float(when[-1] - when[0]))


@dataclass(frozen=True, eq=False)
class TabulatedLaw:
    """A law through a table, by cubic pieces."""

    pieces: Cubics
    table: tuple[list[float], list[float]]  # times [s], and parts of the length that are reached

    def __call__(self, u: Jet) -> Jet:
        """Return the part of the way."""
        return self.on(u, u.value)

    def on(self, u: Jet, within: Array) -> Jet:
        """Return the same on the pieces that other parts of the duration lie on."""
        return u.through(*self.pieces.on(u.value, within))


def _through(u: Array, parts: Array) -> Cubics:
    """Return cubics through a table: smooth if they do not lead backwards anywhere."""
    from scipy.interpolate import CubicSpline, PchipInterpolator

    made: Any = CubicSpline(u, parts, bc_type="not-a-knot" if len(u) > 3 else "natural")
    if (made(np.linspace(0.0, 1.0, 20 * len(u)), 1) < 0.0).any():
        made = PchipInterpolator(u, parts)
    return Cubics.of(made)


def read_timing(given: Any) -> Timing:
    """Return a timing, by its name or as it is."""
    if isinstance(given, Timing):
        return given
    if not isinstance(given, str) or given not in LAWS:
        need = "one of " + ", ".join(LAWS)
        raise InputError(Problem("timing", shown(given), need, did_you_mean(str(given), LAWS)))
    return LAWS[given]


def plain_timing(given: str | Timing) -> str | dict[str, list[float]]:
    """Return a timing as plain values: its name, or the table of `times`."""
    if isinstance(given, str):
        return given
    if LAWS.get(given.name) is given:
        return given.name
    if not isinstance(given.law, TabulatedLaw):
        need = "a law by its name, or of ulna.motion.times, which can be written"
        raise InputError(Problem("timing", f"the law {given.name}", need))
    return dict(zip(("times", "parts"), given.law.table, strict=True))


def read_plain_timing(given: Any) -> str | Timing:
    """Return the timing that plain values describe."""
    if isinstance(given, str):
        return given
    if not isinstance(given, Mapping) or set(given) != {"times", "parts"}:
        raise InputError(Problem("timing", shown(given), "a name, or a table of times and parts"))
    return times(given["times"], given["parts"])


class JointMotion(NamedTuple):
    """Angles, rates and accelerations of the joints.

    Attributes
    ----------
    q : ndarray, shape (..., n)
        Joint angles [rad].
    qd : ndarray, shape (..., n)
        Joint rates [rad/s].
    qdd : ndarray, shape (..., n)
        Joint accelerations [rad/s²].
    """

    q: Array
    qd: Array
    qdd: Array


class TipMotion(NamedTuple):
    """Position, velocity and acceleration of the tip.

    Attributes
    ----------
    position : ndarray, shape (..., 2)
        Position x, y [m].
    velocity : ndarray, shape (..., 2)
        Velocity [m/s].
    acceleration : ndarray, shape (..., 2)
        Acceleration [m/s²].
    """

    position: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """A path in time, as an arm follows it: `trajectory(t)` returns q, q̇ and q̈.

    Before its start and after its end the arm stands still. Where the path is out of reach the
    values are NaN.

    Attributes
    ----------
    arm : Arm
        The arm that follows.
    path : Path
        The path.
    timing : Timing
        The timing law.
    duration : float
        How long it takes [s].
    solver : callable or None
        Computes the joints for points of the tip; None where the path is one of joints.

    Examples
    --------
    >>> import ulna
    >>> trajectory = ulna.plan(ulna.preset("kehl"), ulna.paths.loops()).trajectory
    >>> trajectory(0.0).q.round(4).tolist()
    [0.6311, 1.8795]
    """

    arm: Arm
    path: Path
    timing: Timing
    duration: float
    solver: Solver | None

    def __call__(self, t: TimesLike) -> JointMotion:
        """Return q, q̇ and q̈ (…, n) at times (…) [s]."""
        times = np.asarray(float_array(t, "t"), dtype=np.float64)
        return JointMotion(*self.rows(times.ravel()).reshape(3, *times.shape, self.arm.n))

    def rows(self, times: Array, within: Array | None = None) -> Array:
        """Return q, q̇ and q̈ at times in a row.

        Parameters
        ----------
        times : ndarray, shape (k,)
            Times [s].
        within : ndarray, shape (k,), optional
            Times [s]: where something jumps, the limit from their side is returned.

        Returns
        -------
        ndarray, shape (3, k, n)
            Angles [rad], rates [rad/s] and accelerations [rad/s²].
        """
        rows, moving = self.path_rows(times, within)
        if self.solver is not None:
            reached = self._reachable(rows[0])
            near = times if within is None else times + SIDE * (within - times)
            rows = self.solver(np.clip(near, 0.0, self.duration), rows)
            if not moving.all():
                rows[1:, ~moving] = 0.0
            if not reached.all():
                rows[:, ~reached] = np.nan
        return to_rest(rows, self.usual_rate) if depends_on_direction(self.arm) else rows

    def tip(self, t: TimesLike) -> TipMotion:
        """Return where the tip should be, its velocity and its acceleration.

        Parameters
        ----------
        t : array_like, shape (...)
            Times [s].

        Returns
        -------
        TipMotion
            Position [m], velocity [m/s] and acceleration [m/s²], shape (..., 2) each.
        """
        times = np.asarray(float_array(t, "t"), dtype=np.float64)
        return TipMotion(*self.tip_rows(times.ravel()).reshape(3, *times.shape, 2))

    def tip_rows(self, times: Array, within: Array | None = None) -> Array:
        """Return the motion of the tip at times in a row.

        Parameters
        ----------
        times : ndarray, shape (k,)
            Times [s].
        within : ndarray, shape (k,), optional
            Times [s]: where something jumps, the limit from their side is returned.

        Returns
        -------
        ndarray, shape (3, k, 2)
            Position [m], velocity [m/s] and acceleration [m/s²].
        """
        rows, _ = self.path_rows(times, within)
        if self.solver is None:
            found = tip_velocity(self.arm, *rows[:2]), tip_acceleration(self.arm, *rows)
            rows = np.stack([tip(self.arm, rows[0]), *found])[..., :2]
        return rows

    def path_rows(self, times: Array, within: Array | None = None) -> tuple[Array, Array]:
        """Return the path with two derivatives by time, and whether it moves.

        Parameters
        ----------
        times : ndarray, shape (k,)
            Times [s].
        within : ndarray, shape (k,), optional
            Times [s]: where something jumps, the limit from their side is returned.

        Returns
        -------
        rows : ndarray, shape (3, k, d)
            Points of the tip [m] or of the joints [rad], with derivatives by time.
        moving : ndarray of bool, shape (k,)
            Whether a time lies between start and end.
        """
        u = np.clip(times / self.duration, 0.0, 1.0)
        beside = None if within is None else np.clip(within / self.duration, 0.0, 1.0)
        rows = self.timing.points(self.path, u, beside)
        rows[1] /= self.duration
        rows[2] /= self.duration**2
        moving = np.abs(times - 0.5 * self.duration) <= (0.5 + 1e-9) * self.duration
        if not moving.all():
            rows[1:, ~moving] = 0.0
        return rows, moving

    @cached_property
    def usual_rate(self) -> float:
        """A rate [rad/s] that joints have somewhere, beside which rounding errors are told."""
        extent = float(np.ptp(self.path.curve(SAMPLE_PARAMETERS)[0], axis=0).max())
        return extent / (self.duration * (1.0 if self.path.in_joints else self.arm.reach))

    def _reachable(self, points: Array) -> Array:
        inner, outer = ring(np.asarray(self.arm.parameters.length))
        distance = np.hypot(*(points - np.array(self.arm.base)).T)
        slack = EXACT * self.arm.reach
        return (distance <= outer + slack) & (distance >= inner - slack)

    def __repr__(self) -> str:
        return f"Trajectory: {self.path}, {self.timing.name}, {self.duration:g} s"

"""What `ulna.plan` is asked: an arm, a path and how to follow it, as one value.

A request is checked once, when it is made. It is written as plain values, as JSON and TOML have
them, and read back; its `repr` is the Python that makes it again.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Self, TypedDict, Unpack

import numpy as np

from ulna.arm import Arm
from ulna.arm.plain_arms import arm_expression, plain_arm, read_plain_arm
from ulna.arrays import LARGEST, Array, float_array, number, positive
from ulna.errors import InputError, Problem, Problems, did_you_mean, shown
from ulna.motion.paths.path import Path
from ulna.motion.paths.path_text import path_as_text, read_path
from ulna.motion.paths.points import LONGEST_TIME, SHORTEST_TIME
from ulna.motion.trajectory import LAWS, Timing, plain_timing, read_plain_timing, read_timing
from ulna.typing import AngleLike, ArrayLike, Derivatives, Elbow, TimingName
from ulna.units import to_si

ELBOWS = ("up", "down", "positive", "negative")
EXACT = "exact"
VECTORS = ("start", "posture", "tip_force", "end_speeds", "max_joint_acceleration")
NUMBERS = (
    *VECTORS, "duration", "rate", "max_speed", "max_acceleration", "floor", "reserve", "smoothing",
)  # fmt: skip
FASTEST_ONLY = ("reserve", "end_speeds", "max_joint_acceleration", "smoothing")


@dataclass(frozen=True)
class Limits:
    """The most that the tip may do; None for no limit."""

    speed: float | None = None  # [m/s]
    acceleration: float | None = None  # [m/s²]

    def __post_init__(self) -> None:
        if self.speed is not None:
            positive("max_speed", self.speed, "m/s")
        if self.acceleration is not None:
            positive("max_acceleration", self.acceleration, "m/s²")

    def look_ahead(self, duration: float | None) -> bool:
        """Return whether motions may slow down only where they must: with both, and no duration."""
        return None not in (self.speed, self.acceleration) and duration is None

    def shortest(self, speed: float, acceleration: float, told: str) -> float:
        """Return the duration at which a motion with these peaks in 1 s just keeps the limits.

        Speeds go as 1/T, accelerations as 1/T².
        """
        least = 0.0
        if self.speed is not None:
            least = max(least, speed / self.speed)
        if self.acceleration is not None:
            least = max(least, math.sqrt(acceleration / self.acceleration))
        if least > LONGEST_TIME:
            what = "max_speed" if self.acceleration is None else "max_acceleration"
            limit = self.speed if self.acceleration is None else self.acceleration
            got = f"{limit:g}, with which it takes {least:.3g} s"
            raise InputError(Problem(what, got, f"one that leaves at most {LONGEST_TIME:g} s"))
        if not least > 0.0:
            got = f"{told}, where the tip never accelerates"
            raise InputError(Problem("max_acceleration", got, "max_speed or a duration as well"))
        return least


@dataclass(frozen=True, eq=False)
class TipForce:
    """The force on the tip: the same (3,) at all times, or what a function of the time returns."""

    given: Array | Callable[[float], Any]

    def __call__(self, times: Array) -> Array:
        """Return the force (k, 3) at times (k,)."""
        if not callable(self.given):
            return np.broadcast_to(self.given, (len(times), 3))
        forces = [_checked_force(self.given(float(t))) for t in times]
        return np.array(forces).reshape(-1, 3)


class PlanKeywords(TypedDict, total=False):
    """What `plan` takes besides an arm and a path."""

    duration: float | None
    timing: TimingName | Timing | None
    rate: float | None
    derivatives: Derivatives
    max_speed: float | None
    max_acceleration: float | None
    start: AngleLike | None
    elbow: Elbow | None
    posture: AngleLike | None
    floor: float | None
    tip_force: ArrayLike | Callable[[float], Any] | None
    reserve: float | None
    end_speeds: Sequence[float] | None
    max_joint_acceleration: ArrayLike | None
    smoothing: float | None


class RequestFields(PlanKeywords, total=False):
    """What `PlanRequest.replace` takes."""

    arm: Arm
    path: Path


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PlanRequest:
    """An arm, a path, and how the arm is to follow it: what `ulna.plan` takes, as one value.

    Two requests are equal where they are written alike.

    Parameters
    ----------
    arm : Arm
        The arm.
    path : Path
        The path; a drawing without a scale is fitted into reach by `ulna.plan`.
    duration : float, optional
        How long the motion takes [s].
    timing : str or Timing, optional
        The timing law; this and all that follows as `ulna.plan` takes it.
    rate : float, optional
        Samples per second [Hz].
    derivatives : {"exact", "finite"}, optional
        How rates and accelerations are found.
    max_speed : float, optional
        The largest speed of the tip [m/s].
    max_acceleration : float, optional
        The largest acceleration of the tip [m/s²].
    start : array_like, shape (n,), optional
        Joint angles [rad] to begin close to.
    elbow : {"up", "down", "positive", "negative"}, optional
        The posture of two links.
    posture : array_like, shape (n,), optional
        Joint angles [rad] that a redundant arm stays close to.
    floor : float, optional
        Height [m] below which nothing is to be.
    tip_force : array_like, shape (2,) or (3,), or callable, optional
        Force x, y [N] and moment [N·m] that act on the arm.
    reserve : float, optional
        The part of all torques that the fastest timing leaves to feedback.
    end_speeds : sequence of float, optional
        Speeds along the path at start and end of the fastest timing.
    max_joint_acceleration : array_like, shape () or (n,), optional
        The largest acceleration of the joints [rad/s²] in the fastest timing.
    smoothing : float, optional
        The window [s] over which the fastest timing is averaged.

    Raises
    ------
    InputError
        With a value that cannot be used.

    Examples
    --------
    >>> import ulna
    >>> asked = PlanRequest(arm=ulna.preset("kehl"), path=ulna.paths.loops(), duration=5.0)
    >>> ulna.plan(asked).request == asked
    True
    >>> asked.replace(duration=8.0).duration
    8.0
    """

    arm: Arm
    path: Path
    duration: float | None = None
    timing: TimingName | Timing | None = None
    rate: float | None = None
    derivatives: Derivatives = "exact"
    max_speed: float | None = None
    max_acceleration: float | None = None
    start: AngleLike | None = None
    elbow: Elbow | None = None
    posture: AngleLike | None = None
    floor: float | None = None
    tip_force: ArrayLike | Callable[[float], Any] | None = None
    reserve: float | None = None
    end_speeds: Sequence[float] | None = None
    max_joint_acceleration: ArrayLike | None = None
    smoothing: float | None = None

    def __post_init__(self) -> None:
        canonical = {name: _frozen(name, getattr(self, name)) for name in NUMBERS}
        _check_kinds(self.arm, self.path)
        is_fastest = self.law is LAWS["fastest"]
        if self.duration is not None:
            _check_duration(self.duration, is_fastest=is_fastest)
        if not isinstance(self.derivatives, str) or self.derivatives not in (EXACT, "finite"):
            raise InputError(Problem("derivatives", shown(self.derivatives), "'exact' or 'finite'"))
        if self.floor is not None:
            number("floor", self.floor, "a height [m]")
        self._check_postures()
        if self.tip_force is not None and not callable(self.tip_force):
            _checked_force(self.tip_force)
        self._check_fastest(is_fastest=is_fastest)
        for name, value in canonical.items():
            object.__setattr__(self, name, value)

    def _check_postures(self) -> None:
        """Raise if a posture is chosen by no known name, or where the path determines all."""
        for name in ("start", "elbow", "posture"):
            value = getattr(self, name)
            if self.path.in_joints and value is not None:
                need = "nothing with a path of the joints, which determines every posture"
                raise InputError(Problem(name, shown(value), need))
        elbow, n = self.elbow, self.arm.n
        if elbow is None:
            return
        if not isinstance(elbow, str) or elbow not in ELBOWS:
            hint = did_you_mean(str(elbow), ELBOWS)
            raise InputError(Problem("elbow", shown(elbow), "up, down, positive or negative", hint))
        if n != 2:
            got = f"{shown(elbow)} for an arm of {n} link{'s' * (n > 1)}"
            raise InputError(Problem("elbow", got, "an arm of two links"))
        if self.start is not None:
            raise InputError(Problem("elbow", f"{shown(elbow)} and a start", "one of the two"))

    def _check_fastest(self, *, is_fastest: bool) -> None:
        """Raise for what cannot be used of the options of the fastest timing."""
        for name in FASTEST_ONLY:
            value = getattr(self, name)
            if value is not None and not is_fastest:
                raise InputError(Problem(name, shown(value), "timing='fastest' with it"))
        if is_fastest and callable(self.tip_force):
            need = "numbers with timing='fastest'"
            raise InputError(Problem("tip_force", "a function of t", need))
        if self.reserve is not None:
            number("reserve", self.reserve, "a part of the torque, from 0 to below 1")
            if not 0.0 <= self.reserve < 1.0:
                raise InputError(Problem("reserve", shown(self.reserve), "from 0 to below 1"))
        if self.end_speeds is not None:
            speeds = float_array(self.end_speeds, "end_speeds")
            if speeds.shape != (2,) or not (np.isfinite(speeds) & (speeds >= 0.0)).all():
                need = "two speeds along the path, at start and end, not negative"
                raise InputError(Problem("end_speeds", shown(self.end_speeds), need))
        if self.max_joint_acceleration is not None:
            self._check_joint_acceleration()
        if self.smoothing is not None:
            self._check_smoothing()

    def _check_joint_acceleration(self) -> None:
        most = float_array(self.max_joint_acceleration)
        got = shown(self.max_joint_acceleration)
        if not (most > 0.0).all():
            raise InputError(Problem("max_joint_acceleration", got, "above 0 rad/s²"))
        if most.shape not in ((), (self.arm.n,)):
            need = f"one number, or {self.arm.n}, one per joint"
            raise InputError(Problem("max_joint_acceleration", got, need))

    def _check_smoothing(self) -> None:
        positive("smoothing", self.smoothing, "s")
        if self.end_speeds is not None and np.any(self.end_speeds):
            need = f"a motion from rest to rest, not end_speeds of {shown(self.end_speeds)}"
            raise InputError(Problem("smoothing", shown(self.smoothing), need))

    @cached_property
    def limits(self) -> Limits:
        """The most that the tip may do."""
        return Limits(self.max_speed, self.max_acceleration)

    @cached_property
    def law(self) -> Timing:
        """The timing law, that which is chosen without a name included."""
        usual = "trapezoid" if self.limits.look_ahead(self.duration) else "uniform"
        return read_timing(usual if self.timing is None else self.timing)

    @cached_property
    def force(self) -> TipForce | None:
        """The force on the tip, as a function of times."""
        given = self.tip_force
        if given is None:
            return None
        return TipForce(given if callable(given) else _checked_force(given))

    def replace(self, **changes: Unpack[RequestFields]) -> Self:
        """Return a request with other values.

        Parameters
        ----------
        **changes : RequestFields
            Values by the names of the fields.

        Returns
        -------
        PlanRequest
            The same with these values, checked.
        """
        return dataclasses.replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as JSON and TOML have them: what differs from the defaults.

        Returns
        -------
        dict
            Values by the names of the fields. The arm is the name of a preset or the tables of a
            robot file, the path a text.

        Raises
        ------
        InputError
            With everything that cannot be written, such as a function of time.
        """
        checks, found = Problems(), dict[str, Any]()
        for name, value in self._given().items():
            with checks.gather():
                found[name] = WRITERS.get(name, _plain)(value)
        checks.raise_if_any()
        return found

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the request that plain values describe.

        Parameters
        ----------
        values : mapping
            Values as `to_dict` returns them; numbers may be text with a unit.

        Returns
        -------
        PlanRequest
            The request.

        Raises
        ------
        InputError
            With a value that cannot be used.

        Examples
        --------
        >>> asked = PlanRequest.from_dict({"arm": "kehl", "path": "loops()", "duration": 5.0})
        >>> asked.to_dict()["arm"], asked.duration
        ('kehl', 5.0)
        """
        checks, known = Problems(), [one.name for one in dataclasses.fields(cls)]
        checks.unknown_keys(values, known)
        found = dict[str, Any]()
        for name in ("arm", "path"):
            if name not in values:
                checks.add(name, "nothing", "one")
        for name, value in values.items():
            with checks.gather():
                found[name] = READERS[name](value) if name in READERS else value
        checks.raise_if_any()
        return cls(**found)

    def arguments(self) -> dict[str, str]:
        """Return the Python expressions that make the fields again.

        Returns
        -------
        dict of str to str
            Expressions by the names of the fields, of what differs from the defaults.

        Raises
        ------
        InputError
            With everything that cannot be written, such as a function of time.
        """
        texts = {"arm": arm_expression, "path": _path_expression, "timing": _timing_expression}
        return {name: texts.get(name, repr)(value) for name, value in self.to_dict().items()}

    def _given(self) -> dict[str, Any]:
        fields = ((one.name, getattr(self, one.name)) for one in dataclasses.fields(self))
        return {
            name: value
            for name, value in fields
            if value is not None and not (name == "derivatives" and value == EXACT)
        }

    @cached_property
    def _key(self) -> Any:
        """What says whether two requests are equal."""
        try:
            return repr(self.to_dict())
        except InputError:
            return tuple(self._given().items())

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, PlanRequest) and self._key == other._key)

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        try:
            texts = self.arguments()
        except InputError:
            texts = {name: shown(value) for name, value in self._given().items()}
        return f"ulna.PlanRequest({', '.join(f'{name}={text}' for name, text in texts.items())})"


def _frozen(name: str, given: Any) -> Any:
    """Return a number as Python's own, and several as a tuple, which nobody can change."""
    if given is None or callable(given):
        return given
    if name not in VECTORS:
        is_number = isinstance(given, Real) and not isinstance(given, bool)
        return float(given) if is_number and abs(given) <= LARGEST else given
    values = float_array(given, name)
    return float(values) if not values.ndim else tuple(values.tolist())


def _check_kinds(arm: Any, path: Any) -> None:
    if not isinstance(arm, Arm):
        raise InputError(Problem("arm", shown(arm), "an Arm"))
    if not isinstance(path, Path):
        hint = "make one with ulna.paths, such as ulna.paths.circle()"
        raise InputError(Problem("path", shown(path), "a Path", hint))
    if path.dimensions != (arm.n if path.in_joints else 2):
        got = f"postures of {path.dimensions} joints"
        raise InputError(Problem("path", got, f"{arm.n}, as many as the arm has"))


def _check_duration(duration: Any, *, is_fastest: bool) -> None:
    if is_fastest:
        need = "none with timing='fastest', which finds it"
        raise InputError(Problem("duration", shown(duration), need))
    if positive("duration", duration, "s") < SHORTEST_TIME:
        raise InputError(Problem("duration", shown(duration), f"at least {SHORTEST_TIME:g} s"))


def _checked_force(given: Any) -> Array:
    force = float_array(given, "tip_force")
    if force.shape not in ((2,), (3,)) or not np.isfinite(force).all():
        need = "x, y [N], or x, y and a moment [N·m]: finite numbers, or a function of t"
        raise InputError(Problem("tip_force", shown(given), need))
    return np.pad(force, (0, 3 - len(force)))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _plain_force(value: Any) -> list[float]:
    if callable(value):
        name = getattr(value, "__name__", type(value).__name__)
        need = "numbers, which can be written"
        raise InputError(Problem("tip_force", f"the function {name}", need))
    return list(value)


def _path_expression(text: str) -> str:
    return f"ulna.motion.read_path({text!r})"


def _timing_expression(value: str | dict[str, Any]) -> str:
    if isinstance(value, str):
        return repr(value)
    return f"ulna.motion.times({', '.join(map(repr, value.values()))})"


WRITERS: Mapping[str, Callable[[Any], Any]] = {
    "arm": plain_arm,
    "path": path_as_text,
    "timing": plain_timing,
    "tip_force": _plain_force,
}
KINDS = {
    "duration": "time", "rate": "frequency", "max_speed": "velocity",
    "max_acceleration": "acceleration", "start": "angle", "posture": "angle", "floor": "length",
    "max_joint_acceleration": "angular_acceleration", "smoothing": "time",
}  # fmt: skip


def _reader(name: str, kind: str) -> Callable[[Any], Any]:
    """Return what reads a number, or one per joint: in SI, or text with a unit."""

    def read(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [to_si(one, kind, what=name) for one in value]
        return to_si(value, kind, what=name) if isinstance(value, str) else value

    return read


READERS: Mapping[str, Callable[[Any], Any]] = {
    **{name: _reader(name, kind) for name, kind in KINDS.items()},
    "arm": read_plain_arm,
    "path": read_path,
    "timing": read_plain_timing,
}

"""Names for the types that public functions take, for signatures here and for annotations of users.

Sizes are those of an arm of n joints; B counts the arms of a batch. Numbers are in SI units and
radians. What an alias cannot say, a function checks when it is called.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, Union

if TYPE_CHECKING:
    from ulna.arm import Actuators, Arm, Parameters, Sensors
    from ulna.control import Controller
    from ulna.motion import Plan, PlanRequest, Trajectory
    from ulna.scenario.disturbances import Disturbance
    from ulna.scenario.methods import IntegrationMethod

__all__ = [
    "ActuatorsLike",
    "AngleLike",
    "ArmsLike",
    "ArrayLike",
    "BatchActuatorsLike",
    "BatchControllerLike",
    "BatchDisturbancesLike",
    "BatchReferenceLike",
    "BatchSensorsLike",
    "BatchTipForceLike",
    "BatchTorqueLike",
    "Branch",
    "ControllerLike",
    "Derivatives",
    "DisturbancesLike",
    "Dynamics",
    "Elbow",
    "EventLike",
    "EventsLike",
    "Interpolation",
    "MembersLike",
    "Method",
    "OnError",
    "OnInterrupt",
    "PathLike",
    "PointLike",
    "Precision",
    "RateLike",
    "ReferenceLike",
    "SamplesLike",
    "SeedsLike",
    "SensorsLike",
    "StateLike",
    "SupportsArray",
    "TimesLike",
    "TimingName",
    "TipForceLike",
    "TorqueLike",
]


class SupportsArray(Protocol):
    """What NumPy can turn into an array: its own, those of pandas, xarray, JAX and others."""

    def __array__(self) -> Any: ...


# Numbers: one of them, an array, or sequences of either. NumPy's own alias takes text as well.
_Numbers: TypeAlias = float | SupportsArray
_Row: TypeAlias = Sequence[_Numbers]
_Rows: TypeAlias = Sequence[_Numbers | _Row]
_Tables: TypeAlias = Sequence[_Numbers | _Row | _Rows]
ArrayLike: TypeAlias = _Numbers | Sequence[_Numbers | _Row | _Rows | _Tables]
AngleLike: TypeAlias = ArrayLike  # joint angles (..., n) [rad]
RateLike: TypeAlias = ArrayLike  # joint rates (..., n) [rad/s]
StateLike: TypeAlias = ArrayLike  # a half of a state: angles [rad] or rates [rad/s] of the joints
PointLike: TypeAlias = ArrayLike  # points (..., 2) [m]; (..., 3) with orientations [rad] as well
TimesLike: TypeAlias = ArrayLike  # times (...) [s]

# Of t, or of (t, q, qd).
_Function: TypeAlias = Callable[[float], Any] | Callable[[float, Any, Any], Any]
# Numbers (n,), rows (k, n) dt apart, a pair (times, rows), formulas, one a joint, or a function.
TorqueLike: TypeAlias = _Numbers | str | Sequence[_Numbers | str | _Row | _Rows] | _Function
# The same of x, y [N] and, where there are three, a moment [N·m]; it acts on the arm.
TipForceLike: TypeAlias = TorqueLike

# An object with start(arm) and torque(t, q, qd, reference, state).
ControllerLike: TypeAlias = "Controller"
# A motion, a posture (n,) [rad], or a function of t that returns q, (q, qd) or (q, qd, qdd).
ReferenceLike: TypeAlias = Union[
    "Plan", "PlanRequest", "Trajectory", ArrayLike, Callable[[float], Any]
]
SensorsLike: TypeAlias = "Sensors"
ActuatorsLike: TypeAlias = "Actuators"
DisturbancesLike: TypeAlias = Sequence["Disturbance"]
EventLike: TypeAlias = str | _Function  # a formula or a function that is watched for its sign
EventsLike: TypeAlias = Mapping[str, EventLike]
SamplesLike: TypeAlias = int | Sequence[float] | SupportsArray  # how many, or their times [s]

# Of a batch: for all arms, or a sequence with one for each.
ArmsLike: TypeAlias = Union["Arm", "Parameters", Sequence["Arm"]]
BatchTorqueLike: TypeAlias = (
    _Numbers
    | str
    | Sequence[_Numbers | str | _Row | _Rows | _Tables | Sequence[str | float] | None]
)
BatchTipForceLike: TypeAlias = BatchTorqueLike
BatchControllerLike: TypeAlias = Union["Controller", Sequence["Controller"]]
BatchReferenceLike: TypeAlias = ReferenceLike | Sequence[ReferenceLike]
BatchSensorsLike: TypeAlias = Union["Sensors", Sequence["Sensors"]]
BatchActuatorsLike: TypeAlias = Union["Actuators", Sequence["Actuators"]]
BatchDisturbancesLike: TypeAlias = Sequence["Disturbance"] | Sequence[Sequence["Disturbance"]]
SeedsLike: TypeAlias = int | Sequence[int] | SupportsArray  # whole numbers of at least 0
# Numbers of arms, a mask (B,), a slice; None is all of them.
MembersLike: TypeAlias = int | Sequence[int] | Sequence[bool] | SupportsArray | slice | None

# Of a motion: how its path is timed, how its rates are found, on which side its elbow is.
TimingName: TypeAlias = Literal[
    "uniform", "constant-speed", "cubic", "quintic", "trapezoid", "s-curve", "fastest"
]
Derivatives: TypeAlias = Literal["exact", "finite"]
Elbow: TypeAlias = Literal["up", "down", "positive", "negative"]
Branch: TypeAlias = Literal["positive", "negative"]  # the sign of sin q_2

Method: TypeAlias = Union[
    Literal["rk4", "dop853", "semi-implicit", "gauss4"], "IntegrationMethod"
]  # one of your own by its record; its name will do as well
Dynamics: TypeAlias = Literal["full", "sequential"]
Interpolation: TypeAlias = Literal["hold", "linear"]
Precision: TypeAlias = Literal["double", "single"]
OnError: TypeAlias = Literal["return", "raise"]
OnInterrupt: TypeAlias = Literal["raise", "return"]

PathLike: TypeAlias = str | os.PathLike[str]  # the name of a file


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})

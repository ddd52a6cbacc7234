"""WHERE it is: forward and inverse kinematics of points and of whole paths."""

from typing import TYPE_CHECKING

from ulna.kinematics.differential_kinematics import (
    SINGULAR,
    Ellipse,
    Singularities,
    condition_number,
    elbow_side,
    jacobian,
    jacobian_rate,
    manipulability,
    manipulability_ellipse,
    singular_values,
    singularities,
    tip_acceleration,
    tip_velocity,
)
from ulna.kinematics.forward_kinematics import Transforms, centres, joints, tip, transforms
from ulna.kinematics.inverse_kinematics import inverse
from ulna.kinematics.path_tracking import Interval, Tracked, TrackFlag, track
from ulna.kinematics.reachable_workspace import Workspace, workspace
from ulna.kinematics.solutions import Solutions
from ulna.namespaces import namespace

__all__ = [
    "SINGULAR",
    "Ellipse",
    "Interval",
    "Singularities",
    "Solutions",
    "TrackFlag",
    "Tracked",
    "Transforms",
    "Workspace",
    "centres",
    "condition_number",
    "elbow_side",
    "inverse",
    "jacobian",
    "jacobian_rate",
    "joints",
    "manipulability",
    "manipulability_ellipse",
    "singular_values",
    "singularities",
    "tip",
    "tip_acceleration",
    "tip_velocity",
    "track",
    "transforms",
    "workspace",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)

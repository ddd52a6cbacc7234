"""WHERE it is: forward and inverse kinematics of points and of whole paths."""

from ulna.kinematics.dexterity import (
    SINGULAR,
    Ellipse,
    Singularities,
    condition_number,
    elbow_side,
    manipulability,
    manipulability_ellipse,
    singular_values,
    singularities,
)
from ulna.kinematics.forward import Transforms, centres, joints, tip, transforms
from ulna.kinematics.inverse import inverse
from ulna.kinematics.jacobian import jacobian, jacobian_rate, tip_acceleration, tip_velocity
from ulna.kinematics.solutions import Solutions
from ulna.kinematics.track import track
from ulna.kinematics.tracked import Interval, Tracked, Why
from ulna.kinematics.workspace import Workspace, workspace

__all__ = [
    "SINGULAR",
    "Ellipse",
    "Interval",
    "Singularities",
    "Solutions",
    "Tracked",
    "Transforms",
    "Why",
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

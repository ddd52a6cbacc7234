"""WHERE it is: forward and inverse kinematics of points and of whole paths."""

from typing import TYPE_CHECKING

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
from ulna.kinematics.forward import Transforms, centres, joints, transforms
from ulna.kinematics.inverse import inverse
from ulna.kinematics.jacobian import jacobian_rate, tip_acceleration, tip_velocity
from ulna.kinematics.posture import jacobian, tip
from ulna.kinematics.solutions import Solutions
from ulna.kinematics.track import track
from ulna.kinematics.tracked import Interval, Tracked, Why
from ulna.kinematics.workspace import Workspace, workspace
from ulna.namespaces import namespace

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

if not TYPE_CHECKING:
    _guesses = {
        "kinematics.tip(arm, q) gives x, y and the angle of the tip, kinematics.joints(arm, q) the "
        "places of all joints, kinematics.transforms(arm, q) the frames": (
            "forward fk fkine forward_kinematics forwardKinematics pose position end_effector"
        ),
        "kinematics.inverse(arm, target) gives every posture for a point, "
        "kinematics.track(arm, points) follows a path": (
            "ik ikine inverse_kinematics inverseKinematics ik_solve solve"
        ),
        "kinematics.jacobian(arm, q) has rows for x, y and the rotation": (
            "jac jacob jacob0 jacobe jacobian_matrix"
        ),
        "kinematics.jacobian_rate(arm, q, qd) is its derivative in time": (
            "jacob_dot jacob0_dot jacobian_dot jacobian_derivative"
        ),
        "kinematics.centres(arm, q) gives the links' centres of mass": "centers com coms",
        "kinematics.workspace(arm) gives what the tip can reach": "reach reachable",
    }
    __getattr__, __dir__ = namespace(__name__, _guesses)

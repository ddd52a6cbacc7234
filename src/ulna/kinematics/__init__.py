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
    _guesses = {
        "kinematics.tip(arm, q) returns x, y and the angle of the tip, kinematics.joints(arm, q) "
        "the positions of all joints, kinematics.transforms(arm, q) the frames": (
            "forward fk fkine forward_kinematics forwardKinematics compute_fk solve_fk pose "
            "position tip_position tip_pose end_effector end_effector_position end_effector_pose "
            "ee ee_position ee_pose tcp tool orientation heading tip_angle"
        ),
        "kinematics.joints(arm, q) returns the positions from the base to the tip": (
            "joint_positions link_positions positions elbow elbow_position points"
        ),
        "kinematics.transforms(arm, q) returns the homogeneous transforms": (
            "frames transform homogeneous_transforms transformation_matrix link_frames base_frame "
            "tool_frame dh dh_table dh_parameters"
        ),
        "kinematics.inverse(arm, target) returns every posture for a point, "
        "kinematics.track(arm, points) follows a path": (
            "ik ikine inverse_kinematics inverseKinematics ik_solve solve_ik compute_ik solve "
            "inverse_position numerical_ik analytic_ik analytical_ik"
        ),
        "kinematics.inverse(arm, target).elbow_up and .elbow_down are the postures of two links": (
            "elbow_up elbow_down"
        ),
        "kinematics.track(arm, points) returns continuous joint angles": (
            "follow follow_path track_path ik_path ik_trajectory solve_path trajectory"
        ),
        "kinematics.jacobian(arm, q) has rows for x, y and the rotation": (
            "J jac jacob jacob0 jacobe jacobian_matrix geometric_jacobian analytical_jacobian "
            "spatial_jacobian body_jacobian"
        ),
        "np.linalg.pinv(kinematics.jacobian(arm, q)[..., :2, :]) is its pseudo-inverse": (
            "pseudo_inverse pinv jacobian_inverse inverse_jacobian damped_inverse"
        ),
        "kinematics.jacobian_rate(arm, q, qd) is its derivative in time": (
            "Jdot jacob_dot jacob0_dot jacobian_dot jacobian_derivative"
        ),
        "kinematics.tip_velocity(arm, q, qd) returns the velocity of the tip": (
            "velocity end_effector_velocity ee_velocity forward_velocity tip_speed"
        ),
        "kinematics.tip_acceleration(arm, q, qd, qdd) returns the acceleration of the tip": (
            "acceleration end_effector_acceleration ee_acceleration"
        ),
        "kinematics.centres(arm, q) returns the links' centres of mass": (
            "centers com coms centers_of_mass centres_of_mass center_of_mass centre_of_mass"
        ),
        "kinematics.workspace(arm) returns what the tip can reach, "
        "kinematics.workspace(arm).contains(points) whether it reaches points": (
            "reach max_reach reachable is_reachable in_reach can_reach reachable_workspace "
            "boundary workspace_area plot_workspace"
        ),
        "kinematics.condition_number(arm, q) is large near a singular posture, "
        "kinematics.singularities(arm) lists them": "singular is_singular singularity",
        "kinematics.manipulability(arm, q) is Yoshikawa's measure": (
            "yoshikawa manipulability_index manipulability_measure"
        ),
        "kinematics.manipulability_ellipse(arm, q) returns the ellipse of tip velocities": (
            "ellipse velocity_ellipse force_ellipse manipulability_ellipsoid"
        ),
        "kinematics.track(arm, points) solves for a whole path; for one posture use "
        "numpy.linalg.pinv with kinematics.jacobian(arm, q)": (
            "pinv pseudo_inverse pseudoinverse inverse_velocity resolved_rate inverse_jacobian "
            "damped_least_squares dls"
        ),
        "a redundant arm stays close to a posture by kinematics.inverse(arm, target, posture=q)": (
            "null_space nullspace redundancy"
        ),
        "kinematics.workspace(arm).nearest(point) is the nearest point in reach": (
            "nearest nearest_point closest_point clamp"
        ),
        "dynamics.holding_torque(arm, q, tip_force=force) balances a force on the tip": (
            "statics static_force static_torque joint_torque"
        ),
    }
    __getattr__, __dir__ = namespace(__name__, _guesses)

"""WHAT we ask: paths, timing laws, trajectories, and plans with their torques."""

from typing import TYPE_CHECKING

from ulna.motion import paths
from ulna.motion.paths.path import Path
from ulna.motion.paths.path_text import SHAPES, Shape, read_path
from ulna.motion.planning.findings import Finding
from ulna.motion.planning.plan import plan
from ulna.motion.planning.plan_result import Plan, Terms
from ulna.motion.planning.plans import Plans
from ulna.motion.trajectory import JointMotion, Timing, TipMotion, Trajectory, times
from ulna.namespaces import namespace

__all__ = [
    "SHAPES",
    "Finding",
    "JointMotion",
    "Path",
    "Plan",
    "Plans",
    "Shape",
    "Terms",
    "Timing",
    "TipMotion",
    "Trajectory",
    "paths",
    "plan",
    "read_path",
    "times",
]

if not TYPE_CHECKING:
    _guesses = {
        "motion.plan(arm, path) returns the joint angles and torques along a path": (
            "plan_path plan_motion plan_trajectory plan_joint make_plan planner follow follow_path "
            "trajectory jtraj ctraj mstraj torque_profile"
        ),
        "paths have a module of their own: motion.paths.line(start, end), motion.paths.circle()": (
            "line circle arc ellipse polyline polygon lemniscate rose loops joints shape straight "
            "segment waypoints via_points figure_eight"
        ),
        "paths have a module of their own: motion.paths.spline(through), motion.paths.svg(file), "
        "motion.paths.csv(file)": "spline svg csv from_svg from_csv drawing",
        "motion.read_path(text) makes a path of text": "parse parse_path path_from_text from_text",
        "timing is an option: motion.plan(arm, path, timing='trapezoid'), or 'uniform', "
        "'constant-speed', 'cubic', 'quintic', 's-curve'": (
            "trapezoid trapezoidal trapezoidal_profile lspb cubic quintic s_curve scurve uniform "
            "constant_speed minimum_jerk min_jerk velocity_profile time_scaling rest_to_rest "
            "quintic_polynomial cubic_polynomial"
        ),
        "motion.plan(arm, path, max_speed=v, max_acceleration=a) is as short as these allow": (
            "time_optimal minimum_time min_time fastest toppra topp"
        ),
        "motion.times(at, parts) is a timing that passes parts of the path at given times": (
            "time_table waypoint_times schedule"
        ),
    }
    __getattr__, __dir__ = namespace(__name__, _guesses, also=__all__)

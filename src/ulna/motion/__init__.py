"""WHAT we ask: paths, timing laws, trajectories, and plans with their torques."""

from typing import TYPE_CHECKING

from ulna.motion import paths
from ulna.motion.paths.path import Path
from ulna.motion.paths.path_text import SHAPES, Shape, read_path
from ulna.motion.planning.findings import Finding
from ulna.motion.planning.limiting import Limiting
from ulna.motion.planning.plan import plan
from ulna.motion.planning.plan_request import PlanRequest
from ulna.motion.planning.plan_result import Plan, Terms
from ulna.motion.planning.plans import Plans
from ulna.motion.servo_tables import ServoTable, servo_table
from ulna.motion.servos import PenServo, Servo, read_servo
from ulna.motion.trajectory import JointMotion, Timing, TipMotion, Trajectory, times
from ulna.namespaces import namespace

__all__ = [
    "SHAPES",
    "Finding",
    "JointMotion",
    "Limiting",
    "Path",
    "PenServo",
    "Plan",
    "PlanRequest",
    "Plans",
    "Servo",
    "ServoTable",
    "Shape",
    "Terms",
    "Timing",
    "TipMotion",
    "Trajectory",
    "paths",
    "plan",
    "read_path",
    "read_servo",
    "servo_table",
    "times",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)

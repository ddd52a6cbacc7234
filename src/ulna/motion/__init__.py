"""WHAT we ask: paths, when to be where on them, and what that takes of an arm."""

from ulna.motion import paths
from ulna.motion.findings import Finding
from ulna.motion.path import Path
from ulna.motion.plan import Plan
from ulna.motion.planning import plan
from ulna.motion.plans import Plans
from ulna.motion.reading import SHAPES, Shape, read_path
from ulna.motion.terms import Terms
from ulna.motion.timing import Timing, times
from ulna.motion.trajectory import JointMotion, TipMotion, Trajectory

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

"""All kinds of paths, to be called as `ulna.paths.circle(...)`."""

from ulna.motion.drawings import svg
from ulna.motion.point_files import csv
from ulna.motion.points import joints, loops_as_printed, polyline, spline
from ulna.motion.shapes import arc, circle, ellipse, lemniscate, line, loops, rose

__all__ = [
    "arc",
    "circle",
    "csv",
    "ellipse",
    "joints",
    "lemniscate",
    "line",
    "loops",
    "loops_as_printed",
    "polyline",
    "rose",
    "spline",
    "svg",
]

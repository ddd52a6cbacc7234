"""All kinds of paths, to be called as `ulna.paths.circle(...)`."""

from typing import TYPE_CHECKING

from ulna.motion.paths.points import csv, joints, loops_as_printed, polyline, spline
from ulna.motion.paths.shapes import arc, circle, ellipse, lemniscate, line, loops, rose
from ulna.motion.paths.svg_drawings import svg
from ulna.namespaces import namespace

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

if not TYPE_CHECKING:
    __getattr__, __dir__ = namespace(__name__)

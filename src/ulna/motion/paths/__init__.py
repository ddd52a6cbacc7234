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
    _guesses = {
        "paths.line(start, end) goes straight": (
            "straight straight_line segment line_segment linear moveL"
        ),
        "paths.arc(center, radius, start, end) is a part of a circle": "circular circular_arc",
        "paths.ellipse(center, radii) goes once round": "oval",
        "paths.lemniscate(center, radius) is a figure of eight": (
            "figure_eight figure_of_eight figure8 eight infinity"
        ),
        "paths.polyline(corners) goes straight from point to point, and "
        "paths.polyline(corners, closed=True) back to the first": (
            "polygon rectangle square triangle waypoints via_points points from_points corners "
            "lines zigzag star from_waypoints through_points"
        ),
        "paths.spline(through) goes smoothly through points": (
            "cubic_spline bspline b_spline bezier smooth interpolate curve spiral helix through "
            "lissajous sine heart function from_function parametric custom"
        ),
        "paths.joints(through) leads the joints through postures": (
            "joint joint_space joint_path postures configurations moveJ ptp"
        ),
        "paths.svg(file) follows a drawing": "from_svg read_svg load_svg drawing",
        "paths.csv(file) goes through the points of a file": (
            "from_csv read_csv load_csv from_file file load"
        ),
        "motion.read_path(text) makes a path of text": "parse parse_path from_text read_path text",
        "paths.rose(center, radius, petals) is a flower": "flower rhodonea",
        "paths.loops(radius, loop_radius, loops) is a circle on a circle": (
            "epicycle epicycloid epitrochoid hypotrochoid spirograph trochoid"
        ),
        "timing is an option: motion.plan(arm, path, timing='trapezoid')": (
            "trapezoid trapezoidal cubic quintic s_curve"
        ),
        "the class of paths is motion.Path": "path Path",
        "paths are composed by methods: path.then(other), path.reversed(), path.repeated(times), "
        "path.placed(at, angle), path.scaled(factor), path.rounded(radius)": (
            "then chain concatenate concat join sequence compose reverse reversed repeat repeated "
            "scale scaled translate rotate move place placed round rounded"
        ),
    }
    __getattr__, __dir__ = namespace(__name__, _guesses)

"""The shapes of SVG as strokes of exact pieces, in drawing units, y down.

svgelements reads path data, transforms and shapes; attributes are checked before, as it leaves out
in silence what it does not know.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias
from xml.etree.ElementTree import Element

from ulna.errors import InputError, Problem, import_extra, shown
from ulna.motion.paths.curve_segments import CurveSegment, bezier

# CSS pixels, and so drawing units, in a unit: an inch has 96 of them.
UNITS = {
    "": 1.0,
    "px": 1.0,
    "in": 96.0,
    "cm": 96.0 / 2.54,
    "mm": 96.0 / 25.4,
    "Q": 96.0 / 101.6,
    "pt": 96.0 / 72.0,
    "pc": 16.0,
}
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
LENGTH = re.compile(rf"({NUMBER.pattern})\s*({'|'.join(filter(None, UNITS))}|%|)")
# Digits can be parted into numbers in many ways: what a number has taken it keeps.
NUMBERS = re.compile(rf"[\s,]*(?:(?>{NUMBER.pattern})[\s,]*)*+")
COMMANDS = re.compile(r"[\s,MmZzLlHhVvCcSsQqTtAa]*")
TRANSFORMS = re.compile(
    r"[\s,]*(?:(?:matrix|translate|scale|rotate|skewX|skewY)\s*"
    rf"\((?=[^)]*[0-9]){NUMBERS.pattern}\)[\s,]*)*+"
)
FAULTS = (ValueError, AttributeError, TypeError, IndexError, ArithmeticError)  # of svgelements
# The classes of svgelements, and the lengths that say where a shape is.
SHAPES = {
    "path": ("Path", ()),
    "rect": ("Rect", ("x", "y", "width", "height", "rx", "ry")),
    "circle": ("Circle", ("cx", "cy", "r")),
    "ellipse": ("Ellipse", ("cx", "cy", "rx", "ry")),
    "line": ("SimpleLine", ("x1", "y1", "x2", "y2")),
    "polyline": ("Polyline", ()),
    "polygon": ("Polygon", ()),
}
SIZES = ("width", "height", "r", "rx", "ry")

Stroke: TypeAlias = list[CurveSegment]


class Viewport(NamedTuple):
    """The size of what elements are drawn in, in drawing units, if it is known."""

    width: float | None = None
    height: float | None = None

    def percent(self, name: str) -> float | None:
        """Return what 1 % of a length is."""
        if "x" in name or name == "width":
            return self.width and 0.01 * self.width
        if "y" in name or name == "height":
            return self.height and 0.01 * self.height
        if self.width is None or self.height is None:
            return None
        return 0.01 * math.hypot(self.width, self.height) / math.sqrt(2.0)


def import_svgelements() -> Any:
    """Return the library that reads shapes."""
    return import_extra("svgelements", "draw", "an .svg file")


def refusal(got: str, need: str) -> InputError:
    """Return the error of an element; the caller adds which element and where."""
    return InputError(Problem("", got, need))


def read_length(element: Element, name: str, around: Viewport) -> float | None:
    """Read a length in drawing units, None where there is none."""
    text = element.get(name, "auto").strip()
    if text == "auto":
        return None
    match = LENGTH.fullmatch(text)
    unit = {**UNITS, "%": around.percent(name)}[match[2]] if match else None
    if match and unit:
        return float(match[1]) * unit
    need = "a number, alone or in " + ", ".join(filter(None, UNITS))
    raise refusal(f"{name}={shown(text)}", need)


def read_matrix(text: str) -> Any:
    """Read the list of transforms that SVG has."""
    if TRANSFORMS.fullmatch(text):
        try:
            return import_svgelements().Matrix(text)
        except FAULTS:
            pass
    raise refusal(f"transform={shown(text)}", "one such as 'translate(10, 5) rotate(30)'")


def read_shape(element: Element, around: Viewport) -> list[Stroke]:
    """Return the strokes of a shape, without its transform."""
    kind, names = SHAPES[element.tag]
    if kind == "Path":
        return _strokes(_path(element.get("d", "").strip()))
    read = {name: read_length(element, name, around) for name in names}
    values: dict[str, Any] = {name: value for name, value in read.items() if value is not None}
    negative = [value for name, value in values.items() if name in SIZES and value < 0.0]
    if negative:
        raise refusal(f"a size of {negative[0]:g}", "at least 0")
    if kind in ("Circle", "Ellipse"):
        return _round(values)
    points = element.get("points", "")
    if not NUMBERS.fullmatch(points) or len(NUMBER.findall(points)) % 2:
        raise refusal(shown(points), "points such as '0,0 10,5'")
    shape = getattr(import_svgelements(), kind)(
        {"width": 0.0, "height": 0.0, "points": points, **values}
    )
    return _strokes(shape.segments(transformed=False))


def _path(data: str) -> Iterable[Any]:
    if data in ("", "none"):
        return ()
    if data[0] in "Mm" and COMMANDS.fullmatch(NUMBER.sub("", data)):
        try:
            return tuple(import_svgelements().Path(data))
        except FAULTS:
            pass
    raise refusal(shown(data), "path data such as 'M 0 0 L 10 5'")


def _strokes(segments: Iterable[Any]) -> list[Stroke]:
    strokes: list[Stroke] = []
    for segment in segments:
        kind = type(segment).__name__
        if kind == "Move" or not strokes:
            strokes.append([])
        if kind != "Move":
            # After a close a path may go on without a move: from where it closed.
            strokes[-1].append(_segment(segment, kind))
    return strokes


def _segment(segment: Any, kind: str) -> CurveSegment:
    if kind != "Arc":
        return bezier(*(complex(*point) for point in segment))
    if not segment.sweep:
        return bezier(complex(*segment.start), complex(*segment.end))
    middle = complex(*segment.center)
    axes = complex(*segment.prx) - middle, complex(*segment.pry) - middle
    return CurveSegment((middle, 0.0, 0.0, 0.0), *axes, segment.get_start_t(), segment.sweep)


def _round(values: dict[str, float]) -> list[Stroke]:
    """Return a circle or an ellipse as one piece."""
    wide, high = (values.get(name, values.get("r")) for name in ("rx", "ry"))
    radii = high if wide is None else wide, wide if high is None else high
    if not all(radii):
        return []
    middle = complex(values.get("cx", 0.0), values.get("cy", 0.0))
    axes = complex(radii[0] or 0.0), complex(0.0, radii[1] or 0.0)
    return [[CurveSegment((middle, 0.0, 0.0, 0.0), *axes, 0.0, 2.0 * math.pi)]]
